"""Anchors over HTTP: made, listed, resolved in another version, their pictures replaced and deleted."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from domain.documents.screenshots import NewFrame
from tests.apis import RunningApi
from tests.integration.pictures import Illustrated, illustrated_job, screen
from tests.integration.store_builders import MARKDOWN, OTHER_BLOCK, STEP_BLOCK, TITLE_BLOCK

ABSENT = "01890000-0000-7000-8000-000000000000"


@pytest.fixture
def shot(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


@pytest.fixture
def anchors(shot: Illustrated) -> Iterator[str]:
    """The address of the instruction's anchors."""
    yield f"instructions/{shot.job.instruction_id}/anchors"


def at_block(block_id: str) -> dict[str, object]:
    return {"address_type": "block_id", "block_id": block_id}


def at_range(text: str, markdown: str = MARKDOWN) -> dict[str, object]:
    start = markdown.index(text)
    return {"address_type": "char_range", "char_range": {"start_offset": start, "end_offset": start + len(text)}}


def made(client: httpx.Client, url: str, shot: Illustrated, addressing: dict[str, object]) -> dict[str, Any]:
    answer = client.post(url, json={"instruction_version_id": shot.instruction_version_id, "addressing": addressing})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def saved(client: httpx.Client, shot: Illustrated, markdown: str, base: int = 1) -> str:
    """The id of the version that an edit makes."""
    answer = client.put(f"instructions/{shot.job.instruction_id}", json={"base_version": base, "markdown": markdown})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["instruction_version_id"])


def replace(client: httpx.Client, shot: Illustrated, timestamp_ms: int = 500, **more: object) -> httpx.Response:
    body = {
        "instruction_id": shot.job.instruction_id,
        "instruction_version_id": shot.instruction_version_id,
        "timestamp_ms": timestamp_ms,
        **more,
    }
    return client.post(f"anchors/{shot.anchor_id}/replace", json=body)


def take(api: RunningApi, answer: httpx.Response) -> str:
    """What a worker does with a task; the asset that comes of it."""
    assert answer.status_code in (200, 202), answer.text
    task_id = answer.json()["task_id"]
    api.store.begin_screenshot(task_id)
    blob = api.artifacts.put_bytes(f"taken/{task_id}.png", screen(task_id), "image/png")
    task = api.store.finish_screenshot(task_id, NewFrame(blob=blob, width=320, height=200, pts_ms=480))
    return str(task.asset_id)


# --- made and listed ---------------------------------------------------------------------------------------------


def test_given_a_place_when_anchored_then_answered_and_listed_with_its_pictures(
    ann: httpx.Client, shot: Illustrated, anchors: str
) -> None:
    anchor = made(ann, anchors, shot, {**at_range("Enter"), "strategy": "nearest-text"})
    assert (anchor["id"], anchor["active_asset_id"], anchor["assets"]) == (anchor["anchor_id"], None, [])
    assert anchor["addressing"] == {**at_range("Enter"), "strategy": "nearest-text", "block_id": None}
    newest, drafted = ann.get(anchors).json()["items"]
    assert (newest["id"], drafted["id"]) == (anchor["id"], shot.anchor_id)
    (asset,) = drafted["assets"]
    assert (asset["id"], asset["kind"], asset["timestamp_ms"]) == (shot.asset_id, "EXTRACTED", 500)
    assert httpx.get(asset["image_uri"]).content == shot.data
    assert (drafted["resolution"], drafted["trace"]) == (None, [])
    page = ann.get(anchors, params={"limit": 1}).json()
    assert [each["id"] for each in page["items"]] == [anchor["id"]]
    rest = ann.get(anchors, params={"limit": 1, "cursor": page["next_cursor"]}).json()
    assert ([each["id"] for each in rest["items"]], rest["next_cursor"]) == ([shot.anchor_id], None)


def test_given_a_key_when_an_anchor_is_made_again_then_the_same_one(
    api: RunningApi, shot: Illustrated, anchors: str
) -> None:
    body = {"instruction_version_id": shot.instruction_version_id, "addressing": at_block(OTHER_BLOCK)}
    with api.client() as client, ThreadPoolExecutor(8) as pool:
        headers = {"Idempotency-Key": "place"}
        answers = list(pool.map(lambda _: client.post(anchors, json=body, headers=headers), range(8)))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert len(client.get(anchors).json()["items"]) == 2


