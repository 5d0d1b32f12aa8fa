"""Anchors, the places of an instruction that show a picture, and the versions of those pictures."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select

from activities.store import rows
from activities.store.documents.anchors import SHOW, pictured
from activities.store.documents.documents import current_version
from activities.store.jobs.locking import not_found
from activities.store.repository import Repository
from activities.store.tables import anchors, instruction_versions, screenshot_assets
from domain.documents.anchor_resolution import Resolver
from domain.documents.anchors import DRAFTED_OUTCOMES, OUTCOME
from domain.documents.document import BlockEvidence, Document, absorbed_by, parse
from domain.documents.screenshots import NewScreenshot, Screenshot
from domain.errors import DocumentInvalid

_EXTRACTED = "EXTRACTED"
_ANNOTATED = "ANNOTATED"
_BLOCK = "block_id"

_SHOWN = (
    select(
        anchors.c.id.label("anchor_id"),
        *(anchors.c[name] for name in ("address_type", "block_id", "char_range", "strategy", "instruction_version_id")),
        screenshot_assets.c.id.label("asset_id"),
        *(
            screenshot_assets.c[name]
            for name in (
                *("key", "size_bytes", "checksum_sha256", "media_type", "width", "height", "timestamp_ms"),
                "operations",
            )
        ),
    )
    .join(screenshot_assets, screenshot_assets.c.id == anchors.c.active_asset_id)
    .where(anchors.c.instruction_id == pictured())
    .order_by(anchors.c.id)
)
_TEXT = select(instruction_versions.c.markdown).where(instruction_versions.c.id == bindparam("version_id"))
_EXISTING = (
    select(
        anchors.c.id,
        anchors.c.block_id,
        anchors.c.strategy,
        anchors.c.active_asset_id,
        func.max(screenshot_assets.c.version),
    )
    .join(screenshot_assets, screenshot_assets.c.anchor_id == anchors.c.id)
    .where(anchors.c.instruction_id == bindparam("instruction_id"), anchors.c.address_type == _BLOCK)
    .group_by(anchors.c.id, anchors.c.block_id, anchors.c.strategy, anchors.c.active_asset_id)
    .order_by(anchors.c.id)
)


def add_screenshots(
    connection: Connection,
    instruction_id: str | None,
    shots: Sequence[NewScreenshot],
    now: datetime,
    new_id: Callable[[], str],
) -> None:
    """Anchor each frame at its block, and let it show, or what was drawn on it.

    A block that was anchored by an earlier run keeps its anchor: the frame is the next version of its picture.

    Raises:
        DocumentInvalid: There is no instruction yet.
    """
    if instruction_id is None:
        raise DocumentInvalid("Screenshots belong to an instruction, and the job has none yet.")
    version = current_version(connection, instruction_id)
    free: dict[tuple[str, bool], list[Any]] = defaultdict(list)
    for row in connection.execute(_EXISTING, {"instruction_id": instruction_id}):
        free[row.block_id, row.strategy in DRAFTED_OUTCOMES].append(row)
    new_anchors: list[dict[str, Any]] = []
    assets: list[dict[str, Any]] = []
    replaced: list[dict[str, Any]] = []
    for shot in shots:
        asset_id = new_id()
        drawn_id = new_id() if shot.drawing is not None else None
        shown_id = drawn_id or asset_id
        anchor_id, previous, newest = new_id(), None, 0
        if free[shot.block_id, shot.is_outcome]:
            anchor_id, _, _, previous, newest = free[shot.block_id, shot.is_outcome].pop(0)
            replaced.append({"anchor": anchor_id, "asset": shown_id, "moment": now})
        else:
            new_anchors.append(
                {
                    "id": anchor_id,
                    "instruction_id": instruction_id,
                    "instruction_version_id": version.id,
                    "address_type": _BLOCK,
                    "block_id": shot.block_id,
                    "strategy": OUTCOME if shot.is_outcome else None,
                    "active_asset_id": shown_id,
                    "created_at": now,
                    "updated_at": now,
                }
            )
        frame = {
            "id": asset_id,
            "anchor_id": anchor_id,
            "version": newest + 1,
            "kind": _EXTRACTED,
            "previous_asset_id": previous,
            **rows.blob_columns(shot.blob),
            "width": shot.width,
            "height": shot.height,
            "timestamp_ms": shot.timestamp_ms,
            "extraction_key": shot.extraction_key,
            "ops_hash": None,
            "operations": None,
            "rendered_from_asset_id": None,
            "is_deleted": False,
            "created_at": now,
        }
        assets.append(frame)
        if shot.drawing is not None:
            drawn = {
                "id": drawn_id,
                "version": newest + 2,
                "kind": _ANNOTATED,
                "previous_asset_id": asset_id,
                **rows.blob_columns(shot.drawing.blob),
                "width": shot.drawing.width,
                "height": shot.drawing.height,
                "extraction_key": None,
                "ops_hash": shot.drawing.ops_hash,
                "operations": rows.operations_column(shot.drawing.operations),
                "rendered_from_asset_id": asset_id,
            }
            assets.append({**frame, **drawn})
    if new_anchors:
        connection.execute(insert(anchors), new_anchors)
    connection.execute(insert(screenshot_assets), assets)
    if replaced:
        connection.execute(SHOW, replaced)


def screenshots_of(
    connection: Connection, instruction_id: str, markdown: str, evidence: Iterable[Mapping[str, Any]]
) -> tuple[Screenshot, ...]:
    """The pictures that a version of the instruction shows, in the order of its blocks.

    A block that is still there shows its pictures, however it was edited, and those of blocks that were merged into it.
    Any other place is looked for. What a person marked as what came of a step stands below the others of its block.
    """
    document = parse(markdown)
    place = {block_id: number for number, block_id in enumerate(document.ids)}
    absorbed = absorbed_by(BlockEvidence.model_validate(each) for each in evidence)
    search = _Search(connection, document, absorbed)
    pictures = []
    for row in connection.execute(_SHOWN, {"instruction_id": instruction_id}).mappings().all():
        block_id = row["block_id"] if row["block_id"] in place else search.block_of(row)
        if block_id is not None:
            pictures.append(rows.screenshot({**row, "block_id": block_id}))
    return tuple(sorted(pictures, key=lambda each: (place[each.block_id], each.is_marked and each.is_outcome)))


class _Search:
    """Looks for places of earlier versions in one text; what was read of a version is kept."""

    def __init__(self, connection: Connection, document: Document, absorbed: Mapping[str, str]) -> None:
        self._connection = connection
        self._document = document
        self._absorbed = absorbed
        self._known: dict[str, Resolver] = {}

    def block_of(self, row: rows.Columns) -> str | None:
        version_id = row["instruction_version_id"]
        if version_id not in self._known:
            before = self._connection.execute(_TEXT, {"version_id": version_id}).scalar_one()
            self._known[version_id] = Resolver(parse(before), self._document, self._absorbed)
        return self._known[version_id].resolve(rows.addressing(row)).block_id


def screenshot_set_hash(shown: Iterable[tuple[str, str, bool | None]]) -> str:
    """One hash for which pictures show where, and as what: SHA-256 over the sorted pairs of anchor id and asset id,
    each with what a person says of it (whether it shows what came of the step; ``None``: nothing)."""
    marks = {None: "", True: ":outcome", False: ":before"}
    lines = sorted(f"{anchor}:{asset}{marks[is_outcome]}" for anchor, asset, is_outcome in shown)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class Screenshots(Repository):
    def screenshots_for(self, instruction_version_id: str) -> tuple[Screenshot, ...]:
        """The active pictures of the anchors whose block is in that version, in the order of its blocks.

        Raises:
            NotFound: There is no such version.
        """
        query = select(*(instruction_versions.c[name] for name in ("instruction_id", "markdown", "evidence")))
        with self._database.read() as connection:
            found = query.where(instruction_versions.c.id == instruction_version_id)
            version = connection.execute(found).one_or_none()
            if version is None:
                raise not_found()
            return screenshots_of(connection, version.instruction_id, version.markdown, version.evidence)
