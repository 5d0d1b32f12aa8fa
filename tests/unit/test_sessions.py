"""Sessions of the pages: whose they are, how long they last, and what is none."""

import asyncio
from dataclasses import dataclass, field

import pytest
from starlette.datastructures import Headers

from starter.access.tokens import LEEWAY_S, Principal, Role, Unauthorized
from starter.api.perimeter.sessions import COOKIES_LIMIT, TICKET_TTL_S, Session, Sessions, Tickets, check_origin
from starter.api.signed_urls import SignedUrls

ANN = Principal("ann", Role.ADMIN)
TTL_S = 1000
LONGEST_S = 3000
OWN = "https://guidesmith.example.org"


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Ended:
    """What the store does, in memory."""

    ids: dict[str, float] = field(default_factory=dict)

    def end_session(self, session_id: str, kept_s: float) -> bool:
        counted = session_id not in self.ids
        self.ids.setdefault(session_id, kept_s)
        return counted

    def is_session_ended(self, session_id: str) -> bool:
        return session_id in self.ids


@pytest.fixture
def clock() -> Clock:
    return Clock()


def sessions(clock: Clock, *, secret: str = "s" * 32, secure: bool = False, ended: Ended | None = None) -> Sessions:
    return Sessions(
        SignedUrls(secret, clock), ended or Ended(), ttl_s=TTL_S, longest_s=LONGEST_S, secure=secure, clock=clock
    )


def tickets(clock: Clock) -> Tickets:
    return Tickets(SignedUrls("s" * 32, clock), Ended(), clock=clock)


def admitted(mine: Tickets, ticket: str) -> Principal:
    return asyncio.run(mine.admitted(ticket))


def read(mine: Sessions, headers: Headers) -> Session:
    return asyncio.run(mine.read(headers))


def sent_back(set_cookie: str) -> Headers:
    return Headers({"cookie": f"other=1; {set_cookie.partition(';')[0]}; another=2"})


def test_given_a_session_when_its_cookie_comes_back_then_it_says_who_it_is(clock: Clock) -> None:
    mine = sessions(clock)
    assert read(mine, sent_back(mine.begun(ANN))).principal == ANN


@pytest.mark.parametrize("secure", [False, True])
def test_a_cookie_is_for_this_host_and_no_script(clock: Clock, secure: bool) -> None:
    cookie = sessions(clock, secure=secure).begun(ANN)
    assert {"Path=/", "HttpOnly", "SameSite=Lax", f"Max-Age={TTL_S}"} <= set(cookie.split("; "))
    assert ("Secure" in cookie.split("; ")) is secure
    assert cookie.startswith("__Host-") is secure
    assert "Domain" not in cookie


def test_given_half_of_its_time_when_a_session_is_used_then_it_is_due_for_renewal(clock: Clock) -> None:
    mine = sessions(clock)
    headers = sent_back(mine.begun(ANN))
    clock.now += TTL_S / 2 - 1
    assert not mine.is_due(read(mine, headers))
    clock.now += 2
    assert mine.is_due(read(mine, headers))
    clock.now += TTL_S
    with pytest.raises(Unauthorized):
        read(mine, headers)


def test_given_who_signs_out_then_no_copy_of_the_cookie_counts_nor_one_that_was_renewed(clock: Clock) -> None:
    ended = Ended()
    mine = sessions(clock, ended=ended)
    copied, elsewhere = sent_back(mine.begun(ANN)), sent_back(mine.begun(ANN))
    clock.now += TTL_S / 2 + 1
    renewed = sent_back(mine.renewed(read(mine, copied)))
    assert "Max-Age=0" in asyncio.run(mine.end(renewed)).split("; ")
    for each in (copied, renewed):
        with pytest.raises(Unauthorized):
            read(mine, each)
    assert read(mine, elsewhere).principal == ANN  # another browser's
    assert list(ended.ids.values()) == [TTL_S]
    assert "Max-Age=0" in asyncio.run(mine.end(Headers({}))).split("; ")


def test_given_a_token_of_seconds_when_a_session_begins_with_it_then_it_ends_with_the_token(clock: Clock) -> None:
    mine = sessions(clock)
    cookie = mine.begun(Principal("ann", Role.ADMIN, until=clock.now + 4))
    assert "Max-Age=4" in cookie.split("; ")
    held = read(mine, sent_back(cookie))
    assert not mine.is_due(held)
    clock.now += 3
    renewed = mine.renewed(held)  # nobody asks for it, and it would not help
    clock.now += 1
    for each in (cookie, renewed):
        with pytest.raises(Unauthorized):
            read(mine, sent_back(each))
    with pytest.raises(Unauthorized):
        mine.begun(Principal("ann", Role.ADMIN, until=clock.now))


def test_given_a_session_in_use_when_it_is_of_age_then_it_ends_however_often_it_was_renewed(clock: Clock) -> None:
    mine = sessions(clock)
    began, cookie = clock.now, mine.begun(ANN)
    while (left_s := began + LONGEST_S - clock.now) > 0:
        held = read(mine, sent_back(cookie))
        if mine.is_due(held):
            cookie = mine.renewed(held)
        clock.now += min(TTL_S * 0.6, left_s)
    with pytest.raises(Unauthorized):
        read(mine, sent_back(cookie))


