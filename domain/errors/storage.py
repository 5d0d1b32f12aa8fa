"""What the artifact store or the database says."""

from domain.errors.base import GuidesmithError


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


class PayloadUnreadable(GuidesmithError):
    """A value that Temporal carries encrypted, and that this process has no key for, or that was changed on its way."""

    code = "PAYLOAD_UNREADABLE"
    retryable = True


class PayloadTooLarge(GuidesmithError):
    """A value that Temporal would refuse to carry."""

    code = "PAYLOAD_TOO_LARGE"
