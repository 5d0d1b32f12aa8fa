"""What becomes of work that people asked for while a job was open (exports, regenerations), and of its job, when an
operator acts on the job's run, or on the task's own; and of runs that are no job's (screenshots, plans, erasures)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import PendingActivityState, ResetReapplyType
from temporalio.client import WorkflowExecutionStatus

from activities.rails.task_dispatch import EXPORT, PLAN, SCREENSHOT, TaskDispatch
from activities.store import Store
from activities.store.records import EventType
from activities.store.repository import utc_now
from activities.upkeep.erasing import erase_workflow
from activities.upkeep.reconciling import PURGES, begin_erasing, begin_purging
from domain.analyses.analysis import Planning
from domain.documents.publication import ExportFormat
from domain.documents.screenshots import Extraction, ScreenshotTask
from domain.erasure import PurgeKind
from domain.errors import STAGE_TIMED_OUT, NotFound
from domain.jobs import Actor, Job
from domain.library import AssetMedium, NewAsset
from domain.lifecycles.fence import Fence
from domain.lifecycles.instruction import AUDIO_READY, DONE, DRAFT_READY, EDITING, EXPORTING, FAILED, REGENERATING
from domain.lifecycles.lifecycle import Trigger
from starter.wiring import run_options
from tests import recordings
from tests import temporal as temporal_server
from tests.integration.analysis_builders import arrived_analysis
from tests.integration.footage import recorded_job
from tests.integration.store_builders import Run, blob, drafted_job, edit
from tests.integration.test_fates import HELD_S, asked, new_job, opened, reconcile, started, walked
from tests.stack import OWNER, Stack, running_stack, wait_until
from tests.temporal import TemporalServer

pytestmark = pytest.mark.timeout(300)  # waits one after the other, of which each may take a slow machine its time

EVERYTHING = ResetReapplyType.RESET_REAPPLY_TYPE_ALL_ELIGIBLE
NOTHING = ResetReapplyType.RESET_REAPPLY_TYPE_NONE

RESETS = [("first", EVERYTHING), ("first", NOTHING), ("last", EVERYTHING), ("last", NOTHING)]
"""To which step of the history an operator resets, and what of it is sent again."""


@pytest.fixture(scope="module")
def hold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hold") / "held"


@pytest.fixture(scope="module")
def stack(temporal: TemporalServer, hold: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder, settings = tmp_path_factory.mktemp("tasks"), {"live_status": True, "heartbeat_timeout_s": HELD_S}
    with running_stack(folder, temporal, deadly=True, **settings) as running:
        hold.touch()
        running.start_worker(
            HOLD="REGENERATING,EXPORTING,TRANSCRIBING,SCREENSHOT,PLANNING,ERASING,processing",
            HOLD_FILE=str(hold),
            HOLD_AGAIN="1",
            GUIDESMITH_MEDIA_SLOTS="16",
        )
        yield running
        running.kill_worker()


def at_work(stack: Stack, status: str) -> Job:
    """A job with a draft whose task of ``status`` is at work."""
    job = asked(stack, walked(stack, new_job(stack, "instruction"), "UPLOADED"), status)
    stack.wait_for(job, status)
    wait_until(lambda: stack.store.going_on(job.id)[:2] != (None, ()), 30, "the task")
    return job


def task_of(stack: Stack, job: Job) -> str:
    regenerating, exporting, _ = stack.store.going_on(job.id)
    return f"regenerate-{regenerating}" if regenerating else f"export-{exporting[0]}"


def reset(stack: Stack, workflow_id: str, step: str, again: "ResetReapplyType.ValueType") -> None:
    stack.loop.run(temporal_server.reset(stack.client, workflow_id, step, again))


def rounds(stack: Stack, job: Job, *wanted: str) -> Job:
    """The job, once rounds of the reconciler that come two minutes later have brought it to a status of ``wanted``."""
    later = Store.open(stack.settings.database, clock=lambda: utc_now() + timedelta(minutes=2))
    try:

        def reached() -> bool:
            reconcile(stack, later)
            return stack.job(job).status in wanted

        wait_until(reached, 60, f"{wanted} for {stack.job(job)!r}")
    finally:
        later.dispose()
    return stack.job(job)


def test_given_a_task_at_work_when_its_job_is_reset_then_the_job_is_where_its_task_leads_once_that_has_ended(
    stack: Stack, hold: Path
) -> None:
    hold.touch()
    jobs = {(status, *how): at_work(stack, status) for status in (REGENERATING, EXPORTING) for how in RESETS}
    for (_, step, again), job in jobs.items():
        reset(stack, job.id, step, again)
    for (status, *_), job in jobs.items():
        rounds(stack, job, status)  # nothing has ended yet

    hold.unlink()

    for (status, *how), job in jobs.items():
        wait_until(lambda job=job: stack.store.going_on(job.id)[:2] == (None, ()), 60, "the task's end")  # type: ignore[misc]
        expected = DONE if status == EXPORTING and stack.store.going_on(job.id)[2] else EDITING
        assert rounds(stack, job, expected).failure is None, (status, how)
    assert {stack.job(job).status for (status, *_), job in jobs.items() if status == EXPORTING} == {DONE}
    open_jobs = [job for (status, *_), job in jobs.items() if status == REGENERATING]
    for job in open_jobs:  # and goes on being worked with
        hold.touch()
        asked_again(stack, job)
        hold.unlink()
        rounds(stack, job, DONE)


def asked_again(stack: Stack, job: Job) -> None:
    version = stack.store.get_instruction(OWNER, stack.job(job).instruction_id or "")
    stack.loop.run(stack.documents.export(OWNER, job.id, ExportFormat.HTML, version.id))
    stack.wait_for(job, EXPORTING)


@pytest.mark.parametrize("how", ["cancel", "terminate", "reset"])
def test_given_a_task_at_work_when_an_operator_acts_on_the_task_then_its_row_and_its_job_say_how_it_ended(
    stack: Stack, hold: Path, how: str
) -> None:
    hold.touch()
    jobs = {status: at_work(stack, status) for status in (REGENERATING, EXPORTING)}
    tasks = {status: task_of(stack, job) for status, job in jobs.items()}
    for task in tasks.values():
        handle = stack.client.get_workflow_handle(task)
        if how == "cancel":
            stack.loop.run(handle.cancel())
        elif how == "terminate":
            stack.loop.run(handle.terminate())
        else:
            reset(stack, task, "first", EVERYTHING)
    if how == "reset":
        hold.unlink()
    rounds(stack, jobs[REGENERATING], EDITING)
    rounds(stack, jobs[EXPORTING], DONE if how == "reset" else EDITING)
    export = stack.store.get_export(tasks[EXPORTING].removeprefix("export-"))
    written = stack.store.get_regenerate(tasks[REGENERATING].removeprefix("regenerate-"))
    expected = {"cancel": "CANCELLED", "terminate": "WORKFLOW_LOST"}.get(how)
    assert (export.failure and export.failure.failure_code) == expected
    assert written.failure is not None, "there is no transcript to write it from"
    assert how != "terminate" or written.failure.failure_code == expected
    for job in jobs.values():
        if stack.job(job).completed_at is None:
            stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
    reconcile(stack)


def test_given_a_stage_at_work_for_the_whole_of_its_time_then_it_is_not_tried_again(stack: Stack, hold: Path) -> None:
    hold.touch()
    job = walked(stack, new_job(stack, "instruction"), AUDIO_READY)
    started(stack, job, options=run_options(stack.settings).model_copy(update={"stage_timeout_s": 2.0}))
    failed = stack.wait_for(job, FAILED).failure
    assert failed is not None
    assert (failed.failure_code, failed.failed_stage) == (STAGE_TIMED_OUT, "transcription")
    begun = [each.activity_task_started_event_attributes.attempt for each in stack.events(job.id)]
    assert [each for each in begun if each] == [1]


def test_given_a_first_save_that_the_run_was_not_told_of_when_reconciled_then_the_job_is_edited(stack: Stack) -> None:
    job = walked(stack, new_job(stack, "instruction"), "UPLOADED")
    draft = opened(stack, job)
    stack.store.save_version(OWNER, draft.instruction_id, 1, edit(draft.markdown.replace("Choose", "Press")))
    assert stack.job(job).status == DRAFT_READY
    reconcile(stack)
    stack.wait_for(job, EDITING)
    stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
    reconcile(stack)


@pytest.mark.parametrize("how", ["owner", "operator"])
def test_given_a_batch_that_has_a_file_when_it_is_stopped_then_it_is_partial_and_keeps_it(
    stack: Stack, hold: Path, how: str
) -> None:
    hold.touch()
    job = new_job(stack, "batch")
    started(stack, job)
    dispatch_id = stack.wait_for(job, "processing").dispatch_id or ""
    made = NewAsset(ordinal=1, medium=AssetMedium.DOCUMENT, blob=blob(job.id), facts={"name": "captions.srt"})
    item = Fence(attempt=1, dispatch_id=dispatch_id, seq=2)
    wait_until(lambda: stack.store.mirrored_state(job.id, item)[1] == item.seq, 30, "its items")
    stack.store.finish_item(job.id, item, 1, 2, [made])
    if how == "owner":
        stack.loop.run(stack.kinds.cancel(OWNER, job.id))
    else:
        stack.loop.run(stack.client.get_workflow_handle(job.id).cancel())
    stack.wait_for(job, "partial")
    assert len(stack.store.assets_of_job(job.id).items) == 1


def test_given_an_export_that_the_run_was_not_told_of_when_it_is_there_then_the_job_is_done(
    stack: Stack, hold: Path
) -> None:
    """As where a worker died after it had committed the draft, and before it could report it: the run refuses the
    export of a draft that it does not know of, and the export is made on its own."""
    hold.touch()
    job = walked(stack, new_job(stack, "instruction"), "UPLOADED")
    draft = opened(stack, job)
    export, _ = stack.store.request_export(OWNER, job.id, ExportFormat.HTML, draft.id)
    alone = TaskDispatch(stack.client, run_options(stack.settings))
    stack.loop.run(alone.begin(EXPORT, export.id, job, live=False))
    wait_until(lambda: stack.store.get_export(export.id).status == "RUNNING", 60, "the export")
    rounds(stack, job, DRAFT_READY)  # it has not ended
    hold.unlink()
    wait_until(lambda: stack.store.get_export(export.id).status == "SUCCEEDED", 60, "its end")
    assert rounds(stack, job, DONE).failure is None
    assert not stack.store.unfollowed_jobs(older_than_s=-60)


def test_given_an_export_of_an_earlier_attempts_draft_when_the_draft_is_ready_then_the_job_is_not_done_by_it(
    stack: Stack, hold: Path
) -> None:
    hold.touch()
    job = walked(stack, new_job(stack, "instruction"), "UPLOADED")
    draft = opened(stack, job)
    stack.loop.run(stack.client.get_workflow_handle(job.id).terminate())
    reconcile(stack)
    export, _ = stack.store.request_export(OWNER, job.id, ExportFormat.HTML, draft.id)
    stack.store.begin_export(export.id)
    stack.store.finish_export(export.id, blob(export.id), "x", {})
    assert stack.store.going_on(job.id)[2], "since the draft of its attempt"
    stack.store.record_dispatch(
        job.id,
        attempt=2,
        dispatch_id="again",
        resume_from=DRAFT_READY,
        action="retry",
        trigger=Trigger.USER,
        actor=Actor.EDITOR,
        client_request_id="x",
    )
    assert stack.job(job).status == DRAFT_READY
    assert not stack.store.going_on(job.id)[2]
    assert job.id not in stack.store.unfollowed_jobs(older_than_s=-60)


# --- runs that are no job's ------------------------------------------------------------------------------------------

OPERATED = ("cancel", "terminate", "reset")
SETTLED = {"cancel": "CANCELLED", "terminate": "WORKFLOW_LOST", "reset": "SUCCEEDED"}
"""What the row of a screenshot or a plan says in the end. What is being erased is gone, whoever acts."""
GONE = "gone"


@dataclass(frozen=True)
class Alone:
    """``ended``: what the row of the run says once it has, a status or a failure's code; ``None`` until then."""

    workflow_id: str
    ended: Callable[[], str | None]


