"""What stood on the screen of a recording, when and where: searched, in pages."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Query

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind, Blob
from domain.errors import ScreenNotReady
from domain.recordings.screen import ScreenRecord, ScreenText
from starter.api.context import ApiParts, Owner, identifier
from starter.api.paging import Limit, OpaqueCursor, place_cursor, place_of
from starter.api.responses import errors
from starter.api.shapes import ScreenBox, ScreenLine, ScreenPage

router = APIRouter(prefix="/jobs", tags=["jobs"])

KEPT = 4
"""Records kept parsed: their pages are read in a row."""

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


def screen(store: Store, artifacts: ArtifactStore, job_id: str) -> ScreenRecord | None:
    """What the job's newest draft saw; ``None``: nothing was read (yet), or there was no picture."""
    artifact = store.latest_artifact(job_id, ArtifactKind.SCREEN)
    return _parsed(artifacts, artifact.blob) if artifact is not None else None


def found(record: ScreenRecord, wanted: str) -> Sequence[ScreenText]:
    """The lines that hold every word of ``wanted``, whatever its case, in order of time; all where it is empty."""
    words = wanted.casefold().split()
    if not words:
        return record.texts
    return [each for each in record.texts if all(word in each.text.casefold() for word in words)]


@lru_cache(maxsize=KEPT)
def _parsed(artifacts: ArtifactStore, blob: Blob) -> ScreenRecord:
    return ScreenRecord.model_validate_json(artifacts.read_bytes(blob))
