"""Speech as the generation job has it made in the worker: by the hosted voice, or by the one on this machine."""

from pathlib import Path
from tempfile import TemporaryDirectory

from activities.generating.hosted_speech import HostedSpeech
from activities.generating.making import Made, Stop
from activities.generating.results import inspected
from activities.generating.speech import EmbeddedSpeech
from domain.lifecycles.generation import GenerationType
from domain.orders.generation import SpeechOrder


class EmbeddedSpeaker:
    """Makes WAV files by a voice on this machine."""

    name = EmbeddedSpeech.name

    def __init__(self, speech: EmbeddedSpeech, scratch: Path | None = None) -> None:
        self._speech = speech
        self._scratch = scratch

    def make(self, order: SpeechOrder, *, request_id: str, stop: Stop) -> Made:
        with TemporaryDirectory(prefix="guidesmith-", dir=self._scratch) as folder:
            file = Path(folder) / "speech"
            spoken = self._speech.speak(order.text, voice=order.voice, to=file, stop=stop)
            return Made(file.read_bytes(), "audio/wav", spoken.engine, {"duration_ms": spoken.duration_ms})


class HostedSpeaker:
    """Has files made by a provider's voice."""

    name = HostedSpeech.name

    def __init__(self, speech: HostedSpeech, scratch: Path | None = None) -> None:
        self._speech = speech
        self._scratch = scratch

    def make(self, order: SpeechOrder, *, request_id: str, stop: Stop) -> Made:
        with TemporaryDirectory(prefix="guidesmith-", dir=self._scratch) as folder:
            file = Path(folder) / "speech"
            self._speech.speak(order.text, voice=order.voice, to=file, request_id=request_id, stop=stop)
            found = inspected(file, GenerationType.TTS)
            return Made(file.read_bytes(), found.media_type, self._speech.model, found.facts)
