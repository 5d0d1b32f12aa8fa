"""Drafting, publishing, and what runners outside report."""

from domain.errors.base import GuidesmithError


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