def screenshot(stack: Stack, folder: Path) -> Alone:
    shot = recorded_job(stack.store, stack.artifacts, recordings.mp4(folder), OWNER)
    asked = (OWNER, shot.job.id, shot.instruction_id, shot.version_id, Extraction(timestamp_ms=1_000))
    task, _ = stack.store.request_extraction(*asked)
    begin(stack, SCREENSHOT, task.id, shot.job.id)
    return Alone(f"screenshot-{task.id}", lambda: _said(stack.store.get_screenshot_task(task.id)))


def plan(stack: Stack, requirement: str) -> Alone:
    job = arrived_analysis(stack.store, stack.artifacts, OWNER, requirement).job
    task = stack.store.request_planning(OWNER, job.id).planning
    assert task is not None
    begin(stack, PLAN, task.id, job.id)

    def ended() -> str | None:
        said = _said(stack.store.get_analysis(job.id).planning)
        drafted = sum(each.event_type == EventType.PLAN_DRAFTED for each in stack.audit(job))
        assert said is None or drafted == (said == "SUCCEEDED"), "once, and no more"
        return said

    return Alone(f"plan-{task.id}", ended)


def begin(stack: Stack, what: str, task_id: str, job_id: str) -> None:
    alone = TaskDispatch(stack.client, run_options(stack.settings))
    stack.loop.run(alone.begin(what, task_id, stack.store.get_job(job_id), live=False))


