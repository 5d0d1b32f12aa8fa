"""DuckDB as the confined processes use it: one thread, bounded memory, spilling into its own folder, then locked.

One thread, so that the same plan over the same inputs gives the same bytes: sums of floating-point numbers depend on
the order of their terms. Runs inside, after ``confined.inside.lock_down``; nothing else imports it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb

from activities.analysis.sql_words import literal

Connection = duckdb.DuckDBPyConnection

ROWS_AT_ONCE = 2_000
"""Of a query that is read as it goes."""


def opened(
    folder: Path, *, memory_mib: int, spill_mib: int, files: Sequence[Path] = (), database: str = ":memory:"
) -> Connection:
    """A connection that reads and writes files below ``folder`` only, and ``files``, for good.

    Args:
        folder: With absolute path; gets a folder ``spill``.
        memory_mib: What DuckDB may hold at a time, in MiB; what is more goes to ``spill``, up to ``spill_mib``.
        database: A file below ``folder``.
    """
    spill = folder / "spill"
    spill.mkdir(exist_ok=True)
    connection = duckdb.connect(
        database,
        config={
            "threads": 1,
            "memory_limit": f"{memory_mib}MiB",
            "temp_directory": str(spill),
            "max_temp_directory_size": f"{spill_mib}MiB",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
        },
    )
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET allowed_directories = [{literal(str(folder))}]")
    connection.execute(f"SET allowed_paths = [{', '.join(literal(str(file)) for file in files)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def rows(connection: Connection, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
    return connection.execute(sql, list(values)).fetchall()


def streamed(connection: Connection, sql: str) -> Iterator[tuple[object, ...]]:
    """The rows of a query, some at a time. The connection does nothing else until they are read, or left."""
    found = connection.execute(sql)
    while some := found.fetchmany(ROWS_AT_ONCE):
        yield from some


def one(connection: Connection, sql: str, values: Sequence[object] = ()) -> tuple[object, ...]:
    """The only row of a query that always has one."""
    return rows(connection, sql, values)[0]


def count(connection: Connection, sql: str, values: Sequence[object] = ()) -> int:
    """The only number of a query that always gives one."""
    (number,) = one(connection, sql, values)
    assert isinstance(number, int)
    return number


OUT_OF_MEMORY = (duckdb.OutOfMemoryException, MemoryError)
COMPUTATION = (duckdb.OutOfRangeException, duckdb.ConversionException, duckdb.InvalidInputException)
"""What data does to a query that is right: a number too large, a value that cannot be converted."""
