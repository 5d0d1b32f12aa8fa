"""What every route is behind: the order of refusals, equal 404s, strict JSON, headers, addresses, other origins.

The tests walk the API's own description, so that a route which is added is behind it all from its first day.
"""

import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy
from pydantic import SecretStr

from activities.store import Store
from activities.store.records import Sitting
from activities.store.repository import new_uuid7
from domain.documents.presence import Place
from domain.documents.publication import ExportFormat
from domain.documents.tasks import RegenerateTask
from domain.projects import ProjectRole
from domain.recordings.glossary import Pair
from starter.api.perimeter.safe_headers import SAFE_HEADERS
from starter.pages.shell.built import built
from starter.pages.shell.gate import PAGE_HEADERS
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import illustrated_job
from tests.integration.store_builders import STEP_BLOCK, created_job
from tests.stack import wait_until
from tests.temporal import TemporalServer
from tests.walking import ABSENT, Operation, operations

RUNNERS_SECRET = "r" * 40
BROKEN = b"{"
JSON = {"Content-Type": "application/json"}
CAP = 4096
CSP = "Content-Security-Policy"


class Ids(dict[str, str]):
    """The same id for every parameter but those that are none."""

    def __init__(self, value: str) -> None:
        super().__init__(version="1")
        self.value = value

    def __missing__(self, name: str) -> str:
        return self.value


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API with a small cap, stage runners, and an origin that may call it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(
            tmp_path_factory.mktemp("perimeter"),
            json_cap_bytes=CAP,
            callback_secret=SecretStr(RUNNERS_SECRET),
            cors_origins="https://app.example.org,http://localhost:3000",
        )
        with running_api(settings) as running:
            wait_ready(running)
            yield running


@pytest.fixture(scope="module")
def routes(api: RunningApi) -> list[Operation]:
    """Each one; HEAD, which is GET without a body, where it is by a signed address."""
    found = list(operations(httpx.get(f"{api.url}/api/v1/openapi.json").json()))
    assert len(found) > 25
    return [each for each in found if each.method != "HEAD" or each.is_signed]


def headers_for(api: RunningApi, operation: Operation) -> dict[str, str]:
    """What lets somebody past the door, as an editor."""
    if operation.is_internal:
        return {"X-Callback-Secret": RUNNERS_SECRET}
    return {"Authorization": bearer(api)} if operation.needs_token else {}


def bearer(api: RunningApi) -> str:
    with api.client("ann") as ann:
        return ann.headers["Authorization"]


def sent(api: RunningApi, operation: Operation, ids: Mapping[str, str] | None = None, **how: Any) -> httpx.Response:
    ids = Ids(ABSENT) if ids is None else ids
    return httpx.request(operation.method, f"{api.url}{operation.path(ids)}", timeout=60, **how)


