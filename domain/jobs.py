"""A job, its audit trail and its artifacts, as the rest of the product passes them around."""

from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from domain.artifacts import ArtifactKind, Blob
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
    TRANSLATION = "translation"


class Failure(Frozen):
    """Why a job or a task failed. The message is safe to show."""

    failure_code: str
    failure_message: str = Field(max_length=MESSAGE_LIMIT)
    failed_stage: str | None = None
    correlation_id: str | None = None


class Project(Frozen):
    """A folder of jobs. ``stages`` names the stages that an outside runner does (``{"audio": "external"}``).
    ``confluence_space`` (``KEY`` or ``KEY/pages/ID``) and ``notion_parent`` (an id) are where its guides are put;
    ``None``: where the installation puts them."""

    id: str
    owner: str
    name: str
    stages: dict[str, str] = Field(default_factory=dict)
    created_at: datetime
    confluence_space: str | None = None
    notion_parent: str | None = None


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
    created_by: str | None = None
    """The member of its project who made it; ``None``: its owner did."""
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
    actor: str | None = None
    """The member of the job's project who did it; ``None``: its owner did, or nobody."""
    data: dict[str, object] = Field(default_factory=dict)
    """Small facts: note, progress, task or export id and status."""


class NewArtifact(Frozen):
    """An artifact that a stage stored and is about to record."""

    kind: ArtifactKind
    blob: Blob
    facts: dict[str, object] = Field(default_factory=dict)


class TaskStatus(StrEnum):
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
