"""The batch job on the real engine: every row of its table, kills, a thousand items, and what each item leaves.

One Temporal, one API and one worker process for the module.
"""

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from PIL import Image
from pydantic import SecretStr
from temporalio.api.enums.v1 import EventType as TemporalEvent

from activities.media.probe import probe
from activities.rails.contracts import PAYLOAD_LIMIT_BYTES
from domain.artifacts import ArtifactKind
from domain.jobs import Job
from domain.lifecycles.batch import COMPLETED, FAILED, PARTIAL, PROCESSING, QUEUED, BatchStatus
from starter.access.tokens import Tokens
from starter.cli.exits import ExitCode
from tests import recordings
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.integration.api_builders import told_job
from tests.integration.store_builders import created_job
from tests.stack import OWNER, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

pytestmark = pytest.mark.timeout(420)  # hundreds of items, and waits one after the other for workers that die

MOST = 1000
"""Items that a batch may have."""

MANY = 300
"""Three runs of a hundred items: the first begins, the second goes on from another, and the third has no more to carry
than the second, so that the tenth of a thousand has not either."""

EVENTS_A_RUN = 1000
"""More than a run of a hundred items takes, far below what Temporal allows."""

ROOM_BYTES = 16
"""By which a carried number may grow longer."""

SECOND = {"start_ms": 0, "end_ms": 1000}
BEYOND = {"start_ms": 3_600_000, "end_ms": 3_601_000}


class Cutting:
    """What the tests work with. ``filmed``: a job with a recording; ``told``: one with a transcript alone that can be
    read; ``bare``: one without either."""

    def __init__(self, stack: Stack, api: RunningApi, folder: Path) -> None:
        self.stack, self.api, self.store = stack, api, stack.store
        self.http = api.client(OWNER)
        self.filmed = stack.new_job(recordings.mp4(folder))
        self.told = told_job(stack.store, stack.artifacts, OWNER)
        self.bare = created_job(stack.store, OWNER)

    def post(self, job_type: str, sources: Sequence[Job], key: str | None = None, **parameters: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key} if key else {}
        inputs = [{"job_id": each.id} for each in sources]
        body = {"job_type": job_type, "parameters": {"inputs": inputs, **parameters}}
        return self.http.post("jobs", json=body, headers=headers)

    def ask(self, job_type: str, sources: Sequence[Job], **parameters: Any) -> Job:
        answer = self.post(job_type, sources, **parameters)
        assert answer.status_code == 202, answer.text
        assert (answer.json()["status"], answer.json()["kind"]) == (QUEUED, "batch")
        return self.store.get_job(answer.json()["id"])

    def assets(self, job: Job) -> dict[str, Any]:
        """All of them, page by page."""
        found: dict[str, Any] = self.http.get(f"jobs/{job.id}/assets", params={"limit": 100}).json()
        cursor = found["next_cursor"]
        while cursor is not None:
            page = self.http.get(f"jobs/{job.id}/assets", params={"limit": 100, "cursor": cursor}).json()
            found["items"] += page["items"]
            cursor = page["next_cursor"]
        return found

    def moves(self, job: Job) -> list[tuple[str | None, str]]:
        return [(each.prev_status, each.new_status) for each in self.stack.audit(job) if each.new_status is not None]

    def progress(self, job: Job) -> list[int]:
        """As it was told, in order."""
        return [
            int(str(each.data["progress"])) for each in self.store.events(job.id, 0, 500) if "progress" in each.data
        ]

    def are_over(self, jobs: Iterable[Job]) -> bool:
        return all(self.store.get_job(each.id).completed_at is not None for each in jobs)

    def runs(self, job: Job) -> list[list[Any]]:
        """The events of each run of the job's workflow, newest first."""
        handle = self.stack.client.get_workflow_handle(job.id)
        run_id: str | None = self.stack.loop.run(handle.describe()).run_id
        found = []
        while run_id:
            events = list(self.stack.history(job.id, run_id).events)
            found.append(events)
            run_id = events[0].workflow_execution_started_event_attributes.continued_execution_run_id
        return found


