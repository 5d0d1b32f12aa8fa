"""Exports over HTTP, made by a real worker: what exactly they show, and what becomes of them."""

import io
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import av
import httpx
import pytest
from PIL import Image
from pydantic import SecretStr
from typer.testing import CliRunner

from activities.filming.film import GONE, STILL
from activities.tasks.documents import DocumentTasks, TaskParts
from domain.jobs import Actor
from domain.lifecycles.instruction import DONE, EDITING, EXPORTING
from domain.lifecycles.lifecycle import Trigger
from starter.access.tokens import Tokens
from starter.cli.app import app
from starter.cli.exits import UsageWrong
from starter.places import confluence_space, notion_page
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import Illustrated, illustrated_job
from tests.integration.store_builders import MARKDOWN
from tests.notion import PARENT, running_notion
from tests.stack import wait_until
from tests.temporal import TemporalServer, free_port
from tests.wiki import running_wiki
from tests.workers import serving
from workflows.tasks import ExportWorkflow

BLUR = {"op_type": "blur", "geometry": {"x": 0.3, "y": 0.2, "w": 0.6, "h": 0.4}}
MARKER = {"op_type": "marker", "geometry": {"x": 0, "y": 0, "w": 0.5, "h": 0.5}}


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API with task queues of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = api_settings(tmp_path_factory.mktemp("exports"), task_queue_prefix="exports")
        with running_api(settings) as running:
            wait_ready(running)
            yield running


@contextmanager
def publishing(api: RunningApi, temporal: TemporalServer, **parts: Any) -> Iterator[None]:
    """A worker that makes exports, while the block runs."""
    tasks = DocumentTasks(TaskParts(api.store, api.artifacts, rewriters={}, default_profile="local", **parts))
    activities = [tasks.publish, tasks.fail_export]
    with serving(temporal.address, api.settings, ("jobs", "media"), activities, (ExportWorkflow,)):
        yield


@pytest.fixture
def publisher(api: RunningApi, temporal: TemporalServer) -> Iterator[None]:
    with publishing(api, temporal):
        yield


