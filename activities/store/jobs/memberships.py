"""What somebody is to a thing: found by one statement, whoever asks and whatever there is."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, FromClause, Select, and_, bindparam, or_, select

from activities.store.repository import Repository
from activities.store.tables import (
    anchors,
    artifacts,
    comment_threads,
    comments,
    exports,
    instructions,
    jobs,
    library_assets,
    project_members,
    projects,
    regenerate_tasks,
    screenshot_assets,
    screenshot_tasks,
    shares,
    translation_tasks,
)
from domain.projects import Membership, ProjectRole


class Thing(StrEnum):
    """What an address can lead to that is in a project."""

    PROJECT = "project"
    JOB = "job"
    INSTRUCTION = "instruction"
    ANCHOR = "anchor"
    PICTURE = "picture"
    SCREENSHOT_TASK = "screenshot task"
    TASK = "task"
    TRANSLATION_TASK = "translation task"
    EXPORT = "export"
    SHARE = "share"
    THREAD = "thread"
    COMMENT = "comment"
    LIBRARY_ASSET = "library asset"
    ARTIFACT = "artifact"


_OF_JOB: Mapping[Thing, Any] = {
    Thing.INSTRUCTION: instructions,
    Thing.SCREENSHOT_TASK: screenshot_tasks,
    Thing.TASK: regenerate_tasks,
    Thing.TRANSLATION_TASK: translation_tasks,
    Thing.EXPORT: exports,
    Thing.SHARE: shares,
    Thing.THREAD: comment_threads,
    Thing.COMMENT: comments,
    Thing.LIBRARY_ASSET: library_assets,
    Thing.ARTIFACT: artifacts,
}
"""Tables whose rows name their job."""


def _ways() -> Iterable[tuple[Thing, Column[Any], FromClause]]:
    """Of each thing its key, and how its job is reached."""
    yield Thing.PROJECT, projects.c.id, projects
    yield Thing.JOB, jobs.c.id, jobs
    for thing, table in _OF_JOB.items():
        yield thing, table.c.id, table.join(jobs, jobs.c.id == table.c.job_id)
    placed = anchors.join(instructions, instructions.c.id == anchors.c.instruction_id)
    placed = placed.join(jobs, jobs.c.id == instructions.c.job_id)
    yield Thing.ANCHOR, anchors.c.id, placed
    shown = screenshot_assets.join(placed, anchors.c.id == screenshot_assets.c.anchor_id)
    yield Thing.PICTURE, screenshot_assets.c.id, shown


def _asked(key: Column[Any], way: FromClause) -> Select[Any]:
    if way is not projects:
        # what is being erased is nobody's, and so in nobody's project
        way = way.join(projects, and_(projects.c.id == jobs.c.project_id, projects.c.owner == jobs.c.owner))
    membership = and_(project_members.c.project_id == projects.c.id, project_members.c.subject == bindparam("subject"))
    found = select(projects.c.owner, project_members.c.role)
    return found.select_from(way.outerjoin(project_members, membership)).where(key == bindparam("thing_id"))


_ASKED = {thing: _asked(key, way) for thing, key, way in _ways()}

_SHARED = (
    select(projects.c.id, projects.c.owner)
    .join(project_members, project_members.c.project_id == projects.c.id)
    .where(project_members.c.subject == bindparam("subject"))
)


class Memberships(Repository):
    def membership(self, subject: str, thing: Thing, thing_id: str) -> Membership | None:
        """What ``subject`` is to a thing; ``None``: nothing, or there is no such thing."""
        with self._database.read() as connection:
            row = connection.execute(_ASKED[thing], {"subject": subject, "thing_id": thing_id}).one_or_none()
        if row is None or (row.owner != subject and row.role is None):
            return None
        return Membership(owner=row.owner, role=ProjectRole.OWNER if row.owner == subject else ProjectRole(row.role))

    def roles_of(self, subject: str, project_ids: Collection[str]) -> dict[str, ProjectRole]:
        """What ``subject`` was made in each of these projects that others own."""
        query = select(project_members.c.project_id, project_members.c.role).where(
            project_members.c.subject == subject, project_members.c.project_id.in_(sorted(project_ids))
        )
        with self._database.read() as connection:
            return {row.project_id: ProjectRole(row.role) for row in connection.execute(query)}


def seen_by(connection: Connection, subject: str) -> ColumnElement[bool]:
    """Which rows of ``jobs`` somebody may see: their own, and those of projects that they are a member of. Who is a
    member of none has their own by its index, as if there were no members."""
    shared = connection.execute(_SHARED, {"subject": subject}).all()
    own = jobs.c.owner == subject
    if not shared:
        return own
    # what a project's owner does not have any more, nobody sees
    theirs = jobs.c.project_id.in_([row.id for row in shared]), jobs.c.owner.in_({row.owner for row in shared})
    return or_(own, and_(*theirs))
