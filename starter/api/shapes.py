"""The bodies of requests and answers, as the contract has them."""

import unicodedata
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    StrictBool,
    StrictInt,
    StringConstraints,
    WithJsonSchema,
)

from activities.store import EventType, VersionSummary
from domain.documents.anchors import CharRange
from domain.errors import MESSAGE_LIMIT
from domain.jobs import Actor, Event, Failure, InstructionVersion, Project, RegenerateTask
from domain.lifecycles.kinds import LIFECYCLES
from domain.recordings.corrections import LONGEST_TEXT
from domain.uploads import MOST_PARTS

Item = TypeVar("Item")

ADDRESSES_AT_ONCE = 1000
"""Part addresses that one request may ask for."""


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def on_one_line(text: str) -> str:
    """Text without line breaks and control characters. Joiners, marks of direction, tags of flags, spaces that do not
    break and letters newer than this Python belong to what is written: whoever puts a name into a path or a header
    escapes it there."""
    if any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") for each in text):
        raise ValueError("has line breaks or control characters")
    return text


def _without_nul(text: str) -> str:
    if "\x00" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise ValueError("has characters that cannot be stored")
    return text


Moment = Annotated[
    datetime,
    PlainSerializer(_rfc3339, return_type=str),
    Field(
        description="RFC 3339, UTC.",
        examples=["2026-01-31T12:00:00.000Z"],
        json_schema_extra={"format": "date-time"},
    ),
]
"""A time as it is sent."""

Line = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    AfterValidator(on_one_line),
]
"""A short text on one line."""

Text = Annotated[str, AfterValidator(_without_nul)]

Status = Annotated[
    str,
    WithJsonSchema(
        {
            "anyOf": [
                {
                    "title": f"{kind.capitalize()}Status",
                    "type": "string",
                    "enum": [str(each.value) for each in lifecycle.statuses],
                }
                for kind, lifecycle in LIFECYCLES.items()
            ]
        }
    ),
]
"""A status of a job of any kind."""

Said = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT),
    AfterValidator(on_one_line),
]
"""What somebody said in one stretch, on one line."""

Checksum = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PartNumber = Annotated[StrictInt, Field(ge=1, le=MOST_PARTS)]
Count = Annotated[StrictInt, Field(ge=0, le=2**53)]
VersionNumber = Annotated[StrictInt, Field(ge=1, le=2**31 - 1)]


