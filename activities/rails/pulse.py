"""Signs of life: a background ticker that heartbeats for an activity, and tells it when to stop.

Temporal learns that a worker died from missing heartbeats, and a worker learns that an activity was cancelled from
the answer to one. The ticker does both while the activity computes; nothing is sent for an activity shorter than a
beat.
"""

import contextvars
import threading
from types import TracebackType
from typing import Self

from temporalio import activity

from domain.errors import Cancelled, DecodingDied, MediaTooLarge, WorkerShuttingDown

BEATS_PER_TIMEOUT = 5
"""Five chances before the server gives up on us; a lost one or a busy interpreter is no death."""


DIED = "decoding_died"
"""How often a process that decodes has died in this activity, as the heartbeats carry it to the next execution."""
MOST_DEATHS = 1


class Pulse:
    """Heartbeats from a thread of its own, from entry to exit.

    A decoder that dies is told once as it is, so that another worker tries; the second time the recording is to blame.

    Args:
        timeout_s: The activity's heartbeat timeout; a beat is a fifth of it.
    """

    def __init__(self, timeout_s: float) -> None:
        self._noted: dict[str, int | float | str] = {}
        self._interval_s = beat_interval(timeout_s)
        self._deaths = _earlier_deaths()
        self._details: tuple[object, ...] = self._carried({})
        self._ended = threading.Event()
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._tick,), name="pulse", daemon=True)

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
            self._details = self._carried(self._noted)
        if error is not None and not activity.is_cancelled():
            self._beat()  # so that the next execution finds the latest resume point

    def note(self, **details: int | float | str) -> None:
        """What the next beat carries: where the work stands, for the next execution and for operators."""
        self._noted = details
        self._details = self._carried(details)

    def _carried(self, details: dict[str, int | float | str]) -> tuple[object, ...]:
        whole = {**details, DIED: self._deaths} if self._deaths else details
        return (whole,) if whole else ()

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
        activity.heartbeat(*self._details)


def _earlier_deaths() -> int:
    """What the execution before this one said in its last heartbeat."""
    said = activity.info().heartbeat_details
    count = said[0].get(DIED, 0) if said and isinstance(said[0], dict) else 0
    return count if isinstance(count, int) else 0


def beat_interval(timeout_s: float) -> float:
    """Seconds between beats for a heartbeat timeout of ``timeout_s`` seconds."""
    return timeout_s / BEATS_PER_TIMEOUT