@pytest.mark.parametrize(
    "addressing",
    [
        {},
        {"address_type": "block_id"},
        {"address_type": "block_id", "block_id": 5},
        {"address_type": "block_id", "block_id": ABSENT},
        {"address_type": "char_range", "block_id": STEP_BLOCK},
        {"address_type": "char_range", "char_range": {"start_offset": 3}},
        {"address_type": "char_range", "char_range": {"start_offset": 3, "end_offset": 3}},
        {"address_type": "char_range", "char_range": {"start_offset": 0, "end_offset": 1_000_000}},
        {**at_range("Enter"), "block_id": STEP_BLOCK},
        {"address_type": "page", "block_id": STEP_BLOCK},
        {**at_block(STEP_BLOCK), "strategy": "<script>"},
    ],
    ids=str,
)
def test_given_a_place_that_is_none_when_anchored_then_400_and_none_is_made(
    ann: httpx.Client, shot: Illustrated, anchors: str, addressing: dict[str, object]
) -> None:
    answer = ann.post(anchors, json={"instruction_version_id": shot.instruction_version_id, "addressing": addressing})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR"), answer.text
    assert len(ann.get(anchors).json()["items"]) == 1


# --- resolved ----------------------------------------------------------------------------------------------------


def test_given_an_edit_when_resolved_then_retained_remapped_or_unresolved_with_a_trace(
    ann: httpx.Client, shot: Illustrated, anchors: str
) -> None:
    places = {
        "title": at_block(TITLE_BLOCK),
        "step": at_block(STEP_BLOCK),
        "other": at_block(OTHER_BLOCK),
        "words": at_range("**New**"),
    }
    ids = {name: made(ann, anchors, shot, place)["id"] for name, place in places.items()}
    edited = MARKDOWN.replace("Choose **New**", "First choose **New**").replace(
        f"\n<!-- block:{OTHER_BLOCK} -->\nEnter the name.\n", ""
    )
    version = saved(ann, shot, edited)
    for target in ({}, {"target_instruction_version_id": version}):
        found = {name: ann.get(f"anchors/{each}", params=target).json() for name, each in ids.items()}
        assert {name: each["resolution"] for name, each in found.items()} == {
            "title": "retain",
            "step": "remap",
            "other": "unresolved",
            "words": "remap",
        }
        assert {each["target_instruction_version_id"] for each in found.values()} == {version}
        assert all(0 <= step["confidence"] <= 1 for each in found.values() for step in each["trace"])
        assert found["other"]["resolved_addressing"] is None and found["other"]["trace"]
        assert found["words"]["addressing"]["char_range"] == places["words"]["char_range"]
        moved = found["words"]["resolved_addressing"]["char_range"]
        text = ann.get(f"instructions/{shot.job.instruction_id}").json()["markdown"]
        assert text[moved["start_offset"] : moved["end_offset"]] == "**New**"
    same = ann.get(f"anchors/{ids['other']}", params={"target_instruction_version_id": shot.instruction_version_id})
    assert same.json()["resolution"] == "retain"
    listed = ann.get(anchors, params={"instruction_version_id": version}).json()["items"]
    assert {each["id"]: each["resolution"] for each in listed} == {
        shot.anchor_id: "remap",
        **{each: found[name]["resolution"] for name, each in ids.items()},
    }


def test_given_a_version_of_another_instruction_when_resolved_or_listed_then_404(
    api: RunningApi, ann: httpx.Client, shot: Illustrated, anchors: str
) -> None:
    other = illustrated_job(api.store, api.artifacts)
    absent = ann.get(f"jobs/{ABSENT}").content
    for version in (other.instruction_version_id, ABSENT, "x", ""):
        for answer in (
            ann.get(anchors, params={"instruction_version_id": version}),
            ann.get(f"anchors/{shot.anchor_id}", params={"target_instruction_version_id": version}),
            ann.post(anchors, json={"instruction_version_id": version, "addressing": at_block(STEP_BLOCK)}),
        ):
            assert (answer.status_code, answer.content) == (404, absent), version


# --- replaced and deleted ----------------------------------------------------------------------------------------


