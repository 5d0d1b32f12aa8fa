"""A run's own state of its job, and its moves: checked against the kind's table here, before anything is scheduled, and
again by the store, inside its transaction, behind the run's fence."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

from temporalio import workflow
from temporalio.exceptions import FailureError

from workflows.rails.display import Display
from workflows.rails.failures import failure_of, superseded
from workflows.rails.out_of_step import JobOver, OutOfStep, is_refused
from workflows.rails.retries import MIRROR_RETRIES, ROW_TIMEOUT

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import (
        ClaimCall,
        GoingOn,
        JobOutcome,
        JobStart,
        MirroredState,
        MoveCall,
        RunCall,
        RunOptions,
    )
    from activities.rails.mirror import Mirror
    from activities.rails.stage import StageSpec
    from domain.errors import TransitionRefused
    from domain.jobs import Actor, Failure
    from domain.lifecycles.callbacks import ExternalStage
    from domain.lifecycles.lifecycle import Lifecycle, Trigger

S = TypeVar("S", bound=StrEnum)

Facts = Mapping[str, int | float | str | bool]


class MirroredRun(Generic[S]):
    """One run of one job: where the job is.

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
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="own the attempt",
        )
        if not claimed:
            raise superseded()

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
                start_to_close_timeout=ROW_TIMEOUT,
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
        mirrored = await self._mirrored(call)
        return self._stand(mirrored) or OutOfStep(mirrored.document)

    async def look(self) -> GoingOn | None:
        """Go on from where the job is, by its row. Answers what goes on around its document.

        Raises:
            JobOver: The job has ended. ApplicationError: A newer run owns it.
        """
        start = self.start
        call = RunCall(job_id=start.job_id, attempt=start.attempt, dispatch_id=self.dispatch_id, seq=self.seq + 1)
        mirrored = await self._mirrored(call)
        if (end := self._stand(mirrored)) is not None:
            raise end
        return mirrored.document

    async def _mirrored(self, call: RunCall) -> MirroredState:
        return await workflow.execute_local_activity_method(
            Mirror.mirrored_state,
            call,
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="where the job is",
        )

    def _stand(self, mirrored: MirroredState) -> Exception | None:
        """Be where the job is. Answers what ends the run, where there is nothing left for it to do."""
        status = self.lifecycle.status(mirrored.status)
        if not mirrored.own:
            return superseded()
        self.status, self.seq = status, max(self.seq, mirrored.seq)
        if self.lifecycle.is_terminal(status):
            return JobOver(mirrored.status)
        self.tell()
        return None

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

    def outcome(self) -> JobOutcome:
        return JobOutcome(job_id=self.start.job_id, status=str(self.status))

    def failure_of(self, error: BaseException) -> Failure:
        """What the job says of an error that no retry could mend."""
        return failure_of(error, str(self.stage.name) if self.stage else None, self.start.correlation_id)

    def _turn(self, name: str) -> None:
        target = self.lifecycle.status(name)
        self.lifecycle.check(self.status, target, self.lifecycle.runner)
        self.status = target
