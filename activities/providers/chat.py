"""A chat model behind an OpenAI-compatible endpoint, asked for JSON."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from activities.providers.cancellation import Stop
from activities.providers.http import ProviderClient
from activities.providers.learned import Learned
from domain.errors import ProviderAnswerInvalid, ProviderRequestRefused

_FORMAT_REFUSED = {400, 422}
"""What servers answer to a ``response_format`` that they do not know."""


class ChatClient:
    """Asks a chat model. Safe to use from several threads.

    Args:
        http: The provider; its base URL ends before ``/chat/completions``.
        clock: See :class:`~activities.providers.learned.Learned`.
    """

    def __init__(self, http: ProviderClient, clock: Callable[[], float] = time.monotonic) -> None:
        self._http = http
        self._refused_formats = Learned(clock)
        """How many of the formats the provider refuses: it is not asked in those."""

    def complete_json(
        self,
        messages: Sequence[Mapping[str, object]],
        *,
        schema: Mapping[str, object],
        schema_name: str,
        model: str,
        max_tokens: int | None = None,
        temperature: float | None = None,
        seed: int | None = None,
        stop: Stop | None = None,
    ) -> str:
        """The model's answer to ``messages`` as it wrote it, bound to ``schema`` where the provider can do that.

        JSON is asked for, not promised: the answer may be cut where it hit the model's limit, or hold prose. A provider
        that refuses ``json_schema`` is asked for ``json_object``, and then for plain text, so the messages
        must describe the JSON wanted.

        Args:
            schema: A JSON schema; see the provider's documentation for what strict mode can express.
            schema_name: Letters, digits, ``_`` and ``-``; at most 64.
            stop: See :data:`activities.providers.cancellation.Stop`.

        Raises:
            ProviderError: As :meth:`ProviderClient.post`; also ``ProviderAnswerInvalid`` when there is no text in the
                answer and ``ProviderRequestRefused`` when the model declined.
        """
        request: dict[str, object] = {
            "model": model,
            "messages": [dict(message) for message in messages],
        }
        optional = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
        request |= {name: value for name, value in optional.items() if value is not None}
        formats = list(_formats(schema, schema_name))
        place = self._refused_formats.value
        while True:
            try:
                answer = self._http.post("/chat/completions", json={**request, **formats[place]}, stop=stop)
            except ProviderRequestRefused as refused:
                if place + 1 >= len(formats) or refused.details.get("status") not in _FORMAT_REFUSED:
                    raise
                place += 1
                continue
            self._refused_formats.learn(place)
            return _text(self._http.provider, answer.json())


def _formats(schema: Mapping[str, object], schema_name: str) -> Iterator[dict[str, object]]:
    """From the strictest to none at all."""
    yield {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": schema_name, "schema": schema, "strict": True},
        }
    }
    yield {"response_format": {"type": "json_object"}}
    yield {}


def _text(provider: str, answer: object) -> str:
    details = {"provider": provider}
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ProviderAnswerInvalid(f"{provider} sent an answer without a message.", details=details)
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise ProviderRequestRefused(f"{provider} declined to write about this recording.", details=details)
    text = message.get("content")
    if isinstance(text, list):  # some servers answer in parts
        text = "".join(str(part.get("text") or "") for part in text if isinstance(part, dict))
    if not isinstance(text, str) or not text.strip():
        raise ProviderAnswerInvalid(f"{provider} sent an empty message.", details=details)
    return text
