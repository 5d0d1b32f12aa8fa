"""What the store answers beyond the domain's models."""

from datetime import datetime
from enum import StrEnum

from domain.artifacts import Artifact, ArtifactKind
from domain.documents.document import BlockMark
from domain.documents.versions import VersionOrigin
from domain.jobs import Failure, Frozen, Job


class EventType(StrEnum):
    """What a row of a job's log says happened."""

    JOB_CREATED = "JOB_CREATED"
    STATUS_CHANGED = "STATUS_CHANGED"
    STAGE_RETRIED = "STAGE_RETRIED"
    RUN_DISPATCHED = "RUN_DISPATCHED"
    RETRY_DISPATCHED = "RETRY_DISPATCHED"
    PROGRESS = "PROGRESS"
    SAFE_BLOCK = "SAFE_BLOCK"
    INSTRUCTION_SAVED = "INSTRUCTION_SAVED"
    INSTRUCTION_RESTORED = "INSTRUCTION_RESTORED"
    REGENERATE_REQUESTED = "REGENERATE_REQUESTED"
    REGENERATE_STARTED = "REGENERATE_STARTED"
    REGENERATE_SUCCEEDED = "REGENERATE_SUCCEEDED"
    REGENERATE_FAILED = "REGENERATE_FAILED"
    TRANSLATION_REQUESTED = "TRANSLATION_REQUESTED"
    TRANSLATION_STARTED = "TRANSLATION_STARTED"
    TRANSLATION_SUCCEEDED = "TRANSLATION_SUCCEEDED"
    TRANSLATION_FAILED = "TRANSLATION_FAILED"
    TRANSLATION_ANSWERED = "TRANSLATION_ANSWERED"
    TRANSLATION_DELETED = "TRANSLATION_DELETED"
    EXPORT_REQUESTED = "EXPORT_REQUESTED"
    EXPORT_STARTED = "EXPORT_STARTED"
    EXPORT_SUCCEEDED = "EXPORT_SUCCEEDED"
    EXPORT_FAILED = "EXPORT_FAILED"
    ANCHOR_CREATED = "ANCHOR_CREATED"
    ANCHOR_ANNOTATED = "ANCHOR_ANNOTATED"
    SCREENSHOT_REQUESTED = "SCREENSHOT_REQUESTED"
    SCREENSHOT_STARTED = "SCREENSHOT_STARTED"
    SCREENSHOT_SUCCEEDED = "SCREENSHOT_SUCCEEDED"
    SCREENSHOT_FAILED = "SCREENSHOT_FAILED"
    SCREENSHOT_UPLOAD_REQUESTED = "SCREENSHOT_UPLOAD_REQUESTED"
    SCREENSHOT_UPLOADED = "SCREENSHOT_UPLOADED"
    SCREENSHOT_ATTACHED = "SCREENSHOT_ATTACHED"
    SCREENSHOT_DELETED = "SCREENSHOT_DELETED"
    SCREENSHOT_SHOWN = "SCREENSHOT_SHOWN"
    INPUTS_CHANGED = "INPUTS_CHANGED"
    TRANSCRIPT_CORRECTED = "TRANSCRIPT_CORRECTED"
    COMMENT_CREATED = "COMMENT_CREATED"
    COMMENT_MENTIONED = "COMMENT_MENTIONED"
    COMMENT_CHANGED = "COMMENT_CHANGED"
    COMMENT_DELETED = "COMMENT_DELETED"
    COMMENT_RESOLVED = "COMMENT_RESOLVED"
    COMMENT_REOPENED = "COMMENT_REOPENED"
    RECORDING_ERASED = "RECORDING_ERASED"
    GUIDE_BINNED = "GUIDE_BINNED"
    GUIDE_RESTORED = "GUIDE_RESTORED"
    JOB_MOVED = "JOB_MOVED"
    JOB_HANDED_OVER = "JOB_HANDED_OVER"
    PLAN_REQUESTED = "PLAN_REQUESTED"
    PLAN_DRAFTED = "PLAN_DRAFTED"
    PLAN_CHANGED = "PLAN_CHANGED"
    PLAN_FAILED = "PLAN_FAILED"


class UploadSession(Frozen):
    """Where a recording, or an input of an analysis, is being uploaded to. ``size_bytes`` and ``checksum_sha256`` are
    what the client declared.

    ``multipart_id`` is the artifact store's name for what has arrived; ``whole_sha256`` its hash, when it was sent
    whole.
    """

    id: str
    job_id: str
    key: str
    filename: str
    size_bytes: int | None = None
    checksum_sha256: str | None = None
    expires_at: datetime
    created_at: datetime
    part_size: int | None = None
    multipart_id: str | None = None
    whole_sha256: str | None = None
    sealed_by: str | None = None
    sealed_until: datetime | None = None
    ordinal: int = 0
    """Of an analysis's input, from 1; a recording's is 0."""
    confirmed_at: datetime | None = None

    def is_leased(self, now: datetime) -> bool:
        """Whether somebody is confirming it."""
        return self.sealed_until is not None and self.sealed_until > now


class Dispatch(Frozen):
    """A workflow run that was given an attempt of a job. ``resume_from`` is the status it started at."""

    job_id: str
    attempt: int
    dispatch_id: str
    resume_from: str | None = None
    client_request_id: str | None = None
    model_profile: str | None = None
    recorded_at: datetime


class RecordedDispatch(Frozen):
    """A dispatch as it was recorded. ``first``: nobody was told of it before, so this call is the one that did it."""

    job: Job
    dispatch: Dispatch
    first: bool


class StageOutcome(Frozen):
    """What a stage recorded when it ended."""

    job: Job
    artifacts: tuple[Artifact, ...] = ()
    instruction_id: str | None = None
    instruction_version_id: str | None = None


class StageGrant(StageOutcome):
    """Leave to run a stage. ``ended``: it ended before, and the rest is what it recorded then: do not run it.

    ``execution``: what the fence counts this one as. ``over``: a run that was reset asks for a job that has ended."""

    ended: bool = False
    execution: int = 1
    over: bool = False


class VersionSummary(Frozen):
    """A version of an instruction without its text, for lists."""

    id: str
    instruction_id: str
    version: int
    title: str
    origin: VersionOrigin
    author: str
    validation_status: str
    model_profile_id: str | None = None
    created_at: datetime
    name: str | None = None


class SittingSummary(Frozen):
    """A sitting without its text, for lists."""

    sitting_id: str
    instruction_id: str
    base_version: int
    kept_at: datetime


class Sitting(SittingSummary):
    """What somebody has written at one desk since ``base_version``, beside the versions. ``blocks``: what is said of
    blocks beside their text."""

    markdown: str
    blocks: tuple[BlockMark, ...] = ()


class CallbackReceipt(Frozen):
    """``replayed``: the same event came before. ``latest_occurred_at`` is the newest of the job's callbacks.
    ``delivered``: nobody has to be told any more. ``ignored``: reported artifacts that would have replaced raw ones."""

    job: Job
    replayed: bool
    latest_occurred_at: datetime
    delivered: bool
    ignored: tuple[ArtifactKind, ...] = ()


UNEXPLAINED = Failure(
    failure_code="INTERNAL",
    failure_message="The job failed for a reason that was not recorded. Retry it.",
)
"""Stands where a job fails and nobody says why."""
