"""Corrections of a transcript: kept beside it, undone, told of, and read by whatever is made of it afterwards."""

from collections.abc import Iterator

import httpx
import pytest

from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.documents.publication import HEARD_FORMATS, ExportFormat
from domain.errors import CorrectionConflict, NotFound
from tests.apis import RunningApi
from tests.integration.api_builders import SPOKEN, told_job
from tests.integration.store_builders import OWNER, at_once, drafted_job, instruction_of

pytest_plugins = ("tests.databases",)

HEARD = SPOKEN.segments[2].text
MEANT = "Sentence two, as it was said."


# --- the store ---------------------------------------------------------------------------------------------------


def test_given_a_segment_when_it_is_corrected_and_undone_then_the_rows_and_the_audit_say_so(store: Store) -> None:
    job, _ = drafted_job(store)
    assert store.correct(OWNER, job.id, 2, HEARD, MEANT)
    assert not store.correct(OWNER, job.id, 2, HEARD, MEANT)  # again is nothing new
    (kept,) = store.corrections(job.id)
    assert (kept.segment, kept.text, kept.author) == (2, MEANT, OWNER)
    assert store.correct(OWNER, job.id, 2, HEARD, f"  {HEARD}")  # what was heard undoes
    assert store.corrections(job.id) == ()
    assert not store.correct(OWNER, job.id, 2, HEARD, None)
    rows = [each for each in store.events(job.id) if each.event_type == "TRANSCRIPT_CORRECTED"]
    assert [each.data for each in rows] == [{"segment": 2, "undone": False}, {"segment": 2, "undone": True}]
    assert MEANT not in str(rows)


def test_given_two_who_saw_the_same_text_when_both_correct_it_then_one_is_told_of_the_other(store: Store) -> None:
    job, _ = drafted_job(store)

    def correct(number: int) -> bool:
        return store.correct(OWNER, job.id, 0, "Herd.", f"Heard {number}.", base="Herd.")

    answers = at_once(4, correct)
    assert [each for each in answers if each is True] == [True]
    assert sum(isinstance(each, CorrectionConflict) for each in answers) == 3
    assert len(store.corrections(job.id)) == 1


def test_given_a_job_of_anothers_when_it_is_corrected_then_it_is_not_found(store: Store) -> None:
    job, _ = drafted_job(store)
    with pytest.raises(NotFound):
        store.correct("mallory", job.id, 0, "Herd.", "Heard.")
    assert store.corrections(job.id) == ()


def test_given_a_correction_when_captions_are_exported_again_then_it_is_another_export_and_a_document_is_the_same(
    store: Store,
) -> None:
    job, _ = drafted_job(store)
    version = store.current_instruction(instruction_of(job)).id

    def exported(export_format: ExportFormat) -> str:
        return store.request_export(OWNER, job.id, export_format, version)[0].id

    before = {each: exported(each) for each in ExportFormat}
    store.correct(OWNER, job.id, 2, HEARD, MEANT)
    after = {each: exported(each) for each in ExportFormat}
    assert {each for each in ExportFormat if before[each] != after[each]} == HEARD_FORMATS
    store.correct(OWNER, job.id, 2, HEARD, None)
    assert {each: exported(each) for each in ExportFormat} == before


# --- over HTTP ---------------------------------------------------------------------------------------------------


@pytest.fixture
def kim(api: RunningApi) -> Iterator[httpx.Client]:
    with api.client("kim") as client:
        yield client


def test_given_a_misheard_segment_when_it_is_corrected_then_every_form_reads_so_and_the_artifact_is_as_it_was(
    api: RunningApi, kim: httpx.Client
) -> None:
    job_id = told_job(api.store, api.artifacts, "kim").id
    path = f"jobs/{job_id}/transcript"
    raw = api.store.latest_artifact(job_id, ArtifactKind.TRANSCRIPT)
    answer = kim.put(f"{path}/segments/2", json={"text": f" {MEANT} ", "base_text": HEARD})
    item = {"index": 2, "start_ms": 2000, "end_ms": 2900, "text": MEANT, "original_text": HEARD}
    assert (answer.status_code, answer.json()) == (200, item)
    items = kim.get(path).json()["items"]
    assert items[2] == item
    assert [each["original_text"] for each in items] == [None, None, HEARD, None, None]
    assert MEANT in kim.get(path, params={"format": "txt"}).text.splitlines()
    for captions in ("srt", "vtt"):
        assert MEANT in kim.get(path, params={"format": captions}).text
    assert api.store.latest_artifact(job_id, ArtifactKind.TRANSCRIPT) == raw
    told = kim.get(f"jobs/{job_id}/history").json()["items"][0]
    assert (told["event_type"], told["actor_type"]) == ("TRANSCRIPT_CORRECTED", "editor")

    late = kim.put(f"{path}/segments/2", json={"text": "Else.", "base_text": HEARD})
    assert (late.status_code, late.json()["code"]) == (409, "CORRECTION_CONFLICT")
    assert HEARD not in late.text and MEANT not in late.text

    undone = kim.delete(f"{path}/segments/2").json()
    assert (undone["text"], undone["original_text"]) == (HEARD, None)
    assert kim.delete(f"{path}/segments/2").status_code == 200


@pytest.mark.parametrize("text", ["", "   ", "two\nlines", "nul\x00", "x" * 5001, 7, None])
def test_given_a_text_that_nobody_can_have_said_then_400(api: RunningApi, kim: httpx.Client, text: object) -> None:
    job_id = told_job(api.store, api.artifacts, "kim").id
    answer = kim.put(f"jobs/{job_id}/transcript/segments/0", json={"text": text})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("index", ["5", "-1", "01", "1.0", "x", "9999999999999"])
def test_given_a_segment_that_is_not_there_then_the_same_404(api: RunningApi, kim: httpx.Client, index: str) -> None:
    job_id = told_job(api.store, api.artifacts, "kim").id
    for answer in (
        kim.put(f"jobs/{job_id}/transcript/segments/{index}", json={"text": "x"}),
        kim.delete(f"jobs/{job_id}/transcript/segments/{index}"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "RESOURCE_NOT_FOUND")


def test_given_joiners_and_marks_of_direction_when_they_are_part_of_a_script_then_they_are_kept(
    api: RunningApi, kim: httpx.Client
) -> None:
    job_id = told_job(api.store, api.artifacts, "kim").id
    text = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\u200f"
    answer = kim.put(f"jobs/{job_id}/transcript/segments/0", json={"text": text})
    assert answer.json()["text"] == text
