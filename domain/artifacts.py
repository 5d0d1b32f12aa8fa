"""What a stage leaves behind: a versioned, content-hashed object and the row that names it."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

Sha256 = str
"""64 lower-case hexadecimal digits."""


class ArtifactKind(StrEnum):
    """What the object is. VIDEO is the upload itself and is never written by a stage; PLAN and what follows it are an
    analysis's."""

    VIDEO = "video"
    AUDIO = "audio"
    SCREEN = "screen"
    TRANSCRIPT = "transcript"
    OUTLINE = "outline"
    DRAFT = "draft"
    SCREENSHOT = "screenshot"
    EXPORT = "export"
    PLAN = "plan"
    REPORT = "report"
    TABLE = "table"
    CHART = "chart"


class Blob(BaseModel):
    """An object as it lies in the artifact store.

    ``key`` is the path inside the store (never absolute); ``uri`` is derived by the store, so that a store can be
    moved without touching a row.
    """

    model_config = ConfigDict(frozen=True)

    key: str = Field(min_length=1, max_length=512)
    size_bytes: int = Field(ge=0)
    checksum_sha256: Sha256 = Field(pattern=r"^[0-9a-f]{64}$")
    media_type: str = Field(max_length=120)


def lies_with(key: str, job_id: str) -> bool:
    """Whether the key is one that only this job's own work writes to."""
    return key.startswith((f"jobs/{job_id}/", f"exports/{job_id}/"))


class Artifact(BaseModel):
    """A stored artifact: version ``version`` (from 1) of its kind for its job. A rerun adds a version."""

    model_config = ConfigDict(frozen=True)

    id: str
    job_id: str
    kind: ArtifactKind
    version: int = Field(ge=1)
    attempt: int = Field(ge=1)
    blob: Blob
    facts: dict[str, object] = Field(default_factory=dict)
    """Small measured facts about the content (duration_ms, chosen track, language): numbers and names, no text of
    the user's."""
    created_at: datetime
