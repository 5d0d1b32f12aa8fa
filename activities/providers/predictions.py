"""Work that a provider does by itself and tells us of when it is done: Replicate-style predictions.

Sources: Replicate's HTTP API reference (``predictions.create``, ``models.predictions.create``, ``predictions.get``,
``predictions.cancel``), "Prediction lifecycle" for the statuses, "Error codes" for ``E####``; cog-stable-diffusion's
``predict.py`` for what a safety filter says.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from activities.providers.cancellation import Stop
from activities.providers.http import ProviderClient
from domain.errors import (
    MESSAGE_LIMIT,
    ContentRejected,
    ProviderAnswerInvalid,
    ProviderError,
    ProviderRequestRefused,
    ProviderUnavailable,
    SettingsInvalid,
)
from domain.orders.predictions import PREDICTION_MODEL

Status = Literal["starting", "processing", "succeeded", "failed", "canceled"]

STATUSES: frozenset[str] = frozenset(get_args(Status))

OVER = frozenset({"succeeded", "failed", "canceled"})

MOST_OUTPUTS = 16
"""Addresses taken from one prediction; further ones are left."""

ADDRESS_LIMIT = 2048
"""Characters of an address that is spoken with (``outbound.URL_LIMIT``). ``data:`` URIs hold the content itself."""

DEEPEST = 4
"""Levels of lists and objects in which an output is looked for."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_CODE = re.compile(r"\b(E\d{3,4}|code: [A-Z]{2})\b")
_CODE_LOOKED_AT = 2000
"""Characters of an error that are looked through. What stands there may quote a prompt, and is never shown."""

_REFUSALS = re.compile(
    r"nsfw|flagged as sensitive|\bE005\b|content[ _]policy|safety (?:filter|checker|system)|content[ _]moderat", re.I
)
_PASSING = re.compile(r"please retry|\bE(?:1000|6716|8765|8367)\b", re.I)
"""A lost worker (``code: PA``), an unknown fault, a start that took too long, a failed health check, a stop."""


