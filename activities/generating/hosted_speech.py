"""A voice behind an OpenAI-compatible endpoint: ``POST {base_url}/audio/speech``.

Source: OpenAI's API reference, "Create speech".
"""

from pathlib import Path

from activities.imaging.openai import SAFETY_CODES
from activities.providers.cancellation import Stop
from activities.providers.http import ProviderClient
from domain.errors import ContentRejected, ProviderRequestRefused

FORMAT = "mp3"
"""What every such endpoint makes, and the least to bring."""

MOST_BYTES = 64 << 20
"""Of one answer: more than an hour of MP3."""


class HostedSpeech:
    """Has texts spoken. Safe to use from several threads; retries nothing.

    Args:
        http: The provider; its base URL ends before ``/audio/speech``.
        voice: The one of texts that name none.
    """

    name = "openai-compatible"

    def __init__(self, http: ProviderClient, *, model: str, voice: str) -> None:
        self._http = http
        self.model = model
        self._voice = voice

    def speak(
        self, text: str, *, voice: str | None, to: Path, request_id: str | None = None, stop: Stop | None = None
    ) -> None:
        """Have ``text`` spoken into the MP3 file ``to``, which is written as it comes.

        Args:
            request_id: The same for the same attempt, for providers that can tell a repeat.

        Raises:
            ContentRejected: A safety filter refused it.
            ProviderError: As :meth:`ProviderClient.post`.
        """
        asked = {"model": self.model, "input": text, "voice": voice or self._voice, "response_format": FORMAT}
        headers = {"Idempotency-Key": request_id} if request_id else None
        try:
            self._http.save("/audio/speech", json=asked, to=to, headers=headers, stop=stop)
        except ProviderRequestRefused as refused:
            if refused.details.get("provider_code") in SAFETY_CODES:
                raise ContentRejected("The provider's safety filter refused this text. Change it.") from None
            raise
