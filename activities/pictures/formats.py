"""The structure of PNG, JPEG and WebP files, read without decoding a pixel: sizes, frames, and where the file ends.

Image libraries allocate what a header asks for, stop at the first end they meet and show the first of several
pictures. So a file is walked here first, from its signature to its last byte.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn, cast

from domain.errors import UploadInvalid

MOST_CHUNKS = 65_536
"""Chunks or segments of a file. libpng writes 8 KiB a chunk: 2,600 for the largest file."""
MOST_SCANS = 64
"""Scans of a progressive JPEG: encoders write 10 or so. Each costs the work of a whole picture, whatever its bytes."""


@dataclass(frozen=True, slots=True)
class Structure:
    """What a file says it holds. Sizes are pixels as stored, before any turn; ``name`` is what Pillow calls it."""

    name: str
    media_type: str
    width: int
    height: int


def structure_of(data: bytes) -> Structure:
    """Walk the file.

    Raises:
        UploadInvalid: Not a PNG, JPEG or WebP; cut or damaged; animated; or with something behind its end.
    """
    for recognise, walk in _FORMATS:
        if recognise(data):
            return walk(data)
    return refuse("type", "The file is not a PNG, JPEG or WebP picture. Save it as one of them and upload that.")


def refuse(problem: str, message: str) -> NoReturn:
    """Raises: UploadInvalid: always; ``details.mismatch`` names what is wrong, for programs."""
    raise UploadInvalid(message, details={"mismatch": [problem]})


def problem_of(refused: UploadInvalid) -> str:
    """What :func:`refuse` was told."""
    return cast(list[str], refused.details["mismatch"])[0]


def damaged() -> NoReturn:
    refuse("damaged", "The picture is cut off or damaged. Save or upload it again.")


def _animated() -> NoReturn:
    refuse("animated", "The picture is animated or holds several pictures. Save one picture of it and upload that.")


def _ends(data: bytes, end: int) -> None:
    """Nothing but zero padding may stand behind a picture: what does is another file that travels in it."""
    if end > len(data):
        damaged()
    if data[end:].strip(b"\0"):
        refuse("trailing", "Something stands behind the end of the picture. Save the picture again and upload that.")


# --- PNG (ISO/IEC 15948, 5.2 to 5.6) ---------------------------------------------------------------------------

_PNG = b"\x89PNG\r\n\x1a\n"


def _png(data: bytes) -> Structure:
    size: tuple[int, int] | None = None
    at = len(_PNG)
    for _ in range(MOST_CHUNKS):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        end = at + 12 + length
        if end > len(data) or zlib.crc32(memoryview(data)[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            damaged()
        if size is None:
            if kind != b"IHDR" or length != 13:
                damaged()
            size = int.from_bytes(data[at + 8 : at + 12]), int.from_bytes(data[at + 12 : at + 16])
        elif kind in (b"acTL", b"fcTL", b"fdAT"):
            _animated()
        elif kind == b"IEND":
            _ends(data, end)
            return Structure("PNG", "image/png", *size)
        at = end
    damaged()


# --- JPEG (ITU-T T.81, annex B) --------------------------------------------------------------------------------

_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers without a length: TEM and the restarts."""
_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""The first marker in entropy-coded data that is neither a stuffed byte nor a restart."""


def _jpeg(data: bytes) -> Structure:
    size: tuple[int, int] | None = None
    scans = 0
    for marker, at, end in _segments(data):
        if marker == _EOI:
            if size is None or not scans:
                damaged()
            _ends(data, end)
            return Structure("JPEG", "image/jpeg", *size)
        if marker == _SOI:
            _animated()
        if marker in _FRAMES:
            if size is not None:
                _animated()
            size = int.from_bytes(data[at + 5 : at + 7]), int.from_bytes(data[at + 3 : at + 5])
        scans += marker == _SOS
        if scans > MOST_SCANS:
            damaged()
    damaged()


def _segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(marker, where its length stands, where the segment ends) of each segment after the first SOI."""
    at = 2
    for _ in range(MOST_CHUNKS):
        while data[at : at + 2] == b"\xff\xff":
            at += 1
        if at + 2 > len(data) or data[at] != 0xFF:
            damaged()
        marker, at = data[at + 1], at + 2
        if marker in _BARE or marker in (_SOI, _EOI):
            yield marker, at, at
            continue
        end = at + int.from_bytes(data[at : at + 2])
        if end < at + 2 or end > len(data):
            damaged()
        yield marker, at, end
        at = end
        if marker == _SOS:
            following = _MARKER.search(data, at)
            if following is None:
                damaged()
            at = following.start()


# --- WebP (RFC 9649, 2.3 to 2.7) -------------------------------------------------------------------------------


def _webp(data: bytes) -> Structure:
    end = 8 + int.from_bytes(data[4:8], "little")
    _ends(data, end)
    sizes = []
    at = 12
    for _ in range(MOST_CHUNKS):
        if at + 8 > end:
            break
        kind, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 18]
        if at + 8 + length > end:
            damaged()
        if kind in (b"ANIM", b"ANMF"):
            _animated()
        if kind in _WEBP_SIZES:
            if len(body) < 10:
                damaged()
            sizes.append(_WEBP_SIZES[kind](body))
        at += 8 + length + length % 2
    if not sizes or len(set(sizes)) > 1:
        damaged()
    return Structure("WEBP", "image/webp", *sizes[0])


def _canvas(body: bytes) -> tuple[int, int]:
    if body[0] & 0x02:
        _animated()
    return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")


def _lossy(body: bytes) -> tuple[int, int]:
    if body[3:6] != b"\x9d\x01\x2a":
        damaged()
    return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF


def _lossless(body: bytes) -> tuple[int, int]:
    if body[0] != 0x2F:
        damaged()
    bits = int.from_bytes(body[1:5], "little")
    return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)


_WEBP_SIZES: dict[bytes, Callable[[bytes], tuple[int, int]]] = {b"VP8X": _canvas, b"VP8 ": _lossy, b"VP8L": _lossless}

_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], Structure]], ...] = (
    (lambda data: data.startswith(_PNG), _png),
    (lambda data: data.startswith(b"\xff\xd8\xff"), _jpeg),
    (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP", _webp),
)
