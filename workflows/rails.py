"""The rails that every kind of job runs on: a run's own state of its job, how a stage is executed, how it ends.

The status belongs to the workflow: every move is checked against the kind's table here, before anything is
scheduled, and again by the store, inside its transaction, behind the run's fence.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar

from temporalio import workflow
from temporalio.exceptions import ApplicationError, CancelledError, FailureError

from workflows.display import Display
from workflows.failures import cause_of, failure_of, superseded
from workflows.overtaken import JobOver, OutOfStep, going_on, is_refused
from workflows.pieces import each_piece
from workflows.retries import BESIDE_RETRIES, MIRROR_RETRIES, stage_retries

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import (
        ClaimCall,
        ExternalCall,
        ExternalState,
        JobOutcome,
        JobStart,
        MoveCall,
        RunOptions,
        StageCall,
        StageResult,
    )
    from activities.rails.external import Outside
    from activities.rails.mirror import Mirror
    from activities.rails.stage import StageSpec, spec_of
    from domain.errors import (
        ExternalStageFailed,
        Fenced,
        StageDeadlineExceeded,
        TerminalImmutable,
        TransitionRefused,
    )
    from domain.jobs import Actor, Failure
    from domain.lifecycles.callbacks import ExternalStage, Reached, in_words
    from domain.lifecycles.lifecycle import Lifecycle, Trigger

S = TypeVar("S", bound=StrEnum)

CANCEL_PATIENCE = timedelta(seconds=4)
"""How long a cancelled job waits for its stage to say that it stopped. After that the fence keeps it from writing,
and the job is CANCELLED within the five seconds that people are promised."""

Facts = Mapping[str, int | float | str | bool]


class JobRun(Generic[S]):
    """One run of one job.

    Args:
        lifecycle: The kind's table.
        start: The workflow's input.
    """

    def __init__(self, lifecycle: Lifecycle[S], start: JobStart) -> None:
        self.lifecycle = lifecycle
        self.start = start
        carried = start.carried
        self.status: S = lifecycle.status(carried.status if carried else start.resume_from)
        self.seq = carried.seq if carried else 0
        self.stage: StageSpec | ExternalStage | None = None
        self.reported = False
        """Whether a runner outside may have reported something that was not looked at yet."""
        self.is_over = False
        """Whether the work has ended, either way: what waits for a status to come need not wait any more."""
        self.conclude: Callable[[Failure], Coroutine[Any, Any, None]] | None = None
        self.is_stopping = False
        """Whether the work is being stopped: no stage begins any more."""
        self.reads_screen = False
        """Whether the recording's screen is read in this run."""
        self.display = Display(str(self.status), live=start.options.live_status)
        self.followers: list[asyncio.Task[None]] = []
        """Tasks beside the main work (children that are followed); a cancel stops them too."""

    @property
    def options(self) -> RunOptions:
        return self.start.options

    @property
    def dispatch_id(self) -> str:
        """The first execution's run id: the same after continue-as-new."""
        return workflow.info().first_execution_run_id

    async def claim(self) -> None:
        """Take a later attempt over, before its first write: whoever started this run may have died before it could
        record that. The first attempt needs no action for it, its first stage does the same."""
        if self.start.attempt == 1 or self.start.carried is not None:
            return
        claimed = await workflow.execute_local_activity_method(
            Mirror.claim,
            ClaimCall(
                job_id=self.start.job_id,
                attempt=self.start.attempt,
                dispatch_id=self.dispatch_id,
                resume_from=self.start.resume_from,
                action=self.start.action,
                client_request_id=self.start.client_request_id,
                model_profile=self.start.model_profile,
            ),
            start_to_close_timeout=timedelta(seconds=30),
            retry_policy=MIRROR_RETRIES,
            summary="own the attempt",
        )
        if not claimed:
            raise superseded()

    # --- stages --------------------------------------------------------------------------------------------

    async def run_stage(
        self, method: Callable[[Any, StageCall], StageResult], *, units: int = 0, expected: Sequence[str] = ()
    ) -> StageResult:
        """Execute a stage, or its ``units`` parallel pieces, from the current status to its checkpoint.

        Pieces share the stage's place in the run's sequence; the stage that joins them comes next and shares it too.

        Args:
            expected: Codes of errors that the kind's own table has moves for: the stage is not tried again, the caller
            is expected, and goes on with :meth:`end_stage`.
        """
        spec = self._enter(spec_of(method))
        if units:
            execute = partial(self._execute, method, spec, expected=expected)
            await each_piece(lambda unit: execute(unit=unit), units, self.options.pieces_at_once)
            return StageResult()
        result = going_on(await self._execute(method, spec, expected=expected))
        self.seq += 2
        if spec.checkpoint is not None:
            self._turn(spec.checkpoint)
        self.stage = None
        return result

    def begin_beside(self, method: Callable[[Any, StageCall], StageResult]) -> workflow.ActivityHandle[StageResult]:
        """Start what goes on beside the stages, and has no part in the run's sequence."""
        return self._execute(method, spec_of(method), budget=BESIDE_RETRIES)

    async def run_piece(self, method: Callable[[Any, StageCall], StageResult], unit: int) -> StageResult:
        """Execute piece ``unit`` of the stage that the job is in, for a workflow that has its own order for the pieces.
        What ends the stage comes next (:meth:`end_stage`)."""
        return going_on(await self._execute(method, self._enter(spec_of(method)), unit=unit))

    def _enter(self, spec: StageSpec) -> StageSpec:
        if self.is_stopping and workflow.patched("stopped-stays-stopped"):
            raise asyncio.CancelledError
        if self.status != spec.processing:
            self._turn(spec.processing)
        self.stage = spec
        self.tell(spec.summary)
        return spec

    def _turn(self, name: str) -> None:
        target = self.lifecycle.status(name)
        self.lifecycle.check(self.status, target, self.lifecycle.runner)
        self.status = target

    def _execute(
        self,
        method: Callable[[Any, StageCall], StageResult],
        spec: StageSpec,
        *,
        unit: int = 0,
        required: bool = True,
        expected: Sequence[str] = (),
        budget: int | None = None,
    ) -> workflow.ActivityHandle[StageResult]:
        return workflow.start_activity_method(
            method,
            StageCall(
                job_id=self.start.job_id,
                attempt=self.start.attempt,
                dispatch_id=self.dispatch_id,
                seq=self.seq + 1,
                unit=unit,
                heartbeat_timeout_s=self.options.heartbeat_timeout_s,
                required=required,
                screen=self.reads_screen,
            ),
            task_queue=self.options.queue(spec.queue),
            start_to_close_timeout=timedelta(seconds=self.options.stage_timeout_s),
            heartbeat_timeout=timedelta(seconds=self.options.heartbeat_timeout_s),
            retry_policy=stage_retries(min(budget or self.options.retry_budget, self.options.retry_budget), expected),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            summary=f"{spec.summary} (piece {unit})" if unit else spec.summary,
        )

    async def end_stage(
        self, target: S, failure: Failure | None = None, *, event_type: str | None = None, facts: Facts | None = None
    ) -> None:
        """Go where a stage leads that ended before its checkpoint, past whatever it could still write. Raises as
        :meth:`move`."""
        self.seq += 2
        self.stage = None
        await self.move(target, self.lifecycle.runner, failure=failure, event_type=event_type, facts=facts)

    # --- stages that are done outside ----------------------------------------------------------------------

    async def await_external(self, stage: ExternalStage) -> None:
        """Wait until the runner of ``stage`` has reported its end: by the job's row, which its callbacks move. The
        signal that wakes this up says nothing, and may be lost or doubled (see ``activities/store/runs/callbacks.py``).

        Raises:
            ApplicationError: The runner failed, or said nothing before the deadline.
        """
        self._turn(str(stage.processing))
        self.stage = stage
        self.tell(f"waiting for the outside runner of the {stage.name}")
        state = await self._ask_outside(Outside.enter, self._external_call(stage, self.seq + 1))
        deadline = asyncio.create_task(workflow.sleep(self.options.external_timeout_s))
        try:
            while state.reached == Reached.PROCESSING:
                await workflow.wait_condition(lambda: self.reported or deadline.done())
                self.reported = False
                overdue = self._overdue(stage) if deadline.done() else None
                state = await self._ask_outside(Outside.look, self._external_call(stage, self.seq + 2, overdue))
        finally:
            deadline.cancel()
        if state.reached == Reached.FAILED:
            raise ApplicationError(
                f"The outside runner of the {stage.name} failed; the job says why.",
                type=state.failure_code or ExternalStageFailed.code,
                non_retryable=True,
            )
        self.seq += 2
        self._turn(str(stage.checkpoint))
        self.stage = None

    async def take_over(self, method: Callable[[Any, StageCall], StageResult], *, required: bool = True) -> StageResult:
        """Have read and verified what a runner left, so that the next stages can work with it."""
        spec = spec_of(method)
        self.stage = spec
        self.tell(spec.summary)
        result = await self._execute(method, spec, required=required)
        self.seq += 1
        self.stage = None
        return result

    def _external_call(self, stage: ExternalStage, seq: int, overdue: Failure | None = None) -> ExternalCall:
        return ExternalCall(
            job_id=self.start.job_id,
            attempt=self.start.attempt,
            dispatch_id=self.dispatch_id,
            seq=seq,
            stage=str(stage.name),
            overdue=overdue,
        )

    async def _ask_outside(
        self, method: Callable[[Any, ExternalCall], ExternalState], call: ExternalCall
    ) -> ExternalState:
        return await workflow.execute_local_activity_method(
            method,
            call,
            start_to_close_timeout=timedelta(seconds=30),
            retry_policy=MIRROR_RETRIES,
            summary=f"how far the {call.stage} is",
        )

    def _overdue(self, stage: ExternalStage) -> Failure:
        patience = in_words(self.options.external_timeout_s)
        return Failure(
            failure_code=StageDeadlineExceeded.code,
            failure_message=f"The outside runner did not report the {stage.name} within {patience}. "
            "See that it runs and reaches the API, then retry the job.",
            failed_stage=str(stage.name),
            correlation_id=self.start.correlation_id,
        )

    # --- moves without a stage -----------------------------------------------------------------------------

    async def move(
        self,
        target: S,
        trigger: Trigger,
        *,
        actor: Actor = Actor.ORCHESTRATOR,
        failure: Failure | None = None,
        note: str = "",
        event_type: str | None = None,
        facts: Facts | None = None,
    ) -> None:
        """Change the status, and mirror it before anything else happens.

        Args:
            event_type, facts: For the audit row, where it says more than a status that changed.

        Raises:
            TransitionRefused: The table has no such move.
            ApplicationError: A newer run owns the job (type ``FENCED``).
        """
        self.lifecycle.check(self.status, target, trigger)
        call = MoveCall(
            job_id=self.start.job_id,
            attempt=self.start.attempt,
            dispatch_id=self.dispatch_id,
            seq=self.seq + 1,
            target=str(target),
            trigger=str(trigger),
            actor=str(actor),
            failure=failure,
            note=note,
            event_type=event_type,
            data=dict(facts or {}),
        )
        self.status = target
        self.seq = call.seq
        try:
            written = await workflow.execute_local_activity_method(
                Mirror.move,
                call,
                start_to_close_timeout=timedelta(seconds=30),
                retry_policy=MIRROR_RETRIES,
                summary=f"now {target}",
            )
        except FailureError as error:
            written = False
            if not self.is_over or not is_refused(error) or not workflow.patched("ends-from-where-the-job-is"):
                raise
        if not written:
            raise await self._overtaken(call)
        self.show(failure)

    async def _overtaken(self, call: MoveCall) -> Exception:
        """Why a move was not written. Where the run was reset, its job has gone on from there; where its stage ended
        before a worker had begun it, the job is behind it. The run goes on from where that is.

        Returns:
            JobOver: The job has ended. OutOfStep: It stands elsewhere, as this run now knows. ApplicationError: A newer
            run owns it.
        """
        if not workflow.patched("goes-on-where-the-job-is"):
            return superseded()
        mirrored = await workflow.execute_local_activity_method(
            Mirror.mirrored_state,
            call,
            start_to_close_timeout=timedelta(seconds=30),
            retry_policy=MIRROR_RETRIES,
            summary="where the job is",
        )
        status = self.lifecycle.status(mirrored.status)
        if not mirrored.own:
            return superseded()
        self.status, self.seq = status, max(self.seq, mirrored.seq)
        if self.lifecycle.is_terminal(status):
            return JobOver(mirrored.status)
        self.tell()
        return OutOfStep()

    def show(self, failure: Failure | None = None) -> None:
        """Tell operators where the job is: one search attribute change."""
        self.display.tell(str(self.status), failure.failure_message if failure else None)
        self.display.show(str(self.status), failure)

    def tell(self, doing: str | None = None) -> None:
        """Say in the Temporal UI where the job is, and what it is doing."""
        self.display.tell(str(self.status), doing)
        self.display.follow(str(self.status))

    def refuse_cancel(self) -> None:
        """Answer somebody who signals ``cancel`` to a kind whose table has no such move: a signal has no answer of its
        own, so it is said where they look, and in the log."""
        try:
            self.lifecycle.check_cancel(self.status, Trigger.API)
        except TransitionRefused as refused:
            self.display.notice = f"The signal `cancel` was refused. {refused.message}"
            workflow.logger.warning("job.transition_denied", extra={"code": refused.code, **(refused.details or {})})
            self.tell()

    # --- the end -------------------------------------------------------------------------------------------

    async def settled(
        self,
        work: Callable[[], Coroutine[Any, Any, None]],
        *,
        cancelled: Callable[[], bool],
        failed: S,
        stopped: S,
        conclude: Callable[[Failure], Coroutine[Any, Any, None]] | None = None,
    ) -> JobOutcome:
        """Do the work to its end, whichever that is, and say so in the mirror before the workflow leaves.

        Args:
            work: The job's steps.
            cancelled: Whether a cancel signal has arrived. Cancelling the workflow from the Temporal UI counts too.
            failed: The status of a job that cannot go on.
            stopped: The status of a job that was cancelled. To both the job goes the shortest way of its table.
            conclude: Ends a job that was stopped or cannot go on, where its kind has more to say about how.

        Raises:
            ApplicationError: The job failed, or was superseded; the type is the failure's code.
            CancelledError: The workflow itself was cancelled, after the job was.
        """
        self.conclude = conclude
        try:
            return await self._settled(asyncio.create_task(work()), cancelled=cancelled, failed=failed, stopped=stopped)
        except JobOver as over:
            self.is_over = True
            self.status = self.lifecycle.status(over.status)
            self.show()
            return self.outcome()

    async def _settled(
        self, task: "asyncio.Task[None]", *, cancelled: Callable[[], bool], failed: S, stopped: S
    ) -> JobOutcome:
        try:
            await workflow.wait_condition(lambda: task.done() or cancelled())
        except asyncio.CancelledError:
            self.is_over = True
            await self._stop(task, stopped, failed, "cancelled in the Temporal UI", Actor.SYSTEM)
            raise
        self.is_over = True
        if not task.done():
            await self._stop(task, stopped, failed, "cancelled on request", Actor.EDITOR)
            return self.outcome()
        try:
            task.result()
        except FailureError as error:
            await self._fail(error, failed)
        return self.outcome()

    def outcome(self) -> JobOutcome:
        return JobOutcome(job_id=self.start.job_id, status=str(self.status))

    async def _stop(self, task: asyncio.Task[None], stopped: S, failed: S, note: str, actor: Actor) -> None:
        """Stop the running work, wait a little until it has, and say CANCELLED."""
        self.is_stopping = True
        running = [each for each in (task, *self.followers) if not each.done()]
        for each in running:
            each.cancel()
        ended, _ = await workflow.wait(running, timeout=CANCEL_PATIENCE.total_seconds())
        for each in ended:
            if not each.cancelled():
                each.exception()  # that its stage was stopped; unasked for, it would be logged as an error
        if not self.lifecycle.is_terminal(self.status):
            self.seq += 2  # past whatever the stage that was stopped could still write
            if self.conclude is not None and workflow.patched("concluded-by-its-kind"):
                await self.conclude(self.failure_of(CancelledError()))
                return
            trigger = Trigger.API if stopped == self.lifecycle.cancelled else self.lifecycle.runner
            try:
                await self._go(stopped, trigger, self.failure_of(CancelledError()), actor=actor, note=note)
            except FailureError as refused:
                self._yield_to_runner(refused, failed)

    def _yield_to_runner(self, refused: FailureError, failed: S) -> None:
        """A runner outside had said FAILED before the job could be stopped. That stands, and the run ends as one that
        failed, so that the job can be retried.

        Raises:
            ApplicationError: Always. What ``refused`` says, where it was refused for another reason.
        """
        cause = cause_of(refused)
        too_late = isinstance(cause, ApplicationError) and cause.type == TerminalImmutable.code
        if not too_late or not self.start.external:
            raise refused
        self.status = failed
        self.show()
        raise ApplicationError(
            "The outside runner failed before the job could be stopped; the job says why.",
            type=ExternalStageFailed.code,
            non_retryable=True,
        )

    async def _fail(self, error: FailureError, failed: S) -> None:
        failure = self.failure_of(error)
        if failure.failure_code == Fenced.code or self.lifecycle.is_terminal(self.status):
            raise ApplicationError(failure.failure_message, type=failure.failure_code, non_retryable=True) from None
        self.seq += 2
        if self.conclude is not None and workflow.patched("concluded-by-its-kind"):
            await self.conclude(failure)
            raise ApplicationError(failure.failure_message, type=failure.failure_code, non_retryable=True) from None
        await self._go(failed, self.lifecycle.runner, failure)
        raise ApplicationError(failure.failure_message, type=failure.failure_code, non_retryable=True) from None

    async def _go(
        self, target: S, trigger: Trigger, failure: Failure, *, actor: Actor = Actor.ORCHESTRATOR, note: str = ""
    ) -> None:
        """Go the shortest way of the table to ``target``; of a run that is out of step, from where its job is."""
        try:
            await self._take(target, trigger, failure, actor, note)
        except OutOfStep:
            await self._take(target, trigger, failure, actor, note)

    async def _take(self, target: S, trigger: Trigger, failure: Failure, actor: Actor, note: str) -> None:
        for status in self.lifecycle.way(self.status, target, trigger):
            said = failure if status in self.lifecycle.failures else None
            await self.move(status, trigger, actor=actor, note=note, failure=said)

    def failure_of(self, error: BaseException) -> Failure:
        """What the job says of an error that no retry could mend."""
        return failure_of(error, str(self.stage.name) if self.stage else None, self.start.correlation_id)
