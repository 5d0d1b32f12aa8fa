"""A database that is busy, gone, or cut off in mid-sentence: said in one way, and nothing half-written."""

import time
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self
from unittest.mock import MagicMock

import psycopg
import pytest
from sqlalchemy import make_url, text

from activities.store import Store, schema
from activities.store.database import Drift
from domain.documents.tasks import Regenerated
from domain.documents.versions import InstructionVersion
from domain.errors import DatabaseUnavailable, SettingsInvalid
from domain.jobs import TaskStatus
from domain.lifecycles.instruction import AUDIO_EXTRACTING
from tests.databases import PostgresServer
from tests.integration.store_builders import (
    OWNER,
    STEP_BLOCK,
    Run,
    created_job,
    drafted_job,
    instruction_of,
    uploaded_job,
)

pytest_plugins = ("tests.databases",)


def test_given_a_database_that_stops_when_it_is_back_then_the_same_write_goes_through(
    postgres: PostgresServer, postgres_url: str
) -> None:
    store = Store.open(postgres_url, durable=False)
    run = Run(store, uploaded_job(store).id).dispatched()
    store.ping()

    postgres.stop()
    try:
        for ask in (
            store.ping,
            lambda: store.get_job(run.job_id),
            lambda: store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING),
        ):
            with pytest.raises(DatabaseUnavailable) as outage:
                ask()
            assert outage.value.retryable
            assert postgres_url not in outage.value.message
    finally:
        postgres.start()

    assert store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING).job.status == AUDIO_EXTRACTING
    store.dispose()


def test_given_connections_that_lay_idle_through_a_restart_when_they_are_used_then_nobody_notices(
    postgres: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.store.database.PING_AFTER_IDLE_S", 0.0)
    store = Store.open(postgres_url, durable=False)
    job = created_job(store)

    postgres.stop()
    postgres.start()

    assert store.get_job(job.id) == job
    store.dispose()


def test_given_a_connection_that_is_cut_inside_a_transaction_when_it_fails_then_nothing_was_written(
    postgres: PostgresServer, postgres_url: str
) -> None:
    store = Store.open(postgres_url, durable=False)
    job, _ = drafted_job(store)
    task, _ = store.create_regenerate(
        OWNER,
        instruction_of(job),
        base_version=1,
        selection={"block_id": STEP_BLOCK},
        client_request_id="r-1",
        requested_by=OWNER,
    )
    before = (store.events(job.id), store.get_job(job.id))

    def cut(current: InstructionVersion) -> Regenerated:
        name = make_url(postgres_url).database
        postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        return Regenerated(version=None)

    with pytest.raises(DatabaseUnavailable):
        store.finish_regenerate(task.id, cut)

    assert (store.events(job.id), store.get_job(job.id)) == before
    assert store.get_regenerate(task.id).status is TaskStatus.PENDING
    store.dispose()


def test_given_a_row_that_somebody_holds_when_the_wait_is_over_then_the_database_is_unavailable(
    database_url: str,
) -> None:
    store = Store.open(database_url, durable=False, lock_timeout_ms=50)
    holder = Store.open(database_url, durable=False)
    run = Run(store, uploaded_job(store).id).dispatched()

    with holder._database.write() as connection:
        connection.execute(text("UPDATE jobs SET progress = 1 WHERE id = :id"), {"id": run.job_id})
        with pytest.raises(DatabaseUnavailable):
            store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
        assert store.get_job(run.job_id).progress == 0  # readers wait for nobody

    assert store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING).job.progress == 1
    store.dispose()
    holder.dispose()


def test_given_no_free_connection_when_the_wait_is_over_then_the_database_is_unavailable(database_url: str) -> None:
    store = Store.open(database_url, durable=False, pool_size=1, max_overflow=0, pool_timeout_s=0.05)

    with store._database.read(), pytest.raises(DatabaseUnavailable):
        store.ping()

    store.ping()
    store.dispose()


def test_given_nobody_at_the_address_when_asked_then_the_database_is_unavailable(tmp_path: Path) -> None:
    store = Store.open(f"postgresql://nobody:a-secret@/none?host={tmp_path}", connect_timeout_s=1)

    with pytest.raises(DatabaseUnavailable) as outage:
        store.ping()

    assert "a-secret" not in outage.value.message
    assert str(tmp_path) not in outage.value.message


def test_given_a_file_that_is_no_database_when_opened_then_the_setting_is_invalid(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("just notes, and long enough to be looked at as a header " * 10)
    store = Store.open(f"sqlite:///{file}")

    with pytest.raises(SettingsInvalid):
        store.ping()


def test_given_a_worker_whose_clock_is_wrong_when_it_asks_for_the_time_then_the_database_says_it(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(time.time() + timedelta(hours=26).total_seconds(), tz)

    monkeypatch.setattr("activities.store.database.datetime", Ahead)
    store = Store.open(postgres_url, durable=False)
    assert abs(store.now() - datetime.now(UTC)) < timedelta(minutes=5)
    store.dispose()


@pytest.mark.parametrize(("says_s", "ahead_s"), [(0.1, 0.0), (4.9, 0.0), (26.0, 23.5)])
def test_given_an_answer_that_took_long_when_the_database_was_asked_for_the_time_then_its_way_is_no_wrong_clock(
    monkeypatch: pytest.MonkeyPatch, says_s: float, ahead_s: float
) -> None:
    asked = datetime(2026, 1, 1, tzinfo=UTC)
    moments = iter((asked, asked + timedelta(seconds=5)))

    class Slow(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(next(moments).timestamp(), tz)

    monkeypatch.setattr("activities.store.database.datetime", Slow)
    connection, drift = MagicMock(), Drift()
    cursor = connection.cursor.return_value.__enter__.return_value
    cursor.fetchone.return_value = (asked + timedelta(seconds=says_s),)
    drift.measure(connection)
    assert drift.ahead == timedelta(seconds=ahead_s)


def test_given_a_database_that_only_reads_when_asked_whether_it_takes_writes_then_it_says_no(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    name = postgres.create()
    for each in (postgres.url(name), f"sqlite:///{tmp_path}/guidesmith.db"):
        store = Store.open(each, durable=False)
        store.check_writing()
        store.try_writing()
        store.upgrade()
        store.try_writing()
        assert store.is_current()
        store.dispose()
    with psycopg.connect(postgres.url(name), autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    store = Store.open(postgres.url(name), durable=False)
    for look in (store.check_writing, store.try_writing):
        with pytest.raises(DatabaseUnavailable, match="no writes"):
            look()
    store.dispose()


def test_given_a_long_statement_when_its_time_is_over_then_the_database_is_unavailable(postgres_url: str) -> None:
    store = Store.open(postgres_url, durable=False, statement_timeout_ms=50)

    with pytest.raises(DatabaseUnavailable), store._database.read() as connection:
        connection.execute(text("SELECT pg_sleep(5)"))

    store.dispose()


def test_given_the_urls_people_write_when_opened_then_the_driver_is_ours(postgres_url: str) -> None:
    for scheme in ("postgres", "postgresql", "postgresql+psycopg2"):
        store = Store.open(postgres_url.replace("postgresql", scheme, 1), durable=False)
        store.ping()
        store.dispose()
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (schema.head(),)