def test_given_a_reader_when_their_session_or_token_is_over_then_so_is_what_they_have_open(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starter.api.perimeter.sessions.ENDED_POLL_S", 0.01)
    ended = Ended()
    mine = sessions(clock, ended=ended)

    async def still(principal: Principal) -> bool:
        over = asyncio.ensure_future(mine.over(principal))
        done, _ = await asyncio.wait({over}, timeout=0.2)
        over.cancel()
        return not done

    async def ends(principal: Principal) -> None:
        await asyncio.wait_for(mine.over(principal), 60)

    async def looked() -> None:
        held = await mine.read(sent_back(mine.begun(ANN)))
        assert await still(held.principal)
        assert await still(Principal("ann", Role.EDITOR, until=clock.now - LEEWAY_S / 2))  # the API takes it yet
        await ends(Principal("ann", Role.EDITOR, until=clock.now - LEEWAY_S))
        ended.end_session(held.id, 1.0)
        await ends(held.principal)
        other = await mine.read(sent_back(mine.begun(ANN)))
        clock.now += TTL_S
        await ends(other.principal)

    asyncio.run(looked())


def test_given_a_cookie_made_to_be_slow_then_it_is_read_in_one_pass_or_not_at_all(clock: Clock) -> None:
    mine = sessions(clock)
    ours = sent_back(mine.begun(ANN))["cookie"]
    quotes = 'a="' + '\\"' * 4000
    assert read(mine, Headers({"cookie": f'{ours}; {quotes}; b="\\073'})).principal == ANN
    for huge in (f"{ours}; {'x' * COOKIES_LIMIT}", f"{ours}; {chr(34) * 60_000}"):
        with pytest.raises(Unauthorized):
            read(mine, Headers({"cookie": huge}))


@pytest.mark.parametrize("cookie", ["", "guidesmith_session=", "guidesmith_session=v1.e30.x", "=;;=", "a" * 9000])
def test_given_no_cookie_of_ours_then_nobody_has_signed_in(clock: Clock, cookie: str) -> None:
    with pytest.raises(Unauthorized):
        read(sessions(clock), Headers({"cookie": cookie}))


def test_given_another_secret_or_purpose_then_it_is_no_session(clock: Clock) -> None:
    mine, other = sessions(clock), sessions(clock, secret="o" * 32)
    with pytest.raises(Unauthorized):
        read(mine, sent_back(other.begun(ANN)))
    with pytest.raises(Unauthorized):
        read(mine, Headers({"cookie": f"guidesmith_session={tickets(clock).issue(ANN)}"}))
    with pytest.raises(Unauthorized):
        admitted(tickets(clock), sent_back(mine.begun(ANN))["cookie"].split("; ")[1].partition("=")[2])


def test_given_a_ticket_when_it_was_used_or_its_minutes_are_over_then_it_lets_nobody_in(clock: Clock) -> None:
    mine = tickets(clock)
    ticket, late = mine.issue(ANN), mine.issue(ANN, unseen=True)
    assert [mine.read(each).unseen for each in (ticket, late)] == [False, True]
    assert admitted(mine, ticket) == ANN  # to read it had not spent it
    with pytest.raises(Unauthorized):
        admitted(mine, ticket)
    assert TICKET_TTL_S <= 600
    clock.now += TICKET_TTL_S + 1
    with pytest.raises(Unauthorized):
        admitted(mine, late)


@pytest.mark.parametrize(
    ("method", "headers", "counts"),
    [
        ("POST", {"sec-fetch-site": "same-origin"}, True),
        ("POST", {"sec-fetch-site": "same-site"}, False),
        ("POST", {"sec-fetch-site": "cross-site", "origin": OWN}, False),
        ("GET", {"sec-fetch-site": "cross-site"}, False),
        ("GET", {"sec-fetch-site": "none"}, True),
        ("POST", {"sec-fetch-site": "none"}, False),
        ("POST", {"origin": OWN}, True),
        ("DELETE", {"origin": f"{OWN}.evil.example"}, False),
        ("PUT", {"origin": "null"}, False),
        ("PUT", {"origin": "http://["}, False),
        ("PUT", {"origin": "http://a]b"}, False),
        ("PUT", {"origin": "http://guidesmith.example.org"}, False),
        ("POST", {}, False),
        ("GET", {}, True),
    ],
)
def test_a_session_counts_for_calls_from_our_pages(method: str, headers: dict[str, str], counts: bool) -> None:
    if counts:
        check_origin(method, Headers(headers), OWN)
    else:
        with pytest.raises(Unauthorized):
            check_origin(method, Headers(headers), OWN)


@pytest.mark.parametrize(
    "subject",
    [
        "[]",
        "{}",
        "1",
        '["ann", "editor", 1]',
        '["ann", "emperor", 1, "x", 9e9]',
        '["ann", "editor", 1, "x", "y"]',
        "not json",
    ],
)
def test_given_a_cookie_of_another_version_of_ours_then_its_owner_signs_in_again(clock: Clock, subject: str) -> None:
    mine = sessions(clock)
    signed = SignedUrls("s" * 32, clock).sign("session", subject, clock.now + 10)
    with pytest.raises(Unauthorized):
        read(mine, Headers({"cookie": f"{mine.cookie}={signed}"}))
    with pytest.raises(Unauthorized):
        admitted(tickets(clock), SignedUrls("s" * 32, clock).sign("sign-in", subject, clock.now + 10))
