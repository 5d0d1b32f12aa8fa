"""Server-sent events: a job's log, from the beginning or from where the client left off, then live.

A stream has no end of its own: a job that is DONE can still be edited and exported, and its tasks and exports are in
the log. The client leaves when it has seen what it waits for.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from activities.store import EventType
from activities.store.jobs.memberships import Thing
from domain.errors import RequestInvalid
from domain.jobs import Event
from domain.projects import ProjectRole
from starter.access.tokens import Principal
from starter.api.context import IDENTIFIER, Api, ApiParts, AsMember, Caller, Owner, identifier
from starter.api.documents.presences import PresentAnswer
from starter.api.responses import binary, errors
from starter.api.shapes import HistoryRow
from starter.logs import log

router = APIRouter(prefix="/jobs", tags=["jobs"])

EVENT_ID = re.compile(r"[0-9]{1,15}")

STALLED_AFTER_PINGS = 2
"""A client that takes nothing for so long is cut off."""


class EventStream(EventSourceResponse):
    """A stream in its seat, which is free again whatever way the stream ends. It ends by itself when what its reader
    came with holds no more."""

    def __init__(self, content: AsyncIterator[ServerSentEvent], api: Api, reader: Principal) -> None:
        ping_s = api.settings.event_ping_s
        super().__init__(
            content,
            ping=ping_s,
            send_timeout=STALLED_AFTER_PINGS * ping_s,
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )
        self._slots, self._sessions, self._reader = api.feed.slots, api.sessions, reader

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        streaming = asyncio.ensure_future(super().__call__(scope, receive, sent))
        over = asyncio.ensure_future(self._sessions.over(self._reader))
        try:
            await asyncio.wait({streaming, over}, return_when=asyncio.FIRST_COMPLETED)
            if streaming.done():
                streaming.result()
            elif begun:
                await _ended(streaming)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except SendTimeoutError:
            log("api.events").info("events.client_stalled")
            raise ClientDisconnect from None
        finally:
            self._slots.give_back(self._reader.subject)
            await _ended(streaming)
            await _ended(over)


async def _ended(task: asyncio.Future[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@router.get(
    "/{job_id}/events",
    response_class=EventSourceResponse,
    responses={
        200: binary("Events named status, progress, task, export, comment, presence, resync.", "text/event-stream"),
        **errors(400, 404, 429),
    },
)
async def events(
    job_id: str,
    api: ApiParts,
    caller: Caller,
    owner: Owner,
    member_as: AsMember,
    last_event_id: Annotated[str | None, Header(description="Go on after this event.")] = None,
    after: Annotated[
        str | None,
        Query(alias="last_event_id", description="The same, for a browser's EventSource, which sets no header itself."),
    ] = None,
    presence: Annotated[
        str | None,
        Query(
            description="Tell also who has the guide open, besides this desk (the id of `PUT …/presences/{desk_id}`): "
            "once at first, then whenever somebody comes, goes, or moves to another block."
        ),
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
    if presence is not None and not IDENTIFIER.fullmatch(presence):
        raise RequestInvalid("This can be no desk's id: it is a UUID, in small letters.", field="query.presence")
    job = await to_thread.run_sync(lambda: api.store.get_job(identifier(job_id), owner=owner))
    reach = await to_thread.run_sync(api.store.last_event_seq, job.id)
    api.feed.slots.take(caller.subject)
    is_member = member_as is not None and member_as.role is not ProjectRole.OWNER
    return EventStream(
        _sent(api, job.id, int(last or 0), reach, caller.subject, is_member=is_member, desk_id=presence), api, caller
    )


async def _sent(
    api: Api, job_id: str, after: int, reach: int, reader: str, *, is_member: bool, desk_id: str | None
) -> AsyncIterator[ServerSentEvent]:
    """``is_member``: the reader is told it as a member of the job's project, for as long as they are one; ``desk_id``:
    where they have its guide open."""
    if after > reach:
        yield ServerSentEvent(json.dumps({"job_id": job_id, "last_seq": reach}), event="resync", id=str(reach))
        after = reach
    async with aclosing(api.feed.attend(job_id, after, reach, presence=desk_id is not None)) as following:
        async for told in following:
            if isinstance(told, Event) and told.event_type == EventType.JOB_HANDED_OVER:
                is_member = True  # whose it was is told of it as any member is
            if is_member and not await to_thread.run_sync(api.store.membership, reader, Thing.JOB, job_id):
                return
            if isinstance(told, Event):
                yield _as_sent(told)
            elif desk_id is not None:
                present = PresentAnswer.of(told, desk_id=desk_id, subject=reader)
                yield ServerSentEvent(present.model_dump_json(), event="presence")


def _as_sent(event: Event) -> ServerSentEvent:
    return ServerSentEvent(HistoryRow.of(event).model_dump_json(), event=event.stream, id=str(event.seq))
