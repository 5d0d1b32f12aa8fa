"""When a job that waits for its next try is tried again."""

from datetime import UTC, datetime, timedelta

from domain.jobs import Job
from starter.pages.shell.visit import Visit

LOOKED_AT = 5
"""Rows of the log, newest first: the failure that is waited after is among them."""


def next_try_at(visit: Visit, job: Job) -> datetime | None:
    """``None``: it waits for none."""
    for event in visit.api.store.history(visit.owner, job.id, LOOKED_AT).items:
        pause_s = event.data.get("retry_in_s")
        if isinstance(pause_s, int | float) and event.attempt == job.attempt:
            at = event.occurred_at + timedelta(seconds=float(pause_s))
            return at if event.new_status == job.status and at > datetime.now(UTC) else None
    return None
