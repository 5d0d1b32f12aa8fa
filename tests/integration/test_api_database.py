"""The API while its Postgres dies under it and comes back: requests say so, streams go on, nothing is half done."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx
import psutil
import pytest

from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.children import has_ended
from tests.databases import PostgresServer, temporary_postgres
from tests.integration.test_api_uploads import RECORDING, begun, new_job
from tests.stack import wait_until
from tests.temporal import TemporalServer

WITHIN_S = 60.0


@pytest.fixture(scope="module")
def mortal() -> Iterator[PostgresServer]:
    """A Postgres of this module's own, which its tests kill."""
    with contextmanager(temporary_postgres)() as server:
        yield server


@pytest.fixture(scope="module")
def api(
    mortal: PostgresServer, temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(tmp_path_factory.mktemp("mortal"), database_url=mortal.url(mortal.create()))
        with running_api(settings) as running:
            wait_ready(running)
            yield running


def killed(server: PostgresServer) -> None:
    """As a power cut would: no process of it is left, of which one that lingered would keep the next from starting."""
    postmaster = psutil.Process(int((server.folder / "data" / "postmaster.pid").read_text().split()[0]))
    postmaster.suspend()  # it begins no more of them
    backends = postmaster.children()
    for each in (postmaster, *backends):
        with suppress(psutil.NoSuchProcess):
            each.kill()
    server.stop()
    wait_until(lambda: all(map(has_ended, backends)), WITHIN_S, "the end of its backends")


def answered(client: httpx.Client, path: str) -> httpx.Response:
    """What is answered once the database is back."""

    def there() -> httpx.Response | None:
        answer = client.get(path)
        return answer if answer.status_code == 200 else None

    return wait_until(there, WITHIN_S, "the database")


def unready(api: RunningApi) -> dict[str, str] | None:
    """What keeps the API from working, once it says that it cannot."""
    answer = httpx.get(f"{api.url}/readyz", timeout=WITHIN_S)
    return dict(answer.json()["checks"]) if answer.status_code == 503 else None


def test_given_an_upload_when_the_database_dies_under_it_then_503_and_it_is_gone_on_with_afterwards(
    mortal: PostgresServer, api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)

    def dying() -> Iterator[bytes]:
        yield RECORDING[:1000]
        killed(mortal)
        yield RECORDING[1000:]

    headers = {"Content-Length": str(len(RECORDING))}
    try:
        broken = httpx.put(session["upload_url"], content=dying(), headers=headers, timeout=WITHIN_S)
        for answer in (broken, ann.get(f"jobs/{job_id}")):
            assert (answer.status_code, answer.json()["code"]) == (503, "DATABASE_UNAVAILABLE")
            assert int(answer.headers["Retry-After"]) >= 1
        checks = wait_until(lambda: unready(api), WITHIN_S, "the probe")
        assert checks["database"] != "ok" and checks["artifacts"] == checks["engine"] == "ok"
    finally:
        mortal.start()
    assert answered(ann, f"jobs/{job_id}").json()["status"] == "UPLOADING"
    assert httpx.get(session["upload_url"]).json() == {"received_parts": [], "received_bytes": 0}
    assert httpx.put(session["upload_url"], content=RECORDING).status_code == 200
    confirmed = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
    assert (confirmed.status_code, confirmed.json()["replayed"]) == (200, False)


def test_given_a_stream_of_events_when_the_database_dies_and_comes_back_then_it_goes_on_without_a_gap(
    mortal: PostgresServer, api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    seen: list[int] = []

    def listen() -> None:
        with api.client() as client, client.stream("GET", f"jobs/{job_id}/events") as stream:
            for line in stream.iter_lines():
                if line.startswith("id:"):
                    seen.append(int(line[3:]))
                    if len(seen) == 3:
                        return

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    wait_until(lambda: seen, WITHIN_S, "the first event")
    killed(mortal)
    try:
        assert ann.get(f"jobs/{job_id}").status_code == 503
    finally:
        mortal.start()
    answered(ann, f"jobs/{job_id}")
    begun(ann, job_id)
    assert ann.post(f"jobs/{job_id}/cancel").status_code == 200
    listener.join(WITHIN_S)
    assert seen == [1, 2, 3]
