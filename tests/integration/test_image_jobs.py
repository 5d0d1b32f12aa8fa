"""The image job on the real engine: every row of its table, kills in every status, and what it costs.

One Temporal, one API, one worker process and one sandbox provider for the module; what a prompt says, or the script
of the sandbox, decides what the provider does.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import promql_parser
import pytest
import yaml
from prometheus_client import REGISTRY, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import CancelledError

from activities.rails.dispatching import Dispatcher
from activities.rails.search_attributes import FAILURE_CODE, STATUS
from domain.credits import PostingKind
from domain.errors import QuotaExceeded
from domain.jobs import Job
from domain.lifecycles.image import COMPLETED, DEAD_LETTER, FAILED, IMAGE, QUEUED, REJECTED, RUNNING, idempotency_key
from domain.lifecycles.kinds import LIFECYCLES
from domain.orders.picture import PictureOrder
from starter.access.tokens import Role, Tokens
from starter.api.errors import error_response
from starter.api.pictures.screenshots import NOTHING_RUNS
from starter.sandbox import Behaviour, running_sandbox
from starter.services import images
from starter.wiring import image_requests, run_options
from tests.apis import SECRET, running_api, wait_ready
from tests.premises import Premises
from tests.stack import ROOT, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

pytestmark = pytest.mark.timeout(300)  # waits one after the other, of which each may take a slow machine its time

MONITORING = ROOT / "docs" / "operations" / "monitoring"
METRIC = re.compile(r"\b(?:guidesmith|temporal|process)_\w+")

ENDINGS = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}

OWNER = "ann"
PRICE = 4
GRANT = 1000
NOW = datetime(2026, 1, 31, 12, 0, 30, tzinfo=UTC)
"""A minute that does not end while a test runs."""

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4wcUFAAJ6AN1nJ0J9AAAAAElFTkSuQmCC"
"""A picture of one pixel."""


class Studio(Premises):
    """What the tests work with."""

    def ask(self, prompt: str, **params: Any) -> Job:
        answer = self.http.post("images", json={"prompt": prompt, "params": params})
        assert answer.status_code == 202, answer.text
        return self.store.get_job(answer.json()["id"])

    def image(self, job: Job) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"images/{job.id}").json()
        return found


@pytest.fixture(scope="module")
def studio(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    with pytest.MonkeyPatch.context() as patch, running_sandbox() as sandbox:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        settings = {
            "api_port": free_port(),
            "auth_secret": SecretStr(SECRET),
            "rate_limit_default": "off",
            "rate_limit_expensive": "off",
            "image_base_url": sandbox.base_url,
            "image_model": "sandbox-images",
            "moderation_base_url": sandbox.base_url,
            "provider_timeout_s": 6.0,
            "prompt_blocklist": "forbidden fruit",
            "image_quota_per_day": 60,
        }
        with running_stack(folder, temporal, deadly=True, **settings) as stack, running_api(stack.settings) as api:
            wait_ready(api)
            stack.store.grant(OWNER, GRANT, reason="test", actor="test", idempotency_key="ann")
            stack.start_worker()
            yield Studio(stack, api, sandbox, OWNER)


@pytest.fixture(autouse=True)
def _fresh(studio: Studio) -> Iterator[None]:
    studio.refresh()
    yield
    studio.settle()


# --- the rows of the table -------------------------------------------------------------------------------------------


def test_given_a_prompt_when_asked_then_the_picture_is_kept_listed_and_charged_once(studio: Studio) -> None:
    job = studio.ask("a quiet harbour with kestrels", size="512x512")
    studio.stack.wait_for(job, COMPLETED)
    assert studio.moves(job) == [(None, QUEUED), (QUEUED, RUNNING), (RUNNING, COMPLETED)]
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.CAPTURE]
    image = studio.image(job)
    assert (image["retry_count"], image["asset"]["width"], image["asset"]["height"]) == (0, 512, 512)
    log = studio.http.get(f"jobs/{job.id}/history").json()["items"]
    begun = next(each["occurred_at"] for each in log if each["new_status"] == RUNNING)
    assert (image["started_at"], image["next_try_at"]) == (begun, None)
    assert (image["asset"]["provider"], image["asset"]["model"]) == ("openai-compatible", "sandbox-images")
    picture, small = httpx.get(image["result_url"]), httpx.get(image["asset"]["thumbnail_url"])
    assert picture.content.startswith(b"\x89PNG") and len(picture.content) == image["asset"]["size_bytes"]
    assert small.headers["content-type"] == "image/jpeg"
    assert {each.headers["content-security-policy"] for each in (picture, small)} == {NOTHING_RUNS}
    newest = studio.http.get("library", params={"limit": 1}).json()["items"][0]
    assert (newest["job_id"], newest["id"]) == (job.id, image["asset"]["asset_id"])
    assert studio.http.get("library").json()["items"][0]["medium"] == "picture"


def test_given_a_model_that_answers_with_the_picture_itself_then_it_is_kept_too(studio: Studio) -> None:
    studio.sandbox.script("images", Behaviour(body={"data": [{"b64_json": PNG}]}))
    job = studio.stack.wait_for(studio.ask("inline"), COMPLETED)
    assert studio.image(job)["asset"]["width"] == 1


def test_given_a_fault_and_a_timeout_then_it_is_tried_again_and_charged_once(studio: Studio) -> None:
    studio.sandbox.script("images", Behaviour(status=503), Behaviour(hang=True))
    job = studio.stack.wait_for(studio.ask("a stubborn mule"), COMPLETED)
    again = [(RUNNING, FAILED), (FAILED, QUEUED), (QUEUED, RUNNING)]
    assert studio.moves(job) == [(None, QUEUED), (QUEUED, RUNNING), *again, *again, (RUNNING, COMPLETED)]
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.CAPTURE]
    failed = [each for each in studio.stack.audit(job) if each.new_status == FAILED]
    assert [each.data["failure_code"] for each in failed] == ["PROVIDER_UNAVAILABLE", "PROVIDER_TIMEOUT"]
    assert [(each.data["retry_count"], each.data["retry_in_s"]) for each in failed] == [(1, 2.0), (2, 4.0)]
    assert studio.image(job)["retry_count"] == 2

    def shown() -> tuple[str | None, str | None]:
        described = studio.stack.loop.run(studio.stack.client.get_workflow_handle(job.id).describe())
        return described.typed_search_attributes.get(STATUS), described.typed_search_attributes.get(FAILURE_CODE)

    wait_until(lambda: shown() == (COMPLETED, None), 30, "a failure that was healed to be none")


def test_given_outputs_that_expire_before_they_are_fetched_then_dead_letter_after_three_and_released(
    studio: Studio,
) -> None:
    job = studio.stack.wait_for(studio.ask("an expired ticket"), DEAD_LETTER)
    assert [move[1] for move in studio.moves(job)].count(RUNNING) == 3
    assert studio.moves(job)[-2:] == [(RUNNING, FAILED), (FAILED, DEAD_LETTER)]
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.RELEASE]
    image = studio.image(job)
    assert (image["retry_count"], image["result_url"]) == (3, None)
    assert image["failure"]["failure_code"] == "PROVIDER_ANSWER_INVALID"
    assert image["failure"]["failed_stage"] == "painting"


def test_given_a_key_that_is_refused_then_no_further_try_is_made(studio: Studio) -> None:
    studio.sandbox.script("images", Behaviour(status=401))
    job = studio.stack.wait_for(studio.ask("a locked door"), DEAD_LETTER)
    assert studio.moves(job)[-2:] == [(RUNNING, FAILED), (FAILED, DEAD_LETTER)]
    assert (studio.sandbox.count("images"), studio.postings(job)[-1]) == (1, PostingKind.RELEASE)


def test_given_a_safety_filter_then_rejected_with_its_audit_event_and_no_refund(studio: Studio) -> None:
    job = studio.stack.wait_for(studio.ask("something nsfw"), REJECTED)
    assert studio.moves(job)[-1] == (RUNNING, REJECTED)
    assert [each.new_status for each in studio.events(job, "SAFE_BLOCK")] == [REJECTED]
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.CAPTURE]
    assert studio.image(job)["failure"]["failure_code"] == "CONTENT_REJECTED"


def test_given_a_prompt_that_moderation_flags_then_rejected_before_anything_is_made(studio: Studio) -> None:
    job = studio.stack.wait_for(studio.ask("a flagged scene"), REJECTED)
    assert studio.moves(job) == [(None, QUEUED), (QUEUED, REJECTED)]
    assert studio.sandbox.count("images") == 0
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.CAPTURE]


def test_given_moderation_that_fails_then_that_is_an_execution_and_nothing_is_painted_unjudged(studio: Studio) -> None:
    studio.sandbox.script("moderations", Behaviour(status=500))
    job = studio.stack.wait_for(studio.ask("an unjudged scene"), COMPLETED)
    assert studio.moves(job)[1:4] == [(QUEUED, RUNNING), (RUNNING, FAILED), (FAILED, QUEUED)]
    assert studio.sandbox.count("images") == 1


def test_given_a_rate_limit_when_tried_again_then_not_before_the_provider_said(studio: Studio) -> None:
    studio.sandbox.script("images", Behaviour(status=429, retry_after=3))
    job = studio.stack.wait_for(studio.ask("a crowded beach"), COMPLETED)
    (failed,) = (each for each in studio.stack.audit(job) if each.new_status == FAILED)
    assert failed.data["retry_in_s"] == 3.0


def test_given_each_status_when_moved_where_its_table_does_not_lead_then_refused(studio: Studio) -> None:
    for prompt, reached in (("settled one", COMPLETED), ("nsfw two", REJECTED), ("locked three", DEAD_LETTER)):
        if reached == DEAD_LETTER:
            studio.sandbox.script("images", Behaviour(status=401))
        job = studio.stack.wait_for(studio.ask(prompt), reached)
        answer = studio.http.post(f"jobs/{job.id}/cancel")
        assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TERMINAL_IMMUTABLE")
        assert studio.http.post(f"jobs/{job.id}/run").status_code == 409
    studio.sandbox.script("images", Behaviour(status=429, retry_after=600), Behaviour(delay_ms=5500))
    waiting = studio.stack.wait_for(studio.ask("waiting for long"), FAILED)
    running = studio.stack.wait_for(studio.ask("painted for long"), RUNNING)
    for job, allowed in ((running, {COMPLETED, FAILED, REJECTED}), (waiting, {QUEUED, DEAD_LETTER})):
        answer = studio.http.post(f"jobs/{job.id}/cancel")
        assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TRANSITION_INVALID")
        assert set(answer.json()["details"]["allowed_next_statuses"]) <= {str(each) for each in allowed}
        assert answer.json()["details"]["attempted_status"] == "CANCELLED"
    studio.stack.wait_for(running, COMPLETED)

    def ended() -> bool:
        """As the worker may have found out a moment before."""
        return studio.stack.job(waiting).completed_at is not None

    studio.stack.loop.run(studio.stack.client.get_workflow_handle(waiting.id).terminate())
    wait_until(lambda: studio.reconcile().repaired or ended(), 20, "the terminated job's end")


@pytest.mark.parametrize("found", [RUNNING, FAILED])
def test_given_a_picture_whose_run_is_cancelled_in_temporal_then_it_is_given_up_and_asked_for_no_second_time(
    studio: Studio, found: str
) -> None:
    slow, later = Behaviour(delay_ms=4000), Behaviour(status=429, retry_after=600)
    studio.sandbox.script("images", slow if found == RUNNING else later)
    job = studio.stack.wait_for(studio.ask(f"not any more, {found}"), found)
    handle = studio.stack.client.get_workflow_handle(job.id)
    wait_until(lambda: studio.sandbox.count("images") or None, 20, "the provider to be asked")
    studio.stack.loop.run(handle.cancel())
    with pytest.raises(WorkflowFailureError) as ended:
        studio.stack.loop.run(handle.result())
    assert isinstance(ended.value.cause, CancelledError)
    assert studio.moves(job)[-1] == (FAILED, DEAD_LETTER)
    assert studio.stack.job(job).failure.failure_code == "CANCELLED"  # type: ignore[union-attr]
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.RELEASE]
    assert studio.sandbox.count("images") == 1


# --- guards ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"prompt": "  "}, "PROMPT_REFUSED"),
        ({"prompt": "x" * 2001}, "PROMPT_REFUSED"),
        ({"prompt": "the Forbidden\u200b  fruit"}, "PROMPT_REFUSED"),
        ({"prompt": "a boat", "params": {"size": "1x1"}}, "VALIDATION_ERROR"),
        ({"prompt": "a boat", "params": {"deep": {"er": 1}}}, "VALIDATION_ERROR"),
        ({"params": {}}, "VALIDATION_ERROR"),
    ],
)
def test_given_what_is_not_made_here_when_asked_then_400_and_no_job(
    studio: Studio, body: dict[str, Any], code: str
) -> None:
    with studio.api.client(studio.newcomer(PRICE)) as http:
        answer = http.post("images", json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, code)
        assert http.get("jobs").json()["items"] == []


def test_given_too_few_credits_when_asked_then_402_and_no_job(studio: Studio) -> None:
    with studio.api.client(studio.newcomer(PRICE - 1)) as http:
        answer = http.post("images", json={"prompt": "a palace"})
        assert (answer.status_code, answer.json()["code"]) == (402, "INSUFFICIENT_CREDITS")
        assert answer.json()["details"] == {"balance": PRICE - 1, "cost": PRICE}
        assert http.get("jobs").json()["items"] == []
        assert http.get("projects").json()["items"] == []


def test_given_a_quota_that_is_used_up_when_asked_then_429_says_when_and_a_repeat_is_still_answered(
    studio: Studio,
) -> None:
    owner = studio.newcomer(100)
    requests = image_requests(studio.stack.settings.model_copy(update={"image_quota_per_day": 1}), studio.store)
    requests._clock = lambda: NOW
    first, created = requests.make(owner, PictureOrder(prompt="only one"))
    assert created
    assert requests.make(owner, PictureOrder(prompt="only one")) == (studio.store.get_job(first.id), False)
    with pytest.raises(QuotaExceeded) as refused:
        requests.make(owner, PictureOrder(prompt="one more"))
    assert refused.value.retry_after_s is not None and 86_000 < refused.value.retry_after_s <= 86_400
    assert refused.value.message.endswith(("There is room for the next in 24 h 0 min.", "in 23 h 59 min."))
    told = error_response(refused.value)
    assert (told.status_code, 86_000 < int(told.headers["Retry-After"]) <= 86_400) == (429, True)
    studio.stack.loop.run(Dispatcher(studio.stack.client, run_options(studio.stack.settings)).start(first))
    studio.stack.wait_for(first, COMPLETED)


# --- once ------------------------------------------------------------------------------------------------------------


def test_given_twenty_requests_at_once_when_they_are_the_same_then_one_job_and_one_charge(studio: Studio) -> None:
    owner = studio.newcomer(PRICE)
    gate = threading.Barrier(20)

    def ask(_: int) -> httpx.Response:
        with studio.api.client(owner) as http:
            gate.wait()
            return http.post("images", json={"prompt": "twins"}, headers={"Idempotency-Key": "once"})

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [202]
    assert len({answer.json()["id"] for answer in answers}) == 1
    job = studio.stack.wait_for(studio.store.get_job(answers[0].json()["id"]), COMPLETED)
    assert (studio.sandbox.count("images"), studio.store.balance(owner).balance) == (1, 0)
    assert len(studio.store.library_of_job(job.id)) == 1


def test_given_a_job_that_waits_for_its_next_try_when_asked_again_then_it_gives_way_and_only_one_is_charged(
    studio: Studio,
) -> None:
    owner = studio.newcomer(PRICE)
    requests = image_requests(studio.stack.settings, studio.store)
    requests._clock = lambda: NOW
    studio.sandbox.script("images", Behaviour(status=429, retry_after=6))
    before, _ = requests.make(owner, PictureOrder(prompt="second thoughts"))
    starter = Dispatcher(studio.stack.client, run_options(studio.stack.settings))
    studio.stack.loop.run(starter.start(before))
    studio.stack.wait_for(before, FAILED)
    gave_way: list[str] = []
    after, created = requests.make(owner, PictureOrder(prompt="second thoughts"), gave_way.append)
    assert created and after.id != before.id and gave_way == [before.id]
    studio.stack.loop.run(starter.start(after))
    studio.stack.wait_for(after, COMPLETED)
    assert studio.moves(before)[-1] == (FAILED, DEAD_LETTER)
    assert studio.postings(before) == [PostingKind.RESERVE, PostingKind.RELEASE]
    assert studio.postings(after) == [PostingKind.RESERVE, PostingKind.CAPTURE]
    outcome = studio.stack.loop.run(studio.stack.client.get_workflow_handle(before.id).result())
    assert outcome["status"] == DEAD_LETTER
    assert studio.moves(before)[-1] == (FAILED, DEAD_LETTER)


def test_given_a_job_that_waits_for_long_when_the_same_is_asked_then_its_run_ends_at_once(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_now = idempotency_key
    monkeypatch.setattr(
        images, "idempotency_key", lambda owner, prompt, params, _: of_now(owner, prompt, params, NOW)
    )  # the minute does not end
    studio.sandbox.script("images", Behaviour(status=429, retry_after=600))
    before = studio.stack.wait_for(studio.ask("third thoughts"), FAILED)
    assert datetime.fromisoformat(studio.image(before)["next_try_at"]) - before.updated_at > timedelta(seconds=60)
    after = studio.ask("third thoughts")
    outcome = studio.stack.loop.run(studio.stack.client.get_workflow_handle(before.id).result())
    assert outcome["status"] == DEAD_LETTER
    assert studio.postings(before) == [PostingKind.RESERVE, PostingKind.RELEASE]
    studio.stack.wait_for(after, COMPLETED)
    again = studio.http.post("images", json={"prompt": "third thoughts"})
    assert (again.status_code, again.json()["id"], again.headers["Idempotency-Replayed"]) == (200, after.id, "true")


def test_given_a_job_that_waits_when_it_is_told_of_a_newer_one_that_there_is_not_then_it_goes_on(
    studio: Studio,
) -> None:
    studio.sandbox.script("images", Behaviour(status=429, retry_after=600))
    job = studio.stack.wait_for(studio.ask("a rumour"), FAILED)
    studio.stack.loop.run(studio.stack.kinds.tell_superseded(job.id))
    studio.stack.wait_for(job, COMPLETED)
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.CAPTURE]


# --- kills -----------------------------------------------------------------------------------------------------------


def test_given_a_worker_that_is_killed_while_it_paints_then_one_asset_one_charge_and_no_move_twice(
    studio: Studio, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    held.touch()
    studio.stack.kill_worker()
    studio.stack.start_worker(HOLD=str(RUNNING), HOLD_FILE=str(held), HOLD_AGAIN="1")
    job = studio.ask("a cut power line")
    studio.stack.wait_for(job, RUNNING)
    studio.stack.kill_worker()
    studio.stack.start_worker()
    _completed_once(studio, job)
    again = [each.execution for each in studio.events(job, "STAGE_RETRIED")]
    assert again == [*range(2, 2 + len(again))] != [], "one, and others only where a starved worker was missed"


def test_given_a_worker_that_dies_with_the_picture_recorded_then_nothing_is_made_or_charged_twice(
    studio: Studio,
) -> None:
    studio.stack.kill_worker()
    studio.stack.start_worker(DIE_AFTER=str(COMPLETED))
    job = studio.ask("a last breath")
    studio.stack.wait_for(job, COMPLETED)
    studio.stack.kill_worker()
    studio.stack.start_worker()
    studio.stack.loop.run(studio.stack.client.get_workflow_handle(job.id).result())
    _completed_once(studio, job)
    assert studio.sandbox.count("images") == 1


def test_given_workers_that_die_with_a_move_committed_then_no_move_and_no_posting_is_made_twice(
    studio: Studio,
) -> None:
    asked = {
        "dies with an nsfw verdict": ([RUNNING, REJECTED], PostingKind.CAPTURE),
        "dies with a flagged prompt": ([REJECTED], PostingKind.CAPTURE),
        "dies and expired": ([RUNNING, FAILED, DEAD_LETTER], PostingKind.RELEASE),
        "dies for a quiet pond": ([RUNNING, COMPLETED], PostingKind.CAPTURE),
    }
    studio.stack.kill_worker()
    jobs = {prompt: studio.ask(prompt) for prompt in asked}

    def are_over() -> bool:
        return all(studio.store.get_job(each.id).completed_at is not None for each in jobs.values())

    for died_after in (FAILED, QUEUED, REJECTED, DEAD_LETTER):
        studio.stack.die(died_after, unless=are_over)
    studio.stack.start_worker()
    for prompt, (way, end) in asked.items():
        job = jobs[prompt]
        studio.stack.loop.run(studio.stack.client.get_workflow_handle(job.id).result())
        failures = studio.image(job)["retry_count"]
        again = [RUNNING, FAILED, QUEUED] * (failures - 1 if FAILED in way else failures)
        assert studio.moves(job) == list(pairwise([None, QUEUED, *again, *way]))
        assert studio.postings(job) == [PostingKind.RESERVE, end]
        assert len(studio.store.library_of_job(job.id)) == way.count(COMPLETED)


def test_given_a_worker_that_is_killed_while_the_prompt_is_judged_then_it_is_judged_again_and_painted_once(
    studio: Studio, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    held.touch()
    studio.stack.kill_worker()
    studio.stack.start_worker(HOLD=str(QUEUED), HOLD_FILE=str(held), HOLD_AGAIN="1")
    job = studio.ask("an absent judge")
    wait_until(lambda: studio.events(job, "RUN_DISPATCHED"), 30, "the first stage")
    studio.stack.kill_worker()
    studio.stack.start_worker()
    _completed_once(studio, job)
    assert len(studio.events(job, "STAGE_RETRIED")) >= 1


def test_given_a_worker_that_is_killed_while_a_job_is_queued_or_waits_then_it_goes_on(studio: Studio) -> None:
    studio.sandbox.script("images", Behaviour(status=500))
    job = studio.ask("a long pause")
    wait_until(lambda: (RUNNING, FAILED) in studio.moves(job), 30, "its first try")  # it waits for two seconds alone
    studio.stack.kill_worker()
    queued = studio.ask("nobody is there")
    refused = studio.http.post(f"jobs/{queued.id}/cancel")
    assert (refused.status_code, refused.json()["code"]) == (409, "FSM_TRANSITION_INVALID")
    studio.stack.start_worker()
    _completed_once(studio, queued)
    studio.stack.wait_for(job, COMPLETED)
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.CAPTURE]


def _completed_once(studio: Studio, job: Job) -> None:
    studio.stack.wait_for(job, COMPLETED)
    assert studio.moves(job) == [(None, QUEUED), (QUEUED, RUNNING), (RUNNING, COMPLETED)]
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.CAPTURE]
    assert len(studio.store.library_of_job(job.id)) == 1


# --- what the engine lost --------------------------------------------------------------------------------------------


def test_given_a_start_that_was_lost_when_reconciled_then_the_job_runs(studio: Studio) -> None:
    requests = image_requests(studio.stack.settings, studio.store)
    job, _ = requests.make(OWNER, PictureOrder(prompt="a letter that was not posted"))
    studio.reconcile()
    _completed_once(studio, job)


def test_given_a_run_that_an_operator_cancelled_then_the_job_ends_along_its_table_and_is_not_charged(
    studio: Studio,
) -> None:
    studio.sandbox.script("images", Behaviour(status=429, retry_after=600))
    job = studio.stack.wait_for(studio.ask("an operator's mind"), FAILED)
    studio.stack.loop.run(studio.stack.client.get_workflow_handle(job.id).cancel())
    studio.stack.wait_for(job, DEAD_LETTER)
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.RELEASE]


def test_given_a_run_that_was_terminated_when_reconciled_then_the_job_ends_along_its_table(
    studio: Studio, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    held.touch()
    studio.stack.kill_worker()
    studio.stack.start_worker(HOLD=str(RUNNING), HOLD_FILE=str(held), HOLD_AGAIN="1")
    job = studio.stack.wait_for(studio.ask("a torn page"), RUNNING)
    studio.stack.loop.run(studio.stack.client.get_workflow_handle(job.id).terminate())
    studio.stack.kill_worker()
    studio.reconcile()
    assert studio.moves(job)[-2:] == [(RUNNING, FAILED), (FAILED, DEAD_LETTER)]
    assert studio.postings(job) == [PostingKind.RESERVE, PostingKind.RELEASE]
    assert studio.stack.job(job).failure.failure_code == "WORKFLOW_LOST"  # type: ignore[union-attr]


# --- from the command line -------------------------------------------------------------------------------------------


def test_given_the_command_when_run_then_the_file_is_the_picture_and_a_failure_has_its_code(
    studio: Studio, tmp_path: Path
) -> None:
    token = Tokens(SECRET).issue(OWNER, Role.EDITOR)
    environment = {**os.environ, "GUIDESMITH_API_URL": studio.api.url, "GUIDESMITH_TOKEN": token}

    def command(prompt: str) -> "subprocess.CompletedProcess[str]":
        call = [sys.executable, "-m", "starter.cli", "image", prompt, "-o", str(tmp_path / "a.png"), "--json"]
        return subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120, check=False)

    done = command("a framed print")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["status"], said["provider"]) == (COMPLETED, "openai-compatible")
    assert (tmp_path / "a.png").stat().st_size == said["size_bytes"]
    refused = command("a framed nsfw print")
    assert refused.returncode != 0
    assert "CONTENT_REJECTED" in refused.stderr + refused.stdout


# --- what is told of them to those who watch --------------------------------------------------------------------------


def expressions() -> dict[str, str]:
    """Every expression of the dashboard and of the alerts, by what it is shown as."""
    board = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
    shown = {panel["title"]: each["expr"] for panel in board["panels"] for each in panel.get("targets", ())}
    (group,) = yaml.safe_load((MONITORING / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    return shown | {each["alert"]: each["expr"] for each in group["rules"]}


def test_given_jobs_when_their_worker_and_api_are_scraped_then_each_metric_that_people_look_at_is_there(
    studio: Studio,
) -> None:
    studio.sandbox.script("images", Behaviour(status=503))
    job = studio.stack.wait_for(studio.ask("a picture that is counted"), COMPLETED)
    address = f"http://127.0.0.1:{studio.stack.metrics_port}/metrics"
    counted = 'guidesmith_jobs_ended_total{code="",kind="image",status="completed"}'
    scraped = wait_until(lambda: text if counted in (text := httpx.get(address).text) else None, 30, "it to be counted")
    told = {
        family.name + ending
        for text in (scraped, generate_latest(REGISTRY).decode())  # the API is in this process
        for family in text_string_to_metric_families(text)
        for ending in ENDINGS.get(family.type, ("",))
    }
    named = {name: set(METRIC.findall(expression)) for name, expression in expressions().items()}
    assert all(named.values())
    for name, metrics in named.items():
        promql_parser.parse(expressions()[name].replace("$__rate_interval", "5m"))
        assert metrics <= told, name
    page = (MONITORING.parent / "monitoring.md").read_text(encoding="utf-8")
    own = {re.sub("_(bucket|sum|count)$", "", each) for each in told if each.startswith("guidesmith_")}
    assert [each for each in own if f"`{each}" not in page] == []
    for status in (QUEUED, RUNNING, FAILED):
        assert f'guidesmith_job_status_seconds_count{{kind="image",status="{status}"}}' in scraped
    waiting = re.findall(r'status=~"([^"]+)"', expressions()["GuidesmithJobsWait"])[0].split("|")
    assert set(waiting) <= {str(each) for table in LIFECYCLES.values() for each in table.active}
    assert 'guidesmith_provider_seconds_count{host="127.0.0.1",outcome="PROVIDER_UNAVAILABLE"}' in scraped
    assert 'guidesmith_credits_posted_total{posting="capture"}' in scraped
    assert job.id not in scraped


# --- silence, and strangers ------------------------------------------------------------------------------------------


def test_given_a_prompt_then_no_history_no_log_and_no_audit_row_has_it(studio: Studio) -> None:
    canary = "canary-heliotrope-7719"
    studio.sandbox.script("images", Behaviour(status=400), Behaviour(status=500))
    jobs = [studio.ask(f"{canary} {each}") for each in ("plain", "nsfw", "flagged")]
    for job in jobs:
        studio.stack.wait_for(job, COMPLETED, REJECTED, DEAD_LETTER)
        assert canary not in studio.stack.history(job.id).to_json()
        assert all(canary not in each.model_dump_json() for each in studio.store.events(job.id, 0, 500))
    assert canary not in studio.stack.log_file.read_text()


def test_given_a_stranger_when_they_look_then_there_is_nothing(studio: Studio) -> None:
    job = studio.stack.wait_for(studio.ask("mine alone"), COMPLETED)
    with studio.api.client("stranger") as http:
        assert http.get(f"images/{job.id}").status_code == 404
        assert http.get("library").json()["items"] == []
    url = studio.image(job)["result_url"]
    assert httpx.get(url[:-4] + "AAAA").status_code == 404


def test_given_a_picture_whose_file_was_lost_when_fetched_then_404(studio: Studio) -> None:
    image = studio.image(studio.stack.wait_for(studio.ask("soon to be lost"), COMPLETED))
    (newest,) = studio.store.library(OWNER, limit=1).items
    studio.api.artifacts.delete(newest.blob.key)
    assert httpx.get(image["result_url"]).status_code == 404


def test_every_kind_has_a_status_that_a_lost_job_can_reach() -> None:
    for status in IMAGE.active:
        assert IMAGE.way(status, DEAD_LETTER, IMAGE.runner)[-1] is DEAD_LETTER
