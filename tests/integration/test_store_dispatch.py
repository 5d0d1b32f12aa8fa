"""Runs that are given a job: one dispatch an attempt, resumes and retries along the table."""

from dataclasses import replace

import pytest

from activities.store import RecordedDispatch, Store
from domain.errors import Fenced, IdempotencyConflict, NotFound, TerminalImmutable, TransitionRefused
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    CANCELLED,
    FAILED,
    RETRY,
    TRANSCRIPT_READY,
    UPLOADED,
)
from domain.lifecycles.lifecycle import Trigger
from tests.integration.store_builders import Run, at_once, log_of, uploaded_job

pytest_plugins = ("tests.databases",)

FAILURE = Failure(failure_code="PROVIDER_TIMEOUT", failure_message="Try again.", failed_stage="transcription")


def failed_job(store: Store) -> Job:
    """A job that failed behind its audio."""
    run = Run(store, uploaded_job(store).id).dispatched().extract_audio()
    return store.move(
        run.job_id, run.next(3).fence(), FAILED, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR, failure=FAILURE
    )


def retry(store: Store, job: Job, dispatch_id: str = "run-2", *, attempt: int = 2, request: str | None = "r-1") -> Job:
    return store.record_dispatch(
        job.id,
        attempt=attempt,
        dispatch_id=dispatch_id,
        resume_from=AUDIO_READY,
        action=RETRY,
        trigger=Trigger.USER,
        actor=Actor.EDITOR,
        client_request_id=request,
        model_profile="careful",
    ).job


def test_given_an_uploaded_job_when_it_is_dispatched_twice_alike_then_it_is_recorded_once(store: Store) -> None:
    job = uploaded_job(store)
    first, second = (
        store.record_dispatch(
            job.id,
            attempt=1,
            dispatch_id="run-1",
            resume_from=UPLOADED,
            trigger=Trigger.API,
            actor=Actor.EDITOR,
        ).job
        for _ in range(2)
    )

    assert first == second
    assert (first.dispatch_id, first.attempt, first.status) == ("run-1", 1, UPLOADED)
    assert log_of(store, job.id)[2:] == [("RUN_DISPATCHED", None, None)]


def test_given_starts_that_race_when_all_record_then_one_run_owns_the_attempt(store: Store) -> None:
    job = uploaded_job(store)

    answers = at_once(
        8,
        lambda number: store.record_dispatch(
            job.id, attempt=1, dispatch_id=f"run-{number}", trigger=Trigger.API, actor=Actor.EDITOR
        ),
    )

    assert [isinstance(each, Fenced) for each in answers].count(False) == 1
    assert [event for event, *_ in log_of(store, job.id)].count("RUN_DISPATCHED") == 1


def test_given_a_dispatch_when_many_are_about_to_tell_of_it_then_exactly_one_is_the_first(store: Store) -> None:
    failed = failed_job(store)

    def recorded(answering: bool) -> RecordedDispatch:
        return store.record_dispatch(
            failed.id,
            attempt=2,
            dispatch_id="run-2",
            resume_from=AUDIO_READY,
            action=RETRY,
            trigger=Trigger.USER,
            actor=Actor.EDITOR,
            client_request_id="r-1",
            answering=answering,
        )

    assert not recorded(answering=False).first  # the run itself came before whoever started it
    answers = at_once(8, lambda _: recorded(answering=True))

    told = [each for each in answers if isinstance(each, RecordedDispatch)]
    assert [each.first for each in told].count(True) == 1
    assert {(each.job.attempt, each.dispatch.dispatch_id) for each in told} == {(2, "run-2")}
    assert len(told) == 8
    assert [event for event, *_ in log_of(store, failed.id)].count("RETRY_DISPATCHED") == 1


