"""Guides in other languages, over HTTP, with workers in this process and a chat model behind HTTP."""

import asyncio
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from mcp.client.client import Client as McpClient
from pydantic import SecretStr
from temporalio.api.enums.v1 import ResetReapplyType
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import ActivityEnvironment
from typer.testing import CliRunner

from activities.drafting.chat.translator import ChatTranslator
from activities.providers import ChatClient, ProviderClient
from activities.store import Store
from activities.store.repository import utc_now
from activities.upkeep.reconciling import Reconciler
from domain.documents.translations import NewText
from domain.documents.versions import fingerprint
from domain.errors import GuidesmithError
from domain.jobs import Job
from domain.projects import ProjectRole
from guidesmith import client as programs
from guidesmith import mcp_server
from starter.access.tokens import Tokens
from starter.cli.app import app
from starter.cli.exits import ExitCode, JobFailed, UsageWrong, exit_code
from starter.sandbox import RunningSandbox
from starter.sandbox.script import Behaviour
from starter.wiring import kind_terms, run_options
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.api_builders import told_job
from tests.integration.store_builders import OTHER_BLOCK, STEP_BLOCK, TITLE_BLOCK
from tests.stack import wait_until
from tests.temporal import TemporalServer, reset
from tests.workers import document_workers

pytest_plugins = ("tests.sandbox",)

GERMAN = f"""<!-- block:{TITLE_BLOCK} -->
# Ädd ä cüstömër

<!-- block:{STEP_BLOCK} -->
Chöösë **New**.

<!-- block:{OTHER_BLOCK} -->
Ëntër thë nämë.
"""
"""The sandbox's translation of the text of ``store_builders``: every vowel is marked, names of controls are not."""


@dataclass(frozen=True)
class Desk:
    """An API, and workers that come when they are called."""

    api: RunningApi
    temporal: TemporalServer
    sandbox: RunningSandbox

    def workers(self) -> AbstractContextManager[None]:
        api = self.api
        chat = ChatClient(ProviderClient(self.sandbox.base_url, timeout_s=30.0))
        return document_workers(
            self.temporal.address,
            api.settings,
            api.store,
            api.artifacts,
            ("jobs", "providers", "media"),
            translator=ChatTranslator(chat, "sandbox"),
        )

    def work(self, client: httpx.Client, task_id: str) -> dict[str, Any]:
        """Let the workers work; the task once it ended."""
        with self.workers():
            return wait_until(lambda: ended(client, task_id), 60, "the task to end")


def ended(client: httpx.Client, task_id: str) -> dict[str, Any] | None:
    return ended_at(client, f"translation-tasks/{task_id}")


def ended_at(client: httpx.Client, path: str) -> dict[str, Any] | None:
    task: dict[str, Any] = client.get(path).json()
    return task if task["status"] in ("SUCCEEDED", "FAILED") else None


