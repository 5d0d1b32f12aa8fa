"""New attempts of jobs that have failed, by an administrator, where the kind's table has one."""

import asyncio
import time
from collections.abc import Callable

from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from activities.store import Store
from domain.errors import JobAlreadyRunning
from domain.jobs import Job
from starter.engine import engine_faults
from starter.kinds import KindService

CLOSE_WAIT_S = 5.0
"""Seconds a retry waits for the run that failed to end: it may have a provider's work to call off."""

CLOSE_POLL_S = 0.1


class Retries:
    """Gives a job another attempt.

    Args:
        store: Called from threads.
        client: A (lazily connected) Temporal client.
        kinds: Starts the attempt's run.
    """

    def __init__(self, store: Store, client: Client, kinds: KindService) -> None:
        self._store = store
        self._client = client
        self._kinds = kinds

    async def retry(self, job_id: str, begin: Callable[[], object]) -> Job:
        """Charge the attempt, and start its run, in this order: a run that cannot be started now is started later.

        Args:
            begin: Begins the attempt in the database (``Store.begin_attempt``), or finds it begun.

        Raises:
            NotFound, RetryNotAllowed, InsufficientCredits: Nothing changed.
            JobAlreadyRunning: The run that failed does not end.
            EngineUnavailable: Nothing changed.
        """
        await self._kinds.check_engine()
        await self._until_closed(await asyncio.to_thread(self._store.get_job, job_id))
        await asyncio.to_thread(begin)
        await self._kinds.start(await asyncio.to_thread(self._store.get_job, job_id))
        return await asyncio.to_thread(self._store.get_job, job_id)

    async def _until_closed(self, job: Job) -> None:
        """A job has failed a moment before its run has ended; until then no other can be started."""
        deadline = time.monotonic() + CLOSE_WAIT_S
        while job.completed_at is not None and await self._is_open(job.id):
            if time.monotonic() >= deadline:
                raise JobAlreadyRunning(
                    "The failed run has not ended yet. Try again in a moment; if it stays so, see that a worker runs.",
                    details={"current_status": job.status},
                )
            await asyncio.sleep(CLOSE_POLL_S)

    async def _is_open(self, job_id: str) -> bool:
        async with engine_faults():
            try:
                description = await self._client.get_workflow_handle(job_id).describe()
            except RPCError as fault:
                if fault.status is RPCStatusCode.NOT_FOUND:
                    return False
                raise
        return description.status is WorkflowExecutionStatus.RUNNING
