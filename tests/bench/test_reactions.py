"""How soon a job reacts: to a cancel in the middle of a stage, and to the death of the worker that was in it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from tests.stack import ROOT, Stack, running_stack, wait_until
from tests.temporal import TemporalServer

STAGES = ("AUDIO_EXTRACTING", "TRANSCRIBING", "GENERATING")
CANCELLED_WITHIN_S = 5.0
"""What the README promises."""

PICKED_UP_WITHIN_S = 8.0
"""From the death: the heartbeat timeout of the local stack (5 s), the pause before another try (1 s), and the start of
another worker."""


@pytest.fixture
def stack(temporal: TemporalServer, tmp_path: Path) -> Iterator[Stack]:
    with running_stack(tmp_path, temporal) as stack:
        yield stack


def test_a_cancel_stops_a_stage_and_a_dead_worker_is_missed_within_seconds(stack: Stack, tmp_path: Path) -> None:
    table = Table("stage", "cancelled after s", "picked up after s", title="reactions")
    cancelled, picked_up = [], []
    for status in STAGES:
        cancelled.append(_until_cancelled(stack, status, tmp_path / "held"))
        picked_up.append(_until_picked_up(stack, status, tmp_path / "held"))
        table.add_row(status, f"{cancelled[-1]:.2f}", f"{picked_up[-1]:.2f}")
    Console().print(table)
    assert max(cancelled) <= CANCELLED_WITHIN_S
    assert max(picked_up) <= PICKED_UP_WITHIN_S


def _held_in(stack: Stack, status: str, held: Path) -> str:
    held.touch()
    stack.start_worker(HOLD=status, HOLD_FILE=str(held))
    job = stack.new_job(ROOT / "sample" / "recording.mp4")
    stack.run(job)
    stack.wait_for(job, status)
    return job.id


def _until_cancelled(stack: Stack, status: str, held: Path) -> float:
    job_id = _held_in(stack, status, held)
    asked_at = time.monotonic()
    stack.loop.run(stack.kinds.cancel("tester", job_id))
    took = time.monotonic() - asked_at
    stack.kill_worker()
    return took


def _until_picked_up(stack: Stack, status: str, held: Path) -> float:
    job = stack.store.get_job(_held_in(stack, status, held))
    time.sleep(1.2)  # it has heartbeaten: its death is seen from missing beats
    died_at = time.monotonic()
    stack.kill_worker()
    stack.start_worker()
    wait_until(lambda: any(each.event_type == "STAGE_RETRIED" for each in stack.audit(job)), 60, "another worker")
    took = time.monotonic() - died_at
    stack.wait_for(job, "DRAFT_READY", within_s=120)
    stack.kill_worker()
    return took
