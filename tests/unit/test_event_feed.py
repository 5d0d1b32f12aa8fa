"""The source of event streams: one poller, every follower at its own pace, nothing lost and nothing twice."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.documents.presence import Presence
from domain.errors import DatabaseUnavailable
from domain.jobs import Actor, Event
from starter.api import feed as feed_module
from starter.api.errors import RateLimited
from starter.api.feed import Feed, StreamSlots

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WITHIN_S = 30.0


class Log:
    """Logs of jobs in memory, that count how often they are asked."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Event]] = {}
        self.asked: list[str] = []
        self.faults: list[Exception] = []
        self.desks: dict[str, tuple[Presence, ...]] = {}

    def append(self, job_id: str, count: int = 1) -> None:
        rows = self.rows.setdefault(job_id, [])
        for _ in range(count):
            rows.append(event(job_id, len(rows) + 1))

    def events(self, job_id: str, after_seq: int = 0, limit: int = 500) -> tuple[Event, ...]:
        self.asked.append(job_id)
        self._stumble()
        return tuple(self.rows.get(job_id, [])[after_seq : after_seq + limit])

    def last_event_seqs(self, job_ids: Sequence[str]) -> dict[str, int]:
        self.asked.append("all")
        self._stumble()
        return {job_id: len(self.rows[job_id]) for job_id in job_ids if job_id in self.rows}

    def present(self, job_ids: Sequence[str]) -> dict[str, tuple[Presence, ...]]:
        self.asked.append("present")
        self._stumble()
        return {job_id: desks for job_id, desks in self.desks.items() if job_id in job_ids}

    def _stumble(self) -> None:
        if self.faults:
            raise self.faults.pop()


def event(job_id: str, seq: int) -> Event:
    return Event(
        job_id=job_id,
        seq=seq,
        stream="progress",
        event_type="PROGRESS",
        project_id="p",
        actor_type=Actor.SYSTEM,
        occurred_at=NOW,
        recorded_at=NOW,
        correlation_id="c",
        attempt=1,
    )


def feed_of(log: Log) -> Feed:
    return Feed(log, StreamSlots(1000, 1000), poll_s=0.001)


async def heard(feed: Feed, job_id: str, after: int, until: int, reach: int) -> list[int]:
    seqs = []
    async with aclosing(feed.follow(job_id, after, reach)) as following:
        async for each in following:
            seqs.append(each.seq)
            if each.seq >= until:
                break
    return seqs


def test_given_many_followers_of_many_jobs_when_something_happens_then_it_is_fetched_once_for_all_of_them() -> None:
    log = Log()
    jobs = [f"job-{number}" for number in range(20)]
    for job in jobs:
        log.append(job)

    async def main() -> None:
        feed = feed_of(log)
        following = [asyncio.create_task(heard(feed, job, 1, 2, 1)) for job in jobs for _ in range(10)]
        await asyncio.sleep(0)
        async with feed.polling():
            for job in jobs:
                log.append(job)
            assert await asyncio.wait_for(asyncio.gather(*following), WITHIN_S) == [[2]] * 200

    asyncio.run(main())
    assert sorted(asked for asked in log.asked if asked != "all") == sorted(jobs)


@settings(deadline=None, max_examples=40)
@given(
    steps=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    starts=st.lists(st.integers(0, 9), min_size=1, max_size=5),
)
def test_given_followers_that_are_slow_when_the_log_runs_ahead_of_what_is_kept_then_each_hears_all_once(
    steps: list[int], starts: list[int]
) -> None:
    log, total = Log(), 10 + sum(steps)
    log.append("job", 10)

    async def slowly(feed: Feed, after: int, pace: int) -> list[int]:
        seqs = []
        async with aclosing(feed.follow("job", after, 10)) as following:
            async for each in following:
                seqs.append(each.seq)
                for _ in range(pace):
                    await asyncio.sleep(0)
                if each.seq == total:
                    break
        return seqs

    async def main() -> list[list[int]]:
        feed = feed_of(log)
        async with feed.polling():
            following = [asyncio.create_task(slowly(feed, after, pace)) for pace, after in enumerate(starts)]
            for step in steps:
                log.append("job", step)
                await asyncio.sleep(0)
            return await asyncio.wait_for(asyncio.gather(*following), WITHIN_S)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feed_module, "BUFFERED", 4)
        patch.setattr(feed_module, "PAGE", 7)
        assert asyncio.run(main()) == [list(range(after + 1, total + 1)) for after in starts]


