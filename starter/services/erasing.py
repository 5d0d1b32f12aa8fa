"""Jobs, recordings and users are erased: hidden at once, and removed by a workflow that goes on until all is gone."""

import asyncio
from collections.abc import Awaitable
from functools import partial

import structlog
from temporalio.client import Client

from activities.rails.contracts import RunOptions
from activities.store import Store
from activities.upkeep.reconciling import begin_erasing, begin_purging
from domain.erasure import Erasure, Purge
from domain.errors import DispatchFailed, EngineUnavailable
from starter.services.engine import engine_faults

log = structlog.get_logger("guidesmith.jobs")


class ErasureService:
    """Erases what people ask it to.

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
            await self._begun(begin_erasing(self._client, job_id, self._options))
        return erasure

    async def erase_in_bin(self, job_id: str, *, owner: str) -> Erasure:
        """As :meth:`erase`, of a guide that lies in ``owner``'s bin."""
        erasure = await asyncio.to_thread(self._store.begin_erasure_in_bin, job_id, owner=owner)
        await self._begun(begin_erasing(self._client, job_id, self._options))
        return erasure

    async def erase_recording(self, job_id: str, *, owner: str | None, by_admin: bool = False) -> Purge:
        """Take the recording from a job, which keeps what was made of it, and have it removed.

        Raises:
            NotFound: The job is absent, not ``owner``'s, or has no recording.
            RecordingInUse: A run needs it.
        """
        begin = partial(self._store.begin_recording_purge, job_id, owner=owner, by_admin=by_admin)
        return await self._purged(await asyncio.to_thread(begin))

    async def erase_project(self, project_id: str, *, owner: str) -> Purge:
        """Have the project removed, with all its jobs. Raises: NotFound: absent, or not ``owner``'s."""
        begin = partial(self._store.begin_project_purge, project_id, owner=owner)
        return await self._purged(await asyncio.to_thread(begin))

    async def erase_user(self, user: str, *, by_admin: bool = False) -> Purge:
        """Have everything of ``user``'s removed."""
        return await self._purged(await asyncio.to_thread(self._store.begin_user_purge, user, by_admin=by_admin))

    async def _purged(self, purge: Purge) -> Purge:
        await self._begun(begin_purging(self._client, purge.id, purge.what, self._options))
        return purge

    async def _begun(self, beginning: Awaitable[None]) -> None:
        try:
            async with engine_faults():
                await beginning
        except (EngineUnavailable, DispatchFailed) as absent:
            log.warning("erasure.postponed", code=absent.code)
