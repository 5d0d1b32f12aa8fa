"""What a provider made, judged by its content before it is kept: what it calls itself is not asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from domain.errors import MediaError, ProviderAnswerInvalid, UploadInvalid
from domain.library import AssetMedium
from domain.lifecycles.generation import GenerationType

MOST_BYTES = 512 << 20
"""Of one result: a minute of 4K video has about 400 MB."""

_HEAD = 16

_SUFFIXES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
}


@dataclass(frozen=True)
class InspectedFile:
    """What a file is. ``width`` and ``height``: pixels, of pictures and videos."""

    medium: AssetMedium
    media_type: str
    width: int | None = None
    height: int | None = None
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        return _SUFFIXES[self.media_type]


def inspected(path: Path, of: GenerationType) -> InspectedFile:
    """What the file at ``path`` is.

    Raises:
        ProviderAnswerInvalid: It is not what a job of this type makes.
    """
    return _INSPECTIONS[of](path)


def _picture(path: Path) -> InspectedFile:
    from activities.pictures.formats import problem_of
    from activities.pictures.isolated import inspect_picture
    from activities.pictures.opening import MOST_BYTES as MOST_PICTURE_BYTES

    if path.stat().st_size > MOST_PICTURE_BYTES:
        raise _wrong("a picture that is too large")
    try:
        facts = inspect_picture(path.read_bytes())
    except UploadInvalid as wrong:
        raise _wrong(f"a file that is no picture we keep ({problem_of(wrong)})") from None
    return InspectedFile(AssetMedium.PICTURE, facts.media_type, facts.width, facts.height)


def _video(path: Path) -> InspectedFile:
    from activities.media import probe

    try:
        info = probe(path)
    except MediaError as wrong:
        raise _wrong(f"a file that is no video ({wrong.code})") from None
    media_type = _container(path, "video")
    if info.video is None or media_type not in ("video/mp4", "video/webm"):
        raise _wrong("a file that is no video we keep")
    return InspectedFile(
        AssetMedium.VIDEO, media_type, info.video.width, info.video.height, {"duration_ms": info.duration_ms}
    )


def _sound(path: Path) -> InspectedFile:
    media_type = _container(path, "audio")
    if media_type is None:
        raise _wrong("a file that is no sound we keep")
    duration_ms = _heard_ms(path)
    if duration_ms == 0:
        raise _wrong("a file without sound")
    return InspectedFile(AssetMedium.AUDIO, media_type, facts={"duration_ms": duration_ms})


def _heard_ms(path: Path) -> int:
    """How long the sound is, by decoding it: what a header says need not be there. 0: there is none."""
    from activities.media import sound_ms

    try:
        return sound_ms(path)
    except MediaError as wrong:
        raise _wrong(f"a file that is no sound ({wrong.code})") from None


_INSPECTIONS: Mapping[GenerationType, Callable[[Path], InspectedFile]] = {
    GenerationType.STATIC_AD: _picture,
    GenerationType.UGC_VIDEO: _video,
    GenerationType.TTS: _sound,
}


def _container(path: Path, medium: str) -> str | None:
    """The media type by the file's first bytes."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head[4:8] == b"ftyp":
        return f"{medium}/mp4"
    if head[:4] == b"\x1a\x45\xdf\xa3" and medium == "video":
        return "video/webm"
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio/wav"
    if head[:3] == b"ID3" or (len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0):
        return "audio/mpeg"
    return {b"OggS": "audio/ogg", b"fLaC": "audio/flac"}.get(head[:4])


def _wrong(what: str) -> ProviderAnswerInvalid:
    return ProviderAnswerInvalid(f"The provider made {what}.")
