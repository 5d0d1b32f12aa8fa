"""What programs use: the client, blocking and asynchronous, against the real API and worker; webhooks; and the Model
Context Protocol over stdio and HTTP."""

import asyncio
import hashlib
import inspect
import os
import socket
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import av
import httpx
import httpx2
import numpy as np
import pytest
from mcp.client.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from numpy.typing import NDArray
from pydantic import SecretStr

from activities.media import grab_frame
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
    Unreachable,
    WebhookInvalid,
    shapes,
    verify_webhook,
)
from guidesmith.client.shapes import WAIT_FOR_PEOPLE
from starter.access.tokens import Role, Tokens
from starter.api.app import description
from starter.cli.stages import is_settled
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.stack import ROOT, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

pytestmark = pytest.mark.timeout(420)  # a guide and two films are made: a minute each, where much else is done

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
        page = client.export(job, "HTML")
        files = client.download_exports([done, page], tmp_path / "files.zip")
        with zipfile.ZipFile(files) as file:
            assert sorted(Path(each).suffix for each in file.namelist()) == [".html", ".zip"]
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


def test_given_a_guide_when_a_program_makes_a_link_then_it_lists_updates_and_revokes_it(
    office: tuple[Stack, RunningApi], made: tuple[Job, list[Event], list[int]]
) -> None:
    job, _, _ = made
    assert job.instruction_id is not None
    until = datetime.now(UTC) + timedelta(days=1)
    with Client(office[1].url, TOKEN) as client:
        guide = client.instruction(job.instruction_id)
        link = client.share(guide, name="The team", passphrase="a long one", expires_at=until, recording=True)
        assert "/shared/" in link.url and link.name == "The team" and link.has_passphrase and link.recording
        assert link.expires_at is not None and abs(link.expires_at - until) < timedelta(seconds=1)
        other = client.share(job.instruction_id, embed_origins=["https://wiki.example.org"])
        assert [each.id for each in client.shares(guide)] == [other.id, link.id]
        assert other.embed_origins == ("https://wiki.example.org",) and other.expires_at is None
        shown = wait_until(lambda: next(client.shares(guide)).version, 60, "the link to show something")
        assert shown == guide.version
        newer = client.save(guide, guide.markdown + "\n\nThat is all.\n")
        assert next(client.shares(guide)).is_behind
        assert not client.update_share(other).is_behind
        wait_until(lambda: next(client.shares(guide)).version == newer.version, 60, "the link to show the newest")
        client.revoke_share(other)
        assert [each.is_open for each in client.shares(guide)] == [False, True]
        done_by = [(each.created_by, each.updated_by, each.revoked_by) for each in client.shares(guide)]
        assert done_by == [("ann", "ann", "ann"), ("ann", None, None)]

        async def look() -> list[bool]:
            async with AsyncClient(office[1].url, TOKEN) as there:
                await there.revoke_share(link.id)
                return [each.is_open async for each in there.shares(guide)]

        assert asyncio.run(look()) == [False, False]
        with pytest.raises(ApiError) as short:
            client.share(guide, passphrase="short")
        assert short.value.code == "VALIDATION_ERROR"


