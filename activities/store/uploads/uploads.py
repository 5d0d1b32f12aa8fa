"""Uploads: the session in which a recording, or an input of an analysis, arrives; and the recording's confirmation."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from activities.store.jobs.artifacts import add_artifacts, latest_artifact
from activities.store.jobs.locking import LockedJob, not_found, read_job
from activities.store.jobs.quotas import check_uploads
from activities.store.records import UploadSession
from activities.store.repository import Repository
from activities.store.tables import uploads
from domain.artifacts import ArtifactKind, Blob
from domain.erasure import is_absent
from domain.errors import UploadSealed, VideoUriConflict
from domain.jobs import Actor, Job, NewArtifact
from domain.lifecycles.analysis import check_unlocked
from domain.lifecycles.instruction import UPLOADED, UPLOADING
from domain.lifecycles.kinds import lifecycle_of
from domain.lifecycles.lifecycle import Trigger

SEALED = "The upload is being confirmed. Wait for that answer."
ARRIVED = "This file has arrived and is what was declared. Nothing more can be sent to it."

RECORDING = 0
"""The number of a job's only upload where it is of a recording."""


def session_of(connection: Connection, job_id: str) -> UploadSession | None:
    """The session of the job's recording."""
    query = select(uploads).where(uploads.c.job_id == job_id, uploads.c.ordinal == RECORDING)
    row = connection.execute(query).mappings().one_or_none()
    return UploadSession.model_validate(dict(row)) if row is not None else None


def locked_session(connection: Connection, upload_id: str) -> UploadSession:
    """The session, its row locked until the transaction ends. Raises: NotFound: there is none."""
    query = select(uploads).where(uploads.c.id == upload_id).with_for_update()
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise not_found()
    return UploadSession.model_validate(dict(row))


def change_session(connection: Connection, session: UploadSession, **columns: Any) -> UploadSession:
    connection.execute(update(uploads).where(uploads.c.id == session.id).values(columns))
    return session.model_copy(update=columns)


