"""Blurring what is private on every picture of an instruction, over HTTP."""

import io

import httpx
import numpy as np
import pytest
from PIL import Image

from domain.artifacts import ArtifactKind
from domain.documents.annotations import Ring
from domain.documents.screenshots import NewDrawing, NewScreenshot
from domain.geometry import Box
from domain.jobs import Job, NewArtifact
from domain.lifecycles.instruction import DRAFT_READY, GENERATING
from domain.recordings.screen import ScreenRecord, ScreenText
from tests.apis import RunningApi
from tests.integration.pictures import SIZE, screen
from tests.integration.store_builders import STEP_BLOCK, Run, artifact, draft, uploaded_job

ADDRESS, SECRET = Box(x=0.36, y=0.28, w=0.4, h=0.12), "joe@example.com"
RING = Ring(op_type="ring", geometry=Box(x=0.1, y=0.7, w=0.2, h=0.1))


def text(words: str, start_ms: int, end_ms: int, confidence: float = 0.95) -> ScreenText:
    return ScreenText(id=0, text=words, box=ADDRESS, confidence=confidence, start_ms=start_ms, end_ms=end_ms)


READ = ScreenRecord(
    reader="test",
    width=SIZE[0],
    height=SIZE[1],
    duration_ms=60_000,
    texts=(
        text(SECRET, 0, 5_000),
        text("joe@exarnple corn", 10_000, 15_000),
        text("Anna Berg", 20_000, 25_000),
        text("Inv0ices", 30_000, 35_000, confidence=0.2),
    ),
)
MOMENTS = (500, 12_000, 22_000, 32_000, 50_000)


@pytest.fixture
def job(api: RunningApi) -> Job:
    """With five pictures: the address, the address read badly, a name, what nobody can read, and nothing read at all;
    the first of them ringed."""
    run = Run(api.store, uploaded_job(api.store).id).dispatched().extract_audio().transcribe()
    stored = api.artifacts.put_bytes(f"jobs/{run.job_id}/frame.png", screen(SECRET), "image/png")
    drawing = NewDrawing(ops_hash="d" * 64, blob=stored, width=SIZE[0], height=SIZE[1], operations=(RING,))
    shots = [
        NewScreenshot(
            block_id=STEP_BLOCK,
            blob=stored,
            width=SIZE[0],
            height=SIZE[1],
            timestamp_ms=moment,
            extraction_key=str(moment),
            drawing=drawing if moment == MOMENTS[0] else None,
        )
        for moment in MOMENTS
    ]
    read = api.artifacts.put_bytes(
        f"jobs/{run.job_id}/screen.json", READ.model_dump_json().encode(), "application/json"
    )
    api.store.begin_stage(run.job_id, run.fence(), GENERATING)
    api.store.finish_stage(
        run.job_id,
        run.fence(),
        target=DRAFT_READY,
        artifacts=[artifact(ArtifactKind.DRAFT), NewArtifact(kind=ArtifactKind.SCREEN, blob=read)],
        version=draft(),
        screenshots=shots,
    )
    return api.store.get_job(run.job_id)


def shown(api: RunningApi, job: Job) -> list[Image.Image]:
    """What shows, in the order of the moments."""
    version = api.store.get_instruction("ann", job.instruction_id or "")
    pictures = sorted(api.store.screenshots_for(version.id), key=lambda each: each.timestamp_ms or 0)
    return [Image.open(io.BytesIO(api.artifacts.read_bytes(each.blob))).convert("RGB") for each in pictures]


def legible(picture: Image.Image) -> bool:
    """Whether letters stand where the address was."""
    left, top, right, bottom = 118, 58, 225, 82
    return int(np.ptp(np.asarray(picture.crop((left, top, right, bottom)).convert("L")).astype(int))) > 100


def test_given_private_text_on_pictures_when_redacted_then_all_of_it_is_gone_and_what_is_unread_is_said(
    api: RunningApi, ann: httpx.Client, job: Job
) -> None:
    path = f"instructions/{job.instruction_id}/redactions"
    assert [legible(each) for each in shown(api, job)] == [True] * 5
    offered = ann.post(path, json={"also": ["anna berg"], "preview": True}).json()
    assert offered["found"] == [
        {"kind": "email", "text": SECRET, "pictures": 2},
        {"kind": "listed", "text": "Anna Berg", "pictures": 1},
    ]
    assert [each["blurs"] for each in offered["pictures"]] == [1, 1, 1, 0, 0]
    assert [each["unchecked"] for each in offered["pictures"]] == [None, None, None, "READ_BADLY", "NOT_READ"]
    assert [legible(each) for each in shown(api, job)] == [True] * 5

    made = ann.post(path, json={"also": ["anna berg"]}).json()
    assert (made["found"], made["unchecked"]) == (offered["found"], 2)
    assert [legible(each) for each in shown(api, job)] == [False, False, False, True, True]
    anchor = ann.get(f"anchors/{made['pictures'][0]['anchor_id']}").json()
    newest, ringed, frame = anchor["assets"]
    assert anchor["active_asset_id"] == newest["id"] == made["pictures"][0]["active_asset_id"]
    assert [each["op_type"] for each in newest["operations"]] == ["blur", "ring"]
    assert (newest["rendered_from_asset_id"], ringed["rendered_from_asset_id"]) == (frame["id"], frame["id"])

    again = ann.post(path, json={"also": ["anna berg"]}).json()
    assert [each["blurs"] for each in again["pictures"]] == [0] * 5
    assert [each["active_asset_id"] for each in again["pictures"]] == [
        each["active_asset_id"] for each in made["pictures"]
    ]


@pytest.mark.parametrize(
    "body", [{"also": ["x"]}, {"also": "Anna"}, {"also": ["a\nb"]}, {"also": ["ab"] * 101}, {"all": 1}]
)
def test_given_what_is_no_list_of_words_when_redacted_then_it_is_refused(
    api: RunningApi, ann: httpx.Client, job: Job, body: dict[str, object]
) -> None:
    assert ann.post(f"instructions/{job.instruction_id}/redactions", json=body).status_code == 400


def test_given_a_list_of_my_own_when_redacted_then_it_counts_for_me_until_it_is_changed(
    api: RunningApi, ann: httpx.Client, job: Job
) -> None:
    path = f"instructions/{job.instruction_id}/redactions"
    assert ann.get("private-words").json() == {"words": []}
    kept = ann.put("private-words", json={"words": ["anna berg", "Falcon", "anna berg"]})
    assert (kept.status_code, kept.json()) == (200, {"words": ["anna berg", "Falcon"]})
    assert ann.get("private-words").json() == kept.json()
    assert api.store.private_words("somebody else") == ()

    def found(**asked: object) -> list[str]:
        return [each["text"] for each in ann.post(path, json={"preview": True, **asked}).json()["found"]]

    assert found() == [SECRET, "Anna Berg"]
    assert found(listed=False) == [SECRET]
    assert ann.put("private-words", json={"words": []}).json() == {"words": []}
    assert found() == [SECRET]


@pytest.mark.parametrize("body", [{}, {"words": ["x"]}, {"words": "Anna"}, {"words": ["ab"] * 101}])
def test_given_what_is_no_list_when_it_is_to_be_kept_then_it_is_refused(
    ann: httpx.Client, body: dict[str, object]
) -> None:
    assert ann.put("private-words", json=body).status_code == 400