class Shape(BaseModel):
    """A body. In an answer every field is there, whatever it may be made without."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Sent(Shape):
    """A body, or a part of one, that a client sends. A field that it does not have is a mistake, and refused."""

    model_config = ConfigDict(extra="forbid")


class Listed(Shape, Generic[Item]):
    """One page of a list, newest first."""

    items: tuple[Item, ...]
    next_cursor: str | None = Field(default=None, description="For the next page; null at the end.")


# --- projects and jobs -------------------------------------------------------------------------------------------


class NewProject(Sent):
    name: Line
    stages: dict[Literal["audio", "transcription", "draft"], Literal["external"]] = Field(
        default_factory=dict, description="Stages that a runner of yours does and reports by callback."
    )


class ProjectAnswer(Shape):
    id: str
    name: str
    stages: dict[str, str]
    created_at: Moment

    @classmethod
    def of(cls, project: Project) -> "ProjectAnswer":
        return cls(id=project.id, name=project.name, stages=project.stages, created_at=project.created_at)


class NewJob(Sent):
    language: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z]{2,3}(-[A-Za-z0-9]{2,8})*$")] | None = Field(
        default=None, description="The spoken language; null: detect it.", examples=["en"]
    )
    model_profile: Line | None = None


class FailureAnswer(Shape):
    failure_code: str
    failure_message: str = Field(max_length=MESSAGE_LIMIT)
    failed_stage: str | None
    correlation_id: str | None

    @classmethod
    def of(cls, failure: Failure | None) -> "FailureAnswer | None":
        return cls(**failure.model_dump()) if failure else None


class ManifestExport(Shape):
    export_id: str | None = Field(description="null for a file that a runner of yours made and reported.")
    format: str
    export_uri: str


class Manifest(Shape):
    """The newest artifact of each kind. The URIs are names, not addresses; what is downloaded has a signed one."""

    video_uri: str | None = None
    audio_uri: str | None = None
    transcript_uri: str | None = None
    draft_uri: str | None = None
    exports: tuple[ManifestExport, ...] = ()


class BatchResult(Shape):
    items: int = Field(description="How many it was asked for.")
    failed_items: int
    assets: int = Field(description="How many files were made.")
    size_bytes: int = Field(description="Of all files together.")


class JobAnswer(Shape):
    id: str
    kind: str
    job_type: Annotated[str | None, Field(description="What is made, of a kind that makes several things.")]
    project_id: str
    status: Status
    progress: int = Field(ge=0, le=100)
    manifest: Manifest
    source_name: str | None
    language: str | None
    instruction_id: str | None
    failure: FailureAnswer | None
    attempt: int
    version: int
    created_at: Moment
    updated_at: Moment
    completed_at: Moment | None
    parameters: dict[str, Any] | None = Field(
        default=None, description="Of a batch, where it is asked for by itself: what it was asked to do."
    )
    result: BatchResult | None = Field(default=None, description="Likewise: what came of its items so far.")


class Erased(Shape):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    job_id: str
    requested_at: Moment


class RunResult(Shape):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    job_id: str
    status: Status
    dispatch_id: str
    replayed: bool


class NewRetry(Sent):
    client_request_id: Line
    model_profile: Line | None = None


class RetryResult(RunResult):
    resume_from_status: Status
    checkpoint_ref: str | None
    model_profile: str | None


# --- uploads -----------------------------------------------------------------------------------------------------


class NewUpload(Sent):
    filename: Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_without_nul)]
    size_bytes: Count | None = None
    checksum_sha256: Checksum | None = None


class UploadAnswer(Shape):
    upload_id: str
    video_uri: str
    upload_url: str = Field(
        description="PUT the whole file here, or a part of it to `?part=N` (from 1); GET says what has arrived."
    )
    parts_url: str = Field(
        description="POST part numbers here for addresses that take them, in the object store itself where it can be "
        "reached; the parts of upload_url and of these are the same."
    )
    part_size: int = Field(description="The size of every part but the last, in bytes.")
    expires_at: Moment


class PartNumbers(Sent):
    numbers: Annotated[tuple[PartNumber, ...], Field(min_length=1, max_length=ADDRESSES_AT_ONCE)]


class PartAddressAnswer(Shape):
    part: int
    url: str = Field(description="PUT the part here, without a token.")
    headers: dict[str, str] = Field(description="What that request must say.")
    expires_at: Moment


class PartAddresses(Shape):
    parts: tuple[PartAddressAnswer, ...]


class UploadProgress(Shape):
    received_parts: tuple[int, ...]
    received_bytes: int


class ConfirmUpload(Sent):
    video_uri: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    size_bytes: Count | None = None
    checksum_sha256: Checksum | None = None


class Confirmed(Shape):
    job: JobAnswer
    replayed: bool


# --- transcript and history --------------------------------------------------------------------------------------


class TranscriptItem(Shape):
    index: int = Field(description="Counts the transcript's segments from 0; a correction names it.")
    start_ms: int
    end_ms: int
    text: str = Field(description="As its reader has corrected it.")
    original_text: str | None = Field(description="What was recognised, where it is corrected.")


class CorrectSegment(Sent):
    text: Said = Field(description="What was said in this segment.")
    base_text: Annotated[str, AfterValidator(_without_nul), Field(max_length=LONGEST_TEXT)] | None = Field(
        default=None, description="What it read before; where it does not read so any more, nothing is corrected."
    )


class TranscriptPage(Shape):
    items: tuple[TranscriptItem, ...]
    limit: int
    next_cursor: str | None


class ScreenBox(Shape):
    """Parts of the picture's width and height, from its top left corner."""

    x: float
    y: float
    w: float
    h: float


class ScreenLine(Shape):
    """A line of text on the screen, and when it stood there."""

    text: str
    start_ms: int
    end_ms: int
    confidence: float = Field(description="The reader's, 0 to 1.")
    box: ScreenBox


