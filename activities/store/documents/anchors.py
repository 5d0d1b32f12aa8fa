"""Anchors: made, listed with their pictures, and resolved against another version of the text."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select, update

from activities.store import rows
from activities.store.cursors import newest_first
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import anchors, instruction_versions, instructions, screenshot_assets
from domain.documents.anchors import Addressing, Anchor, marked
from domain.documents.document import parse
from domain.documents.screenshots import ScreenshotAsset
from domain.erasure import is_absent
from domain.errors import TranslationMismatch
from domain.jobs import Actor, Page

STREAM = "task"


def pictured() -> ColumnElement[str]:
    """Whose pictures the instruction of the parameter ``instruction_id`` shows: a translation has its original's."""
    original = select(instructions.c.translation_of).where(instructions.c.id == bindparam("instruction_id"))
    return func.coalesce(original.scalar_subquery(), bindparam("instruction_id"))


_ANCHORS = select(anchors, instructions.c.job_id).join(instructions, instructions.c.id == anchors.c.instruction_id)
_OWNED = _ANCHORS.where(anchors.c.id == bindparam("anchor_id"), instructions.c.owner == bindparam("owner"))
_ONE = _ANCHORS.where(anchors.c.id == bindparam("anchor_id"))
_OF_INSTRUCTION = _ANCHORS.where(anchors.c.instruction_id == bindparam("instruction_id")).order_by(anchors.c.id)
_AT_BLOCK = _OF_INSTRUCTION.where(anchors.c.block_id == bindparam("block_id"))
_AT_RANGES = _OF_INSTRUCTION.where(anchors.c.block_id.is_(None))
_VERSION = select(instruction_versions.c.id, instruction_versions.c.markdown, instruction_versions.c.evidence).where(
    instruction_versions.c.id == bindparam("version_id"),
    instruction_versions.c.instruction_id == bindparam("instruction_id"),
)
_TEXTS = select(instruction_versions.c.id, instruction_versions.c.markdown).where(
    instruction_versions.c.id.in_(bindparam("ids", expanding=True))
)
_ASSETS = select(screenshot_assets).where(screenshot_assets.c.anchor_id.in_(bindparam("ids", expanding=True)))
_ASSET = select(screenshot_assets).where(screenshot_assets.c.id == bindparam("asset_id"))
_OWNER_OF_ASSET = (
    select(instructions.c.owner)
    .join(anchors, anchors.c.instruction_id == instructions.c.id)
    .join(screenshot_assets, screenshot_assets.c.anchor_id == anchors.c.id)
    .where(screenshot_assets.c.id == bindparam("asset_id"))
)
_NEWEST_LIVE = (
    select(screenshot_assets.c.id)
    .where(screenshot_assets.c.anchor_id == bindparam("anchor_id"), screenshot_assets.c.is_deleted.is_(False))
    .order_by(screenshot_assets.c.version.desc())
    .limit(1)
)
_NEXT_VERSION = select(func.coalesce(func.max(screenshot_assets.c.version), 0) + 1).where(
    screenshot_assets.c.anchor_id == bindparam("anchor_id")
)
SHOW = (
    update(anchors)
    .where(anchors.c.id == bindparam("anchor"))
    .values(active_asset_id=bindparam("asset"), updated_at=bindparam("moment"))
)
_DELETE = update(screenshot_assets).where(screenshot_assets.c.id == bindparam("asset")).values(is_deleted=True)

_UNDELETE = update(screenshot_assets).where(screenshot_assets.c.id == bindparam("asset")).values(is_deleted=False)


def read_anchor(connection: Connection, anchor_id: str, owner: str | None = None) -> Anchor:
    """Raises: NotFound: absent, or not ``owner``'s where one is given."""
    query, key = (_ONE, {}) if owner is None else (_OWNED, {"owner": owner})
    row = connection.execute(query, {"anchor_id": anchor_id, **key}).mappings().one_or_none()
    if row is None:
        raise not_found()
    return rows.anchor(row)


def locked_anchor(connection: Connection, anchor_id: str, owner: str, now: datetime) -> tuple[LockedJob, Anchor]:
    """The anchor's job, locked, and the anchor as it is under that lock. Raises as :func:`read_anchor`."""
    job = LockedJob(connection, read_anchor(connection, anchor_id, owner).job_id, now, owner=owner)
    return job, read_anchor(connection, anchor_id)


def read_version(connection: Connection, instruction_id: str | None, version_id: str) -> Any:
    """``id``, ``markdown`` and ``evidence`` of an instruction's version. Raises: NotFound: it has no such version."""
    key = {"version_id": version_id, "instruction_id": instruction_id}
    row = connection.execute(_VERSION, key).one_or_none()
    if row is None:
        raise not_found()
    return row


