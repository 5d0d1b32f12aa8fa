"""Projects with members: what each role may do, and how somebody becomes a member.

Everything in a project belongs to the project's owner: its quota, its credits and its webhooks are theirs. Members act
on the owner's behalf, as far as their role lets them; who acted stands beside what they did.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import unquote
from uuid import UUID

from domain.errors import ProviderNotConfigured, RequestInvalid
from domain.jobs import Frozen

MEMBERS_LIMIT = 200
"""Members of one project beside its owner."""

INVITATIONS_LIMIT = 100
"""Invitations to one project that are open at once."""

INVITED_FOR = timedelta(days=14)
LONGEST_INVITED_FOR = timedelta(days=90)

_ADDRESS = re.compile(r"[^@\s<>\"(),:;\\\[\]]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)
"""Enough of an address to compare it with what an identity provider says; nothing is sent there."""

_SPACE = re.compile(
    r"(?P<site>https?://[^?#\s]+)/spaces/(?P<key>[^/?#\s]+)(?:/pages/(?:edit-v2/)?(?P<parent>\d{1,32})(?=/|$))?(?:/.*)?"
)
_SPACE_PLACE = re.compile(r"(?P<key>[A-Za-z0-9._~:-]{1,255})(?:/pages/(?P<parent>\d{1,32}))?")
_NOTION_PAGE = re.compile(
    r"(?i)(?:https://[^\s?#]*[/-])?([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/?(?:[?#]\S*)?"
)


class ProjectRole(StrEnum):
    """What somebody is to a project, the one who may most first."""

    OWNER = "owner"
    EDITOR = "editor"
    COMMENTER = "commenter"
    VIEWER = "viewer"


class Permission(StrEnum):
    """What one may do with a project and what is in it."""

    READ = "read"
    """See all of it, and fetch what was made."""
    COMMENT = "comment"
    EDIT = "edit"
    """Change documents, pictures and transcripts."""
    RUN = "run"
    """Make jobs, send recordings, start and stop work, export: what takes the owner's quota and credits."""
    SHARE = "share"
    """Make links that show a guide to strangers."""
    DELETE = "delete"
    """Erase a job or its recording."""
    MANAGE = "manage"
    """Members, invitations, the project itself, and where its jobs are."""


_READS = frozenset({Permission.READ})
_COMMENTS = _READS | {Permission.COMMENT}
_EDITS = _COMMENTS | {Permission.EDIT, Permission.RUN, Permission.SHARE}

ALLOWED: Mapping[ProjectRole, frozenset[Permission]] = {
    ProjectRole.OWNER: frozenset(Permission),
    ProjectRole.EDITOR: _EDITS,
    ProjectRole.COMMENTER: _COMMENTS,
    ProjectRole.VIEWER: _READS,
}
"""The one table that says what a role may do."""

GIVEN = (ProjectRole.EDITOR, ProjectRole.COMMENTER, ProjectRole.VIEWER)
"""Roles that somebody can be given. A project is handed over; it has one owner."""


def allows(role: ProjectRole, permission: Permission) -> bool:
    """Whether ``role`` may do that."""
    return permission in ALLOWED[role]


def needed_for(permission: Permission) -> ProjectRole:
    """The least role that has the permission."""
    return next(role for role in reversed(ProjectRole) if allows(role, permission))


def higher(one: ProjectRole, other: ProjectRole) -> ProjectRole:
    """The one of two roles that may more."""
    order = list(ProjectRole)
    return min(one, other, key=order.index)


class Membership(Frozen):
    """What somebody is to a thing in a project. ``owner``: the project's, whom all in it belongs to."""

    owner: str
    role: ProjectRole


class Member(Frozen):
    """Somebody in a project. ``added_by``: who invited them; ``None`` for its owner."""

    project_id: str
    subject: str
    role: ProjectRole
    added_by: str | None = None
    added_at: datetime


class Invitation(Frozen):
    """A way into a project, for one person, once.

    Args:
        email: Whose it is: who signs in with that address, as the identity provider has verified it. ``None``: whoever
            has the link.
        used_by: Who came in by it.
    """

    id: str
    project_id: str
    role: ProjectRole
    email: str | None = None
    invited_by: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
    used_by: str | None = None
    revoked_at: datetime | None = None

    def is_open(self, now: datetime) -> bool:
        """Whether somebody can come in by it at ``now``."""
        return self.used_at is None and self.revoked_at is None and now < self.expires_at