def test_given_a_project_when_programs_share_it_then_people_come_change_roles_and_go_and_jobs_move(
    office: tuple[Stack, RunningApi],
) -> None:
    url = office[1].url
    with Client(url, TOKEN) as ann, Client(url, Tokens(SECRET).issue("ben", Role.EDITOR, ttl_s=3600)) as ben:
        team = ann.rename_project(ann.add_project("Onboarding"), "Welcome")
        assert ann.place_project(team, confluence_space=None).name == "Welcome"
        assert (team.name, team.role) == ("Welcome", "owner")
        link = ann.invite(team, "viewer", expires_at=datetime.now(UTC) + timedelta(days=2))
        assert [(each.id, each.role, each.revoked_at) for each in ann.invitations(team)] == [(link.id, "viewer", None)]
        ann.revoke_invitation(next(ann.invitations(team)))
        with pytest.raises(ApiError):
            ben.accept_invitation(link.url)
        ben.accept_invitation(ann.invite(team, "viewer").url)
        assert [(each.used_by, each.revoked_at is None) for each in ann.invitations(team)] == [
            ("ben", True), (None, False)
        ]  # fmt: skip
        assert ann.change_role(team, ann.members(team)[1], "editor").role == "editor"
        waiting = ann.create_job()
        with pytest.raises(ApiError):
            ben.job(waiting.id)
        assert ann.move_job(waiting.id, team).project_id == team.id
        assert ben.job(waiting.id).role == "editor"
        ben.leave(team)
        assert team.id not in [each.id for each in ben.projects()]
        for _ in range(2):
            ben.accept_invitation(ann.invite(team, "editor").url)
            ann.remove_member(team, "ben")
            assert [each.user_id for each in ann.members(team)] == ["ann"]
        ben.accept_invitation(ann.invite(team, "editor").url)
        ann.cancel(waiting.id)  # what is being worked on keeps its owner
        handed = ann.hand_over(team, "ben")
        assert (handed.owner, handed.role) == ("ben", "editor")

        async def end() -> list[str]:
            async with AsyncClient(url, Tokens(SECRET).issue("ben", Role.EDITOR, ttl_s=3600)) as there:
                own = await there.add_project("Of ben")
                await there.move_job(waiting.id, own)
                await there.throw_away(waiting.id)
                await there.erase_guide(waiting.id)
                with pytest.raises(ApiError) as gone:
                    await there.restore_guide(waiting.id)
                assert gone.value.code == "RESOURCE_NOT_FOUND"
                await there.delete_project(own)
                await there.delete_project(team)
                return [each.name async for each in there.projects()]

        assert asyncio.run(end()) == []
        assert team.id not in [each.id for each in ann.projects()]


def test_the_asynchronous_client_has_every_method_of_the_blocking_one() -> None:
    def methods(client: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in inspect.getmembers(client, inspect.isfunction)
            if not name.startswith("_")
        }

    assert methods(Client) == methods(AsyncClient)


def test_given_a_recording_when_its_guide_is_filmed_then_it_is_cut_to_its_steps_with_sound_and_captions_or_read_out(
    office: tuple[Stack, RunningApi], made: tuple[Job, list[Event], list[int]], tmp_path: Path
) -> None:
    job, _, _ = made
    with Client(office[1].url, TOKEN) as client:
        assert job.instruction_id is not None
        whole = client.instruction(job.instruction_id)
        head, *blocks = whole.markdown.split("<!-- block:")[1:]
        chosen = ("Choose Harbor", "Type website", "> Note that")  # a film of all takes three times as long
        few = [each for each in blocks if any(text in each for text in chosen)]
        guide = client.save(whole, "".join(f"<!-- block:{each}" for each in (head, *few)))
        said = client.request("GET", f"jobs/{job.id}/transcript", limit=100)["items"]
        films = {}
        for kind in ("MP4", "MP4_VOICE"):
            done = client.export(job, kind, version_id=guide.instruction_version_id)
            assert done.warnings == (), "neither is the recording gone, nor does it stay out"
            films[kind] = Film.read(client.download(done, tmp_path / f"{kind}.mp4"))
        assert client.name_version(guide, guide.version, "Filmed").name == "Filmed"
        restored = client.restore(guide, whole.version)
        assert restored.markdown == whole.markdown and restored.version == guide.version + 1
        assert [each.name for each in client.versions(guide)][:3] == [None, "Filmed", None]
    titles = [line.removeprefix("# ").removeprefix("## ") for line in guide.markdown.splitlines() if line[:1] == "#"]
    steps = [each for each in guide.blocks if each.role == "step"]
    assert len(steps) == 2 and steps[0].start_ms is not None and steps[0].end_ms is not None
    shown_at = steps[0].start_ms + 100
    shown = np.asarray(grab_frame(SAMPLE, shown_at, duration_ms=38_000).image.convert("RGB")).astype(int)
    for film in films.values():
        assert film.streams == {"video": "h264", "audio": "aac", "subtitle": "mov_text"}
        assert [each.title for each in film.chapters] == [
            titles[0], *(f"{number}. {title}" for number, title in enumerate(titles[1:], start=1))
        ]  # fmt: skip
        assert film.length_s == pytest.approx(film.chapters[-1].end_s, abs=0.1)
        picture = film.picture_at(film.chapters[1].start_s + 0.1)
        assert picture.shape[0] > shown.shape[0], "the step's heading stands below what is shown"
        assert np.abs(picture[: shown.shape[0]].astype(int) - shown).mean() < 3, "the recording, where the step begins"
    heard, read_out = films["MP4"], films["MP4_VOICE"]
    quiet = [each.title for each in heard.chapters if heard.loudness_db(each) < -30]
    assert quiet == [titles[0]], "its card is silent, and every step is heard"
    ends_ms = max(each.end_ms or 0 for each in guide.blocks if each.role == "note")
    used = [each["text"] for each in said if steps[0].start_ms <= each["start_ms"] < ends_ms]
    assert len(used) == 3
    assert " ".join(text for _, text in heard.captions) == " ".join(used), "what is said, each word once"
    assert [each.title for each in read_out.chapters if read_out.loudness_db(each) < -30] == []
    note = next(line for line in guide.markdown.splitlines() if line.startswith("> ")).removeprefix("> ")
    spoken = [*(f"{each}." for each in titles), note]
    assert " ".join(text for _, text in read_out.captions) == " ".join(spoken)
    for chapter in read_out.chapters:
        assert any(abs(at - chapter.start_s - 0.3) < 0.01 for at, _ in read_out.captions), chapter


