"""Guides as their writers look at them: with a picture, a title, how many steps, in a folder, sorted."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select
from sqlalchemy.engine import RowMapping

from activities.store import rows
from activities.store.cursors import by_name, newest_first
from activities.store.jobs.memberships import seen_by
from activities.store.repository import Repository
from activities.store.tables import (
    anchors,
    instruction_versions,
    instructions,
    jobs,
    project_members,
    projects,
    screenshot_assets,
    uploads,
)
from domain.documents.guides import GuideState, guide_state, steps_in
from domain.documents.screenshots import ScreenshotAsset
from domain.jobs import Frozen, Job, Page
from domain.lifecycles.instruction import INSTRUCTION

TITLE_SORTED_BY = 60
"""Characters of a title that order a list."""


class GuideSort(StrEnum):
    """CHANGED and MADE: the newest first. TITLE: from A to Z, as the database sorts."""

    CHANGED = "changed"
    MADE = "made"
    TITLE = "title"


class GuideCard(Frozen):
    """A guide in a list.

    Args:
        title: The document's; ``None``: there is none yet.
        file_name: The recording's, also while it arrives.
        version_id: Of its document's newest version.
        steps: ``None``: there is no document yet.
        picture: The first of its pictures.
        changed_at: When its document did last; where there is none, its job.
    """

    job: Job
    title: str | None
    file_name: str | None
    project_name: str
    state: GuideState
    version_id: str | None
    steps: int | None
    picture: ScreenshotAsset | None
    changed_at: datetime


class Folder(Frozen):
    """A project, whose it is, and how many guides are in it."""

    id: str
    owner: str
    name: str
    guides: int


def changed_at() -> ColumnElement[Any]:
    """When a guide changed last, of a row of ``jobs`` and, where there is one, of ``instructions``."""
    return func.coalesce(instructions.c.updated_at, jobs.c.updated_at)


def cards_of(connection: Connection, owner: str, job_ids: Collection[str]) -> dict[str, GuideCard]:
    """As :meth:`Guides.guide_cards`, in the caller's transaction."""
    query = _guides().where(seen_by(connection, owner), jobs.c.id.in_(sorted(job_ids)))
    found = _cards(connection, connection.execute(query).mappings().all())
    return {each.job.id: each for each in found}


_FILE = func.coalesce(jobs.c.source_name, uploads.c.filename)
_CHANGED = changed_at().label("guide_changed_at")
_SORTED_BY = func.lower(func.substr(func.coalesce(instruction_versions.c.title, _FILE, ""), 1, TITLE_SORTED_BY)).label(
    "guide_sorted_by"
)

_NEWEST = and_(
    instruction_versions.c.instruction_id == instructions.c.id,
    instruction_versions.c.version == instructions.c.current_version,
)


def _guides() -> Select[Any]:
    document = ("id", "title", "evidence", "warnings", "validation_status")
    return (
        select(
            jobs,
            *(instruction_versions.c[name].label(f"guide_{name}") for name in document),
            projects.c.name.label("guide_project"),
            _FILE.label("guide_file"),
            _CHANGED,
            _SORTED_BY,
        )
        .join(projects, projects.c.id == jobs.c.project_id)
        .outerjoin(instructions, instructions.c.id == jobs.c.instruction_id)
        .outerjoin(instruction_versions, _NEWEST)
        .outerjoin(uploads, and_(uploads.c.job_id == jobs.c.id, uploads.c.ordinal == 0))
        .where(jobs.c.kind == INSTRUCTION.kind)
    )


