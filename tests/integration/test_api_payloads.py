"""Requests as the public contract writes them, also where another way of saying the same is the usual one here."""

from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from activities.pictures.opening import MOST_BYTES
from domain.lifecycles.instruction import AUDIO_EXTRACTING
from tests.apis import RunningApi
from tests.integration.pictures import Illustrated, illustrated_job
from tests.integration.store_builders import STEP_BLOCK, Run, uploaded_job

DRAWING = [{"op_type": "marker", "geometry": {"x": 0, "y": 0, "w": 0.2, "h": 0.1}}]


@pytest.fixture(scope="module")
def shot(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


@pytest.fixture(scope="module", autouse=True)
def _rich(api: RunningApi) -> None:
    api.store.welcome("ann", 1000)


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_given_a_product_and_a_style_when_copy_is_asked_for_then_that_is_the_order(ann: httpx.Client) -> None:
    body = {"product_id": "kettle-9", "style": "playful", "idempotency_key": "contract"}
    first, again = (ann.post("generate/copy", json=body) for _ in range(2))
    assert (first.status_code, again.status_code, first.json()["id"]) == (202, 200, again.json()["id"])
    order = ann.get(f"generations/{first.json()['id']}").json()["order"]
    assert (order["product_id"], order["style"], order["prompt"]) == ("kettle-9", "playful", "kettle-9\nStyle: playful")
    assert code_of(ann.post("generate/copy", json=body | {"style": "grave"})) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    toned = ann.post("generate/copy", json={"product_id": "kettle-9", "style": "bold"}).json()["id"]
    order = ann.get(f"generations/{toned}").json()["order"]
    assert (order["tone"], order["style"], order["prompt"]) == ("bold", "bold", "kettle-9")


@pytest.mark.parametrize("made", ["copy", "static-ad", "video", "scrape", "tts"])
def test_given_nothing_that_says_what_is_made_then_400_names_the_field(ann: httpx.Client, made: str) -> None:
    for body in ({}, {"style": "bold"}):
        answer = ann.post(f"generate/{made}", json=body)
        assert code_of(answer) == (400, "VALIDATION_ERROR")
        assert answer.json()["details"]["issues"][0]["path"].startswith("body.")
    told = ann.post(f"generate/{made}", json={"product_id": "kettle-9"})
    assert told.status_code in ((400,) if made == "scrape" else (202, 409))  # 409: nobody is configured who makes it


def test_given_a_key_in_the_body_of_an_export_when_it_comes_with_another_request_then_409(
    ann: httpx.Client, shot: Illustrated
) -> None:
    def export(**more: Any) -> httpx.Response:
        body = {"format": "MD_ZIP", "instruction_version_id": shot.instruction_version_id} | more
        return ann.post(f"jobs/{shot.job.id}/exports", json=body)

    first, again = (export(idempotency_key="e-1") for _ in range(2))
    assert (first.status_code, again.status_code, first.json()["id"]) == (202, 200, again.json()["id"])
    assert code_of(export(idempotency_key="e-1", format="HTML")) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    assert export(idempotency_key="e-2").json()["id"] == export().json()["id"] == first.json()["id"]


def test_given_a_key_in_the_body_of_a_drawing_when_it_comes_with_another_then_409_and_nothing_is_drawn(
    ann: httpx.Client, shot: Illustrated
) -> None:
    def draw(*operations: Any) -> httpx.Response:
        body = {"base_asset_id": shot.asset_id, "operations": [*operations], "idempotency_key": "d-1"}
        return ann.post(f"anchors/{shot.anchor_id}/annotations", json=body)

    first, again = draw(*DRAWING), draw(*DRAWING)
    assert (first.status_code, first.json()) == (200, again.json())
    assert code_of(draw(*DRAWING, *DRAWING)) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    assert ann.get(f"anchors/{shot.anchor_id}").json()["active_asset_id"] == first.json()["active_asset_id"]


def test_given_no_instruction_when_a_picture_is_replaced_then_the_anchors_own_is_meant(
    ann: httpx.Client, bob: httpx.Client, shot: Illustrated
) -> None:
    body = {"instruction_version_id": shot.instruction_version_id, "timestamp_ms": 400}
    answer = ann.post(f"anchors/{shot.anchor_id}/replace", json=body)
    named = ann.post(f"anchors/{shot.anchor_id}/replace", json=body | {"instruction_id": shot.job.instruction_id})
    assert (answer.status_code, named.status_code) == (202, 200)
    assert answer.json()["task_id"] == named.json()["task_id"]
    assert bob.post(f"anchors/{shot.anchor_id}/replace", json=body).status_code == 404


def test_given_the_path_without_a_version_when_asked_then_the_same_answer(api: RunningApi, ann: httpx.Client) -> None:
    headers = {"Authorization": ann.headers["Authorization"]}
    made = httpx.post(f"{api.url}/api/projects", json={"name": "x"}, headers=headers | {"Idempotency-Key": "p"})
    same = ann.post("projects", json={"name": "x"}, headers={"Idempotency-Key": "p"})
    assert (made.status_code, made.json(), same.headers["Idempotency-Replayed"]) == (201, same.json(), "true")
    assert httpx.get(f"{api.url}/api/openapi.json").json() == httpx.get(f"{api.url}/api/v1/openapi.json").json()
    assert code_of(httpx.get(f"{api.url}/api/jobs")) == (401, "UNAUTHORIZED")
    assert code_of(httpx.get(f"{api.url}/api/v2/jobs", headers=headers)) == (404, "RESOURCE_NOT_FOUND")
    assert code_of(httpx.get(f"{api.url}/api/admin/x", headers=headers)) == (403, "FORBIDDEN")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("limit=5&kind=instruction", 200),
        ("", 200),
        ("limt=5", 400),
        ("limit=5&x", 400),
        ("%6cimit=5", 200),
        ("lim%00it=5", 400),
        ("=", 400),
        ("x=1&" * 200, 400),
    ],
)
def test_given_a_query_parameter_that_a_route_does_not_take_then_400_names_it(
    ann: httpx.Client, query: str, status: int
) -> None:
    answer = ann.get(f"jobs?{query}")
    assert answer.status_code == status
    if status == 400:
        assert answer.json()["code"] == "VALIDATION_ERROR"
        assert answer.json()["details"]["issues"][0]["path"].startswith("query")


