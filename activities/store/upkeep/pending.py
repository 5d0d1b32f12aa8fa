"""Document tasks that have not ended: some nobody has begun, since their workflow was perhaps not started; of others
the workflow may be gone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import and_, exists, func, literal, or_, select, union_all

from activities.store.repository import Repository
from activities.store.tables import (
    exports,
    instruction_versions,
    instructions,
    job_events,
    jobs,
    plan_tasks,
    projects,
    regenerate_tasks,
    screenshot_tasks,
    translation_tasks,
    webhook_deliveries,
)
from domain.documents.tasks import ExportStatus
from domain.documents.versions import VersionOrigin
from domain.jobs import Job, TaskStatus
from domain.lifecycles.callbacks import external_stages
from domain.lifecycles.instruction import DRAFT_READY, EDITING, EXPORTING, INSTRUCTION, REGENERATING
from domain.lifecycles.standstill import LONGEST, SHORTEST, Standstill, standstill

OpenTask = tuple[str, str, str]
"""``export``, ``regenerate``, ``translate``, ``screenshot`` or ``plan``; task id; job id."""

_TABLES = (
    *(("export", exports), ("regenerate", regenerate_tasks), ("screenshot", screenshot_tasks)),
    *(("translate", translation_tasks), ("plan", plan_tasks)),
)

_UNFINISHED = {
    REGENERATING: regenerate_tasks.c.completed_at.is_(None),
    EXPORTING: exports.c.completed_at.is_(None),
}
"""What has not ended of the work that a status stands for."""

_SINCE_ITS_DRAFT = (
    exists()
    .where(
        job_events.c.job_id == exports.c.job_id,
        job_events.c.attempt == jobs.c.attempt,
        job_events.c.new_status == str(DRAFT_READY),
        job_events.c.recorded_at <= exports.c.requested_at,
    )
    .correlate(exports, jobs)
)
_EXPORTED = (
    exists()
    .where(exports.c.job_id == jobs.c.id, exports.c.status == str(ExportStatus.SUCCEEDED), _SINCE_ITS_DRAFT)
    .correlate(jobs)
)
"""Of a job: whether an export is there that was asked for since its draft was ready, in its attempt."""


@dataclass(frozen=True)
class Backlog:
    """What is open now: how many jobs, by kind and status, and how many deliveries of webhooks that nobody has taken
    up, and that are under way."""

    jobs: Mapping[tuple[str, str], int]
    unsent: int
    under_way: int


class Pending(Repository):
    def backlog(self) -> Backlog:
        """Three statements, each of an index of what is open."""
        counting = select(jobs.c.kind, jobs.c.status, func.count()).where(jobs.c.completed_at.is_(None))
        deliveries = select(func.count()).select_from(webhook_deliveries)
        deliveries = deliveries.where(webhook_deliveries.c.completed_at.is_(None))
        taken = webhook_deliveries.c.handed_over_at
        with self._database.read() as connection:
            counted = connection.execute(counting.group_by(jobs.c.kind, jobs.c.status)).all()
            unsent = connection.execute(deliveries.where(taken.is_(None))).scalar_one()
            under_way = connection.execute(deliveries.where(taken.is_not(None))).scalar_one()
        return Backlog({(kind, status): count for kind, status, count in counted}, unsent, under_way)

    def unstarted_tasks(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[OpenTask, ...]:
        """Tasks requested more than ``older_than_s`` seconds ago that nobody has begun."""
        return self._open_tasks((ExportStatus.REQUESTED, TaskStatus.PENDING), older_than_s, limit)

    def running_tasks(self, older_than_s: float = 30.0, limit: int = 1000) -> tuple[OpenTask, ...]:
        """Tasks requested more than ``older_than_s`` seconds ago that were begun and have not ended."""
        return self._open_tasks((ExportStatus.RUNNING, TaskStatus.RUNNING), older_than_s, limit)

    def stages_without_progress(self, limit: int = 1000) -> tuple[Standstill, ...]:
        """Stages at work that have shown no progress for longer than is sensible, the oldest first."""
        now = self._clock()
        statuses = sorted({str(status) for each in LONGEST.values() for status in each})
        query = (
            select(jobs.c.id, jobs.c.kind, jobs.c.status, jobs.c.updated_at, projects.c.stages)
            .join(projects, projects.c.id == jobs.c.project_id)
            .where(jobs.c.completed_at.is_(None), jobs.c.status.in_(statuses), jobs.c.updated_at < now - SHORTEST)
            .order_by(jobs.c.updated_at)
            .limit(limit)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        found = (
            standstill(job_id, kind, status, since, now, external_stages(stages))
            for job_id, kind, status, since, stages in rows
        )
        return tuple(each for each in found if each is not None)

    def stalled_jobs(self, found: Sequence[Job]) -> dict[str, Standstill]:
        """Those of these jobs whose stage shows no progress, by their id. Asks nothing where none may be."""
        now = self._clock()

        def judged(job: Job, external: Collection[str]) -> Standstill | None:
            return standstill(job.id, job.kind, job.status, job.updated_at, now, external)

        late = [job for job in found if judged(job, ())]
        if not late:
            return {}
        query = select(projects.c.id, projects.c.stages).where(projects.c.id.in_({job.project_id for job in late}))
        with self._database.read() as connection:
            stages = {project: external_stages(stages) for project, stages in connection.execute(query)}
        still = (judged(job, stages[job.project_id]) for job in late)
        return {each.job_id: each for each in still if each is not None}

    def untold_edits(self, limit: int = 100) -> tuple[str, ...]:
        """Jobs whose document somebody has changed, and whose run was perhaps not told: they wait for that."""
        edited = (
            select(jobs.c.id)
            .join(instructions, instructions.c.id == jobs.c.instruction_id)
            .join(
                instruction_versions,
                and_(
                    instruction_versions.c.instruction_id == instructions.c.id,
                    instruction_versions.c.version == instructions.c.current_version,
                ),
            )
            .where(
                jobs.c.completed_at.is_(None),
                jobs.c.dispatch_id.is_not(None),
                jobs.c.status == str(DRAFT_READY),
                jobs.c.kind == INSTRUCTION.kind,
                instruction_versions.c.origin != str(VersionOrigin.DRAFT),  # a stage's, or a runner's
            )
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(connection.scalars(edited))

    def going_on(self, job_id: str) -> tuple[str | None, tuple[str, ...], bool]:
        """The regeneration of a job's document that has not ended; its exports that have not, the first fifty; and
        whether one that was asked for since the draft was ready, in the job's attempt, ended well."""
        ours = exports.c.job_id == job_id
        done = select(jobs.c.id).where(jobs.c.id == job_id, _EXPORTED)
        writing = select(regenerate_tasks.c.id).where(_UNFINISHED[REGENERATING], regenerate_tasks.c.job_id == job_id)
        exporting = select(exports.c.id).where(_UNFINISHED[EXPORTING], ours).order_by(exports.c.id).limit(50)
        with self._database.read() as connection:
            return (
                connection.scalars(writing.limit(1)).one_or_none(),
                tuple(connection.scalars(exporting)),
                connection.scalar(done) is not None,
            )

    def unfollowed_jobs(self, older_than_s: float = 15.0, limit: int = 100) -> tuple[str, ...]:
        """Jobs whose run does not know how a task ended: by their status they are written again or published, while
        nothing of that goes on, or an export is there and they are not done. The run was perhaps reset, and
        follows no task that began before; or a worker had died before it could tell the run that there was a draft."""
        tables = {REGENERATING: regenerate_tasks, EXPORTING: exports}
        idle = (
            and_(
                jobs.c.status == str(status),
                ~exists().where(table.c.job_id == jobs.c.id, _UNFINISHED[status]),
            )
            for status, table in tables.items()
        )
        query = select(jobs.c.id).where(
            jobs.c.completed_at.is_(None),
            jobs.c.dispatch_id.is_not(None),
            jobs.c.kind == INSTRUCTION.kind,
            jobs.c.updated_at < self._clock() - timedelta(seconds=older_than_s),
            or_(*idle, and_(jobs.c.status.in_([str(DRAFT_READY), str(EDITING)]), _EXPORTED)),
        )
        with self._database.read() as connection:
            return tuple(connection.scalars(query.limit(limit)))

    def _open_tasks(self, statuses: tuple[str, ...], older_than_s: float, limit: int) -> tuple[OpenTask, ...]:
        before = self._clock() - timedelta(seconds=older_than_s)
        names = sorted({str(status) for status in statuses})
        found = union_all(
            *(
                select(literal(what), table.c.id, table.c.job_id).where(
                    table.c.status.in_(names),
                    table.c.completed_at.is_(None),  # follows, and lets the index of what is open serve
                    table.c.requested_at < before,
                )
                for what, table in _TABLES
            )
        )
        with self._database.read() as connection:
            rows = connection.execute(found.limit(limit))
            return tuple((str(what), str(task), str(job)) for what, task, job in rows)
