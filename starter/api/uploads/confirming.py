"""The proof that a recording has arrived, given once, however many ask for it at the same time.

Whoever confirms leases the session first (``activities/store/uploads/leases.py``): from then on nothing changes it, and
nobody else works on it. Looking at the parts, hashing and joining happen under the lease, outside any transaction; the
last transaction records the recording only if the lease is still held.
"""

import contextlib
import time
from dataclasses import dataclass
from uuid import uuid4

from activities.artifacts import ArtifactStore, Multipart, UploadGone
from activities.store import Store, UploadSession
from domain.artifacts import ArtifactKind, Blob
from domain.errors import (
    ArtifactKeyInvalid,
    ArtifactStoreUnavailable,
    GuidesmithError,
    UploadInvalid,
    UploadSealed,
    VideoUriConflict,
)
from domain.jobs import Job
from domain.lifecycles.instruction import UPLOADED
from domain.lifecycles.kinds import lifecycle_of
from domain.lifecycles.lifecycle import Trigger
from domain.uploads import NOTHING_ARRIVED, SHOWN, ArrivedPart, check_parts, stray_parts
from starter.api.errors import BodyTooLarge
from starter.api.shapes import ConfirmUpload
from starter.api.uploads.receiving import Receiving, too_large

SEAL_S = 60.0
"""After so long without a sign of life of whoever confirms, somebody else may."""

EXTEND_EVERY_S = 10.0


@dataclass(frozen=True)
class Confirming:
    """One request to confirm."""

    store: Store
    artifacts: ArtifactStore
    cap_bytes: int
    owner: str
    job_id: str
    asked: ConfirmUpload

    def replayed(self) -> Job | None:
        """The job, when this recording was confirmed before.

        Raises:
            VideoUriConflict: The job has another recording.
            TransitionRefused: The job's status does not allow it.
            NotFound: There is no such job, or it is somebody else's.
        """
        job = self.store.get_job(self.job_id, owner=self.owner)
        video = self.store.latest_artifact(job.id, ArtifactKind.VIDEO)
        if video is None:
            lifecycle = lifecycle_of(job.kind)
            lifecycle.check(lifecycle.status(job.status), UPLOADED, Trigger.API)
            return None
        current = self.artifacts.uri(video.blob.key)
        if current != self.asked.video_uri:
            raise _conflict(current, self.asked.video_uri)
        return self.store.get_job(job.id)  # as it is with its recording: that may have come since it was read

    def attempt(self) -> tuple[Job, bool] | None:
        """The job, UPLOADED, and whether it was before; ``None`` while somebody else is confirming it.

        Raises:
            UploadInvalid: There is no such object, or its size or checksum is not as declared.
            BodyTooLarge: It has more bytes than the settings allow; they are dropped.
            VideoUriConflict, TransitionRefused, NotFound: As :meth:`replayed`.
        """
        if (before := self.replayed()) is not None:
            return before, True
        session = self._session()
        lease = Lease.take(self.store, session.id)
        if lease is None:
            return None
        try:
            if (before := self.replayed()) is not None:  # by whoever held the lease before
                return before, True
            return self._confirm(lease)
        except UploadSealed:
            return None
        except VideoUriConflict as other:
            keys = (str(other.details[name]) for name in ("current_video_uri", "submitted_video_uri"))
            raise _conflict(*(self.artifacts.uri(key) for key in keys)) from None
        finally:
            lease.release()

    def _session(self) -> UploadSession:
        session = self.store.upload_of_job(self.job_id)
        if session is None or not _names(self.artifacts, session, self.asked.video_uri):
            raise UploadInvalid(
                "Nothing was uploaded to this job under that video_uri. Begin an upload first.",
                details={"mismatch": ["video_uri"]},
            )
        return session

    def _confirm(self, lease: "Lease") -> tuple[Job, bool]:
        session = lease.session
        receiving = Receiving(self.store, self.artifacts, self.cap_bytes, session)
        blob = self.arrived(receiving, lease)
        lease.extend()
        confirmed = self.store.confirm_upload(self.owner, self.job_id, blob, session.filename, lease=lease.name)
        with contextlib.suppress(GuidesmithError):  # what an interrupted run may have left; the sweep would find it
            receiving.abort(session.multipart_id)
        return confirmed

    def arrived(self, receiving: Receiving, lease: "Lease") -> Blob:
        """The recording, at its place, as it was declared.

        What is refused can be mended: what had arrived is there still, and takes parts again.
        """
        session, multipart = lease.session, self.artifacts.multipart
        if session.multipart_id is None:
            raise _nothing()
        try:
            multipart.freeze(session.key, session.multipart_id)
            parts = multipart.arrived(session.key, session.multipart_id)
        except UploadGone:
            return self._left_joined(receiving, lease)
        try:
            sha256 = self._checked(multipart, parts, lease)
            lease.extend()
            multipart.join(session.key, session.multipart_id, parts, lease.progress)
            return self._verified(receiving, parts, sha256, lease)
        except UploadGone:  # an earlier try of ours went through after all
            return self._left_joined(receiving, lease)
        except BodyTooLarge:
            receiving.abort(session.multipart_id)
            lease.multipart_id = None
            raise
        except UploadInvalid:
            lease.multipart_id = multipart.reopen(session.key, receiving.media_type, session.multipart_id, parts)
            raise

    def _checked(self, multipart: Multipart, parts: tuple[ArrivedPart, ...], lease: "Lease") -> str | None:
        """Everything that can be known before joining; the hash, where it can be."""
        session = lease.session
        check_parts(parts, least=multipart.least_part_bytes if session.whole_sha256 is None else 1)
        size = sum(part.size_bytes for part in parts)
        if size > self.cap_bytes:
            raise too_large(self.cap_bytes)
        self._check_size(session, size, parts)
        assert session.multipart_id is not None
        sha256 = session.whole_sha256 or multipart.digest(session.key, session.multipart_id, parts, lease.progress)
        if sha256 is not None:
            self._check_hash(session, sha256)
        return sha256

    def _verified(
        self, receiving: Receiving, parts: tuple[ArrivedPart, ...], sha256: str | None, lease: "Lease"
    ) -> Blob:
        if sha256 is None:
            return self._read(receiving, lease)
        key, size = lease.session.key, sum(part.size_bytes for part in parts)
        facts = self.artifacts.stat(key)
        if facts is None or facts.size_bytes != size:
            raise ArtifactStoreUnavailable("The object store does not show what was joined. Confirm again.")
        return Blob(key=key, size_bytes=size, checksum_sha256=sha256, media_type=receiving.media_type)

    def _left_joined(self, receiving: Receiving, lease: "Lease") -> Blob:
        """What somebody joined who could not say so any more."""
        if not self.artifacts.exists(lease.session.key):
            lease.multipart_id = None
            raise _nothing()
        return self._read(receiving, lease)

    def _read(self, receiving: Receiving, lease: "Lease") -> Blob:
        """The only time that a recording is read here: when its bytes went past us."""
        blob = self.artifacts.blob_of(lease.session.key, receiving.media_type, on_progress=lease.progress)
        self._check_size(lease.session, blob.size_bytes)
        self._check_hash(lease.session, blob.checksum_sha256)
        return blob

    def _check_size(self, session: UploadSession, size: int, parts: tuple[ArrivedPart, ...] = ()) -> None:
        for declared in (session.size_bytes, self.asked.size_bytes):
            if declared in (None, size):
                continue
            facts: dict[str, object] = {"received_bytes": size}
            in_parts = session.whole_sha256 is None and session.part_size is not None
            if in_parts and (strays := stray_parts(parts, session.part_size or 0, declared)):
                facts["stray_parts"] = strays[:SHOWN]
            raise _mismatch("size_bytes", **facts)

    def _check_hash(self, session: UploadSession, sha256: str) -> None:
        if {session.checksum_sha256, self.asked.checksum_sha256} - {None, sha256}:
            raise _mismatch("checksum_sha256")