def _said(task: ScreenshotTask | Planning | None) -> str | None:
    if task is None or task.status in ("PENDING", "RUNNING"):
        return None
    return task.failure.failure_code if task.failure is not None else str(task.status)


def erasure(stack: Stack) -> Alone:
    job, _ = drafted_job(stack.store, OWNER)
    key = f"jobs/{job.id}/upload/recording.mp4"
    stack.artifacts.put_bytes(key, b"frames", "video/mp4")
    stack.store.begin_erasure(job.id, owner=OWNER)
    stack.loop.run(begin_erasing(stack.client, job.id, run_options(stack.settings)))

    def ended() -> str | None:
        if job.id in stack.store.open_erasures(-300.0):
            return None
        assert not stack.artifacts.exists(key)
        with pytest.raises(NotFound):
            stack.store.get_job(job.id)
        return GONE

    return Alone(erase_workflow(job.id), ended)


def purge(stack: Stack, what: PurgeKind, owner: str) -> Alone:
    """Of a recording, or of a project or a user with one."""
    store = stack.store
    job = store.create_job(owner, store.create_project(owner, "Manuals").id)
    key = f"jobs/{job.id}/upload/recording.mp4"
    store.confirm_upload(owner, job.id, stack.artifacts.put_bytes(key, job.id.encode(), "video/mp4"), "demo.mp4")
    Run(store, job.id).dispatched().extract_audio().transcribe().write_draft()
    of_recording = what is PurgeKind.RECORDING
    row = {
        PurgeKind.RECORDING: lambda: store.begin_recording_purge(job.id, owner=owner),
        PurgeKind.PROJECT: lambda: store.begin_project_purge(job.project_id, owner=owner),
        PurgeKind.USER: lambda: store.begin_user_purge(owner),
    }[what]()
    stack.loop.run(begin_purging(stack.client, row.id, what, run_options(stack.settings)))

    def ended() -> str | None:
        if row.id in [each for each, _ in store.open_purges(-300.0)] or stack.artifacts.exists(key):
            return None
        assert list(store.job_ids_of(owner)) == ([job.id] if of_recording else [])
        return GONE

    return Alone(f"{PURGES[what]}-{row.id}", ended)


