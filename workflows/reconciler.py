"""The reconciler's workflow and its schedule."""

from datetime import timedelta

from temporalio import workflow
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
)
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities.reconciling import Reconciled, Reconciler

EVERY = timedelta(minutes=1)
"""A lost job is shown as such within this. Each round costs two billed actions."""


@workflow.defn(name="reconciler")
class ReconcilerWorkflow:
    """One round."""

    @workflow.run
    async def run(self) -> Reconciled:
        return await workflow.execute_activity_method(
            Reconciler.reconcile,
            start_to_close_timeout=timedelta(minutes=10),
            heartbeat_timeout=timedelta(seconds=30),
            retry_policy=RetryPolicy(maximum_attempts=3),
            summary="compare the mirror with the engine",
        )


async def ensure_schedule(client: Client, task_queue: str) -> None:
    """Make the schedule where it does not exist yet."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            ReconcilerWorkflow.run, id=f"{task_queue}-reconciler", task_queue=task_queue
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=EVERY)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP),
    )
    try:
        await client.create_schedule(f"{task_queue}-reconciler", schedule)
    except ScheduleAlreadyRunningError:
        return
