"""Instructions and exports over HTTP: read, saved, versions, regenerate's refusals, downloads."""

import hashlib
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from domain.documents.document import marker, parse
from domain.documents.publication import ExportFormat
from domain.documents.tasks import Export
from domain.jobs import Actor, Job
from domain.lifecycles.instruction import CANCELLED, DONE, EDITING, EXPORTING, FAILED, InstructionStatus
from domain.lifecycles.lifecycle import Trigger
from tests.apis import RunningApi
from tests.integration.api_builders import told_job
from tests.integration.store_builders import (
    MARKDOWN,
    OTHER_BLOCK,
    STEP_BLOCK,
    TITLE_BLOCK,
    drafted_job,
    instruction_of,
)

ABSENT = "01890000-0000-7000-8000-000000000000"
FILE = bytes(range(256)) * 100


@pytest.fixture
def job(api: RunningApi) -> Job:
    """A job at DRAFT_READY, of ann's."""
    return drafted_job(api.store, "ann")[0]


def exported(api: RunningApi, job: Job) -> Export:
    version = api.store.get_instruction("ann", instruction_of(job))
    export, _ = api.store.request_export("ann", job.id, ExportFormat.PDF, version.id)
    api.store.begin_export(export.id)
    blob = api.artifacts.put_bytes(f"exports/{export.id}.pdf", FILE, "application/pdf")
    return api.store.finish_export(export.id, blob, "Add a customer — ä.pdf", {"instruction_version_id": version.id})


# --- instructions ------------------------------------------------------------------------------------------------


def test_given_an_instruction_when_read_then_all_that_the_contract_names(ann: httpx.Client, job: Job) -> None:
    answer = ann.get(f"instructions/{job.instruction_id}")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["version"], body["job_id"], body["validation_status"]) == (1, job.id, "PASS")
    assert body["markdown"] == MARKDOWN
    assert body["model_profile_id"] == "local"
    assert body["warnings"][0]["code"] == "LOCAL_DRAFTER"
    assert {"instruction_version_id", "updated_at", "validated_at", "validator_version", "validation_errors"} <= set(
        body
    )


def test_given_a_draft_when_it_is_read_and_the_editor_is_opened_then_the_job_stays_where_it_was(
    api: RunningApi, ann: httpx.Client
) -> None:
    job = told_job(api.store, api.artifacts, "ann")
    before = api.store.get_job(job.id)
    url = f"instructions/{job.instruction_id}"
    for each in (url, f"{url}/versions", f"{url}/anchors?instruction_version_id={_version_of(api, job)}"):
        assert ann.get(each).status_code == 200, each
    token = ann.headers["Authorization"].removeprefix("Bearer ")
    with httpx.Client(base_url=api.url, headers={"Sec-Fetch-Site": "same-origin"}) as browser:
        assert browser.post("/sign-in", data={"token": token}).status_code == 303
        for page in (f"/instructions/{job.instruction_id}", f"/instructions/{job.instruction_id}/state"):
            assert browser.get(page).status_code == 200, page
    assert api.store.get_job(job.id) == before and before.status == "DRAFT_READY"
    assert api.store.untold_edits() == ()


def _version_of(api: RunningApi, job: Job) -> str:
    return api.store.get_instruction("ann", instruction_of(job)).id


def test_given_an_edit_when_saved_then_a_version_more_but_on_a_stale_base_409(ann: httpx.Client, job: Job) -> None:
    url = f"instructions/{job.instruction_id}"
    edited = MARKDOWN.replace("Enter the name.", "Enter the **full** name.")
    saved = ann.put(url, json={"base_version": 1, "markdown": edited})
    assert (saved.status_code, saved.json()["version"]) == (200, 2), saved.text
    assert saved.json()["markdown"] == edited
    again = ann.put(url, json={"base_version": 2, "markdown": edited})
    assert (again.status_code, again.json()) == (200, saved.json()), "the same text is no new version"
    stale = ann.put(url, json={"base_version": 1, "markdown": "# Other\n"})
    assert (stale.status_code, stale.json()["code"]) == (409, "VERSION_CONFLICT")
    assert stale.json()["details"] == {"base_version": 1, "current_version": 2}
    assert ann.get(url).json()["version"] == 2
    assert ann.get(url, params={"version": 1}).json()["markdown"] == MARKDOWN
    rows = ann.get(f"{url}/versions").json()["items"]
    assert [(row["version"], row["origin"], row["author"]) for row in rows] == [
        (2, "edit", "ann"),
        (1, "draft", "system"),
    ]


