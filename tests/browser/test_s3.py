"""The pages where recordings lie in a bucket: browsers send and get them there, past the API."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pydantic import SecretStr

from domain.artifacts import ArtifactKind
from tests.apis import running_api, wait_ready
from tests.browser.conftest import Site, site_settings
from tests.objectstores import S3Server
from tests.stack import running_stack
from tests.temporal import TemporalServer

LEAST_PART = 5 << 20


@pytest.fixture
def bucket_site(chromium: Browser, temporal: TemporalServer, s3_server: S3Server, tmp_path: Path) -> Iterator[Site]:
    """The pages on a bucket, without a worker."""
    with running_stack(tmp_path, temporal) as stack, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        options = s3_server.options
        settings = site_settings(stack).model_copy(
            update={
                "artifacts_url": s3_server.url("pages"),
                "s3_endpoint": options.endpoint,
                "s3_region": options.region,
                "s3_access_key_id": options.access_key_id,
                "s3_secret_access_key": SecretStr(options.secret_access_key or ""),
            }
        )
        with running_api(settings) as api:
            wait_ready(api)
            made = Site(stack, api, chromium, files=options.endpoint or "")
            yield made
            assert not made.complaints


def send(page: Page, name: str, recording: bytes) -> str:
    page.goto("/new")
    file = {"name": name, "mimeType": "video/mp4", "buffer": recording}
    page.get_by_label("Recording", exact=True).set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Send and start").click()
    page.wait_for_url(re.compile("/jobs/[0-9a-f-]{36}$"))
    return page.url.rpartition("/")[2]


def test_given_a_bucket_when_a_recording_is_sent_and_looked_at_then_its_bytes_go_past_the_api(
    bucket_site: Site, who: str, sample: Path
) -> None:
    large = os.urandom(2 * LEAST_PART + 99)
    with bucket_site.visitor(who) as context:
        page = context.new_page()
        past: list[str] = []
        page.on("request", lambda asked: past.append(asked.method) if asked.url.startswith(bucket_site.files) else None)
        job = send(page, "large.mp4", large)
        assert past.count("PUT") == 3
        blob = bucket_site.api.store.latest_artifact(job, ArtifactKind.VIDEO)
        assert blob is not None
        assert blob.blob.size_bytes == len(large)

        job = send(page, "sample.mp4", sample.read_bytes())
        answer = page.request.get(f"/jobs/{job}/recording")
        assert answer.body() == sample.read_bytes()
        assert answer.url.startswith(bucket_site.files)
        expect(page.locator("[data-status]")).to_be_visible()
