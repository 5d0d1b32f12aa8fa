"""Recordings arriving: whole, in parts, again, too large, wrong, and confirmed once."""

import hashlib
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from fastapi import Request

from activities.artifacts import ArtifactStore
from domain.artifacts import ArtifactKind
from starter.api.signed_urls import SignedUrls
from starter.api.uploads import receiving
from starter.api.uploads.receiving import GATHERED_BYTES, Receiving
from tests.apis import PART_SIZE, SECRET, RunningApi, api_settings, running_api
from tests.stack import wait_until
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
    assert len(api.store.artifacts(job_id)) == 1


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


@pytest.mark.parametrize("part", ["0", "-1", "10001", "1.5", "x", ""])
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


def test_given_a_client_that_hangs_up_midway_when_looked_at_then_nothing_has_arrived(
    api: RunningApi, ann: httpx.Client
) -> None:
    session = begun(ann, new_job(ann))
    before = unfinished(api)

    def broken() -> Iterator[bytes]:
        yield b"x" * 200_000
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        httpx.put(session["upload_url"], content=broken(), headers={"Content-Length": "400000"})
    assert httpx.get(session["upload_url"]).json()["received_bytes"] == 0
    wait_until(lambda: unfinished(api) == before, 60, "what broke off is dropped")


# --- which bytes count ------------------------------------------------------------------------------------------


def test_given_parts_after_the_whole_or_the_whole_after_parts_when_confirmed_then_the_last_way_counts(
    api: RunningApi, ann: httpx.Client
) -> None:
    before = unfinished(api)
    for last, data in (("whole", b"whole"), ("part", b"part")):
        job_id = new_job(ann)
        session = begun(ann, job_id)
        ways = {"whole": session["upload_url"], "part": f"{session['upload_url']}?part=1"}
        for way in sorted(ways, key=lambda name, last=last: name == last):  # type: ignore[misc]
            assert httpx.put(ways[way], content=way.encode()).status_code == 200
        assert httpx.get(session["upload_url"]).json() == {
            "received_parts": [1] if last == "part" else [],
            "received_bytes": len(data),
        }
        assert ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}).status_code == 200
        assert video_of(api, job_id) == data
        assert unfinished(api) == before


def test_given_a_checksum_that_was_mistyped_when_confirmed_rightly_then_nothing_has_to_be_sent_again(
    api: RunningApi, ann: httpx.Client
) -> None:
    for in_parts in (False, True):
        job_id = new_job(ann)
        session = begun(ann, job_id)
        url = session["upload_url"]
        for number, data in parts_of(RECORDING).items() if in_parts else [(0, RECORDING)]:
            assert httpx.put(f"{url}?part={number}" if in_parts else url, content=data).status_code == 200
        wrong = {"video_uri": session["video_uri"], "checksum_sha256": "0" * 64}
        assert ann.post(f"jobs/{job_id}/confirm-upload", json=wrong).status_code == 400
        assert httpx.get(url).json()["received_bytes"] == len(RECORDING)
        right = {"video_uri": session["video_uri"], "checksum_sha256": SHA256}
        assert ann.post(f"jobs/{job_id}/confirm-upload", json=right).status_code == 200
        assert video_of(api, job_id) == RECORDING


