"""Jobs: made, read, listed, and moved where no stage is running."""

from collections.abc import Mapping

from sqlalchemy import select

from activities.store import rows
from activities.store.cursors import check_limit, newest_first
from activities.store.jobs.creation import NewJob, add_job
from activities.store.jobs.dispatches import adopt, judged_move
from activities.store.jobs.locking import LockedJob, read_job
from activities.store.jobs.memberships import seen_by
from activities.store.jobs.projects import hold_owner
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import jobs
from domain.errors import JobVersionConflict
from domain.jobs import Actor, Failure, Job, Page
from domain.lifecycles.fence import Fence, Verdict
from domain.lifecycles.instruction import INSTRUCTION
from domain.lifecycles.lifecycle import Trigger


class Jobs(Repository):
    def create_job(
        self,
        owner: str,
        project_id: str,
        *,
        kind: str = INSTRUCTION.kind,
        cost: int | None = None,
        language: str | None = None,
        model_profile: str | None = None,
        correlation_id: str | None = None,
    ) -> Job:
        """Make a job in its kind's first status; the arguments are those of :class:`NewJob`.

        Raises:
            NotFound: The project is absent, or not ``owner``'s.
            RequestInvalid: There is no such kind.
            InsufficientCredits: It costs more than ``owner`` has; there is no job.
        """
        new = NewJob(owner, project_id, kind, cost, language, model_profile, correlation_id)
        with self._database.write() as connection:
            if self._limits.open_jobs:
                hold_owner(connection, owner, self._clock())
            return add_job(connection, new, self._clock(), self._new_id, self._limits)

    def get_job(self, job_id: str, *, owner: str | None = None) -> Job:
        """The job; workers ask without an owner.

        Raises:
            NotFound: Absent, malformed, or not ``owner``'s: told apart nowhere.
        """
        with self._database.read() as connection:
            return read_job(connection, job_id, owner)

    def list_jobs(
        self,
        owner: str,
        *,
        kind: str | None = None,
        status: str | None = None,
        project_id: str | None = None,
        job_type: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Job]:
        """``owner``'s jobs and those of projects that they are a member of, newest first. Raises: RequestInvalid: bad
        limit or cursor."""
        filters = {"kind": kind, "status": status, "project_id": project_id, "job_type": job_type}
        asked = [jobs.c[column] == wanted for column, wanted in filters.items() if wanted is not None]
        with self._database.read() as connection:
            query = select(jobs).where(seen_by(connection, owner), *asked)
            return newest_first(
                connection, query, jobs.c.created_at, jobs.c.id, limit=limit, cursor=cursor, read=rows.job
            )

    def active_jobs(self, after_id: str | None = None, limit: int = 100) -> tuple[Job, ...]:
        """Jobs that have not ended, of all owners, by id; the next call passes the last id. ``limit``: 1 to 1000."""
        query = select(jobs).where(jobs.c.completed_at.is_(None)).order_by(jobs.c.id)
        query = query.limit(check_limit(limit, 1000))
        if after_id is not None:
            query = query.where(jobs.c.id > after_id)
        with self._database.read() as connection:
            return tuple(rows.job(row) for row in connection.execute(query).mappings())

    def mirrored_state(self, job_id: str, fence: Fence) -> tuple[str, int, bool]:
        """The job's status, the last number that its run has used, and whether ``fence`` is that run's."""
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            return job["status"], job["fence_seq"], job.is_own(fence)

    def move(
        self,
        job_id: str,
        fence: Fence | None,
        target: str,
        *,
        trigger: Trigger,
        actor: Actor,
        failure: Failure | None = None,
        note: str = "",
        data: Mapping[str, object] | None = None,
        event_type: str | None = None,
        expected_version: int | None = None,
        of_run: str | None = None,
    ) -> Job:
        """Change a job's status outside a stage.

        A terminal status reached again, and a write that was applied before, change nothing.

        Args:
            fence: Whose write it is; ``None`` for those who own no run (the API before dispatch, the reconciler).
            event_type: The audit row's own, where it is more than a status that changed.
            expected_version: The job's version that the decision was made on.
            of_run: The dispatch that the decision was made on.

        Raises:
            Fenced: A newer run or step has overtaken the writer. DispatchUnrecorded: see ``begin_stage``.
            TransitionRefused: The table has no such move for ``trigger``.
            JobVersionConflict: The job changed since ``expected_version``, or was given to another run.
            NotFound: There is no such job.
        """
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock())
            if job.is_terminal and job["status"] == target:
                return job.save()
            if expected_version not in (None, job["version"]) or of_run not in (None, job["dispatch_id"]):
                raise JobVersionConflict(
                    "The job changed meanwhile. Load it again.",
                    details={"base_version": expected_version, "current_version": job["version"]},
                )
            step = None
            if fence is not None:
                if judged_move(job, fence, target) is Verdict.REPLAY:
                    return job.save()
                step = fence.seq
                adopt(connection, job, fence, self._clock())
                job.advance(fence, fence.seq)
            job.move(
                target,
                trigger,
                event_type=EventType(event_type or EventType.STATUS_CHANGED),
                actor=actor,
                failure=failure,
                note=note,
                data=data,
                step=step,
            )
            return job.save()
