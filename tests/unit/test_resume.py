"""Where a run starts."""

import pytest

from domain.artifacts import ArtifactKind
from domain.lifecycles.instruction import (
    AUDIO_READY,
    DRAFT_READY,
    RUNNABLE,
    TRANSCRIPT_READY,
    UPLOADED,
    InstructionStatus,
)
from domain.lifecycles.resume import CHECKPOINT_ARTIFACT, starting_checkpoint

AUDIO, TRANSCRIPT, DRAFT = ArtifactKind.AUDIO, ArtifactKind.TRANSCRIPT, ArtifactKind.DRAFT


@pytest.mark.parametrize(
    ("verifying", "start"),
    [
        (set(), UPLOADED),
        ({AUDIO}, AUDIO_READY),
        ({AUDIO, TRANSCRIPT}, TRANSCRIPT_READY),
        ({AUDIO, TRANSCRIPT, DRAFT}, DRAFT_READY),
        ({AUDIO, DRAFT}, DRAFT_READY),
        ({TRANSCRIPT}, TRANSCRIPT_READY),
    ],
)
def test_a_run_starts_at_the_latest_checkpoint_that_verifies(
    verifying: set[ArtifactKind], start: InstructionStatus
) -> None:
    assert starting_checkpoint({kind: kind in verifying for kind in CHECKPOINT_ARTIFACT.values()}) is start


def test_every_resume_point_is_a_status_that_run_may_begin_from() -> None:
    assert {UPLOADED, *CHECKPOINT_ARTIFACT} == RUNNABLE
