"""Sittings: what is written is kept beside the versions until it is one; and versions have names."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import httpx
import pytest

from activities.store import Sitting, Store
from activities.store.documents.documents import lock_instruction
from activities.store.jobs.locking import LockedJob
from domain.documents.versions import MOST_SITTINGS
from domain.jobs import Job
from tests.apis import RunningApi
from tests.integration.store_builders import MARKDOWN, STEP_BLOCK, drafted_job

pytest_plugins = ("tests.databases",)

DESK, OTHER_DESK = "00000000-0000-4000-8000-00000000000d", "00000000-0000-4000-8000-00000000000e"
EDITED = MARKDOWN.replace("Enter the name.", "Enter the **full** name.")


@pytest.fixture
def job(api: RunningApi) -> Job:
    """A job at DRAFT_READY, of ann's."""
    return drafted_job(api.store, "ann")[0]


@pytest.fixture
def url(job: Job) -> str:
    return f"instructions/{job.instruction_id}"


def kept(ann: httpx.Client, url: str, markdown: str, *, base: int = 1, desk: str = DESK) -> httpx.Response:
    body = {"base_version": base, "markdown": markdown, "blocks": [{"block_id": STEP_BLOCK, "role": "note"}]}
    return ann.put(f"{url}/sittings/{desk}", json=body)


def test_given_what_is_written_when_it_is_kept_then_no_version_is_made_until_it_is_saved(
    ann: httpx.Client, url: str
) -> None:
    first = kept(ann, url, MARKDOWN.replace("Enter", "Ent"))
    assert first.status_code == 200, first.text
    again = kept(ann, url, EDITED).json()
    assert (again["base_version"], again["current_version"]) == (1, 1)
    assert ann.get(url).json()["version"] == 1
    listed = ann.get(f"{url}/sittings").json()
    assert [each["sitting_id"] for each in listed["items"]] == [DESK]
    text = ann.get(f"{url}/sittings/{DESK}").json()
    assert (text["markdown"], [each["role"] for each in text["blocks"]]) == (EDITED, ["note"])

    saved = ann.post(f"{url}/sittings/{DESK}/save")
    assert (saved.status_code, saved.json()["version"], saved.json()["markdown"]) == (200, 2, EDITED), saved.text
    assert {each["block_id"]: each["role"] for each in saved.json()["blocks"]}[STEP_BLOCK] == "note"
    assert ann.get(f"{url}/sittings").json()["items"] == []
    assert ann.post(f"{url}/sittings/{DESK}/save").status_code == 404


def test_given_a_version_of_somebody_else_when_a_sitting_is_saved_then_it_conflicts_and_stays(
    ann: httpx.Client, url: str
) -> None:
    kept(ann, url, EDITED)
    theirs = {"base_version": 1, "markdown": MARKDOWN.replace("Enter", "Type")}
    assert ann.put(url, json=theirs).json()["version"] == 2
    conflict = ann.post(f"{url}/sittings/{DESK}/save")
    assert (conflict.status_code, conflict.json()["code"]) == (409, "VERSION_CONFLICT")
    assert kept(ann, url, EDITED).json()["current_version"] == 2, "it goes on being kept"
    assert ann.get(f"{url}/sittings/{DESK}").json()["markdown"] == EDITED
    merged = {"base_version": 2, "markdown": EDITED.replace("Enter", "Type"), "sitting_id": DESK}
    assert ann.put(url, json=merged).json()["version"] == 3
    assert ann.get(f"{url}/sittings").json()["items"] == [], "saved with what it was written in, it ends"


def test_given_a_sitting_that_is_not_wanted_when_dropped_then_others_stay(ann: httpx.Client, url: str) -> None:
    kept(ann, url, EDITED)
    kept(ann, url, MARKDOWN, desk=OTHER_DESK)
    assert [ann.delete(f"{url}/sittings/{DESK}").status_code for _ in range(2)] == [204, 204]
    assert [each["sitting_id"] for each in ann.get(f"{url}/sittings").json()["items"]] == [OTHER_DESK]


def test_given_a_stranger_or_a_version_that_is_not_there_when_asked_then_nothing_is_kept(
    api: RunningApi, ann: httpx.Client, url: str
) -> None:
    kept(ann, url, EDITED)
    with api.client("bob") as bob:
        answers = [
            kept(bob, url, MARKDOWN),
            bob.get(f"{url}/sittings"),
            bob.get(f"{url}/sittings/{DESK}"),
            bob.post(f"{url}/sittings/{DESK}/save"),
            bob.delete(f"{url}/sittings/{DESK}"),
            bob.put(f"{url}/versions/1", json={"name": "mine"}),
        ]
    assert {each.status_code for each in answers} == {404}
    assert kept(ann, url, EDITED, base=9).status_code == 400
    assert kept(ann, url, EDITED, desk="no-id").status_code == 404
    assert ann.get(f"{url}/sittings/{DESK}").json()["markdown"] == EDITED


