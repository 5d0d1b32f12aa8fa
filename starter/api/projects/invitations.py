"""Invitations to projects: made and taken back by the owner, used by whom they are for."""

from fastapi import APIRouter, Request, Response

from starter.api.addresses import root_address
from starter.api.context import ApiParts, Owner, Subject, identifier
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.projects.shapes import AcceptInvitation, InvitationAnswer, MadeInvitation, NewInvitation
from starter.api.responses import errors
from starter.api.shapes import Listed, ProjectAnswer

router = APIRouter(tags=["projects"])

INVITED = "/invited/"
"""Below the address of the pages: where an invitation leads."""


@router.post("/projects/{project_id}/invitations", status_code=201, responses=errors(400, 404, 409, 413, 415))
def invite(
    project_id: str, new: NewInvitation, api: ApiParts, owner: Owner, once: OnceOnly, request: Request
) -> MadeInvitation:
    """Invite one person to the project. Nothing is sent: give them the link, or, where you name their address, tell
    them to sign in."""
    project = identifier(project_id)
    api.store.get_project(owner, project)  # absent before conflicting: 404 comes before 409
    make = api.inviting.prepare(owner, project, new.role, email=new.email, expires_at=new.expires_at)
    # kept for a repeated request is all but the address, which is worked out anew
    answer = once.answer(InvitationAnswer, lambda: InvitationAnswer.of(make()))
    api.inviting.let_in_known(answer.email)
    url = f"{root_address(request.scope, api.settings.public_url)}{INVITED}{api.inviting.token(answer.id)}"
    return MadeInvitation(**answer.model_dump(), url=url)


@router.get("/projects/{project_id}/invitations", responses=errors(404))
def list_invitations(
    project_id: str, api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None
) -> Listed[InvitationAnswer]:
    """The project's invitations, newest first, those that let nobody in any more too."""
    page = api.store.list_invitations(owner, identifier(project_id), limit, cursor)
    return Listed(items=tuple(map(InvitationAnswer.of, page.items)), next_cursor=page.next_cursor)


@router.delete(
    "/projects/{project_id}/invitations/{invitation_id}",
    status_code=204,
    response_class=Response,
    responses=errors(404, 413, 415),
)
def revoke_invitation(project_id: str, invitation_id: str, api: ApiParts, owner: Owner) -> Response:
    """Take an invitation back. Who came in by it stays a member."""
    api.store.revoke_invitation(owner, identifier(project_id), identifier(invitation_id))
    return Response(status_code=204)


@router.post("/invitations/accept", responses=errors(400, 403, 404, 413, 415))
def accept_invitation(accepted: AcceptInvitation, api: ApiParts, subject: Subject) -> ProjectAnswer:
    """Become a member of the project that you are invited to."""
    project_id = api.inviting.accept(subject, accepted.token)
    return ProjectAnswer.of(api.store.project(project_id), api.store.roles_of(subject, {project_id})[project_id])
