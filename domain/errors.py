"""The error taxonomy: one tree, every leaf with a stable ``code`` and a retry verdict.

An adapter translates what it met (a driver's, a codec's, a provider's exception) into one of these where it
met it. One activity interceptor maps the tree to Temporal, one API handler maps it to HTTP; nothing else
interprets exceptions.

Messages are shown to people and kept in histories: they never hold a transcript, a prompt, a secret, a path or a
stack, and they are capped at ``MESSAGE_LIMIT`` characters.
"""

import errno
from collections.abc import Mapping
from typing import ClassVar

MESSAGE_LIMIT = 500
"""Characters of an error message that are kept. A sentence or three; more is somebody's stack."""

STAGE_TIMED_OUT = "STAGE_TIMED_OUT"
"""No error of ours, but a silence: an execution of a stage that was not heard of again."""
WORKFLOW_LOST = "WORKFLOW_LOST"
"""Likewise: the workflow of a job ended, and did not say so."""


class GuidesmithError(Exception):
    """Root of the tree.

    Args:
        message: What happened and what the reader can do, safe to show.
        details: Structured facts for programs, safe to show.
        retry_after_s: Seconds a provider asked us to wait, when it did.
    """

    code: ClassVar[str] = "INTERNAL"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        details: Mapping[str, object] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        self.message = message[:MESSAGE_LIMIT]
        self.details: dict[str, object] = dict(details or {})
        self.retry_after_s = retry_after_s
        super().__init__(self.message)


# --- transitions -----------------------------------------------------------------------------------------------


class TransitionRefused(GuidesmithError):
    """A move that the job's table does not have.

    ``details`` holds ``current_status``, ``attempted_status`` and ``allowed_next_statuses``.
    """

    code = "FSM_TRANSITION_INVALID"


class TerminalImmutable(TransitionRefused):
    """A move out of a terminal status."""

    code = "FSM_TERMINAL_IMMUTABLE"


class Fenced(GuidesmithError):
    """A write by an attempt, a dispatch or a stage execution that a newer one has overtaken. It had no effect."""

    code = "FENCED"


class DispatchUnrecorded(GuidesmithError):
    """A run writes before the dispatch of its attempt is recorded: whoever started it is about to."""

    code = "DISPATCH_UNRECORDED"
    retryable = True


class VersionConflict(GuidesmithError):
    """An optimistic write against a version that is no longer current."""

    code = "VERSION_CONFLICT"


class JobVersionConflict(VersionConflict):
    """A decision about a job that has moved on since. ``details``: ``base_version``, ``current_version``."""

    code = "JOB_VERSION_CONFLICT"


# --- requests --------------------------------------------------------------------------------------------------


class NotFound(GuidesmithError):
    """Absent, or not the caller's: the two are told apart nowhere, so there is one wording."""

    code = "RESOURCE_NOT_FOUND"

    def __init__(self, message: str = "There is no such resource, or it is not yours.") -> None:
        super().__init__(message)


class RequestInvalid(GuidesmithError):
    """A request whose shape or values are wrong.

    Args:
        field: Which one, by its name in the request (``addressing.block_id``); empty where it is none alone.
    """

    code = "VALIDATION_ERROR"

    def __init__(self, message: str, *, field: str = "", details: Mapping[str, object] | None = None) -> None:
        super().__init__(message, details=details)
        self.field = field


class UploadInvalid(GuidesmithError):
    """The uploaded object is absent, or is not what was declared. ``details.mismatch`` lists what is wrong."""

    code = "UPLOAD_INVALID"


class UploadSealed(GuidesmithError):
    """The upload is being confirmed, and nothing may change it meanwhile."""

    code = "UPLOAD_SEALED"


class UploadExpired(GuidesmithError):
    """The upload's address has expired; a new one can be had."""

    code = "UPLOAD_EXPIRED"


class VideoUriConflict(GuidesmithError):
    """The job already has another recording."""

    code = "VIDEO_URI_CONFLICT"


class CorrectionConflict(GuidesmithError):
    """Somebody corrected the segment since it was read."""

    code = "CORRECTION_CONFLICT"


class TranscriptNotReady(GuidesmithError):
    """The job has no transcript yet."""

    code = "TRANSCRIPT_NOT_READY"


class RetryNotAllowed(GuidesmithError):
    """Retry of a job that has not failed."""

    code = "RETRY_NOT_ALLOWED_STATE"


class JobAlreadyRunning(GuidesmithError):
    """Retry of a job whose workflow is alive."""

    code = "JOB_ALREADY_RUNNING"


class RegenerateInProgress(GuidesmithError):
    """A second regeneration of one instruction. ``details`` holds the active ``task_id``."""

    code = "REGENERATE_IN_PROGRESS"


