"""The command line against an API that somebody else runs: named by its address, entered by a token."""

import json
import os
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from domain.errors import GuidesmithError
from guidesmith import client as programs
from starter.access.tokens import Tokens
from starter.cli.app import app
from starter.cli.client import Client, Refused
from starter.cli.connection import Connection, connected
from starter.cli.exits import Unreachable, UsageWrong
from starter.cli.memory import recording_sha256
from starter.local.folder import DataFolder
from tests.apis import PART_SIZE, SECRET, RunningApi, api_settings, running_api
from tests.integration.pictures import illustrated_job
from tests.integration.store_builders import STEP_BLOCK
from tests.temporal import free_port
from tests.walking import ABSENT


@pytest.fixture
def remote(api: RunningApi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RunningApi:
    monkeypatch.setenv("GUIDESMITH_API_URL", api.url)
    monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue("remote"))
    monkeypatch.setenv("GUIDESMITH_DATA_DIR", str(tmp_path / "data"))
    return api


def client_of(api: RunningApi, tmp_path: Path, subject: str = "remote") -> Client:
    return Client(Connection(api.url, Tokens(SECRET).issue(subject), DataFolder(tmp_path)))


def test_given_an_address_and_a_token_when_jobs_are_listed_then_they_are_that_apis(remote: RunningApi) -> None:
    with remote.client("remote") as client:
        project = client.post("projects", json={"name": "p"}).json()["id"]
        job_id = client.post(f"projects/{project}/jobs").json()["id"]
    listed = CliRunner().invoke(app, ["jobs", "list"])
    assert listed.exit_code == 0
    assert job_id in listed.stdout
    cancelled = CliRunner().invoke(app, ["jobs", "cancel", job_id])
    assert "CANCELLED" in cancelled.stdout


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["jobs", "show", "nope"], "guidesmith jobs list"),
        (["jobs", "list", "--status", "FAILD"], "FAILED"),
        (["library", "save", "nope"], "guidesmith library list"),
    ],
)
def test_given_a_slip_of_the_pen_when_asked_about_jobs_then_told_what_there_is(
    remote: RunningApi, command: list[str], says: str
) -> None:
    with pytest.raises(GuidesmithError, match=says):
        CliRunner().invoke(app, command, catch_exceptions=False)


def test_given_nothing_made_yet_when_the_library_is_listed_then_there_is_its_head(remote: RunningApi) -> None:
    listed = CliRunner().invoke(app, ["library", "list", "--medium", "picture"])
    assert listed.exit_code == 0
    assert "MADE BY" in listed.stdout


def test_given_the_secret_when_a_generation_is_retried_then_it_is_an_administrator_who_asks(
    remote: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused) as refused:
        CliRunner().invoke(app, ["generate", "retry", "nope"], catch_exceptions=False)
    assert refused.value.code == "FORBIDDEN"
    monkeypatch.delenv("GUIDESMITH_TOKEN")
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET", SECRET)
    with pytest.raises(GuidesmithError, match="no such job"):
        CliRunner().invoke(app, ["generate", "retry", "nope"], catch_exceptions=False)


def test_given_a_status_in_any_case_when_jobs_are_listed_then_it_is_that_status(remote: RunningApi) -> None:
    assert CliRunner().invoke(app, ["jobs", "list", "--status", "failed"]).exit_code == 0


def test_given_a_request_of_the_wrong_shape_when_refused_then_told_where(remote: RunningApi, tmp_path: Path) -> None:
    with client_of(remote, tmp_path) as client, pytest.raises(Refused, match=r"body\.name: \w+"):
        client.post("projects", {"name": 5})