def outcome(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers.get("Content-Type") == "application/json", (answer.request.url, answer.status_code)
    return answer.status_code, answer.json()["code"]


# --- the order of refusals -------------------------------------------------------------------------------------------


def test_given_no_token_and_everything_else_wrong_then_401_on_every_route(
    api: RunningApi, routes: list[Operation]
) -> None:
    for operation in routes:
        if operation.needs_token or operation.is_internal:
            wrong = sent(api, operation, content=BROKEN * (CAP + 1), headers={"Content-Type": "text/plain"})
            assert outcome(wrong) == (401, "UNAUTHORIZED"), operation.name
            assert wrong.headers["WWW-Authenticate"], operation.name


def test_given_a_signed_address_that_nobody_signed_then_404_before_anything_else(
    api: RunningApi, routes: list[Operation]
) -> None:
    for operation in routes:
        if operation.is_signed:
            answer = sent(api, operation, content=BROKEN, headers={"Content-Type": "text/plain"})
            if operation.method == "HEAD":
                assert (answer.status_code, answer.content) == (404, b""), operation.name
                continue
            assert outcome(answer) == (404, "RESOURCE_NOT_FOUND"), operation.name


def test_given_an_editor_and_everything_else_wrong_then_403_on_every_admin_route(
    api: RunningApi, routes: list[Operation]
) -> None:
    admin = [Operation("POST", "/api/v1/admin/nowhere", {"responses": {}}, {})]
    for operation in [*admin, *(each for each in routes if each.is_admin)]:
        wrong = sent(api, operation, content=BROKEN * (CAP + 1), headers=headers_for(api, operation))
        assert outcome(wrong) == (403, "FORBIDDEN"), operation.name


def behind_the_door(routes: list[Operation]) -> list[Operation]:
    proved = [each for each in routes if not each.is_signed and not each.is_admin and not each.is_webhook]
    return [each for each in proved if each.takes_json]


def test_given_a_body_beyond_the_cap_and_the_rest_wrong_then_413_on_every_route(
    api: RunningApi, routes: list[Operation]
) -> None:
    for operation in behind_the_door(routes):
        headers = headers_for(api, operation) | {"Content-Type": "text/plain"}
        declared = sent(api, operation, content=BROKEN * (CAP + 1), headers=headers)
        chunked = sent(api, operation, content=(BROKEN * 1024 for _ in range(5)), headers=headers)
        assert outcome(declared) == outcome(chunked) == (413, "PAYLOAD_TOO_LARGE"), operation.name


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"])
def test_given_another_type_of_body_and_broken_json_then_415_on_every_route(
    api: RunningApi, routes: list[Operation], kind: str
) -> None:
    for operation in behind_the_door(routes):
        answer = sent(api, operation, content=BROKEN, headers=headers_for(api, operation) | {"Content-Type": kind})
        assert outcome(answer) == (415, "UNSUPPORTED_MEDIA_TYPE"), operation.name


def test_given_broken_json_for_what_is_not_there_then_400_on_every_route(
    api: RunningApi, routes: list[Operation]
) -> None:
    for operation in behind_the_door(routes):
        answer = sent(api, operation, content=BROKEN, headers=headers_for(api, operation) | JSON)
        assert outcome(answer) == (400, "VALIDATION_ERROR"), operation.name
        assert answer.json()["details"]["issues"], operation.name


def test_given_a_body_of_another_shape_for_what_is_not_there_then_400_where_a_route_needs_one(
    api: RunningApi, routes: list[Operation]
) -> None:
    for operation in behind_the_door(routes):
        if operation.described.get("requestBody", {}).get("required"):
            bodies: list[Any] = [[], "x", 7, True, {"unheard": "of"}]
            for body in bodies:
                answer = sent(api, operation, json=body, headers=headers_for(api, operation))
                assert outcome(answer) == (400, "VALIDATION_ERROR"), (operation.name, body)


def test_given_a_cursor_of_no_list_for_what_is_not_there_then_400_on_every_list(
    api: RunningApi, routes: list[Operation]
) -> None:
    lists = [each for each in routes if "cursor" in {known["name"] for known in each.described.get("parameters", ())}]
    for operation in lists:
        answer = sent(api, operation, params={"cursor": "zzz"}, headers=headers_for(api, operation))
        if operation.is_admin:
            assert outcome(answer) == (403, "FORBIDDEN"), operation.name
            continue
        assert outcome(answer) == (400, "VALIDATION_ERROR"), operation.name
        assert answer.json()["details"]["issues"][0]["path"] == "query.cursor", operation.name
    assert len(lists) > 10


def test_given_more_than_may_be_sent_to_what_is_not_there_then_413(api: RunningApi) -> None:
    picture = {"filename": "a.png", "mime_type": "image/png", "size_bytes": 2**50, "checksum_sha256": "0" * 64}
    with api.client("ann") as ann:
        for path, body in (("upload", {"filename": "a.mp4", "size_bytes": 2**50}), ("screenshots/uploads", picture)):
            assert outcome(ann.post(f"jobs/{ABSENT}/{path}", json=body)) == (413, "PAYLOAD_TOO_LARGE")


# --- 404 -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def foreign(api: RunningApi) -> dict[str, str]:
    """One of each thing, all of them bob's, by the name that routes have for its id."""
    endpoint = api.store.create_endpoint("bob", "https://example.org/hook")
    shot = illustrated_job(api.store, api.artifacts, "bob")
    assert shot.job.instruction_id is not None
    export, _ = api.store.request_export("bob", shot.job.id, ExportFormat.PDF, shot.instruction_version_id)
    task = regeneration(api.store, shot.job.instruction_id)
    upload = api.store.begin_picture(
        "bob",
        shot.job.id,
        filename="mine.png",
        media_type="image/png",
        size_bytes=1,
        checksum_sha256="0" * 64,
        expires_at=shot.job.created_at,
    )
    share = api.store.create_share("bob", shot.job.instruction_id, export.id, "0" * 64)
    sitting = Sitting(
        sitting_id=new_uuid7(),
        instruction_id=shot.job.instruction_id,
        base_version=1,
        markdown="What bob writes.",
        kept_at=shot.job.created_at,
    )
    api.store.keep_sitting("bob", sitting)
    api.store.be_present("bob", shot.job.instruction_id, sitting.sitting_id, Place(), subject="bob")
    thread = api.store.add_thread("bob", shot.job.instruction_id, STEP_BLOCK, "What bob says.", author="bob")
    invitation = api.store.invite("bob", shot.job.project_id, ProjectRole.VIEWER, "1" * 64)
    term, _ = api.store.keep_term("bob", Pair(heard="skim", right="SCIM"))
    translation, _ = api.store.request_translation(
        "bob", shot.job.instruction_id, "de", is_update=False, client_request_id="t", requested_by="bob"
    )
    corrected = api.store.correcting_everywhere("bob", shot.job.id, [], segments=[], base=None, blocks=[])()
    return {
        "term_id": term.id,
        "set_id": corrected.id,
        "project_id": shot.job.project_id,
        "invitation_id": invitation.id,
        "thread_id": thread.id,
        "comment_id": thread.comments[0].id,
        "job_id": shot.job.id,
        "index": "0",
        "instruction_id": shot.job.instruction_id,
        "version": "1",
        "share_id": share.id,
        "sitting_id": sitting.sitting_id,
        "desk_id": sitting.sitting_id,
        "task_id": task.id,
        "translation_task_id": translation.id,
        "block_id": STEP_BLOCK,
        "export_id": export.id,
        "anchor_id": shot.anchor_id,
        "asset_id": shot.asset_id,
        "upload_id": upload.id,
        "endpoint_id": endpoint.id,
        "delivery_id": api.store.list_deliveries("bob", endpoint.id).items[0].id,
    }


def regeneration(store: Store, instruction_id: str) -> RegenerateTask:
    task, _ = store.create_regenerate(
        "bob",
        instruction_id,
        base_version=1,
        selection={"block_id": STEP_BLOCK},
        client_request_id="r",
        requested_by="bob",
        request={},
    )
    return task


@contextmanager
def counted(of: object = sqlalchemy.Engine) -> Iterator[list[str]]:
    """The statements of every database in this process, the API's among them (``of``: of one engine); without
    transactions' ends."""
    said: list[str] = []

    def heard(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    sqlalchemy.event.listen(of, "before_cursor_execute", heard)
    try:
        yield said
    finally:
        sqlalchemy.event.remove(of, "before_cursor_execute", heard)


def without_what_differs_anyway(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in ("date", "x-request-id")}


def test_given_what_is_foreign_or_absent_then_the_same_bytes_the_same_headers_and_the_same_statements_on_every_route(
    api: RunningApi, routes: list[Operation], foreign: dict[str, str]
) -> None:
    created_job(api.store, "ann")
    walked = 0
    for operation in routes:
        if not operation.parameters or not operation.needs_token or operation.parameters == ["kind"]:
            continue
        if operation.is_admin:  # nothing is foreign to an administrator
            continue
        missing = set(operation.parameters) - set(foreign)
        assert not missing, f"{operation.name}: make one of {missing} in the fixture"
        answers, statements = [], []
        for ids in (foreign, Ids(ABSENT)):
            with counted() as said:
                answer = sent(
                    api,
                    operation,
                    ids,
                    json=operation.body(),
                    params=operation.query(),
                    headers=headers_for(api, operation),
                )
            answers.append((answer.status_code, answer.content, without_what_differs_anyway(answer)))
            statements.append(list(said))
        assert answers[0][0] == 404, (operation.name, answers[0])
        assert answers[0] == answers[1], operation.name
        assert statements[0] == statements[1], operation.name
        assert statements[0], f"{operation.name}: nothing was heard"
        walked += 1
    assert walked > 15


@pytest.mark.parametrize(
    "odd", ["no-id", "%00", "..%2f..%2fetc", "a'--", ABSENT.replace("9", "A"), "%F0%9F%92%A5", "x" * 3000]
)
def test_given_a_malformed_id_then_the_same_404_as_for_an_absent_one_on_every_route(
    api: RunningApi, routes: list[Operation], odd: str
) -> None:
    absent = None
    for operation in routes:
        if operation.parameters and operation.needs_token and not operation.is_admin:
            answer = sent(
                api,
                operation,
                Ids(odd),
                json=operation.body(),
                params=operation.query(),
                headers=headers_for(api, operation),
            )
            absent = absent or answer
            assert outcome(answer) == (404, "RESOURCE_NOT_FOUND"), operation.name
            assert answer.content == absent.content, operation.name


# --- JSON ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"name": "a", "name": "b"}', id="a name twice"),
        pytest.param(b'{"name": "a", "n\\u0061me": "b"}', id="a name twice, escaped"),
        pytest.param(b'{"name": "a", "stages": {"audio": "external", "audio": "external"}}', id="twice, inside"),
        pytest.param(b'{"name": "a", "x": NaN}', id="NaN"),
        pytest.param(b'{"name": "a", "x": Infinity}', id="Infinity"),
        pytest.param(b'{"name": "a", "x": -Infinity}', id="-Infinity"),
        pytest.param(b'{"name": "a", "x": 1e999}', id="infinite when read"),
        pytest.param(b"[" * 2000 + b"]" * 2000, id="deep list"),
        pytest.param(b'[{"":' * 550 + b"1" + b"}]" * 550, id="deep, of objects"),
        pytest.param(b'{"name": "a", "x": ' + b"9" * 4000 + b".}", id="a number that is none"),
        pytest.param(b'{"name": "\\ud800"}', id="half a pair"),
        pytest.param(b'{"name": "a", "\\udfff": 1}', id="half a pair as a name"),
        pytest.param(b'{"name": "a\\u0000b"}', id="NUL"),
        pytest.param(b'{"name": "a\x00b"}', id="a raw NUL"),
        pytest.param(b'{"name": "a\nb"}', id="a raw line break"),
        pytest.param(b'{"name": "\xff"}', id="not UTF-8"),
        pytest.param('{"name": "a"}'.encode("utf-16"), id="UTF-16"),
        pytest.param(b'\xef\xbb\xbf{"name": "a"}', id="a byte order mark"),
        pytest.param(b'{"name": "a",}', id="a comma too many"),
        pytest.param(b'{"name": "a"} {}', id="something behind"),
        pytest.param(b"{'name': 'a'}", id="other quotes"),
        pytest.param(b'{"name": "a"}// x', id="a comment"),
        pytest.param(b'{"name": "\\u001b[31mred"}', id="a terminal's escape"),
        pytest.param(b'{"name": "a\\r\\nX-Evil: 1"}', id="a line break"),
        pytest.param('{"name": "a\u202eb"}'.encode(), id="right to left"),
    ],
)
def test_given_json_that_two_readers_may_understand_in_two_ways_then_400_says_why(api: RunningApi, body: bytes) -> None:
    with api.client("ann") as ann:
        answer = ann.post("projects", content=body, headers=JSON)
    assert outcome(answer) == (400, "VALIDATION_ERROR")
    assert answer.json()["details"]["issues"][0]["message"]


