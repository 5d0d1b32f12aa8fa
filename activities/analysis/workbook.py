"""Workbooks (xlsx, xlsm, xlsb, xls, ods): the values of their visible sheets, as text. Runs inside.

Formulas are not computed: a cell is what the program that saved it had computed. Macros, links and pictures are never
looked at.
"""

import csv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path

import python_calamine as calamine

from activities.analysis.csv_text import SNIFFED_ROWS, CsvText, heading_of
from activities.analysis.refusals import Refused

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
        listed = [
            sheet.name
            for sheet in book.sheets_metadata
            if sheet.visible == calamine.SheetVisibleEnum.Visible and sheet.typ == calamine.SheetTypeEnum.WorkSheet
        ]
        if len(listed) > most_sheets:
            raise Refused("TABLE_TOO_LARGE", f"has more than {most_sheets} sheets.")
        for number, name in enumerate(listed):
            sheet = book.get_sheet_by_name(name)
            if sheet.total_height > most_rows + SNIFFED_ROWS or sheet.total_width > most_columns:
                raise Refused("TABLE_TOO_LARGE", f"has more than {most_rows} rows or {most_columns} columns.")
            text = _as_text(sheet, scratch / f"sheet-{number}.csv")
            if text is not None:
                yield Sheet(name, text)
    except calamine.PasswordError:
        raise Refused("TABLE_INVALID", "is protected by a password. Save it without one.") from None
    except (calamine.CalamineError, OSError, ValueError):
        raise Refused("TABLE_INVALID", "is a damaged workbook, or of a kind that cannot be read.") from None


def _as_text(sheet: calamine.CalamineSheet, path: Path) -> CsvText | None:
    rows = ([_cell(cell) for cell in row] for row in sheet.to_python(skip_empty_area=True))
    first = list(islice(rows, SNIFFED_ROWS))
    if not any(any(row) for row in first):
        return None
    above, headed, width = heading_of(first)
    heading = tuple(first[above]) if headed else ()
    with path.open("w", encoding="utf-8", newline="", errors="replace") as file:
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerows(first[above + headed :])
        writer.writerows(rows)
    notes = [*(["PREAMBLE_SKIPPED"] if above else []), *([] if headed else ["HEADING_MISSING"])]
    return CsvText(path, ",", 0, heading, max(width, sheet.total_width), notes=tuple(notes))


def _cell(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime():
            return value.isoformat(sep=" ") if value.time() != time() else value.date().isoformat()
        case date():
            return value.isoformat()
        case timedelta():
            return str(value)
        case str():
            return value.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").strip()
        case _:
            return str(value)
