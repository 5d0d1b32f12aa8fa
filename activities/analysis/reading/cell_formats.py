"""The units that an xlsx workbook's numbers are shown in, where only the cells' number formats tell. Runs inside.

``10`` shown as ``10 €`` and ``10`` shown as ``$10`` are one number to every reader of values; their sum is nothing.
"""

import posixpath
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.parsers import expat

from activities.analysis.reading.refusals import Refused

Units = dict[int, dict[int, str]]
"""By a cell's column and row, both from 0: the currency that its number is shown in, :data:`PERCENT`, or as many zeros
as it has digits at least."""
PERCENT = "%"
WORKBOOK, STYLES, RELATIONS = "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"
_DIGITS = re.compile(r"00+")

_BUILT_IN = {**dict.fromkeys((5, 6, 7, 8, 42, 44), "$"), **dict.fromkeys((9, 10), PERCENT)}
"""ECMA-376, 18.8.30: number formats that no workbook needs to spell."""
_MARKED = re.compile(r"\[\$([^\]-]+)[^\]]*\]")
"""``[$€-407]``, ``[$USD]``; ``[$-409]`` names a language only."""
_CODE = re.compile(r"^(?:[A-Z]{3}|(?:US|CA|AU|HK|NZ|[ACRS])\$|kr\.?|zł|Kč|Ft|Fr\.?|lei|лв\.?)$")
_ZIP = b"PK\x03\x04"
_READ_AT_ONCE = 1 << 20


def units_of(path: Path) -> Mapping[str, Units]:
    """By the sheet's name, the numbers that are shown in a unit; nothing where the workbook has one currency at most.

    Raises:
        Refused: A part of the workbook is damaged.
    """
    with path.open("rb") as file:
        if file.read(4) != _ZIP:
            return {}
    with package_of(path, STYLES) as package:
        if not package:
            return {}
        shown = _styles(package)
        if len(set(shown.values())) < 2 and PERCENT not in shown.values() and not any(map(is_digits, shown.values())):
            return {}
        return {sheet: _cells(package, part, shown) for sheet, part in sheet_parts(package).items()}


def levels_of(path: Path) -> Mapping[str, Units]:
    """By the sheet's name, how far texts are set in by their format, as the parts in an outline are.

    Raises:
        Refused: A part of the workbook is damaged.
    """
    with package_of(path, STYLES) as package:
        levels = _indents(package) if package else {}
        if not package or not levels:
            return {}
        return {name: _cells(package, part, levels, of_texts=True) for name, part in sheet_parts(package).items()}


@contextmanager
def package_of(path: Path, *needed: str) -> Iterator[zipfile.ZipFile | None]:
    """The parts of a workbook; ``None``: it is no xlsx, or lacks one that is ``needed``."""
    if not zipfile.is_zipfile(path):
        yield None
        return
    with zipfile.ZipFile(path) as package:
        yield package if {WORKBOOK, RELATIONS, *needed} <= set(package.namelist()) else None


def _indents(package: zipfile.ZipFile) -> dict[str, str]:
    """The level of each cell style that sets its text in, by the number that cells give."""
    levels: dict[str, str] = {}
    within: list[str] = []
    number = -1

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal number
        within.append(local(name))
        number += within[-2:] == ["cellXfs", "xf"]
        if within[-3:] == ["cellXfs", "xf", "alignment"] and attributes.get("indent", "0") != "0":
            levels[str(number)] = attributes["indent"]

    parse(package, STYLES, start, lambda name: within.pop())
    return levels


def is_digits(unit: str) -> bool:
    """Whether a number is shown with leading zeros, as postcodes are."""
    return _DIGITS.fullmatch(unit) is not None


def unit_of(code: str) -> str:
    """The unit that a number format shows, or nothing."""
    code = code.split(";")[0]
    if is_digits(code):
        return code
    marked = _MARKED.search(code)
    if marked:
        return str(marked.group(1)).strip()
    quoted: list[str] = [text.strip() for text in re.findall(r'"([^"]*)"', code)]
    for text in quoted:
        if _CODE.match(text) or text == PERCENT or (len(text) == 1 and unicodedata.category(text) == "Sc"):
            return text
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]', "", code)
    return next((letter for letter in bare if letter == PERCENT or unicodedata.category(letter) == "Sc"), "")


def _styles(package: zipfile.ZipFile) -> dict[str, str]:
    """The unit of each cell style that shows one, by the number that cells give."""
    codes: dict[str, str] = {}
    used: list[str] = []
    within: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        within.append(local(name))
        if within[-1] == "numFmt":
            codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif within[-2:] == ["cellXfs", "xf"]:
            used.append(attributes.get("numFmtId", "0"))

    parse(package, STYLES, start, lambda name: within.pop())
    built_in = {str(number): unit for number, unit in _BUILT_IN.items()}
    shown = built_in | {number: unit_of(code) for number, code in codes.items()}
    return {str(place): shown[number] for place, number in enumerate(used) if shown.get(number)}


def sheet_parts(package: zipfile.ZipFile) -> dict[str, str]:
    """The part that each sheet is in, of those that are there."""
    targets: dict[str, str] = {}
    ids: dict[str, str] = {}

    def relation(name: str, attributes: dict[str, str]) -> None:
        if local(name) == "Relationship":
            targets[attributes.get("Id", "")] = posixpath.join("/xl", attributes.get("Target", "")).lstrip("/")

    def sheet(name: str, attributes: dict[str, str]) -> None:
        if local(name) == "sheet":
            reference = next((value for key, value in attributes.items() if local(key) == "id" and ":" in key), "")
            ids[attributes.get("name", "")] = reference

    parse(package, RELATIONS, relation)
    parse(package, WORKBOOK, sheet)
    parts = {name: posixpath.normpath(targets[reference]) for name, reference in ids.items() if reference in targets}
    held = set(package.namelist())
    return {name: part for name, part in parts.items() if part in held}


def _cells(package: zipfile.ZipFile, part: str, shown: Mapping[str, str], *, of_texts: bool = False) -> Units:
    found: Units = {}
    row = column = -1
    unit = ""

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, unit
        match local(name):
            case "row":
                row, column = int(attributes.get("r", row + 2)) - 1, -1
            case "c":
                column = _place(attributes["r"]) if "r" in attributes else column + 1
                is_one = (attributes.get("t", "n") != "n") == of_texts
                unit = shown.get(attributes.get("s", "0"), "") if is_one else ""
            case "v" | "is" if unit:
                found.setdefault(column, {})[row] = unit

    parse(package, part, start)
    return found


def _place(reference: str) -> int:
    """``C7`` is the third column, 2."""
    place = 0
    for letter in reference:
        if not letter.isalpha():
            break
        place = 26 * place + ord(letter.upper()) - 64
    return place - 1


def local(name: str) -> str:
    """Of a name with its prefix."""
    return name.rpartition(":")[2]


def parse(
    package: zipfile.ZipFile,
    part: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], object] | None = None,
) -> None:
    """Read a part of a package. Raises: Refused: It is damaged."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = _refuse_entities
    try:
        with package.open(part) as stream:
            for chunk in _chunks(stream.read):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
    except (expat.ExpatError, zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError):
        raise Refused("TABLE_INVALID", "is a damaged workbook, or of a kind that cannot be read.") from None


def _chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while chunk := read(_READ_AT_ONCE):
        yield chunk


def _refuse_entities(*_: object) -> None:
    raise Refused("TABLE_INVALID", "declares entities, which no workbook does.")
