"""What is done to a document on request, as it is recorded: regenerations and exports."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from domain.artifacts import Blob
from domain.documents.merging import KeptProposal
from domain.documents.publication import ExportFormat
from domain.documents.versions import NewVersion
from domain.jobs import Failure, Frozen, TaskStatus


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
