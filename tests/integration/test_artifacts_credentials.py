"""A bucket without a key pair in the settings: credentials as a cloud gives them to a pod, a container or a machine,
from a server that answers as Amazon's do, and a real S3 server that is used with them."""

import dataclasses
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from activities.artifacts import ArtifactStore
from domain.errors import ArtifactStoreUnavailable, GuidesmithError, SettingsInvalid
from tests.objectstores import ACCESS_KEY_ID, SECRET_ACCESS_KEY

if TYPE_CHECKING:
    from tests.objectstores import S3Server

pytest_plugins = ("tests.objectstores",)

ROLE = "arn:aws:iam::123456789012:role/guides"


class Giver:
    """Who gives out credentials, which last ``lasting_s``: Amazon's STS, a pod's agent, a machine's metadata."""

    def __init__(self, lasting_s: float) -> None:
        self.lasting_s, self.answers, self.asked = lasting_s, 200, list[str]()
        self.code = "AccessDenied"

    def given(self) -> dict[str, str]:
        until = datetime.now(UTC) + timedelta(seconds=self.lasting_s)
        return {
            "Code": "Success",
            "AccessKeyId": ACCESS_KEY_ID,
            "SecretAccessKey": SECRET_ACCESS_KEY,
            "Token": "",
            "Expiration": until.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def said(self, path: str) -> tuple[int, str]:
        self.asked.append(path)
        if self.answers != 200:
            return self.answers, self.code and f"<ErrorResponse><Error><Code>{self.code}</Code></Error></ErrorResponse>"
        if path == "/":
            given = self.given()
            return 200, (
                '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
                "<AssumeRoleWithWebIdentityResult><Credentials>"
                f"<AccessKeyId>{given['AccessKeyId']}</AccessKeyId>"
                f"<SecretAccessKey>{given['SecretAccessKey']}</SecretAccessKey><SessionToken></SessionToken>"
                f"<Expiration>{given['Expiration']}</Expiration></Credentials>"
                f"<AssumedRoleUser><AssumedRoleId>AROA:guides</AssumedRoleId><Arn>{ROLE}</Arn></AssumedRoleUser>"
                "</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"
            )
        if path.startswith("/latest/api/token"):
            return 200, "a-token-of-the-machine"
        if path == "/latest/meta-data/iam/security-credentials/":
            return 200, "guides"
        return 200, json.dumps(self.given())


@contextmanager
def giving(giver: Giver) -> Iterator[str]:
    """``giver`` as a server; its address."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            status, body = giver.said(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-aws-ec2-metadata-token-ttl-seconds", "21600")
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_PUT = do_POST = answer  # noqa: N815 - as http.server calls them

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


Environment = Callable[[str, str], None]


def of_environment(_: str, __: Path, say: Environment) -> None:
    say("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID)
    say("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY)


def of_profile(_: str, folder: Path, say: Environment) -> None:
    (folder / "credentials").write_text(
        f"[guides]\naws_access_key_id = {ACCESS_KEY_ID}\naws_secret_access_key = {SECRET_ACCESS_KEY}\n"
    )
    say("AWS_SHARED_CREDENTIALS_FILE", str(folder / "credentials"))
    say("AWS_PROFILE", "guides")


def of_web_identity(address: str, folder: Path, say: Environment) -> None:
    """IAM roles for service accounts, on EKS."""
    (folder / "token").write_text("a-token-of-the-cluster")
    say("AWS_WEB_IDENTITY_TOKEN_FILE", str(folder / "token"))
    say("AWS_ROLE_ARN", ROLE)
    say("AWS_ENDPOINT_URL_STS", address)


def of_container(address: str, folder: Path, say: Environment) -> None:
    """EKS Pod Identity and ECS."""
    (folder / "token").write_text("a-token-of-the-agent")
    say("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{address}/v1/credentials")
    say("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", str(folder / "token"))


def of_machine(address: str, _: Path, say: Environment) -> None:
    """An EC2 instance's role."""
    say("AWS_EC2_METADATA_DISABLED", "false")
    say("AWS_EC2_METADATA_SERVICE_ENDPOINT", address)
    say("AWS_METADATA_SERVICE_TIMEOUT", "60")  # a second is not long on a slow machine


CHAINS = {
    "environment": of_environment,
    "profile": of_profile,
    "web identity": of_web_identity,
    "container": of_container,
    "machine": of_machine,
}
RENEWED = ["web identity", "container", "machine"]
"""Whose credentials end."""


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credentials of this machine's own."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")


def bucket(server: "S3Server") -> ArtifactStore:
    """Of the settings only where it is, and how browsers reach it."""
    port = server.endpoint.rpartition(":")[2]
    options = dataclasses.replace(
        server.options, access_key_id=None, secret_access_key=None, public_endpoint=f"http://localhost:{port}"
    )
    return ArtifactStore.open(server.url(f"found-{uuid4().hex}"), s3=options)


@pytest.mark.parametrize("chain", CHAINS)
def test_given_credentials_that_are_found_then_all_of_the_store_works_and_links_have_their_place_name_and_type(
    s3_server: "S3Server", chain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with giving(Giver(6 * 3600)) as address:
        CHAINS[chain](address, tmp_path, monkeypatch.setenv)
        store = bucket(s3_server)
        blob = store.put_bytes("exports/1.pdf", b"%PDF", "application/octet-stream")
        assert store.read_bytes(blob) == b"%PDF"

        url = store.signed_get_url(blob.model_copy(update={"media_type": "application/pdf"}), 900, "Ü.pdf")

        assert url is not None and url.startswith(f"http://localhost:{urlsplit(s3_server.endpoint).port}/artifacts/")
        assert store.public_origin == f"http://localhost:{urlsplit(s3_server.endpoint).port}"
        answer = httpx.get(url)
        assert (answer.status_code, answer.content) == (200, b"%PDF")
        assert answer.headers["content-type"] == "application/pdf"
        assert answer.headers["content-disposition"] == "attachment; filename=\"_.pdf\"; filename*=UTF-8''%C3%9C.pdf"

        upload_id = store.multipart.begin("in-parts", "video/mp4")
        part = store.multipart.address("in-parts", upload_id, 1, expires_s=24 * 3600, size_bytes=9)
        assert part is not None
        assert part.expires_s == (3600 if chain in RENEWED else None), "no longer than the credentials"
        assert httpx.put(part.url, content=b"recording", headers=part.headers).status_code == 200
        store.multipart.join("in-parts", upload_id, store.multipart.arrived("in-parts", upload_id), lambda _: None)
        assert store.exists("in-parts")


@pytest.mark.parametrize("chain", RENEWED)
def test_given_credentials_that_end_before_a_link_would_then_there_is_no_link_and_the_store_works(
    s3_server: "S3Server", chain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with giving(giver := Giver(800)) as address:
        CHAINS[chain](address, tmp_path, monkeypatch.setenv)
        store = bucket(s3_server)
        blob = store.put_bytes("exports/1.pdf", b"%PDF", "application/pdf")
        assert store.signed_get_url(blob, 900) is None
        assert (store.signed_get_url(blob, 600) is None) == (chain == "machine"), "botocore knows when, or stretches it"
        upload_id = store.multipart.begin("in-parts", "video/mp4")
        part = store.multipart.address("in-parts", upload_id, 1, expires_s=9999, size_bytes=1)
        if chain == "machine":
            assert part is None
            return
        assert part is not None and part.expires_s == 600
        assert parse_qs(urlsplit(part.url).query)["X-Amz-Expires"] == ["600"]
        giver.lasting_s = 7200
        assert store.signed_get_url(blob, 900) is not None, "renewed before they end"


@pytest.mark.parametrize("chain", ["web identity", "container"])
def test_given_whoever_gives_credentials_is_away_once_they_end_then_the_store_is_away_and_comes_back(
    s3_server: "S3Server", chain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.utils.ContainerMetadataFetcher.SLEEP_TIME", 0)
    with giving(giver := Giver(60)) as address:
        CHAINS[chain](address, tmp_path, monkeypatch.setenv)
        store = bucket(s3_server)
        blob = store.put_bytes("object", b"x", "text/plain")
        giver.answers, giver.code = 500, "InternalFailure"
        for use in (lambda: store.read_bytes(blob), lambda: store.multipart.begin("in-parts", "x/y")):
            with pytest.raises(ArtifactStoreUnavailable):
                use()
        assert store.signed_get_url(blob, 30) is None
        giver.answers = 200
        assert store.read_bytes(blob) == b"x"


def test_given_a_role_that_is_refused_then_the_sentence_says_so(
    s3_server: "S3Server", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with giving(giver := Giver(3600)) as address:
        of_web_identity(address, tmp_path, monkeypatch.setenv)
        giver.answers = 403
        with pytest.raises(SettingsInvalid, match="role for the object store is refused \\(AccessDenied\\)"):
            bucket(s3_server).ping()
        giver.answers, giver.code = 401, ""
        with pytest.raises(ArtifactStoreUnavailable):
            bucket(s3_server).ping()
        (tmp_path / "token").unlink()
        with pytest.raises(SettingsInvalid, match="AWS_WEB_IDENTITY_TOKEN_FILE"):
            bucket(s3_server).ping()


@pytest.mark.parametrize("profile", [None, "nobodys"])
def test_given_no_credentials_anywhere_then_the_sentence_says_so(
    s3_server: "S3Server", profile: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if profile is not None:
        monkeypatch.setenv("AWS_PROFILE", profile)
    with pytest.raises(GuidesmithError) as met:
        bucket(s3_server).ping()
    assert met.value.code == "SETTINGS_INVALID"
    assert ("role that may use the bucket" if profile is None else "cannot be used") in met.value.message
