"""What administrators do with anybody's jobs: see, stop, review what was given up, and erase."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field

from domain.erasure import PurgeKind
from domain.jobs import Job
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.jobs.routes import Kind, Status, check_filter
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import HistoryRow, JobAnswer, Line, Listed, Moment, Sent, Shape

router = APIRouter(prefix="/admin", tags=["administration"])


class AnyJobAnswer(JobAnswer):
    """A job, and whose it is."""

    owner: str


class NewReview(Sent):
    note: Line


class ReviewAnswer(Shape):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    job_id: str
    reviewer: str
    note: str
    reviewed_at: Moment


class ErasureAnswer(Shape):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    job_id: str
    by_admin: bool
    by_age: Annotated[bool, Field(description="Nobody asked: it was kept as long as the settings say.")]
    requested_at: Moment
    completed_at: Annotated[Moment | None, Field(description="None: files and histories are still being removed.")]


class PurgeAnswer(Shape):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: Annotated[str, Field(description="It leads nowhere.")]
    what: PurgeKind
    by_admin: bool
    by_age: bool
    requested_at: Moment
    completed_at: Annotated[Moment | None, Field(description="None: what is to go is still being removed.")]


def _answers(api: Api, jobs: tuple[Job, ...]) -> tuple[AnyJobAnswer, ...]:
    told = zip(jobs, api.job_answers(jobs), strict=True)
    return tuple(AnyJobAnswer(**dict(answer), owner=job.owner) for job, answer in told)


@router.get("/jobs", responses=errors(400, 403))
def list_any_jobs(
    api: ApiParts,
    user_id: Annotated[str | None, Query(max_length=255, description="Only this user's.")] = None,
    kind: Kind = None,
    status: Status = None,
    to_review: Annotated[bool, Query(description="Only those that were given up, and that nobody reviewed.")] = False,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> Listed[AnyJobAnswer]:
    """Everybody's jobs, newest first; with `to_review` the dead letters that wait for somebody."""
    check_filter(kind, status, None)
    page = api.store.list_all_jobs(
        owner=user_id, kind=kind, status=status, to_review=to_review, limit=limit, cursor=cursor
    )
    return Listed(items=_answers(api, page.items), next_cursor=page.next_cursor)


@router.get("/jobs/{job_id}", responses=errors(403, 404))
def get_any_job(job_id: str, api: ApiParts) -> AnyJobAnswer:
    """Anybody's job."""
    return _answers(api, (api.store.anybodys_job(identifier(job_id)),))[0]


@router.get("/jobs/{job_id}/history", responses=errors(400, 403, 404))
def any_history(job_id: str, api: ApiParts, limit: Limit = 20, cursor: Cursor = None) -> Listed[HistoryRow]:
    """The audit trail of anybody's job, newest first."""
    owner = api.store.anybodys_job(identifier(job_id)).owner
    page = api.store.history(owner, job_id, limit, cursor)
    return Listed(items=tuple(HistoryRow.of(event) for event in page.items), next_cursor=page.next_cursor)


@router.post("/jobs/{job_id}/cancel", responses=errors(403, 404, 409, 413, 415))
async def cancel_any_job(job_id: str, api: ApiParts) -> AnyJobAnswer:
    """Stop anybody's job, where its kind can be stopped."""
    job = await to_thread.run_sync(api.store.anybodys_job, identifier(job_id))
    stopped = await api.kinds.cancel(job.owner, job.id)
    return (await to_thread.run_sync(_answers, api, (stopped,)))[0]


@router.post("/jobs/{job_id}/review", responses=errors(400, 403, 404, 409, 413, 415))
def review_any_job(job_id: str, new: NewReview, api: ApiParts, reviewer: Owner) -> ReviewAnswer:
    """Note that somebody has looked at a job that was given up. The first note of an attempt stands."""
    return ReviewAnswer.model_validate(api.store.review_job(identifier(job_id), reviewer, new.note))


@router.delete("/jobs/{job_id}", status_code=202, responses=errors(403, 404, 413, 415))
async def erase_any_job(job_id: str, api: ApiParts) -> ErasureAnswer:
    """Erase anybody's job with all that is its own."""
    return ErasureAnswer.model_validate(await api.erasing.erase(identifier(job_id), owner=None, by_admin=True))


@router.delete("/jobs/{job_id}/recording", status_code=202, responses=errors(403, 404, 409, 413, 415))
async def erase_any_recording(job_id: str, api: ApiParts) -> PurgeAnswer:
    """Erase the recording of anybody's job, and nothing else."""
    erased = await api.erasing.erase_recording(identifier(job_id), owner=None, by_admin=True)
    return PurgeAnswer.model_validate(erased)


@router.delete("/users", status_code=202, responses=errors(403, 413, 415))
async def erase_user(
    api: ApiParts, user_id: Annotated[str, Query(min_length=1, max_length=255, description="Who.")]
) -> PurgeAnswer:
    """Erase everything of a user's: jobs with all that is theirs, projects, endpoints. The books keep what was posted,
    under a name that leads nowhere. Whose token still holds can begin anew: withdraw it first."""
    return PurgeAnswer.model_validate(await api.erasing.erase_user(user_id, by_admin=True))


@router.get("/purges", responses=errors(400, 403))
def list_purges(api: ApiParts, limit: Limit = 20, cursor: Cursor = None) -> Listed[PurgeAnswer]:
    """That recordings, projects and users were erased, newest first: nothing else is kept of that."""
    page = api.store.list_purges(limit, cursor)
    return Listed(items=tuple(PurgeAnswer.model_validate(each) for each in page.items), next_cursor=page.next_cursor)


@router.get("/erasures", responses=errors(400, 403))
def list_erasures(api: ApiParts, limit: Limit = 20, cursor: Cursor = None) -> Listed[ErasureAnswer]:
    """That jobs were erased, newest first: nothing else is kept of them."""
    page = api.store.list_erasures(limit, cursor)
    return Listed(items=tuple(ErasureAnswer.model_validate(each) for each in page.items), next_cursor=page.next_cursor)
