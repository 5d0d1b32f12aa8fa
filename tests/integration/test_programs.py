"""What programs use: the client, blocking and asynchronous, against the real API and worker; webhooks; and the Model
Context Protocol over stdio and HTTP."""

import asyncio
import hashlib
import os
import socket
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr

from activities.webhooks import sign
from guidesmith import mcp_server
from guidesmith.client import (
    ApiError,
    AsyncClient,
    Client,
    Event,
    Export,
    Instruction,
    Job,
    JobFailed,
    Task,
    Unreachable,
    WebhookInvalid,
    verify_webhook,
)
from guidesmith.client.shapes import WAIT_FOR_PEOPLE
from starter.access.tokens import Role, Tokens
from starter.api.app import description
from starter.cli.stages import is_settled
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.stack import ROOT, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

SAMPLE = ROOT / "sample" / "recording.mp4"
WHSEC = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
TOKEN = Tokens(SECRET).issue("ann", Role.EDITOR, ttl_s=3600)


@pytest.fixture(scope="module")
def office(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stack, RunningApi]]:
    folder = tmp_path_factory.mktemp("programs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings: dict[str, Any] = {"api_port": free_port(), "auth_secret": SecretStr(SECRET)}
        with running_stack(folder, temporal, **settings) as stack, running_api(stack.settings) as api:
            wait_ready(api)
            stack.start_worker()
            yield stack, api


@pytest.fixture(scope="module")
def made(office: tuple[Stack, RunningApi]) -> tuple[Job, list[Event], list[int]]:
    """A guide that the blocking client has made."""
    events: list[Event] = []
    sent: list[int] = []
    with Client(office[1].url, TOKEN) as client:
        job = client.make(SAMPLE, language="en", on_event=events.append, on_bytes=sent.append)
    return job, events, sent


def test_given_a_recording_when_a_program_makes_a_guide_then_it_follows_reads_edits_and_exports_it(
    office: tuple[Stack, RunningApi], made: tuple[Job, list[Event], list[int]], tmp_path: Path
) -> None:
    job, events, sent = made
    assert (job.status, job.is_settled, job.source_name) == ("DRAFT_READY", True, SAMPLE.name)
    assert sent[-1] == SAMPLE.stat().st_size
    assert [each.new_status for each in events if each.new_status][-1] == "DRAFT_READY"
    assert [int(each.id) for each in events] == sorted({int(each.id) for each in events}), "none twice"
    with Client(office[1].url, TOKEN) as client:
        later = list(client.follow(job.id, after=events[-2].id))
        assert [each.id for each in later] == [events[-1].id], "it goes on where it was"
        assert job.id in [each.id for each in client.jobs(kind="instruction")]
        assert job.instruction_id is not None
        read = client.instruction(job.instruction_id)
        saved = client.save(read, read.markdown.replace(read.title, "By a program", 1))
        assert (saved.version, saved.title) == (read.version + 1, "By a program")
        with pytest.raises(ApiError) as conflict:
            client.save(read, read.markdown + "\n\nToo late.\n")
        assert (conflict.value.status, conflict.value.code) == (409, "VERSION_CONFLICT") and conflict.value.request_id
        done = client.export(job, "MD_ZIP")
        path = client.download(done, tmp_path / "guide.zip")
        with zipfile.ZipFile(path) as file:
            assert "By a program" in file.read("instruction.md").decode()
        site = client.download_site([client.export(job, "SITE")], tmp_path / "site.zip", title="All & sundry")
        with zipfile.ZipFile(site) as file:
            assert "All &amp; sundry" in file.read("index.html").decode()
        with pytest.raises(ApiError) as absent:
            client.job("00000000-0000-0000-0000-000000000000")
        assert absent.value.code == "RESOURCE_NOT_FOUND"


def test_given_the_asynchronous_client_when_it_does_the_same_then_it_finds_the_same(
    office: tuple[Stack, RunningApi], made: tuple[Job, list[Event], list[int]], tmp_path: Path
) -> None:
    job, events, _ = made

    async def look() -> tuple[list[str], Instruction, Export, Job]:
        async with AsyncClient(office[1].url, TOKEN) as client:
            heard = [each.id async for each in client.follow(job.id, after=events[-3].id)]
            assert job.instruction_id is not None
            read = await client.instruction(job.instruction_id, 1)
            done = await client.export(job.id, "HTML")
            await client.download(done, tmp_path / "guide.html")
            await client.download_site([await client.export(job.id, "SITE")], tmp_path / "handbook.zip")
            waiting = await client.create_job()
            sent = await client.upload(waiting.id, SAMPLE)
            assert job.id in [each.id async for each in client.jobs()]
            return heard, read, done, sent

    heard, read, done, sent = asyncio.run(look())
    assert heard[0] == events[-2].id and read.version == 1
    assert done.size_bytes == (tmp_path / "guide.html").stat().st_size
    assert zipfile.is_zipfile(tmp_path / "handbook.zip")
    assert sent.status == "UPLOADED"


def test_given_a_job_that_fails_when_a_program_waits_for_it_then_its_code_is_raised(
    office: tuple[Stack, RunningApi], tmp_path: Path
) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("no recording at all")
    with Client(office[1].url, TOKEN) as client, pytest.raises((JobFailed, ApiError)) as failed:
        client.make(text)
    assert isinstance(failed.value, JobFailed | ApiError) and failed.value.code == "MEDIA_NOT_RECOGNISED"


def test_given_an_api_that_is_busy_or_gone_when_a_program_asks_then_it_asks_again_and_says_so_in_the_end() -> None:
    keys: list[str] = []

    def busy_once(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        if len(keys) == 1:
            return httpx.Response(503, headers={"Retry-After": "0"}, json={"code": "X", "message": "x"})
        return httpx.Response(200, json={"id": "p", "name": "x", "created_at": "2026-01-01T00:00:00Z", "new": 1})

    def gone(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody")

    from guidesmith.client import flows

    with Client("http://x", "t", transport=httpx.MockTransport(busy_once)) as client:
        assert client.request("POST", "projects", {"name": "x"})["id"] == "p"
    assert len(keys) == 2 and keys[0] == keys[1], "one creation, however often it is sent"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flows, "FIRST_PAUSE_S", 0.0)
        with Client("http://x", "t", transport=httpx.MockTransport(gone)) as client, pytest.raises(Unreachable):
            client.job("j")


def test_given_a_settled_job_when_followed_from_its_newest_event_then_the_next_sign_of_life_ends_it() -> None:
    job = {"id": "j", "kind": "instruction", "status": "DRAFT_READY", "progress": 90, "attempt": 1, "project_id": "p"}
    job |= {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}

    def signs_of_life() -> Iterator[bytes]:
        yield b": ping\n\n"
        raise AssertionError("it was read on")

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/events"):
            assert request.headers["last-event-id"] == "7"
            return httpx.Response(200, content=signs_of_life())
        return httpx.Response(200, json=job)

    with Client("http://x", "t", transport=httpx.MockTransport(answer)) as client:
        assert list(client.follow("j", after="7")) == []


def test_given_a_deletion_whose_answer_was_lost_when_it_is_sent_again_then_gone_is_done_but_not_at_first() -> None:
    from guidesmith.client import flows

    def answering(*answers: int | None) -> httpx.MockTransport:
        left = iter(answers)

        def answer(request: httpx.Request) -> httpx.Response:
            status = next(left)
            if status is None:
                raise httpx.ReadError("broke off")
            return httpx.Response(status, json={"code": "NOT_FOUND", "message": "There is none."})

        return httpx.MockTransport(answer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flows, "FIRST_PAUSE_S", 0.0)
        for lost in (None, 502, 504):
            with Client("http://x", "t", transport=answering(lost, 404)) as client:
                client.delete_job("j")
        for answers in ((404,), (429, 404)):
            with Client("http://x", "t", transport=answering(*answers)) as client, pytest.raises(ApiError) as absent:
                client.delete_job("j")
            assert absent.value.code == "NOT_FOUND"
        with Client("http://x", "t", transport=answering(None, 404)) as client, pytest.raises(ApiError):
            client.job("j")


def test_the_shapes_are_those_that_the_api_describes_and_what_is_settled_is_what_the_command_line_waits_for() -> None:
    shapes = description()["components"]["schemas"]
    for ours, theirs in ((Job, "JobAnswer"), (Instruction, "InstructionAnswer"), (Export, "ExportAnswer")):
        assert set(ours.model_fields) <= set(shapes[theirs]["properties"]), theirs
    assert set(Task.model_fields) <= set(shapes["TaskAnswer"]["properties"])
    assert set(Event.model_fields) - {"id", "stream"} <= set(shapes["HistoryRow"]["properties"])
    assert all(is_settled(each) for each in WAIT_FOR_PEOPLE if each.isupper())


def test_given_a_webhook_when_its_signature_does_not_hold_or_is_old_then_it_is_refused() -> None:
    body = b'{"data":{"job_id":"j"},"timestamp":"2026-01-01T00:00:00.000Z","type":"job.completed"}'
    now = datetime.now(UTC)
    headers = {name.title(): value for name, value in sign(WHSEC, "msg_1", body, now).items()}
    told = verify_webhook(WHSEC, headers, body)
    assert (told.id, told.type, told.data) == ("msg_1", "job.completed", {"job_id": "j"})
    old = sign(WHSEC, "msg_1", body, now - timedelta(minutes=6))
    other = "whsec_" + "AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    for secret, given, sent in (
        (other, headers, body),
        (WHSEC, headers, body + b" "),
        (WHSEC, old, body),
        (WHSEC, {}, body),
        ("", headers, body),
        (WHSEC, sign(WHSEC, "msg_1", b"[]", now), b"[]"),
    ):
        with pytest.raises(WebhookInvalid):
            verify_webhook(secret, given, sent)


# --- assistants ----------------------------------------------------------------------------------------------------


async def tool(client: McpClient, name: str, **arguments: Any) -> Any:
    answer = await client.call_tool(name, arguments)
    if answer.is_error:
        raise AssertionError(str(answer.content))
    return answer.structured_content


def test_given_an_assistant_over_stdio_when_it_reads_edits_and_exports_then_the_guide_is_on_this_machine(
    office: tuple[Stack, RunningApi], made: tuple[Job, list[Event], list[int]], tmp_path: Path
) -> None:
    job, _, _ = made
    environment = {**os.environ, "GUIDESMITH_API_URL": office[1].url, "GUIDESMITH_TOKEN": TOKEN}
    environment["GUIDESMITH_DATA_DIR"] = str(tmp_path / "data")
    server = StdioServerParameters(command=sys.executable, args=["-m", "starter.cli", "mcp"], env=environment)

    async def work() -> None:
        async with McpClient(server) as client:
            named = {each.name for each in (await client.list_tools()).tools}
            assert {"make_guide", "wait_for_job", "read_guide", "edit_guide", "rewrite_block", "export_guide"} <= named
            facts = await tool(client, "wait_for_job", job_id=job.id)
            assert facts["settled"] and facts["instruction_id"] == job.instruction_id
            guide = await tool(client, "read_guide", instruction_id=job.instruction_id)
            title = guide["title"]
            edit = {"instruction_id": job.instruction_id, "version": guide["version"]}
            edited = await tool(client, "edit_guide", **edit, old_text=f"# {title}", new_text="# By an assistant")
            assert edited["title"] == "By an assistant"
            refused = await client.call_tool("edit_guide", {**edit, "old_text": "not there", "new_text": ""})
            assert refused.is_error and "0 times" in str(refused.content)
            saved = await tool(
                client, "export_guide", job_id=job.id, save_to=str(tmp_path / "g.md.zip"), format="md_zip"
            )
            assert saved["size_bytes"] == (tmp_path / "g.md.zip").stat().st_size
            told = {each.name: each.annotations for each in (await client.list_tools()).tools}["export_guide"]
            assert told is not None and told.destructive_hint is True
            (tmp_path / "g.html").write_text("mine")
            export = {"job_id": job.id, "save_to": str(tmp_path / "g.html"), "format": "HTML"}
            refused = await client.call_tool("export_guide", export)
            assert refused.is_error and "overwrite=true" in str(refused.content)
            assert (tmp_path / "g.html").read_text() == "mine"
            await tool(client, "export_guide", **export, overwrite=True)
            assert "By an assistant" in (tmp_path / "g.html").read_text()
            (tmp_path / ".profile").write_text("mine")
            profile = {**export, "save_to": str(tmp_path / ".profile"), "overwrite": True}
            refused = await client.call_tool("export_guide", profile)
            assert refused.is_error and "*.html" in str(refused.content)
            assert (tmp_path / ".profile").read_text() == "mine"
            absent = await client.call_tool("make_guide", {"recording": str(tmp_path / "none.mp4")})
            assert absent.is_error and "no file" in str(absent.content)

    asyncio.run(asyncio.wait_for(work(), 120))


def test_given_an_assistant_over_http_when_it_comes_with_a_token_then_it_acts_for_it_and_touches_no_file(
    office: tuple[Stack, RunningApi], made: tuple[Job, list[Event], list[int]]
) -> None:
    job, _, _ = made
    port = free_port()
    digest = hashlib.sha256(SAMPLE.read_bytes()).hexdigest()

    async def work() -> None:
        shared = mcp_server.shared_server(office[1].url)
        serving = asyncio.create_task(mcp_server.serve_http(shared, "127.0.0.1", port, []))
        url = f"http://127.0.0.1:{port}/mcp"
        try:
            await asyncio.to_thread(wait_until, lambda: _listens(port), 30, "the server")
            async with _with_token(url, TOKEN) as client:
                named = {each.name for each in (await client.list_tools()).tools}
                assert "make_guide" not in named and {"begin_guide", "start_guide"} <= named
                assert (await tool(client, "job_status", job_id=job.id))["job_id"] == job.id
                wish = {"filename": "x.mp4", "size_bytes": SAMPLE.stat().st_size, "checksum_sha256": digest}
                begun = await tool(client, "begin_guide", **wish)
                sent = await asyncio.to_thread(httpx.put, begun["upload_url"], content=SAMPLE.read_bytes())
                assert sent.is_success
                started = await tool(client, "start_guide", job_id=begun["job_id"], video_uri=begun["video_uri"])
                assert not started["settled"]
                made_file = await tool(client, "export_guide", job_id=job.id, format="HTML")
                assert made_file["path"] is None and made_file["download_url"]
            async with _with_token(url, "nonsense") as client:
                refused = await client.call_tool("job_status", {"job_id": job.id})
                assert refused.is_error and "UNAUTHORIZED" in str(refused.content)
            async with McpClient(url) as client:
                refused = await client.call_tool("job_status", {"job_id": job.id})
                assert refused.is_error and "Bearer" in str(refused.content)
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(asyncio.wait_for(work(), 120))


def _with_token(url: str, token: str) -> McpClient:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    return McpClient(streamable_http_client(url, http_client=http))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
