"""CSV as people send it: any usual encoding, delimiter and line ending, titles above the heading. Runs inside.

The text is written once more as UTF-8 with plain line ends; what it holds as a table is DuckDB's to read.
"""

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from activities.analysis.refusals import Refused

SNIFFED_BYTES = 256 << 10
SNIFFED_ROWS = 200
BLOCK_CHARACTERS = 1 << 20
LONGEST_LINE = 4 << 20
"""Bytes of a row."""
DELIMITERS = ",;\t|"

_MARKUP = re.compile(r"\s*(<[!?a-zA-Z]|[{\[]\s*[\"{\[\]}]|%PDF|\{\\rtf)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_NUMBERLIKE = re.compile(r"[+-]?[$€£]?\s?\d[\d.,:/ -]*%?")
_NOT_TEXT = "is not text. Send CSV, Parquet or an Excel workbook."


@dataclass(frozen=True, slots=True)
class CsvText:
    """``skipped`` lines stand above the first row of data; ``heading`` is empty where the file has none.
    ``width`` is how many columns there are; ``unpaired``: the quotation marks make no pairs; ``notes`` are codes."""

    path: Path
    delimiter: str
    skipped: int
    heading: tuple[str, ...]
    width: int
    unpaired: bool = False
    notes: tuple[str, ...] = field(default=())


def read_text(source: Path, scratch: Path) -> CsvText:
    """The text of ``source``, plain, in a file at ``scratch``, and how to read it.

    Raises:
        Refused: It is no text, or no table.
    """
    notes, unpaired = _transcode(source, scratch)
    with scratch.open(encoding="utf-8", newline="\n") as text:
        sample = text.read(SNIFFED_BYTES)
        complete = not text.read(1)
    if not complete:
        sample = sample[: sample.rfind("\n") + 1] or sample
    if _MARKUP.match(sample):
        raise Refused("TABLE_NOT_RECOGNISED", "holds markup or JSON, not a table. Send CSV, Parquet or a workbook.")
    if not sample.strip():
        raise Refused("TABLE_INVALID", "is empty.")
    told = re.match(r"sep=([,;\t|])\n", sample)
    delimiter = told[1] if told else _delimiter(sample)
    return _layout(scratch, sample, delimiter, 1 if told else 0, unpaired, notes)


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


def heading_of(rows: Sequence[Sequence[str]]) -> tuple[int, bool, int]:
    """(rows above the table, whether its first row is a heading, columns) of a sheet's or a text's first rows."""
    widths = Counter(len(_filled(row)) for row in rows if any(row))
    usual = max(widths, key=lambda width: (widths[width], width), default=0)
    above = 0
    if usual >= 2:
        above = next((place for place, row in enumerate(rows) if sum(map(bool, row)) >= 2), 0)
    else:
        above = next((place for place, row in enumerate(rows) if any(row)), 0)
    first, rest = rows[above], rows[above + 1 :]
    # cells that are always there and always empty are a delimiter at the end of the line
    written = Counter(len(row) for row in [first, *rest] if any(row)).most_common(1)[0][0]
    width = max(usual, len(_filled(first)), written)
    return above, _is_heading(_filled(first), rest), width


def _filled(row: Sequence[str]) -> Sequence[str]:
    """Without empty cells at the end."""
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row[:end]


def _is_heading(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Names: most are given, none a number, none twice unless numbers stand below them; but years as columns next to
    names are names too."""
    names = [cell for cell in first if cell]
    numbers = sum(bool(_NUMBERLIKE.fullmatch(name)) for name in names)
    if not names or len({name.casefold() for name in names}) < len(names):
        return bool(names) and (not rest or (numbers == 0 and _stands_above_numbers(first, rest)))
    if numbers == 0:
        # A column of texts only says nothing: then the first row is taken for what first rows mostly are.
        return True
    below = rest[0] if rest else ()
    same = sum(
        bool(_NUMBERLIKE.fullmatch(cell)) == bool(_NUMBERLIKE.fullmatch(under))
        for cell, under in zip(first, below, strict=False)
    )
    years = all(re.fullmatch(r"(19|20)\d\d", name) for name in names if _NUMBERLIKE.fullmatch(name))
    return years and numbers < len(names) and bool(rest) and same < len(names) + 1


def _stands_above_numbers(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Whether what is below one of the row's texts is numbers, all of it."""
    for place in (place for place, cell in enumerate(first) if cell):
        below = [row[place] for row in rest if place < len(row) and row[place]]
        if below and all(_NUMBERLIKE.fullmatch(cell) for cell in below):
            return True
    return False


def _layout(path: Path, sample: str, delimiter: str, told: int, unpaired: bool, notes: Sequence[str]) -> CsvText:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    ends: list[int] = []
    try:
        for row in itertools.islice(reader, SNIFFED_ROWS + told):
            rows.append([cell.strip() for cell in row])
            ends.append(reader.line_num)
    except csv.Error:
        if not rows:
            raise Refused("TABLE_INVALID", "cannot be read as CSV.") from None
    rows, ends = rows[told:], ends[told:]
    if not any(any(row) for row in rows):
        raise Refused("TABLE_INVALID", "holds no rows.")
    above, headed, width = heading_of(rows)
    begins = 0 if above + headed == 0 else ends[above + headed - 1]
    skipped = max(begins, told)
    heading = tuple(rows[above]) if headed else ()
    found = [*notes, *(["PREAMBLE_SKIPPED"] if above else []), *([] if headed else ["HEADING_MISSING"])]
    return CsvText(path, delimiter, skipped, heading, max(width, 1), unpaired, tuple(found))


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

    best = max(DELIMITERS, key=score)
    return best if score(best)[0] > 0 else ","


# --- encodings ---------------------------------------------------------------------------------------------------


def _transcode(source: Path, scratch: Path) -> tuple[list[str], bool]:
    """Notes, and whether the number of quotation marks is odd."""
    with source.open("rb") as file:
        begin = file.read(SNIFFED_BYTES)
    encoding, notes = _encoding(begin), []
    try:
        dropped, quotes = _rewrite(source, scratch, encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8-sig":
            raise Refused("TABLE_NOT_RECOGNISED", _NOT_TEXT) from None
        # Every byte means something there, so it cannot fail; it is what Excel writes in western Europe.
        dropped, quotes = _rewrite(source, scratch, "cp1252-lenient")
        notes.append("ENCODING_GUESSED")
    return [*notes, *(["CONTROL_CHARACTERS_REMOVED"] if dropped else [])], quotes % 2 == 1


def _encoding(begin: bytes) -> str:
    if begin.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        nuls, others = begin[first::2].count(0), begin[1 - first :: 2].count(0)
        if len(begin) >= 4 and nuls > 0.4 * len(begin[first::2]) and others == 0:
            return encoding
    return "utf-8-sig"


def _rewrite(source: Path, scratch: Path, encoding: str) -> tuple[int, int]:
    """The text as UTF-8 with ``\\n``, without control characters; how many of them were left out, and how many
    quotation marks there are."""
    dropped = seen = quotes = 0
    with (
        source.open("rb") as raw,
        _decoded(raw, encoding) as text,
        scratch.open("w", encoding="utf-8", newline="\n", errors="surrogatepass") as plain,
    ):
        for block in _blocks(text):
            kept = _CONTROL.sub("", block)
            dropped += len(block) - len(kept)
            seen += len(block)
            quotes += block.count('"')
            if dropped > max(16, seen // 50):
                raise Refused("TABLE_NOT_RECOGNISED", _NOT_TEXT)
            plain.write(kept)
    return dropped, quotes


def _decoded(raw: io.BufferedReader, encoding: str) -> io.TextIOWrapper:
    if encoding == "cp1252-lenient":
        return io.TextIOWrapper(raw, encoding="cp1252", errors="replace")
    return io.TextIOWrapper(raw, encoding=encoding)


def _blocks(text: io.TextIOWrapper) -> Iterator[str]:
    while block := text.read(BLOCK_CHARACTERS):
        yield block
