"""The screen of a recording is read beside its transcription, once, and never at the job's cost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from temporalio import activity

from activities.rails.contracts import StageCall, StageResult
from activities.screen.reading import NAME
from activities.stages.screen_reading import READER, UNREADABLE
from domain.artifacts import ArtifactKind
from domain.errors import ScreenReaderUnavailable
from domain.jobs import Job
from domain.recordings.screen import ScreenRecord
from starter.settings import QUEUES
from starter.work.worker import all_activities
from tests.e2e.conftest import MISSED_AFTER_S
from tests.e2e.test_budget import ACTIONS, BILLABLE, EVENTS, in_time
from tests.stack import OWNER, Stack, running_stack
from tests.temporal import TemporalServer
from tests.workers import serving


@pytest.fixture(scope="module")
def stack(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    settings: dict[str, Any] = {"screen_reading": True, "heartbeat_timeout_s": MISSED_AFTER_S}
    with running_stack(tmp_path_factory.mktemp("screen"), temporal, **settings) as stack:
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


def test_a_job_that_is_cancelled_while_its_screen_is_read_ends(stack: Stack, short: Path) -> None:
    # the first of this module: what was read once is not read again, and ends too soon to be cancelled
    job = stack.new_job(short)
    stack.run(job)
    stack.wait_for(job, "TRANSCRIBING", within_s=120.0)
    stack.loop.run(stack.kinds.cancel(OWNER, job.id))
    assert stack.wait_for(job, "CANCELLED", within_s=30.0).failure is None


def test_a_recordings_screen_is_read_beside_its_sound_at_one_activity_more_and_once(stack: Stack, short: Path) -> None:
    job = drafted(stack, short)
    record = screen_of(stack, job)
    assert record is not None and record.reader == NAME == READER
    assert {"New invoice", "Billing"} <= {text.text for text in record.texts}
    assert len(record.changes) >= 2
    assert scheduled(stack, job).count("screen") == 1
    events = stack.events(job.id)
    assert len(in_time(events)) <= EVENTS + 3
    billed = [event for event in events for name in BILLABLE if event.HasField(name)]  # type: ignore[arg-type]
    assert len(billed) <= ACTIONS + 1

    again = drafted(stack, short)
    first, second = (stack.store.latest_artifact(each.id, ArtifactKind.SCREEN) for each in (job, again))
    assert first is not None and second is not None and first.blob == second.blob


class Unreadable:
    """Fails as a recording whose pictures are broken does."""

    @activity.defn(name="screen", no_thread_cancel_exception=True)
    def read(self, call: StageCall) -> StageResult:
        raise ScreenReaderUnavailable("There are no weights.")


def test_a_screen_that_cannot_be_read_costs_the_job_a_warning_and_nothing_else(
    temporal: TemporalServer, tmp_path: Path, short: Path
) -> None:
    with running_stack(tmp_path, temporal, screen_reading=True) as stack:
        known = all_activities(stack.settings, stack.store, stack.client)
        working = [each for each in known if getattr(each, "__name__", "") != "read"]
        assert len(working) == len(known) - 1
        with serving(temporal.address, stack.settings, QUEUES, [*working, Unreadable().read]):
            job = drafted(stack, short)
        assert job.status == "DRAFT_READY" and job.instruction_id is not None
        version = stack.store.get_instruction(OWNER, job.instruction_id)
        assert UNREADABLE in [each["code"] for each in version.warnings]
        assert screen_of(stack, job) is None
