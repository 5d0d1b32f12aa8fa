"""What a request is refused for."""

from collections.abc import Mapping

from domain.errors.base import GuidesmithError


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


class RecordingInUse(GuidesmithError):
    """A run of the job reads its recording, or waits for it; or a batch does, or a picture that was asked for."""

    code = "RECORDING_IN_USE"


class GuideInUse(GuidesmithError):
    """Something works for the guide: it cannot be thrown away meanwhile."""

    code = "GUIDE_IN_USE"


class ColoursUnreadable(GuidesmithError):
    """Text of one colour on the other could not be read. ``details`` has their ``contrast`` and what is ``needed``."""

    code = "COLOURS_UNREADABLE"


class GuideUnwritten(GuidesmithError):
    """The guide has no document yet."""

    code = "GUIDE_UNWRITTEN"


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


class TranslationUnavailable(GuidesmithError):
    """No language model is set up, and nothing else translates."""

    code = "TRANSLATION_UNAVAILABLE"


class TranslationExists(GuidesmithError):
    """The guide has been translated into that language. ``details`` holds the translation's ``instruction_id``."""

    code = "TRANSLATION_EXISTS"


class TranslationInProgress(GuidesmithError):
    """A guide is translated into a language once at a time. ``details`` holds the active ``task_id``."""

    code = "TRANSLATION_IN_PROGRESS"


class TranslationMismatch(GuidesmithError):
    """Asked of a translation what only originals have, or of an original what only translations have."""

    code = "TRANSLATION_MISMATCH"


class ExportRequestInvalid(GuidesmithError):
    """An export of an unknown format or version."""

    code = "EXPORT_REQUEST_INVALID"


class ProjectInUse(GuidesmithError):
    """The project cannot be handed over while work goes on in it: credits are held for it."""

    code = "PROJECT_IN_USE"


class OwnerCannotLeave(GuidesmithError):
    """A project has an owner. Who is that hands it over first."""

    code = "OWNER_CANNOT_LEAVE"


class InvitationForAnother(GuidesmithError):
    """The invitation is for an address that is not the caller's, as far as the identity provider has verified it."""

    code = "INVITATION_FOR_ANOTHER"


class PromptRefused(GuidesmithError):
    """A prompt that is empty, too long, or asks for what is not made here. No job was made."""

    code = "PROMPT_REFUSED"


class QuotaExceeded(GuidesmithError):
    """More of something than a user may have at once, or ask for in a day. ``retry_after_s``: when there is room."""

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
