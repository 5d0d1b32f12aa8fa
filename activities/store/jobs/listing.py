"""Jobs as a person looks at them in a list: with a title, and since when they are at work."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, String, and_, case, func, or_, select, tuple_
from sqlalchemy.engine import RowMapping

from activities.store import rows
from activities.store.cursors import newest_first
from activities.store.jobs.locking import read_job
from activities.store.jobs.memberships import seen_by
from activities.store.repository import Repository
from activities.store.tables import (
    dispatches,
    instruction_versions,
    instructions,
    job_events,
    job_inputs,
    jobs,
    uploads,
)
from domain.jobs import Event, Frozen, Job, Page

SEARCH_LIMIT = 100
"""Characters of a search that count."""

STATUS_ROWS_LIMIT = 1000


class JobCard(Frozen):
    """A job in a list. ``title``: the document's, else ``None``; ``file_name``: the recording's, also while it arrives;
    ``asked_for``: its order, of the other kinds; ``began_at``: when the current attempt began."""

    job: Job
    title: str | None = None
    file_name: str | None = None
    asked_for: str | None = None
    began_at: datetime | None = None


_ASKED_FOR = func.coalesce(
    *(
        job_inputs.c.input[name].as_string()
        for name in ("prompt", "requirement", "brief", "product", "topic", "text", "url", "job_type")
    )
)

_FILE = func.coalesce(jobs.c.source_name, uploads.c.filename)


def cards() -> Select[Any]:
    """Every job with what its card says; :func:`read_card` reads a row."""
    return (
        select(
            jobs,
            instruction_versions.c.title.label("card_title"),
            dispatches.c.recorded_at.label("card_began_at"),
            _FILE.label("card_file"),
            case((job_inputs.c.job_id.is_not(None), _ASKED_FOR)).label("card_asked_for"),
        )
        .outerjoin(instructions, instructions.c.id == jobs.c.instruction_id)
        .outerjoin(
            instruction_versions,
            and_(
                instruction_versions.c.instruction_id == instructions.c.id,
                instruction_versions.c.version == instructions.c.current_version,
            ),
        )
        .outerjoin(dispatches, and_(dispatches.c.job_id == jobs.c.id, dispatches.c.attempt == jobs.c.attempt))
        .outerjoin(job_inputs, job_inputs.c.job_id == jobs.c.id)
        .outerjoin(uploads, and_(uploads.c.job_id == jobs.c.id, uploads.c.ordinal == 0))
    )


class Listing(Repository):
    def job_cards(
        self,
        owner: str,
        *,
        kind: str | None = None,
        statuses: Sequence[tuple[str, str]] | None = None,
        project_id: str | None = None,
        search: str = "",
        shared: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[JobCard]:
        """``owner``'s jobs, newest first.

        Args:
            statuses: Any of these pairs of a kind and a status; ``None``: all.
            shared: Also those of projects that they are a member of.
            search: Words that must all stand in the document's title, the file's name or the order, whatever their
                case. The owner's jobs are read through, newest first, until the page is full.

        Raises:
            RequestInvalid: bad limit or cursor.
        """
        query = cards()
        if kind is not None:
            query = query.where(jobs.c.kind == kind)
        if statuses is not None:
            query = query.where(tuple_(jobs.c.kind, jobs.c.status).in_(statuses))
        if project_id is not None:
            query = query.where(jobs.c.project_id == project_id)
        for word in search[:SEARCH_LIMIT].lower().split():
            places = (_FILE, instruction_versions.c.title, _ASKED_FOR.cast(String))
            query = query.where(or_(*(func.lower(place).contains(word, autoescape=True) for place in places)))
        with self._database.read() as connection:
            query = query.where(seen_by(connection, owner) if shared else jobs.c.owner == owner)
            return newest_first(
                connection, query, jobs.c.created_at, jobs.c.id, limit=limit, cursor=cursor, read=read_card
            )

    def job_card(self, owner: str, job_id: str) -> JobCard:
        """One of them. Raises: NotFound: absent, malformed, or not ``owner``'s."""
        with self._database.read() as connection:
            read_job(connection, job_id, owner)
            return read_card(connection.execute(cards().where(jobs.c.id == job_id)).mappings().one())

    def job_cards_of(self, owner: str, job_ids: Collection[str]) -> dict[str, JobCard]:
        """Those of ``job_ids`` that ``owner`` may see, by their id."""
        with self._database.read() as connection:
            query = cards().where(seen_by(connection, owner), jobs.c.id.in_(sorted(job_ids)))
            return {row["id"]: read_card(row) for row in connection.execute(query).mappings()}

    def newest_job(self, owner: str) -> str | None:
        """The id of the newest job that ``owner`` may see."""
        with self._database.read() as connection:
            query = select(jobs.c.id).where(seen_by(connection, owner))
            query = query.order_by(jobs.c.created_at.desc(), jobs.c.id.desc())
            return connection.execute(query.limit(1)).scalar_one_or_none()

    def status_rows(self, job_id: str, attempt: int) -> tuple[Event, ...]:
        """The audit rows of an attempt that name a status, oldest first: what a job's stepper is drawn from."""
        query = (
            select(job_events, jobs.c.project_id)
            .join(jobs, jobs.c.id == job_events.c.job_id)
            .where(
                job_events.c.job_id == job_id,
                job_events.c.new_status.is_not(None),
                job_events.c.attempt <= attempt,
            )
            .order_by(job_events.c.seq)
            .limit(STATUS_ROWS_LIMIT)
        )
        with self._database.read() as connection:
            return tuple(rows.event(row) for row in connection.execute(query).mappings())


def read_card(row: RowMapping) -> JobCard:
    plain = {name: value for name, value in row.items() if not name.startswith("card_")}
    return JobCard(
        job=rows.job(plain),
        title=row["card_title"],
        file_name=row["card_file"],
        asked_for=row["card_asked_for"],
        began_at=row["card_began_at"],
    )
