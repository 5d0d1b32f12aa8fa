"""Given a file that somebody calls a picture, then it is taken for what its bytes are, or refused before it costs."""

import io
import struct
import zlib
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from activities.pictures import isolated
from activities.pictures.drawing import draw
from activities.pictures.opening import PictureFacts, decode_picture, inspect_picture, thumbnail
from domain.documents.annotations import operation_list
from domain.errors import UploadInvalid
from tests.children import running


def picture(kind: str, size: tuple[int, int] = (64, 40), mode: str = "RGB", **options: object) -> bytes:
    out = io.BytesIO()
    image = Image.linear_gradient("L").resize(size).convert(mode)
    image.save(out, kind, **options)
    return out.getvalue()


def animation(kind: str) -> bytes:
    out = io.BytesIO()
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    frames[0].save(out, kind, save_all=True, append_images=frames[1:])
    return out.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_of(width: int, height: int, *more: bytes, rows: bytes = b"\0") -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(more) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def problem(data: bytes) -> str:
    with pytest.raises(UploadInvalid) as refused:
        inspect_picture(data)
    assert refused.value.code == "UPLOAD_INVALID"
    [what] = cast(list[str], refused.value.details["mismatch"])
    return what


GOOD = {
    "png": (picture("PNG"), "image/png"),
    "png with transparency": (picture("PNG", mode="RGBA"), "image/png"),
    "palette png": (picture("PNG", mode="P"), "image/png"),
    "jpeg": (picture("JPEG"), "image/jpeg"),
    "progressive jpeg": (picture("JPEG", progressive=True), "image/jpeg"),
    "grey jpeg": (picture("JPEG", mode="L"), "image/jpeg"),
    "cmyk jpeg": (picture("JPEG", mode="CMYK"), "image/jpeg"),
    "jpeg with restarts": (picture("JPEG", restart_marker_blocks=1), "image/jpeg"),
    "webp": (picture("WEBP"), "image/webp"),
    "lossless webp": (picture("WEBP", lossless=True), "image/webp"),
    "webp with transparency": (picture("WEBP", mode="RGBA"), "image/webp"),
    "padded with zeros": (picture("PNG") + b"\0" * 9, "image/png"),
}


@pytest.mark.parametrize("name", GOOD)
def test_given_a_png_jpeg_or_webp_when_inspected_then_its_type_and_size_come_from_its_content(name: str) -> None:
    data, media_type = GOOD[name]
    assert inspect_picture(data) == PictureFacts(media_type, 64, 40)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_given_an_exif_turn_when_inspected_and_decoded_then_it_is_as_people_see_it(kind: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = picture(kind, exif=exif)
    assert inspect_picture(data) == PictureFacts(f"image/{kind.lower()}", 40, 64)
    upright = decode_picture(data)
    assert (upright.size, upright.mode, upright.info) == ((40, 64), "RGB", {})
    assert not upright.getexif()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * (20 * 1024 * 1024 + 1),
    ],
    ids=["empty", "over 20 MiB"],
)
def test_given_no_bytes_or_too_many_when_inspected_then_it_is_refused_by_its_size(data: bytes) -> None:
    assert problem(data) == "size"


@pytest.mark.parametrize(
    "data",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html><script>alert(1)</script></html>",
        b"%PDF-1.7",
        picture("GIF"),
        picture("BMP"),
        picture("TIFF"),
        b"PK\x03\x04" + picture("PNG"),
        b"RIFF\x24\0\0\0WAVEfmt ",
    ],
    ids=["svg", "html", "pdf", "gif", "bmp", "tiff", "something before the picture", "riff but sound"],
)
def test_given_another_type_when_inspected_then_it_is_refused_whatever_its_name(data: bytes) -> None:
    assert problem(data) == "type"


