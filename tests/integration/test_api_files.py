"""Files by their signed addresses: their head alone, only if they are new, the rest of one, and after their time."""

import time
from collections.abc import Mapping

import httpx
import pytest

from domain.documents.publication import ExportFormat
from starter.api.signed_urls import SignedUrls
from tests.apis import SECRET, RunningApi
from tests.integration.pictures import Illustrated, illustrated_job

ABSENT = "01890000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def shot(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


def _download(api: RunningApi, ann: httpx.Client, shot: Illustrated) -> str:
    export, _ = api.store.request_export("ann", shot.job.id, ExportFormat.PDF, shot.instruction_version_id)
    blob = api.artifacts.put_bytes(f"exports/{export.id}", shot.data, "application/pdf")
    api.store.finish_export(export.id, blob, "Guide.pdf", {})
    return str(ann.get(f"exports/{export.id}").json()["download_url"])


def _picture(_: RunningApi, ann: httpx.Client, shot: Illustrated) -> str:
    anchors = ann.get(f"instructions/{shot.job.instruction_id}/anchors").json()["items"]
    return str(anchors[0]["assets"][0]["image_uri"])


@pytest.fixture(params=[_download, _picture], ids=["export", "picture"])
def url(request: pytest.FixtureRequest, api: RunningApi, ann: httpx.Client, shot: Illustrated) -> str:
    return str(request.param(api, ann, shot))


SAME = ("content-length", "content-type", "content-disposition", "etag", "accept-ranges", "cache-control")


def test_given_a_file_when_its_head_is_asked_for_then_all_that_get_says_but_its_bytes(
    url: str, shot: Illustrated
) -> None:
    whole = httpx.get(url)
    assert whole.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    for more in ({}, {"Range": "bytes=1-2"}):  # a range is of GET alone
        head = httpx.head(url, headers=more)
        assert (head.status_code, head.content) == (200, b"")
        assert [head.headers[name] for name in SAME] == [whole.headers[name] for name in SAME]
    assert httpx.head(url + "x").status_code == 404


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_given_the_file_is_there_already_when_asked_for_then_304_whatever_range(
    url: str, method: str, form: str
) -> None:
    etag = httpx.head(url).headers["etag"]
    headers = {"If-None-Match": form.format(etag), "Range": "bytes=0-1"}
    answer = httpx.request(method, url, headers=headers)
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)


@pytest.mark.parametrize(
    ("headers", "status", "part"),
    [
        ({"If-None-Match": '"other"', "Range": "bytes=4-7"}, 206, slice(4, 8)),
        ({"If-Range": "{etag}", "Range": "bytes=4-7"}, 206, slice(4, 8)),
        ({"If-Range": "W/{etag}", "Range": "bytes=4-7"}, 200, slice(None)),  # weak ones match nothing here
        ({"If-Range": '"other"', "Range": "bytes=4-7"}, 200, slice(None)),
        ({"Range": "bytes=-3"}, 206, slice(-3, None)),
        ({"Range": "bytes=5-"}, 206, slice(5, None)),
        ({"Range": "bytes=0-1,4-5"}, 200, slice(None)),
        ({"Range": "lines=0-1"}, 200, slice(None)),
        ({"Range": "bytes=99999999-"}, 416, None),
    ],
    ids=str,
)
def test_given_a_part_when_asked_for_then_it_or_all_or_416(
    url: str, shot: Illustrated, headers: Mapping[str, str], status: int, part: slice | None
) -> None:
    etag = httpx.head(url).headers["etag"]
    answer = httpx.get(url, headers={name: value.format(etag=etag) for name, value in headers.items()})
    assert answer.status_code == status
    if part is not None:
        assert answer.content == shot.data[part]


@pytest.mark.parametrize(
    ("purpose", "place"), [("download", "downloads"), ("picture", "pictures"), ("library-file", "library-files")]
)
def test_given_an_address_of_the_past_when_asked_then_404_that_says_so_whether_or_not_the_file_is_there(
    api: RunningApi, shot: Illustrated, purpose: str, place: str
) -> None:
    signer = SignedUrls(SECRET)
    said = set()
    for subject in (shot.asset_id, ABSENT):
        past = signer.sign(purpose, subject, time.time() - 1)  # type: ignore[arg-type]
        answer = httpx.get(f"{api.url}/api/v1/{place}/{past}")
        assert (answer.status_code, answer.json()["code"]) == (404, "RESOURCE_NOT_FOUND")
        said.add(answer.content)
    assert len(said) == 1
    assert "expired" in answer.json()["message"]
    other = signer.sign("upload", shot.asset_id, time.time() + 60)  # genuine, for something else
    for forged in (f"{past}x", other):
        refused = httpx.get(f"{api.url}/api/v1/{place}/{forged}")
        assert (refused.status_code, "expired" in refused.json()["message"]) == (404, False)
