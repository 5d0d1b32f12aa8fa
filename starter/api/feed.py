"""The event stream's source: one poller for a process, however many clients listen.

A client first reads the job's log from where it left off, then waits. One task asks the database four times a second
how far the logs of the followed jobs have come, fetches what is new once, and wakes those who wait. A job's log has no
gaps and its numbers are given under the job's lock, so "everything after n" is never wrong.

A client may also ask who has the job's guide open. That is read once a second for all of them, and told when it is not
what it was.

Each client is served at its own pace: what it has not taken yet is not kept for it. One that falls behind what is at
hand reads the database, and nobody waits for it.
"""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from anyio import to_thread

from domain.documents.presence import Presence
from domain.errors import GuidesmithError
from domain.jobs import Event
from starter.api.errors import RateLimited
from starter.logs import log

POLL_S = 0.25
LOOKED_EVERY_S = 1.0
"""How often it is read who has guides open."""

BUFFERED = 512
"""Events a job that stay at hand; a client that is further behind reads the database itself."""

PAGE = 500

BUSY_RETRY_S = 10.0

Desks = tuple[Presence, ...]
"""Where a job's guide is open."""


class EventLog(Protocol):
    """What the feed reads of the store. Blocking; called in threads."""

    def events(self, job_id: str, after_seq: int = 0, limit: int = 500) -> tuple[Event, ...]: ...

    def last_event_seqs(self, job_ids: Sequence[str]) -> Mapping[str, int]: ...

    def present(self, job_ids: Sequence[str]) -> Mapping[str, Desks]: ...


class StreamSlots:
    """How many streams are open, and whose.

    Args:
        most: For all users together, in this process.
        most_per_user: For one.
    """

    def __init__(self, most: int, most_per_user: int) -> None:
        self._most, self._most_per_user = most, most_per_user
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """Of all users together."""
        return self._taken.total()

    def take(self, user: str) -> None:
        """Raises: RateLimited: There is none left, for this user or for anybody."""
        if self.taken >= self._most:
            raise RateLimited("Too many event streams are open. Try again later.", retry_after_s=BUSY_RETRY_S)
        if self._taken[user] >= self._most_per_user:
            raise RateLimited("You have too many event streams open. Close one.", retry_after_s=BUSY_RETRY_S)
        self._taken[user] += 1

    def give_back(self, user: str) -> None:
        self._taken[user] -= 1
        if not self._taken[user]:
            del self._taken[user]


@dataclass
class _Topic:
    """One followed job. ``attending``: followers who want to know where its guide is open; ``desks``: where it is,
    as read last."""

    latest: int
    followers: int = 0
    attending: int = 0
    desks: Desks | None = None
    recent: deque[Event] = field(default_factory=lambda: deque(maxlen=BUFFERED))
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, events: Sequence[Event]) -> None:
        self.recent.extend(events)
        self.latest = events[-1].seq
        self.wake()

    def wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    def after(self, seq: int) -> list[Event] | None:
        """What follows ``seq``, or ``None`` when the buffer does not reach back that far."""
        if seq >= self.latest:
            return []
        if not self.recent or self.recent[0].seq > seq + 1:
            return None
        return [event for event in self.recent if event.seq > seq]


class Feed:
    """Followed jobs and the one task that polls for them."""

    def __init__(self, events: EventLog, slots: StreamSlots, *, poll_s: float = POLL_S) -> None:
        self._log = events
        self._poll_s = poll_s
        self._topics: dict[str, _Topic] = {}
        self._looked_at = float("-inf")
        self._wanted = asyncio.Event()
        self.slots = slots

    @asynccontextmanager
    async def polling(self) -> AsyncIterator[None]:
        """Poll while the block runs."""
        task = asyncio.create_task(self._poll(), name="event-feed")
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def follow(self, job_id: str, after_seq: int, reach: int) -> AsyncGenerator[Event, None]:
        """The job's events after ``after_seq``, then live, each once and in order, until the caller stops.

        Args:
            reach: The number of the newest event that the caller knows to exist.
        """
        async with aclosing(self.attend(job_id, after_seq, reach, presence=False)) as following:
            async for each in following:
                assert isinstance(each, Event), "nothing else was asked for"
                yield each

    async def attend(
        self, job_id: str, after_seq: int, reach: int, *, presence: bool = True
    ) -> AsyncGenerator[Event | Desks, None]:
        """As :meth:`follow`, and with ``presence`` between the events where the job's guide is open: once at first,
        then whenever that has changed."""
        topic = self._topics.setdefault(job_id, _Topic(latest=reach))
        topic.followers += 1
        topic.attending += presence
        self._wanted.set()
        seq = after_seq
        sent: Desks | None = None
        try:
            while True:
                changed = topic.changed
                events = topic.after(seq)
                if events is None:
                    events = await self._caught_up(job_id, seq)
                for event in events:
                    yield event
                    seq = event.seq
                if presence and topic.desks is not None and topic.desks != sent:
                    sent = topic.desks
                    yield sent
                elif not events and seq >= topic.latest:
                    await changed.wait()
        finally:
            topic.followers -= 1
            topic.attending -= presence
            if topic.attending == 0:
                topic.desks = None
            if topic.followers == 0 and self._topics.get(job_id) is topic:
                del self._topics[job_id]

    async def _caught_up(self, job_id: str, seq: int) -> list[Event]:
        """A page of the log; nothing, after a pause, while the database is away: the stream outlasts that."""
        try:
            if events := await to_thread.run_sync(self._log.events, job_id, seq, PAGE):
                return list(events)
        except GuidesmithError as fault:
            log("api.feed").warning("feed.read_failed", code=fault.code)
        await asyncio.sleep(self._poll_s)
        return []

    async def _poll(self) -> None:
        while True:
            if not self._topics:
                self._wanted.clear()
                await self._wanted.wait()
            try:
                await self._fetch()
            except GuidesmithError as fault:
                log("api.feed").warning("feed.poll_failed", code=fault.code)
            except Exception as crash:  # whatever it is, every open stream hangs on this task
                log("api.feed").error("feed.poll_crashed", exc_info=crash)
            await asyncio.sleep(self._poll_s)

    async def _fetch(self) -> None:
        followed = list(self._topics)
        seqs = await to_thread.run_sync(self._log.last_event_seqs, followed)
        for job_id in followed:
            topic = self._topics.get(job_id)
            if topic is None or seqs.get(job_id, 0) <= topic.latest:
                continue
            events = await to_thread.run_sync(self._log.events, job_id, topic.latest, PAGE)
            if events:
                topic.add(events)
        await self._look()

    async def _look(self) -> None:
        """Read who has guides open, where somebody wants to know."""
        attended = [job_id for job_id, topic in self._topics.items() if topic.attending]
        now = asyncio.get_running_loop().time()
        if not attended or now - self._looked_at < LOOKED_EVERY_S:
            return
        self._looked_at = now
        found = await to_thread.run_sync(self._log.present, attended)
        for job_id in attended:
            topic, desks = self._topics.get(job_id), found.get(job_id, ())
            if topic is not None and topic.attending and topic.desks != desks:
                topic.desks = desks
                topic.wake()
