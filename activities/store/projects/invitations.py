"""Invitations to projects: made, listed, taken back, and used once."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from activities.store.cursors import newest_first
from activities.store.jobs.locking import not_found
from activities.store.projects.members import add_member, hold_project, is_member
from activities.store.repository import Repository
from activities.store.rows import Columns
from activities.store.tables import project_invitations, projects
from domain.errors import InvitationForAnother, RequestInvalid
from domain.jobs import Page
from domain.projects import (
    INVITATIONS_LIMIT,
    Invitation,
    InvitationFor,
    ProjectRole,
    checked_role,
    invitation_end,
    plain_address,
)

_COLUMNS = tuple(each for each in project_invitations.c if each is not project_invitations.c.token_sha256)


class Invitations(Repository):
    def invite(
        self,
        owner: str,
        project_id: str,
        role: ProjectRole,
        token_sha256: str,
        *,
        invitation_id: str | None = None,
        email: str | None = None,
        expires_at: datetime | None = None,
    ) -> Invitation:
        """A way into the project for one person.

        Raises:
            NotFound: The project is absent, or not ``owner``'s.
            RequestInvalid: There may be no such invitation, or there are as many as may be open.
        """
        now = self._clock()
        columns: dict[str, Any] = {
            "id": invitation_id or self._new_id(),
            "project_id": project_id,
            "role": str(checked_role(role)),
            "email": plain_address(email) if email is not None else None,
            "token_sha256": token_sha256,
            "invited_by": owner,
            "created_at": now,
            "expires_at": invitation_end(expires_at, now),
        }
        with self._database.write() as connection:
            hold_project(connection, project_id, owner)
            open_ones = select(func.count()).select_from(project_invitations)
            open_ones = open_ones.where(project_invitations.c.project_id == project_id, *_open(now))
            if connection.execute(open_ones).scalar_one() >= INVITATIONS_LIMIT:
                raise RequestInvalid(f"{INVITATIONS_LIMIT} invitations to this project are open. Take one back first.")
            connection.execute(insert(project_invitations), columns)
        return _invitation(columns)

    def list_invitations(
        self, owner: str, project_id: str, limit: int = 20, cursor: str | None = None
    ) -> Page[Invitation]:
        """A project's invitations, newest first, those that let nobody in any more too.

        Raises:
            NotFound: The project is absent, or not ``owner``'s. RequestInvalid: bad limit or cursor.
        """
        own = select(projects.c.id).where(projects.c.id == project_id, projects.c.owner == owner)
        query = select(*_COLUMNS).where(project_invitations.c.project_id == project_id)
        moment, unique = project_invitations.c.created_at, project_invitations.c.id
        with self._database.read() as connection:
            if connection.execute(own).one_or_none() is None:
                raise not_found()
            return newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=_invitation)

    def revoke_invitation(self, owner: str, project_id: str, invitation_id: str) -> None:
        """Nobody comes in by it any more; once more, nothing changes. Raises: NotFound."""
        which = (project_invitations.c.id == invitation_id, project_invitations.c.project_id == project_id)
        with self._database.write() as connection:
            hold_project(connection, project_id, owner)
            at = func.coalesce(project_invitations.c.revoked_at, self._clock())
            if connection.execute(update(project_invitations).where(*which).values(revoked_at=at)).rowcount == 0:
                raise not_found()

    def find_invitation(self, token_sha256: str) -> InvitationFor:
        """The open invitation with that secret. Raises: NotFound: there is none, or none that lets in any more."""
        with self._database.read() as connection:
            found, name = _found(connection, _by_token(token_sha256))
        if not found.is_open(self._clock()):
            raise not_found()
        return InvitationFor(invitation=found, project_name=name)

    def accept_invitation(self, subject: str, token_sha256: str, *, email: str | None = None) -> str:
        """Let ``subject`` into the project, whose id is answered. Who is in by it already is answered the same.

        Args:
            email: An address that is theirs, as their identity provider has verified it.

        Raises:
            NotFound: There is no such invitation, or it lets nobody in any more.
            InvitationForAnother: It is for another address.
            RequestInvalid: The project is theirs, or it is full.
        """
        with self._database.write() as connection:
            locked = _by_token(token_sha256).with_for_update(of=project_invitations)
            found, _ = _found(connection, locked)
            if found.used_by == subject and is_member(connection, found.project_id, subject):
                return found.project_id
            if not found.is_open(self._clock()):
                raise not_found()
            if found.email is not None and (email is None or plain_address(email) != found.email):
                raise InvitationForAnother(
                    "This invitation is for another address. Sign in with the address that it was sent to, or ask for "
                    "an invitation by link."
                )
            self._use(connection, found, subject)
        return found.project_id

    def accept_invitations_for(self, subject: str, email: str) -> tuple[str, ...]:
        """Let ``subject`` into every project that their verified address was invited to; those projects' ids."""
        now, address = self._clock(), email.strip().lower()
        waiting = select(*_COLUMNS).where(project_invitations.c.email == address, *_open(now))
        with self._database.read() as connection:
            if connection.execute(waiting.limit(1)).first() is None:
                return ()
        joined: list[str] = []
        with self._database.write() as connection:
            for row in connection.execute(waiting.with_for_update()).mappings().all():
                found = _invitation(row)
                try:
                    self._use(connection, found, subject)
                except RequestInvalid:  # theirs already, or full: who is let in is not told off for it
                    continue
                joined.append(found.project_id)
        return tuple(joined)

    def _use(self, connection: Connection, invitation: Invitation, subject: str) -> None:
        now = self._clock()
        hold_project(connection, invitation.project_id)
        add_member(connection, invitation.project_id, subject, invitation.role, invitation.invited_by, now)
        used = update(project_invitations).where(project_invitations.c.id == invitation.id)
        connection.execute(used.values(used_at=now, used_by=subject))


def _open(now: datetime) -> tuple[Any, ...]:
    columns = project_invitations.c
    return columns.used_at.is_(None), columns.revoked_at.is_(None), columns.expires_at > now


def _by_token(token_sha256: str) -> Select[Any]:
    query = select(*_COLUMNS, projects.c.name.label("project_name"))
    query = query.join(projects, projects.c.id == project_invitations.c.project_id)
    return query.where(project_invitations.c.token_sha256 == token_sha256)


def _found(connection: Connection, query: Select[Any]) -> tuple[Invitation, str]:
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise not_found()
    return _invitation(row), str(row["project_name"])


def _invitation(row: Columns) -> Invitation:
    return Invitation.model_validate({name: row.get(name) for name in Invitation.model_fields})
