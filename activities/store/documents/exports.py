"""Exports: one version, one format, one set of pictures, one brand. The same request is the same export.

Which they are is written down with the request: what is drawn, replaced, deleted or saved afterwards is in the next
export, and not in this one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from activities.store import rows
from activities.store.cursors import newest_first
from activities.store.documents.anchors import pictured
from activities.store.documents.annotations import ANNOTATED
from activities.store.documents.brands import brand_mark
from activities.store.documents.corrections import corrections_of
from activities.store.documents.screenshots import screenshot_set_hash, screenshots_of
from activities.store.jobs.locking import LockedJob, not_found, read_job
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import anchors, exports, instruction_versions, instructions, screenshot_assets
from domain.artifacts import Blob
from domain.documents.anchors import DRAFTED_OUTCOMES
from domain.documents.annotations import hides
from domain.documents.publication import BRANDED_FORMATS, HEARD_FORMATS, ExportFormat
from domain.documents.screenshots import AssetKind, Screenshot
from domain.documents.tasks import Export, ExportStatus
from domain.errors import ArtifactMissing, ExportRequestInvalid
from domain.jobs import Actor, Failure, Page, StageName
from domain.recordings.corrections import corrections_hash

STREAM = "export"

_ENDED = (ExportStatus.SUCCEEDED, ExportStatus.FAILED)

_VERSION = select(*(instruction_versions.c[name] for name in ("instruction_id", "markdown", "evidence"))).where(
    instruction_versions.c.id == bindparam("version_id")
)
_ASSETS = select(screenshot_assets).where(screenshot_assets.c.id.in_(bindparam("ids", expanding=True)))

_OUTCOMES = select(anchors.c.id).where(
    anchors.c.id.in_(bindparam("ids", expanding=True)), anchors.c.strategy.in_(DRAFTED_OUTCOMES)
)

_FILE_LOST = Failure(
    failure_code=ArtifactMissing.code,
    failure_message="The file of this export is gone from the artifact store. Export the version again.",
    failed_stage=StageName.EXPORT,
)


def identity_key(
    instruction_version_id: str,
    export_format: ExportFormat,
    pictures: str,
    corrections_sha256: str | None = None,
    brand: Mapping[str, object] | None = None,
) -> str:
    """What makes two requests the same export: SHA-256 over version, format and ``screenshot_set_hash``; of captions
    also over what is corrected in the transcript (``corrections_sha256``), where anything is; and over what is
    remembered of the project's ``brand``, where it has one."""
    parts = [
        instruction_version_id,
        str(export_format),
        pictures,
        *([corrections_sha256] if corrections_sha256 else []),
        *([f"brand {brand['id']} {brand['project']}"] if brand else []),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class Exports(Repository):
    def request_export(
        self, owner: str, job_id: str, export_format: ExportFormat, instruction_version_id: str
    ) -> tuple[Export, bool]:
        """Ask for an export.

        Returns:
            The export, and whether it is new. One with the same identity that is requested, running or done is
            answered as it is; a failed one stays failed, and the request makes a new one.

        Raises:
            ExportRequestInvalid: The job's instruction has no such version.
            NotFound: The job is absent, or not ``owner``'s.
        """
        with self._database.write() as connection:
            now = self._clock()
            job = LockedJob(connection, job_id, now, owner=owner)
            version = _version(connection, job, instruction_version_id)
            shown = _with_renderings(connection, screenshots_of(connection, *version))
            pictures = _set_of(shown)
            corrections_sha256 = (
                corrections_hash(corrections_of(connection, job_id)) if export_format in HEARD_FORMATS else None
            )
            is_branded = export_format.is_added or export_format in BRANDED_FORMATS
            brand = brand_mark(connection, job["project_id"]) if is_branded else None
            identity = identity_key(instruction_version_id, export_format, pictures, corrections_sha256, brand)
            existing = _find(
                connection,
                exports.c.instruction_id == version.instruction_id,
                exports.c.identity_key == identity,
                exports.c.status != str(ExportStatus.FAILED),
            )
            if existing is not None:
                return existing, False
            export = Export(
                id=self._new_id(),
                job_id=job_id,
                instruction_id=version.instruction_id,
                instruction_version_id=instruction_version_id,
                owner=owner,
                format=export_format,
                identity_key=identity,
                status=ExportStatus.REQUESTED,
                provenance={
                    "instruction_version_id": instruction_version_id,
                    "screenshot_set_hash": pictures,
                    "anchors": [{**each.provenance, "block_id": each.block_id} for each in shown],
                    **({"brand": brand} if brand else {}),
                },
                requested_at=now,
                updated_at=now,
            )
            columns = export.model_dump(mode="json", exclude={"blob", "failure"})
            connection.execute(insert(exports), {**columns, "requested_at": now, "updated_at": now})
            _log(job, EventType.EXPORT_REQUESTED, export, actor=Actor.EDITOR)
            job.save()
            return export, True

    def pictures_of_export(self, export_id: str) -> tuple[Screenshot, ...]:
        """The pictures that showed when the export was asked for, in the order of their blocks. Raises: NotFound."""
        with self._database.read() as connection:
            export = _find(connection, exports.c.id == export_id)
            if export is None:
                raise not_found()
            anchors = export.provenance.get("anchors")
            if isinstance(anchors, Sequence):
                return _frozen(connection, anchors)
            version = connection.execute(_VERSION, {"version_id": export.instruction_version_id}).one()
            return _with_renderings(connection, screenshots_of(connection, *version))

    def picture_set(self, instruction_version_id: str) -> str:
        """The hash of the pictures that an export of the version would show now. Raises: NotFound."""
        with self._database.read() as connection:
            version = connection.execute(_VERSION, {"version_id": instruction_version_id}).one_or_none()
            if version is None:
                raise not_found()
            return _set_of(_with_renderings(connection, screenshots_of(connection, *version)))

    def begin_export(self, export_id: str) -> Export:
        """The work begins. Begun or ended before: nothing changes. Raises: NotFound."""
        with self._database.write() as connection:
            job, export = _hold(connection, export_id, self._clock())
            if export.status is not ExportStatus.REQUESTED:
                return export
            return _settle(connection, job, export, ExportStatus.RUNNING, EventType.EXPORT_STARTED)

    def finish_export(
        self,
        export_id: str,
        blob: Blob,
        filename: str,
        provenance: Mapping[str, object],
        warnings: Sequence[str] = (),
        *,
        incomplete: bool = False,
    ) -> Export:
        """The file is stored: ``provenance`` is frozen, with the hash of its anchors and the time.

        Args:
            incomplete: It does not stand for what another request for the same would make (pictures that belong to it
                could not be read, or it put the guide somewhere else). It keeps its file, and the same request makes a
                new one.

        An export that had ended is answered as it is.

        Raises:
            NotFound: There is no such export.
        """
        with self._database.write() as connection:
            job, export = _hold(connection, export_id, self._clock())
            if export.status in _ENDED:
                return export
            return _settle(
                connection,
                job,
                export,
                ExportStatus.SUCCEEDED,
                EventType.EXPORT_SUCCEEDED,
                **rows.blob_columns(blob),
                filename=filename,
                provenance={
                    **export.provenance,
                    **_hash_of_anchors(provenance),
                    **provenance,
                    "generated_at": job.now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                },
                provenance_frozen_at=job.now,
                warnings=list(warnings),
                **({"identity_key": _of_its_own(export)} if incomplete else {}),
            )

    def fail_export(self, export_id: str, failure: Failure) -> Export:
        """The work failed; an export that had ended is answered as it is. Raises: NotFound."""
        with self._database.write() as connection:
            job, export = _hold(connection, export_id, self._clock())
            if export.status in _ENDED:
                return export
            columns = rows.failure_columns(failure, job["correlation_id"])
            return _settle(connection, job, export, ExportStatus.FAILED, EventType.EXPORT_FAILED, **columns)

    def lose_export(self, export_id: str) -> Export:
        """A finished export's file is gone: it has failed after all, so that the same request makes a new one.

        An export that has no file to lose is answered as it is. Raises: NotFound.
        """
        with self._database.write() as connection:
            job, export = _hold(connection, export_id, self._clock())
            if export.status is not ExportStatus.SUCCEEDED:
                return export
            columns = rows.failure_columns(_FILE_LOST, job["correlation_id"])
            fileless = dict.fromkeys(("key", "size_bytes", "checksum_sha256", "media_type", "provenance_frozen_at"))
            return _settle(connection, job, export, ExportStatus.FAILED, EventType.EXPORT_FAILED, **columns, **fileless)

    def get_export(self, export_id: str, *, owner: str | None = None) -> Export:
        """Raises: NotFound: absent, or not ``owner``'s where one is given."""
        with self._database.read() as connection:
            export = _find(connection, exports.c.id == export_id)
        if export is None or (owner is not None and export.owner != owner):
            raise not_found()
        return export

    def hides_something(self, instruction_id: str) -> bool:
        """Whether anything that the recording shows is hidden in a picture that the instruction has, or ever had: who
        deletes or replaces a blurred picture wants its frame to be seen no more than before. A picture of somebody's
        own may have been retouched; of drawings of earlier versions nobody knows what they hide."""
        made = select(screenshot_assets.c.kind, screenshot_assets.c.operations).join(
            anchors, anchors.c.id == screenshot_assets.c.anchor_id
        )
        others = made.where(anchors.c.instruction_id == pictured(), screenshot_assets.c.kind != AssetKind.EXTRACTED)
        with self._database.read() as connection:
            drawn = connection.execute(others, {"instruction_id": instruction_id}).mappings().all()
        return any(
            each["kind"] != ANNOTATED or not each["operations"] or hides(rows.operations(each)) for each in drawn
        )

    def place_of(self, instruction_id: str, export_format: ExportFormat) -> Mapping[str, Any] | None:
        """Where the last export of that format put the instruction; ``None``: nowhere yet."""
        query = (
            select(exports.c.provenance)
            .where(
                exports.c.instruction_id == instruction_id,
                exports.c.format == str(export_format),
                exports.c.status == str(ExportStatus.SUCCEEDED),
            )
            .order_by(exports.c.completed_at.desc(), exports.c.id.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            provenance = connection.scalar(query)
        return None if provenance is None else provenance.get("place")

    def list_exports(self, owner: str, job_id: str, limit: int = 20, cursor: str | None = None) -> Page[Export]:
        """A job's exports, newest first.

        Raises:
            NotFound: The job is absent, or not ``owner``'s. RequestInvalid: bad limit or cursor.
        """
        query = select(exports).where(exports.c.job_id == job_id)
        with self._database.read() as connection:
            read_job(connection, job_id, owner)
            return newest_first(
                connection, query, exports.c.requested_at, exports.c.id, limit=limit, cursor=cursor, read=rows.export
            )


def _of_its_own(export: Export) -> str:
    """An identity that no request has."""
    return hashlib.sha256(f"{export.identity_key}\n{export.id}".encode()).hexdigest()


def _hold(connection: Connection, export_id: str, now: datetime) -> tuple[LockedJob, Export]:
    """The export's job, locked, and the export as it is under that lock."""
    known = _find(connection, exports.c.id == export_id)
    if known is None:
        raise not_found()
    job = LockedJob(connection, known.job_id, now)
    return job, _find(connection, exports.c.id == export_id) or known


def _settle(
    connection: Connection,
    job: LockedJob,
    export: Export,
    status: ExportStatus,
    event_type: EventType,
    **columns: Any,
) -> Export:
    columns |= {"status": str(status), "updated_at": job.now, "completed_at": job.now if status in _ENDED else None}
    changed = update(exports).where(exports.c.id == export.id).values(columns).returning(*exports.c)
    settled = rows.export(connection.execute(changed).mappings().one())
    _log(job, event_type, settled)
    job.save()
    return settled


def _version(connection: Connection, job: LockedJob, instruction_version_id: str) -> Any:
    row = connection.execute(_VERSION, {"version_id": instruction_version_id}).one_or_none()
    # the job's document, or a translation of it
    mine = select(instructions.c.id).where(instructions.c.job_id == job.id)
    if row is None or connection.execute(mine.where(instructions.c.id == row.instruction_id)).first() is None:
        raise ExportRequestInvalid("The job's instruction has no such version.")
    return row


def _hash_of_anchors(provenance: Mapping[str, object]) -> dict[str, object]:
    """What the file shows may be newer than what stood there at the request: hash what the publisher says."""
    anchors = provenance.get("anchors")
    if not isinstance(anchors, Sequence):
        return {}
    return {
        "screenshot_set_hash": screenshot_set_hash(
            (str(anchor["anchor_id"]), str(anchor["active_asset_id"]), anchor.get("marked_outcome"))
            for anchor in anchors
        )
    }


def _frozen(connection: Connection, anchors: Sequence[Mapping[str, Any]]) -> tuple[Screenshot, ...]:
    """The pictures as the request wrote them down. What was deleted since is deleted from view, and still stored."""
    assets = {row["id"]: row for row in _assets(connection, [each["active_asset_id"] for each in anchors])}
    outcomes = set(connection.scalars(_OUTCOMES, {"ids": [each["anchor_id"] for each in anchors]}))
    shown = tuple(
        Screenshot(
            anchor_id=each["anchor_id"],
            asset_id=each["active_asset_id"],
            block_id=each["block_id"],
            blob=rows.blob(asset),
            width=asset["width"],
            height=asset["height"],
            timestamp_ms=asset["timestamp_ms"],
            rendered_asset_id=each["rendered_asset_id"],
            operations=rows.operations(asset),
            is_outcome=each.get("marked_outcome", each["anchor_id"] in outcomes),
            is_marked="marked_outcome" in each,
        )
        for each in anchors
        if (asset := assets.get(each["active_asset_id"])) is not None
    )
    return _with_bases(connection, shown, assets)


def _set_of(shown: Sequence[Screenshot]) -> str:
    return screenshot_set_hash(
        (each.anchor_id, each.asset_id, each.is_outcome if each.is_marked else None) for each in shown
    )


def _with_renderings(connection: Connection, shown: Sequence[Screenshot]) -> tuple[Screenshot, ...]:
    assets = {row["id"]: row for row in _assets(connection, [each.asset_id for each in shown])}
    drawings = {asset_id for asset_id, row in assets.items() if row["kind"] == ANNOTATED}
    rendered = tuple(
        each.model_copy(update={"rendered_asset_id": each.asset_id}) if each.asset_id in drawings else each
        for each in shown
    )
    return _with_bases(connection, rendered, assets)


def _with_bases(
    connection: Connection, shown: Sequence[Screenshot], assets: Mapping[str, rows.Columns]
) -> tuple[Screenshot, ...]:
    """With the picture below each drawing whose operations are known."""
    below = {each.asset_id: assets[each.asset_id]["rendered_from_asset_id"] for each in shown if each.operations}
    bases = {row["id"]: rows.blob(row) for row in _assets(connection, [each for each in below.values() if each])}
    return tuple(each.model_copy(update={"base": bases.get(below.get(each.asset_id, ""))}) for each in shown)


def _assets(connection: Connection, ids: Sequence[str]) -> Sequence[rows.Columns]:
    return connection.execute(_ASSETS, {"ids": ids}).mappings().all()


def _find(connection: Connection, *criteria: ColumnElement[bool]) -> Export | None:
    row = connection.execute(select(exports).where(*criteria)).mappings().one_or_none()
    return rows.export(row) if row is not None else None


def _log(job: LockedJob, event_type: EventType, export: Export, actor: Actor = Actor.ORCHESTRATOR) -> None:
    data: dict[str, object] = {
        "export_id": export.id,
        "export_status": str(export.status),
        "format": str(export.format),
    }
    if export.failure is not None:
        data["failure_code"] = export.failure.failure_code
    job.log(event_type, stream=STREAM, actor=actor, data=data)
