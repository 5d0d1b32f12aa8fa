"""Nothing is lost when machines die: workers, the Temporal server and the database are killed in the middle of it."""

import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse

from domain.artifacts import ArtifactKind
from domain.documents.publication import ExportFormat
from domain.errors import STAGE_TIMED_OUT, TerminalImmutable
from tests.databases import PostgresServer
from tests.stack import SLOWEST, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, running_temporal

STAGES = {
    "AUDIO_EXTRACTING": "audio",
    "TRANSCRIBING": "transcription",
    "GENERATING": "draft",
}


def started_executions(stack: Stack, job_id: str) -> Counter[str]:
    """How many executions of each stage were reported as started, from the history."""
    names: dict[int, str] = {}
    started: Counter[str] = Counter()
    for event in stack.events(job_id):
        if event.HasField("activity_task_scheduled_event_attributes"):
            names[event.event_id] = event.activity_task_scheduled_event_attributes.activity_type.name
        if event.HasField("activity_task_started_event_attributes"):
            attributes = event.activity_task_started_event_attributes
            started[names[attributes.scheduled_event_id]] = attributes.attempt
    return started


@pytest.mark.parametrize("status", STAGES)
def test_given_a_worker_killed_in_a_stage_when_another_starts_then_it_goes_on_and_nothing_is_done_twice(
    stack: Stack, short: Path, tmp_path: Path, status: str
) -> None:
    held = tmp_path / "held"
    held.touch()
    stack.start_worker(HOLD=status, HOLD_FILE=str(held))
    job = stack.new_job(short)
    stack.run(job)
    stack.wait_for(job, status)
    time.sleep(1.2)  # the stage has heartbeaten at least once: its death is seen from missing beats
    stack.kill_worker()

    worker = stack.start_worker()
    stage = STAGES[status]
    done = stack.wait_for(job, "DRAFT_READY", "FAILED")

    assert worker.poll() is None
    assert done.status == "DRAFT_READY"
    executions = started_executions(stack, job.id)
    assert executions.pop(stage) == 2
    assert set(executions.values()) == {1}, "a finished stage ran again"
    for kind in (ArtifactKind.AUDIO, ArtifactKind.TRANSCRIPT, ArtifactKind.DRAFT):
        assert stack.versions_of(job, kind) == [1]
    (retried,) = (event for event in stack.audit(job) if event.event_type == "STAGE_RETRIED")
    assert (retried.execution, retried.data["failure_code"]) == (2, STAGE_TIMED_OUT)
    moves = [(event.prev_status, event.new_status, event.execution) for event in stack.audit(job)]
    assert len([move for move in moves if move[1]]) == len({move for move in moves if move[1]})


@pytest.mark.parametrize("checkpoint", ["AUDIO_READY", "TRANSCRIPT_READY", "DRAFT_READY"])
def test_given_a_worker_that_died_between_commit_and_report_then_the_stage_is_answered_from_its_rows(
    stack: Stack, short: Path, checkpoint: str
) -> None:
    worker = stack.start_worker(DIE_AFTER=checkpoint)
    job = stack.new_job(short)
    stack.run(job)
    wait_until(lambda: worker.poll() is not None, 60, "the worker to die")
    assert stack.job(job).status == checkpoint

    stack.start_worker()
    stack.wait_for(job, "DRAFT_READY", within_s=60)
    wait_until(lambda: len(stack.scheduled(job)) == 4, 30, "all four stages")

    assert stack.statuses(job).count(checkpoint) == 1
    for kind in (ArtifactKind.AUDIO, ArtifactKind.TRANSCRIPT, ArtifactKind.OUTLINE, ArtifactKind.DRAFT):
        assert stack.versions_of(job, kind) == [1]
    audit = stack.audit(job)
    assert len(audit) == len({(e.new_status, e.event_type, e.execution) for e in audit})


def test_given_a_transcription_killed_half_way_then_it_goes_on_from_its_resume_point(
    stack: Stack, long_talk: Path
) -> None:
    stack.start_worker()
    job = stack.new_job(long_talk)
    stack.run(job)
    stack.wait_for(job, "TRANSCRIBING")

    def beaten() -> bool:
        description = stack.loop.run(stack.client.get_workflow_handle(job.id).describe())
        return any(b"resume_ms" in beat.data for beat in resume_points(description.raw_description))

    wait_until(lambda: beaten() and any(stack.artifacts.list("partial/")), 60, "a resume point")
    stack.kill_worker()
    stack.start_worker()
    stack.wait_for(job, "DRAFT_READY", within_s=120)

    transcript = stack.store.latest_artifact(job.id, ArtifactKind.TRANSCRIPT)
    assert transcript is not None
    assert int(str(transcript.facts["resumed_from_ms"])) > 0
    assert stack.versions_of(job, ArtifactKind.AUDIO) == [1]


def has_failed(stack: Stack, how: str) -> bool:
    """Whether a worker has logged that an activity failed, and ``how``."""
    return any('"activity.failed"' in line and how in line for line in stack.log_file.read_text().splitlines())


def kept_in(file: Path) -> bytes:
    """What a server that was killed has kept: the transaction that this has cut off is taken back, as the next start
    does, and no journal of it is left to be taken for one of another file in this place."""
    with closing(sqlite3.connect(file)) as database:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return file.read_bytes()


def resume_points(description: DescribeWorkflowExecutionResponse) -> list[Payload]:
    """The heartbeat details of the pending activities."""
    pending = description.pending_activities
    return [payload for activity in pending for payload in activity.heartbeat_details.payloads]


