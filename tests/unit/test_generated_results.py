"""What a provider made is judged by its content, whatever it is called."""

from pathlib import Path

import pytest

from activities.generating.results import InspectedFile, inspected
from domain.errors import ProviderAnswerInvalid
from domain.library import AssetMedium
from domain.lifecycles.generation import GenerationType
from starter.sandbox.images import picture
from starter.sandbox.making import mp3, mp4, wav

AD, VIDEO, SPEECH = GenerationType.STATIC_AD, GenerationType.UGC_VIDEO, GenerationType.TTS

PNG, MP4, WAV, MP3 = picture("x", "64x32"), mp4("x"), wav("hello there, you"), mp3("hello there, you")


def look(folder: Path, data: bytes, of: GenerationType) -> InspectedFile:
    file = folder / "result"
    file.write_bytes(data)
    return inspected(file, of)


@pytest.mark.parametrize(
    ("data", "of", "medium", "media_type", "size"),
    [
        (PNG, AD, AssetMedium.PICTURE, "image/png", (64, 32)),
        (MP4, VIDEO, AssetMedium.VIDEO, "video/mp4", (128, 96)),
        (WAV, SPEECH, AssetMedium.AUDIO, "audio/wav", (None, None)),
        (MP3, SPEECH, AssetMedium.AUDIO, "audio/mpeg", (None, None)),
    ],
    ids=["png", "mp4", "wav", "mp3"],
)
def test_given_what_was_asked_for_then_it_is_known_by_its_content(
    tmp_path: Path, data: bytes, of: GenerationType, medium: AssetMedium, media_type: str, size: tuple[int | None, ...]
) -> None:
    found = look(tmp_path, data, of)
    assert (found.medium, found.media_type, (found.width, found.height)) == (medium, media_type, size)
    if of is not AD:
        assert 900 < float(str(found.facts["duration_ms"])) < 2_500


@pytest.mark.parametrize(
    ("data", "of"),
    [
        (b"", AD),
        (b"", VIDEO),
        (b"", SPEECH),
        (b"<html></html>", AD),
        (b"<html></html>", VIDEO),
        (b"<html></html>", SPEECH),
        (b'{"error": "no"}', SPEECH),
        (MP4, AD),
        (WAV, VIDEO),
        (PNG, VIDEO),
        (PNG, SPEECH),
        (MP4, SPEECH),
        (PNG[:50], AD),
        (MP4[:200], VIDEO),
        (WAV[:44], SPEECH),
        (b"RIFF\xff\xff\xff\xffWAVE", SPEECH),
        (b"ID3" + bytes(200), SPEECH),
        (b"\xff\xfb" + b"no frames here at all " * 50, SPEECH),
        (b"#EXTM3U\nfile:///etc/passwd\n", VIDEO),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", SPEECH),
    ],
    ids=lambda value: repr(value)[:24] if isinstance(value, bytes) else str(value),
)
def test_given_anything_else_then_it_is_an_invalid_answer(tmp_path: Path, data: bytes, of: GenerationType) -> None:
    with pytest.raises(ProviderAnswerInvalid) as raised:
        look(tmp_path, data, of)
    assert str(tmp_path) not in raised.value.message
