"""The transcript: in pages as JSON, or whole as captions or plain text."""

import base64
from enum import StrEnum
from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import PlainTextResponse, Response

from activities.artifacts import ArtifactStore
from domain.artifacts import ArtifactKind, Blob
from domain.errors import RequestInvalid, TranscriptNotReady
from domain.transcript import Transcript
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.declared import errors
from starter.api.routes.paging import Cursor
from starter.api.shapes import TranscriptItem, TranscriptPage

router = APIRouter(prefix="/jobs", tags=["jobs"])

KEPT = 4
"""Transcripts kept parsed: one of ten hours takes a tenth of a second to parse, and its pages are read in a row."""


class TranscriptFormat(StrEnum):
    JSON = "json"
    SRT = "srt"
    VTT = "vtt"
    TXT = "txt"


MEDIA_TYPES = {
    TranscriptFormat.SRT: "application/x-subrip",
    TranscriptFormat.VTT: "text/vtt",
    TranscriptFormat.TXT: "text/plain",
}
ACCEPTED = {media_type: name for name, media_type in MEDIA_TYPES.items()}


@router.get(
    "/{job_id}/transcript",
    response_model=TranscriptPage,
    responses={
        200: {"content": {kind: {"schema": {"type": "string"}} for kind in MEDIA_TYPES.values()}},
        **errors(400, 404, 409),
    },
)
def get_transcript(
    job_id: str,
    request: Request,
    api: ApiParts,
    owner: Owner,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
    cursor: Cursor = None,
    format: Annotated[TranscriptFormat | None, Query(description="Without it, Accept decides.")] = None,
) -> TranscriptPage | Response:
    """What was said, and when."""
    wanted = format or _accepted(request.headers.get("accept", ""))
    start = _position(cursor)
    transcript = _transcript(api, owner, identifier(job_id))
    if wanted is TranscriptFormat.JSON:
        return _page(transcript, start, limit)
    return PlainTextResponse(_whole(transcript, wanted), media_type=MEDIA_TYPES[wanted])


def _accepted(accept: str) -> TranscriptFormat:
    """The first of the named media types that there is; JSON otherwise."""
    kinds = [kind.partition(";")[0].strip().lower() for kind in accept.split(",")]
    named = (TranscriptFormat.JSON if kind == "application/json" else ACCEPTED.get(kind) for kind in kinds)
    return next((each for each in named if each is not None), TranscriptFormat.JSON)


def _transcript(api: Api, owner: str, job_id: str) -> Transcript:
    job = api.store.get_job(job_id, owner=owner)
    artifact = api.store.latest_artifact(job.id, ArtifactKind.TRANSCRIPT)
    if artifact is None:
        raise TranscriptNotReady("The job has no transcript yet.", details={"current_status": job.status})
    return _parsed(api.artifacts, artifact.blob)


@lru_cache(maxsize=KEPT)
def _parsed(artifacts: ArtifactStore, blob: Blob) -> Transcript:
    return Transcript.model_validate_json(artifacts.read_bytes(blob))


def _page(transcript: Transcript, start: int, limit: int) -> TranscriptPage:
    segments = transcript.segments[start : start + limit]
    end = start + len(segments)
    return TranscriptPage(
        items=tuple(TranscriptItem(start_ms=each.start_ms, end_ms=each.end_ms, text=each.text) for each in segments),
        limit=limit,
        next_cursor=_cursor(end) if end < len(transcript.segments) else None,
    )


def _whole(transcript: Transcript, wanted: TranscriptFormat) -> str:
    if wanted is TranscriptFormat.TXT:
        return "".join(f"{segment.text.strip()}\n" for segment in transcript.segments)
    from activities.publishing import captions  # brings the typesetters along: not for those who never ask

    return captions.srt(transcript) if wanted is TranscriptFormat.SRT else captions.vtt(transcript)


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(f"segment:{position}".encode()).decode().rstrip("=")


def _position(cursor: str | None) -> int:
    """Raises: RequestInvalid: the cursor is not one of ours."""
    if cursor is None:
        return 0
    try:
        kind, _, number = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(":")
    except ValueError:
        kind, number = "", ""
    if kind != "segment" or not number.isdecimal() or len(number) > 9:
        raise RequestInvalid("The cursor is not one that this list answered with.", field="query.cursor")
    return int(number)
