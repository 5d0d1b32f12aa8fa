"""Projects: folders of jobs."""

from fastapi import APIRouter

from domain.projects import ProjectRole
from starter.api.context import ApiParts, AsMember, Facts, Owner, identifier
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import JobAnswer, Listed, NewJob, NewProject, ProjectAnswer, Purged
from starter.services.profiles import check_profile
from starter.wiring import model_profiles

router = APIRouter(prefix="/projects", tags=["projects"])


@router.post("", status_code=201, responses=errors(400, 409, 413, 415))
def create_project(new: NewProject, api: ApiParts, owner: Owner, once: OnceOnly) -> ProjectAnswer:
    """Make a project."""
    stages = {str(stage): str(runner) for stage, runner in new.stages.items()}
    return once.answer(ProjectAnswer, lambda: ProjectAnswer.of(api.store.create_project(owner, new.name, stages)))


@router.get("", responses=errors(400))
def list_projects(api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None) -> Listed[ProjectAnswer]:
    """Your projects, and those that you are a member of, newest first."""
    page = api.store.list_joined_projects(owner, limit, cursor)
    answers = tuple(ProjectAnswer.of(project, role) for project, role in page.items)
    return Listed(items=answers, next_cursor=page.next_cursor)


@router.get("/{project_id}", responses=errors(404))
def get_project(project_id: str, api: ApiParts, owner: Owner, member_as: AsMember) -> ProjectAnswer:
    """One project."""
    role = ProjectRole.OWNER if member_as is None else member_as.role
    return ProjectAnswer.of(api.store.get_project(owner, identifier(project_id)), role)


@router.delete("/{project_id}", status_code=202, responses=errors(404, 413, 415))
async def delete_project(project_id: str, api: ApiParts, owner: Owner) -> Purged:
    """Erase the project with all its jobs and whatever is theirs, also what lies in the bin. From now on nobody finds
    it, members included; its jobs go one after the other."""
    return Purged.model_validate(await api.erasing.erase_project(identifier(project_id), owner=owner))


@router.post("/{project_id}/jobs", status_code=201, responses=errors(400, 404, 409, 413, 415))
def create_job(
    project_id: str, api: ApiParts, facts: Facts, owner: Owner, once: OnceOnly, new: NewJob | None = None
) -> JobAnswer:
    """Make a job that turns a recording into an instruction. It waits for its upload. It is the project's owner's."""
    asked = new or NewJob()
    check_profile(asked.model_profile, model_profiles(api.settings))  # else the draft would fail of it
    api.store.get_project(owner, identifier(project_id))  # absent before conflicting: 404 comes before 409
    return once.answer(
        JobAnswer,
        lambda: api.job_answer(
            api.store.create_job(
                owner,
                project_id,
                language=asked.language,
                model_profile=asked.model_profile,
                correlation_id=facts.request_id,
            )
        ),
    )
