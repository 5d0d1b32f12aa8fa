"""Which run has a job right now, by Temporal's own word, and what follows where none has."""

import asyncio
import time

from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from activities.rails.namespaces import recognise_namespace
from activities.store import Store
from activities.upkeep.reconciling import settle_lost
from domain.errors import EngineForeign, JobAlreadyRunning
from domain.jobs import Job
from domain.lifecycles.kinds import lifecycle_of
from starter.services.engine import engine_faults

CLOSE_WAIT_S = 5.0
"""Seconds a retry waits for the run that failed to end: it may have a provider's work to call off."""

CLOSE_POLL_S = 0.1


def has_ended(job: Job) -> bool:
    """Whether the job is in a terminal status of its kind."""
    lifecycle = lifecycle_of(job.kind)
    return lifecycle.is_terminal(lifecycle.status(job.status))


class LiveRuns:
    """Asks for the runs of jobs.

    Args:
        store: Called from threads.
        client: A (lazily connected) Temporal client.
    """

    def __init__(self, store: Store, client: Client) -> None:
        self._store = store
        self._client = client

    async def is_live(self, job: Job) -> bool:
        """Whether a workflow owns the job. Raises: as :meth:`live_run`."""
        return await self.live_run(job) is not None

    async def live_run(self, job: Job) -> str | None:
        """The dispatch_id of the run that is alive under the job's name; ``None``: there is none.

        Raises:
            EngineUnavailable, DispatchFailed: Temporal could not be asked.
        """
        if job.dispatch_id is None:
            return None
        async with engine_faults():
            try:
                description = await self._client.get_workflow_handle(job.id).describe()
            except RPCError as fault:
                if fault.status is RPCStatusCode.NOT_FOUND:
                    return None
                raise
        if description.status is not WorkflowExecutionStatus.RUNNING:
            return None
        return description.raw_description.workflow_execution_info.first_run_id or description.run_id

    async def until_closed(self, job: Job) -> None:
        """A job has failed a moment before its run has ended, or longer where a callback said so and no worker is
        there; until then no other can be started.

        Raises:
            JobAlreadyRunning: The run does not end. EngineUnavailable, DispatchFailed.
        """
        deadline = time.monotonic() + CLOSE_WAIT_S
        while job.dispatch_id is not None and await self.live_run(job) == job.dispatch_id:
            if time.monotonic() >= deadline:
                raise JobAlreadyRunning(
                    "The failed run has not ended yet. Try again in a moment; if it stays so, see that a worker runs.",
                    details={"current_status": job.status},
                )
            await asyncio.sleep(CLOSE_POLL_S)

    async def settled_if_lost(self, job: Job) -> Job:
        """A job whose run has gone, as one that has failed.

        Raises:
            EngineUnavailable, DispatchFailed, EngineForeign: Temporal could not be asked, or is not the jobs' own.
                Nothing changed.
            JobVersionConflict: The job changed meanwhile.
        """
        job = await asyncio.to_thread(self._store.get_job, job.id)
        if has_ended(job):
            return job
        async with engine_faults():
            if not await recognise_namespace(self._store, self._client):
                raise EngineForeign(
                    "This Temporal is not the one that the job ran in, so that nothing is known of its run. Nothing "
                    "changed. `guidesmith doctor` beside the API says more."
                )
        return await asyncio.to_thread(settle_lost, self._store, job, "the run ended without saying so")
