"""How much a user has: jobs that are open, jobs that are run, and bytes that rows of theirs name; what lies in the bin,
too."""

import time
from datetime import datetime
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Connection, Engine, Integer, Select, and_, case, func, or_, select

from activities.store.tables import (
    anchors,
    artifacts,
    exports,
    instructions,
    jobs,
    library_assets,
    picture_uploads,
    project_logos,
    projects,
    screenshot_assets,
    uploads,
)
from domain.erasure import binned
from domain.lifecycles.instruction import DRAFT_READY, EDITING, INSTRUCTION, UPLOADING
from domain.lifecycles.kinds import STARTS, lifecycle_of
from domain.quotas import OwnerLimits

UNMEASURED_SHARE = 0.8
REMEMBERED_S = 60.0
"""A sum of at most that part of the limit is not made anew for so long: all rows of the owner are read for it. Nearer
to the limit every request is measured."""

_LOGO_BYTES = func.length(project_logos.c.png, type_=Integer) * 3 // 4
"""Of the picture, which lies there in base64: four characters for each three bytes."""

_BEING_EDITED = (str(DRAFT_READY), str(EDITING))
_Sums = dict[str, tuple[int, float]]
_sums: WeakKeyDictionary[Engine, _Sums] = WeakKeyDictionary()


def check_job(connection: Connection, owner: str, kind: str, limits: OwnerLimits) -> None:
    """Whether ``owner`` may have one more job of that kind. Raises: QuotaExceeded."""
    if limits.open_jobs:
        limits.check_open(open_jobs(connection, owner))
    if STARTS.get(kind) == lifecycle_of(kind).initial:
        check_run(connection, owner, limits)
    check_bytes(connection, owner, limits)


def check_run(connection: Connection, owner: str, limits: OwnerLimits, job_id: str | None = None) -> None:
    """Whether one more job of ``owner``'s may be run, or this one. Raises: QuotaExceeded."""
    if limits.running_jobs:
        limits.check_running(running_jobs(connection, owner, job_id))


def check_bytes(connection: Connection, owner: str, limits: OwnerLimits, more_bytes: int = 0) -> None:
    """Whether so many more bytes of ``owner``'s may be stored. Raises: QuotaExceeded."""
    if not limits.stored_bytes:
        return
    sums = _sums.setdefault(connection.engine, {})
    used, until = sums.get(owner, (0, 0.0))
    if used + more_bytes > UNMEASURED_SHARE * limits.stored_bytes or time.monotonic() > until:
        used, until = stored_bytes(connection, owner), time.monotonic() + REMEMBERED_S
    limits.check_stored(used, more_bytes)
    sums[owner] = used + more_bytes, until


def check_uploads(connection: Connection, owner: str, limits: OwnerLimits, now: datetime) -> None:
    """Whether there is room for what the owner's uploads bring that are announced, and whose addresses still hold.
    Raises: QuotaExceeded."""
    if limits.stored_bytes:
        check_bytes(connection, owner, limits, announced_bytes(connection, owner, limits, now))


def announced_bytes(connection: Connection, owner: str, limits: OwnerLimits, now: datetime) -> int:
    """Bytes that open uploads may bring: what was declared of each, or what one may take that nothing was said of."""
    undeclared = case((uploads.c.ordinal == 0, limits.undeclared_recording), else_=limits.undeclared_input)
    to_come = or_(
        and_(uploads.c.ordinal == 0, jobs.c.status == str(UPLOADING)),
        and_(uploads.c.ordinal > 0, uploads.c.confirmed_at.is_(None)),
    )
    query = (
        select(func.coalesce(func.sum(func.coalesce(uploads.c.size_bytes, undeclared)), 0))
        .join(jobs, jobs.c.id == uploads.c.job_id)
        .where(jobs.c.owner.in_(_own(owner)), jobs.c.completed_at.is_(None), to_come, uploads.c.expires_at > now)
    )
    return int(connection.execute(query).scalar_one())


def open_jobs(connection: Connection, owner: str) -> int:
    """Jobs that have not ended, but for documents that are only edited: these take nobody's time."""
    return int(connection.execute(_open_jobs(owner)).scalar_one())


def running_jobs(connection: Connection, owner: str, besides: str | None = None) -> int:
    """Of :func:`open_jobs` those whose run was asked for, without the job ``besides``."""
    begun = or_(*(and_(jobs.c.kind == kind, jobs.c.status == str(status)) for kind, status in STARTS.items()))
    query = _open_jobs(owner).where(or_(jobs.c.dispatch_id.is_not(None), begun))
    if besides is not None:
        query = query.where(jobs.c.id != besides)
    return int(connection.execute(query).scalar_one())


def _open_jobs(owner: str) -> Select[int]:
    """How many there are."""
    working = or_(jobs.c.kind != INSTRUCTION.kind, jobs.c.status.not_in(_BEING_EDITED))
    query = select(func.count()).select_from(jobs)
    return query.where(jobs.c.owner.in_(_own(owner)), jobs.c.completed_at.is_(None), working)


def stored_bytes(connection: Connection, owner: str) -> int:
    """Bytes of every file that a row of the owner's names, and of their projects' logos: one that two jobs name counts
    twice."""
    theirs = select(jobs.c.id).where(jobs.c.owner.in_(_own(owner)))
    of_instructions = select(anchors.c.id).join(instructions, instructions.c.id == anchors.c.instruction_id)
    counted: tuple[tuple[ColumnElement[int], ColumnElement[bool]], ...] = (
        (artifacts.c.size_bytes, artifacts.c.job_id.in_(theirs)),
        (exports.c.size_bytes, exports.c.owner.in_(_own(owner))),
        (library_assets.c.size_bytes, library_assets.c.owner == owner),
        (picture_uploads.c.size_bytes, picture_uploads.c.owner.in_(_own(owner))),
        (_LOGO_BYTES, project_logos.c.project_id.in_(select(projects.c.id).where(projects.c.owner == owner))),
        (
            screenshot_assets.c.size_bytes,
            screenshot_assets.c.anchor_id.in_(of_instructions.where(instructions.c.owner.in_(_own(owner)))),
        ),
    )
    return sum(
        int(connection.execute(select(func.coalesce(func.sum(size), 0)).where(own)).scalar_one())
        for size, own in counted
    )


def _own(owner: str) -> tuple[str, str]:
    return owner, binned(owner)
