"""How much a user has: jobs that are open, and bytes that rows of theirs name."""

from sqlalchemy import ColumnElement, Connection, func, or_, select

from activities.store.tables import (
    anchors,
    artifacts,
    exports,
    instructions,
    jobs,
    library_assets,
    picture_uploads,
    screenshot_assets,
)
from domain.lifecycles.instruction import DRAFT_READY, EDITING, INSTRUCTION
from domain.room import OwnerLimits

_AT_ITS_DESK = (str(DRAFT_READY), str(EDITING))


def check_room(
    connection: Connection, owner: str, limits: OwnerLimits, *, more_bytes: int = 0, is_job: bool = True
) -> None:
    """Whether ``owner`` may have one more job, or so many more bytes. Raises: QuotaExceeded."""
    if limits.open_jobs and is_job:
        limits.check_open(open_jobs(connection, owner))
    if limits.stored_bytes:
        limits.check_stored(stored_bytes(connection, owner), more_bytes)


def open_jobs(connection: Connection, owner: str) -> int:
    """Jobs that have not ended, but for documents that are only edited: these take nobody's time."""
    working = or_(jobs.c.kind != INSTRUCTION.kind, jobs.c.status.not_in(_AT_ITS_DESK))
    query = select(func.count()).select_from(jobs)
    query = query.where(jobs.c.owner == owner, jobs.c.completed_at.is_(None), working)
    return int(connection.execute(query).scalar_one())


def stored_bytes(connection: Connection, owner: str) -> int:
    """Bytes of every file that a row of the owner's names: one that two jobs name counts twice."""
    theirs = select(jobs.c.id).where(jobs.c.owner == owner)
    of_instructions = select(anchors.c.id).join(instructions, instructions.c.id == anchors.c.instruction_id)
    counted: tuple[tuple[ColumnElement[int], ColumnElement[bool]], ...] = (
        (artifacts.c.size_bytes, artifacts.c.job_id.in_(theirs)),
        (exports.c.size_bytes, exports.c.owner == owner),
        (library_assets.c.size_bytes, library_assets.c.owner == owner),
        (picture_uploads.c.size_bytes, picture_uploads.c.owner == owner),
        (
            screenshot_assets.c.size_bytes,
            screenshot_assets.c.anchor_id.in_(of_instructions.where(instructions.c.owner == owner)),
        ),
    )
    return sum(
        int(connection.execute(select(func.coalesce(func.sum(size), 0)).where(own)).scalar_one())
        for size, own in counted
    )
