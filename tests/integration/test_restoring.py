"""Postgres and S3 restored from copies of different minutes, and who may do what in the database of Docker Compose."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from temporalio.testing import ActivityEnvironment

from activities.artifacts import ArtifactStore
from activities.rails.checkpoints import Checkpoints
from activities.store import Store
from activities.upkeep.orphans import ORPHANED_AFTER_S, Orphaned, OrphanSweeper
from domain.artifacts import ArtifactKind, Blob
from domain.errors import NotFound
from domain.jobs import NewArtifact
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    TRANSCRIBING,
    TRANSCRIPT_READY,
)
from domain.lifecycles.resume import starting_checkpoint
from tests.databases import PostgresServer
from tests.integration.store_builders import Run, created_job, uploaded_job
from tests.objectstores import S3Server

pytest_plugins = ("tests.databases", "tests.objectstores")

USERS = Path(__file__).parents[2] / "deploy" / "database-users.sql"


@pytest.fixture
def kept(postgres_url: str) -> Iterator[Store]:
    store = Store.open(postgres_url, durable=False)
    yield store
    store.dispose()


def restored_database(postgres: PostgresServer, url: str) -> str:
    """The database at ``url``, as ``pg_dump`` writes it and ``pg_restore`` reads it, under a name of its own."""
    name = url.partition("@/")[2].partition("?")[0]
    dump, where = postgres.folder / f"{uuid4().hex}.dump", ("--host", str(postgres.folder), "--username", "postgres")
    postgres.run("pg_dump", *where, "--format=custom", f"--file={dump}", name)
    again = postgres.create()
    postgres.run("pg_restore", *where, "--no-owner", "--exit-on-error", f"--dbname={again}", str(dump))
    return postgres.url(again)


def copied(artifacts: ArtifactStore, server: S3Server) -> ArtifactStore:
    """A bucket's objects, key by key, below another prefix."""
    copy = ArtifactStore.open(server.url(f"copy-{uuid4().hex}"), s3=server.options)
    for each in artifacts.list():
        data = artifacts.load_small(each.key)
        assert data is not None
        copy.put_bytes(each.key, data, "application/octet-stream")
    return copy


def with_audio(store: Store, artifacts: ArtifactStore) -> tuple[Run, Blob]:
    run = Run(store, uploaded_job(store).id).dispatched()
    audio = artifacts.put_bytes(f"jobs/{run.job_id}/1-1-1/audio.flac", b"sound", "audio/flac")
    store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    made = [NewArtifact(kind=ArtifactKind.AUDIO, blob=audio)]
    store.finish_stage(run.job_id, run.fence(), target=AUDIO_READY, artifacts=made)
    return run.next(), audio


def with_transcript(run: Run, artifacts: ArtifactStore) -> Blob:
    transcript = artifacts.put_bytes(f"jobs/{run.job_id}/1-2-1/transcript.json", b"{}", "application/json")
    run.store.begin_stage(run.job_id, run.fence(), TRANSCRIBING)
    made = [NewArtifact(kind=ArtifactKind.TRANSCRIPT, blob=transcript)]
    run.store.finish_stage(run.job_id, run.fence(), target=TRANSCRIPT_READY, artifacts=made)
    return transcript


def swept(store: Store, artifacts: ArtifactStore, later: timedelta) -> Orphaned:
    sweeper = OrphanSweeper(store, artifacts, lambda: datetime.now(UTC) + later)
    answer = ActivityEnvironment().run(sweeper.sweep)
    assert isinstance(answer, Orphaned)
    return answer


def test_given_a_database_older_than_its_files_then_what_it_names_is_whole_and_the_rest_goes_after_three_weeks(
    kept: Store, postgres: PostgresServer, postgres_url: str, s3_store: ArtifactStore
) -> None:
    before, audio = with_audio(kept, s3_store)
    url = restored_database(postgres, postgres_url)
    after, lost = with_audio(kept, s3_store)

    again = Store.open(url, durable=False)
    try:
        assert again.is_current()
        assert again.get_job(before.job_id) == kept.get_job(before.job_id)
        assert again.audit_credits().balanced
        with pytest.raises(NotFound):
            again.get_job(after.job_id)
        assert Checkpoints(again, s3_store).verified(before.job_id, ())[ArtifactKind.AUDIO]
        assert swept(again, s3_store, timedelta(seconds=ORPHANED_AFTER_S, minutes=-5)) == Orphaned()
        assert swept(again, s3_store, timedelta(seconds=ORPHANED_AFTER_S, minutes=5)) == Orphaned(files=1)
        assert (s3_store.exists(audio.key), s3_store.exists(lost.key)) == (True, False)
    finally:
        again.dispose()


