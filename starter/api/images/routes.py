"""Pictures out of prompts, and the library of what was made."""

from datetime import datetime, timedelta
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from activities.artifacts import content_disposition
from domain.jobs import Job
from domain.library import AssetMedium
from domain.lifecycles.image import FAILED, IMAGE, RUNNING
from domain.orders.picture import PictureOrder
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.file_responses import AskedFile, file_answers, file_response
from starter.api.idempotency import REPLAYED as REPLAYED_HEADER
from starter.api.idempotency import Once, OnceOnly
from starter.api.images.shapes import ImageAnswer, NewImage
from starter.api.library import asset_facts, blob_of, library_item
from starter.api.paging import Cursor, Limit
from starter.api.pictures.screenshots import NOTHING_RUNS
from starter.api.responses import REPLAYED, errors
from starter.api.shapes import JobAnswer, LibraryItem, Listed

router = APIRouter(tags=["images"])

MEDIA_TYPES = (
    *("image/png", "image/jpeg", "image/webp", "text/plain", "text/markdown", "text/vtt", "application/x-subrip"),
    *("audio/mpeg", "audio/wav", "audio/mp4", "audio/webm", "audio/x-matroska", "audio/ogg", "audio/flac"),
    *("video/mp4", "video/webm", "video/x-matroska"),
)
"""Of what jobs make."""

MOST_EVENTS = 500
"""Rows of a job's log that are looked at: more than twenty failed executions write."""


class Made(BaseModel):
    """What is remembered of a creation."""

    job_id: str
    created: bool
    gave_way: tuple[str, ...] = ()


@router.post(
    "/images",
    status_code=202,
    responses={
        200: {"model": JobAnswer, "description": "Asked before, within the minute.", "headers": REPLAYED},
        **errors(400, 402, 409, 413, 415),
    },
)
async def create_image(new: NewImage, api: ApiParts, owner: Owner, once: OnceOnly, response: Response) -> JobAnswer:
    """Have a picture made. The same prompt and params within the same minute (UTC) are one job, charged once."""
    order = api.images.order(new.prompt, new.params)
    await api.kinds.check_engine()
    made = await to_thread.run_sync(_made, api, owner, once, order)
    job = await to_thread.run_sync(api.store.get_job, made.job_id)
    for superseded in made.gave_way:
        await api.kinds.tell_superseded(superseded)
    await api.kinds.start(job)
    if not made.created:
        response.headers[REPLAYED_HEADER] = "true"
    response.status_code = 200 if REPLAYED_HEADER in response.headers else 202
    return await to_thread.run_sync(api.job_answer, job)


def _made(api: Api, owner: str, once: Once, order: PictureOrder) -> Made:
    def make() -> Made:
        gave_way: list[str] = []
        job, created = api.images.make(owner, order, gave_way.append)
        return Made(job_id=job.id, created=created, gave_way=tuple(gave_way))

    return once.answer(Made, make)


@router.get("/images/{job_id}", responses=errors(404))
def get_image(job_id: str, api: ApiParts, owner: Owner, request: Request) -> ImageAnswer:
    """The job, what it was asked for, and, once it is there, the picture."""
    job = api.store.get_job(identifier(job_id), owner=owner)
    if job.kind != IMAGE.kind:
        raise not_found()
    order = PictureOrder.model_validate(api.store.job_input(job.id).input)
    asset = next((asset_facts(api, request, each) for each in api.store.library_of_job(job.id)), None)
    return ImageAnswer(
        **dict(api.job_answer(job)),
        prompt=order.prompt,
        params=order.params,
        **_executions(api, job),
        asset=asset,
        result_url=asset.url if asset else None,
        result_url_expires_at=asset.url_expires_at if asset else None,
    )


def _executions(api: Api, job: Job) -> dict[str, Any]:
    """When the job was first taken, how often it failed, and when it is tried again: as its log has it."""
    started_at: datetime | None = None
    next_try_at: datetime | None = None
    failures = 0
    for event in api.store.events(job.id, 0, MOST_EVENTS):
        if event.new_status == RUNNING and started_at is None:
            started_at = event.occurred_at
        if event.new_status == FAILED:
            failures += 1
            pause_s = event.data.get("retry_in_s")
            waits = job.status == FAILED and isinstance(pause_s, int | float)
            next_try_at = event.occurred_at + timedelta(seconds=float(str(pause_s))) if waits else None
    return {"retry_count": failures, "started_at": started_at, "next_try_at": next_try_at}


# --- the library ---------------------------------------------------------------------------------------------------


@router.get("/library", responses=errors(400))
def list_library(
    api: ApiParts,
    owner: Owner,
    request: Request,
    medium: AssetMedium | None = None,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> Listed[LibraryItem]:
    """What your jobs made for you to keep, newest first."""
    page = api.store.library(owner, medium=medium, limit=limit, cursor=cursor)
    return Listed(items=tuple(library_item(api, request, each) for each in page.items), next_cursor=page.next_cursor)


LIBRARY_FILE: dict[str, Any] = {
    "path": "/library-files/{signed}",
    "response_class": StreamingResponse,
    "responses": file_answers("The file.", *MEDIA_TYPES),
}


@router.head(**LIBRARY_FILE, name="fetch_library_file_head")
@router.get(**LIBRARY_FILE)
def fetch_library_file(signed: str, api: ApiParts, asked: AskedFile) -> Response:
    """An asset's file, by the signed address that an answer gave out."""
    asset_id, _, part = api.signed_urls.read("library-file", signed).partition("/")
    blob = blob_of(api.store.library_asset(asset_id), part)
    if blob is None:
        raise not_found()
    headers = {
        "Content-Disposition": content_disposition(None, inline=True),
        "Content-Security-Policy": NOTHING_RUNS,
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Cache-Control": f"private, max-age={api.settings.download_url_ttl_s}, immutable",
    }
    return file_response(api.artifacts, blob, asked, headers)
