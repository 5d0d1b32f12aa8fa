"""Batches: their items as they are settled, one transaction each, and the end that follows from them.

An item is settled once, whoever comes first: what an execution that was thought dead makes afterwards is not kept. How
a batch ends is counted from these rows, and from nothing that a worker or a workflow remembers.
"""

from collections.abc import Sequence

import structlog
from sqlalchemy import Connection, func, insert, select

from activities.store.cursors import highest_first
from activities.store.jobs.dispatches import OVERTAKEN, adopt, judged_move
from activities.store.jobs.inputs import input_of
from activities.store.jobs.library import add_assets, read_asset
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import batch_items, jobs, library_assets
from domain.errors import BatchItemsFailed, Fenced, JobVersionConflict
from domain.jobs import Actor, Failure, Frozen, Job, Page
from domain.library import LibraryAsset, NewAsset
from domain.lifecycles.batch import PROCESSING, QUEUED, BatchStatus, judge_progress, outcome, progress_at_end
from domain.lifecycles.fence import Fence, Verdict, judge_begin
from domain.orders.batch import BatchOrder, ordinal_of, progress_of

AT_ONCE = 500
"""Ids in one statement: SQLite takes 32 766, Postgres 65 535."""

log = structlog.get_logger("guidesmith.batch")


class ItemError(Frozen):
    """An item that was given up, and why."""

    number: int
    failure_code: str
    failure_message: str


class Settled(Frozen):
    """How many items of a batch are settled, either way."""

    done: int = 0
    failed: int = 0


