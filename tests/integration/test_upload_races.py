"""Uploads between two API processes: confirmed once whoever asks, never changed by a body that comes too late."""

import hashlib
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind, Blob
from starter.wiring import open_artifacts, open_store
from tests.api_processes import ApiProcess, api_processes
from tests.apis import api_settings
from tests.databases import PostgresServer
from tests.integration.test_api_uploads import begun, new_job, parts_of

RECORDING = os.urandom(200_000)
SHA256 = hashlib.sha256(RECORDING).hexdigest()
AT_ONCE = 20


@dataclass(frozen=True)
class Pair:
    """Two API processes on one database and one folder."""

    apis: list[ApiProcess]
    store: Store
    artifacts: ArtifactStore
    folder: Path

    def video(self, job_id: str) -> Blob:
        video = self.store.latest_artifact(job_id, ArtifactKind.VIDEO)
        assert video is not None
        return video.blob

    def left(self) -> list[str]:
        """What lies in the artifact folder beside objects."""
        return [path.name for path in (self.folder / "artifacts" / ".uploads").iterdir()]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    url = ""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url(server.create())
    settings = api_settings(folder, database_url=url)
    store = open_store(settings)
    store.upgrade()
    with api_processes(settings, 2) as apis:
        yield Pair(apis, store, open_artifacts(settings), folder)
    store.dispose()


def elsewhere(url: str, api: ApiProcess) -> str:
    """The same address at another process."""
    return str(httpx.URL(url).copy_with(port=api.port))


def sent_in_parts(url: str, data: bytes = RECORDING) -> None:
    for number, part in parts_of(data).items():
        assert httpx.put(f"{url}?part={number}", content=part).status_code == 200


def confirmed_at_once(pair: Pair, owner: str, job_id: str, uri: str, count: int = AT_ONCE) -> list[httpx.Response]:
    with ThreadPoolExecutor(count) as pool, pair.apis[0].client(owner) as one, pair.apis[1].client(owner) as other:
        clients = [one, other] * (count // 2)
        return list(pool.map(lambda c: c.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": uri}), clients))


@pytest.mark.parametrize("in_parts", [False, True], ids=["whole", "parts"])
def test_given_twenty_confirmations_on_two_processes_when_all_are_answered_then_one_had_an_effect(
    pair: Pair, in_parts: bool
) -> None:
    with pair.apis[0].client() as ann:
        job_id = new_job(ann)
        session = begun(ann, job_id, checksum_sha256=SHA256)
        if in_parts:
            sent_in_parts(session["upload_url"])
        else:
            httpx.put(session["upload_url"], content=RECORDING)

    answers = confirmed_at_once(pair, "ann", job_id, session["video_uri"])

    assert [answer.status_code for answer in answers] == [200] * AT_ONCE, [answer.text for answer in answers]
    assert [answer.json()["replayed"] for answer in answers].count(False) == 1
    assert {answer.json()["job"]["version"] for answer in answers} == {3}
    assert [event.new_status for event in pair.store.events(job_id)] == ["CREATED", "UPLOADING", "UPLOADED"]
    assert pair.video(job_id).checksum_sha256 == SHA256
    assert len(pair.store.artifacts(job_id)) == 1
    pair.artifacts.verify(pair.video(job_id))
    assert pair.left() == []


@pytest.mark.parametrize("in_parts", [False, True], ids=["whole", "parts"])
def test_given_bodies_that_race_a_confirmation_when_all_is_over_then_what_was_confirmed_is_what_lies_there(
    pair: Pair, in_parts: bool
) -> None:
    for _ in range(3):
        with pair.apis[0].client() as ann:
            job_id = new_job(ann)
            session = begun(ann, job_id)
        urls = [elsewhere(session["upload_url"], api) + ("?part=1" if in_parts else "") for api in pair.apis]
        assert httpx.put(urls[0], content=b"first").status_code == 200

        def send(number: int, urls: list[str] = urls) -> int:
            return httpx.put(urls[number % 2], content=bytes([number]) * (100_000 + number), timeout=60).status_code

        with ThreadPoolExecutor(8) as senders:
            sent = [senders.submit(send, number) for number in range(16)]
            answers = confirmed_at_once(pair, "ann", job_id, session["video_uri"], 4)
            assert {each.result() for each in sent} <= {200, 409}

        assert [answer.status_code for answer in answers] == [200] * 4, [answer.text for answer in answers]
        assert [answer.json()["replayed"] for answer in answers].count(False) == 1
        late = [httpx.put(url, content=b"late") for url in urls]
        assert [(each.status_code, each.json()["code"]) for each in late] == [(409, "FSM_TRANSITION_INVALID")] * 2
        pair.artifacts.verify(pair.video(job_id))
        assert pair.left() == []


def test_given_a_process_that_died_while_it_confirmed_when_another_is_asked_then_it_takes_over(pair: Pair) -> None:
    with pair.apis[1].client() as ann:
        job_id = new_job(ann)
        session = begun(ann, job_id, checksum_sha256=SHA256)
        sent_in_parts(session["upload_url"])
        dead = pair.store.lease_upload(session["upload_id"], uuid4().hex, 1.0)
        assert dead is not None and dead.multipart_id is not None
        pair.artifacts.multipart.freeze(dead.key, dead.multipart_id)
        while_dying = httpx.put(f"{session['upload_url']}?part=1", content=b"x")
        assert (while_dying.status_code, while_dying.json()["code"]) == (409, "UPLOAD_SEALED")

        answer = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})

        assert (answer.status_code, answer.json()["replayed"]) == (200, False)
        assert pair.video(job_id).checksum_sha256 == SHA256


def test_given_an_upload_when_its_process_is_killed_and_started_again_then_it_goes_on_where_it_was(pair: Pair) -> None:
    api = pair.apis[0]
    with api.client() as ann:
        job_id = new_job(ann)
        session = begun(ann, job_id, checksum_sha256=SHA256)
        parts = parts_of(RECORDING)
        for number in (4, 2):
            httpx.put(f"{session['upload_url']}?part={number}", content=parts[number])
        api.stop(signal.SIGKILL)
        api.start()
        api.wait()
        again = begun(ann, job_id, checksum_sha256=SHA256)
        assert (again["upload_id"], again["part_size"]) == (session["upload_id"], session["part_size"])
        assert httpx.get(again["upload_url"]).json()["received_parts"] == [2, 4]
        for number in (1, 3):
            httpx.put(f"{session['upload_url']}?part={number}", content=parts[number])
        answer = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
        assert answer.status_code == 200, answer.text
    assert pair.video(job_id).checksum_sha256 == SHA256