def test_given_a_run_that_has_an_attempt_when_a_late_caller_takes_it_for_the_next_then_it_is_a_replay(
    store: Store,
) -> None:
    """Who reads the job after a run was recorded, and thinks that run dead, finds it alive when starting another."""
    job = uploaded_job(store)

    def recorded(attempt: int) -> RecordedDispatch:
        return store.record_dispatch(
            job.id, attempt=attempt, dispatch_id="run-1", trigger=Trigger.API, actor=Actor.EDITOR, answering=True
        )

    first, late = recorded(1), recorded(2)

    assert (first.first, late.first) == (True, False)
    assert (late.job, late.dispatch) == (first.job, first.dispatch)
    assert [event for event, *_ in log_of(store, job.id)].count("RUN_DISPATCHED") == 1


def test_given_a_failed_job_when_it_is_retried_then_it_resumes_in_one_row_and_the_failure_is_gone(store: Store) -> None:
    failed = failed_job(store)

    job = retry(store, failed)

    assert (job.status, job.attempt, job.dispatch_id) == (AUDIO_READY, 2, "run-2")
    assert (job.failure, job.completed_at, job.progress, job.model_profile) == (None, None, 0, "careful")
    assert log_of(store, job.id)[-1] == ("RETRY_DISPATCHED", FAILED, AUDIO_READY)
    assert store.events(job.id)[-1].attempt == 2
    assert Run(store, job.id, attempt=2, dispatch_id="run-2").transcribe().seq == 3


def test_given_a_retry_when_it_is_recorded_again_then_it_is_a_replay_that_can_be_found(store: Store) -> None:
    failed = failed_job(store)
    first = retry(store, failed)

    assert retry(store, failed) == first
    found = store.find_dispatch(failed.id, "r-1")
    assert found is not None
    assert (found.attempt, found.dispatch_id, found.resume_from, found.model_profile) == (
        2,
        "run-2",
        AUDIO_READY,
        "careful",
    )
    assert store.find_dispatch(failed.id, "r-2") is None
    assert store.get_dispatch(failed.id, 1) is not None


def test_given_a_request_id_that_was_used_when_another_attempt_uses_it_then_it_is_refused(store: Store) -> None:
    job = retry(store, failed_job(store))
    store.move(job.id, None, FAILED, trigger=Trigger.API, actor=Actor.SYSTEM, failure=FAILURE)

    with pytest.raises(IdempotencyConflict):
        retry(store, job, "run-3", attempt=3)

    assert store.get_job(job.id).status == FAILED


def test_given_a_run_that_recorded_itself_when_its_starter_comes_late_then_the_request_is_named(store: Store) -> None:
    job = retry(store, failed_job(store), request=None)

    retry(store, job, request="r-9")

    found = store.find_dispatch(job.id, "r-9")
    assert found is not None
    assert found.attempt == 2
    assert [event for event, *_ in log_of(store, job.id)].count("RETRY_DISPATCHED") == 1


@pytest.mark.parametrize("attempt", [1, 3])
def test_given_an_attempt_that_is_not_next_when_another_run_asks_for_it_then_it_is_fenced(
    store: Store, attempt: int
) -> None:
    failed = failed_job(store)

    with pytest.raises(Fenced):
        retry(store, failed, attempt=attempt)

    assert store.get_job(failed.id) == failed


def test_given_a_retried_job_when_the_old_run_writes_then_it_is_fenced(store: Store) -> None:
    failed = failed_job(store)
    retry(store, failed)
    old = Run(store, failed.id, seq=9)

    with pytest.raises(Fenced):
        store.begin_stage(failed.id, old.fence(), AUDIO_EXTRACTING)
    with pytest.raises(Fenced):
        store.move(failed.id, old.fence(), FAILED, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR)


def test_given_a_job_that_has_not_failed_when_it_is_retried_then_the_table_refuses(store: Store) -> None:
    run = Run(store, uploaded_job(store).id).dispatched().extract_audio()

    with pytest.raises(TransitionRefused):
        retry(store, store.get_job(run.job_id))

    assert store.get_job(run.job_id).attempt == 1


