"""Facts that every log line of one piece of work carries: a request's, a stage's.

Whoever begins the work opens :func:`gathering`; whoever learns something on the way (the store, which job it is)
says :func:`note`. The facts are shared with the threads that the work goes through, so that a line which is written
at its end, in another thread, knows them too.
"""

import traceback
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import structlog

from domain.errors import GuidesmithError, TransitionRefused

OURS = ("activities", "domain", "workflows", "starter")
"""The packages whose lines say where something went wrong; below them, a library's do."""

DENIED = "job.transition_denied"

_FACTS: ContextVar[dict[str, object] | None] = ContextVar("guidesmith_log_facts", default=None)


@contextmanager
def gathering(**facts: object) -> Iterator[None]:
    """Within the block, and in threads that take its context along, every line carries what is noted."""
    token = _FACTS.set({**(_FACTS.get() or {}), **facts})
    try:
        yield
    finally:
        _FACTS.reset(token)


def note(**facts: object) -> None:
    """From here on every line of this work carries ``facts``. Outside of :func:`gathering` nothing happens."""
    gathered = _FACTS.get()
    if gathered is not None:
        gathered.update(facts)


def with_noted(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor: what was noted, where the line does not say it itself."""
    for name, value in (_FACTS.get() or {}).items():
        event.setdefault(name, value)
    return event


def note_denied(error: GuidesmithError) -> None:
    """A move that a job's table does not have, said once where it leaves the work that asked for it. It changed
    nothing."""
    if not isinstance(error, TransitionRefused) or "attempted_status" not in error.details:
        return
    structlog.get_logger("guidesmith.jobs").warning(
        DENIED,
        code=error.code,
        from_status=error.details.get("current_status"),
        to_status=error.details["attempted_status"],
    )


def place_of(fault: BaseException) -> str:
    """``module:line`` of our own code that ``fault`` came through last; of any code, where none was ours."""
    places = [
        (str(frame.f_globals.get("__name__", "?")), line) for frame, line in traceback.walk_tb(fault.__traceback__)
    ]
    ours = [place for place in places if place[0].partition(".")[0] in OURS]
    module, line = (ours or places or [("?", 0)])[-1]
    return f"{module}:{line}"
