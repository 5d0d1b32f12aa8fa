"""A worker process of the engine benchmark: ``python -m tests.bench.engine_worker CONTENDER``.

It is put together as the product's own worker is, with the same settings for every contender. It says ``ready`` on its
standard output, and works until its standard input ends. Its log goes to standard error, as the product's own does.
"""

import asyncio
import os
import sys
from contextlib import AsyncExitStack

from activities.rails.mirror import Mirror
from activities.store import Store
from starter.logs import configure_logs
from starter.services.engine import connect_patiently
from starter.settings import QUEUES, Settings, load_settings
from starter.wiring import open_store
from starter.work.worker import WORKFLOWS, build_workers
from tests.bench.instant import InstantStages
from tests.bench.rivals import BareWorkflow, NaiveWorkflow, StatusWriter, work

SLOTS = 16
"""Activities at once on each queue: stages that take no time need no queue that lets one through after another."""

READY = "ready"


def bench_settings(contender: str) -> Settings:
    """The product's defaults, but for the queues of heavy stages."""
    return load_settings(
        task_queue_prefix=contender, jobs_slots=SLOTS, media_slots=SLOTS, speech_slots=SLOTS, providers_slots=SLOTS
    )


def parts(contender: str, store: Store) -> tuple[list[object], tuple[type, ...]]:
    """The activities and workflows of a contender."""
    if contender == "bare":
        return [work], (BareWorkflow,)
    if contender == "naive":
        return [work, StatusWriter(store).write_status], (NaiveWorkflow,)
    stages, mirror = InstantStages(store), Mirror(store)
    bodies = [stages.extract_audio, stages.transcribe, stages.draft, stages.illustrate]
    return [*bodies, mirror.claim, mirror.move], WORKFLOWS


async def work_until_told(contender: str) -> None:
    settings = bench_settings(contender)
    store = open_store(settings)
    client = await connect_patiently()
    async with AsyncExitStack() as running:
        for worker in build_workers(client, settings, QUEUES, *parts(contender, store)):
            await running.enter_async_context(worker)
        sys.stdout.write(f"{READY}\n")
        sys.stdout.flush()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads on: a full pipe would stop the worker
        await asyncio.to_thread(sys.stdin.read)
    store.dispose()


if __name__ == "__main__":
    configure_logs()
    asyncio.run(work_until_told(sys.argv[1]))
