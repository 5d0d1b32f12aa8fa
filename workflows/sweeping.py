"""The sweep's workflow and its schedule."""

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
    from activities.sweeping import HEARTBEAT_TIMEOUT_S, Sweeper, Swept

EVERY = timedelta(hours=1)
"""What was abandoned lies about for a day before it is swept; an hour more does not matter. Two billed actions each."""


@workflow.defn(name="sweep")
class SweepWorkflow:
    """One round."""

    @workflow.run
    async def run(self) -> Swept:
        return await workflow.execute_activity_method(
            Sweeper.sweep,
            start_to_close_timeout=timedelta(hours=1),
            heartbeat_timeout=timedelta(seconds=HEARTBEAT_TIMEOUT_S),
            retry_policy=RetryPolicy(maximum_attempts=2),
            summary="drop abandoned uploads",
        )


async def ensure_schedule(client: Client, task_queue: str) -> None:
    """Make the schedule where it does not exist yet."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(SweepWorkflow.run, id=f"{task_queue}-sweep", task_queue=task_queue),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=EVERY)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP),
    )
    try:
        await client.create_schedule(f"{task_queue}-sweep", schedule)
    except ScheduleAlreadyRunningError:
        return
