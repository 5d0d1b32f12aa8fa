"""What a worker does for webhooks: send deliveries, and hand over those that wait."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from temporalio.client import Client

from activities.store import Store
from activities.webhooks import OutboxRelay, WebhookSender, outbound
from starter.settings import Settings


def webhook_sender(settings: Settings, store: Store) -> WebhookSender:
    """The activities of a delivery."""
    return WebhookSender(store, outbound(private=settings.webhook_allow_private))


def relay(settings: Settings, store: Store, client: Client) -> OutboxRelay:
    """Who hands deliveries over."""
    return OutboxRelay(store, client, settings.task_queue_prefix)


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Have ``work`` go on beside the workers, until the block ends."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
