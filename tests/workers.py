"""Workers in a thread of the test's own process: some queues served, some not, with a drafter that the test writes.

What a queue holds waits until somebody serves it; so a test can let a task be asked for, change the document, and
only then let the task run.
"""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from activities.artifacts import ArtifactStore
from activities.drafting import Drafter, LocalDrafter
from activities.mirror import Mirror
from activities.store import Store
from activities.tasks import DocumentTasks, TaskParts
from starter.settings import Settings
from starter.worker import build_workers

UP_WITHIN_S = 60.0


@contextmanager
def document_workers(
    address: str,
    settings: Settings,
    store: Store,
    artifacts: ArtifactStore,
    queues: Sequence[str],
    drafter: Drafter | None = None,
) -> Iterator[None]:
    """Workers for exports, regenerations and the moves of jobs, on ``queues``, until the block ends."""
    tasks = DocumentTasks(
        TaskParts(
            shelf=store, artifacts=artifacts, rewriters={"local": drafter or LocalDrafter()}, default_profile="local"
        )
    )
    mirror = Mirror(store)
    activities = [
        tasks.publish, tasks.fail_export, tasks.rewrite, tasks.fail_regenerate, mirror.claim, mirror.move
    ]  # fmt: skip
    up, down = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    failed: list[BaseException] = []

    async def work() -> None:
        client = await Client.connect(address, data_converter=pydantic_data_converter)
        async with AsyncExitStack() as running:
            for worker in build_workers(client, settings, queues, activities):
                await running.enter_async_context(worker)
            up.set()
            await down.wait()

    def run() -> None:
        try:
            loop.run_until_complete(work())
        except BaseException as error:
            failed.append(error)
        finally:
            loop.close()

    thread = threading.Thread(target=run, name="workers")
    thread.start()
    try:
        while not up.wait(0.1):
            assert not failed, failed
        yield
    finally:
        if not loop.is_closed():
            loop.call_soon_threadsafe(down.set)
        thread.join(UP_WITHIN_S)