@pytest.mark.parametrize("way", [(FAILED,), (CANCELLED,), (EDITING, EXPORTING, DONE)], ids=lambda way: str(way[-1]))
def test_given_a_job_that_has_ended_when_its_document_is_saved_written_again_and_exported_then_it_is_and_the_job_stays(
    api: RunningApi, ann: httpx.Client, job: Job, way: tuple[InstructionStatus, ...]
) -> None:
    for status in way:
        job = api.store.move(job.id, None, status, trigger=Trigger.API, actor=Actor.SYSTEM)
    url = f"instructions/{job.instruction_id}"
    saved = ann.put(url, json={"base_version": 1, "markdown": MARKDOWN.replace("Enter", "Type")})
    assert (saved.status_code, saved.json()["version"]) == (200, 2), saved.text
    again = {"base_version": 2, "selection": {"block_id": STEP_BLOCK}, "client_request_id": "r"}
    assert ann.post(f"{url}/regenerate", json=again).status_code == 202
    export = {"format": "PDF", "instruction_version_id": saved.json()["instruction_version_id"]}
    assert ann.post(f"jobs/{job.id}/exports", json=export).status_code == 202
    assert ann.get(f"jobs/{job.id}").json()["status"] == way[-1]


@pytest.mark.parametrize(("as_marked", "blocks"), [(False, 4), (True, 3)])
def test_given_a_paragraph_below_a_block_when_saved_as_marked_then_it_is_part_of_it(
    ann: httpx.Client, job: Job, as_marked: bool, blocks: int
) -> None:
    added = MARKDOWN.replace(marker(OTHER_BLOCK), f"And a paragraph.\n\n{marker(OTHER_BLOCK)}")
    body = {"base_version": 1, "markdown": added, "as_marked": as_marked}
    saved = ann.put(f"instructions/{job.instruction_id}", json=body)
    assert saved.status_code == 200, saved.text
    assert len(parse(saved.json()["markdown"]).blocks) == blocks


