"""Event streams over real sockets: resumed across restarts without a gap or a repeat, each client at its own pace."""

import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, update

from activities.store import Store
from activities.store.tables import job_events, jobs
from domain.lifecycles.instruction import AUDIO_EXTRACTING
from starter.access.tokens import Role, Tokens
from starter.settings import Settings
from starter.wiring import open_store
from tests.api_processes import ApiProcess, api_processes
from tests.apis import SECRET, RunningApi, api_settings, running_api
from tests.databases import PostgresServer
from tests.integration.store_builders import Run, created_job, uploaded_job
from tests.stack import LONGEST_S, wait_until
from tests.temporal import TemporalServer

PING_S = 0.2
PER_USER = 5
MOST = 8


@dataclass(frozen=True)
class Heard:
    id: int
    name: str
    data: dict[str, Any]


def heard_in(lines: Iterator[str]) -> Iterator[Heard]:
    """The events in a stream's lines; one that was cut in the middle is none."""
    fields: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
        elif not line and "data" in fields:
            yield Heard(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}


def streamed(client: httpx.Client, job_id: str, last: int | str | None, enough: Callable[[Heard], bool]) -> list[Heard]:
    """What the stream says, up to the event that is ``enough``, or until it breaks."""
    heard: list[Heard] = []
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    with (
        suppress(httpx.TransportError),
        client.stream("GET", f"jobs/{job_id}/events", headers=headers) as answer,
    ):
        assert answer.status_code == 200
        for event in heard_in(answer.iter_lines()):
            heard.append(event)
            if enough(event):
                break
    return heard


