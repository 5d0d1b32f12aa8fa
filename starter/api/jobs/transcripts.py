"""The transcript: in pages as JSON, or whole as captions or plain text."""

import re
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import PlainTextResponse, Response

from domain.errors import TranscriptNotReady
from domain.recordings.transcript import Transcript
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.errors import not_found
from starter.api.paging import OpaqueCursor, place_cursor, place_of
from starter.api.responses import errors
from starter.api.shapes import CorrectSegment, TranscriptItem, TranscriptPage
from starter.services.transcripts import CurrentTranscript, current_transcript

router = APIRouter(prefix="/jobs", tags=["jobs"])

CURSOR = "segment"

INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
"""Of a segment, as an address has it."""


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
    cursor: OpaqueCursor = None,
    format: Annotated[TranscriptFormat | None, Query(description="Without it, Accept decides.")] = None,
) -> TranscriptPage | Response:
    """What was said, and when: as it was recognised, and its reader has corrected it."""
    wanted = format or _accepted(request.headers.get("accept", ""))
    start = place_of(CURSOR, cursor)
    current = _current(api, owner, identifier(job_id))
    if wanted is TranscriptFormat.JSON:
        return _page(current, start, limit)
    return PlainTextResponse(_whole(current.transcript, wanted), media_type=MEDIA_TYPES[wanted])


def _accepted(accept: str) -> TranscriptFormat:
    """The first of the named media types that there is; JSON otherwise."""
    kinds = [kind.partition(";")[0].strip().lower() for kind in accept.split(",")]
    named = (TranscriptFormat.JSON if kind == "application/json" else ACCEPTED.get(kind) for kind in kinds)
    return next((each for each in named if each is not None), TranscriptFormat.JSON)


def _current(api: Api, owner: str, job_id: str) -> CurrentTranscript:
    job = api.store.get_job(job_id, owner=owner)
    found = current_transcript(api.store, api.artifacts, job.id)
    if found is None:
        raise TranscriptNotReady("The job has no transcript yet.", details={"current_status": job.status})
    return found


def _page(current: CurrentTranscript, start: int, limit: int) -> TranscriptPage:
    end = min(start + limit, len(current.transcript.segments))
    return TranscriptPage(
        items=tuple(_item(current, index) for index in range(start, end)),
        limit=limit,
        next_cursor=place_cursor(CURSOR, end) if end < len(current.transcript.segments) else None,
    )


def _item(current: CurrentTranscript, index: int) -> TranscriptItem:
    segment = current.transcript.segments[index]
    return TranscriptItem(
        index=index,
        start_ms=segment.start_ms,
        end_ms=segment.end_ms,
        text=segment.text,
        original_text=current.recognised.segments[index].text if index in current.corrections else None,
    )


@router.put("/{job_id}/transcript/segments/{index}", responses=errors(400, 404, 409, 413, 415))
def correct_segment(job_id: str, index: str, correction: CorrectSegment, api: ApiParts, owner: Owner) -> TranscriptItem:
    """Say what was said in a segment, where it was misheard.

    The transcript reads so from now on, also in captions, in what is drafted after it, and in what is written again.
    The text that was recognised is kept; to send it is to undo the correction.
    """
    return _corrected(api, owner, identifier(job_id), index, correction.text, correction.base_text)


@router.delete("/{job_id}/transcript/segments/{index}", responses=errors(400, 404, 409, 413, 415))
def undo_correction(job_id: str, index: str, api: ApiParts, owner: Owner) -> TranscriptItem:
    """Undo a correction: the segment reads again as it was recognised."""
    return _corrected(api, owner, identifier(job_id), index, None, None)


def _corrected(api: Api, owner: str, job_id: str, index: str, text: str | None, base: str | None) -> TranscriptItem:
    current = _current(api, owner, job_id)
    if not INDEX.fullmatch(index) or int(index) >= len(current.recognised.segments):
        raise not_found()
    number = int(index)
    api.store.correct(owner, job_id, number, current.recognised.segments[number].text, text, base=base)
    return _item(_current(api, owner, job_id), number)


def _whole(transcript: Transcript, wanted: TranscriptFormat) -> str:
    if wanted is TranscriptFormat.TXT:
        return "".join(f"{segment.text.strip()}\n" for segment in transcript.segments)
    from activities.publishing import captions  # brings the typesetters along: not for those who never ask

    return captions.srt(transcript) if wanted is TranscriptFormat.SRT else captions.vtt(transcript)
