"""The sweep: abandoned uploads go, with everything that belonged to them; what somebody may come back for stays."""

import os
import time
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import pytest
from temporalio.testing import ActivityEnvironment

from activities.artifacts import ArtifactStore, UploadGone
from activities.store import IdempotencyScope, Store, UploadSession
from activities.upkeep.sweeping import EXPIRED_FOR_S, Keeping, Sweeper, Swept
from domain.artifacts import ArtifactKind
from domain.jobs import Actor, Job
from domain.lifecycles.instruction import CANCELLED
from domain.lifecycles.lifecycle import Trigger
from tests.integration.store_builders import OWNER, created_job, uploaded_job
from tests.integration.test_webhook_store import URL, event

DAY = timedelta(days=1)
NOW = datetime.now(UTC)


def swept(store: Store, artifacts: ArtifactStore) -> Swept:
    sweeper = Sweeper(store, artifacts, longest_s=DAY.total_seconds(), keeping=Keeping(log_s=30 * DAY.total_seconds()))
    answer = ActivityEnvironment().run(sweeper.sweep)
    assert isinstance(answer, Swept)
    return answer


def uploading(store: Store, artifacts: ArtifactStore, expires_at: datetime = NOW + DAY) -> tuple[Job, UploadSession]:
    """A session into which a part was sent."""
    job = created_job(store)
    job, session = store.begin_upload(
        OWNER,
        job.id,
        upload_id=f"upload-{job.id}",
        key=f"jobs/{job.id}/upload/recording.mp4",
        filename="recording.mp4",
        expires_at=expires_at,
    )
    upload_id = artifacts.multipart.begin(session.key, "video/mp4")
    part = artifacts.multipart.part(session.key, upload_id, 1)
    part.write(b"recording")
    part.commit()
    return job, store.begin_parts(session.id, upload_id, instead_of=None)


def is_there(artifacts: ArtifactStore, session: UploadSession) -> bool:
    assert session.multipart_id is not None
    try:
        return len(artifacts.multipart.arrived(session.key, session.multipart_id)) == 1
    except UploadGone:
        return False


def join(artifacts: ArtifactStore, session: UploadSession) -> None:
    assert session.multipart_id is not None
    multipart = artifacts.multipart
    multipart.freeze(session.key, session.multipart_id)
    parts = multipart.arrived(session.key, session.multipart_id)
    multipart.join(session.key, session.multipart_id, parts, lambda _: None)


def test_given_sessions_when_swept_then_those_go_that_expired_or_whose_job_ended(
    store: Store, artifact_store: ArtifactStore
) -> None:
    _, alive = uploading(store, artifact_store)
    just_now = datetime.now(UTC) - timedelta(seconds=EXPIRED_FOR_S / 2)  # NOW may be an hour ago
    _, just_expired = uploading(store, artifact_store, just_now)
    _, expired = uploading(store, artifact_store, NOW - DAY)
    job, cancelled = uploading(store, artifact_store)
    store.move(job.id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)

    assert swept(store, artifact_store) == Swept(uploads=2)

    assert all(is_there(artifact_store, each) for each in (alive, just_expired))
    assert not any(is_there(artifact_store, each) for each in (expired, cancelled))
    assert store.get_upload(expired.id).multipart_id is None
    assert swept(store, artifact_store) == Swept()


def test_given_a_session_that_is_being_confirmed_when_swept_then_it_stays(
    store: Store, artifact_store: ArtifactStore
) -> None:
    _, session = uploading(store, artifact_store, NOW - DAY)
    assert store.lease_upload(session.id, "somebody", 60) is not None
    assert swept(store, artifact_store) == Swept()
    assert is_there(artifact_store, session)


def test_given_a_recording_that_was_joined_and_never_confirmed_when_swept_then_it_goes_too(
    store: Store, artifact_store: ArtifactStore
) -> None:
    _, session = uploading(store, artifact_store, NOW - DAY)
    join(artifact_store, session)
    assert artifact_store.exists(session.key)
    assert swept(store, artifact_store) == Swept(uploads=1)
    assert not artifact_store.exists(session.key)


def test_given_a_confirmed_recording_when_swept_then_it_stays(store: Store, artifact_store: ArtifactStore) -> None:
    job, session = uploading(store, artifact_store, NOW - DAY)
    join(artifact_store, session)
    blob = artifact_store.blob_of(session.key, "video/mp4")
    store.confirm_upload(OWNER, job.id, blob)  # by a process that died before it could empty the session
    assert swept(store, artifact_store) == Swept(uploads=1)
    assert artifact_store.read_bytes(blob) == b"recording"
    assert store.latest_artifact(job.id, ArtifactKind.VIDEO) is not None


def test_given_a_session_that_was_swept_when_begun_again_then_it_takes_parts(
    store: Store, artifact_store: ArtifactStore
) -> None:
    job, session = uploading(store, artifact_store, NOW - DAY)
    swept(store, artifact_store)
    _, again = store.begin_upload(
        OWNER, job.id, upload_id="other", key="other", filename="again.mp4", expires_at=NOW + DAY
    )
    assert (again.id, again.key, again.multipart_id) == (session.id, session.key, None)


