"""Stages behind the fence: what counts, what is a replay, what comes too late."""

import pytest

from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.errors import DispatchUnrecorded, DocumentInvalid, Fenced, NotFound, TerminalImmutable, TransitionRefused
from domain.jobs import Actor, Failure
from domain.lifecycles.fence import Fence
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    CANCELLED,
    DRAFT_READY,
    FAILED,
    GENERATING,
    TRANSCRIBING,
    TRANSCRIPT_READY,
    UPLOADED,
)
from domain.lifecycles.lifecycle import Trigger
from tests.integration.store_builders import (
    MARKDOWN,
    STEP_BLOCK,
    Run,
    artifact,
    at_once,
    draft,
    drafted_job,
    instruction_of,
    log_of,
    screenshot,
    uploaded_job,
)

pytest_plugins = ("tests.databases",)

FAILURE = Failure(failure_code="MEDIA_TRUNCATED", failure_message="Record it again.", failed_stage="audio")


@pytest.fixture
def run(store: Store) -> Run:
    return Run(store, uploaded_job(store).id).dispatched()


def test_given_an_uploaded_job_when_its_stages_run_then_status_artifacts_and_log_agree(store: Store) -> None:
    job, _ = drafted_job(store)

    assert (job.status, job.progress, job.attempt, job.dispatch_id) == (DRAFT_READY, 100, 1, "run-1")
    assert [each.kind for each in store.artifacts(job.id)] == ["video", "audio", "transcript", "draft"]
    assert log_of(store, job.id) == [
        ("JOB_CREATED", None, "CREATED"),
        ("STATUS_CHANGED", "CREATED", "UPLOADED"),
        ("RUN_DISPATCHED", None, None),
        ("STATUS_CHANGED", UPLOADED, AUDIO_EXTRACTING),
        ("STATUS_CHANGED", AUDIO_EXTRACTING, AUDIO_READY),
        ("STATUS_CHANGED", AUDIO_READY, TRANSCRIBING),
        ("STATUS_CHANGED", TRANSCRIBING, TRANSCRIPT_READY),
        ("STATUS_CHANGED", TRANSCRIPT_READY, GENERATING),
        ("STATUS_CHANGED", GENERATING, DRAFT_READY),
    ]
    assert [event.seq for event in store.events(job.id)] == list(range(1, 10))


