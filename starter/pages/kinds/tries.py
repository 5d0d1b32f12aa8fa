"""When a job that waits for its next try is tried again."""

from datetime import UTC, datetime, timedelta

from domain.jobs import Job
from starter.pages.shell.context import PageContext

LOOKED_AT = 5
"""Rows of the log, newest first: the failure that is waited after is among them."""


def next_try_at(context: PageContext, job: Job) -> datetime | None:
    """``None``: it waits for none."""
    for event in context.api.store.history(context.owner, job.id, LOOKED_AT).items:
        pause_s = event.data.get("retry_in_s")
        if isinstance(pause_s, int | float) and event.attempt == job.attempt:
            at = event.occurred_at + timedelta(seconds=float(pause_s))
            return at if event.new_status == job.status and at > datetime.now(UTC) else None
    return None
