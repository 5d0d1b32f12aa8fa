"""A word corrected everywhere at once: segments of the transcript and blocks of the document, as one set that can be
undone."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, insert, select, update

from activities.process.callers import acting_member
from activities.store.documents.corrections import STREAM, corrected_text, put_correction
from activities.store.documents.documents import (
    Composed,
    Documents,
    add_version,
    compose,
    conflict,
    edit_of,
    lock_instruction,
)
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.tables import correction_sets as table
from activities.store.tables import instruction_versions, instructions
from domain.documents.correcting import BlockChange, CorrectionSet, SegmentChange, with_texts
from domain.documents.versions import InstructionVersion
from domain.errors import CorrectionConflict
from domain.jobs import Actor
from domain.recordings.glossary import Pair

LONGEST_NAME = 200
"""Characters of a version's name, as people may give it."""


class CorrectionSets(Documents):
    def correcting_everywhere(
        self,
        owner: str,
        job_id: str,
        pairs: Sequence[Pair],
        *,
        segments: Sequence[SegmentChange],
        base: InstructionVersion | None,
        blocks: Sequence[BlockChange],
    ) -> Callable[[], CorrectionSet]:
        """What puts right what is listed, all of it or nothing: the segments, and the blocks as one new version of
        ``base``. The text is composed before: what is answered is one short transaction.

        Raises:
            DocumentInvalid: The document would have too many blocks.

        What is answered raises:
            NotFound: The job is absent, or not ``owner``'s.
            CorrectionConflict: A segment does not read as it did.
            VersionConflict: ``base`` is no longer the newest version.
        """
        composed = self._edited(owner, base, blocks)
        return partial(self._correct, owner, job_id, pairs, segments, base, blocks, composed)

    def _correct(
        self,
        owner: str,
        job_id: str,
        pairs: Sequence[Pair],
        segments: Sequence[SegmentChange],
        base: InstructionVersion | None,
        blocks: Sequence[BlockChange],
        composed: Composed | None,
    ) -> CorrectionSet:
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock(), owner=owner)
            for each in segments:
                if corrected_text(connection, job_id, each.segment, each.original_sha256) != each.before:
                    raise CorrectionConflict(
                        "Somebody corrected this transcript since you read it. Look for the words again.",
                        details={"segment": each.segment},
                    )
                _put(connection, job, each, each.after, acting_member() or owner)
            named = " · ".join(f"{pair.heard} → {pair.right}" for pair in pairs)[:LONGEST_NAME]
            version = self._added(connection, job, base, composed, name=named)
            row = {
                "id": self._new_id(),
                "job_id": job_id,
                "owner": owner,
                "pairs": [each.model_dump() for each in pairs],
                "segments": [each.model_dump() for each in segments],
                "blocks": [each.model_dump() for each in blocks],
                "version": version,
                "undone_version": None,
                "made_at": job.now,
                "undone_at": None,
            }
            connection.execute(insert(table), row)
            _log(job, len(segments), undone=False)
            job.save()
            return CorrectionSet.model_validate(row)

    def correction_set(self, owner: str, job_id: str, set_id: str) -> CorrectionSet:
        """Raises: NotFound: absent, or not ``owner``'s."""
        with self._database.read() as connection:
            return _one(connection, owner, job_id, set_id)

    def undo_correction_set(self, owner: str, job_id: str, set_id: str) -> CorrectionSet:
        """Let everything read as it did before the set, but what somebody has changed since. Once more: nothing.

        Raises:
            NotFound: Absent, or not ``owner``'s.
            VersionConflict: Somebody saved meanwhile; nothing was written.
        """
        known = self.correction_set(owner, job_id, set_id)
        if known.undone_at is not None:
            return known
        base = self._base_of(owner, known)
        composed = self._edited(owner, base, [each.undone for each in known.blocks])
        with self._database.write() as connection:
            job = LockedJob(connection, known.job_id, self._clock(), owner=owner)
            if (again := _one(connection, owner, job_id, set_id)).undone_at is not None:
                return again
            back = [
                each
                for each in known.segments
                if corrected_text(connection, job.id, each.segment, each.original_sha256) == each.after
            ]
            for each in back:
                _put(connection, job, each, each.before, acting_member() or owner)
            told = {"undone_version": self._added(connection, job, base, composed), "undone_at": job.now}
            connection.execute(update(table).where(table.c.id == set_id).values(told))
            _log(job, len(back), undone=True)
            job.save()
            return known.model_copy(update=told)

    def _base_of(self, owner: str, known: CorrectionSet) -> InstructionVersion | None:
        instruction_id = self._instruction_of(owner, known.job_id)
        return self.get_instruction(owner, instruction_id) if instruction_id and known.blocks else None

    def _instruction_of(self, owner: str, job_id: str) -> str | None:
        mine = select(instructions.c.id).where(instructions.c.job_id == job_id, instructions.c.owner == owner)
        with self._database.read() as connection:
            found: str | None = connection.scalar(mine)
        return found

    def _edited(self, owner: str, base: InstructionVersion | None, blocks: Sequence[BlockChange]) -> Composed | None:
        """The version with these blocks' texts; ``None``: it is ``base``'s."""
        if base is None or (text := with_texts(base.markdown, blocks)) == base.markdown:
            return None
        earlier = partial(self._last_evidence, base.instruction_id)
        return compose(
            edit_of(base, text, acting_member() or owner), self._new_id, base=base, as_marked=True, earlier=earlier
        )

    def _added(
        self,
        connection: Connection,
        job: LockedJob,
        base: InstructionVersion | None,
        composed: Composed | None,
        *,
        name: str | None = None,
    ) -> int | None:
        """The number of the version that this makes, if it makes one."""
        if base is None:
            return None
        instruction = lock_instruction(connection, base.instruction_id)
        if instruction.current_version != base.version:
            raise conflict(base.version, instruction.current_version)
        if composed is None:
            return None
        version = add_version(connection, instruction, composed, job.now, self._new_id)
        if name:
            of = instruction_versions.c.id == version.id
            connection.execute(update(instruction_versions).where(of).values(name=name))
        job.log(EventType.INSTRUCTION_SAVED, actor=Actor.EDITOR, data={"instruction_version": version.version})
        return version.version


def _put(connection: Connection, job: LockedJob, change: SegmentChange, text: str | None, author: str) -> None:
    put_correction(connection, job.id, change.segment, change.original_sha256, text, author=author, at=job.now)


def _log(job: LockedJob, segments: int, *, undone: bool) -> None:
    if segments:
        data = {"segments": segments, "undone": undone}
        job.log(EventType.TRANSCRIPT_CORRECTED, stream=STREAM, actor=Actor.EDITOR, data=data)


def _one(connection: Connection, owner: str, job_id: str, set_id: str) -> CorrectionSet:
    key = (table.c.id == set_id, table.c.job_id == job_id, table.c.owner == owner)
    row = connection.execute(select(table).where(*key)).mappings().one_or_none()
    if row is None:
        raise not_found()
    return CorrectionSet.model_validate(_facts(row))


def _facts(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: row[name] for name in CorrectionSet.model_fields}