@pytest.fixture(scope="module")
def cutting(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cutting]:
    folder = tmp_path_factory.mktemp("cutting")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = {
            "api_port": free_port(),
            "auth_secret": SecretStr(SECRET),
            "rate_limit_default": "off",
            "rate_limit_expensive": "off",
        }
        with running_stack(folder, temporal, deadly=True, **settings) as stack, running_api(stack.settings) as api:
            wait_ready(api)
            stack.start_worker()
            yield Cutting(stack, api, folder)


@pytest.fixture(autouse=True)
def _working(cutting: Cutting) -> None:
    cutting.stack.attend()


# --- the rows of the table -------------------------------------------------------------------------------------------


def test_given_ranges_when_every_clip_is_cut_then_the_batch_is_completed(cutting: Cutting, tmp_path: Path) -> None:
    ranges = [SECOND, {"start_ms": 1300, "end_ms": 3000}]
    job = cutting.stack.wait_for(cutting.ask("clips", [cutting.filmed], ranges=ranges), COMPLETED)
    assert cutting.moves(job) == [(None, QUEUED), (QUEUED, PROCESSING), (PROCESSING, COMPLETED)]
    assert (job.progress, job.failure) == (100, None) and job.completed_at is not None
    listed = cutting.http.get("jobs", params={"job_type": "clips", "status": "completed"}).json()["items"]
    assert (listed[0]["id"], listed[0]["job_type"]) == (job.id, "clips")
    found = cutting.assets(job)
    assert found["errors"] == [] and {each["item"] for each in found["items"]} == {1, 2}
    second = next(each for each in found["items"] if each["item"] == 2)
    assert (second["source_job_id"], second["name"], second["medium"]) == (cutting.filmed.id, "clip", "video")
    assert second["begins_ms"] <= 1300 and abs(second["ends_ms"] - 3000) <= 40
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(httpx.get(second["url"]).content)
    info = probe(clip)
    assert (
        abs(info.duration_ms - (second["ends_ms"] - second["begins_ms"])) < 100
        and info.video is not None
        and len(info.audio) == 1
    )


def test_given_some_items_fail_when_all_are_settled_then_it_is_partial_with_both_lists(cutting: Cutting) -> None:
    asked = cutting.ask("clips", [cutting.filmed, cutting.bare], ranges=[SECOND, BEYOND])
    job = cutting.stack.wait_for(asked, PARTIAL)
    assert cutting.moves(job)[-1] == (PROCESSING, PARTIAL) and job.progress == 100
    assert job.failure is not None and job.failure.failure_code == "BATCH_ITEMS_FAILED"
    assert "3 of 4" in job.failure.failure_message
    found = cutting.assets(job)
    assert [each["item"] for each in found["items"]] == [1]
    assert [(each["item"], each["source_job_id"], each["code"]) for each in found["errors"]] == [
        (2, cutting.filmed.id, "VALIDATION_ERROR"),
        (3, cutting.bare.id, "ARTIFACT_MISSING"),
        (4, cutting.bare.id, "ARTIFACT_MISSING"),
    ]
    answer = cutting.http.get(f"jobs/{job.id}").json()
    assert answer["failure"]["failure_code"] == "BATCH_ITEMS_FAILED"
    inputs = [{"job_id": each.id} for each in (cutting.filmed, cutting.bare)]
    assert answer["parameters"] == {"inputs": inputs, "ranges": [SECOND, BEYOND]}
    size_bytes = found["items"][0]["size_bytes"]
    assert answer["result"] == {"items": 4, "failed_items": 3, "assets": 1, "size_bytes": size_bytes}


def test_given_no_item_succeeds_when_all_are_settled_then_it_failed_and_keeps_its_progress(cutting: Cutting) -> None:
    job = cutting.stack.wait_for(cutting.ask("captions", [cutting.bare, cutting.bare]), FAILED)
    assert cutting.moves(job)[-1] == (PROCESSING, FAILED)
    assert job.progress == 99 and job.completed_at is not None
    found = cutting.assets(job)
    assert found["items"] == [] and [each["code"] for each in found["errors"]] == ["TRANSCRIPT_NOT_READY"] * 2


