"""The API on a real S3 server: recordings stream through it into the bucket, exports are fetched from there."""

import hashlib
import os
from collections.abc import Iterator

import httpx
import pytest

from domain.artifacts import ArtifactKind
from domain.publication import ExportFormat
from tests.apis import PART_SIZE, RunningApi, api_settings, running_api, wait_ready
from tests.integration.store_builders import drafted_job, instruction_of
from tests.integration.test_api_uploads import begun, new_job, parts_of
from tests.objectstores import S3Server
from tests.temporal import TemporalServer

RECORDING = os.urandom(2 * PART_SIZE + 99)


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
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as running:
            wait_ready(running)
            yield running


@pytest.mark.parametrize("in_parts", [False, True], ids=["whole", "in parts"])
def test_given_s3_when_a_recording_is_sent_then_it_lies_in_the_bucket_whole(s3_api: RunningApi, in_parts: bool) -> None:
    with s3_api.client() as client:
        job_id = new_job(client)
        session = begun(client, job_id, checksum_sha256=hashlib.sha256(RECORDING).hexdigest())
        if in_parts:
            for number, data in parts_of(RECORDING).items():
                assert httpx.put(f"{session['upload_url']}?part={number}", content=data).status_code == 200
        else:
            assert httpx.put(session["upload_url"], content=RECORDING).status_code == 200
        confirmed = client.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]})
        assert confirmed.status_code == 200, confirmed.text
    video = s3_api.store.latest_artifact(job_id, ArtifactKind.VIDEO)
    assert video is not None
    assert s3_api.artifacts.read_bytes(video.blob) == RECORDING


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