class ScreenPage(Shape):
    items: tuple[ScreenLine, ...]
    limit: int
    next_cursor: str | None


class HistoryRow(Shape):
    seq: int
    event_type: EventType
    job_id: str
    project_id: str
    actor_type: Actor
    prev_status: Status | None
    new_status: Status | None
    occurred_at: Moment
    recorded_at: Moment
    correlation_id: str
    attempt: int
    execution: int = Field(description="Of a stage in this attempt: which try this was, from 1.")
    data: dict[str, Any] = Field(description="Small facts: on STAGE_RETRIED, failure_code is why the try before ended.")

    @classmethod
    def of(cls, event: Event) -> "HistoryRow":
        return cls(**event.model_dump(include=set(cls.model_fields)))


# --- instructions ------------------------------------------------------------------------------------------------


class ValidationIssue(Shape):
    code: str
    message: str
    path: str


class DraftNotice(Shape):
    code: str
    message: str
    at_ms: tuple[int, ...] = Field(default=(), description="Moments of the recording to look at.")


class InstructionAnswer(Shape):
    instruction_id: str
    instruction_version_id: str
    job_id: str
    version: int
    title: str
    language: str | None
    markdown: str
    updated_at: Moment
    validation_status: Literal["PASS", "FAIL"]
    validation_errors: tuple[ValidationIssue, ...]
    validated_at: Moment
    validator_version: str
    model_profile_id: str | None
    prompt_template_id: str | None
    prompt_params_ref: str | None
    origin: str
    author: str
    warnings: tuple[DraftNotice, ...] = Field(description="What a reader of the draft should know.")

    @classmethod
    def of(cls, version: InstructionVersion) -> "InstructionAnswer":
        values = version.model_dump(include=set(cls.model_fields))
        return cls.model_validate(
            {**values, "instruction_version_id": version.id, "updated_at": version.created_at, "origin": version.origin}
        )


class SaveInstruction(Sent):
    base_version: VersionNumber
    markdown: Text
    as_marked: StrictBool = Field(
        default=False,
        description="Whether what stands below a marker stays one block, whatever was added to it. Without it, "
        "paragraphs that were added below an otherwise unchanged block become blocks of their own.",
    )


class VersionAnswer(Shape):
    instruction_version_id: str
    instruction_id: str
    version: int
    title: str
    origin: str
    author: str
    validation_status: str
    model_profile_id: str | None
    created_at: Moment

    @classmethod
    def of(cls, summary: VersionSummary) -> "VersionAnswer":
        return cls(**summary.model_dump(exclude={"id"}), instruction_version_id=summary.id)


class Selection(Sent):
    """Exactly one of the two."""

    block_id: Line | None = None
    char_range: CharRange | None = None


class NewRegeneration(Sent):
    base_version: VersionNumber
    selection: Selection
    client_request_id: Line
    context: Annotated[Text, StringConstraints(max_length=10_000)] | None = None
    model_profile: Line | None = None
    prompt_template_id: Line | None = None
    prompt_params_ref: Line | None = None


class KeptBlock(Shape):
    """The new text of one block, which was not put in place."""

    block_id: str
    markdown: str
    deleted: bool = Field(description="The block is gone; else its text was edited.")


class Proposal(Shape):
    """What was written and gave way to an edit made meanwhile."""

    markdown: str = Field(description="All of it.")
    blocks: tuple[KeptBlock, ...]


class TaskProvenance(Shape):
    """What the task was asked for. Where no model or prompt was named: what wrote, once it has."""

    instruction_id: str
    base_version: int
    selection: dict[str, Any]
    requested_by: str
    requested_at: Moment
    model_profile_id: str | None
    prompt_template_id: str | None
    prompt_params_ref: str | None