@pytest.fixture
def shot(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


def request(
    client: httpx.Client, shot: Illustrated, kind: str = "MD_ZIP", version: str | None = None
) -> httpx.Response:
    body = {"format": kind, "instruction_version_id": version or shot.instruction_version_id}
    return client.post(f"jobs/{shot.job.id}/exports", json=body)


def finished(client: httpx.Client, export_id: str) -> dict[str, Any]:
    def ended() -> dict[str, Any] | None:
        body: dict[str, Any] = client.get(f"exports/{export_id}").json()
        return body if body["status"] in ("SUCCEEDED", "FAILED") else None

    return wait_until(ended, 60, "the export")


def exported(
    client: httpx.Client, shot: Illustrated, kind: str = "MD_ZIP", version: str | None = None
) -> dict[str, Any]:
    answer = request(client, shot, kind, version)
    assert answer.status_code in (200, 202), answer.text
    body = finished(client, answer.json()["id"])
    assert body["status"] == "SUCCEEDED", body["failure"]
    return body


def contents(export: dict[str, Any]) -> tuple[str, dict[str, bytes]]:
    """The text and the pictures of an MD_ZIP."""
    archive = zipfile.ZipFile(io.BytesIO(httpx.get(export["download_url"]).content))
    pictures = {name: archive.read(name) for name in archive.namelist() if name.startswith("images/")}
    return archive.read("instruction.md").decode(), pictures


def annotate(client: httpx.Client, shot: Illustrated, operation: dict[str, Any]) -> str:
    body = {"base_asset_id": shot.asset_id, "operations": [operation]}
    answer = client.post(f"anchors/{shot.anchor_id}/annotations", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["rendered_asset_id"])


def asset_bytes(api: RunningApi, shot: Illustrated) -> bytes:
    (picture,) = api.store.screenshots_for(shot.instruction_version_id)
    return api.artifacts.read_bytes(picture.blob)


def audited(client: httpx.Client, shot: Illustrated) -> list[str]:
    rows = client.get(f"jobs/{shot.job.id}/history", params={"limit": 100}).json()["items"]
    return [row["event_type"] for row in reversed(rows) if row["event_type"].startswith("EXPORT_")]


# --- what an export shows ----------------------------------------------------------------------------------------


def test_given_a_plain_screenshot_when_exported_then_it_is_in_the_file_and_no_rendering_is_named(
    publisher: None, ann: httpx.Client, shot: Illustrated
) -> None:
    export = exported(ann, shot)
    assert export["provenance"]["anchors"] == [
        {"anchor_id": shot.anchor_id, "active_asset_id": shot.asset_id, "rendered_asset_id": None}
    ]
    assert contents(export)[1] == {"images/step-01.png": shot.data}
    assert audited(ann, shot) == ["EXPORT_REQUESTED", "EXPORT_STARTED", "EXPORT_SUCCEEDED"]


def test_given_an_annotated_screenshot_when_exported_then_only_the_rendering_is_in_the_file_and_its_provenance(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    rendered = annotate(ann, shot, BLUR)
    export = exported(ann, shot)
    provenance = export["provenance"]
    assert provenance["anchors"] == [
        {"anchor_id": shot.anchor_id, "active_asset_id": rendered, "rendered_asset_id": rendered}
    ]
    assert provenance["instruction_version_id"] == shot.instruction_version_id
    assert provenance["instruction_snapshot_id"] == shot.instruction_version_id
    assert provenance["generated_at"].endswith("Z")
    assert export["provenance_frozen_at"]
    assert contents(export)[1] == {"images/step-01.png": asset_bytes(api, shot)}
    assert shot.data not in httpx.get(export["download_url"]).content


def test_given_a_recording_that_is_gone_when_filmed_then_the_pictures_are_the_film_and_it_says_so(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    export = exported(ann, shot, "MP4")
    assert export["warnings"] == [GONE]
    assert filmed(export) > 3
    assert not list(api.artifacts.list(f"exports/{shot.job.id}/{export['id']}/0/"))  # pieces are not kept
    refused = finished(ann, request(ann, shot, "MP4_VOICE").json()["id"])
    assert refused["failure"]["failure_code"] == "VOICE_UNAVAILABLE"


def test_given_a_blur_that_was_deleted_with_its_picture_when_filmed_then_the_recording_still_stays_out(
    publisher: None, ann: httpx.Client, shot: Illustrated
) -> None:
    rendered = annotate(ann, shot, BLUR)
    assert exported(ann, shot, "MP4")["warnings"] == [STILL]
    assert ann.delete(f"anchors/{shot.anchor_id}/assets/{rendered}").is_success
    assert exported(ann, shot, "MP4")["warnings"] == [STILL]


def filmed(export: dict[str, Any]) -> float:
    """How long the video is, s."""
    with av.open(io.BytesIO(httpx.get(export["download_url"]).content), "r") as film:
        assert film.streams.video[0].codec_context.name == "h264"
        return (film.duration or 0) / av.time_base


def test_given_another_set_of_pictures_when_exported_then_it_is_another_export_and_the_first_stays_as_it_is(
    publisher: None, ann: httpx.Client, shot: Illustrated
) -> None:
    before = exported(ann, shot)
    annotate(ann, shot, MARKER)
    after = exported(ann, shot)
    assert after["id"] != before["id"]
    assert after["identity_key"] != before["identity_key"]
    assert after["provenance"]["screenshot_set_hash"] != before["provenance"]["screenshot_set_hash"]
    again = ann.get(f"exports/{before['id']}").json()
    assert again["provenance"] == before["provenance"]
    assert contents(again)[1] == {"images/step-01.png": shot.data}
    annotate(ann, shot, MARKER)  # the same drawing: the same set
    assert request(ann, shot).json()["id"] == after["id"]
    assert "*Result*" not in contents(after)[0]


def test_given_a_picture_that_is_marked_as_result_when_exported_then_readers_are_told_until_it_is_not_any_more(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    path = f"anchors/{shot.anchor_id}/outcome"
    before = request(ann, shot).json()
    for _ in range(2):
        marked = ann.put(path, json={"is_outcome": True}).json()
        assert (marked["is_outcome"], marked["active_asset_id"]) == (True, shot.asset_id)
    waiting = request(ann, shot).json()
    assert ann.put(path, json={"is_outcome": False}).json()["is_outcome"] is False
    assert request(ann, shot).json()["id"] == before["id"] != waiting["id"]
    plain, as_result = (contents(finished(ann, each["id"]))[0] for each in (before, waiting))
    assert "*Result*" not in plain
    assert as_result.index("*Result*") < as_result.index("images/step-01.png")
    with api.client("mallory") as mallory:
        assert mallory.put(path, json={"is_outcome": True}).status_code == 404
    assert ann.put(path, json={"is_outcome": "yes"}).status_code == 400
    rows = ann.get(f"jobs/{shot.job.id}/history", params={"limit": 100}).json()["items"]
    told = [each["data"]["is_outcome"] for each in rows if "is_outcome" in each["data"]]
    assert sorted(told) == [False, True], "what changes nothing is not told"


def test_given_an_edit_and_a_drawing_while_an_export_waits_then_it_shows_what_was_there_when_it_was_asked_for(
    api: RunningApi, temporal: TemporalServer, ann: httpx.Client, shot: Illustrated
) -> None:
    asked = request(ann, shot)
    assert (asked.status_code, asked.json()["status"]) == (202, "REQUESTED")
    edited = MARKDOWN.replace("Enter the name.", "Enter the *full* name.")
    url = f"instructions/{shot.job.instruction_id}"
    saved = ann.put(url, json={"base_version": 1, "markdown": edited}).json()
    drawing = annotate(ann, shot, BLUR)
    later = request(ann, shot, version=saved["instruction_version_id"])
    with publishing(api, temporal):
        first, second = finished(ann, asked.json()["id"]), finished(ann, later.json()["id"])
    text, pictures = contents(first)
    assert "Enter the name." in text
    assert pictures == {"images/step-01.png": shot.data}
    assert first["provenance"]["anchors"][0]["active_asset_id"] == shot.asset_id
    text, pictures = contents(second)
    assert "Enter the *full* name." in text
    assert pictures == {"images/step-01.png": asset_bytes(api, shot)}
    assert second["provenance"]["anchors"][0]["rendered_asset_id"] == drawing


# --- a file that was lost ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["gone", "cut"])
def test_given_a_finished_export_whose_file_was_lost_when_asked_for_again_then_a_new_one_is_made(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated, loss: str
) -> None:
    export = exported(ann, shot)
    blob = api.store.get_export(export["id"]).blob
    assert blob is not None
    api.artifacts.delete(blob.key)
    if loss == "cut":
        api.artifacts.put_bytes(blob.key, b"half", blob.media_type)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: request(ann, shot), range(8)))
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert [answer.status_code for answer in answers].count(202) == 1
    again = finished(ann, answers[0].json()["id"])
    assert again["id"] != export["id"]
    assert again["identity_key"] == export["identity_key"]
    assert contents(again)[1] == {"images/step-01.png": shot.data}
    lost = ann.get(f"exports/{export['id']}").json()
    assert (lost["status"], lost["failure"]["failure_code"]) == ("FAILED", "ARTIFACT_MISSING")
    assert lost["download_url"] is None
    assert audited(ann, shot).count("EXPORT_FAILED") == 1
    assert request(ann, shot).json()["id"] == again["id"]


@pytest.mark.parametrize("loss", ["gone", "cut", "changed"])
def test_given_a_finished_export_whose_file_was_lost_when_downloaded_then_404_and_asked_for_again_it_is_made(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated, loss: str
) -> None:
    export = exported(ann, shot)
    blob = api.store.get_export(export["id"]).blob
    assert blob is not None
    whole = api.artifacts.read_bytes(blob)
    api.artifacts.delete(blob.key)
    left = {"gone": None, "cut": whole[:-1], "changed": whole[:-1] + bytes([whole[-1] ^ 1])}[loss]
    if left is not None:
        api.artifacts.put_bytes(blob.key, left, blob.media_type)

    for file in (httpx.get(export["download_url"]) for _ in range(2)):
        assert (file.status_code, file.headers["Content-Type"]) == (404, "application/json"), "not a byte of it"
        assert "Content-Disposition" not in file.headers
    lost = ann.get(f"exports/{export['id']}").json()
    assert (lost["status"], lost["failure"]["failure_code"]) == ("FAILED", "ARTIFACT_MISSING")

    again = exported(ann, shot)
    assert again["id"] != export["id"]
    assert contents(again)[1] == {"images/step-01.png": shot.data}


def test_given_an_export_made_while_its_picture_was_away_when_asked_for_again_then_it_is_made_with_it(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    (picture,) = api.store.screenshots_for(shot.instruction_version_id)
    api.artifacts.delete(picture.blob.key)
    without = exported(ann, shot)
    assert contents(without)[1] == {}
    assert any("1 screenshot(s) are lost or damaged" in each for each in without["warnings"])

    api.artifacts.put_bytes(picture.blob.key, shot.data, picture.blob.media_type)
    again = exported(ann, shot)

    assert again["id"] != without["id"]
    assert contents(again)[1] == {"images/step-01.png": shot.data}
    assert (again["warnings"], contents(without)[1]) == ([], {}), "what was made stays as it is"
    assert request(ann, shot).json()["id"] == again["id"], "the whole one is what stands for it"


# --- a job that is done ------------------------------------------------------------------------------------------


def test_given_a_done_job_when_edited_drawn_on_and_exported_again_then_it_stays_done(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    for target in (EDITING, EXPORTING, DONE):
        api.store.move(shot.job.id, None, str(target), trigger=Trigger.API, actor=Actor.EDITOR)
    done = ann.get(f"jobs/{shot.job.id}").json()
    assert exported(ann, shot, "HTML")["status"] == "SUCCEEDED"
    url = f"instructions/{shot.job.instruction_id}"
    saved = ann.put(url, json={"base_version": 1, "markdown": MARKDOWN + "\nOne more.\n"})
    assert (saved.status_code, saved.json()["version"]) == (200, 2)
    annotate(ann, shot, BLUR)
    export = exported(ann, shot, version=saved.json()["instruction_version_id"])
    assert "One more." in contents(export)[0]
    after = ann.get(f"jobs/{shot.job.id}").json()
    assert (after["status"], after["completed_at"]) == ("DONE", done["completed_at"])
    assert [each["format"] for each in after["manifest"]["exports"]] == ["MD_ZIP", "HTML"]


# --- a site of several --------------------------------------------------------------------------------------------


def unpacked(answer: httpx.Response) -> dict[str, bytes]:
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_given_guides_when_fetched_as_a_site_then_it_shows_what_is_drawn_and_only_to_who_may_read_them(
    publisher: None, api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    annotate(ann, shot, BLUR)
    other = illustrated_job(api.store, api.artifacts)
    ids = [exported(ann, each, "SITE")["id"] for each in (shot, other)]
    query = {"export_ids": ",".join(ids), "title": "Ledgerly & co"}
    answer = ann.get("guides/site.zip", params=query)
    assert "Ledgerly-co.zip" in answer.headers["content-disposition"]
    files = unpacked(answer)
    folders = sorted({name.split("/")[1] for name in files if name.startswith("guides/")})
    assert len(folders) == 2
    older = f"guides/{folders[0]}"
    assert folders[1] == f"{folders[0]}-2"
    assert b"Ledgerly &amp; co" in files["index.html"]
    assert b"Ledgerly &amp; co" in files[f"{older}/index.html"]
    assert files[f"{older}/images/step-01.png"] == asset_bytes(api, shot)
    assert shot.data not in [data for name, data in files.items() if name.startswith(f"{older}/")]
    assert files[f"{older}-2/images/step-01.png"] == other.data

    half = len(answer.content) // 2
    rest = ann.get("guides/site.zip", params=query, headers={"Range": f"bytes={half}-"})
    assert (rest.status_code, rest.content) == (206, answer.content[half:])
    with api.client("eve") as eve:
        assert eve.get("guides/site.zip", params=query).json()["code"] == "RESOURCE_NOT_FOUND"
    assert ann.get("guides/site.zip", params={"export_ids": exported(ann, shot, "HTML")["id"]}).status_code == 400
    assert ann.post(f"guides/{other.job.id}/bin").is_success
    assert ann.get("guides/site.zip", params=query).status_code == 404


def test_given_a_page_that_is_lost_or_a_damaged_picture_then_the_site_is_refused_or_the_picture_known_by_its_checksum(
    publisher: None, api: RunningApi, ann: httpx.Client
) -> None:
    noise = io.BytesIO()  # larger than what is read of a file at once
    Image.effect_noise((640, 400), 90).save(noise, "PNG")
    shot = illustrated_job(api.store, api.artifacts, data=noise.getvalue())
    export = exported(ann, shot, "SITE")
    blob = api.store.get_export(export["id"]).blob
    assert blob is not None
    held = api.artifacts.read_bytes(blob)
    at = held.index(shot.data)
    api.artifacts.put_bytes(blob.key, held[: at + 999] + b"?" + held[at + 1000 :], blob.media_type)
    with zipfile.ZipFile(io.BytesIO(ann.get("guides/site.zip", params={"export_ids": export["id"]}).content)) as site:
        assert site.testzip() == next(name for name in site.namelist() if name.endswith("step-01.png"))
    api.artifacts.delete(blob.key)
    assert ann.get("guides/site.zip", params={"export_ids": export["id"]}).status_code == 404
    assert exported(ann, shot, "SITE")["id"] != export["id"]


def test_given_guides_when_published_by_the_command_line_then_the_folder_holds_the_site_and_is_replaced_by_the_next(
    publisher: None, api: RunningApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIDESMITH_API_URL", api.url)
    monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue("publisher"))
    out = tmp_path / "handbook"
    command = ["guides", "publish", "-o", str(out), "--title", "Ledgerly"]
    with pytest.raises(UsageWrong, match="no guide"):
        CliRunner().invoke(app, command, catch_exceptions=False)
    shot = illustrated_job(api.store, api.artifacts, "publisher")
    (out / "guides" / "gone").mkdir(parents=True)
    (out / "index.html").touch()
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (folder,) = (out / "guides").iterdir()
    assert (folder / "images" / "step-01.png").read_bytes() == shot.data
    assert "Ledgerly" in (out / "index.html").read_text()
    packed = CliRunner().invoke(
        app, ["guides", "publish", "-o", str(tmp_path / "site.zip"), "--project", shot.job.project_id]
    )
    assert packed.exit_code == 0, packed.output
    assert zipfile.is_zipfile(tmp_path / "site.zip")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(UsageWrong, match="other things"):
        CliRunner().invoke(app, ["guides", "publish", "-o", str(tmp_path / "mine")], catch_exceptions=False)


# --- a page of a wiki ---------------------------------------------------------------------------------------------


def test_given_a_guide_that_is_exported_to_confluence_again_then_its_page_is_updated_and_nothing_unblurred_stays(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_wiki("Bearer canary-token") as wiki:
        settings = api_settings(
            tmp_path,
            task_queue_prefix="wiki",
            confluence_space_url=wiki.space,
            confluence_token=SecretStr("canary-token"),
            project_places=True,
        )
        with running_api(settings) as api, api.client("ann") as client:
            wait_ready(api)
            shot = illustrated_job(api.store, api.artifacts)
            with publishing(api, temporal, confluence=confluence_space(settings)):
                wiki.faults.append((503, {"Retry-After": "1"}))
                first = exported(client, shot, "CONFLUENCE")
                annotate(client, shot, BLUR)
                second = exported(client, shot, "CONFLUENCE")
                same = exported(client, shot, "CONFLUENCE")
                place = second["provenance"]["place"]
                assert (first["provenance"]["place"]["version"], place["version"]) == (1, 2)
                assert same["id"] != second["id"]  # what stands there may have changed: each request puts it anew
                assert same["provenance"]["place"]["page_id"] == place["page_id"]
                assert list(wiki.files[place["page_id"]].values()) == [asset_bytes(api, shot)]
                assert httpx.get(second["download_url"]).json()["url"] == place["url"]
                project = f"projects/{shot.job.project_id}"
                elsewhere = {"confluence_space": "https://other.example/wiki/spaces/OPS"}
                strange = client.patch(project, json=elsewhere)
                assert (strange.status_code, strange.json()["code"]) == (400, "VALIDATION_ERROR")
                assert client.patch(project, json={"notion_parent": PARENT}).json()["code"] == "PROVIDER_NOT_CONFIGURED"
                chosen = {"confluence_space": f"{wiki.url}/wiki/spaces/OPS/overview?homepageId=1"}
                assert client.patch(project, json=chosen).json()["confluence_space"] == "OPS"
                assert client.patch(project, json={"name": "Operations"}).json()["confluence_space"] == "OPS"
                moved = exported(client, shot, "CONFLUENCE")["provenance"]["place"]
                assert moved["page_id"] != place["page_id"]
                assert [wiki.pages[each]["space"] for each in (place["page_id"], moved["page_id"])] == ["77", "78"]
                under = {"confluence_space": f"{wiki.url}/wiki/spaces/HB/pages/{place['page_id']}/Handbook?x=1"}
                wiki.pages[place["page_id"]]["title"] = "Handbook"  # one of theirs
                named = client.patch(project, json=under).json()["confluence_space"]
                assert named == f"HB/pages/{place['page_id']}"
                child = exported(client, shot, "CONFLUENCE")["provenance"]["place"]["page_id"]
                assert wiki.pages[child]["parent"] == place["page_id"]
                assert client.patch(project, json={"confluence_space": f"{named}4711"}).status_code == 200
                del wiki.pages[child]  # by somebody there: made anew, under a page that is not there
                lost = finished(client, request(client, shot, "CONFLUENCE").json()["id"])["failure"]
                assert (
                    lost["failure_code"] == "PROVIDER_REQUEST_REFUSED"
                    and "no such space or page" in lost["failure_message"]
                )
                assert client.patch(project, json={"confluence_space": "OPS"}).json()["confluence_space"] == "OPS"
                again = exported(client, shot, "CONFLUENCE")["provenance"]["place"]["page_id"]
                assert again == moved["page_id"]
                taken_back = settings.model_copy(update={"project_places": False})
                beside = taken_back.model_copy(update={"api_port": free_port()})
                with running_api(beside) as closed, closed.client("ann") as owner:
                    denied = owner.patch(project, json={"confluence_space": "SECRET"})
                    assert (denied.status_code, denied.json()["code"]) == (409, "PROVIDER_NOT_CONFIGURED")
                    assert owner.patch(project, json={"name": "Ops"}).json()["confluence_space"] == "OPS"
                ours = confluence_space(taken_back)
                assert ours is not None and ours.of_project(api.store.project(shot.job.project_id)) is ours
                assert client.patch(project, json={"confluence_space": None}).json()["confluence_space"] is None
                wiki.authorization = "Bearer another"
                refused = finished(client, request(client, shot, "CONFLUENCE").json()["id"])
            assert refused["failure"]["failure_code"] == "PROVIDER_ACCESS_DENIED"
            assert "canary" not in str(refused)
    assert wiki.broken == []


def test_given_no_confluence_when_it_is_asked_for_then_it_is_said_and_nothing_is_made(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    answer = request(ann, shot, "CONFLUENCE")
    assert (answer.status_code, answer.json()["code"]) == (409, "PROVIDER_NOT_CONFIGURED")
    assert audited(ann, shot) == []


def test_given_a_guide_that_is_exported_to_notion_again_then_its_page_is_written_anew_with_what_is_blurred(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_notion("canary-token") as notion:
        settings = api_settings(
            tmp_path,
            task_queue_prefix="notion",
            notion_url=notion.url,
            notion_parent=PARENT,
            notion_token=SecretStr("canary-token"),
            project_places=True,
        )
        with running_api(settings) as api, api.client("ann") as client:
            wait_ready(api)
            shot = illustrated_job(api.store, api.artifacts)
            with publishing(api, temporal, notion=notion_page(settings)):
                notion.faults.append((503, {"Retry-After": "1"}))
                first = exported(client, shot, "NOTION")["provenance"]["place"]
                annotate(client, shot, BLUR)
                second = exported(client, shot, "NOTION")
                place = second["provenance"]["place"]
                assert (place["page_id"], first["version"], place["version"]) == (first["page_id"], 1, 2)
                assert notion.shown(place["page_id"]) == [asset_bytes(api, shot)]
                assert httpx.get(second["download_url"]).json()["url"] == place["url"]
                other = "2f2e3d4c-5b6a-7988-0123-456789abcdef"
                notion.within[other] = []
                chosen = {"notion_parent": f"https://www.notion.so/team/Operations-{other.replace('-', '')}?pvs=4"}
                changed = client.patch(f"projects/{shot.job.project_id}", json=chosen).json()
                assert changed["notion_parent"] == other
                moved = exported(client, shot, "NOTION")["provenance"]["place"]
                assert moved["page_id"] in notion.within[other] and place["page_id"] not in notion.within[other]
                notion.token = "another"
                refused = finished(client, request(client, shot, "NOTION").json()["id"])
            assert refused["failure"]["failure_code"] == "PROVIDER_ACCESS_DENIED"
            assert "canary" not in str(refused)
    assert notion.broken == []


def test_given_no_notion_when_it_is_asked_for_then_it_is_said_and_nothing_is_made(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    answer = request(ann, shot, "NOTION")
    assert (answer.status_code, answer.json()["code"]) == (409, "PROVIDER_NOT_CONFIGURED")
    assert audited(ann, shot) == []
