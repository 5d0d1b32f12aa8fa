"""Members of projects: listed, given another role, and gone."""

from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from activities.store.cursors import newest_first
from activities.store.jobs.locking import not_found
from activities.store.repository import Repository
from activities.store.rows import project as project_of
from activities.store.tables import project_members, projects
from activities.store.upkeep.leaving import leave_desks
from domain.errors import OwnerCannotLeave, RequestInvalid
from domain.jobs import Page, Project
from domain.projects import MEMBERS_LIMIT, Member, Membership, ProjectRole, checked_role, higher


class Members(Repository):
    def list_joined_projects(
        self, subject: str, limit: int = 20, cursor: str | None = None
    ) -> Page[tuple[Project, ProjectRole]]:
        """Projects that are ``subject``'s, or that they are a member of, newest first, with what they are to each.
        Raises: RequestInvalid: bad limit or cursor."""
        joined = select(project_members.c.project_id, project_members.c.role)
        moment, unique = projects.c.created_at, projects.c.id
        with self._database.read() as connection:
            found = connection.execute(joined.where(project_members.c.subject == subject)).all()
            roles = {row.project_id: ProjectRole(row.role) for row in found}
            own = projects.c.owner == subject
            query = select(projects).where(or_(own, projects.c.id.in_(sorted(roles))) if roles else own)
            page = newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=project_of)
        items = tuple((each, roles.get(each.id, ProjectRole.OWNER)) for each in page.items)
        return Page(items=items, next_cursor=page.next_cursor)

    def members(self, project_id: str) -> tuple[Member, ...]:
        """Who is in a project: its owner, then the others as they came. Raises: NotFound: there is no such project."""
        query = select(project_members).where(project_members.c.project_id == project_id)
        query = query.order_by(project_members.c.added_at, project_members.c.subject)
        with self._database.read() as connection:
            row = connection.execute(select(projects).where(projects.c.id == project_id)).mappings().one_or_none()
            if row is None:
                raise not_found()
            others = connection.execute(query).mappings().all()
        owner = Member(project_id=project_id, subject=row["owner"], role=ProjectRole.OWNER, added_at=row["created_at"])
        return (owner, *(Member.model_validate(dict(each)) for each in others))

    def change_role(self, owner: str, project_id: str, subject: str, role: ProjectRole) -> Member:
        """Give a member another role.

        Raises:
            NotFound: The project is absent, or not ``owner``'s, or they are not in it.
            RequestInvalid: Nobody is given that role, or they own the project.
        """
        checked_role(role)
        who = (project_members.c.project_id == project_id, project_members.c.subject == subject)
        with self._database.write() as connection:
            hold_project(connection, project_id, owner)
            if subject == owner:
                raise RequestInvalid("The owner of a project has no other role: hand it over instead.", field="user_id")
            connection.execute(update(project_members).where(*who).values(role=str(role)))
            row = connection.execute(select(project_members).where(*who)).mappings().one_or_none()
        if row is None:
            raise not_found()
        return Member.model_validate(dict(row))

    def remove_member(self, owner: str, project_id: str, subject: str) -> None:
        """Take somebody out of a project; what they wrote and kept beside the versions goes with them, also where the
        guide lies in the bin.

        Raises:
            NotFound: The project is absent, or not ``owner``'s, or they are not in it.
            OwnerCannotLeave: They own it.
        """
        with self._database.write() as connection:
            hold_project(connection, project_id, owner)
            if subject == owner:
                raise OwnerCannotLeave("A project has an owner. Hand it over to a member, then leave it.")
            who = (project_members.c.project_id == project_id, project_members.c.subject == subject)
            if connection.execute(delete(project_members).where(*who)).rowcount == 0:
                raise not_found()
            leave_desks(connection, subject, project_id)


def hold_project(connection: Connection, project_id: str, owner: str | None = None) -> str:
    """Let nobody else change who is in the project until this transaction ends; its owner.

    Raises:
        NotFound: It is absent, or not ``owner``'s where one is given.
    """
    locked = select(projects.c.owner).where(projects.c.id == project_id).with_for_update()
    found: str | None = connection.execute(locked).scalar_one_or_none()
    if found is None or (owner is not None and found != owner):
        raise not_found()
    return found


def is_member(connection: Connection, project_id: str, subject: str) -> bool:
    """Whether somebody is in a project that another owns."""
    who = project_members.c.project_id == project_id, project_members.c.subject == subject
    return connection.execute(select(project_members.c.role).where(*who)).first() is not None


def add_member(
    connection: Connection, project_id: str, subject: str, role: ProjectRole, added_by: str, now: datetime
) -> Membership:
    """Make somebody a member of a project that is held; who is one already has the higher of both roles after.

    Raises:
        RequestInvalid: They own it, or it has as many members as it may have.
    """
    owner = connection.execute(select(projects.c.owner).where(projects.c.id == project_id)).scalar_one()
    if owner == subject:
        raise RequestInvalid("This project is yours.")
    of = project_members.c.project_id == project_id
    known = connection.execute(select(project_members.c.role).where(of, project_members.c.subject == subject))
    if (has := known.scalar_one_or_none()) is not None:
        role = higher(ProjectRole(has), role)
        changed = update(project_members).where(of, project_members.c.subject == subject)
        connection.execute(changed.values(role=str(role)))
        return Membership(owner=owner, role=role)
    if connection.execute(select(func.count()).select_from(project_members).where(of)).scalar_one() >= MEMBERS_LIMIT:
        raise RequestInvalid(f"A project has at most {MEMBERS_LIMIT} members.")
    columns = {"subject": subject, "role": str(role), "added_by": added_by, "added_at": now}
    connection.execute(insert(project_members), {"project_id": project_id, **columns})
    return Membership(owner=owner, role=role)