class ExportRequestInvalid(GuidesmithError):
    """An export of an unknown format or version."""

    code = "EXPORT_REQUEST_INVALID"


class JobForbidden(NotFound):
    """Somebody else's job, where a kind's own rule refuses it. The API answers as to what is absent."""

    code = "JOB_FORBIDDEN"


class PromptRefused(GuidesmithError):
    """A prompt that is empty, too long, or asks for what is not made here. No job was made."""

    code = "PROMPT_REFUSED"


class QuotaExceeded(GuidesmithError):
    """More of something than a user may ask for in a day. ``retry_after_s`` says when there is room again."""

    code = "QUOTA_EXCEEDED"


class InsufficientCredits(GuidesmithError):
    """The user has less than it costs. ``details``: ``balance`` (what is available), ``cost``. Nothing changed."""

    code = "INSUFFICIENT_CREDITS"


class PostingRefused(GuidesmithError):
    """The ledger would take or give something twice. The transition that asked for it did not happen."""

    code = "POSTING_REFUSED"


class IdempotencyConflict(GuidesmithError):
    """The same idempotency key with another request."""

    code = "IDEMPOTENCY_KEY_CONFLICT"


class EventPayloadMismatch(IdempotencyConflict):
    """A callback's event id came before with another payload. ``details`` holds ``event_id``."""

    code = "EVENT_ID_PAYLOAD_MISMATCH"


class CallbackOutOfOrder(GuidesmithError):
    """A callback that occurred before one that was applied, or before the current attempt.

    ``details`` holds ``latest_applied_occurred_at``, ``current_status`` and ``attempted_status``.
    """

    code = "CALLBACK_OUT_OF_ORDER"


class StaleDispatch(GuidesmithError):
    """A callback for a run that another has overtaken."""

    code = "STALE_DISPATCH"


class EngineUnavailable(GuidesmithError):
    """Temporal cannot be reached. Nothing changed."""

    code = "ENGINE_UNAVAILABLE"
    retryable = True


class EngineForeign(GuidesmithError):
    """The Temporal that was asked is not the one that the jobs run in. Nothing changed."""

    code = "ENGINE_FOREIGN"


class DispatchFailed(GuidesmithError):
    """Temporal was reached and refused the start. Nothing changed."""

    code = "ORCHESTRATOR_DISPATCH_FAILED"


# --- the recording ---------------------------------------------------------------------------------------------


class MediaError(GuidesmithError):
    """The recording cannot be worked with, and trying again will not help."""

    code = "MEDIA_INVALID"


def needs_another_recording(code: str) -> bool:
    """Whether a job that failed with ``code`` fails again, whatever is retried: only another recording helps."""
    kinds: tuple[type[GuidesmithError], ...] = (MediaError, *MediaError.__subclasses__(), RecordingLost)
    return code in {each.code for each in kinds}


class MediaEmpty(MediaError):
    """Zero bytes."""

    code = "MEDIA_EMPTY"


class MediaNotRecognised(MediaError):
    """Not a media container: text, a document, random bytes."""

    code = "MEDIA_NOT_RECOGNISED"


class MediaTruncated(MediaError):
    """A container whose index or tail is missing, so that it cannot be played."""

    code = "MEDIA_TRUNCATED"


class MediaCodecUnsupported(MediaError):
    """The container opens, but no decoder is at hand for what is inside."""

    code = "MEDIA_CODEC_UNSUPPORTED"


class MediaHasNoContent(MediaError):
    """Neither a video picture nor a second of sound."""

    code = "MEDIA_NO_CONTENT"


class MediaTooLong(MediaError):
    """Longer or larger than the settings allow."""

    code = "MEDIA_TOO_LONG"


class MediaTooLarge(MediaError):
    """Decoding it takes more memory or computing time than a recording may have, on whichever worker."""

    code = "MEDIA_TOO_LARGE"


class DecodingDied(GuidesmithError):
    """The process that decodes a recording was killed, crashed or overran. Once, that may be the machine's fault."""

    code = "DECODING_DIED"
    retryable = True


class WorkerExhausted(GuidesmithError):
    """The machine lacks what the work takes: memory, room on its disk, open files. Nothing is said about the input."""

    code = "WORKER_EXHAUSTED"
    retryable = True


_LACKING: Mapping[int, str] = {
    errno.ENOMEM: "memory",
    errno.ENOSPC: "room on its disk",
    errno.EDQUOT: "room on its disk",
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
}


def exhausted_by(fault: BaseException) -> WorkerExhausted | None:
    """What an operating system's or a library's error says of the machine, where that is at its end."""
    number = errno.ENOMEM if isinstance(fault, MemoryError) else getattr(fault, "errno", None)
    lacking = _LACKING.get(number) if isinstance(number, int) else None
    if lacking is None:
        return None
    return WorkerExhausted(f"The worker is short of {lacking}; the work is tried again, elsewhere if it can be.")


