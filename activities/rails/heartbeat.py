"""Signs of life: a background ticker that heartbeats for an activity, and tells it when to stop.

Temporal learns that a worker died from missing heartbeats, and a worker learns that an activity was cancelled from
the answer to one. The ticker does both while the activity computes; nothing is sent for an activity shorter than a
beat.
"""

import contextvars
import threading
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self

from temporalio import activity
from temporalio.exceptions import ApplicationError

from domain.errors import (
    STAGE_TIMED_OUT,
    Cancelled,
    DecodingDied,
    GuidesmithError,
    MediaTooLarge,
    WorkerShuttingDown,
    exhausted_by,
)

BEATS_PER_TIMEOUT = 5
"""Five chances before the server gives up on us; a lost one or a busy interpreter is no death."""


DIED = "decoding_died"
"""How often a process that decodes has died in this activity, as the heartbeats carry it to the next execution."""
MOST_DEATHS = 1

FAILED, FAILED_IN = "failure_code", "failed_in"
"""With which code, and in which execution, this activity failed last: its last heartbeat says so to the next."""

PROGRESS_AT, STANDS_STILL = "progress_at", "stands_still"
"""When the work last went on (RFC 3339), and that this is longer ago than is sensible: for whoever looks at the
activity in Temporal's UI. A beat alone says that the process lives."""


class Heartbeat:
    """Heartbeats from a thread of its own, from entry to exit.

    A decoder that dies is told once as it is, so that another worker tries; the second time the recording is to blame.

    Args:
        timeout_s: The activity's heartbeat timeout; a beat is a fifth of it.

    Attributes:
        longest: How long the work may show no progress; ``None``: nothing is said of it.
    """

    longest: timedelta | None = None

    def __init__(self, timeout_s: float) -> None:
        self._noted: dict[str, int | float | str] = {}
        self._interval_s = beat_interval(timeout_s)
        self._deaths = _earlier_deaths()
        self._failed: dict[str, int | str] = {}
        self._moved_at = datetime.now(UTC)
        self._ended = threading.Event()
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._tick,), name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        if isinstance(error, DecodingDied):
            if self._deaths >= MOST_DEATHS:
                raise MediaTooLarge(
                    "The recording is too large to decode: it takes more memory or computing time than a recording "
                    "may have. Convert it to mp4 with H.264 video of at most 4K, then send it again."
                ) from None
            self._deaths += 1
        if error is not None and not activity.is_cancelled():
            self._failed = {FAILED: _code_of(error), FAILED_IN: activity.info().attempt}
            self._beat()  # so that the next execution finds the latest resume point, and the reason

    def note(self, **details: int | float | str) -> None:
        """What the next beat carries: where the work stands, for the next execution and for operators."""
        if details != self._noted:
            self._moved_at = datetime.now(UTC)
        self._noted = details

    def _carried(self) -> dict[str, int | float | str]:
        stands_still = self.longest is not None and datetime.now(UTC) - self._moved_at > self.longest
        return {
            **self._noted,
            PROGRESS_AT: self._moved_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
            **({STANDS_STILL: True} if stands_still else {}),
            **({DIED: self._deaths} if self._deaths else {}),
            **self._failed,
        }

    def check(self) -> None:
        """Stop here if nobody waits for the result any more.

        Raises:
            Cancelled: The activity was cancelled, timed out, or is unknown to the server.
            WorkerShuttingDown: This worker is going down; another one should take over at once.
        """
        if activity.is_worker_shutdown():
            raise WorkerShuttingDown("The worker is shutting down; the work goes on elsewhere.")
        if activity.is_cancelled():
            raise Cancelled("The work was stopped on request.")

    def _tick(self) -> None:
        while not self._ended.wait(self._interval_s):
            self._beat()

    def _beat(self) -> None:
        activity.heartbeat(self._carried())


def why_again() -> str | None:
    """Why the execution before this one failed: its code, or ``STAGE_TIMED_OUT`` where it was not heard of again.
    ``None`` in the first."""
    info = activity.info()
    if info.attempt == 1:
        return None
    said = _said_before()
    code = said.get(FAILED) if said.get(FAILED_IN) == info.attempt - 1 else None
    return code if isinstance(code, str) else STAGE_TIMED_OUT


def _code_of(error: BaseException) -> str:
    known = error if isinstance(error, GuidesmithError) else exhausted_by(error)
    if known is None and isinstance(error, ApplicationError):
        return error.type or GuidesmithError.code
    return (known or GuidesmithError).code


def _said_before() -> dict[str, object]:
    """What the execution before this one said in its last heartbeat."""
    said = activity.info().heartbeat_details
    return said[0] if said and isinstance(said[0], dict) else {}


def _earlier_deaths() -> int:
    count = _said_before().get(DIED, 0)
    return count if isinstance(count, int) else 0


def beat_interval(timeout_s: float) -> float:
    """Seconds between beats for a heartbeat timeout of ``timeout_s`` seconds."""
    return timeout_s / BEATS_PER_TIMEOUT
