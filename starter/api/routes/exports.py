"""Exports, and the download of what they made."""

import re
from dataclasses import dataclass

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse

from activities.artifacts import content_disposition
from domain.artifacts import Blob
from domain.errors import ExportRequestInvalid
from domain.publication import MEDIA_TYPES, ExportFormat
from starter.api.context import ApiParts, Owner, identifier
from starter.api.declared import binary, errors, signed_errors
from starter.api.errors import RangeUnsatisfiable, not_found
from starter.api.shapes import ExportAnswer, NewExport
from starter.api.stored import stored_bytes

router = APIRouter(tags=["exports"])

ONE_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")

SANDBOXED = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
"""An exported page is somebody's text: opened from here, it may show itself and do nothing."""


@router.post(
    "/jobs/{job_id}/exports",
    status_code=202,
    responses={200: {"model": ExportAnswer, "description": "The same export."}, **errors(400, 404, 409, 413, 415, 502)},
)
async def request_export(
    job_id: str, new: NewExport, api: ApiParts, owner: Owner, request: Request, response: Response
) -> ExportAnswer:
    """Export one version of the instruction in one format. The same request is the same export."""
    export, replayed = await api.jobs.export(owner, identifier(job_id), _format(new.format), new.instruction_version_id)
    response.status_code = 200 if replayed else 202
    return api.export_answer(export, request)


@router.get("/exports/{export_id}", responses=errors(404))
def get_export(export_id: str, api: ApiParts, owner: Owner, request: Request) -> ExportAnswer:
    """How far an export is; once it has succeeded, where to download it."""
    return api.export_answer(api.store.get_export(identifier(export_id), owner=owner), request)


@router.get(
    "/downloads/{signed}",
    response_class=StreamingResponse,
    responses={
        200: binary("The file.", *MEDIA_TYPES.values()),
        206: binary("The part of the file that Range asked for.", *MEDIA_TYPES.values()),
        **signed_errors(404, 416),
    },
)
def download(
    signed: str,
    api: ApiParts,
    range_: str | None = Header(default=None, alias="Range", max_length=100),
    if_range: str | None = Header(default=None, alias="If-Range", max_length=100),
) -> Response:
    """The file of an export, by the signed address that the export gave out."""
    export = api.store.get_export(api.capabilities.read("download", signed))
    if export.blob is None:
        raise not_found()
    etag = f'"{export.blob.checksum_sha256}"'
    headers = {
        "Content-Disposition": content_disposition(export.filename),
        "ETag": etag,
        "Accept-Ranges": "bytes",
        "Content-Security-Policy": SANDBOXED,
        "Cache-Control": "private, no-store",
    }
    wanted = _wanted(range_ if if_range in (None, etag) else None, export.blob)
    headers["Content-Length"] = str(wanted.end - wanted.start)
    if wanted.partial:
        headers["Content-Range"] = f"bytes {wanted.start}-{wanted.end - 1}/{export.blob.size_bytes}"
    return StreamingResponse(
        # one that is lost has failed after all: the same request makes it again
        stored_bytes(
            api.artifacts, export.blob, wanted.start, wanted.end, on_loss=lambda: api.store.lose_export(export.id)
        ),
        status_code=206 if wanted.partial else 200,
        headers=headers,
        media_type=export.blob.media_type,
    )


@dataclass(frozen=True)
class _Range:
    start: int
    end: int
    partial: bool


def _wanted(header: str | None, blob: Blob) -> _Range:
    """The bytes that a Range header asks for (RFC 9110, 14.2); what is not one plain range asks for all of them.

    Raises:
        RangeUnsatisfiable: It begins beyond the file.
    """
    size = blob.size_bytes
    asked = ONE_RANGE.fullmatch(header or "")
    if asked is None or not (asked[1] or asked[2]):
        return _Range(0, size, partial=False)
    if not asked[1]:
        start, end = max(size - int(asked[2]), 0), size
    else:
        start, end = int(asked[1]), min(int(asked[2]) + 1, size) if asked[2] else size
    if asked[1] and asked[2] and int(asked[2]) < int(asked[1]):
        return _Range(0, size, partial=False)
    if start >= end:
        raise RangeUnsatisfiable("The file ends before that range.", details={"size_bytes": size})
    return _Range(start, end, partial=True)


def _format(name: str) -> ExportFormat:
    try:
        return ExportFormat(name)
    except ValueError:
        raise ExportRequestInvalid(
            "There is no such export format.", details={"formats": [str(each) for each in ExportFormat]}
        ) from None
