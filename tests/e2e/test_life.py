"""The life of a job beside its pipeline: edited, written again, exported, retried, cancelled, lost and found."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import ResetReapplyExcludeType
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import WorkflowFailureError

from domain.artifacts import ArtifactKind
from domain.documents.document import parse
from domain.documents.publication import FILM_FORMATS, PLACED_FORMATS, ExportFormat
from domain.documents.tasks import RegenerateTask
from domain.errors import RetryNotAllowed, VersionConflict
from domain.jobs import Job
from starter.services.documents import RegenerateRequest
from tests import recordings
from tests.e2e.conftest import PIECE_MS
from tests.stack import OWNER, Stack, running_stack, wait_until
from tests.temporal import TemporalServer


def regenerated(stack: Stack, instruction_id: str, request: RegenerateRequest) -> RegenerateTask:
    task, _ = stack.loop.run(stack.documents.regenerate(OWNER, instruction_id, request))

    def ended() -> RegenerateTask | None:
        now = stack.store.get_regenerate(task.id)
        return now if now.status in ("SUCCEEDED", "FAILED") else None

    return wait_until(ended, 30, "the regeneration to end")


def test_a_job_is_edited_written_again_and_exported_to_done_and_goes_on_living(
    shared_stack: Stack, sample: Path
) -> None:
    stack = shared_stack
    job = stack.draft(sample)
    instruction_id = job.instruction_id or ""
    draft = stack.store.get_instruction(OWNER, instruction_id)
    edited = draft.markdown.replace("# ", "# Edited: ", 1)

    version = stack.loop.run(stack.documents.save(OWNER, instruction_id, 1, edited))
    assert version.version == 2
    assert stack.wait_for(job, "EDITING").status == "EDITING"
    with pytest.raises(VersionConflict):
        stack.loop.run(stack.documents.save(OWNER, instruction_id, 1, edited + "\nstale\n"))

    step = parse(version.markdown).blocks[-1]
    task = regenerated(
        stack, instruction_id, RegenerateRequest(2, {"block_id": step.id}, "again-1", context="make it shorter")
    )
    assert task.status == "SUCCEEDED"
    after = stack.store.get_instruction(OWNER, instruction_id)
    assert [block.markdown for block in parse(after.markdown).blocks[:-1]] == [
        block.markdown for block in parse(version.markdown).blocks[:-1]
    ]
    stack.wait_for(job, "EDITING")

    export = stack.export(job, ExportFormat.PDF)
    assert export.status == "SUCCEEDED" and export.blob is not None
    assert stack.artifacts.read_bytes(export.blob).startswith(b"%PDF")
    done = stack.wait_for(job, "DONE")
    assert done.completed_at is not None

    later = stack.loop.run(stack.documents.save(OWNER, instruction_id, after.version, after.markdown + "\nOne more.\n"))
    again = stack.export(job, ExportFormat.MD_ZIP)
    assert again.status == "SUCCEEDED" and again.instruction_version_id == later.id
    step = parse(later.markdown).blocks[2]
    assert (
        regenerated(stack, instruction_id, RegenerateRequest(later.version, {"block_id": step.id}, "again-2")).status
        == "SUCCEEDED"
    )
    assert stack.job(job).status == "DONE"
    statuses = stack.statuses(job)
    assert statuses[statuses.index("DRAFT_READY") :] == [
        "DRAFT_READY",
        "EDITING",
        "REGENERATING",
        "EDITING",
        "EXPORTING",
        "DONE",
    ]


def test_several_exports_asked_at_once_all_succeed_and_the_job_is_done_once(shared_stack: Stack, sample: Path) -> None:
    stack = shared_stack
    job = stack.draft(sample)
    version = stack.store.get_instruction(OWNER, job.instruction_id or "")

    async def ask() -> list[str]:
        formats = (each for each in ExportFormat if each not in FILM_FORMATS | PLACED_FORMATS)
        asked = (stack.documents.export(OWNER, job.id, each, version.id) for each in formats)
        return [export.id for export, _ in await asyncio.gather(*asked)]

    ids = stack.loop.run(ask())
    wait_until(lambda: all(stack.store.get_export(each).status == "SUCCEEDED" for each in ids), 60, "all exports")
    stack.wait_for(job, "DONE")
    assert stack.statuses(job).count("DONE") == 1


def test_a_failed_job_is_retried_from_its_latest_checkpoint_that_verifies(
    temporal: TemporalServer, tmp_path: Path, sample: Path
) -> None:
    dead: dict[str, Any] = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "none", "retry_budget": 1}
    with running_stack(tmp_path, temporal, **dead) as stack:
        stack.start_worker()
        job = stack.draft(sample)
        assert job.status == "FAILED" and job.failure is not None
        assert (job.failure.failure_code, job.failure.failed_stage) == ("PROVIDER_UNAVAILABLE", "draft")

        answer = stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile="local", client_request_id="retry-1"))
        assert (answer.resume_from_status, answer.replayed) == ("TRANSCRIPT_READY", False)
        assert answer.checkpoint_ref is not None
        stack.wait_for(job, "DRAFT_READY")
        replay = stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile="local", client_request_id="retry-1"))
        assert replay.replayed and replay.dispatch_id == answer.dispatch_id
        assert stack.job(job).attempt == 2
        assert stack.versions_of(job, ArtifactKind.AUDIO) == [1]
        assert stack.scheduled(job) == ["draft", "illustration"]
        stack.loop.run(stack.kinds.cancel(OWNER, job.id))
        with pytest.raises(RetryNotAllowed):
            stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile=None, client_request_id="retry-2"))


@pytest.mark.timeout(400)  # a draft, and then a minute at least
def test_a_job_whose_workflow_was_terminated_is_found_and_can_be_retried(shared_stack: Stack, sample: Path) -> None:
    stack = shared_stack
    job = stack.draft(sample)
    stack.loop.run(stack.documents.save(OWNER, job.instruction_id or "", 1, "# New\n\ntext\n"))
    stack.wait_for(job, "EDITING")
    stack.loop.run(stack.client.get_workflow_handle(job.id).terminate("test"))
    failed = stack.wait_for(job, "FAILED", within_s=120)  # by the worker's own round, one a minute
    assert failed.failure is not None and failed.failure.failure_code == "WORKFLOW_LOST"

    answer = stack.loop.run(stack.jobs.retry(OWNER, job.id, model_profile=None, client_request_id="after-loss"))
    assert answer.resume_from_status == "DRAFT_READY"
    assert stack.export(job, ExportFormat.HTML).status == "SUCCEEDED"
    stack.wait_for(job, "DONE")


def test_a_job_edited_for_months_continues_as_new_and_keeps_its_dispatch(
    temporal: TemporalServer, tmp_path: Path, sample: Path
) -> None:
    with running_stack(tmp_path, temporal) as stack:
        stack.jobs._options = stack.jobs._options.model_copy(update={"history_events": 40})
        stack.start_worker()
        job = stack.draft(sample)
        handle = stack.client.get_workflow_handle(job.id)
        first_run = stack.loop.run(handle.describe()).run_id
        for _ in range(20):
            stack.loop.run(handle.signal("edit"))
        wait_until(lambda: stack.loop.run(handle.describe()).run_id != first_run, 20, "a successor")
        assert stack.wait_for(job, "EDITING").dispatch_id == first_run
        assert stack.export(job, ExportFormat.SRT).status == "SUCCEEDED"
        assert stack.wait_for(job, "DONE").dispatch_id == first_run


@pytest.mark.timeout(400)
def test_a_long_recording_is_transcribed_in_parallel_pieces_that_join_seamlessly(
    lasting_stack: Stack, twofold_talk: Path
) -> None:
    stack = lasting_stack
    stack.start_worker(PIECE_MS=str(PIECE_MS))
    job = stack.new_job(twofold_talk)
    stack.run(job)
    done = stack.wait_for(job, "DRAFT_READY", "FAILED", within_s=170)
    assert done.status == "DRAFT_READY"
    assert stack.scheduled(job).count("transcription-piece") == 2
    assert stack.versions_of(job, ArtifactKind.TRANSCRIPT) == [1]


def test_a_new_job_for_the_same_recording_reuses_what_a_cancelled_one_finished(
    shared_stack: Stack, tmp_path: Path
) -> None:
    recording = recordings.mp4_with_late_sound(tmp_path)
    first = shared_stack.draft(recording)
    shared_stack.loop.run(shared_stack.kinds.cancel(OWNER, first.id))
    second = shared_stack.draft(recording)
    artifact = shared_stack.store.latest_artifact(second.id, ArtifactKind.AUDIO)
    assert artifact is not None and artifact.facts.get("reused") is True


def test_an_instruction_that_lost_a_picture_is_published_without_it_and_says_so(
    shared_stack: Stack, sample: Path
) -> None:
    stack = shared_stack
    job = stack.draft(sample)
    version = stack.store.get_instruction(OWNER, job.instruction_id or "")
    lost = stack.store.screenshots_for(version.id)[0]
    stack.artifacts.delete(lost.blob.key)

    export = stack.export(job, ExportFormat.MD_ZIP)

    assert export.status == "SUCCEEDED"
    assert any("1 screenshot" in warning for warning in export.warnings)
    anchors = export.provenance["anchors"]
    assert isinstance(anchors, list)
    assert lost.anchor_id not in {anchor["anchor_id"] for anchor in anchors}


def reset(stack: Stack, job: Job, *, reapply: bool = True) -> str:
    """As an operator does in Temporal's UI, to the first workflow task; answers the new run's id."""
    step = next(
        each.event_id for each in stack.events(job.id) if each.HasField("workflow_task_completed_event_attributes")
    )
    none = ResetReapplyExcludeType.RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL
    other = ResetReapplyExcludeType.RESET_REAPPLY_EXCLUDE_TYPE_UPDATE
    request = ResetWorkflowExecutionRequest(
        namespace=stack.client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=job.id),
        reason="test",
        workflow_task_finish_event_id=step,
        request_id=f"reset-{uuid4()}",
        reset_reapply_exclude_types=[] if reapply else [none, other],
    )
    return stack.loop.run(stack.client.workflow_service.reset_workflow_execution(request)).run_id


def ends(stack: Stack, job: Job, run_id: str) -> str:
    """How a run ends: its outcome, or what it fails with."""
    handle = stack.client.get_workflow_handle(job.id, run_id=run_id)
    try:
        return str(stack.loop.run(handle.result())["status"])
    except WorkflowFailureError as failure:
        return str(getattr(failure.cause, "type", "") or type(failure.cause).__name__)


def test_given_a_draft_that_people_work_on_when_its_run_is_reset_then_it_goes_on_where_it_was(
    shared_stack: Stack, short: Path
) -> None:
    stack = shared_stack
    job = stack.draft(short)
    scheduled = len(stack.audit(job))

    run = reset(stack, job)
    handle = stack.client.get_workflow_handle(job.id, run_id=run)
    wait_until(lambda: stack.told(handle) == "DRAFT_READY", 30, "the draft again")
    assert len(stack.audit(job)) == scheduled, "nothing was done again"

    block = parse(stack.store.get_instruction(OWNER, job.instruction_id or "").markdown).blocks[-1].id
    wish = RegenerateRequest(1, {"block_id": block}, "after a reset")
    assert regenerated(stack, job.instruction_id or "", wish).status == "SUCCEEDED"
    stack.wait_for(job, "EDITING")
    run = reset(stack, job, reapply=False)
    handle = stack.client.get_workflow_handle(job.id, run_id=run)
    wait_until(lambda: stack.told(handle) == "DRAFT_READY", 30, "the draft again")
    assert stack.job(job).status == "EDITING"
    assert stack.export(job, ExportFormat.HTML).status == "SUCCEEDED"
    assert stack.wait_for(job, "DONE", "FAILED").status == "DONE"
    assert ends(stack, job, run) == "DONE"

    for reapply in (True, False):
        before = stack.job(job)
        assert ends(stack, job, reset(stack, job, reapply=reapply)) == "DONE"
        assert stack.job(job) == before


def test_given_a_job_that_was_cancelled_when_its_run_is_reset_then_it_stays_so(
    shared_stack: Stack, short: Path
) -> None:
    stack = shared_stack
    job = stack.draft(short)
    stack.loop.run(stack.client.get_workflow_handle(job.id).signal("cancel"))
    stack.wait_for(job, "CANCELLED")
    before = stack.job(job)
    assert ends(stack, job, reset(stack, job)) == "CANCELLED"
    assert stack.job(job) == before
