"""What a worker does for webhooks: send deliveries, and hand over those that wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from temporalio.client import Client

from activities.store import Store
from activities.webhooks import Courier, Postman, outbound
from starter.settings import Settings


def postman(settings: Settings, store: Store) -> Postman:
    """The activities of a delivery."""
    return Postman(store, outbound(private=settings.webhook_allow_private))


@asynccontextmanager
async def running_courier(settings: Settings, store: Store, client: Client) -> AsyncIterator[None]:
    """A courier beside the workers, until the block ends."""
    task = asyncio.create_task(Courier(store, client, settings.task_queue_prefix).run(), name="courier")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
