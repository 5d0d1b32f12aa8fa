"""A misheard word corrected everywhere at once, undone, kept in a glossary, and put right in what is recorded later."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from faster_whisper import WhisperModel

from activities.artifacts.memo import ResumePoints, StageMemo
from activities.speech.options import WhisperOptions
from activities.speech.whisper import WhisperRecogniser
from activities.stages.instruction import InstructionStages, Parts
from activities.store import Store
from domain.documents.document import parse
from domain.errors import NotFound, QuotaExceeded
from domain.jobs import Job
from domain.recordings import glossary
from domain.recordings.corrections import text_sha256
from domain.recordings.glossary import Pair
from tests.apis import RunningApi
from tests.integration.api_builders import told_job
from tests.integration.store_builders import drafted_job, instruction_of
from tests.speech import clip, write_flac

pytest_plugins = ("tests.databases",)

HEARD, RIGHT = "sentence", "clause"


@pytest.fixture
def kim(api: RunningApi) -> Iterator[httpx.Client]:
    with api.client("kim") as client:
        yield client


@pytest.fixture
def job(api: RunningApi, kim: httpx.Client) -> Job:
    """A job whose instruction and transcript say the misheard word."""
    told = told_job(api.store, api.artifacts, "kim")
    document = kim.get(f"instructions/{told.instruction_id}").json()
    text = f"{document['markdown'].rstrip()} The sentence's end, in `sentence`.\n"
    saved = kim.put(f"instructions/{told.instruction_id}", json={"base_version": document["version"], "markdown": text})
    assert saved.status_code == 200, saved.text
    return told


def found(kim: httpx.Client, job: Job) -> dict:  # type: ignore[type-arg]
    answer = kim.post(f"jobs/{job.id}/corrections/find", json={"pairs": [{"heard": HEARD, "right": RIGHT}]})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_given_a_misheard_word_when_it_is_corrected_in_chosen_places_then_all_read_so_and_undo_takes_all_back(
    kim: httpx.Client, job: Job
) -> None:
    said = found(kim, job)
    certain = [each["id"] for each in said["places"] if each["certain"]]
    code = [each for each in said["places"] if each["how"] == "code"]
    assert len(code) == 1
    assert {each["block_id"] is None for each in said["places"]} == {True, False}
    before = kim.get(f"instructions/{job.instruction_id}").json()
    transcript = kim.get(f"jobs/{job.id}/transcript").json()

    order = {"pairs": said["pairs"], "places": certain, "base_version": said["base_version"]}
    answer = kim.post(f"jobs/{job.id}/corrections", json=order, headers={"Idempotency-Key": "once"})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    again = kim.post(f"jobs/{job.id}/corrections", json=order, headers={"Idempotency-Key": "once"})
    assert (again.status_code, again.json()) == (201, made)
    assert made["version"] == before["version"] + 1
    after = kim.get(f"instructions/{job.instruction_id}").json()
    assert "The clause's end, in `sentence`." in after["markdown"]
    assert parse(after["markdown"]).ids == parse(before["markdown"]).ids
    assert after["blocks"] == before["blocks"]  # times and roles stay
    texts = [each["text"] for each in kim.get(f"jobs/{job.id}/transcript").json()["items"]]
    assert all("entence" not in each for each in texts)
    assert any("Clause" in each for each in texts)
    (newest, *_) = kim.get(f"instructions/{job.instruction_id}/versions").json()["items"]
    assert newest["name"] == f"{HEARD} → {RIGHT}"

    late = kim.post(f"jobs/{job.id}/corrections", json=order)
    assert (late.status_code, late.json()["code"]) == (409, "VERSION_CONFLICT")
    stale = {**order, "base_version": made["version"]}
    answer = kim.post(f"jobs/{job.id}/corrections", json=stale)
    assert (answer.status_code, answer.json()["code"]) == (409, "CORRECTION_CONFLICT")
    assert HEARD not in answer.text

    for _ in range(2):
        undone = kim.post(f"jobs/{job.id}/corrections/{made['id']}/undo").json()
        assert undone["undone_version"] == made["version"] + 1
    assert kim.get(f"instructions/{job.instruction_id}").json()["markdown"] == before["markdown"]
    assert kim.get(f"jobs/{job.id}/transcript").json() == transcript


def test_given_what_was_changed_since_when_the_set_is_undone_then_that_stays(kim: httpx.Client, job: Job) -> None:
    said = found(kim, job)
    order = {"pairs": said["pairs"], "base_version": said["base_version"]}
    chosen = [each["id"] for each in said["places"] if each["certain"]]
    made = kim.post(f"jobs/{job.id}/corrections", json={**order, "places": chosen}).json()
    items = kim.get(f"jobs/{job.id}/transcript").json()["items"]
    kim.put(f"jobs/{job.id}/transcript/segments/1", json={"text": "Mine."}).raise_for_status()
    kim.post(f"jobs/{job.id}/corrections/{made['id']}/undo").raise_for_status()
    texts = [each["text"] for each in kim.get(f"jobs/{job.id}/transcript").json()["items"]]
    assert texts[1] == "Mine."
    assert texts[2] != items[2]["text"]


def test_given_nothing_certain_or_nonsense_then_it_is_refused_and_nothing_changes(kim: httpx.Client, job: Job) -> None:
    path = f"jobs/{job.id}/corrections/find"
    for body in ({}, {"glossary": True, "pairs": [{"heard": "a", "right": "b"}]}):
        assert kim.post(path, json=body).status_code == 400
    assert kim.post(path, json={"pairs": [{"heard": "x", "right": "x"}]}).json()["code"] == "VALIDATION_ERROR"
    assert kim.post(path, json={"pairs": [{"heard": "zebra", "right": "lion"}]}).json()["places"] == []
    assert kim.post(f"jobs/{job.id}/corrections/0/undo").status_code == 404


# --- the glossary ------------------------------------------------------------------------------------------------


def test_given_a_pair_that_is_kept_then_it_is_offered_for_other_documents_of_its_project_alone(
    api: RunningApi, kim: httpx.Client, job: Job
) -> None:
    other = told_job(api.store, api.artifacts, "kim")
    new = {"heard": HEARD, "right": RIGHT, "project_id": job.project_id}
    kept = kim.post("glossary", json=new)
    assert kept.status_code == 201
    again = kim.post("glossary", json={**new, "heard": HEARD.upper(), "right": "line"})
    assert (again.status_code, again.json()["id"], again.json()["right"]) == (200, kept.json()["id"], "line")
    known = kim.post(f"jobs/{job.id}/corrections/find", json={"glossary": True}).json()
    assert [(each["heard"].lower(), each["right"]) for each in known["pairs"]] == [(HEARD, "line")]
    assert known["places"]
    elsewhere = kim.post(f"jobs/{other.id}/corrections/find", json={"glossary": True}).json()
    assert bool(elsewhere["places"]) == (other.project_id == job.project_id)
    assert [each["id"] for each in kim.get("glossary").json()["items"]] == [kept.json()["id"]]
    with api.client("lee") as lee:
        assert lee.get("glossary").json()["items"] == []
        assert lee.delete(f"glossary/{kept.json()['id']}").status_code == 404
        assert lee.post("glossary", json=new).status_code == 404
    assert kim.delete(f"glossary/{kept.json()['id']}").status_code == 204
    assert kim.get("glossary").json()["items"] == []


def test_given_terms_of_a_project_and_of_all_then_the_projects_own_count_there(store: Store) -> None:
    job, _ = drafted_job(store)
    store.keep_term(job.owner, Pair(heard="skim", right="SKIM"))
    store.keep_term(job.owner, Pair(heard="Skim", right="SCIM"), job.project_id)
    assert [each.right for each in store.glossary(job.owner, job.project_id)] == ["SCIM"]
    assert [each.right for each in store.glossary(job.owner)] == ["SKIM"]
    with pytest.raises(NotFound):
        store.keep_term("mallory", Pair(heard="a", right="b"), job.project_id)
    with pytest.raises(NotFound):
        store.remove_term("mallory", store.glossary(job.owner)[0].id)


def test_given_a_term_of_a_project_when_its_next_recording_is_heard_then_the_recogniser_is_told_it_first(
    api: RunningApi, kim: httpx.Client, job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    term = {"heard": "May pull", "right": "Maple", "project_id": job.project_id}
    assert kim.post("glossary", json=term).status_code == 201
    told: list[str | None] = []
    transcribe = WhisperModel.transcribe

    def noted(*given: Any, **options: Any) -> Any:
        told.append(options.get("initial_prompt"))
        return transcribe(*given, **options)

    monkeypatch.setattr(WhisperModel, "transcribe", noted)
    spoken = write_flac(tmp_path / "audio.flac", [clip("english")[: 4_500 * 16]])
    blob = api.artifacts.put_bytes(f"jobs/{job.id}/audio.flac", spoken.read_bytes(), "audio/flac")
    parts = Parts(
        library=api.store,
        artifacts=api.artifacts,
        memo=StageMemo(api.artifacts),
        resume_points=ResumePoints(api.artifacts),
        recogniser=WhisperRecogniser(WhisperOptions(model="bundled")),
        drafters={},
        default_profile="local",
    )
    for hinting, first in ((True, "Maple."), (False, None)):
        stages = InstructionStages(replace(parts, hinting=hinting))
        heartbeat = SimpleNamespace(note=lambda **_: None)
        work: Any = SimpleNamespace(
            job=job, call=SimpleNamespace(unit=0), heartbeat=heartbeat, advance=lambda *_, **__: None
        )
        audio: Any = SimpleNamespace(blob=blob)
        heard = stages._transcription.hear(work, audio, {"of": str(hinting)}, (0, 4_500))
        assert heard.segments and told.pop(0) == first
        told.clear()
    assert kim.get("glossary").json()["items"][0]["right"] == "Maple"


def test_given_a_full_glossary_then_no_more_is_kept_and_what_is_there_can_be_changed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.store.documents.glossary.MOST_TERMS", 2)
    for each in ("one", "two"):
        store.keep_term("kim", Pair(heard=each, right="x"))
    with pytest.raises(QuotaExceeded):
        store.keep_term("kim", Pair(heard="three", right="x"))
    term, is_new = store.keep_term("kim", Pair(heard="two", right="y"))
    assert (term.right, is_new) == ("y", False)
    assert glossary.MOST_TERMS >= 2


def test_given_corrections_of_the_glossary_then_what_somebody_said_stays_and_the_rest_is_put_right(
    store: Store,
) -> None:
    job, _ = drafted_job(store)
    heard = ("Open skim.", "Use skim.")
    store.correct(job.owner, job.id, 0, heard[0], "Open it.")
    store.correct(job.owner, job.id, 0, heard[0], None)  # it was heard rightly
    segments = [
        glossary.SegmentPut(
            segment=place,
            start_ms=0,
            original_sha256=text_sha256(text),
            text=text.replace("skim", "SCIM"),
            words=(),
        )
        for place, text in enumerate(heard)
    ]
    for _ in range(2):  # a stage that runs again
        store.add_corrections(job.id, segments)
        assert [(each.segment, each.text) for each in store.corrections(job.id)] == [(1, "Use SCIM.")]
    assert instruction_of(job)