def test_given_a_stage_that_committed_its_end_when_it_runs_again_then_the_first_result_stands(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    first = run.store.finish_stage(
        run.job_id, run.fence(), target=AUDIO_READY, artifacts=[artifact(ArtifactKind.AUDIO, "first")]
    )
    before = run.store.events(run.job_id)

    grant = run.store.begin_stage(run.job_id, run.fence(execution=2), AUDIO_EXTRACTING)

    assert grant.ended
    assert grant.artifacts == first.artifacts
    assert grant.job == first.job
    assert run.store.events(run.job_id) == before


def test_given_an_end_whose_commit_was_in_doubt_when_it_is_sent_again_then_nothing_is_recorded_twice(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    ends = [
        run.store.finish_stage(
            run.job_id, run.fence(), target=AUDIO_READY, artifacts=[artifact(ArtifactKind.AUDIO, key)]
        )
        for key in ("first", "second")
    ]

    assert ends[0] == ends[1]
    assert len(run.store.artifacts(run.job_id)) == 2  # the video, and the audio once
    assert len(log_of(run.store, run.job_id)) == 5


def test_given_a_begun_stage_when_the_same_execution_begins_again_then_it_goes_on_without_a_row(run: Run) -> None:
    first = run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    again = run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)

    assert again == first
    assert not again.ended


def test_given_a_begun_stage_when_it_is_executed_again_then_the_log_says_so_with_the_execution(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    run.store.begin_stage(run.job_id, run.fence(execution=2), AUDIO_EXTRACTING)
    run.store.begin_stage(run.job_id, run.fence(execution=2), AUDIO_EXTRACTING)

    last = run.store.events(run.job_id)[-1]
    assert (last.event_type, last.prev_status, last.new_status, last.execution) == (
        "STAGE_RETRIED",
        AUDIO_EXTRACTING,
        AUDIO_EXTRACTING,
        2,
    )
    assert [event for event, *_ in log_of(run.store, run.job_id)].count("STAGE_RETRIED") == 1


def test_given_a_newer_execution_when_the_older_comes_back_then_it_is_fenced(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    run.store.begin_stage(run.job_id, run.fence(execution=2), AUDIO_EXTRACTING)

    with pytest.raises(Fenced):
        run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    with pytest.raises(Fenced):
        run.store.finish_stage(run.job_id, run.fence(), target=AUDIO_READY)
    assert not run.store.report_progress(run.job_id, run.fence(), 10)
    assert run.store.get_job(run.job_id).status == AUDIO_EXTRACTING


@pytest.mark.parametrize(
    "zombie",
    [
        Fence(attempt=1, dispatch_id="another-run", seq=5),
        Fence(attempt=1, dispatch_id="run-1", seq=1),
        Fence(attempt=2, dispatch_id="run-1", seq=5),
    ],
    ids=["another run", "an earlier step", "another attempt"],
)
def test_given_a_job_that_moved_on_when_a_zombie_writes_then_nothing_changes(run: Run, zombie: Fence) -> None:
    run = run.extract_audio()
    run.store.begin_stage(run.job_id, run.fence(), TRANSCRIBING)
    before = (run.store.get_job(run.job_id), run.store.events(run.job_id))

    try:  # its own run's: it is told that it has ended
        assert run.store.begin_stage(run.job_id, zombie, TRANSCRIBING).ended and zombie.seq == 1
    except (Fenced, DispatchUnrecorded):
        assert zombie.seq != 1
    for write in (
        lambda: run.store.finish_stage(run.job_id, zombie, target=TRANSCRIPT_READY),
        lambda: run.store.move(run.job_id, zombie, FAILED, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR),
    ):
        with pytest.raises((Fenced, DispatchUnrecorded)):
            write()
    assert not run.store.report_progress(run.job_id, zombie, 99)
    assert (run.store.get_job(run.job_id), run.store.events(run.job_id)) == before


def test_given_no_recorded_dispatch_when_the_run_begins_then_it_is_adopted_and_others_are_fenced(store: Store) -> None:
    run = Run(store, uploaded_job(store).id)

    grant = store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)

    assert grant.job.dispatch_id == "run-1"
    assert [event for event, *_ in log_of(store, run.job_id)][-2:] == ["RUN_DISPATCHED", "STATUS_CHANGED"]
    run.dispatched()  # the API comes late: a replay
    assert [event for event, *_ in log_of(store, run.job_id)].count("RUN_DISPATCHED") == 1
    with pytest.raises(Fenced):
        Run(store, run.job_id, dispatch_id="run-2").dispatched()


def test_given_a_run_ahead_of_the_record_of_its_attempt_when_it_begins_then_it_may_try_again(run: Run) -> None:
    ahead = Run(run.store, run.job_id, attempt=2, dispatch_id="run-2")

    with pytest.raises(DispatchUnrecorded) as refusal:
        run.store.begin_stage(run.job_id, ahead.fence(), AUDIO_EXTRACTING)

    assert refusal.value.retryable


def test_given_two_stages_in_one_status_when_the_second_begins_then_nothing_is_logged_but_the_fence_moves(
    run: Run,
) -> None:
    run = run.extract_audio().transcribe()
    run.store.begin_stage(run.job_id, run.fence(), GENERATING)
    run.store.finish_stage(run.job_id, run.fence(), target=None, artifacts=[artifact(ArtifactKind.OUTLINE)])
    before = log_of(run.store, run.job_id)

    following = run.next()
    run.store.begin_stage(run.job_id, following.fence(), GENERATING)

    assert log_of(run.store, run.job_id) == before
    assert run.store.begin_stage(run.job_id, run.next(-2).fence(), GENERATING).ended
    following.store.begin_stage(run.job_id, following.fence(execution=2), GENERATING)
    assert log_of(run.store, run.job_id)[-1] == ("STAGE_RETRIED", GENERATING, GENERATING)


def test_given_parallel_pieces_when_they_begin_and_retry_then_each_retry_is_logged_once_and_the_join_ends_it(
    run: Run,
) -> None:
    run = run.extract_audio()
    for unit in (1, 2, 3):
        run.store.begin_stage(run.job_id, run.fence(), TRANSCRIBING, unit=unit)
    for _ in range(2):
        run.store.begin_stage(run.job_id, run.fence(execution=2), TRANSCRIBING, unit=2)
    run.store.begin_stage(run.job_id, run.fence(execution=2), TRANSCRIBING, unit=3)
    run.store.begin_stage(run.job_id, run.fence(execution=3), TRANSCRIBING, unit=2)

    retried = [event for event in run.store.events(run.job_id) if event.event_type == "STAGE_RETRIED"]
    assert [(event.data["unit"], event.execution) for event in retried] == [(2, 2), (3, 2), (2, 3)]
    assert run.store.report_progress(run.job_id, run.fence(execution=3), 40)

    run.store.begin_stage(run.job_id, run.fence(), TRANSCRIBING)
    run.store.finish_stage(run.job_id, run.fence(), target=TRANSCRIPT_READY)
    assert run.store.get_job(run.job_id).status == TRANSCRIPT_READY
    assert run.store.begin_stage(run.job_id, run.fence(execution=4), TRANSCRIBING, unit=2).ended


def test_given_a_cancelled_job_when_its_stage_comes_back_then_it_is_stopped(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    run.store.move(run.job_id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)

    with pytest.raises(TerminalImmutable):
        run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    with pytest.raises(TerminalImmutable):
        run.store.begin_stage(run.job_id, run.fence(execution=2), AUDIO_EXTRACTING)
    with pytest.raises(TerminalImmutable):
        run.store.finish_stage(run.job_id, run.fence(), target=AUDIO_READY, artifacts=[artifact(ArtifactKind.AUDIO)])
    assert not run.store.report_progress(run.job_id, run.fence(), 50)
    assert [each.kind for each in run.store.artifacts(run.job_id)] == ["video"]


def test_given_a_move_that_the_table_lacks_when_a_stage_asks_then_it_is_refused_with_details(run: Run) -> None:
    with pytest.raises(TransitionRefused) as refusal:
        run.store.begin_stage(run.job_id, run.fence(), GENERATING)

    assert refusal.value.details == {
        "current_status": "UPLOADED",
        "attempted_status": "GENERATING",
        "allowed_next_statuses": ["AUDIO_EXTRACTING", "FAILED", "CANCELLED"],
    }
    assert run.store.get_job(run.job_id).status == UPLOADED


def test_given_a_run_that_was_reset_when_it_asks_again_then_it_is_answered_by_the_log_and_goes_on(run: Run) -> None:
    store, again = run.store, {"again": True}
    store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    made = [artifact(ArtifactKind.AUDIO)]
    ended = store.finish_stage(run.job_id, run.fence(), target=AUDIO_READY, artifacts=made)
    later = Fence(attempt=1, dispatch_id="run-1", seq=3)
    for execution in (1, 2, 3):
        store.begin_stage(run.job_id, later.model_copy(update={"execution": execution}), TRANSCRIBING)
    before = store.events(run.job_id)

    first = store.begin_stage(run.job_id, run.fence().model_copy(update=again), AUDIO_EXTRACTING)
    assert first.ended and not first.over and first.artifacts == ended.artifacts
    assert store.events(run.job_id) == before
    behind = store.begin_stage(run.job_id, run.fence(execution=2), AUDIO_EXTRACTING)  # Temporal is an older copy
    assert (behind.ended, behind.artifacts, store.events(run.job_id)) == (True, ended.artifacts, before)

    now = store.begin_stage(run.job_id, later.model_copy(update=again), TRANSCRIBING)
    assert (now.ended, now.execution) == (False, 4), "what it had begun counts less than what it begins"
    with pytest.raises(Fenced):
        store.finish_stage(run.job_id, later.model_copy(update={"execution": 3}), target=TRANSCRIPT_READY)
    granted = later.model_copy(update={"execution": now.execution})
    store.finish_stage(run.job_id, granted, target=TRANSCRIPT_READY)
    assert store.get_job(run.job_id).status == TRANSCRIPT_READY

    another = later.model_copy(update={"seq": 5, **again})
    assert store.mirrored_state(run.job_id, another) == (TRANSCRIPT_READY, 4, True)
    store.move(run.job_id, another, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)
    with pytest.raises(Fenced):  # the number is the same, the move is not
        store.move(run.job_id, another, GENERATING, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR)
    asked = store.begin_stage(run.job_id, another, GENERATING)
    assert asked.ended and asked.over and asked.job.status == CANCELLED


def test_given_many_workers_when_they_begin_and_end_one_stage_at_once_then_it_happens_once(run: Run) -> None:
    begun = at_once(8, lambda _: run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING))
    assert not [each for each in begun if isinstance(each, Exception)]

    ended = at_once(
        8,
        lambda number: run.store.finish_stage(
            run.job_id, run.fence(), target=AUDIO_READY, artifacts=[artifact(ArtifactKind.AUDIO, f"audio-{number}")]
        ),
    )

    assert len({repr(each) for each in ended}) == 1
    assert len(run.store.artifacts(run.job_id)) == 2
    assert log_of(run.store, run.job_id)[-2:] == [
        ("STATUS_CHANGED", UPLOADED, AUDIO_EXTRACTING),
        ("STATUS_CHANGED", AUDIO_EXTRACTING, AUDIO_READY),
    ]


def test_given_executions_that_race_when_all_have_begun_then_only_the_newest_may_end(run: Run) -> None:
    at_once(6, lambda number: run.store.begin_stage(run.job_id, run.fence(number + 1), AUDIO_EXTRACTING))

    ended = at_once(6, lambda number: run.store.finish_stage(run.job_id, run.fence(number + 1), target=AUDIO_READY))

    assert [isinstance(each, Fenced) for each in ended] == [True] * 5 + [False]
    events = run.store.events(run.job_id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


def test_given_progress_reports_when_they_come_out_of_order_then_it_never_falls(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)

    told = [run.store.report_progress(run.job_id, run.fence(), percent, {"stage": "audio"}) for percent in (3, 9, 5, 9)]

    assert told == [True] * 4
    rows = [event for event in run.store.events(run.job_id) if event.stream == "progress"]
    assert [event.data for event in rows] == [
        {"stage": "audio", "progress": 3, "status": "AUDIO_EXTRACTING"},
        {"stage": "audio", "progress": 9, "status": "AUDIO_EXTRACTING"},
    ]
    assert run.store.get_job(run.job_id).progress == 9
    run.store.finish_stage(run.job_id, run.fence(), target=AUDIO_READY, progress=4)
    assert run.store.get_job(run.job_id).progress == 9


def test_given_no_such_job_when_anyone_writes_then_it_is_not_found_and_progress_is_ignored(store: Store) -> None:
    fence = Fence(attempt=1, dispatch_id="run-1", seq=1)

    with pytest.raises(NotFound):
        store.begin_stage("absent", fence, AUDIO_EXTRACTING)
    assert store.report_progress("absent", fence, 5) is False


def test_given_a_failed_job_when_it_fails_again_then_nothing_changes(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    stop = run.next(3)
    first = run.store.move(
        run.job_id, stop.fence(), FAILED, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR, failure=FAILURE
    )

    again = run.store.move(run.job_id, stop.next(1).fence(), FAILED, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR)

    assert again == first
    assert first.failure == FAILURE.model_copy(update={"correlation_id": first.correlation_id})
    assert first.completed_at is not None
    assert run.store.events(run.job_id)[-1].data["failure_code"] == "MEDIA_TRUNCATED"


def test_given_a_move_that_was_applied_when_it_is_sent_again_then_it_is_a_replay(store: Store) -> None:
    job, run = drafted_job(store)
    moved = [store.move(job.id, run.fence(), "EDITING", trigger=Trigger.USER, actor=Actor.EDITOR) for _ in range(2)]

    assert moved[0] == moved[1]
    assert log_of(store, job.id)[-1] == ("STATUS_CHANGED", DRAFT_READY, "EDITING")


def test_given_a_rerun_when_it_drafts_again_then_artifacts_and_the_instruction_gain_a_version(store: Store) -> None:
    job, _ = drafted_job(store)
    first = store.screenshots_for(store.current_instruction(instruction_of(job)).id)
    store.record_dispatch(
        job.id,
        attempt=2,
        dispatch_id="run-2",
        resume_from=TRANSCRIPT_READY,
        trigger=Trigger.API,
        actor=Actor.EDITOR,
    )

    Run(store, job.id, attempt=2, dispatch_id="run-2").write_draft(draft(MARKDOWN + "\nSave it.\n"))

    rerun = store.get_job(job.id)
    assert rerun.instruction_id == job.instruction_id
    current = store.current_instruction(instruction_of(rerun))
    assert (current.version, current.job_id, current.owner) == (2, job.id, job.owner)
    assert [each.version for each in store.artifacts(job.id) if each.kind == "draft"] == [1, 2]
    shown = store.screenshots_for(current.id)
    assert [each.anchor_id for each in shown] == [each.anchor_id for each in first]
    assert [each.blob.key for each in shown] == ["frames/2/step"]


def test_given_a_draft_that_was_recorded_when_the_stage_runs_again_then_its_version_is_answered(run: Run) -> None:
    run = run.extract_audio().transcribe()
    run.store.begin_stage(run.job_id, run.fence(), GENERATING)
    ends = [
        run.store.finish_stage(
            run.job_id,
            run.fence(),
            target=DRAFT_READY,
            version=draft(),
            screenshots=[screenshot(STEP_BLOCK, "frame")],
        )
        for _ in range(2)
    ]

    assert ends[0] == ends[1]
    assert ends[0].instruction_version_id is not None
    assert run.store.get_version_by_id(ends[0].instruction_version_id).version == 1
    assert len(run.store.screenshots_for(ends[0].instruction_version_id)) == 1


def test_given_no_instruction_when_screenshots_come_then_nothing_is_recorded(run: Run) -> None:
    run = run.extract_audio().transcribe()
    run.store.begin_stage(run.job_id, run.fence(), GENERATING)

    with pytest.raises(DocumentInvalid):
        run.store.finish_stage(
            run.job_id,
            run.fence(),
            target=DRAFT_READY,
            artifacts=[artifact(ArtifactKind.DRAFT)],
            screenshots=[screenshot(STEP_BLOCK, "frame")],
        )

    assert run.store.get_job(run.job_id).status == GENERATING
    assert run.store.latest_artifact(run.job_id, ArtifactKind.DRAFT) is None


def test_given_several_artifacts_of_a_kind_when_a_stage_ends_then_they_are_numbered_in_order(run: Run) -> None:
    run.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)

    outcome = run.store.finish_stage(
        run.job_id,
        run.fence(),
        target=AUDIO_READY,
        artifacts=[artifact(ArtifactKind.SCREENSHOT, key) for key in ("a", "b", "c")],
    )

    assert [(each.version, each.blob.key) for each in outcome.artifacts] == [(1, "a"), (2, "b"), (3, "c")]
    assert run.store.latest_artifact(run.job_id, ArtifactKind.SCREENSHOT) == outcome.artifacts[-1]
    assert run.store.get_artifact(outcome.artifacts[0].id) == outcome.artifacts[0]
