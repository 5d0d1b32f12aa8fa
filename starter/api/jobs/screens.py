"""What stood on the screen of a recording, when and where: searched, in pages."""

import base64
from typing import Annotated

from fastapi import APIRouter, Query

from domain.errors import RequestInvalid, ScreenNotReady
from starter.api.context import ApiParts, Owner, identifier
from starter.api.paging import Limit, OpaqueCursor
from starter.api.responses import errors
from starter.api.shapes import ScreenBox, ScreenLine, ScreenPage
from starter.services.screens import found, screen

router = APIRouter(prefix="/jobs", tags=["jobs"])


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
    start = _position(cursor)
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
    return ScreenPage(items=items, limit=limit, next_cursor=_cursor(end) if end < len(lines) else None)


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(f"screen:{position}".encode()).decode().rstrip("=")


def _position(cursor: str | None) -> int:
    """Raises: RequestInvalid: the cursor is not one of ours."""
    if cursor is None:
        return 0
    try:
        kind, _, number = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(":")
    except ValueError:
        kind, number = "", ""
    if kind != "screen" or not number.isdecimal() or len(number) > 9:
        raise RequestInvalid("The cursor is not one that this list answered with.", field="query.cursor")
    return int(number)
