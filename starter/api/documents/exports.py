"""Exports, and the download of what they made."""

from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from activities.artifacts import content_disposition
from domain.documents.publication import MEDIA_TYPES, ExportFormat
from domain.erasure import is_absent
from domain.errors import ExportRequestInvalid, ProviderNotConfigured
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.file_responses import AskedFile, file_answers, file_response
from starter.api.idempotency import KeyInBody
from starter.api.responses import errors
from starter.api.shapes import ExportAnswer, NewExport
from starter.plugins import exporters

router = APIRouter(tags=["exports"])

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
    wanted = _format(new.format, api)
    key = KeyInBody(api, request, owner, new.idempotency_key, new)
    await to_thread.run_sync(key.check)
    export, replayed = await api.documents.export(owner, identifier(job_id), wanted, new.instruction_version_id)
    await to_thread.run_sync(key.spend, export.id)
    response.status_code = 200 if replayed else 202
    answer = await to_thread.run_sync(api.export_answer, export, request)
    return answer.model_copy(update={"replayed": replayed})


@router.get("/exports/{export_id}", responses=errors(404))
def get_export(export_id: str, api: ApiParts, owner: Owner, request: Request) -> ExportAnswer:
    """How far an export is; once it has succeeded, where to download it."""
    return api.export_answer(api.store.get_export(identifier(export_id), owner=owner), request)


ADDED = "*/*"
"""What a file of a format that an installed package brings is, that package says."""

DOWNLOAD: dict[str, Any] = {
    "path": "/downloads/{signed}",
    "response_class": StreamingResponse,
    "responses": file_answers("The file.", *MEDIA_TYPES.values(), ADDED),
}


@router.head(**DOWNLOAD, name="download_head")
@router.get(**DOWNLOAD)
def download(signed: str, api: ApiParts, asked: AskedFile) -> Response:
    """The file of an export, by the signed address that the export gave out."""
    export = api.store.get_export(api.signed_urls.read("download", signed))
    if export.blob is None or is_absent(export.owner):
        raise not_found()
    headers = {
        "Content-Disposition": content_disposition(export.filename),
        "Content-Security-Policy": SANDBOXED,
        "Cache-Control": "private, no-store",
    }
    # one that is lost has failed after all: the same request makes it again
    return file_response(api.artifacts, export.blob, asked, headers, on_loss=lambda: api.store.lose_export(export.id))


def _format(name: str, api: Api) -> ExportFormat:
    """Raises: ExportRequestInvalid: there is none. ProviderNotConfigured: nobody said where it is put."""
    known = (*ExportFormat, *exporters())
    if name not in known:
        raise ExportRequestInvalid(
            "There is no such export format.", details={"formats": [str(each) for each in known]}
        )
    if name == ExportFormat.NOTION and api.settings.notion_parent is None:
        raise ProviderNotConfigured("No Notion is set up here. Set GUIDESMITH_NOTION_PARENT.")
    if name == ExportFormat.CONFLUENCE and api.settings.confluence_space_url is None:
        raise ProviderNotConfigured("No Confluence is set up here. Set GUIDESMITH_CONFLUENCE_SPACE_URL.")
    return ExportFormat(name)
