"""How long a stage may be at work without a sign of progress, before somebody should look at it.

A beating heart is no sign of work: a stage may stand still while its worker says that it lives. Nothing is ended for
it; it is told: by the job, in the stage's heartbeats (Temporal's UI shows the last one), by a metric, by the doctor.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from domain.jobs import Frozen
from domain.lifecycles import analysis, batch, generation, image, instruction
from domain.lifecycles.kinds import WORKING_ON

LONGEST: Mapping[str, Mapping[StrEnum, timedelta]] = {
    instruction.INSTRUCTION.kind: {
        instruction.AUDIO_EXTRACTING: timedelta(minutes=30),
        instruction.TRANSCRIBING: timedelta(hours=2),
        instruction.GENERATING: timedelta(hours=1),
        instruction.REGENERATING: timedelta(hours=1),
        instruction.EXPORTING: timedelta(hours=1),
    },
    image.IMAGE.kind: {image.RUNNING: timedelta(hours=1)},
    generation.GENERATION.kind: {generation.PROCESSING: timedelta(hours=2)},
    analysis.ANALYSIS.kind: {analysis.RUNNING: timedelta(hours=1)},
    batch.BATCH.kind: {batch.PROCESSING: timedelta(hours=1)},
}
"""By kind and status. Guesses on the safe side, for the twelve hours of the longest recording: where speech is
recognised as fast as it is spoken, a step of 2 % of the job takes half an hour, and the screen is read beside it
without steps of its own. Statuses in which a job waits for people or for its turn are not among them."""

SHORTEST = min(longest for each in LONGEST.values() for longest in each.values())


class Standstill(Frozen):
    """A job in a stage that shows no progress since then."""

    job_id: str
    kind: str
    stage: str
    since: datetime


def longest_of(kind: str, status: str) -> timedelta | None:
    """How long a stage at work in ``status`` may show no progress; ``None``: no stage works there."""
    return next((longest for each, longest in LONGEST.get(kind, {}).items() if each == status), None)


def standstill(
    job_id: str, kind: str, status: str, since: datetime, now: datetime, external: Collection[str]
) -> Standstill | None:
    """``None``: the stage is within its time, or none of ours.

    Args:
        since: When the job's row last changed: each step of progress changes it.
        external: Names of the stages that a runner does outside. They have a deadline of their own.
    """
    longest = longest_of(kind, status)
    if longest is None or now - since <= longest:
        return None
    stage = next(stage for each, stage in WORKING_ON[kind].items() if each == status)
    return None if stage in external else Standstill(job_id=job_id, kind=kind, stage=stage, since=since)
