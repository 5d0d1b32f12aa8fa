"""A job's life: looked at, run, cancelled, retried, and the log of what happened."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Response

from domain.errors import RequestInvalid
from domain.jobs import Job
from domain.lifecycles.batch import BATCH
from domain.lifecycles.kinds import JOB_TYPES, LIFECYCLES
from starter.api.batches.routes import batch_facts
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import Erased, HistoryRow, JobAnswer, Listed, MoveJob, NewRetry, Purged, RetryResult, RunResult

router = APIRouter(prefix="/jobs", tags=["jobs"])

TYPES = [each for types in JOB_TYPES.values() for each in types]
STATUSES = sorted({str(status) for lifecycle in LIFECYCLES.values() for status in lifecycle.statuses})

Kind = Annotated[str | None, Query(json_schema_extra={"enum": [*LIFECYCLES]})]
Status = Annotated[
    str | None,
    # a pattern and no enum: kinds differ in case alone (CREATED, created), of which generated clients make one name
    Query(
        description="One of its kind's, where a kind is given.",
        json_schema_extra={"pattern": f"^({'|'.join(STATUSES)})$"},
    ),
]
JobType = Annotated[
    str | None, Query(description="Of a kind that makes several things.", json_schema_extra={"enum": TYPES})
]


async def answered(api: Api, job: Job) -> JobAnswer:
    """The job as it is sent, from an async route."""
    return await to_thread.run_sync(api.job_answer, job)


@router.get("", responses=errors(400))
def list_jobs(
    api: ApiParts,
    owner: Owner,
    kind: Kind = None,
    status: Status = None,
    project_id: Annotated[str | None, Query(max_length=100, pattern=r"^[A-Za-z0-9-]*$")] = None,
    job_type: JobType = None,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> Listed[JobAnswer]:
    """Your jobs, and those of projects that you are a member of, newest first."""
    check_filter(kind, status, job_type)
    page = api.store.list_jobs(
        owner,
        kind=kind,
        status=status,
        project_id=project_id or None,
        job_type=job_type,
        limit=limit,
        cursor=cursor,
    )
    return Listed(items=api.job_answers(page.items), next_cursor=page.next_cursor)


def check_filter(kind: str | None, status: str | None, job_type: str | None) -> None:
    """Raises: RequestInvalid: there is no such kind, or it has no such status or type; ``details.allowed`` tells."""
    if kind is not None and kind not in LIFECYCLES:
        raise _not_one_of("kind", [*LIFECYCLES])
    statuses = STATUSES if kind is None else [str(each) for each in LIFECYCLES[kind].statuses]
    if status is not None and status not in statuses:
        raise _not_one_of("status", statuses)
    types = TYPES if kind is None else list(JOB_TYPES.get(kind, ()))
    if job_type is not None and job_type not in types:
        raise _not_one_of("job_type", types)


def _not_one_of(name: str, allowed: list[str]) -> RequestInvalid:
    said = f"{name} is one of {', '.join(allowed)}." if allowed else f"Jobs of this kind have no {name}."
    return RequestInvalid(said, field=f"query.{name}", details={"allowed": allowed})


@router.get("/{job_id}", responses=errors(404))
def get_job(job_id: str, api: ApiParts, owner: Owner) -> JobAnswer:
    """One job."""
    job = api.store.get_job(identifier(job_id), owner=owner)
    answer = api.job_answer(job)
    if job.kind != BATCH.kind:
        return answer
    asked, made = batch_facts(api, job)
    return answer.model_copy(update={"parameters": asked, "result": made})


@router.patch("/{job_id}", responses=errors(400, 404, 413, 415))
def move_job(job_id: str, moved: MoveJob, api: ApiParts, owner: Owner) -> JobAnswer:
    """Put a job into another project of yours: that one's members see it from now on, and no others."""
    return api.job_answer(api.store.move_job(owner, identifier(job_id), identifier(moved.project_id)))


@router.get("/{job_id}/history", responses=errors(400, 404))
def history(job_id: str, api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None) -> Listed[HistoryRow]:
    """The audit trail, newest first."""
    page = api.store.history(owner, identifier(job_id), limit, cursor)
    return Listed(items=tuple(HistoryRow.of(event) for event in page.items), next_cursor=page.next_cursor)


@router.post(
    "/{job_id}/run",
    status_code=202,
    responses={200: {"model": RunResult, "description": "It runs already."}, **errors(404, 409, 413, 415, 502)},
)
async def run_job(job_id: str, api: ApiParts, owner: Owner, response: Response) -> RunResult:
    """Start the job's workflow, once, however often and however concurrently this is called."""
    answer = RunResult.model_validate(await api.jobs.run(owner, identifier(job_id)))
    response.status_code = 200 if answer.replayed else 202
    return answer


@router.post("/{job_id}/cancel", responses=errors(404, 409, 413, 415))
async def cancel_job(job_id: str, api: ApiParts, owner: Owner) -> JobAnswer:
    """Stop the job's work, and the job."""
    return await answered(api, await api.kinds.cancel(owner, identifier(job_id)))


@router.delete("/{job_id}", status_code=202, responses=errors(404, 413, 415))
async def erase_job(job_id: str, api: ApiParts, owner: Owner) -> Erased:
    """Erase the job with all that is its own: what works for it is stopped, and from now on it is not there. Its rows,
    files and histories are removed by a workflow that goes on until all is gone; that it was done is all that is
    kept."""
    return Erased.model_validate(await api.erasing.erase(identifier(job_id), owner=owner))


@router.delete("/{job_id}/recording", status_code=202, responses=errors(404, 409, 413, 415))
async def erase_recording(job_id: str, api: ApiParts, owner: Owner) -> Purged:
    """Erase the recording of the job and its sound, and nothing else: text, pictures and exports stay. A job that has
    failed cannot be retried without it."""
    return Purged.model_validate(await api.erasing.erase_recording(identifier(job_id), owner=owner))


@router.post(
    "/{job_id}/retry",
    status_code=202,
    responses={
        200: {"model": RetryResult, "description": "Asked before."},
        **errors(400, 404, 409, 413, 415, 502),
    },
)
async def retry_job(job_id: str, new: NewRetry, api: ApiParts, owner: Owner, response: Response) -> RetryResult:
    """Start a failed job again, from its latest checkpoint whose artifact still verifies."""
    answer = RetryResult.model_validate(
        await api.jobs.retry(
            owner, identifier(job_id), model_profile=new.model_profile, client_request_id=new.client_request_id
        )
    )
    response.status_code = 200 if answer.replayed else 202
    return answer