def test_given_what_belongs_to_no_session_when_swept_then_it_goes_once_nobody_can_be_at_it_any_more(
    sqlite_url: str, folder_store: ArtifactStore, tmp_path: Path
) -> None:
    store = Store.open(sqlite_url, durable=False)
    lost = folder_store.multipart.begin("jobs/1/upload/lost.mp4", "video/mp4")
    _, session = uploading(store, folder_store)
    assert swept(store, folder_store) == Swept()
    long_ago = (NOW - 2 * DAY).timestamp()
    for each in (tmp_path / "artifacts" / ".uploads").iterdir():
        os.utime(each, (long_ago, long_ago))
    assert swept(store, folder_store) == Swept(remains=1)
    assert is_there(folder_store, session)
    with pytest.raises(UploadGone):
        folder_store.multipart.arrived("jobs/1/upload/lost.mp4", lost)
    store.dispose()


def test_given_a_worker_whose_clock_is_a_day_ahead_when_it_sweeps_then_what_others_are_sending_stays(
    postgres_url: str, artifact_store: ArtifactStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(postgres_url, durable=False)
    _, session = uploading(store, artifact_store, datetime.now(UTC) + timedelta(hours=1))
    unknown = artifact_store.multipart.begin("screens/large", "video/mp4")  # what no row knows: a stage is writing it
    assert session.multipart_id is not None
    part = artifact_store.multipart.part(session.key, session.multipart_id, 2)
    part.write(b"more of it")
    real = time.time

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(real() + timedelta(hours=26).total_seconds(), tz)

    with monkeypatch.context() as wrong:
        wrong.setattr(time, "time", lambda: Ahead.now().timestamp())
        for module in ("activities.store.database", "activities.artifacts.s3_multipart"):
            wrong.setattr(f"{module}.datetime", Ahead)
        elsewhere = Store.open(postgres_url, durable=False)
        assert swept(elsewhere, artifact_store).uploads == 0
        elsewhere.dispose()

    part.commit()
    assert len(artifact_store.multipart.arrived(session.key, session.multipart_id)) == 2
    artifact_store.multipart.arrived("screens/large", unknown)
    assert artifact_store.sweep_abandoned(-60) >= 1, "whose time has come"
    store.dispose()


def test_given_pictures_that_nobody_confirmed_when_swept_then_those_go_whose_address_expired_long_ago(
    store: Store, artifact_store: ArtifactStore
) -> None:
    kept = []
    for name, expires_at in (("stale", NOW - DAY), ("confirmed", NOW - DAY), ("fresh", NOW + DAY)):
        blob = artifact_store.put_bytes(f"pictures/{name}", b"picture", "image/png")
        upload = store.begin_picture(
            OWNER,
            created_job(store).id,
            filename="mine.png",
            media_type="image/png",
            size_bytes=blob.size_bytes,
            checksum_sha256=blob.checksum_sha256,
            expires_at=expires_at,
        )
        store.receive_picture(upload.id, blob.key)
        kept.append(upload.id)
    store.confirm_picture(kept[1], "pictures/confirmed", 1, 1)

    assert swept(store, artifact_store) == Swept(pictures=1)

    there = [artifact_store.exists(f"pictures/{name}") for name in ("stale", "confirmed", "fresh")]
    assert there == [False, True, True]
    assert swept(store, artifact_store) == Swept()


def test_given_idempotency_keys_and_ended_sessions_when_swept_then_only_those_of_yesterday_are_forgotten(
    database_url: str, folder_store: ArtifactStore
) -> None:
    now = [NOW - DAY]
    store = Store.open(database_url, clock=lambda: now[0], durable=False)
    for key in ("old", "new"):
        store.once(IdempotencyScope(OWNER, "POST", "/api/v1/projects", key), "a" * 64, dict)
        now[0] = NOW
    store.end_session("of-yesterday", 0)
    now[0] += timedelta(seconds=1)

    assert swept(store, folder_store) == Swept(keys=1, sessions=1)
    assert swept(store, folder_store) == Swept()
    store.dispose()


def test_given_webhooks_of_last_year_when_swept_then_they_are_forgotten(
    database_url: str, folder_store: ArtifactStore
) -> None:
    now = [NOW - 365 * DAY]
    store = Store.open(database_url, clock=lambda: now[0], durable=False)
    store.create_endpoint(OWNER, URL)
    uploaded_job(store)
    store.mark_handed_over(store.waiting_deliveries())
    store.receive_webhook(event(ticket="nobodys"))
    assert swept(store, folder_store) == Swept()
    now[0] = NOW
    assert swept(store, folder_store) == Swept(deliveries=1, webhooks=1)
    assert swept(store, folder_store) == Swept()
    store.dispose()
