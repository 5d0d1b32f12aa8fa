"""How far a job is, 0 to 100, from which stage it is in and how far that stage is."""

from collections.abc import Mapping
from enum import StrEnum

from domain.jobs import StageName

WHOLE = (0, 100)
"""A stage that is all there is to its job."""

SPAN: Mapping[StageName, tuple[int, int]] = {
    StageName.AUDIO: (0, 15),
    StageName.TRANSCRIPTION: (15, 70),
    StageName.DRAFT: (70, 75),
    StageName.ILLUSTRATION: (75, 100),
}
"""The share of each stage, from the time each takes on a recording of a few minutes on two cores."""


def job_progress(stage: StageName, fraction: float) -> int:
    """The job's progress when ``stage`` is done by ``fraction`` (0 to 1; beyond is clipped)."""
    return progress_within(SPAN[stage], fraction)


def span_of(stage: StrEnum) -> tuple[int, int]:
    """The share of a stage of any kind: its own where it has one here, else the whole job."""
    return SPAN[stage] if isinstance(stage, StageName) and stage in SPAN else WHOLE


def progress_within(span: tuple[int, int], fraction: float) -> int:
    """The job's progress when a stage with that share is done by ``fraction`` (0 to 1; beyond is clipped)."""
    start, end = span
    return start + int((end - start) * min(max(fraction, 0.0), 1.0))
