"""Artifacts: what stages left behind. Rows are added, never changed."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, insert, select

from activities.store import rows
from activities.store.jobs.locking import not_found
from activities.store.repository import Repository
from activities.store.tables import artifacts
from domain.artifacts import Artifact, ArtifactKind
from domain.jobs import NewArtifact

_OF_JOB = (
    select(artifacts)
    .where(artifacts.c.job_id == bindparam("job_id"))
    .order_by(artifacts.c.created_at, artifacts.c.kind, artifacts.c.version)
)
_OF_STEP = _OF_JOB.where(artifacts.c.attempt == bindparam("attempt"), artifacts.c.step == bindparam("step"))
_LATEST = (
    select(artifacts)
    .where(artifacts.c.job_id == bindparam("job_id"), artifacts.c.kind == bindparam("kind"))
    .order_by(artifacts.c.version.desc())
    .limit(1)
)
_NEXT_VERSION = select(func.coalesce(func.max(artifacts.c.version), 0) + 1).where(
    artifacts.c.job_id == bindparam("of_job"), artifacts.c.kind == bindparam("of_kind")
)
_INSERT = insert(artifacts).values(version=_NEXT_VERSION.scalar_subquery()).returning(artifacts.c.version)


def add_artifacts(
    connection: Connection,
    job_id: str,
    attempt: int,
    step: int | None,
    new: Sequence[NewArtifact],
    now: datetime,
    new_id: Callable[[], str],
) -> tuple[Artifact, ...]:
    """Record artifacts as the next versions of their kinds. The job's row must be locked."""
    stored = []
    for each in new:  # one, as a rule: numbered by the statement that stores it
        columns = {
            "id": new_id(),
            "job_id": job_id,
            "kind": str(each.kind),
            "attempt": attempt,
            "step": step,
            **rows.blob_columns(each.blob),
            "facts": each.facts,
            "created_at": now,
        }
        version = connection.execute(_INSERT, {**columns, "of_job": job_id, "of_kind": columns["kind"]}).scalar_one()
        stored.append(rows.artifact({**columns, "version": version}))
    return tuple(stored)


def artifacts_of_step(connection: Connection, job_id: str, attempt: int, step: int) -> tuple[Artifact, ...]:
    """What one write of a run recorded, in the order in which it did."""
    found = connection.execute(_OF_STEP, {"job_id": job_id, "attempt": attempt, "step": step}).mappings()
    return tuple(rows.artifact(row) for row in found)


def latest_artifact(connection: Connection, job_id: str, kind: ArtifactKind) -> Artifact | None:
    """The newest version of its kind, or ``None``."""
    row = connection.execute(_LATEST, {"job_id": job_id, "kind": str(kind)}).mappings().one_or_none()
    return rows.artifact(row) if row is not None else None


class Artifacts(Repository):
    def artifacts(self, job_id: str) -> tuple[Artifact, ...]:
        """Every version of every kind, oldest first."""
        with self._database.read() as connection:
            return tuple(rows.artifact(row) for row in connection.execute(_OF_JOB, {"job_id": job_id}).mappings())

    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None:
        """The newest version of its kind, or ``None``."""
        with self._database.read() as connection:
            return latest_artifact(connection, job_id, kind)

    def get_artifact(self, artifact_id: str) -> Artifact:
        """Raises: NotFound: there is no such artifact."""
        with self._database.read() as connection:
            query = select(artifacts).where(artifacts.c.id == artifact_id)
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            raise not_found()
        return rows.artifact(row)
