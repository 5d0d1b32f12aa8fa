"""Jobs as administrators see them: anybody's, and those that ended badly, until somebody has looked at them."""

from sqlalchemy import and_, exists, insert, or_, select

from activities.store import rows
from activities.store.cursors import newest_first
from activities.store.jobs.locking import read_job
from activities.store.repository import Repository
from activities.store.tables import jobs, reviews
from domain.erasure import Review
from domain.errors import TransitionRefused
from domain.jobs import Job, Page
from domain.lifecycles.kinds import GIVEN_UP, lifecycle_of

_IS_REVIEWED = exists().where(reviews.c.job_id == jobs.c.id, reviews.c.attempt == jobs.c.attempt)
_GAVE_UP = or_(*(and_(jobs.c.kind == kind, jobs.c.status == str(status)) for kind, status in GIVEN_UP.items()))


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
        """Jobs of every owner, newest first.

        Args:
            to_review: Only those that were given up, and that nobody has reviewed since.

        Raises:
            RequestInvalid: Bad limit or cursor.
        """
        query = select(jobs)
        for column, wanted in (("owner", owner), ("kind", kind), ("status", status)):
            if wanted is not None:
                query = query.where(jobs.c[column] == wanted)
        if to_review:
            query = query.where(_GAVE_UP, ~_IS_REVIEWED)
        with self._database.read() as connection:
            return newest_first(
                connection, query, jobs.c.created_at, jobs.c.id, limit=limit, cursor=cursor, read=rows.job
            )

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
            known = select(reviews).where(reviews.c.job_id == job_id, reviews.c.attempt == job.attempt)
            if (row := connection.execute(known).mappings().one_or_none()) is not None:
                return Review.model_validate(dict(row))
            review = Review(job_id=job_id, reviewer=reviewer, note=note, reviewed_at=self._clock())
            connection.execute(insert(reviews), {**review.model_dump(), "attempt": job.attempt})
            return review
