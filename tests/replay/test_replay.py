"""Every stored history still replays: no change of a workflow breaks a job that is running."""

import asyncio
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from starter.work.worker import WORKFLOWS, sandbox
from tests.replay.record import HISTORIES

KEPT = {
    "analysis-failed",
    "analysis-retried",
    "batch",
    "batch-continuation",
    "batch-stopped",
    "erase",
    "erase-recording",
    "erase-project",
    "erase-user",
    "image-cancelled",
    "completed",
    "cancelled",
    "failed",
    "retried",
    "edited-regenerated-exported",
    "long",
    "plan",
    "plan-failed",
    "continued-as-new",
    "continuation",
    "export",
    "image-dead-letter",
    "image-rejected",
    "image-retried",
    "image-superseded",
    "external",
    "external-failed",
    "regenerate",
    "screenshot",
    "translate",
    "translate-failed",
    "webhook",
    "webhook-gone",
    "shown-before-begun",
}


def test_no_history_is_missing() -> None:
    assert {file.stem for file in HISTORIES.glob("*.json")} >= KEPT


async def replayed(file: Path) -> None:
    replayer = Replayer(workflows=list(WORKFLOWS), workflow_runner=sandbox(), data_converter=pydantic_data_converter)
    await replayer.replay_workflow(WorkflowHistory.from_json(file.stem, file.read_text()))


@pytest.mark.parametrize("file", sorted(HISTORIES.glob("*.json")), ids=lambda file: file.stem)
def test_a_stored_history_replays(file: Path) -> None:
    asyncio.run(replayed(file))
