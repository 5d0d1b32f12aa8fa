"""The sweep: what nobody will come back for.

Uploads that were begun and never confirmed keep gigabytes where nobody sees them, and S3 bills for them. A session is
swept under its lease, as it would be confirmed under it, so that the two cannot meet.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol
from uuid import uuid4

import structlog
from pydantic import Field
from temporalio import activity

from activities.artifacts import ArtifactStore
from activities.rails.contracts import Message
from activities.rails.heartbeat import Heartbeat
from activities.store import UploadSession
from domain.artifacts import Artifact, ArtifactKind
from domain.documents.screenshots import PictureUpload
from domain.erasure import Erasure, Purge, PurgeKind
from domain.errors import NotFound, RecordingInUse
from domain.lifecycles.kinds import LIFECYCLES

EXPIRED_FOR_S = 3600.0
"""Seconds after its address expired that a session is kept: a part that was on its way then has landed by now."""

REMAINS_AFTER_S = 24 * 3600.0
"""Seconds after which what belongs to no session is taken for what a killed process left behind."""

SEAL_S = 300.0

HEARTBEAT_TIMEOUT_S = 60.0

log = structlog.get_logger("guidesmith.sweep")


class Swept(Message):
    """How many sessions were emptied, how many pictures let go, how many other remains were removed, how many
    idempotency keys, deliveries of webhooks, webhooks of providers, callbacks, sittings and brands were forgotten, and
    the erasure of how many jobs and recordings was begun because of their age, and of how many guides in the bin."""

    uploads: int = 0
    pictures: int = 0
    remains: int = 0
    keys: int = 0
    deliveries: int = 0
    webhooks: int = 0
    callbacks: int = 0
    sessions: int = 0
    sittings: int = 0
    brands: int = 0
    jobs: int = 0
    recordings: int = 0
    binned: int = 0


class UploadSessions(Protocol):
    """What the sweep needs of the store."""

    def abandoned_uploads(self, expired_for_s: float, limit: int = 100) -> tuple[UploadSession, ...]: ...
    def lease_upload(self, upload_id: str, lease: str, for_s: float) -> UploadSession | None: ...
    def release_lease(self, upload_id: str, lease: str, *, multipart_id: str | None) -> bool: ...
    def is_multipart_held(self, multipart_id: str) -> bool: ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def abandoned_pictures(self, expired_for_s: float, limit: int = 100) -> tuple[PictureUpload, ...]: ...
    def forget_picture(self, upload_id: str, key: str) -> bool: ...
    def purge_idempotency_keys(self) -> int: ...
    def purge_deliveries(self, older_than_s: float) -> int: ...
    def purge_provider_webhooks(self, older_than_s: float) -> int: ...
    def purge_callbacks(self, older_than_s: float) -> int: ...
    def purge_ended_sessions(self) -> int: ...
    def purge_sittings(self) -> int: ...
    def forget_presences(self) -> int: ...
    def forget_brands(self) -> int: ...
    def expired_jobs(
        self, kind: str, older_than_s: float, limit: int = 100, *, within: str | None = None, but: Sequence[str] = ()
    ) -> tuple[str, ...]: ...
    def expired_recordings(
        self, older_than_s: float, limit: int = 100, *, within: str | None = None, but: Sequence[str] = ()
    ) -> tuple[str, ...]: ...
    def begin_erasure(self, job_id: str, *, owner: str | None, by_age: bool) -> Erasure: ...
    def begin_recording_purge(self, job_id: str, *, owner: str | None, by_age: bool) -> Purge: ...
    def expired_in_bin(self, limit: int = 100) -> tuple[str, ...]: ...
    def begin_erasure_in_bin(self, job_id: str, *, owner: str | None, by_age: bool) -> Erasure: ...


class Keeping(Message):
    """How long the log of webhooks and callbacks is kept, recordings (``None``: for ever), and jobs that have ended, of
    the kinds that are not kept for ever; and in single projects, before what holds for all, by kind and
    ``recording``. In seconds."""

    log_s: float
    recordings_s: float | None = None
    jobs_s: Mapping[str, float] = Field(default_factory=dict)
    projects_s: Mapping[str, Mapping[str, float]] = Field(default_factory=dict)

    def terms(self, kind: str, general_s: float | None) -> Iterator[tuple[float, dict[str, Any]]]:
        """For each time that ``kind`` is kept for: that, and which projects it holds in.

        Args:
            general_s: How long where the project says nothing; ``None``: for ever.
        """
        own = {project: kept[kind] for project, kept in self.projects_s.items() if kind in kept}
        if general_s is not None:
            yield general_s, {"but": tuple(own)}
        for project, kept_s in own.items():
            yield kept_s, {"within": project}


class Sweeper:
    """One activity, run by a schedule.

    Args:
        longest_s: How long an upload may be on its way at most: nothing younger is taken for remains.
        keeping: How long what is kept.
    """

    def __init__(
        self, sessions: UploadSessions, artifacts: ArtifactStore, *, longest_s: float, keeping: Keeping
    ) -> None:
        self._sessions = sessions
        self._artifacts = artifacts
        self._remains_after_s = max(longest_s, REMAINS_AFTER_S)
        self._keeping = keeping

    @activity.defn(name="sweep")
    def sweep(self) -> Swept:
        """Empty the sessions that were abandoned, then remove what belongs to none; forget keys and sessions that
        have expired, webhooks and sittings that are old, and brands that nothing shows; then begin to erase the jobs
        and recordings whose time has come, which the reconciler sees to the end."""
        log_s = self._keeping.log_s
        with Heartbeat(HEARTBEAT_TIMEOUT_S):
            uploads, pictures = self._drop_all(), self._drop_pictures()
            remains = self._artifacts.sweep_abandoned(self._remains_after_s, self._sessions.is_multipart_held)
            keys = self._sessions.purge_idempotency_keys()
            deliveries = self._sessions.purge_deliveries(log_s)
            webhooks = self._sessions.purge_provider_webhooks(log_s)
            callbacks = self._sessions.purge_callbacks(log_s)
            sessions = self._sessions.purge_ended_sessions()
            sittings = self._sessions.purge_sittings()
            self._sessions.forget_presences()
            brands = self._sessions.forget_brands()
            jobs, recordings = self._expire_jobs(), self._expire_recordings()
            binned = _expire(self._sessions.expired_in_bin, self._sessions.begin_erasure_in_bin)
        swept = Swept(
            uploads=uploads,
            pictures=pictures,
            remains=remains,
            keys=keys,
            deliveries=deliveries,
            webhooks=webhooks,
            callbacks=callbacks,
            sessions=sessions,
            sittings=sittings,
            brands=brands,
            jobs=jobs,
            recordings=recordings,
            binned=binned,
        )
        if swept != Swept():
            log.info("sweep.done", **swept.model_dump())
        return swept

    def _expire_jobs(self) -> int:
        return sum(
            _expire(partial(self._sessions.expired_jobs, kind, kept_s, **where), self._sessions.begin_erasure)
            for kind in LIFECYCLES
            for kept_s, where in self._keeping.terms(kind, self._keeping.jobs_s.get(kind))
        )

    def _expire_recordings(self) -> int:
        return sum(
            _expire(partial(self._sessions.expired_recordings, kept_s, **where), self._sessions.begin_recording_purge)
            for kept_s, where in self._keeping.terms(PurgeKind.RECORDING, self._keeping.recordings_s)
        )

    def _drop_all(self) -> int:
        swept, seen = 0, set[str]()
        while fresh := [each for each in self._sessions.abandoned_uploads(EXPIRED_FOR_S) if each.id not in seen]:
            seen |= {each.id for each in fresh}
            swept += sum(self._drop(each) for each in fresh)
        return swept

    def _drop_pictures(self) -> int:
        """Somebody's own pictures that arrived and were never confirmed."""
        swept = 0
        while held := self._sessions.abandoned_pictures(EXPIRED_FOR_S):
            for upload in held:
                if upload.key is not None and self._sessions.forget_picture(upload.id, upload.key):
                    self._artifacts.delete(upload.key)
                    swept += 1
        return swept

    def _drop(self, session: UploadSession) -> bool:
        lease = uuid4().hex
        sealed = self._sessions.lease_upload(session.id, lease, SEAL_S)
        if sealed is None:
            return False
        held = sealed.multipart_id
        try:
            if (held, sealed.expires_at) != (session.multipart_id, session.expires_at):
                return False  # somebody came back for it
            if held is not None:
                self._artifacts.multipart.abort(sealed.key, held)
                held = None
            video = self._sessions.latest_artifact(sealed.job_id, ArtifactKind.VIDEO)
            if sealed.confirmed_at is not None:
                return True
            if video is None or video.blob.key != sealed.key:
                self._artifacts.delete(sealed.key)  # joined, and then refused or never confirmed
            return True
        finally:
            self._sessions.release_lease(session.id, lease, multipart_id=held)


def _expire(find: Callable[[], tuple[str, ...]], begin: Callable[..., object]) -> int:
    """Begin to erase what is found, until there is no more; how many."""
    begun = 0
    while expired := find():
        before = begun
        for job_id in expired:
            with suppress(NotFound, RecordingInUse):  # its owner was faster, or a run: it is looked at in an hour
                begin(job_id, owner=None, by_age=True)
                begun += 1
        if begun == before:
            break
    return begun
