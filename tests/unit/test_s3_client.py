"""Where the S3 client sends its requests and with whose name, decided without a network."""

from urllib.parse import parse_qs, urlsplit

import pytest

from activities.artifacts import ArtifactStore, PartAddress, S3Options
from domain.errors import SettingsInvalid

KEY = "jobs/1/upload/recording.mp4"


def address(options: S3Options, *, size_bytes: int | None = 7) -> PartAddress:
    store = ArtifactStore.open("s3://bucket/prefix", s3=options)
    found = store.multipart.address(KEY, "upload+/=", 3, expires_s=60, size_bytes=size_bytes)
    assert found is not None
    return found


def keyed(**options: object) -> S3Options:
    return S3Options(access_key_id="key-id", secret_access_key="secret", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        (keyed(endpoint="https://s3.example.org"), "https://s3.example.org/bucket/prefix/"),
        (keyed(endpoint="https://bucket.s3.example.org", virtual_hosted=True), "https://bucket.s3.example.org/prefix/"),
        (
            keyed(endpoint="http://inside:8333", allow_http=True, public_endpoint="https://files.example.org"),
            "https://files.example.org/bucket/prefix/",
        ),
        (keyed(region="eu-central-1", virtual_hosted=True), "https://bucket.s3.eu-central-1.amazonaws.com/prefix/"),
        (keyed(region="eu-central-1"), "https://s3.eu-central-1.amazonaws.com/bucket/prefix/"),
    ],
    ids=["path", "virtual", "public", "amazon, virtual", "amazon, path"],
)
def test_given_options_when_a_part_is_addressed_then_its_url_is_the_one_that_clients_reach(
    options: S3Options, begins: str
) -> None:
    url = address(options).url
    assert url.startswith(f"{begins}{KEY}?")
    query = parse_qs(urlsplit(url).query)
    assert (query["partNumber"], query["uploadId"]) == (["3"], ["upload+/="])
    assert query["X-Amz-Expires"] == ["60"]
    assert query["X-Amz-SignedHeaders"] == ["content-length;host"]


def test_given_no_declared_size_when_a_part_is_addressed_then_any_length_is_taken() -> None:
    found = address(keyed(endpoint="https://s3.example.org"), size_bytes=None)
    assert found.headers == {}
    assert parse_qs(urlsplit(found.url).query)["X-Amz-SignedHeaders"] == ["host"]


def test_given_temporary_credentials_when_a_part_is_addressed_then_their_token_is_in_the_url() -> None:
    found = address(keyed(endpoint="https://s3.example.org", session_token="session/token"))
    assert parse_qs(urlsplit(found.url).query)["X-Amz-Security-Token"] == ["session/token"]


def test_given_no_key_pair_when_a_part_is_addressed_then_the_environments_is_used_as_by_amazons_own_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "found-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "found-secret")
    url = address(S3Options(endpoint="https://s3.example.org")).url
    assert parse_qs(urlsplit(url).query)["X-Amz-Credential"][0].startswith("found-id/")


def test_given_a_profile_that_is_not_there_when_used_then_the_settings_are_invalid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobodys")
    with pytest.raises(SettingsInvalid):
        address(keyed(endpoint="https://s3.example.org"))