def all_alone(stack: Stack, folder: Path, how: str) -> dict[str, Alone]:
    return {
        "screenshot": screenshot(stack, folder),
        "plan": plan(stack, f"Total amount by region, {how}"),
        "erasure": erasure(stack),
        "recording": purge(stack, PurgeKind.RECORDING, f"of-recording-{how}"),
        "project": purge(stack, PurgeKind.PROJECT, f"of-project-{how}"),
        "user": purge(stack, PurgeKind.USER, f"of-user-{how}"),
    }


def is_worked_on(stack: Stack, each: Alone) -> bool:
    described = stack.loop.run(stack.client.get_workflow_handle(each.workflow_id).describe())
    states = [activity.state for activity in described.raw_description.pending_activities]
    return PendingActivityState.PENDING_ACTIVITY_STATE_STARTED in states


def has_run(stack: Stack, each: Alone, run_id: str | None = None) -> str | None:
    """The run's id, once it is over as it should be; of another than ``run_id``."""
    described = stack.loop.run(stack.client.get_workflow_handle(each.workflow_id).describe())
    over = described.status is WorkflowExecutionStatus.COMPLETED and described.run_id != run_id
    return described.run_id if over else None


@pytest.mark.parametrize("how", OPERATED)
def test_given_a_run_that_is_no_jobs_when_an_operator_acts_on_it_then_its_row_is_right_and_nothing_is_done_twice(
    stack: Stack, hold: Path, tmp_path: Path, how: str
) -> None:
    hold.touch()
    runs = all_alone(stack, tmp_path, how)
    for what, each in runs.items():
        wait_until(lambda each=each: is_worked_on(stack, each), 60, f"work on {what}")  # type: ignore[misc]
        assert each.ended() is None, what
    for each in runs.values():
        handle = stack.client.get_workflow_handle(each.workflow_id)
        if how == "reset":
            reset(stack, each.workflow_id, "first", EVERYTHING)
        else:
            stack.loop.run(handle.cancel() if how == "cancel" else handle.terminate())
    if how == "reset":
        hold.unlink()
    settle(stack, [runs["screenshot"], runs["plan"]])
    hold.unlink(missing_ok=True)
    settle(stack, list(runs.values()))

    found = {what: each.ended() for what, each in runs.items()}
    assert found == {"screenshot": SETTLED[how], "plan": SETTLED[how]} | dict.fromkeys(
        ("erasure", "recording", "project", "user"), GONE
    )
    assert stack.store.audit_credits().balanced


