"""The generation job: something is made here, or given to a provider who says when it is done.

The table has no status for a retry. A worker that dies or a database that is away is retried by Temporal's own policy
for the stage. The faults of a provider are counted here, since their budget, three of an attempt, spans several
activities and a webhook's word, which no activity's policy sees; and a worker's death must not be taken off it.
"""

import asyncio
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, FailureError

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import JobOutcome, JobStart
    from activities.rails.interceptor import RETRY_AFTER_LIMIT_S
    from activities.rails.stage import spec_of
    from activities.rails.versioning import soon_over
    from activities.stages.generation import GenerationCall, GenerationControl, GenerationPlan, GenerationStages, Word
    from domain.errors import (
        Fenced,
        ProviderAnswerInvalid,
        ProviderRateLimited,
        ProviderSilent,
        ProviderTimeout,
        ProviderUnavailable,
        TransitionRefused,
    )
    from domain.jobs import Failure
    from domain.lifecycles.generation import (
        CANCELED,
        EXPIRED,
        FAILED,
        GENERATION,
        MAX_ATTEMPTS,
        QUEUED,
        GenerationStatus,
        backoff_s,
    )
    from domain.lifecycles.lifecycle import Trigger
    from workflows.rails import JobRun
    from workflows.rails.failures import cause_of, superseded
    from workflows.rails.retries import MIRROR_RETRIES, ROW_TIMEOUT

DEADLINE_TERM = "deadline_s"
"""What the run goes by: how long a provider's word is awaited."""

DEADLINE_S = 1800.0

EXPECTED = tuple(
    each.code for each in (ProviderUnavailable, ProviderTimeout, ProviderRateLimited, ProviderAnswerInvalid)
)
"""Passing faults: they are counted here, and audited, not tried again behind the job's back."""

CALL_OFF_TIMEOUT = timedelta(minutes=2)
CALL_OFF_RETRIES = RetryPolicy(initial_interval=timedelta(milliseconds=500), maximum_attempts=6)


