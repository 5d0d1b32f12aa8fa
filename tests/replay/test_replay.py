"""Every stored history still replays: no change of a workflow breaks a job that is running."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from starter.work.worker import WORKFLOWS, sandbox
from tests.replay.record import HISTORIES

STORED = sorted(HISTORIES.glob("*.json"))
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


async def replayed() -> dict[str, Exception | None]:
    """What became of each history, one after the other in one replayer: it loads all workflows into its sandbox."""
    replayer = Replayer(workflows=list(WORKFLOWS), workflow_runner=sandbox(), data_converter=pydantic_data_converter)

    async def histories() -> AsyncIterator[WorkflowHistory]:
        for file in STORED:
            yield WorkflowHistory.from_json(file.stem, file.read_text())

    async with replayer.workflow_replay_iterator(histories()) as results:
        return {each.history.workflow_id: each.replay_failure async for each in results}


@pytest.fixture(scope="module")
def results() -> dict[str, Exception | None]:
    return asyncio.run(replayed())


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_a_stored_history_replays(file: Path, results: dict[str, Exception | None]) -> None:
    failure = results[file.stem]
    if failure is not None:
        raise failure