@pytest.mark.parametrize(
    "data",
    [
        png_of(100_000, 100_000),
        png_of(8_000, 8_000),
        png_of(20_000, 2),
        png_of(0, 10),
        picture("JPEG").replace(struct.pack(">HH", 40, 64), struct.pack(">HH", 65_500, 65_500), 1),
        picture("WEBP", lossless=True)[:21]
        + struct.pack("<I", 16_383 | 16_383 << 14)
        + picture("WEBP", lossless=True)[25:],
    ],
    ids=["10 gigapixels", "64 megapixels", "too wide", "no width", "jpeg bomb", "webp bomb"],
)
def test_given_a_header_of_too_many_pixels_when_inspected_then_it_is_refused_before_it_is_decoded(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("decoded"))
    assert problem(data) == "pixels"


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "MPO"])
def test_given_several_pictures_in_one_file_when_inspected_then_it_is_refused(kind: str) -> None:
    assert problem(animation(kind)) in ("animated", "trailing")


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("rider", [b"PK\x03\x04 an archive", b"<script>alert(1)</script>", picture("PNG")])
def test_given_another_file_behind_the_picture_when_inspected_then_it_is_refused(name: str, rider: bytes) -> None:
    assert problem(GOOD[name][0] + rider) == "trailing"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_given_a_picture_cut_anywhere_when_inspected_then_it_is_refused(kind: str) -> None:
    whole = picture(kind)
    for length in range(1, len(whole)):
        assert problem(whole[:length]) in ("damaged", "type")


def test_given_a_png_with_a_flipped_bit_when_inspected_then_it_is_refused() -> None:
    whole = bytearray(picture("PNG"))
    whole[len(whole) // 2] ^= 1
    assert problem(bytes(whole)) == "damaged"


def test_given_less_pixels_than_the_header_says_when_inspected_then_it_is_refused() -> None:
    assert problem(png_of(64, 64)) == "damaged"


def test_given_a_jpeg_of_endless_scans_when_inspected_then_it_is_refused_before_it_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = picture("JPEG", progressive=True)
    start = whole.rindex(b"\xff\xda")
    scan = whole[start:-2]
    monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("decoded"))
    assert problem(whole[:-2] + scan * 100 + whole[-2:]) == "damaged"


def test_given_compressed_text_that_unpacks_to_much_when_inspected_then_it_is_refused() -> None:
    bomb = chunk(b"zTXt", b"note\0\0" + zlib.compress(b"\0" * 50_000_000))
    assert inspect_picture(png_of(1, 1, rows=b"\0" * 4)).width == 1
    assert problem(png_of(1, 1, bomb, rows=b"\0" * 4)) == "damaged"


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_given_any_damage_when_inspected_then_it_is_refused_or_read_but_nothing_else_is_raised(
    data: st.DataObject,
) -> None:
    whole = bytearray(GOOD[data.draw(st.sampled_from(sorted(GOOD)))][0])
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        inspect_picture(bytes(whole))
        decode_picture(bytes(whole))
    except UploadInvalid as refused:
        assert refused.details["mismatch"]


def test_given_a_picture_when_opened_apart_then_the_same_is_said_and_what_kills_its_process_twice_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good, bad = GOOD["progressive jpeg"][0], picture("PNG")[:-9]
    assert isolated.inspect_picture(good) == inspect_picture(good)
    with pytest.raises(UploadInvalid) as here:
        inspect_picture(bad)
    with pytest.raises(UploadInvalid) as there:
        isolated.inspect_picture(bad)
    assert (there.value.message, there.value.details) == (here.value.message, here.value.details)
    marks = operation_list.validate_python([{"op_type": "ring", "geometry": {"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}}])
    assert isolated.draw(good, marks) == draw(good, marks)
    assert isolated.made_small(good, 20) == (inspect_picture(good), thumbnail(good, 20))
    monkeypatch.setattr(isolated, "BOUNDS", replace(isolated.BOUNDS, memory_bytes=64 << 20))
    for work in (
        isolated.inspect_picture,
        lambda data: isolated.made_small(data, 20),
        lambda data: isolated.draw(data, marks),
    ):
        with pytest.raises(UploadInvalid) as killed:
            work(good)
        assert killed.value.details == {"mismatch": ["decoding"]}
    assert running("opener.py") == []
