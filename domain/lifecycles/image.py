"""The ``image`` lifecycle: a prompt becomes a picture. Its retries, and what makes two requests the same."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

from domain.canonical import digest
from domain.errors import QuotaExceeded
from domain.lifecycles.lifecycle import Lifecycle, Trigger, rows

API, WORKER = Trigger.API, Trigger.WORKER

SUPERSEDE = "supersede"
"""The explicit action by which a newer request with the same key ends a job that waits for its next try."""

MAX_RETRIES = 3
"""Executions of one job before it is given up."""

BACKOFF_FIRST_S = 2.0
BACKOFF_LONGEST_S = 60.0


class ImageStatus(StrEnum):
    """``failed`` is transient: it leads back to ``queued``, or to ``dead_letter``."""

    QUEUED = "queued"
    RUNNING = "running"
    FAILED = "failed"
    COMPLETED = "completed"
    REJECTED = "rejected"
    DEAD_LETTER = "dead_letter"


QUEUED = ImageStatus.QUEUED
RUNNING = ImageStatus.RUNNING
FAILED = ImageStatus.FAILED
COMPLETED = ImageStatus.COMPLETED
REJECTED = ImageStatus.REJECTED
DEAD_LETTER = ImageStatus.DEAD_LETTER

IMAGE = Lifecycle(
    kind="image",
    statuses=ImageStatus,
    terminals=frozenset({COMPLETED, REJECTED, DEAD_LETTER}),
    failures=frozenset({FAILED, REJECTED, DEAD_LETTER}),
    runner=WORKER,
    transitions=Lifecycle.of(
        rows(None, QUEUED, API, "the guards passed; credits are reserved"),
        rows(QUEUED, RUNNING, WORKER, "a worker took it"),
        rows(QUEUED, REJECTED, WORKER, "moderation refused the prompt; the reservation is captured"),
        rows(RUNNING, COMPLETED, WORKER, "the picture is stored; the reservation is captured"),
        rows(RUNNING, FAILED, WORKER, "the provider timed out or failed; a retry is counted"),
        rows(FAILED, QUEUED, WORKER, "tried again after a pause"),
        rows(FAILED, DEAD_LETTER, WORKER, "the retries are spent; the reservation is released"),
        rows(
            FAILED, DEAD_LETTER, API, "a newer request takes its place; the reservation is released", action=SUPERSEDE
        ),
        rows(RUNNING, REJECTED, WORKER, "the safety filter refused it; the reservation is captured"),
    ),
)


def after_failure(retry_count: int, max_retries: int = MAX_RETRIES) -> ImageStatus:
    """Where a job in ``failed`` goes next.

    Args:
        retry_count: Executions that have failed, the last one included.
    """
    return QUEUED if retry_count < max_retries else DEAD_LETTER


def backoff_s(retry_count: int) -> float:
    """Seconds to wait before the next execution, once ``retry_count`` (from 1) have failed: 2, 4, 8, at most 60."""
    doublings = min(max(retry_count - 1, 0), 16)  # far beyond the longest pause, and no overflow
    return float(min(BACKOFF_FIRST_S * 2**doublings, BACKOFF_LONGEST_S))


def idempotency_key(owner: str, prompt: str, params: Mapping[str, object], at: datetime) -> str:
    """What two requests share that are one: the user, the prompt, the params and the minute (UTC).

    Raises:
        RequestInvalid: The params are not plain JSON.
    """
    minute = at.astimezone(UTC).replace(second=0, microsecond=0)
    return digest("image/1", owner, prompt, dict(params), minute.isoformat())


class Repeat(StrEnum):
    """What a request does that finds a job with its key."""

    RETURN = "return"
    """It is answered with that job."""
    SUPERSEDE = "supersede"
    """It ends that job (action ``SUPERSEDE``), which releases its reservation, and makes its own."""


def judge_repeat(status: ImageStatus) -> Repeat:
    """A live or finished job answers for a repeat; one in ``failed`` gives way."""
    return Repeat.SUPERSEDE if status is FAILED else Repeat.RETURN


def check_quota(made: int, quota: int, *, frees_in_s: float) -> None:
    """Whether a user may ask for one more picture.

    Args:
        made: The user's pictures of the last 24 hours.
        quota: How many they may ask for in that time.
        frees_in_s: Seconds until the oldest of them no longer counts.

    Raises:
        QuotaExceeded: No. ``retry_after_s`` says when.
    """
    if made >= quota:
        minutes = math.ceil(frees_in_s / 60)
        raise QuotaExceeded(
            f"You have asked for {made} pictures in 24 hours, of {quota} that you may. There is room for the next in "
            f"{minutes // 60} h {minutes % 60} min.",
            details={"quota": quota},
            retry_after_s=frees_in_s,
        )
