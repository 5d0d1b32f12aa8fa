"""What is said in a recording: read, searched, played from any place, corrected."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from domain.errors import TranscriptNotReady
from starter.api.context import identifier
from starter.pages.editor.editing import recorded
from starter.pages.shell.context import Context
from starter.pages.shell.status_view import title_of
from starter.services.transcripts import CurrentTranscript, current_transcript

router = APIRouter()

AT_ONCE = 100
"""Segments that come with the page, so that there is something to read at once; a module of ours brings the rest."""

FORMATS = ("srt", "vtt", "txt")


@dataclass(frozen=True)
class Row:
    """One segment. ``original`` is what was recognised, where it is corrected."""

    index: int
    start_ms: int
    end_ms: int
    text: str
    original: str | None


@router.get("/jobs/{job_id}/transcript")
def transcript(job_id: str, context: Context) -> Response:
    """The transcript beside its recording; before there is one, that and what to do."""
    card = context.api.store.job_card(context.owner, identifier(job_id))
    job, current = card.job, current_transcript(context.api.store, context.api.artifacts, job_id)
    rows = _rows(current) if current else []
    return context.page(
        "transcript/transcript.html",
        modules=["transcript/transcript.js"],
        job=job,
        title=title_of(context.say, card),
        current=current,
        rows=rows[:AT_ONCE],
        count=len(rows),
        formats=FORMATS,
        recording=recorded(context.api, job),
        heard=context.api.store.last_event_seq(job.id),
        has_glossary=bool(context.api.store.glossary(context.owner, job.project_id)),
    )


@router.get("/jobs/{job_id}/transcript/segments")
def segments(job_id: str, context: Context) -> Response:
    """Every segment, as short as it can be said: start, end, text, and what was recognised where that is not it.

    Raises:
        TranscriptNotReady: There is no transcript yet.
    """
    job = context.api.store.get_job(identifier(job_id), owner=context.owner)
    current = current_transcript(context.api.store, context.api.artifacts, job.id)
    if current is None:
        raise TranscriptNotReady("The job has no transcript yet.")
    return JSONResponse([_short(each) for each in _rows(current)])


def _rows(current: CurrentTranscript) -> list[Row]:
    return [
        Row(
            index=each.id,
            start_ms=each.start_ms,
            end_ms=each.end_ms,
            text=each.text.strip(),
            original=current.recognised.segments[each.id].text.strip() if each.id in current.corrections else None,
        )
        for each in current.transcript.segments
    ]


def _short(row: Row) -> list[Any]:
    short: list[Any] = [row.start_ms, row.end_ms, row.text]
    return [*short, row.original] if row.original is not None else short