def test_given_files_older_than_their_database_then_a_job_goes_on_from_the_last_checkpoint_that_is_there(
    kept: Store, s3_store: ArtifactStore, s3_server: S3Server
) -> None:
    run, audio = with_audio(kept, s3_store)
    copy = copied(s3_store, s3_server)
    transcript = with_transcript(run, s3_store)
    checkpoints = Checkpoints(kept, s3_store).verified(run.job_id, ())
    assert starting_checkpoint(checkpoints) == TRANSCRIPT_READY

    verified = Checkpoints(kept, copy).verified(run.job_id, ())
    assert (copy.verifies(audio), copy.exists(transcript.key)) == (True, False)
    assert starting_checkpoint(verified) == AUDIO_READY
    assert swept(kept, copy, timedelta(seconds=ORPHANED_AFTER_S, minutes=5)) == Orphaned()


# --- users of the database -------------------------------------------------------------------------------------------


@pytest.fixture(params=["new", "the superuser's"])
def product(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[str]:
    """A database ``guidesmith``: empty, or with what an earlier version's superuser made in it."""
    postgres.execute("CREATE DATABASE guidesmith")
    url = postgres.url("guidesmith")
    if request.param != "new":
        store = Store.open(url, durable=False)
        store.upgrade()
        created_job(store)
        store.dispose()
    yield url
    for database in ("guidesmith", "temporal", "temporal_visibility"):
        postgres.drop(database)
    for role in ("guidesmith_app", "guidesmith_migrator", "temporal"):
        postgres.execute(f"DROP ROLE {role}")


def test_given_the_users_of_compose_then_each_does_its_work_and_no_more(product: str, postgres: PostgresServer) -> None:
    script = postgres.folder / "users.sql"
    script.write_text(USERS.read_text("utf-8"), "utf-8")
    passwords = [f"--set={name}=pw" for name in ("app", "migrator", "temporal")]
    where = ("--host", str(postgres.folder), "--username", "postgres", "--dbname", "guidesmith")
    for _ in range(2):
        postgres.run("psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", *where, *passwords, "--file", str(script))

    migrator = Store.open(product.replace("postgres@", "guidesmith_migrator@"), durable=False)
    migrator.upgrade()
    with migrator.engine.begin() as connection:  # what a migration to come does
        connection.execute(text("CREATE TABLE later (id bigserial PRIMARY KEY)"))
        connection.execute(text("ALTER TABLE jobs ADD COLUMN later text"))
    migrator.dispose()

    app = Store.open(product.replace("postgres@", "guidesmith_app@"), durable=False)
    try:
        assert app.is_current()
        app.try_writing()
        run, _ = Run(app, uploaded_job(app).id).dispatched().extract_audio().transcribe().write_draft(), None
        assert app.get_job(run.job_id).instruction_id is not None
        with app.engine.begin() as connection:
            connection.execute(text("INSERT INTO later DEFAULT VALUES"))
        for statement in ("CREATE TABLE mine (id int)", "DROP TABLE later", "ALTER TABLE jobs DROP COLUMN later"):
            with (
                pytest.raises(ProgrammingError, match=r"permission denied|must be owner"),
                app.engine.begin() as refused,
            ):
                refused.execute(text(statement))
    finally:
        app.dispose()

    temporal = Store.open(postgres.url("temporal").replace("postgres@", "temporal@"), durable=False)
    with temporal.engine.begin() as connection:
        connection.execute(text("CREATE TABLE executions (id int)"))
        superuser = connection.execute(text("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")).scalar()
    temporal.dispose()
    assert superuser is False
