"""Manifests: where the newest artifact of each kind lies and what was exported, of a page of jobs at once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field
from sqlalchemy import Connection, Row, func, literal, null, select, union_all

from activities.store.repository import Repository
from activities.store.tables import artifacts, exports, reported_artifacts
from domain.artifacts import ArtifactKind
from domain.documents.publication import ExportFormat
from domain.jobs import Frozen

KINDS = (ArtifactKind.VIDEO, ArtifactKind.AUDIO, ArtifactKind.TRANSCRIPT, ArtifactKind.DRAFT)

MOST_EXPORTS = 100
"""Exports that a manifest lists: the newest ones."""


class Exported(Frozen):
    """A file that an export made."""

    export_id: str
    format: ExportFormat
    key: str


class ManifestKeys(Frozen):
    """What a manifest names, by key in the artifact store. ``exports``: newest first. ``reported``: URIs that an
    outside runner reported, where they are what counts."""

    artifacts: dict[ArtifactKind, str] = Field(default_factory=dict)
    reported: dict[ArtifactKind, str] = Field(default_factory=dict)
    exports: tuple[Exported, ...] = ()


class Manifests(Repository):
    def manifests(self, job_ids: Sequence[str]) -> dict[str, ManifestKeys]:
        """The manifest of each job, in two statements however many there are; an absent job's is empty."""
        if not job_ids:
            return {}
        with self._database.read() as connection:
            places = _places(connection, job_ids)
            exported = _exported(connection, job_ids)
        return {
            job_id: ManifestKeys(
                artifacts={kind: row.key for kind, row in places[job_id].items() if row.uri is None},
                reported={kind: row.uri for kind, row in places[job_id].items() if row.uri is not None},
                exports=tuple(exported.get(job_id, ())),
            )
            for job_id in job_ids
        }


_OURS = select(
    artifacts.c.job_id,
    artifacts.c.kind,
    artifacts.c.created_at,
    artifacts.c.version,
    artifacts.c.id.label("artifact_id"),
    artifacts.c.key,
    null().label("uri"),
).where(artifacts.c.kind.in_(KINDS))
_REPORTED = select(
    reported_artifacts.c.job_id,
    reported_artifacts.c.kind,
    reported_artifacts.c.created_at,
    literal(0),
    reported_artifacts.c.artifact_id,
    null(),
    reported_artifacts.c.uri,
)


def _places(connection: Connection, job_ids: Sequence[str]) -> Mapping[str, dict[ArtifactKind, Row[Any]]]:
    """The row that says where the newest of each kind lies: ours by its key, a runner's by its URI, also once an
    artifact of ours was made of it."""
    query = union_all(
        _OURS.where(artifacts.c.job_id.in_(job_ids)), _REPORTED.where(reported_artifacts.c.job_id.in_(job_ids))
    )
    ours: dict[str, dict[ArtifactKind, Row[Any]]] = defaultdict(dict)
    reports: list[Row[Any]] = []
    for row in sorted(connection.execute(query), key=lambda row: (row.version, row.created_at)):
        if row.uri is None:
            ours[row.job_id][ArtifactKind(row.kind)] = row
        else:
            reports.append(row)
    for report in reports:
        known = ours[report.job_id].get(ArtifactKind(report.kind))
        if known is None or report.created_at >= known.created_at or report.artifact_id == known.artifact_id:
            ours[report.job_id][ArtifactKind(report.kind)] = report
    return ours


def _exported(connection: Connection, job_ids: Sequence[str]) -> Mapping[str, list[Exported]]:
    age = func.row_number().over(
        partition_by=exports.c.job_id, order_by=(exports.c.requested_at.desc(), exports.c.id.desc())
    )
    made = (
        select(exports.c.job_id, exports.c.id, exports.c.format, exports.c.key, age.label("age"))
        .where(exports.c.job_id.in_(job_ids), exports.c.key.is_not(None))
        .subquery()
    )
    query = select(made).where(made.c.age <= MOST_EXPORTS).order_by(made.c.job_id, made.c.age)
    found: dict[str, list[Exported]] = {}
    for row in connection.execute(query):
        exported = Exported(export_id=row.id, format=ExportFormat(row.format), key=row.key)
        found.setdefault(row.job_id, []).append(exported)
    return found