def add_anchor(
    connection: Connection,
    job: LockedJob,
    version_id: str,
    addressing: Addressing,
    new_id: Callable[[], str],
) -> Anchor:
    """An anchor at a place that was checked against the version. The job's row must be locked."""
    made = Anchor(
        id=new_id(),
        instruction_id=job["instruction_id"],
        instruction_version_id=version_id,
        job_id=job.id,
        addressing=addressing,
        created_at=job.now,
        updated_at=job.now,
    )
    columns = made.model_dump(include={"id", "instruction_id", "instruction_version_id", "created_at", "updated_at"})
    connection.execute(insert(anchors), {**columns, **addressing.model_dump(mode="json")})
    return made


def anchors_at(
    connection: Connection, instruction_id: str, version_id: str, addressing: Addressing
) -> tuple[Anchor, ...]:
    """The anchors at a place, oldest first. A range is a place of its own version alone."""
    key = {"instruction_id": instruction_id}
    if addressing.char_range is None:
        there = connection.execute(_AT_BLOCK, {**key, "block_id": addressing.block_id}).mappings()
        return tuple(rows.anchor(row) for row in there)
    ranges = (rows.anchor(row) for row in connection.execute(_AT_RANGES, key).mappings())
    return tuple(
        each
        for each in ranges
        if each.addressing.char_range == addressing.char_range and each.instruction_version_id == version_id
    )


def add_asset(
    connection: Connection,
    anchor_id: str,
    now: datetime,
    *,
    previous_asset_id: str | None,
    asset_id: str,
    **columns: Any,
) -> ScreenshotAsset:
    """The next version of an anchor's picture, which shows from now on instead of the previous one. The job's row must
    be locked."""
    row = {
        "id": asset_id,
        "anchor_id": anchor_id,
        "version": connection.execute(_NEXT_VERSION, {"anchor_id": anchor_id}).scalar_one(),
        "previous_asset_id": previous_asset_id,
        "is_deleted": False,
        "created_at": now,
        **columns,
    }
    connection.execute(insert(screenshot_assets), row)
    show(connection, anchor_id, asset_id, now)
    return rows.screenshot_asset(row)


def show(connection: Connection, anchor_id: str, asset_id: str | None, now: datetime) -> None:
    """Let an asset show at its anchor, or nothing."""
    connection.execute(SHOW, {"anchor": anchor_id, "asset": asset_id, "moment": now})


def read_asset(connection: Connection, asset_id: str) -> ScreenshotAsset | None:
    row = connection.execute(_ASSET, {"asset_id": asset_id}).mappings().one_or_none()
    return rows.screenshot_asset(row) if row is not None else None


