"""Exporting an instruction: asking for a file, following it, looking at its pages, taking it home."""

from datetime import datetime
from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from domain.artifacts import Blob
from domain.documents.publication import PLACED_FORMATS, ExportFormat
from domain.documents.tasks import Export, ExportStatus
from domain.errors import NotFound
from starter.api.context import Api, identifier
from starter.pages.shell.context import Context, PageContext
from starter.plugins import exporters

router = APIRouter()

PAGE = 10
CHOICES = 100
"""Versions to choose from: the newest, and the one that was asked for."""


def _chosen(api: Api) -> tuple[ExportFormat, ...]:
    """What can be chosen here. A site is made of guides where these are listed."""
    without = {ExportFormat.SITE, *PLACED_FORMATS} - set(placed_formats(api))
    return tuple(each for each in ExportFormat if each not in without)


def placed_formats(api: Api) -> tuple[ExportFormat, ...]:
    """The places elsewhere that are set up here."""
    places = {
        ExportFormat.CONFLUENCE: api.settings.confluence_space_url,
        ExportFormat.NOTION: api.settings.notion_parent,
    }
    return tuple(each for each, place in places.items() if place)


WORKING = (ExportStatus.REQUESTED, ExportStatus.RUNNING)
TONES = {ExportStatus.SUCCEEDED: "good", ExportStatus.FAILED: "bad"}

PAINTED_AT_ONCE = 2
"""Pages that a process has drawn at once. A reader scrolls past ten in a second; each takes a processor half of one."""

_painting = CapacityLimiter(PAINTED_AT_ONCE)

Number = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@router.get("/instructions/{instruction_id}/export")
def export(instruction_id: str, context: Context, version: Number = None, cursor: str | None = None) -> Response:
    """The form, and what was exported before. A module of ours that asks again gets the list."""
    store = context.api.store
    chosen = store.get_instruction(context.owner, identifier(instruction_id), version)
    page = store.list_exports(context.owner, chosen.job_id, PAGE, cursor)
    versions = store.versions(context.owner, chosen.instruction_id, CHOICES).items
    numbers = {each.id: each.version for each in versions} | {chosen.id: chosen.version}
    listed: dict[str, Any] = {
        "exports": [_row(context.api, each, numbers) for each in page.items],
        "older": page.next_cursor,
        "cursor": cursor,
        "added": exporters(),
    }
    if context.is_partial:
        return context.page("exports/list.html", **listed)
    return context.page(
        "exports/exports.html",
        modules=["exports/exports.js"],
        chosen=chosen,
        versions=versions,
        formats=_chosen(context.api),
        heard=store.last_event_seq(chosen.job_id),
        **listed,
    )


@router.get("/instructions/{instruction_id}/export/versions")
def export_versions(instruction_id: str, context: Context, version: Number = None) -> Response:
    """The versions to choose from, anew: somebody has saved another one since the form came."""
    chosen = context.api.store.get_instruction(context.owner, identifier(instruction_id), version)
    versions = context.api.store.versions(context.owner, chosen.instruction_id, CHOICES).items
    return context.page("exports/versions.html", chosen=chosen, versions=versions)


@router.get("/exports/{export_id}/file")
def download(export_id: str, request: Request, context: Context) -> Response:
    """The file, by an address that is signed afresh.

    Raises:
        NotFound: The export has no file (yet, or any more).
    """
    made = context.api.store.get_export(identifier(export_id), owner=context.owner)
    address = context.api.export_answer(made, request).download_url
    if address is None:
        raise NotFound
    return RedirectResponse(address, status_code=303)


@router.get("/exports/{export_id}/preview")
async def preview(export_id: str, context: Context) -> Response:
    """The pages of a PDF, to be looked at: each is drawn when it comes into view."""
    made, blob = await to_thread.run_sync(_pdf, context, export_id)
    pages = await to_thread.run_sync(_leaves, context.api, blob, limiter=_painting)
    return context.page("exports/preview.html", export=made, pages=pages)


@router.get("/exports/{export_id}/pages/{number}")
async def page(export_id: str, number: int, context: Context) -> Response:
    """One page of a PDF as a picture."""
    _, blob = await to_thread.run_sync(_pdf, context, export_id)
    picture = await to_thread.run_sync(_leaf, context.api, blob, number, limiter=_painting)
    # an export never changes; who has signed out since sees what they saw
    return Response(picture, media_type="image/webp", headers={"Cache-Control": "private, max-age=86400, immutable"})


def _pdf(context: PageContext, export_id: str) -> tuple[Export, Blob]:
    """Raises: NotFound: the export is absent, another's, no PDF, or has no file."""
    made = context.api.store.get_export(identifier(export_id), owner=context.owner)
    if made.format is not ExportFormat.PDF or made.blob is None or made.status is not ExportStatus.SUCCEEDED:
        raise NotFound
    return made, made.blob


def _leaves(api: Api, blob: Blob) -> Any:
    from activities.publishing.preview import leaves  # brings the typesetters along: not for those who never ask

    with api.artifacts.local_path(blob) as document:
        return leaves(document)


def _leaf(api: Api, blob: Blob, number: int) -> bytes:
    from activities.publishing.preview import leaf

    with api.artifacts.local_path(blob) as document:
        return leaf(document, number)


def _row(api: Api, export: Export, numbers: dict[str, int]) -> dict[str, Any]:
    version_id = export.instruction_version_id
    if version_id not in numbers:
        numbers[version_id] = api.store.get_version_by_id(version_id).version
    return {
        "export": export,
        "version": numbers[version_id],
        "is_working": export.status in WORKING,
        "tone": TONES.get(export.status, "busy"),
        "brand_saved_at": _brand_saved_at(export),
        "seconds": (export.completed_at - export.requested_at).total_seconds() if export.completed_at else None,
    }


def _brand_saved_at(export: Export) -> datetime | None:
    """When the brand that it shows was saved; ``None``: it shows none."""
    told = export.provenance.get("brand")
    return datetime.fromisoformat(str(told["saved_at"])) if isinstance(told, dict) else None
