"""Where a batch begins: a form, which the browser sends through the API."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.artifacts import ArtifactKind
from domain.lifecycles.instruction import INSTRUCTION
from domain.orders.batch import MAX_ITEMS, MAX_STILLS, MAX_WIDTH, MIN_WIDTH, STILLS, WIDTH, CaptionFormat
from starter.pages.shell.context import Context
from starter.pages.shell.status_view import title_of

router = APIRouter()

RECORDINGS = 100
"""To choose from: the newest."""


@router.get("/new/batch")
def new(context: Context) -> Response:
    """The form."""
    page = context.api.store.job_cards(context.owner, kind=INSTRUCTION.kind, limit=RECORDINGS)
    manifests = context.api.store.manifests([card.job.id for card in page.items])
    recordings = [
        {
            "id": card.job.id,
            "title": title_of(context.say, card),
            "file_name": card.file_name if card.title else None,
            "created_at": card.job.created_at,
            "has_transcript": ArtifactKind.TRANSCRIPT in manifests[card.job.id].artifacts,
        }
        for card in page.items
        if ArtifactKind.VIDEO in manifests[card.job.id].artifacts
    ]
    return context.page(
        "batch/new.html",
        modules=["batch/new.js"],
        kind="batch",
        available=context.api.store.balance(context.owner).available,
        price=0,
        recordings=recordings,
        more=page.next_cursor is not None,
        chosen=context.request.query_params.get("recording", ""),
        most_items=MAX_ITEMS,
        stills=STILLS,
        most_stills=MAX_STILLS,
        widths=(MIN_WIDTH, WIDTH, MAX_WIDTH),
        formats=tuple(CaptionFormat),
    )
