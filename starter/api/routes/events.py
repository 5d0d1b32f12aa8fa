"""Server-sent events: a job's log, from the beginning or from where the client left off, then live."""

import json
import re
from collections.abc import AsyncIterator
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Header
from sse_starlette import EventSourceResponse, ServerSentEvent

from domain.errors import RequestInvalid
from domain.jobs import Event
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.declared import binary, errors
from starter.api.errors import RateLimited
from starter.api.shapes import HistoryRow

router = APIRouter(prefix="/jobs", tags=["jobs"])

PING_S = 15
"""Proxies drop a connection that is silent for 30 s or more."""

EVENT_ID = re.compile(r"[0-9]{1,15}")

BUSY_RETRY_S = 10.0


@router.get(
    "/{job_id}/events",
    response_class=EventSourceResponse,
    responses={
        200: binary("Events named status, progress, task, export, resync.", "text/event-stream"),
        **errors(400, 404, 429),
    },
)
async def events(
    job_id: str,
    api: ApiParts,
    owner: Owner,
    last_event_id: Annotated[str | None, Header(description="Go on after this event.")] = None,
) -> EventSourceResponse:
    """The job's whole event log, then live. ``Last-Event-ID`` resumes without a gap or a repeat."""
    if last_event_id is not None and not EVENT_ID.fullmatch(last_event_id):
        raise RequestInvalid("Last-Event-ID is not an id that this stream sent.")
    job = await to_thread.run_sync(lambda: api.store.get_job(identifier(job_id), owner=owner))
    if api.feed.followers >= api.settings.max_event_streams:
        raise RateLimited("Too many event streams are open. Try again later.", retry_after_s=BUSY_RETRY_S)
    after = int(last_event_id or 0)
    reach = await to_thread.run_sync(api.store.last_event_seq, job.id)
    return EventSourceResponse(
        _sent(api, job.id, after, reach), ping=PING_S, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    )


async def _sent(api: Api, job_id: str, after: int, reach: int) -> AsyncIterator[ServerSentEvent]:
    if after > reach:
        yield ServerSentEvent(json.dumps({"job_id": job_id, "last_seq": reach}), event="resync", id=str(reach))
        after = reach
    async for event in api.feed.follow(job_id, after):
        yield _as_sent(event)


def _as_sent(event: Event) -> ServerSentEvent:
    return ServerSentEvent(HistoryRow.of(event).model_dump_json(), event=event.stream, id=str(event.seq))