def test_given_a_huge_declared_size_when_begun_then_ten_thousand_parts_hold_it(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with (
        running_api(api_settings(tmp_path, upload_cap_bytes=5 << 40, max_stored_bytes_per_user=0)) as api,
        api.client() as client,
    ):
        session = begun(client, new_job(client), size_bytes=5 << 40)
        assert int(session["part_size"]) * 10_000 >= 5 << 40
        small = begun(client, new_job(client), size_bytes=10)
        assert int(small["part_size"]) == PART_SIZE


# --- addresses of parts -----------------------------------------------------------------------------------------


def test_given_a_folder_when_addresses_of_parts_are_asked_for_then_they_are_the_apis_own_and_take_them(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id, checksum_sha256=SHA256)
    parts = parts_of(RECORDING)
    asked = httpx.post(session["parts_url"], json={"numbers": [*parts, 2, 1]})
    assert asked.status_code == 200, asked.text
    assert [each["part"] for each in asked.json()["parts"]] == sorted(parts)
    for each in asked.json()["parts"]:
        assert each["url"] == f"{session['upload_url']}?part={each['part']}"
        assert httpx.put(each["url"], content=parts[each["part"]], headers=each["headers"]).status_code == 200
    assert ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}).status_code == 200
    assert video_of(api, job_id) == RECORDING


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{}",
        b"[1]",
        b'{"numbers": []}',
        b'{"numbers": [0]}',
        b'{"numbers": [10001]}',
        b'{"numbers": ["1"]}',
    ],
)
def test_given_numbers_that_are_none_when_addresses_are_asked_for_then_400(ann: httpx.Client, body: bytes) -> None:
    session = begun(ann, new_job(ann))
    answer = httpx.post(session["parts_url"], content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_a_body_that_is_too_large_or_no_json_when_addresses_are_asked_for_then_413_and_415(
    ann: httpx.Client,
) -> None:
    session = begun(ann, new_job(ann))
    headers = {"Content-Type": "application/json"}
    assert httpx.post(session["parts_url"], content=b" " * (2 << 20), headers=headers).status_code == 413
    assert httpx.post(session["parts_url"], content=b"numbers=1").status_code == 415
    assert httpx.post(session["parts_url"] + "x", json={"numbers": [1]}).status_code == 404


# --- what an upload meets ---------------------------------------------------------------------------------------


def test_given_an_upload_that_is_being_confirmed_when_more_is_sent_then_409_until_that_is_over(
    api: RunningApi, ann: httpx.Client
) -> None:
    session = begun(ann, new_job(ann))
    httpx.put(f"{session['upload_url']}?part=1", content=b"abc")
    sealed = api.store.lease_upload(session["upload_id"], "somebody", 600)
    assert sealed is not None
    refused = [
        httpx.put(session["upload_url"], content=b"x"),
        httpx.put(f"{session['upload_url']}?part=2", content=b"x"),
        httpx.post(session["parts_url"], json={"numbers": [1]}),
    ]
    assert {(each.status_code, each.json()["code"]) for each in refused} == {(409, "UPLOAD_SEALED")}
    assert httpx.get(session["upload_url"]).json() == {"received_parts": [1], "received_bytes": 3}
    assert api.store.release_lease(session["upload_id"], "somebody", multipart_id=sealed.multipart_id)
    assert httpx.put(f"{session['upload_url']}?part=2", content=b"x").status_code == 200


def test_given_a_cancelled_job_when_anything_is_sent_then_409_and_nothing_of_it_stays(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    before = unfinished(api)
    assert ann.post(f"jobs/{job_id}/cancel").status_code == 200
    refused = [
        httpx.put(session["upload_url"], content=b"x"),
        httpx.put(f"{session['upload_url']}?part=2", content=b"x"),
        httpx.post(session["parts_url"], json={"numbers": [1]}),
        ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}),
        ann.post(f"jobs/{job_id}/upload", json={"filename": "a.mp4"}),
    ]
    assert {(each.status_code, each.json()["code"]) for each in refused} == {(409, "FSM_TERMINAL_IMMUTABLE")}
    assert unfinished(api) == before


