"""A transcript: what was said, when. Times are absolute milliseconds of the recording, and monotone."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, model_validator

NO_LANGUAGE = "zxx"
"""The language of a recording whose screens alone are described: ISO 639-2's code for "no linguistic content"."""


class SpeechFound(StrEnum):
    """Why a transcript is empty, or that it is not."""

    SPEECH = "speech"
    NO_AUDIO_TRACK = "no_audio_track"
    SILENT = "silent"
    NO_SPEECH = "no_speech"
    """There is sound (music, noise), but nobody speaks."""
    UNHEARD = "unheard"
    """Its user said that the screens alone are to be described: nobody listened."""


class Word(BaseModel):
    model_config = ConfigDict(frozen=True)

    start_ms: int
    end_ms: int
    text: str


class Segment(BaseModel):
    """A stretch of speech. ``id`` counts from 0 and is what a draft cites."""

    model_config = ConfigDict(frozen=True)

    id: int = Field(ge=0)
    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=0)
    text: str
    words: tuple[Word, ...] = ()


class Transcript(BaseModel):
    """The whole transcript of one recording.

    Raises:
        ValueError: ids do not count from 0, or times run backwards.
    """

    model_config = ConfigDict(frozen=True)

    speech: SpeechFound
    language: str | None = None
    language_probability: float | None = None
    duration_ms: int = Field(ge=0)
    model: str
    segments: tuple[Segment, ...] = ()
    unclear: tuple[tuple[int, int], ...] = ()
    """Where somebody speaks who was not understood, ms from and to: words there would have been made up."""

    @model_validator(mode="after")
    def _monotone(self) -> "Transcript":
        last = 0
        for place, segment in enumerate(self.segments):
            if segment.id != place:
                raise ValueError(f"segment {place} has id {segment.id}")
            if segment.start_ms < last or segment.end_ms < segment.start_ms:
                raise ValueError(f"segment {place} runs backwards")
            last = segment.start_ms
        if (self.speech is SpeechFound.SPEECH) != bool(self.segments):
            raise ValueError("a transcript with speech has segments, one without has none")
        return self
