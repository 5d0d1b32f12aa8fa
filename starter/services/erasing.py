"""Jobs are erased: hidden at once, and removed by a workflow that goes on until all is gone."""

import asyncio

import structlog
from temporalio.client import Client

from activities.rails.contracts import RunOptions
from activities.store import Store
from activities.upkeep.reconciling import begin_erasing
from domain.erasure import Erasure
from domain.errors import DispatchFailed, EngineUnavailable
from starter.services.engine import engine_faults

log = structlog.get_logger("guidesmith.jobs")


class ErasureService:
    """Erases jobs.

    Args:
        store: Called from threads.
        client: A (lazily connected) Temporal client.
        options: On which queue.
    """

    def __init__(self, store: Store, client: Client, options: RunOptions) -> None:
        self._store = store
        self._client = client
        self._options = options

    async def erase(self, job_id: str, *, owner: str | None, by_admin: bool = False) -> Erasure:
        """Take the job from its owner, and have it removed. It is not an error if Temporal is away: the reconciler
        has it done.

        Raises:
            NotFound: Absent, or not ``owner``'s where one is given.
        """
        erasure = await asyncio.to_thread(self._store.begin_erasure, job_id, owner=owner, by_admin=by_admin)
        if erasure.completed_at is None:
            try:
                async with engine_faults():
                    await begin_erasing(self._client, job_id, self._options)
            except (EngineUnavailable, DispatchFailed) as absent:
                log.warning("job.erasure_postponed", job_id=job_id, code=absent.code)
        return erasure
