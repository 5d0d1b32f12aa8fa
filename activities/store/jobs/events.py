"""The job's log: what the event stream sends and what the history shows."""

from collections.abc import Sequence

from sqlalchemy import select

from activities.store import rows
from activities.store.checks import AUDIT_STREAMS
from activities.store.cursors import check_limit, highest_first
from activities.store.jobs.locking import read_job
from activities.store.repository import Repository
from activities.store.tables import job_events, jobs
from domain.jobs import Event, Page

_EVENTS = select(job_events, jobs.c.project_id).join(jobs, jobs.c.id == job_events.c.job_id)


class Events(Repository):
    def events(
        self, job_id: str, after_seq: int = 0, limit: int = 500, streams: Sequence[str] | None = None
    ) -> tuple[Event, ...]:
        """The log after number ``after_seq``, oldest first; ``streams`` narrows it. ``limit``: 1 to 1000."""
        query = _EVENTS.where(job_events.c.job_id == job_id, job_events.c.seq > after_seq)
        if streams is not None:
            query = query.where(job_events.c.stream.in_(streams))
        query = query.order_by(job_events.c.seq).limit(check_limit(limit, 1000))
        with self._database.read() as connection:
            return tuple(rows.event(row) for row in connection.execute(query).mappings())

    def last_event_seq(self, job_id: str) -> int:
        """The number of the newest row of the log; 0 where there is no such job."""
        query = select(jobs.c.event_seq).where(jobs.c.id == job_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one_or_none() or 0

    def last_event_seqs(self, job_ids: Sequence[str]) -> dict[str, int]:
        """The number of the newest row of each log, in one query; jobs that do not exist are left out."""
        query = select(jobs.c.id, jobs.c.event_seq).where(jobs.c.id.in_(job_ids))
        with self._database.read() as connection:
            return {row.id: row.event_seq for row in connection.execute(query)}

    def history(self, owner: str, job_id: str, limit: int = 20, cursor: str | None = None) -> Page[Event]:
        """The audit trail (the log without progress), newest first.

        Raises:
            NotFound: The job is absent, or not ``owner``'s. RequestInvalid: bad limit or cursor.
        """
        query = select(job_events).where(job_events.c.job_id == job_id, job_events.c.stream.in_(AUDIT_STREAMS))
        with self._database.read() as connection:
            project_id = read_job(connection, job_id, owner).project_id
            return highest_first(
                connection,
                query,
                job_events.c.seq,
                limit=limit,
                cursor=cursor,
                read=lambda row: rows.event({**row, "project_id": project_id}),
            )
