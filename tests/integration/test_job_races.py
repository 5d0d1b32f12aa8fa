"""Who is first, on a real Temporal and worker: a cancel or the runner, a loss or the resume."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from temporalio.client import WorkflowExecutionStatus, WorkflowFailureError
from temporalio.testing import ActivityEnvironment

from activities.rails.contracts import StageCall
from domain.artifacts import ArtifactKind
from domain.errors import ExternalArtifactUnreachable
from domain.jobs import Actor, Job
from starter.api.callbacks.shapes import NewCallback
from starter.wiring import build_activities
from tests import recordings
from tests.integration.test_callbacks_stages import DRAFT, RUNNER, Desk, desk_in
from tests.stack import OWNER, wait_until
from tests.temporal import TemporalServer

ROUNDS = 6


@pytest.fixture(scope="module")
def desk(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_in(tmp_path_factory.mktemp("desk"), temporal) as desk:
        desk.stack.start_worker()
        yield desk


def waiting(desk: Desk) -> Job:
    """A job that waits for the runner of its transcription."""
    job = desk.start("transcription")
    desk.stack.wait_for(job, "TRANSCRIBING")
    return job


def cancel(desk: Desk, job: Job) -> httpx.Response:
    with desk.api.client(OWNER) as client:
        return client.post(f"jobs/{job.id}/cancel")


def endings(desk: Desk, job: Job) -> list[str]:
    return [status for status in desk.stack.statuses(job) if status in ("FAILED", "CANCELLED", "DONE")]


# --- a cancel and a callback -------------------------------------------------------------------------------------


@pytest.mark.parametrize("reported", ["FAILED", "TRANSCRIPT_READY"])
def test_given_a_cancel_and_a_report_at_once_when_answered_then_one_ends_the_job_and_the_other_is_told(
    desk: Desk, reported: str
) -> None:
    jobs = [waiting(desk) for _ in range(ROUNDS)]
    for job in jobs:
        uris = {"transcript_uri": desk.put_transcript(job)} if reported != "FAILED" else {}
        body = desk.event(reported, artifact_updates=uris)
        url = f"{desk.api.url}/api/v1/internal/jobs/{job.id}/status"
        with ThreadPoolExecutor(2) as pool:
            cancelled = pool.submit(cancel, desk, job)
            report = pool.submit(httpx.post, url, json=body, headers={"X-Callback-Secret": RUNNER}, timeout=60)
        answer, told = cancelled.result(), report.result()
        if answer.status_code == 200:
            assert (answer.json()["status"], endings(desk, job)) == ("CANCELLED", ["CANCELLED"])
            assert desk.closed(job) is WorkflowExecutionStatus.COMPLETED
            assert told.status_code == (409 if reported == "FAILED" else told.status_code)
        else:
            assert (answer.status_code, reported, told.status_code) == (409, "FAILED", 204)
            assert answer.json()["code"] == "FSM_TERMINAL_IMMUTABLE"
            assert answer.json()["details"]["attempted_status"] == "CANCELLED"
            assert endings(desk, job) == ["FAILED"]
            assert desk.closed(job) is WorkflowExecutionStatus.FAILED
        if told.status_code == 409:
            assert told.json()["code"] == "FSM_TERMINAL_IMMUTABLE"
            assert told.json()["details"]["current_status"] == "CANCELLED"
        assert desk.send(job, desk.event("TRANSCRIPT_READY")) == 409


def test_given_a_failure_that_the_workflow_has_not_heard_of_when_it_is_cancelled_then_it_ends_as_failed(
    desk: Desk,
) -> None:
    job = waiting(desk)
    failed = NewCallback.model_validate(desk.event("FAILED", failure_code="GPU_LOST"))
    desk.stack.store.apply_callback(job.id, failed.callback(), failed.payload_sha256())  # and nobody says so
    handle = desk.stack.client.get_workflow_handle(job.id)
    desk.stack.loop.run(handle.signal("cancel"))
    with pytest.raises(WorkflowFailureError) as ended:
        desk.stack.loop.run(handle.result())
    assert getattr(ended.value.cause, "type", None) == "EXTERNAL_STAGE_FAILED"
    assert endings(desk, job) == ["FAILED"]
    assert desk.failure_code(job) == "GPU_LOST"
    assert desk.retry(job) == "AUDIO_READY"
    desk.stack.wait_for(job, "TRANSCRIBING")
    assert cancel(desk, job).json()["status"] == "CANCELLED"


# --- what is gone ------------------------------------------------------------------------------------------------


def ended_at_its_draft(desk: Desk) -> tuple[Job, Job]:
    """A job with a draft, whose run somebody has ended; and as it was when it had it."""
    job = desk.start("transcription", "draft")
    desk.stack.wait_for(job, "TRANSCRIBING")
    desk.report(job, "TRANSCRIPT_READY", transcript_uri=desk.put_transcript(job))
    desk.stack.wait_for(job, "GENERATING")
    desk.report(job, "DRAFT_READY", draft_uri=desk.put(job, "draft.json", DRAFT))
    drafted = desk.has_document(job)
    desk.stack.loop.run(desk.stack.client.get_workflow_handle(job.id).terminate())
    return job, drafted


def test_given_a_draft_whose_run_was_ended_when_run_again_then_it_goes_on_to_editing(desk: Desk) -> None:
    job, drafted = ended_at_its_draft(desk)
    with desk.api.client(OWNER) as client:
        answer = client.post(f"jobs/{job.id}/run")
        assert (answer.status_code, answer.json()["status"]) == (202, "DRAFT_READY")
        saved = client.put(f"instructions/{drafted.instruction_id}", json={"base_version": 1, "markdown": "# New\n\nx"})
        assert saved.status_code == 200
    desk.stack.wait_for(job, "EDITING")
    assert desk.stack.statuses(job)[-2:] == ["DRAFT_READY", "EDITING"]
    assert cancel(desk, job).json()["status"] == "CANCELLED"


@pytest.mark.parametrize("damage", ["vanished", "changed"])
def test_given_a_draft_that_is_gone_when_run_again_then_it_is_asked_for_again_and_no_version_is_lost(
    desk: Desk, damage: str
) -> None:
    job, drafted = ended_at_its_draft(desk)
    stored = desk.stack.store.latest_artifact(job.id, ArtifactKind.DRAFT)
    assert stored is not None
    if damage == "vanished":
        desk.stack.artifacts.delete(stored.blob.key)
    else:
        desk.stack.artifacts.put_bytes(stored.blob.key, b"{}", "application/json")

    with desk.api.client(OWNER) as client:
        answer = client.post(f"jobs/{job.id}/run")
    assert (answer.status_code, answer.json()["replayed"]) == (202, False)
    desk.stack.wait_for(job, "GENERATING")
    assert desk.stack.statuses(job)[-4:] == ["DRAFT_READY", "FAILED", "TRANSCRIPT_READY", "GENERATING"]
    (lost,) = [event for event in desk.stack.audit(job) if event.new_status == "FAILED"]
    assert (lost.data["failure_code"], lost.actor_type) == ("CHECKPOINT_LOST", Actor.SYSTEM)
    desk.report(job, "DRAFT_READY", draft_uri=desk.put(job, "again.json", DRAFT))
    desk.has_document(job)
    versions = desk.stack.store.versions(OWNER, drafted.instruction_id or "").items
    assert [each.version for each in versions] == [2, 1]
    assert cancel(desk, job).json()["status"] == "CANCELLED"


@pytest.mark.parametrize("known", [False, True], ids=["a new recording", "one that was heard before"])
def test_given_a_recording_that_was_lost_when_run_then_the_job_says_so_at_once(
    desk: Desk, tmp_path: Path, known: bool
) -> None:
    film = recordings.mp4(desk.folder) if known else recordings.ogg(tmp_path)
    job = desk.stack.new_job(film, stages={"transcription": "external"})
    if known:
        before = desk.start("transcription")
        desk.stack.wait_for(before, "TRANSCRIBING")
        assert cancel(desk, before).json()["status"] == "CANCELLED"
    video = desk.stack.store.latest_artifact(job.id, ArtifactKind.VIDEO)
    assert video is not None
    desk.stack.artifacts.delete(video.blob.key)
    desk.stack.run(job)
    assert desk.failure_code(job) == "RECORDING_LOST"
    assert desk.stack.statuses(job)[-2:] == ["AUDIO_EXTRACTING", "FAILED"]


# --- tried again -------------------------------------------------------------------------------------------------


def test_given_an_adoption_that_is_tried_again_when_it_begins_then_the_log_says_so_once(desk: Desk) -> None:
    job = waiting(desk)
    now = desk.stack.job(job)
    adoptions, _ = build_activities(desk.stack.settings, desk.stack.store, desk.stack.artifacts)
    call = StageCall(job_id=job.id, attempt=1, dispatch_id=now.dispatch_id or "", seq=99)
    for execution in (1, 2, 2):
        environment = ActivityEnvironment()
        environment.info = replace(environment.info, attempt=execution)
        with pytest.raises(ExternalArtifactUnreachable):
            environment.run(adoptions.adopt_transcript, call)
    (row,) = [event for event in desk.stack.audit(job) if event.event_type == "STAGE_RETRIED"]
    assert (row.execution, row.new_status, row.data) == (2, None, {"adopting": "transcription"})
    assert cancel(desk, job).json()["status"] == "CANCELLED"


# --- what people see ---------------------------------------------------------------------------------------------


def test_given_a_job_that_failed_when_run_then_told_to_retry(desk: Desk) -> None:
    job = waiting(desk)
    desk.report(job, "FAILED")
    wait_until(lambda: desk.closed(job) is WorkflowExecutionStatus.FAILED, 30, "the run to end")
    with desk.api.client(OWNER) as client:
        answer = client.post(f"jobs/{job.id}/run")
    assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TERMINAL_IMMUTABLE")
    assert "retry" in answer.json()["message"]
