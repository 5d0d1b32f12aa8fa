"""Packs the speech of a window into the blocks that Whisper hears at once.

Left alone, Whisper hears 30 s whatever they end with, and what it did not finish it hears again. Blocks that end in
pauses are heard once, and no sentence is heard in two parts.
"""

from collections.abc import Sequence

LONGEST_S = 28.0
"""Whisper hears 30 s; what is said in the last of them it hears less well."""


def pack(sizes_s: Sequence[float]) -> list[slice]:
    """Which stretches of speech make a block: each as full as pauses allow, because the model understands a name
    better the more it heard before. A stretch that is longer than a block is one of its own.

    Args:
        sizes_s: Lengths of the stretches of speech between pauses.
    """
    blocks: list[slice] = []
    first, filled_s = 0, 0.0
    for place, size_s in enumerate(sizes_s):
        if place > first and filled_s + size_s > LONGEST_S:
            blocks.append(slice(first, place))
            first, filled_s = place, 0.0
        filled_s += size_s
    if sizes_s:
        blocks.append(slice(first, len(sizes_s)))
    return blocks
