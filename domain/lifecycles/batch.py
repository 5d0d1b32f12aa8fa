"""The ``batch`` lifecycle: many items, progress, partial success."""

from enum import StrEnum
from typing import NamedTuple

from domain.errors import RequestInvalid
from domain.lifecycles.lifecycle import Lifecycle, Trigger, rows

API, WORKER = Trigger.API, Trigger.WORKER


class BatchType(StrEnum):
    """What is made of each recording."""

    CLIPS = "clips"
    THUMBNAILS = "thumbnails"
    CAPTIONS = "captions"


class BatchStatus(StrEnum):
    """Statuses in order."""

    QUEUED = "queued"
    PROCESSING = "processing"
    COMPLETED = "completed"
    PARTIAL = "partial"
    FAILED = "failed"


QUEUED = BatchStatus.QUEUED
PROCESSING = BatchStatus.PROCESSING
COMPLETED = BatchStatus.COMPLETED
PARTIAL = BatchStatus.PARTIAL
FAILED = BatchStatus.FAILED

BATCH = Lifecycle(
    kind="batch",
    statuses=BatchStatus,
    terminals=frozenset({COMPLETED, PARTIAL, FAILED}),
    failures=frozenset({PARTIAL, FAILED}),
    partial=PARTIAL,
    stopped=FAILED,
    runner=WORKER,
    transitions=Lifecycle.of(
        rows(None, QUEUED, API, "the job is made"),
        rows(QUEUED, PROCESSING, (WORKER, API), "the first items are worked on, or its owner stops it before one is"),
        rows(PROCESSING, PROCESSING, WORKER, "progress"),
        rows(PROCESSING, COMPLETED, WORKER, "every item succeeded"),
        rows(PROCESSING, PARTIAL, WORKER, "some items succeeded; some failed, or were not done when it was stopped"),
        rows(PROCESSING, FAILED, (WORKER, API), "no item succeeded, or its owner stopped it before one did"),
    ),
)


def outcome(assets: int, failures: int) -> BatchStatus:
    """How a batch ends that made ``assets`` and in which ``failures`` items failed."""
    if assets == 0:
        return FAILED
    return PARTIAL if failures else COMPLETED


def progress_at_end(status: BatchStatus, progress: int) -> int:
    """A terminal status's progress (0 to 100), where ``progress`` was reached before: kept on failure, else whole."""
    return progress if status is FAILED else 100


class ProgressRuling(NamedTuple):
    """What becomes of a progress report. ``warning`` says why it was ignored, for the log; ``None``: it was taken."""

    progress: int
    warning: str | None = None


def judge_progress(status: BatchStatus, progress: int, reported: int) -> ProgressRuling:
    """The progress after ``reported`` arrives: never lower than it was.

    Raises:
        RequestInvalid: ``reported`` is not from 0 to 100.
    """
    if not 0 <= reported <= 100:
        raise RequestInvalid("Progress is from 0 to 100.")
    if status is not PROCESSING:
        return ProgressRuling(progress, f"progress of a batch that is {status} was ignored")
    return ProgressRuling(max(progress, reported))
