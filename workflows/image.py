"""The image job: a prompt becomes a picture, in up to as many executions as the job may fail."""

from contextlib import suppress
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, FailureError

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import JobOutcome, JobStart
    from activities.rails.interceptor import RETRY_AFTER_LIMIT_S
    from activities.rails.versioning import soon_over
    from activities.stages.image import ImageStages
    from activities.store.records import EventType
    from domain.errors import (
        Cancelled,
        ContentRejected,
        Fenced,
        ProviderAnswerInvalid,
        ProviderRateLimited,
        ProviderTimeout,
        ProviderUnavailable,
        TerminalImmutable,
        TransitionRefused,
    )
    from domain.lifecycles.image import (
        DEAD_LETTER,
        FAILED,
        IMAGE,
        MAX_RETRIES,
        QUEUED,
        REJECTED,
        RUNNING,
        ImageStatus,
        after_failure,
        backoff_s,
    )
    from domain.lifecycles.lifecycle import Trigger
    from workflows.rails import JobRun
    from workflows.rails.failures import cause_of, superseded

MAX_RETRIES_TERM, MODERATED_TERM = "max_retries", "moderated"
"""What the run goes by: executions before it is given up, and whether the prompt is moderated first."""

EXPECTED = tuple(
    each.code for each in (ProviderUnavailable, ProviderTimeout, ProviderRateLimited, ProviderAnswerInvalid)
)
"""Passing faults of a provider: they are counted in the job's own status, not tried again behind its back."""


@workflow.defn(name=IMAGE.kind, failure_exception_types=[TransitionRefused], versioning_behavior=soon_over())
class ImageWorkflow:
    """The run of an image job; the workflow id is the job id. Its owner cannot cancel it: the table has no such move.
    Where an operator does so all the same, the job is given up, and its reservation released."""

    @workflow.init
    def __init__(self, start: JobStart) -> None:
        self.job = JobRun(IMAGE, start)
        self.max_retries = int(start.terms.get(MAX_RETRIES_TERM, MAX_RETRIES))
        self.to_moderate = bool(start.terms.get(MODERATED_TERM, False))
        self.failures = 0
        self.is_superseded = False

    @workflow.signal(description="A newer request has taken this job's place, perhaps: look at the job's row.")
    def superseded(self) -> None:
        """A newer request has taken this job's place, perhaps: whether it has is asked of the database."""
        self.is_superseded = True

    @workflow.signal(description="Refused: this kind cannot be cancelled. The details say so.")
    def cancel(self) -> None:
        """Refused, and said so in the workflow's details."""
        self.job.refuse_cancel()

    @workflow.run
    async def run(self, start: JobStart) -> JobOutcome:
        return await self.job.settled(self.steps, cancelled=lambda: False, failed=DEAD_LETTER, stopped=DEAD_LETTER)

    async def steps(self) -> None:
        while self.job.status is QUEUED:
            try:
                await self.moderate()
                await self.paint()
            except ActivityError as error:
                await self.settle(error)

    async def moderate(self) -> None:
        if self.to_moderate:
            await self.job.run_stage(ImageStages.moderate, expected=EXPECTED)
            self.to_moderate = False

    async def paint(self) -> None:
        await self.job.run_stage(ImageStages.paint, expected=EXPECTED)
        self.job.show()

    # --- an execution that made no picture -----------------------------------------------------------------

    async def settle(self, error: ActivityError) -> None:
        """Say what became of the execution, and where the job goes from there."""
        failure = self.job.failure_of(error)
        if failure.failure_code == Fenced.code:
            raise superseded()
        if failure.failure_code == Cancelled.code and workflow.patched("stopped-is-no-fault"):
            raise error
        if failure.failure_code == ContentRejected.code:
            event = EventType.SAFE_BLOCK if self.job.status is RUNNING else None
            await self.job.end_stage(REJECTED, failure, event_type=event)
            return
        if self.job.status is QUEUED:  # moderation itself failed: that was an execution too
            await self.job.end_stage(RUNNING)
        self.failures += 1
        target, pause_s = self.verdict(error)
        facts = {"retry_count": self.failures, **({"retry_in_s": pause_s} if target is QUEUED else {})}
        await self.job.end_stage(FAILED, failure, facts=facts)
        if target is QUEUED:
            await self.queue_again(pause_s)
        else:
            await self.job.move(target, Trigger.WORKER, failure=failure)

    def verdict(self, error: ActivityError) -> tuple[ImageStatus, float]:
        """Where a failed job goes, and after how many seconds. What no further try can mend spends them all."""
        cause = cause_of(error)
        if isinstance(cause, ApplicationError) and cause.non_retryable:
            return DEAD_LETTER, 0.0
        asked_for = cause.next_retry_delay if isinstance(cause, ApplicationError) else None
        asked_s = (asked_for or timedelta()).total_seconds()
        return after_failure(self.failures, self.max_retries), max(
            backoff_s(self.failures), min(asked_s, RETRY_AFTER_LIMIT_S)
        )

    async def queue_again(self, pause_s: float) -> None:
        """Wait, and go back into the queue, unless a newer request has taken this job's place meanwhile."""
        with suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: self.is_superseded, timeout=pause_s, timeout_summary="wait before the next try"
            )
        self.is_superseded = False
        try:
            await self.job.move(QUEUED, Trigger.WORKER)
        except FailureError as refused:  # of a local activity it is the cause itself
            cause = cause_of(refused)
            if not isinstance(cause, ApplicationError) or cause.type != TerminalImmutable.code:
                raise
            self.job.status = DEAD_LETTER
            self.job.show()
