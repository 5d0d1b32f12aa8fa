"""What an upload of gigabytes costs: the API's memory must not grow with it, and joining must not copy it.

Each way in (whole, parts through the API, parts past it) on a folder and on a real S3 server, through one API process.
Absolute figures are of this machine at this hour, where the S3 server, the API and the client share the cores.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest
from rich.console import Console
from rich.table import Table

from starter.wiring import open_store
from tests.api_processes import ApiProcess, api_processes
from tests.apis import api_settings
from tests.integration.test_api_uploads import begun, new_job
from tests.objectstores import S3Server

MiB = 1 << 20
SIZE = 2048 * MiB
PART = 16 * MiB
AT_ONCE = 4
PIECE = bytes(range(256)) * (MiB // 256)

MOST_GROWTH_BYTES = 200 * MiB
"""Far below the size: four bodies with their buffers, and what the allocator keeps of them."""

SAMPLE_EVERY_S = 0.05


@dataclass
class Measured:
    """One upload."""

    way: str
    sent_s: float
    confirmed_s: float
    growth_bytes: int


def pieces(length: int) -> Iterator[bytes]:
    for _ in range(length // MiB):
        yield PIECE


def whole(session: dict[str, str]) -> None:
    httpx.put(session["upload_url"], content=pieces(SIZE), timeout=900).raise_for_status()


def in_parts(session: dict[str, str]) -> None:
    addressed({number: f"{session['upload_url']}?part={number}" for number in numbers()})


def past_the_api(session: dict[str, str]) -> None:
    answer = httpx.post(session["parts_url"], json={"numbers": numbers()}, timeout=60)
    addressed({each["part"]: each["url"] for each in answer.raise_for_status().json()["parts"]})


def numbers() -> list[int]:
    return list(range(1, SIZE // PART + 1))


def addressed(urls: dict[int, str]) -> None:
    headers = {"Content-Length": str(PART)}
    with httpx.Client(timeout=300) as client, ThreadPoolExecutor(AT_ONCE) as pool:
        for answer in pool.map(lambda url: client.put(url, content=pieces(PART), headers=headers), urls.values()):
            answer.raise_for_status()


@contextmanager
def most_memory(pid: int) -> Iterator[Callable[[], int]]:
    """How far the process's resident memory went beyond what it was at the beginning, in bytes."""
    process, over = psutil.Process(pid), threading.Event()
    before = most = process.memory_info().rss

    def watch() -> None:
        nonlocal most
        while not over.wait(SAMPLE_EVERY_S):
            most = max(most, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lambda: most - before
    finally:
        over.set()
        watcher.join()


def measured(api: ApiProcess, name: str, send: Callable[[dict[str, str]], None]) -> Measured:
    assert api.process is not None
    with api.client() as client, most_memory(api.process.pid) as growth:
        job_id = new_job(client)
        session = begun(client, job_id, size_bytes=SIZE)
        began = time.perf_counter()
        send(session)
        sent = time.perf_counter()
        answer = client.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}, timeout=900)
        assert answer.status_code == 200, answer.text
        return Measured(name, sent - began, time.perf_counter() - sent, growth())


def test_an_upload_of_gigabytes_stays_out_of_memory(
    tmp_path: Path, s3_server: S3Server, capsys: pytest.CaptureFixture[str]
) -> None:
    s3 = s3_server.options
    on_s3 = {
        "artifacts_url": s3_server.url("bench"),
        "s3_endpoint": s3.endpoint,
        "s3_access_key_id": s3.access_key_id,
        "s3_secret_access_key": s3.secret_access_key,
    }
    results = []
    for store, settings, ways in (
        ("folder", {}, (whole, in_parts)),
        ("S3", on_s3, (whole, in_parts, past_the_api)),
    ):
        folder = tmp_path / store
        folder.mkdir()
        chosen = api_settings(folder, part_size_bytes=PART, upload_cap_bytes=2 * SIZE, **settings)
        database = open_store(chosen)
        database.upgrade()
        database.dispose()
        with api_processes(chosen) as (api,):
            results += [measured(api, f"{store}, {way.__name__.replace('_', ' ')}", way) for way in ways]

    table = Table("way in", "MB/s", "confirmed in s", "memory, MB", title=f"{SIZE // MiB} MiB through one API process")
    for each in results:
        table.add_row(
            each.way,
            f"{SIZE / 1e6 / each.sent_s:.0f}",
            f"{each.confirmed_s:.1f}",
            f"{each.growth_bytes / 1e6:.0f}",
        )
    with capsys.disabled():
        Console(width=100).print(table)
    assert all(each.growth_bytes < MOST_GROWTH_BYTES for each in results)