@pytest.mark.parametrize("body", [b'{"name": "a", "x": ' + b"9" * 4300 + b"}", b'{"name": "a", "x": 1e-999}'])
def test_given_a_number_beyond_all_measure_where_nobody_looks_then_nothing_breaks(api: RunningApi, body: bytes) -> None:
    with api.client("ann") as ann:
        assert ann.post("projects", content=body, headers=JSON).status_code in (201, 400, 413)


@pytest.mark.parametrize("name", ["Ünïcode ✓ 你好", "\\u0000 in words", '"quoted"', "a" * 200, "💥"])
def test_given_a_name_that_is_only_unusual_then_it_comes_back_as_it_was(api: RunningApi, name: str) -> None:
    with api.client("ann") as ann:
        assert ann.post("projects", json={"name": name}).json()["name"] == name
        escaped = json.dumps({"name": name}, ensure_ascii=True).encode()
        assert ann.post("projects", content=escaped, headers=JSON).json()["name"] == name


# --- raw requests ----------------------------------------------------------------------------------------------------


def raw(api: RunningApi, request: bytes) -> bytes:
    """What the server answers to these very bytes, until it closes or the first answer is whole."""
    with socket.create_connection(("127.0.0.1", api.settings.api_port), 60) as connection:
        connection.sendall(request)
        received = b""
        while piece := connection.recv(65536):
            received += piece
            head, found, body = received.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head.lower())
            if found and len(body) >= int(length[1] if length else 0):
                break
    return received


