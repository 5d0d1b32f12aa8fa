"""A file as typed tables with profiles: recognised by its content, read as text where it is text, typed, measured.

Runs inside.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb

from activities.analysis import engine
from activities.analysis.names import cleaned, shown
from activities.analysis.reading import workbook
from activities.analysis.reading.csv_text import LONGEST_LINE, CsvText, check_closed, read_text
from activities.analysis.reading.kinds import ERRORS, FEW, ID_DIGITS, Column, Kind, converted, kinds_of
from activities.analysis.reading.layout import RULE
from activities.analysis.reading.profiles import COMPARED_ROWS, TableNote, profile
from activities.analysis.reading.refusals import Refused
from activities.analysis.reading.totals import (
    filled_down,
    left_out,
    remark_counted,
    set_headings_apart,
    set_remarks_apart,
    set_totals_apart,
)
from activities.analysis.reading.unions import labelled, names_rows, shared_notes, union_compatible, union_sql
from activities.analysis.sql_words import literal, quoted

Limits = Mapping[str, int]
"""``rows``, ``columns``, ``sheets``, ``tables``, ``unpacked_bytes``."""

PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"Rar!")

STORED_AS = {
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "BIGINT",
    "SMALLINT": "BIGINT",
    "INTEGER": "BIGINT",
    "BIGINT": "BIGINT",
    "UTINYINT": "BIGINT",
    "USMALLINT": "BIGINT",
    "UINTEGER": "BIGINT",
    "UBIGINT": "DECIMAL(20, 0)",
    "HUGEINT": "DECIMAL(38, 0)",
    "UHUGEINT": "DOUBLE",
    "FLOAT": "DOUBLE",
    "DOUBLE": "DOUBLE",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP",
    "TIMESTAMP_S": "TIMESTAMP",
    "TIMESTAMP_MS": "TIMESTAMP",
    "TIMESTAMP_NS": "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
}
"""What a Parquet column is stored as; what is not here (texts, times, lists, records) as text."""
NOT_DATA = {"BLOB", "BIT", "GEOMETRY"}


class Tabling:
    """Reads files into one folder, which it has for itself."""

    def __init__(self, folder: Path, files: Sequence[Path], limits: Limits, *, memory_mib: int, spill_mib: int) -> None:
        self._folder = folder
        self._limits = limits
        self._made = 0
        self._connection = engine.opened(
            folder, memory_mib=memory_mib, spill_mib=spill_mib, files=files, database=str(folder / "staged.db")
        )

    def tables(self, path: Path) -> Iterator[dict[str, Any]]:
        """Each table of the file, written as Parquet: ``parquet`` (a file name), ``sheet``, ``rows``, ``columns``
        (see ``profiles``) and ``notes`` (:data:`TableNote`).

        Raises:
            Refused: See there.
        """
        with path.open("rb") as file:
            begin = file.read(8)
        found = 0
        with _translated():
            for table in self._recognised(path, begin):
                found += 1
                yield table
        if not found:
            raise Refused("TABLE_INVALID", "holds no table.")

    def _recognised(self, path: Path, begin: bytes) -> Iterator[dict[str, Any]]:
        if begin.startswith(PARQUET):
            yield self._parquet(path)
        elif begin.startswith(ZIP):
            if not workbook.check_package(path, self._limits["unpacked_bytes"]):
                raise Refused("TABLE_NOT_RECOGNISED", "is a ZIP file, not a workbook. Send what is in it.")
            yield from self._workbook(path)
        elif begin.startswith(OLE):
            yield from self._workbook(path)
        elif begin.startswith(PACKED):
            raise Refused("TABLE_NOT_RECOGNISED", "is compressed. Send what is in it.")
        else:
            yield self._text(read_text(path, self._folder / "text.csv"), None)

    def _workbook(self, path: Path) -> Iterator[dict[str, Any]]:
        most = self._limits
        for sheet in workbook.sheets(
            path, self._folder, most_sheets=most["sheets"], most_rows=most["rows"], most_columns=most["columns"]
        ):
            yield self._text(sheet.text, shown(sheet.name))

    # --- text --------------------------------------------------------------------------------------------------

    def _text(self, text: CsvText, sheet: str | None) -> dict[str, Any]:
        self._check_width(text.width)
        if text.unpaired:  # DuckDB would leave out what follows, and say nothing
            check_closed(text)
        columns = [f"c{place}" for place in range(text.width)]
        self._stage(text, columns)
        repeated = set_headings_apart(self._connection, "staged", columns, text.heading)
        headings = [text.heading[place] if place < len(text.heading) else "" for place in range(text.width)]
        # an empty column without a heading is an artefact of whatever wrote the file
        kept = [
            place
            for place, (column, heading) in enumerate(zip(columns, headings, strict=True))
            if heading or engine.count(self._connection, f"SELECT count({quoted(column)}) FROM staged")
        ]
        originals = [headings[place] for place in kept]
        names = cleaned(originals, fallback="column")
        found = [
            Column(columns[place], headings[place], [], place in text.exact, place in text.spent) for place in kept
        ]
        select, remarks = self._typed(found, names, semicolons=text.delimiter == ";")
        table = self._written(select, originals)
        self._connection.execute("DROP TABLE IF EXISTS staged; DROP TABLE IF EXISTS marked")
        text.path.unlink()
        of_file: list[TableNote] = [(code, None, words) for code, words in [*text.remarks, *repeated]]
        of_file += _side_by_side(headings, kept)
        for place, share in ((at, text.percent.get(origin, 0.0)) for at, origin in enumerate(kept)):
            if share:
                of_file.append(("SHOWN_AS_PERCENT" if share == 1 else "PERCENT_AMONG_GUESSED", place, ""))
        return {**table, "sheet": sheet, "notes": [*of_file, *remarks, *table["notes"]]}

    def _typed(
        self, columns: Sequence[Column], names: Sequence[str], *, semicolons: bool
    ) -> tuple[str, list[TableNote]]:
        """SQL of the staged rows that are data, with their types, and what is to be said of them."""
        places = [column.name for column in columns]
        below = set_remarks_apart(self._connection, "staged", places)
        notes: list[TableNote] = [
            (code, None, words) for code, words in [*below, *remark_counted("staged", self._connection, places)]
        ]
        outline = filled_down(self._connection, "staged", places)
        notes += [(code, level, words) for level, (code, words) in enumerate(outline)]
        notes += self._in_error(places)
        source = "staged"
        if set_totals_apart(self._connection, "staged", places):
            source = "(SELECT * FROM marked WHERE NOT total)"
            kinds = self._kinds(source, columns, semicolons=semicolons)
            by_name = dict(zip(places, kinds, strict=True))
            values = {column: converted(kind, column) for column, kind in by_name.items()}
            totals = left_out(self._connection, places, by_name, values)
            notes += [(code, None, words) for code, words in totals]
            if not any(code == "TOTALS_LEFT_OUT" for code, _ in totals):
                source = "staged"
        # rows that were put back may be of another kind
        kinds = self._kinds(source, columns, semicolons=semicolons)
        selected = [
            f"{converted(kind, column)} AS {quoted(name)}"
            for column, kind, name in zip(places, kinds, names, strict=True)
        ]
        for place, kind in enumerate(kinds):
            notes += [(code, place, words) for code, words in (kind.remarks if kind is not None else ())]
        return f"SELECT {', '.join(selected)} FROM {source}", notes

    def _in_error(self, columns: Sequence[str]) -> list[TableNote]:
        """The columns with cells in error, as workbooks show them."""
        listed = ", ".join(map(literal, ERRORS))
        wrong = ", ".join(
            f"min({quoted(column)}) FILTER (WHERE starts_with({quoted(column)}, '#') "
            f"AND lower(trim({quoted(column)})) IN ({listed}))"
            for column in columns
        )
        found = engine.one(self._connection, f"SELECT {wrong} FROM staged") if columns else ()
        return [("CELLS_IN_ERROR_GUESSED", None, "")] if any(cell is not None for cell in found) else []

    def _kinds(self, source: str, columns: Sequence[Column], *, semicolons: bool) -> list[Kind | None]:
        samples = self._samples(source, [column.name for column in columns])
        sampled = [replace(column, sample=samples[column.name]) for column in columns]
        return kinds_of(self._connection, source, sampled, semicolons=semicolons)

    def _samples(self, source: str, columns: Sequence[str]) -> dict[str, list[str | None]]:
        listed = ", ".join(map(quoted, columns))
        some = engine.rows(self._connection, f"SELECT {listed} FROM {source} LIMIT {FEW}")
        return {
            column: [None if row[place] is None else str(row[place]) for row in some]
            for place, column in enumerate(columns)
        }

    def _stage(self, text: CsvText, columns: list[str]) -> None:
        """The texts as table ``staged``, without rows that hold nothing."""
        declared = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in columns)
        read = (
            f"read_csv({literal(str(text.path))}, delim={literal(text.delimiter)}, quote='\"', escape='\"', "
            f"header=false, skip={text.skipped}, columns={{{declared}}}, auto_detect=false, null_padding=true, "
            f"parallel=false, max_line_size={LONGEST_LINE}, new_line='\\n')"
        )
        cells = ", ".join(f"nullif(trim({column}), '')" for column in columns)
        # lines of dashes or stars between the parts of a table that was made for a printer
        ruled = f"regexp_matches(concat_ws('', {cells}), {literal(RULE)})"
        filled = f"coalesce({cells}) IS NOT NULL AND NOT {ruled}"
        # ="01234" keeps a spreadsheet from taking a code for a number
        bare = "trim({})" if text.delimiter == "|" else "{}"  # a table that was drawn is padded
        given = ", ".join(
            rf"regexp_replace({bare.format(column)}, '^=\"(.*)\"$', '\1') AS {column}" for column in columns
        )
        self._connection.execute(
            f"CREATE OR REPLACE TABLE staged AS SELECT {given} FROM {read} WHERE {filled} "
            f"LIMIT {self._limits['rows'] + 1}"
        )

    # --- Parquet -----------------------------------------------------------------------------------------------

    def _parquet(self, path: Path) -> dict[str, Any]:
        source = f"read_parquet({literal(str(path))})"
        described = engine.rows(
            self._connection, f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {source})"
        )
        self._check_width(len(described))
        typed = [(str(name), str(type)) for name, type in described]
        kept = [(name, type) for name, type in typed if type not in NOT_DATA]
        notes: list[TableNote] = [("COLUMN_LEFT_OUT", None, "")] if len(kept) < len(typed) else []
        if not kept:
            raise Refused("TABLE_INVALID", "holds no columns that can be computed with.")
        originals = [name for name, _ in kept]
        names = cleaned(originals, fallback="column")
        values, of_values = self._as_computed_with(source, kept)
        selected = [f"{value} AS {quoted(new)}" for value, new in zip(values, names, strict=True)]
        limit = self._limits["rows"] + 1
        table = self._written(f"SELECT {', '.join(selected)} FROM {source} LIMIT {limit}", originals)
        return {**table, "sheet": None, "notes": [*notes, *of_values, *table["notes"]]}

    def _as_computed_with(self, source: str, columns: Sequence[tuple[str, str]]) -> tuple[list[str], list[TableNote]]:
        """SQL of each column of a Parquet file, given as name and type, and what is to be said of them. Texts are
        looked at as those of a CSV are; whole numbers that are names of things become texts."""
        texts = [Column(name, name, []) for name, type in columns if type == "VARCHAR"]
        found = self._kinds(source, texts, semicolons=False) if texts else []
        kinds = {column.name: kind for column, kind in zip(texts, found, strict=True)}
        values: list[str] = []
        notes: list[TableNote] = []
        for place, (name, type) in enumerate(columns):
            if name in kinds:
                kind = kinds[name]
                values.append(converted(kind, name))
                notes += [(code, place, words) for code, words in (kind.remarks if kind is not None else ())]
            elif STORED_AS.get(type) == "BIGINT" and self._are_names(source, name):
                values.append(f"CAST({quoted(name)} AS VARCHAR)")
                notes.append(("IDENTIFIERS_KEPT", place, ""))
            else:
                values.append(_stored(name, type))
        return values, notes

    def _are_names(self, source: str, column: str) -> bool:
        """Whether all whole numbers of a column are as long as nobody counts."""
        (least,) = engine.one(self._connection, f"SELECT min(abs({quoted(column)}::HUGEINT)) FROM {source}")
        return least is not None and int(str(least)) >= 10 ** (ID_DIGITS - 1)

    # --- unions ------------------------------------------------------------------------------------------------

    def unions(self, tables: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Tables with the same columns as one, a column says from which each row is; and the places of its parts.

        Args:
            tables: What each table's file is called, and the table as :meth:`tables` describes it.
        """
        known = labelled(tables)
        for number, places in enumerate(union_compatible(known), start=1):
            if sum(known[place][1]["rows"] for place in places) > self._limits["rows"]:
                continue
            name = f"together-{number:02}.parquet"
            path = self._folder / name
            parts = [known[place] for place in places]
            with _translated():
                select, column, headings = union_sql(parts, self._folder)
                self._connection.execute(f"COPY ({select}) TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)")
                made = profile(self._connection, path, headings)
            _tell_sums(made["columns"], [table["columns"] for _, table in parts])
            notes = [("SHEETS_TOGETHER", 0, ", ".join(label for label, _ in parts)), *shared_notes(parts)]
            if sum(table["rows"] for _, table in parts) <= COMPARED_ROWS and names_rows(parts):
                again = self._in_several(path, column, [each["name"] for each in made["columns"][1:]])
                notes += [("PARTS_OVERLAP_GUESSED", None, str(again))] if again else []
            yield places, {"parquet": name, "sheet": None, "column": column, **made, "notes": [*notes, *made["notes"]]}

    def _in_several(self, path: Path, part: str, columns: Sequence[str]) -> int:
        """Rows that more than one part has, to the letter."""
        listed = ", ".join(map(quoted, columns))
        return engine.count(
            self._connection,
            f"SELECT count(*) FROM (SELECT {listed} FROM read_parquet({literal(str(path))}) GROUP BY {listed} "
            f"HAVING count(DISTINCT {quoted(part)}) > 1)",
        )

    # --- both --------------------------------------------------------------------------------------------------

    def _check_width(self, width: int) -> None:
        if width > self._limits["columns"]:
            raise Refused("TABLE_TOO_LARGE", f"has more than {self._limits['columns']} columns.")

    def _written(self, select: str, originals: list[str]) -> dict[str, Any]:
        self._made += 1
        if self._made > self._limits["tables"]:
            raise Refused("TABLE_TOO_LARGE", f"brings the tables to more than {self._limits['tables']}.")
        name = f"table-{self._made:02}.parquet"
        path = self._folder / name
        self._connection.execute(f"COPY ({select}) TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)")
        made = profile(self._connection, path, [shown(original) for original in originals])
        if made["rows"] > self._limits["rows"]:
            raise Refused("TABLE_TOO_LARGE", f"has more than {self._limits['rows']} rows.")
        return {"parquet": name, **made}


