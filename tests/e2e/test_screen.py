"""The screen of a recording is read beside its transcription, once, and never at the job's cost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from activities.screen import NAME
from activities.stages.screening import READER
from domain.artifacts import ArtifactKind
from domain.jobs import Job
from domain.recordings.screen import ScreenRecord
from tests.e2e.test_budget import ACTIONS, BILLABLE, EVENTS
from tests.stack import Stack, running_stack
from tests.temporal import TemporalServer


@pytest.fixture(scope="module")
def stack(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(tmp_path_factory.mktemp("screen"), temporal, screen_reading=True) as stack:
        stack.start_worker()
        yield stack


def drafted(stack: Stack, recording: Path) -> Job:
    job = stack.new_job(recording)
    stack.run(job)
    return stack.wait_for(job, "DRAFT_READY", "FAILED", within_s=240.0)


def screen_of(stack: Stack, job: Job) -> ScreenRecord | None:
    kept = stack.store.latest_artifact(job.id, ArtifactKind.SCREEN)
    return ScreenRecord.model_validate_json(stack.artifacts.read_bytes(kept.blob)) if kept is not None else None


def scheduled(stack: Stack, job: Job) -> list[str]:
    return [
        event.activity_task_scheduled_event_attributes.activity_type.name
        for event in stack.events(job.id)
        if event.HasField("activity_task_scheduled_event_attributes")
    ]


def test_a_recordings_screen_is_read_beside_its_sound_at_one_activity_more_and_once(stack: Stack, short: Path) -> None:
    job = drafted(stack, short)
    record = screen_of(stack, job)
    assert record is not None and record.reader == NAME == READER
    assert {"New invoice", "Billing"} <= {text.text for text in record.texts}
    assert len(record.changes) >= 2
    assert scheduled(stack, job).count("screen") == 1
    events = stack.events(job.id)
    assert len(events) <= EVENTS + 3
    billed = [event for event in events for name in BILLABLE if event.HasField(name)]  # type: ignore[arg-type]
    assert len(billed) <= ACTIONS + 1

    again = drafted(stack, short)
    first, second = (stack.store.latest_artifact(each.id, ArtifactKind.SCREEN) for each in (job, again))
    assert first is not None and second is not None and first.blob == second.blob
