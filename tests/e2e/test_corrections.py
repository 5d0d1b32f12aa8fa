"""What a person corrects in the transcript is what is written of it: drafts, parts written again, captions."""

from pathlib import Path

from domain.artifacts import ArtifactKind
from domain.documents.document import parse
from domain.documents.publication import ExportFormat
from domain.jobs import TaskStatus
from domain.recordings.transcript import Transcript
from starter.services.documents import RegenerateRequest
from tests.stack import OWNER, Stack, wait_until


def correct(stack: Stack, job_id: str, old: str, new: str) -> None:
    """Correct a word wherever it was heard."""
    artifact = stack.store.latest_artifact(job_id, ArtifactKind.TRANSCRIPT)
    assert artifact is not None
    heard = Transcript.model_validate_json(stack.artifacts.read_bytes(artifact.blob))
    found = [each for each in heard.segments if old in each.text]
    assert found
    for each in found:
        stack.store.correct(OWNER, job_id, each.id, each.text, each.text.replace(old, new).strip())


def test_given_words_corrected_before_and_after_the_draft_then_it_its_parts_written_again_and_captions_say_them(
    lasting_stack: Stack, sample: Path
) -> None:
    stack = lasting_stack
    held = stack.folder / "held"
    held.touch()
    stack.start_worker(HOLD="GENERATING", HOLD_FILE=str(held))
    job = stack.new_job(sample)
    stack.run(job)
    stack.wait_for(job, "GENERATING")
    correct(stack, job.id, "billing", "bookkeeping")
    held.unlink()
    drafted = stack.wait_for(job, "DRAFT_READY", "FAILED")
    assert drafted.instruction_id is not None
    draft = stack.store.current_instruction(drafted.instruction_id)
    assert "bookkeeping" in draft.markdown
    assert "billing" not in draft.markdown

    correct(stack, job.id, "billing", "accounting")  # the original words are what is corrected
    block = next(each for each in parse(draft.markdown).blocks if "bookkeeping" in each.markdown)
    request = RegenerateRequest(base_version=1, selection={"block_id": block.id}, client_request_id="r")
    task, _ = stack.loop.run(stack.documents.regenerate(OWNER, drafted.instruction_id, request))
    wait_until(lambda: stack.store.get_regenerate(task.id).status is TaskStatus.SUCCEEDED, 60, "the task to end")
    assert "accounting" in stack.store.current_instruction(drafted.instruction_id).markdown

    export = stack.export(job, ExportFormat.SRT)
    assert export.blob is not None
    assert "accounting" in stack.artifacts.read_bytes(export.blob).decode()
