"""The sweep as the schedule starts it: a workflow on the jobs queue, on a real worker."""

from datetime import UTC, datetime, timedelta

import pytest
from temporalio.service import RPCError

from activities.artifacts import UploadGone
from activities.upkeep.orphans import Orphaned
from activities.upkeep.sweeping import Swept
from starter.work.worker import SCHEDULES
from tests.integration.test_sweeping import uploading
from tests.stack import Stack
from workflows import reconciler, sweeping
from workflows.schedules import drop_schedule, ensure_schedule
from workflows.sweeping import SweepOrphansWorkflow, SweepWorkflow


def test_given_an_abandoned_upload_when_the_sweep_runs_then_it_is_gone_and_the_schedule_is_there(
    shared_stack: Stack,
) -> None:
    stack = shared_stack
    queue = stack.settings.queue("jobs")
    stack.loop.run(stack.client.get_schedule_handle(f"{queue}-{sweeping.NAME}").pause())  # it comes at each full hour
    _, session = uploading(stack.store, stack.artifacts, datetime.now(UTC) - timedelta(days=1))

    swept = stack.loop.run(
        stack.client.execute_workflow(SweepWorkflow.run, id=f"{queue}-sweep-now", task_queue=queue), 60
    )

    assert swept == Swept(uploads=1)
    with pytest.raises(UploadGone):
        stack.artifacts.multipart.arrived(session.key, session.multipart_id or "")
    orphaned = stack.loop.run(
        stack.client.execute_workflow(SweepOrphansWorkflow.run, id=f"{queue}-orphans-now", task_queue=queue), 60
    )
    assert orphaned == Orphaned()
    for name, every in SCHEDULES.items():
        schedule = stack.loop.run(stack.client.get_schedule_handle(f"{queue}-{name}").describe())
        assert schedule.schedule.spec.intervals[0].every == every


def test_a_reconciler_that_an_earlier_version_had_started_by_temporal_is_started_no_more(shared_stack: Stack) -> None:
    stack, queue = shared_stack, shared_stack.settings.queue("jobs")
    stack.loop.run(ensure_schedule(stack.client, queue, reconciler.NAME, timedelta(minutes=1)))
    for _ in range(2):
        stack.loop.run(drop_schedule(stack.client, queue, reconciler.NAME))
    with pytest.raises(RPCError, match="not found"):
        stack.loop.run(stack.client.get_schedule_handle(f"{queue}-{reconciler.NAME}").describe())
