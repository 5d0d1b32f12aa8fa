"""The schema's migrations, run from code: they lie inside the package, so that an installed wheel can upgrade."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from activities.store.database import Database

MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK = 7_463_002_141
"""Key of the Postgres advisory lock that one upgrade at a time holds. Any number that nobody else uses."""


def migration_config(connection: Connection | None = None) -> Config:
    """Alembic's settings without an ini file; ``connection`` is the one that migrations run on."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """The revision that this code expects."""
    return str(ScriptDirectory.from_config(migration_config()).get_current_head())


def upgrade(database: Database, revision: str = "head") -> None:
    """Bring the schema to ``revision``, in one transaction; calls that run at once wait for each other."""
    with migrating(database) as connection:
        command.upgrade(migration_config(connection), revision)


def downgrade(database: Database, revision: str) -> None:
    """Take the schema back to ``revision`` (``"base"``: to nothing)."""
    with migrating(database) as connection:
        command.downgrade(migration_config(connection), revision)


def current(database: Database) -> str | None:
    """The revision that the database has, ``None`` where it has no schema."""
    with database.read() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@contextmanager
def migrating(database: Database) -> Iterator[Connection]:
    """A transaction for migrations. On SQLite it holds the one writer's place from its BEGIN."""
    if database.is_sqlite:
        with database.write_without_foreign_keys() as connection:
            yield connection
        return
    with database.write() as connection:
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        yield connection
