"""Corrections of transcripts: what a person says was said, beside what was recognised, which is never replaced."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select

from activities.process.callers import acting_member
from activities.store.database import inserting
from activities.store.jobs.locking import LockedJob
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import search_sources
from activities.store.tables import transcript_corrections as table
from domain.artifacts import ArtifactKind
from domain.errors import CorrectionConflict
from domain.jobs import Actor
from domain.recordings.corrections import Correction, text_sha256
from domain.recordings.glossary import SegmentPut

STREAM = "task"
OURS = "guidesmith"
"""Who corrects where nobody has asked for it in person."""

_KEY = ["job_id", "segment", "original_sha256"]
_PUT = {"segment", "original_sha256", "text"}

_OF_JOB = (
    select(*(table.c[name] for name in Correction.model_fields))
    .where(table.c.job_id == bindparam("job_id"), table.c.text.is_not(None))
    .order_by(table.c.segment, table.c.original_sha256)
)
_TEXT = select(table.c.text).where(
    table.c.job_id == bindparam("job_id"),
    table.c.segment == bindparam("segment"),
    table.c.original_sha256 == bindparam("original_sha256"),
)


class Corrections(Repository):
    def corrections(self, job_id: str) -> tuple[Correction, ...]:
        """What is corrected, by segment. Of a job that has had several transcripts, also what is of the earlier ones:
        ``domain/recordings/corrections.py`` says which stand."""
        with self._database.read() as connection:
            return corrections_of(connection, job_id)

    def correct(
        self, owner: str, job_id: str, segment: int, original: str, text: str | None, *, base: str | None = None
    ) -> bool:
        """Say what was said in a segment, or with ``None``, or the original, that it was heard rightly after all.

        Args:
            original: The segment's text in the transcript.
            base: The text that the reader saw; ``None``: whatever it is.

        Returns:
            Whether anything changed.

        Raises:
            NotFound: The job is absent, or not ``owner``'s.
            CorrectionConflict: The segment does not read as ``base`` (any more); nothing was written.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock(), owner=owner)
            now = corrected_text(connection, job_id, segment, text_sha256(original))
            if base is not None and base.strip() != (original if now is None else now).strip():
                raise CorrectionConflict(
                    "Somebody corrected this since you read it. Read the transcript again, then correct what is left.",
                    details={"segment": segment},
                )
            wanted = None if text is None or text.strip() == original.strip() else text
            if wanted == now:
                return False
            author = acting_member() or owner
            put_correction(connection, job_id, segment, text_sha256(original), wanted, author=author, at=job.now)
            job.log(
                EventType.TRANSCRIPT_CORRECTED,
                stream=STREAM,
                actor=Actor.EDITOR,
                data={"segment": segment, "undone": wanted is None},
            )
            job.save()
            return True

    def add_corrections(self, job_id: str, put: Sequence[SegmentPut]) -> None:
        """Corrections that nobody has asked for in person. Where somebody has said what is said, or that it was heard
        rightly, that stands."""
        if not put:
            return
        with self._database.write() as connection:
            said = {"author": OURS, "corrected_at": self._clock()}
            rows = [{"job_id": job_id, **each.model_dump(include=_PUT), **said} for each in put]
            new = inserting(connection, table).on_conflict_do_nothing(index_elements=_KEY)
            connection.execute(new, rows)


def corrections_of(connection: Connection, job_id: str) -> tuple[Correction, ...]:
    """As :meth:`Corrections.corrections`, within a transaction."""
    return tuple(Correction(**row) for row in connection.execute(_OF_JOB, {"job_id": job_id}).mappings())


def corrected_text(connection: Connection, job_id: str, segment: int, original_sha256: str) -> str | None:
    """What somebody says that the segment says; ``None``: it reads as it was recognised."""
    key = {"job_id": job_id, "segment": segment, "original_sha256": original_sha256}
    text: str | None = connection.execute(_TEXT, key).scalar_one_or_none()
    return text


def put_correction(
    connection: Connection,
    job_id: str,
    segment: int,
    original_sha256: str,
    text: str | None,
    *,
    author: str,
    at: datetime,
) -> None:
    """Let a segment read so; ``None``: as it was recognised."""
    key: dict[str, Any] = {"job_id": job_id, "segment": segment, "original_sha256": original_sha256}
    said = {"text": text, "author": author, "corrected_at": at}
    new = inserting(connection, table).values({**key, **said})
    connection.execute(new.on_conflict_do_update(index_elements=list(key), set_=said))
    # what can be searched of it is read anew (activities/upkeep/indexing.py)
    indexed = search_sources.c.job_id == job_id, search_sources.c.source == str(ArtifactKind.TRANSCRIPT)
    connection.execute(delete(search_sources).where(*indexed))
