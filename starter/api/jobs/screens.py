"""What stood on the screen of a recording, when and where: searched, in pages."""

from typing import Annotated

from fastapi import APIRouter, Query

from domain.errors import ScreenNotReady
from starter.api.context import ApiParts, Owner, identifier
from starter.api.paging import Limit, OpaqueCursor, place_cursor, place_of
from starter.api.responses import errors
from starter.api.shapes import ScreenBox, ScreenLine, ScreenPage
from starter.services.screens import found, screen

router = APIRouter(prefix="/jobs", tags=["jobs"])

CURSOR = "screen"


@router.get("/{job_id}/screen", responses=errors(400, 404, 409))
def get_screen(
    job_id: str,
    api: ApiParts,
    owner: Owner,
    q: Annotated[
        str, Query(max_length=200, description="Words that a line holds, in any case; all lines without.")
    ] = "",
    limit: Limit = 20,
    cursor: OpaqueCursor = None,
) -> ScreenPage:
    """The lines of text that were read off the screen, in order of time: where was it, and when did it stand there?"""
    start = place_of(CURSOR, cursor)
    job = api.store.get_job(identifier(job_id), owner=owner)
    record = screen(api.store, api.artifacts, job.id)
    if record is None:
        raise ScreenNotReady(
            "Nothing was read off the screen of this job's recording (yet).", details={"current_status": job.status}
        )
    lines = found(record, q)
    end = min(start + limit, len(lines))
    items = tuple(
        ScreenLine(
            text=each.text,
            start_ms=each.start_ms,
            end_ms=each.end_ms,
            confidence=round(each.confidence, 3),
            box=ScreenBox(x=each.box.x, y=each.box.y, w=each.box.w, h=each.box.h),
        )
        for each in lines[start:end]
    )
    return ScreenPage(items=items, limit=limit, next_cursor=place_cursor(CURSOR, end) if end < len(lines) else None)
