"""What a recogniser takes and gives, whoever it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field


class SpokenWord(BaseModel):
    """A word and when it was said, in milliseconds of the whole recording."""

    model_config = ConfigDict(frozen=True)

    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=0)
    text: str


class SpokenSegment(BaseModel):
    """About a sentence: what was said from ``start_ms`` to ``end_ms`` of the whole recording.

    ``words`` is empty where the recogniser gives no word times.
    """

    model_config = ConfigDict(frozen=True)

    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=0)
    text: str
    words: tuple[SpokenWord, ...] = ()


class Recognition(BaseModel):
    """What is known about a stretch after it was heard; its segments were handed out before.

    Args:
        language: ISO 639-1 code; ``None`` when nobody spoke.
        language_probability: Of a detected language; 1 for one that was given, ``None`` when unknown.
        likely_language: Of what was said and not understood, where nothing was: the screen may be in it, too.
        unclear: Where somebody spoke whose words were left out, or cut, ms of the recording.
    """

    model_config = ConfigDict(frozen=True)

    language: str | None = None
    language_probability: float | None = None
    likely_language: str | None = None
    unclear: tuple[tuple[int, int], ...] = ()


OnSegment = Callable[[SpokenSegment], None]
OnProgress = Callable[[int], None]
"""Takes a position in milliseconds of the recording. May raise ``Cancelled``, which stops the work."""


class Recogniser(Protocol):
    """Writes down speech. Safe to use from several threads at once."""

    @property
    def name(self) -> str:
        """Which model, for provenance and for the keys of what is remembered. No path, no secret."""

    def recognise(
        self,
        audio: Path,
        *,
        language: str | None,
        start_ms: int,
        end_ms: int | None,
        on_segment: OnSegment,
        on_progress: OnProgress,
    ) -> Recognition:
        """Write down ``start_ms`` to ``end_ms`` (``None``: to the end) of ``audio``, 16 kHz mono FLAC or WAV.

        Segments are handed to ``on_segment`` in order, as they are found, with times of the whole recording: the end
        of the last one is a point from which another call can go on. Only the stretch asked for is read, and memory
        does not grow with its length.

        Args:
            language: ISO 639-1 code; ``None`` lets the recogniser detect it, on speech, not on silence.

        Raises:
            SpeechLanguageUnsupported: The model does not know the language.
            SpeechModelUnavailable: There is no such model here.
            ArtifactCorrupt: The audio cannot be read.
            ProviderError: A hosted recogniser did not do what was asked.
            Whatever ``on_segment`` and ``on_progress`` raise.
        """
