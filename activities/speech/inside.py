"""What a decoder does for this room."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activities.decoding import inside
from activities.decoding.inside import Work


def _heard_ms(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    from activities.speech.sound import duration_ms

    return duration_ms(recording)


def _samples(recording: Path, folder: Path, order: Mapping[str, Any]) -> int:
    """Blocks of each span, told one by one, each in a file of its own: mono, 16 kHz, 32-bit floats. ``whole``: a span
    is one block."""
    from activities.speech.sound import blocks

    place = 0

    def put(data: bytes) -> None:
        nonlocal place
        inside.put(folder, order["made"], place, data)
        inside.report(block=place)
        place += 1

    for start_ms, end_ms in order["spans"]:
        read = blocks(recording, start_ms, end_ms, block_ms=order["block_ms"])
        if order["whole"]:
            put(b"".join(block.tobytes() for block in read))
        else:
            for block in read:
                put(block.tobytes())
    return place


WORK: Mapping[str, Work] = {
    "heard_ms": _heard_ms,
    "samples": _samples,
}
