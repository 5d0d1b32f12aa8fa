"""Names that are set in below others, by blanks or by their cells' format: parts of them, as a rule. Runs inside."""

import re
from collections.abc import Mapping, Sequence

LABELS = 3
"""Columns, from the left, in which names are set in."""
_LETTER = re.compile(r"[^\W\d_]")


def write_levels(
    grid: Sequence[Sequence[object]],
    rows: Sequence[list[str]],
    levels: Mapping[int, Sequence[str]],
    begin: int,
) -> None:
    """Write the names of an outline with blanks before them, as a text has them: of a column that begins with one that
    is not set in, as far as no name is there both ways.

    Args:
        grid: The cells as the workbook has them; ``rows`` as texts.
        levels: How far the cells of a column are set in by their format.
        begin: The first row of data.
    """
    for place in range(min(LABELS, max((len(row) for row in rows[begin:]), default=0))):
        formats = levels.get(place, ())
        depths = {
            at: depth
            for at in range(begin, len(rows))
            if place < len(grid[at]) and (depth := _depth(grid[at][place], formats[at] if at < len(formats) else ""))
        }
        if not depths:
            continue
        outer = {
            row[place]
            for at, row in enumerate(rows)
            if at >= begin and place < len(row) and row[place] and at not in depths
        }
        first = next((at for at in range(begin, len(rows)) if place < len(rows[at]) and rows[at][place]), begin)
        if not outer or first in depths:
            continue
        for at, depth in depths.items():
            name = rows[at][place]
            if _LETTER.search(name) and name not in outer:
                rows[at][place] = "  " * depth + name


def _depth(cell: object, level: str) -> int:
    """Levels by which a text is set in; a single blank is a slip."""
    if not isinstance(cell, str):
        return 0
    blanks = len(cell) - len(cell.lstrip(" \u00a0\u2003"))
    return max(int(level) if level.isdigit() else 0, blanks // 2)
