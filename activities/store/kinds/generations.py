"""Generations: what was given to providers and how it ended, retries within an attempt, and new attempts.

A submission is begun before its call is made and bound when the call has returned, so that a worker which dies in
between is followed by one that knows. Its end is the first that anybody hears of it; what comes later changes nothing.
"""

from sqlalchemy import ColumnElement, Connection, insert, select, update

from activities.store.jobs.dispatches import OVERTAKEN, judged_move
from activities.store.jobs.locking import LockedJob, read_job
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import generation_submissions
from domain.errors import Fenced, RetryNotAllowed
from domain.jobs import Actor, Job
from domain.lifecycles.fence import Fence, Verdict
from domain.lifecycles.instruction import RETRY
from domain.lifecycles.kinds import STARTS, lifecycle_of
from domain.lifecycles.lifecycle import Trigger
from domain.orders.generation import ProviderWord, Submission

_COLUMNS = generation_submissions.c


class Generations(Repository):
    def begin_submission(self, job_id: str, attempt: int, provider: str) -> Submission:
        """The attempt's submission that is to be made, or was: the newest, unless that one failed for a reason that
        passes; then the next.

        Raises:
            NotFound: There is no such job.
        """
        with self._database.write() as connection:
            LockedJob(connection, job_id, self._clock())
            newest = _newest(connection, job_id, attempt)
            if newest is not None and not (newest.word is not None and newest.word.passing):
                return newest
            begun = Submission(
                job_id=job_id,
                attempt=attempt,
                number=newest.number + 1 if newest is not None else 1,
                provider=provider,
            )
            row = {**begun.model_dump(exclude={"word"}), "begun_at": self._clock()}
            connection.execute(insert(generation_submissions), row)
            return begun

    def bind_work(self, submission: Submission, external_id: str) -> None:
        """The submit call has returned. Said again, nothing changes."""
        self._write_once(submission, _COLUMNS.external_id, external_id=external_id, submitted_at=self._clock())

    def settle_submission(self, submission: Submission, word: ProviderWord) -> None:
        """How the work ended. Said again, or otherwise, nothing changes."""
        bound = _COLUMNS.external_id.is_not(None)
        self._write_once(submission, _COLUMNS.word, bound, word=word.model_dump(mode="json"), settled_at=self._clock())

    def newest_submission(self, job_id: str, attempt: int) -> Submission | None:
        """What the attempt gave to its provider last."""
        with self._database.read() as connection:
            return _newest(connection, job_id, attempt)

    def note_retry(self, job_id: str, fence: Fence, data: dict[str, object]) -> None:
        """Log that the attempt's work failed for a reason that passes, and is done again. No status changes.

        Raises:
            Fenced: Another run or a later step has taken over, or the job has ended.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            if judged_move(job, fence) is Verdict.REPLAY:
                return
            if job.is_terminal:
                raise Fenced(OVERTAKEN)
            job.advance(fence, fence.seq)
            job.log(EventType.STAGE_RETRIED, step=fence.seq, data=data)
            job.save()

    def begin_attempt(self, job_id: str, admin: str) -> Job:
        """A new attempt of a job that has failed, by its table's explicit retry: charged again, and waiting for its
        run to be started.

        Raises:
            RetryNotAllowed: The job is where no retry leads out of.
            InsufficientCredits: An attempt costs more than the job's owner has. Nothing changed.
            NotFound: There is no such job.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            target = STARTS.get(job["kind"])
            if target is None or not job.lifecycle.may(job.status, target, Trigger.ADMIN, action=RETRY):
                raise _no_retry(job)
            job.set(attempt=job["attempt"] + 1, dispatch_id=None, fence_seq=0, fence_execution=1, progress=0)
            job.move(
                str(target),
                Trigger.ADMIN,
                action=RETRY,
                event_type=EventType.RETRY_DISPATCHED,
                actor=Actor.SYSTEM,
                data={"requested_by": admin},
            )
            job.save()
            return read_job(connection, job_id)

    def _write_once(
        self, submission: Submission, column: ColumnElement[object], *also: ColumnElement[bool], **values: object
    ) -> None:
        one = (
            _COLUMNS.job_id == submission.job_id,
            _COLUMNS.attempt == submission.attempt,
            _COLUMNS.number == submission.number,
        )
        with self._database.write() as connection:
            connection.execute(update(generation_submissions).where(*one, column.is_(None), *also).values(values))


def _newest(connection: Connection, job_id: str, attempt: int) -> Submission | None:
    query = (
        select(generation_submissions)
        .where(_COLUMNS.job_id == job_id, _COLUMNS.attempt == attempt)
        .order_by(_COLUMNS.number.desc())
        .limit(1)
    )
    row = connection.execute(query).mappings().one_or_none()
    return Submission.model_validate(dict(row)) if row is not None else None


def _no_retry(job: LockedJob) -> RetryNotAllowed:
    lifecycle = lifecycle_of(job["kind"])
    ways_out = [row for row in lifecycle.transitions if row.action == RETRY]
    from_where = dict.fromkeys(str(row.source) for row in ways_out)
    allowed = f"Only a job that is {' or '.join(from_where)} can" if from_where else "Such a job can never"
    return RetryNotAllowed(
        f"{allowed} be retried; this one is {job['status']}.", details={"current_status": job["status"]}
    )
