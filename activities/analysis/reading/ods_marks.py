"""What an OpenDocument sheet says of its cells besides their values: units, merged cells, what is hidden. Runs inside.

OpenDocument 1.3, part 3, 9 and 19: cells and rows that are alike are written once, with how often.
"""

import zipfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from activities.analysis.reading.cell_formats import PERCENT, Units, local, parse
from activities.analysis.reading.sheet_signs import STRUCK, Remark

Range = tuple[tuple[int, int], tuple[int, int]]
"""Row and column of the first cell, and of the last."""

CONTENT = "content.xml"
MOST_ALIKE = 1 << 20
"""Rows, or columns, of a sheet."""
_ERRORS = ("#", "Err:")


@dataclass
class Marks:
    """By the sheet's name."""

    units: dict[str, Units] = field(default_factory=dict)
    merged: dict[str, list[Range]] = field(default_factory=lambda: defaultdict(list))
    signs: dict[str, list[Remark]] = field(default_factory=dict)


def marks_of(path: Path) -> Marks | None:
    """``None``: it is no OpenDocument.

    Raises:
        Refused: It is damaged.
    """
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as package:
        if CONTENT not in package.namelist():
            return None
        reading = _Reading()
        parse(package, CONTENT, reading.start, reading.end)
        return reading.marks


class _Reading:
    """One pass through the content."""

    def __init__(self) -> None:
        self.marks = Marks()
        self._sheet = ""
        self._row = self._column = 0
        self._alike = 1
        self._depth = 0
        self._style = ""
        self._struck: set[str] = set()

    def start(self, name: str, given: dict[str, str]) -> None:
        element = local(name)
        if element == "table":
            self._depth += 1  # a table within a cell is none of the sheet's
            if self._depth == 1:
                self._sheet, self._row = _of(given, "name"), 0
                self.marks.units[self._sheet] = {}
                self.marks.signs[self._sheet] = []
        elif element == "style":
            self._style = _of(given, "name")
        elif element == "text-properties" and not self._depth and _is_struck(given):
            self._struck.add(self._style)
        elif self._depth == 1:
            match element:
                case "table-row":
                    self._column, self._alike = 0, _times(given, "number-rows-repeated")
                    if _of(given, "visibility") in ("collapse", "filter"):
                        self._say("HIDDEN_COUNTED_GUESSED")
                case "table-column" if _of(given, "visibility") in ("collapse", "filter"):
                    self._say("HIDDEN_COUNTED_GUESSED")
                case "table-row-group":
                    self._say("ROWS_GROUPED_GUESSED")
                case "table-cell" | "covered-table-cell":
                    self._cell(given)

    def end(self, name: str) -> None:
        element = local(name)
        if element == "table":
            self._depth -= 1
        elif element == "table-row" and self._depth == 1:
            self._row += self._alike

    def _cell(self, given: Mapping[str, str]) -> None:
        times = _times(given, "number-columns-repeated")
        kind = _of(given, "value-type")
        unit = {"percentage": PERCENT, "currency": _of(given, "currency")}.get(kind, "")
        if unit:
            units = self.marks.units[self._sheet]
            for column, row in product(range(times), range(self._alike)):
                units.setdefault(self._column + column, {})[self._row + row] = unit
        if kind and _of(given, "style-name") in self._struck:
            self._say(STRUCK)
        if _of(given, "formula") and not kind:
            self._say("FORMULAS_EMPTY_GUESSED")
        rows, columns = _times(given, "number-rows-spanned"), _times(given, "number-columns-spanned")
        if max(rows, columns) > 1:
            first = (self._row, self._column)
            self.marks.merged[self._sheet].append((first, (first[0] + rows - 1, first[1] + columns - 1)))
        self._column += times

    def _say(self, code: str) -> None:
        if (code, "") not in self.marks.signs[self._sheet]:
            self.marks.signs[self._sheet].append((code, ""))


def _is_struck(given: Mapping[str, str]) -> bool:
    written = {_of(given, f"text-line-through-{name}") for name in ("style", "type")} - {""}
    return bool(written) and "none" not in written


def _of(given: Mapping[str, str], name: str) -> str:
    return next((value for key, value in given.items() if local(key) == name), "")


def _times(given: Mapping[str, str], name: str) -> int:
    written = _of(given, name)
    return min(max(int(written), 1), MOST_ALIKE) if written.isdecimal() else 1