def test_given_more_sittings_than_are_kept_when_one_comes_then_the_one_left_longest_ago_goes(
    api: RunningApi, job: Job
) -> None:
    assert job.instruction_id is not None
    ids = [f"00000000-0000-4000-8000-{number:012}" for number in range(MOST_SITTINGS + 2)]
    for each in ids:
        sitting = Sitting(
            sitting_id=each,
            instruction_id=job.instruction_id,
            base_version=1,
            markdown=EDITED,
            kept_at=datetime.now(UTC),
        )
        api.store.keep_sitting("ann", sitting)
    found = [each.sitting_id for each in api.store.list_sittings("ann", job.instruction_id)]
    assert found == ids[: -MOST_SITTINGS - 1 : -1]


def test_given_what_was_kept_while_a_save_was_under_way_when_that_ends_then_it_stays(
    ann: httpx.Client, url: str
) -> None:
    saved, later = EDITED, EDITED.replace("name", "first name")
    known = kept(ann, url, saved).json()["kept_at"]
    time.sleep(0.005)  # answers say milliseconds
    kept(ann, url, later)  # on its way the save was slower
    body = {"base_version": 1, "markdown": saved, "sitting_id": DESK, "sitting_kept_at": known}
    assert ann.put(url, json=body).json()["version"] == 2
    assert ann.get(f"{url}/sittings/{DESK}").json()["markdown"] == later

    known = kept(ann, url, later, base=2).json()["kept_at"]
    body = {"base_version": 2, "markdown": later, "sitting_id": DESK}
    for slip in ("0001-01-01T00:00:00+14:00", known):
        assert ann.get(f"{url}/sittings/{DESK}").status_code == 200
        answer = ann.put(url, json={**body, "sitting_kept_at": slip})
        assert (answer.status_code, answer.json()["version"]) == (200, 3), answer.text
        body["base_version"] = 3
    assert ann.get(f"{url}/sittings").json()["items"] == []
    assert ann.put(url, json={**body, "sitting_kept_at": "9999-12-31T23:59:59-12:00"}).status_code == 200


def test_given_a_page_that_was_left_when_what_it_kept_comes_after_its_save_then_nothing_is_kept(
    ann: httpx.Client, url: str
) -> None:
    marks = [{"block_id": STEP_BLOCK, "role": "note"}]
    kept(ann, url, MARKDOWN.replace("Enter", "Ent"))
    saved = ann.put(url, json={"base_version": 1, "markdown": EDITED, "blocks": marks})
    assert saved.json()["version"] == 2
    late = kept(ann, url, saved.json()["markdown"])
    assert (late.status_code, late.json()["current_version"]) == (200, 2)
    assert ann.get(f"{url}/sittings").json()["items"] == []
    body = {"base_version": 2, "markdown": EDITED, "blocks": [{"block_id": STEP_BLOCK, "role": "warning"}]}
    assert ann.put(f"{url}/sittings/{DESK}", json=body).status_code == 200
    assert [each["sitting_id"] for each in ann.get(f"{url}/sittings").json()["items"]] == [DESK], "another role is new"


def test_given_a_job_that_is_held_when_a_sitting_is_kept_then_it_waits_for_that_before_it_takes_the_instruction(
    store: Store,
) -> None:
    """Otherwise a save, which holds the job and wants the instruction, and this would wait for each other."""
    job, _ = drafted_job(store, "ann")
    assert job.instruction_id is not None
    sitting = Sitting(
        sitting_id=DESK, instruction_id=job.instruction_id, base_version=1, markdown=EDITED, kept_at=datetime.now(UTC)
    )
    with ThreadPoolExecutor(1) as pool:
        with store._database.write() as connection:
            LockedJob(connection, job.id, datetime.now(UTC))
            keeping = pool.submit(store.keep_sitting, "ann", sitting)
            time.sleep(0.5)  # it has come as far as it comes
            assert not keeping.done()
            lock_instruction(connection, job.instruction_id)
        assert keeping.result(timeout=30)[1] == 1


def test_given_a_version_when_it_is_named_then_the_list_says_so_and_a_restored_one_has_none(
    ann: httpx.Client, url: str
) -> None:
    ann.put(url, json={"base_version": 1, "markdown": EDITED})
    named = ann.put(f"{url}/versions/1", json={"name": " As recorded "})
    assert (named.status_code, named.json()["name"], named.json()["version"]) == (200, "As recorded", 1), named.text
    assert ann.put(f"{url}/versions/9", json={"name": "x"}).status_code == 404
    assert ann.put(f"{url}/versions/1", json={"name": ""}).status_code == 400
    ann.post(f"{url}/restore", json={"base_version": 2, "version": 1})
    names = [each["name"] for each in ann.get(f"{url}/versions").json()["items"]]
    assert names == [None, None, "As recorded"]
    assert ann.put(f"{url}/versions/1", json={"name": None}).json()["name"] is None
