"""What a CSV holds below the rows that its layout is told by: another table, or rows behind a blank line. Runs inside.

The file is plain already: UTF-8, lines that end in a line feed.
"""

import csv
import io
import mmap
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from activities.analysis.reading.layout import Layout, Rows, is_other

_BLANK = re.compile(rb"\n[ ,;\t|\"]*\n+")
_READ_AHEAD = 1 << 14
"""Bytes in which a heading and the row behind it are looked for."""
MOST_BLANK = 10_000
"""Blank lines that are looked behind."""


def with_rows_below(path: Path, delimiter: str, lines: int, layout: Layout, rows: Rows) -> Layout:
    """The layout with what is behind so many ``lines``. Where another table begins there, the file ends before it.

    Args:
        rows: Those that the layout was told by.
    """
    if layout.ends is not None:
        return layout
    heading, body = rows[layout.above], rows[layout.above + 1 :]
    with path.open("r+b") as file:
        for _ in range(lines):
            file.readline()
        begin = max(0, file.tell() - 2)
        if begin >= path.stat().st_size - 2:
            return layout
        found = layout
        cut = None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            seen = quotes = 0
            for number, blank in enumerate(_BLANK.finditer(text, begin)):
                end = blank.end()
                quotes += text[seen:end].count(b'"')
                seen = end
                if quotes % 2 or number > MOST_BLANK:  # within a cell
                    continue
                first, second = _two_rows(text[end : end + _READ_AHEAD], delimiter)
                if is_other(first, second, heading, body):
                    found = replace(found, ends=0, other=next(cell for cell in first if cell))
                    cut = end
                    break
                if sum(map(bool, first)) > 1:
                    found = replace(found, has_gap=True)
        if cut is not None:
            file.truncate(cut)
    return found


def _two_rows(begin: bytes, delimiter: str) -> tuple[Sequence[str], Sequence[str]]:
    text = io.StringIO(begin.decode("utf-8", errors="ignore"), newline="")
    rows: list[Sequence[str]] = []
    try:
        for row in csv.reader(text, delimiter=delimiter):
            rows.append([cell.strip() for cell in row])
            if len(rows) == 2:
                break
    except csv.Error:
        pass
    return (*rows, (), ())[0], (*rows, (), ())[1]
