"""What an xlsx sheet hides, strikes out, or does not hold yet: hidden and grouped rows, formulas nobody has computed.

Told by marks in the sheet's text, which is read through once and not parsed. Runs inside.
"""

import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from activities.analysis.reading.cell_formats import STYLES, local, package_of, parse, sheet_parts
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
STRUCK, UNSEEN = "CELLS_STRUCK_GUESSED", "NUMBERS_UNSEEN_GUESSED"
_OFF = ("0", "false")


def signs_of(path: Path) -> Mapping[str, list[Remark]]:
    """By the sheet's name, what is to be said of it.

    Raises:
        Refused: A part of the workbook is damaged.
    """
    with package_of(path) as package:
        if not package:
            return {}
        signs = {**_SIGNS, **_styled(package)}
        return {name: _signs(package, part, signs) for name, part in sheet_parts(package).items()}


def is_unseen(code: str) -> bool:
    """Whether a number format shows nothing of a number: ``;;;``."""
    first, *others = code.split(";")
    return bool(others) and not first.strip()


def _styled(package: zipfile.ZipFile) -> dict[str, re.Pattern[bytes]]:
    """Patterns of cells that hold something and are struck out, or shown as nothing, where a style says so."""
    if STYLES not in package.namelist():
        return {}
    within: list[str] = []
    fonts: list[bool] = []
    unseen: set[str] = set()
    styles: list[tuple[str, str]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        within.append(local(name))
        match within[-2:]:
            case ["numFmts", "numFmt"] if is_unseen(attributes.get("formatCode", "")):
                unseen.add(attributes.get("numFmtId", ""))
            case ["fonts", "font"]:
                fonts.append(False)
            case ["font", "strike"] if within[-3:-2] == ["fonts"]:
                fonts[-1] = attributes.get("val", "1") not in _OFF
            case ["cellXfs", "xf"]:
                styles.append((attributes.get("fontId", "0"), attributes.get("numFmtId", "0")))

    parse(package, STYLES, start, lambda name: within.pop())
    struck = {str(place) for place, is_struck in enumerate(fonts) if is_struck}
    of_codes = {
        STRUCK: [place for place, (font, _) in enumerate(styles) if font in struck],
        UNSEEN: [place for place, (_, number) in enumerate(styles) if number in unseen],
    }
    return {
        code: re.compile(rb' s="(?:%s)"[^<>/]*>\s*<(?:v|f|is)\b' % b"|".join(b"%d" % place for place in places))
        for code, places in of_codes.items()
        if places
    }


def _signs(package: zipfile.ZipFile, part: str, signs: Mapping[str, re.Pattern[bytes]]) -> list[Remark]:
    found: dict[str, None] = {}
    before = b""
    try:
        with package.open(part) as stream:
            while block := stream.read(_AT_ONCE):
                text = before + block
                found |= {code: None for code, sign in signs.items() if code not in found and sign.search(text)}
                before = text[-_LONGEST_TAG:]
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError):
        raise Refused("TABLE_INVALID", "is a damaged workbook, or of a kind that cannot be read.") from None
    return [(code, "") for code in found]
