"""What was uploaded becomes tables: typed Parquet, a profile of each, and the fingerprint of all.

The files are opened by a confined process only (``reader.py``); here they are hashed.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import Any

from activities.analysis.names import cleaned, shown
from activities.confined.outside import Bounds, Died, Overran, Report, moved, reports
from domain.analyses.table import ColumnProfile, ColumnType, Note, TableProfile, inputs_fingerprint
from domain.errors import RequestInvalid, TableInvalid, TableNotRecognised, TableTooLarge

READER = Path(__file__).with_name("reader.py")
LOADS = ("activities.analysis.reading.tabling",)
CONFINED_ENVIRONMENT: Mapping[str, str] = {
    "LC_ALL": "C.UTF-8",
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""All that the processes know of the environment. Arenas are address space that would count and never be used; a thread
of NumPy, which openpyxl brings, would have each process load everything for itself (``forking.Unfit``)."""
HASHED_AT_ONCE = 1 << 20
OPEN_FILES = 128
LAID_OUT = 8
"""How much larger than its file a table may be when it is laid out for reading: texts grow, not without bound."""
LYING_AT_ONCE = 3
"""How often a table lies in the reader's folder: as text, as the engine has it, and as Parquet."""
ENGINE_SHARE = 0.5
"""Of a process's address space: what DuckDB may hold. The rest is code, Python and what DuckDB does not count."""

OnProgress = Callable[[float], None]
"""Told the share that is done, 0 to 1, several times a second. May raise ``Cancelled``, which ends the process."""

