"""Who is in a project: seen by all of them, changed by its owner; who does not want to be in it leaves."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from domain.errors import ProviderNotConfigured
from domain.projects import own_confluence_space, own_notion_page
from starter.api.context import ApiParts, Owner, Subject, identifier
from starter.api.projects.shapes import ChangeProject, ChangeRole, MemberAnswer, TransferProject
from starter.api.responses import errors
from starter.api.shapes import Listed, ProjectAnswer

router = APIRouter(prefix="/projects/{project_id}", tags=["projects"])


@router.patch("", responses=errors(400, 404, 409, 413, 415))
def change_project(project_id: str, changed: ChangeProject, api: ApiParts, owner: Owner) -> ProjectAnswer:
    """Call a project something else, or have its guides put elsewhere in Confluence and Notion: from the next export
    on, while pages that are there stay."""
    api.store.get_project(owner, identifier(project_id))  # absent before invalid
    changes: dict[str, str | None] = {"name": changed.name} if changed.name else {}
    if (changed.confluence_space or changed.notion_parent) and not api.settings.project_places:
        raise ProviderNotConfigured("Projects have no places of their own here. Set GUIDESMITH_PROJECT_PLACES.")
    if "confluence_space" in changed.model_fields_set:
        named, installed = changed.confluence_space, api.settings.confluence_space_url
        changes["confluence_space"] = None if named is None else str(own_confluence_space(named, installed))
    if "notion_parent" in changed.model_fields_set:
        named, installed = changed.notion_parent, api.settings.notion_parent
        changes["notion_parent"] = None if named is None else own_notion_page(named, installed)
    return ProjectAnswer.of(api.store.change_project(owner, identifier(project_id), changes))


@router.get("/members", responses=errors(404))
def list_members(project_id: str, api: ApiParts, owner: Owner) -> Listed[MemberAnswer]:
    """Who is in the project: its owner first, then all others as they came."""
    api.store.get_project(owner, identifier(project_id))
    members = api.store.members(project_id)
    names = api.store.people(each.subject for each in members)
    return Listed(items=tuple(MemberAnswer.of(each, names[each.subject]) for each in members))


@router.patch("/members", responses=errors(400, 404, 413, 415))
def change_role(project_id: str, changed: ChangeRole, api: ApiParts, owner: Owner) -> MemberAnswer:
    """Give a member another role, from their next request on."""
    member = api.store.change_role(owner, identifier(project_id), changed.user_id, changed.role)
    return MemberAnswer.of(member, api.store.people((member.subject,))[member.subject])


@router.delete("/members", status_code=204, response_class=Response, responses=errors(400, 404, 409, 413, 415))
def remove_member(
    project_id: str,
    api: ApiParts,
    owner: Owner,
    user_id: Annotated[str, Query(min_length=1, max_length=255, description="Who.")],
) -> Response:
    """Take somebody out of the project, from their next request on. What they wrote in it stays."""
    api.store.remove_member(owner, identifier(project_id), user_id)
    return Response(status_code=204)


@router.post("/leave", status_code=204, response_class=Response, responses=errors(404, 409, 413, 415))
def leave_project(project_id: str, api: ApiParts, owner: Owner, subject: Subject) -> Response:
    """Leave the project. Its owner hands it over first."""
    api.store.remove_member(owner, identifier(project_id), subject)
    return Response(status_code=204)


@router.post("/transfer", responses=errors(400, 404, 409, 413, 415))
def transfer_project(project_id: str, wanted: TransferProject, api: ApiParts, owner: Owner) -> ProjectAnswer:
    """Hand the project over to a member, with all that is in it: it counts for their quota from now on, and its jobs
    are paid by their credits. You are an editor of it then."""
    project = api.store.transfer_project(owner, identifier(project_id), wanted.user_id)
    return ProjectAnswer.of(project, api.store.roles_of(owner, {project.id})[project.id])
