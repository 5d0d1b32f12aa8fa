"""What is known about a recording, and what its pictures show. Values only: decoding is ``activities/media``."""

from pydantic import BaseModel, ConfigDict, Field

SILENCE_DBFS = -60.0
"""A track whose peak stays below this is silent: quieter than the noise of any microphone that was on."""


class AudioTrack(BaseModel):
    """One audio stream. ``index`` counts the container's streams of all types."""

    model_config = ConfigDict(frozen=True)

    index: int
    codec: str
    channels: int
    sample_rate_hz: int
    language: str | None = None
    title: str | None = None
    is_default: bool = False


class VideoTrack(BaseModel):
    """One video stream; ``width`` and ``height`` in pixels as shown, after ``rotation_degrees`` (0, 90, 180, 270,
    clockwise) was applied."""

    model_config = ConfigDict(frozen=True)

    index: int
    codec: str
    width: int
    height: int
    rotation_degrees: int = 0
    average_fps: float | None = None

    @property
    def facts(self) -> dict[str, object]:
        """What is kept of it beside the recording's sound."""
        return {"width": self.width, "height": self.height, "fps": self.average_fps}


class MediaInfo(BaseModel):
    """A recording's probe. ``duration_ms`` is measured from the packets where the container does not say. ``joined``:
    another recording stands behind it in the file, and is not read."""

    model_config = ConfigDict(frozen=True)

    container: str
    duration_ms: int = Field(ge=0)
    size_bytes: int = Field(ge=0)
    video: VideoTrack | None = None
    audio: tuple[AudioTrack, ...] = ()
    joined: bool = False


class Scene(BaseModel):
    """A stretch in which the picture stood still enough to be one screen. ``id`` counts from 0."""

    model_config = ConfigDict(frozen=True)

    id: int
    start_ms: int
    end_ms: int
