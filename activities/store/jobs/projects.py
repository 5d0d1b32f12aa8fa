"""Projects: folders of jobs."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, insert, select

from activities.store import rows
from activities.store.cursors import newest_first
from activities.store.database import inserting
from activities.store.jobs.locking import not_found
from activities.store.repository import Repository
from activities.store.tables import default_projects, projects
from domain.jobs import Page, Project


def read_project(connection: Connection, owner: str, project_id: str) -> Project:
    """Raises: NotFound: absent, or not ``owner``'s."""
    query = select(projects).where(projects.c.id == project_id, projects.c.owner == owner)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise not_found()
    return rows.project(row)


def hold_owner(connection: Connection, owner: str, now: datetime) -> str | None:
    """Let no other transaction count or make what ``owner`` has until this one ends; their default project."""
    opening = inserting(connection, default_projects).values(owner=owner, created_at=now)
    connection.execute(opening.on_conflict_do_nothing(index_elements=[default_projects.c.owner]))
    locked = select(default_projects.c.project_id).where(default_projects.c.owner == owner).with_for_update()
    project_id: str | None = connection.execute(locked).scalar_one()
    return project_id


class Projects(Repository):
    def create_project(self, owner: str, name: str, stages: Mapping[str, str] | None = None) -> Project:
        """Make a project. ``stages`` names the stages that an outside runner does (``{"audio": "external"}``)."""
        project = Project(
            id=self._new_id(), owner=owner, name=name, stages=dict(stages or {}), created_at=self._clock()
        )
        with self._database.write() as connection:
            connection.execute(insert(projects), project.model_dump())
        return project

    def get_project(self, owner: str, project_id: str) -> Project:
        """Raises: NotFound: absent, or not ``owner``'s."""
        with self._database.read() as connection:
            return read_project(connection, owner, project_id)

    def project(self, project_id: str) -> Project:
        """Whoever's it is. Raises: NotFound: absent."""
        with self._database.read() as connection:
            row = connection.execute(select(projects).where(projects.c.id == project_id)).mappings().one_or_none()
        if row is None:
            raise not_found()
        return rows.project(row)

    def list_projects(self, owner: str, limit: int = 20, cursor: str | None = None) -> Page[Project]:
        """``owner``'s projects, newest first. Raises: RequestInvalid: bad limit or cursor."""
        query = select(projects).where(projects.c.owner == owner)
        with self._database.read() as connection:
            return newest_first(
                connection,
                query,
                projects.c.created_at,
                projects.c.id,
                limit=limit,
                cursor=cursor,
                read=rows.project,
            )
