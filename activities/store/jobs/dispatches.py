"""Which workflow run owns a job: the dispatch of an attempt, recorded once, by whoever comes first.

The API records it after it started the workflow, the workflow records it again when it begins; the API may have died
in between. All agree on (attempt, dispatch_id), so the second is a replay.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from activities.store.jobs.locking import LockedJob
from activities.store.jobs.quotas import check_run
from activities.store.records import Dispatch, EventType, RecordedDispatch
from activities.store.repository import Repository
from activities.store.tables import dispatches
from domain.errors import CheckpointLost, DispatchUnrecorded, Fenced, IdempotencyConflict, TerminalImmutable
from domain.jobs import Actor, Failure
from domain.lifecycles.fence import Fence, Verdict, judge_move
from domain.lifecycles.instruction import RETRY
from domain.lifecycles.lifecycle import Trigger

OVERTAKEN = "A newer run or a later step of this job has taken over; this write had no effect."

_LOST = Failure(
    failure_code=CheckpointLost.code,
    failure_message="The stored result of a finished stage is missing or damaged. The job goes on from an earlier one.",
)


@contextmanager
def _own_request() -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise IdempotencyConflict("This client_request_id was used for another attempt of the job.") from None


def _insert(connection: Connection, dispatch: Dispatch, answered_at: datetime | None = None) -> None:
    with _own_request():
        connection.execute(insert(dispatches), {**dispatch.model_dump(), "answered_at": answered_at})


def check_dispatched(job: LockedJob, fence: Fence) -> None:
    """Let a run wait that is ahead of the record of its own start.

    Raises:
        DispatchUnrecorded: ``fence`` is of an attempt that the job does not know yet. Retryable.
    """
    if fence.attempt > job["attempt"]:
        raise DispatchUnrecorded("The start of this run is not recorded yet. Try again in a moment.")


def judged_move(job: LockedJob, fence: Fence, target: str | None = None) -> Verdict:
    """Whether a run's move of the job is to be applied, or was before.

    A worker that dies loses all that a workflow did since it was last written down, several moves perhaps: the run
    makes them again, and each but the last is older than what the row has seen. Of one that was reset the number alone
    says nothing: it may have come there by another way.

    Raises:
        Fenced: Another run, or a later step of this one, has taken over. DispatchUnrecorded.
    """
    check_dispatched(job, fence)
    verdict = judge_move(job.seen, fence)
    if verdict is not Verdict.STALE and not (verdict is Verdict.REPLAY and fence.again):
        return verdict
    if job.has_moved(fence, target):
        return Verdict.REPLAY
    raise Fenced(OVERTAKEN)


def adopt(connection: Connection, job: LockedJob, fence: Fence, now: datetime) -> None:
    """Record the dispatch that ``fence`` names, where nobody has: the starter died before it could."""
    if job["dispatch_id"] is not None:
        return
    _insert(
        connection,
        Dispatch(job_id=job.id, attempt=fence.attempt, dispatch_id=fence.dispatch_id, recorded_at=now),
    )
    job.set(dispatch_id=fence.dispatch_id)
    job.log(EventType.RUN_DISPATCHED, data={"dispatch_id": fence.dispatch_id})


def _name_request(connection: Connection, job_id: str, attempt: int, client_request_id: str | None) -> None:
    """The run's own first write may have recorded the dispatch before its starter could: say now who asked for it."""
    if client_request_id is None:
        return
    nameless = update(dispatches).where(
        dispatches.c.job_id == job_id,
        dispatches.c.attempt == attempt,
        dispatches.c.client_request_id.is_(None),
    )
    with _own_request():
        connection.execute(nameless.values(client_request_id=client_request_id))


def _answered_now(connection: Connection, job: LockedJob) -> bool:
    """Whether the current attempt's dispatch had been told to nobody; it now has."""
    untold = update(dispatches).where(
        dispatches.c.job_id == job.id,
        dispatches.c.attempt == job["attempt"],
        dispatches.c.answered_at.is_(None),
    )
    return connection.execute(untold.values(answered_at=job.now)).rowcount == 1


