"""Drawing on screenshots over HTTP."""

import hashlib
import io
from typing import Any

import httpx
import pytest
from PIL import Image

from tests.apis import RunningApi
from tests.integration.pictures import Illustrated, illustrated_job, screen

ABSENT = "01890000-0000-7000-8000-000000000000"
BLUR = {"op_type": "blur", "geometry": {"x": 0.3, "y": 0.25, "w": 0.5, "h": 0.3}, "style": {"strength": 0.5}}
ARROW = {
    "op_type": "arrow",
    "geometry": {"x1": 0.1, "y1": 0.9, "x2": 0.4, "y2": 0.5},
    "style": {"color": "#1F5A94", "width": 0.01, "opacity": 0.9},
}
ALL = [
    BLUR,
    ARROW,
    {"op_type": "marker", "geometry": {"x": 0, "y": 0, "w": 0.2, "h": 0.1}},
    {"op_type": "pencil", "geometry": {"points": [[0.1, 0.1], [0.2, 0.2], [0.3, 0.1]]}},
]


@pytest.fixture
def shot(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


def annotate(
    client: httpx.Client, shot: Illustrated, *operations: dict[str, Any], base: str | None = None
) -> httpx.Response:
    body = {"base_asset_id": base or shot.asset_id, "operations": list(operations)}
    return client.post(f"anchors/{shot.anchor_id}/annotations", json=body)


def shown(api: RunningApi, shot: Illustrated) -> tuple[str, bytes]:
    """The asset that shows, and its bytes."""
    (picture,) = api.store.screenshots_for(shot.instruction_version_id)
    return picture.asset_id, api.artifacts.read_bytes(picture.blob)


def audited(api: RunningApi, shot: Illustrated) -> int:
    return sum(event.event_type == "ANCHOR_ANNOTATED" for event in api.store.events(shot.job.id))


def test_given_a_screenshot_when_drawn_on_then_the_rendering_shows(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    answer = annotate(ann, shot, *ALL)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    asset, data = shown(api, shot)
    assert body == {
        "anchor_id": shot.anchor_id,
        "base_asset_id": shot.asset_id,
        "ops_hash": body["ops_hash"],
        "rendered_asset_id": asset,
        "active_asset_id": asset,
    }
    assert asset != shot.asset_id
    assert len(body["ops_hash"]) == 64
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.size) == ("PNG", (320, 200))
    history = ann.get(f"jobs/{shot.job.id}/history").json()["items"]
    assert (history[0]["event_type"], history[0]["actor_type"]) == ("ANCHOR_ANNOTATED", "editor")


def test_given_the_same_drawing_in_other_words_when_sent_again_then_the_same_asset_and_no_audit_row(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    first = annotate(ann, shot, BLUR).json()
    again = annotate(ann, shot, {"style": {}, **{name: BLUR[name] for name in ("geometry", "op_type")}}).json()
    assert again == first
    assert audited(api, shot) == 1


def test_given_two_screens_that_differ_in_what_is_hidden_when_blurred_then_the_files_are_the_same(
    api: RunningApi, ann: httpx.Client
) -> None:
    """What was hidden is not in the file in any form: another secret gives the very same bytes."""
    over_it = {"op_type": "blur", "geometry": {"x": 0.36, "y": 0.25, "w": 0.24, "h": 0.3}}
    files = []
    for secret in ("hunter2", "2retnuh"):
        shot = illustrated_job(api.store, api.artifacts, data=screen(secret))
        assert annotate(ann, shot, over_it).status_code == 200
        files.append(shown(api, shot)[1])
    assert files[0] == files[1]


def test_given_an_annotated_picture_when_drawn_on_then_both_drawings_are_there(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    blurred = annotate(ann, shot, BLUR).json()["rendered_asset_id"]
    both = annotate(ann, shot, ARROW, base=blurred).json()
    assert both["base_asset_id"] == blurred
    _, data = shown(api, shot)
    annotate(ann, shot, BLUR, ARROW)
    assert shown(api, shot)[1] == data


def test_given_a_ring_and_a_crop_when_drawn_then_they_are_told_and_can_be_changed_and_taken_away(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    control = {"x": 0.36, "y": 0.25, "w": 0.24, "h": 0.3}
    ring = {"op_type": "ring", "geometry": control, "style": {"color": "#e11d48", "width": 0.004, "opacity": 1.0}}
    crop = {"op_type": "crop", "geometry": {"x": 0.2, "y": 0.1, "w": 0.5, "h": 0.5}, "style": {"whole": True}}
    drawn = annotate(ann, shot, ring, crop).json()["rendered_asset_id"]
    newest, base = ann.get(f"anchors/{shot.anchor_id}").json()["assets"]
    assert (newest["id"], newest["width"], newest["height"]) == (drawn, 160, 100)
    assert (newest["operations"], newest["rendered_from_asset_id"]) == ([ring, crop], shot.asset_id)
    assert (base["operations"], base["checksum_sha256"]) == (None, hashlib.sha256(shot.data).hexdigest())
    moved = ring | {"geometry": control | {"x": 0.4}}
    assert annotate(ann, shot, moved).json()["base_asset_id"] == shot.asset_id
    for _ in range(2):
        back = ann.post(f"anchors/{shot.anchor_id}/assets/{shot.asset_id}/show")
        assert (back.status_code, back.json()["active_asset_id"]) == (200, shot.asset_id)
    assert shown(api, shot) == (shot.asset_id, shot.data)
    kinds = [event.event_type for event in api.store.events(shot.job.id)]
    assert (kinds.count("ANCHOR_ANNOTATED"), kinds.count("SCREENSHOT_SHOWN")) == (2, 1)


def test_given_a_base_that_is_absent_malformed_or_another_anchors_when_drawn_on_then_the_same_404(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    absent = ann.get(f"jobs/{ABSENT}").content
    for base in (ABSENT, "x", illustrated_job(api.store, api.artifacts).asset_id):
        answer = annotate(ann, shot, BLUR, base=base)
        assert (answer.status_code, answer.content) == (404, absent), base
    assert shown(api, shot) == (shot.asset_id, shot.data)


def test_given_what_is_absent_foreign_or_deleted_when_shown_again_then_404(
    api: RunningApi, ann: httpx.Client, bob: httpx.Client, shot: Illustrated
) -> None:
    deleted = annotate(ann, shot, BLUR).json()["rendered_asset_id"]
    ann.delete(f"anchors/{shot.anchor_id}/assets/{deleted}").raise_for_status()
    other = illustrated_job(api.store, api.artifacts)
    asked = [(bob, shot.asset_id), (ann, deleted), (ann, ABSENT), (ann, other.asset_id)]
    for client, asset in asked:
        assert client.post(f"anchors/{shot.anchor_id}/assets/{asset}/show").status_code == 404
    assert shown(api, shot) == (shot.asset_id, shot.data)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"base_asset_id": ABSENT},
        {"base_asset_id": 5, "operations": [BLUR]},
        {"base_asset_id": ABSENT, "operations": []},
        {"base_asset_id": ABSENT, "operations": BLUR},
        {"base_asset_id": ABSENT, "operations": [BLUR] * 101},
        {"base_asset_id": ABSENT, "operations": [{**BLUR, "op_type": "erase"}]},
        {"base_asset_id": ABSENT, "operations": [{**BLUR, "geometry": {"x": 0.9, "y": 0, "w": 0.2, "h": 0.1}}]},
        {"base_asset_id": ABSENT, "operations": [{**ARROW, "geometry": BLUR["geometry"]}]},
        {"base_asset_id": ABSENT, "operations": [{**ARROW, "style": {"color": "javascript:alert(1)"}}]},
    ],
    ids=lambda body: repr(body)[:90],
)
def test_given_a_drawing_that_cannot_be_when_sent_then_400(
    ann: httpx.Client, shot: Illustrated, body: dict[str, Any]
) -> None:
    answer = ann.post(f"anchors/{shot.anchor_id}/annotations", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR"), answer.text
    assert answer.json()["details"]["issues"]


def test_given_numbers_that_json_does_not_know_when_sent_then_400(ann: httpx.Client, shot: Illustrated) -> None:
    geometry = '{"x": NaN, "y": 0, "w": 1, "h": 1}'
    body = f'{{"base_asset_id": "{ABSENT}", "operations": [{{"op_type": "blur", "geometry": {geometry}}}]}}'
    answer = ann.post(
        f"anchors/{shot.anchor_id}/annotations", content=body, headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("loss", ["lost", "damaged", "no picture"])
def test_given_a_base_that_cannot_be_read_when_drawn_on_then_a_conflict_and_nothing_changed(
    api: RunningApi, ann: httpx.Client, loss: str
) -> None:
    shot = illustrated_job(api.store, api.artifacts, data=b"<svg/>" if loss == "no picture" else None)
    key = f"jobs/{shot.job.id}/frame.png"
    if loss == "lost":
        api.artifacts.delete(key)
    if loss == "damaged":
        api.artifacts.put_bytes(key, shot.data[:-1] + b"?", "image/png")
    answer = annotate(ann, shot, BLUR)
    assert (answer.status_code, answer.json()["code"]) == (409, "PICTURE_UNUSABLE"), answer.text
    (picture,) = api.store.screenshots_for(shot.instruction_version_id)
    assert picture.asset_id == shot.asset_id
    assert audited(api, shot) == 0
    assert ann.get(f"jobs/{shot.job.id}").json()["version"] == shot.job.version
