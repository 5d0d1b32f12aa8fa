"""How soon a job reacts: to a cancel in the middle of a stage, and to the death of the worker that was in it."""

import itertools
import math
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from domain.jobs import Job
from starter.local.stack import LOCAL_HEARTBEAT_TIMEOUT_S
from tests.stack import ROOT, Stack, running_stack, wait_until
from tests.temporal import TemporalServer

STAGES = ("AUDIO_EXTRACTING", "TRANSCRIBING", "GENERATING")
CANCELLED_WITHIN_S = 5.0
"""What docs/explanation/durability.md promises."""

KILLS = 51
"""Seventeen jobs, killed in each of their stages: seven seconds each, most of them waiting."""
PICKED_UP_WITHIN_S = 5.0
"""What docs/explanation/durability.md promises of the local stack, for 99 of 100 deaths: the heartbeat timeout (3 s),
the pause before another try (0.5 s), and what the next worker needs to take the stage up. It is started at the death,
as the supervisor does; its start falls within the timeout."""


@pytest.fixture
def stack(temporal: TemporalServer, tmp_path: Path) -> Iterator[Stack]:
    with running_stack(tmp_path, temporal, heartbeat_timeout_s=float(LOCAL_HEARTBEAT_TIMEOUT_S)) as stack:
        yield stack


def test_a_cancel_stops_a_stage_within_seconds(stack: Stack, tmp_path: Path) -> None:
    took = {status: _until_cancelled(stack, status, tmp_path / "held") for status in STAGES}
    table = Table("stage", "cancelled after s", title="cancelling")
    for status, seconds in took.items():
        table.add_row(status, f"{seconds:.2f}")
    Console().print(table)
    assert max(took.values()) <= CANCELLED_WITHIN_S


def test_a_dead_worker_is_missed_within_seconds(stack: Stack, tmp_path: Path) -> None:
    took = list(itertools.islice(_pickups(stack, tmp_path / "held"), KILLS))
    table = Table("kills", "median s", "p99 s", "longest s", title="picked up after SIGKILL")
    p99 = _percentile(took, 0.99)
    table.add_row(str(len(took)), f"{statistics.median(took):.2f}", f"{p99:.2f}", f"{max(took):.2f}")
    Console().print(table)
    assert p99 <= PICKED_UP_WITHIN_S


def _percentile(values: Sequence[float], share: float) -> float:
    """The nearest rank: no value is made up between two that were measured."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def _held_in(stack: Stack, status: str, held: Path) -> str:
    held.touch()
    stack.start_worker(HOLD=status, HOLD_FILE=str(held))
    job = _run(stack)
    stack.wait_for(job, status)
    return job.id


def _run(stack: Stack) -> Job:
    job = stack.new_job(ROOT / "sample" / "recording.mp4")
    stack.run(job)
    return job


def _until_cancelled(stack: Stack, status: str, held: Path) -> float:
    job_id = _held_in(stack, status, held)
    asked_at = time.monotonic()
    stack.loop.run(stack.kinds.cancel("tester", job_id))
    took = time.monotonic() - asked_at
    stack.kill_worker()
    return took


def _pickups(stack: Stack, held: Path) -> Iterator[float]:
    """Seconds from a death to the next execution, of one stage after another: each worker takes up what the one before
    it left, and is held in the next stage. Each death comes at another moment between two signs of life."""
    held.touch()
    moments = random.Random(0)
    stack.start_worker(HOLD=STAGES[0], HOLD_FILE=str(held))
    while True:
        job = _run(stack)
        for place, status in enumerate(STAGES):
            stack.wait_for(job, status, within_s=120)
            time.sleep(1.0 + moments.uniform(0.0, float(LOCAL_HEARTBEAT_TIMEOUT_S)))
            died_at = time.monotonic()
            stack.kill_worker()
            stack.start_worker(HOLD=STAGES[(place + 1) % len(STAGES)], HOLD_FILE=str(held))
            wait_until(partial(_is_taken_up, stack, job, place + 1), 60, "another execution")
            yield time.monotonic() - died_at
        stack.wait_for(job, "DRAFT_READY", within_s=120)


def _is_taken_up(stack: Stack, job: Job, times: int) -> bool:
    return sum(each.event_type == "STAGE_RETRIED" for each in stack.audit(job)) == times
