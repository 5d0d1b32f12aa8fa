"""The connection to SQLite or Postgres: one engine, one transaction context, one place that translates faults.

Everything above writes inside :meth:`Database.write` and reads inside :meth:`Database.read`; a driver's exception
never leaves either.
"""

import errno
import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock, local
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, create_engine, event, exc
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import ConnectionPoolEntry

from activities.store.after_commit import logged_after_commit
from domain.errors import DatabaseUnavailable, GuidesmithError, RequestInvalid, SettingsInvalid

SQLITE: Final = "sqlite"
POSTGRES: Final = "postgresql"

WAL_PAUSE_S = 0.01

PING_AFTER_IDLE_S = 5.0
"""A pooled connection that lay idle for longer is pinged before use. Pinging each time would cost every transaction
a round trip; a connection used a moment ago is as good as a ping, and when it is not, the transaction is retried."""


MEASURED_EVERY_S = 60.0
TOLERATED_DRIFT = timedelta(seconds=1)
"""Clocks that agree as well as machines' clocks do are left alone."""


def inserting(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that can say what to do ON CONFLICT, which each database spells its own way."""
    return sqlite.insert(table) if connection.dialect.name == SQLITE else postgresql.insert(table)


@dataclass(frozen=True)
class DatabaseOptions:
    """How to hold the database.

    Args:
        pool_size: Connections kept open.
        max_overflow: Connections opened beyond that under load.
        pool_timeout_s: How long a caller waits for a connection before DatabaseUnavailable.
        connect_timeout_s: How long one connection attempt may take (Postgres).
        statement_timeout_ms: How long one statement may run (Postgres).
        lock_timeout_ms: How long a statement waits for a lock; on SQLite how long for the one writer's turn.
        durable: Whether a commit waits until it would survive a power failure. On SQLite this is
            ``synchronous=FULL``: NORMAL may lose the last commits of a WAL at a power cut, and the engine's history
            would then tell of artifacts that no row knows. ``False`` is for tests.
    """

    pool_size: int = 10
    max_overflow: int = 20
    pool_timeout_s: float = 10.0
    connect_timeout_s: int = 5
    statement_timeout_ms: int = 30_000
    lock_timeout_ms: int = 10_000
    durable: bool = True


_READS_ONLY = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean"
ROOM_BYTES = 64 << 10
"""What a disk that is not full takes at once."""


class Database:
    """An engine and its transactions.

    Args:
        url: ``sqlite:///relative.db``, ``sqlite:////absolute.db``, or ``postgresql://user:password@host/name``
            (psycopg 3 is used whatever driver is named).

    Raises:
        SettingsInvalid: The URL cannot be read or names another database.
    """

    def __init__(self, url: str, options: DatabaseOptions) -> None:
        self.url = _read_url(url)
        self.options = options
        self._drift = Drift()
        self.engine = (
            _sqlite_engine(self.url, options) if self.is_sqlite else _postgres_engine(self.url, options, self._drift)
        )
        self._reader = self.engine.execution_options(read_only=True)
        self._turn = Lock() if self.is_sqlite else None
        self._joined = local()

    def now(self) -> datetime:
        """The database's time: of many workers' clocks one is always wrong, and what has expired it must not say."""
        if not self.is_sqlite and self._drift.measured_at is None:
            with self.read():
                pass  # connecting measures it
        return datetime.now(UTC) + self._drift.ahead

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == SQLITE

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that commits when the block ends and rolls back when it raises.

        Raises:
            DatabaseUnavailable: Not reachable, busy, or the connection was lost: nothing was committed, or the commit
                is in doubt. Retryable.
            SettingsInvalid: The schema is missing or old.
            RequestInvalid: A value that the database cannot keep (a NUL character, half a surrogate pair).
        """
        if (outer := self._outer()) is not None:
            with logged_after_commit(), _translated(), outer.begin_nested():
                yield outer
            return
        with logged_after_commit(), self._own_turn(), _translated(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def together(self) -> Iterator[Connection]:
        """As :meth:`write`; until the block ends, every other read and write of this thread is a part of it, and is
        committed with it or not at all."""
        with self.write() as connection:
            before, self._joined.connection = self._outer(), connection
            try:
                yield connection
            finally:
                self._joined.connection = before

    def _outer(self) -> Connection | None:
        """The transaction that this thread is to join."""
        found: Connection | None = getattr(self._joined, "connection", None)
        return found

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        """SQLite has one writer, and those who wait for the file sleep and poll, in no order: within one process the
        threads queue here, and are woken."""
        if self._turn is None:
            yield
            return
        if not self._turn.acquire(timeout=self.options.lock_timeout_ms / 1000):
            raise DatabaseUnavailable("The database is busy. Try again in a moment.")
        try:
            yield
        finally:
            self._turn.release()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """As :meth:`write`, for reading: on SQLite it does not wait for the writer."""
        if (outer := self._outer()) is not None:
            with _translated():
                yield outer
            return
        with _translated(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def write_without_foreign_keys(self) -> Iterator[Connection]:
        """As :meth:`write`, on SQLite, for migrations: a table that is rebuilt is dropped while others refer to it.

        The pragma has no effect inside a transaction, so it stands around one; the references are checked before the
        commit.
        """
        with self._own_turn(), _translated(), self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            if not isinstance(driver, sqlite3.Connection):
                raise TypeError("Only SQLite checks foreign keys by pragma.")
            driver.execute("PRAGMA foreign_keys=OFF")
            try:
                with connection.begin():
                    yield connection
                    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                        raise SettingsInvalid("The migration would leave rows that refer to nothing. Nothing changed.")
            finally:
                driver.execute("PRAGMA foreign_keys=ON")

    @contextmanager
    def outside_transactions(self) -> Iterator[Connection]:
        """Each statement by itself, for what Postgres does in no transaction. Raises: as :meth:`write`."""
        with _translated(), self.engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def check_writable(self) -> None:
        """Raises: DatabaseUnavailable: the disk of an SQLite file takes nothing, or Postgres is a standby or reads
        only."""
        if self.is_sqlite and self.url.database is not None:
            try:
                with NamedTemporaryFile(prefix=".room-", dir=Path(self.url.database).parent) as probe:
                    probe.write(bytes(ROOM_BYTES))
                    probe.flush()
            except OSError as fault:
                full = fault.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
                raise DatabaseUnavailable(
                    "The database's disk is full. Free some space."
                    if full
                    else "The database's folder takes no writes now."
                ) from None
            return
        with self.read() as connection:
            if connection.exec_driver_sql(_READS_ONLY).scalar_one():
                raise DatabaseUnavailable("The database takes no writes: it is a standby, or was told to read only.")

    def dispose(self) -> None:
        self.engine.dispose()


def _read_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except exc.ArgumentError:
        raise SettingsInvalid("The database URL cannot be read: write sqlite:///file.db or postgresql://…") from None
    backend = {"postgres": POSTGRES}.get(parsed.get_backend_name(), parsed.get_backend_name())
    if backend == POSTGRES:
        return parsed.set(drivername="postgresql+psycopg")
    if backend != SQLITE:
        raise SettingsInvalid(f"The database {backend[:40]!r} is not supported: use SQLite or Postgres.")
    if not parsed.database or parsed.database == ":memory:":
        raise SettingsInvalid("The SQLite database must be a file: write sqlite:///file.db.")
    return parsed.set(drivername=SQLITE)


def _sqlite_engine(url: URL, options: DatabaseOptions) -> Engine:
    """WAL, so that readers and the one writer do not wait for each other; writers queue at BEGIN IMMEDIATE, so that
    no transaction finds out at its first write that it read something old."""
    if url.database is not None:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        url,
        pool_size=options.pool_size,
        max_overflow=options.max_overflow,
        pool_timeout=options.pool_timeout_s,
        connect_args={"timeout": options.lock_timeout_ms / 1000},
        json_serializer=compact_json,
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # the driver's own implicit BEGIN is deferred: see `begin` below
        _write_ahead(connection, options.lock_timeout_ms / 1000)
        connection.execute(f"PRAGMA synchronous={'FULL' if options.durable else 'OFF'}")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        read_only = connection.get_execution_options().get("read_only", False)
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


def _write_ahead(connection: sqlite3.Connection, within_s: float) -> None:
    """Switch a new database to WAL. SQLite waits for no lock here, whatever its timeout: of several who open the
    database for the first time at once, it refuses some at once."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(WAL_PAUSE_S)


class Drift:
    """How far the database's clock is ahead of this process's, as its connections find now and then."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)
        self.measured_at: float | None = None

    def measure(self, connection: Any) -> None:
        """Ask, on a driver's connection that is in no transaction; at most every :data:`MEASURED_EVERY_S`."""
        begun = time.monotonic()
        if self.measured_at is not None and begun - self.measured_at < MEASURED_EVERY_S:
            return
        before = datetime.now(UTC)
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (there,) = cursor.fetchone()
        connection.rollback()
        way = (datetime.now(UTC) - before) / 2  # each way may have been all of it, or nothing
        ahead = there - (before + way)
        self.ahead = ahead if abs(ahead) > TOLERATED_DRIFT + way else timedelta(0)
        self.measured_at = begun


def _postgres_engine(url: URL, options: DatabaseOptions, drift: Drift) -> Engine:
    settings = {
        "timezone": "UTC",
        "statement_timeout": options.statement_timeout_ms,
        "lock_timeout": options.lock_timeout_ms,
        "idle_in_transaction_session_timeout": 2 * options.statement_timeout_ms,
    }
    if not options.durable:
        settings["synchronous_commit"] = "off"
    engine = create_engine(
        url,
        pool_size=options.pool_size,
        max_overflow=options.max_overflow,
        pool_timeout=options.pool_timeout_s,
        pool_use_lifo=True,
        json_serializer=compact_json,
        connect_args={
            "connect_timeout": options.connect_timeout_s,
            "application_name": "guidesmith",
            "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
        },
    )

    @event.listens_for(engine, "connect")
    def ask_the_time(connection: Any, _: ConnectionPoolEntry) -> None:
        drift.measure(connection)

    @event.listens_for(engine, "checkin")
    def remember(_: Any, entry: ConnectionPoolEntry) -> None:
        entry.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def ping_when_idle(connection: Any, entry: ConnectionPoolEntry, _: Any) -> None:
        idle_since = entry.info.pop("idle_since", None)
        if idle_since is None or time.monotonic() - idle_since < PING_AFTER_IDLE_S:
            return
        try:
            engine.dialect.do_ping(connection)
            drift.measure(connection)
        except engine.dialect.loaded_dbapi.Error as fault:
            raise exc.InvalidatePoolError from fault  # the pool is drained and the checkout starts over

    return engine


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except GuidesmithError:
        raise
    except exc.IntegrityError:
        raise  # a constraint means something only to the area that wrote: it translates what it can expect
    except (exc.TimeoutError, exc.DisconnectionError):
        raise DatabaseUnavailable("The database has no free connection. Try again in a moment.") from None
    except exc.DBAPIError as fault:
        raise _translation(fault) from fault
    except UnicodeEncodeError:
        raise RequestInvalid("A text holds characters that cannot be stored.") from None


SCHEMA_OLD = "The database schema is missing or old: run `guidesmith db upgrade`."
_POSTGRES_SCHEMA_OLD = frozenset({"42P01", "42703"})  # undefined_table, undefined_column
_POSTGRES_FORBIDDEN = "42501"  # insufficient_privilege
_REFUSED = (
    # Postgres's own words at the door, where it gives no code; in another language the general sentence has to do
    (re.compile(r"password authentication failed|role \".*\" does not exist|no password supplied"), "user or password"),
    (re.compile(r"database \".*\" does not exist"), "database's name"),
    (re.compile(r"no pg_hba\.conf entry|permission denied for database"), "user's right to connect"),
)
_NOT_OPENED = ("unable to open database file", "attempt to write a readonly database")
_POSTGRES_READ_ONLY = "25006"  # a standby after a failover, until the address points at the new primary


def _translation(fault: exc.DBAPIError) -> Exception:
    sqlstate = getattr(fault.orig, "sqlstate", None)
    text = str(fault.orig)
    if sqlstate in _POSTGRES_SCHEMA_OLD or text.startswith(("no such table", "no such column")):
        return SettingsInvalid(SCHEMA_OLD)
    if "file is not a database" in text:
        return SettingsInvalid("The database file is not an SQLite database: name another file.")
    if sqlstate == _POSTGRES_FORBIDDEN:
        return SettingsInvalid(
            "The database's user may not use its tables. Grant it that; `guidesmith db upgrade` runs as their owner."
        )
    if what := next((what for said, what in _REFUSED if said.search(text)), None):
        return DatabaseUnavailable(f"The database lets nobody in: correct the {what} in GUIDESMITH_DATABASE_URL.")
    if text.startswith(_NOT_OPENED):
        return DatabaseUnavailable("The database file cannot be opened or written. Make its folder writable.")
    if isinstance(fault, (exc.OperationalError, exc.InterfaceError)) or fault.connection_invalidated:
        return DatabaseUnavailable("The database cannot be reached or is busy. Try again in a moment.")
    if sqlstate == _POSTGRES_READ_ONLY:
        return DatabaseUnavailable("The database takes no writes at the moment. Try again in a moment.")
    if isinstance(fault, exc.DataError):
        return RequestInvalid("A value cannot be stored: it is too large or holds characters that are not text.")
    return fault


def compact_json(value: object) -> str:
    """JSON without spaces and with the text's own characters: shorter rows, and readable ones."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
