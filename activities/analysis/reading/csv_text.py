"""CSV as people send it: any usual encoding, delimiter and line ending, titles above the heading. Runs inside.

The text is written once more as UTF-8 with plain line ends; what it holds as a table is DuckDB's to read.
"""

import csv
import io
import itertools
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from activities.analysis.reading.encodings import encoding_of
from activities.analysis.reading.layout import RULE, SNIFFED_ROWS, Layout, layout_of
from activities.analysis.reading.refusals import Refused
from activities.analysis.reading.rows_below import with_rows_below

SNIFFED_BYTES = 256 << 10
BLOCK_CHARACTERS = 1 << 20
LONGEST_LINE = 4 << 20
"""Bytes of a row."""
DELIMITERS = ",;\t|"

_MARKUP = re.compile(r"\s*(<[!?a-zA-Z]|[{\[]\s*[\"{\[\]}]|%PDF|\{\\rtf)")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_CONTROL_WITHIN = re.compile("(?<=\\w)[\x00-\x08\x0e-\x1f\x7f]+(?=\\w)")
_GARBLED = re.compile(
    "\\w*(?:[\u00c3\u00c2][\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020-\u2022\u02c6\u2030\u0160\u2039\u0152\u017d\u2018-\u201d"
    "\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]|\u00e2\u20ac)\\S?\\w*"
)
"""UTF-8 that was read as Windows-1252: an umlaut as two signs."""
_ESCAPED = re.compile(r"\w*(?:&(?:[A-Za-z]{2,8}|#\d{2,5});|=[C-E][0-9A-F]=[89AB][0-9A-F])\w*")
"""A letter as pages (``&uuml;``) and mails (``=C3=BC``) write it."""
_NOT_TEXT = "is not text. Send CSV, Parquet or an Excel workbook."


Remark = tuple[str, str]
"""A note's code, and words for its sentence: a name or a few values."""


@dataclass(frozen=True, slots=True)
class CsvText:
    """``skipped`` lines stand above the first row of data; ``heading`` is empty where the file has none.
    ``width`` is how many columns there are; ``unpaired``: the quotation marks make no pairs. ``exact`` are the places
    of columns with numbers that were never text, so that a point in them stands before decimals; ``spent`` of those
    with durations; ``percent`` tells of columns which part of their numbers is shown as percent."""

    path: Path
    delimiter: str
    skipped: int
    heading: tuple[str, ...]
    width: int
    unpaired: bool = False
    remarks: tuple[Remark, ...] = ()
    exact: frozenset[int] = frozenset()
    spent: frozenset[int] = frozenset()
    percent: Mapping[int, float] = field(default_factory=dict)


def read_text(source: Path, scratch: Path) -> CsvText:
    """The text of ``source``, plain, in a file at ``scratch``, and how to read it.

    Raises:
        Refused: It is no text, or no table.
    """
    remarks, unpaired = _transcode(source, scratch)
    with scratch.open(encoding="utf-8", newline="\n") as text:
        sample = text.read(SNIFFED_BYTES)
        complete = not text.read(1)
    if not complete:
        sample = sample[: sample.rfind("\n") + 1] or sample
    if _MARKUP.match(sample):
        raise Refused("TABLE_NOT_RECOGNISED", "holds markup or JSON, not a table. Send CSV, Parquet or a workbook.")
    if not sample.strip():
        raise Refused("TABLE_INVALID", "is empty.")
    declared = re.match(r"sep=([,;\t|])\n", sample)
    delimiter = declared[1] if declared else _delimiter(sample)
    return _layout(scratch, sample, delimiter, 1 if declared else 0, unpaired, remarks)


def check_closed(text: CsvText) -> None:
    """Look for a quotation mark that is not closed.

    Raises:
        Refused: There is one, or one where none may be.
    """
    csv.field_size_limit(LONGEST_LINE)
    with text.path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter=text.delimiter, strict=True)
        line = 1
        try:
            for _ in rows:
                line = rows.line_num + 1
        except csv.Error:
            raise Refused("TABLE_INVALID", f"has a quotation mark that is not closed, in line {line}.") from None


def _layout(
    path: Path, sample: str, delimiter: str, declared: int, unpaired: bool, remarks: Sequence[Remark]
) -> CsvText:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    ends: list[int] = []
    try:
        for row in itertools.islice(reader, SNIFFED_ROWS + declared):
            cells = [cell.strip() for cell in row]
            rows.append([] if re.match(RULE, "".join(cells)) else cells)
            ends.append(reader.line_num)
    except csv.Error:
        if not rows:
            raise Refused("TABLE_INVALID", "cannot be read as CSV.") from None
    rows, ends = rows[declared:], ends[declared:]
    if not any(any(row) for row in rows):
        raise Refused("TABLE_INVALID", "holds no rows.")
    layout = layout_of(rows)
    if layout.ends is not None:
        _cut(path, ends[layout.ends - 1])
    layout = with_rows_below(path, delimiter, ends[-1], layout, rows)
    begins = 0 if layout.begins == 0 else ends[layout.begins - 1]
    skipped = max(begins, declared)
    if skipped > declared + layout.begins:  # a heading of several lines, which are one to whoever skips
        path, skipped = _behind(path, skipped), 0
    heading = tuple(rows[layout.above]) if layout.headed else ()
    return CsvText(path, delimiter, skipped, heading, layout.width, unpaired, (*remarks, *remarks_of(layout)))


