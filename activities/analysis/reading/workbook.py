"""Workbooks (xlsx, xlsm, xlsb, xls, ods): the values of their visible sheets, as text. Runs inside.

Formulas are not computed: a cell is what the program that saved it had computed. Macros, links and pictures are never
looked at.
"""

import csv
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import python_calamine as calamine

from activities.analysis.reading import ods_marks
from activities.analysis.reading.cell_formats import PERCENT, Units, is_digits, levels_of, units_of
from activities.analysis.reading.csv_text import CsvText, remarks_of
from activities.analysis.reading.layout import MOST_ABOVE, SNIFFED_ROWS, is_numberlike, layout_of, with_rows_below
from activities.analysis.reading.outlines import write_levels
from activities.analysis.reading.refusals import Refused
from activities.analysis.reading.sheet_signs import Remark, signs_of

LONGEST_WHOLE = 1e30
"""Whole numbers below are written out: nobody means 1.2345678901234568e+18, which is an id that has lost its end."""
_ODS_SPENT = re.compile(r"PT(\d+)H(\d\d)M(\d\d)S")
"""A time of more than a day, as calamine tells it of an OpenDocument."""
_SEPARATED = re.compile(r"\d[.,]\d")
"""In a text that may be a number, in either style."""
Range = ods_marks.Range
MOST_PARTS = 5_000
"""Files within a workbook; one of a thousand sheets has about 3,000."""


@dataclass(frozen=True, slots=True)
class Sheet:
    name: str
    text: CsvText


def check_package(path: Path, unpacked_bytes: int) -> bool:
    """Whether a ZIP file is a workbook.

    Raises:
        Refused: It unpacks to more than it may, or is damaged. What lies about its size meets the memory limit.
    """
    try:
        with zipfile.ZipFile(path) as package:
            parts = package.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise Refused("TABLE_INVALID", "is a damaged ZIP file.") from None
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > unpacked_bytes:
        raise Refused("TABLE_TOO_LARGE", f"unpacks to more than {unpacked_bytes >> 20} MiB. Save it as CSV or Parquet.")
    names = {part.filename for part in parts}
    return bool({"xl/workbook.xml", "xl/workbook.bin", "content.xml"} & names)


