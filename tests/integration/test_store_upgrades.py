"""A Postgres that is upgraded under those who use it, and versions side by side on one schema."""

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import event, text

from activities.store import Store, schema
from activities.store.database import Database, DatabaseOptions
from activities.store.finishing import finish
from activities.store.schema import Patience
from domain.documents.publication import ExportFormat
from domain.errors import DatabaseUnavailable, SettingsInvalid
from domain.jobs import Job
from tests.databases import PostgresServer
from tests.integration.store_builders import OWNER, drafted_job, instruction_of
from tests.integration.test_store_schema import shape

pytest_plugins = ("tests.databases",)

BEFORE = "0028"
"""The last revision whose migrations knew nothing of a database in use."""

FULL = ("jobs", "job_events", "exports")
"""Tables that have rows here, and may have millions."""

IMPATIENT = Patience(lock_ms=100, pause_s=0.05, tries=1000)


@dataclass(frozen=True)
class Earlier:
    """A database of an earlier revision that has rows in each table that was changed since; its schema before that."""

    name: str
    declared: dict[str, Any]
    job: Job


class InUse:
    """A copy of it."""

    def __init__(self, url: str, earlier: Earlier) -> None:
        self.store = Store.open(url, durable=False)
        self.database = Database(url, DatabaseOptions(durable=False, lock_timeout_ms=5_000))
        self.sent: list[str] = []
        self.declared, self.job = earlier.declared, earlier.job

    def note(self) -> None:
        def noted(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
            self.sent.append(" ".join(statement.split()))

        event.listen(self.database.engine, "before_cursor_execute", noted)

    def close(self) -> None:
        self.store.dispose()
        self.database.dispose()


@pytest.fixture(scope="module")
def earlier(postgres: PostgresServer, _postgres_template: str) -> Iterator[Earlier]:
    name = postgres.create(_postgres_template)
    store = Store.open(postgres.url(name), durable=False)
    database = Database(postgres.url(name), DatabaseOptions(durable=False))
    with database.read() as connection:
        declared = shape(connection)
    job, _ = drafted_job(store)
    version = store.get_instruction(OWNER, instruction_of(job))
    store.request_export(OWNER, job.id, ExportFormat.PDF, version.id)
    schema.downgrade(database, BEFORE)
    store.dispose()
    database.dispose()
    yield Earlier(name, declared, job)
    postgres.drop(name)


@pytest.fixture
def in_use(postgres: PostgresServer, earlier: Earlier) -> Iterator[InUse]:
    name = postgres.create(earlier.name)
    found = InUse(postgres.url(name), earlier)
    yield found
    found.close()
    postgres.drop(name)


def test_given_an_open_transaction_when_upgraded_then_others_read_and_write_meanwhile_and_all_is_made_once_it_ends(
    in_use: InUse,
) -> None:
    patient = DatabaseOptions(durable=False, statement_timeout_ms=150_000)  # an open transaction lasts twice that
    others = Database(str(in_use.database.url.render_as_string(hide_password=False)), patient)
    in_use.note()
    with ThreadPoolExecutor(1) as pool, others.engine.connect() as open_one:
        for table in FULL:
            open_one.execute(text(f"SELECT count(*) FROM {table}"))
        upgrading = pool.submit(schema.upgrade, in_use.database, IMPATIENT)
        served = 0
        while sum("pg_advisory_xact_lock" in each for each in in_use.sent) < 8:
            with others.write() as connection:
                connection.execute(text("SET LOCAL lock_timeout = 30000"))
                connection.execute(text("SELECT * FROM job_events")).all()
                connection.execute(text("UPDATE jobs SET progress = progress"))
            served += 1
        assert not upgrading.done() and served > 0
        open_one.rollback()
        upgrading.result(timeout=150)
    others.dispose()
    with in_use.database.read() as connection:
        assert shape(connection) == in_use.declared
        unchecked = connection.execute(text("SELECT conname FROM pg_constraint WHERE NOT convalidated")).all()
        invalid = connection.execute(text("SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid")).all()
    assert (unchecked, invalid) == ([], [])
    assert in_use.store.get_job(in_use.job.id).status == in_use.job.status


def test_given_a_database_in_use_when_upgraded_then_no_table_with_rows_is_read_through_under_a_lock_or_loses_anything(
    in_use: InUse,
) -> None:
    in_use.note()
    schema.upgrade(in_use.database, IMPATIENT)
    made = {match[1] for each in in_use.sent if (match := re.match(r"CREATE TABLE (\w+)", each))}
    assert made
    for each in in_use.sent:
        if match := re.match(r"CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:\S+) ON (\w+)", each):
            assert match[1] or match[2] in made, each
        if match := re.match(r"ALTER TABLE (\w+)", each):
            assert "DROP COLUMN" not in each and "SET NOT NULL" not in each and " TYPE " not in each, each
            assert match[1] not in FULL or "CHECK" not in each or each.endswith("NOT VALID") or "VALIDATE" in each, each
            assert not re.search(r"ADD COLUMN .* NOT NULL(?! DEFAULT)", each) or "DEFAULT" in each, each
        assert not each.startswith("DROP TABLE"), each
    in_use.sent.clear()
    schema.upgrade(in_use.database, IMPATIENT)
    assert not any(each.startswith(("ALTER", "CREATE", "DROP")) for each in in_use.sent), "done once"


def test_given_an_upgrade_that_died_in_the_middle_when_run_again_then_what_was_half_made_is_made(in_use: InUse) -> None:
    schema.upgrade(in_use.database, IMPATIENT)
    with in_use.database.write() as connection:
        connection.execute(text("DROP INDEX ix_jobs_binned"))
        broken = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_job_events_actor'::regclass"
        connection.execute(text(broken))
        connection.execute(text("ALTER TABLE jobs DROP CONSTRAINT ck_jobs_progress_range"))
        added = "ALTER TABLE jobs ADD CONSTRAINT ck_jobs_progress_range CHECK (progress BETWEEN 0 AND 100) NOT VALID"
        connection.execute(text(added))
    schema.upgrade(in_use.database)
    with in_use.database.read() as connection:
        assert shape(connection) == in_use.declared
        valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'ix_job_events_actor'::regclass"
        assert connection.execute(text(valid)).scalar_one()
        assert not connection.execute(text("SELECT conname FROM pg_constraint WHERE NOT convalidated")).all()


def test_given_rows_that_break_a_new_rule_when_upgraded_then_it_says_which_and_keeps_them(in_use: InUse) -> None:
    schema.upgrade(in_use.database, IMPATIENT)
    with in_use.database.write() as connection:
        rule = "ALTER TABLE jobs ADD CONSTRAINT ck_jobs_new CHECK (progress < 0) NOT VALID"
        connection.execute(text(rule))
    with pytest.raises(SettingsInvalid, match="ck_jobs_new"):
        finish(in_use.database)
    assert in_use.store.get_job(in_use.job.id) is not None


def test_given_tables_that_are_never_free_when_upgraded_then_it_gives_up_and_says_what_to_do(in_use: InUse) -> None:
    with in_use.database.read() as holding:
        holding.execute(text("SELECT count(*) FROM jobs"))
        with pytest.raises(DatabaseUnavailable, match="pg_stat_activity"):
            schema.upgrade(in_use.database, Patience(lock_ms=20, pause_s=0.0, tries=3))
    revision = schema.current(in_use.database)
    assert revision is not None and BEFORE < revision < schema.head(), "what could be done was"


def test_given_several_that_upgrade_at_once_when_all_end_then_all_is_made(in_use: InUse) -> None:
    gate = threading.Barrier(3)

    def upgrade(_: int) -> None:
        gate.wait()
        in_use.store.upgrade()

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(upgrade, range(3))) == [None] * 3
    with in_use.database.read() as connection:
        assert shape(connection) == in_use.declared


def test_given_a_schema_of_a_newer_version_when_the_one_before_is_started_again_then_it_works_and_changes_nothing(
    changeable_database_url: str,
) -> None:
    url = changeable_database_url
    store, database = Store.open(url, durable=False), Database(url, DatabaseOptions(durable=False))
    newer = str(int(schema.head()) + 1).zfill(4)
    with database.write() as connection:
        connection.execute(text("ALTER TABLE jobs ADD COLUMN of_tomorrow INTEGER"))
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{newer}'"))
    store.upgrade()
    assert (store.revision(), store.is_current(), store.is_newer()) == (newer, True, True)
    job, _ = drafted_job(store)
    assert store.get_job(job.id) == job
    store.dispose()
    database.dispose()