def _cut(path: Path, lines: int) -> None:
    """Leave so many lines of a file."""
    with path.open("r+b") as file:
        for _ in range(lines):
            file.readline()
        file.truncate(file.tell())


def _behind(path: Path, lines: int) -> Path:
    """A file with what stands behind so many lines."""
    rest = path.with_suffix(".rest.csv")
    with path.open("rb") as whole, rest.open("wb") as file:
        for _ in range(lines):
            whole.readline()
        shutil.copyfileobj(whole, file)
    path.unlink()
    return rest


def remarks_of(layout: Layout) -> list[Remark]:
    """What is to be said of a layout."""
    found = {
        "PREAMBLE_SKIPPED": layout.above,
        "HEADING_MISSING": not layout.headed,
        "ROWS_SHORT_GUESSED": layout.short,
        "ROWS_APART_GUESSED": layout.has_gap,
    }
    told = [(code, "") for code, holds in found.items() if holds]
    if layout.units:
        told.append(("UNITS_ROW_LEFT_OUT", ", ".join(layout.units)[:200]))
    if layout.ends is not None:
        told.append(("TABLE_BELOW_GUESSED", f"\u201c{layout.other[:40]}\u201d"))
    return told


def _delimiter(sample: str) -> str:
    """The one that cuts most rows into the same number of cells, above one."""

    def score(delimiter: str) -> tuple[float, int]:
        widths: Counter[int] = Counter()
        try:
            for row in itertools.islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), SNIFFED_ROWS):
                widths[len(row)] += 1 if row else 0
        except csv.Error:
            return (0.0, 0)
        if not widths:
            return (0.0, 0)
        width, times = max(widths.items(), key=lambda each: (each[1] if each[0] > 1 else 0, each[0]))
        return (times / widths.total() if width > 1 else 0.0, width)

    quoted = {each: len(re.findall(rf'"\{each}"', sample)) for each in DELIMITERS}
    if sum(map(bool, quoted.values())) == 1:  # what parts cells in quotation marks is no comma before decimals
        return max(quoted, key=lambda each: quoted[each])
    best = max(DELIMITERS, key=score)
    return best if score(best)[0] > 0 else ","


# --- as UTF-8 ----------------------------------------------------------------------------------------------------


def _transcode(source: Path, scratch: Path) -> tuple[list[Remark], bool]:
    """Remarks, and whether the number of quotation marks is odd."""
    encoding, title = encoding_of(source)
    try:
        rewritten = _rewrite(source, scratch, encoding)
    except UnicodeDecodeError:
        raise Refused("TABLE_NOT_RECOGNISED", _NOT_TEXT) from None
    remarks = [("ENCODING_GUESSED", title)] if title else []
    if rewritten.dropped:
        remarks.append(("CONTROL_CHARACTERS_REMOVED", ""))
    if rewritten.lost:
        remarks.append(("LETTERS_LOST", ""))
    if rewritten.garbled:
        remarks.append(("LETTERS_GARBLED", rewritten.garbled))
    return remarks, rewritten.quotes % 2 == 1


@dataclass(slots=True)
class _Rewritten:
    """``dropped`` control characters, ``lost`` letters (U+FFFD), quotation marks, all that was seen, and a word whose
    letters were ``garbled``."""

    dropped: int = 0
    lost: int = 0
    quotes: int = 0
    seen: int = 0
    garbled: str = ""


def _rewrite(source: Path, scratch: Path, encoding: str) -> _Rewritten:
    """The text as UTF-8 with ``\\n``, without control characters."""
    rewritten = _Rewritten()
    with (
        source.open("rb") as raw,
        io.TextIOWrapper(raw, encoding=encoding) as text,
        scratch.open("w", encoding="utf-8", newline="\n", errors="surrogatepass") as plain,
    ):
        for block in _blocks(text):
            bare = block.replace("\ufeff", "")
            controls = len(_CONTROL.findall(bare))
            # two names that differ in nothing else stay two
            kept = _CONTROL.sub("", _CONTROL_WITHIN.sub(" ", bare)) if controls else bare
            rewritten.dropped += len(block) - len(bare) + controls
            rewritten.seen += len(block)
            rewritten.quotes += block.count('"')
            rewritten.lost += block.count("\ufffd")
            if not rewritten.garbled and any(begins in block for begins in "\u00c3\u00c2\u00e2"):
                rewritten.garbled = found[0][:40] if (found := _GARBLED.search(block)) else ""
            if not rewritten.garbled and ("&" in block or "=" in block):
                rewritten.garbled = _escaped(block)
            if rewritten.dropped > max(16, rewritten.seen // 50):
                raise Refused("TABLE_NOT_RECOGNISED", _NOT_TEXT)
            plain.write(kept)
    return rewritten


def _escaped(block: str) -> str:
    """A word with a letter that is written in signs."""
    words = (found[0][:40] for found in _ESCAPED.finditer(block))
    return next((word for word in words if "&" not in word or unescape(word) != word), "")


def _blocks(text: io.TextIOWrapper) -> Iterator[str]:
    while block := text.read(BLOCK_CHARACTERS):
        yield block