@pytest.mark.parametrize("status", [COMPLETED, PARTIAL, FAILED])
def test_given_a_batch_that_ended_when_cancelled_then_409_and_nothing_moves(cutting: Cutting, status: str) -> None:
    some = {COMPLETED: [cutting.told], PARTIAL: [cutting.told, cutting.bare], FAILED: [cutting.bare]}
    sources = some[BatchStatus(status)]
    job = cutting.stack.wait_for(cutting.ask("captions", sources), status)
    answer = cutting.http.post(f"jobs/{job.id}/cancel")
    assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TERMINAL_IMMUTABLE")
    assert cutting.store.get_job(job.id).version == job.version


def test_given_a_batch_that_waits_when_stopped_then_it_has_failed_and_no_item_is_done(
    cutting: Cutting, monkeypatch: pytest.MonkeyPatch
) -> None:
    cutting.stack.kill_worker()
    job = cutting.ask("captions", [cutting.told])
    answer = cutting.http.post(f"jobs/{job.id}/cancel")
    assert (answer.status_code, answer.json()["status"]) == (200, FAILED)

    large, end_batch = cutting.ask("captions", [cutting.told] * MANY), cutting.store.end_batch

    def too_late(*batch: Any, **why: Any) -> Job:
        """A run takes it up a moment before."""
        cutting.stack.attend()
        wait_until(lambda: cutting.store.get_job(large.id).dispatch_id, 60, "a run")
        return end_batch(*batch, **why)

    monkeypatch.setattr(cutting.store, "end_batch", too_late)
    stopped = cutting.stack.loop.run(cutting.stack.kinds.cancel(OWNER, large.id))
    assert stopped.completed_at is not None and cutting.store.settled_items(large.id).done < MANY
    cutting.stack.wait_for(cutting.ask("captions", [cutting.told]), COMPLETED)
    job = cutting.store.get_job(job.id)
    assert (job.status, job.failure.failure_code, job.failure.failed_stage) == (FAILED, "CANCELLED", "items")  # type: ignore[union-attr]
    assert cutting.assets(job)["items"] == []


# --- what items make -------------------------------------------------------------------------------------------------


def test_given_a_recording_when_thumbnails_are_asked_then_stills_and_a_contact_sheet(cutting: Cutting) -> None:
    asked = cutting.ask("thumbnails", [cutting.filmed], stills=5, width=160)
    found = cutting.assets(cutting.stack.wait_for(asked, COMPLETED))["items"]
    stills = sorted((each for each in found if each["name"] == "still"), key=lambda each: each["at_ms"])
    assert [each["at_ms"] for each in stills] == [600, 1800, 3000, 4200, 5400]
    assert {each["width"] for each in stills} == {160}
    (sheet,) = [each for each in found if each["name"] == "contact-sheet"]
    picture = Image.open(io.BytesIO(httpx.get(sheet["url"]).content))
    assert picture.size == (sheet["width"], sheet["height"]) and sheet["width"] > 4 * 160
    shown = Image.open(io.BytesIO(httpx.get(stills[1]["url"]).content)).getpixel((80, 5))
    assert isinstance(shown, tuple)
    wanted = recordings.colour_at(1800)
    assert all(abs(a - b) < 40 for a, b in zip(shown, wanted, strict=True))


def test_given_a_transcript_when_captions_are_asked_then_both_files(cutting: Cutting) -> None:
    found = cutting.assets(cutting.stack.wait_for(cutting.ask("captions", [cutting.told]), COMPLETED))["items"]
    files = {each["name"]: httpx.get(each["url"]) for each in found}
    assert files["captions.srt"].headers["content-type"].startswith("application/x-subrip")
    assert "00:00:01,000 --> " in files["captions.srt"].text
    assert files["captions.vtt"].text.startswith("WEBVTT") and "&lt;b&gt;" in files["captions.vtt"].text


