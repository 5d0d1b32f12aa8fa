"""The profile of a Parquet table: what a planner, and whoever reads the plan, needs to know of its columns.

Runs inside.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from activities.analysis.engine import Connection, count, one, rows
from activities.analysis.reading.stand_ins import StandIns, stand_ins
from activities.analysis.reading.sums import among_groups, sums
from activities.analysis.sql_words import literal, quoted, to_number
from domain.analyses.spellings import written_differently

TableNote = tuple[str, int | None, str]
"""A note's code, the column's place or ``None``, and words for its sentence."""

SAMPLES = 3
SAMPLED = 100
"""Rows that samples are of."""
COMPARED_ROWS = 100_000
"""Up to which whole rows are compared."""
NAMES_AMONG = 8
"""Columns of texts in which rows that add up others are looked for."""
MOST_VALUES = 50
"""A column of more distinct values than this is not listed value by value."""
MOST_SPELLED = 5_000
"""Different values of a column up to which it is looked whether two are one name."""
VALUE_LIMIT = 80
"""Characters of a value that are shown."""
FEW_ROWS = 1_000
"""Up to which a table is measured from its cells."""
READ_TOGETHER = 8
"""Columns whose cells are held at a time."""
COUNTED_ROWS = 1_000_000
"""Up to which distinct values are counted. DuckDB's estimate is off by 8 % even among twelve: whether a column tells
rows apart, which joins go by, must not hang on that."""

TYPES = {
    "BIGINT": "integer",
    "DOUBLE": "number",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "VARCHAR": "text",
}
"""``domain.analyses.table.ColumnType`` of what is stored; a DECIMAL is a number, without places an integer."""

_SIZES: Mapping[str, Callable[[str], Any]] = {
    "text": str,
    "boolean": str,
    "date": str,
    "timestamp": str,
    "integer": int,
    "number": Decimal,
}
"""What the cells of a type, as texts, are ordered by as DuckDB orders them."""
_WIDE = re.compile(r"DECIMAL\((?:19|[23]\d),")
"""These, and a DOUBLE, which has two zeros, are left to DuckDB."""
_PLAIN_DAY = re.compile(r"\d{4}-[^()]*$")
"""A day whose text has its place among the texts of others: none before Christ, behind 9999 or at no time."""


def profile(connection: Connection, path: Path, originals: Sequence[str]) -> dict[str, Any]:
    """``rows``, ``columns`` and ``notes`` of the table in the file, whose columns were called ``originals``."""
    source = f"read_parquet({literal(str(path))})"
    described = rows(connection, f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {source})")
    total = count(connection, f"SELECT count(*) FROM {source}")
    typed = [(str(name), str(type)) for name, type in described]
    measured = (
        _at_once(connection, source, typed)
        if total <= FEW_ROWS
        else (_column(connection, source, name, stored, total) for name, stored in typed)
    )
    columns = [{"original": original, **column} for original, column in zip(originals, measured, strict=True)]
    empty = [place for place, column in enumerate(columns) if total and column["nulls"] == total]
    notes: list[TableNote] = [("COLUMN_EMPTY", place, "") for place in empty]
    notes += _stand_ins(connection, source, columns)
    notes += _spelled(connection, source, columns)
    notes += _twice(connection, source, columns, total)
    notes += _sums(connection, source, columns, total)
    return {"rows": total, "columns": columns, "notes": notes}


def _stand_ins(connection: Connection, source: str, columns: Sequence[dict[str, Any]]) -> list[TableNote]:
    """Tell each column which of its values stand for none; the notes of those that may."""
    notes: list[TableNote] = []
    for place, column in enumerate(columns):
        ends = column["minimum"], column["maximum"]  # whole: numbers and days are short
        name = quoted(column["name"])
        found = stand_ins(connection, source, name, column["type"], *ends) if column["distinct"] else StandIns()
        column["stand_ins"] = list(found.sure)
        if found.perhaps:
            notes.append(("STAND_INS_GUESSED", place, ", ".join(found.perhaps)))
    return notes


def _spelled(connection: Connection, source: str, columns: Sequence[dict[str, Any]]) -> list[TableNote]:
    """Of columns whose values are not listed, those that hold one name in several ways, or names that are set in."""
    notes: list[TableNote] = []
    for place, column in enumerate(columns):
        if column["type"] != "text" or column["values"] or not 1 < column["distinct"] <= MOST_SPELLED:
            continue
        name = quoted(column["name"])
        found = rows(
            connection,
            f"SELECT DISTINCT {name} AS v FROM {source} WHERE length({name}) <= {VALUE_LIMIT} ORDER BY v",
        )
        held = [str(value) for (value,) in found]
        if alike := written_differently(held, str):
            words = "; ".join(", ".join(f"\u201c{value}\u201d" for value in values) for values in alike[:3])
            notes.append(("SPELLINGS_GUESSED", place, words))
        inner = [value for value in held if value[:2].isspace()]
        if 0 < len(inner) < len(held):
            notes.append(("SET_IN_GUESSED", place, f"\u201c{inner[0].strip()}\u201d"))
    return notes


def _sums(connection: Connection, source: str, columns: Sequence[dict[str, Any]], total: int) -> list[TableNote]:
    """Tell each column which of its values name rows that add up others; the notes of those that may."""

    def of(*types: str) -> list[str]:
        return [column["name"] for column in columns if column["type"] in types]

    names = of("text")[:NAMES_AMONG]
    numbers = [
        column["name"] for column in columns if column["type"] in ("integer", "number") and not _are_years(column)
    ]
    found = sums(connection, source, names, numbers, of("date", "timestamp"), total)
    sure = found.sure
    if not sure and numbers:
        few = [column["name"] for column in columns if column["name"] in names and column["distinct"] <= MOST_VALUES]
        sure = among_groups(connection, source, few, numbers)
    for column in columns:
        column["summing"] = list(sure.get(column["name"], ()))
    words = ", ".join(f"\u201c{name[:40]}\u201d" for name in found.perhaps[:3])
    return [("SUMS_GUESSED", None, words)] if found.perhaps and not sure else []


def _are_years(column: dict[str, Any]) -> bool:
    least, most = str(column["minimum"]), str(column["maximum"])
    return (
        column["type"] == "integer" and least.isdigit() and most.isdigit() and 1900 <= int(least) <= int(most) <= 2100
    )


def _twice(connection: Connection, source: str, columns: Sequence[dict[str, Any]], total: int) -> list[TableNote]:
    """Rows that are there again, to the letter, where the first column has every other value once."""
    first = columns[0] if columns else None
    if first is None or not 1 < total <= COMPARED_ROWS or first["nulls"]:
        return []
    again = total - first["distinct"]
    if not 0 < again < first["distinct"]:
        return []
    different = count(connection, f"SELECT count(*) FROM (SELECT DISTINCT * FROM {source})")
    return [("ROWS_TWICE_GUESSED", None, str(again))] if total - different == again else []


def _at_once(connection: Connection, source: str, columns: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """What :func:`_column` gives of each column of a small table, told from its cells: a query takes DuckDB longer to
    plan than such a table takes to read."""
    for begin in range(0, len(columns), READ_TOGETHER):
        some = columns[begin : begin + READ_TOGETHER]
        listed = ", ".join(quoted(name) if _type(stored) == "text" else _shown(quoted(name)) for name, stored in some)
        found = rows(connection, f"SELECT {listed} FROM {source}")
        for place, (name, stored) in enumerate(some):
            cells = [None if row[place] is None else str(row[place]) for row in found]
            yield _of_cells(connection, source, name, stored, cells)


def _of_cells(
    connection: Connection, source: str, name: str, stored: str, cells: Sequence[str | None]
) -> dict[str, Any]:
    given = [cell for cell in cells if cell is not None]
    size = _SIZES[_type(stored)]
    if (
        stored == "DOUBLE"
        or _WIDE.match(stored)
        or (stored in ("DATE", "TIMESTAMP") and not all(map(_PLAIN_DAY.match, given)))
    ):
        return _column(connection, source, name, stored, len(cells))
    type = _type(stored)
    times = Counter(given)
    values: list[str] = []
    if type == "text" and len(times) <= MOST_VALUES and all(len(value) <= VALUE_LIMIT for value in times):
        values = sorted(times, key=lambda value: (-times[value], value))
    may_be_numbers = type == "text" and any(map(str.isdigit, "".join(times)))
    return {
        "name": name,
        "type": type,
        "nulls": len(cells) - len(given),
        "distinct": len(times),
        "minimum": min(times, key=size)[:VALUE_LIMIT] if times else None,
        "maximum": max(times, key=size)[:VALUE_LIMIT] if times else None,
        "samples": sorted({value[:VALUE_LIMIT] for value in given[:SAMPLED]})[:SAMPLES],
        "values": values,
        "numeric_share": _numeric_share(connection, source, quoted(name)) if may_be_numbers else 0.0,
    }


def _column(connection: Connection, source: str, name: str, stored: str, total: int) -> dict[str, Any]:
    column = quoted(name)
    least, most, filled, distinct = one(
        connection,
        f"SELECT {_shown(f'min({column})')}, {_shown(f'max({column})')}, count({column}), "
        f"{_distinct(column, total)} FROM {source}",
    )
    assert isinstance(filled, int)
    assert isinstance(distinct, int)
    type = _type(stored)
    values: list[str] = []
    if type == "text" and 0 < distinct <= MOST_VALUES + 10:
        found = rows(
            connection,
            f"SELECT {column} FROM {source} WHERE {column} IS NOT NULL GROUP BY {column} "
            f"ORDER BY count(*) DESC, {column} LIMIT {MOST_VALUES + 1}",
        )
        listed = [str(value) for (value,) in found]
        whole = len(listed) <= MOST_VALUES and all(len(value) <= VALUE_LIMIT for value in listed)
        values = listed if whole else []
        distinct = len(listed) if len(listed) <= MOST_VALUES else distinct
    may_be_numbers = type == "text" and (not values or any(map(str.isdigit, "".join(values))))
    return {
        "name": name,
        "type": type,
        "nulls": total - filled,
        "distinct": min(distinct, filled),
        "minimum": least,
        "maximum": most,
        "samples": sorted(values)[:SAMPLES] if values and total <= SAMPLED else _samples(connection, source, column),
        "values": values,
        "numeric_share": _numeric_share(connection, source, column) if may_be_numbers else 0.0,
    }


def _samples(connection: Connection, source: str, column: str) -> list[str]:
    found = rows(
        connection,
        f"SELECT DISTINCT {_shown(column)} AS shown FROM (SELECT {column} FROM {source} WHERE {column} IS NOT NULL "
        f"LIMIT {SAMPLED}) ORDER BY shown LIMIT {SAMPLES}",
    )
    return [str(sample) for (sample,) in found]


def _distinct(column: str, total: int) -> str:
    """SQL: by hashes, as a column's values may be long."""
    if total > COUNTED_ROWS:
        return f"approx_count_distinct({column})"
    return f"count(DISTINCT hash({column})) FILTER (WHERE {column} IS NOT NULL)"


def _type(stored: str) -> str:
    if stored.startswith("DECIMAL"):
        return "integer" if stored.endswith(",0)") else "number"
    return TYPES[stored]


def _shown(value: str) -> str:
    return f"left(CAST({value} AS VARCHAR), {VALUE_LIMIT})"


def _numeric_share(connection: Connection, source: str, column: str) -> float:
    share = one(
        connection,
        f"SELECT coalesce(avg(CAST({to_number(f'trim({column})')} IS NOT NULL AS INTEGER)), 0) FROM {source} "
        f"WHERE {column} IS NOT NULL",
    )[0]
    return round(float(str(share)), 6)
