"""A result as an Excel workbook: typed cells on one sheet, and on another how they were computed. Runs inside.

A text is never a formula: it is written as a text, in a cell of texts, so that it stays one where somebody edits it.
What Excel cannot hold as it is (more than 15 digits of a whole number, days before March 1900, 32,767 characters) is
written as Excel can, and the second sheet says so. The same rows give the same bytes.
"""

import io
import mimetypes
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

mimetypes.knownfiles = []  # openpyxl asks for the system's types as it is loaded: behind the lock nobody may read them

from openpyxl import Workbook  # noqa: E402
from openpyxl.cell import WriteOnlyCell  # noqa: E402
from openpyxl.styles import Alignment, Font, PatternFill  # noqa: E402
from openpyxl.utils import get_column_letter  # noqa: E402

MOST_CELLS = 200_000
"""Of a workbook: that many take a core some four seconds to write. More is what Parquet is for."""
LONGEST_TEXT = 32_767
"""Characters (of UTF-16) that a cell holds: Excel's specifications and limits."""
MOST_DIGITS = 15
"""Significant digits of a number that Excel keeps."""
FIRST_DAY = date(1900, 3, 1)
"""Before it Excel counts a day that never was, the 29th of February 1900."""
WIDEST, NARROWEST = 60, 8
"""Of a column, in characters."""
MEASURED_ROWS = 100
"""By which a column's width is found."""

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of everything in a ZIP that has none."""
UNSAID = b"1980-01-01T00:00:00Z"

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 cannot hold."""
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
"""What begins an escape in a cell's text (ECMA-376, ST_Xstring): a text that only looks like one is escaped itself."""
_MODIFIED = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")

TEXT, DAY, MOMENT, WHOLE = "@", "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "0"

DIGITS, DAYS, CUT, CONTROLS = "digits", "days", "cut", "controls"
"""What was written otherwise than it is."""


def write(
    path: Path,
    columns: Sequence[tuple[str, str]],
    rows: Callable[[], Iterable[Sequence[object]]],
    words: Mapping[str, Any],
) -> None:
    """Write the workbook.

    Args:
        columns: Name and DuckDB type of each.
        rows: Gives them all, each time from the first.
        words: ``result`` and ``about``, the sheets' names; ``lines``, what the second says, in two columns;
            ``losses``, a sentence for each of the losses.
    """
    tempfile.tempdir = str(path.parent)  # where openpyxl keeps a sheet while it grows; elsewhere nobody may write
    book = Workbook(write_only=True)
    long = _too_long(columns, rows())
    lost: set[str] = {DIGITS} if any(long) else set()
    _result(book, str(words["result"]), columns, rows, long, lost)
    said = [str(words["losses"][each]) for each in (DIGITS, DAYS, CUT, CONTROLS) if each in lost]
    _about(book, str(words["about"]), [*words["lines"], *(("", each) for each in said)])
    made = io.BytesIO()
    book.save(made)
    path.write_bytes(_undated(made.getvalue()))


def _too_long(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[object]]) -> list[bool]:
    """Of each column whether a whole number in it has more digits than Excel keeps: then all of it is text, so that it
    sorts and reads alike."""
    whole = [place for place, (_, type) in enumerate(columns) if _is_whole(type)]
    long = [False] * len(columns)
    if whole:
        for row in rows:
            for place in whole:
                value = row[place]
                if isinstance(value, int | Decimal) and abs(value) >= 10**MOST_DIGITS:
                    long[place] = True
    return long


def _is_whole(type: str) -> bool:
    return type.endswith(("INT", "INTEGER")) or (type.startswith("DECIMAL") and type.endswith(",0)"))


def _result(
    book: Workbook,
    name: str,
    columns: Sequence[tuple[str, str]],
    rows: Callable[[], Iterable[Sequence[object]]],
    long: Sequence[bool],
    lost: set[str],
) -> None:
    sheet = book.create_sheet(name)
    sheet.freeze_panes = "A2"
    widths = [len(name) + 3 for name, _ in columns]
    for _, row in zip(range(MEASURED_ROWS), rows(), strict=False):
        widths = [max(width, len(str(value)) + 2) for width, value in zip(widths, row, strict=True)]
    for place, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = min(WIDEST, max(NARROWEST, width))
    head = [_text(sheet, name, set()) for name, _ in columns]
    for cell in head:
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="E9F1F9")
    sheet.append(head)
    last = 1
    for row in rows():
        sheet.append([_cell(sheet, value, as_text, lost) for value, as_text in zip(row, long, strict=True)])
        last += 1
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(columns))}{last}"


def _about(book: Workbook, name: str, lines: Iterable[Sequence[str]]) -> None:
    sheet = book.create_sheet(name)
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 24, 110
    for label, text in lines:
        cells = [_text(sheet, label, set()), _text(sheet, text, set())]
        cells[0].font = Font(bold=True)
        for cell in cells:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
        sheet.append(cells)


def _cell(sheet: Any, value: object, as_text: bool, lost: set[str]) -> object:
    match value:
        case None | bool():
            return value
        case int() if not as_text:
            return value
        case float() if isfinite(value):
            return value
        case Decimal() if not as_text and value.is_finite():
            if len(value.normalize().as_tuple().digits) > MOST_DIGITS:
                lost.add(DIGITS)
            return value
        case datetime() if value.tzinfo is None and value.date() >= FIRST_DAY:
            return _formatted(sheet, value, MOMENT)
        case date() if not isinstance(value, datetime) and value >= FIRST_DAY:
            return _formatted(sheet, value, DAY)
        case date():
            lost.add(DAYS)
            return _text(sheet, value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat(), lost)
        case Decimal():
            return _text(sheet, format(value, "f"), lost)
        case _:
            return _text(sheet, str(value), lost)


def _formatted(sheet: Any, value: Any, how: str) -> Any:
    cell = WriteOnlyCell(sheet, value)
    cell.number_format = how
    return cell


def _text(sheet: Any, text: str, lost: set[str]) -> Any:
    """A cell that holds just this text, whatever it looks like."""
    legal = _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
    if legal != text:
        lost.add(CONTROLS)
    shown = _fitting(legal)
    if shown != legal:
        lost.add(CUT)
    cell = WriteOnlyCell(sheet, _ESCAPE.sub("_x005F_", shown))
    cell.data_type = "s"  # openpyxl takes what begins with = for a formula, and "#N/A" for an error
    cell.number_format = TEXT
    return cell


def _fitting(text: str) -> str:
    """What of a text a cell holds; an ellipsis says that there was more."""
    if len(text) <= LONGEST_TEXT // 2:
        return text
    units = text.encode("utf-16-le")
    if len(units) // 2 <= LONGEST_TEXT:
        return text
    return units[: 2 * (LONGEST_TEXT - 1)].decode("utf-16-le", "ignore") + "…"


def _undated(data: bytes) -> bytes:
    """The same file without the moment at which it was made."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as made, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as kept:
        for name in made.namelist():
            info = zipfile.ZipInfo(name, EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            content = made.read(name)
            if name == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>" + UNSAID, content)
            kept.writestr(info, content)
    return out.getvalue()
