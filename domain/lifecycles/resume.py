"""Where a run starts: at the latest checkpoint whose artifact still verifies."""

from collections.abc import Mapping

from domain.artifacts import ArtifactKind
from domain.lifecycles.instruction import AUDIO_READY, DRAFT_READY, TRANSCRIPT_READY, UPLOADED, InstructionStatus

CHECKPOINT_ARTIFACT: Mapping[InstructionStatus, ArtifactKind] = {
    AUDIO_READY: ArtifactKind.AUDIO,
    TRANSCRIPT_READY: ArtifactKind.TRANSCRIPT,
    DRAFT_READY: ArtifactKind.DRAFT,
}
"""What each checkpoint of the instruction job has stored, in the order of the job."""


def starting_checkpoint(verified: Mapping[ArtifactKind, bool]) -> InstructionStatus:
    """The status at which a run may start.

    Args:
        verified: For each artifact kind whether the newest one exists and has the recorded checksum.

    Returns:
        The latest checkpoint whose artifact verifies (each stage needs only the checkpoint before it, so an older
        one that is lost does not matter), else UPLOADED.
    """
    verifying = [status for status, kind in CHECKPOINT_ARTIFACT.items() if verified.get(kind, False)]
    return verifying[-1] if verifying else UPLOADED