def test_given_roles_a_cut_and_a_block_that_comes_back_when_saved_then_each_is_what_it_was_said_to_be(
    ann: httpx.Client, job: Job
) -> None:
    url = f"instructions/{job.instruction_id}"
    drafted = {each["block_id"]: each for each in ann.get(url).json()["blocks"]}
    new, cut = "00000000-0000-4000-8000-0000000000aa", "00000000-0000-4000-8000-0000000000bb"
    text = f"{MARKDOWN.rstrip()}\n\n{marker(new)}\nMind the gap.\n\n{marker(cut)}\n## And this\n"
    said = [{"block_id": new, "role": "warning", "start_ms": 1234}, {"block_id": cut, "cut_from": STEP_BLOCK}]
    saved = ann.put(url, json={"base_version": 1, "markdown": text, "as_marked": True, "blocks": said})
    assert saved.status_code == 200, saved.text
    blocks = {each["block_id"]: each for each in saved.json()["blocks"]}
    assert blocks[new] == {"block_id": new, "role": "warning", "start_ms": 1234, "end_ms": 1234}
    assert blocks[cut] == {**drafted[STEP_BLOCK], "block_id": cut}

    role = {"base_version": 2, "markdown": saved.json()["markdown"], "blocks": [{"block_id": cut, "role": "note"}]}
    assert [ann.put(url, json={**role, "base_version": base}).json()["version"] for base in (2, 3)] == [3, 3]
    without = MARKDOWN.replace(f"{marker(STEP_BLOCK)}\n", f"{marker(new)}\n")
    assert without != MARKDOWN
    ann.put(url, json={"base_version": 3, "markdown": without}).raise_for_status()
    again = ann.put(url, json={"base_version": 4, "markdown": MARKDOWN}).json()
    assert {each["block_id"]: each for each in again["blocks"]} == drafted

    bad = {"base_version": 5, "markdown": MARKDOWN, "blocks": [{"block_id": new, "role": "title"}]}
    assert ann.put(url, json=bad).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        {"markdown": "x"},
        {"base_version": "1", "markdown": "x"},
        {"base_version": 1.5, "markdown": "x"},
        {"base_version": True, "markdown": "x"},
        {"base_version": 0, "markdown": "x"},
        {"base_version": 1, "markdown": None},
        {"base_version": 1, "markdown": "a\x00b"},
    ],
    ids=str,
)
def test_given_a_malformed_save_when_sent_then_400(ann: httpx.Client, job: Job, body: dict[str, object]) -> None:
    answer = ann.put(f"instructions/{job.instruction_id}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_an_absent_version_when_read_then_404(ann: httpx.Client, job: Job) -> None:
    assert ann.get(f"instructions/{job.instruction_id}", params={"version": 9}).status_code == 404
    assert ann.get(f"instructions/{job.instruction_id}", params={"version": 0}).status_code == 400


@pytest.mark.parametrize(
    ("markdown", "code", "path"),
    [
        ("No title.\n", "TITLE_MISSING", ""),
        ("# Only a title\n", "DOCUMENT_EMPTY", ""),
        (f"{MARKDOWN}\n```\nleft open\n", "FENCE_UNCLOSED", "/blocks/3"),
        (f"{MARKDOWN}\nA bell: \a\n", "CONTROL_CHARACTER", "/blocks/3"),
    ],
)
def test_given_a_save_that_breaks_the_structure_when_sent_then_it_is_kept_and_says_what_is_wrong(
    ann: httpx.Client, job: Job, markdown: str, code: str, path: str
) -> None:
    url = f"instructions/{job.instruction_id}"
    answer = ann.put(url, json={"base_version": 1, "markdown": markdown})
    assert (answer.status_code, answer.json()["validation_status"]) == (200, "FAIL"), answer.text
    assert [(each["code"], each["path"]) for each in answer.json()["validation_errors"]] == [(code, path)]
    assert all(each["message"] for each in answer.json()["validation_errors"])
    assert ann.get(url).json() == answer.json()
    assert ann.get(f"{url}/versions").json()["items"][0]["validation_status"] == "FAIL"


# --- versions ----------------------------------------------------------------------------------------------------


def test_given_two_versions_when_compared_then_what_changed_by_line_and_by_block(ann: httpx.Client, job: Job) -> None:
    url = f"instructions/{job.instruction_id}"
    changed = (
        f"<!-- block:{TITLE_BLOCK} -->\n# Add a client\n\n<!-- block:{OTHER_BLOCK} -->\nEnter the name.\n\n"
        "<!-- block -->\nSave.\n"
    )
    assert ann.put(url, json={"base_version": 1, "markdown": changed}).status_code == 200
    diff = ann.get(f"{url}/diff", params={"from": 1, "to": 2}).json()
    assert (diff["instruction_id"], diff["from_version"], diff["to_version"]) == (job.instruction_id, 1, 2)
    new = next(each for each in diff["blocks"] if each["change"] == "added")
    assert [(each["block_id"], each["change"], each["before"], each["after"]) for each in diff["blocks"]] == [
        (TITLE_BLOCK, "changed", "# Add a customer", "# Add a client"),
        (new["block_id"], "added", None, "Save."),
        (STEP_BLOCK, "removed", "Choose **New**.", None),
    ]
    assert (new["from_position"], new["to_position"], new["moved"]) == (None, 2, False)
    assert diff["unified"].startswith("--- version 1\n+++ version 2\n@@ ")
    assert "\n-# Add a customer\n+# Add a client\n" in diff["unified"]
    assert ann.get(f"{url}/diff", params={"from": 2, "to": 2}).json()["unified"] == ""
    assert ann.get(f"{url}/diff", params={"from": 1, "to": 9}).status_code == 404
    bad: list[dict[str, str]] = [{}, {"from": "1"}, {"from": "0", "to": "1"}, {"from": "x", "to": "1"}]
    for wrong in bad:
        assert ann.get(f"{url}/diff", params=wrong).status_code == 400, wrong


def test_given_an_earlier_version_when_restored_then_it_is_the_newest_again_and_history_stays(
    ann: httpx.Client, job: Job
) -> None:
    url = f"instructions/{job.instruction_id}"
    first = ann.get(url).json()
    ann.put(url, json={"base_version": 1, "markdown": MARKDOWN.replace("Enter the name.", "Enter it.\n\nThen wait.")})
    restored = ann.post(f"{url}/restore", json={"version": 1, "base_version": 2})
    assert (restored.status_code, restored.json()["version"], restored.json()["origin"]) == (200, 3, "restore")
    kept = ("markdown", "title", "language", "warnings", "model_profile_id", "validation_status")
    assert [restored.json()[name] for name in kept] == [first[name] for name in kept]
    assert [(each["version"], each["origin"]) for each in ann.get(f"{url}/versions").json()["items"]] == [
        (3, "restore"),
        (2, "edit"),
        (1, "draft"),
    ]
    again = ann.post(f"{url}/restore", json={"version": 1, "base_version": 3})
    assert (again.status_code, again.json()) == (200, restored.json())
    stale = ann.post(f"{url}/restore", json={"version": 1, "base_version": 2})
    assert (stale.status_code, stale.json()["code"]) == (409, "VERSION_CONFLICT")
    assert ann.post(f"{url}/restore", json={"version": 9, "base_version": 3}).status_code == 404
    assert ann.post(f"{url}/restore", json={"version": 0, "base_version": 3}).status_code == 400


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"block_id": STEP_BLOCK, "char_range": {"start_offset": 0, "end_offset": 5}},
        {"char_range": {"start_offset": 5, "end_offset": 5}},
        {"char_range": {"start_offset": -1, "end_offset": 5}},
        {"char_range": {"start_offset": 0}},
        {"block_id": ABSENT},
        {"char_range": {"start_offset": 100_000, "end_offset": 100_001}},
    ],
    ids=str,
)
def test_given_a_bad_selection_when_regenerated_then_400(
    ann: httpx.Client, job: Job, selection: dict[str, object]
) -> None:
    answer = ann.post(
        f"instructions/{job.instruction_id}/regenerate",
        json={"base_version": 1, "selection": selection, "client_request_id": "r1"},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR"), answer.text
    assert answer.json()["details"]["issues"]


def test_given_a_task_when_asked_then_its_state_and_provenance(api: RunningApi, ann: httpx.Client, job: Job) -> None:
    task, _ = api.store.create_regenerate(
        "ann",
        instruction_of(job),
        base_version=1,
        selection={"block_id": STEP_BLOCK},
        client_request_id="r1",
        requested_by="ann",
        request={"model_profile": "local"},
    )
    body = ann.get(f"tasks/{task.id}").json()
    assert (body["id"], body["task_id"], body["status"]) == (task.id, task.id, "PENDING")
    assert body["provenance"]["selection"] == {"block_id": STEP_BLOCK}
    assert body["provenance"]["model_profile_id"] == "local"


# --- exports -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"format": "PDF"}, "VALIDATION_ERROR"),
        ({"format": 5, "instruction_version_id": ABSENT}, "VALIDATION_ERROR"),
        ({"format": "EPUB", "instruction_version_id": ABSENT}, "EXPORT_REQUEST_INVALID"),
        ({"format": "PDF", "instruction_version_id": ABSENT}, "EXPORT_REQUEST_INVALID"),
        ({"format": "PDF", "instruction_version_id": "no-id"}, "EXPORT_REQUEST_INVALID"),
    ],
    ids=str,
)
def test_given_a_bad_export_request_when_sent_then_400(
    ann: httpx.Client, job: Job, body: dict[str, object], code: str
) -> None:
    answer = ann.post(f"jobs/{job.id}/exports", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_given_a_finished_export_when_asked_then_a_signed_address_that_needs_no_token(
    api: RunningApi, ann: httpx.Client, job: Job
) -> None:
    export = exported(api, job)
    body = ann.get(f"exports/{export.id}").json()
    assert (body["status"], body["size_bytes"]) == ("SUCCEEDED", len(FILE))
    assert body["download_url_expires_at"].endswith("Z")
    lasts = datetime.fromisoformat(body["download_url_expires_at"]) - datetime.now(UTC)
    assert timedelta(minutes=10) < lasts <= timedelta(minutes=15)
    file = httpx.get(body["download_url"])
    assert file.status_code == 200
    assert file.content == FILE
    assert file.headers["Content-Type"] == "application/pdf"
    assert file.headers["Content-Disposition"].startswith("attachment; filename=")
    assert hashlib.sha256(file.content).hexdigest() in file.headers["ETag"]
    assert "sandbox" in file.headers["Content-Security-Policy"]
    manifest = ann.get(f"jobs/{job.id}").json()["manifest"]
    assert [each["export_id"] for each in manifest["exports"]] == [export.id]


def test_given_an_export_that_is_not_finished_when_asked_then_no_address(
    api: RunningApi, ann: httpx.Client, job: Job
) -> None:
    version = api.store.get_instruction("ann", instruction_of(job))
    export, _ = api.store.request_export("ann", job.id, ExportFormat.HTML, version.id)
    body = ann.get(f"exports/{export.id}").json()
    assert (body["status"], body["download_url"]) == ("REQUESTED", None)


@pytest.mark.parametrize(
    ("asked", "status", "expected"),
    [
        ("bytes=0-9", 206, FILE[:10]),
        ("bytes=25590-", 206, FILE[25590:]),
        ("bytes=-5", 206, FILE[-5:]),
        ("bytes=25599-99999", 206, FILE[25599:]),
        ("bytes=0-0", 206, FILE[:1]),
        ("bytes=5-2", 200, FILE),
        ("bytes=0-1,5-6", 200, FILE),
        ("items=0-1", 200, FILE),
        ("bytes=-", 200, FILE),
        ("bytes=25600-", 416, None),
        ("bytes=-0", 416, None),
    ],
)
def test_given_a_range_when_downloaded_then_just_that(
    api: RunningApi, ann: httpx.Client, job: Job, asked: str, status: int, expected: bytes | None
) -> None:
    url = ann.get(f"exports/{exported(api, job).id}").json()["download_url"]
    answer = httpx.get(url, headers={"Range": asked})
    assert answer.status_code == status
    if expected is None:
        assert answer.json()["code"] == "RANGE_NOT_SATISFIABLE"
        assert answer.headers["Content-Range"] == f"bytes */{len(FILE)}"
    else:
        assert answer.content == expected
    stale = httpx.get(url, headers={"Range": "bytes=0-9", "If-Range": '"old"'})
    assert (stale.status_code, len(stale.content)) == (200, len(FILE))


def test_given_an_address_of_one_export_when_bent_then_it_opens_nothing(
    api: RunningApi, ann: httpx.Client, job: Job
) -> None:
    url = ann.get(f"exports/{exported(api, job).id}").json()["download_url"]
    for bad in (url[:-1], url + "x", url.replace("/downloads/", "/uploads/"), url.rsplit(".", 1)[0] + "."):
        assert httpx.get(bad).status_code == 404, bad