class Lease:
    """The lease of one session, while it is held here."""

    def __init__(self, store: Store, name: str, session: UploadSession) -> None:
        self._store, self.name, self.session = store, name, session
        self.multipart_id = session.multipart_id
        """What the session holds when the lease is given back."""
        self._extended_at = time.monotonic()

    @classmethod
    def take(cls, store: Store, upload_id: str) -> "Lease | None":
        name = uuid4().hex
        session = store.lease_upload(upload_id, name, SEAL_S)
        return cls(store, name, session) if session is not None else None

    def progress(self, _: int) -> None:
        if time.monotonic() - self._extended_at > EXTEND_EVERY_S:
            self.extend()

    def extend(self) -> None:
        """Raises: UploadSealed: somebody else has it by now."""
        if not self._store.extend_lease(self.session.id, self.name, SEAL_S):
            raise UploadSealed("The upload is being confirmed. Wait for that answer.")
        self._extended_at = time.monotonic()

    def release(self) -> None:
        with contextlib.suppress(GuidesmithError):  # it runs out by itself
            self._store.release_lease(self.session.id, self.name, multipart_id=self.multipart_id)


def _names(artifacts: ArtifactStore, session: UploadSession, uri: str) -> bool:
    try:
        return artifacts.key_of(uri) == session.key
    except ArtifactKeyInvalid:
        return False


def _conflict(current: str, submitted: str) -> VideoUriConflict:
    return VideoUriConflict(
        "The job already has another recording. Make a new job for this one.",
        details={"current_video_uri": current, "submitted_video_uri": submitted},
    )


def _nothing() -> UploadInvalid:
    return UploadInvalid(NOTHING_ARRIVED, details={"mismatch": ["absent"]})


def _mismatch(what: str, **facts: object) -> UploadInvalid:
    told = "What arrived is not what was declared: send it again."
    if "stray_parts" in facts:
        told = "More has arrived than was declared. Take the stray_parts back: PUT each again, empty."
    return UploadInvalid(told, details={"mismatch": [what], **facts})
