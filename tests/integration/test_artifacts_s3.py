"""What only S3 has: signed URLs, credentials, a network, an outage. On a real server."""

import dataclasses
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx
import pytest

from activities.artifacts import ArtifactStore, S3Options, StageMemo, content_disposition
from domain.artifacts import Blob
from domain.errors import ArtifactStoreUnavailable, GuidesmithError, SettingsInvalid

if TYPE_CHECKING:
    from tests.objectstores import S3Server

pytest_plugins = ("tests.objectstores",)

SECRET = "test-secret-key"
FAST_S = 90.0
"""Seconds within which a store that cannot be reached has said so, on a machine that is busy: without its own limits it
would be minutes."""


def test_given_a_signed_get_url_when_fetched_then_the_object_comes_with_its_type_and_file_name(
    s3_store: ArtifactStore,
) -> None:
    blob = s3_store.put_bytes("exports/1.pdf", b"%PDF", "application/pdf")
    url = s3_store.signed_get_url(blob, 60, 'Anleitung "für" Ü/1.pdf')
    assert url is not None

    answer = httpx.get(url)

    assert (answer.status_code, answer.content) == (200, b"%PDF")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"Anleitung f_r _1.pdf\"; filename*=UTF-8''Anleitung%20f%C3%BCr%20%C3%9C1.pdf"
    )


def test_given_a_signed_get_url_when_its_seconds_are_over_then_it_opens_nothing(s3_store: ArtifactStore) -> None:
    blob = s3_store.put_bytes("exports/1.pdf", b"%PDF", "application/pdf")
    url = s3_store.signed_get_url(blob, 1)
    assert url is not None

    deadline = time.monotonic() + FAST_S
    while (answer := httpx.get(url)).status_code == 200 and time.monotonic() < deadline:
        threading.Event().wait(0.1)

    assert answer.status_code == 403


def test_given_a_signed_url_when_used_for_something_else_then_it_is_refused(s3_store: ArtifactStore) -> None:
    blob = s3_store.put_bytes("exports/1.pdf", b"%PDF", "application/pdf")
    s3_store.put_bytes("exports/2.pdf", b"%PDF", "application/pdf")
    url = s3_store.signed_get_url(blob, 60)
    assert url is not None

    assert httpx.get(url.replace("exports/1.pdf", "exports/2.pdf")).status_code == 403
    assert httpx.put(url, content=b"x").status_code == 403
    assert httpx.delete(url).status_code == 403
    assert s3_store.read_bytes(blob) == b"%PDF"


def test_given_a_public_endpoint_when_a_url_is_signed_then_it_names_that_one(s3_server: "S3Server") -> None:
    port = s3_server.endpoint.rpartition(":")[2]
    options = dataclasses.replace(
        s3_server.options, endpoint=s3_server.endpoint, public_endpoint=f"http://localhost:{port}/"
    )
    store = ArtifactStore.open(s3_server.url(f"public-{uuid4().hex}"), s3=options)
    blob = store.put_bytes("object", b"x", "text/plain")

    url = store.signed_get_url(blob, 60)

    assert url is not None and url.startswith(f"http://localhost:{port}/artifacts/public-")
    assert httpx.get(url).content == b"x"


@pytest.mark.parametrize(
    ("filename", "inline", "header"),
    [
        (None, False, "attachment"),
        (None, True, "inline"),
        ("a.pdf", True, "inline; filename=\"a.pdf\"; filename*=UTF-8''a.pdf"),
        ('..\\/"\r\n', False, "attachment; filename=\"..\"; filename*=UTF-8''.."),
        ("\r\n", False, "attachment; filename=\"download\"; filename*=UTF-8''download"),
    ],
)
def test_given_a_file_name_when_put_in_a_header_then_it_cannot_break_out(
    filename: str | None, inline: bool, header: str
) -> None:
    assert content_disposition(filename, inline=inline) == header


# --- settings -------------------------------------------------------------------------------------------------------


def every_use(store: ArtifactStore) -> Iterator[str]:
    """Try the store in every way: what each use came to, and that it came soon and told no secret."""
    blob = Blob(key="object", size_bytes=1, checksum_sha256="0" * 64, media_type="text/plain")
    memo = StageMemo(store)
    uses: dict[str, Callable[[], object]] = {
        "ping": store.ping,
        "stat": lambda: store.stat("object"),
        "read": lambda: store.read_bytes(blob),
        "put": lambda: store.put_bytes("object", b"x", "text/plain"),
        "put_large": lambda: store.put_bytes("object", bytes(20 << 20), "text/plain"),
        "list": lambda: list(store.list()),
        "memo": lambda: memo.get("owner", "stage", {}),
        "sweep": lambda: store.sweep_abandoned(0),
    }
    for name, use in uses.items():
        began = time.monotonic()
        try:
            use()
        except GuidesmithError as met:
            assert time.monotonic() - began < FAST_S
            assert met.__cause__ is None
            assert SECRET not in met.message
            assert "http" not in met.message
            yield f"{name}: {met.code}"
        else:
            yield f"{name}: passed"


USES = ("ping", "stat", "read", "put", "put_large", "list", "memo", "sweep")