def authorization(api: RunningApi) -> bytes:
    return f"Authorization: {bearer(api)}\r\n".encode()


def test_given_a_body_that_does_not_come_then_400_and_the_route_is_not_held_up(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    head = b"POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
    with running_api(api_settings(tmp_path, body_timeout_s=0.5)) as impatient:
        answer = raw(impatient, head + authorization(impatient) + b'\r\n{"name": ')
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"did not arrive in time" in answer


def test_given_two_tokens_then_neither_is_believed(api: RunningApi) -> None:
    head = b"GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\n"
    assert raw(api, head + authorization(api) + b"\r\n").startswith(b"HTTP/1.1 200 ")
    assert raw(api, head + authorization(api) + b"Authorization: Bearer x\r\n\r\n").startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    "given",
    [b"a\x1b[31mred-id", b"spaced id 123", b'x" status=200 {"a"', b"short", b"x" * 65, b"1234567\xe9", b"../../../etc"],
)
def test_given_an_odd_request_id_then_it_is_replaced_by_one_of_ours(api: RunningApi, given: bytes) -> None:
    answer = raw(api, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: " + given + b"\r\n\r\n")
    assert given not in answer
    assert b"x-request-id: 0" in answer.lower()


# --- headers ---------------------------------------------------------------------------------------------------------


def test_given_any_answer_then_it_has_the_safe_headers(api: RunningApi, routes: list[Operation]) -> None:
    for operation in routes:
        if operation.method == "GET" and not operation.is_stream:
            for headers in ({}, headers_for(api, operation)):
                answer = sent(api, operation, headers=headers, params=operation.query())
                for name, value in SAFE_HEADERS.items():
                    assert answer.headers[name] == value, (operation.name, answer.status_code, name)
                assert "Server" not in answer.headers
                assert "Strict-Transport-Security" not in answer.headers, "nobody said that there is TLS"


def test_given_a_page_when_opened_then_it_runs_and_speaks_with_nothing_but_this_host(api: RunningApi) -> None:
    pages = [httpx.get(f"{api.url}/sign-in") for _ in range(2)]
    policies = [
        dict(part.split(" ", 1) for part in each.headers["Content-Security-Policy"].split("; ")) for each in pages
    ]
    styles = {each.pop("style-src") for each in policies}
    assert len(styles) == 2 and all(re.fullmatch(r"'self' 'nonce-[\w-]{20,}'", each) for each in styles)
    assert (
        policies[0]
        == policies[1]
        == {
            "default-src": "'none'",
            "script-src": "'self'",
            "img-src": "'self' blob: data:",
            "media-src": "'self' blob:",
            "connect-src": "'self'",
            "font-src": "'self'",
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'none'",
        }
    )


def test_given_a_file_of_the_pages_then_it_is_packed_kept_for_ever_and_no_line_of_the_log(
    api: RunningApi, capfd: pytest.CaptureFixture[str]
) -> None:
    page = httpx.get(f"{api.url}/sign-in")
    beside = {name: page.headers[name] for name in PAGE_HEADERS if name not in ("Cache-Control", CSP)}
    kept = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding", CSP: SAFE_HEADERS[CSP]}
    kinds = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
    for address in dict.fromkeys(re.findall(r'/static/[^"]+', page.text)):
        with httpx.Client(base_url=api.url) as browser:
            packed, whole, refused = (
                browser.get(address, headers={"Accept-Encoding": each})
                for each in ("br, gzip", "identity", "deflate, gzip;q=0")
            )
            head = browser.head(address, headers={"Accept-Encoding": "identity"})
            known = browser.get(address, headers={"If-None-Match": f'"x", W/{packed.headers["ETag"]}'})
            other = browser.get(address, headers={"If-None-Match": '"x"'})
        answers = (packed, whole, refused, head, known, other)
        assert [each.status_code for each in answers] == [200, 200, 200, 200, 304, 200]
        assert packed.content == whole.content == refused.content == other.content
        assert not head.content and not known.content
        size = len(whole.content)
        assert [int(each.headers["Content-Length"]) for each in (whole, refused, head)] == [size, size, size]
        is_smaller = int(packed.headers["Content-Length"]) < size
        assert is_smaller or size < 200
        coding = "gzip" if is_smaller else None
        assert [each.headers.get("Content-Encoding") for each in (packed, whole, refused)] == [coding, None, None]
        assert (packed.headers["ETag"] != whole.headers["ETag"]) == is_smaller
        assert whole.headers["ETag"] == refused.headers["ETag"] == head.headers["ETag"]
        for each in answers:
            assert (beside | kept).items() <= {name: each.headers.get(name) for name in beside | kept}.items(), address
            assert each.headers["Content-Type"] == kinds.get(Path(address).suffix, each.headers["Content-Type"])
    too_long = "a" * 300 + ".js"
    for name in ("none-AAAAAAAA.js", "manifest.json", "%2e%2e/app.py", "", too_long):
        address = f"/static/{name}"
        absent = httpx.get(f"{api.url}{address}")
        assert absent.status_code == 404 and "<main" in absent.text, address
    assert httpx.head(f"{api.url}/static/none-AAAAAAAA.js").status_code == 404
    assert httpx.get(f"{api.url}/favicon.ico").headers["Content-Type"] == "image/svg+xml"
    written = ""

    def is_written() -> bool:
        nonlocal written
        written += capfd.readouterr().out
        return "route=/favicon.ico" in written

    wait_until(is_written, 30, "the line of what was asked last")
    lines = [each for each in written.splitlines() if "route=/static/" in each]
    assert lines and all("status=404" in each for each in lines)


def upload_url(api: RunningApi, **headers: str) -> str:
    with api.client("ann") as ann:
        job = created_job(api.store, "ann")
        answer = ann.post(f"jobs/{job.id}/upload", json={"filename": "a.mp4"}, headers=headers)
        url: str = answer.json()["upload_url"]
        return url


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example.org",
            "evil.example.org:80",
            "127.0.0.1.evil.example.org",
            "localhost.evil.org",
        ),
        *("192.0.2.7", "[2001:db8::1]"),
    ],
)
def test_given_a_strangers_host_header_then_no_address_in_an_answer_is_made_of_it(api: RunningApi, host: str) -> None:
    proxied = {"X-Forwarded-Host": host, "X-Forwarded-Proto": "https", "Forwarded": f"host={host}"}
    made = upload_url(api, Host=host, **proxied)
    assert made.startswith(f"{api.url}/api/v1/uploads/v1.")


