"""What the engine is measured against: a workflow without a database, and one whose mirror is activities of its own.

Kept light, as the product's workflow modules are: the sandbox runs this module anew for every workflow.
"""

from datetime import timedelta

from temporalio import activity, workflow

with workflow.unsafe.imports_passed_through():
    from activities.store import Store
    from domain.jobs import Actor
    from domain.lifecycles.instruction import (
        AUDIO_EXTRACTING,
        AUDIO_READY,
        DRAFT_READY,
        GENERATING,
        TRANSCRIBING,
        TRANSCRIPT_READY,
    )
    from domain.lifecycles.lifecycle import Trigger

STEPS: tuple[tuple[str, str, str, str], ...] = (
    ("audio", "media", AUDIO_EXTRACTING.value, AUDIO_READY.value),
    ("transcription", "speech", TRANSCRIBING.value, TRANSCRIPT_READY.value),
    ("draft", "providers", GENERATING.value, GENERATING.value),
    ("illustration", "media", GENERATING.value, DRAFT_READY.value),
)
"""The product's stages: name, the resource whose queue it is on, status when it begins, status when it ends."""

PATIENCE = timedelta(seconds=60)


@activity.defn
def work(stage_name: str) -> str:
    """A stage that takes no time and writes nothing."""
    return stage_name


class StatusWriter:
    """A status change, in one transaction of the product's own store: the row under its lock, and the log."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @activity.defn
    def write_status(self, job_id: str, status: str) -> None:
        self._store.move(job_id, None, status, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR)


@workflow.defn(name="bare")
class BareWorkflow:
    """As many activities as the product's, each on the queue of its resource, and no database."""

    @workflow.run
    async def run(self, job_id: str) -> str:
        for name, resource, _, _ in STEPS:
            await do(name, resource)
        return job_id


@workflow.defn(name="naive")
class NaiveWorkflow:
    """The same, with an activity that writes the status before each, and one after."""

    @workflow.run
    async def run(self, job_id: str) -> str:
        for name, resource, begun, ended in STEPS:
            await write(job_id, begun)
            await do(name, resource)
            await write(job_id, ended)
        return job_id


async def do(name: str, resource: str) -> None:
    queue = f"{workflow.info().workflow_type}-{resource}"
    await workflow.execute_activity(work, name, task_queue=queue, start_to_close_timeout=PATIENCE)


async def write(job_id: str, status: str) -> None:
    await workflow.execute_activity_method(
        StatusWriter.write_status, args=[job_id, status], start_to_close_timeout=PATIENCE
    )