@pytest.fixture(scope="module")
def events_api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API with few seats and a fast heart."""
    settings = api_settings(
        tmp_path_factory.mktemp("events"),
        event_ping_s=PING_S,
        max_event_streams=MOST,
        max_event_streams_per_user=PER_USER,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as running:
            yield running


def test_given_a_session_of_a_short_token_when_the_token_expires_then_the_streams_end_and_no_page_opens(
    events_api: RunningApi,
) -> None:
    job = created_job(events_api.store, "brief")
    streams = (f"/api/v1/jobs/{job.id}/events", f"/live?jobs={job.id}")

    def read_to_its_end(browser: httpx.Client, stream: str) -> int:
        with browser.stream("GET", stream) as answer:
            for _ in answer.iter_lines():  # a connection that broke would raise
                pass
            return answer.status_code

    ours = {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=events_api.url, headers=ours, timeout=30) as browser, ThreadPoolExecutor(2) as pool:
        for ttl_s in (6, 60):  # where six seconds are over before the streams are open
            token = Tokens(SECRET).issue("brief", Role.ADMIN, ttl_s=ttl_s)
            signed_in = browser.post("/sign-in", data={"token": token}).status_code
            answers = list(pool.map(partial(read_to_its_end, browser), streams))
            if (signed_in, answers) == (303, [200, 200]):
                break
        assert (signed_in, answers) == (303, [200, 200])
        assert browser.get(f"/api/v1/jobs/{job.id}").status_code == 401
        assert browser.get("/", headers={"Sec-Fetch-Mode": "cors"}).status_code == 401


# --- restarts -------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", "postgres"])
def restartable(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    url = ""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url(server.create())
    settings = api_settings(tmp_path_factory.mktemp("restart"), database_url=url)
    store = open_store(settings)
    store.upgrade()
    store.dispose()
    with api_processes(settings) as (api,):
        yield api


def followed_through(api: ApiProcess | RunningApi, owner: str, job_id: str, until: int) -> list[int]:
    """The ids that a client hears which comes back, with the last id it heard, whenever the stream breaks."""
    ids: list[int] = []
    pause, over_at = threading.Event(), time.monotonic() + LONGEST_S
    with api.client(owner) as client:
        while (not ids or ids[-1] < until) and time.monotonic() < over_at:
            last = ids[-1] if ids else None
            ids += [event.id for event in streamed(client, job_id, last, lambda event: event.id >= until)]
            pause.wait(0.05)
    return ids


def test_given_two_clients_when_the_api_is_killed_and_started_again_then_neither_misses_or_repeats_anything(
    restartable: ApiProcess,
) -> None:
    settings: Settings = restartable.settings
    store = open_store(settings)
    job = uploaded_job(store, "ann")
    run = Run(store, job.id).dispatched()
    store.begin_stage(job.id, run.fence(), AUDIO_EXTRACTING)
    begun = store.last_event_seq(job.id)
    until = begun + 40

    def report(first: int, last: int) -> None:
        for progress in range(first, last + 1):
            assert store.report_progress(job.id, run.fence(), progress, {"stage": "audio"})

    with ThreadPoolExecutor(2) as pool:
        clients = [pool.submit(followed_through, restartable, "ann", job.id, until) for _ in range(2)]
        report(1, 15)
        restartable.stop(signal.SIGKILL)
        report(16, 30)  # while nobody can be told
        restartable.start()
        restartable.wait()
        report(31, 40)
        heard = [client.result(120) for client in clients]
    store.dispose()
    assert heard == [list(range(1, until + 1))] * 2


# --- one stream -----------------------------------------------------------------------------------------------------


def test_given_a_stream_when_nothing_happens_then_it_says_that_it_is_alive(events_api: RunningApi) -> None:
    job = created_job(events_api.store, "pia")
    with events_api.client("pia") as pia, pia.stream("GET", f"jobs/{job.id}/events") as answer:
        pings = (line for line in answer.iter_lines() if line.startswith(": ping"))
        assert next(pings) and next(pings)
        assert answer.headers["Cache-Control"] == "no-store"


def test_given_an_id_beyond_the_log_when_resumed_then_one_resync_and_then_what_happens(events_api: RunningApi) -> None:
    store = events_api.store
    job = uploaded_job(store, "rea")
    reach = store.last_event_seq(job.id)

    def move_on_resync(event: Heard) -> bool:
        if event.name == "resync":
            append(store, job.id, 1, stream="status")
        return event.name == "status"

    with events_api.client("rea") as rea:
        first = streamed(rea, job.id, 999_999, move_on_resync)
        assert [(event.id, event.name) for event in first] == [(reach, "resync"), (reach + 1, "status")]
        assert first[0].data == {"job_id": job.id, "last_seq": reach}
        again = streamed(rea, job.id, first[0].id, move_on_resync)
        assert [(event.id, event.name) for event in again] == [(reach + 1, "status")]


@pytest.mark.parametrize("value", ["", "x", "-1", "+1", "1.5", "0x1", "1 2", "\u0661", "9" * 16])
def test_given_a_malformed_last_event_id_when_resumed_then_400(events_api: RunningApi, value: str) -> None:
    job = created_job(events_api.store, "mia")
    with events_api.client("mia") as mia:
        answer = mia.get(f"jobs/{job.id}/events", headers=[(b"Last-Event-ID", value.encode())])
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_a_job_that_has_ended_when_followed_then_the_stream_stays_open(events_api: RunningApi) -> None:
    job = created_job(events_api.store, "eve")
    with events_api.client("eve") as eve:
        assert eve.post(f"jobs/{job.id}/cancel").status_code == 200
        with eve.stream("GET", f"jobs/{job.id}/events") as answer:
            lines = answer.iter_lines()
            assert next(line for line in lines if '"new_status":"CANCELLED"' in line)
            assert next(line for line in lines if line.startswith(": ping"))


# --- many streams ---------------------------------------------------------------------------------------------------


@contextmanager
def opened(api: RunningApi, owner: str, job_id: str, *, receive_buffer: int | None = None) -> Iterator[socket.socket]:
    """A stream that was asked for, on a bare socket; what is said is not read."""
    with socket.socket() as sock:
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(60)
        sock.connect(("127.0.0.1", api.settings.api_port))
        token = Tokens(SECRET).issue(owner)
        sock.sendall(
            f"GET /api/v1/jobs/{job_id}/events HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token}\r\nLast-Event-ID: 0\r\n\r\n".encode()
        )
        yield sock


def status_line(sock: socket.socket) -> bytes:
    return sock.recv(12)


def let_in(streams: ExitStack, api: RunningApi, owner: str, job_id: str) -> bool:
    """Whether a stream was opened; it stays open as long as ``streams`` do."""
    return status_line(streams.enter_context(opened(api, owner, job_id))) == b"HTTP/1.1 200"


def seats_left(api: RunningApi, owner: str, job_id: str) -> bool:
    """Whether another stream would be let in."""
    with opened(api, owner, job_id) as sock:
        return status_line(sock) == b"HTTP/1.1 200"


def test_given_a_user_with_many_streams_when_one_more_is_asked_for_then_429_until_one_is_closed(
    events_api: RunningApi,
) -> None:
    job = created_job(events_api.store, "sue")
    with events_api.client("sue") as sue, ThreadPoolExecutor(12) as pool:
        streams = ExitStack()
        socks = [streams.enter_context(opened(events_api, "sue", job.id)) for _ in range(12)]
        answers = list(pool.map(status_line, socks))  # asked all at once: no more get in than there are seats
        assert answers.count(b"HTTP/1.1 200") == PER_USER
        assert answers.count(b"HTTP/1.1 429") == 12 - PER_USER
        refused = sue.get(f"jobs/{job.id}/events")
        assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
        assert int(refused.headers["Retry-After"]) >= 1
        other = created_job(events_api.store, "tom")
        assert seats_left(events_api, "tom", other.id)
        streams.close()
        wait_until(lambda: seats_left(events_api, "sue", job.id), 20, "the seats are free again")


def test_given_all_seats_taken_when_anybody_asks_for_one_then_429(events_api: RunningApi) -> None:
    job = created_job(events_api.store, "uwe")
    owners = ["una"] * PER_USER + ["ute"] * (MOST - PER_USER)
    with ExitStack() as streams:
        for owner in owners:
            theirs = created_job(events_api.store, owner)
            wait_until(partial(let_in, streams, events_api, owner, theirs.id), 20, "a seat")
        assert not seats_left(events_api, "uwe", job.id)
    wait_until(lambda: seats_left(events_api, "uwe", job.id), 20, "the seats are free again")


def append(store: Store, job_id: str, count: int, *, stream: str = "progress", size: int = 10) -> None:
    """Rows for the job's log, many and large, in one transaction."""
    now = datetime.now(UTC)
    first = store.last_event_seq(job_id) + 1
    rows = [
        {
            "job_id": job_id,
            "seq": first + number,
            "stream": stream,
            "event_type": "PROGRESS" if stream == "progress" else "STATUS_CHANGED",
            "actor_type": "system",
            "occurred_at": now,
            "recorded_at": now,
            "correlation_id": "c",
            "attempt": 1,
            "execution": 1,
            "unit": 0,
            "data": {"note": "x" * size},
        }
        for number in range(count)
    ]
    with store._database.write() as connection:
        connection.execute(insert(job_events), rows)
        connection.execute(update(jobs).where(jobs.c.id == job_id).values(event_seq=first + count - 1))


def test_given_a_client_that_reads_nothing_when_much_happens_then_others_hear_it_all_and_it_is_cut_off(
    events_api: RunningApi,
) -> None:
    store = events_api.store
    job = created_job(store, "wim")
    count = 3000
    with ThreadPoolExecutor(1) as pool, opened(events_api, "wim", job.id, receive_buffer=4096):
        # who reads slowly, as all do on a slow machine, may be cut off as well, and comes again
        reader = pool.submit(followed_through, events_api, "wim", job.id, count + 1)
        append(store, job.id, count, size=4000)
        assert reader.result(120) == list(range(1, count + 2))
        # its seat becomes free although it is still connected: all of them can be had
        wait_until(lambda: all_seats(events_api, "wim", job.id), 30, "it is cut off")


def all_seats(api: RunningApi, owner: str, job_id: str) -> bool:
    with ExitStack() as streams:
        return all(let_in(streams, api, owner, job_id) for _ in range(PER_USER))