NOTES: Mapping[str, str] = {
    "ENCODING_GUESSED": "The text is not UTF-8 and was read as {words}. Check letters with accents.",
    "LETTERS_LOST": "Some letters were lost before the file was sent (\ufffd stands for them): names may look alike.",
    "LETTERS_GARBLED": "Some letters were written in one encoding and read in another before the file was sent (as "
    "\u201c{words}\u201d): names may stand there twice.",
    "CONTROL_CHARACTERS_REMOVED": "Control characters in the text were left out.",
    "PREAMBLE_SKIPPED": "Lines above the heading were left out.",
    "ROWS_TWICE_GUESSED": "Rows that are there twice, to the letter, are computed with as often: {words} of them.",
    "ROWS_SHORT_GUESSED": "Some rows have fewer cells than the heading; the last ones are taken to be missing.",
    "ROWS_APART_GUESSED": "Some rows stand below a blank line, and are taken for rows of the same table.",
    "UNITS_ROW_LEFT_OUT": "A row of units below the heading was left out: {words}.",
    "TABLE_BELOW_GUESSED": "What stands below a blank line, from {words} on, has other columns and was left out. Send "
    "it in a file of its own.",
    "CELLS_IN_ERROR_GUESSED": "Some cells are in error (#REF! and the like). They count as empty.",
    "REMARKS_LEFT_OUT": "Lines below the table that hold one text only were left out: {words}.",
    "REMARKS_AMONG_LEFT_OUT": "Lines that begin with # and hold nothing else were left out: {words}.",
    "HEADING_REPEATED": "Rows that repeat the heading were left out: {words}.",
    "HEADING_MISSING": "The table has no heading, so its columns are numbered.",
    "TOTALS_LEFT_OUT": "Rows that add up the others were left out: {words}.",
    "TOTALS_SUSPECTED": "Some rows are called {words}. They do not add up the others, and are taken for data.",
    "SUMS_GUESSED": "The numbers of {words} are those of other rows added up, or their average. They may be totals, "
    "and are taken for data.",
    "REMARK_COUNTED_GUESSED": "The last row, {words}, begins as a remark does, and is taken for data.",
    "TABLES_BESIDE_GUESSED": "An empty column stands between {words}. What is on both sides is taken for one table.",
    "SPELLINGS_GUESSED": "{column} has names that are written in several ways, and are counted apart: {words}.",
    "SET_IN_GUESSED": "Some values of {column} are set in, as parts of the rows above are: {words}. All are taken for "
    "data.",
    "DIGITS_SHORT_GUESSED": "{column} holds numbers of which only the first digits were kept ({words}). Numbers that "
    "differ behind them are taken for one.",
    "STAND_INS_GUESSED": "{column} holds {words}, apart from the others: it may stand for no value, and is computed "
    "with.",
    "SHEETS_HIDDEN": "Hidden sheets were left out: {words}.",
    "HIDDEN_COUNTED_GUESSED": "Some rows or columns of the sheet are hidden, as by a filter. They are computed with.",
    "CELLS_STRUCK_GUESSED": "Some cells of the sheet are struck out. They are computed with.",
    "NUMBERS_UNSEEN_GUESSED": "Some numbers of the sheet have a format that shows nothing (;;;). They are "
    "computed with.",
    "ROWS_GROUPED_GUESSED": "Some rows of the sheet are grouped, as the parts of a sum are. All are taken for data.",
    "FORMULAS_EMPTY_GUESSED": "Some cells hold formulas that no program has computed yet, and count as empty. Open the "
    "workbook and save it.",
    "LABELS_FILLED_GUESSED": "{column} names each group in its first row only, and the rows below were taken for rows "
    "of that group: {words}.",
    "MERGED_CELLS_FILLED": "A name in merged cells was taken for each of their rows; a number in them counts once.",
    "FORMATS_UNSEEN_GUESSED": "In this kind of workbook only the values are read, and not what is hidden nor how "
    "numbers are shown: in which currency, or as percent. Save it as .xlsx where that matters.",
    "SHOWN_AS_PERCENT": "{column} is shown as percent: 0.12 is 12%.",
    "PERCENT_AMONG_GUESSED": "{column} is shown as percent in some cells, and as plain numbers in others. All are "
    "taken as they are stored: 12% as 0.12.",
    "CURRENCIES_OF_FORMATS": "Only the format of the cells tells the currency of some numbers: {words}.",
    "PARTS_OVERLAP_GUESSED": "Rows that stand in several of the parts, to the letter, are computed with as often: "
    "{words} of them.",
    "SHEETS_TOGETHER": "Alike, and taken together: {words}. The column {column} tells them apart.",
    "NUMBERS_CLEANED": "{column} was read as numbers, without signs and separators: {words}.",
    "NUMBER_FORMAT_GUESSED": "{column} was read as numbers, and nothing in the file tells which sign stands before "
    "decimals. Check that {words}.",
    "NUMBERS_MIXED": "{column} holds numbers with points and with commas before decimals ({words}), so it stays text.",
    "UNITS_PARTLY_GUESSED": "{column} is in {words} in some rows, and in nothing that is written in others. All are "
    "taken for the same.",
    "UNITS_MIXED": "{column} holds numbers in several units ({words}), so it stays text.",
    "TEXTS_AMONG_NUMBERS": "{column} holds texts among numbers: {words}.",
    "IDENTIFIERS_KEPT": "{column} holds numbers of 16 digits or more, kept to the digit, as text.",
    "DIGITS_LOST": "{column} holds numbers of 16 digits or more, of which a workbook keeps 15: the rest is lost.",
    "DURATIONS_AS_HOURS": "{column} holds durations, read as hours and minutes and given in hours: {words}.",
    "DAYS_AS_HOURS_GUESSED": "{column} holds durations, given in hours, with a day as 24 of them: {words}. Where a day "
    "of work is meant, write hours.",
    "DATE_ORDER_OF_FILE": "{column} was read as {words}, as another column of the file is.",
    "DATE_ORDER_GUESSED": "{column} was read as {words}; no date in it tells. Write dates as 2024-12-31.",
    "CENTURY_GUESSED": "{column} has years of two digits, read as those from 1969 to 2068: {words}.",
    "ERA_GUESSED": "{column} holds years far ahead or long past, read as those of the common era: {words}.",
    "EXPONENTS_KEPT_GUESSED": "{column} holds texts such as {words}, which may be names or numbers. They are taken for "
    "names.",
    "DATES_MIXED": "{column} holds days before months and months before days, so it stays text.",
    "ZONE_AS_WRITTEN": "{column} holds times with a zone ({words}), which are taken as they are written.",
    "ZONES_AS_UTC": "{column} holds times of several zones ({words}), which were brought to UTC.",
    "COLUMN_EMPTY": "{column} holds no values.",
    "COLUMN_LEFT_OUT": "Columns of binary data were left out.",
}
"""What may be said of a table. Codes are stable."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """``name`` is what its owner calls it; ``path`` is where it lies."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class InputLimits:
    """What an analysis takes in. Bytes of one file, rows and columns of one table, tables in all, sheets of one
    workbook, bytes that a workbook unpacks to; and what reading may take: address space, seconds."""

    files: int = 10
    file_bytes: int = 256 << 20
    rows: int = 5_000_000
    columns: int = 300
    tables: int = 20
    sheets: int = 20
    unpacked_bytes: int = 1 << 30
    memory_bytes: int = 2 << 30
    seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """``tables`` in the order of the files; ``parquet`` is where each is, by its name. ``fingerprint`` is that of the
    files as they were uploaded."""

    tables: tuple[TableProfile, ...]
    parquet: Mapping[str, Path]
    fingerprint: str


