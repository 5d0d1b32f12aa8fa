"""New attempts of jobs that have failed, by an administrator, where the kind's table has one."""

import asyncio
from collections.abc import Callable

from temporalio.client import Client

from activities.store import Store
from domain.jobs import Job
from domain.lifecycles.instruction import RETRY
from domain.lifecycles.kinds import STARTS, lifecycle_of
from domain.lifecycles.lifecycle import Trigger
from starter.services.kinds import KindService
from starter.services.live_runs import LiveRuns


class Retries:
    """Gives a job another attempt.

    Args:
        store: Called from threads.
        client: A (lazily connected) Temporal client.
        kinds: Starts the attempt's run.
    """

    def __init__(self, store: Store, client: Client, kinds: KindService) -> None:
        self._store = store
        self._runs = LiveRuns(store, client)
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
        job = await asyncio.to_thread(self._store.get_job, job_id)
        if _may_be_retried(job):
            await self._runs.until_closed(job)
        await asyncio.to_thread(begin)
        await self._kinds.start(await asyncio.to_thread(self._store.get_job, job_id))
        return await asyncio.to_thread(self._store.get_job, job_id)


def _may_be_retried(job: Job) -> bool:
    """Whether a retry leads out of the job's status. Of another one its run is not waited for: it may well be alive."""
    lifecycle, start = lifecycle_of(job.kind), STARTS.get(job.kind)
    return start is not None and lifecycle.may(lifecycle.status(job.status), start, Trigger.ADMIN, action=RETRY)