def sheets(path: Path, scratch: Path, *, most_sheets: int, most_rows: int, most_columns: int) -> Iterator[Sheet]:
    """Each visible sheet that holds anything, as text in a file of its own in the folder ``scratch``.

    Raises:
        Refused: The workbook is encrypted or damaged, or larger than it may be.
    """
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        worksheets = [sheet for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
        listed = [sheet.name for sheet in worksheets if sheet.visible == calamine.SheetVisibleEnum.Visible]
        hidden = ", ".join(f"\u201c{sheet.name[:40]}\u201d" for sheet in worksheets if sheet.name not in listed)
        if len(listed) > most_sheets:
            raise Refused("TABLE_TOO_LARGE", f"has more than {most_sheets} sheets.")
        marks = ods_marks.marks_of(path)
        shown, signs = (marks.units, marks.signs) if marks else (units_of(path), signs_of(path))
        unseen: list[Remark] = [("SHEETS_HIDDEN", hidden)] if hidden else []
        if not marks and not signs:  # the older formats, of which calamine tells the values alone
            unseen.append(("FORMATS_UNSEEN_GUESSED", ""))
        levels = {} if marks else levels_of(path)
        mixed = _in_several({name: shown[name] for name in listed if name in shown})
        for number, name in enumerate(listed):
            sheet = book.get_sheet_by_name(name)
            if sheet.total_height > most_rows + SNIFFED_ROWS or sheet.total_width > most_columns:
                raise Refused("TABLE_TOO_LARGE", f"has more than {most_rows} rows or {most_columns} columns.")
            merged = marks.merged.get(name) if marks else None
            cells = (shown.get(name, {}), levels.get(name, {}))
            text = _as_text(sheet, scratch / f"sheet-{number}.csv", *cells, mixed, merged)
            if text is not None:
                remarks = (*text.remarks, *unseen, *signs.get(name, ()))
                yield Sheet(name, replace(text, remarks=remarks))
                unseen = []
    except calamine.PasswordError:
        raise Refused("TABLE_INVALID", "is protected by a password. Save it without one.") from None
    except (calamine.CalamineError, OSError, ValueError):
        raise Refused("TABLE_INVALID", "is a damaged workbook, or of a kind that cannot be read.") from None


def _in_several(shown: Mapping[str, Units]) -> frozenset[int]:
    """The columns of numbers that are shown in several currencies, in one sheet or in sheets that may be alike."""
    found: dict[int, set[str]] = defaultdict(set)
    for units in shown.values():
        for place, cells in units.items():
            found[place].update(unit for unit in cells.values() if unit != PERCENT and not is_digits(unit))
    return frozenset(place for place, several in found.items() if len(several) > 1)


def _as_text(
    sheet: calamine.CalamineSheet,
    path: Path,
    shown: Units,
    levels: Units,
    several: frozenset[int],
    ranges: Sequence[Range] | None,
) -> CsvText | None:
    """Args:
    shown: The units of the cells.
    levels: How far their texts are set in.
    several: The columns of which several are currencies.
    ranges: Merged cells, where calamine does not tell them.
    """
    grid: list[list[Any]] = sheet.to_python(skip_empty_area=True)
    merged = _merged(sheet, sheet.merged_cell_ranges or () if ranges is None else ranges)
    rows = [[_cell(cell) for cell in row] for row in grid]
    units = _units(sheet, {place: cells for place, cells in shown.items() if place in several}, len(rows))
    percents = _units(sheet, {place: cells for place, cells in shown.items() if PERCENT in cells.values()}, len(rows))
    depths = dict(_units(sheet, levels, len(rows)))
    padded = _with_zeros(grid, rows, _units(sheet, shown, len(rows)))
    joined = _join_headings(rows, merged)
    if joined is not None:
        del grid[joined], rows[joined]
        for cells in (*(cells for _, cells in (*units, *percents)), *depths.values()):
            del cells[joined]
        merged = [each.below(joined) for each in merged]
    first = rows[:SNIFFED_ROWS]
    if not any(any(row) for row in first):
        return None
    layout = with_rows_below(layout_of(first), rows)
    begin = layout.begins
    if layout.ends is not None:
        del grid[layout.ends :], rows[layout.ends :]
        for _, cells in (*units, *percents):
            del cells[layout.ends :]
    heading = tuple(first[layout.above]) if layout.headed else ()
    write_levels(grid, rows, depths, begin)
    spread = _spread(grid, rows, merged, begin)
    remarks = []
    if units and layout.headed:
        for place, cells in units:
            name = f"{heading[place]} currency"
            heading = (*heading, name)
            listed = ", ".join(sorted({cell for cell in cells[begin:] if cell}))
            remarks.append(
                ("CURRENCIES_OF_FORMATS", f"\u201c{heading[place]}\u201d is in {listed}; see \u201c{name}\u201d")
            )
            for row, cell in zip(rows, cells, strict=True):
                row.append(cell)
    with path.open("w", encoding="utf-8", newline="", errors="replace") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows[begin:])
    return CsvText(
        path,
        ",",
        0,
        heading,
        max(layout.width, sheet.total_width) + len(remarks),
        remarks=(*remarks_of(layout), *([("MERGED_CELLS_FILLED", "")] if spread else []), *remarks),
        exact=_columns_with(grid[begin:], _is_a_number)
        - _columns_with(grid[begin:], lambda cell: isinstance(cell, str) and bool(_SEPARATED.search(cell)))
        - padded,
        spent=_columns_with(grid[begin:], lambda cell: isinstance(cell, timedelta)),
        percent={place: share for place, cells in percents if (share := _percent(grid, cells, place, begin))},
    )


def _with_zeros(
    grid: Sequence[Sequence[object]], rows: Sequence[list[str]], units: Sequence[tuple[int, list[str]]]
) -> frozenset[int]:
    """Write numbers with the leading zeros that they are shown with, and return the places of their columns."""
    found = set()
    for place, cells in units:
        for row, values, unit in zip(rows, grid, cells, strict=True):
            value = values[place]
            if is_digits(unit) and isinstance(value, int | float) and value >= 0 and value == int(value):
                row[place] = str(int(value)).zfill(len(unit))
                found.add(place)
    return frozenset(found)


