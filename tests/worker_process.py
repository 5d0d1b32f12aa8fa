"""A worker in a process of its own, to be killed: the product's worker, with ways to stop time and one to fail.

``HOLD=STATUS,…``: the first execution of a stage that works in STATUS waits, heartbeating, until it is killed or
cancelled, or until the file ``$HOLD_FILE`` is gone; with ``HOLD_AGAIN`` each execution does, also one that Temporal
asks for since it missed a sign of life. EXPORTING, REGENERATING, SCREENSHOT, PLANNING and ERASING: every task of that
kind does.
``CRASH_IN=STATUS``: the first execution of the stage that works in STATUS fails with words that quote ``$CRASH_WITH``.
``DIE_AFTER=STATUS``: the process ends as by SIGKILL once the transaction that leads to STATUS is committed, before
the activity could report; ``DIE_AFTER=item``: that which settles an item of a batch, or the last of as many as
``ITEMS`` says.
``PIECE_MS=MILLISECONDS``: how long the pieces are into which the sound of a long recording is cut.
``STICKY_S=SECONDS``: for how long jobs that it had in memory wait for it once it is dead.
"""

import asyncio
import importlib
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from temporalio import activity, workflow
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from activities.drafting.language import parsing as language
from activities.generating.speech import EmbeddedSpeech
from activities.speech import pieces, weights
from activities.store import StageGrant, StageOutcome, Store
from domain.analyses.analysis import Planning
from domain.documents.screenshots import ScreenshotTask
from domain.documents.tasks import Export, RegenerateTask
from domain.jobs import Failure, Job, NewArtifact
from domain.lifecycles.fence import Fence
from starter.logs import configure_logs
from starter.settings import QUEUES, Settings, load_settings
from starter.work import worker

STAGES = (
    "speech.whisper",
    "drafting.chat.drafter",
    "drafting.chat.translator",
    "generating.hosted_speech",
    "generating.narrating",
    "generating.scraping",
    "generating.speech_makers",
    "imaging.openai",
    "imaging.painters",
    "imaging.poster",
    "pictures.opening",
    "providers.predictions",
    "publishing.confluence.space",
    "publishing.notion.page",
    "publishing.publisher",
    "batching",
    "analysis.executor",
    "analysis.planning.chat",
    "tasks.documents",
)
"""Modules of stages that bring large libraries, which a program that is no worker leaves out."""


FINISHED = count(1)
"""The items that this process has settled."""


class StoppingStore(Store):
    """The store, stopping the world where the test says."""

    def begin_stage(self, job_id: str, fence: Fence, processing: str, **rest: Any) -> StageGrant:
        grant = super().begin_stage(job_id, fence, processing, **rest)
        is_held = fence.execution == 1 or "HOLD_AGAIN" in os.environ
        if processing in os.environ.get("HOLD", "").split(",") and is_held and not grant.ended:
            _hold()
        if fence.execution == 1 and not grant.ended:
            _die_after(processing)
        if processing == os.environ.get("CRASH_IN") and fence.execution == 1:
            raise ValueError(f"cannot work with {os.environ['CRASH_WITH']}")
        return grant

    def finish_stage(
        self, job_id: str, fence: Fence, *, target: str | None, artifacts: Sequence[NewArtifact] = (), **rest: Any
    ) -> StageOutcome:
        outcome = super().finish_stage(job_id, fence, target=target, artifacts=artifacts, **rest)
        if fence.execution == 1:
            _die_after(target)
        return outcome

    def move(self, job_id: str, fence: Fence | None, target: str, **rest: Any) -> Job:
        job = super().move(job_id, fence, target, **rest)
        _die_after(target)
        return job

    def begin_export(self, export_id: str) -> Export:
        export = super().begin_export(export_id)
        _hold_all("EXPORTING")
        return export

    def begin_regenerate(self, task_id: str) -> RegenerateTask:
        task = super().begin_regenerate(task_id)
        _hold_all("REGENERATING")
        return task

    def begin_screenshot(self, task_id: str) -> ScreenshotTask:
        task = super().begin_screenshot(task_id)
        _hold_all("SCREENSHOT")
        return task

    def begin_planning(self, task_id: str) -> Planning:
        task = super().begin_planning(task_id)
        _hold_all("PLANNING")
        return task

    def erase_rows(self, job_id: str) -> tuple[str, ...]:
        _hold_all("ERASING")
        return super().erase_rows(job_id)

    def purge_owner(self, purge_id: str) -> str | None:
        _hold_all("ERASING")
        return super().purge_owner(purge_id)

    def finish_item(self, *item: Any) -> None:
        super().finish_item(*item)
        if next(FINISHED) >= int(os.environ.get("ITEMS", "1")):
            _die_after("item")

    def close_batch(self, job_id: str, fence: Fence, items: int, stopped: Failure | None = None) -> Job:
        job = super().close_batch(job_id, fence, items, stopped)
        _die_after(job.status)
        return job


def _hold_all(what: str) -> None:
    if what in os.environ.get("HOLD", "").split(","):
        _hold()


def _hold() -> None:
    held = Path(os.environ["HOLD_FILE"])
    while held.exists() and not activity.is_cancelled():
        time.sleep(0.02)


def _die_after(reached: str | None) -> None:
    if reached is not None and reached == os.environ.get("DIE_AFTER"):
        os._exit(137)


def _open(settings: Settings) -> Store:
    return StoppingStore.open(settings.database)


def prepare() -> None:
    """Import what a worker imports when it starts, and load the parser of English, which takes seconds: each worker
    that is forked has it for its first draft. Try the workflows, and look through the
    voice and the weights of Whisper, as each would. Nothing with threads of its own: those stay behind."""
    for name in STAGES:
        importlib.import_module(f"activities.{name}")
    language.doings("Click Save.")
    EmbeddedSpeech()  # its files are looked through, each once in a process
    asyncio.run(_try_workflows())
    weights._files = _read_once(weights._files)


def _read_once(read: Callable[..., dict[str, object]]) -> Callable[..., dict[str, object]]:
    """``read`` of a model's files, of which those that tests hear with are read and found to be the right ones now."""
    with patch.object(weights, "_files", side_effect=read) as asked:
        files = weights._bundled_files()
    folder = asked.call_args.args[1]
    numbers = cast(BytesIO, files["model.bin"]).getvalue()

    def known(extra: str, where: Path, *others: Any) -> dict[str, object]:
        return {**files, "model.bin": BytesIO(numbers)} if where == folder else read(extra, where, *others)

    return known


async def _try_workflows() -> None:
    """Whether each can be imported in the sandbox: what a worker asks itself before it asks for work."""
    sandbox = worker.sandbox()
    for each in worker.WORKFLOWS:
        sandbox.prepare_workflow(workflow._Definition.must_from_class(each))
    SandboxedWorkflowRunner.prepare_workflow = lambda *_: None  # type: ignore[method-assign]


def main() -> None:
    """Work until SIGTERM."""
    worker.open_store = _open  # type: ignore[attr-defined]
    worker.STICKY_S = float(os.environ.get("STICKY_S", worker.STICKY_S))
    worker.LEAVES_AFTER_S = float(os.environ.get("LEAVES_AFTER_S", worker.LEAVES_AFTER_S))
    if "PIECE_MS" in os.environ:
        pieces.plan_pieces = partial(pieces.plan_pieces, target_ms=int(os.environ["PIECE_MS"]))
    settings = load_settings()
    configure_logs(settings.log_level, "json")
    asyncio.run(worker.run_worker(settings, QUEUES))


if __name__ == "__main__":
    main()
