"""How a run ends: its work is done, cannot go on, or is stopped; the mirror says so before the workflow leaves."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ApplicationError, CancelledError, FailureError

from workflows.rails.failures import cause_of
from workflows.rails.mirrored import S
from workflows.rails.out_of_step import JobOver, OutOfStep
from workflows.rails.staged import StagedRun

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import JobOutcome
    from domain.errors import ExternalStageFailed, Fenced, TerminalImmutable
    from domain.jobs import Actor, Failure
    from domain.lifecycles.lifecycle import Trigger

CANCEL_PATIENCE = timedelta(seconds=4)
"""How long a cancelled job waits for its stage to say that it stopped. After that the fence keeps it from writing,
and the job is CANCELLED within the five seconds that people are promised."""


class JobRun(StagedRun[S]):
    """One run of one job, from its claim to its end.

    Args:
        lifecycle: The kind's table.
        start: The workflow's input.
    """

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