class SpeechLanguageUnsupported(GuidesmithError):
    """The speech model does not know the recording's language. The message names the setting to change."""

    code = "SPEECH_LANGUAGE_UNSUPPORTED"


class SpeechModelUnavailable(GuidesmithError):
    """The configured speech model cannot be loaded."""

    code = "SPEECH_MODEL_UNAVAILABLE"


class ScreenNotReady(GuidesmithError):
    """What was read off the recording's screen is asked for, and there is nothing (yet)."""

    code = "SCREEN_NOT_READY"


class ScreenReaderUnavailable(GuidesmithError):
    """The weights that read text on the screen are not there, or not the ones that were measured."""

    code = "SCREEN_READER_UNAVAILABLE"


# --- storage ---------------------------------------------------------------------------------------------------


class ArtifactMissing(GuidesmithError):
    """An object that a row refers to is not in the store."""

    code = "ARTIFACT_MISSING"


class RecordingLost(ArtifactMissing):
    """The recording that a job was made from is not in the store any more. No retry brings it back."""

    code = "RECORDING_LOST"


class ArtifactCorrupt(GuidesmithError):
    """An object whose bytes do not have the recorded hash."""

    code = "ARTIFACT_CORRUPT"


class ArtifactKeyInvalid(GuidesmithError):
    """A key or an artifact URI that no object of the store can have."""

    code = "ARTIFACT_KEY_INVALID"


class ArtifactTooLarge(GuidesmithError):
    """An object that would have to be held in memory and is larger than the reader allows."""

    code = "ARTIFACT_TOO_LARGE"


class ArtifactStoreUnavailable(GuidesmithError):
    """The object store answered with a fault of its own, or not at all."""

    code = "ARTIFACT_STORE_UNAVAILABLE"
    retryable = True


class DatabaseUnavailable(GuidesmithError):
    """The database cannot be reached, or dropped the connection."""

    code = "DATABASE_UNAVAILABLE"
    retryable = True


class PayloadTooLarge(GuidesmithError):
    """A value that Temporal would refuse to carry."""

    code = "PAYLOAD_TOO_LARGE"


# --- providers -------------------------------------------------------------------------------------------------


class ProviderError(GuidesmithError):
    """A model or speech provider did not do what was asked."""

    code = "PROVIDER_ERROR"


class ProviderUnavailable(ProviderError):
    """5xx, a refused or broken connection."""

    code = "PROVIDER_UNAVAILABLE"
    retryable = True


class ProviderTimeout(ProviderError):
    """No answer in time."""

    code = "PROVIDER_TIMEOUT"
    retryable = True


class ProviderRateLimited(ProviderError):
    """429. ``retry_after_s`` carries what the provider asked for."""

    code = "PROVIDER_RATE_LIMITED"
    retryable = True


class ProviderAnswerInvalid(ProviderError):
    """An answer that cannot be read: cut JSON, a missing field. Providers do this once and are right again."""

    code = "PROVIDER_ANSWER_INVALID"
    retryable = True


class ProviderAccessDenied(ProviderError):
    """401 or 403: the key or its permission is wrong."""

    code = "PROVIDER_ACCESS_DENIED"


class ProviderRequestTooLarge(ProviderError):
    """413: what was sent is more than the provider takes."""

    code = "PROVIDER_REQUEST_TOO_LARGE"


class ProviderRequestRefused(ProviderError):
    """Any other 4xx: the configuration (model name, endpoint, schema) does not fit the provider."""

    code = "PROVIDER_REQUEST_REFUSED"


class ProviderOutputExpired(ProviderError):
    """What a provider made is not at its address any more: 403, 404 or 410. It has to be made again."""

    code = "PROVIDER_OUTPUT_EXPIRED"


class VoiceUnavailable(GuidesmithError):
    """No voice of that name, or none at all, is on the machine that was to speak."""

    code = "VOICE_UNAVAILABLE"


class SpeakingFailed(GuidesmithError):
    """The voice on this machine made no sound of a text, or took too long."""

    code = "SPEAKING_FAILED"


class ContentRejected(ProviderError):
    """Moderation, or a provider's own safety filter, does not let this be made. Trying again will not help."""

    code = "CONTENT_REJECTED"


class ProviderNotConfigured(ProviderError):
    """Something is asked for that needs a provider, and the settings name none. There is no job."""

    code = "PROVIDER_NOT_CONFIGURED"


class ProviderSilent(ProviderError):
    """A provider did not say what became of its work by the deadline, nor when it was asked."""

    code = "PROVIDER_SILENT"


class PageUnreadable(GuidesmithError):
    """A web page that is not there, is no page, or holds no text that a reader would look for."""

    code = "PAGE_UNREADABLE"


