"""Computes one step after another, and writes down those that are results. Runs inside.

The queries come from outside, made from a typed plan (``sql.py``); the data is what nobody vouches for.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import duckdb

from activities.analysis import engine, workbook
from activities.analysis.sql_words import literal, quoted

SHOWN_ROWS = 200
"""Of a result, that are reported; the report shows some of them and finds its sentences in them."""
DRAWN_ROWS = 2_000
"""Of a chart. More points than pixels say nothing."""
_UNSEEN = (
    r"[\x00-\x20\x7F-\x{9F}\x{34F}\x{FE00}-\x{FE0F}\p{Z}\p{Cf}\x{115F}\x{1160}\x{2800}\x{3164}\x{FFA0}"
    r"\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{2065}\x{FFF0}-\x{FFF8}\x{E0000}-\x{E0FFF}]*"
)
_SIGNS = r"[=+\-@\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}\x{FE62}\x{FE63}\x{FE66}\x{FE6B}]"
FORMULA = rf"^{_UNSEEN}{_SIGNS}|^\s*[\t\r]"
"""Texts that a spreadsheet may take for a formula, with the wide and the small forms of the same signs (OWASP, CSV
Injection): also behind what nobody sees and programs drop on the way, such as a byte order mark, a hard or a zero-width
space."""
_FORMULA_BEHIND = rf"[;\t|]{_UNSEEN}{_SIGNS}"
"""The same within a text, where a spreadsheet parts cells by another sign than a comma, as in most of Europe."""

MEMORY, ROWS, NUMBERS, OTHER = "memory", "rows", "numbers", "other"
"""Why a step failed: it needs too much memory or temporary space, gives too many rows, or computes numbers that are too
large; anything else."""


class StepFailed(Exception):
    """``why`` is one of the words above."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Computing:
    """Keeps the tables of the steps, in memory and beyond it in its folder.

    Args:
        tables: The Parquet file of each input relation.
        most_rows: Of a result.
    """

    def __init__(
        self, folder: Path, tables: Mapping[str, Path], *, most_rows: int, memory_mib: int, spill_mib: int
    ) -> None:
        self._folder = folder
        self._most_rows = most_rows
        self._connection = engine.opened(
            folder, memory_mib=memory_mib, spill_mib=spill_mib, files=list(tables.values())
        )
        for name, path in tables.items():
            self._connection.execute(f"CREATE VIEW {quoted(name)} AS SELECT * FROM read_parquet({literal(str(path))})")

    def step(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """What the step made: ``rows``; of a result also ``shown`` (its first rows), ``csv``, ``parquet`` and, unless
        it is too large for one, ``xlsx`` (file names); of a chart ``drawn`` (its rows); of the first few rows how many
        others are ``tied`` with the last of them.

        Args:
            step: ``sql`` and ``values``; ``relation``, the name of the table to keep, or ``None``; ``file``, the name
                of the files to write without their endings, or ``None``; ``words``, what a workbook says besides;
                ``chart``, whether the rows are for drawing;
                ``tied``, SQL and values of how many others are like the last row, or ``None``.

        Raises:
            StepFailed: See there.
        """
        try:
            return self._step(step)
        except engine.OUT_OF_MEMORY:
            raise StepFailed(MEMORY) from None
        except engine.COMPUTATION:
            raise StepFailed(NUMBERS) from None
        except duckdb.Error:
            raise StepFailed(OTHER) from None

    def _step(self, step: Mapping[str, Any]) -> dict[str, Any]:
        sql, values = str(step["sql"]), list(step["values"])
        if step["chart"]:
            rows = engine.rows(self._connection, f"SELECT * FROM ({sql}) LIMIT {DRAWN_ROWS + 1}", values)
            return {"rows": len(rows), "drawn": _plain(rows[:DRAWN_ROWS])}
        if step["relation"] is None:
            return {"rows": engine.count(self._connection, f"SELECT count(*) FROM ({sql})", values)}
        relation = quoted(step["relation"])
        self._connection.execute(f"CREATE TABLE {relation} AS {sql}", values)
        count = engine.count(self._connection, f"SELECT count(*) FROM {relation}")
        made = {"rows": count, **(self._handed_out(relation, count, step) if step["file"] else {})}
        if step["tied"] is not None and (tied := engine.count(self._connection, *step["tied"])):
            made["tied"] = tied
        return made

    def _handed_out(self, relation: str, count: int, step: Mapping[str, Any]) -> dict[str, Any]:
        if count > self._most_rows:
            raise StepFailed(ROWS)
        file = str(step["file"])
        self._copy(f"SELECT * FROM {relation}", f"{file}.parquet", "FORMAT parquet, COMPRESSION zstd")
        described = engine.rows(self._connection, f"SELECT column_name, column_type FROM (DESCRIBE {relation})")
        columns = ", ".join(_harmless(str(name), str(type)) for name, type in described)
        texts = [str(name) for name, type in described if type == "VARCHAR"]
        parted = ", ".join(quoted(name) for name in texts if self._parts(relation, name))
        whole = f", FORCE_QUOTE ({parted})" if parted else ""
        self._copy(f"SELECT {columns} FROM {relation}", f"{file}.csv", f"FORMAT csv, HEADER{whole}")
        shown = engine.rows(self._connection, f"SELECT * FROM {relation} LIMIT {SHOWN_ROWS}")
        made = {"shown": _plain(shown), "csv": f"{file}.csv", "parquet": f"{file}.parquet"}
        if (count + 1) * len(described) > workbook.MOST_CELLS:
            return made
        columns_typed = [(str(name), str(type)) for name, type in described]
        rows = partial(engine.streamed, self._connection, f"SELECT * FROM {relation}")
        workbook.write(self._folder / f"{file}.xlsx", columns_typed, rows, step["words"])
        return made | {"xlsx": f"{file}.xlsx"}

    def _parts(self, relation: str, column: str) -> bool:
        """Whether texts of a column would begin a formula where their cell is parted."""
        holds = f"regexp_matches({quoted(column)}, {literal(_FORMULA_BEHIND)})"
        return engine.count(self._connection, f"SELECT count(*) FROM {relation} WHERE {holds}") > 0

    def _copy(self, select: str, name: str, how: str) -> None:
        self._connection.execute(f"COPY ({select}) TO {literal(str(self._folder / name))} ({how})")


def _harmless(name: str, type: str) -> str:
    """SQL: the column, with an apostrophe before texts that a spreadsheet would compute."""
    column = quoted(name)
    if type != "VARCHAR":
        return column
    return f"CASE WHEN regexp_matches({column}, {literal(FORMULA)}) THEN '''' || {column} ELSE {column} END AS {column}"


def _plain(rows: Sequence[tuple[object, ...]]) -> list[list[object]]:
    return [[_value(value) for value in row] for row in rows]


def _value(value: object) -> object:
    """As JSON has it: decimals, dates and times as text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else None
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.isoformat(sep=" ")
        case date():
            return value.isoformat()
        case _:
            return str(value)