class Anchors(Repository):
    def create_anchor(
        self, owner: str, instruction_id: str, instruction_version_id: str, addressing: Addressing
    ) -> Anchor:
        """Make an anchor, without a picture, at a place of a version.

        Raises:
            NotFound: The instruction is absent or not ``owner``'s, or has no such version.
            RequestInvalid: The version has no such place.
            TranslationMismatch: It is a translation, and shows its original's pictures.
        """
        mine = instructions.c.id == instruction_id, instructions.c.owner == owner
        with self._database.write() as connection:
            found = connection.execute(
                select(instructions.c.job_id, instructions.c.translation_of).where(*mine)
            ).first()
            if found is None:
                raise not_found()
            if found.translation_of is not None:
                raise TranslationMismatch(
                    "A translation shows the pictures of its original. Change them there.",
                    details={"translation_of": found.translation_of},
                )
            job = LockedJob(connection, found.job_id, self._clock(), owner=owner)
            version = read_version(connection, instruction_id, instruction_version_id)
            place = addressing.checked(parse(version.markdown))
            anchor = add_anchor(connection, job, version.id, place, self._new_id)
            job.log(EventType.ANCHOR_CREATED, stream=STREAM, actor=Actor.EDITOR, data={"anchor_id": anchor.id})
            job.save()
            return anchor

    def get_anchor(self, owner: str, anchor_id: str) -> Anchor:
        """Raises: NotFound: absent, or not ``owner``'s."""
        with self._database.read() as connection:
            return read_anchor(connection, anchor_id, owner)

    def list_anchors(self, owner: str, instruction_id: str, limit: int = 20, cursor: str | None = None) -> Page[Anchor]:
        """An instruction's anchors, newest first; of a translation its original's.

        Raises:
            NotFound: The instruction is absent, or not ``owner``'s. RequestInvalid: bad limit or cursor.
        """
        owned = select(instructions.c.id).where(instructions.c.id == instruction_id, instructions.c.owner == owner)
        with self._database.read() as connection:
            if connection.execute(owned).one_or_none() is None:
                raise not_found()
            shown = connection.scalar(select(pictured()), {"instruction_id": instruction_id})
            query = _ANCHORS.where(anchors.c.instruction_id == shown)
            return newest_first(
                connection, query, anchors.c.created_at, anchors.c.id, limit=limit, cursor=cursor, read=rows.anchor
            )

    def assets_of(
        self, anchor_ids: Sequence[str], *, include_deleted: bool = False
    ) -> Mapping[str, tuple[ScreenshotAsset, ...]]:
        """The pictures of some anchors, the newest version of each first."""
        query = _ASSETS if include_deleted else _ASSETS.where(screenshot_assets.c.is_deleted.is_(False))
        found: dict[str, list[ScreenshotAsset]] = defaultdict(list)
        with self._database.read() as connection:
            for row in connection.execute(query, {"ids": list(anchor_ids)}).mappings():
                found[row["anchor_id"]].append(rows.screenshot_asset(row))
        return {each: tuple(sorted(found[each], key=_version, reverse=True)) for each in anchor_ids}

    def get_asset(self, asset_id: str) -> ScreenshotAsset | None:
        """A picture at an anchor, deleted or not; whoever asks may see it. ``None``: there is none, or its guide lies
        in the bin or is being erased."""
        with self._database.read() as connection:
            owner = connection.scalar(_OWNER_OF_ASSET, {"asset_id": asset_id})
            return None if owner is None or is_absent(owner) else read_asset(connection, asset_id)

    def texts_of(self, version_ids: Iterable[str]) -> Mapping[str, str]:
        """The Markdown of some versions, by their ids."""
        with self._database.read() as connection:
            found = connection.execute(_TEXTS, {"ids": sorted(set(version_ids))})
            return {row.id: row.markdown for row in found}

    def show_asset(self, owner: str, anchor_id: str, asset_id: str, *, undelete: bool = False) -> Anchor:
        """Let one of an anchor's pictures show. Where it shows already nothing is written.

        Args:
            undelete: Also one that was deleted, which it is no more.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s, or the picture is not the anchor's, or deleted.
        """
        with self._database.write() as connection:
            job, anchor = locked_anchor(connection, anchor_id, owner, self._clock())
            asset = read_asset(connection, asset_id)
            if asset is None or asset.anchor_id != anchor.id or (asset.is_deleted and not undelete):
                raise not_found()
            if asset.is_deleted:
                connection.execute(_UNDELETE, {"asset": asset.id})
            if anchor.active_asset_id == asset.id:
                return anchor
            show(connection, anchor.id, asset.id, job.now)
            facts = {"anchor_id": anchor.id, "asset_id": asset.id}
            job.log(EventType.SCREENSHOT_SHOWN, stream=STREAM, actor=Actor.EDITOR, data=facts)
            job.save()
            return read_anchor(connection, anchor.id)

    def hide_assets(self, owner: str, anchor_id: str) -> Anchor:
        """Let nothing show at an anchor; its pictures stay. Once more: nothing.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s.
        """
        with self._database.write() as connection:
            job, anchor = locked_anchor(connection, anchor_id, owner, self._clock())
            if anchor.active_asset_id is None:
                return anchor
            show(connection, anchor.id, None, job.now)
            facts = {"anchor_id": anchor.id, "asset_id": None}
            job.log(EventType.SCREENSHOT_SHOWN, stream=STREAM, actor=Actor.EDITOR, data=facts)
            job.save()
            return read_anchor(connection, anchor.id)

    def mark_outcome(self, owner: str, anchor_id: str, *, is_outcome: bool) -> Anchor:
        """Say whether what shows at an anchor shows what came of its step. Once more: nothing.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s.
        """
        with self._database.write() as connection:
            job, anchor = locked_anchor(connection, anchor_id, owner, self._clock())
            if anchor.is_outcome == is_outcome:
                return anchor
            strategy = marked(anchor.addressing.strategy, is_outcome=is_outcome)
            changed = update(anchors).where(anchors.c.id == anchor.id)
            connection.execute(changed.values(strategy=strategy, updated_at=job.now))
            facts = {"anchor_id": anchor.id, "asset_id": anchor.active_asset_id, "is_outcome": is_outcome}
            job.log(EventType.SCREENSHOT_SHOWN, stream=STREAM, actor=Actor.EDITOR, data=facts)
            job.save()
            return read_anchor(connection, anchor.id)

    def delete_asset(self, owner: str, anchor_id: str, asset_id: str) -> Anchor:
        """Take a picture out of view. Where it showed, the newest that is left shows, or nothing. Once more: nothing.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s, or the picture is not the anchor's.
        """
        with self._database.write() as connection:
            job, anchor = locked_anchor(connection, anchor_id, owner, self._clock())
            asset = read_asset(connection, asset_id)
            if asset is None or asset.anchor_id != anchor.id:
                raise not_found()
            if asset.is_deleted:
                return anchor
            connection.execute(_DELETE, {"asset": asset.id})
            if anchor.active_asset_id == asset.id:
                left = connection.execute(_NEWEST_LIVE, {"anchor_id": anchor.id}).scalar_one_or_none()
                show(connection, anchor.id, left, job.now)
            now = read_anchor(connection, anchor.id)
            facts = {"anchor_id": anchor.id, "asset_id": asset.id, "active_asset_id": now.active_asset_id}
            job.log(EventType.SCREENSHOT_DELETED, stream=STREAM, actor=Actor.EDITOR, data=facts)
            job.save()
            return now


def _version(asset: ScreenshotAsset) -> int:
    return asset.version or 0