def test_given_an_address_whose_time_is_over_when_used_then_410_and_a_new_one_finds_what_had_arrived(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    httpx.put(f"{session['upload_url']}?part=1", content=b"abc")
    expired = SignedUrls(SECRET, clock=lambda: 0.0).sign("upload", session["upload_id"], 1.0)
    url = f"{api.url}/api/v1/uploads/{expired}"
    for answer in (
        httpx.get(url),
        httpx.put(url, content=b"x"),
        httpx.post(f"{url}/parts", json={"numbers": [1]}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (410, "UPLOAD_EXPIRED")
    again = begun(ann, job_id)
    assert again["upload_id"] == session["upload_id"]
    assert httpx.get(again["upload_url"]).json()["received_parts"] == [1]


@pytest.mark.parametrize(
    "kind", ["video/mp4", "text/plain", "application/json", "multipart/form-data; boundary=x", "", "n\u00f6"]
)
def test_given_any_type_of_body_when_sent_then_its_bytes_are_the_recording(
    api: RunningApi, ann: httpx.Client, kind: str
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    headers = {b"Content-Type": kind.encode("latin-1")}
    assert httpx.put(session["upload_url"], content=b"--x {", headers=headers).status_code == 200
    assert ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}).status_code == 200
    assert video_of(api, job_id) == b"--x {"


def test_given_a_part_that_breaks_off_when_looked_at_then_the_one_before_it_stays_and_nothing_else(
    api: RunningApi, ann: httpx.Client
) -> None:
    session = begun(ann, new_job(ann))
    url = f"{session['upload_url']}?part=1"
    httpx.put(url, content=b"the first one")
    standing = unfinished(api)
    for head in (b"Content-Length: 400000", b"Transfer-Encoding: chunked"):
        said = b"x" * 200_000 if head.startswith(b"Content") else b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        hung_up(url, head, said)
    wait_until(lambda: unfinished(api) == standing, 60, "what broke off is dropped")
    assert httpx.get(session["upload_url"]).json() == {"received_parts": [1], "received_bytes": 13}


def test_given_a_client_that_stalls_when_it_is_given_up_then_400_and_nothing_of_it_stays(
    api: RunningApi, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = begun(ann, new_job(ann))
    monkeypatch.setattr(receiving, "STALLED_AFTER_S", 0.2)
    before = unfinished(api)
    answer = said_raw(session["upload_url"], b"Content-Length: 400000", b"x" * 2000)
    assert answer.startswith(b"HTTP/1.1 400")
    assert unfinished(api) == before


def test_given_more_bytes_than_were_announced_when_sent_then_the_announced_ones_count(
    api: RunningApi, ann: httpx.Client
) -> None:
    session = begun(ann, new_job(ann))
    answer = said_raw(session["upload_url"], b"Content-Length: 4", b"abcdefgh")
    assert answer.startswith(b"HTTP/1.1 200")
    assert httpx.get(session["upload_url"]).json()["received_bytes"] == 4


@pytest.mark.parametrize("head", [b"Content-Length: -5", b"Content-Length: 1, 2", b"Content-Length: x"])
def test_given_a_length_that_is_none_when_sent_then_400(ann: httpx.Client, head: bytes) -> None:
    session = begun(ann, new_job(ann))
    assert said_raw(session["upload_url"], head, b"abc").startswith(b"HTTP/1.1 400")
    assert httpx.get(session["upload_url"]).json()["received_bytes"] == 0


# --- memory -----------------------------------------------------------------------------------------------------


class Counted:
    """A sink that keeps nothing, and knows how far whoever fills it is ahead."""

    def __init__(self, produced: Callable[[], int]) -> None:
        self._produced = produced
        self.taken = self.most_ahead = 0

    def write(self, data: bytes) -> None:
        self.most_ahead = max(self.most_ahead, self._produced() - self.taken)
        self.taken += len(data)

    def commit(self) -> None:
        """Nothing to keep."""

    def abandon(self) -> None:
        """Nothing to drop."""


@pytest.mark.parametrize("part", [None, 1])
def test_given_a_recording_of_a_gigabyte_when_taken_then_a_few_megabytes_of_it_are_held(
    api: RunningApi, ann: httpx.Client, part: int | None
) -> None:
    session = api.store.get_upload(begun(ann, new_job(ann))["upload_id"])
    chunk, total, produced = bytes(1 << 16), 1 << 30, 0

    async def receive() -> dict[str, Any]:
        nonlocal produced
        produced += len(chunk)
        return {"type": "http.request", "body": chunk, "more_body": produced < total}

    sink = Counted(lambda: produced)
    artifacts = ArtifactStore.open(api.settings.artifacts)
    artifacts.multipart.part = artifacts.multipart.whole = lambda *_: sink  # type: ignore[method-assign, assignment]
    taking = Receiving(api.store, artifacts, total, session)
    anyio.run(taking.take, Request({"type": "http", "method": "PUT", "headers": []}, receive), part)
    assert sink.taken == total
    assert sink.most_ahead <= 2 * GATHERED_BYTES


def video_of(api: RunningApi, job_id: str) -> bytes:
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    assert video is not None
    return api.artifacts.read_bytes(video.blob)


def unfinished(api: RunningApi) -> set[str]:
    """Files of uploads that are not objects yet."""
    folder = api.settings.data_dir / "artifacts" / ".uploads"
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def said_raw(url: str, head: bytes, body: bytes) -> bytes:
    """What is answered to a request written by hand."""
    with connected(url) as sock:
        sock.sendall(request_head(url, head) + body)
        return sock.recv(65536)


def hung_up(url: str, head: bytes, body: bytes) -> None:
    """Send that much, and hang up."""
    with connected(url) as sock:
        sock.sendall(request_head(url, head) + body)


def connected(url: str) -> socket.socket:
    parts = httpx.URL(url)
    return socket.create_connection((parts.host, parts.port or 80), timeout=60)


def request_head(url: str, head: bytes) -> bytes:
    target = httpx.URL(url).raw_path
    return b"PUT " + target + b" HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n"


# --- more than was declared -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "size"), [(5, 1), (4, 1235), (1, PART_SIZE + 1), (None, len(RECORDING) + 1)])
@pytest.mark.parametrize("told", [True, False], ids=["of a told length", "of no told length"])
def test_given_a_declared_size_when_more_than_that_is_sent_then_400_and_nothing_of_it_stays(
    ann: httpx.Client, part: int | None, size: int, told: bool
) -> None:
    session = begun(ann, new_job(ann), size_bytes=len(RECORDING))
    url = session["upload_url"] if part is None else f"{session['upload_url']}?part={part}"
    body = b"x" * size
    refused = httpx.put(url, content=body if told else iter([body]))
    assert (refused.status_code, refused.json()["code"]) == (400, "UPLOAD_INVALID"), refused.text
    assert refused.json()["details"]["mismatch"] == ["size_bytes"]
    assert httpx.get(session["upload_url"]).json() == {"received_parts": [], "received_bytes": 0}


def test_given_another_size_when_begun_again_then_parts_beyond_it_are_taken_back_and_the_rest_stays(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    for number, data in {**parts_of(RECORDING), 9: b"stray"}.items():
        httpx.put(f"{session['upload_url']}?part={number}", content=data)
    again = begun(ann, job_id, size_bytes=len(RECORDING))
    assert httpx.get(again["upload_url"]).json() == {"received_parts": [1, 2, 3, 4], "received_bytes": len(RECORDING)}
    assert ann.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}).status_code == 200
    assert video_of(api, job_id) == RECORDING


def test_given_a_stray_part_when_it_is_sent_again_empty_then_the_rest_can_be_confirmed(
    api: RunningApi, ann: httpx.Client
) -> None:
    job_id = new_job(ann)
    session = begun(ann, job_id)
    for number, data in {**parts_of(RECORDING), 5: b"stray"}.items():
        httpx.put(f"{session['upload_url']}?part={number}", content=data)
    said = {"video_uri": session["video_uri"], "size_bytes": len(RECORDING)}
    refused = ann.post(f"jobs/{job_id}/confirm-upload", json=said)
    assert (refused.status_code, refused.json()["details"]["stray_parts"]) == (400, [5])
    assert httpx.put(f"{session['upload_url']}?part=5", content=b"").json()["received_parts"] == [1, 2, 3, 4]
    assert ann.post(f"jobs/{job_id}/confirm-upload", json=said).status_code == 200
    assert video_of(api, job_id) == RECORDING
