"""Drawings on pictures: the annotated version of an anchor's picture, made once for what was drawn on what."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from activities.store import rows
from activities.store.documents.anchors import STREAM, add_asset, show
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import anchors, instructions, screenshot_assets
from domain.artifacts import Blob
from domain.documents.screenshots import NewDrawing
from domain.jobs import Actor

ANNOTATED = "ANNOTATED"

_BASE = (
    select(
        instructions.c.job_id,
        anchors.c.active_asset_id,
        screenshot_assets.c.id.label("base_asset_id"),
        *(screenshot_assets.c[name] for name in ("key", "size_bytes", "checksum_sha256", "media_type", "timestamp_ms")),
    )
    .join(anchors, anchors.c.instruction_id == instructions.c.id)
    .join(screenshot_assets, screenshot_assets.c.anchor_id == anchors.c.id)
    .where(
        instructions.c.owner == bindparam("owner"),
        anchors.c.id == bindparam("anchor_id"),
        screenshot_assets.c.id == bindparam("base"),
        screenshot_assets.c.is_deleted.is_(False),
    )
)
_DRAWN = (
    select(screenshot_assets.c.id)
    .where(
        screenshot_assets.c.anchor_id == bindparam("anchor_id"),
        screenshot_assets.c.kind == ANNOTATED,
        screenshot_assets.c.rendered_from_asset_id == bindparam("base_asset_id"),
        screenshot_assets.c.ops_hash == bindparam("ops_hash"),
        screenshot_assets.c.is_deleted.is_(False),
    )
    .order_by(screenshot_assets.c.version)
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class AnnotationBase:
    """The picture that is drawn on, and the job that it belongs to."""

    job_id: str
    blob: Blob


class Annotations(Repository):
    def annotation_base(self, owner: str, anchor_id: str, base_asset_id: str) -> AnnotationBase:
        """The picture to draw on.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s, or the picture is absent, deleted or another anchor's.
        """
        with self._database.read() as connection:
            base = _base(connection, owner, anchor_id, base_asset_id)
            return AnnotationBase(job_id=base["job_id"], blob=rows.blob(base))

    def show_annotation(self, owner: str, anchor_id: str, base_asset_id: str, ops_hash: str) -> str | None:
        """Let a drawing that was made before show again.

        Returns:
            Its asset's id, or ``None`` where there is none that still lives. Where it shows already nothing is written.

        Raises:
            NotFound: As :meth:`annotation_base`.
        """
        with self._database.read() as connection:
            base = _base(connection, owner, anchor_id, base_asset_id)
            drawn = _drawn(connection, anchor_id, base_asset_id, ops_hash)
        if drawn is None or base["active_asset_id"] == drawn:
            return drawn
        return self._record(owner, anchor_id, base_asset_id, ops_hash, None)

    def add_annotation(self, owner: str, anchor_id: str, base_asset_id: str, new: NewDrawing) -> str:
        """Record a drawing as the next version of the anchor's picture, and let it show.

        Returns:
            The asset's id: that of the drawing that is there already, if somebody was faster.

        Raises:
            NotFound: As :meth:`annotation_base`; nothing was written.
        """
        asset_id = self._record(owner, anchor_id, base_asset_id, new.ops_hash, new)
        assert asset_id is not None
        return asset_id

    def _record(
        self, owner: str, anchor_id: str, base_asset_id: str, ops_hash: str, new: NewDrawing | None
    ) -> str | None:
        with self._database.write() as connection:
            found = _base(connection, owner, anchor_id, base_asset_id)
            job = LockedJob(connection, found["job_id"], self._clock(), owner=owner)
            base = _base(connection, owner, anchor_id, base_asset_id)  # as it is under the lock
            asset_id = _drawn(connection, anchor_id, base_asset_id, ops_hash)
            if asset_id is None and new is not None:
                asset_id = self._new_id()
                add_asset(
                    connection,
                    anchor_id,
                    job.now,
                    previous_asset_id=base["active_asset_id"],
                    asset_id=asset_id,
                    kind=ANNOTATED,
                    **rows.blob_columns(new.blob),
                    width=new.width,
                    height=new.height,
                    timestamp_ms=base["timestamp_ms"],
                    ops_hash=new.ops_hash,
                    operations=rows.operations_column(new.operations),
                    rendered_from_asset_id=base["base_asset_id"],
                )
            elif asset_id is None or base["active_asset_id"] == asset_id:
                return asset_id
            else:
                show(connection, anchor_id, asset_id, job.now)
            job.log(
                EventType.ANCHOR_ANNOTATED,
                stream=STREAM,
                actor=Actor.EDITOR,
                data={"anchor_id": anchor_id, "asset_id": asset_id, "base_asset_id": base_asset_id},
            )
            job.save()
            return asset_id


def _base(connection: Connection, owner: str, anchor_id: str, base_asset_id: str) -> rows.Columns:
    key = {"owner": owner, "anchor_id": anchor_id, "base": base_asset_id}
    found = connection.execute(_BASE, key).mappings().one_or_none()
    if found is None:
        raise not_found()
    return found


def _drawn(connection: Connection, anchor_id: str, base_asset_id: str, ops_hash: str) -> str | None:
    key = {"anchor_id": anchor_id, "base_asset_id": base_asset_id, "ops_hash": ops_hash}
    return connection.execute(_DRAWN, key).scalar_one_or_none()
