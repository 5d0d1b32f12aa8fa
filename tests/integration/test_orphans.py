"""Files that an execution wrote and nobody recorded go, once nobody can be about to; whatever a row names stays."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from temporalio.testing import ActivityEnvironment

from activities.artifacts import ArtifactStore, StageMemo
from activities.store import Store, schema
from activities.store.tables import metadata
from activities.store.upkeep.references import KEYS, SAYING
from activities.upkeep.orphans import ORPHANED_AFTER_S, Orphaned, OrphanSweeper
from domain.artifacts import ArtifactKind, Blob
from domain.jobs import NewArtifact
from domain.library import AssetMedium, NewAsset
from domain.lifecycles.image import COMPLETED, RUNNING
from domain.lifecycles.instruction import AUDIO_EXTRACTING, AUDIO_READY
from tests.integration.store_builders import OWNER, Run, uploaded_job
from tests.integration.test_store_inputs import fence, rich, wanted

LATER = timedelta(seconds=ORPHANED_AFTER_S, minutes=5)


def swept(store: Store, artifacts: ArtifactStore, later: timedelta = LATER) -> Orphaned:
    sweeper = OrphanSweeper(store, artifacts, lambda: datetime.now(UTC) + later)
    answer = ActivityEnvironment().run(sweeper.sweep)
    assert isinstance(answer, Orphaned)
    return answer


def written(artifacts: ArtifactStore, key: str) -> Blob:
    return artifacts.put_bytes(key, key.encode(), "audio/flac")


def recorded(store: Store, blob: Blob) -> str:
    """A job whose audio is ``blob``."""
    run = Run(store, uploaded_job(store).id).dispatched()
    store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    audio = NewArtifact(kind=ArtifactKind.AUDIO, blob=blob)
    store.finish_stage(run.job_id, run.fence(), target=AUDIO_READY, artifacts=[audio])
    return run.job_id


def test_given_files_of_executions_when_old_then_those_go_that_no_row_names(
    store: Store, artifact_store: ArtifactStore
) -> None:
    own = "jobs/one/1-1-1/audio.flac"
    recorded(store, written(artifact_store, own))
    orphans = [
        "jobs/one/1-1-2/audio.flac",
        "jobs/one/1-5-1/frame-000000100.png",
        "jobs/lost/2-3-17-1/clip.mp4",
        "jobs/one/screenshots/task/1.png",
        "exports/one/export/1/guide.pdf",
    ]
    others = [
        "jobs/one/upload/recording.mp4",
        "jobs/one/annotations/anchor/drawing.png",
        "jobs/one/pictures/mine/file",
        "external/one.json",
        "elsewhere/1-1-1/x",
    ]
    for key in (*orphans, *others):
        written(artifact_store, key)

    assert swept(store, artifact_store, timedelta()) == Orphaned()
    assert swept(store, artifact_store, LATER - timedelta(minutes=10)) == Orphaned()
    with store._database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert swept(store, artifact_store) == Orphaned(), "tables of a newer version may name them"
    with store._database.write() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{schema.head()}'"))
    assert swept(store, artifact_store) == Orphaned(files=len(orphans))

    assert not any(artifact_store.exists(key) for key in orphans)
    assert all(artifact_store.exists(key) for key in (own, *others))
    assert swept(store, artifact_store) == Orphaned()


def test_given_a_file_of_one_job_that_a_row_of_another_names_when_swept_then_it_stays(
    store: Store, artifact_store: ArtifactStore
) -> None:
    shared = written(artifact_store, f"jobs/{uploaded_job(store).id}/1-1-1/audio.flac")  # as a memo tells of it
    recorded(store, shared)
    assert swept(store, artifact_store) == Orphaned()
    assert artifact_store.read_bytes(shared)


def test_given_an_asset_with_its_thumbnail_when_swept_then_both_stay(
    store: Store, artifact_store: ArtifactStore
) -> None:
    job, _ = rich(store).request_job(wanted())
    blobs = [written(artifact_store, f"jobs/{job.id}/1-1-1/{name}") for name in ("original.png", "thumbnail.jpg")]
    elsewhere = written(artifact_store, "jobs/another/1-1-1/thumbnail.jpg")
    assets = [
        NewAsset(ordinal=number, medium=AssetMedium.PICTURE, blob=blobs[0], thumbnail=small)
        for number, small in enumerate((blobs[1], elsewhere), start=1)
    ]
    store.begin_stage(job.id, fence(1), RUNNING)
    store.finish_stage(job.id, fence(1), target=COMPLETED, assets=assets)
    assert swept(store, artifact_store) == Orphaned()
    assert all(artifact_store.exists(each.key) for each in (*blobs, elsewhere))


def test_given_more_files_than_are_looked_at_together_when_swept_then_each_is_judged(
    store: Store, artifact_store: ArtifactStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.upkeep.orphans.AT_ONCE", 2)
    kept = [written(artifact_store, f"jobs/j{n}/1-1-1/audio.flac") for n in range(3)]
    for each in kept:
        recorded(store, each)
        written(artifact_store, each.key.replace("1-1-1", "1-1-2"))
    assert swept(store, artifact_store) == Orphaned(files=3)
    assert all(artifact_store.exists(each.key) for each in kept)


def test_given_memos_and_resume_points_when_old_then_they_go_and_are_not_believed_before(
    store: Store, folder_store: ArtifactStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = StageMemo(folder_store)
    memo.put(OWNER, "audio", {"video": "1"}, written(folder_store, "jobs/one/1-1-1/audio.flac"))
    assert memo.get(OWNER, "audio", {"video": "1"}) is not None
    monkeypatch.setattr("activities.artifacts.memo.BELIEVED_S", -1.0)
    assert memo.get(OWNER, "audio", {"video": "1"}) is None
    assert swept(store, folder_store) == Orphaned(files=1, memos=1)


def test_every_column_that_names_an_object_is_asked() -> None:
    called_key = {column for table in metadata.sorted_tables for column in table.c if column.name == "key"}
    assert {column for column in called_key if column.table.name != "idempotency_keys"} == set(KEYS)
    assert all("job_id" in column.table.c for column in SAYING)