class Prediction(BaseModel):
    """One piece of work as its provider tells of it.

    Args:
        outputs: Where the results lie: ``http(s):`` addresses that expire within the hour, or ``data:`` URIs.
        error: What went wrong, in our words: a provider's may quote the prompt.
        refused: A safety filter did not let it be made.
        passing: It failed for a reason that passes; the same work submitted again may succeed.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    status: Status
    outputs: tuple[str, ...] = Field(default=(), repr=False)
    error: str | None = None
    refused: bool = False
    passing: bool = False

    @property
    def is_over(self) -> bool:
        return self.status in OVER

    def fault(self) -> ProviderError | None:
        """Why there is nothing to be had of a prediction that is over: ``None`` where it succeeded or goes on.

        A prediction that succeeded without an output is a fault too.
        """
        if self.status == "failed":
            said = self.error or "The provider's model failed."
            if self.refused:
                return ContentRejected(said)
            return ProviderUnavailable(said) if self.passing else ProviderError(said)
        if self.status == "canceled":
            return ProviderError("The provider gave the work up before it was done. Retry the job.")
        if self.status == "succeeded" and not self.outputs:
            return ProviderAnswerInvalid("The provider says that it is done, and names no result.")
        return None


class Predictions:
    """Submits work, asks for it, calls it off. Safe to use from several threads; retries nothing.

    Args:
        http: The provider; its base URL ends before ``/predictions`` (``https://api.replicate.com/v1``).
    """

    def __init__(self, http: ProviderClient) -> None:
        self._http = http

    def submit(
        self,
        *,
        model: str,
        input: Mapping[str, Any],
        webhook: str | None,
        idempotency_key: str,
        stop: Stop | None = None,
    ) -> Prediction:
        """Begin the work. What is answered may already be its end.

        Args:
            model: ``owner/name``, ``owner/name:version``, or a version's 64 hexadecimal digits.
            webhook: Called once, when the work is over; ``None``: nobody is.
            idempotency_key: The same for the same attempt, for providers that can tell a repeat.

        Raises:
            SettingsInvalid: ``model`` is written in none of these ways.
            ProviderError: As :meth:`ProviderClient.post`.
        """
        path, asked = _addressed(model)
        asked["input"] = dict(input)
        if webhook is not None:
            asked |= {"webhook": webhook, "webhook_events_filter": ["completed"]}
        answer = self._http.post(path, json=asked, headers={"Idempotency-Key": idempotency_key}, stop=stop)
        return self.parse(answer.json())

    def get(self, id: str, *, stop: Stop | None = None) -> Prediction:
        """The work as it stands.

        Raises:
            ProviderRequestRefused: The provider knows no such work (any more).
            ProviderAnswerInvalid: The answer is about other work, or no prediction.
            ProviderError: As :meth:`ProviderClient.get`.
        """
        found = self.parse(self._http.get(f"/predictions/{_named(id)}", stop=stop).json())
        if found.id != id:
            raise self._invalid("an answer about other work")
        return found

    def cancel(self, id: str, *, stop: Stop | None = None) -> None:
        """Call the work off. Work that is over already, or that the provider has forgotten, is left as it is.

        Raises:
            ProviderError: As :meth:`ProviderClient.post`.
        """
        try:
            self._http.post(f"/predictions/{_named(id)}/cancel", json={}, stop=stop)
        except ProviderRequestRefused as refused:
            if refused.details.get("status") not in (400, 404, 409, 410, 422):
                raise

    def parse(self, payload: object) -> Prediction:
        """A prediction as the provider writes it: in an answer, or in the body of a webhook (JSON text, or read).

        Raises:
            ProviderAnswerInvalid: It is none.
        """
        said = _read(payload)
        name, status = said.get("id"), said.get("status")
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise self._invalid("a prediction without an id")
        if status == "aborted":  # its deadline came before its start
            status = "canceled"
        if not isinstance(status, str) or status not in STATUSES:
            raise self._invalid("a prediction in a status that is not known")
        error = _text(said.get("error")) if status == "failed" else ""
        refused = bool(_REFUSALS.search(error))
        return Prediction(
            id=name,
            status=status,
            outputs=tuple(dict.fromkeys(_addresses(said.get("output"), DEEPEST)))[:MOST_OUTPUTS],
            error=_sentence(error, refused) if status == "failed" else None,
            refused=refused,
            passing=not refused and bool(_PASSING.search(error)),
        )

    def _invalid(self, what: str) -> ProviderAnswerInvalid:
        return ProviderAnswerInvalid(f"{self._http.provider} sent {what}.", details={"provider": self._http.provider})


def _addressed(model: str) -> tuple[str, dict[str, Any]]:
    """Where work for ``model`` is submitted, and what names it in the body."""
    written = PREDICTION_MODEL.fullmatch(model)
    if written is None:
        raise SettingsInvalid("A model of predictions is written owner/name, owner/name:version, or as a version.")
    owner, name, version, alone = written.groups()
    if alone or version:
        return "/predictions", {"version": alone or version}
    return f"/models/{owner}/{name}/predictions", {}


def _named(id: str) -> str:
    return quote(id, safe="")


def _read(payload: object) -> Mapping[str, Any]:
    if isinstance(payload, str | bytes | bytearray):
        try:
            payload = json.loads(payload)
        except (ValueError, RecursionError):
            return {}
    return payload if isinstance(payload, Mapping) else {}


def _addresses(output: object, deepest: int) -> Iterator[str]:
    """Every address in an output, which a model shapes as it likes: one, a list, an object of these."""
    if isinstance(output, str):
        if output.startswith("data:") or (output.startswith(("https://", "http://")) and len(output) <= ADDRESS_LIMIT):
            yield output
    elif deepest and isinstance(output, list | dict):
        for each in output.values() if isinstance(output, dict) else output:
            yield from _addresses(each, deepest - 1)


def _text(error: object) -> str:
    if not isinstance(error, str):
        error = json.dumps(error, default=str) if isinstance(error, dict | list) else ""
    return error[:_CODE_LOOKED_AT]


def _sentence(error: str, refused: bool) -> str:
    if refused:
        return "The provider's safety filter refused this. Change what was asked for."
    code = _CODE.search(error)
    named = f" ({code.group(1)})" if code else ""
    return f"The provider's model failed{named}. Retry the job, or use another model."[:MESSAGE_LIMIT]
