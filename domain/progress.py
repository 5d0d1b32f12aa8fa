"""How far a job is, 0 to 100, from which stage it is in and how far that stage is."""

from collections.abc import Mapping

from domain.jobs import StageName

SPAN: Mapping[StageName, tuple[int, int]] = {
    StageName.AUDIO: (0, 15),
    StageName.TRANSCRIPTION: (15, 70),
    StageName.DRAFT: (70, 75),
    StageName.ILLUSTRATION: (75, 100),
}
"""The share of each stage, from the time each takes on a recording of a few minutes on two cores."""


def job_progress(stage: StageName, fraction: float) -> int:
    """The job's progress when ``stage`` is done by ``fraction`` (0 to 1; beyond is clipped)."""
    start, end = SPAN[stage]
    return start + int((end - start) * min(max(fraction, 0.0), 1.0))
