"""The API on a real S3 server: recordings go into the bucket through it or past it, exports are fetched from there."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.artifacts import ArtifactKind
from domain.documents.publication import ExportFormat
from starter.access.tokens import Tokens
from starter.cli.client import Client
from starter.cli.connection import Connection
from starter.local.folder import DataFolder
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.analysis_builders import confirmed_analysis
from tests.integration.pictures import screen
from tests.integration.store_builders import Run, drafted_job, instruction_of
from tests.integration.test_api_uploads import begun, new_job
from tests.objectstores import S3Server
from tests.stack import wait_until
from tests.temporal import TemporalServer, free_port

S3_LEAST = 5 << 20
RECORDING = os.urandom(2 * S3_LEAST + 99)
SHA256 = hashlib.sha256(RECORDING).hexdigest()
CAP = 16 << 20


def parts_of(data: bytes, size: int = S3_LEAST) -> dict[int, bytes]:
    return {number: data[at : at + size] for number, at in enumerate(range(0, len(data), size), start=1)}


@pytest.fixture(scope="module")
def s3_api(
    s3_server: S3Server, temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningApi]:
    options = s3_server.options
    settings = api_settings(
        tmp_path_factory.mktemp("api-s3"),
        artifacts_url=s3_server.url("api"),
        s3_endpoint=options.endpoint,
        s3_region=options.region,
        s3_access_key_id=options.access_key_id,
        s3_secret_access_key=options.secret_access_key,
        upload_cap_bytes=CAP,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as running:
            wait_ready(running)
            yield running


def confirm(client: httpx.Client, job_id: str, session: dict[str, str], **declared: object) -> httpx.Response:
    return client.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"], **declared})


def addresses(session: dict[str, str], numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
    answer = httpx.post(session["parts_url"], json={"numbers": list(numbers)})
    assert answer.status_code == 200, answer.text
    return {each["part"]: each for each in answer.json()["parts"]}


def sent_past(session: dict[str, str], data: bytes) -> None:
    """Send the parts straight to the object store."""
    parts = parts_of(data)
    for number, each in addresses(session, parts).items():
        assert httpx.put(each["url"], content=parts[number], headers=each["headers"]).status_code == 200


def unfinished(api: RunningApi) -> int:
    """How many multipart uploads S3 keeps that nobody joined. Looks, and leaves them there."""
    seen: list[str] = []

    def spare(upload_id: str) -> bool:
        seen.append(upload_id)
        return True

    api.artifacts.sweep_abandoned(-3600, spare)
    return len(seen)


def stored(api: RunningApi, job_id: str) -> bytes:
    video = api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    assert video is not None
    return api.artifacts.read_bytes(video.blob)


@pytest.mark.parametrize("way", ["whole", "parts", "past", "mixed"])
def test_given_s3_when_a_recording_is_sent_any_way_then_it_is_in_the_bucket_and_nothing_else_is(
    s3_api: RunningApi, way: str
) -> None:
    parts = parts_of(RECORDING)
    before = unfinished(s3_api)
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id, checksum_sha256=SHA256)
        assert int(session["part_size"]) == S3_LEAST
        if way == "whole":
            assert httpx.put(session["upload_url"], content=RECORDING).status_code == 200
        if way in ("parts", "mixed"):
            for number in (3, 1) if way == "mixed" else parts:
                assert httpx.put(f"{session['upload_url']}?part={number}", content=parts[number]).status_code == 200
        if way == "past":
            sent_past(session, RECORDING)
        if way == "mixed":
            address = addresses(session, [2])[2]
            assert httpx.put(address["url"], content=parts[2], headers=address["headers"]).status_code == 200
        assert httpx.get(session["upload_url"]).json() == {
            "received_parts": [] if way == "whole" else [1, 2, 3],
            "received_bytes": len(RECORDING),
        }
        confirmed = confirm(client, job_id, session)
        assert confirmed.status_code == 200, confirmed.text
        assert confirm(client, job_id, session).json()["replayed"] is True
    assert stored(s3_api, job_id) == RECORDING
    assert [each.key for each in s3_api.artifacts.list(f"jobs/{job_id}")] == [
        s3_api.artifacts.key_of(session["video_uri"])
    ]
    assert unfinished(s3_api) == before


def test_given_s3_when_addresses_are_asked_for_then_each_is_the_stores_own_and_for_its_part_alone(
    s3_api: RunningApi, s3_server: S3Server
) -> None:
    with s3_api.client() as client:
        session = begun(client, new_job(client), size_bytes=len(RECORDING))
    last = addresses(session, [3])[3]
    assert last["url"].startswith(s3_server.endpoint)
    assert last["headers"] == {"Content-Length": "99"}
    assert last["expires_at"] == session["expires_at"]
    assert httpx.put(last["url"], content=b"x" * 100).status_code == 403
    assert httpx.get(session["upload_url"]).json()["received_bytes"] == 0
    beyond = httpx.post(session["parts_url"], json={"numbers": [4]})
    assert (beyond.status_code, beyond.json()["code"]) == (400, "UPLOAD_INVALID")


def test_given_a_wrong_part_in_s3_when_confirmed_then_refused_and_that_part_alone_is_sent_again(
    s3_api: RunningApi,
) -> None:
    wrong = RECORDING[:S3_LEAST] + bytes(S3_LEAST) + RECORDING[2 * S3_LEAST :]
    right = parts_of(RECORDING)[2]
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id, checksum_sha256=SHA256)
        sent_past(session, wrong)
        refused = confirm(client, job_id, session)
        assert (refused.status_code, refused.json()["code"]) == (400, "UPLOAD_INVALID")
        assert refused.json()["details"]["mismatch"] == ["checksum_sha256"]
        assert httpx.get(session["upload_url"]).json()["received_parts"] == [1, 2, 3]
        while (answer := confirm(client, job_id, session)).status_code == 400:
            # SeaweedFS cannot tell apart what came within one second
            assert httpx.put(f"{session['upload_url']}?part=2", content=right).status_code == 200
        assert answer.status_code == 200, answer.text
    assert stored(s3_api, job_id) == RECORDING


def test_given_parts_past_the_cap_when_confirmed_then_413_and_they_are_dropped(s3_api: RunningApi) -> None:
    before = unfinished(s3_api)
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id)
        sent_past(session, bytes(CAP + 1))
        refused = confirm(client, job_id, session)
        assert (refused.status_code, refused.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")
        assert httpx.get(session["upload_url"]).json() == {"received_parts": [], "received_bytes": 0}
        assert client.get(f"jobs/{job_id}").json()["status"] == "UPLOADING"
    assert unfinished(s3_api) == before


def test_given_parts_too_small_for_s3_when_confirmed_then_refused_and_told_so(s3_api: RunningApi) -> None:
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id)
        for number in (1, 2):
            httpx.put(f"{session['upload_url']}?part={number}", content=b"small")
        refused = confirm(client, job_id, session)
        assert (refused.status_code, refused.json()["code"]) == (400, "UPLOAD_INVALID")
        assert refused.json()["details"] == {"mismatch": ["small_parts"], "small_parts": [1], "least_bytes": S3_LEAST}


def test_given_a_confirmed_recording_when_an_old_address_is_used_then_it_takes_nothing(s3_api: RunningApi) -> None:
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id)
        sent_past(session, RECORDING)
        old = addresses(session, [1])[1]
        assert confirm(client, job_id, session).status_code == 200
    assert httpx.put(old["url"], content=b"x", headers=old["headers"]).status_code == 404
    assert stored(s3_api, job_id) == RECORDING


def test_given_a_process_that_died_after_joining_when_confirmed_again_then_the_joined_recording_is_taken(
    s3_api: RunningApi,
) -> None:
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id, checksum_sha256=SHA256)
        sent_past(session, RECORDING)
        held = s3_api.store.get_upload(session["upload_id"])
        assert held.multipart_id is not None
        multipart = s3_api.artifacts.multipart
        multipart.join(held.key, held.multipart_id, multipart.arrived(held.key, held.multipart_id), lambda _: None)

        assert httpx.get(session["upload_url"]).json()["received_bytes"] == len(RECORDING)
        late = httpx.put(f"{session['upload_url']}?part=1", content=b"late")
        assert (late.status_code, late.json()["code"]) == (409, "UPLOAD_SEALED")
        confirmed = confirm(client, job_id, session)
        assert (confirmed.status_code, confirmed.json()["replayed"]) == (200, False)
    assert stored(s3_api, job_id) == RECORDING


def test_given_an_upload_that_s3_dropped_by_itself_when_a_part_comes_then_503_and_it_begins_anew(
    s3_api: RunningApi,
) -> None:
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id, checksum_sha256=SHA256)
        parts = parts_of(RECORDING)
        httpx.put(f"{session['upload_url']}?part=1", content=parts[1])
        held = s3_api.store.get_upload(session["upload_id"])
        assert held.multipart_id is not None
        s3_api.artifacts.multipart.abort(held.key, held.multipart_id)

        lost = httpx.put(f"{session['upload_url']}?part=2", content=parts[2])
        assert (lost.status_code, lost.json()["code"]) == (503, "ARTIFACT_STORE_UNAVAILABLE")
        assert httpx.get(session["upload_url"]).json()["received_parts"] == []
        for number, part in parts.items():
            assert httpx.put(f"{session['upload_url']}?part={number}", content=part).status_code == 200
        assert confirm(client, job_id, session).status_code == 200


def test_given_s3_when_an_export_is_done_then_its_address_is_the_stores_own_and_opens_without_a_token(
    s3_api: RunningApi, s3_server: S3Server
) -> None:
    job, _ = drafted_job(s3_api.store, "ann")
    version = s3_api.store.get_instruction("ann", instruction_of(job))
    export, _ = s3_api.store.request_export("ann", job.id, ExportFormat.PDF, version.id)
    s3_api.store.begin_export(export.id)
    blob = s3_api.artifacts.put_bytes(f"exports/{export.id}.pdf", b"%PDF-1.7", "application/pdf")
    s3_api.store.finish_export(export.id, blob, "Guide.pdf", {})
    with s3_api.client() as client:
        url = client.get(f"exports/{export.id}").json()["download_url"]
    assert url.startswith(s3_server.endpoint)
    file = httpx.get(url)
    assert file.content == b"%PDF-1.7"
    assert "Guide.pdf" in file.headers["Content-Disposition"]


@pytest.mark.parametrize("left", [None, b"%PDF-1."], ids=["gone", "cut"])
def test_given_an_export_whose_file_is_lost_in_s3_when_looked_at_then_it_has_failed_and_no_address_is_given(
    s3_api: RunningApi, left: bytes | None
) -> None:
    job, _ = drafted_job(s3_api.store, "ann")
    version = s3_api.store.get_instruction("ann", instruction_of(job))
    export, _ = s3_api.store.request_export("ann", job.id, ExportFormat.PDF, version.id)
    blob = s3_api.artifacts.put_bytes(f"exports/{export.id}.pdf", b"%PDF-1.7", "application/pdf")
    s3_api.store.finish_export(export.id, blob, "Guide.pdf", {})
    s3_api.artifacts.delete(blob.key)
    if left is not None:
        s3_api.artifacts.put_bytes(blob.key, left, blob.media_type)
    with s3_api.client() as client:
        found = client.get(f"exports/{export.id}").json()
    assert (found["status"], found["download_url"]) == ("FAILED", None)
    assert found["failure"]["failure_code"] == "ARTIFACT_MISSING"


def test_given_parts_in_s3_when_many_confirm_at_once_then_one_has_an_effect(s3_api: RunningApi) -> None:
    with s3_api.client() as client, ThreadPoolExecutor(8) as pool:
        job_id = new_job(client)
        session = begun(client, job_id, checksum_sha256=SHA256)
        sent_past(session, RECORDING)
        answers = list(pool.map(lambda _: confirm(client, job_id, session), range(8)))
    assert [answer.status_code for answer in answers] == [200] * 8, [answer.text for answer in answers]
    assert [answer.json()["replayed"] for answer in answers].count(False) == 1
    assert [event.new_status for event in s3_api.store.events(job_id)] == ["CREATED", "UPLOADING", "UPLOADED"]
    assert stored(s3_api, job_id) == RECORDING


# --- the command line -----------------------------------------------------------------------------------------------


class PastTheApi(Client):
    """A client that has not a byte for the API."""

    def put(self, url: str, body: Callable[[], Iterator[bytes]], length: int) -> None:
        raise AssertionError("the object store could have taken it")


def sent_by_command_line(api: RunningApi, recording: Path, kind: type[Client]) -> str:
    """The job, after its recording was sent and confirmed."""
    recording.write_bytes(RECORDING)
    shown: list[int] = []
    with kind(Connection(api.url, Tokens(SECRET).issue("cli"), DataFolder(recording.parent))) as client:
        project = client.post("projects", {"name": "p"})["id"]
        job_id = str(client.post(f"projects/{project}/jobs")["id"])
        declared = {"size_bytes": len(RECORDING), "checksum_sha256": SHA256}
        session = client.post(f"jobs/{job_id}/upload", {"filename": "clip.mp4", **declared})
        client.upload(recording, session, shown.append)
        assert (shown, shown[-1]) == (sorted(shown), len(RECORDING))
        assert client.confirm_upload(job_id, {"video_uri": session["video_uri"]})["job"]["status"] == "UPLOADED"
    return job_id


def test_given_s3_when_the_command_line_sends_a_recording_then_it_goes_past_the_api(
    s3_api: RunningApi, tmp_path: Path
) -> None:
    assert stored(s3_api, sent_by_command_line(s3_api, tmp_path / "clip.mp4", PastTheApi)) == RECORDING


def test_given_s3_that_clients_cannot_reach_when_the_command_line_sends_a_recording_then_the_api_takes_it(
    s3_api: RunningApi, tmp_path: Path
) -> None:
    unreachable = f"http://127.0.0.1:{free_port()}"
    settings = s3_api.settings.model_copy(update={"api_port": free_port(), "s3_public_endpoint": unreachable})
    with running_api(settings) as api:
        assert stored(api, sent_by_command_line(api, tmp_path / "clip.mp4", Client)) == RECORDING


def test_given_a_picture_of_ones_own_when_confirmed_then_it_is_fetched_from_the_bucket_as_what_it_is(
    s3_api: RunningApi,
) -> None:
    picture = screen()
    claim = {
        "mime_type": "image/png",
        "size_bytes": len(picture),
        "checksum_sha256": hashlib.sha256(picture).hexdigest(),
    }
    with s3_api.client() as client:
        uploads = f"jobs/{new_job(client)}/screenshots/uploads"
        ticket = client.post(uploads, json={"filename": "mine.png", **claim}).json()
        assert httpx.put(ticket["upload_url"], content=picture).status_code == 200
        confirmed = client.post(f"{uploads}/{ticket['upload_id']}/confirm", json={**claim, "width": 320, "height": 200})
        assert confirmed.status_code == 200, confirmed.text
    address = confirmed.json()["asset"]["image_uri"]
    assert address.startswith(str(s3_api.settings.s3_endpoint))
    fetched = httpx.get(address)
    assert (fetched.status_code, fetched.content) == (200, picture)
    assert (fetched.headers["Content-Type"], fetched.headers["Content-Disposition"]) == ("image/png", "inline")
    assert httpx.get(address.replace("X-Amz-Signature=", "X-Amz-Signature=0")).status_code == 403


def test_given_stray_parts_in_s3_when_taken_back_or_another_size_is_declared_then_the_rest_is_the_recording(
    s3_api: RunningApi,
) -> None:
    with s3_api.client() as client:
        for declared in ({}, {"size_bytes": len(RECORDING)}):
            job_id = new_job(client)
            session = begun(client, job_id)
            sent_past(session, RECORDING)
            stray = addresses(session, [7])[7]
            assert httpx.put(stray["url"], content=b"stray", headers=stray["headers"]).status_code == 200

            def taken_back(declared: Any = declared, session: Any = session, job_id: str = job_id) -> bool:
                """Asked again: of two parts of one number within a second, this server may keep the first."""
                if declared:
                    begun(client, job_id, **declared)
                else:
                    assert httpx.put(f"{session['upload_url']}?part=7", content=b"").status_code == 200
                return bool(httpx.get(session["upload_url"]).json()["received_parts"] == [1, 2, 3])

            wait_until(taken_back, 60, "the stray part to be gone")
            confirmed = confirm(client, job_id, session, checksum_sha256=SHA256)
            assert confirmed.status_code == 200, confirmed.text


def test_given_s3_when_inputs_of_an_analysis_are_sent_past_the_api_then_they_are_taken_and_results_come_from_the_bucket(
    s3_api: RunningApi,
) -> None:
    before = unfinished(s3_api)
    file = {"filename": "large.csv", "checksum_sha256": SHA256, "size_bytes": len(RECORDING)}
    with s3_api.client() as client:
        asked = client.post("analyses", json={"requirement": "over S3", "inputs": {"files": [file]}}).json()
        sent_past(asked["inputs"]["files"][0], RECORDING)
        taken = client.put(f"analyses/{asked['id']}/inputs", json={"files": [file]}).json()
        assert (taken["inputs"]["complete"], taken["planning"]["status"]) == (True, "PENDING")
        assert unfinished(s3_api) == before
        frozen = confirmed_analysis(s3_api.store, s3_api.artifacts, "ann", "results over S3")
        (plan,) = client.get(f"analyses/{frozen.job.id}/artifacts").json()["items"]
    answer = httpx.get(plan["url"])
    assert answer.json()["plan_id"] == frozen.plan_id
    assert 'filename="plan.json"' in answer.headers["content-disposition"]


def test_given_s3_when_a_link_shows_a_recording_then_it_is_sent_from_here_and_ends_when_the_link_is_revoked(
    s3_api: RunningApi,
) -> None:
    store = s3_api.store
    job = store.create_job("ann", store.create_project("ann", "Shown").id)
    video = s3_api.artifacts.put_bytes(f"jobs/{job.id}/upload/recording.mp4", RECORDING, "video/mp4")
    store.confirm_upload("ann", job.id, video, "demo.mp4")
    Run(store, job.id).dispatched().extract_audio().transcribe().write_draft()
    with s3_api.client("ann") as client:
        shares = f"instructions/{instruction_of(store.get_job(job.id))}/shares"
        share = client.post(shares, json={"recording": True}).json()
        address = share["url"] + "/recording"
        assert httpx.get(address).content == RECORDING, "it leads nowhere else"
        part = httpx.get(address, headers={"Range": "bytes=5-9"})
        assert (part.status_code, part.content) == (206, RECORDING[5:10])
        with pytest.raises(httpx.RemoteProtocolError), httpx.stream("GET", address) as watching:
            pieces = watching.iter_raw(1 << 10)
            next(pieces)
            assert client.delete(f"shares/{share['id']}").status_code == 204
            for _ in pieces:
                pass
    assert httpx.get(address).status_code == 404
