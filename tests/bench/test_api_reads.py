"""Reading over HTTP: does a million jobs cost more than ten thousand?

One API process on each database, asked in turn with every request, so that both meet the same moments of the machine.
One caller owns a tenth of all jobs. Absolute figures are of this machine at this hour.
"""

import http.client
import random
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest
from rich.console import Console
from rich.table import Table

from activities.store import Store
from starter.access.tokens import Tokens
from tests.api_processes import ApiProcess, api_processes
from tests.apis import SECRET, api_settings
from tests.crowd import CALLER, STATUSES, fill, job_of
from tests.databases import PostgresServer, temporary_postgres
from tests.temporal import free_port

FEW, MANY = 10_000, 1_000_000
ROUNDS = 7
ASKED = 500
"""Requests of one kind in a round, one after the other."""

AT_ONCE = 4
BURST = 200
MOST = 1.5
"""What a million jobs may cost, as a multiple of ten thousand, at the 99th percentile."""

Ask = Callable[[random.Random, int], str]


def one_job(dice: random.Random, count: int) -> str:
    """The path of any job of the caller's."""
    return f"/api/v1/jobs/{job_of(10 * dice.randint(1, count // 10))}"


def a_page(dice: random.Random, _: int) -> str:
    """The path of a page of the caller's jobs: all of them, or those of a status."""
    status = dice.choice((None, *STATUSES))
    return "/api/v1/jobs?" + urlencode({"limit": 20} | ({"status": status} if status else {}))


ROUTES: dict[str, Ask] = {"GET /jobs/{id}": one_job, "GET /jobs, a page of 20": a_page}


@dataclass
class Side:
    """One database and the API on it, and what it showed, by route: milliseconds, and requests a second."""

    count: int
    api: ApiProcess
    took: dict[str, list[float]] = field(default_factory=dict)
    rates: dict[str, list[float]] = field(default_factory=dict)

    @contextmanager
    def connected(self) -> Iterator[Callable[[str], float]]:
        """A connection; it answers how many milliseconds a path took."""
        connection = http.client.HTTPConnection("127.0.0.1", self.api.port, timeout=60)
        headers = {"Authorization": f"Bearer {Tokens(SECRET).issue(CALLER)}"}

        def get(path: str) -> float:
            began = time.perf_counter()
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            took = (time.perf_counter() - began) * 1000
            assert answer.status == 200, body
            return took

        yield get
        connection.close()

    def percentile(self, name: str, share: float) -> float:
        ordered = sorted(self.took[name])
        return ordered[int(len(ordered) * share)]

    def burst(self, name: str, ask: Ask, seed: int) -> None:
        """How many requests a second are answered, several at once."""

        def some(number: int) -> None:
            dice = random.Random(seed + number)
            with self.connected() as get:
                for _ in range(BURST // AT_ONCE):
                    get(ask(dice, self.count))

        began = time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(some, range(AT_ONCE)))
        self.rates.setdefault(name, []).append(BURST / (time.perf_counter() - began))


def measured(few: Side, many: Side, name: str, ask: Ask, turn: int) -> None:
    """One round of one route: both sides in turn with every request, then each with several at once."""
    dice = random.Random(turn)
    with few.connected() as get_few, many.connected() as get_many:
        pair = [(few, get_few), (many, get_many)]
        for _ in range(ASKED):
            for each, get in pair:
                each.took.setdefault(name, []).append(get(ask(dice, each.count)))
            pair.reverse()
    for each, _ in pair:
        each.burst(name, ask, 100 * turn)


@contextmanager
def side(folder: Path, url: str, count: int) -> Iterator[Side]:
    """A filled database with an API on it."""
    store = Store.open(url)
    store.upgrade()
    store.dispose()
    fill(url, count)
    folder.mkdir()
    settings = api_settings(folder, database_url=url, log_level="WARNING")
    with api_processes(settings) as (api,):
        yield Side(count, api)


@pytest.fixture(params=["sqlite", "postgres"])
def sides(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, Side, Side]]:
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free_port()}")
    servers: Iterator[PostgresServer] = iter(())
    if request.param == "postgres":
        servers = temporary_postgres(durable=True)
        server = next(servers)
        urls = [server.url(server.create()) for _ in range(2)]
    else:
        urls = [f"sqlite:///{tmp_path / name}.db" for name in ("few", "many")]
    try:
        with side(tmp_path / "api-few", urls[0], FEW) as few, side(tmp_path / "api-many", urls[1], MANY) as many:
            yield request.param, few, many
    finally:
        for _ in servers:
            pass  # stops and deletes it
        shutil.rmtree(tmp_path, ignore_errors=True)  # some gigabytes


def test_given_a_million_jobs_when_read_over_http_then_it_takes_hardly_longer_than_with_ten_thousand(
    sides: tuple[str, Side, Side],
) -> None:
    database, few, many = sides
    for name, ask in ROUTES.items():
        measured(few, many, name, ask, turn=0)
    for each in (few, many):
        each.took.clear()  # connections, caches and code were cold
        each.rates.clear()
    for turn in range(1, ROUNDS + 1):
        for name, ask in ROUTES.items():
            measured(few, many, name, ask, turn)
    ratios = {name: many.percentile(name, 0.99) / few.percentile(name, 0.99) for name in ROUTES}
    show(database, few, many, ratios)
    assert all(ratio <= MOST for ratio in ratios.values()), ratios


def show(database: str, few: Side, many: Side, ratios: dict[str, float]) -> None:
    table = Table(title=f"Reads over HTTP on {database}, {ROUNDS * ASKED} of each")
    for heading in ("route", "jobs", "p50 ms", "p99 ms", f"requests/s ({AT_ONCE} at once)", "p99 ratio"):
        table.add_column(heading, justify="left" if heading == "route" else "right")
    for name in ROUTES:
        for each in (few, many):
            times = [f"{each.percentile(name, share):.1f}" for share in (0.5, 0.99)]
            rate = f"{statistics.median(each.rates[name]):.0f}"
            table.add_row(name, f"{each.count:,}", *times, rate, f"{ratios[name]:.2f}" if each is many else "")
    Console(width=120).print(table)
