"""Document tasks that have not ended: some nobody has begun, since their workflow was perhaps not started; of others
the workflow may be gone."""

from datetime import timedelta

from sqlalchemy import and_, literal, select, union_all

from activities.store.area import Area
from activities.store.tables import (
    exports,
    instruction_versions,
    instructions,
    jobs,
    plan_tasks,
    regenerate_tasks,
    screenshot_tasks,
)
from domain.jobs import ExportStatus, TaskStatus
from domain.lifecycles.instruction import DRAFT_READY, INSTRUCTION

OpenTask = tuple[str, str, str]
"""``export``, ``regenerate``, ``screenshot`` or ``plan``; task id; job id."""

_TABLES = (
    *(("export", exports), ("regenerate", regenerate_tasks), ("screenshot", screenshot_tasks)),
    ("plan", plan_tasks),
)


class Pending(Area):
    def unstarted_tasks(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[OpenTask, ...]:
        """Tasks requested more than ``older_than_s`` seconds ago that nobody has begun."""
        return self._open_tasks((ExportStatus.REQUESTED, TaskStatus.PENDING), older_than_s, limit)

    def running_tasks(self, older_than_s: float = 30.0, limit: int = 1000) -> tuple[OpenTask, ...]:
        """Tasks requested more than ``older_than_s`` seconds ago that were begun and have not ended."""
        return self._open_tasks((ExportStatus.RUNNING, TaskStatus.RUNNING), older_than_s, limit)

    def untold_edits(self, limit: int = 100) -> tuple[str, ...]:
        """Jobs whose document somebody has changed, and whose run was perhaps not told: they wait for that."""
        edited = (
            select(jobs.c.id)
            .join(instructions, instructions.c.job_id == jobs.c.id)
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
                instruction_versions.c.step.is_(None),  # a stage's own version has its step
            )
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(connection.scalars(edited))

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
