"""Hands the outbox over to Temporal, and tells workflows what providers said.

Both are rows that wait: a delivery without a workflow, a webhook without a signal. The relay looks for them every
moment, in every worker of the ``jobs`` queue; whoever is faster does no harm, since a workflow of one id starts once
and a signal says nothing but "look". What was written while no worker ran is found by the first that does.
"""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import structlog
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError

from activities.rails.contracts import Message
from activities.rails.signals import wake
from activities.store.hooks.provider_webhooks import UndeliveredWebhook
from activities.store.hooks.webhooks import Waiting

WORKFLOW = "webhook"
EVERY_S = 1.0
"""Seconds between two looks while there is something to do."""

IDLE_S = 5.0
"""Seconds between two looks after some that found nothing: how long a delivery waits at most."""

UNDELIVERED_AFTER_S = 10.0
"""How long the API that took a webhook is given to tell the workflow itself."""

DAY_S = 24 * 3600.0
FIRST_PAUSE_S = 5.0

log = structlog.get_logger("guidesmith.webhooks")


def delivery_workflow(delivery_id: str, round: int) -> str:
    """The id of the workflow that carries a round of a delivery out."""
    return f"{WORKFLOW}-{delivery_id}-{round}"


class DeliveryStart(Message):
    """The input of a delivery's workflow.

    Args:
        queue: The task queue of whatever speaks with the outside.
        first_pause_s: Before the second request; each further pause is three times as long, up to four hours.
        give_up_after_s: From the first request on.
    """

    delivery_id: str
    round: int
    queue: str
    first_pause_s: float = FIRST_PAUSE_S
    give_up_after_s: float = DAY_S

    @property
    def workflow_id(self) -> str:
        return delivery_workflow(self.delivery_id, self.round)


class OutboxStore(Protocol):
    """What the relay needs of the store."""

    def has_post(self, older_than_s: float = 10.0) -> bool: ...
    def waiting_deliveries(self, limit: int = 100) -> tuple[Waiting, ...]: ...
    def mark_handed_over(self, taken: Sequence[Waiting]) -> None: ...
    def undelivered_webhooks(self, older_than_s: float = 10.0, limit: int = 100) -> tuple[UndeliveredWebhook, ...]: ...
    def mark_webhooks_delivered(self, delivered: Sequence[str]) -> None: ...


def longer(pause_s: float) -> float:
    """The pause after one more look that found nothing."""
    return max(pause_s, min(2 * pause_s, IDLE_S))


class OutboxRelay:
    """Runs beside the workers of a process.

    Args:
        prefix: Of the task queues: ``{prefix}-jobs``, ``{prefix}-providers``.
        first_pause_s, give_up_after_s: See :class:`DeliveryStart`.
    """

    def __init__(
        self,
        store: OutboxStore,
        client: Client,
        prefix: str,
        *,
        first_pause_s: float = FIRST_PAUSE_S,
        give_up_after_s: float = DAY_S,
    ) -> None:
        self._store = store
        self._client = client
        self._prefix = prefix
        self._first_pause_s = first_pause_s
        self._give_up_after_s = give_up_after_s

    async def run(self, every_s: float = EVERY_S) -> None:
        """Until cancelled. What cannot be reached now is tried again a moment later."""
        pause_s = every_s
        while True:
            pause_s = every_s if await self.look() else longer(pause_s)
            await asyncio.sleep(pause_s)

    async def look(self) -> bool:
        """Do what there is to do; whether there was anything, or perhaps is. Nothing to do costs one statement."""
        try:
            if not await asyncio.to_thread(self._store.has_post, UNDELIVERED_AFTER_S):
                return False
            await self.hand_over()
            await self.tell()
        except Exception as absent:  # whatever it is: what waits is still there a moment later
            log.warning("webhooks.waiting", fault=type(absent).__name__)
        return True

    async def hand_over(self) -> int:
        """Start the workflow of every delivery that waits for one.

        Raises:
            DatabaseUnavailable, RPCError, RuntimeError: Try again.
        """
        handed = 0
        while waiting := await asyncio.to_thread(self._store.waiting_deliveries):
            for each in waiting:
                await self._start(each)
            await asyncio.to_thread(self._store.mark_handed_over, waiting)
            handed += len(waiting)
        return handed

    async def tell(self, older_than_s: float = UNDELIVERED_AFTER_S) -> int:
        """Wake the workflows that a webhook came for, and that the API which took it did not tell.

        Raises:
            DatabaseUnavailable, RPCError, RuntimeError: Try again.
        """
        delivered = 0
        while undelivered := await asyncio.to_thread(self._store.undelivered_webhooks, older_than_s):
            for job_id in dict.fromkeys(each.job_id for each in undelivered):
                await wake(self._client, job_id)
            await asyncio.to_thread(self._store.mark_webhooks_delivered, [each.id for each in undelivered])
            delivered += len(undelivered)
            log.warning("webhook.delivered_late", webhooks=len(undelivered))
        return delivered

    async def _start(self, waiting: Waiting) -> None:
        start = DeliveryStart(
            delivery_id=waiting.delivery_id,
            round=waiting.round,
            queue=f"{self._prefix}-providers",
            first_pause_s=self._first_pause_s,
            give_up_after_s=self._give_up_after_s,
        )
        try:
            await self._client.start_workflow(
                WORKFLOW,
                start,
                id=start.workflow_id,
                task_queue=f"{self._prefix}-jobs",
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
                static_summary="a webhook to a user's endpoint",
            )
        except WorkflowAlreadyStartedError:
            return
