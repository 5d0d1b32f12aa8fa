"""Callbacks of external stage runners: applied first, told to the workflow second.

What was applied holds whether or not Temporal is there: see ``activities/store/runs/callbacks.py``.
"""

import asyncio

import structlog
from temporalio.client import Client
from temporalio.service import RPCError

from activities.rails.signals import wake
from activities.stages.reported_drafts import ReportedDrafts
from activities.store import CallbackReceipt, Store
from domain.lifecycles.callbacks import Callback, Undelivered
from starter.services import engine

log = structlog.get_logger("guidesmith.callbacks")


class CallbackService:
    """Takes callbacks.

    Args:
        store: Called from threads.
        drafts: Makes the documents of what is reported.
        client: A (lazily connected) Temporal client.
    """

    def __init__(self, store: Store, drafts: ReportedDrafts, client: Client) -> None:
        self._store = store
        self._drafts = drafts
        self._client = client

    async def receive(self, job_id: str, callback: Callback, payload_sha256: str) -> CallbackReceipt:
        """Apply a callback; an event that came before, and was perhaps not told to the workflow, is told again.

        Raises:
            NotFound, EventPayloadMismatch, TerminalImmutable, StaleDispatch, CallbackOutOfOrder, TransitionRefused:
                Nothing changed.
        """
        document = await asyncio.to_thread(self._drafts.document, job_id, callback)
        receipt = await asyncio.to_thread(self._store.apply_callback, job_id, callback, payload_sha256, document)
        facts = {"job_id": job_id, "event_id": callback.event_id}
        for kind in receipt.ignored:
            log.warning("callback.artifact_ignored", kind=str(kind), **facts)
        log.info("callback.received", status=str(callback.status), replayed=receipt.replayed, **facts)
        if not receipt.delivered:
            await self._tell(Undelivered(job_id, callback.event_id))
        return receipt

    async def _tell(self, news: Undelivered) -> None:
        try:
            await asyncio.wait_for(wake(self._client, news.job_id), engine.PATIENCE_S)  # the reconciler wakes it then
        except (RPCError, RuntimeError, TimeoutError) as absent:
            log.warning("callback.not_delivered_yet", job_id=news.job_id, fault=type(absent).__name__)
            return
        await asyncio.to_thread(self._store.mark_delivered, [news])
