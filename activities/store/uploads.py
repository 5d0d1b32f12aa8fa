"""Uploads: the session in which a recording arrives, its parts, and its confirmation."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from activities.store.area import Area
from activities.store.artifacts import add_artifacts, latest_artifact
from activities.store.locking import LockedJob, not_found
from activities.store.records import UploadPart, UploadSession
from activities.store.tables import upload_parts, uploads
from domain.artifacts import ArtifactKind, Blob
from domain.errors import VideoUriConflict
from domain.instruction import UPLOADED, UPLOADING
from domain.jobs import Actor, Job, NewArtifact
from domain.lifecycle import Trigger


def _session_of(connection: Connection, job_id: str) -> UploadSession | None:
    row = connection.execute(select(uploads).where(uploads.c.job_id == job_id)).mappings().one_or_none()
    return UploadSession.model_validate(dict(row)) if row is not None else None


class Uploads(Area):
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
    ) -> tuple[Job, UploadSession]:
        """Begin a job's upload session; while the job is UPLOADING the same session is answered, refreshed.

        Args:
            upload_id: The session's id where it is new.
            key: Where in the artifact store the recording will lie, where the session is new.
            size_bytes, checksum_sha256: What the client declares, checked when the upload is confirmed.

        Raises:
            TransitionRefused: The job is past its upload.
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
            session = _session_of(connection, job_id)
            if session is not None and job.status is UPLOADING:
                connection.execute(update(uploads).where(uploads.c.id == session.id).values(declared))
                return job.save(), session.model_copy(update=declared)
            job.move(UPLOADING, Trigger.API, actor=Actor.EDITOR)
            session = UploadSession(id=upload_id, job_id=job_id, key=key, created_at=now, **declared)
            connection.execute(insert(uploads), session.model_dump())
            return job.save(), session

    def get_upload(self, upload_id: str) -> UploadSession:
        """Raises: NotFound: there is no such session."""
        with self._database.read() as connection:
            row = connection.execute(select(uploads).where(uploads.c.id == upload_id)).mappings().one_or_none()
        if row is None:
            raise not_found()
        return UploadSession.model_validate(dict(row))

    def upload_of_job(self, job_id: str) -> UploadSession | None:
        """The job's session, if it has one."""
        with self._database.read() as connection:
            return _session_of(connection, job_id)

    def record_part(self, upload_id: str, part: UploadPart) -> None:
        """A part arrived; one that arrives again replaces what was known of it.

        Raises:
            NotFound: There is no such session.
        """
        with self._database.write() as connection:
            session = select(uploads.c.id).where(uploads.c.id == upload_id).with_for_update()
            if connection.execute(session).one_or_none() is None:
                raise not_found()
            values = {**part.model_dump(), "received_at": self._clock()}
            again = update(upload_parts).where(
                upload_parts.c.upload_id == upload_id, upload_parts.c.number == part.number
            )
            if connection.execute(again.values(values)).rowcount == 0:
                connection.execute(insert(upload_parts), {"upload_id": upload_id, **values})

    def upload_parts(self, upload_id: str) -> tuple[UploadPart, ...]:
        """The parts that have arrived, by number."""
        query = select(upload_parts).where(upload_parts.c.upload_id == upload_id).order_by(upload_parts.c.number)
        with self._database.read() as connection:
            return tuple(UploadPart.model_validate(dict(row)) for row in connection.execute(query).mappings())

    def confirm_upload(self, owner: str, job_id: str, blob: Blob, source_name: str | None = None) -> tuple[Job, bool]:
        """Record the recording as the job's VIDEO, and the job as UPLOADED.

        Args:
            blob: The object as it was verified: it exists, size and checksum agree.
            source_name: The file's own name, cleaned.

        Returns:
            The job, and whether this very recording had been confirmed before: then nothing was written, whatever
            the job's status is by now.

        Raises:
            VideoUriConflict: Another recording was confirmed. ``details`` hold the keys as ``current_video_uri``
                and ``submitted_video_uri``.
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
            job.move(UPLOADED, Trigger.API, actor=Actor.EDITOR)
            job.set(source_name=source_name)
            new = NewArtifact(kind=ArtifactKind.VIDEO, blob=blob)
            add_artifacts(connection, job_id, job["attempt"], None, (new,), now, self._new_id)
            return job.save(), False
