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


def print_said(value: object, sentence: str, *, as_json: bool) -> None:
    """What a command did: the document for scripts, or a sentence for people."""
    if as_json:
        print_json(value)
    else:
        sys.stdout.write(f"{sentence}\n")
        sys.stdout.flush()


def print_listed(value: object, headings: Sequence[str], rows: Iterable[Sequence[object]], *, as_json: bool) -> None:
    """What a command found: the document for scripts, or a table for people."""
    if as_json:
        print_json(value)
    else:
        print_table(headings, rows)
