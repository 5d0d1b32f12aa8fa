"""Whoever speaks in the worker, as films have a guide read out."""

from activities.generating.making import Maker, Stop
from domain.orders.generation import SpeechOrder


class Narration:
    """Reads texts out. ``is_hosted``: its voices are not called as languages are; it finds out what a text is in."""

    def __init__(self, speaker: Maker, *, is_hosted: bool) -> None:
        self._speaker = speaker
        self._is_hosted = is_hosted

    @property
    def name(self) -> str:
        """Of who speaks."""
        return self._speaker.name

    def speak(self, text: str, language: str, request_id: str, stop: Stop) -> bytes:
        """A sound file of ``text``. Raises: What the speaker raises."""
        order = SpeechOrder(text=text, voice=None if self._is_hosted else language)
        return self._speaker.make(order, request_id=request_id, stop=stop).data
