"""The bodies of what is asked about who is in a project."""

from pydantic import Field

from domain.projects import GIVEN, Invitation, Member, ProjectRole
from starter.api.shapes import GivenMoment, Line, Moment, Sent, Shape

UserId = Line
"""Somebody's subject, as their token names them."""


class ChangeProject(Sent):
    """What is left out stays."""

    name: Line | None = Field(default=None, description="What it is called; null: as it is.")
    confluence_space: Line | None = Field(
        default=None,
        description="The space that its guides are put into, or the page in it under which they are: its address, on "
        "the installation's site, or `KEY` or `KEY/pages/ID`. Null: the installation's own.",
    )
    notion_parent: Line | None = Field(
        default=None,
        description="The page that its guides are put under: its address, or its id. Null: the installation's own.",
    )


class ChangeRole(Sent):
    user_id: UserId
    role: ProjectRole = Field(description=f"One of {', '.join(GIVEN)}: a project is handed over to another owner.")


class TransferProject(Sent):
    user_id: UserId = Field(description="A member of the project.")


class MemberAnswer(Shape):
    user_id: str
    name: str = Field(description="What their identity provider calls them; else their address, else their id.")
    role: ProjectRole
    added_by: str | None = Field(description="Null for the project's owner.")
    added_at: Moment

    @classmethod
    def of(cls, member: Member, name: str) -> "MemberAnswer":
        return cls(
            user_id=member.subject,
            name=name,
            role=member.role,
            added_by=member.added_by,
            added_at=member.added_at,
        )


class NewInvitation(Sent):
    role: ProjectRole = Field(description=f"One of {', '.join(GIVEN)}.")
    email: str | None = Field(
        default=None,
        max_length=254,
        description="Whose it is: they are let in when they sign in with this address, verified by the identity "
        "provider. Without one, whoever has the link is.",
        examples=["ada@example.org"],
    )
    expires_at: GivenMoment | None = Field(default=None, description="Within 90 days; null: in 14.")


class InvitationAnswer(Shape):
    id: str
    project_id: str
    role: ProjectRole
    email: str | None
    invited_by: str
    created_at: Moment
    expires_at: Moment
    used_at: Moment | None
    used_by: str | None
    revoked_at: Moment | None

    @classmethod
    def of(cls, invitation: Invitation) -> "InvitationAnswer":
        return cls(**invitation.model_dump())


class MadeInvitation(InvitationAnswer):
    """An invitation as it is answered once, when it is made."""

    url: str = Field(description="The link, for one person, once. It is not shown again: only its hash is kept.")


class AcceptInvitation(Sent):
    token: str = Field(min_length=1, max_length=200, description="What the link ends with.")
