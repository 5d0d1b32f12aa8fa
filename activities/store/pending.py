"""Document tasks that nobody has begun: their row was written, their workflow perhaps not started."""

from datetime import timedelta

from sqlalchemy import literal, select, union_all

from activities.store.area import Area
from activities.store.tables import exports, regenerate_tasks, screenshot_tasks
from domain.jobs import ExportStatus, TaskStatus


class Pending(Area):
    def unstarted_tasks(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[tuple[str, str, str], ...]:
        """(``export``, ``regenerate`` or ``screenshot``, task id, job id) of tasks requested more than
        ``older_than_s`` seconds ago."""
        before = self._clock() - timedelta(seconds=older_than_s)
        query = union_all(
            select(literal("export"), exports.c.id, exports.c.job_id).where(
                exports.c.status == ExportStatus.REQUESTED,
                exports.c.completed_at.is_(None),  # follows, and lets the index of what is open serve
                exports.c.requested_at < before,
            ),
            select(literal("regenerate"), regenerate_tasks.c.id, regenerate_tasks.c.job_id).where(
                regenerate_tasks.c.status == TaskStatus.PENDING,
                regenerate_tasks.c.completed_at.is_(None),
                regenerate_tasks.c.requested_at < before,
            ),
            select(literal("screenshot"), screenshot_tasks.c.id, screenshot_tasks.c.job_id).where(
                screenshot_tasks.c.status == TaskStatus.PENDING,
                screenshot_tasks.c.completed_at.is_(None),
                screenshot_tasks.c.requested_at < before,
            ),
        ).limit(limit)
        with self._database.read() as connection:
            return tuple((str(what), str(task), str(job)) for what, task, job in connection.execute(query))
