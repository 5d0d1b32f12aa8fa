"""Recordings that were put one behind the other into one file, as by ``cat a.mp4 b.mp4``.

Of some containers the second is never come to: what is read ends where the first one ends. Of others it is read, with a
clock that starts again. Told by the container's own structure, without decoding anything.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from av.container import InputContainer

from activities.media.container import Beat, packets, to_ms

BACK_MS = 2_000
"""By which a clock goes back at least where it starts again."""
_MOST_BOXES = 1_000_000
_AT_ONCE = 1 << 20
_FLV = b"FLV\x01"
_FLV_HEADER = 9
_SIZE_UNKNOWN = (0, 0xFFFFFFFF)
_CARRIES = ("ftyp", "moov")
"""Boxes that a file of the ISO family has once."""


def holds_another(path: Path, demuxer: str) -> bool:
    """Whether behind the recording that is read another begins, which is not.

    Args:
        demuxer: FFmpeg's name of the container.
    """
    with path.open("rb") as file:
        match demuxer.split(",")[0]:
            case "mov":
                boxes = list(_boxes(file, path.stat().st_size))
                return any(boxes.count(name) > 1 for name in _CARRIES)
            case "wav":
                return _has_second_riff(file)
            case "flv":
                return _has_second_flv(file)
            case _:
                return False


def starts_again(container: InputContainer, index: int, beat: Beat) -> bool:
    """Whether the clock of a track goes back, as it does where another recording begins.

    Args:
        container: Not read from yet.
    """
    if container.format.name.split(",")[0] == "mov":
        return False  # one index is of all of it
    latest_ms = 0
    for packet in packets(container, container.streams[index]):
        if packet.dts is not None and packet.time_base is not None:
            at_ms = to_ms(packet.dts * packet.time_base)
            if at_ms < latest_ms - BACK_MS:
                return True
            latest_ms = max(latest_ms, at_ms)
            beat(latest_ms)
    return False


def _boxes(file: BinaryIO, size: int) -> Iterator[str]:
    """The names of the outermost boxes (ISO/IEC 14496-12, 4.2)."""
    at = 0
    for _ in range(_MOST_BOXES):
        file.seek(at)
        head = file.read(16)
        if len(head) < 8:
            return
        length, name = struct.unpack(">I4s", head[:8])
        if length == 1 and len(head) == 16:
            (length,) = struct.unpack(">Q", head[8:])
        elif length == 0:
            length = size - at
        if length < 8:
            return
        yield name.decode("latin-1")
        at += length


def _has_second_riff(file: BinaryIO) -> bool:
    head = file.read(12)
    (length,) = struct.unpack("<I", head[4:8])
    if length in _SIZE_UNKNOWN:
        return False
    file.seek(8 + length + length % 2)
    behind = file.read(12)
    return behind[:4] == b"RIFF" and behind[8:] == head[8:]


def _has_second_flv(file: BinaryIO) -> bool:
    """Its header: the signature, flags of sound and picture, its own length, and a tag's that is not there."""
    before = b""
    place = 0
    while block := file.read(_AT_ONCE):
        text = before + block
        at = text.find(_FLV, 1 if place == 0 else 0)
        while at >= 0:
            ends = text[at + 5 : at + 13]
            if ends == struct.pack(">II", _FLV_HEADER, 0):
                return True
            at = text.find(_FLV, at + 1)
        before = text[-13:]
        place += len(block)
    return False
