"""What an xlsx sheet does not show, or does not hold yet: hidden and grouped rows, formulas that nobody has computed.

Told by marks in the sheet's text, which is read through once and not parsed. Runs inside.
"""

import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from activities.analysis.reading.cell_formats import package_of, sheet_parts
from activities.analysis.reading.refusals import Refused

Remark = tuple[str, str]
"""A note's code, and words for its sentence."""

_AT_ONCE = 1 << 20
_LONGEST_TAG = 1 << 12
_SIGNS: Mapping[str, re.Pattern[bytes]] = {
    "HIDDEN_COUNTED_GUESSED": re.compile(rb' hidden="(?:1|true)"'),
    "ROWS_GROUPED_GUESSED": re.compile(rb' outlineLevel="[1-7]"'),
    "CELLS_IN_ERROR_GUESSED": re.compile(rb' t="e"[ />]'),
    "FORMULAS_EMPTY_GUESSED": re.compile(rb"</f>\s*(?:<v\s*/>|<v></v>)?\s*</c>"),
}
"""Patterns that begin with what is rare: a sheet has millions of cells."""


def signs_of(path: Path) -> Mapping[str, list[Remark]]:
    """By the sheet's name, what is to be said of it.

    Raises:
        Refused: A part of the workbook is damaged.
    """
    with package_of(path) as package:
        return {name: _signs(package, part) for name, part in sheet_parts(package).items()} if package else {}


def _signs(package: zipfile.ZipFile, part: str) -> list[Remark]:
    found: dict[str, None] = {}
    before = b""
    try:
        with package.open(part) as stream:
            while block := stream.read(_AT_ONCE):
                text = before + block
                found |= {code: None for code, sign in _SIGNS.items() if code not in found and sign.search(text)}
                before = text[-_LONGEST_TAG:]
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError):
        raise Refused("TABLE_INVALID", "is a damaged workbook, or of a kind that cannot be read.") from None
    return [(code, "") for code in found]
