"""What keeps a list of jobs live: one stream that says when one of the jobs shown has changed, or a new one is there.

It says no more than that: the page asks for what it shows again, and so shows what a reload would show.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing

from anyio import to_thread
from fastapi import APIRouter
from sse_starlette import EventSourceResponse, ServerSentEvent

from domain.errors import GuidesmithError, NotFound, RequestInvalid
from starter.api.context import Api, identifier
from starter.api.jobs.events import EventStream
from starter.pages.shell.context import Context

router = APIRouter()

MOST_JOBS = 50
"""That one stream follows: a page shows twenty."""

PAUSE_S = 0.4
"""Between two changes that are told: what happens within it is one."""

NEW_EVERY_S = 3.0


@router.get("/live")
async def live(context: Context, jobs: str = "") -> EventSourceResponse:
    """``changed`` whenever one of ``jobs`` (ids with commas) has, or there is a newer one of the visitor's."""
    ids = [identifier(each) for each in jobs.split(",") if each]
    if len(ids) > MOST_JOBS:
        raise RequestInvalid(f"At most {MOST_JOBS} jobs are followed at once.", field="query.jobs")
    api, owner = context.api, context.owner

    def owned() -> tuple[dict[str, int], str | None]:
        """How far the log of each has come, and which job is the newest: what comes after that is told."""
        if len(api.store.job_cards_of(owner, ids)) < len(set(ids)):
            raise NotFound
        reached = api.store.last_event_seqs(ids)
        return reached, api.store.newest_job(owner)

    reached, newest = await to_thread.run_sync(owned)
    assert context.principal is not None, "the gate lets nobody through without a session"
    api.feed.slots.take(owner)
    return EventStream(_changes(api, owner, reached, newest), api, context.principal)


async def _changes(
    api: Api, owner: str, reached: Mapping[str, int], newest: str | None
) -> AsyncIterator[ServerSentEvent]:
    changed = asyncio.Event()
    watchers = [asyncio.create_task(_followed(api, each, reach, changed)) for each, reach in reached.items()]
    watchers.append(asyncio.create_task(_newer(api, owner, newest, changed)))
    try:
        yield ServerSentEvent(event="ready", data="{}")
        while True:
            await changed.wait()
            changed.clear()
            yield ServerSentEvent(event="changed", data="{}")
            await asyncio.sleep(PAUSE_S)
    finally:
        for each in watchers:
            each.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)


async def _followed(api: Api, job_id: str, reach: int, changed: asyncio.Event) -> None:
    async with aclosing(api.feed.follow(job_id, reach, reach)) as events:
        async for _ in events:
            changed.set()


async def _newer(api: Api, owner: str, newest: str | None, changed: asyncio.Event) -> None:
    while True:
        await asyncio.sleep(NEW_EVERY_S)
        with contextlib.suppress(GuidesmithError):
            found = await to_thread.run_sync(api.store.newest_job, owner)
            if found != newest:
                newest = found
                changed.set()
