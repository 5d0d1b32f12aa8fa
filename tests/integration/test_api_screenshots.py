"""Screenshots over HTTP, on a real Temporal and a worker: taken to the frame, once, and brought along safely."""

import base64
import hashlib
import io
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from activities.rails.dispatching import turn_of
from activities.rails.task_dispatch import SCREENSHOT, TaskDispatch
from activities.store import Store
from activities.upkeep.reconciling import OpenTask, Reconciler
from domain.documents.screenshots import Extraction
from domain.errors import EngineUnavailable
from domain.jobs import Actor, Failure
from domain.lifecycles.lifecycle import Trigger
from starter.api.signed_urls import SignedUrls
from starter.wiring import run_options
from tests import recordings
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.footage import Recorded, Watch, recorded_job, screenshot_worker
from tests.integration.pictures import screen
from tests.integration.store_builders import OTHER_BLOCK, STEP_BLOCK
from tests.stack import wait_until
from tests.temporal import TemporalServer

ABSENT = "01890000-0000-7000-8000-000000000000"
PIXEL_FORMATS = {"png": "PNG", "jpg": "JPEG", "webp": "WEBP"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "recordings"


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """An API with task queues of its own."""
    settings = api_settings(tmp_path_factory.mktemp("shots"), task_queue_prefix="shots")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as running:
            wait_ready(running)
            yield running


@pytest.fixture(scope="module")
def watch(api: RunningApi, temporal: TemporalServer) -> Iterator[Watch]:
    with screenshot_worker(api.settings, api.store, api.artifacts, temporal.address) as watch:
        yield watch


@pytest.fixture
def shot(api: RunningApi, folder: Path) -> Recorded:
    return recorded_job(api.store, api.artifacts, recordings.mp4(folder))


def extract(client: httpx.Client, shot: Recorded, timestamp_ms: int, **more: object) -> httpx.Response:
    return client.post(f"jobs/{shot.job.id}/screenshots/extract", json=shot.wish(timestamp_ms, **more))


def ended(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    """The task, once it has ended."""
    assert answer.status_code in (200, 202), answer.text
    url = f"screenshot-tasks/{answer.json()['task_id']}"

    def done() -> dict[str, Any] | None:
        task: dict[str, Any] = client.get(url).json()
        return task if task["status"] in ("SUCCEEDED", "FAILED") else None

    return wait_until(done, 60, "the screenshot")


def taken(client: httpx.Client, answer: httpx.Response) -> Image.Image:
    """The picture that a task ended with, fetched by its address."""
    task = ended(client, answer)
    assert task["status"] == "SUCCEEDED", task
    return Image.open(io.BytesIO(httpx.get(task["asset"]["image_uri"]).content))


def audited(api: RunningApi, shot: Recorded) -> list[str]:
    return [each.event_type for each in api.store.events(shot.job.id) if each.stream == "task"]


# --- taken -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("watch")
def test_given_a_recording_when_a_frame_is_extracted_then_it_shows_at_its_place(
    api: RunningApi, ann: httpx.Client, shot: Recorded
) -> None:
    answer = extract(ann, shot, 2_010, offset_ms=20, block_id=OTHER_BLOCK)
    assert answer.status_code == 202
    asked = answer.json()
    assert (asked["id"], asked["operation"], asked["timestamp_ms"], asked["offset_ms"]) == (
        asked["task_id"],
        "EXTRACT",
        2_010,
        20,
    )
    task = ended(ann, answer)
    assert (task["status"], task["failure"], task["failure_code"], task["anchor_id"]) == (
        "SUCCEEDED",
        None,
        None,
        asked["anchor_id"],
    )
    asset = task["asset"]
    assert (asset["id"], asset["kind"], asset["version"]) == (task["asset_id"], "EXTRACTED", 1)
    assert (asset["width"], asset["height"], asset["mime_type"], asset["timestamp_ms"]) == (
        320,
        180,
        "image/png",
        2_000,
    )
    fetched = httpx.get(asset["image_uri"])
    assert hashlib.sha256(fetched.content).hexdigest() == asset["checksum_sha256"]
    assert (fetched.headers["Content-Type"], fetched.headers["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert int(fetched.headers["Content-Length"]) == asset["size_bytes"] == len(fetched.content)
    anchor = ann.get(f"anchors/{task['anchor_id']}").json()
    assert (anchor["active_asset_id"], anchor["addressing"]["block_id"]) == (asset["id"], OTHER_BLOCK)
    assert audited(api, shot) == ["SCREENSHOT_REQUESTED", "SCREENSHOT_STARTED", "SCREENSHOT_SUCCEEDED"]
    assert ann.get(f"jobs/{shot.job.id}").json()["status"] == "DRAFT_READY"


@pytest.mark.usefixtures("watch")
@pytest.mark.parametrize(
    ("make", "times_ms", "frames_ms"),
    [
        (recordings.mp4, (0, 39, 40, 1_999, 2_000, 5_999), (0, 0, 40, 1_960, 2_000, 5_960)),
        (recordings.mp4_variable_frame_rate, (399, 400, 3_999, 4_005, 5_899), (40, 400, 3_700, 4_000, 4_010)),
    ],
)
def test_given_times_when_extracted_then_each_shows_the_very_frame_that_was_on_screen(
    api: RunningApi,
    ann: httpx.Client,
    folder: Path,
    make: Callable[[Path], Path],
    times_ms: tuple[int, ...],
    frames_ms: tuple[int, ...],
) -> None:
    shot = recorded_job(api.store, api.artifacts, make(folder))
    answers = [extract(ann, shot, time_ms) for time_ms in times_ms]
    assert [recordings.clock_ms(taken(ann, answer)) for answer in answers] == list(frames_ms)
    stamps = [ended(ann, answer)["asset"]["timestamp_ms"] for answer in answers]
    assert stamps == list(frames_ms)


@pytest.mark.usefixtures("watch")
def test_given_a_turned_recording_when_extracted_then_upright_in_every_format(
    api: RunningApi, ann: httpx.Client, folder: Path
) -> None:
    shot = recorded_job(api.store, api.artifacts, recordings.mp4_rotated(folder))
    answers = {kind: extract(ann, shot, 2_500, format=kind) for kind in PIXEL_FORMATS}
    for kind, answer in answers.items():
        image = taken(ann, answer)
        assert (image.format, image.size) == (PIXEL_FORMATS[kind], (180, 320))
        corner, middle = (image.convert("RGB").getpixel(at) for at in ((170, 10), (90, 160)))
        assert isinstance(corner, tuple) and min(corner) > 200, kind
        assert isinstance(middle, tuple)
        assert all(abs(a - b) < 25 for a, b in zip(middle, recordings.colour_at(2_500), strict=True)), kind


@pytest.mark.usefixtures("watch")
def test_given_the_nearest_key_frame_when_asked_for_then_that_and_not_the_exact_one(
    ann: httpx.Client, shot: Recorded
) -> None:
    near, exact = (extract(ann, shot, 3_900, strategy=each) for each in ("nearest_keyframe", "precise"))
    assert (recordings.clock_ms(taken(ann, near)), recordings.clock_ms(taken(ann, exact))) == (4_000, 3_880)


@pytest.mark.usefixtures("watch")
def test_given_a_key_when_sent_again_then_replayed_and_with_another_body_refused(
    api: RunningApi, ann: httpx.Client, shot: Recorded
) -> None:
    first = extract(ann, shot, 700, idempotency_key="mine")
    again = extract(ann, shot, 700, idempotency_key="mine")
    other = extract(ann, shot, 700, idempotency_key="another")
    assert [each.status_code for each in (first, again, other)] == [202, 200, 200]
    assert len({each.json()["task_id"] for each in (first, again, other)}) == 1
    for body in ({"timestamp_ms": 701}, {"timestamp_ms": 700, "format": "webp"}):
        refused = ann.post(
            f"jobs/{shot.job.id}/screenshots/extract", json={**shot.wish(700, idempotency_key="mine"), **body}
        )
        assert (refused.status_code, refused.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    ended(ann, first)
    assert audited(api, shot).count("SCREENSHOT_REQUESTED") == 1


@pytest.mark.usefixtures("watch")
@pytest.mark.parametrize("status", ["DONE", "FAILED", "CANCELLED"])
def test_given_a_job_that_has_ended_when_extracted_then_taken_and_the_status_stays(
    api: RunningApi, ann: httpx.Client, shot: Recorded, status: str
) -> None:
    failure = Failure(failure_code="X", failure_message="x")
    for target in ("EDITING", "EXPORTING", "DONE") if status == "DONE" else (status,):
        api.store.move(
            shot.job.id,
            None,
            target,
            trigger=Trigger.API,
            actor=Actor.SYSTEM,
            failure=failure if target == "FAILED" else None,
        )
    assert taken(ann, extract(ann, shot, 100)).size == (320, 180)
    assert ann.get(f"jobs/{shot.job.id}").json()["status"] == status


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"timestamp_ms": 6_500}, "outside"),
        ({"timestamp_ms": 5_000, "offset_ms": 5_000}, "outside"),
        ({"timestamp_ms": 100, "offset_ms": -101}, "outside"),
        ({"timestamp_ms": 0, "block_id": ABSENT}, "block"),
        ({"timestamp_ms": 0, "char_range": {"start_offset": 0, "end_offset": 99_999}}, "range"),
        ({"timestamp_ms": -1}, "shape"),
        ({"timestamp_ms": 2**60}, "shape"),
        ({"timestamp_ms": "0"}, "shape"),
        ({"timestamp_ms": True}, "shape"),
        ({"timestamp_ms": 0.5}, "shape"),
        ({"timestamp_ms": 0, "offset_ms": None}, "shape"),
        ({"timestamp_ms": 0, "strategy": "fast"}, "shape"),
        ({"timestamp_ms": 0, "format": "svg"}, "shape"),
        ({"timestamp_ms": 0, "format": "PNG"}, "shape"),
        ({"timestamp_ms": 0, "block_id": STEP_BLOCK, "anchor_id": ABSENT}, "shape"),
        ({"timestamp_ms": 0, "char_range": {"start_offset": 5, "end_offset": 5}}, "shape"),
        ({"timestamp_ms": 0, "idempotency_key": "a\nb"}, "shape"),
    ],
    ids=str,
)
def test_given_what_cannot_be_taken_when_asked_for_then_400_and_nothing_is_written(
    api: RunningApi, ann: httpx.Client, shot: Recorded, body: dict[str, object], words: str
) -> None:
    answer = ann.post(f"jobs/{shot.job.id}/screenshots/extract", json={**shot.wish(0), **body})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR"), answer.text
    assert words in answer.json()["message"]
    assert answer.json()["details"]["issues"]
    assert audited(api, shot) == []


def test_given_a_recording_without_a_picture_when_extracted_then_it_says_so(
    api: RunningApi, ann: httpx.Client, folder: Path
) -> None:
    shot = recorded_job(api.store, api.artifacts, recordings.m4a(folder))
    answer = extract(ann, shot, 100)
    assert (answer.status_code, answer.json()["code"]) == (409, "MEDIA_NO_CONTENT")
    assert "no picture" in answer.json()["message"]


@pytest.mark.usefixtures("watch")
def test_given_a_recording_that_nobody_measured_when_the_moment_is_outside_then_the_task_fails_and_says_so(
    api: RunningApi, ann: httpx.Client, folder: Path
) -> None:
    shot = recorded_job(api.store, api.artifacts, recordings.mp4(folder), measured=False)
    assert taken(ann, extract(ann, shot, 2_000)).size == (320, 180)
    outside = extract(ann, shot, 60_000)
    task = ended(ann, outside)
    assert (task["status"], task["failure_code"], task["asset"]) == ("FAILED", "VALIDATION_ERROR", None)
    assert (task["failure"]["failed_stage"], task["asset_id"]) == ("screenshot", None)
    assert "outside the recording" in task["failure_message"]
    again = extract(ann, shot, 60_000)
    assert again.status_code == 202 and again.json()["task_id"] != task["task_id"]
    assert ended(ann, again)["status"] == "FAILED"


@pytest.mark.parametrize("field", ["instruction_id", "instruction_version_id", "anchor_id"])
@pytest.mark.parametrize("value", [ABSENT, "no-id", "of another job"])
def test_given_what_is_absent_or_foreign_in_a_body_when_extracted_then_the_same_404(
    api: RunningApi, ann: httpx.Client, shot: Recorded, folder: Path, field: str, value: str
) -> None:
    if value == "of another job":
        other = recorded_job(api.store, api.artifacts, recordings.mp4(folder))
        place = {"address_type": "block_id", "block_id": STEP_BLOCK}
        anchor = ann.post(
            f"instructions/{other.instruction_id}/anchors",
            json={"instruction_version_id": other.version_id, "addressing": place},
        )
        value = {**other.wish(0), "anchor_id": anchor.json()["id"]}[field]
    answer = extract(ann, shot, 0, **{field: value})
    assert answer.status_code == 404
    assert answer.content == ann.get(f"jobs/{ABSENT}").content
    assert audited(api, shot) == []


def test_given_a_stranger_when_extracting_or_looking_then_the_404_of_what_is_absent(
    ann: httpx.Client, bob: httpx.Client, shot: Recorded
) -> None:
    task = extract(ann, shot, 0).json()["task_id"]
    absent = ann.get(f"screenshot-tasks/{ABSENT}")
    for answer in (extract(bob, shot, 0), bob.get(f"screenshot-tasks/{task}"), ann.get("screenshot-tasks/x")):
        assert (answer.status_code, answer.content) == (404, absent.content)


def test_given_no_engine_when_extracted_then_503_and_nothing_is_written(
    shot: Recorded, api: RunningApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:9")
    settings = api.settings.model_copy(update={"api_port": api_settings(tmp_path).api_port})
    with running_api(settings) as cut_off, cut_off.client() as client:
        answer = extract(client, shot, 0)
        assert (answer.status_code, answer.json()["code"]) == (503, EngineUnavailable.code)
        assert "Retry-After" in answer.headers
    assert audited(api, shot) == []


def test_given_a_task_whose_start_was_lost_when_the_reconciler_looks_then_it_is_taken(
    api: RunningApi, watch: Watch, ann: httpx.Client, shot: Recorded
) -> None:
    task, _ = api.store.request_extraction(
        "ann", shot.job.id, shot.instruction_id, shot.version_id, Extraction(timestamp_ms=1_000)
    )
    reconciler = Reconciler(_Impatient(api.store, task.id), watch.client, run_options(api.settings))
    assert watch.loop.run(reconciler.follow_tasks()) == 1
    assert ended(ann, ann.get(f"screenshot-tasks/{task.id}"))["status"] == "SUCCEEDED"
    assert watch.loop.run(reconciler.follow_tasks()) == 0


@pytest.mark.parametrize("begun", [False, True])
def test_given_a_task_whose_workflow_was_terminated_when_the_reconciler_looks_then_it_failed_and_can_be_asked_again(
    api: RunningApi, watch: Watch, shot: Recorded, begun: bool
) -> None:
    asked = ("ann", shot.job.id, shot.instruction_id, shot.version_id, Extraction(timestamp_ms=1_000))
    task, _ = api.store.request_extraction(*asked)
    weights = {shot.job.project_id: 4.0}
    nobody = run_options(api.settings).model_copy(
        update={"task_queue_prefix": "nobody-serves-this", "weights": weights}
    )
    begin = TaskDispatch(watch.client, nobody).begin(SCREENSHOT, task.id, shot.job, live=False)
    watch.loop.run(begin)
    described = watch.loop.run(watch.client.get_workflow_handle(f"screenshot-{task.id}").describe())
    turn = described.raw_description.workflow_execution_info.priority
    projects = turn_of("ann", shot.job.project_id, 4.0)
    assert (turn.fairness_key, turn.fairness_weight) == (projects.fairness_key, 4.0), "it waits as the job's stages do"
    if begun:
        api.store.begin_screenshot(task.id)
    reconciler = Reconciler(_Impatient(api.store, task.id), watch.client, nobody)
    assert watch.loop.run(reconciler.follow_tasks()) == 0, "while it runs there is nothing to mend"
    watch.loop.run(watch.client.get_workflow_handle(f"screenshot-{task.id}").terminate())
    assert watch.loop.run(reconciler.follow_tasks()) == 1
    lost = api.store.get_screenshot_task(task.id)
    assert lost.failure is not None
    assert (lost.status, lost.failure.failure_code) == ("FAILED", "WORKFLOW_LOST")
    assert api.store.request_extraction(*asked)[1] is True


class _Impatient(Store):
    """The books of one task, where nobody waits before it counts as forgotten."""

    def __init__(self, books: Store, task_id: str) -> None:
        super().__init__(books._database, books._clock, books._new_id)
        self._books, self._task_id = books, task_id

    def unstarted_tasks(self, older_than_s: float = -1, limit: int = 1000) -> tuple[OpenTask, ...]:
        return tuple(each for each in self._books.unstarted_tasks(older_than_s, limit) if self._task_id in each)

    def running_tasks(self, older_than_s: float = -1, limit: int = 1000) -> tuple[OpenTask, ...]:
        return tuple(each for each in self._books.running_tasks(older_than_s, limit) if self._task_id in each)


# --- brought along -----------------------------------------------------------------------------------------------

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"


def announce(client: httpx.Client, shot: Recorded, data: bytes, **more: object) -> httpx.Response:
    body = {
        "filename": "mine.png",
        "mime_type": "image/png",
        "size_bytes": len(data),
        "checksum_sha256": hashlib.sha256(data).hexdigest(),
        **more,
    }
    return client.post(f"jobs/{shot.job.id}/screenshots/uploads", json=body)


def confirm(
    client: httpx.Client, shot: Recorded, ticket: httpx.Response, data: bytes, **more: object
) -> httpx.Response:
    body = {
        "mime_type": "image/png",
        "size_bytes": len(data),
        "checksum_sha256": hashlib.sha256(data).hexdigest(),
        "width": 320,
        "height": 200,
        **more,
    }
    return client.post(f"jobs/{shot.job.id}/screenshots/uploads/{ticket.json()['upload_id']}/confirm", json=body)


def sent(client: httpx.Client, shot: Recorded, data: bytes, **more: object) -> httpx.Response:
    """The ticket of a picture whose bytes have arrived."""
    ticket = announce(client, shot, data, **more)
    assert ticket.status_code == 201, ticket.text
    received = httpx.put(ticket.json()["upload_url"], content=data)
    assert (received.status_code, received.json()["received_bytes"]) == (200, len(data)), received.text
    return ticket


def in_format(name: str) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(screen())).convert("RGB").save(out, name)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_given_a_picture_of_ones_own_when_confirmed_and_attached_then_it_shows(
    api: RunningApi, ann: httpx.Client, shot: Recorded, kind: str
) -> None:
    data, mime_type = in_format(kind), f"image/{kind.lower()}"
    ticket = sent(ann, shot, data, mime_type=mime_type)
    confirmed = confirm(ann, shot, ticket, data, mime_type=mime_type)
    assert confirmed.status_code == 200, confirmed.text
    asset = confirmed.json()["asset"]
    assert (asset["kind"], asset["anchor_id"], asset["width"], asset["height"]) == ("UPLOADED", None, 320, 200)
    assert confirm(ann, shot, ticket, data, mime_type=mime_type).json()["asset"]["id"] == asset["id"]
    fetched = httpx.get(asset["image_uri"])
    assert (fetched.content, fetched.headers["Content-Type"]) == (data, mime_type)
    stored = api.store.get_asset(asset["id"]) or api.store.picture_of_asset(asset["id"])
    assert stored is not None
    api.artifacts.delete(stored.blob.key)
    assert httpx.get(asset["image_uri"]).status_code == 404
    api.artifacts.put_bytes(stored.blob.key, data, mime_type)

    anchor = ann.post(
        f"instructions/{shot.instruction_id}/anchors",
        json={
            "instruction_version_id": shot.version_id,
            "addressing": {"address_type": "block_id", "block_id": STEP_BLOCK},
        },
    ).json()
    body = {"upload_id": ticket.json()["upload_id"], "instruction_version_id": shot.version_id}
    attached = ann.post(f"anchors/{anchor['id']}/attach-upload", json=body)
    assert (attached.status_code, attached.json()["active_asset_id"]) == (200, asset["id"]), attached.text
    assert attached.json()["assets"][0]["upload_id"] == ticket.json()["upload_id"]
    assert audited(api, shot) == [
        "SCREENSHOT_UPLOAD_REQUESTED",
        "SCREENSHOT_UPLOADED",
        "ANCHOR_CREATED",
        "SCREENSHOT_ATTACHED",
    ]


def bomb() -> bytes:
    """A PNG of some kilobytes that would be 40 GB of pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    header = (100_000).to_bytes(4) * 2 + bytes((8, 6, 0, 0, 0))
    pixels = zlib.compress(bytes(1 << 20))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (SVG, "type"),
        (HTML, "type"),
        (b"GIF89a" + bytes(40), "type"),
        (in_format("JPEG"), "mime_type"),
        (screen()[:-20], "damaged"),
        (screen() + HTML, "trailing"),
        (b"\x89PNG\r\n\x1a\n" + SVG, "damaged"),
        (bomb(), "pixels"),
    ],
    ids=["svg", "html", "gif", "jpeg as png", "cut", "html behind it", "svg behind a signature", "bomb"],
)
def test_given_what_is_no_such_picture_when_confirmed_then_400_and_it_never_shows(
    api: RunningApi, ann: httpx.Client, shot: Recorded, data: bytes, problem: str
) -> None:
    ticket = sent(ann, shot, data)
    answer = confirm(ann, shot, ticket, data)
    assert (answer.status_code, answer.json()["code"]) == (400, "UPLOAD_INVALID"), answer.text
    assert answer.json()["details"]["mismatch"] == [problem]
    upload = api.store.get_picture(ticket.json()["upload_id"])
    assert upload.confirmed_at is None and api.store.picture_of_asset(upload.asset_id) is None
    assert "SCREENSHOT_UPLOADED" not in audited(api, shot)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"mime_type": "image/webp"}, "mime_type"),
        ({"size_bytes": 1}, "size_bytes"),
        ({"checksum_sha256": "0" * 64}, "checksum_sha256"),
        ({"width": 321}, "dimensions"),
        ({"height": 1}, "dimensions"),
    ],
    ids=str,
)
def test_given_a_picture_when_confirmed_as_another_then_400_and_then_as_itself_it_is_taken(
    ann: httpx.Client, shot: Recorded, more: dict[str, object], problem: str
) -> None:
    ticket = sent(ann, shot, screen())
    answer = confirm(ann, shot, ticket, screen(), **more)
    assert (answer.status_code, answer.json()["details"]) == (400, {"mismatch": [problem]}), answer.text
    assert confirm(ann, shot, ticket, screen()).status_code == 200
    assert confirm(ann, shot, ticket, screen(), **more).status_code == 400


def test_given_an_address_whose_time_is_over_when_a_picture_is_sent_then_410(
    api: RunningApi, ann: httpx.Client, shot: Recorded
) -> None:
    upload_id = announce(ann, shot, screen()).json()["upload_id"]
    expired = SignedUrls(SECRET).sign("picture-upload", upload_id, 1.0)
    answer = httpx.put(f"{api.url}/api/v1/picture-uploads/{expired}", content=screen())
    assert (answer.status_code, answer.json()["code"]) == (410, "UPLOAD_EXPIRED")


def test_given_other_bytes_than_announced_when_confirmed_then_400_until_the_right_ones_come(
    ann: httpx.Client, shot: Recorded
) -> None:
    ticket = announce(ann, shot, screen())
    absent = confirm(ann, shot, ticket, screen())
    assert (absent.status_code, absent.json()["details"]["mismatch"]) == (400, ["absent"])
    for wrong, problem in (
        (screen()[:-1], "size_bytes"),
        (screen()[:-1] + b"!", "checksum_sha256"),
    ):
        assert httpx.put(ticket.json()["upload_url"], content=wrong).status_code == 200
        answer = confirm(ann, shot, ticket, screen())
        assert (answer.status_code, answer.json()["details"]["mismatch"]) == (400, [problem])
    httpx.put(ticket.json()["upload_url"], content=screen())
    assert confirm(ann, shot, ticket, screen()).status_code == 200


def test_given_a_confirmed_picture_when_sent_again_then_409_and_it_stays_what_it_was(
    api: RunningApi, ann: httpx.Client, shot: Recorded
) -> None:
    ticket = sent(ann, shot, screen())
    asset = confirm(ann, shot, ticket, screen()).json()["asset"]
    again = httpx.put(ticket.json()["upload_url"], content=screen("swapped!")[: len(screen())])
    assert (again.status_code, again.json()["code"]) == (409, "UPLOAD_SEALED")
    assert httpx.get(asset["image_uri"]).content == screen()
    kept = list(api.artifacts.list(f"jobs/{shot.job.id}/pictures"))
    assert len(kept) == 1, "nothing of what was refused stays"


def test_given_more_bytes_than_announced_when_sent_then_413_and_nothing_is_kept(
    api: RunningApi, ann: httpx.Client, shot: Recorded
) -> None:
    ticket = announce(ann, shot, screen())
    url = ticket.json()["upload_url"]
    longer = screen() + b"x"
    for body in (longer, iter([longer[:100], longer[100:]])):
        answer = httpx.put(url, content=body)
        assert (answer.status_code, answer.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert list(api.artifacts.list(f"jobs/{shot.job.id}/pictures")) == []


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"mime_type": "image/svg+xml"}, 400),
        ({"mime_type": "text/html"}, 400),
        ({"size_bytes": 0}, 400),
        ({"size_bytes": -1}, 400),
        ({"size_bytes": 21 * 1024 * 1024}, 413),
        ({"checksum_sha256": "x"}, 400),
        ({"filename": ""}, 400),
    ],
    ids=str,
)
def test_given_an_announcement_that_cannot_be_when_sent_then_refused(
    ann: httpx.Client, shot: Recorded, more: dict[str, object], status: int
) -> None:
    assert announce(ann, shot, screen(), **more).status_code == status


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "C:\\x\\..\\a.png",
        "\u202egnp.exe",
        "a\r\nSet-Cookie: x=1.png",
        "\ud800.png",
        "<img>.png",
        "." * 900,
    ],
    ids=ascii,
)
def test_given_a_hostile_name_when_announced_then_it_leads_nowhere(
    api: RunningApi, ann: httpx.Client, shot: Recorded, name: str
) -> None:
    body = {
        "filename": name,
        "mime_type": "image/png",
        "size_bytes": len(screen()),
        "checksum_sha256": hashlib.sha256(screen()).hexdigest(),
    }
    ticket = ann.post(
        f"jobs/{shot.job.id}/screenshots/uploads",
        content=json.dumps(body),
        headers={"Content-Type": "application/json"},
    )
    if name.startswith("\ud800"):
        assert ticket.status_code == 400
        return
    kept = api.store.get_picture(ticket.json()["upload_id"]).filename
    assert kept and kept.isprintable() and not set(kept) & set("/\\") and not kept.startswith(".")
    httpx.put(ticket.json()["upload_url"], content=screen())
    fetched = httpx.get(confirm(ann, shot, ticket, screen()).json()["asset"]["image_uri"])
    assert fetched.status_code == 200
    assert "filename" not in fetched.headers["Content-Disposition"]
    assert "set-cookie" not in fetched.headers


def test_given_the_same_announcement_with_a_key_when_sent_again_then_the_same_ticket(
    api: RunningApi, ann: httpx.Client, shot: Recorded
) -> None:
    body = {
        "filename": "a.png",
        "mime_type": "image/png",
        "size_bytes": 5,
        "checksum_sha256": "0" * 64,
    }
    url, headers = f"jobs/{shot.job.id}/screenshots/uploads", {"Idempotency-Key": "picture"}
    first, again = (ann.post(url, json=body, headers=headers) for _ in range(2))
    assert again.headers["Idempotency-Replayed"] == "true"
    assert first.json()["upload_id"] == again.json()["upload_id"]
    other = ann.post(url, json={**body, "size_bytes": 6}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    assert audited(api, shot) == ["SCREENSHOT_UPLOAD_REQUESTED"]


def test_given_a_signed_address_when_bent_or_used_for_something_else_then_404(
    ann: httpx.Client, shot: Recorded
) -> None:
    ticket = sent(ann, shot, screen())
    upload = ticket.json()["upload_url"]
    picture = confirm(ann, shot, ticket, screen()).json()["asset"]["image_uri"]
    for bad in (
        picture[:-1],
        picture.replace("/pictures/", "/downloads/"),
        picture.replace("/pictures/", "/picture-uploads/"),
        upload.replace("/picture-uploads/", "/pictures/"),
    ):
        assert httpx.get(bad).status_code in (404, 405), bad
    for bad in (upload + "x", picture.replace("/pictures/", "/picture-uploads/"), upload.replace("/picture-", "/")):
        assert httpx.put(bad, content=b"x").status_code == 404, bad
    payload = upload.rsplit("/", 1)[1].split(".")[1]
    assert "jobs/" not in base64.urlsafe_b64decode(payload + "==").decode()
