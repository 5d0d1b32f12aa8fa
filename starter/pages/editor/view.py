"""The editor: the recording and the instruction side by side."""

from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from domain.documents.comments import LONGEST_COMMENT
from domain.errors import RequestInvalid
from starter.api.context import identifier
from starter.api.documents.shapes import SittingAnswer
from starter.api.file_responses import AskedFile
from starter.pages.editor.editing import block_html, editing, recorded, rewriting
from starter.pages.shell.context import Context
from starter.pages.shell.files import recording_response
from starter.pages.translations.view import linked_documents, standing_of

router = APIRouter()

LAST_VERSION = 2**31 - 1

Version = Annotated[int | None, Query(ge=1, le=LAST_VERSION)]


@router.get("/instructions/{instruction_id}")
def editor(instruction_id: str, context: Context) -> Response:
    """The newest version, to work on."""
    version = context.api.store.get_instruction(context.owner, identifier(instruction_id))
    job = context.api.store.get_job(version.job_id, owner=context.owner)
    shown = editing(context.api, context.owner, version, context.language)
    sittings = context.api.store.list_sittings(context.owner, version.instruction_id, author=context.subject)
    return context.page(
        "editor/editor.html",
        modules=[
            "editor/editor.js" if context.offers("PUT /instructions/{instruction_id}") else "editor/reading.js",
            "comments/comments.js",
        ],
        people=context.api.store.people_of_instruction(version.instruction_id),
        longest_comment=LONGEST_COMMENT,
        shown=shown,
        recording=recorded(context.api, job),
        job=job,
        heard=context.api.store.last_event_seq(job.id),
        has_glossary=bool(context.api.store.glossary(context.owner, job.project_id)),
        rewriting=rewriting(context.api, context.owner, shown),
        linked=linked_documents(context, version),
        translation=standing_of(context, version),
        sittings=[SittingAnswer.of(each).model_dump(mode="json") for each in sittings],
    )


@router.get("/instructions/{instruction_id}/state")
def state(instruction_id: str, context: Context, version: Version = None) -> Response:
    """A version as the editor's modules take it over, after a save or where somebody else saved."""
    wanted = context.api.store.get_instruction(context.owner, identifier(instruction_id), version)
    shown = editing(context.api, context.owner, wanted, context.language)
    return context.packed(JSONResponse(shown.state(html=True)))


@router.post("/preview")
async def preview(request: Request, context: Context) -> Response:
    """The text that is sent, one block's Markdown, as HTML. Nothing is kept of it."""
    try:
        markdown = (await request.body()).decode()
    except UnicodeDecodeError:
        raise RequestInvalid("The text is not UTF-8.") from None
    return HTMLResponse(await to_thread.run_sync(block_html, markdown))


@router.get("/pictures/{asset_id}/thumbnail")
async def thumbnail(asset_id: str, context: Context) -> Response:
    """A picture as the editor shows it. What it shows never changes, so a browser asks once.

    Raises:
        NotFound: It is absent, or somebody else's.
    """
    small = partial(context.api.screenshots.thumbnail, context.owner, identifier(asset_id))
    data = await to_thread.run_sync(small, limiter=context.api.drawing)
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=31536000, immutable"})


@router.head("/jobs/{job_id}/recording")
@router.get("/jobs/{job_id}/recording")
def recording(job_id: str, context: Context, asked: AskedFile) -> Response:
    """The recording itself, to play: a part of it at a time, or where in the object store it is.

    Raises:
        NotFound: There is none (any more).
    """
    job = context.api.store.get_job(identifier(job_id), owner=context.owner)
    ttl_s, headers = context.api.settings.download_url_ttl_s, {"Cache-Control": "private, no-cache"}
    return recording_response(context.api, job.id, asked, ttl_s=ttl_s, headers=headers)