def test_given_the_temporal_server_killed_mid_stage_when_it_starts_again_or_on_an_older_copy_then_the_job_goes_on(
    tmp_path: Path, short: Path
) -> None:
    held, histories = tmp_path / "held", tmp_path / "temporal.db"
    held.touch()
    with running_temporal(tmp_path) as server, running_stack(tmp_path, server) as stack:
        stack.start_worker(HOLD="TRANSCRIBING", HOLD_FILE=str(held))
        job = stack.new_job(short)
        stack.run(job)
        stack.wait_for(job, "TRANSCRIBING")
        server.kill()
        older = kept_in(histories)
        server.start()
        held.unlink()
        stack.wait_for(job, "DRAFT_READY", within_s=90)
        assert started_executions(stack, job.id)["audio"] == 1
        stack.kill_worker()
        server.kill()
        assert kept_in(histories) != older
        histories.write_bytes(older)  # its backup was taken while the stage ran, that of the database later
        server.start()
        stack.start_worker()
        run = stack.client.get_workflow_handle(job.id)
        wait_until(lambda: stack.told(run) == "DRAFT_READY", 60, "the run to be where its job is")
        assert stack.export(job, ExportFormat.HTML).status == "SUCCEEDED"
        stack.wait_for(job, "DONE")
        assert stack.versions_of(job, ArtifactKind.AUDIO) == [1]
        assert stack.versions_of(job, ArtifactKind.TRANSCRIPT) == [1]


def test_given_the_database_down_for_30_s_mid_stage_then_the_stage_is_retried_and_a_worker_that_is_stopped_leaves(
    temporal: TemporalServer, tmp_path: Path, short: Path, own_postgres: PostgresServer
) -> None:
    held = tmp_path / "held"
    held.touch()
    with running_stack(tmp_path, temporal, database_url=own_postgres.url(own_postgres.create())) as stack:
        worker = stack.start_worker(
            HOLD="TRANSCRIBING", HOLD_FILE=str(held), GUIDESMITH_GRACEFUL_SHUTDOWN_S="1", LEAVES_AFTER_S="1"
        )
        job = stack.new_job(short)
        stack.run(job)
        stack.wait_for(job, "TRANSCRIBING")
        own_postgres.stop()
        held.unlink()
        time.sleep(30)
        own_postgres.start()
        done = stack.wait_for(job, "DRAFT_READY", "FAILED", within_s=120)
        assert done.status == "DRAFT_READY"
        assert stack.versions_of(job, ArtifactKind.TRANSCRIPT) == [1]
        # a status that the database cannot be told is tried without end, and does not keep who was told to stop
        own_postgres.stop()
        stack.loop.run(stack.client.get_workflow_handle(job.id).cancel())
        wait_until(lambda: has_failed(stack, '"move"'), 60, "a move that fails")
        worker.send_signal(signal.SIGTERM)
        worker.wait(30 * SLOWEST)
        assert worker.poll() == 0 and '"worker.left"' in stack.log_file.read_text()
        own_postgres.start()
        stack.store.engine.dispose()  # its connections are of the server that was stopped
        stack.start_worker()
        stack.wait_for(job, "CANCELLED", within_s=60)


def test_given_the_artifact_folder_away_mid_stage_then_the_stage_is_retried_and_completes(
    lasting_stack: Stack, short: Path, tmp_path: Path
) -> None:
    stack, held = lasting_stack, tmp_path / "held"
    held.touch()
    stack.start_worker(HOLD="TRANSCRIBING", HOLD_FILE=str(held))
    job = stack.new_job(short)
    stack.run(job)
    stack.wait_for(job, "TRANSCRIBING")
    folder, away = stack.settings.data_dir / "artifacts", tmp_path / "away"
    folder.rename(away)
    try:
        held.unlink()
        wait_until(lambda: has_failed(stack, '"ARTIFACT_STORE_UNAVAILABLE"'), 60, "a stage that misses it")
        assert stack.job(job).status == "TRANSCRIBING" and not folder.exists(), "nothing is made in its place"
    finally:
        away.rename(folder)
    assert stack.wait_for(job, "DRAFT_READY", "FAILED").status == "DRAFT_READY"
    again = {str(event.data["failure_code"]) for event in stack.audit(job) if event.event_type == "STAGE_RETRIED"}
    assert again == {"ARTIFACT_STORE_UNAVAILABLE"}
    assert stack.versions_of(job, ArtifactKind.AUDIO) == stack.versions_of(job, ArtifactKind.TRANSCRIPT) == [1]


@pytest.mark.parametrize("status", STAGES)
def test_given_a_running_stage_when_cancelled_then_it_stops_and_later_events_are_refused(
    stack: Stack, short: Path, tmp_path: Path, status: str
) -> None:
    held = tmp_path / "held"
    held.touch()
    stack.start_worker(HOLD=status, HOLD_FILE=str(held))
    job = stack.new_job(short)
    stack.run(job)
    stack.wait_for(job, status)
    cancelled = stack.loop.run(stack.kinds.cancel("tester", job.id))

    assert cancelled.status == "CANCELLED"
    history = stack.events(job.id)
    assert any(event.HasField("activity_task_canceled_event_attributes") for event in history), "the work went on"
    refused = stack.store.history("tester", job.id, limit=1).items[0]
    assert refused.new_status == "CANCELLED"
    with pytest.raises(TerminalImmutable):
        stack.run(job)
    with pytest.raises(TerminalImmutable):
        stack.loop.run(stack.kinds.cancel("tester", job.id))
