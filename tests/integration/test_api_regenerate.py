"""Writing a part again, over HTTP: what was edited meanwhile is never lost, and what gave way to it is kept.

Nobody serves the writers' queue until the test has edited; then a drafter that the test scripted writes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

from activities.drafting.drafters import Rewrite
from domain.documents.document import BlockEvidence
from domain.documents.draft import Draft, DraftProvenance, DraftWarning
from domain.jobs import Job
from domain.recordings.transcript import Transcript
from tests.apis import RunningApi, api_settings, running_api, wait_ready
from tests.integration.api_builders import SPOKEN, told_job
from tests.integration.store_builders import MARKDOWN, OTHER_BLOCK, STEP_BLOCK, TITLE_BLOCK
from tests.stack import wait_until
from tests.temporal import TemporalServer
from tests.workers import document_workers

NOTICE = DraftWarning(code="INSTRUCTION_NOT_FOLLOWED", message="Not without a language model.")


@dataclass(frozen=True)
class Scripted:
    """A drafter that has its answer ready, by what it is given. Anything else stays as it is."""

    answers: dict[str, str]
    warnings: tuple[DraftWarning, ...] = ()

    def draft(self, *_: Any, **__: Any) -> Draft:
        raise AssertionError("nobody asks for a draft here")

    def rewrite(self, text: str, *, evidence: BlockEvidence, transcript: Transcript, **_: Any) -> Rewrite:
        assert transcript == SPOKEN
        assert evidence.block_id in (STEP_BLOCK, OTHER_BLOCK, TITLE_BLOCK)
        return Rewrite(
            markdown=self.answers.get(text, text),
            warnings=self.warnings,
            provenance=DraftProvenance(
                model_profile_id="scripted", prompt_template_id="rewrite/7", prompt_params_ref="p-1"
            ),
        )


@dataclass(frozen=True)
class Desk:
    """An API whose writers are at lunch until :meth:`write`."""

    api: RunningApi
    temporal: TemporalServer

    def write(self, client: httpx.Client, task_id: str, drafter: Scripted) -> dict[str, Any]:
        """Let the writers work; the task once it ended."""

        def ended() -> dict[str, Any] | None:
            task: dict[str, Any] = client.get(f"tasks/{task_id}").json()
            return task if task["status"] in ("SUCCEEDED", "FAILED") else None

        api = self.api
        with document_workers(
            self.temporal.address, api.settings, api.store, api.artifacts, ("jobs", "providers"), drafter
        ):
            return wait_until(ended, 60, "the task to end")


@pytest.fixture(scope="module")
def desk(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    settings = api_settings(tmp_path_factory.mktemp("api"), task_queue_prefix=f"desk-{uuid4().hex}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(settings) as api:
            wait_ready(api)
            yield Desk(api, temporal)


@pytest.fixture
def ann(desk: Desk) -> Iterator[httpx.Client]:
    with desk.api.client("ann") as client:
        yield client


@pytest.fixture
def job(desk: Desk) -> Job:
    """A job at DRAFT_READY, of ann's, whose transcript is there."""
    return told_job(desk.api.store, desk.api.artifacts, "ann")


def asked(client: httpx.Client, job: Job, selection: dict[str, object] | None = None, **rest: object) -> dict[str, Any]:
    """The task of a regeneration, of the step where nothing else is said."""
    body = {"base_version": 1, "selection": selection or {"block_id": STEP_BLOCK}, "client_request_id": "r"} | rest
    answer = client.post(f"instructions/{job.instruction_id}/regenerate", json=body)
    assert answer.status_code == 202, answer.text
    task: dict[str, Any] = answer.json()
    return task


def saved(client: httpx.Client, job: Job, markdown: str) -> None:
    answer = client.put(f"instructions/{job.instruction_id}", json={"base_version": 1, "markdown": markdown})
    assert answer.status_code == 200, answer.text


def newest(client: httpx.Client, job: Job) -> dict[str, Any]:
    answer: dict[str, Any] = client.get(f"instructions/{job.instruction_id}").json()
    return answer


REWRITTEN = MARKDOWN.replace("Choose **New**.", "Press **New**.")
STEP_AGAIN = Scripted({"Choose **New**.": "Press **New**."})


def test_given_a_selection_when_it_is_written_again_then_nothing_but_it_has_changed(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)
    assert task["provenance"] | {"requested_at": None} == {
        "instruction_id": job.instruction_id,
        "base_version": 1,
        "selection": {"block_id": STEP_BLOCK},
        "requested_by": "ann",
        "requested_at": None,
        "model_profile_id": None,
        "prompt_template_id": None,
        "prompt_params_ref": None,
    }

    done = desk.write(ann, task["id"], STEP_AGAIN)

    assert (done["status"], done["progress_pct"], done["instruction_version"]) == ("SUCCEEDED", 100, 2)
    assert (done["proposal"], done["failure"], done["warnings"]) == (None, None, [])
    names = ("model_profile_id", "prompt_template_id", "prompt_params_ref")
    assert [done["provenance"][name] for name in names] == ["scripted", "rewrite/7", "p-1"]
    version = newest(ann, job)
    assert (version["version"], version["markdown"], version["origin"]) == (2, REWRITTEN, "regenerate")
    assert [version[name] for name in names] == ["scripted", "rewrite/7", "p-1"]
    assert (version["validation_status"], version["validation_errors"]) == ("PASS", [])
    again = ann.post(
        f"instructions/{job.instruction_id}/regenerate",
        json={"base_version": 1, "selection": {"block_id": STEP_BLOCK}, "client_request_id": "r"},
    )
    assert again.status_code == 200
    assert again.json() == done | {"replayed": True}