def test_given_a_follower_that_takes_nothing_when_others_listen_then_they_hear_everything() -> None:
    log = Log()
    log.append("job")

    async def main() -> None:
        feed = feed_of(log)
        async with feed.polling(), aclosing(feed.follow("job", 0, 1)) as stuck:
            assert (await anext(stuck)).seq == 1  # and never again
            log.append("job", 2000)
            assert await asyncio.wait_for(heard(feed, "job", 0, 2001, 1), WITHIN_S) == list(range(1, 2002))

    asyncio.run(main())


def test_given_a_database_that_is_away_when_it_is_back_then_the_streams_go_on() -> None:
    log = Log()
    log.append("job", 3)
    log.faults = [DatabaseUnavailable("away"), RuntimeError("nobody foresaw this"), DatabaseUnavailable("away")]
    log.faults[1:1] = [DatabaseUnavailable("away")] * 5

    async def main() -> None:
        feed = feed_of(log)
        async with feed.polling():
            following = asyncio.create_task(heard(feed, "job", 3, 5, 3))
            await asyncio.sleep(0)
            log.append("job", 2)
            assert await asyncio.wait_for(following, WITHIN_S) == [4, 5]

    asyncio.run(main())
    assert log.faults == []


def test_given_followers_when_all_have_left_then_nobody_asks_any_more() -> None:
    log = Log()
    log.append("job")

    async def main() -> None:
        feed = feed_of(log)
        async with feed.polling():
            assert await heard(feed, "job", 0, 1, 1) == [1]
            while feed._wanted.is_set():  # what was being asked is answered first
                await asyncio.sleep(0)
            log.asked.clear()
            for _ in range(100):
                await asyncio.sleep(0)
            assert log.asked == []

    asyncio.run(main())


def test_given_seats_when_they_are_taken_then_the_next_one_waits_for_one_that_is_given_back() -> None:
    slots = StreamSlots(3, 2)
    slots.take("ann")
    slots.take("ann")
    with pytest.raises(RateLimited, match="You have"):
        slots.take("ann")
    slots.take("bob")
    with pytest.raises(RateLimited, match="Try again later"):
        slots.take("carl")
    slots.give_back("ann")
    slots.take("carl")
    assert slots.taken == 3


def test_given_who_attends_when_desks_change_then_they_are_told_once_and_read_once_for_all_who_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed_module, "LOOKED_EVERY_S", 0.005)
    log = Log()
    for job in ("one", "two"):
        log.append(job)
    here = Presence(desk_id="d", subject="ann", name="Ann")
    there = here.model_copy(update={"writes": True})

    async def attended(feed: Feed, job: str) -> list[object]:
        found: list[object] = []
        async with aclosing(feed.attend(job, 1, 1)) as following:
            async for each in following:
                found.append(each)
                if each == ():
                    log.desks[job] = (here,)
                elif each == (here,):
                    log.append(job)
                elif isinstance(each, Event):
                    log.desks[job] = (there,)
                else:
                    return found
        raise AssertionError("it never ends by itself")

    async def main() -> None:
        feed = feed_of(log)
        async with feed.polling():
            both = [asyncio.create_task(attended(feed, job)) for job in ("one", "two") for _ in range(3)]
            plain = asyncio.create_task(heard(feed, "one", 1, 2, 1))
            for found in await asyncio.wait_for(asyncio.gather(*both), WITHIN_S):
                assert found[0] in ((), (here,))
                assert found[-1] == (there,)
                assert len(found) == len({repr(each) for each in found}), "nothing twice"
            assert await plain == [2]
            assert not any(topic.attending for topic in feed._topics.values())
        asked = log.asked.count("present")
        assert 0 < asked <= log.asked.count("all"), "once for all, and not at every turn"

    asyncio.run(main())
