"""How a recording arrives: whole or in parts, streamed into the artifact store, never held in memory.

The address of a session is its own permission (``starter/api/capabilities.py``); that of the parts is the same with
``?part=N``.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import uuid_utils
from anyio import to_thread
from fastapi import APIRouter, Query, Request

from starter.api.context import ApiParts, Owner, identifier
from starter.api.declared import errors, signed_errors
from starter.api.errors import BodyTooLarge
from starter.api.receiving import Receiving, clean_filename, suffix_of
from starter.api.shapes import Confirmed, ConfirmUpload, NewUpload, UploadAnswer, UploadProgress
from starter.logs import bound

router = APIRouter(tags=["uploads"])

MOST_PARTS = 10_000
"""S3's own limit, kept for every store."""


@router.post("/jobs/{job_id}/upload", responses=errors(400, 404, 409, 413, 415))
def begin_upload(job_id: str, new: NewUpload, request: Request, api: ApiParts, owner: Owner) -> UploadAnswer:
    """Begin the upload of the job's recording, or go on with the session that began."""
    identifier(job_id)
    api.store.get_job(job_id, owner=owner)
    cap = api.settings.upload_cap_bytes
    if new.size_bytes is not None and new.size_bytes > cap:
        raise BodyTooLarge(f"Recordings may have at most {cap} bytes.", details={"limit_bytes": cap})
    upload_id = str(uuid_utils.uuid7())
    expires_at = datetime.now(UTC) + timedelta(seconds=api.settings.upload_url_ttl_s)
    _, session = api.store.begin_upload(
        owner,
        job_id,
        upload_id=upload_id,
        key=f"jobs/{job_id}/upload/{upload_id}{suffix_of(new.filename)}",
        filename=clean_filename(new.filename),
        size_bytes=new.size_bytes,
        checksum_sha256=new.checksum_sha256,
        expires_at=expires_at,
    )
    signed = api.capabilities.sign("upload", session.id, session.expires_at.timestamp())
    return UploadAnswer(
        upload_id=session.id,
        video_uri=api.artifacts.uri(session.key),
        upload_url=api.address(request, f"uploads/{signed}"),
        part_size=api.settings.part_size_bytes,
        expires_at=session.expires_at,
    )


@router.put(
    "/uploads/{signed}",
    responses=signed_errors(400, 404, 409, 413),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def receive(
    signed: str,
    request: Request,
    api: ApiParts,
    part: Annotated[int | None, Query(ge=1, le=MOST_PARTS, description="Which part this is; none: the whole.")] = None,
) -> UploadProgress:
    """Send the recording, or a part of it, in any order, again if it was lost."""
    receiving = await to_thread.run_sync(
        Receiving.open, api.store, api.artifacts, api.settings.upload_cap_bytes, api.capabilities.read("upload", signed)
    )
    with bound(job_id=receiving.session.job_id):
        await receiving.take(request, part)
        return await to_thread.run_sync(receiving.progress)


@router.get("/uploads/{signed}", responses=signed_errors(404))
def upload_progress(signed: str, api: ApiParts) -> UploadProgress:
    """What of the recording has arrived."""
    session = api.store.get_upload(api.capabilities.read("upload", signed))
    return Receiving(api.store, api.artifacts, api.settings.upload_cap_bytes, session).progress()


@router.post("/jobs/{job_id}/confirm-upload", responses=errors(400, 404, 409, 413, 415))
def confirm_upload(job_id: str, confirmed: ConfirmUpload, api: ApiParts, owner: Owner) -> Confirmed:
    """Say that the recording has arrived: its existence, size and checksum are verified, and the job is UPLOADED."""
    job = api.store.get_job(identifier(job_id), owner=owner)
    job, replayed = Receiving.confirm(api.store, api.artifacts, api.settings.upload_cap_bytes, job, confirmed)
    return Confirmed(job=api.job_answer(job), replayed=replayed)
