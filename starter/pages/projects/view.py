"""Projects, who is in each, and the page that an invitation leads to."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from domain.jobs import Project
from domain.projects import GIVEN, INVITED_FOR, Permission, ProjectRole, allows
from starter.api.context import identifier
from starter.api.projects.invitations import INVITED
from starter.pages.exports.view import placed_formats
from starter.pages.shell.context import Context, PageContext

router = APIRouter()

PROJECTS = 100
INVITATIONS = 100


@router.get("/projects")
def projects(context: Context, cursor: str | None = None) -> Response:
    """One's own projects and those that one is a member of, and a form for a new one."""
    page = context.api.store.list_joined_projects(context.subject, PROJECTS, cursor)
    return context.page(
        "projects/projects.html",
        modules=["projects/projects.js"],
        projects=page.items,
        older=page.next_cursor,
        names=context.api.store.people(each.owner for each, _ in page.items),
    )


@router.get("/projects/{project_id}")
def project(project_id: str, context: Context) -> Response:
    """Who is in it. A module of ours that asks again gets the lists."""
    found = context.api.store.get_project(context.owner, identifier(project_id))
    members = context.api.store.members(found.id)
    shown: dict[str, Any] = {
        "project": found,
        "members": members,
        "names": context.api.store.people((found.owner, *(each.subject for each in members))),
        "roles": GIVEN,
        "invitations": _open_invitations(context, found.id)
        if context.offers("GET /projects/{project_id}/invitations")
        else (),
    }
    if context.is_partial:
        return context.page("projects/members.html", **shown)
    return context.page(
        "projects/project.html",
        modules=["projects/project.js"],
        invited_for=INVITED_FOR.days,
        placed=placed_formats(context.api) if context.api.settings.project_places else (),
        **shown,
    )


@router.get(INVITED + "{token}")
def invited(token: str, context: Context) -> Response:
    """What one is invited to, and a button to come in.

    Raises:
        NotFound: The invitation was used, taken back or has expired, or there never was one.
    """
    found = context.api.inviting.find(token)
    has = context.api.store.roles_of(context.subject, {found.invitation.project_id})
    is_in = bool(has) or found.invitation.invited_by == context.subject
    return context.page(
        "projects/invited.html",
        modules=["projects/invited.js"],
        found=found,
        token=token,
        is_in=is_in,
        names=context.api.store.people((found.invitation.invited_by,)),
    )


def projects_to_make_in(context: PageContext) -> list[dict[str, str]]:
    """``id`` and ``name`` of the projects that the visitor may make jobs in; the name says whose another's is."""
    page = context.api.store.list_joined_projects(context.subject, PROJECTS)
    found = [(each, role) for each, role in page.items if allows(role, Permission.RUN)]
    others = [each.owner for each, role in found if role is not ProjectRole.OWNER]
    names = context.api.store.people(others) if others else {}

    def name(project: Project) -> str:
        owner = names.get(project.owner)
        return project.name if owner is None else context.say("project-of", name=project.name, owner=owner)

    return [{"id": each.id, "name": name(each)} for each, _ in found]


def _open_invitations(context: PageContext, project_id: str) -> list[Any]:
    now = context.api.store.now()
    page = context.api.store.list_invitations(context.owner, project_id, INVITATIONS)
    return [each for each in page.items if each.is_open(now)]
