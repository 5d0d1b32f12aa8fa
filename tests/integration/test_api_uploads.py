"""Recordings arriving: whole, in parts, again, too large, wrong, and confirmed once."""

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from domain.artifacts import ArtifactKind
from starter.api.receiving import Receiving
from starter.settings import GiB
from tests.apis import PART_SIZE, RunningApi, api_settings, running_api
from tests.temporal import TemporalServer

RECORDING = os.urandom(3 * PART_SIZE + 1234)
SHA256 = hashlib.sha256(RECORDING).hexdigest()


def new_job(client: httpx.Client) -> str:
    project = client.post("projects", json={"name": "Manuals"}).json()["id"]
    answer = client.post(f"projects/{project}/jobs", json={})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def begun(client: httpx.Client, job_id: str, **declared: object) -> dict[str, str]:
    answer = client.post(f"jobs/{job_id}/upload", json={"filename": "My demo.mp4", **declared})
    assert answer.status_code == 200, answer.text
    session: dict[str, str] = answer.json()
    return session


def parts_of(data: bytes) -> dict[int, bytes]:
    return {n: data[at : at + PART_SIZE] for n, at in enumerate(range(0, len(data), PART_SIZE), start=1)}


def test_given_a_new_job_when_its_recording_is_sent_whole_then_it_is_uploaded(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    assert ann.get(f"jobs/{job_id}").json()["status"] == "CREATED"
    session = begun(ann, job_id, size_bytes=len(RECORDING), checksum_sha256=SHA256)
    assert ann.get(f"jobs/{job_id}").json()["status"] == "UPLOADING"

    sent = httpx.put(session["upload_url"], content=RECORDING)  # the address is its own permission
    assert sent.status_code == 200, sent.text
    assert sent.json() == {"received_parts": [], "received_bytes": len(RECORDING)}

    confirmed = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
    assert confirmed.status_code == 200, confirmed.text
    assert confirmed.json()["replayed"] is False
    job = confirmed.json()["job"]
    assert (job["status"], job["source_name"]) == ("UPLOADED", "My demo.mp4")
    assert job["manifest"]["video_uri"] == session["video_uri"]
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    assert video is not None
    assert video.blob.checksum_sha256 == SHA256
    assert api.artifacts.verifies(video.blob)


def test_given_parts_in_any_order_and_one_twice_when_confirmed_then_they_are_joined(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id, checksum_sha256=SHA256)
    parts = parts_of(RECORDING)
    for number in (3, 1, 4, 3):
        assert httpx.put(f"{session['upload_url']}?part={number}", content=parts[number]).status_code == 200
    assert httpx.get(session["upload_url"]).json()["received_parts"] == [1, 3, 4]

    early = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
    assert (early.status_code, early.json()["code"]) == (400, "UPLOAD_INVALID")
    assert early.json()["details"]["missing_parts"] == [2]

    httpx.put(f"{session['upload_url']}?part=2", content=parts[2])
    confirmed = ann.post(
        f"jobs/{job_id}/confirm-upload",
        json={"video_uri": session["video_uri"], "size_bytes": len(RECORDING), "checksum_sha256": SHA256},
    )
    assert confirmed.status_code == 200, confirmed.text
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    assert video is not None
    assert video.blob.checksum_sha256 == SHA256
    assert api.artifacts.verifies(video.blob)
    left = [each.key for each in api.artifacts.list(f"jobs/{job_id}")]
    assert left == [video.blob.key]


def test_given_a_wrong_part_when_confirmed_then_refused_and_the_part_can_be_sent_again(ann: httpx.Client) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id, checksum_sha256=SHA256)
    for number, data in parts_of(RECORDING).items():
        httpx.put(f"{session['upload_url']}?part={number}", content=data if number != 2 else b"x" * len(data))
    body = {"video_uri": session["video_uri"]}
    refused = ann.post(f"jobs/{job_id}/confirm-upload", json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, "UPLOAD_INVALID")
    assert refused.json()["details"]["mismatch"] == ["checksum_sha256"]
    assert ann.get(f"jobs/{job_id}").json()["status"] == "UPLOADING"
    httpx.put(f"{session['upload_url']}?part=2", content=parts_of(RECORDING)[2])
    assert ann.post(f"jobs/{job_id}/confirm-upload", json=body).status_code == 200


