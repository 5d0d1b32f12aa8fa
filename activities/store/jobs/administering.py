"""Jobs as administrators see them: anybody's, and those that ended badly, until somebody has looked at them."""

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, insert, select, text, update

from activities.store import rows
from activities.store.cursors import latest_first, newest_first
from activities.store.jobs.locking import not_found, read_job
from activities.store.repository import Repository
from activities.store.tables import NOT_REVIEWED, jobs, reviews
from domain.erasure import Review, is_absent
from domain.errors import TransitionRefused
from domain.jobs import Job, Page
from domain.lifecycles.kinds import GIVEN_UP, LIFECYCLES, lifecycle_of


class Administering(Repository):
    def list_all_jobs(
        self,
        *,
        owner: str | None = None,
        kind: str | None = None,
        status: str | None = None,
        to_review: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Job]:
        """Jobs of every owner, newest first; as many rows are read as the page has, whatever is asked for.

        Args:
            to_review: Only those that were given up, and that nobody has reviewed since.

        Raises:
            RequestInvalid: Bad limit or cursor.
        """
        with self._database.read() as connection:
            if owner is not None and not to_review:
                query = select(jobs).where(*_asked(owner=owner, kind=kind, status=status))
                return newest_first(
                    connection, query, jobs.c.created_at, jobs.c.id, limit=limit, cursor=cursor, read=rows.job
                )
            places = _places(owner, kind, status, to_review=to_review)
            return latest_first(connection, places, jobs.c.id, limit=limit, cursor=cursor, read=rows.job)

    def anybodys_job(self, job_id: str) -> Job:
        """The job, whoever's it is. Raises: NotFound: absent, in the bin, or being erased."""
        with self._database.read() as connection:
            job = read_job(connection, job_id)
        if is_absent(job.owner):
            raise not_found()
        return job

    def review_of(self, job: Job) -> Review | None:
        """What was noted of the job's current attempt."""
        query = select(reviews).where(reviews.c.job_id == job.id, reviews.c.attempt == job.attempt)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else Review.model_validate(dict(row))

    def review_job(self, job_id: str, reviewer: str, note: str) -> Review:
        """Note that a job's end was looked at; once an attempt: the first stands.

        Raises:
            NotFound: There is no such job.
            TransitionRefused: It was not given up.
        """
        with self._database.write() as connection:
            job = read_job(connection, job_id)
            if job.status != GIVEN_UP[job.kind]:
                lifecycle = lifecycle_of(job.kind)
                raise TransitionRefused(
                    f"The job is {job.status}: there is nothing to review. Jobs are reviewed that were given up.",
                    details={
                        "current_status": job.status,
                        "attempted_status": str(GIVEN_UP[job.kind]),
                        "allowed_next_statuses": [
                            str(each) for each in lifecycle.allowed_next(lifecycle.status(job.status))
                        ],
                    },
                )
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(reviewed_attempt=job.attempt))
            known = select(reviews).where(reviews.c.job_id == job_id, reviews.c.attempt == job.attempt)
            if (row := connection.execute(known).mappings().one_or_none()) is not None:
                return Review.model_validate(dict(row))
            review = Review(job_id=job_id, reviewer=reviewer, note=note, reviewed_at=self._clock())
            connection.execute(insert(reviews), {**review.model_dump(), "attempt": job.attempt})
            return review


def _places(owner: str | None, kind: str | None, status: str | None, *, to_review: bool) -> list[Select[Any]]:
    """A query each for what an index holds together, ordered by the id."""
    if not to_review and kind is None and status is None:
        return [select(jobs)]
    besides = [and_(text(NOT_REVIEWED), *_asked(owner=owner))] if to_review else []
    return [
        select(jobs).where(*_asked(kind=each.kind, status=str(one)), *besides)
        for each in LIFECYCLES.values()
        for one in ((GIVEN_UP[each.kind],) if to_review else each.statuses)
        if kind in (None, each.kind) and status in (None, str(one))
    ]


def _asked(**wanted: str | None) -> list[ColumnElement[bool]]:
    return [jobs.c[name] == value for name, value in wanted.items() if value is not None]