TASKS: Mapping[str, tuple[str, Mapping[str, Any], str, str]] = {
    "regeneration": (
        "instructions/{0.job.instruction_id}/regenerate",
        {"base_version": 1, "selection": {"block_id": STEP_BLOCK}, "client_request_id": "r-1"},
        "tasks",
        "begin_regenerate",
    ),
    "extraction": (
        "jobs/{0.job.id}/screenshots/extract",
        {
            "instruction_id": "{0.job.instruction_id}",
            "instruction_version_id": "{0.instruction_version_id}",
            "block_id": STEP_BLOCK,
            "timestamp_ms": 700,
        },
        "screenshot-tasks",
        "begin_screenshot",
    ),
    "replacement": (
        "anchors/{0.anchor_id}/replace",
        {"instruction_version_id": "{0.instruction_version_id}", "timestamp_ms": 800},
        "screenshot-tasks",
        "begin_screenshot",
    ),
    "export": (
        "jobs/{0.job.id}/exports",
        {"format": "PDF", "instruction_version_id": "{0.instruction_version_id}"},
        "exports",
        "begin_export",
    ),
}
"""What is asked for where, as what it is read, and what makes it change."""


@pytest.mark.parametrize("what", TASKS)
def test_given_what_takes_its_time_when_asked_for_and_read_then_it_says_when_and_whether_again(
    api: RunningApi, ann: httpx.Client, shot: Illustrated, what: str
) -> None:
    path, body, read, begin = TASKS[what]
    sent = {name: each.format(shot) if isinstance(each, str) else each for name, each in body.items()}
    first, again = (ann.post(path.format(shot), json=sent) for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 200), (first.text, again.text)
    assert (first.json()["replayed"], again.json()["replayed"]) == (False, True)
    made = first.json()
    assert made["updated_at"] == made["requested_at"]
    getattr(api.store, begin)(made["id"])
    begun = ann.get(f"{read}/{made['id']}").json()
    assert begun["status"] == "RUNNING" and begun["requested_at"] == made["requested_at"] < begun["updated_at"]
    if what == "export":
        assert begun["screenshot_set_hash"] == begun["provenance"]["screenshot_set_hash"] != ""
    assert set(made) == set(begun)


