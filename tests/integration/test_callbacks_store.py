"""Callbacks in the store: an event counts once and whole, on both databases, whatever fails in its midst."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from activities.store import CallbackReceipt, Store
from activities.store.tables import callback_events, dispatches, job_events, jobs, reported_artifacts
from domain.artifacts import ArtifactKind
from domain.errors import (
    CallbackOutOfOrder,
    DatabaseUnavailable,
    EventPayloadMismatch,
    Fenced,
    NotFound,
    StaleDispatch,
    TerminalImmutable,
    TransitionRefused,
)
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.callbacks import AUDIO, DRAFT, EXTERNAL_STAGES, TRANSCRIPTION, Callback, Undelivered
from domain.lifecycles.instruction import AUDIO_READY, CANCELLED, RETRY
from domain.lifecycles.lifecycle import Trigger
from tests.integration.store_builders import OWNER, STEP_BLOCK, Run, artifact, at_once, blob, draft, log_of, screenshot

pytest_plugins = ("tests.databases",)

HASH, OTHER = "a" * 64, "b" * 64
LATER = datetime(2100, 1, 1, tzinfo=UTC)


def waiting_run(store: Store, *stages: str) -> Run:
    """The run of a job that waits for the outside runner of its transcription."""
    project = store.create_project(OWNER, "Manuals", dict.fromkeys(stages or ("transcription",), "external"))
    job = store.create_job(OWNER, project.id)
    store.confirm_upload(OWNER, job.id, blob(f"videos/{job.id}", "video/mp4"), "demo.mp4")
    run = Run(store, job.id).dispatched().extract_audio()
    store.enter_external(run.job_id, run.fence(), TRANSCRIPTION)
    return run


def callback(status: str = "TRANSCRIPT_READY", **fields: Any) -> Callback:
    values: dict[str, Any] = {
        "event_id": "e-1",
        "status": status,
        "occurred_at": LATER,
        "correlation_id": "c-1",
        "artifacts": {ArtifactKind.TRANSCRIPT: "artifact://external/transcript.json"},
    }
    return Callback.model_validate({**values, **fields})


def rows_of(store: Store, job_id: str) -> dict[str, list[Any]]:
    """Everything that a callback may write."""
    with store._database.read() as connection:
        found = {
            table.name: connection.execute(
                select(table).where((table.c.id if table is jobs else table.c.job_id) == job_id)
            ).all()
            for table in (jobs, job_events, callback_events, reported_artifacts, dispatches)
        }
    return {name: sorted(rows, key=str) for name, rows in found.items()}


# --- once --------------------------------------------------------------------------------------------------------


def test_given_a_checkpoint_when_reported_then_status_artifacts_receipt_and_audit_are_there(store: Store) -> None:
    run = waiting_run(store)
    receipt = store.apply_callback(run.job_id, callback(metrics={"rtf": 0.1, "gpu": "a"}, actor="system"), HASH)
    assert (receipt.job.status, receipt.job.progress) == ("TRANSCRIPT_READY", 70)
    assert (receipt.replayed, receipt.delivered, receipt.latest_occurred_at) == (False, False, LATER)
    (report,) = store.reported_artifacts(run.job_id)
    assert (report.kind, report.uri) == ("transcript", "artifact://external/transcript.json")
    (row,) = [each for each in store.events(run.job_id) if each.new_status == "TRANSCRIPT_READY"]
    assert (row.event_type, row.prev_status, row.actor_type) == ("STATUS_CHANGED", "TRANSCRIBING", Actor.SYSTEM)
    assert (row.occurred_at, row.correlation_id) == (LATER, "c-1")
    assert row.data == {
        "event_id": "e-1",
        "progress": 70,
        "metrics": {"rtf": 0.1, "gpu": "a"},
        "note": "reported by the outside runner",
    }


def test_given_an_event_when_it_comes_again_then_a_replay_that_writes_nothing(store: Store) -> None:
    run = waiting_run(store)
    store.apply_callback(run.job_id, callback(), HASH)
    before = rows_of(store, run.job_id)
    again = store.apply_callback(run.job_id, callback(), HASH)
    assert (again.replayed, again.delivered, again.job.status) == (True, False, "TRANSCRIPT_READY")
    with pytest.raises(EventPayloadMismatch):
        store.apply_callback(run.job_id, callback(), OTHER)
    assert rows_of(store, run.job_id) == before


def test_given_20_of_the_same_at_once_when_applied_then_one_effect(store: Store) -> None:
    run = waiting_run(store)
    receipts = at_once(20, lambda _: store.apply_callback(run.job_id, callback(), HASH))
    assert all(isinstance(each, CallbackReceipt) for each in receipts), receipts
    assert [each.replayed for each in receipts if isinstance(each, CallbackReceipt)].count(False) == 1
    rows = rows_of(store, run.job_id)
    assert len(rows["callback_events"]) == len(rows["reported_artifacts"]) == 1
    assert [move for move in log_of(store, run.job_id) if move[2] == "TRANSCRIPT_READY"] == [
        ("STATUS_CHANGED", "TRANSCRIBING", "TRANSCRIPT_READY")
    ]


def test_given_20_events_at_once_when_they_contradict_each_other_then_one_ends_the_stage(store: Store) -> None:
    run = waiting_run(store)
    ends = ("TRANSCRIPT_READY", "FAILED")
    answers = at_once(20, lambda n: store.apply_callback(run.job_id, callback(ends[n % 2], event_id=f"e-{n}"), HASH))
    applied = [each for each in answers if isinstance(each, CallbackReceipt)]
    assert len(applied) == 1
    assert all(isinstance(each, TransitionRefused) for each in answers if each is not applied[0])
    assert store.get_job(run.job_id).status == applied[0].job.status


def test_given_a_refused_event_when_it_comes_again_in_its_time_then_it_counts(store: Store) -> None:
    run = waiting_run(store)
    with pytest.raises(TransitionRefused):
        store.apply_callback(run.job_id, callback("DRAFT_READY"), HASH)
    assert store.apply_callback(run.job_id, callback(), OTHER).replayed is False


def test_given_the_processing_status_when_reported_again_then_an_audited_self_transition(store: Store) -> None:
    run = waiting_run(store)
    receipt = store.apply_callback(run.job_id, callback("TRANSCRIBING", artifacts={}), HASH)
    assert (receipt.job.status, receipt.delivered) == ("TRANSCRIBING", True)
    assert log_of(store, run.job_id)[-1] == ("STAGE_RETRIED", "TRANSCRIBING", "TRANSCRIBING")
    assert store.undelivered_callbacks(-1.0) == ()
    store.apply_callback(run.job_id, callback(event_id="e-2"), HASH)


def test_given_a_failure_when_reported_then_the_job_carries_it(store: Store) -> None:
    run = waiting_run(store)
    failed = callback("FAILED", failure_code="GPU_LOST", failure_message="No GPU.", artifacts={})
    job = store.apply_callback(run.job_id, failed, HASH).job
    assert job.failure == Failure(
        failure_code="GPU_LOST", failure_message="No GPU.", failed_stage="transcription", correlation_id="c-1"
    )
    assert job.completed_at is not None
    with pytest.raises(TerminalImmutable):
        store.apply_callback(run.job_id, callback(event_id="e-2"), HASH)


def test_given_a_recording_when_a_callback_would_replace_it_then_that_is_ignored(store: Store) -> None:
    run = waiting_run(store)
    video = store.latest_artifact(run.job_id, ArtifactKind.VIDEO)
    receipt = store.apply_callback(run.job_id, callback(artifacts={ArtifactKind.VIDEO: "artifact://other"}), HASH)
    assert (receipt.ignored, receipt.job.status) == ((ArtifactKind.VIDEO,), "TRANSCRIPT_READY")
    assert store.reported_artifacts(run.job_id) == ()
    assert store.latest_artifact(run.job_id, ArtifactKind.VIDEO) == video


def test_given_audio_of_ours_when_a_runner_of_another_stage_would_replace_it_then_that_is_ignored(store: Store) -> None:
    run = waiting_run(store)
    artifacts = {
        ArtifactKind.AUDIO: "artifact://external/other.wav",
        ArtifactKind.TRANSCRIPT: "artifact://external/t.json",
    }
    receipt = store.apply_callback(run.job_id, callback(artifacts=artifacts), HASH)
    assert receipt.ignored == (ArtifactKind.AUDIO,)
    assert [each.kind for each in store.reported_artifacts(run.job_id)] == [ArtifactKind.TRANSCRIPT]


def test_given_no_such_job_when_reported_then_not_found(store: Store) -> None:
    with pytest.raises(NotFound):
        store.apply_callback("0192f3a1-0000-7000-8000-000000000000", callback(), HASH)


def test_given_a_retry_when_callbacks_of_the_run_before_arrive_then_they_do_not_count(store: Store) -> None:
    run = waiting_run(store)
    store.apply_callback(run.job_id, callback("FAILED"), HASH)
    store.record_dispatch(
        run.job_id,
        attempt=2,
        dispatch_id="run-2",
        resume_from=AUDIO_READY,
        action=RETRY,
        trigger=Trigger.USER,
        actor=Actor.EDITOR,
    )
    second = replace(run, attempt=2, dispatch_id="run-2", seq=1)
    assert store.enter_external(run.job_id, second.fence(), TRANSCRIPTION).status == "TRANSCRIBING"
    for late, refusal in (
        (callback(event_id="e-2", dispatch_id="run-1"), StaleDispatch),
        (callback(event_id="e-2", occurred_at=datetime(2020, 1, 1, tzinfo=UTC)), CallbackOutOfOrder),
    ):
        with pytest.raises(refusal):
            store.apply_callback(run.job_id, late, HASH)
    with pytest.raises(Fenced):
        store.external_state(run.job_id, run.next(1).fence(), TRANSCRIPTION)
    now = store.get_job(run.job_id).updated_at
    assert store.apply_callback(run.job_id, callback(event_id="e-2", occurred_at=now), HASH).job.attempt == 2


# --- whole -------------------------------------------------------------------------------------------------------


@contextmanager
def failing_at(store: Store, number: int) -> Iterator[list[str]]:
    """The database breaks down at the ``number``-th statement of the next transaction, or (0) counts them."""
    seen: list[str] = []

    def before(_: Any, __: Any, sql: str, *___: Any) -> None:
        seen.append(sql)
        if len(seen) == number:
            raise OperationalError(sql, None, Exception("injected"))

    def at_commit(_: Any) -> None:
        seen.append("COMMIT")
        if len(seen) == number:
            raise OperationalError("COMMIT", None, Exception("injected"))

    engine = store._database.engine
    event.listen(engine, "before_cursor_execute", before)
    event.listen(engine, "commit", at_commit)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", before)
        event.remove(engine, "commit", at_commit)


REPORTS = {
    "checkpoint": callback(metrics={"rtf": 0.1}),
    "failure": callback("FAILED", failure_code="GPU_LOST"),
    "sign of life": callback("TRANSCRIBING"),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_given_a_database_that_fails_at_any_step_when_reported_then_nothing_is_half_applied(
    store: Store, report: Callback
) -> None:
    counting = waiting_run(store)
    with failing_at(store, 0) as steps:
        store.apply_callback(counting.job_id, report, HASH)
    assert sum(sql.startswith(("INSERT", "UPDATE")) for sql in steps) == 4  # receipt, report, job, audit

    run = waiting_run(store)
    before = rows_of(store, run.job_id)
    for number in range(1, len(steps) + 1):
        with failing_at(store, number), pytest.raises((DatabaseUnavailable, OperationalError)):
            store.apply_callback(run.job_id, report, HASH)
        assert rows_of(store, run.job_id) == before, steps[number - 1]
    assert store.apply_callback(run.job_id, report, HASH).replayed is False


def test_given_a_database_that_fails_at_any_step_when_a_report_is_adopted_then_all_or_nothing(store: Store) -> None:
    run = waiting_run(store, "transcription", "draft")
    draft_uri = {ArtifactKind.DRAFT: "artifact://external/draft.json"}
    store.apply_callback(run.job_id, callback(artifacts=draft_uri), HASH)
    (report,) = store.reported_artifacts(run.job_id)

    def adopt() -> str:
        return store.adopt_report(
            report,
            run.next().fence(),
            [artifact(ArtifactKind.DRAFT), artifact(ArtifactKind.OUTLINE)],
            progress=100,
            version=draft(),
            screenshots=[screenshot(STEP_BLOCK, "frame")],
        ).id

    def state() -> Any:
        return store.get_job(run.job_id), store.artifacts(run.job_id), store.events(run.job_id)

    before, number, adopted = state(), 0, None
    while adopted is None:
        number += 1
        try:
            with failing_at(store, number):
                adopted = adopt()
        except (DatabaseUnavailable, OperationalError):
            assert state() == before, number
            assert store.latest_report(run.job_id, ArtifactKind.DRAFT) == report
    assert number > 10
    after = state()
    assert after[0].instruction_id is not None and after[0].progress == 100
    assert adopt() == adopted
    assert state() == after


# --- the workflow's side -----------------------------------------------------------------------------------------


def test_given_a_runner_that_is_faster_when_the_workflow_comes_to_wait_then_it_finds_the_end(store: Store) -> None:
    project = store.create_project(OWNER, "Manuals", dict.fromkeys(map(str, EXTERNAL_STAGES), "external"))
    job = store.create_job(OWNER, project.id)
    store.confirm_upload(OWNER, job.id, blob(f"videos/{job.id}", "video/mp4"), "demo.mp4")
    run = Run(store, job.id).dispatched()
    for number, status in enumerate(("AUDIO_EXTRACTING", "AUDIO_READY", "TRANSCRIBING", "TRANSCRIPT_READY")):
        store.apply_callback(job.id, callback(status, event_id=f"e-{number}"), HASH)
    seen = log_of(store, job.id)
    for stage in (AUDIO, TRANSCRIPTION):
        assert store.enter_external(job.id, run.fence(), stage).status == "TRANSCRIPT_READY"
        run = run.next()
    assert log_of(store, job.id) == seen
    assert store.enter_external(job.id, run.fence(), DRAFT).status == "GENERATING"


def test_given_a_stage_that_waits_when_entered_again_then_one_move(store: Store) -> None:
    run = waiting_run(store)
    seen = log_of(store, run.job_id)
    assert seen[-1] == ("STATUS_CHANGED", "AUDIO_READY", "TRANSCRIBING")
    store.enter_external(run.job_id, run.fence(), TRANSCRIPTION)
    assert store.external_state(run.job_id, run.next(1).fence(), TRANSCRIPTION).status == "TRANSCRIBING"
    assert log_of(store, run.job_id) == seen


OVERDUE = Failure(failure_code="STAGE_DEADLINE_EXCEEDED", failure_message="Late.", failed_stage="transcription")


def test_given_a_deadline_when_it_and_a_callback_come_at_once_then_one_of_them_counts(store: Store) -> None:
    for _ in range(5):
        run = waiting_run(store)

        def either(number: int, run: Run = run) -> Job:
            if number:
                return store.apply_callback(run.job_id, callback(), HASH).job
            return store.external_state(run.job_id, run.next(1).fence(), TRANSCRIPTION, OVERDUE)

        looked, reported = at_once(2, either)
        assert isinstance(looked, Job)
        if isinstance(reported, Job):
            assert looked.status == reported.status == "TRANSCRIPT_READY"
        else:
            assert isinstance(reported, TerminalImmutable)
            assert (looked.status, looked.failure and looked.failure.failure_code) == (
                "FAILED",
                "STAGE_DEADLINE_EXCEEDED",
            )
        assert len([move for move in log_of(store, run.job_id) if move[1] == "TRANSCRIBING"]) == 1


def test_given_a_deadline_when_it_is_said_twice_then_the_job_fails_once(store: Store) -> None:
    run = waiting_run(store)
    for _ in range(2):
        job = store.external_state(run.job_id, run.next(1).fence(), TRANSCRIPTION, OVERDUE)
        assert job.status == "FAILED"
    assert len([move for move in log_of(store, run.job_id) if move[2] == "FAILED"]) == 1


def test_given_a_cancelled_job_when_the_workflow_looks_then_it_is_told(store: Store) -> None:
    run = waiting_run(store)
    store.move(run.job_id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)
    with pytest.raises(TerminalImmutable):
        store.enter_external(run.job_id, run.fence(), TRANSCRIPTION)
    with pytest.raises(TerminalImmutable):
        store.external_state(run.job_id, run.next(1).fence(), TRANSCRIPTION, OVERDUE)


# --- delivery ----------------------------------------------------------------------------------------------------


def test_given_a_callback_that_nobody_was_told_of_when_asked_then_it_is_named_until_it_is_marked(store: Store) -> None:
    run = waiting_run(store)
    store.apply_callback(run.job_id, callback(), HASH)
    assert store.undelivered_callbacks() == ()  # a moment ago: whoever applied it is about to tell
    told = store.undelivered_callbacks(-1.0)
    assert told == (Undelivered(run.job_id, "e-1"),)
    store.mark_delivered(told)
    assert store.undelivered_callbacks(-1.0) == ()
    assert store.apply_callback(run.job_id, callback(), HASH).delivered is True


def test_given_reports_when_a_manifest_is_read_then_uris_as_given_until_ours_are_newer(store: Store) -> None:
    run = waiting_run(store)
    given = {ArtifactKind.TRANSCRIPT: "s3://elsewhere/t.json", ArtifactKind.EXPORT: "https://host/e.pdf"}
    store.apply_callback(run.job_id, callback(artifacts=given), HASH)
    report = store.latest_report(run.job_id, ArtifactKind.TRANSCRIPT)
    assert report is not None
    manifest = store.manifests([run.job_id])[run.job_id]
    assert manifest.reported == given
    assert set(manifest.artifacts) == {ArtifactKind.VIDEO, ArtifactKind.AUDIO}
    store.adopt_report(report, run.next().fence(), [artifact(ArtifactKind.TRANSCRIPT, "t.json")], progress=70)
    assert store.manifests([run.job_id])[run.job_id].reported == given
    assert store.latest_artifact(run.job_id, ArtifactKind.TRANSCRIPT) is not None
    run.next(4).write_draft()
    assert ArtifactKind.DRAFT in store.manifests([run.job_id])[run.job_id].artifacts


def test_given_another_run_when_a_report_is_adopted_then_fenced(store: Store) -> None:
    run = waiting_run(store)
    store.apply_callback(run.job_id, callback(), HASH)
    (report,) = store.reported_artifacts(run.job_id)
    with pytest.raises(Fenced):
        store.adopt_report(
            report, replace(run, dispatch_id="run-0").fence(), [artifact(ArtifactKind.TRANSCRIPT)], progress=70
        )