def test_given_a_token_that_does_not_hold_when_asked_then_the_apis_own_word(
    remote: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIDESMITH_TOKEN", "stale")
    with pytest.raises(Refused) as refused:
        CliRunner().invoke(app, ["jobs", "list"], catch_exceptions=False)
    assert refused.value.code == "UNAUTHORIZED"


def test_given_an_address_without_a_token_when_connected_then_told_what_is_missing(
    remote: RunningApi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("GUIDESMITH_TOKEN")
    with pytest.raises(UsageWrong, match="GUIDESMITH_TOKEN"), connected(tmp_path, start=True):
        pass
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET", SECRET)
    with connected(tmp_path, start=True) as connection, Client(connection) as client:
        assert client.get("jobs")["items"] == []


def test_given_an_address_where_nobody_answers_when_asked_then_unreachable(
    remote: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIDESMITH_API_URL", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(Unreachable):
        CliRunner().invoke(app, ["jobs", "list"], catch_exceptions=False)


def test_given_an_upload_that_broke_off_when_sent_again_then_only_what_is_missing(
    api: RunningApi, tmp_path: Path
) -> None:
    recording = tmp_path / "clip.mp4"
    recording.write_bytes(os.urandom(40 * PART_SIZE + 7))
    size = recording.stat().st_size
    with client_of(api, tmp_path) as client:
        project = client.post("projects", {"name": "p"})["id"]
        job_id = client.post(f"projects/{project}/jobs")["id"]
        session = client.post(f"jobs/{job_id}/upload", {"filename": "clip.mp4"})

        def breaks_off(done: int) -> None:
            if done:  # of a slow machine it is asked before anything is on its way
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            client.upload(recording, session, breaks_off)
        assert 0 < len(client.get(session["upload_url"])["received_parts"]) < 41
        sent: list[int] = []
        client.upload(recording, session, sent.append)
        assert sent == sorted(sent)
        assert sent[-1] == size
        body = {"video_uri": session["video_uri"], "checksum_sha256": recording_sha256(recording, lambda _: None)}
        assert client.post(f"jobs/{job_id}/confirm-upload", body)["job"]["status"] == "UPLOADED"


def test_given_an_api_that_is_restarted_when_followed_then_the_client_goes_on_where_it_was(tmp_path: Path) -> None:
    settings = api_settings(tmp_path)
    token = Tokens(SECRET).issue("remote")
    client = Client(Connection(f"http://127.0.0.1:{settings.api_port}", token, DataFolder(tmp_path)))
    with running_api(settings):
        project = client.post("projects", {"name": "p"})["id"]
        job_id = client.post(f"projects/{project}/jobs")["id"]
        events = client.events(job_id)
        assert next(events).id == "1"
    with running_api(settings):
        client.post(f"jobs/{job_id}/upload", {"filename": "clip.mp4"})
        assert next(events).new_status == "UPLOADING"


def test_given_a_guide_when_it_is_shared_on_the_command_line_then_the_link_opens_until_it_is_revoked(
    remote: RunningApi, tmp_path: Path
) -> None:
    told = illustrated_job(remote.store, remote.artifacts, "remote")
    secret = tmp_path / "passphrase"
    secret.write_text("correct horse\nnot this\n")
    options = ["--days", "30", "--passphrase-file", str(secret), "--json"]
    said = CliRunner().invoke(app, ["shares", "add", told.job.id, *options]).stdout
    made, _ = json.JSONDecoder().raw_decode(said, said.index("{\n"))  # around it is the API's log, which runs here
    assert made["has_passphrase"] and made["expires_at"] and "correct" not in json.dumps(made)
    assert b"passphrase" in httpx.get(made["url"]).content
    listed = CliRunner().invoke(app, ["shares", "list", told.job.id])
    assert made["id"] in listed.stdout and made["url"] not in listed.stdout
    assert made["created_by"] is not None and made["created_by"] in listed.stdout.rpartition(made["id"])[2]
    updated = CliRunner().invoke(app, ["shares", "update", made["id"]])
    assert "shows version 1" in updated.stdout
    assert "opens nothing" in CliRunner().invoke(app, ["shares", "revoke", made["id"]]).stdout
    assert httpx.get(made["url"]).status_code == 404


def test_given_a_guide_when_it_is_commented_on_from_the_command_line_and_a_program_then_both_say_and_settle_the_same(
    remote: RunningApi,
) -> None:
    told = illustrated_job(remote.store, remote.artifacts, "remote")
    instruction = told.job.instruction_id
    assert instruction is not None

    def said(*words: str) -> str:
        done = CliRunner().invoke(app, ["comments", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "Said, in thread" in said("add", told.job.id, STEP_BLOCK, "Which one, @remote?")
    with programs.Client(remote.url, Tokens(SECRET).issue("remote")) as client:
        (thread,) = client.comments(instruction, resolved=False)
        assert [(each.author_name, each.text) for each in thread.comments] == [("remote", "Which one, @remote?")]
        assert client.reply(thread, "The blue one.").id == thread.id
        assert "The blue one." in said("list", told.job.id)
        assert "is resolved." in said("resolve", thread.id)
        assert list(client.comments(instruction, resolved=False)) == []
        assert "The blue one." not in said("list", told.job.id)
        assert "The blue one." in said("list", told.job.id, "--all")
        assert client.resolve(thread, resolved=False).resolved_at is None
        assert "Said, in thread" in said("reply", thread.id, "Or the red one.")
        again = client.comment(instruction, STEP_BLOCK, "Another thing.")
        assert [each.id for each in client.comments(instruction)] == [again.id, thread.id]
        with pytest.raises(programs.ApiError) as refused:
            client.comment(instruction, ABSENT, "Where?")
        assert refused.value.status == 400
    absent = CliRunner().invoke(app, ["comments", "resolve", ABSENT])
    assert absent.exit_code != 0 and "There is no such guide or thread" in str(absent.exception or absent.output)


def test_given_guides_when_they_are_found_renamed_thrown_away_and_brought_back_on_the_command_line_then_the_api_has_it(
    remote: RunningApi,
) -> None:
    job_id = illustrated_job(remote.store, remote.artifacts, "remote").job.id

    def said(*words: str) -> str:
        done = CliRunner().invoke(app, ["guides", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert job_id in said("list", "--sort", "title")
    assert "It is called Paint a palace now." in said("rename", job_id, "Paint a palace")
    assert "Paint a palace" in said("search", "palace")
    assert f"guidesmith guides restore {job_id}" in said("delete", job_id)
    assert "Paint a palace" in said("bin") and job_id not in said("list")
    assert f"Guide {job_id} is back." in said("restore", job_id)
    assert job_id in said("list") and job_id not in said("bin")
    said("delete", job_id)
    assert "is gone" in said("erase", job_id, "--yes")
    assert job_id not in said("bin")
