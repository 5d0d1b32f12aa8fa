"""The bin: guides that were thrown away, and come back with all that is theirs.

In the bin every row keeps its owner with a mark before the name (``domain.erasure.BIN``). So nothing that is looked up
by its owner is found any more, by any version of the code, without a condition of its own; what nobody looks up by its
owner (a link, a signed address) asks :func:`domain.erasure.is_absent`. To give a guide back is to take the mark away.
"""

from datetime import datetime, timedelta

from sqlalchemy import exists, literal, select, update
from sqlalchemy.engine import RowMapping

from activities.store.cursors import newest_first
from activities.store.jobs.listing import JobCard, cards, read_card
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import exports, jobs, regenerate_tasks, screenshot_tasks, translation_tasks
from activities.store.upkeep.erasures import owned, take_out
from activities.store.upkeep.leaving import forget_strangers
from activities.store.upkeep.purges import read_for_others
from domain.erasure import BIN, BIN_DAYS, binned, check_may_be_binned
from domain.jobs import Actor, Frozen, Job, Page
from domain.lifecycles.instruction import INSTRUCTION


class BinnedGuide(Frozen):
    """A guide in the bin. ``goes_at``: from then on it is erased."""

    card: JobCard
    binned_at: datetime
    goes_at: datetime


class Bin(Repository):
    def throw_away(self, owner: str, job_id: str) -> BinnedGuide:
        """Put a guide into the bin, with its recording, document, pictures, exports and links.

        Raises:
            NotFound: Absent, not ``owner``'s, no guide, or in the bin already.
            GuideInUse: Something works for it.
        """
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now, owner=owner)
            if job["kind"] != INSTRUCTION.kind:
                raise not_found()
            at_work = [
                exists().where(table.c.job_id == job_id, table.c.completed_at.is_(None))
                for table in (exports, regenerate_tasks, screenshot_tasks, translation_tasks)
            ]
            read = select(jobs.c.id).where(jobs.c.id == job_id, read_for_others())
            check_may_be_binned(
                job["status"],
                dispatched=job["dispatch_id"] is not None,
                at_work=any(connection.scalars(select(each)).one() for each in at_work),
                read_for_others=connection.execute(read).first() is not None,
            )
            job.log(EventType.GUIDE_BINNED, stream="task", actor=Actor.EDITOR)
            job.save()
            for table, own in owned(job_id):
                connection.execute(update(table).where(own).values(owner=literal(BIN) + table.c.owner))
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(binned_at=now))
            return _read(connection.execute(cards().where(jobs.c.id == job_id)).mappings().one())

    def list_bin(self, owner: str, limit: int = 20, cursor: str | None = None) -> Page[BinnedGuide]:
        """What ``owner`` has in the bin, what was thrown away last first. Raises: RequestInvalid: bad limit or
        cursor."""
        query = cards().where(jobs.c.owner == binned(owner), jobs.c.binned_at.is_not(None))
        with self._database.read() as connection:
            return newest_first(connection, query, jobs.c.binned_at, jobs.c.id, limit=limit, cursor=cursor, read=_read)

    def take_out_of_bin(self, owner: str, job_id: str) -> Job:
        """Give the guide back as it was. Raises: NotFound: it does not lie in ``owner``'s bin."""
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock(), owner=binned(owner))
            take_out(connection, job_id)
            forget_strangers(connection, job_id, job["project_id"], owner)  # who left while it lay there
            job.set(owner=owner)
            job.log(EventType.GUIDE_RESTORED, stream="task", actor=Actor.EDITOR)
            return job.save()

    def expired_in_bin(self, limit: int = 100) -> tuple[str, ...]:
        """Guides whose time in the bin is over."""
        old = jobs.c.binned_at < self._clock() - timedelta(days=BIN_DAYS)
        query = select(jobs.c.id).where(old, jobs.c.owner.startswith(BIN))
        with self._database.read() as connection:
            return tuple(connection.scalars(query.order_by(jobs.c.id).limit(limit)))


def _read(row: RowMapping) -> BinnedGuide:
    at = row["binned_at"]
    return BinnedGuide(card=read_card(row), binned_at=at, goes_at=at + timedelta(days=BIN_DAYS))
