"""OpenAI-compatible images and moderations.

Sources: OpenAI's API reference, "Create image" (``url`` or ``b64_json``, by model) and "Create moderation"; Azure
OpenAI's "Content filtering" for ``content_filter_results``.
"""

import base64
import binascii
from typing import Any

from activities.imaging.painters import Painted
from activities.providers import ProviderClient
from activities.providers.cancellation import Stop
from activities.providers.outputs import OutputFetch
from domain.errors import ContentRejected, ProviderAnswerInvalid, ProviderOutputExpired, ProviderRequestRefused
from domain.orders.picture import PictureOrder

SAFETY_CODES = frozenset(
    {"content_policy_violation", "moderation_blocked", "content_filter", "contentFilter", "image_generation_user_error"}
)
"""``error.code`` of a request that a safety filter refused."""

PASSED_ON = ("size", "quality", "style", "background")
"""Parameters that the endpoint knows. ``n`` is always one; anything else stays here."""


class OpenAiPainter:
    """Asks ``/images/generations``, and brings the picture at once: its address expires.

    Args:
        http: The provider; its base URL ends before ``/images/generations``.
        fetch: Brings pictures that are answered by address.
    """

    name = "openai-compatible"

    def __init__(self, http: ProviderClient, fetch: OutputFetch, *, model: str) -> None:
        self._http = http
        self._fetch = fetch
        self._model = model

    def paint(self, order: PictureOrder, *, request_id: str, stop: Stop) -> Painted:
        asked: dict[str, object] = {"model": self._model, "prompt": order.prompt, "n": 1}
        asked |= {name: order.params[name] for name in PASSED_ON if order.params.get(name) is not None}
        try:
            answer = self._http.post(
                "/images/generations", json=asked, headers={"Idempotency-Key": request_id}, stop=stop
            )
        except ProviderRequestRefused as refused:
            if refused.details.get("provider_code") in SAFETY_CODES:
                raise _rejected() from None
            raise
        return Painted(self._picture(answer.json(), stop), self._model)

    def _picture(self, answer: object, stop: Stop) -> bytes:
        first = _first(answer, "data")
        if first.get("nsfw") is True or _is_filtered(first.get("content_filter_results")):
            raise _rejected()
        encoded, url = first.get("b64_json"), first.get("url")
        if isinstance(encoded, str):
            try:
                return base64.b64decode(encoded, validate=True)
            except binascii.Error:
                raise self._invalid("a picture that cannot be decoded") from None
        if isinstance(url, str):
            try:
                return self._fetch.read(url, stop=stop)
            except ProviderOutputExpired as expired:
                raise ProviderAnswerInvalid(expired.message) from None  # asked again, it is made again
        raise self._invalid("an answer without a picture")

    def _invalid(self, what: str) -> ProviderAnswerInvalid:
        return ProviderAnswerInvalid(f"{self._http.provider} sent {what}.")


class OpenAiModerator:
    """Asks ``/moderations``."""

    def __init__(self, http: ProviderClient, *, model: str) -> None:
        self._http = http
        self._model = model

    def check(self, prompt: str, *, stop: Stop) -> None:
        answer = self._http.post("/moderations", json={"model": self._model, "input": prompt}, stop=stop).json()
        flagged = _first(answer, "results").get("flagged")
        if not isinstance(flagged, bool):
            raise ProviderAnswerInvalid(f"{self._http.provider} sent a verdict that says nothing.")
        if flagged:
            raise ContentRejected("The prompt was refused by moderation. Change what it asks for.")


def _rejected() -> ContentRejected:
    return ContentRejected("The provider's safety filter refused this picture. Change what the prompt asks for.")


def _first(answer: object, name: str) -> dict[str, Any]:
    items = answer.get(name) if isinstance(answer, dict) else None
    first = items[0] if isinstance(items, list) and items else None
    return first if isinstance(first, dict) else {}


def _is_filtered(results: object) -> bool:
    """Whether any category of Azure's filter took the picture out."""
    each = results.values() if isinstance(results, dict) else ()
    return any(isinstance(category, dict) and category.get("filtered") is True for category in each)