@pytest.mark.parametrize(
    "host",
    [
        *("localhost@evil.org", "127.0.0.1@evil.org", "evil.org/127.0.0.1", "evil.org#localhost", "localhost:80:90"),
        *(
            "127.0.0.1#evil.org",
            "localhost:9000#.evil.org",
            "127.0.0.1:1?evil.org",
            "[::1]#evil.org",
            "localhost\\evil",
        ),
        *("[::1]evil.org", "localhost:9000/", "localhost ", "localhost%00", "127.0.0.1,evil.org", "[::1", "a:b", ":80"),
    ],
)
def test_given_a_host_header_that_is_no_name_then_the_request_is_refused_before_anything_else(
    api: RunningApi, host: str
) -> None:
    for path in ("/api/v1/jobs", "/healthz", "/sign-in"):
        answer = raw(
            api, f"GET {path} HTTP/1.1\r\nHost: {host.rstrip()}{'x y' if host.endswith(' ') else ''}\r\n\r\n".encode()
        )
        assert answer.startswith(b"HTTP/1.1 400 ")


def test_given_a_body_with_two_ends_then_the_request_is_refused_and_the_connection_ends(api: RunningApi) -> None:
    smuggled = b"0\r\n\r\nGET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
    for line in (b"POST /api/v1/projects", b"GET /api/v1/jobs", b"POST /sign-in", b"PUT /api/v1/uploads/x"):
        head = line + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n"
        answer = raw(api, head + authorization(api) + b"\r\n" + smuggled)
        assert answer.startswith(b"HTTP/1.1 400 ") and b"connection: close" in answer.lower()
        assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1:9000", "[::1]:9000", "127.0.0.2", "localhost"])
