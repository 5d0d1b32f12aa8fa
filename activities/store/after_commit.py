"""Log lines of what a transaction did: written once it is committed, and not at all where it was rolled back.

So a line stands for an effect, and each effect has one: whoever repeats a request or a write finds it done, changes
nothing, and says nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import local
from typing import Any

import structlog

from domain.credits import SETTLES, Charge, PostingKind
from domain.lifecycles.lifecycle import Lifecycle

CREATED, MOVED, COMPLETED, FAILED = "job.created", "job.transition", "job.completed", "job.failed"
"""Names that people search and count by: they stay. What was refused is ``activities.process.log_context.DENIED``."""

_GIVEN_BACK = frozenset(SETTLES) - {PostingKind.CAPTURE}

log = structlog.get_logger("guidesmith.jobs")

Line = tuple[str, dict[str, object]]


class _Here(local):
    """What the transaction of this thread has to say so far; ``None``: there is none."""

    lines: list[Line] | None = None


_here = _Here()


@contextmanager
def logged_after_commit() -> Iterator[None]:
    """Around a transaction, or around a part of one that may be undone by itself: what was said inside is dropped where
    the block raises."""
    outer, _here.lines = _here.lines, []
    try:
        yield
        said = _here.lines
    finally:
        _here.lines = outer
    if outer is not None:
        outer.extend(said)
        return
    for event, facts in said:
        log.info(event, **facts)


def _say(event: str, **facts: object) -> None:
    if _here.lines is not None:
        _here.lines.append((event, facts))


def say_created(job: Mapping[str, Any], job_type: str | None) -> None:
    """``job_type``: what the kind makes, of a kind that makes several things."""
    _say(CREATED, job_id=job["id"], kind=job["kind"], type=job_type or job["kind"], cost=job["cost"])


def say_moved(
    lifecycle: Lifecycle[Any],
    job: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    charges: Sequence[Charge],
    output: Mapping[str, object] | None = None,
) -> None:
    """What rows of a job's log say of its status.

    Args:
        job: The row as they leave it.
        charges: What was posted with them.
        output: How much the job made, where they complete it.
    """
    back = sum(each.amount for each in charges if each.kind in _GIVEN_BACK)
    for event in events:
        if event["new_status"] is None or event["new_status"] == event["prev_status"]:
            continue
        facts = {"job_id": job["id"], "kind": job["kind"], "attempt": event["attempt"]}
        _say(MOVED, **facts, from_status=event["prev_status"], to_status=event["new_status"])
        status = lifecycle.status(event["new_status"])
        if not lifecycle.is_terminal(status) or status == lifecycle.cancelled:
            continue
        if status in lifecycle.failures:
            _say(FAILED, **facts, error=event["data"].get("failure_code"), refund=back)
        else:
            _say(COMPLETED, **facts, **(output or {}))
