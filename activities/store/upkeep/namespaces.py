"""The namespace of Temporal's that the jobs of this database run in."""

from datetime import timedelta

from sqlalchemy import delete, func, insert, select

from activities.store.repository import Repository
from activities.store.tables import dispatches, engine_namespaces, jobs
from domain.engine import Namespace


class Namespaces(Repository):
    def own_namespace(self) -> Namespace | None:
        """The one that was recorded last; ``None``: none was yet."""
        return next(iter(self.own_namespaces(1)), None)

    def own_namespaces(self, limit: int = 10) -> tuple[Namespace, ...]:
        """Those that were recorded, the last one first."""
        newest = select(engine_namespaces).order_by(engine_namespaces.c.recorded_at.desc()).limit(limit)
        with self._database.read() as connection:
            return tuple(Namespace.model_validate(dict(row)) for row in connection.execute(newest).mappings())

    def count_lost(self, failure_code: str = "WORKFLOW_LOST") -> int:
        """How many jobs stand as ended because their runs were lost."""
        query = select(func.count()).select_from(jobs).where(jobs.c.failure_code == failure_code)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def record_namespace(self, namespace: Namespace) -> None:
        """From now on this one is the jobs' own. Those before it stay recorded, with when they were; it comes after
        them also where a clock that went ahead wrote them down."""
        now = self._clock()
        with self._database.write() as connection:
            connection.execute(delete(engine_namespaces).where(engine_namespaces.c.id == namespace.id))
            last = connection.execute(select(func.max(engine_namespaces.c.recorded_at))).scalar_one()
            at = now if last is None else max(now, last + timedelta(milliseconds=1))
            connection.execute(insert(engine_namespaces), namespace.model_dump() | {"recorded_at": at})

    def newest_dispatches(self, limit: int = 20) -> tuple[str, ...]:
        """Ids of the youngest jobs that were given to a run, whatever became of them."""
        query = select(dispatches.c.job_id).distinct().order_by(dispatches.c.job_id.desc()).limit(limit)
        with self._database.read() as connection:
            return tuple(connection.scalars(query))