def test_given_a_tunnel_on_the_callers_own_machine_then_the_address_leads_through_it(
    api: RunningApi, host: str
) -> None:
    assert upload_url(api, Host=host).startswith(f"http://{host}/api/v1/uploads/v1.")


def test_given_a_public_address_by_tls_then_urls_are_made_of_it_and_browsers_keep_to_tls(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_api(api_settings(tmp_path, public_url="https://guides.example.org/")) as public:
        assert upload_url(public, Host="localhost").startswith("https://guides.example.org/api/v1/uploads/v1.")
        for path in ("/healthz", "/sign-in", built("shell/icon.svg").address):
            assert httpx.get(public.url + path).headers["Strict-Transport-Security"] == "max-age=31536000"


# --- other origins ---------------------------------------------------------------------------------------------------

ALLOWED = "https://app.example.org"


def preflight(api: RunningApi, origin: str) -> httpx.Response:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    return httpx.options(f"{api.url}/api/v1/projects", headers=asked | {"Origin": origin})


def allowed(answer: httpx.Response) -> str | None:
    found: str | None = answer.headers.get("Access-Control-Allow-Origin")
    assert "Access-Control-Allow-Credentials" not in answer.headers
    return found


def test_given_an_allowed_origin_then_a_browser_may_ask_and_read_also_what_was_refused(api: RunningApi) -> None:
    answer = preflight(api, ALLOWED)
    assert (answer.status_code, allowed(answer)) == (204, ALLOWED)
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    for status, headers in ((200, {"Authorization": bearer(api)}), (401, {})):
        read = httpx.get(f"{api.url}/api/v1/jobs", headers=headers | {"Origin": ALLOWED})
        assert (read.status_code, allowed(read)) == (status, ALLOWED)
        assert "Origin" in read.headers["Vary"]
        assert "Retry-After" in read.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example.org", "http://app.example.org", "https://app.example.org.evil.org", "null", "", "*"),
        *("https://app.example.org:444", "HTTPS://APP.EXAMPLE.ORG", "https://app.example.org,http://localhost:3000"),
    ],
)
def test_given_another_origin_then_nothing_is_allowed(api: RunningApi, origin: str) -> None:
    assert (preflight(api, origin).status_code, allowed(preflight(api, origin))) == (401, None)
    assert allowed(httpx.get(f"{api.url}/healthz", headers={"Origin": origin})) is None


def test_given_no_origins_in_the_settings_then_no_header_speaks_of_them(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_api(api_settings(tmp_path)) as closed:
        for answer in (preflight(closed, ALLOWED), httpx.get(f"{closed.url}/healthz", headers={"Origin": ALLOWED})):
            assert allowed(answer) is None
            assert "Origin" not in answer.headers.get("Vary", "")