def test_given_a_picture_when_announced_and_when_deleted_then_the_answers_say_the_limits_and_which(
    api: RunningApi, ann: httpx.Client
) -> None:
    other = illustrated_job(api.store, api.artifacts)
    new = {"filename": "a.png", "mime_type": "image/png", "size_bytes": 10, "checksum_sha256": "0" * 64}
    ticket = ann.post(f"jobs/{other.job.id}/screenshots/uploads", json=new).json()
    assert ticket["max_size_bytes"] == MOST_BYTES
    assert ticket["allowed_mime_types"] == ["image/png", "image/jpeg", "image/webp"]
    gone = ann.delete(f"anchors/{other.anchor_id}/assets/{other.asset_id}").json()
    assert (gone["deleted_asset_id"], gone["active_asset_id"]) == (other.asset_id, None)


def test_given_a_stage_that_is_tried_again_when_the_history_is_read_then_it_says_which_try_and_why(
    api: RunningApi, ann: httpx.Client
) -> None:
    run = Run(api.store, uploaded_job(api.store, "ann").id).dispatched()
    api.store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    api.store.begin_stage(run.job_id, run.fence(execution=2), AUDIO_EXTRACTING, reason="WORKER_EXHAUSTED")
    again, began, *_ = ann.get(f"jobs/{run.job_id}/history").json()["items"]
    assert (began["event_type"], began["execution"], "failure_code" in began["data"]) == ("STATUS_CHANGED", 1, False)
    assert (again["event_type"], again["execution"]) == ("STAGE_RETRIED", 2)
    assert again["data"]["failure_code"] == "WORKER_EXHAUSTED"


@pytest.mark.parametrize(
    ("shape", "name", "some"),
    [
        ("JobAnswer", "status", {"CREATED", "DRAFT_READY", "queued", "partial"}),
        ("RunResult", "status", {"CREATED", "DRAFT_READY", "queued", "partial"}),
        ("HistoryRow", "prev_status", {"CREATED", "DRAFT_READY", "queued", "partial"}),
        ("HistoryRow", "new_status", {"CREATED", "DRAFT_READY", "queued", "partial"}),
        ("HistoryRow", "event_type", {"STAGE_RETRIED", "STATUS_CHANGED"}),
        ("HistoryRow", "actor_type", {"editor", "orchestrator", "system"}),
        ("FailureAnswer", "failure_code", {"WORKFLOW_LOST", "STAGE_TIMED_OUT", "CANCELLED", "MEDIA_TOO_LARGE"}),
        ("ScreenshotTaskAnswer", "failure_code", {"STAGE_TIMED_OUT", "ARTIFACT_MISSING"}),
        ("ErrorBody", "code", {"VALIDATION_ERROR", "UNAUTHORIZED", "RESOURCE_NOT_FOUND"}),
    ],
)
def test_given_the_description_when_read_then_it_lists_the_values_that_there_are(
    api: RunningApi, shape: str, name: str, some: set[str]
) -> None:
    schemas = httpx.get(f"{api.url}/api/v1/openapi.json").json()["components"]["schemas"]
    assert some <= set(values(schemas[shape]["properties"][name], schemas))


def values(described: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    """Of an enum, or of any that a schema leaves open."""
    if "$ref" in described:
        yield from values(schemas[described["$ref"].rpartition("/")[2]], schemas)
    yield from described.get("enum", ())
    for each in described.get("anyOf", ()):
        yield from values(each, schemas)
