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

from domain.errors import Cancelled, WorkerShuttingDown

BEATS_PER_TIMEOUT = 5
"""Five chances before the server gives up on us; a lost one or a busy interpreter is no death."""


class Pulse:
    """Heartbeats from a thread of its own, from entry to exit.

    Args:
        timeout_s: The activity's heartbeat timeout; a beat is a fifth of it.
    """

    def __init__(self, timeout_s: float) -> None:
        self._interval_s = beat_interval(timeout_s)
        self._details: tuple[object, ...] = ()
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
        if error is not None and not activity.is_cancelled():
            self._beat()  # so that the next execution finds the latest resume point

    def note(self, **details: int | float | str) -> None:
        """What the next beat carries: where the work stands, for the next execution and for operators."""
        self._details = (details,)

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


def beat_interval(timeout_s: float) -> float:
    """Seconds between beats for a heartbeat timeout of ``timeout_s`` seconds."""
    return timeout_s / BEATS_PER_TIMEOUT