class Batches(Repository):
    def check_owned(self, owner: str, job_ids: Sequence[str]) -> None:
        """Raises: NotFound: one of the jobs is absent, or not ``owner``'s."""
        wanted = sorted(set(job_ids))
        with self._database.read() as connection:
            for first in range(0, len(wanted), AT_ONCE):
                some = wanted[first : first + AT_ONCE]
                query = select(func.count()).where(jobs.c.id.in_(some), jobs.c.owner == owner)
                if connection.execute(query).scalar_one() != len(some):
                    raise not_found()

    def is_settled(self, job_id: str, number: int) -> bool:
        """Whether the item needs no more work."""
        with self._database.read() as connection:
            return _is_settled(connection, job_id, number)

    def finish_item(self, job_id: str, fence: Fence, number: int, items: int, assets: Sequence[NewAsset]) -> None:
        """Record that an item is done, with what it made. Nothing happens where it is settled already.

        Args:
            fence: The execution's that did it.
            items: How many the batch has.

        Raises:
            Fenced: The batch has ended, or another run has taken over.
        """
        with self._database.write() as connection:
            now = self._clock()
            if (job := self._working(connection, job_id, fence, number)) is None:
                return
            add_assets(connection, job, assets, now, self._new_id)
            self._settle(connection, job, number, items, None)

    def fail_item(self, job_id: str, fence: Fence, number: int, items: int, failure: Failure) -> None:
        """Record that an item is given up. Nothing happens where it is settled already: an execution that did it may
        have died before it could say so. Arguments and errors as of :meth:`finish_item`."""
        with self._database.write() as connection:
            if (job := self._working(connection, job_id, fence, number)) is not None:
                self._settle(connection, job, number, items, failure)

    def close_batch(self, job_id: str, fence: Fence, items: int, stopped: Failure | None = None) -> Job:
        """End the batch as its items did: every one is settled.

        Args:
            stopped: Why the others are not, where the batch was stopped before that.

        Raises:
            Fenced: Another run has taken over.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            if judged_move(job, fence) is Verdict.REPLAY:
                return job.save()
            adopt(connection, job, fence, self._clock())
            job.advance(fence, fence.seq)
            _close(connection, job, items, stopped, step=fence.seq)
            return job.save()

    def end_batch(self, job_id: str, failure: Failure, *, version: int, actor: Actor, note: str) -> Job:
        """End a batch that no run works on, by what there is.

        Args:
            failure: Why it was not worked on to its end.
            version: The job's, that the decision was made on.

        Raises:
            JobVersionConflict: The job changed since. TerminalImmutable: it has ended.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            if version != job["version"]:
                raise JobVersionConflict(
                    "The job changed meanwhile. Load it again.",
                    details={"base_version": version, "current_version": job["version"]},
                )
            order = BatchOrder.model_validate(input_of(connection, job_id))
            _close(connection, job, order.items, failure, actor=actor, note=note)
            return job.save()

    def settled_items(self, job_id: str) -> Settled:
        """How far a batch is."""
        with self._database.read() as connection:
            return _counted(connection, job_id)

    def item_errors(self, job_id: str, among: range | None = None) -> tuple[ItemError, ...]:
        """Every item that was given up, in order; where it is said ``among`` which, of those."""
        query = (
            select(batch_items.c.number, batch_items.c.failure_code, batch_items.c.failure_message)
            .where(batch_items.c.job_id == job_id, batch_items.c.failure_code.is_not(None))
            .order_by(batch_items.c.number)
        )
        if among is not None:
            query = query.where(batch_items.c.number >= among.start, batch_items.c.number < among.stop)
        with self._database.read() as connection:
            return tuple(ItemError.model_validate(dict(row)) for row in connection.execute(query).mappings())

    def done_items(self, job_id: str, among: range) -> frozenset[int]:
        """Which of the items ``among`` these were done."""
        query = select(batch_items.c.number).where(
            batch_items.c.job_id == job_id,
            batch_items.c.number >= among.start,
            batch_items.c.number < among.stop,
            batch_items.c.failure_code.is_(None),
        )
        with self._database.read() as connection:
            return frozenset(connection.execute(query).scalars())

    def assets_of_items(self, job_id: str, among: range) -> tuple[LibraryAsset, ...]:
        """What the items ``among`` these made, in the order of the request."""
        place = library_assets.c.ordinal
        query = (
            select(library_assets)
            .where(
                library_assets.c.job_id == job_id,
                place >= ordinal_of(among.start, 1),
                place < ordinal_of(among.stop, 1),
            )
            .order_by(place)
        )
        with self._database.read() as connection:
            return tuple(read_asset(row) for row in connection.execute(query).mappings())

    def assets_of_job(self, job_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[LibraryAsset]:
        """What a job made, of its last item first. Raises: RequestInvalid: bad limit or cursor."""
        query = select(library_assets).where(library_assets.c.job_id == job_id)
        place = library_assets.c.ordinal
        with self._database.read() as connection:
            return highest_first(connection, query, place, limit=limit, cursor=cursor, read=read_asset)

    def _working(self, connection: Connection, job_id: str, fence: Fence, number: int) -> LockedJob | None:
        """The job, which works on item ``number``; ``None`` where that is settled, also where the batch has ended
        since: a run whose worker died says again what it said."""
        job = LockedJob(connection, job_id, self._clock())
        if _is_settled(connection, job_id, number):
            return None
        seen = job.seen.model_copy(update={"execution": fence.execution})  # items count their executions themselves
        if job.is_terminal or judge_begin(seen, fence) is not Verdict.CONTINUE:
            raise Fenced(OVERTAKEN)
        return job

    def _settle(self, connection: Connection, job: LockedJob, number: int, items: int, failure: Failure | None) -> None:
        row = {
            "job_id": job.id,
            "number": number,
            "failure_code": failure.failure_code if failure else None,
            "failure_message": failure.failure_message if failure else None,
            "settled_at": job.now,
        }
        connection.execute(insert(batch_items), row)
        counted = _counted(connection, job.id)
        reached = progress_of(counted.done + counted.failed, items)
        ruling = judge_progress(BatchStatus(job["status"]), job["progress"], reached)
        if ruling.warning is not None:
            log.warning("batch.progress_ignored", why=ruling.warning)
        if ruling.progress > job["progress"]:
            job.set(progress=ruling.progress)
            job.log(
                EventType.PROGRESS,
                stream="progress",
                data={"progress": ruling.progress, "status": job["status"], **counted.model_dump(), "items": items},
            )
        job.save()


def _close(
    connection: Connection,
    job: LockedJob,
    items: int,
    stopped: Failure | None,
    *,
    step: int | None = None,
    actor: Actor = Actor.ORCHESTRATOR,
    note: str = "",
) -> None:
    counted = _counted(connection, job.id)
    failed = items - counted.done
    target = outcome(counted.done, failed)
    if job["status"] == QUEUED:
        job.move(str(PROCESSING), job.lifecycle.runner, actor=actor, note=note)
    job.set(progress=progress_at_end(target, job["progress"]))
    job.move(
        str(target),
        job.lifecycle.runner,
        actor=actor,
        note=note,
        failure=(stopped or _failure(failed, items)) if target in job.lifecycle.failures else None,
        step=step,
        data={"items": items, "done": counted.done, "failed": failed, "progress": job["progress"]},
    )


def _is_settled(connection: Connection, job_id: str, number: int) -> bool:
    query = select(batch_items.c.number).where(batch_items.c.job_id == job_id, batch_items.c.number == number)
    return connection.execute(query).one_or_none() is not None


def _counted(connection: Connection, job_id: str) -> Settled:
    failed = func.count(batch_items.c.failure_code)
    query = select(func.count(), failed).where(batch_items.c.job_id == job_id)
    settled, given_up = connection.execute(query).one()
    return Settled(done=settled - given_up, failed=given_up)


def _failure(failed: int, items: int) -> Failure:
    return Failure(
        failure_code=BatchItemsFailed.code,
        failure_message=f"{failed} of {items} items failed. The job's assets list each with its error; "
        "ask for those again in a new job.",
        failed_stage="items",
    )
