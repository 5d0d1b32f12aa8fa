"""The schema's migrations, run from code: they lie inside the package, so that an installed wheel can upgrade.

A Postgres that is in use is upgraded under those who use it: one revision in a transaction of its own, which waits for
a lock for a moment only, since whoever reads queues up behind it, and is tried again; and afterwards what needs no such
lock (:mod:`activities.store.finishing`).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import structlog
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from activities.store.database import Database
from activities.store.finishing import finish
from domain.errors import DatabaseUnavailable

log = structlog.get_logger("guidesmith.database")

MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK = 7_463_002_141
"""Key of the Postgres advisory lock that one upgrade at a time holds. Any number that nobody else uses."""

_LOCKED = frozenset({"55P03", "40P01"})  # lock_not_available, deadlock_detected


def migration_config(connection: Connection | None = None) -> Config:
    """Alembic's settings without an ini file; ``connection`` is the one that migrations run on."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


@cache
def _scripts() -> ScriptDirectory:
    """All migrations, loaded once: Alembic's own commands load each of them anew at every step."""
    return ScriptDirectory.from_config(migration_config())


def head() -> str:
    """The revision that this code expects."""
    return str(_scripts().get_current_head())


def _run(connection: Connection, revision: str, *, down: bool = False) -> None:
    """Go from the revision that is there to ``revision``, as ``alembic upgrade`` and ``downgrade`` do."""
    scripts = _scripts()

    def steps(there: Any, _: MigrationContext) -> list[RevisionStep]:
        way = scripts._downgrade_revs if down else scripts._upgrade_revs
        return list(way(revision, there))

    with EnvironmentContext(migration_config(connection), scripts, fn=steps, destination_rev=revision):
        scripts.run_env()


@dataclass(frozen=True)
class Patience:
    """How a revision waits for tables that others use.

    Args:
        lock_ms: How long one try waits, and whoever wants the table behind it.
        pause_s: How long the others have it to themselves before the next.
        tries: After which it is given up: seven minutes.
    """

    lock_ms: int = 1000
    pause_s: float = 2.0
    tries: int = 140


def upgrade(database: Database, patience: Patience | None = None) -> None:
    """Bring the schema to what this code expects; calls that run at once wait for each other. One that a newer version
    has brought further stays as it is: that has only added to it.

    Raises:
        DatabaseUnavailable: Tables that are to change were in use all the time. What was done until then is kept.
    """
    begun_at = current(database)
    if is_newer(begun_at):
        log.info("schema.is_newer", revision=begun_at, expected=head())
        return
    if database.is_sqlite or begun_at is None:
        with migrating(database) as connection:
            _run(connection, "head")
    else:
        order = _revisions()
        for revision in order[order.index(begun_at) + 1 :]:
            _step(database, revision, order, patience or Patience())
    finish(database)


def _step(database: Database, revision: str, order: list[str], patience: Patience) -> None:
    for _ in range(patience.tries):
        try:
            with migrating(database, patience.lock_ms) as connection:
                there = MigrationContext.configure(connection).get_current_revision()
                if there is None or order.index(there) < order.index(revision):
                    _run(connection, revision)
                return
        except DatabaseUnavailable as fault:
            if getattr(getattr(fault.__cause__, "orig", None), "sqlstate", None) not in _LOCKED:
                raise
            log.warning("schema.waits", revision=revision, pause_s=patience.pause_s)
            time.sleep(patience.pause_s)
    raise DatabaseUnavailable(
        f"The schema is still to become revision {revision}: its tables were in use all the time. End what holds them "
        "(pg_stat_activity tells whose transaction is the oldest), and run `guidesmith db upgrade` again."
    )


def is_newer(revision: str | None) -> bool:
    """Whether a version after this one made it what it is. Revisions are numbers, in order."""
    return revision is not None and revision.isdigit() and int(revision) > int(head())


def _revisions() -> list[str]:
    """All of them, the oldest first."""
    return [script.revision for script in _scripts().walk_revisions()][::-1]


def downgrade(database: Database, revision: str) -> None:
    """Take the schema back to ``revision`` (``"base"``: to nothing)."""
    with migrating(database) as connection:
        _run(connection, revision, down=True)


def current(database: Database) -> str | None:
    """The revision that the database has, ``None`` where it has no schema."""
    with database.read() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@contextmanager
def migrating(database: Database, lock_ms: int = 0) -> Iterator[Connection]:
    """A transaction for migrations, one at a time; on SQLite it holds the one writer's place from its BEGIN.

    Args:
        lock_ms: How long it waits for a table that others use (Postgres); 0: as long as it takes.
    """
    if database.is_sqlite:
        with database.write_without_foreign_keys() as connection:
            yield connection
        return
    with database.write() as connection:
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        connection.execute(text(f"SET LOCAL lock_timeout = {lock_ms:d}"))
        yield connection
