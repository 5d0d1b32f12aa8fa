"""Workers in a thread of the test's own process: some queues served, some not, with a drafter that the test writes.

What a queue holds waits until somebody serves it; so a test can let a task be asked for, change the document, and
only then let the task run.
"""

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from activities.artifacts import ArtifactStore
from activities.drafting import Drafter, LocalDrafter
from activities.drafting.chat.translator import ChatTranslator
from activities.rails.mirror import Mirror
from activities.store import Store
from activities.tasks.documents import DocumentTasks, TaskParts
from activities.tasks.translating import TranslationTasks
from starter.settings import Settings
from starter.work.worker import WORKFLOWS, build_workers
from tests.stack import Loop


@contextmanager
def serving(
    address: str,
    settings: Settings,
    queues: Sequence[str],
    activities: Sequence[object],
    workflows: Sequence[type] = WORKFLOWS,
) -> Iterator[tuple[Client, Loop]]:
    """Workers for ``activities`` and ``workflows`` on ``queues`` until the block ends; their client, and the loop that
    they run in."""
    loop, running = Loop(), AsyncExitStack()

    async def start() -> Client:
        client = await Client.connect(address, data_converter=pydantic_data_converter)
        for worker in build_workers(client, settings, queues, activities, workflows):
            await running.enter_async_context(worker)
        return client

    try:
        yield loop.run(start()), loop
    finally:
        loop.run(running.aclose())
        loop.close()


@contextmanager
def document_workers(
    address: str,
    settings: Settings,
    store: Store,
    artifacts: ArtifactStore,
    queues: Sequence[str],
    drafter: Drafter | None = None,
    translator: ChatTranslator | None = None,
) -> Iterator[None]:
    """Workers for exports, regenerations, translations and the moves of jobs, on ``queues``, until the block ends."""
    tasks = DocumentTasks(
        TaskParts(
            store=store, artifacts=artifacts, rewriters={"local": drafter or LocalDrafter()}, default_profile="local"
        )
    )
    mirror = Mirror(store)
    translations = TranslationTasks(store, artifacts, translator)
    activities = [
        tasks.publish, tasks.fail_export, tasks.rewrite, tasks.fail_regenerate, mirror.claim, mirror.move,
        translations.translate, translations.fail_translation,
    ]  # fmt: skip
    with serving(address, settings, queues, activities):
        yield
