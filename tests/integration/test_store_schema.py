"""The schema: migrated and declared agree, checks refuse what the tables of the lifecycles do not have."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, delete, event, insert, inspect, text, update
from sqlalchemy.exc import IntegrityError

from activities.store import JobRequest, Store, schema
from activities.store.checks import CHECKS, replace_checks
from activities.store.cursors import _encode
from activities.store.database import Database, DatabaseOptions
from activities.store.fulltext import INDEX
from activities.store.tables import artifacts, exports, job_events, jobs, metadata, regenerate_tasks
from domain.artifacts import ArtifactKind
from domain.documents.publication import ExportFormat
from domain.errors import SettingsInvalid
from domain.lifecycles.instruction import AUDIO_EXTRACTING, AUDIO_READY, TRANSCRIBING
from tests.databases import PATIENT
from tests.integration.store_builders import (
    OWNER,
    STEP_BLOCK,
    Run,
    artifact,
    at_once,
    drafted_job,
    instruction_of,
    uploaded_job,
)

pytest_plugins = ("tests.databases",)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def opened(url: str) -> Database:
    return Database(url, DatabaseOptions(durable=False))


def shape(connection: Connection) -> dict[str, Any]:
    """Every table as the database has it: columns, keys, indexes, checks."""
    found = inspect(connection)
    return {
        table: {
            "columns": [(each["name"], repr(each["type"]), each["nullable"]) for each in found.get_columns(table)],
            "primary key": found.get_pk_constraint(table),
            "foreign keys": sorted(found.get_foreign_keys(table), key=repr),
            "unique": sorted(found.get_unique_constraints(table), key=repr),
            "indexes": sorted(
                (
                    each["name"],
                    each["column_names"],
                    each["unique"],
                    {name: str(value) for name, value in each.get("dialect_options", {}).items()},
                )
                for each in found.get_indexes(table)
            ),
            "checks": sorted((each["name"], each["sqltext"]) for each in found.get_check_constraints(table)),
        }
        for table in sorted(metadata.tables)
    }


# --- migrations --------------------------------------------------------------------------------------------------


def test_given_a_migrated_database_when_compared_with_the_metadata_then_nothing_differs(database_url: str) -> None:
    database = opened(database_url)
    with database.read() as connection:
        opts = {"include_name": lambda name, *_: name is None or not name.startswith(INDEX)}
        assert compare_metadata(MigrationContext.configure(connection, opts=opts), metadata) == []
    database.dispose()


def test_given_jobs_of_before_when_upgraded_then_they_are_listed_by_what_they_make(
    changeable_database_url: str,
) -> None:
    url = changeable_database_url
    store, database = Store.open(url, durable=False), opened(url)
    uploaded_job(store)
    order = {"job_type": "clips", "items": []}
    cut, _ = store.request_job(JobRequest(owner=OWNER, kind="batch", input=order, job_type="clips"))
    order = {"type": "copy", "prompt": "A kettle"}
    written, _ = store.request_job(JobRequest(owner=OWNER, kind="generation", input=order, cost=0, job_type="copy"))
    painted, _ = store.request_job(JobRequest(owner=OWNER, kind="image", input={"prompt": "A kettle"}, cost=0))
    schema.downgrade(database, "0015")
    store.upgrade()
    for job, made in ((cut, "clips"), (written, "copy")):
        assert [(each.id, each.job_type) for each in store.list_jobs(OWNER, job_type=made).items] == [(job.id, made)]
    assert store.get_job(painted.id).job_type is None
    store.dispose()
    database.dispose()


def test_given_an_empty_database_when_upgraded_downgraded_and_upgraded_then_it_is_as_declared_to_the_checks(
    empty_database_url: str,
) -> None:
    store, database = Store.open(empty_database_url, durable=False), opened(empty_database_url)
    with database.write() as connection:
        metadata.create_all(connection)
    with database.read() as connection:
        declared = shape(connection)
    with database.write() as connection:
        metadata.drop_all(connection)
    assert (store.revision(), store.is_current()) == (None, False)

    store.upgrade()
    assert store.is_current()
    with database.read() as connection:
        assert shape(connection) == declared
    schema.downgrade(database, "base")
    with database.read() as connection:
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}
    store.upgrade()

    with database.read() as connection:
        assert shape(connection) == declared
    assert uploaded_job(store).status == "UPLOADED"
    store.dispose()
    database.dispose()


def test_given_processes_that_upgrade_at_once_when_all_end_then_the_schema_is_there_once(
    empty_database_url: str,
) -> None:
    stores = [Store.open(empty_database_url, durable=False, **PATIENT) for _ in range(4)]

    assert at_once(4, lambda number: stores[number].upgrade()) == [None] * 4

    assert all(store.is_current() for store in stores)
    for store in stores:
        store.dispose()


def test_given_a_new_file_when_many_open_it_at_once_then_all_can(tmp_path: Path) -> None:
    for number in range(20):
        stores = [Store.open(f"sqlite:///{tmp_path}/{number}.db", durable=False, **PATIENT) for _ in range(4)]
        assert at_once(4, lambda each, stores=stores: stores[each].ping()) == [None] * 4  # type: ignore[misc]
        for store in stores:
            store.dispose()


def test_given_rows_when_the_checks_are_written_anew_then_rows_indexes_and_checks_are_as_before(
    database_url: str,
) -> None:
    store, database = Store.open(database_url, durable=False), opened(database_url)
    job, _ = drafted_job(store)
    with database.read() as connection:
        before = shape(connection)

    with schema.migrating(database) as connection:
        operations = Operations(MigrationContext.configure(connection, opts={"target_metadata": metadata}))
        for table, checks in CHECKS.items():  # as an earlier version left them: without one, which then comes anew
            with operations.batch_alter_table(table) as batch:
                batch.drop_constraint(operations.f(f"ck_{table}_{next(iter(checks()))}"), type_="check")
        without = shape(connection)
        assert all(len(without[table]["checks"]) == len(before[table]["checks"]) - 1 for table in CHECKS)
        for table in CHECKS:
            replace_checks(operations, table)

    with database.read() as connection:
        assert shape(connection) == before
    assert store.get_job(job.id) == job
    store.dispose()
    database.dispose()


def test_given_no_schema_when_the_store_is_used_then_it_says_which_command_mends_it(empty_database_url: str) -> None:
    store = Store.open(empty_database_url, durable=False)

    with pytest.raises(SettingsInvalid, match="guidesmith db upgrade"):
        store.create_project(OWNER, "Manuals")
    store.dispose()


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://host/name", "sqlite://", "sqlite:///:memory:"])
def test_given_a_url_that_names_no_supported_database_when_opened_then_the_setting_is_invalid(url: str) -> None:
    with pytest.raises(SettingsInvalid):
        Store.open(url)


# --- checks: garbage written around the store ----------------------------------------------------------------------


def _event(job_id: str, **columns: Any) -> dict[str, Any]:
    row = {
        "job_id": job_id,
        "seq": 900,
        "stream": "status",
        "event_type": "STATUS_CHANGED",
        "actor_type": "system",
        "occurred_at": NOW,
        "recorded_at": NOW,
        "correlation_id": "c",
        "attempt": 1,
        "execution": 1,
        "unit": 0,
        "data": {},
    }
    return row | columns


Garbage = Callable[[str], Any]

GARBAGE: dict[str, Garbage] = {
    "a status of no table": lambda job: update(jobs).where(jobs.c.id == job).values(status="HALF_DONE"),
    "a kind without a table": lambda job: update(jobs).where(jobs.c.id == job).values(kind="nonsense"),
    "ended and not terminal": lambda job: update(jobs).where(jobs.c.id == job).values(completed_at=NOW),
    "terminal and not ended": lambda job: update(jobs).where(jobs.c.id == job).values(status="DONE"),
    "failed without a reason": lambda job: (
        update(jobs).where(jobs.c.id == job).values(status="FAILED", completed_at=NOW)
    ),
    "a reason without a failure": lambda job: update(jobs).where(jobs.c.id == job).values(failure_code="X"),
    "progress beyond the end": lambda job: update(jobs).where(jobs.c.id == job).values(progress=101),
    "a move of no table": lambda job: insert(job_events).values(_event(job, prev_status="CREATED", new_status="DONE")),
    "a birth in mid-life": lambda job: insert(job_events).values(_event(job, new_status="DONE")),
    "a stream of no name": lambda job: insert(job_events).values(_event(job, stream="gossip")),
    "an actor of no name": lambda job: insert(job_events).values(_event(job, actor_type="ghost")),
    "a number twice": lambda job: insert(job_events).values(_event(job, seq=1)),
    "a step twice": lambda job: insert(job_events).values(_event(job, step=1)),
    "an event of no job": lambda _: insert(job_events).values(_event("absent")),
    "an artifact of no kind": lambda job: update(artifacts).where(artifacts.c.job_id == job).values(kind="rumour"),
    "an artifact of no hash": lambda job: (
        update(artifacts).where(artifacts.c.job_id == job).values(checksum_sha256="beef")
    ),
    "a task that ended in mid-air": lambda job: (
        update(regenerate_tasks).where(regenerate_tasks.c.job_id == job).values(status="SUCCEEDED")
    ),
    "an export of no file": lambda job: (
        update(exports).where(exports.c.job_id == job).values(status="SUCCEEDED", completed_at=NOW)
    ),
    "an export of no format": lambda job: update(exports).where(exports.c.job_id == job).values(format="CLAY"),
    "a job without its log": lambda job: delete(jobs).where(jobs.c.id == job),
}


@pytest.fixture
def furnished(store: Store) -> str:
    """A job that has a row in every table that GARBAGE touches."""
    job, _ = drafted_job(store)
    version = store.get_instruction(OWNER, instruction_of(job))
    store.request_export(OWNER, job.id, ExportFormat.PDF, version.id)
    store.create_regenerate(
        OWNER,
        version.instruction_id,
        base_version=1,
        selection={"block_id": STEP_BLOCK},
        client_request_id="r-1",
        requested_by=OWNER,
    )
    return job.id


def test_given_garbage_written_around_the_store_when_it_arrives_then_the_database_refuses(
    store: Store, furnished: str
) -> None:
    accepted = []
    for what, written in GARBAGE.items():
        with suppress(IntegrityError), store._database.write() as connection:
            connection.execute(written(furnished))
            accepted.append(what)
    assert accepted == []


def test_given_an_active_regeneration_and_an_export_when_twins_are_written_around_the_store_then_they_are_refused(
    store: Store, furnished: str
) -> None:
    for table, changed in ((regenerate_tasks, "client_request_id"), (exports, "filename")):
        columns = [column.name for column in table.c if column.name not in ("id", changed)]
        twin = (
            f"INSERT INTO {table.name} (id, {changed}, {', '.join(columns)}) "
            f"SELECT 'twin', 'twin', {', '.join(columns)} FROM {table.name} WHERE job_id = :job"
        )
        with pytest.raises(IntegrityError), store._database.write() as connection:
            connection.execute(text(twin), {"job": furnished})


# --- what it costs -----------------------------------------------------------------------------------------------


class Statements:
    """Counts what a store sends to its database."""

    def __init__(self, store: Store) -> None:
        self.sent: list[tuple[str, Any]] = []
        event.listen(store._database.engine, "before_cursor_execute", self._note)

    def _note(self, _c: Any, _cursor: Any, statement: str, parameters: Any, _x: Any, _many: bool) -> None:
        if not statement.startswith(("BEGIN", "EXPLAIN", "SET")):
            self.sent.append((statement, parameters))

    def verbs(self) -> list[str]:
        verbs = [statement.split()[0] for statement, _ in self.sent]
        self.sent.clear()
        return verbs


def test_given_a_stage_when_it_begins_and_ends_then_each_is_one_read_one_update_and_one_row_a_fact(
    store: Store,
) -> None:
    run = Run(store, uploaded_job(store).id).dispatched()
    statements = Statements(store)

    store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    assert statements.verbs() == ["SELECT", "UPDATE", "INSERT"]
    store.finish_stage(run.job_id, run.fence(), target=AUDIO_READY)
    assert statements.verbs() == ["SELECT", "UPDATE", "INSERT"]
    run = run.next()
    store.begin_stage(run.job_id, run.fence(), TRANSCRIBING)
    statements.verbs()
    store.finish_stage(
        run.job_id,
        run.fence(),
        target="TRANSCRIPT_READY",
        artifacts=[artifact(ArtifactKind.TRANSCRIPT), artifact(ArtifactKind.OUTLINE)],
    )
    assert statements.verbs() == ["SELECT", "INSERT", "INSERT", "UPDATE", "INSERT"]


def plan(store: Store, statement: str, parameters: Any) -> str:
    """How the database would answer, were its tables too large to read through."""
    with store._database.read() as connection:
        if store._database.is_sqlite:
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            return "\n".join(str(row[-1]) for row in rows)
        for node in ("seqscan", "bitmapscan", "sort"):
            connection.exec_driver_sql(f"SET LOCAL enable_{node} = off")
        return "\n".join(str(row[0]) for row in connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).all())


def test_given_lists_when_they_are_planned_then_an_index_finds_and_orders_them(store: Store, furnished: str) -> None:
    job = store.get_job(furnished)
    run = Run(store, uploaded_job(store).id)
    cursor = store.list_jobs(OWNER, limit=1).next_cursor
    assert cursor is not None
    statements = Statements(store)
    lists: dict[str, Callable[[], Any]] = {
        "jobs": lambda: store.list_jobs(OWNER),
        "jobs, next page": lambda: store.list_jobs(OWNER, cursor=cursor),
        "jobs of a project": lambda: store.list_jobs(OWNER, project_id=job.project_id),
        "jobs of a type": lambda: store.list_jobs(OWNER, job_type="clips"),
        "projects": lambda: store.list_projects(OWNER),
        "active jobs": lambda: store.active_jobs(after_id=job.id),
        "events": lambda: store.events(job.id, after_seq=3),
        "history": lambda: store.history(OWNER, job.id),
        "artifacts": lambda: store.latest_artifact(job.id, ArtifactKind.AUDIO),
        "versions": lambda: store.versions(OWNER, instruction_of(job)),
        "regeneration": lambda: store.latest_regenerate(instruction_of(job)),
        "exports": lambda: store.list_exports(OWNER, job.id),
        "uploads": lambda: store.abandoned_uploads(0),
        "everybody's of both": lambda: store.list_all_jobs(kind="image", status="failed"),
        "somebody's": lambda: store.list_all_jobs(owner=OWNER, status="failed"),
        "unstarted tasks": lambda: store.unstarted_tasks(),
        "dispatch": lambda: store.find_dispatch(run.job_id, "r"),
    }
    for name, ask in lists.items():
        ask()
        listed = statements.sent[-1]
        statements.sent.clear()
        how = plan(store, *listed).upper()
        assert "INDEX" in how, (name, how)
        assert not any(bad in how for bad in ("SEQ SCAN", "SORT", "TEMP B-TREE", "SCAN JOBS")), (name, how)


@pytest.mark.parametrize(
    ("wanted", "index", "places"),
    [
        ({}, "sqlite_autoindex_jobs_1|pk_jobs", 1),
        ({"to_review": True}, "ix_jobs_to_review", 5),
        ({"to_review": True, "owner": OWNER, "kind": "image"}, "ix_jobs_to_review", 1),
        ({"kind": "image"}, "ix_jobs_kind_status_id", 6),
        ({"status": "failed"}, "ix_jobs_kind_status_id", 4),
    ],
)
def test_given_everybodys_jobs_when_planned_then_no_more_is_read_of_an_index_than_the_page_has(
    store: Store, furnished: str, wanted: dict[str, Any], index: str, places: int
) -> None:
    statements = Statements(store)
    store.list_all_jobs(**wanted, cursor=_encode([furnished]))
    how = plan(store, *statements.sent[-1])
    found = re.findall(rf"(?i)using (?:covering )?(?:index )?(?:{index})", how)
    assert len(found) == places, how
    assert "Seq Scan" not in how and not re.search(r"SCAN jobs(?! USING)", how), how
    if not store._database.is_sqlite:
        assert how.count("Limit") == places + (places > 1), how
    if places == 1:
        assert "Sort" not in how and "TEMP B-TREE" not in how, how