class TaskAnswer(Shape):
    id: str
    task_id: str = Field(description="The same as id.")
    instruction_id: str
    job_id: str
    status: Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED"]
    progress_pct: int
    instruction_version: int | None
    proposal: Proposal | None = Field(description="The new text, where an edit made meanwhile won over it.")
    warnings: tuple[DraftNotice, ...] = Field(
        description="What the writer has to say, also where the text is the same."
    )
    failure: FailureAnswer | None
    provenance: TaskProvenance
    requested_at: Moment
    updated_at: Moment
    replayed: bool = Field(description="It had been asked for before.")

    @classmethod
    def of(cls, task: RegenerateTask, *, replayed: bool = False) -> "TaskAnswer":
        return cls(
            requested_at=task.requested_at,
            updated_at=task.updated_at,
            replayed=replayed,
            id=task.id,
            task_id=task.id,
            instruction_id=task.instruction_id,
            job_id=task.job_id,
            status=task.status.value,
            progress_pct=task.progress_pct,
            instruction_version=task.instruction_version,
            proposal=None
            if task.proposal is None
            else Proposal.model_validate(
                {"markdown": task.proposal, "blocks": [each.model_dump() for each in task.kept]}
            ),
            warnings=tuple(DraftNotice.model_validate(each) for each in task.warnings),
            failure=FailureAnswer.of(task.failure),
            provenance=TaskProvenance(
                instruction_id=task.instruction_id,
                base_version=task.base_version,
                selection=task.selection,
                requested_by=task.requested_by,
                requested_at=task.requested_at,
                model_profile_id=task.model_profile_id,
                prompt_template_id=task.prompt_template_id,
                prompt_params_ref=task.prompt_params_ref,
            ),
        )


# --- exports -----------------------------------------------------------------------------------------------------


class NewExport(Sent):
    format: str = Field(max_length=40, examples=["PDF"], description="PDF, MD_ZIP, DOCX, HTML, SRT or VTT.")
    instruction_version_id: str = Field(max_length=100)
    idempotency_key: Line | None = Field(
        default=None,
        description="The same key with another request is refused. Without one, too, the same is the same.",
    )


class AnchorProvenance(Shape):
    anchor_id: str
    active_asset_id: str = Field(description="The picture that the export shows.")
    rendered_asset_id: str | None = Field(description="The same where it is annotated.")


class ExportProvenance(Shape):
    """What the export is made of; complete, and final, once the export has succeeded."""

    instruction_version_id: str
    screenshot_set_hash: str
    anchors: tuple[AnchorProvenance, ...] = ()
    instruction_snapshot_id: str | None = Field(
        default=None, description="The text that was exported: a version's, which never changes, so its id."
    )
    model_profile_id: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None
    generated_at: Moment | None = None


class ExportAnswer(Shape):
    id: str
    export_id: str = Field(description="The same as id.")
    job_id: str
    instruction_id: str
    instruction_version_id: str
    format: str
    identity_key: str
    status: Literal["REQUESTED", "RUNNING", "SUCCEEDED", "FAILED"]
    filename: str | None
    size_bytes: int | None
    checksum_sha256: str | None
    screenshot_set_hash: str = Field(description="Of the pictures that it shows, as in its provenance.")
    provenance: ExportProvenance
    provenance_frozen_at: Moment | None
    warnings: tuple[str, ...]
    failure: FailureAnswer | None
    requested_at: Moment
    updated_at: Moment
    completed_at: Moment | None
    replayed: bool = Field(default=False, description="It had been asked for before.")
    download_url: str | None = Field(description="Signed, for this file only; on SUCCEEDED.")
    download_url_expires_at: Moment | None


# --- the rest ----------------------------------------------------------------------------------------------------


class TransitionAnswer(Shape):
    model_config = ConfigDict(frozen=True, populate_by_name=True)

    from_: str | None = Field(alias="from")
    to: str
    triggers: tuple[str, ...]
    note: str
    action: str | None


class LifecycleAnswer(Shape):
    kind: str
    statuses: tuple[str, ...]
    initial: str
    terminals: tuple[str, ...]
    checkpoints: tuple[str, ...]
    repeats_are_noops: bool = Field(description="A move to the status that a job has changes nothing, and succeeds.")
    transitions: tuple[TransitionAnswer, ...]


class Alive(Shape):
    status: Literal["ok"] = "ok"


class Readiness(Shape):
    status: Literal["ready", "not ready"]
    checks: dict[str, str] = Field(description="database, engine, artifacts: ok, or what is wrong.")
