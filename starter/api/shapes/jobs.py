"""Projects, jobs, their history and transcript."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from activities.store import EventType
from domain.errors import MESSAGE_LIMIT
from domain.jobs import Actor, Event, Failure, Project
from domain.projects import ProjectRole
from domain.recordings.corrections import LONGEST_TEXT
from starter.api.shapes.base import Line, Moment, Said, Sent, Shape, Status, _without_nul


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
    owner: str | None = Field(default=None, description="Whose it is, and all that is in it.")
    role: ProjectRole = Field(default=ProjectRole.OWNER, description="What you are to it.")
    confluence_space: str | None = Field(
        default=None,
        description="The space that its guides are put into, by its key, with the page under which they are: `KEY` or "
        "`KEY/pages/ID`. Null: the installation's own.",
    )
    notion_parent: str | None = Field(
        default=None, description="The id of the page that its guides are put under. Null: the installation's own."
    )

    @classmethod
    def of(cls, project: Project, role: ProjectRole = ProjectRole.OWNER) -> "ProjectAnswer":
        return cls(
            id=project.id,
            name=project.name,
            stages=project.stages,
            created_at=project.created_at,
            owner=project.owner,
            role=role,
            confluence_space=project.confluence_space,
            notion_parent=project.notion_parent,
        )


class MoveJob(Sent):
    project_id: Annotated[str, Field(max_length=100, description="Another project of yours.")]


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
    stands_still_since: Moment | None = Field(
        default=None,
        description="Since when the stage at work shows no progress, where that is longer than is sensible for it.",
    )
    role: ProjectRole | None = Field(
        default=None, description="What you are to its project; null where you only see it as an administrator."
    )
    created_by: str | None = Field(
        default=None, description="The member of its project who made it; null: the project's owner did."
    )
    parameters: dict[str, Any] | None = Field(
        default=None, description="Of a batch, where it is asked for by itself: what it was asked to do."
    )
    result: BatchResult | None = Field(default=None, description="Likewise: what came of its items so far.")


class Erased(Shape):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    job_id: str
    requested_at: Moment


class Purged(Shape):
    """That a recording, a project or a user is being erased. ``id`` leads nowhere."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: str
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
    actor: str | None = Field(
        default=None, description="The member of the job's project who did it; null: its owner did, or nobody."
    )
    data: dict[str, Any] = Field(description="Small facts: on STAGE_RETRIED, failure_code is why the try before ended.")

    @classmethod
    def of(cls, event: Event) -> "HistoryRow":
        return cls(**event.model_dump(include=set(cls.model_fields)))
