"""Log lines and counts of what a transaction did: once it is committed, and not at all where it was rolled back.

So a line stands for an effect, and each effect has one: whoever repeats a request or a write finds it done, changes
nothing, and says nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from threading import local
from typing import Any

import structlog

from activities.process import metrics
from domain.credits import SETTLES, Charge, PostingKind
from domain.lifecycles.lifecycle import Lifecycle

CREATED, MOVED, COMPLETED, FAILED = "job.created", "job.transition", "job.completed", "job.failed"
"""Names that people search and count by: they stay. What was refused is ``activities.process.log_context.DENIED``."""

_GIVEN_BACK = frozenset(SETTLES) - {PostingKind.CAPTURE}

log = structlog.get_logger("guidesmith.jobs")

Telling = Callable[[], object]


class _Here(local):
    """What the transaction of this thread has to say so far; ``None``: there is none."""

    lines: list[Telling] | None = None


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
    for tell in said:
        tell()


def after_commit(tell: Telling) -> None:
    """Call ``tell`` once this thread's transaction is committed."""
    if _here.lines is not None:
        _here.lines.append(tell)


def _say(event: str, **facts: object) -> None:
    after_commit(partial(log.info, event, **facts))


def say_created(job: Mapping[str, Any], job_type: str | None) -> None:
    """``job_type``: what the kind makes, of a kind that makes several things."""
    _say(CREATED, job_id=job["id"], kind=job["kind"], type=job_type or job["kind"], cost=job["cost"])


def say_moved(
    lifecycle: Lifecycle[Any],
    job: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    charges: Sequence[Charge],
    since: datetime | None,
    output: Mapping[str, object] | None = None,
) -> None:
    """What rows of a job's log say of its status.

    Args:
        job: The row as they leave it.
        charges: What was posted with them.
        since: When the job came into the status that the first of them leaves; ``None``: its log does not say.
        output: How much the job made, where they complete it.
    """
    back = sum(each.amount for each in charges if each.kind in _GIVEN_BACK)
    for event in events:
        if event["new_status"] is None or event["new_status"] == event["prev_status"]:
            continue
        facts = {"job_id": job["id"], "kind": job["kind"], "attempt": event["attempt"]}
        _say(MOVED, **facts, from_status=event["prev_status"], to_status=event["new_status"])
        move = metrics.MOVES.labels(job["kind"], event["prev_status"] or "", event["new_status"])
        after_commit(move.inc)
        if since is not None:
            lasted = max(0.0, (event["recorded_at"] - since).total_seconds())  # clocks of two machines
            after_commit(partial(metrics.STATUS_SECONDS.labels(job["kind"], event["prev_status"]).observe, lasted))
        since = event["recorded_at"]
        status = lifecycle.status(event["new_status"])
        if not lifecycle.is_terminal(status):
            continue
        code = event["data"].get("failure_code") if status in lifecycle.failures else None
        after_commit(metrics.ENDED.labels(job["kind"], status, code or "").inc)
        took = (event["recorded_at"] - job["created_at"]).total_seconds()
        after_commit(partial(metrics.JOB_SECONDS.labels(job["kind"], status).observe, took))
        if status == lifecycle.cancelled:
            continue
        if status in lifecycle.failures:
            _say(FAILED, **facts, error=event["data"].get("failure_code"), refund=back)
        else:
            _say(COMPLETED, **facts, **(output or {}))
