"""Batches: many clips, thumbnails or captions in one job, and what a job made."""

from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from activities.artifacts import content_disposition
from activities.stages.batch import order_of
from domain.jobs import Job
from domain.library import LibraryAsset
from domain.lifecycles.batch import BATCH, BatchType
from domain.orders.batch import SUFFIXES, BatchOrder, file_name, item_of
from starter.api.batches.archive import MEDIA_TYPE as ZIP
from starter.api.batches.archive import Archive, Member, there
from starter.api.batches.shapes import ItemErrorAnswer, JobAsset, JobAssets, NewBatch
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.file_responses import AskedFile, file_answers, file_response
from starter.api.idempotency import REPLAYED as REPLAYED_HEADER
from starter.api.idempotency import OnceOnly
from starter.api.library import asset_facts
from starter.api.paging import Cursor, Limit
from starter.api.responses import REPLAYED, errors
from starter.api.shapes import BatchResult, JobAnswer

router = APIRouter(prefix="/jobs", tags=["batches"])


@router.post(
    "",
    status_code=202,
    responses={
        200: {"model": JobAnswer, "description": "Asked before, with the same key.", "headers": REPLAYED},
        **errors(400, 404, 409, 413, 415),
    },
)
async def create_batch(new: NewBatch, api: ApiParts, owner: Owner, once: OnceOnly, response: Response) -> JobAnswer:
    """Have many things made of recordings that you uploaded. Items that fail stop no others."""
    order = new.order()
    for source in order.sources:
        identifier(source)
    await to_thread.run_sync(api.batches.check, owner, order)
    await api.kinds.check_engine()
    answer = await to_thread.run_sync(
        lambda: once.answer(JobAnswer, lambda: api.job_answer(api.batches.make(owner, order)))
    )
    await api.kinds.start(await to_thread.run_sync(api.store.get_job, answer.id))
    response.status_code = 200 if REPLAYED_HEADER in response.headers else 202
    return answer


@router.get("/{job_id}/assets", responses=errors(400, 404))
def list_assets(
    job_id: str, api: ApiParts, owner: Owner, request: Request, limit: Limit = 20, cursor: Cursor = None
) -> JobAssets:
    """What the job made, newest first; of a batch also which items failed, and why."""
    job = api.store.get_job(identifier(job_id), owner=owner)
    page = api.store.assets_of_job(job.id, limit=limit, cursor=cursor)
    return JobAssets(
        items=tuple(_asset(api, request, job, each) for each in page.items),
        next_cursor=page.next_cursor,
        errors=_errors(api, job) if cursor is None and job.kind == BATCH.kind else (),
    )


ARCHIVE: dict[str, Any] = {
    "path": "/{job_id}/assets.zip",
    "response_class": StreamingResponse,
    "responses": {**file_answers("All of it.", ZIP), **errors(400, 404, 416)},
}


@router.head(**ARCHIVE, name="download_assets_head")
@router.get(**ARCHIVE)
def download_assets(job_id: str, api: ApiParts, owner: Owner, asked: AskedFile) -> Response:
    """All that the job has made so far, in the order of the request, as one ZIP. One that broke off can be taken up
    again by Range, as long as the job has made nothing more: If-Range with its ETag sees to that. Files that were lost
    are left out, and named in its missing.txt; one that turns out to be damaged while it is sent fails its checksum."""
    job = api.store.get_job(identifier(job_id), owner=owner)
    assets = api.store.library_of_job(job.id)
    if not assets:
        raise not_found()
    members = [Member(_saved_as(job, each), each.blob) for each in assets]
    archive = Archive(api.artifacts, there(api.artifacts, f"jobs/{job.id}/", members), job.created_at)
    headers = {"Content-Disposition": content_disposition(f"{job.kind}-{job.id}.zip"), "Cache-Control": "no-store"}
    return file_response(archive, archive.blob, asked, headers)


def _saved_as(job: Job, asset: LibraryAsset) -> str:
    media_type = asset.blob.media_type
    if job.kind != BATCH.kind:
        return f"{asset.medium}-{asset.ordinal:02}.{SUFFIXES.get(media_type) or media_type.rpartition('/')[2]}"
    at_ms = asset.facts.get("at_ms")
    moment = int(str(at_ms)) if at_ms is not None else None
    return file_name(str(asset.facts["name"]), item_of(asset.ordinal), moment, media_type)


def _asset(api: Api, request: Request, job: Job, asset: LibraryAsset) -> JobAsset:
    facts: dict[str, Any] = {name: asset.facts.get(name) for name in ("name", "begins_ms", "ends_ms", "at_ms")}
    return JobAsset(
        **dict(asset_facts(api, request, asset)),
        **facts,
        item=item_of(asset.ordinal) if job.kind == BATCH.kind else None,
        source_job_id=asset.facts.get("source"),
        created_at=asset.created_at,
    )


def batch_facts(api: Api, job: Job) -> tuple[dict[str, Any], BatchResult]:
    """What a batch was asked for, as its request said it, and what came of it so far."""
    order, assets = order_of(api.store, job.id), api.store.library_of_job(job.id)
    result = BatchResult(
        items=order.items,
        failed_items=len(api.store.item_errors(job.id)),
        assets=len(assets),
        size_bytes=sum(each.blob.size_bytes for each in assets),
    )
    return _parameters(order), result


def _parameters(order: BatchOrder) -> dict[str, Any]:
    of: dict[BatchType, dict[str, Any]] = {
        BatchType.CLIPS: {"ranges": [span.model_dump(mode="json") for span in order.spans]},
        BatchType.THUMBNAILS: {"stills": order.stills, "width": order.width},
        BatchType.CAPTIONS: {"formats": [str(each) for each in order.formats]},
    }
    return {"inputs": [{"job_id": each} for each in order.sources], **of[order.job_type]}


def _errors(api: Api, job: Job) -> tuple[ItemErrorAnswer, ...]:
    order: BatchOrder = order_of(api.store, job.id)
    return tuple(
        ItemErrorAnswer(
            item=each.number,
            source_job_id=order.item(each.number).source,
            code=each.failure_code,
            message=each.failure_message,
        )
        for each in api.store.item_errors(job.id)
    )