@workflow.defn(name=GENERATION.kind, failure_exception_types=[TransitionRefused], versioning_behavior=soon_over())
class GenerationWorkflow:
    """The run of one attempt of a generation job; the workflow id is the job id."""

    @workflow.init
    def __init__(self, start: JobStart) -> None:
        self.job = JobRun(GENERATION, start)
        self.deadline_s = float(start.terms.get(DEADLINE_TERM, DEADLINE_S))
        self.cancel_requested = False
        self.failures = 0
        self.submitting = False
        """Whether a provider may have work of ours that it has not ended."""
        self.submitted = False

    @workflow.run
    async def run(self, start: JobStart) -> JobOutcome:
        try:
            outcome = await self.job.settled(
                self.steps, cancelled=lambda: self.cancel_requested, failed=FAILED, stopped=CANCELED
            )
        except CancelledError:
            await self.call_off()
            raise
        if self.job.status is CANCELED:
            await self.call_off()
        return outcome

    async def steps(self) -> None:
        plan = await self.look()
        if GENERATION.is_terminal(GENERATION.status(plan.status)):  # stopped before its run was known
            self.job.status = GENERATION.status(plan.status)
            return
        if plan.queued:
            await self.job.move(QUEUED, Trigger.WORKER)
        while not GENERATION.is_terminal(self.job.status):
            try:
                await (self.have_made() if plan.outside else self.make())
            except (ActivityError, ApplicationError) as fault:
                await self.try_again(fault)
        self.job.show()

    async def look(self) -> GenerationPlan:
        return await workflow.execute_local_activity_method(
            GenerationControl.plan,
            self.job.start.job_id,
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="how it is made",
        )

    async def make(self) -> None:
        await self.job.run_stage(GenerationStages.make, expected=EXPECTED)

    # --- a provider's work ---------------------------------------------------------------------------------

    async def have_made(self) -> None:
        """Give the work to the provider, wait for its word, and take what it made."""
        if not self.submitted:
            self.submitting = True
            await self.job.run_stage(GenerationStages.submit, expected=EXPECTED)
            self.submitted = True
        self.job.stage = spec_of(GenerationStages.ask)
        word = await self.word()
        if not word.said:
            await self.expire()
            return
        self.submitting = False
        if word.failure_code is not None:
            self.submitted = not word.passing
            raise ApplicationError(word.failure_message or "", type=word.failure_code, non_retryable=not word.passing)
        await self.job.run_stage(GenerationStages.collect, expected=EXPECTED)

    async def word(self) -> Word:
        """What the provider says of the end: told by a webhook, else asked for once, at the deadline."""
        word = await self.hear()
        if word.said:
            return word
        deadline = asyncio.create_task(workflow.sleep(self.deadline_s, summary="until the provider is asked"))
        try:
            while not word.said and not deadline.done():
                await workflow.wait_condition(lambda: self.job.reported or deadline.done())
                self.job.reported = False
                word = await self.hear()
        finally:
            deadline.cancel()
        return word if word.said else await self.ask()

    async def ask(self) -> Word:
        """The provider's answer, which may be that it is still at work."""
        for _ in range(MAX_ATTEMPTS):
            try:
                await self.job.run_stage(GenerationStages.ask, expected=EXPECTED)
                break
            except ActivityError as fault:
                if self.judged(fault).failure_code not in EXPECTED:
                    raise
                self.job.seq += 2
                await workflow.sleep(backoff_s(1), summary="before the provider is asked again")
        return await self.hear()

    async def hear(self) -> Word:
        return await workflow.execute_local_activity_method(
            GenerationControl.hear,
            self.call(),
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="what the provider has said",
        )

    async def expire(self) -> None:
        minutes = self.deadline_s / 60
        failure = Failure(
            failure_code=ProviderSilent.code,
            failure_message=f"The provider was not done within {minutes:.4g} minutes, nor when it was asked. "
            "The credits are back; ask for it again, or have an administrator retry the job.",
            failed_stage=str(self.job.stage.name) if self.job.stage else None,
            correlation_id=self.job.start.correlation_id,
        )
        await self.call_off()
        await self.job.end_stage(EXPIRED, failure)

    async def call_off(self) -> None:
        """Spare the provider what nobody wants any more. If that cannot be said, it changes nothing for the job."""
        if not self.submitting:
            return
        self.submitting = False
        try:
            await workflow.execute_activity_method(
                GenerationControl.call_off,
                self.call(),
                task_queue=self.job.options.queue("providers"),
                schedule_to_close_timeout=CALL_OFF_TIMEOUT,
                start_to_close_timeout=ROW_TIMEOUT,
                retry_policy=CALL_OFF_RETRIES,
                summary="call the provider's work off",
            )
        except ActivityError as fault:
            workflow.logger.warning("generation.not_called_off", extra={"code": self.judged(fault).failure_code})

    # --- an execution that made nothing --------------------------------------------------------------------

    async def try_again(self, fault: FailureError) -> None:
        """Wait, and let the work be done again, where it failed for a reason that passes.

        Raises:
            FailureError: It did not, or has failed too often.
        """
        failure = self.judged(fault)
        self.failures += 1
        if failure.failure_code not in EXPECTED or self.failures >= MAX_ATTEMPTS:
            raise fault
        cause = cause_of(fault)
        asked_for = cause.next_retry_delay if isinstance(cause, ApplicationError) else None
        asked_s = min((asked_for or timedelta()).total_seconds(), RETRY_AFTER_LIMIT_S)
        pause_s = max(backoff_s(self.failures), asked_s)
        self.job.seq += 3  # past whatever the execution could still write
        await workflow.execute_local_activity_method(
            GenerationControl.note_retry,
            self.call(failure=failure, retry_count=self.failures, retry_in_s=pause_s),
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="it is tried again",
        )
        await workflow.sleep(pause_s, summary="wait before the next try")

    def judged(self, fault: FailureError) -> Failure:
        """What is said of it. Raises where a newer run has the job, or nobody wants it any more."""
        failure = self.job.failure_of(fault)
        if failure.failure_code == Fenced.code:
            raise superseded()
        return failure

    def call(self, failure: Failure | None = None, retry_count: int = 0, retry_in_s: float = 0.0) -> GenerationCall:
        return GenerationCall(
            job_id=self.job.start.job_id,
            attempt=self.job.start.attempt,
            dispatch_id=self.job.dispatch_id,
            seq=max(self.job.seq, 1),
            failure=failure,
            retry_count=retry_count,
            retry_in_s=retry_in_s,
        )

    # --- what people and providers say ---------------------------------------------------------------------

    @workflow.signal(description="Stop the job; its running stage is stopped first, a provider's work is called off.")
    def cancel(self) -> None:
        """Stop the job; the running stage is stopped first."""
        self.cancel_requested = True

    @workflow.signal(description="The provider said something: look at what is stored. Safe to send again.")
    def reported(self) -> None:
        """The provider said something: look at what is stored."""
        self.job.reported = True

    @workflow.query(description="The job's status, as this run has it.")
    def status(self) -> GenerationStatus:
        return self.job.status
