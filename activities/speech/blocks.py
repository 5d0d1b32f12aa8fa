"""Packs the speech of a window into the blocks that Whisper hears at once.

Left alone, Whisper hears 30 s whatever they end with, and what it did not finish it hears again. Blocks that end in
pauses are heard once, and no sentence is heard in two parts.
"""

from collections.abc import Sequence

LONGEST_S = 28.0
"""Whisper hears 30 s, but leaves the last sentence of a block that is nearly full for another one."""

_TYPICAL_S = 26.0
"""How far Whisper gets in a stretch without a pause that is longer than a block."""


def pack(sizes_s: Sequence[float]) -> list[float]:
    """Where blocks begin and end, in seconds of the speech put together: ``[0, 26.1, 26.1, 51.0, ...]``.

    No more blocks than needed, and as equal as pauses allow.

    Args:
        sizes_s: Lengths of the stretches of speech between pauses.
    """
    count = len(_edges(sizes_s, LONGEST_S))
    low, high = 0.0, LONGEST_S
    while high - low > 0.1:
        middle = (low + high) / 2
        if len(_edges(sizes_s, middle)) == count:
            high = middle
        else:
            low = middle
    ends = _edges(sizes_s, high)
    return [edge for start, end in zip([0.0, *ends], ends, strict=False) for edge in (start, end)]


def _edges(sizes_s: Sequence[float], longest_s: float) -> list[float]:
    """Ends of the blocks when each is filled up to ``longest_s``."""
    ends: list[float] = []
    start = at = 0.0
    for size_s in sizes_s:
        if at > start and _filled(at - start) + size_s > longest_s:
            ends.append(at)
            start = at
        at += size_s
    if at > start:
        ends.append(at)
    return ends


def _filled(span_s: float) -> float:
    """How full the block is that Whisper is in after ``span_s``."""
    return span_s if span_s <= LONGEST_S else span_s % _TYPICAL_S
