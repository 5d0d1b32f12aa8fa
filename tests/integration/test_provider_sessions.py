"""Sessions that an identity provider vouches for: asked again in time, by one of all, and over when it says so."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import select

from activities.store import Store
from activities.store.sealing import MARK
from activities.store.tables import sign_ins
from domain.people import Person
from starter.access.openid import Client, Identity, IdentityProvider, ProviderUnavailable
from starter.access.tokens import Role, Unauthorized
from starter.api.perimeter.provider_sessions import DUE_AFTER, ProviderSessions
from tests.openid import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, running_openid_provider

pytest_plugins = ("tests.databases",)

KEY = "0123456789abcdef" * 2
HOUR_S = 3600.0
REFRESH = "a refresh token"


@pytest.fixture(scope="module")
def running() -> Iterator[OpenIdProvider]:
    with running_openid_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: OpenIdProvider) -> OpenIdProvider:
    running.reset()
    running.lifetime_s = 24 * HOUR_S  # the tests' clock goes ahead of its own
    running.refresh_tokens = {REFRESH: {}}
    running.refreshed = 0
    return running


@dataclass
class Time:
    now: float

    def __call__(self) -> float:
        return self.now


class Names:
    """What people were called, in memory."""

    def __init__(self) -> None:
        self.noted: list[Person] = []

    async def note(self, person: Person | None) -> None:
        assert person is not None
        self.noted.append(person)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    opened = Store.open(database_url, secrets_keys=(KEY,))
    yield opened
    opened.dispose()


@pytest.fixture
def time(store: Store) -> Time:
    return Time(store.now().timestamp())


def sessions(store: Store, provider: OpenIdProvider, time: Time, names: Names | None = None) -> ProviderSessions:
    """Those of one process."""
    client = Client(provider.issuer, CLIENT_ID, CLIENT_SECRET)
    return ProviderSessions(store, IdentityProvider(client), names or Names(), clock=time)


def identity(time: Time, *, refresh_token: str | None = REFRESH, lasts_s: float = HOUR_S) -> Identity:
    return Identity(Person(subject="ann"), Role.EDITOR, time.now + lasts_s, refresh_token, "there")


def row(store: Store, session: str = "s") -> dict[str, Any]:
    with store._database.read() as connection:
        return dict(connection.execute(select(sign_ins).where(sign_ins.c.id == session)).mappings().one())


def test_given_a_session_when_its_time_comes_then_the_provider_is_asked_and_its_answer_holds(
    store: Store, provider: OpenIdProvider, time: Time
) -> None:
    async def lived() -> None:
        names = Names()
        mine = sessions(store, provider, time, names)
        ends_at = time.now + 8 * HOUR_S
        assert await mine.begin("s", identity(time), ends_at) == ends_at
        kept = row(store)["refresh_token"]
        assert kept.startswith(MARK) and REFRESH not in kept
        time.now += HOUR_S * DUE_AFTER - 1
        assert await mine.role("s") is Role.EDITOR and provider.refreshed == 0
        time.now += 2
        provider.user |= {"role": "admin", "name": "Ann Admin"}
        assert await mine.role("s") is Role.ADMIN and provider.refreshed == 1
        assert [each.name for each in names.noted] == [None, "Ann Admin"]
        assert row(store)["refresh_token"] != kept, "it gave another one"
        assert await mine.role("s") is Role.ADMIN and provider.refreshed == 1
        time.now = ends_at + 1
        with pytest.raises(Unauthorized):
            await mine.role("s")
        assert provider.refreshed == 1, "who is of age is over, whatever the provider would say"

    asyncio.run(lived())


@pytest.mark.parametrize("late", [False, True])
def test_given_many_requests_at_once_in_two_processes_then_one_of_them_asks_and_all_are_answered(
    store: Store, provider: OpenIdProvider, time: Time, late: bool
) -> None:
    async def rushed() -> None:
        processes = [sessions(store, provider, time) for _ in range(2)]
        await processes[0].begin("s", identity(time), time.now + 8 * HOUR_S)
        for each in processes:
            await each._provider.metadata()
        time.now += HOUR_S + 1 if late else HOUR_S * DUE_AFTER + 1
        provider.slow_s = 0.5
        roles = await asyncio.gather(*(processes[number % 2].role("s") for number in range(12)))
        assert set(roles) == {Role.EDITOR}
        await asyncio.gather(*(task for each in processes for task in each._asking.values()))
        assert provider.refreshed == 1

    asyncio.run(rushed())


def test_given_a_request_that_is_given_up_while_the_provider_is_asked_then_its_answer_is_kept_all_the_same(
    store: Store, provider: OpenIdProvider, time: Time
) -> None:
    async def given_up() -> None:
        mine = sessions(store, provider, time)
        await mine.begin("s", identity(time), time.now + 8 * HOUR_S)
        time.now += HOUR_S + 1
        provider.slow_s = 0.3
        asking = asyncio.create_task(mine.role("s"))
        while not mine._asking:
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert await mine.role("s") is Role.EDITOR
        assert provider.refreshed == 1

    asyncio.run(given_up())


def test_given_a_provider_that_is_away_then_its_last_word_holds_and_then_nobody_can_tell(
    store: Store, provider: OpenIdProvider, time: Time
) -> None:
    async def away() -> None:
        mine = sessions(store, provider, time)
        await mine.begin("s", identity(time), time.now + 8 * HOUR_S)
        provider.answers["/token"] = (503, b"")
        time.now += HOUR_S * DUE_AFTER + 1
        assert await mine.role("s") is Role.EDITOR
        time.now += HOUR_S
        with pytest.raises(ProviderUnavailable):
            await mine.role("s")
        provider.answers.clear()
        assert await mine.role("s") is Role.EDITOR, "nobody was signed out by it"

    asyncio.run(away())


@pytest.mark.parametrize("why", ["refused", "another", "no role", "no more", "unreadable"])
def test_given_a_provider_that_vouches_no_more_then_the_session_is_over_and_its_cookie_counts_for_nothing(
    store: Store, provider: OpenIdProvider, time: Time, why: str
) -> None:
    async def refused() -> None:
        mine = sessions(store, provider, time)
        await mine.begin(
            "s", identity(time, refresh_token="withdrawn" if why == "refused" else REFRESH), time.now + 9e4
        )
        if why == "another":
            provider.user["sub"] = "mallory"
        elif why == "no role":
            provider.user["role"] = "visitor"
        elif why == "no more":
            provider.answers["/token"] = (200, b'{"access_token": "x"}')
            provider.answers["/userinfo"] = (401, b"{}")
        elif why == "unreadable":
            other = Store.open(str(store.engine.url.render_as_string(hide_password=False)), secrets_keys=("x" * 32,))
            mine._store = other
        time.now += HOUR_S * DUE_AFTER + 1
        with pytest.raises(Unauthorized):
            await mine.role("s")
        assert store.sign_in("s") is None and store.is_session_ended("s")

    asyncio.run(refused())


def test_given_no_refresh_token_or_no_key_to_seal_it_with_then_the_session_ends_with_the_providers_word(
    store: Store, provider: OpenIdProvider, time: Time, database_url: str
) -> None:
    async def bounded() -> None:
        clear = Store.open(database_url)
        for session, kept_by, token in (("a", store, None), ("b", clear, REFRESH)):
            mine = sessions(kept_by, provider, time)
            until = time.now + HOUR_S
            assert await mine.begin(session, identity(time, refresh_token=token), time.now + 8 * HOUR_S) == until
            assert row(store, session)["refresh_token"] is None
            began, time.now = time.now, until - 1
            assert await mine.role(session) is Role.EDITOR
            time.now = until
            with pytest.raises(Unauthorized):
                await mine.role(session)
            time.now = began
        with pytest.raises(Unauthorized):
            await mine.begin("c", identity(time, lasts_s=0.0), time.now + HOUR_S)
        clear.dispose()

    asyncio.run(bounded())


def test_given_a_user_who_is_erased_or_sessions_that_are_of_the_past_then_nothing_of_them_is_kept(
    store: Store, provider: OpenIdProvider, time: Time
) -> None:
    async def begun() -> None:
        mine = sessions(store, provider, time)
        for session, lasts_s in (("old", -1.0), ("new", HOUR_S)):
            await mine.begin(session, identity(time, lasts_s=9 * HOUR_S), time.now + max(lasts_s, 1.0))
        time.now += 60

    asyncio.run(begun())

    def later() -> datetime:
        return datetime.fromtimestamp(time.now, store.now().tzinfo)

    aged = Store(store._database, later, lambda: "x", store._sealing)
    aged.purge_ended_sessions()
    assert store.sign_in("old") is None and store.sign_in("new") is not None
    assert "sign_ins" not in dict(store.rows_of_user("ann"))
    assert store.erase_user_rows(store.begin_user_purge("ann").id)
    assert store.sign_in("new") is None