def _side_by_side(headings: Sequence[str], kept: Sequence[int]) -> list[TableNote]:
    """Whether an empty column stands between columns with headings: there may be two tables beside each other."""
    for left, right in pairwise(kept):
        if right - left > 1 and headings[left] and headings[right]:
            return [
                (
                    "TABLES_BESIDE_GUESSED",
                    None,
                    f"\u201c{headings[left][:40]}\u201d, \u201c{headings[right][:40]}\u201d",
                )
            ]
    return []


def _tell_sums(columns: Sequence[dict[str, Any]], parts: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """What a part's rows add up to is no other part's."""
    for column in columns:
        theirs = [
            value for part in parts for each in part if each["name"] == column["name"] for value in each["summing"]
        ]
        column["summing"] = list(dict.fromkeys([*column["summing"], *theirs]))


def _stored(name: str, type: str) -> str:
    """SQL: a Parquet column in one of our types."""
    column = quoted(name)
    if type.startswith("DECIMAL"):
        return column
    if type == "TIMESTAMP WITH TIME ZONE":
        return f"CAST({column} AT TIME ZONE 'UTC' AS TIMESTAMP)"
    stored = STORED_AS.get(type, "VARCHAR")
    if stored == "DOUBLE":  # what is no number has no place in a sum
        return f"CASE WHEN isfinite(CAST({column} AS DOUBLE)) THEN CAST({column} AS DOUBLE) END"
    return f"CAST({column} AS {stored})"


@contextmanager
def _translated() -> Iterator[None]:
    """DuckDB's errors as refusals, without its words: they quote the data."""
    try:
        yield
    except engine.OUT_OF_MEMORY:
        raise Refused("TABLE_TOO_LARGE", "needs more memory than it may have.") from None
    except duckdb.Error as fault:
        raise Refused("TABLE_INVALID", _reason(str(fault))) from None


def _reason(message: str) -> str:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    found = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if line and found:
        return f"has {found[2]} cells in line {line[1]}, and its heading has {found[1]}. Mend that line."
    if line:
        return f"cannot be read as CSV at line {line[1]}: look for a quotation mark that is not closed."
    return "is damaged: it cannot be read."
