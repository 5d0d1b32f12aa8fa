"""What an upgrade of a Postgres that is in use leaves for the end, since it reads whole tables: indexes, made while
others write, and checks of the rows that were there before. Neither lets anybody wait.

Both are found by looking at the database, so that whoever comes after an upgrade that died goes on with it.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy import Connection, Index, Table, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateIndex

from activities.store.database import Database
from activities.store.tables import metadata
from domain.errors import SettingsInvalid

log = structlog.get_logger("guidesmith.database")

_LOCK = 7_463_002_142
"""Key of the advisory lock that one at a time holds; beside that of the upgrade itself."""
LOOK_EVERY_S = 0.2

_UNCHECKED = text(
    "SELECT conrelid::regclass::text, conname FROM pg_constraint"
    " WHERE NOT convalidated AND contype = 'c' AND connamespace = current_schema()::regnamespace"
)
_INDEXES = text(
    "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
    " WHERE relnamespace = current_schema()::regnamespace"
)


def finish(database: Database) -> None:
    """Make the indexes that are missing, and check what nobody has checked yet. Waits for transactions that are older.

    Raises:
        SettingsInvalid: Rows break a rule of the schema.
    """
    if database.is_sqlite:
        return
    with database.outside_transactions() as connection, _alone(connection):
        whole = {str(name): bool(valid) for name, valid in connection.execute(_INDEXES)}
        for index in (each for table in metadata.sorted_tables for each in _indexes(table)):
            if not whole.get(str(index.name), False):
                _make(connection, index, half=str(index.name) in whole)
        for table, name in connection.execute(_UNCHECKED).all():
            log.info("schema.check_begins", table=table, check=name)
            try:
                connection.execute(text(f'ALTER TABLE {table} VALIDATE CONSTRAINT "{name}"'))
            except IntegrityError:
                raise SettingsInvalid(
                    f"The table {table} has rows that break its rule {name}. Keep a copy of the database, and report "
                    "this; new rows are held to it, and nothing else is changed."
                ) from None


def _indexes(table: Table) -> list[Index]:
    return sorted(table.indexes, key=lambda each: str(each.name))


def _make(connection: Connection, index: Index, *, half: bool) -> None:
    """Args: half: It was begun by an upgrade that died."""
    log.info("schema.index_begins", table=index.table.name if index.table is not None else "", index=index.name)
    if half:
        connection.execute(text(f'DROP INDEX CONCURRENTLY "{index.name}"'))
    statement = str(CreateIndex(index).compile(dialect=connection.dialect))
    connection.exec_driver_sql(re.sub(r"^(\s*CREATE (?:UNIQUE )?INDEX) ", r"\1 CONCURRENTLY ", statement))


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """Asked for again and again, instead of waited for: who waits is a transaction, for whose end an index that is made
    meanwhile would wait."""
    while not connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _LOCK}).scalar_one():
        time.sleep(LOOK_EVERY_S)
    try:
        connection.execute(text("SET statement_timeout = 0"))
        connection.execute(text("SET lock_timeout = 0"))
        yield
    finally:
        if not connection.invalidated and not connection.closed:
            connection.execute(text("RESET statement_timeout"))
            connection.execute(text("RESET lock_timeout"))
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _LOCK})