def test_given_clips_when_cut_then_each_has_a_picture_of_where_it_begins(cutting: Cutting) -> None:
    spans = [SECOND, {"start_ms": 2400, "end_ms": 3000}]
    job = cutting.stack.wait_for(cutting.ask("clips", [cutting.filmed], ranges=spans), COMPLETED)
    first, second = cutting.store.assets_of_items(job.id, range(1, 3))
    assert [each["item"] for each in cutting.assets(job)["items"]] == [2, 1]
    for asset, at_ms in ((first, 0), (second, 2400)):
        assert asset.thumbnail is not None
        poster = Image.open(io.BytesIO(cutting.stack.artifacts.read_bytes(asset.thumbnail)))
        assert poster.width <= 320
        shown, wanted = poster.getpixel((poster.width // 2, 5)), recordings.colour_at(at_ms)
        assert isinstance(shown, tuple) and all(abs(a - b) < 40 for a, b in zip(shown, wanted, strict=True))
    assert cutting.store.assets_of_items(job.id, range(2, 3)) == (second,)
    assert cutting.store.done_items(job.id, range(1, 2)) == {1}


def test_given_a_batch_when_all_of_it_is_downloaded_then_one_archive_that_can_be_taken_up_again(
    cutting: Cutting,
) -> None:
    job = cutting.ask("clips", [cutting.filmed], ranges=[SECOND, BEYOND, SECOND])
    assert cutting.http.get(f"jobs/{cutting.bare.id}/assets.zip").status_code == 404, "it has made nothing"
    cutting.stack.wait_for(job, PARTIAL)
    whole = cutting.http.get(f"jobs/{job.id}/assets.zip")
    assert whole.status_code == 200 and int(whole.headers["content-length"]) == len(whole.content)
    with zipfile.ZipFile(io.BytesIO(whole.content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["clip-0001.mp4", "clip-0003.mp4"]
    half = len(whole.content) // 2
    headers = {"Range": f"bytes={half}-", "If-Range": whole.headers["etag"]}
    rest = cutting.http.get(f"jobs/{job.id}/assets.zip", headers=headers)
    assert rest.status_code == 206 and rest.content == whole.content[half:]
    assert cutting.http.head(f"jobs/{job.id}/assets.zip").headers["etag"] == whole.headers["etag"]
    assert cutting.api.client("mallory").get(f"jobs/{job.id}/assets.zip").status_code == 404

    lost = cutting.store.library_of_job(job.id)[0].blob
    cutting.stack.artifacts.delete(lost.key)
    for damage in (lambda: None, lambda: cutting.stack.artifacts.put_bytes(lost.key, b"half of it", lost.media_type)):
        damage()
        answer = cutting.http.get(f"jobs/{job.id}/assets.zip")
        assert answer.status_code == 200 and int(answer.headers["content-length"]) == len(answer.content)
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.testzip() is None
            assert archive.namelist() == ["clip-0003.mp4", "missing.txt"]
            assert archive.read("missing.txt").decode().splitlines()[1:] == ["clip-0001.mp4"]
        assert answer.headers["etag"] != whole.headers["etag"]


# --- a thousand items ------------------------------------------------------------------------------------------------


def test_given_hundreds_of_items_when_done_then_no_history_grows_with_them(cutting: Cutting) -> None:
    sources = [cutting.bare if number % 100 == 0 else cutting.told for number in range(MANY)]
    job = cutting.ask("captions", sources, formats=["vtt"])
    cutting.stack.wait_for(job, PARTIAL, within_s=300)
    found = cutting.assets(job)
    assert sorted(each["item"] for each in found["items"]) == [n for n in range(1, MANY + 1) if n % 100 != 1]
    assert [each["item"] for each in found["errors"]] == list(range(1, MANY + 1, 100))
    told = cutting.progress(job)
    assert told == sorted(told) and told[-1] == 100
    runs = cutting.runs(job)
    assert len(runs) == MANY // 100
    assert max(len(events) for events in runs) < EVENTS_A_RUN
    payloads = [len(payload.data) for events in runs for event in events for payload in payloads_of(event)]
    assert max(payloads) <= PAYLOAD_LIMIT_BYTES
    third, second, _ = (sum(len(payload.data) for payload in payloads_of(events[0])) for events in runs)
    assert third <= second + ROOM_BYTES, "what a run is given does not grow with those before it"


def test_given_as_many_items_as_may_be_when_asked_then_they_are_taken_and_let_go_again(cutting: Cutting) -> None:
    job = cutting.ask("captions", [cutting.bare] * MOST, formats=["vtt"])
    cutting.http.post(f"jobs/{job.id}/cancel").raise_for_status()
    ended = wait_until(lambda: now if (now := cutting.store.get_job(job.id)).completed_at else None, 60, "the end")
    assert ended.failure is not None and len(cutting.runs(job)) <= MOST // 100 // 2, "most of it was never begun"


def payloads_of(event: Any) -> Iterator[Any]:
    """What an event carries of ours."""
    name = event.WhichOneof("attributes")
    attributes = getattr(event, name)
    for field in ("input", "result", "failure"):
        value = getattr(attributes, field, None)
        yield from getattr(value, "payloads", ())
    for value in getattr(attributes, "details", {}).values() if name == "marker_recorded_event_attributes" else ():
        yield from value.payloads


def test_given_a_thousand_and_one_items_when_asked_then_400_and_no_job(cutting: Cutting) -> None:
    answer = cutting.post("clips", [cutting.filmed] * 7, ranges=[SECOND] * 143)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")
    assert "1001" in answer.json()["message"]


# --- kills -----------------------------------------------------------------------------------------------------------


def test_given_the_worker_is_killed_in_the_middle_when_another_starts_then_each_asset_once(cutting: Cutting) -> None:
    cutting.stack.kill_worker()
    dying = cutting.stack.start_worker(DIE_AFTER="item", ITEMS="21")
    job = cutting.ask("captions", [cutting.told] * 150)
    wait_until(lambda: dying.poll() is not None, 60, "some items")
    cutting.stack.kill_worker()
    assert 20 < cutting.store.settled_items(job.id).done < 150
    cutting.stack.start_worker()
    cutting.stack.wait_for(job, COMPLETED)
    found = cutting.assets(job)["items"]
    made = sorted((each["item"], each["name"]) for each in found)
    assert made == sorted((item, name) for item in range(1, 151) for name in ("captions.srt", "captions.vtt"))
    assert cutting.moves(job).count((QUEUED, PROCESSING)) == cutting.moves(job).count((PROCESSING, COMPLETED)) == 1


def test_given_an_item_held_by_a_worker_that_dies_when_another_starts_then_it_is_done_again_once(
    cutting: Cutting, tmp_path: Path
) -> None:
    cutting.stack.kill_worker()
    held = tmp_path / "held"
    held.touch()
    cutting.stack.start_worker(HOLD=PROCESSING, HOLD_FILE=str(held))
    job = cutting.ask("clips", [cutting.filmed], ranges=[SECOND, BEYOND])
    cutting.stack.wait_for(job, PROCESSING)
    cutting.stack.kill_worker()
    held.unlink()
    cutting.stack.start_worker()
    cutting.stack.wait_for(job, PARTIAL)
    assert [each["item"] for each in cutting.assets(job)["items"]] == [1]


def test_given_workers_that_die_with_their_work_committed_when_others_start_then_nothing_is_recorded_twice(
    cutting: Cutting,
) -> None:
    cutting.stack.kill_worker()
    orders = {
        COMPLETED: [cutting.told] * 2,
        PARTIAL: [cutting.told, cutting.bare],
        FAILED: [cutting.bare],
    }
    asked = {end: cutting.ask("captions", sources, formats=["srt"]) for end, sources in orders.items()}
    for died_after in ("item", COMPLETED, PARTIAL, FAILED):
        cutting.stack.die(died_after, unless=lambda: cutting.are_over(asked.values()))
    cutting.stack.start_worker()
    for end, job in asked.items():
        outcome = cutting.stack.loop.run(cutting.stack.client.get_workflow_handle(job.id).result())
        assert outcome["status"] == end
        moves = [move for move in cutting.moves(job) if move != (PROCESSING, PROCESSING)]
        assert moves == [(None, QUEUED), (QUEUED, PROCESSING), (PROCESSING, end)]
        found = cutting.assets(job)
        done, failed = ({each["item"] for each in found[which]} for which in ("items", "errors"))
        assert len(found["items"]) == len(done) == orders[end].count(cutting.told)
        assert len(found["errors"]) == len(failed) == orders[end].count(cutting.bare) and not done & failed
        told = cutting.progress(job)
        assert told == sorted(told)


# --- asking ----------------------------------------------------------------------------------------------------------


def test_given_the_same_key_when_asked_again_then_the_same_job_with_200(cutting: Cutting) -> None:
    key = uuid4().hex
    first, again = (cutting.post("captions", [cutting.told], key=key) for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json()["id"] == first.json()["id"] and again.headers["idempotency-replayed"] == "true"
    other = cutting.post("captions", [cutting.told, cutting.told], key=key)
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    cutting.stack.wait_for(cutting.store.get_job(first.json()["id"]), COMPLETED)


def test_given_a_strangers_recording_when_asked_then_the_same_404_as_for_none(cutting: Cutting) -> None:
    foreign = told_job(cutting.store, cutting.stack.artifacts, "bob")
    absent = foreign.model_copy(update={"id": "01890000-0000-7000-8000-000000000000"})
    malformed = foreign.model_copy(update={"id": "../../etc/passwd"})
    before = len(cutting.store.list_jobs(OWNER, kind="batch", limit=100).items)
    answers = [cutting.post("captions", [cutting.told, each]) for each in (foreign, absent, malformed)]
    assert {each.status_code for each in answers} == {404} and len({each.content for each in answers}) == 1
    assert len(cutting.store.list_jobs(OWNER, kind="batch", limit=100).items) == before


def test_given_a_strangers_batch_when_looked_at_then_404(cutting: Cutting) -> None:
    job = cutting.stack.wait_for(cutting.ask("captions", [cutting.told]), COMPLETED)
    with cutting.api.client("bob") as bob:
        assert {bob.get(f"jobs/{job.id}{path}").status_code for path in ("", "/assets", "/history")} == {404}


def bodies(source: str) -> list[Any]:
    inputs = {"inputs": [{"job_id": source}]}
    return [
        [],
        {},
        {"job_type": "clips"},
        {"job_type": "shell", "parameters": inputs},
        {"job_type": "captions", "parameters": {"inputs": []}},
        {"job_type": "captions", "parameters": {"inputs": [{"job_id": source, "path": "/etc/passwd"}]}},
        {"job_type": "captions", "parameters": {**inputs, "formats": ["exe"]}},
        {"job_type": "captions", "parameters": {"inputs": [{"job_id": source}] * (MOST + 1)}},
        {"job_type": "clips", "parameters": inputs},
        {"job_type": "clips", "parameters": {**inputs, "ranges": [{"start_ms": 5, "end_ms": 5}]}},
        {"job_type": "clips", "parameters": {**inputs, "ranges": [{"start_ms": -1, "end_ms": 5}]}},
        {"job_type": "clips", "parameters": {**inputs, "ranges": [{"start_ms": 0, "end_ms": 10**18}]}},
        {"job_type": "clips", "parameters": {**inputs, "ranges": [{"start_ms": "0; rm", "end_ms": 5}]}},
        {"job_type": "thumbnails", "parameters": {**inputs, "stills": 0}},
        {"job_type": "thumbnails", "parameters": {**inputs, "stills": True}},
        {"job_type": "thumbnails", "parameters": {**inputs, "width": 10**9}},
        {"job_type": "thumbnails", "parameters": {**inputs, "out": "../../x"}},
    ]


def test_given_hostile_parameters_when_asked_then_400_and_no_job(cutting: Cutting) -> None:
    before = len(cutting.store.list_jobs(OWNER, kind="batch", limit=100).items)
    for body in bodies(cutting.filmed.id):
        answer = cutting.http.post("jobs", json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR"), json.dumps(body)[:200]
    assert len(cutting.store.list_jobs(OWNER, kind="batch", limit=100).items) == before


def test_given_a_batch_when_its_history_is_read_then_it_names_items_by_number_alone(cutting: Cutting) -> None:
    job = cutting.stack.wait_for(cutting.ask("clips", [cutting.filmed], ranges=[SECOND]), COMPLETED)
    history = cutting.stack.history(job.id).to_json()
    assert cutting.filmed.id not in history
    kinds = [event.event_type for event in cutting.stack.events(job.id)]
    assert kinds.count(TemporalEvent.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED) == 1
    assert cutting.store.latest_artifact(cutting.filmed.id, ArtifactKind.VIDEO) is not None


# --- from the command line -------------------------------------------------------------------------------------------


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def command(cutting: Cutting, tmp_path: Path) -> Command:
    environment = {
        **os.environ,
        "GUIDESMITH_API_URL": cutting.api.url,
        "GUIDESMITH_TOKEN": Tokens(SECRET).issue(OWNER),
        "GUIDESMITH_DATA_DIR": str(tmp_path / "data"),
    }

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        call = [sys.executable, "-m", "starter.cli", "batch", *words]
        return subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120, check=False)

    return run


def test_given_a_file_when_clips_are_asked_from_the_command_line_then_it_goes_up_and_they_are_saved(
    command: Command, tmp_path: Path
) -> None:
    recording = recordings.mp4(tmp_path)
    out = tmp_path / "clips"
    done = command("clips", str(recording), "-r", "0-0:01", "-r", "1.3-3", "-o", str(out), "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["status"], said["errors"]) == (COMPLETED, [])
    assert [each["path"] for each in said["files"]] == [str(out / f"clip-000{n}.mp4") for n in (1, 2)]
    assert all((out / Path(each["path"]).name).stat().st_size == each["size_bytes"] for each in said["files"])
    percents = [line["percent"] for line in map(json.loads, done.stderr.splitlines()) if "Making" in line["title"]]
    assert percents == sorted(percents) and percents[-1] == 100


def test_given_items_that_fail_when_saved_from_the_command_line_then_files_errors_and_code_3(
    cutting: Cutting, command: Command, tmp_path: Path
) -> None:
    out = tmp_path / "captions"
    done = command("captions", cutting.told.id, cutting.bare.id, "-o", str(out))
    assert done.returncode == ExitCode.JOB_FAILED
    assert "Item 2 failed: TRANSCRIPT_NOT_READY" in done.stderr
    assert sorted(each.name for each in out.iterdir()) == ["captions-0001.srt", "captions-0001.vtt"]
    failed = command("captions", cutting.bare.id, "-o", str(out), "--json")
    assert failed.returncode == ExitCode.JOB_FAILED and json.loads(failed.stdout)["status"] == FAILED


def test_given_a_batch_that_was_only_asked_for_when_watched_then_its_files_are_saved(
    cutting: Cutting, command: Command, tmp_path: Path
) -> None:
    asked = command("thumbnails", cutting.filmed.id, "--stills", "2", "--width", "96", "--no-wait", "--json")
    job_id = json.loads(asked.stdout)["id"]
    watched = command("watch", job_id, "-o", str(tmp_path / "stills"))
    assert watched.returncode == 0, watched.stderr
    names = sorted(each.name for each in (tmp_path / "stills").iterdir())
    assert names == ["contact-sheet-0001.jpg", "still-0001-00001500ms.jpg", "still-0001-00004500ms.jpg"]
    assert "completed" in command("watch", job_id).stdout
    refused = command("watch", cutting.filmed.id)
    assert refused.returncode == ExitCode.USAGE and "no batch" in refused.stderr
