"""Screenshots: taken from the recording, or brought along."""

from datetime import timedelta
from typing import Any, get_args

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from activities.artifacts import content_disposition
from activities.pictures.opening import MOST_BYTES
from domain.documents.screenshots import PictureFormat, ScreenshotTask
from domain.erasure import is_absent
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.file_responses import AskedFile, file_answers, file_response
from starter.api.idempotency import OnceOnly
from starter.api.pictures.answers import asset_answer, receive, too_large
from starter.api.pictures.shapes import (
    Announced,
    ConfirmPicture,
    MediaType,
    NewExtraction,
    NewPicture,
    PictureConfirmed,
    PictureReceived,
    PictureTicket,
    ScreenshotTaskAnswer,
)
from starter.api.responses import errors, signed_errors
from starter.api.uploads.receiving import clean_filename
from starter.services.screenshots import ScreenshotRequest

router = APIRouter(tags=["screenshots"])

MEDIA_TYPES = tuple(each.media_type for each in PictureFormat)

NOTHING_RUNS = "sandbox; default-src 'none'"
"""A picture that is opened by itself shows, and does nothing."""


@router.post(
    "/jobs/{job_id}/screenshots/extract",
    status_code=202,
    responses={
        200: {"model": ScreenshotTaskAnswer, "description": "Asked before."},
        **errors(400, 404, 409, 413, 415, 502),
    },
)
async def extract_screenshot(
    job_id: str, new: NewExtraction, api: ApiParts, owner: Owner, request: Request, response: Response
) -> ScreenshotTaskAnswer:
    """Take a frame of the recording and let it show.

    It goes to the anchor that is named, or to the oldest one at the place that is named (made, where there is none);
    with neither, beside what shows already, to the block that tells of that moment. The same frame for the same
    version is one task, wherever it was to go.
    """
    frame = ScreenshotRequest(
        instruction_id=identifier(new.instruction_id),
        instruction_version_id=identifier(new.instruction_version_id),
        extraction=new.extraction,
        anchor_id=None if new.anchor_id is None else identifier(new.anchor_id),
        place=new.place,
        idempotency_key=new.idempotency_key,
    )
    task, replayed = await api.screenshots.extract(owner, identifier(job_id), frame)
    response.status_code = 200 if replayed else 202
    return await to_thread.run_sync(task_answer, api, request, task, replayed)


@router.get("/screenshot-tasks/{task_id}", responses=errors(404))
def get_screenshot_task(task_id: str, api: ApiParts, owner: Owner, request: Request) -> ScreenshotTaskAnswer:
    """How far a screenshot is; once it has succeeded, the picture."""
    return task_answer(api, request, api.store.get_screenshot_task(identifier(task_id), owner=owner))


def task_answer(api: Api, request: Request, task: ScreenshotTask, replayed: bool = False) -> ScreenshotTaskAnswer:
    """The task as it is sent. Reads the database."""
    asset = api.store.get_asset(task.asset_id) if task.asset_id is not None else None
    shown = asset_answer(api, request, asset) if asset is not None else None
    return ScreenshotTaskAnswer.of(task, shown, replayed=replayed)


# --- brought along -----------------------------------------------------------------------------------------------


@router.post("/jobs/{job_id}/screenshots/uploads", status_code=201, responses=errors(400, 404, 409, 413, 415))
def announce_picture(
    job_id: str, new: NewPicture, api: ApiParts, owner: Owner, once: OnceOnly, request: Request
) -> PictureTicket:
    """Announce a picture of your own: PNG, JPEG or WebP."""

    if new.size_bytes > MOST_BYTES:
        raise too_large(MOST_BYTES)
    api.store.get_job(identifier(job_id), owner=owner)
    expires_at = api.store.now() + timedelta(seconds=api.settings.upload_url_ttl_s)

    def announced() -> Announced:
        upload = api.store.begin_picture(
            owner,
            job_id,
            filename=clean_filename(new.filename, "picture"),
            media_type=new.mime_type,
            size_bytes=new.size_bytes,
            checksum_sha256=new.checksum_sha256,
            expires_at=expires_at,
        )
        return Announced(upload_id=upload.id)

    upload = api.store.get_picture(once.answer(Announced, announced).upload_id)
    signed = api.signed_urls.sign("picture-upload", upload.id, upload.expires_at.timestamp())
    return PictureTicket(
        upload_id=upload.id,
        upload_url=api.address(request, f"picture-uploads/{signed}"),
        expires_at=upload.expires_at,
        max_size_bytes=MOST_BYTES,
        allowed_mime_types=get_args(MediaType),
    )


@router.put(
    "/picture-uploads/{signed}",
    responses=signed_errors(404, 409, 410, 413),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def receive_picture(signed: str, request: Request, api: ApiParts) -> PictureReceived:
    """Send the picture. What comes last, before it is confirmed, counts."""
    upload = await to_thread.run_sync(api.store.get_picture, api.signed_urls.read("picture-upload", signed))
    if is_absent(upload.owner):
        raise not_found()
    return PictureReceived(upload_id=upload.id, received_bytes=await receive(api, request, upload))


@router.post("/jobs/{job_id}/screenshots/uploads/{upload_id}/confirm", responses=errors(400, 404, 413, 415))
async def confirm_picture(
    job_id: str, upload_id: str, confirmed: ConfirmPicture, api: ApiParts, owner: Owner, request: Request
) -> PictureConfirmed:
    """Say that the picture has arrived: type by content, size, hash and dimensions are checked. Attach it then."""
    job, upload = identifier(job_id), identifier(upload_id)
    asset = await to_thread.run_sync(api.screenshots.confirm, owner, job, upload, confirmed.claim, limiter=api.drawing)
    return PictureConfirmed(asset=asset_answer(api, request, asset))


PICTURE: dict[str, Any] = {
    "path": "/pictures/{signed}",
    "response_class": StreamingResponse,
    "responses": file_answers("The picture.", *MEDIA_TYPES),
}


@router.head(**PICTURE, name="fetch_picture_head")
@router.get(**PICTURE)
def fetch_picture(signed: str, api: ApiParts, asked: AskedFile) -> Response:
    """A picture, by the signed address that an answer gave out."""
    asset_id = api.signed_urls.read("picture", signed)
    asset = api.store.get_asset(asset_id) or api.store.picture_of_asset(asset_id)
    if asset is None:
        raise not_found()
    headers = {
        "Content-Disposition": content_disposition(None, inline=True),
        "Content-Security-Policy": NOTHING_RUNS,
        "Cross-Origin-Resource-Policy": "cross-origin",  # an editor elsewhere may show what it was given
        "Cache-Control": f"private, max-age={api.settings.download_url_ttl_s}, immutable",
    }
    return file_response(api.artifacts, asset.blob, asked, headers)
