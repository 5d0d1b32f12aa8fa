"""Erasing a job with all that is its own: what is left of it is that this was done."""

from datetime import datetime

from domain.jobs import Frozen


class Erasure(Frozen):
    """That a job was erased, and nothing else of it: an id that leads nowhere, who asked, and when.

    Args:
        by_admin: Whether an administrator asked for it; else its owner did.
        completed_at: ``None``: rows, files and histories are still being removed.
    """

    job_id: str
    by_admin: bool
    requested_at: datetime
    completed_at: datetime | None = None


class Review(Frozen):
    """That an administrator has looked at a job that ended badly, and what they noted."""

    job_id: str
    reviewer: str
    note: str
    reviewed_at: datetime
