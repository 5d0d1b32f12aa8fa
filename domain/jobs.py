"""A job, its attempts, its audit trail, and what hangs on it, as the rest of the product passes them around."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from domain.artifacts import ArtifactKind, Blob
from domain.documents.annotations import Operation
from domain.documents.merging import KeptProposal
from domain.documents.publication import ExportFormat
from domain.errors import MESSAGE_LIMIT

Item = TypeVar("Item")


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Page(Frozen, Generic[Item]):
    """One page of a list, newest first. ``next_cursor`` is opaque, ``None`` at the end."""

    items: tuple[Item, ...]
    next_cursor: str | None = None


class Actor(StrEnum):
    """Who an audit row names."""

    EDITOR = "editor"
    ORCHESTRATOR = "orchestrator"
    SYSTEM = "system"


class StageName(StrEnum):
    """The stages of the instruction job, in order; also what ``failed_stage`` says."""

    AUDIO = "audio"
    TRANSCRIPTION = "transcription"
    DRAFT = "draft"
    ILLUSTRATION = "illustration"
    EXPORT = "export"
    REGENERATION = "regeneration"
    SCREENSHOT = "screenshot"


class Failure(Frozen):
    """Why a job or a task failed. The message is safe to show."""

    failure_code: str
    failure_message: str = Field(max_length=MESSAGE_LIMIT)
    failed_stage: str | None = None
    correlation_id: str | None = None


class Project(Frozen):
    """A folder of jobs. ``stages`` names the stages that an outside runner does (``{"audio": "external"}``)."""

    id: str
    owner: str
    name: str
    stages: dict[str, str] = Field(default_factory=dict)
    created_at: datetime


class Job(Frozen):
    """A job's row. ``progress`` is 0 to 100. ``status`` is a name from the kind's own table."""

    id: str
    kind: str
    owner: str
    project_id: str
    status: str
    progress: int = Field(ge=0, le=100)
    attempt: int
    version: int
    dispatch_id: str | None = None
    correlation_id: str
    source_name: str | None = None
    """The uploaded file's own name, cleaned."""
    language: str | None = None
    """The spoken language the user set, else ``None``: detect it."""
    model_profile: str | None = None
    instruction_id: str | None = None
    cost: int = Field(default=0, ge=0)
    """Credits that an attempt costs."""
    job_type: str | None = None
    """What is made, of a kind that makes several things."""
    failure: Failure | None = None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None = None


class Event(Frozen):
    """One row of a job's log. ``seq`` counts from 1 within the job, without gaps; it is the SSE event id.

    ``stream`` is the SSE event's name: ``status``, ``progress``, ``task`` or ``export``. All but ``progress`` are
    the audit trail.
    """

    job_id: str
    seq: int
    stream: str
    event_type: str
    project_id: str
    actor_type: Actor
    prev_status: str | None = None
    new_status: str | None = None
    occurred_at: datetime
    recorded_at: datetime
    correlation_id: str
    attempt: int
    execution: int = 1
    data: dict[str, object] = Field(default_factory=dict)
    """Small facts: note, progress, task or export id and status."""


class NewArtifact(Frozen):
    """An artifact that a stage stored and is about to record."""

    kind: ArtifactKind
    blob: Blob
    facts: dict[str, object] = Field(default_factory=dict)


class VersionOrigin(StrEnum):
    """Where a version of an instruction comes from."""

    DRAFT = "draft"
    EDIT = "edit"
    REGENERATE = "regenerate"
    RESTORE = "restore"


class NewVersion(Frozen):
    """A version that is about to be stored.

    ``evidence`` is what each block rests on (``domain.documents.document.BlockEvidence`` as plain values), ``warnings``
    are ``{code, message, at_ms}``; those of earlier versions have no moments.
    """

    title: str
    markdown: str
    evidence: tuple[dict[str, object], ...] = ()
    language: str | None = None
    warnings: tuple[dict[str, Any], ...] = ()
    origin: VersionOrigin
    author: str
    model_profile_id: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None


