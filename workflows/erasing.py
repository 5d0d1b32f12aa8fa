"""The workflows that erase: steps that may be repeated, until the last is done, however long that takes."""

from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities.upkeep.erasing import HEARTBEAT_TIMEOUT_S, NAME, PROJECT, RECORDING, USER

STEPS = ("end-runs", "erase-rows", "erase-files", "forget-runs")

PATIENCE = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5))
"""Without end: what somebody wants gone is not forgotten half-way."""


@workflow.defn(name=NAME)
class EraseWorkflow:
    """Its input and its id are all that it knows of the job."""

    @workflow.run
    async def run(self, job_id: str) -> None:
        for step in STEPS:
            await _done(step, job_id)


@workflow.defn(name=RECORDING)
class EraseRecordingWorkflow:
    """Of a recording it knows the id of the purge alone."""

    @workflow.run
    async def run(self, purge_id: str) -> None:
        await _done("erase-recording", purge_id)


@workflow.defn(name=USER)
class EraseUserWorkflow:
    """Of a user it knows the id of the purge and, on the way, of jobs. Jobs that are made meanwhile go, too."""

    @workflow.run
    async def run(self, purge_id: str) -> None:
        await _all_of(USER, purge_id)


@workflow.defn(name=PROJECT)
class EraseProjectWorkflow:
    """As of a user."""

    @workflow.run
    async def run(self, purge_id: str) -> None:
        await _all_of(PROJECT, purge_id)


async def _all_of(whose: str, purge_id: str) -> None:
    """Jobs, until there are no more, and then the rest."""
    of = whose.removeprefix("erase-")
    done = False
    while not done:
        job_ids: list[str] = await _done(f"erase-jobs-of-{of}", purge_id)
        for job_id in job_ids:
            for step in STEPS:
                await _done(step, job_id)
        if workflow.info().is_continue_as_new_suggested():
            workflow.continue_as_new(purge_id)
        if not job_ids:
            done = await _done(f"erase-rest-of-{of}", purge_id)


async def _done(step: str, of: str) -> Any:
    return await workflow.execute_activity(
        step,
        of,
        start_to_close_timeout=timedelta(hours=1),
        heartbeat_timeout=timedelta(seconds=HEARTBEAT_TIMEOUT_S),
        retry_policy=PATIENCE,
        summary=step.replace("-", " "),
    )
