"""How a recording arrives: whole or in parts, through the API or straight into the object store, never held in memory.

The address of a session is its own permission (``starter/api/signed_urls.py``); that of a part is the same with
``?part=N``.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import anyio
import uuid_utils
from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect

from activities.store import UploadSession
from domain.uploads import MOST_PARTS
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.responses import errors, signed_errors
from starter.api.shapes import (
    Confirmed,
    ConfirmUpload,
    NewUpload,
    PartAddressAnswer,
    PartAddresses,
    PartNumbers,
    UploadAnswer,
    UploadProgress,
)
from starter.api.uploads.confirming import Confirming
from starter.api.uploads.receiving import Receiving, clean_filename, suffix_of, suited_part_size, too_large
from starter.logs import bound

router = APIRouter(tags=["uploads"])

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 2.0
"""How often one who waits for another's confirmation looks whether it is there."""


@router.post("/jobs/{job_id}/upload", responses=errors(400, 404, 409, 413, 415))
def begin_upload(job_id: str, new: NewUpload, request: Request, api: ApiParts, owner: Owner) -> UploadAnswer:
    """Begin the upload of the job's recording, or go on with the session that began.

    Where another size is declared than before, parts that lie beyond it are taken back.
    """
    cap = api.settings.upload_cap_bytes
    if new.size_bytes is not None and new.size_bytes > cap:
        raise too_large(cap)
    api.store.get_job(identifier(job_id), owner=owner)
    upload_id = str(uuid_utils.uuid7())
    expires_at = api.store.now() + timedelta(seconds=api.settings.upload_url_ttl_s)
    part_size = suited_part_size(api.artifacts, api.settings.part_size_bytes, new.size_bytes, cap)
    _, session = api.store.begin_upload(
        owner,
        job_id,
        upload_id=upload_id,
        key=f"jobs/{job_id}/upload/{upload_id}{suffix_of(new.filename)}",
        filename=clean_filename(new.filename, "recording"),
        size_bytes=new.size_bytes,
        checksum_sha256=new.checksum_sha256,
        expires_at=expires_at,
        part_size=part_size,
    )
    Receiving(api.store, api.artifacts, cap, session, api.part_counts).take_back_strays()
    signed = api.signed_urls.sign("upload", session.id, session.expires_at.timestamp())
    return UploadAnswer(
        upload_id=session.id,
        video_uri=api.artifacts.uri(session.key),
        upload_url=api.address(request, f"uploads/{signed}"),
        parts_url=api.address(request, f"uploads/{signed}/parts"),
        part_size=session.part_size or part_size,
        expires_at=session.expires_at,
    )


@router.put(
    "/uploads/{signed}",
    responses=signed_errors(400, 404, 409, 410, 413),
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
    """Send the recording, or a part of it, in any order, again if it was lost.

    A part that is sent again with an empty body is taken back. What is more than the declared size is refused.
    """
    receiving = await to_thread.run_sync(_open, api, signed)
    with bound(job_id=receiving.session.job_id):
        await receiving.take(request, part)
        return await to_thread.run_sync(receiving.progress)


@router.post("/uploads/{signed}/parts", responses=signed_errors(400, 404, 409, 410, 413, 415))
def address_parts(signed: str, asked: PartNumbers, request: Request, api: ApiParts) -> PartAddresses:
    """Where to PUT these parts: signed addresses of the object store, or of this API where that has none.

    An address holds until expires_at, which may be sooner than the session ends; then ask again. An object store
    refuses a part of another size than the declared one, and says so in its own words; GET upload_url
    says what has arrived, whichever way it came.
    """
    receiving = _open(api, signed)
    numbers, until, now = sorted(set(asked.numbers)), receiving.session.expires_at, datetime.now(UTC)
    direct, own = receiving.addresses(numbers), api.address(request, f"uploads/{signed}")

    def answer(number: int) -> PartAddressAnswer:
        if (address := direct.get(number)) is None:
            return PartAddressAnswer(part=number, url=f"{own}?part={number}", headers={}, expires_at=until)
        ends = until if address.expires_s is None else min(until, now + timedelta(seconds=address.expires_s))
        return PartAddressAnswer(part=number, url=address.url, headers=dict(address.headers), expires_at=ends)

    return PartAddresses(parts=tuple(answer(number) for number in numbers))


@router.get("/uploads/{signed}", responses=signed_errors(404, 410))
def upload_progress(signed: str, api: ApiParts) -> UploadProgress:
    """What of the recording has arrived."""
    session = api.store.get_upload(api.signed_urls.read("upload", signed))
    return Receiving(api.store, api.artifacts, _cap(api, session), session).progress()


@router.post("/jobs/{job_id}/confirm-upload", responses=errors(400, 404, 409, 413, 415))
async def confirm_upload(
    job_id: str, confirmed: ConfirmUpload, request: Request, api: ApiParts, owner: Owner
) -> Confirmed:
    """Say that the recording has arrived: its existence, size and checksum are verified, and the job is UPLOADED.

    A recording that was sent in parts is read once for that, which takes a while when it is large. Whoever asks
    meanwhile waits for the same answer.
    """
    confirming = Confirming(
        api.store, api.artifacts, api.settings.upload_cap_bytes, owner, identifier(job_id), confirmed
    )
    pause = FIRST_PAUSE_S
    before = await to_thread.run_sync(confirming.replayed)
    done = (before, True) if before is not None else None
    while done is None:
        # a process that is told to stop does not wait for it: another takes over when the lease has run out
        done = await to_thread.run_sync(confirming.attempt, limiter=api.confirming, abandon_on_cancel=True)
        if done is None:
            if await request.is_disconnected():
                raise ClientDisconnect
            await anyio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)
    job, replayed = done
    return Confirmed(job=await to_thread.run_sync(api.job_answer, job), replayed=replayed)


def _open(api: Api, signed: str) -> Receiving:
    session = api.store.open_upload(api.signed_urls.read("upload", signed))
    return Receiving(api.store, api.artifacts, _cap(api, session), session, api.part_counts)


def _cap(api: Api, session: UploadSession) -> int:
    """The most bytes of a recording, or of an input of an analysis."""
    return api.settings.analysis_file_cap_bytes if session.ordinal else api.settings.upload_cap_bytes
