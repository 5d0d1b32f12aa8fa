"""Workflows that Temporal starts by itself, again and again."""

from dataclasses import replace
from datetime import timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
)
from temporalio.service import RPCError, RPCStatusCode


async def drop_schedule(client: Client, task_queue: str, workflow: str) -> None:
    """Have ``workflow`` started no more, where a schedule of an earlier version did."""
    try:
        await client.get_schedule_handle(f"{task_queue}-{workflow}").delete()
    except RPCError as fault:
        if fault.status is not RPCStatusCode.NOT_FOUND:
            raise


async def ensure_schedule(client: Client, task_queue: str, workflow: str, every: timedelta) -> None:
    """Have ``workflow`` started ``every`` so often, one at a time. A schedule of an earlier version that has another
    interval is given this one; whether it is paused stays."""
    name = f"{task_queue}-{workflow}"
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(workflow, id=name, task_queue=task_queue),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=every)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP),
    )
    try:
        await client.create_schedule(name, schedule)
    except ScheduleAlreadyRunningError:
        handle = client.get_schedule_handle(name)
        known = (await handle.describe()).schedule.spec.intervals
        if [each.every for each in known] != [every]:
            await handle.update(lambda was: ScheduleUpdate(replace(was.description.schedule, spec=schedule.spec)))
