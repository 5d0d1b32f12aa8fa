"""Which pictures showed with a version of an instruction, and how they come back with it.

A picture changes without a new version. What showed with a version is what showed when the next one was made.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from activities.store import rows
from activities.store.documents.anchors import SHOW
from activities.store.tables import anchors, instruction_versions, screenshot_assets
from domain.documents.screenshots import ScreenshotAsset, comes_back

_SHOWN = select(anchors.c.id, anchors.c.active_asset_id).where(anchors.c.instruction_id == bindparam("instruction_id"))
_ASSETS = select(screenshot_assets).where(screenshot_assets.c.anchor_id.in_(bindparam("anchors", expanding=True)))


def shown_now(connection: Connection, instruction_id: str) -> dict[str, str | None]:
    """The picture that shows at each anchor, or none."""
    found = connection.execute(_SHOWN, {"instruction_id": instruction_id})
    return {row.id: row.active_asset_id for row in found}


def keep_shown(connection: Connection, instruction_id: str, version: int) -> None:
    """Remember what shows with a version that is the newest for a moment yet."""
    key = (instruction_versions.c.instruction_id == instruction_id, instruction_versions.c.version == version)
    shown = shown_now(connection, instruction_id)
    connection.execute(update(instruction_versions).where(*key).values(pictures=shown))


def to_show_again(connection: Connection, instruction_id: str, version_id: str) -> Mapping[str, str | None]:
    """What of an earlier version's pictures is not what shows now, and may show again: see ``comes_back``. Nothing of a
    version that is older than this is remembered."""
    query = select(instruction_versions.c.pictures, instruction_versions.c.created_at)
    then = connection.execute(query.where(instruction_versions.c.id == version_id)).one()
    if then.pictures is None:
        return {}
    now = shown_now(connection, instruction_id)
    other = {anchor: then.pictures.get(anchor) for anchor, asset in now.items() if asset != then.pictures.get(anchor)}
    found = connection.execute(_ASSETS, {"anchors": sorted(other)}).mappings()
    assets = {row["id"]: rows.screenshot_asset(row) for row in found}
    since: dict[str | None, list[ScreenshotAsset]] = defaultdict(list)
    for each in assets.values():
        if each.created_at > then.created_at or each.id == now.get(each.anchor_id or ""):
            since[each.anchor_id].append(each)
    return {
        anchor: earlier
        for anchor, earlier in other.items()
        if (earlier is None or earlier in assets)
        and comes_back(assets[earlier] if earlier is not None else None, since[anchor])
    }


def show_again(connection: Connection, wanted: Mapping[str, str | None], now: datetime) -> None:
    """Let these show, or nothing."""
    values: list[dict[str, Any]] = [{"anchor": each, "asset": asset, "moment": now} for each, asset in wanted.items()]
    if values:
        connection.execute(SHOW, values)