@pytest.mark.parametrize("change", [{"secret_access_key": "wrong"}, {"access_key_id": "wrong"}])
def test_given_wrong_credentials_when_used_in_any_way_then_the_settings_are_invalid(
    s3_server: "S3Server", change: dict[str, Any]
) -> None:
    store = ArtifactStore.open(s3_server.url(), s3=dataclasses.replace(s3_server.options, **change))

    assert set(every_use(store)) == {f"{name}: SETTINGS_INVALID" for name in USES}
    with pytest.raises(SettingsInvalid, match=r"access key|signature"):
        store.ping()


def test_given_a_bucket_that_does_not_exist_when_used_then_the_settings_are_invalid_until_it_is_created(
    s3_server: "S3Server",
) -> None:
    store = ArtifactStore.open(f"s3://late-{uuid4().hex[:20]}/prefix", s3=s3_server.options)

    # Nothing was abandoned in a bucket that is not there, and servers differ in how they say so.
    assert set(every_use(store)) - {"sweep: passed"} <= {f"{name}: SETTINGS_INVALID" for name in USES}
    with pytest.raises(SettingsInvalid, match="bucket does not exist"):
        store.ping()

    store.ensure_bucket()
    store.ensure_bucket()
    store.ping(write=True)


@pytest.mark.parametrize(
    "options",
    [
        S3Options(endpoint="http://127.0.0.1:9"),
        S3Options(endpoint="127.0.0.1:9"),
        S3Options(access_key_id="only-half"),
        S3Options(public_endpoint="ftp://host"),
    ],
)
def test_given_options_that_contradict_themselves_when_opened_then_the_settings_are_invalid(
    options: S3Options,
) -> None:
    with pytest.raises(SettingsInvalid):
        ArtifactStore.open("s3://bucket", s3=options)


def test_given_options_when_printed_then_no_secret_is_shown(s3_server: "S3Server") -> None:
    options = dataclasses.replace(s3_server.options, secret_access_key=SECRET, session_token="hidden-token")

    assert SECRET not in repr(options)
    assert "hidden-token" not in repr(options)


# --- outages --------------------------------------------------------------------------------------------------------


def test_given_a_server_that_goes_down_when_used_then_it_is_unavailable_soon_and_works_again_afterwards(
    own_s3_server: "S3Server",
) -> None:
    store = ArtifactStore.open(own_s3_server.url("outage"), s3=own_s3_server.options)
    blob = store.put_bytes("object", b"before", "text/plain")

    with pytest.raises(ArtifactStoreUnavailable), store.writer("large", "video/mp4") as sink:
        sink.write(bytes(20 << 20))
        own_s3_server.stop()
        deadline = time.monotonic() + FAST_S
        while time.monotonic() < deadline:
            sink.write(bytes(1 << 20))
    assert time.monotonic() < deadline
    assert set(every_use(store)) == {f"{name}: ARTIFACT_STORE_UNAVAILABLE" for name in USES}

    own_s3_server.start()

    assert store.read_bytes(blob) == b"before"
    assert not store.exists("large")


def test_given_a_server_that_never_answers_when_used_then_it_is_unavailable_soon() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = ArtifactStore.open("s3://bucket", s3=options_for(silent.getsockname()[1], timeout_s=0.1))

        assert set(every_use(store)) == {f"{name}: ARTIFACT_STORE_UNAVAILABLE" for name in USES}


@pytest.mark.parametrize("status", [500, 503, 429])
def test_given_a_server_with_a_fault_of_its_own_when_used_then_it_is_unavailable(status: int) -> None:
    with answering(status) as port:
        store = ArtifactStore.open("s3://bucket", s3=options_for(port))

        assert set(every_use(store)) == {f"{name}: ARTIFACT_STORE_UNAVAILABLE" for name in USES}


def test_given_a_bucket_that_is_only_read_when_probed_then_it_says_so_and_what_takes_writes_is_asked_once_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    with answering(403, reads=EMPTY_LIST, asked=asked) as port:
        store = ArtifactStore.open("s3://bucket", s3=options_for(port, timeout_s=60.0))
        store.ping()
        with pytest.raises(SettingsInvalid):
            store.check_writing()
    with answering(200, reads=EMPTY_LIST, asked=asked) as port:
        store = ArtifactStore.open("s3://bucket", s3=options_for(port, timeout_s=60.0))
        asked.clear()
        for _ in range(5):
            store.check_writing()
        assert asked == ["GET", "PUT", "DELETE", *["GET"] * 4]
        later = time.monotonic() + 61.0
        monkeypatch.setattr(time, "monotonic", lambda: later)
        store.check_writing()
        assert asked[-3:] == ["GET", "PUT", "DELETE"]


EMPTY_LIST = (
    b'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix/>'
    b"<KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>"
)


def options_for(port: int, timeout_s: float = 5.0) -> S3Options:
    return S3Options(
        endpoint=f"http://127.0.0.1:{port}",
        access_key_id="key",
        secret_access_key=SECRET,
        allow_http=True,
        timeout_s=timeout_s,
    )


@contextmanager
def answering(status: int, *, reads: bytes | None = None, asked: list[str] | None = None) -> Iterator[int]:
    """An HTTP server that answers ``status`` to everything, or ``reads`` to what only reads; its port. ``asked`` is
    told the methods."""

    class Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            self.raw_requestline = self.rfile.readline()
            if self.parse_request():
                self.rfile.read(int(self.headers.get("content-length", 0)))
                self.close_connection = True
                if asked is not None:
                    asked.append(self.command)
                body = reads if reads is not None and self.command == "GET" else b""
                self.send_response(200 if body else status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("ETag", '"e"')
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
