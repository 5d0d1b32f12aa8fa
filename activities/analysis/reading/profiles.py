"""The profile of a Parquet table: what a planner, and whoever reads the plan, needs to know of its columns.

Runs inside.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from activities.analysis.engine import Connection, count, one, rows
from activities.analysis.sql_words import literal, quoted, to_number

SAMPLES = 3
MOST_VALUES = 50
"""A column of more distinct values than this is not listed value by value."""
VALUE_LIMIT = 80
"""Characters of a value that are shown."""
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


def profile(connection: Connection, path: Path, originals: Sequence[str]) -> dict[str, Any]:
    """``rows``, ``columns`` and ``notes`` of the table in the file, whose columns were called ``originals``."""
    source = f"read_parquet({literal(str(path))})"
    described = rows(connection, f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {source})")
    total = count(connection, f"SELECT count(*) FROM {source}")
    columns = [
        {"original": original, **_column(connection, source, str(name), str(type), total)}
        for original, (name, type) in zip(originals, described, strict=True)
    ]
    notes = [("COLUMN_EMPTY", place, "") for place, column in enumerate(columns) if total and column["nulls"] == total]
    return {"rows": total, "columns": columns, "notes": notes}


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
    samples = rows(
        connection,
        f"SELECT DISTINCT {_shown(column)} AS shown FROM (SELECT {column} FROM {source} WHERE {column} IS NOT NULL "
        f"LIMIT 100) ORDER BY shown LIMIT {SAMPLES}",
    )
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
    return {
        "name": name,
        "type": type,
        "nulls": total - filled,
        "distinct": min(distinct, filled),
        "minimum": least,
        "maximum": most,
        "samples": [str(sample) for (sample,) in samples],
        "values": values,
        "numeric_share": _numeric_share(connection, source, column) if type == "text" else 0.0,
    }


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
