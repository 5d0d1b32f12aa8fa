"""How a stage is executed, from where the job is to the stage's checkpoint: as an activity, in parallel pieces, or by a
runner outside."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from workflows.rails.mirrored import Facts, MirroredRun, S
from workflows.rails.out_of_step import going_on
from workflows.rails.pieces import each_piece
from workflows.rails.retries import BESIDE_RETRIES, MIRROR_RETRIES, ROW_TIMEOUT, stage_retries

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import ExternalCall, ExternalState, StageCall, StageResult
    from activities.rails.external import Outside
    from activities.rails.stage import StageSpec, spec_of
    from domain.errors import ExternalStageFailed, StageDeadlineExceeded
    from domain.jobs import Failure
    from domain.lifecycles.callbacks import ExternalStage, Reached, in_words


class StagedRun(MirroredRun[S]):
    """One run of one job: its stages."""

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
            start_to_close_timeout=ROW_TIMEOUT,
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
