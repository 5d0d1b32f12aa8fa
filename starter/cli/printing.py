"""Data on stdout: JSON for scripts, plain tables for people."""

import json
import sys
from collections.abc import Iterable, Sequence


def print_json(value: object) -> None:
    """One JSON document."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Columns as wide as they need; no colours, so that it can be piped."""
    lines = [tuple(headings), *(tuple("" if cell is None else str(cell) for cell in row) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(headings))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
    sys.stdout.flush()