@dataclass(frozen=True)
class Chapter:
    title: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Film:
    """What is in an MP4. ``captions``: when each appears, s, and its text on one line."""

    path: Path
    streams: dict[str, str]
    length_s: float
    chapters: tuple[Chapter, ...]
    captions: tuple[tuple[float, str], ...]
    sound: NDArray[np.float32]
    rate_hz: int

    @classmethod
    def read(cls, path: Path) -> "Film":
        with av.open(str(path)) as source:
            chapters = tuple(
                Chapter(
                    each["metadata"]["title"],
                    *(float(each[end] * (each["time_base"] or 0)) for end in ("start", "end")),
                )
                for each in source.chapters()
            )
            streams = {str(each.type): each.codec_context.name for each in source.streams if each.type != "data"}
            captions = tuple(
                (float((packet.pts or 0) * (packet.time_base or 0)), " ".join(bytes(packet)[2:].decode().split()))
                for packet in source.demux(source.streams.subtitles[0])
                if len(bytes(packet)) > 2
            )
        with av.open(str(path)) as source:
            sound = np.concatenate([each.to_ndarray().reshape(-1) for each in source.decode(audio=0)])
            length_s = (source.duration or 0) / av.time_base
            return cls(path, streams, length_s, chapters, captions, sound, source.streams.audio[0].rate)

    def loudness_db(self, chapter: Chapter) -> float:
        """Of the chapter's sound, dB below full scale: speech is some 20 below, silence below 60."""
        part = self.sound[round(chapter.start_s * self.rate_hz) : round(chapter.end_s * self.rate_hz)]
        return float(20 * np.log10(np.sqrt((part.astype(float) ** 2).mean()) + 1e-9))

    def picture_at(self, at_s: float) -> NDArray[np.uint8]:
        with av.open(str(self.path)) as source:
            source.seek(int(at_s * av.time_base))
            shown = None
            for frame in source.decode(video=0):
                if frame.time is not None and frame.time > at_s:
                    break
                shown = frame
            assert shown is not None
            return np.asarray(shown.to_ndarray(format="rgb24"), dtype=np.uint8)


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

    from guidesmith.client.flows import asking

    with Client("http://x", "t", transport=httpx.MockTransport(busy_once)) as client:
        assert client.request("POST", "projects", {"name": "x"})["id"] == "p"
    assert len(keys) == 2 and keys[0] == keys[1], "one creation, however often it is sent"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "FIRST_PAUSE_S", 0.0)
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
    from guidesmith.client.flows import asking

    def answering(*answers: int | None) -> httpx.MockTransport:
        left = iter(answers)

        def answer(request: httpx.Request) -> httpx.Response:
            status = next(left)
            if status is None:
                raise httpx.ReadError("broke off")
            return httpx.Response(status, json={"code": "NOT_FOUND", "message": "There is none."})

        return httpx.MockTransport(answer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "FIRST_PAUSE_S", 0.0)
        for lost in (None, 502, 504):
            with Client("http://x", "t", transport=answering(lost, 404)) as client:
                client.delete_job("j")
        with Client("http://x", "t", transport=answering(None, 404)) as client:
            client.leave("p")
        for answers in ((404,), (429, 404)):
            with Client("http://x", "t", transport=answering(*answers)) as client, pytest.raises(ApiError) as absent:
                client.delete_job("j")
            assert absent.value.code == "NOT_FOUND"
        with Client("http://x", "t", transport=answering(None, 404)) as client, pytest.raises(ApiError):
            client.job("j")