@pytest.fixture(scope="module")
def desk(
    temporal: TemporalServer, sandbox_server: RunningSandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    settings = api_settings(
        tmp_path_factory.mktemp("api"),
        task_queue_prefix=f"translations-{uuid4().hex}",
        llm_base_url=sandbox_server.base_url,
        llm_api_key=SecretStr("key"),
        llm_model="sandbox",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as api:
            wait_ready(api)
            yield Desk(api, temporal, sandbox_server)


@pytest.fixture
def ann(desk: Desk) -> Iterator[httpx.Client]:
    desk.sandbox.reset()
    with desk.api.client("ann") as client:
        yield client


@pytest.fixture
def job(desk: Desk) -> Job:
    return told_job(desk.api.store, desk.api.artifacts, "ann")


def asked(client: httpx.Client, job: Job, language: str = "de", **rest: object) -> dict[str, Any]:
    body = {"language": language, "client_request_id": f"r-{language}"} | rest
    answer = client.post(f"instructions/{job.instruction_id}/translations", json=body)
    assert answer.status_code == 202, answer.text
    task: dict[str, Any] = answer.json()
    return task


def called_off(client: httpx.Client, *task_ids: str) -> None:
    """What a test leaves would ask the model in the next one's stead, as soon as workers come."""
    for each in task_ids:
        client.post(f"translation-tasks/{each}/cancel").raise_for_status()


def translated(desk: Desk, client: httpx.Client, job: Job) -> str:
    """The id of the guide's German translation."""
    done = desk.work(client, asked(client, job)["id"])
    assert done["status"] == "SUCCEEDED", done["failure"]
    return str(done["instruction_id"])


def updated(desk: Desk, client: httpx.Client, translation: str, **rest: object) -> dict[str, Any]:
    body = {"client_request_id": uuid4().hex} | rest
    answer = client.post(f"instructions/{translation}/translation/update", json=body)
    assert answer.status_code == 202, answer.text
    done = desk.work(client, answer.json()["id"])
    assert done["status"] == "SUCCEEDED", done["failure"]
    return done


def saved(client: httpx.Client, instruction: str | None, changed: Callable[[str], str]) -> dict[str, Any]:
    newest = client.get(f"instructions/{instruction}").json()
    body = {"base_version": newest["version"], "markdown": changed(newest["markdown"])}
    answer = client.put(f"instructions/{instruction}", json=body)
    assert answer.status_code == 200, answer.text
    version: dict[str, Any] = answer.json()
    return version


def standing(client: httpx.Client, translation: str) -> dict[str, str]:
    answer = client.get(f"instructions/{translation}/translation")
    assert answer.status_code == 200, answer.text
    return {each["block_id"]: each["state"] for each in answer.json()["blocks"]}


def test_given_a_guide_when_translated_then_it_is_a_document_of_its_own_with_the_same_blocks_and_pictures(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    before = ann.get(f"instructions/{job.instruction_id}").json()
    done = desk.work(ann, asked(ann, job)["id"])
    assert (done["status"], done["progress_pct"], done["translated"], done["untranslated"]) == ("SUCCEEDED", 100, 3, [])
    made = ann.get(f"instructions/{done['instruction_id']}").json()
    assert (made["markdown"], made["title"], made["language"]) == (GERMAN, "Ädd ä cüstömër", "de")
    assert (made["translation_of"], made["origin"], made["author"]) == (job.instruction_id, "translate", "ann")
    assert made["prompt_template_id"] == "translate/v1"
    assert [
        (each["block_id"], each["role"], each["start_ms"]) for each in made["blocks"] if each["role"] == "step"
    ] == [(STEP_BLOCK, "step", 0)]
    assert ann.get(f"instructions/{job.instruction_id}").json() == before
    assert ann.get(f"jobs/{job.id}").json()["instruction_id"] == job.instruction_id
    anchors = [
        ann.get(f"instructions/{each}/anchors").json()["items"] for each in (job.instruction_id, made["instruction_id"])
    ]
    assert [each["id"] for each in anchors[0]] == [each["id"] for each in anchors[1]] != []
    (listed,) = ann.get(f"instructions/{job.instruction_id}/translations").json()["items"]
    assert (listed["current"], listed["behind"], listed["missing"]) == (3, 0, 0)


def test_given_work_that_is_asked_for_when_its_project_is_handed_over_then_it_ends_as_the_new_owners(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    store, project = desk.api.store, f"projects/{job.project_id}"
    store.invite("ann", job.project_id, ProjectRole.EDITOR, fingerprint(job.id))
    store.accept_invitation("ben", fingerprint(job.id))
    of_version = ann.get(f"instructions/{job.instruction_id}").json()["instruction_version_id"]
    export = ann.post(f"jobs/{job.id}/exports", json={"format": "HTML", "instruction_version_id": of_version}).json()
    part = {"base_version": 1, "selection": {"block_id": STEP_BLOCK}, "client_request_id": "r"}
    rewriting = ann.post(f"instructions/{job.instruction_id}/regenerate", json=part).json()
    translation = asked(ann, job)
    assert ann.post(f"{project}/transfer", json={"user_id": "ben"}).status_code == 200
    with desk.api.client("ben") as ben:
        with desk.workers():
            paths = f"exports/{export['export_id']}", f"tasks/{rewriting['task_id']}"
            for path in paths:
                wait_until(partial(ended_at, ben, path), 60, path)
            assert [ben.get(path).json()["status"] for path in paths] == ["SUCCEEDED"] * 2
            done = wait_until(lambda: ended(ben, translation["id"]), 60, "the translation")
        assert (done["status"], done["translated"]) == ("SUCCEEDED", 3), done["failure"]
        assert b"Choose" in httpx.get(ben.get(f"exports/{export['export_id']}").json()["download_url"]).content
        made = ben.get(f"instructions/{done['instruction_id']}").json()
        assert (made["markdown"], made["author"]) == (GERMAN, "ann"), "who asked for it"
        for path in (f"jobs/{job.id}/recording", project):
            assert ann.delete(path).status_code == 403, "of whom it was"
    assert ann.get(f"instructions/{done['instruction_id']}").status_code == 200, "they are a member"
    owners = {each.owner for each in (store.get_export(export["export_id"]), store.get_translation_task(done["id"]))}
    assert owners == {"ben"}


@pytest.mark.parametrize(
    ("how", "expected"), [("cancel", "CANCELLED"), ("terminate", "WORKFLOW_LOST"), ("reset", None)]
)
def test_given_a_translation_at_work_when_an_operator_acts_on_its_run_then_its_row_says_how_it_ended(
    desk: Desk, ann: httpx.Client, job: Job, how: str, expected: str | None
) -> None:
    desk.sandbox.script("chat", Behaviour(delay_ms=60_000))
    task = asked(ann, job)["id"]
    with desk.workers():
        wait_until(lambda: ann.get(f"translation-tasks/{task}").json()["status"] == "RUNNING", 60, "the work")
        asyncio.run(operated(desk, f"translate-{task}", how))

        def over() -> dict[str, Any] | None:
            asyncio.run(reconciled(desk))
            return ended(ann, task)

        done = wait_until(over, 60, "its end")
        assert (done["failure"] and done["failure"]["failure_code"]) == expected
        if expected is not None:
            again = asked(ann, job, client_request_id="again")["id"]
            done = wait_until(lambda: ended(ann, again), 60, "the translation that is asked for again")
    assert done["status"] == "SUCCEEDED", done["failure"]
    (listed,) = ann.get(f"instructions/{job.instruction_id}/translations").json()["items"]
    assert (listed["instruction_id"], listed["current"]) == (done["instruction_id"], 3), "one, and not done twice"


async def operated(desk: Desk, workflow_id: str, how: str) -> None:
    """What an operator does in Temporal's UI."""
    client = await Client.connect(desk.temporal.address)
    handle = client.get_workflow_handle(workflow_id)
    if how == "reset":
        await reset(client, workflow_id, "first", ResetReapplyType.RESET_REAPPLY_TYPE_ALL_ELIGIBLE)
    else:
        await (handle.cancel() if how == "cancel" else handle.terminate())


async def reconciled(desk: Desk) -> None:
    """A round of the reconciler that comes two minutes later."""
    settings = desk.api.settings
    client = await Client.connect(desk.temporal.address, data_converter=pydantic_data_converter)
    later = Store.open(settings.database, clock=lambda: utc_now() + timedelta(minutes=2))
    try:
        reconciler = Reconciler(later, client, run_options(settings), kind_terms(settings))
        await ActivityEnvironment().run(reconciler.reconcile)
    finally:
        later.dispose()


def test_given_changes_of_the_original_then_the_translation_says_what_is_behind_and_an_update_asks_for_that_alone(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    translation = translated(desk, ann, job)
    added = "\n\n<!-- block -->\nSave it all now.\n"
    saved(ann, job.instruction_id, lambda text: text.replace("Enter the name.", "Enter the address.") + added)
    new = ann.get(f"instructions/{job.instruction_id}").json()["markdown"].split("block:")[-1][:36]
    assert standing(ann, translation) == {
        TITLE_BLOCK: "current", STEP_BLOCK: "current", OTHER_BLOCK: "behind", new: "missing"
    }  # fmt: skip
    desk.sandbox.reset()

    done = updated(desk, ann, translation)

    assert (done["translated"], done["offered"]) == (2, 0)
    (request,) = desk.sandbox.requests("chat")
    sent = json.loads(request["body"]["messages"][1]["content"])["blocks"]
    assert [each["text"] for each in sent] == ["Enter the address.", "Save it all now."]
    assert set(standing(ann, translation).values()) == {"current"}
    assert ann.get(f"instructions/{translation}").json()["markdown"].endswith("Sävë ït äll nöw.\n")


@pytest.mark.parametrize("take", [True, False])
def test_given_a_step_that_a_person_edited_when_its_original_changes_then_the_new_text_waits_for_them(
    desk: Desk, ann: httpx.Client, job: Job, take: bool
) -> None:
    translation = translated(desk, ann, job)
    saved(ann, translation, lambda text: text.replace("Ëntër thë nämë.", "Geben Sie den Namen ein."))
    saved(ann, job.instruction_id, lambda text: text.replace("Enter the name.", "Enter the address."))
    done = updated(desk, ann, translation)
    assert (done["translated"], done["offered"]) == (0, 1)
    details = ann.get(f"instructions/{translation}/translation").json()
    (block,) = (each for each in details["blocks"] if each["block_id"] == OTHER_BLOCK)
    assert (block["markdown"], block["offer"], block["state"], block["edited"]) == (
        "Geben Sie den Namen ein.", "Ëntër thë äddrëss.", "behind", True
    )  # fmt: skip

    place = f"instructions/{translation}/translation/blocks/{OTHER_BLOCK}"
    refused = ann.put(place, json={"base_version": 1, "take": take})
    assert (refused.status_code, refused.json()["code"]) == (409, "VERSION_CONFLICT")
    answer = ann.put(place, json={"base_version": details["version"], "take": take})

    assert answer.status_code == 200, answer.text
    (block,) = (each for each in answer.json()["blocks"] if each["block_id"] == OTHER_BLOCK)
    assert (block["state"], block["offer"]) == ("current", None)
    assert block["markdown"] == ("Ëntër thë äddrëss." if take else "Geben Sie den Namen ein.")


def test_given_answers_that_break_the_rules_twice_when_translating_then_that_block_stays_and_the_rest_is_translated(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    def chat(*texts: str) -> Behaviour:
        blocks = [{"id": number, "text": text} for number, text in enumerate(texts, start=1)]
        content = json.dumps({"blocks": blocks})
        return Behaviour(status=200, body={"choices": [{"message": {"role": "assistant", "content": content}}]})

    desk.sandbox.script(
        "chat",
        chat("# Kunde", "Wähle **Neu**.", "Name [hier](http://evil.example)."),
        chat("", "Wähle [New](x).", "Name."),
    )
    done = desk.work(ann, asked(ann, job)["id"])
    assert (done["status"], done["untranslated"]) == ("SUCCEEDED", [STEP_BLOCK])
    made = ann.get(f"instructions/{done['instruction_id']}").json()["markdown"]
    assert "# Kunde" in made and "Choose **New**." in made and "\nName.\n" in made
    assert desk.sandbox.count("chat") == 2
    details = ann.get(f"instructions/{done['instruction_id']}/translation").json()
    assert [each["untranslated"] for each in details["blocks"]] == [False, True, False]
    assert (updated(desk, ann, done["instruction_id"])["translated"], details["untranslated"]) == (1, 1)
    assert ann.get(f"instructions/{done['instruction_id']}").json()["markdown"].count("Chöösë **New**.") == 1


def test_given_an_endpoint_that_fails_when_translating_then_the_task_says_so_and_nothing_of_the_text_is_told(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    desk.sandbox.script("chat", Behaviour(status=401, times=20))
    task = desk.work(ann, asked(ann, job)["id"])
    assert (task["status"], task["failure"]["failure_code"]) == ("FAILED", "PROVIDER_ACCESS_DENIED")
    assert task["failure"]["failed_stage"] == "translation"
    assert ann.get(f"instructions/{job.instruction_id}/translations").json()["items"] == []
    again = asked(ann, job, client_request_id="again")["id"]
    assert again != task["id"]
    called_off(ann, again)


def test_given_a_translation_at_work_when_cancelled_then_there_is_none_and_another_can_be_asked_for(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    desk.sandbox.script("chat", Behaviour(hang=True))
    task = asked(ann, job)
    stopped = ann.post(f"translation-tasks/{task['id']}/cancel")
    assert (stopped.status_code, stopped.json()["status"]) == (200, "FAILED")
    assert stopped.json()["failure"]["failure_code"] == "CANCELLED"
    assert ann.post(f"translation-tasks/{task['id']}/cancel").json()["status"] == "FAILED"
    desk.sandbox.reset()
    assert desk.work(ann, asked(ann, job, client_request_id="2")["id"])["status"] == "SUCCEEDED"


def test_given_a_model_that_is_silent_when_its_translation_is_cancelled_then_the_work_ends_and_leaves_nothing(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    desk.sandbox.script("chat", Behaviour(hang=True))
    task = asked(ann, job)
    api, chat = desk.api, ChatClient(ProviderClient(desk.sandbox.base_url, timeout_s=600.0))
    translator = ChatTranslator(chat, "sandbox")
    queues = ("jobs", "providers")
    with document_workers(desk.temporal.address, api.settings, api.store, api.artifacts, queues, translator=translator):
        wait_until(lambda: desk.sandbox.count("chat"), 60, "the model to be asked")
        ann.post(f"translation-tasks/{task['id']}/cancel").raise_for_status()
        wait_until(lambda: over(desk, task["id"]), 60, "the work to end")
    assert ann.get(f"instructions/{job.instruction_id}/translations").json()["items"] == []


def over(desk: Desk, task_id: str) -> bool:
    async def status() -> WorkflowExecutionStatus | None:
        client = await Client.connect(desk.temporal.address)
        return (await client.get_workflow_handle(f"translate-{task_id}").describe()).status

    return asyncio.run(status()) is not WorkflowExecutionStatus.RUNNING


def test_given_parts_that_were_answered_when_the_work_goes_on_after_a_death_then_they_are_not_asked_for_again(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)
    work = desk.api.store.begin_translation(task["id"])
    assert work is not None
    made = {TITLE_BLOCK: NewText(markdown="# Kunden", source_sha256=fingerprint("# Add a customer"))}
    desk.api.store.keep_translated(task["id"], made, 33)
    assert ann.get(f"translation-tasks/{task['id']}").json()["progress_pct"] == 33
    done = desk.work(ann, task["id"])
    assert done["status"] == "SUCCEEDED"
    (request,) = desk.sandbox.requests("chat")
    assert "Add a customer" not in str(json.loads(request["body"]["messages"][1]["content"])["blocks"])
    assert ann.get(f"instructions/{done['instruction_id']}").json()["title"] == "Kunden"


def test_given_the_same_request_again_or_another_one_meanwhile_then_there_is_one_task_and_one_translation(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)
    place, body = f"instructions/{job.instruction_id}/translations", {"language": "DE", "client_request_id": "r-de"}
    again = ann.post(place, json=body)
    assert (again.status_code, again.json()["id"], again.json()["replayed"]) == (200, task["id"], True)
    other = ann.post(place, json=body | {"client_request_id": "other"})
    assert (other.status_code, other.json()["code"]) == (409, "TRANSLATION_IN_PROGRESS")
    assert other.json()["details"]["task_id"] == task["id"]
    clash = ann.post(place, json=body | {"language": "fr"})
    assert (clash.status_code, clash.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    done = desk.work(ann, task["id"])
    known = ann.post(place, json=body | {"client_request_id": "third"})
    assert (known.status_code, known.json()["code"]) == (409, "TRANSLATION_EXISTS")
    assert known.json()["details"]["instruction_id"] == done["instruction_id"]


@pytest.mark.parametrize("language", ["german", "xq", "en", "", "de-x-secret"])
def test_what_is_no_language_or_the_guides_own_is_refused(ann: httpx.Client, job: Job, language: str) -> None:
    body = {"language": language, "client_request_id": "r"}
    answer = ann.post(f"instructions/{job.instruction_id}/translations", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_a_translation_then_what_only_originals_have_is_refused_and_the_other_way_round(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    translation = translated(desk, ann, job)
    version = ann.get(f"instructions/{translation}").json()["instruction_version_id"]
    asks = [
        ann.post(f"instructions/{translation}/translations", json={"language": "fr", "client_request_id": "r"}),
        ann.post(
            f"instructions/{translation}/regenerate",
            json={"base_version": 1, "selection": {"block_id": STEP_BLOCK}, "client_request_id": "r"},
        ),
        ann.post(
            f"instructions/{translation}/anchors",
            json={
                "instruction_version_id": version,
                "addressing": {"address_type": "block_id", "block_id": STEP_BLOCK},
            },
        ),
        ann.get(f"instructions/{job.instruction_id}/translation"),
    ]
    assert [(each.status_code, each.json()["code"]) for each in asks] == [(409, "TRANSLATION_MISMATCH")] * 4


def test_given_a_translation_when_exported_then_it_is_in_its_language_with_the_originals_pictures_and_deleted_all_goes(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    picture = desk.api.store.screenshots_for(
        ann.get(f"instructions/{job.instruction_id}").json()["instruction_version_id"]
    )
    desk.api.artifacts.put_bytes(picture[0].blob.key, picture[0].blob.key.encode(), "image/png")
    translation = translated(desk, ann, job)
    version = ann.get(f"instructions/{translation}").json()["instruction_version_id"]
    body = {"format": "HTML", "instruction_version_id": version}
    export = ann.post(f"jobs/{job.id}/exports", json=body).json()
    assert [each["anchor_id"] for each in export["provenance"]["anchors"]] == [picture[0].anchor_id]

    blob = desk.api.artifacts.put_bytes(f"exports/{job.id}/{export['id']}.html", b"x", "text/html")
    desk.api.store.begin_export(export["id"])
    desk.api.store.finish_export(export["id"], blob, "a.html", {"anchors": []})
    ann.post(f"instructions/{translation}/comments", json={"block_id": STEP_BLOCK, "text": "Hm."}).raise_for_status()
    link = ann.post(f"instructions/{translation}/shares", json={})
    assert link.status_code == 201, link.text
    asked(ann, job, "fr")
    original = ann.get(f"instructions/{job.instruction_id}").json()
    refused = ann.delete(f"instructions/{job.instruction_id}/translation")
    assert (refused.status_code, refused.json()["code"]) == (409, "TRANSLATION_MISMATCH")
    busy = ann.post(
        f"instructions/{translation}/translation/update", json={"client_request_id": "x", "blocks": [STEP_BLOCK]}
    ).json()
    refused = ann.delete(f"instructions/{translation}/translation")
    assert (refused.status_code, refused.json()["details"]["task_id"]) == (409, busy["id"])
    ann.post(f"translation-tasks/{busy['id']}/cancel").raise_for_status()
    assert ann.delete(f"instructions/{translation}/translation").status_code == 204
    gone = (f"instructions/{translation}", f"exports/{export['id']}", f"translation-tasks/{busy['id']}")
    assert {ann.get(each).status_code for each in gone} == {404}
    assert ann.delete(f"instructions/{translation}/translation").status_code == 404
    assert not desk.api.artifacts.exists(blob.key)
    assert ann.get(f"instructions/{job.instruction_id}").json() == original
    listed = ann.get(f"instructions/{job.instruction_id}/translations").json()
    assert (listed["items"], [each["language"] for each in listed["tasks"]]) == ([], ["fr"])
    again = asked(ann, job)
    assert again["replayed"] is False
    called_off(ann, again["id"], *(each["id"] for each in listed["tasks"]))


def test_given_another_user_then_a_translation_is_as_absent_to_them_as_its_original(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)
    done = desk.work(ann, task["id"])
    translation = done["instruction_id"]
    with desk.api.client("bob") as bob:
        answers = [
            bob.get(f"instructions/{translation}"),
            bob.get(f"instructions/{translation}/translation"),
            bob.get(f"instructions/{job.instruction_id}/translations"),
            bob.post(
                f"instructions/{job.instruction_id}/translations", json={"language": "fr", "client_request_id": "r"}
            ),
            bob.post(f"instructions/{translation}/translation/update", json={"client_request_id": "r"}),
            bob.get(f"translation-tasks/{task['id']}"),
            bob.post(f"translation-tasks/{task['id']}/cancel"),
            bob.delete(f"instructions/{translation}/translation"),
        ]
    assert {each.status_code for each in answers} == {404}


def test_given_a_translation_when_the_guide_goes_to_the_bin_and_comes_back_or_is_erased_then_it_goes_along(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    translation = translated(desk, ann, job)
    archive = zipfile.ZipFile(io.BytesIO(ann.get("account/archive").content))
    texts = {
        name: archive.read(name).decode() for name in archive.namelist() if job.id in name and name.endswith(".md")
    }
    assert {name.rsplit("/", 1)[1] for name in texts} == {"instruction.md", "instruction.de.md"}
    assert "Ëntër thë nämë." in texts[f"jobs/{job.id}/instruction.de.md"]
    ann.post(f"guides/{job.id}/bin").raise_for_status()
    assert ann.get(f"instructions/{translation}").status_code == 404
    ann.post(f"guides/bin/{job.id}/restore").raise_for_status()
    assert ann.get(f"instructions/{translation}").json()["markdown"] == GERMAN
    desk.api.store.begin_erasure(job.id, owner="ann")
    workflows = desk.api.store.erasure_workflows(job.id)
    assert any(each.startswith("translate-") for each in workflows)
    desk.api.store.erase_rows(job.id)
    assert ann.get(f"instructions/{translation}").status_code == 404


def test_given_no_language_model_when_a_translation_is_asked_for_then_it_is_refused_and_says_why(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    with running_api(api_settings(tmp_path_factory.mktemp("plain"))) as plain, plain.client("ann") as client:
        job = told_job(plain.store, plain.artifacts, "ann")
        body = {"language": "de", "client_request_id": "r"}
        answer = client.post(f"instructions/{job.instruction_id}/translations", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "TRANSLATION_UNAVAILABLE")
    assert "language model" in answer.json()["message"]


@pytest.fixture
def said(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """What a command below ``guidesmith guides`` prints for Ann. Raises: What the command does."""
    monkeypatch.setenv("GUIDESMITH_API_URL", desk.api.url)
    monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue("ann"))
    monkeypatch.setenv("GUIDESMITH_DATA_DIR", str(tmp_path))

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, ["guides", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def test_given_a_guide_when_it_is_translated_on_the_command_line_then_it_waits_lists_what_is_behind_and_is_published(
    desk: Desk, ann: httpx.Client, job: Job, said: Callable[..., str], tmp_path: Path
) -> None:
    for each in desk.api.store.screenshots_for(desk.api.store.get_instruction("ann", str(job.instruction_id)).id):
        desk.api.artifacts.put_bytes(each.blob.key, each.blob.key.encode(), "image/png")
    with desk.workers():
        assert "de: 3 blocks translated, instruction " in said("translate", job.id, "--into", "de")
        assert "de: nothing was behind, instruction " in said("translate", job.id, "--into", "DE")
        (listed,) = ann.get(f"instructions/{job.instruction_id}/translations").json()["items"]
        saved(ann, listed["instruction_id"], lambda text: text.replace("Ëntër", "Geben"))
        saved(ann, job.instruction_id, lambda text: text.replace("Enter", "Type").replace("Choose", "Press"))
        printed = said("translations", job.id)
        row = next(line for line in printed.splitlines() if listed["instruction_id"] in line)
        assert row.split()[-5:] == ["1", "2", "0", "0", "0"] and row.startswith("de  "), printed
        told = said("translate", job.id, "--into", "de")
        assert "de: 1 blocks translated, " in told and "1 new texts wait, since somebody had edited theirs" in told
        of = {"project_id": job.project_id}
        (guide,) = ann.get("guides", params=of | {"translations": "true"}).json()["items"]
        (known,) = guide["translations"]
        assert (known["instruction_id"], known["language"]) == (listed["instruction_id"], "de")
        assert ann.get("guides", params=of).json()["items"][0]["translations"] is None
        site = tmp_path / "site"
        said("publish", "-o", str(site), "--project", job.project_id, "--translations")
        pages = {each.read_text() for each in site.glob("guides/*/index.html")}
        assert sorted(page.split('<html lang="')[1][:2] for page in pages) == ["de", "en"]
        assert all(f'hreflang="{each}"' in page for page in pages for each in ("de", "en"))
        index = (site / "index.html").read_text()
        assert all(f"<bdi>{each}</bdi><small>1 " in index for each in ("Deutsch", "English"))
        said("publish", "-o", str(site), "--project", job.project_id)
        assert "hreflang" not in next(site.glob("guides/*/index.html")).read_text()
        assert " (de) is gone.\n" in said("delete-translation", job.id, "DE", "--yes")  # the API's lines are there, too
        with pytest.raises(UsageWrong, match="no translation into de"):
            said("delete-translation", job.id, "de", "--yes")
        assert ann.get(f"instructions/{job.instruction_id}").status_code == 200
        desk.sandbox.script("chat", Behaviour(status=401, times=20))
        with pytest.raises(GuidesmithError) as failed:
            said("translate", job.id, "--into", "fr")
    assert isinstance(failed.value, JobFailed) and failed.value.failure_code == "PROVIDER_ACCESS_DENIED"
    assert exit_code(failed.value) is ExitCode.JOB_FAILED


@pytest.mark.parametrize(
    ("options", "exits", "says"),
    [
        (["--into", "german"], ExitCode.FAILED, "A language is a tag like de"),
        (["--into", "en"], ExitCode.FAILED, "The guide is in this language"),
        (["--into", "fr", "--version", "9"], ExitCode.USAGE, "no version 9: its newest is 1"),
    ],
)
def test_given_a_slip_of_the_pen_when_a_translation_is_asked_for_then_told_what_is_wrong(
    job: Job, said: Callable[..., str], options: list[str], exits: ExitCode, says: str
) -> None:
    with pytest.raises(GuidesmithError, match=says) as wrong:
        said("translate", job.id, *options)
    assert exit_code(wrong.value) is exits


def test_given_a_guide_without_a_document_or_of_somebody_else_then_the_command_line_says_so(
    desk: Desk, ann: httpx.Client, job: Job, said: Callable[..., str]
) -> None:
    begun = ann.post(f"projects/{job.project_id}/jobs").json()["id"]
    strange = told_job(desk.api.store, desk.api.artifacts, "bob").id
    for words in (("translate", "{}", "--into", "de"), ("translations", "{}")):
        with pytest.raises(GuidesmithError, match="no document yet"):
            said(*(each.format(begun) for each in words))
        with pytest.raises(GuidesmithError, match="no such guide, or it is not yours"):
            said(*(each.format(strange) for each in words))


def test_given_a_guide_when_programs_translate_it_then_they_wait_and_are_told_what_failed(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    token = Tokens(SECRET).issue("ann")
    assert job.instruction_id is not None

    async def meanwhile(original: programs.Instruction) -> tuple[str, int, list[str]]:
        async with programs.AsyncClient(desk.api.url, token) as client:
            task = await client.translate(original, "ar", version=1)
            return task.language, task.translated, [each.language for each in await client.translations(original)]

    with desk.workers(), programs.Client(desk.api.url, token) as client:
        original = client.instruction(job.instruction_id)
        assert client.translations(original) == ()
        task = client.translate(original, "de")
        assert (task.status, task.translated, task.untranslated) == ("SUCCEEDED", 3, ())
        assert task.instruction_id is not None and client.instruction(task.instruction_id).markdown == GERMAN
        saved(ann, job.instruction_id, lambda text: text.replace("Enter", "Type"))
        assert [(each.language, each.behind) for each in client.translations(original)] == [("de", 1)]
        assert client.translate(original, "DE").translated == 1
        saved(ann, task.instruction_id, lambda text: text.replace("Chöösë", "Wählen Sie"))
        saved(ann, job.instruction_id, lambda text: text.replace("Choose", "Press"))
        assert client.translate(original, "de").offered == 1
        held = client.translation(client.translations(original)[0])
        (waits,) = (each for each in held.blocks if each.offer)
        assert (waits.block_id, waits.state, waits.edited, waits.offer) == (
            STEP_BLOCK,
            "behind",
            True,
            "Prëss **New**.",
        )
        answered = client.answer_translation(held, STEP_BLOCK, take=False)
        assert (answered.offered, answered.behind) == (0, 0)
        assert "Wählen Sie" in client.instruction(task.instruction_id).markdown
        with pytest.raises(programs.ApiError) as late:
            client.answer_translation(held.model_copy(update={"version": 1}), STEP_BLOCK)
        assert late.value.code in ("VERSION_CONFLICT", "VALIDATION_ERROR")
        assert asyncio.run(meanwhile(original)) == ("ar", 3, ["ar", "de"])
        client.delete_translation(held)
        assert [each.language for each in client.translations(original)] == ["ar"]
        with pytest.raises(programs.ApiError, match="language") as refused:
            client.translate(original, "en")
        assert (refused.value.status, refused.value.code) == (400, "VALIDATION_ERROR")
        desk.sandbox.script("chat", Behaviour(status=401, times=20))
        with pytest.raises(programs.JobFailed) as failed:
            client.translate(original, "fr")
        assert failed.value.code == "PROVIDER_ACCESS_DENIED"
        desk.sandbox.reset()
        desk.sandbox.script("chat", Behaviour(hang=True))
        begun = client.begin_translation(original, "pl")
        stopped = client.cancel_translation(begun)
        assert stopped.failure is not None and stopped.failure.failure_code == "CANCELLED"
        assert client.translation_task(begun.id).status == "FAILED"


def test_given_an_assistant_when_it_has_a_guide_translated_then_it_reads_the_translation(desk: Desk, job: Job) -> None:
    server = mcp_server.local_server(desk.api.url, Tokens(SECRET).issue("ann"))

    async def work() -> tuple[Any, Any, str]:
        async with McpClient(server) as client:
            order = {"instruction_id": job.instruction_id, "language": "de"}
            made = (await client.call_tool("translate_guide", order)).structured_content
            assert made is not None
            read = await client.call_tool("read_guide", {"instruction_id": made["instruction_id"]})
            refused = await client.call_tool("translate_guide", {**order, "language": "en"})
            return made, read.structured_content, str(refused.content) if refused.is_error else ""

    desk.sandbox.reset()
    with desk.workers():
        made, read, refused = asyncio.run(work())
    assert (made["language"], made["translated"], made["untranslated"]) == ("de", 3, [])
    assert read["markdown"] == GERMAN
    assert "The guide is in this language" in refused


def test_nothing_of_the_texts_is_in_the_history_of_a_translation(
    desk: Desk, ann: httpx.Client, job: Job, temporal: TemporalServer
) -> None:
    done = desk.work(ann, asked(ann, job)["id"])

    async def history() -> WorkflowHistory:
        client = await Client.connect(temporal.address)
        return await client.get_workflow_handle(f"translate-{done['id']}").fetch_history()

    told = asyncio.run(history())
    assert not any(text in told.to_json() for text in ("customer", "cüstömër", "Choose", "Chöösë"))
    steps = [each for each in told.events if not str(each.WhichOneof("attributes")).startswith("workflow_task_")]
    assert len(steps) < 7