class Guides(Repository):
    def guides(
        self,
        owner: str,
        *,
        sort: GuideSort = GuideSort.CHANGED,
        project_id: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[GuideCard]:
        """``owner``'s guides, and those of projects that they are a member of, in the order of ``sort``.

        Raises:
            RequestInvalid: bad limit or cursor.
        """
        query = _guides()
        if project_id is not None:
            query = query.where(jobs.c.project_id == project_id)
        with self._database.read() as connection:
            query = query.where(seen_by(connection, owner))
            if sort is GuideSort.TITLE:
                page = by_name(connection, query, _SORTED_BY, jobs.c.id, limit=limit, cursor=cursor, read=dict)
            else:
                moment = _CHANGED if sort is GuideSort.CHANGED else jobs.c.created_at
                page = newest_first(connection, query, moment, jobs.c.id, limit=limit, cursor=cursor, read=dict)
            return Page(items=_cards(connection, page.items), next_cursor=page.next_cursor)

    def guide_cards(self, owner: str, job_ids: Collection[str]) -> dict[str, GuideCard]:
        """Those of ``job_ids`` that are guides and ``owner`` may see, by their id."""
        with self._database.read() as connection:
            return cards_of(connection, owner, job_ids)

    def folders(self, owner: str) -> tuple[Folder, ...]:
        """``owner``'s projects and those that they are a member of, by their names, and how many guides each has."""
        inside = and_(
            jobs.c.project_id == projects.c.id,
            jobs.c.kind == INSTRUCTION.kind,
            jobs.c.owner == projects.c.owner,  # what lies in the bin is nobody's
        )
        joined = select(project_members.c.project_id).where(project_members.c.subject == owner)
        query = (
            select(projects.c.id, projects.c.name, projects.c.owner, func.count(jobs.c.id).label("guides"))
            .outerjoin(jobs, inside)
            .where(or_(projects.c.owner == owner, projects.c.id.in_(joined)))
            .group_by(projects.c.id, projects.c.name, projects.c.owner)
            .order_by(func.lower(projects.c.name), projects.c.id)
        )
        with self._database.read() as connection:
            return tuple(Folder.model_validate(dict(row)) for row in connection.execute(query).mappings())


def _cards(connection: Connection, found: Sequence[Mapping[str, Any] | RowMapping]) -> tuple[GuideCard, ...]:
    pictures = _first_pictures(connection, found)
    return tuple(_card(row, pictures.get(row["instruction_id"])) for row in found)


def _card(row: Mapping[str, Any] | RowMapping, picture: ScreenshotAsset | None) -> GuideCard:
    job = rows.job({name: value for name, value in row.items() if not name.startswith("guide_")})
    evidence = row["guide_evidence"]
    return GuideCard(
        job=job,
        title=row["guide_title"],
        file_name=row["guide_file"],
        project_name=row["guide_project"],
        state=guide_state(
            job.status,
            dispatched=job.dispatch_id is not None,
            validation_status=row["guide_validation_status"],
            warnings=row["guide_warnings"] or (),
        ),
        version_id=row["guide_id"],
        steps=None if evidence is None else steps_in(evidence),
        picture=picture,
        changed_at=row["guide_changed_at"],
    )


def _first_pictures(
    connection: Connection, found: Sequence[Mapping[str, Any] | RowMapping]
) -> dict[str, ScreenshotAsset]:
    """The picture that comes first in each document, by the document's id: in the order of the blocks that rest on the
    recording, and what a person placed elsewhere after these."""
    order = {
        row["instruction_id"]: {each["block_id"]: place for place, each in enumerate(row["guide_evidence"])}
        for row in found
        if row["guide_evidence"] is not None
    }
    if not order:
        return {}
    shown = select(anchors.c.instruction_id, anchors.c.block_id, anchors.c.active_asset_id)
    shown = shown.where(anchors.c.instruction_id.in_(sorted(order)), anchors.c.active_asset_id.is_not(None))
    first: dict[str, tuple[int, str]] = {}
    for instruction_id, block_id, asset_id in connection.execute(shown.order_by(anchors.c.created_at, anchors.c.id)):
        blocks = order[instruction_id]
        place = blocks.get(block_id, len(blocks))
        if instruction_id not in first or place < first[instruction_id][0]:
            first[instruction_id] = (place, asset_id)
    named = select(screenshot_assets).where(screenshot_assets.c.id.in_(sorted(asset for _, asset in first.values())))
    assets = {row["id"]: rows.screenshot_asset(row) for row in connection.execute(named).mappings()}
    return {instruction_id: assets[asset_id] for instruction_id, (_, asset_id) in first.items()}