def prepare(
    files: Sequence[InputFile],
    out: Path,
    *,
    limits: InputLimits = InputLimits(),
    scratch: Path | None = None,
    on_progress: OnProgress = lambda share: None,
) -> Prepared:
    """Read the files, once, into Parquet files in the folder ``out``.

    Args:
        scratch: Where a folder for the work is made; gone when this returns.

    Raises:
        RequestInvalid: No file, or too many.
        TableNotRecognised: A file is neither CSV nor Parquet nor a workbook.
        TableTooLarge: A file is more than the limits allow.
        TableInvalid: A file cannot be read otherwise.
        Cancelled: ``on_progress`` raised it. Nothing is left.
    """
    if not 0 < len(files) <= limits.files:
        raise RequestInvalid(f"An analysis takes 1 to {limits.files} files.", details={"files": len(files)})
    fingerprint = inputs_fingerprint(_hashed(files, limits, on_progress))
    with TemporaryDirectory(prefix="guidesmith-tables-", dir=scratch) as folder:
        tables, made = tables_of(*_read(files, Path(folder).resolve(), limits, on_progress))
        out.mkdir(parents=True, exist_ok=True)
        parquet = {}
        for name, file in made.items():
            parquet[name] = out / f"{name}.parquet"
            with _translated([each.name for each in files], lambda: 0):
                moved(Path(folder), Path(file).name, parquet[name], LAID_OUT * limits.file_bytes)
    on_progress(1.0)
    return Prepared(tuple(tables), parquet, fingerprint)


def tables_of(
    found: Sequence[tuple[str, Mapping[str, Any]]], unions: Sequence[tuple[Sequence[int], Mapping[str, Any]]]
) -> tuple[list[TableProfile], dict[str, str]]:
    """The tables that an analysis has, and the file of each by its name.

    Args:
        found: Of each table the name of its file, and the table as the reader describes it.
        unions: Which of them are parts of one, and that one, which stands in the place of its first.
    """
    joined: dict[int, tuple[str, Mapping[str, Any]] | None] = {}
    for (first, *others), table in unions:
        sources = dict.fromkeys(found[place][0] for place in (first, *others))
        joined |= dict.fromkeys(others) | {first: (", ".join(sources), table)}
    tables = [each for place, own in enumerate(found) if (each := joined.get(place, own)) is not None]
    names = cleaned((_table_name(source, table) for source, table in tables), fallback="table")
    profiles = [_profile(name, source, table) for name, (source, table) in zip(names, tables, strict=True)]
    return profiles, {name: str(table["parquet"]) for name, (_, table) in zip(names, tables, strict=True)}


def confined_bounds(
    memory_bytes: int,
    seconds: float,
    file_bytes: int,
    *,
    folder_bytes: int,
    silence_seconds: float | None = None,
) -> Bounds:
    """For a process that computes with DuckDB, on one thread; ``silence_seconds`` may pass between its reports."""
    return Bounds(
        wall_s=seconds,
        cpu_s=int(seconds) + 1,
        memory_bytes=memory_bytes,
        silence_s=silence_seconds,
        file_bytes=file_bytes,
        folder_bytes=folder_bytes,
        open_files=OPEN_FILES,
    )


def reading_bounds(sizes: Sequence[int], limits: InputLimits) -> Bounds:
    """For a process that reads files of so many bytes: what it may write follows what there is to read, and a workbook
    may unpack to ``unpacked_bytes`` however small it is."""
    file_bytes = min(LAID_OUT * max(sizes) + limits.unpacked_bytes, LAID_OUT * limits.file_bytes)
    return confined_bounds(
        limits.memory_bytes,
        limits.seconds,
        file_bytes,
        folder_bytes=LYING_AT_ONCE * file_bytes + LAID_OUT * sum(sizes) + spill_bytes(limits),
    )


def spill_bytes(limits: InputLimits) -> int:
    """What DuckDB may write of what does not fit into memory."""
    return 4 * limits.file_bytes


def engine_mib(memory_bytes: int) -> int:
    """What DuckDB may hold in a process of that much address space, in MiB."""
    return int(memory_bytes * ENGINE_SHARE) >> 20


