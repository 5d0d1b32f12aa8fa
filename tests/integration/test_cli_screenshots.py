"""``guidesmith screenshots`` against a running API and a worker: what each command does is there afterwards."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from typer.testing import CliRunner

from domain.errors import GuidesmithError
from starter.access.tokens import Tokens
from starter.cli.app import app
from starter.cli.exits import UsageWrong
from tests import recordings
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.footage import Recorded, recorded_job, screenshot_worker
from tests.integration.pictures import SIZE, screen
from tests.integration.store_builders import STEP_BLOCK
from tests.temporal import TemporalServer

BLUR = {"op_type": "blur", "geometry": {"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}}


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API with task queues of its own, and a worker that takes pictures."""
    settings = api_settings(tmp_path_factory.mktemp("cli-shots"), task_queue_prefix="cli-shots")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with (
            running_api(settings) as running,
            screenshot_worker(running.settings, running.store, running.artifacts, temporal.address),
        ):
            wait_ready(running)
            yield running


@pytest.fixture
def shot(api: RunningApi, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    folder = tmp_path_factory.getbasetemp() / "recordings"
    monkeypatch.setenv("GUIDESMITH_API_URL", api.url)
    monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue("ann"))
    monkeypatch.setenv("GUIDESMITH_DATA_DIR", str(folder / "data"))
    return recorded_job(api.store, api.artifacts, recordings.mp4(folder))


def told(*command: object) -> Any:
    """What a command says in JSON. The API of this process writes its log lines to the same stream."""
    ended = CliRunner().invoke(app, ["screenshots", *map(str, command), "--json"], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    said = f"\n{ended.stdout}"
    return json.JSONDecoder().raw_decode(said, said.index("\n{\n") + 1)[0]


def test_given_a_job_when_pictures_are_taken_replaced_brought_and_drawn_on_then_each_shows_and_is_kept(
    shot: Recorded, tmp_path: Path
) -> None:
    taken = told("extract", shot.job.id, "0:01.5", "--block", STEP_BLOCK, "-o", tmp_path / "step.png")
    assert (taken["kind"], Image.open(tmp_path / "step.png").size) == ("EXTRACTED", (taken["width"], taken["height"]))
    anchor = taken["anchor_id"]
    [listed] = told("list", shot.job.id)["items"]
    assert (listed["id"], listed["active_asset_id"]) == (anchor, taken["id"])

    replaced = told("replace", anchor, "2", "--nearest", "-f", "jpg")
    assert (replaced["previous_asset_id"], replaced["mime_type"]) == (taken["id"], "image/jpeg")

    (tmp_path / "mine.png").write_bytes(screen())
    mine = told("upload", anchor, tmp_path / "mine.png")
    assert (mine["kind"], (mine["width"], mine["height"])) == ("UPLOADED", SIZE)

    (tmp_path / "blur.json").write_text(json.dumps([BLUR]))
    drawn = told("annotate", anchor, tmp_path / "blur.json")
    assert (drawn["kind"], drawn["rendered_from_asset_id"]) == ("ANNOTATED", mine["id"])
    assert Image.open(io.BytesIO(httpx.get(drawn["image_uri"]).content)).size == SIZE
    assert told("annotate", anchor, tmp_path / "blur.json", "--asset", mine["id"])["id"] == drawn["id"]
    [listed] = told("list", shot.job.id)["items"]
    assert [each["id"] for each in listed["assets"]] == [each["id"] for each in (drawn, mine, replaced, taken)]

    assert told("mark", anchor, "--result")["id"] == drawn["id"]
    [listed] = told("list", shot.job.id)["items"]
    assert (listed["is_outcome"], listed["active_asset_id"]) == (True, drawn["id"])

    table = CliRunner().invoke(app, ["screenshots", "list", shot.job.id])
    assert anchor in table.stdout and "ANNOTATED" in table.stdout


@pytest.mark.parametrize(
    ("command", "error", "says"),
    [
        (["extract", "{job}", "soon"], UsageWrong, "1:30"),
        (["extract", "{job}", "9:00:00"], GuidesmithError, "body.timestamp_ms"),
        (["extract", "{job}", "1", "-f", "gif"], GuidesmithError, "body.format"),
        (["list", "nope"], GuidesmithError, "guidesmith jobs list"),
        (["upload", "{job}", "absent.png"], UsageWrong, "cannot be read"),
        (["upload", "{job}", "{text}"], UsageWrong, "not a PNG"),
        (["annotate", "{job}", "{text}"], UsageWrong, "no JSON"),
    ],
)
def test_given_a_slip_when_a_picture_is_asked_for_then_told_what_is_wrong(
    shot: Recorded, tmp_path: Path, command: list[str], error: type[GuidesmithError], says: str
) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no picture")
    said = [each.format(job=shot.job.id, text=text) for each in command]
    with pytest.raises(error, match=says):
        CliRunner().invoke(app, ["screenshots", *said], catch_exceptions=False)
