"""Sittings: what somebody writes at one desk, kept beside the versions every few seconds until it becomes one.

A version is never changed, and conflicts are found by the number of the newest one. So what is written goes here first:
nobody else's work is touched by it, and a sitting that was begun at a version that is no longer the newest stays until
somebody puts the two together.
"""

from datetime import timedelta
from functools import partial

from sqlalchemy import and_, delete, select

from activities.store.database import inserting
from activities.store.documents.documents import Documents, compose, conflict, edit_of, end_sitting, lock_instruction
from activities.store.jobs.locking import not_found
from activities.store.records import EventType, Sitting, SittingSummary
from activities.store.tables import sittings
from domain.documents.sittings import KEPT_DAYS, MOST_SITTINGS
from domain.documents.versions import InstructionVersion
from domain.errors import RequestInvalid

_COLUMNS = [sittings.c[name] for name in Sitting.model_fields]


class Sittings(Documents):
    def keep_sitting(self, owner: str, sitting: Sitting) -> tuple[Sitting, int]:
        """Keep what was written so far, in place of what was kept of this sitting before.

        Returns:
            The sitting as it is kept, and the number of the newest version.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s.
            RequestInvalid: There is no such version yet.
        """
        of = sittings.c.instruction_id == sitting.instruction_id
        with self._database.write() as connection:
            instruction = lock_instruction(connection, sitting.instruction_id)
            if instruction.owner != owner:
                raise not_found()
            if sitting.base_version > instruction.current_version:
                raise RequestInvalid("There is no such version yet. Load the instruction again.", field="base_version")
            kept = sitting.model_copy(update={"kept_at": self._clock()})
            values = {**kept.model_dump(exclude={"blocks"}), "job_id": instruction.job_id, "owner": owner}
            values["blocks"] = [each.model_dump(mode="json", exclude_none=True) for each in kept.blocks]
            key = ["instruction_id", "sitting_id"]
            changed = {name: value for name, value in values.items() if name not in key}
            new = inserting(connection, sittings).values(values)
            connection.execute(new.on_conflict_do_update(index_elements=key, set_=changed))
            old = sittings.c.kept_at < kept.kept_at - timedelta(days=KEPT_DAYS)
            connection.execute(delete(sittings).where(of, old))
            newest = select(sittings.c.sitting_id).where(of).order_by(sittings.c.kept_at.desc()).limit(MOST_SITTINGS)
            connection.execute(delete(sittings).where(of, sittings.c.sitting_id.not_in(newest)))
        return kept, instruction.current_version

    def list_sittings(self, owner: str, instruction_id: str) -> tuple[SittingSummary, ...]:
        """What is kept, the newest first. Raises: NotFound: the instruction is absent, or not ``owner``'s."""
        self.get_instruction(owner, instruction_id)
        wanted = [sittings.c[name] for name in SittingSummary.model_fields]
        query = select(*wanted).where(sittings.c.instruction_id == instruction_id, sittings.c.owner == owner)
        with self._database.read() as connection:
            found = connection.execute(query.order_by(sittings.c.kept_at.desc())).mappings()
            return tuple(SittingSummary.model_validate(dict(row)) for row in found)

    def get_sitting(self, owner: str, instruction_id: str, sitting_id: str) -> Sitting:
        """Raises: NotFound: absent, or not ``owner``'s."""
        key = (sittings.c.instruction_id == instruction_id, sittings.c.sitting_id == sitting_id)
        query = select(*_COLUMNS).where(*key, sittings.c.owner == owner)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise not_found()
        return Sitting.model_validate(dict(row))

    def save_sitting(self, owner: str, instruction_id: str, sitting_id: str) -> tuple[InstructionVersion, bool]:
        """Make what was written the next version, and end the sitting.

        Returns:
            The version and whether it is new, as :meth:`save_version`.

        Raises:
            NotFound: There is no such sitting (any more), or it is not ``owner``'s.
            VersionConflict: Somebody saved since it was begun; nothing was written, and the sitting stays.
            DocumentInvalid: It has too many blocks.
        """
        kept = self.get_sitting(owner, instruction_id, sitting_id)
        base = self.get_instruction(owner, instruction_id)
        if base.version != kept.base_version:
            raise conflict(kept.base_version, base.version)
        new = edit_of(base, kept.markdown, owner)
        earlier = partial(self._last_evidence, instruction_id)
        composed = compose(new, self._new_id, base=base, as_marked=True, marks=kept.blocks, earlier=earlier)
        ends = and_(sittings.c.sitting_id == sitting_id, sittings.c.kept_at == kept.kept_at)  # not what came since
        return self._saved(base, composed, EventType.INSTRUCTION_SAVED, marked=bool(kept.blocks), ends=ends)

    def drop_sitting(self, owner: str, instruction_id: str, sitting_id: str) -> None:
        """What was written is not wanted; a sitting that is not there is not wanted already. Raises: NotFound: the
        instruction is absent, or not ``owner``'s."""
        with self._database.write() as connection:
            if lock_instruction(connection, instruction_id).owner != owner:
                raise not_found()
            end_sitting(connection, instruction_id, sittings.c.sitting_id == sitting_id)
