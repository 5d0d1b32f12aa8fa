"""What a job costs on Temporal, counted on real histories."""

import json
from pathlib import Path

from google.protobuf.json_format import MessageToJson
from temporalio.api.common.v1 import Payload
from temporalio.api.history.v1 import HistoryEvent

from activities.rails.contracts import PAYLOAD_LIMIT_BYTES
from domain.artifacts import ArtifactKind
from domain.documents.publication import ExportFormat
from domain.recordings.transcript import Transcript
from starter.services.documents import DocumentService
from starter.services.jobs import JobService
from starter.wiring import model_profiles, run_options
from tests.stack import OWNER, Stack, wait_until

BILLABLE = (
    "workflow_execution_started_event_attributes",
    "activity_task_scheduled_event_attributes",
    "upsert_workflow_search_attributes_event_attributes",
    "timer_started_event_attributes",
    "start_child_workflow_execution_initiated_event_attributes",
    "workflow_execution_signaled_event_attributes",
    "workflow_execution_update_accepted_event_attributes",
)
"""Events that stand for an action on Temporal Cloud's bill."""

ACTIONS, EVENTS = 6, 34


def payloads(event: HistoryEvent) -> list[Payload]:
    """Every payload anywhere in an event."""
    found: list[Payload] = []

    def walk(message: object) -> None:
        if isinstance(message, Payload):
            found.append(message)
            return
        for descriptor, value in message.ListFields():  # type: ignore[attr-defined]
            if descriptor.message_type is None:
                continue
            if descriptor.message_type.GetOptions().map_entry:
                values = [each for each in value.values() if hasattr(each, "ListFields")]
            else:
                values = list(value) if hasattr(value, "__len__") and not hasattr(value, "ListFields") else [value]
            for each in values:
                walk(each)

    walk(event)
    return found


def in_time(events: list[HistoryEvent]) -> list[HistoryEvent]:
    """Without the steps that a worker on a busy machine came too late for, which are taken again."""
    late: set[int] = set()
    for event in events:
        if event.HasField("workflow_task_timed_out_event_attributes"):
            missed = event.workflow_task_timed_out_event_attributes
            late |= {event.event_id, missed.scheduled_event_id, missed.started_event_id}
    return [event for event in events if event.event_id not in late]


def test_a_short_recording_costs_at_most_6_actions_34_events_and_no_payload_over_4_kib(
    shared_stack: Stack, sample: Path
) -> None:
    job = shared_stack.draft(sample)
    assert job.status == "DRAFT_READY"
    events = shared_stack.events(job.id)

    actions = [event for event in events for name in BILLABLE if event.HasField(name)]  # type: ignore[arg-type]
    assert len(actions) <= ACTIONS
    assert len(in_time(events)) <= EVENTS
    sizes = [payload.ByteSize() for event in events for payload in payloads(event)]
    assert sizes and max(sizes) <= PAYLOAD_LIMIT_BYTES


def test_a_status_that_follows_the_stages_costs_three_actions_more_and_names_each(
    shared_stack: Stack, short: Path
) -> None:
    stack = shared_stack
    options = run_options(stack.settings).model_copy(update={"live_status": True})
    parts = (stack.store, stack.artifacts, stack.client, options, model_profiles(stack.settings))
    jobs, documents = JobService(*parts), DocumentService(*parts)
    job = stack.new_job(short)
    stack.loop.run(jobs.run(OWNER, job.id))
    stack.wait_for(job, "DRAFT_READY", within_s=240)
    wait_until(lambda: shown(stack.events(job.id))[-1:] == ["DRAFT_READY"], 60, "the draft to be shown")

    events = stack.events(job.id)
    actions = [event for event in events for name in BILLABLE if event.HasField(name)]  # type: ignore[arg-type]
    assert len(actions) == ACTIONS + 3
    assert shown(events) == ["AUDIO_EXTRACTING", "TRANSCRIBING", "GENERATING", "DRAFT_READY"]
    version = stack.store.get_instruction(OWNER, stack.job(job).instruction_id or "")
    export, _ = stack.loop.run(documents.export(OWNER, job.id, ExportFormat.HTML, version.id))
    stack.wait_for(job, "DONE", within_s=120)
    wait_until(lambda: shown(stack.events(job.id))[-1:] == ["DONE"], 60, "the end to be shown")
    assert shown(stack.events(job.id))[4:] == ["EDITING", "EXPORTING", "DONE"]
    wait_until(lambda: shown(stack.events(f"export-{export.id}")), 60, "its end to be shown")
    (started, *_) = task = stack.events(f"export-{export.id}")
    named = started.workflow_execution_started_event_attributes.search_attributes.indexed_fields
    said = {name: json.loads(value.data) for name, value in named.items()}
    assert said == {"GuidesmithKind": "export", "GuidesmithOwner": OWNER, "GuidesmithStatus": "RUNNING"}
    assert shown(task) == ["SUCCEEDED"]


def shown(events: list[HistoryEvent]) -> list[str]:
    """The statuses that a run has shown as search attributes, in order."""
    changes = (each.upsert_workflow_search_attributes_event_attributes.search_attributes for each in events)
    return [
        json.loads(each.indexed_fields["GuidesmithStatus"].data)
        for each in changes
        if "GuidesmithStatus" in each.indexed_fields
    ]


def test_no_text_of_the_transcript_or_the_document_enters_the_history(shared_stack: Stack, sample: Path) -> None:
    job = shared_stack.draft(sample)
    artifact = shared_stack.store.latest_artifact(job.id, ArtifactKind.TRANSCRIPT)
    assert artifact is not None and job.instruction_id is not None
    transcript = Transcript.model_validate_json(shared_stack.artifacts.read_bytes(artifact.blob))
    markdown = shared_stack.store.get_instruction(OWNER, job.instruction_id).markdown
    assert transcript.segments

    events = shared_stack.events(job.id)
    history = " ".join(MessageToJson(event) for event in events)
    history += " ".join(payload.data.decode(errors="replace") for event in events for payload in payloads(event))

    for segment in transcript.segments:
        assert segment.text.strip() not in history
    for line in markdown.splitlines():
        if len(line.split()) >= 3:
            assert line not in history