class Dispatches(Repository):
    def check_run(self, owner: str, job_id: str) -> None:
        """Whether a run of the job has room beside the owner's other ones. Raises: QuotaExceeded."""
        with self._database.read() as connection:
            check_run(connection, owner, self._limits, job_id)

    def record_dispatch(
        self,
        job_id: str,
        *,
        attempt: int,
        dispatch_id: str,
        resume_from: str | None = None,
        action: str | None = None,
        trigger: Trigger,
        actor: Actor,
        client_request_id: str | None = None,
        model_profile: str | None = None,
        answering: bool = False,
    ) -> RecordedDispatch:
        """Give ``attempt`` of a job to the run ``dispatch_id``. The same again is a replay, and so is a later attempt
        for the run that has the current one: a run is of one attempt.

        Args:
            attempt: The job's current attempt, not yet dispatched, or the next one.
            dispatch_id: The first execution's run id of the workflow.
            resume_from: The status at which the run starts. Where the job stands elsewhere and has not failed, its
                checkpoint was lost: it fails with CHECKPOINT_LOST and resumes there, in two rows of the log.
            action: ``"retry"`` leads out of FAILED to ``resume_from``.
            answering: The caller is about to tell a client. Of all such calls for one dispatch, whoever recorded it,
                exactly one is ``first``.

        Raises:
            Fenced: Another run owns the attempt, or the attempt is past.
            TransitionRefused: The job's table does not let it resume there; TerminalImmutable: it has ended.
            IdempotencyConflict: ``client_request_id`` was used for another attempt.
            NotFound: There is no such job.
        """
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now)
            if attempt >= job["attempt"] and dispatch_id == job["dispatch_id"]:
                # also where the caller reads the row after the run was recorded, and takes it for one that has ended
                attempt = job["attempt"]
                _name_request(connection, job.id, attempt, client_request_id)
                known = _find(connection, job.id, dispatches.c.attempt == attempt)
                assert known is not None, "a job's dispatch_id is set with the dispatch's row"
                first = answering and _answered_now(connection, job)
                return RecordedDispatch(job=job.save(), dispatch=known, first=first)
            if attempt == job["attempt"] + 1:
                job.set(attempt=attempt, dispatch_id=None, fence_seq=0, fence_execution=1, progress=0)
            if attempt != job["attempt"] or job["dispatch_id"] is not None:
                raise Fenced(OVERTAKEN)
            dispatch = Dispatch(
                job_id=job.id,
                attempt=attempt,
                dispatch_id=dispatch_id,
                resume_from=resume_from or job["status"],
                client_request_id=client_request_id,
                model_profile=model_profile or job["model_profile"],
                recorded_at=now,
            )
            _insert(connection, dispatch, answered_at=now if answering else None)
            job.set(dispatch_id=dispatch_id, model_profile=dispatch.model_profile)
            _resume(job, dispatch, action, trigger, actor)
            return RecordedDispatch(job=job.save(), dispatch=dispatch, first=answering)

    def find_dispatch(self, job_id: str, client_request_id: str) -> Dispatch | None:
        """The dispatch that this client's request caused, if one did."""
        with self._database.read() as connection:
            return _find(connection, job_id, dispatches.c.client_request_id == client_request_id)

    def get_dispatch(self, job_id: str, attempt: int) -> Dispatch | None:
        """The dispatch of one attempt, if it was dispatched."""
        with self._database.read() as connection:
            return _find(connection, job_id, dispatches.c.attempt == attempt)


def _find(connection: Connection, job_id: str, criterion: ColumnElement[bool]) -> Dispatch | None:
    query = select(dispatches).where(dispatches.c.job_id == job_id, criterion)
    row = connection.execute(query).mappings().one_or_none()
    return Dispatch.model_validate(dict(row)) if row is not None else None


def _resume(job: LockedJob, dispatch: Dispatch, action: str | None, trigger: Trigger, actor: Actor) -> None:
    """Bring the job to where its run starts, and log the dispatch: one row, or two where a checkpoint was lost."""
    event_type = EventType.RETRY_DISPATCHED if action == RETRY else EventType.RUN_DISPATCHED
    facts: dict[str, object] = {"dispatch_id": dispatch.dispatch_id, "resume_from": dispatch.resume_from}
    if dispatch.client_request_id is not None:
        facts["client_request_id"] = dispatch.client_request_id
    target = dispatch.resume_from or job["status"]
    if action is None and target == job["status"]:
        if job.is_terminal:
            raise _ended(job)
        job.log(event_type, actor=actor, data=facts)
        return
    if action is None:
        (failed,) = job.lifecycle.failures
        job.move(failed, Trigger.API, actor=Actor.SYSTEM, failure=_LOST, note="the checkpoint no longer verifies")
        action = RETRY
        if not job.lifecycle.may(failed, job.lifecycle.status(target), trigger, action=RETRY):
            trigger = Trigger.USER  # the resume belongs to the run that the user asked for
    job.move(target, trigger, action=action, event_type=event_type, actor=actor, data=facts)


def _ended(job: LockedJob) -> TerminalImmutable:
    return TerminalImmutable(
        f"The job is {job['status']}: it cannot be run again.",
        details={"current_status": job["status"], "attempted_status": job["status"], "allowed_next_statuses": []},
    )
