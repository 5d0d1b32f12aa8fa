"""How much one caller may ask: counted in the process and on a real Valkey, for users, routes and addresses."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from starlette.types import Scope
from structlog.testing import capture_logs

from starter.api.perimeter import limits
from starter.api.perimeter.admission import BASE, OPEN
from starter.api.perimeter.limits import EXPENSIVE, Counter, Rule, client_address, unnamed
from starter.settings import load_settings
from tests.apis import RunningApi, api_settings, running_api
from tests.counting import PASSWORD, ValkeyServer, running_valkey
from tests.temporal import TemporalServer

ABSENT = "01890000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def limited(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API with limits that a test can reach; the attempts without a token are the module's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(
            tmp_path_factory.mktemp("limited"),
            rate_limit_default="4/hour",
            rate_limit_expensive="2/hour",
            rate_limit_unauthenticated="3/hour",
            trusted_proxies="127.0.0.1",
        )
        with running_api(settings) as running:
            yield running


def statuses(client: httpx.Client, method: str, path: str, times: int) -> list[int]:
    return [client.request(method, path).status_code for _ in range(times)]


def test_given_more_requests_than_allowed_then_429_says_when_to_come_back(limited: RunningApi) -> None:
    with limited.client("eager") as eager:
        assert statuses(eager, "GET", "projects", 4) == [200] * 4
        refused = eager.get("projects")
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert 3500 < int(refused.headers["Retry-After"]) <= 3600
    assert refused.headers["X-Request-Id"]


def test_given_one_who_asked_too_much_then_others_and_other_routes_are_served(limited: RunningApi) -> None:
    with limited.client("one") as one, limited.client("another") as another:
        assert statuses(one, "GET", "projects", 5)[-1] == 429
        assert one.get("jobs").status_code == 200
        assert one.post("projects", json={"name": "x"}).status_code == 201
        assert another.get("projects").status_code == 200


def test_given_one_route_of_many_addresses_then_they_are_counted_together(limited: RunningApi) -> None:
    with limited.client("walker") as walker:
        seen = [walker.get(f"jobs/{ABSENT[:-1]}{number}").status_code for number in range(6)]
    assert seen == [404] * 4 + [429] * 2


def test_given_a_route_that_starts_work_then_its_limit_is_its_own(limited: RunningApi) -> None:
    with limited.client("runner") as runner:
        assert statuses(runner, "POST", f"jobs/{ABSENT}/run", 3) == [404, 404, 429]
        assert statuses(runner, "POST", f"jobs/{ABSENT}/cancel", 3) == [404] * 3


def test_given_invented_methods_and_paths_then_they_do_not_get_past_the_limit(limited: RunningApi) -> None:
    with limited.client("inventor") as inventor:
        assert [inventor.get(f"nothing-{number}").status_code for number in range(6)] == [404] * 4 + [429] * 2
        assert [inventor.request(f"BREW{number}", "projects").status_code for number in range(6)] == [405] * 4 + [
            429
        ] * 2


def attempt(api: RunningApi, path: str = "jobs", **headers: str) -> int:
    return httpx.get(f"{api.url}/api/v1/{path}", headers=headers).status_code


def test_given_attempts_without_a_token_that_holds_then_the_address_is_limited_and_nobody_elses(
    limited: RunningApi,
) -> None:
    def guess(client: str) -> int:
        return attempt(limited, Authorization="Bearer guess", **{"X-Forwarded-For": client})

    assert [guess("198.51.100.7") for _ in range(5)] == [401] * 3 + [429] * 2
    assert guess("198.51.100.8") == 401
    with limited.client("neighbour") as neighbour:  # who shares the address, and has a token
        assert neighbour.get("jobs", headers={"X-Forwarded-For": "198.51.100.7"}).status_code == 200


def test_given_a_client_that_writes_addresses_of_its_own_then_the_nearest_proxys_word_counts(
    limited: RunningApi,
) -> None:
    made_up = [f"203.0.113.{number}, 198.51.100.20" for number in range(5)]
    assert [attempt(limited, **{"X-Forwarded-For": each}) for each in made_up] == [401] * 3 + [429] * 2


def test_given_signed_addresses_that_nobody_signed_then_they_are_attempts_too(limited: RunningApi) -> None:
    guesses = [
        attempt(limited, f"downloads/v1.guess.{number}", **{"X-Forwarded-For": "198.51.100.30"}) for number in range(5)
    ]
    assert guesses == [404] * 3 + [429] * 2


def test_given_a_signed_address_then_it_is_counted_for_itself(limited: RunningApi) -> None:
    with limited.client("uploader") as uploader:
        project = uploader.post("projects", json={"name": "x"}).json()["id"]
        signed = []
        for _ in range(2):
            job = uploader.post(f"projects/{project}/jobs").json()["id"]
            signed.append(uploader.post(f"jobs/{job}/upload", json={"filename": "a.mp4"}).json()["upload_url"])
    first, second = signed
    assert [httpx.get(first).status_code for _ in range(5)] == [200] * 4 + [429]
    assert httpx.get(second).status_code == 200


def test_given_probes_then_they_are_never_limited(limited: RunningApi) -> None:
    assert {httpx.get(f"{limited.url}/healthz").status_code for _ in range(20)} == {200}


def test_given_a_limit_of_a_second_when_it_is_over_then_the_caller_is_served_again(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_api(api_settings(tmp_path, rate_limit_default="2/second")) as api, api.client("eager") as eager:
        deadline = time.monotonic() + 60
        while eager.get("projects").status_code != 429:
            assert time.monotonic() < deadline
        while eager.get("projects").status_code != 200:
            assert time.monotonic() < deadline


def test_given_the_description_then_every_route_but_the_open_ones_declares_429_and_when_to_come_back(
    limited: RunningApi,
) -> None:
    paths = httpx.get(f"{limited.url}/api/v1/openapi.json").json()["paths"]
    for path, operations in paths.items():
        for method, operation in operations.items():
            if path not in OPEN:
                assert "Retry-After" in operation["responses"]["429"]["headers"], f"{method} {path}"


def test_the_routes_that_start_work_are_those_of_the_description_or_of_kinds_to_come(limited: RunningApi) -> None:
    paths = httpx.get(f"{limited.url}/api/v1/openapi.json").json()["paths"]
    there = {(method.upper(), unnamed(path.removeprefix(BASE))) for path in paths for method in paths[path]}
    kinds_to_come = ("/anchors/", "/images", "/generate/", "/analyses", "/jobs", "/webhook-endpoints/")
    for method, route in EXPENSIVE - there:
        assert route.startswith(kinds_to_come), f"{method} {route}: is it spelled as the route is?"
    assert {("POST", "/jobs/{}/run"), ("GET", "/jobs/{}/assets.zip")} <= EXPENSIVE & there


# --- who is who ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["1.1.1.1", "198.51.100.1", "10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["10.0.0.3"], "10.0.0.3"),
        ("10.0.0.1", ["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("2001:db8::7", ["198.51.100.1"], "2001:db8::/64"),
        ("fd00::1", ["198.51.100.1"], "198.51.100.1"),
        ("", ["198.51.100.1"], "unknown"),
        ("testclient", [], "unknown"),
    ],
)
def test_a_client_is_whom_the_nearest_trusted_proxy_saw(peer: str, forwarded: list[str], client: str) -> None:
    proxies = limits.Limits(load_settings(trusted_proxies="10.0.0.0/8, fd00::/8")).proxies
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    scope: Scope = {"type": "http", "client": (peer, 1) if peer else None, "headers": headers}
    assert client_address(scope, proxies) == client


# --- counting --------------------------------------------------------------------------------------------------------


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[ValkeyServer]:
    with running_valkey(tmp_path) as server:
        yield server


RULE = Rule.of("default", "10/hour")


async def passed(counters: list[Counter], times: int) -> int:
    waits = await asyncio.gather(*(counters[number % len(counters)].wait_s(RULE, "ann") for number in range(times)))
    return waits.count(0)


def test_given_many_requests_at_once_then_exactly_as_many_as_allowed_pass() -> None:
    assert asyncio.run(passed([Counter()], 50)) == 10


def test_given_several_limits_then_each_holds() -> None:
    async def counted() -> list[bool]:
        counter, rule = Counter(), Rule.of("default", "5/hour;2/day")
        return [bool(await counter.wait_s(rule, "ann")) for _ in range(3)]

    assert asyncio.run(counted()) == [False, False, True]


def test_given_off_then_nobody_is_counted() -> None:
    async def counted() -> set[float]:
        counter, rule = Counter(), Rule.of("default", "off")
        return {await counter.wait_s(rule, "ann") for _ in range(100)}

    assert asyncio.run(counted()) == {0.0}


def test_given_many_callers_who_come_once_then_they_are_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SWEEP_EVERY_S", 0.05)
    now = [1e9]
    monkeypatch.setattr("limits.aio.storage.memory.time", SimpleNamespace(time=lambda: now[0]))

    async def counted() -> None:
        counter, rule = Counter(), Rule.of("default", "5/hour")
        for number in range(500):
            await counter.wait_s(rule, f"caller {number}")
        assert counter.remembered == 500
        now[0] += 3600
        deadline = time.monotonic() + 60
        while counter.remembered > 1:
            assert time.monotonic() < deadline
            await counter.wait_s(rule, "the last")
            await asyncio.sleep(0.02)

    asyncio.run(counted())


def test_given_two_processes_and_one_valkey_then_they_count_together_and_tell_it_no_names(
    valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REDIS_TIMEOUT_S", 30.0)  # slow is not away: who else computes here decides nothing

    async def counted() -> int:
        counters = [Counter(valkey.url), Counter(valkey.url)]
        try:
            return await passed(counters, 50)
        finally:
            for each in counters:
                await each.close()

    assert asyncio.run(counted()) == 10
    with valkey.client() as seen:
        keys = [key.decode() for key in seen.scan_iter()]
        assert keys
        assert all(0 < seen.ttl(key) <= 3600 for key in keys)
    assert all(key.startswith("guidesmith:limits") and "ann" not in key for key in keys)


def test_given_a_valkey_that_dies_then_each_process_counts_for_itself_until_it_is_back(
    valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REDIS_TIMEOUT_S", 30.0)  # see above
    now = [0.0]

    async def counted() -> None:
        counter = Counter(valkey.url, clock=lambda: now[0])
        await counter.ping()
        assert await passed([counter], 10) == 10
        valkey.kill()
        assert await passed([counter], 50) == 10, "its own count began when the common one was gone"
        assert await passed([counter], 5) == 0
        valkey.start()
        assert await passed([counter], 1) == 0, "left alone for a moment"
        now[0] += 60
        assert await passed([counter], 20) == 10, "the common count began anew with the server"
        await counter.close()

    with capture_logs() as lines:
        asyncio.run(counted())
    told = [line["event"] for line in lines if line["event"] != "request"]  # of an API of the tests before
    assert told == ["rate_limit.storage_unavailable"]
    assert PASSWORD not in str(lines)
