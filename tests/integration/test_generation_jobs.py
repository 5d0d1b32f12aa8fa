"""The generation job on the real engine, made in the worker: copy and scraped pages. What it costs, repeats, kills,
retries by an administrator, what the log says of it, and its silence about what was asked.

One Temporal, one API, one worker process, one sandbox provider and one small web site for the module.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from domain.credits import PostingKind
from domain.jobs import Event, Job
from domain.lifecycles.generation import COMPLETED, FAILED, PENDING, PROCESSING, QUEUED
from domain.orders.generation import CopyOrder
from starter.access.tokens import Role, Tokens
from starter.sandbox import Behaviour
from tests.apis import SECRET
from tests.generating import GRANT, OWNER, PRICES, Workshop, lines, running_workshop
from tests.temporal import TemporalServer

PLAIN = [(None, PENDING), (PENDING, PROCESSING), (PROCESSING, COMPLETED)]

PAGE = b"""<!doctype html><html lang="en"><head><title>Kestrels</title></head><body>
<nav><a href="/">Home</a></nav><article><h1>Kestrels of the harbour</h1>
<p>Every spring a pair of kestrels nests above the old harbour office, and people come to watch.</p></article>
<footer>Cookies</footer><script>alert("no")</script></body></html>"""


class Site(BaseHTTPRequestHandler):
    """A small web site: ``faults`` is how often it still answers 503."""

    faults = 0

    def do_GET(self) -> None:
        pages: dict[str, tuple[int, str, bytes]] = {
            "/robots.txt": (200, "text/plain", b"User-agent: *\nDisallow: /private\n"),
            "/kestrels": (200, "text/html", PAGE),
            "/private/diary": (200, "text/html", PAGE),
            "/picture": (200, "image/png", b"\x89PNG"),
            "/empty": (200, "text/html", b"<html><body><script>1</script></body></html>"),
        }
        if self.path == "/moody" and Site.faults > 0:
            Site.faults -= 1
            return self._answer(503, "text/plain", b"")
        if self.path in ("/moved", "/sneaky"):
            target = "/kestrels" if self.path == "/moved" else "/private/diary"
            return self._answer(302, "text/plain", b"", Location=target)
        return self._answer(*pages.get("/kestrels" if self.path == "/moody" else self.path, (404, "text/plain", b"")))

    def _answer(self, status: int, kind: str, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def workshop(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with running_workshop(tmp_path_factory.mktemp("workshop"), temporal, chat=True) as workshop:
        yield workshop


@pytest.fixture(autouse=True)
def _fresh(workshop: Workshop) -> Iterator[None]:
    workshop.refresh()
    yield
    workshop.settle()


def answer(*variants: str) -> Behaviour:
    """What a chat model says."""
    said = {"variants": [{"headline": each, "body": "So it is.", "call_to_action": "Look"} for each in variants]}
    return Behaviour(body={"choices": [{"message": {"content": json.dumps(said)}, "finish_reason": "stop"}]})


# --- the rows of the table -------------------------------------------------------------------------------------------


def test_given_a_prompt_when_copy_is_asked_for_then_it_is_kept_and_charged_once(workshop: Workshop) -> None:
    workshop.sandbox.script("chat", answer("A kettle", "Another kettle", "One too many"))
    job = workshop.stack.wait_for(workshop.ask("copy", prompt="a kettle", variants=2), COMPLETED)
    assert workshop.moves(job) == PLAIN
    assert workshop.postings(job) == [PostingKind.DEDUCT]
    made = workshop.answer(job)
    assert (made["type"], made["cost"], made["retry_count"]) == ("copy", PRICES["copy"], 0)
    assert made["order"] == {"prompt": "a kettle", "tone": "plain", "variants": 2}
    text = httpx.get(made["result_url"])
    assert text.headers["content-type"].startswith("text/markdown")
    assert [line for line in text.text.splitlines() if line.startswith("##")] == ["## A kettle", "## Another kettle"]
    assert (made["assets"][0]["provider"], made["assets"][0]["medium"]) == ("openai-compatible", "document")
    newest = workshop.http.get("library", params={"limit": 1}).json()["items"][0]
    assert newest["job_id"] == job.id


def test_given_a_public_page_when_scraped_then_its_text_is_kept(workshop: Workshop, site: str) -> None:
    job = workshop.stack.wait_for(workshop.ask("scrape", url=f"{site}/moved#part"), COMPLETED)
    assert workshop.moves(job) == PLAIN
    text = httpx.get(workshop.answer(job)["result_url"]).text
    assert "Every spring a pair of kestrels" in text and f"Source: {site}/kestrels" in text
    assert "Cookies" not in text and "alert" not in text


def test_given_a_text_when_nobody_else_speaks_then_the_machine_does(workshop: Workshop) -> None:
    job = workshop.stack.wait_for(workshop.ask("tts", text="Open the dashboard.", voice="en-us"), COMPLETED)
    assert workshop.moves(job) == [PLAIN[0], (PENDING, QUEUED), (QUEUED, PROCESSING), PLAIN[-1]]
    assert workshop.postings(job) == [PostingKind.DEDUCT]
    made = workshop.answer(job)
    sound = httpx.get(made["result_url"])
    assert (sound.headers["content-type"], sound.content[:4]) == ("audio/wav", b"RIFF")
    assert (made["assets"][0]["provider"], made["assets"][0]["medium"]) == ("embedded-voice", "audio")
    lost = workshop.stack.wait_for(workshop.ask("tts", text="Open it.", voice="nobody"), FAILED)
    assert lost.failure is not None and lost.failure.failure_code == "VOICE_UNAVAILABLE"
    assert workshop.postings(lost) == [PostingKind.DEDUCT, PostingKind.REFUND]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/private/diary", "ROBOTS_DISALLOWED"),
        ("/sneaky", "ROBOTS_DISALLOWED"),
        ("/missing", "PAGE_UNREADABLE"),
        ("/picture", "PAGE_UNREADABLE"),
        ("/empty", "PAGE_UNREADABLE"),
    ],
)
def test_given_a_page_that_is_not_taken_when_scraped_then_failed_at_once_and_refunded(
    workshop: Workshop, site: str, path: str, code: str
) -> None:
    job = workshop.stack.wait_for(workshop.ask("scrape", url=site + path), FAILED)
    assert workshop.moves(job) == [*PLAIN[:2], (PROCESSING, FAILED)]
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    failure = workshop.answer(job)["failure"]
    assert (failure["failure_code"], failure["failed_stage"]) == (code, "making")


def told_again(workshop: Workshop, job: Job) -> list[Event]:
    """What was done again for a fault, and not since a worker with no time to breathe was missed."""
    return [each for each in workshop.events(job, "STAGE_RETRIED") if "retry_count" in each.data]


def test_given_faults_that_pass_when_made_then_tried_three_times_at_most(workshop: Workshop, site: str) -> None:
    Site.faults = 2
    job = workshop.stack.wait_for(workshop.ask("scrape", url=f"{site}/moody"), COMPLETED)
    assert workshop.moves(job) == PLAIN
    retries = told_again(workshop, job)
    assert [(each.data["retry_count"], each.data["retry_in_s"]) for each in retries] == [(1, 2.0), (2, 4.0)]
    assert workshop.answer(job)["retry_count"] == 2
    workshop.sandbox.script("chat", Behaviour(status=503), Behaviour(hang=True), Behaviour(cut="json"), answer("late"))
    job = workshop.stack.wait_for(workshop.ask("copy", prompt="a stubborn mule"), FAILED)
    assert (workshop.sandbox.count("chat"), workshop.postings(job)) == (3, [PostingKind.DEDUCT, PostingKind.REFUND])
    assert [each.data["failure_code"] for each in told_again(workshop, job)] == [
        "PROVIDER_UNAVAILABLE",
        "PROVIDER_TIMEOUT",
    ]


def test_given_each_status_when_moved_where_its_table_does_not_lead_then_refused(
    workshop: Workshop, site: str, tmp_path: Path
) -> None:
    done = workshop.stack.wait_for(workshop.ask("copy", prompt="settled"), COMPLETED)
    lost = workshop.stack.wait_for(workshop.ask("scrape", url=f"{site}/missing"), FAILED)
    for job, status in ((done, COMPLETED), (lost, FAILED)):
        assert workshop.http.post(f"jobs/{job.id}/run").json()["code"] == "FSM_TERMINAL_IMMUTABLE"
        with capture_logs() as said:
            answered = workshop.http.post(f"jobs/{job.id}/cancel")
        assert (answered.status_code, answered.json()["code"]) == (409, "FSM_TERMINAL_IMMUTABLE")
        (denied,) = (each for each in said if each["event"] == "job.transition_denied")
        assert (denied["from_status"], denied["to_status"]) == (status, "canceled")
    assert workshop.retry(done).json()["code"] == "RETRY_NOT_ALLOWED_STATE"
    held = tmp_path / "held"
    held.touch()
    workshop.stack.kill_worker()
    pending = workshop.ask("copy", prompt="patience")
    assert workshop.retry(pending).json()["code"] == "RETRY_NOT_ALLOWED_STATE"
    workshop.stack.start_worker(HOLD=str(PROCESSING), HOLD_FILE=str(held), HOLD_AGAIN="1")
    workshop.stack.wait_for(pending, PROCESSING)
    assert workshop.retry(pending).json()["code"] == "RETRY_NOT_ALLOWED_STATE"
    held.unlink()
    workshop.stack.wait_for(pending, COMPLETED)


# --- guards ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("copy", {"prompt": "  "}, "PROMPT_REFUSED"),
        ("copy", {"prompt": "forbidden fruit"}, "PROMPT_REFUSED"),
        ("copy", {"prompt": "x", "variants": 9}, "VALIDATION_ERROR"),
        ("copy", {"prompt": "x", "unknown": 1}, "VALIDATION_ERROR"),
        ("scrape", {"url": "ftp://example.org/"}, "ADDRESS_REFUSED"),
        ("scrape", {"url": "http://user@example.org/"}, "ADDRESS_REFUSED"),
        ("tts", {"text": "x" * 4097}, "PROMPT_REFUSED"),
        ("video", {"prompt": "x", "params": {"deep": {"er": 1}}}, "VALIDATION_ERROR"),
        ("static-ad", {}, "VALIDATION_ERROR"),
    ],
)
def test_given_what_is_not_made_here_when_asked_then_400_and_no_job(
    workshop: Workshop, path: str, body: dict[str, Any], code: str
) -> None:
    with workshop.api.client(workshop.newcomer(GRANT)) as http:
        answered = http.post(f"generate/{path}", json=body)
        assert (answered.status_code, answered.json()["code"]) == (400, code)
        assert http.get("jobs").json()["items"] == []


def test_given_too_few_credits_when_asked_then_402_and_no_job(workshop: Workshop) -> None:
    owner = workshop.newcomer(PRICES["copy"] - 1)
    with workshop.api.client(owner) as http:
        answered = http.post("generate/copy", json={"prompt": "a palace", "idempotency_key": "k"})
        assert (answered.status_code, answered.json()["code"]) == (402, "INSUFFICIENT_CREDITS")
        assert answered.json()["details"] == {"balance": PRICES["copy"] - 1, "cost": PRICES["copy"]}
        assert http.get("jobs").json()["items"] == []
        workshop.store.grant(owner, 1, reason="test", actor="test", idempotency_key=f"{owner} again")
        assert http.post("generate/copy", json={"prompt": "a palace", "idempotency_key": "k"}).status_code == 202


def test_given_a_type_that_nobody_makes_when_asked_then_its_own_code_and_nothing_charged(workshop: Workshop) -> None:
    owner = workshop.newcomer(GRANT)
    with workshop.api.client(owner) as http:
        for path in ("static-ad", "video"):
            answered = http.post(f"generate/{path}", json={"prompt": "a kettle"})
            assert (answered.status_code, answered.json()["code"]) == (409, "PROVIDER_NOT_CONFIGURED")
        assert http.get("jobs").json()["items"] == []
    assert workshop.store.balance(owner).available == GRANT


# --- once ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_body", [True, False])
def test_given_twenty_requests_at_once_when_they_are_the_same_then_one_job_and_one_charge(
    workshop: Workshop, in_body: bool
) -> None:
    owner = workshop.newcomer(PRICES["copy"])
    gate = threading.Barrier(20)

    def ask(_: int) -> httpx.Response:
        with workshop.api.client(owner) as http:
            gate.wait()
            body = {"prompt": "twins", **({"idempotency_key": "once"} if in_body else {})}
            return http.post("generate/copy", json=body, headers={} if in_body else {"Idempotency-Key": "once"})

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    assert sorted(each.status_code for each in answers) == [200] * 19 + [202], answers[0].text
    assert {each.headers.get("Idempotency-Replayed") for each in answers} == {None, "true"}
    assert len({each.json()["id"] for each in answers}) == 1
    job = workshop.stack.wait_for(workshop.store.get_job(answers[0].json()["id"]), COMPLETED)
    assert workshop.store.balance(owner).balance == 0
    assert len(workshop.store.library_of_job(job.id)) == 1


def test_given_a_key_when_it_comes_again_then_the_job_is_answered_whatever_became_of_it(
    workshop: Workshop, site: str
) -> None:
    ask = partial(workshop.http.post, "generate/scrape")
    body = {"url": f"{site}/missing", "idempotency_key": "for good"}
    job = workshop.stack.wait_for(workshop.store.get_job(ask(json=body).json()["id"]), FAILED)
    before = workshop.store.balance(OWNER)
    again = ask(json=body)
    assert (again.status_code, again.json()["id"], again.json()["status"]) == (200, job.id, FAILED)
    other = ask(json={**body, "url": f"{site}/kestrels"})
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    crossed = workshop.http.post("generate/copy", json={"prompt": "x", "idempotency_key": "for good"})
    assert crossed.json()["code"] == "IDEMPOTENCY_KEY_CONFLICT"
    assert workshop.store.balance(OWNER) == before
    with workshop.api.client(workshop.newcomer(GRANT)) as stranger:
        assert stranger.post("generate/scrape", json=body).status_code == 202


# --- another attempt -------------------------------------------------------------------------------------------------


def test_given_a_failed_job_when_an_administrator_retries_it_then_charged_again_and_done(
    workshop: Workshop, site: str
) -> None:
    Site.faults = 3
    job = workshop.stack.wait_for(workshop.ask("scrape", url=f"{site}/moody"), FAILED)
    assert workshop.http.post(f"admin/jobs/{job.id}/retry").json()["code"] == "FORBIDDEN"
    again = workshop.retry(job)
    assert (again.status_code, again.json()["attempt"]) == (202, 2), again.text
    workshop.stack.wait_for(job, COMPLETED)
    assert workshop.moves(job)[2:] == [
        (PROCESSING, FAILED),
        (FAILED, PENDING),
        (PENDING, PROCESSING),
        (PROCESSING, COMPLETED),
    ]
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND, PostingKind.DEDUCT]
    assert workshop.answer(job)["retry_count"] == 0
    assert workshop.retry(job).status_code == 409


def test_given_twenty_retries_at_once_then_one_attempt_and_one_charge(workshop: Workshop, site: str) -> None:
    job = workshop.stack.wait_for(workshop.ask("scrape", url=f"{site}/missing"), FAILED)
    workshop.until_closed(job)
    workshop.stack.kill_worker()  # the new attempt stays pending
    gate = threading.Barrier(20)

    def retry(_: int) -> int:
        gate.wait()
        return workshop.retry(job).status_code

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(retry, range(20)))
    assert sorted(answers) == [202] + [409] * 19
    assert (workshop.stack.job(job).attempt, workshop.stack.job(job).status) == (2, PENDING)
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND, PostingKind.DEDUCT]
    workshop.stack.start_worker()
    workshop.stack.wait_for(job, FAILED)
    assert workshop.postings(job)[-1] == PostingKind.REFUND


def test_given_an_owner_without_credits_when_retried_then_402_and_nothing_changed(
    workshop: Workshop, site: str
) -> None:
    owner = workshop.newcomer(PRICES["scrape"])
    with workshop.api.client(owner) as http:
        job = workshop.store.get_job(http.post("generate/scrape", json={"url": f"{site}/missing"}).json()["id"])
        workshop.stack.wait_for(job, FAILED)
        spent = workshop.store.get_job(http.post("generate/scrape", json={"url": f"{site}/kestrels"}).json()["id"])
    workshop.stack.wait_for(spent, COMPLETED)
    answered = workshop.retry(job)
    assert (answered.status_code, answered.json()["code"]) == (402, "INSUFFICIENT_CREDITS")
    assert (workshop.stack.job(job).status, workshop.stack.job(job).attempt) == (FAILED, 1)


def test_given_a_job_that_is_not_there_when_retried_then_404(workshop: Workshop) -> None:
    with workshop.api.client("root", Role.ADMIN) as admin:
        assert admin.post(f"admin/jobs/{'0' * 8}-0000-7000-8000-{'0' * 12}/retry").status_code == 404


# --- kills, and what the engine lost ----------------------------------------------------------------------------------


def test_given_a_worker_that_is_killed_while_it_makes_then_one_asset_one_charge_and_no_move_twice(
    workshop: Workshop, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    held.touch()
    workshop.stack.kill_worker()
    workshop.stack.start_worker(HOLD=str(PROCESSING), HOLD_FILE=str(held), HOLD_AGAIN="1")
    job = workshop.ask("copy", prompt="a cut power line")
    workshop.stack.wait_for(job, PROCESSING)
    workshop.stack.kill_worker()
    workshop.stack.start_worker()
    _completed_once(workshop, job)


def test_given_a_worker_that_dies_with_the_result_recorded_then_nothing_is_made_or_charged_twice(
    workshop: Workshop,
) -> None:
    workshop.stack.kill_worker()
    workshop.stack.start_worker(DIE_AFTER=str(COMPLETED))
    job = workshop.stack.wait_for(workshop.ask("copy", prompt="a last breath"), COMPLETED)
    workshop.stack.kill_worker()
    workshop.stack.start_worker()
    workshop.until_closed(job)
    _completed_once(workshop, job)
    assert workshop.sandbox.count("chat") == 1


def test_given_no_worker_when_asked_then_pending_until_there_is_one(workshop: Workshop) -> None:
    workshop.stack.kill_worker()
    job = workshop.ask("copy", prompt="nobody is there")
    assert workshop.stack.job(job).status == PENDING
    workshop.stack.start_worker()
    _completed_once(workshop, job)


def test_given_a_start_that_was_lost_when_reconciled_then_the_job_runs(workshop: Workshop) -> None:
    job = workshop.lost(CopyOrder(prompt="a letter that was not posted"))
    workshop.reconcile()
    _completed_once(workshop, job)


def test_given_a_run_that_was_terminated_when_reconciled_then_failed_and_refunded(
    workshop: Workshop, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    held.touch()
    workshop.stack.kill_worker()
    workshop.stack.start_worker(HOLD=str(PROCESSING), HOLD_FILE=str(held), HOLD_AGAIN="1")
    job = workshop.stack.wait_for(workshop.ask("copy", prompt="a torn page"), PROCESSING)
    workshop.stack.loop.run(workshop.stack.client.get_workflow_handle(job.id).terminate())
    workshop.stack.kill_worker()
    workshop.reconcile()
    assert workshop.moves(job)[-1] == (PROCESSING, FAILED)
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    assert workshop.stack.job(job).failure.failure_code == "WORKFLOW_LOST"  # type: ignore[union-attr]


def test_given_a_pending_job_when_cancelled_then_refunded_and_its_run_does_nothing(workshop: Workshop) -> None:
    workshop.stack.kill_worker()
    job = workshop.ask("copy", prompt="on second thoughts")
    answered = workshop.http.post(f"jobs/{job.id}/cancel")
    assert (answered.status_code, answered.json()["status"]) == (200, "canceled")
    workshop.stack.start_worker()
    workshop.until_closed(job)
    assert workshop.moves(job) == [(None, PENDING), (PENDING, "canceled")]
    assert (workshop.postings(job)[-1], workshop.sandbox.count("chat")) == (PostingKind.REFUND, 0)


def test_given_a_job_that_is_made_when_cancelled_then_its_work_stops_and_it_is_refunded(
    workshop: Workshop, tmp_path: Path
) -> None:
    workshop.sandbox.script("chat", Behaviour(delay_ms=20_000))
    job = workshop.stack.wait_for(workshop.ask("copy", prompt="too slow"), PROCESSING)
    assert workshop.http.post(f"jobs/{job.id}/cancel").json()["status"] == "canceled"
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    assert workshop.http.get(f"jobs/{job.id}/history").json()["items"][0]["actor_type"] == "editor"
    workshop.until_closed(job)
    assert "never retrieved" not in workshop.stack.log_file.read_text()


def _completed_once(workshop: Workshop, job: Job) -> None:
    workshop.stack.wait_for(job, COMPLETED)
    assert workshop.moves(job) == PLAIN
    assert workshop.postings(job) == [PostingKind.DEDUCT]
    assert len(workshop.store.library_of_job(job.id)) == 1


# --- from the command line --------------------------------------------------------------------------------------------


def test_given_the_command_when_run_then_the_file_is_what_was_made_and_a_failure_has_its_code(
    workshop: Workshop, site: str, tmp_path: Path
) -> None:
    token = Tokens(SECRET).issue(OWNER, Role.EDITOR)
    environment = {**os.environ, "GUIDESMITH_API_URL": workshop.api.url, "GUIDESMITH_TOKEN": token}

    def command(*words: str) -> "subprocess.CompletedProcess[str]":
        call = [sys.executable, "-m", "starter.cli", "generate", *words, "--json"]
        return subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120, check=False)

    first = command("copy", "a framed print", "--key", "cli", "-o", str(tmp_path / "copy.md"))
    assert first.returncode == 0, first.stderr
    (made,) = json.loads(first.stdout)["made"]
    assert (made["status"], made["provider"]) == (COMPLETED, "openai-compatible")
    assert (tmp_path / "copy.md").stat().st_size == made["files"][0]["size_bytes"]
    again = command("copy", "a framed print", "--key", "cli", "-o", str(tmp_path))
    assert json.loads(again.stdout)["made"][0]["job_id"] == made["job_id"]
    for words, code in (
        (("scrape", f"{site}/private/diary"), "ROBOTS_DISALLOWED"),
        (("video", "a kettle", "--param", "duration=5"), "PROVIDER_NOT_CONFIGURED"),
    ):
        refused = command(*words, "-o", str(tmp_path))
        assert refused.returncode != 0
        assert code in refused.stderr + refused.stdout


# --- what the log says ------------------------------------------------------------------------------------------------


def test_given_jobs_that_end_either_way_then_each_effect_is_one_line_of_the_log(workshop: Workshop, site: str) -> None:
    with capture_logs() as asked:
        done = workshop.ask("copy", prompt="a line in the log", idempotency_key="logged")
        workshop.http.post("generate/copy", json={"prompt": "a line in the log", "idempotency_key": "logged"})
        lost = workshop.ask("scrape", url=f"{site}/missing")
    created = [(each["job_id"], each["type"], each["cost"]) for each in asked if each["event"] == "job.created"]
    assert created == [(done.id, "copy", PRICES["copy"]), (lost.id, "scrape", PRICES["scrape"])]
    for job in (done, lost):
        workshop.stack.wait_for(job, COMPLETED, FAILED)
        workshop.until_closed(job)
    log = workshop.stack.log_file.read_text()

    def said(event: str, job: Job) -> list[dict[str, Any]]:
        return [each for each in lines(log, event) if each["job_id"] == job.id]

    assert [(each["from_status"], each["to_status"]) for each in said("job.transition", done)] == PLAIN[1:]
    assert (len(said("job.completed", done)), said("job.failed", done)) == (1, [])
    (completed,) = said("job.completed", done)
    assert (completed["assets"], completed["exports"]) == (1, 0) and completed["duration_ms"] > 0
    assert completed["ts"].endswith("Z")
    (failed,) = said("job.failed", lost)
    assert (failed["error"], failed["refund"]) == ("PAGE_UNREADABLE", PRICES["scrape"])
    assert said("job.completed", lost) == []


def test_given_a_prompt_then_no_history_no_log_and_no_audit_row_has_it(workshop: Workshop, site: str) -> None:
    canary = "canary-heliotrope-8820"
    workshop.sandbox.script("chat", *[Behaviour(status=400)] * 3)  # in each of the formats that it is asked for
    refused = workshop.ask("copy", prompt=f"{canary} one", audience=canary)
    workshop.stack.wait_for(refused, FAILED)
    workshop.sandbox.script("chat", Behaviour(status=500))
    again = workshop.ask("copy", prompt=f"{canary} two")
    unread = workshop.ask("scrape", url=f"{site}/{canary}")
    for job, ends in ((refused, FAILED), (again, COMPLETED), (unread, FAILED)):
        workshop.stack.wait_for(job, ends)
        assert canary not in workshop.stack.history(job.id).to_json()
        assert all(canary not in each.model_dump_json() for each in workshop.store.events(job.id, 0, 500))
    assert canary not in workshop.stack.log_file.read_text()


def test_given_a_stranger_when_they_look_then_there_is_nothing(workshop: Workshop) -> None:
    job = workshop.stack.wait_for(workshop.ask("copy", prompt="mine alone"), COMPLETED)
    with workshop.api.client("stranger") as http:
        assert http.get(f"generations/{job.id}").status_code == 404
        assert http.post(f"jobs/{job.id}/cancel").status_code == 404
    url = workshop.answer(job)["result_url"]
    assert httpx.get(url[:-4] + "AAAA").status_code == 404