class RobotsDisallowed(GuidesmithError):
    """A site whose robots.txt does not let the page be fetched."""

    code = "ROBOTS_DISALLOWED"


class AddressRefused(GuidesmithError):
    """A URL that a user gave and that is not spoken with: another scheme, a private network, this machine."""

    code = "ADDRESS_REFUSED"


class WebhookUndelivered(GuidesmithError):
    """A user's webhook endpoint did not take a delivery. It is sent again for a day."""

    code = "WEBHOOK_UNDELIVERED"
    retryable = True


class WebhookEndpointGone(GuidesmithError):
    """A user's webhook endpoint answered 410: the delivery is not sent again by itself."""

    code = "WEBHOOK_ENDPOINT_GONE"


class ModelNotAllowed(ProviderError):
    """A model profile that the settings do not list."""

    code = "MODEL_NOT_ALLOWED"


# --- drafting and publishing -----------------------------------------------------------------------------------


class DraftInvalid(GuidesmithError):
    """A draft that cites what does not exist, or nothing at all. It is never stored."""

    code = "DRAFT_INVALID"


class DocumentInvalid(GuidesmithError):
    """A document whose structure cannot be saved or exported."""

    code = "DOCUMENT_INVALID"


class ExportFailed(GuidesmithError):
    """The document could not be typeset."""

    code = "EXPORT_FAILED"


class PictureUnusable(GuidesmithError):
    """A picture that is in the books, and cannot be read to be worked on. Nothing changed."""

    code = "PICTURE_UNUSABLE"


class ExternalStageFailed(GuidesmithError):
    """A runner outside reported that its stage failed, and gave no code of its own."""

    code = "EXTERNAL_STAGE_FAILED"


class BatchItemsFailed(GuidesmithError):
    """Items of a batch could not be done; what the others made stands."""

    code = "BATCH_ITEMS_FAILED"


class StageDeadlineExceeded(GuidesmithError):
    """A runner outside did not report in time."""

    code = "STAGE_DEADLINE_EXCEEDED"


class ExternalArtifactUnreachable(GuidesmithError):
    """What a runner reported does not lie in our own artifact store, or was not reported at all, and is needed."""

    code = "EXTERNAL_ARTIFACT_UNREACHABLE"


class ExternalArtifactInvalid(GuidesmithError):
    """What a runner left is not what its stage has to leave: no sound, no transcript, a draft that cites nothing."""

    code = "EXTERNAL_ARTIFACT_INVALID"


# --- analyses --------------------------------------------------------------------------------------------------


class TableInvalid(GuidesmithError):
    """An input of an analysis that cannot be read as a table, and trying again will not help."""

    code = "TABLE_INVALID"


class TableNotRecognised(TableInvalid):
    """Neither CSV nor Parquet nor a workbook, whatever its name says."""

    code = "TABLE_NOT_RECOGNISED"


class TableTooLarge(TableInvalid):
    """More bytes, rows, columns or memory than the settings allow."""

    code = "TABLE_TOO_LARGE"


class PlanInvalid(GuidesmithError):
    """A plan that its tables cannot bear. ``details`` holds ``issues``, each with a code, a path and a message."""

    code = "PLAN_INVALID"


class DraftNotReady(GuidesmithError):
    """An analysis has no plan yet, or none for what is asked now."""

    code = "DRAFT_NOT_READY"


class PlanningSuperseded(GuidesmithError):
    """What a plan was being drafted for has changed."""

    code = "PLANNING_SUPERSEDED"


class OpenQuestions(GuidesmithError):
    """A plan with blocking questions or unknowns. ``details`` holds their ids as ``open``."""

    code = "OPEN_QUESTIONS"


class PlanConflict(GuidesmithError):
    """Another plan is already frozen for this analysis."""

    code = "PLAN_CONFLICT"


class AnalysisFailed(GuidesmithError):
    """A step cannot be computed from this data. ``details`` holds the ``step``."""

    code = "ANALYSIS_FAILED"


class AnalysisLimitExceeded(AnalysisFailed):
    """A step met a limit of time, memory or rows."""

    code = "ANALYSIS_LIMIT_EXCEEDED"


# --- the work itself -------------------------------------------------------------------------------------------


class CheckpointLost(GuidesmithError):
    """A checkpoint's artifact no longer verifies, and the job has to fall back to an earlier one."""

    code = "CHECKPOINT_LOST"


class Cancelled(GuidesmithError):
    """The work was stopped on request. Not a failure: it has no message of its own to show."""

    code = "CANCELLED"


class WorkerShuttingDown(GuidesmithError):
    """The worker was asked to stop; the work goes on elsewhere."""

    code = "WORKER_SHUTDOWN"
    retryable = True


class SettingsInvalid(GuidesmithError):
    """The settings contradict themselves or name something that is not there."""

    code = "SETTINGS_INVALID"
