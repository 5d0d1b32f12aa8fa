"""Stages: where they begin and end, guarded by the fence. The hot path of every job.

A stage takes two numbers of its run: ``seq`` as it begins, ``seq + 1`` as it ends. Each end is one transaction: the
status, the log, the artifacts, the document.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, exists, select

from activities.store.documents.documents import add_version, compose, ensure_instruction, version_of_step
from activities.store.documents.screenshots import add_screenshots
from activities.store.jobs.artifacts import add_artifacts, artifacts_of_step
from activities.store.jobs.dispatches import OVERTAKEN, adopt, check_dispatched
from activities.store.jobs.inputs import keep_result
from activities.store.jobs.library import add_assets
from activities.store.jobs.locking import LockedJob
from activities.store.records import EventType, StageGrant, StageOutcome
from activities.store.repository import Repository
from activities.store.tables import job_events
from domain.documents.screenshots import NewScreenshot
from domain.documents.versions import NewVersion
from domain.errors import Fenced, NotFound
from domain.jobs import Actor, Job, NewArtifact
from domain.library import NewAsset
from domain.lifecycles.fence import Fence, Verdict, judge_begin, judge_end

_STEP_LOGGED = select(
    exists().where(
        job_events.c.job_id == bindparam("job_id"),
        job_events.c.attempt == bindparam("attempt"),
        job_events.c.step == bindparam("step"),
        job_events.c.unit == bindparam("unit"),
        job_events.c.execution == bindparam("execution"),
    )
)


class Stages(Repository):
    def begin_stage(
        self, job_id: str, fence: Fence, processing: str, *, unit: int = 0, reason: str | None = None
    ) -> StageGrant:
        """A stage begins, or begins again.

        The first time moves the job to ``processing`` (a stage that goes on where another left off finds it there:
        nothing is logged). A retry of it is logged as a self transition. The same execution again writes nothing.

        Args:
            fence: The run's; ``fence.seq`` is the begin's number, ``seq + 1`` is left for the end.
            unit: From 1: a piece of the stage that runs beside others under the same ``seq``, each with executions
                of its own. 0: the stage itself, or the activity that ends it.

        A run that was reset by an operator, or is behind its job because Temporal was put back to an older copy, asks
        for stages that have ended, and from which the job has gone on: it is answered what they recorded then, by the
        log.

        Returns:
            Leave to run; where ``ended`` is set the stage ended before, and what it recorded stands.

        Raises:
            Fenced: A newer run, a later step or a later execution has overtaken this one.
            DispatchUnrecorded: The run is faster than whoever started it; retryable.
            TransitionRefused: The job's table has no such move; TerminalImmutable: the job has ended.
            NotFound: There is no such job.
        """
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now)
            check_dispatched(job, fence)
            # Pieces run beside each other, each with a count of its own: the row's is the stage's.
            seen = job.seen if unit == 0 else job.seen.model_copy(update={"execution": fence.execution})
            verdict = judge_begin(seen, fence)
            over = fence.again and job.is_terminal and job.is_own(fence)
            if verdict is Verdict.STALE and not over and not _has_ended(connection, job, fence):
                raise Fenced(OVERTAKEN)
            if over or verdict in (Verdict.STALE, Verdict.REPLAY):
                outcome = _recorded(connection, job.save(), fence)
                return StageGrant(**dict(outcome), ended=True, over=over)
            if verdict is Verdict.APPLY:
                adopt(connection, job, fence, now)
                job.advance(fence if unit == 0 else fence.model_copy(update={"execution": 1}), fence.seq)
                if job["status"] != processing or fence.execution > 1:
                    _enter(job, fence, processing, unit, reason)
            elif verdict is Verdict.RETRY:
                fence = fence.model_copy(update={"execution": max(fence.execution, seen.execution + 1)})
                job.advance(fence, fence.seq)
                _enter(job, fence, processing, unit, reason)
            elif unit > 0 and fence.execution > 1 and not is_logged(connection, job.id, fence, unit):
                _enter(job, fence, processing, unit, reason)
            elif job.is_terminal:
                job.lifecycle.check(job.status, job.lifecycle.status(processing), job.lifecycle.runner)  # refuses
            return StageGrant(job=job.save(), instruction_id=job["instruction_id"], execution=fence.execution)

    def finish_stage(
        self,
        job_id: str,
        fence: Fence,
        *,
        target: str | None,
        artifacts: Sequence[NewArtifact] = (),
        progress: int | None = None,
        version: NewVersion | None = None,
        screenshots: Sequence[NewScreenshot] = (),
        assets: Sequence[NewAsset] = (),
        result: Mapping[str, object] | None = None,
    ) -> StageOutcome:
        """A stage that began with ``fence`` ends, and all that it made is recorded in one transaction.

        Args:
            target: The status it leads to; ``None`` where another stage goes on in the same one.
            progress: 0 to 100; a lower one than the job has is ignored.
            version: A version of the job's instruction, which is made if there is none.
            screenshots: Frames for blocks of that version, or of the newest.
            assets: For the owner's library; one that the job has (by its ordinal) is not added again.
            result: Kept beside the job's input.

        Returns:
            What was recorded: by this call, or by an earlier one that the writer had not heard of.

        Raises:
            Fenced: Overtaken. TransitionRefused: see ``begin_stage``.
            DocumentInvalid: The version's structure cannot be saved, or there are screenshots and no instruction.
        """
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now)
            verdict = judge_end(job.seen, fence)
            if verdict is Verdict.STALE:
                raise Fenced(OVERTAKEN)
            if verdict is Verdict.REPLAY:
                return _recorded(connection, job.save(), fence)
            step = fence.seq + 1
            job.set(fence_seq=step)
            if progress is not None:
                job.set(progress=max(job["progress"], progress))
            if target is not None:
                job.move(
                    target,
                    job.lifecycle.runner,
                    execution=fence.execution,
                    step=step,
                    data={"progress": job["progress"]},
                )
            else:
                job.set(version=job["version"] + 1)
                if not artifacts:  # nothing else says that it has ended
                    facts = {"progress": job["progress"], "status": job["status"]}
                    job.log(EventType.PROGRESS, stream="progress", execution=fence.execution, step=step, data=facts)
            stored = add_artifacts(connection, job.id, fence.attempt, step, artifacts, now, self._new_id)
            version_id = None
            if version is not None:
                instruction = ensure_instruction(connection, job, now, self._new_id)
                saved = add_version(
                    connection,
                    instruction,
                    compose(version, self._new_id),
                    now,
                    self._new_id,
                    attempt=fence.attempt,
                    step=step,
                )
                version_id = saved.id
            add_assets(connection, job, assets, now, self._new_id)
            if result is not None:
                keep_result(connection, job.id, result)
            if screenshots:
                add_screenshots(connection, job["instruction_id"], screenshots, now, self._new_id)
            return StageOutcome(
                job=job.save(),
                artifacts=stored,
                instruction_id=job["instruction_id"],
                instruction_version_id=version_id,
            )

    def report_progress(
        self,
        job_id: str,
        fence: Fence,
        progress: int,
        data: Mapping[str, object] | None = None,
    ) -> bool:
        """Say how far a stage has come; the job's progress never falls within an attempt.

        Returns:
            Whether ``fence`` still owns the running stage. Never raises for one that does not.
        """
        try:
            with self._database.write() as connection:
                job = LockedJob(connection, job_id, self._clock())
                # RETRY: a piece whose own execution is ahead of the stage's
                if job.is_terminal or judge_begin(job.seen, fence) not in (Verdict.CONTINUE, Verdict.RETRY):
                    return False
                if progress > job["progress"]:
                    job.set(progress=min(progress, 100))
                    job.log(
                        EventType.PROGRESS,
                        stream="progress",
                        execution=fence.execution,
                        data={**(data or {}), "progress": job["progress"], "status": job["status"]},
                    )
                    job.save()
                return True
        except NotFound:
            return False


def _enter(job: LockedJob, fence: Fence, processing: str, unit: int, reason: str | None) -> None:
    """Log the begin: a move, or where the stage begins again, the self transition that the kind's table has for it. In
    a kind without one nothing moves, and the log says so."""
    again = job["status"] == processing
    facts: dict[str, object] = {"unit": unit} if unit else {}
    if reason is not None:
        facts["failure_code"] = reason
    if again and (
        job.lifecycle.repeats_are_noops or not job.lifecycle.may(job.status, job.status, job.lifecycle.runner)
    ):
        job.log(
            EventType.STAGE_RETRIED,
            execution=fence.execution,
            unit=unit,
            step=fence.seq,
            data=facts,
        )
        return
    job.move(
        processing,
        job.lifecycle.runner,
        event_type=EventType.STAGE_RETRIED if again else EventType.STATUS_CHANGED,
        actor=Actor.ORCHESTRATOR,
        execution=fence.execution,
        unit=unit,
        step=fence.seq,
        data=facts,
    )


def is_logged(connection: Connection, job_id: str, fence: Fence, unit: int) -> bool:
    """Whether the begin of this execution is in the log."""
    key = {
        "job_id": job_id,
        "attempt": fence.attempt,
        "step": fence.seq,
        "unit": unit,
        "execution": fence.execution,
    }
    return bool(connection.execute(_STEP_LOGGED, key).scalar_one())


def _has_ended(connection: Connection, job: LockedJob, fence: Fence) -> bool:
    """Whether the stage that began with ``fence`` has ended, and its run asks for it again: it was reset, or Temporal
    was put back to an older copy."""
    step = fence.seq + 1
    return job.is_own(fence) and (
        job.has_moved(fence.model_copy(update={"seq": step}), None)
        or bool(artifacts_of_step(connection, job.id, fence.attempt, step))
    )


def _recorded(connection: Connection, job: Job, fence: Fence) -> StageOutcome:
    step = fence.seq + 1
    return StageOutcome(
        job=job,
        artifacts=artifacts_of_step(connection, job.id, fence.attempt, step),
        instruction_id=job.instruction_id,
        instruction_version_id=version_of_step(connection, job.instruction_id, fence.attempt, step),
    )
