"""The batch job: many items, each an activity with its own retries, a few at a time, however many there are.

A run takes a share of the items and hands the rest to its successor, so that no history grows with the batch. Whether
an item is done stands in the database alone; the workflow only knows which it has begun.
"""

import asyncio
from collections.abc import Iterator

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import CarriedState, JobOutcome
    from activities.stages.batch import BatchCall, BatchControl, BatchEnd, BatchPlan, BatchStages, BatchStart
    from domain.errors import Cancelled, Fenced, TransitionRefused
    from domain.jobs import Failure
    from domain.lifecycles.batch import BATCH, FAILED, PROCESSING, BatchType
    from domain.lifecycles.lifecycle import Trigger
    from workflows.rails import JobRun
    from workflows.rails.failures import superseded
    from workflows.rails.retries import MIRROR_RETRIES, ROW_TIMEOUT

LANES = 4
"""Items of one batch that are worked on at once, so that a large batch leaves slots to other jobs."""

ITEMS_A_RUN = 100
"""Items after which a run hands over. An item takes three to six events, one that fails one more."""

DOES = {
    BatchType.CLIPS: BatchStages.cut_clip,
    BatchType.THUMBNAILS: BatchStages.take_thumbnails,
    BatchType.CAPTIONS: BatchStages.write_captions,
}


@workflow.defn(name=BATCH.kind, failure_exception_types=[TransitionRefused])
class BatchWorkflow:
    """The run of a batch; the workflow id is the job id. Its table has no status for one that was stopped: it ends by
    what there is then."""

    @workflow.init
    def __init__(self, start: BatchStart) -> None:
        self.job = JobRun(BATCH, start)
        self.start = start
        self.plan = start.plan
        self.cancel_requested = False

    @workflow.run
    async def run(self, start: BatchStart) -> JobOutcome:
        return await self.job.settled(
            self.steps,
            cancelled=lambda: self.cancel_requested,
            failed=FAILED,
            stopped=FAILED,
            conclude=self.conclude,
        )

    async def steps(self) -> None:
        if self.plan is None:
            self.plan = await self.look()
            await self.job.move(PROCESSING, Trigger.WORKER)
        last = min(self.start.begun + ITEMS_A_RUN, self.plan.items)
        await self.work(self.plan, iter(range(self.start.begun + 1, last + 1)))
        if last < self.plan.items:
            self.hand_over(last)
        await self.close(self.plan)

    async def look(self) -> BatchPlan:
        return await workflow.execute_local_activity_method(
            BatchControl.plan,
            self.start.job_id,
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="how much there is to do",
        )

    # --- the items -------------------------------------------------------------------------------------------

    async def work(self, plan: BatchPlan, numbers: Iterator[int]) -> None:
        """Do the items, a few at a time. One that fails stops no other."""
        lanes = [asyncio.create_task(self.lane(plan, numbers)) for _ in range(LANES)]
        try:
            await asyncio.gather(*lanes)
        finally:
            for each in lanes:
                each.cancel()

    async def lane(self, plan: BatchPlan, numbers: Iterator[int]) -> None:
        for number in numbers:
            try:
                await self.job.run_piece(DOES[plan.job_type], number)
            except ActivityError as error:
                failure = self.job.failure_of(error)
                if failure.failure_code == Cancelled.code:
                    raise
                await self.give_up(plan, number, failure)

    async def give_up(self, plan: BatchPlan, number: int, failure: Failure) -> None:
        if failure.failure_code == Fenced.code:
            raise superseded()
        await workflow.execute_local_activity_method(
            BatchControl.give_up,
            self.call(plan, self.job.seq + 1, number, failure),
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary=f"item {number} is given up",
        )

    def hand_over(self, begun: int) -> None:
        carried = CarriedState(status=str(self.job.status), seq=self.job.seq, touched=False, exported=False)
        workflow.continue_as_new(self.start.model_copy(update={"plan": self.plan, "begun": begun, "carried": carried}))

    # --- the end ---------------------------------------------------------------------------------------------

    async def conclude(self, failure: Failure) -> None:
        """End a batch that was stopped, or cannot go on, by what there is: its files are kept, and listed."""
        await self.close(self.plan or await self.look(), failure)

    async def close(self, plan: BatchPlan, stopped: Failure | None = None) -> None:
        """End as the items did, which the database has counted."""
        self.job.seq += 3  # past the items' own two numbers
        self.job.stage = None
        end: BatchEnd = await workflow.execute_local_activity_method(
            BatchControl.close,
            self.call(plan, self.job.seq, failure=stopped),
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="it ends by what there is" if stopped else "every item is settled",
        )
        self.job.status = BATCH.status(end.status)
        self.job.show(end.failure)

    def call(self, plan: BatchPlan, seq: int, number: int = 0, failure: Failure | None = None) -> BatchCall:
        return BatchCall(
            job_id=self.start.job_id,
            attempt=self.start.attempt,
            dispatch_id=self.job.dispatch_id,
            seq=seq,
            items=plan.items,
            number=number,
            failure=failure,
        )

    # --- what people say -------------------------------------------------------------------------------------

    @workflow.signal(description="Stop the batch: what is done by then is kept, and it ends as partial, or as failed.")
    def cancel(self) -> None:
        """Stop the batch; the running items are stopped first."""
        self.cancel_requested = True