def _hashed(files: Sequence[InputFile], limits: InputLimits, on_progress: OnProgress) -> Iterator[tuple[str, str]]:
    for file in files:
        digest, size = hashlib.sha256(), 0
        with file.path.open("rb") as stream:
            while block := stream.read(HASHED_AT_ONCE):
                on_progress(0.0)
                digest.update(block)
                size += len(block)
                if size > limits.file_bytes:
                    raise TableTooLarge(f"{shown(file.name)} is larger than {limits.file_bytes >> 20} MiB.")
        if not size:
            raise TableInvalid(f"{shown(file.name)} is empty.")
        yield file.name, digest.hexdigest()


def _read(
    files: Sequence[InputFile], folder: Path, limits: InputLimits, on_progress: OnProgress
) -> tuple[list[tuple[str, Report]], list[tuple[list[int], Report]]]:
    """What :func:`tables_of` takes."""
    order = {
        "folder": str(folder),
        "files": [{"path": str(file.path.resolve()), "label": _label(file.name)} for file in files],
        "limits": {name: getattr(limits, name) for name in ("rows", "columns", "sheets", "tables", "unpacked_bytes")},
        "memory_mib": engine_mib(limits.memory_bytes),
        "spill_mib": spill_bytes(limits) >> 20,
    }
    bounds = reading_bounds([file.path.stat().st_size for file in files], limits)
    done = 0
    found: list[tuple[str, Report]] = []
    unions: list[tuple[list[int], Report]] = []

    def poll() -> None:
        on_progress(done / len(files))

    environment = {**CONFINED_ENVIRONMENT, "TMPDIR": str(folder), "HOME": str(folder)}
    reading = reports(READER, order, bounds, environment=environment, cwd=folder, on_poll=poll, loads=LOADS)
    with _translated([file.name for file in files], lambda: done), closing(reading):
        for report in reading:
            if "file" in report:
                done = report["file"]
                _check(report, files[done].name)
                found.append((files[done].name, report["table"]))
            elif "union" in report:
                unions.append((report["union"], report["table"]))
    return found, unions


@contextmanager
def _translated(names: Sequence[str], at: Callable[[], int]) -> Iterator[None]:
    try:
        yield
    except Overran:
        raise TableTooLarge(f"{shown(names[at()])}, or a file behind it, takes too long to read.") from None
    except Died:
        raise TableTooLarge(
            f"{shown(names[at()])}, or a file behind it, needs more memory than it may have, or is damaged."
        ) from None


_REFUSALS: Mapping[str, type[TableInvalid]] = {
    each.code: each for each in (TableInvalid, TableNotRecognised, TableTooLarge)
}


def _check(report: Report, name: str) -> None:
    code = report.get("refused")
    if code is not None:
        raise _REFUSALS.get(code, TableInvalid)(f"{shown(name)} {report['message']}", details={"file": shown(name)})


def _label(file: str) -> str:
    """For a cell that says where a row is from."""
    return shown(PureWindowsPath(file).stem) or "file"


def _table_name(file: str, table: Mapping[str, Any]) -> str:
    stem = PureWindowsPath(file).stem  # takes both kinds of separators
    return f"{stem}_{table['sheet']}" if table["sheet"] and table["sheet"].casefold() != "sheet1" else stem


UNREADABLE = frozenset(("NUMBERS_MIXED", "UNITS_MIXED", "IDENTIFIERS_KEPT", "DIGITS_LOST", "DATES_MIXED"))
"""Notes of columns whose texts look like numbers and cannot be computed with."""


def _profile(name: str, file: str, table: Mapping[str, Any]) -> TableProfile:
    unreadable = {place for code, place, _ in table["notes"] if code in UNREADABLE}
    columns = [
        ColumnProfile(
            name=each["name"],
            original=each["original"],
            type=ColumnType(each["type"]),
            nulls=each["nulls"],
            distinct=each["distinct"],
            minimum=each["minimum"],
            maximum=each["maximum"],
            samples=tuple(each["samples"]),
            values=tuple(each["values"]),
            numeric_share=0.0 if place in unreadable else each["numeric_share"],
            stand_ins=tuple(each["stand_ins"]),
            summing=tuple(each["summing"]),
        )
        for place, each in enumerate(table["columns"])
    ]
    source = f"{shown(file)}, sheet {table['sheet']}" if table["sheet"] else shown(file)
    notes = tuple(
        Note(code=code, message=NOTES[code].format(column="" if place is None else columns[place].name, words=words))
        for code, place, words in table["notes"]
    )
    return TableProfile(name=name, source=source, rows=table["rows"], columns=tuple(columns), notes=notes)
