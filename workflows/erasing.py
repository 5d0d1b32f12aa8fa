"""The workflow that erases a job: steps that may be repeated, until the last is done, however long that takes."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities.upkeep.erasing import HEARTBEAT_TIMEOUT_S, NAME

STEPS = ("end-runs", "erase-rows", "erase-files", "forget-runs")

PATIENCE = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5))
"""Without end: what somebody wants gone is not forgotten half-way."""


@workflow.defn(name=NAME)
class EraseWorkflow:
    """Its input and its id are all that it knows of the job."""

    @workflow.run
    async def run(self, job_id: str) -> None:
        for step in STEPS:
            await workflow.execute_activity(
                step,
                job_id,
                start_to_close_timeout=timedelta(hours=1),
                heartbeat_timeout=timedelta(seconds=HEARTBEAT_TIMEOUT_S),
                retry_policy=PATIENCE,
                summary=step.replace("-", " "),
            )