class Uploads(Repository):
    def begin_upload(
        self,
        owner: str,
        job_id: str,
        *,
        upload_id: str,
        key: str,
        filename: str,
        size_bytes: int | None = None,
        checksum_sha256: str | None = None,
        expires_at: datetime,
        part_size: int | None = None,
    ) -> tuple[Job, UploadSession]:
        """Begin a job's upload session; while the job is UPLOADING the same session is answered, refreshed.

        Args:
            upload_id: The session's id where it is new.
            key: Where in the artifact store the recording will lie, where the session is new.
            size_bytes, checksum_sha256: What the client declares, checked when the upload is confirmed. Where the same
                file is announced again without them, what was declared first holds.
            part_size: Bytes of its parts; those of a session to which something was sent stay.

        Raises:
            TransitionRefused: The job is past its upload.
            QuotaExceeded: The owner has no room for so much.
            NotFound: Absent, or not ``owner``'s.
        """
        declared: dict[str, Any] = {
            "filename": filename,
            "size_bytes": size_bytes,
            "checksum_sha256": checksum_sha256,
            "expires_at": expires_at,
        }
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now, owner=owner)
            session = session_of(connection, job_id)
            if session is not None and job.status is UPLOADING:
                sizes = {"part_size": part_size} if session.multipart_id is None else {}
                same_file = session.filename == filename
                kept = {name for name in ("size_bytes", "checksum_sha256") if same_file and declared[name] is None}
                changed = {name: value for name, value in declared.items() if name not in kept}
                session = change_session(connection, session, **changed, **sizes)
                check_uploads(connection, owner, self._limits, now)
                return job.save(), session
            job.move(UPLOADING, Trigger.API, actor=Actor.EDITOR)
            session = UploadSession(
                id=upload_id, job_id=job_id, key=key, created_at=now, part_size=part_size, **declared
            )
            connection.execute(insert(uploads), session.model_dump())
            saved = job.save()
            check_uploads(connection, owner, self._limits, now)
            return saved, session

    def get_upload(self, upload_id: str) -> UploadSession:
        """Raises: NotFound: there is no such session."""
        with self._database.read() as connection:
            row = connection.execute(select(uploads).where(uploads.c.id == upload_id)).mappings().one_or_none()
            if row is None or is_absent(read_job(connection, row["job_id"]).owner):
                raise not_found()
        return UploadSession.model_validate(dict(row))

    def open_upload(self, upload_id: str) -> UploadSession:
        """The session, while it takes bytes.

        Raises:
            NotFound: There is no such session.
            TransitionRefused: The job is past its upload.
            UploadSealed: It is being confirmed, or was.
        """
        with self._database.read() as connection:
            row = connection.execute(select(uploads).where(uploads.c.id == upload_id)).mappings().one_or_none()
            if row is None:
                raise not_found()
            session = UploadSession.model_validate(dict(row))
            self._check_open(connection, session)
            return session

    def upload_of_job(self, job_id: str) -> UploadSession | None:
        """The job's session, if it has one."""
        with self._database.read() as connection:
            return session_of(connection, job_id)

    def begin_parts(self, upload_id: str, multipart_id: str, *, instead_of: str | None) -> UploadSession:
        """Let parts go to ``multipart_id``, where the session still has ``instead_of``.

        Returns:
            The session as it is now: with another id, where somebody else was first.

        Raises:
            NotFound, TransitionRefused, UploadSealed: As :meth:`open_upload`.
        """
        with self._database.write() as connection:
            session = locked_session(connection, upload_id)
            self._check_open(connection, session)
            if session.multipart_id != instead_of:
                return session
            return self._hold(connection, session, multipart_id, None)

    def record_whole(self, upload_id: str, multipart_id: str, sha256: str) -> str | None:
        """The recording was sent whole, into ``multipart_id``: that is what the session holds now.

        Returns:
            The id of what it held before.

        Raises:
            NotFound, TransitionRefused, UploadSealed: As :meth:`open_upload`.
        """
        with self._database.write() as connection:
            session = locked_session(connection, upload_id)
            self._check_open(connection, session)
            self._hold(connection, session, multipart_id, sha256)
            return session.multipart_id

    def confirm_upload(
        self, owner: str, job_id: str, blob: Blob, source_name: str | None = None, *, lease: str | None = None
    ) -> tuple[Job, bool]:
        """Record the recording as the job's VIDEO, and the job as UPLOADED.

        Args:
            blob: The object as it was verified: it exists, size and checksum agree.
            source_name: The file's own name, cleaned.
            lease: The lease under which it was verified, where it arrived in a session.

        Returns:
            The job, and whether this very recording had been confirmed before: then nothing was written, whatever
            the job's status is by now.

        Raises:
            VideoUriConflict: Another recording was confirmed. ``details`` hold the keys as ``current_video_uri``
                and ``submitted_video_uri``.
            UploadSealed: The lease was lost to somebody else.
            TransitionRefused: The job's status does not allow it.
            NotFound: Absent, or not ``owner``'s.
        """
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now, owner=owner)
            video = latest_artifact(connection, job_id, ArtifactKind.VIDEO)
            if video is not None:
                if video.blob.key == blob.key:
                    return job.save(), True
                raise VideoUriConflict(
                    "The job already has another recording. Make a new job for this one.",
                    details={"current_video_uri": video.blob.key, "submitted_video_uri": blob.key},
                )
            if lease is not None:
                released = update(uploads).where(uploads.c.job_id == job_id, uploads.c.sealed_by == lease)
                emptied = released.values(multipart_id=None, whole_sha256=None, sealed_by=None, sealed_until=None)
                if connection.execute(emptied).rowcount == 0:
                    raise UploadSealed(SEALED)
            job.move(UPLOADED, Trigger.API, actor=Actor.EDITOR)
            job.set(source_name=source_name)
            new = NewArtifact(kind=ArtifactKind.VIDEO, blob=blob)
            add_artifacts(connection, job_id, job["attempt"], None, (new,), now, self._new_id)
            return job.save(), False

    def _check_open(self, connection: Connection, session: UploadSession) -> None:
        job = read_job(connection, session.job_id)
        if is_absent(job.owner):
            raise not_found()
        lifecycle = lifecycle_of(job.kind)
        status = lifecycle.status(job.status)
        if session.ordinal != RECORDING:
            check_unlocked(status)
        elif status is not UPLOADING:
            lifecycle.check(status, UPLOADING, Trigger.API)
        if session.confirmed_at is not None:
            raise UploadSealed(ARRIVED)
        if session.is_leased(self._clock()):
            raise UploadSealed(SEALED)

    def _hold(
        self, connection: Connection, session: UploadSession, multipart_id: str, sha256: str | None
    ) -> UploadSession:
        """A lease that ran out is broken: who held it cannot confirm what is not there any more."""
        return change_session(
            connection, session, multipart_id=multipart_id, whole_sha256=sha256, sealed_by=None, sealed_until=None
        )