class InstructionVersion(NewVersion):
    """A stored version. ``id`` is the instruction_version_id, ``version`` counts from 1."""

    id: str
    instruction_id: str
    job_id: str
    owner: str
    version: int
    validation_status: str
    validation_errors: tuple[dict[str, str], ...] = ()
    validator_version: str
    validated_at: datetime
    created_at: datetime


class NewDrawing(Frozen):
    """A drawing that was stored and is about to be recorded; sizes are pixels."""

    ops_hash: str
    blob: Blob
    width: int
    height: int
    operations: tuple[Operation, ...] = ()


class NewScreenshot(Frozen):
    """A frame that a stage extracted for a block, and what it drew on it. ``is_outcome``: it shows what came of the
    step, and stands below the picture of the step itself."""

    block_id: str
    blob: Blob
    width: int
    height: int
    timestamp_ms: int
    extraction_key: str
    drawing: NewDrawing | None = None
    is_outcome: bool = False


class Screenshot(Frozen):
    """The active picture of an anchor: which block it belongs to, and the stored image. Where it is a drawing on
    another picture, ``rendered_asset_id`` names it once more, ``operations`` are what was drawn and ``base`` is what
    it was drawn on (drawings of earlier versions know neither)."""

    anchor_id: str
    asset_id: str
    block_id: str
    blob: Blob
    width: int
    height: int
    timestamp_ms: int | None
    rendered_asset_id: str | None = None
    operations: tuple[Operation, ...] = ()
    base: Blob | None = None
    is_outcome: bool = False

    @property
    def provenance(self) -> dict[str, object]:
        """What an export says of one of its pictures."""
        return {
            "anchor_id": self.anchor_id,
            "active_asset_id": self.asset_id,
            "rendered_asset_id": self.rendered_asset_id,
        }


class TaskStatus(StrEnum):
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


class RegenerateTask(Frozen):
    """A regeneration.

    ``kept`` are the texts that gave way to an edit made meanwhile, ``proposal`` all of them as one, ``warnings``
    (as those of a version) what the writer has to say. ``model_profile_id`` and what follows is what was asked for, and
    where nothing was, what wrote.
    """

    id: str
    instruction_id: str
    job_id: str
    owner: str
    status: TaskStatus
    progress_pct: int
    base_version: int
    selection: dict[str, object]
    client_request_id: str
    request: dict[str, object] = Field(default_factory=dict)
    requested_by: str
    requested_at: datetime
    updated_at: datetime
    instruction_version: int | None = None
    proposal: str | None = None
    kept: tuple[KeptProposal, ...] = ()
    warnings: tuple[dict[str, Any], ...] = ()
    model_profile_id: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None
    failure: Failure | None = None


class Regenerated(Frozen):
    """What a regeneration comes to against the version that is current when it ends: a version to store (``None``
    where every selected block was edited meanwhile), and the texts that gave way to an edit. The rest is told of it
    whether or not it led to a version."""

    version: NewVersion | None
    kept: tuple[KeptProposal, ...] = ()
    warnings: tuple[dict[str, Any], ...] = ()
    model_profile_id: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None

    @property
    def proposal(self) -> str | None:
        return "\n\n".join(each.markdown for each in self.kept) or None


class ExportStatus(StrEnum):
    REQUESTED = "REQUESTED"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


class Export(Frozen):
    """One export of exactly one version. ``provenance`` is frozen on success."""

    id: str
    job_id: str
    instruction_id: str
    instruction_version_id: str
    owner: str
    format: ExportFormat
    identity_key: str
    status: ExportStatus
    blob: Blob | None = None
    filename: str | None = None
    provenance: dict[str, object] = Field(default_factory=dict)
    provenance_frozen_at: datetime | None = None
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None
    requested_at: datetime
    updated_at: datetime
    completed_at: datetime | None = None