def _is_a_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _percent(grid: Sequence[Sequence[object]], units: Sequence[str], place: int, begin: int) -> float:
    """The part of a column's numbers that are shown as percent."""
    shown = [units[at] == PERCENT for at in range(begin, len(grid)) if _is_a_number(grid[at][place])]
    return sum(shown) / len(shown) if shown else 0.0


def _units(sheet: calamine.CalamineSheet, shown: Units, height: int) -> list[tuple[int, list[str]]]:
    """Of each column the place and, for each row, the unit that the cell is shown in."""
    top, left = sheet.start or (0, 0)
    return [
        (place - left, [cells.get(row + top, "") for row in range(height)])
        for place, cells in sorted(shown.items())
        if left <= place < left + sheet.width
    ]


def _columns_with(grid: Sequence[Sequence[object]], fits: Callable[[object], bool]) -> frozenset[int]:
    """The places of columns in which a cell fits."""
    return frozenset(place for row in grid for place, cell in enumerate(row) if fits(cell))


@dataclass(frozen=True, slots=True)
class _Merged:
    """Cells that are one: rows and columns, both ends included, as the grid counts them."""

    top: int
    left: int
    bottom: int
    right: int

    def below(self, deleted: int) -> "_Merged":
        """After a row was deleted."""
        top, bottom = (place - (place >= deleted) for place in (self.top, self.bottom))
        return _Merged(top, self.left, bottom, self.right)


def _merged(sheet: calamine.CalamineSheet, ranges: Iterable[Range]) -> list[_Merged]:
    row, column = sheet.start or (0, 0)
    return [_Merged(top - row, left - column, bottom - row, right - column) for (top, left), (bottom, right) in ranges]


def _join_headings(rows: list[list[str]], merged: Sequence[_Merged]) -> int | None:
    """A heading of two rows, ``2024`` over ``Q1`` and ``Q2``, is written into the first; the second's place."""
    for top in sorted({each.top for each in merged if each.right > each.left and each.top == each.bottom}):
        above = [each for each in merged if each.top == top and each.top == each.bottom]
        names = rows[top + 1] if top + 1 < len(rows) else []
        whole = any(each.left == 0 and each.right >= len(rows[top]) - 1 for each in above)
        if top > MOST_ABOVE or whole or not any(names) or any(is_numberlike(name) for name in names if name):
            continue
        for each in above:
            for place in range(each.left, min(each.right + 1, len(rows[top]))):
                rows[top][place] = rows[top][each.left]
        rows[top] = [" ".join(filter(None, pair)) for pair in zip(rows[top], names, strict=True)]
        return top + 1
    return None


def _spread(grid: Sequence[Sequence[object]], rows: Sequence[list[str]], merged: Sequence[_Merged], begin: int) -> bool:
    """Whether a name that stands once for several rows was written into each. A number is not: it would count often."""
    spread = False
    for each in merged:
        if each.top < begin or each.bottom == each.top or each.bottom >= len(rows):
            continue
        cell = grid[each.top][each.left]
        if isinstance(cell, str | date) and cell:
            for row in rows[each.top + 1 : each.bottom + 1]:
                row[each.left] = rows[each.top][each.left]
            spread = True
    return spread


def _cell(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < LONGEST_WHOLE:
            return f"{value:.0f}"
        case datetime():
            return value.isoformat(sep=" ") if value.time() != time() else value.date().isoformat()
        case date():
            return value.isoformat()
        case timedelta():
            return _spent(value)
        case str() if spent := _ODS_SPENT.fullmatch(value):
            return ":".join(spent.groups())
        case str():
            return value.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").strip()
        case _:
            return str(value)


def _spent(value: timedelta) -> str:
    """``27:15:00``."""
    seconds = abs(round(value.total_seconds()))
    sign = "-" if value < timedelta() else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
