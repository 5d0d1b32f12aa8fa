"""Server-sent events: a job's log, from the beginning or from where the client left off, then live.

A stream has no end of its own: a job that is DONE can still be edited and exported, and its tasks and exports are in
the log. The client leaves when it has seen what it waits for.
"""

import json
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from domain.errors import RequestInvalid
from domain.jobs import Event
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.declared import binary, errors
from starter.api.feed import Seats
from starter.api.shapes import HistoryRow
from starter.logs import log

router = APIRouter(prefix="/jobs", tags=["jobs"])

EVENT_ID = re.compile(r"[0-9]{1,15}")

STALLED_AFTER_PINGS = 2
"""A client that takes nothing for so long is cut off."""


class EventStream(EventSourceResponse):
    """A stream in its seat, which is free again whatever way the stream ends."""

    def __init__(self, content: AsyncIterator[ServerSentEvent], seats: Seats, user: str, **options: Any) -> None:
        super().__init__(content, **options)
        self._seats, self._user = seats, user

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            log("api.events").info("events.client_stalled")
            raise ClientDisconnect from None
        finally:
            self._seats.give_back(self._user)


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
    after: Annotated[
        str | None,
        Query(alias="last_event_id", description="The same, for a browser's EventSource, which sets no header itself."),
    ] = None,
) -> EventSourceResponse:
    """The job's whole event log, then live. ``Last-Event-ID`` resumes without a gap or a repeat.

    The stream stays open after a terminal status, since exports and tasks may follow: close it when you have seen what
    you wait for. An id beyond the log's reach is answered with one ``resync`` that says how far it reaches.
    """
    where = "header.last-event-id" if last_event_id is not None else "query.last_event_id"
    last = last_event_id if last_event_id is not None else after  # the header is the newer: a reconnection sends it
    if last is not None and not EVENT_ID.fullmatch(last):
        raise RequestInvalid("This is not the id of an event that this stream sent.", field=where)
    job = await to_thread.run_sync(lambda: api.store.get_job(identifier(job_id), owner=owner))
    reach = await to_thread.run_sync(api.store.last_event_seq, job.id)
    ping_s = api.settings.event_ping_s
    api.feed.seats.take(owner)
    return EventStream(
        _sent(api, job.id, int(last or 0), reach),
        api.feed.seats,
        owner,
        ping=ping_s,
        send_timeout=ping_s * STALLED_AFTER_PINGS,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _sent(api: Api, job_id: str, after: int, reach: int) -> AsyncIterator[ServerSentEvent]:
    if after > reach:
        yield ServerSentEvent(json.dumps({"job_id": job_id, "last_seq": reach}), event="resync", id=str(reach))
        after = reach
    async with aclosing(api.feed.follow(job_id, after, reach)) as following:
        async for event in following:
            yield _as_sent(event)


def _as_sent(event: Event) -> ServerSentEvent:
    return ServerSentEvent(HistoryRow.of(event).model_dump_json(), event=event.stream, id=str(event.seq))