def test_given_a_failed_job_when_it_is_run_without_a_retry_then_it_is_terminal(store: Store) -> None:
    failed = failed_job(store)

    with pytest.raises(TerminalImmutable) as refusal:
        store.record_dispatch(failed.id, attempt=2, dispatch_id="run-2", trigger=Trigger.API, actor=Actor.EDITOR)

    assert refusal.value.details["current_status"] == FAILED
    assert store.get_job(failed.id) == failed


def test_given_a_lost_checkpoint_when_it_runs_again_then_it_fails_and_resumes_earlier_in_two_rows(store: Store) -> None:
    run = Run(store, uploaded_job(store).id).dispatched().extract_audio().transcribe()
    assert store.get_job(run.job_id).status == TRANSCRIPT_READY

    job = store.record_dispatch(
        run.job_id,
        attempt=2,
        dispatch_id="run-2",
        resume_from=AUDIO_READY,
        trigger=Trigger.API,
        actor=Actor.EDITOR,
    ).job

    assert (job.status, job.failure, job.completed_at) == (AUDIO_READY, None, None)
    assert log_of(store, job.id)[-2:] == [
        ("STATUS_CHANGED", TRANSCRIPT_READY, FAILED),
        ("RUN_DISPATCHED", FAILED, AUDIO_READY),
    ]
    assert store.events(job.id)[-2].data["failure_code"] == "CHECKPOINT_LOST"


def test_given_a_cancelled_job_when_it_is_run_from_a_checkpoint_then_it_is_terminal(store: Store) -> None:
    job = uploaded_job(store)
    store.move(job.id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)

    for resume_from in (None, AUDIO_READY):
        with pytest.raises(TerminalImmutable):
            store.record_dispatch(
                job.id,
                attempt=1,
                dispatch_id="run-1",
                resume_from=resume_from,
                trigger=Trigger.API,
                actor=Actor.EDITOR,
            )
    with pytest.raises(NotFound):
        store.record_dispatch("absent", attempt=1, dispatch_id="r", trigger=Trigger.API, actor=Actor.EDITOR)


def test_given_jobs_that_live_and_ended_when_the_reconciler_asks_then_only_the_living_come_by_id(store: Store) -> None:
    living = [uploaded_job(store) for _ in range(3)]
    store.move(uploaded_job(store).id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)

    first = store.active_jobs(limit=2)
    rest = store.active_jobs(after_id=first[-1].id)

    assert [job.id for job in (*first, *rest)] == sorted(job.id for job in living)


def test_given_two_moves_and_a_worker_that_died_before_they_were_written_down_when_made_again_then_nothing_changes(
    store: Store,
) -> None:
    run = Run(store, uploaded_job(store).id).dispatched()
    moves = ((1, "AUDIO_EXTRACTING"), (2, "FAILED"))

    def made(run: Run, seq: int, target: str) -> Job:
        fence = run.next(seq - run.seq).fence()
        return store.move(run.job_id, fence, target, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR)

    before = [made(run, *each) for each in moves][-1]
    log = log_of(store, run.job_id)
    assert [made(run, *each) for each in moves] == [before, before]
    assert log_of(store, run.job_id) == log
    with pytest.raises(Fenced):
        made(replace(run, dispatch_id="another"), *moves[0])


def test_given_many_workers_when_a_round_is_due_then_one_has_it_until_the_next_is_due(store: Store) -> None:
    taken = at_once(8, lambda _: store.take_round("reconciler", 60.0))
    assert taken.count(0.0) == 1 and all(isinstance(each, float) and 0 <= each <= 60 for each in taken)
    assert 0 < store.take_round("reconciler", 60.0) <= 60
    assert store.take_round("another", 60.0) == 0.0

    store.keep_round("reconciler", -1.0)
    taken = at_once(8, lambda _: store.take_round("reconciler", 60.0))
    assert taken.count(0.0) == 1, "its time is over, whoever had it"
    store.keep_round("reconciler", 300.0)
    assert 60 < store.take_round("reconciler", 60.0) <= 300, "it takes long"