def test_given_a_replacement_when_taken_then_a_version_more_that_shows(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    answer = replace(ann, shot)
    assert answer.status_code == 202, answer.text
    assert (answer.json()["operation"], answer.json()["anchor_id"]) == ("REPLACE", shot.anchor_id)
    assert replace(ann, shot).status_code == 200
    asset_id = take(api, answer)
    anchor = ann.get(f"anchors/{shot.anchor_id}").json()
    newest, before = anchor["assets"]
    assert (anchor["active_asset_id"], newest["id"], before["id"]) == (asset_id, asset_id, shot.asset_id)
    assert (newest["previous_asset_id"], newest["version"]) == (shot.asset_id, 2)
    replayed = replace(ann, shot)
    assert (replayed.status_code, replayed.json()["asset"]["id"]) == (200, asset_id)


def test_given_a_key_of_a_replacement_when_used_for_another_then_409(ann: httpx.Client, shot: Illustrated) -> None:
    assert replace(ann, shot, idempotency_key="mine").status_code == 202
    answer = replace(ann, shot, timestamp_ms=600, idempotency_key="mine")
    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")


def test_given_a_deleted_picture_when_it_showed_then_the_one_before_shows_and_at_last_none(
    api: RunningApi, ann: httpx.Client, shot: Illustrated, anchors: str
) -> None:
    newest = take(api, replace(ann, shot))
    url = f"anchors/{shot.anchor_id}/assets"
    for _ in range(2):
        answer = ann.delete(f"{url}/{newest}")
        assert (answer.status_code, answer.json()["active_asset_id"]) == (200, shot.asset_id)
    assert [each["id"] for each in ann.get(anchors).json()["items"][0]["assets"]] == [shot.asset_id]
    with_deleted = ann.get(anchors, params={"include_deleted_assets": True}).json()["items"][0]["assets"]
    assert [(each["id"], each["is_deleted"]) for each in with_deleted] == [(newest, True), (shot.asset_id, False)]
    assert httpx.get(with_deleted[0]["image_uri"]).status_code == 200
    assert ann.delete(f"{url}/{shot.asset_id}").json()["active_asset_id"] is None
    assert api.store.screenshots_for(shot.instruction_version_id) == ()
    assert [each.event_type for each in api.store.events(shot.job.id)].count("SCREENSHOT_DELETED") == 2


def test_given_an_annotated_picture_when_it_is_deleted_then_what_it_was_drawn_on_shows(
    ann: httpx.Client, shot: Illustrated
) -> None:
    blur = {"op_type": "blur", "geometry": {"x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}}
    drawn = ann.post(
        f"anchors/{shot.anchor_id}/annotations", json={"base_asset_id": shot.asset_id, "operations": [blur]}
    ).json()
    newest = ann.get(f"anchors/{shot.anchor_id}").json()["assets"][0]
    assert (newest["kind"], newest["ops_hash"]) == ("ANNOTATED", drawn["ops_hash"])
    assert newest["rendered_from_asset_id"] == shot.asset_id
    answer = ann.delete(f"anchors/{shot.anchor_id}/assets/{drawn['rendered_asset_id']}")
    assert answer.json()["active_asset_id"] == shot.asset_id


def brought(api: RunningApi, shot: Illustrated, data: bytes) -> str:
    """A confirmed upload."""
    blob = api.artifacts.put_bytes(f"brought/{shot.job.id}.png", data, "image/png")
    upload = api.store.begin_picture(
        "ann",
        shot.job.id,
        filename="mine.png",
        media_type="image/png",
        size_bytes=blob.size_bytes,
        checksum_sha256=blob.checksum_sha256,
        expires_at=shot.job.created_at,
    )
    api.store.receive_picture(upload.id, blob.key)
    return api.store.confirm_picture(upload.id, blob.key, 320, 200).id


def test_given_a_key_when_a_picture_is_attached_with_it_then_once_and_with_another_body_409(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    url = f"anchors/{shot.anchor_id}/attach-upload"
    body = {"instruction_version_id": shot.instruction_version_id, "idempotency_key": "k"}
    absent = ann.post(url, json={**body, "upload_id": ABSENT})
    assert absent.status_code == 404, "and the key is free again"
    mine = {**body, "upload_id": brought(api, shot, screen("mine"))}
    attached = ann.post(url, json=mine).json()["active_asset_id"]
    taken = take(api, replace(ann, shot))
    assert ann.post(url, json=mine).json()["active_asset_id"] == taken != attached, "a replay changes nothing"
    other = ann.post(url, json={**body, "upload_id": ABSENT})
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    again = ann.post(url, json={**mine, "idempotency_key": "l"})
    assert again.json()["active_asset_id"] == attached, "shown anew, not stored anew"
    assert [each.event_type for each in api.store.events(shot.job.id)].count("SCREENSHOT_ATTACHED") == 2