def settle(stack: Stack, runs: list[Alone]) -> None:
    """By rounds of the reconciler that come two minutes later."""
    later = Store.open(stack.settings.database, clock=lambda: utc_now() + timedelta(minutes=2))
    try:

        def all_ended() -> bool:
            reconcile(stack, later)
            return all(each.ended() for each in runs)

        wait_until(all_ended, 60, f"the ends of {[each.workflow_id for each in runs if not each.ended()]}")
    finally:
        later.dispose()


def test_given_a_run_that_is_no_jobs_when_it_is_reset_after_its_end_then_nothing_is_done_again(
    stack: Stack, hold: Path, tmp_path: Path
) -> None:
    hold.unlink(missing_ok=True)
    runs = all_alone(stack, tmp_path, "ended")

    def later_runs(than: dict[str, str] | None = None) -> dict[str, str]:
        found = {what: has_run(stack, each, (than or {}).get(what)) for what, each in runs.items()}
        return {what: run for what, run in found.items() if run} if all(found.values()) else {}

    first = wait_until(later_runs, 60, "their ends")
    before = {what: each.ended() for what, each in runs.items()}
    written = len(list(stack.artifacts.list()))
    for each in runs.values():
        reset(stack, each.workflow_id, "first", EVERYTHING)
    wait_until(lambda: later_runs(first), 60, "their second ends")
    assert {what: each.ended() for what, each in runs.items()} == before
    assert all(before.values()) and len(list(stack.artifacts.list())) == written
    taken = stack.store.get_screenshot_task(runs["screenshot"].workflow_id.removeprefix("screenshot-"))
    assert [each.version for each in stack.store.assets_of([taken.anchor_id])[taken.anchor_id]] == [1]