def test_given_an_edit_elsewhere_when_the_writers_come_back_then_both_are_there(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)
    moved = (
        f"<!-- block:{TITLE_BLOCK} -->\n# Add a client\n\n<!-- block:{OTHER_BLOCK} -->\nEnter the full name.\n\n"
        f"A new paragraph.\n\n<!-- block:{STEP_BLOCK} -->\nChoose **New**.\n"
    )
    saved(ann, job, moved)
    edited = newest(ann, job)["markdown"]

    done = desk.write(ann, task["id"], STEP_AGAIN)

    assert (done["instruction_version"], done["proposal"]) == (3, None)
    assert newest(ann, job)["markdown"] == edited.replace("Choose **New**.", "Press **New**.")


def test_given_an_edit_of_the_selection_when_the_writers_come_back_then_it_wins_and_theirs_is_kept(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)
    mine = MARKDOWN.replace("Choose **New**.", "Choose _New_, I say.")
    saved(ann, job, mine)

    done = desk.write(ann, task["id"], STEP_AGAIN)

    assert (done["status"], done["instruction_version"]) == ("SUCCEEDED", 2)
    assert done["proposal"] == {
        "markdown": "Press **New**.",
        "blocks": [{"block_id": STEP_BLOCK, "markdown": "Press **New**.", "deleted": False}],
    }
    assert newest(ann, job)["markdown"] == mine


def test_given_a_selection_of_which_one_block_was_deleted_when_written_then_the_rest_is_put_in_place(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job, {"char_range": {"start_offset": MARKDOWN.index("Choose"), "end_offset": len(MARKDOWN) - 1}})
    saved(ann, job, MARKDOWN[: MARKDOWN.index(f"<!-- block:{OTHER_BLOCK}")])

    done = desk.write(ann, task["id"], Scripted({**STEP_AGAIN.answers, "Enter the name.": "Type the name."}))

    assert done["instruction_version"] == 3
    assert done["proposal"]["blocks"] == [{"block_id": OTHER_BLOCK, "markdown": "Type the name.", "deleted": True}]
    assert newest(ann, job)["markdown"].count("Press **New**.") == 1
    assert "Type the name." not in newest(ann, job)["markdown"]


def test_given_a_range_within_a_block_when_written_then_the_rest_of_the_block_stays(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    start = MARKDOWN.index("the name")
    task = asked(ann, job, {"char_range": {"start_offset": start, "end_offset": start + len("the name")}})

    done = desk.write(ann, task["id"], Scripted({"the name": "the name — ä"}))

    assert done["status"] == "SUCCEEDED"
    assert newest(ann, job)["markdown"] == MARKDOWN.replace("the name", "the name — ä")


def test_given_a_block_that_gains_a_paragraph_when_written_then_it_is_one_block_still(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)

    desk.write(ann, task["id"], Scripted({"Choose **New**.": "Choose **New**.\n\nThen wait."}))

    assert newest(ann, job)["markdown"] == MARKDOWN.replace("Choose **New**.", "Choose **New**.\n\nThen wait.")
    version = desk.api.store.get_instruction("ann", job.instruction_id or "")
    assert [each["block_id"] for each in version.evidence] == [STEP_BLOCK]


def test_given_the_same_text_when_written_then_no_version_and_the_warnings_on_the_task(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(
        ann, job, context="Make it rhyme", model_profile="local", prompt_template_id="local/v1", prompt_params_ref="p"
    )

    done = desk.write(ann, task["id"], Scripted({}, warnings=(NOTICE,)))

    assert (done["status"], done["instruction_version"], done["proposal"]) == ("SUCCEEDED", 1, None)
    assert done["warnings"] == [NOTICE.model_dump(mode="json", exclude={"details"})]
    asked_for = {"model_profile_id": "local", "prompt_template_id": "local/v1", "prompt_params_ref": "p"}
    assert asked_for.items() <= done["provenance"].items()
    assert newest(ann, job)["version"] == 1


def test_given_a_text_that_would_tear_the_document_when_written_then_the_task_fails_and_the_document_stays(
    desk: Desk, ann: httpx.Client, job: Job
) -> None:
    task = asked(ann, job)

    done = desk.write(ann, task["id"], Scripted({"Choose **New**.": f"<!-- block:{OTHER_BLOCK} -->\nMine."}))

    assert (done["status"], done["failure"]["failure_code"]) == ("FAILED", "DOCUMENT_INVALID")
    assert done["failure"]["failed_stage"] == "regeneration"
    assert newest(ann, job)["markdown"] == MARKDOWN
    assert asked(ann, job, client_request_id="r-2")["status"] == "PENDING"


def test_given_a_template_or_a_profile_that_nobody_has_when_asked_then_400_names_those_there_are(
    ann: httpx.Client, job: Job
) -> None:
    body = {"base_version": 1, "selection": {"block_id": STEP_BLOCK}, "client_request_id": "r"}
    path = f"instructions/{job.instruction_id}/regenerate"
    refused = ann.post(path, json=body | {"prompt_template_id": "rewrite/v0"})
    assert (refused.status_code, refused.json()["code"]) == (400, "VALIDATION_ERROR")
    assert [each["path"] for each in refused.json()["details"]["issues"]] == ["body.prompt_template_id"]
    assert refused.json()["details"]["prompt_templates"] == ["rewrite/v1", "local/v1"]
    strange = ann.post(path, json=body | {"model_profile": "elsewhere"})
    assert (strange.status_code, strange.json()["code"]) == (400, "MODEL_NOT_ALLOWED")
    assert "local" in strange.json()["details"]["model_profiles"]
    assert ann.post(path, json=body | {"prompt_template_id": "local/v1"}).status_code == 202