@pytest.mark.parametrize("wrong", [{"size_bytes": 1}, {"checksum_sha256": "0" * 64}], ids=["size", "checksum"])
def test_given_another_size_or_checksum_when_confirmed_then_upload_invalid(
    ann: httpx.Client, wrong: dict[str, object]
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    httpx.put(session["upload_url"], content=b"abc")
    answer = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"], **wrong})
    assert (answer.status_code, answer.json()["code"]) == (400, "UPLOAD_INVALID")


def test_given_nothing_sent_or_somebody_elses_object_when_confirmed_then_upload_invalid(ann: httpx.Client) -> None:
    other = new_job(ann)
    others = begun(ann, other)
    httpx.put(others["upload_url"], content=b"abc")
    job_id = new_job(ann)
    uris = [others["video_uri"], "file:///etc/passwd", "artifact://../x", begun(ann, job_id)["video_uri"]]
    for uri in uris:
        answer = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": uri})
        assert (answer.status_code, answer.json()["code"]) == (400, "UPLOAD_INVALID"), uri


def test_given_a_confirmed_upload_when_confirmed_again_then_replayed_and_another_uri_conflicts(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    httpx.put(session["upload_url"], content=b"abc")
    ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
    written = api.store.last_event_seq(job_id)

    again = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
    assert (again.status_code, again.json()["replayed"]) == (200, True)
    assert api.store.last_event_seq(job_id) == written

    other = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": "artifact://jobs/other.mp4"})
    assert (other.status_code, other.json()["code"]) == (409, "VIDEO_URI_CONFLICT")
    assert other.json()["details"] == {
        "current_video_uri": session["video_uri"],
        "submitted_video_uri": "artifact://jobs/other.mp4",
    }


def test_given_a_confirmed_upload_when_more_bytes_come_then_409_and_the_recording_stays(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    httpx.put(session["upload_url"], content=b"abc")
    ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
    answer = httpx.put(session["upload_url"], content=b"xyz")
    assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TRANSITION_INVALID")
    assert answer.json()["details"]["current_status"] == "UPLOADED"
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    assert video is not None
    assert api.artifacts.read_bytes(video.blob) == b"abc"


def test_given_bodies_still_arriving_when_confirmed_then_what_is_recorded_is_what_lies_there(
    api: RunningApi, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    httpx.put(session["upload_url"], content=b"first")
    between = threading.Event()
    check = Receiving._require_uploading

    def check_slowly(receiving: Receiving) -> None:
        check(receiving)
        between.set()
        time.sleep(0.3)  # what a busy machine may put between the check and the object

    monkeypatch.setattr(Receiving, "_require_uploading", check_slowly)
    with ThreadPoolExecutor(8) as senders:
        sent = [senders.submit(httpx.put, session["upload_url"], content=bytes([n]) * 9) for n in range(4)]
        assert between.wait(10)
        time.sleep(0.35)
        asked = {"video_uri": session["video_uri"]}
        confirmed = [senders.submit(ann.post, f"jobs/{job_id}/confirm-upload", json=asked) for _ in range(3)]
        assert {each.result().status_code for each in sent} <= {200, 409}
        answers = [each.result() for each in confirmed]
    assert [answer.status_code for answer in answers] == [200] * 3, [answer.text for answer in answers]
    assert [answer.json()["replayed"] for answer in answers].count(False) == 1
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    assert video is not None
    api.artifacts.verify(video.blob)


def test_given_an_open_session_when_begun_again_then_the_same_session(ann: httpx.Client) -> None:
    job_id = new_job(ann)
    first, second = begun(ann, job_id), begun(ann, job_id)
    assert (first["upload_id"], first["video_uri"]) == (second["upload_id"], second["video_uri"])


def test_given_a_recording_beyond_the_cap_when_declared_or_sent_then_413_and_nothing_stays(
    api: RunningApi, ann: httpx.Client
) -> None:
    cap = api.settings.upload_cap_bytes
    job_id = new_job(ann)
    declared = ann.post(f"jobs/{job_id}/upload", json={"filename": "a.mp4", "size_bytes": cap + 1})
    assert (declared.status_code, declared.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")
    session = begun(ann, job_id)
    sent = httpx.put(session["upload_url"], content=(b"x" * 65536 for _ in range(cap // 65536 + 1)))
    assert (sent.status_code, sent.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert httpx.get(session["upload_url"]).json()["received_bytes"] == 0


def test_given_parts_that_together_exceed_the_cap_when_sent_then_413(api: RunningApi, ann: httpx.Client) -> None:
    cap = api.settings.upload_cap_bytes
    session = begun(ann, new_job(ann))
    assert httpx.put(f"{session['upload_url']}?part=1", content=b"x" * (cap - 10)).status_code == 200
    assert httpx.put(f"{session['upload_url']}?part=2", content=b"x" * 11).status_code == 413


@pytest.mark.parametrize("part", ["0", "10001", "x"])
def test_given_a_part_number_out_of_range_when_sent_then_400(ann: httpx.Client, part: str) -> None:
    session = begun(ann, new_job(ann))
    answer = httpx.put(f"{session['upload_url']}?part={part}", content=b"x")
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_an_address_that_was_tampered_with_when_used_then_404(api: RunningApi, ann: httpx.Client) -> None:
    session = begun(ann, new_job(ann))
    url = session["upload_url"]
    download = url.replace("/uploads/", "/downloads/")
    for bad in (url[:-2] + "zz", url + "x", download, f"{api.url}/api/v1/uploads/v1.e30.x"):
        answer = httpx.get(bad)
        assert (answer.status_code, answer.json()["code"]) == (404, "RESOURCE_NOT_FOUND"), bad


def test_given_zero_bytes_when_sent_and_confirmed_then_it_is_the_jobs_to_judge(ann: httpx.Client) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id, size_bytes=0)
    assert httpx.put(session["upload_url"], content=b"").status_code == 200
    assert ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}).status_code == 200


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("../../etc/passwd", "passwd"), ("C:\\clips\\a.mov", "a.mov"), ("a\u202eb\n.mp4", "ab.mp4"), ("..", "recording")],
)
def test_given_a_file_name_with_more_than_a_name_when_uploaded_then_only_the_name_is_kept(
    ann: httpx.Client, sent: str, kept: str
) -> None:
    job_id = new_job(ann)
    session = ann.post(f"jobs/{job_id}/upload", json={"filename": sent}).json()
    httpx.put(session["upload_url"], content=b"abc")
    confirmed = ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
    assert confirmed.json()["job"]["source_name"] == kept


def test_given_a_client_that_hangs_up_midway_when_looked_at_then_nothing_has_arrived(ann: httpx.Client) -> None:
    session = begun(ann, new_job(ann))

    def broken() -> Iterator[bytes]:
        yield b"x" * 200_000
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        httpx.put(session["upload_url"], content=broken(), headers={"Content-Length": "400000"})
    assert httpx.get(session["upload_url"]).json()["received_bytes"] == 0


def test_given_a_large_recording_when_sent_then_the_api_does_not_hold_it_in_memory(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_api(api_settings(tmp_path, upload_cap_bytes=1 * GiB)) as api, api.client() as client:
        session = begun(client, new_job(client))
        httpx.put(session["upload_url"], content=(b"x" * 65536 for _ in range(160)))  # warm
        before = psutil.Process().memory_info().rss
        piece = os.urandom(1 << 20)
        answer = httpx.put(session["upload_url"], content=(piece for _ in range(200)), timeout=60)
        assert answer.json()["received_bytes"] == 200 << 20
        assert psutil.Process().memory_info().rss - before < 100 << 20