class InvitationFor(Frozen):
    """What an invitation shows to whom it was sent: the project's name, not what is in it."""

    invitation: Invitation
    project_name: str


def invitation_token(invitation_id: str, key: bytes) -> str:
    """An invitation's secret, as it stands in its address: 256 bits, made of its id and a key that no database has."""
    made = hmac.new(key, invitation_id.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def checked_role(role: ProjectRole) -> ProjectRole:
    """Raises: RequestInvalid: nobody is given that role."""
    if role not in GIVEN:
        raise RequestInvalid("A project has one owner: hand it over to make somebody else that.", field="role")
    return role


def plain_address(email: str) -> str:
    """An address as addresses are compared: in lower case.

    Raises:
        RequestInvalid: It is none.
    """
    written = email.strip()
    if len(written) > 254 or not _ADDRESS.fullmatch(written):
        raise RequestInvalid("This is no address like name@example.org.", field="email")
    return written.lower()


def invitation_end(expires_at: datetime | None, now: datetime) -> datetime:
    """When an invitation ends. Raises: RequestInvalid: in the past, or too far away."""
    if expires_at is None:
        return now + INVITED_FOR
    if not now < expires_at <= now + LONGEST_INVITED_FOR:
        raise RequestInvalid("An invitation ends in the future, and within 90 days.", field="expires_at")
    return expires_at


# --- where guides are put elsewhere --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConfluencePlace:
    """The ``key`` of a Confluence space, and the id of the page in it under which guides are put; ``None``: under none.
    As text ``KEY`` or ``KEY/pages/123``, as addresses of Confluence have it."""

    key: str
    parent: str | None = None

    def __str__(self) -> str:
        return self.key if self.parent is None else f"{self.key}/pages/{self.parent}"

    @classmethod
    def parse(cls, text: str) -> "ConfluencePlace":
        """Raises: ValueError: It is neither."""
        found = _SPACE_PLACE.fullmatch(text)
        if found is None:
            raise ValueError("is no key of a Confluence space")
        return cls(found["key"], found["parent"])


def confluence_place_of(address: str) -> tuple[str, ConfluencePlace]:
    """Site and place of a Confluence space (``https://team.atlassian.net/wiki/spaces/KEY``) or of a page in it
    (``…/spaces/KEY/pages/123/Title``).

    Raises:
        ValueError: It is no address of one.
    """
    found = _SPACE.fullmatch(address)
    if found is None:
        raise ValueError(
            "is the address of a Confluence space, or of a page in it: https://team.atlassian.net/wiki/spaces/KEY"
        )
    return found["site"], ConfluencePlace(unquote(found["key"]), found["parent"])


def notion_page_of(named: str) -> str:
    """The id of a page of Notion, however it is named: an address ends with it, behind the page's title.

    Raises:
        ValueError: It names none.
    """
    found = _NOTION_PAGE.fullmatch(named)
    if found is None:
        raise ValueError("is a page of Notion: its address, or its id of 32 hexadecimal digits")
    return str(UUID(found[1]))


def own_confluence_space(named: str, installed: str | None) -> ConfluencePlace:
    """The place that a project names, by its address or as text. ``installed`` is the installation's own address: only
    its site is ever spoken to, so that its token goes nowhere else.

    Raises:
        ProviderNotConfigured: There is none.
        RequestInvalid: That is no space, or one of another site.
    """
    if installed is None:
        raise ProviderNotConfigured("No Confluence is set up here. Set GUIDESMITH_CONFLUENCE_SPACE_URL.")
    with suppress(ValueError):
        return ConfluencePlace.parse(named)
    try:
        (site, place), (own, _) = (confluence_place_of(each) for each in (re.split("[?#]", named)[0], installed))
        ConfluencePlace.parse(str(place))
    except ValueError as wrong:
        raise RequestInvalid(f"This {wrong}.", field="confluence_space") from None
    if site.lower() != own.lower():
        raise RequestInvalid(f"Guides are put into spaces of {own}; this is another site.", field="confluence_space")
    return place


def own_notion_page(named: str, installed: str | None) -> str:
    """The id of the page that a project names. ``installed``: the installation's own.

    Raises:
        ProviderNotConfigured: There is none.
        RequestInvalid: That is no page.
    """
    if installed is None:
        raise ProviderNotConfigured("No Notion is set up here. Set GUIDESMITH_NOTION_PARENT.")
    try:
        return notion_page_of(named)
    except ValueError as wrong:
        raise RequestInvalid(f"This {wrong}.", field="notion_parent") from None