def test_the_shapes_are_those_that_the_api_describes_and_what_is_settled_is_what_the_command_line_waits_for() -> None:
    described = description()["components"]["schemas"]
    assert not [name for name in described if "__" in name], "two shapes of one name"
    theirs = {
        shapes.BinnedGuide: "BinnedAnswer",
        shapes.Block: "BlockAnswer",
        shapes.Failure: "FailureAnswer",
        shapes.FoundGuide: "FoundAnswer",
        shapes.MadeInvitation: "MadeInvitation",
        shapes.MadeShare: "MadeShare",
        shapes.Notice: "DraftNotice",
        shapes.TranslatedBlock: "TranslatedBlock",
        shapes.TranslationDetails: "TranslationDetails",
    }
    none_of_one_answer = {shapes.Answer, Event, shapes.WebhookMessage}
    for name, ours in inspect.getmembers(shapes, inspect.isclass):
        if issubclass(ours, shapes.Answer) and ours not in none_of_one_answer:
            known = described[theirs.get(ours, f"{name}Answer")]
            assert set(ours.model_fields) <= set(known["properties"]), name
    assert set(Event.model_fields) - {"id", "stream"} <= set(described["HistoryRow"]["properties"])
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


async def finds_and_comments(client: McpClient, job: Job) -> None:
    """An assistant finds a guide by what was said, and talks about a block of it."""
    (found,) = (await tool(client, "search_guides", words="harbor coffee"))["result"]
    assert (found["job_id"], found["instruction_id"]) == (job.id, job.instruction_id)
    assert {"step", "transcript"} <= {each["part"] for each in found["places"]}
    place = next(each for each in found["places"] if each["part"] == "step")
    assert place["step"] == 3 and "Harbor Coffee" in place["text"]
    assert (await tool(client, "search_guides", words="harbor zeppelin"))["result"] == []
    guide = {"instruction_id": job.instruction_id}
    thread = await tool(client, "add_comment", **guide, block_id=place["block_id"], text="Which customer?")
    await tool(client, "reply_to_comment", thread_id=thread["thread_id"], text="Any.")
    (read,) = (await tool(client, "read_comments", **guide))["result"]
    assert [each["text"] for each in read["comments"]] == ["Which customer?", "Any."] and not read["resolved"]
    assert (await tool(client, "resolve_comment", thread_id=thread["thread_id"]))["resolved"]
    assert (await tool(client, "read_comments", **guide))["result"] == []
    assert thread["thread_id"] in [
        each["thread_id"] for each in (await tool(client, "read_comments", **guide, resolved=True))["result"]
    ]
    refused = await client.call_tool("add_comment", {**guide, "block_id": "none", "text": "Here?"})
    assert refused.is_error


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
            await finds_and_comments(client, job)
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

    asyncio.run(asyncio.wait_for(work(), 170))


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
                await finds_and_comments(client, job)
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

    asyncio.run(asyncio.wait_for(work(), 170))


def _with_token(url: str, token: str) -> McpClient:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    return McpClient(streamable_http_client(url, http_client=http))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
