"""Sittings: what somebody writes at one desk, kept beside the versions every few seconds until it becomes one.

A version is never changed, and conflicts are found by the number of the newest one. So what is written goes here first:
nobody else's work is touched by it, and a sitting that was begun at a version that is no longer the newest stays until
somebody puts the two together.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, exists, or_, select

from activities.store.database import inserting
from activities.store.documents.documents import (
    Documents,
    compose,
    conflict,
    current_version,
    edit_of,
    end_sitting,
    lock_instruction,
)
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType, Sitting, SittingSummary
from activities.store.tables import instructions, job_events, sittings
from domain.documents.document import BlockMark
from domain.documents.draft import BlockRole
from domain.documents.versions import KEPT_DAYS, MOST_SITTINGS, InstructionVersion
from domain.erasure import BIN
from domain.errors import RequestInvalid

_COLUMNS = [sittings.c[name] for name in Sitting.model_fields]
_JOB = select(instructions.c.job_id).where(
    instructions.c.id == bindparam("instruction_id"), instructions.c.owner == bindparam("owner")
)


class Sittings(Documents):
    def keep_sitting(self, owner: str, sitting: Sitting, *, author: str | None = None) -> tuple[Sitting, int]:
        """Keep what ``author`` (``None``: the owner) wrote so far, in place of what was kept of this sitting before.
        What the newest version says already, as where a page was left and its save came first, needs no keeping: its
        sitting ends.

        Returns:
            The sitting as it is kept, and the number of the newest version.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s.
            RequestInvalid: There is no such version yet.
        """
        whose = author or owner
        of = and_(sittings.c.instruction_id == sitting.instruction_id, sittings.c.owner == whose)
        with self._database.write() as connection:
            job_id = connection.scalar(_JOB, {"instruction_id": sitting.instruction_id, "owner": owner})
            if job_id is None:
                raise not_found()
            LockedJob(connection, job_id, self._clock())  # first, as a save does: the row to come refers to it
            instruction = lock_instruction(connection, sitting.instruction_id)
            if sitting.base_version > instruction.current_version:
                raise RequestInvalid("There is no such version yet. Load the instruction again.", field="base_version")
            kept = sitting.model_copy(update={"kept_at": self._clock()})
            if _says(current_version(connection, instruction.id), kept):
                end_sitting(connection, instruction.id, sittings.c.sitting_id == kept.sitting_id)
                return kept, instruction.current_version
            values = {**kept.model_dump(exclude={"blocks"}), "job_id": instruction.job_id, "owner": whose}
            values["blocks"] = [each.model_dump(mode="json", exclude_none=True) for each in kept.blocks]
            key = ["instruction_id", "sitting_id"]
            changed = {name: value for name, value in values.items() if name not in key}
            new = inserting(connection, sittings).values(values)
            connection.execute(new.on_conflict_do_update(index_elements=key, set_=changed))
            newest = select(sittings.c.sitting_id).where(of).order_by(sittings.c.kept_at.desc()).limit(MOST_SITTINGS)
            connection.execute(delete(sittings).where(of, sittings.c.sitting_id.not_in(newest)))
        return kept, instruction.current_version

    def list_sittings(
        self, owner: str, instruction_id: str, *, author: str | None = None
    ) -> tuple[SittingSummary, ...]:
        """What is kept of ``author`` (``None``: the owner), the newest first. Raises: NotFound: the instruction is
        absent, or not ``owner``'s."""
        self.get_instruction(owner, instruction_id)
        wanted = [sittings.c[name] for name in SittingSummary.model_fields]
        of = (sittings.c.instruction_id == instruction_id, sittings.c.owner == (author or owner))
        query = select(*wanted).where(*of, is_kept(self._clock()))
        with self._database.read() as connection:
            found = connection.execute(query.order_by(sittings.c.kept_at.desc())).mappings()
            return tuple(SittingSummary.model_validate(dict(row)) for row in found)

    def get_sitting(self, owner: str, instruction_id: str, sitting_id: str, *, author: str | None = None) -> Sitting:
        """What ``author`` (``None``: the owner) wrote. Raises: NotFound: absent, too old, somebody else's, or of an
        instruction that is not ``owner``'s."""
        key = (sittings.c.instruction_id == instruction_id, sittings.c.sitting_id == sitting_id)
        theirs = (sittings.c.owner == (author or owner), instructions.c.owner == owner)
        query = select(*_COLUMNS).join(instructions, instructions.c.id == sittings.c.instruction_id)
        query = query.where(*key, *theirs, is_kept(self._clock()))
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise not_found()
        return Sitting.model_validate(dict(row))

    def save_sitting(
        self, owner: str, instruction_id: str, sitting_id: str, *, author: str | None = None
    ) -> tuple[InstructionVersion, bool]:
        """Make what ``author`` (``None``: the owner) wrote the next version, and end the sitting.

        Returns:
            The version and whether it is new, as :meth:`save_version`.

        Raises:
            NotFound: There is no such sitting (any more), or it is not theirs.
            VersionConflict: Somebody saved since it was begun; nothing was written, and the sitting stays.
            DocumentInvalid: It has too many blocks.
        """
        whose = author or owner
        kept = self.get_sitting(owner, instruction_id, sitting_id, author=whose)
        base = self.get_instruction(owner, instruction_id)
        if base.version != kept.base_version:
            raise conflict(kept.base_version, base.version)
        new = edit_of(base, kept.markdown, whose)
        earlier = partial(self._last_evidence, instruction_id)
        composed = compose(new, self._new_id, base=base, as_marked=True, marks=kept.blocks, earlier=earlier)
        ends = and_(sittings.c.sitting_id == sitting_id, sittings.c.kept_at == kept.kept_at)  # not what came since
        return self._saved(base, composed, EventType.INSTRUCTION_SAVED, marked=bool(kept.blocks), ends=ends)

    def drop_sitting(self, owner: str, instruction_id: str, sitting_id: str, *, author: str | None = None) -> None:
        """What ``author`` (``None``: the owner) wrote is not wanted; a sitting that is not there is not wanted already.
        Raises: NotFound: the instruction is absent, or not ``owner``'s."""
        with self._database.write() as connection:
            if lock_instruction(connection, instruction_id).owner != owner:
                raise not_found()
            which = and_(sittings.c.sitting_id == sitting_id, sittings.c.owner == (author or owner))
            end_sitting(connection, instruction_id, which)


def is_kept(now: datetime) -> ColumnElement[bool]:
    """Which sittings are offered, and not swept (``domain.documents.versions.KEPT_DAYS``)."""
    oldest = now - timedelta(days=KEPT_DAYS)
    back = (
        job_events.c.job_id == sittings.c.job_id,
        job_events.c.event_type == str(EventType.GUIDE_RESTORED),
        job_events.c.occurred_at >= oldest,
    )
    return or_(sittings.c.kept_at >= oldest, sittings.c.owner.startswith(BIN), exists().where(*back))


def _says(version: InstructionVersion, sitting: Sitting) -> bool:
    """Whether a version has the sitting's text already, and all that is said of its blocks."""
    known = {each["block_id"]: each for each in version.evidence}
    return version.markdown == sitting.markdown and all(
        _is_known(each, known.get(each.block_id)) for each in sitting.blocks
    )


def _is_known(mark: BlockMark, evidence: Mapping[str, Any] | None) -> bool:
    if evidence is None:
        return mark.role in (None, BlockRole.TEXT) and mark.start_ms is None
    return mark.role in (None, evidence["role"]) and mark.start_ms in (None, evidence.get("start_ms"))
