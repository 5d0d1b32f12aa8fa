"""Providers that misbehave, over real HTTP: retried or failed as the taxonomy says, and nothing secret leaves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson
from temporalio.api.history.v1 import HistoryEvent

from domain.artifacts import ArtifactKind
from domain.documents.document import parse
from domain.documents.tasks import RegenerateTask
from domain.jobs import Event, Job
from domain.recordings.transcript import Transcript
from starter.sandbox import Behaviour, Cut, RunningSandbox, running_sandbox
from starter.sandbox.speech import SENTENCES
from starter.services.documents import RegenerateRequest
from tests import speech
from tests.e2e.conftest import MISSED_AFTER_S
from tests.e2e.test_budget import payloads
from tests.e2e.test_faults import started_executions
from tests.stack import OWNER, Stack, running_stack, wait_until
from tests.temporal import TemporalServer

TIMEOUT_S, PATIENT_S = 6.0, 120.0
"""How long the stack waits for a provider that says nothing, and for all others: their requests end by being answered,
cancelled or not at all, and a busy machine may take seconds for an answer."""


LLM_KEY = "sk-canary-3f1c-of-the-chat-model"
STT_KEY = "sk-canary-9b7e-of-the-speech-model"
WISH = "Write it as a canary would sing it, please."
PROMPT = ("You turn the transcript of a narrated recording", "You write one block of a written instruction again")

STAGES = {"transcriptions": ("transcription", "TRANSCRIBING"), "chat": ("draft", "GENERATING")}
"""By the sandbox's route: the stage that asks it, and the status meanwhile."""

RETRY_AFTER_S = 2
PASSING = {
    "busy": Behaviour(status=429, retry_after=RETRY_AFTER_S),
    "fault": Behaviour(status=500),
    "overloaded": Behaviour(status=503, retry_after=1),
    "no answer": Behaviour(hang=True),
    "cut JSON": Behaviour(cut=Cut.JSON),
    "cut connection": Behaviour(cut=Cut.CONNECTION),
}
REASONS = {
    "busy": "PROVIDER_RATE_LIMITED",
    "fault": "PROVIDER_UNAVAILABLE",
    "overloaded": "PROVIDER_UNAVAILABLE",
    "no answer": "PROVIDER_TIMEOUT",
    "cut JSON": "PROVIDER_ANSWER_INVALID",
    "cut connection": "PROVIDER_UNAVAILABLE",
}
"""What the history says of a second try: how the first one ended."""
FINAL = {
    "key refused": (Behaviour(status=401), "PROVIDER_ACCESS_DENIED"),
    "key not permitted": (Behaviour(status=403), "PROVIDER_ACCESS_DENIED"),
    "no credit": (Behaviour(status=429, code="insufficient_quota", retry_after=1), "PROVIDER_ACCESS_DENIED"),
    "too large": (Behaviour(status=413, times=50), "PROVIDER_REQUEST_TOO_LARGE"),
    "no such model": (Behaviour(status=404), "PROVIDER_REQUEST_REFUSED"),
}


def answering(content: str) -> Behaviour:
    """A chat model's answer."""
    return Behaviour(status=200, body={"choices": [{"message": {"role": "assistant", "content": content}}]})


UNUSABLE = {
    "prose": answering("I would rather talk about whales."),
    "a lie": answering(
        '{"title": "Whales", "title_segments": [], "lead": "", "lead_segments": [], "blocks": '
        '[{"kind": "step", "heading": "Feed the whale", "body": "", "segments": [77]}]}'
    ),
}


@dataclass
class Desk:
    """A stack whose speech and drafts come from the sandbox."""

    stack: Stack
    sandbox: RunningSandbox
    folder: Path
    jobs: list[Job] = field(default_factory=list)
    tasks: list[RegenerateTask] = field(default_factory=list)

    def begin(self) -> Job:
        """A job of its own recording: no other job's transcript can stand in for its request."""
        pause_ms = 100 * (len(self.jobs) + 1)
        recording = self.folder / f"talk-{pause_ms}.flac"
        speech.write_flac(recording, [speech.silence(pause_ms), speech.clip("english")])
        job = self.stack.new_job(recording)
        self.jobs.append(job)
        self.stack.run(job)
        return job

    def run(self) -> Job:
        return self.stack.wait_for(self.begin(), "DRAFT_READY", "FAILED")

    def ask_again(self, job: Job, wish: str | None = WISH) -> RegenerateTask:
        """A regeneration of the first step, under way."""
        version = self.stack.store.get_instruction(OWNER, job.instruction_id or "")
        step = next(block for block in parse(version.markdown).blocks if block.markdown.startswith("## "))
        request = RegenerateRequest(
            version.version, {"block_id": step.id}, f"again-{len(self.tasks)}-{job.id}", context=wish
        )
        task, _ = self.stack.loop.run(self.stack.documents.regenerate(OWNER, job.instruction_id or "", request))
        self.tasks.append(task)
        return task

    def regenerate(self, job: Job, wish: str | None = WISH) -> RegenerateTask:
        task = self.ask_again(job, wish)

        def ended() -> RegenerateTask | None:
            now = self.stack.store.get_regenerate(task.id)
            return now if now.status in ("SUCCEEDED", "FAILED") else None

        return wait_until(ended, 30, "the regeneration to end")

    def retries(self, job: Job) -> list[Event]:
        return [event for event in self.stack.audit(job) if event.event_type == "STAGE_RETRIED"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    with running_sandbox() as running:
        yield running


@pytest.fixture(scope="module")
def impatient(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory, sandbox: RunningSandbox
) -> Iterator[Desk]:
    with open_desk(tmp_path_factory.mktemp("providers"), temporal, sandbox, TIMEOUT_S) as desk:
        yield desk


@pytest.fixture(scope="module")
def patient(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory, sandbox: RunningSandbox
) -> Iterator[Desk]:
    with open_desk(tmp_path_factory.mktemp("patient"), temporal, sandbox, PATIENT_S) as desk:
        yield desk


@contextmanager
def open_desk(
    folder: Path, temporal: TemporalServer, sandbox: RunningSandbox, provider_timeout_s: float
) -> Iterator[Desk]:
    provider: dict[str, Any] = {
        "stt_base_url": sandbox.base_url,
        "llm_base_url": sandbox.base_url,
        "llm_model": "sandbox",
        "provider_timeout_s": provider_timeout_s,
        "heartbeat_timeout_s": MISSED_AFTER_S,
    }
    with running_stack(folder / "stack", temporal, **provider) as stack:
        stack.start_worker(GUIDESMITH_LLM_API_KEY=LLM_KEY, GUIDESMITH_STT_API_KEY=STT_KEY, GUIDESMITH_LOG_LEVEL="DEBUG")
        yield Desk(stack, sandbox, folder)


@pytest.fixture
def desk(request: pytest.FixtureRequest, sandbox: RunningSandbox) -> Desk:
    sandbox.reset()
    bent = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    found: Desk = request.getfixturevalue("impatient" if bent.get("fault") == "no answer" else "patient")
    return found


# --- faults that pass ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", STAGES)
@pytest.mark.parametrize("fault", PASSING)
def test_given_a_fault_that_passes_then_the_stage_is_retried_once_and_the_job_goes_on(
    desk: Desk, route: str, fault: str
) -> None:
    desk.sandbox.script(route, PASSING[fault])
    job = desk.run()
    stage, status = STAGES[route]

    assert job.status == "DRAFT_READY"
    (retried,) = desk.retries(job)
    assert (retried.prev_status, retried.new_status, retried.execution) == (status, status, 2)
    assert retried.data["failure_code"] == REASONS[fault]
    executions = started_executions(desk.stack, job.id)
    assert executions.pop(stage) == 2
    assert set(executions.values()) == {1}, "another stage was tried again, too"
    assert desk.sandbox.count(route) == 2
    assert all(request["authorized"] for request in desk.sandbox.requests(route))
    assert_drafted_by_the_model(desk, job)


@pytest.mark.parametrize("route", STAGES)
def test_given_a_busy_provider_then_it_is_not_asked_before_it_wants_to(desk: Desk, route: str) -> None:
    desk.sandbox.script(route, Behaviour(status=429, retry_after=RETRY_AFTER_S, times=2))
    job = desk.run()
    _, status = STAGES[route]

    assert job.status == "DRAFT_READY"
    begun = [event.occurred_at for event in desk.stack.audit(job) if event.new_status == status]
    assert len(begun) == 3
    for before, after in pairwise(begun):
        assert (after - before).total_seconds() >= RETRY_AFTER_S


def assert_drafted_by_the_model(desk: Desk, job: Job) -> None:
    version = desk.stack.store.get_instruction(OWNER, job.instruction_id or "")
    assert (version.model_profile_id, version.warnings) == ("llm", ())


# --- faults that stay ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", STAGES)
@pytest.mark.parametrize("fault", FINAL)
def test_given_a_fault_that_stays_then_the_job_fails_at_once_with_its_code(desk: Desk, route: str, fault: str) -> None:
    behaviour, code = FINAL[fault]
    desk.sandbox.script(route, behaviour)
    job = desk.run()
    stage, _ = STAGES[route]

    assert job.status == "FAILED" and job.failure is not None
    assert (job.failure.failure_code, job.failure.failed_stage) == (code, stage)
    assert desk.retries(job) == []
    assert started_executions(desk.stack, job.id)[stage] == 1


def test_given_a_speech_provider_that_takes_less_at_once_then_it_gets_parts(desk: Desk) -> None:
    desk.sandbox.script("transcriptions", Behaviour(status=413))
    job = desk.run()
    assert job.status == "DRAFT_READY"
    assert desk.retries(job) == []
    assert desk.sandbox.count("transcriptions") == 3


def test_given_a_mended_key_then_a_retry_goes_on_from_the_transcript(desk: Desk) -> None:
    desk.sandbox.script("chat", Behaviour(status=401))
    job = desk.run()
    answer = desk.stack.loop.run(
        desk.stack.jobs.retry(OWNER, job.id, model_profile=None, client_request_id="key-mended")
    )
    assert answer.resume_from_status == "TRANSCRIPT_READY"
    desk.stack.wait_for(job, "DRAFT_READY")
    assert desk.sandbox.count("transcriptions") == 1


# --- answers of no use ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", UNUSABLE)
def test_given_an_unusable_draft_once_then_the_model_is_asked_to_mend_it(desk: Desk, answer: str) -> None:
    desk.sandbox.script("chat", UNUSABLE[answer])
    job = desk.run()
    assert_drafted_by_the_model(desk, job)
    assert desk.sandbox.count("chat") == 2
    assert desk.retries(job) == []


@pytest.mark.parametrize("answer", UNUSABLE)
def test_given_an_unusable_draft_twice_then_the_built_in_drafter_takes_over_with_a_warning(
    desk: Desk, answer: str
) -> None:
    desk.sandbox.script("chat", UNUSABLE[answer], UNUSABLE[answer])
    job = desk.run()
    version = desk.stack.store.get_instruction(OWNER, job.instruction_id or "")
    assert job.status == "DRAFT_READY"
    assert version.model_profile_id == "local"
    assert [warning["code"] for warning in version.warnings] == ["MODEL_ANSWER_UNUSABLE"]
    assert "hale" not in version.markdown
    assert desk.sandbox.count("chat") == 2
    assert desk.retries(job) == []


# --- regenerations -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["busy", "no answer", "cut JSON"])
def test_given_a_fault_that_passes_then_a_regeneration_is_tried_again(desk: Desk, fault: str) -> None:
    job = desk.run()
    desk.sandbox.script("chat", PASSING[fault])
    task = desk.regenerate(job)
    assert task.status == "SUCCEEDED"
    assert desk.sandbox.count("chat") == 1 + 2
    assert_drafted_by_the_model(desk, job)


def test_given_a_fault_that_stays_then_a_regeneration_fails_and_the_job_stays_editable(desk: Desk) -> None:
    job = desk.run()
    desk.sandbox.script("chat", Behaviour(status=401))
    task = desk.regenerate(job)
    assert task.status == "FAILED" and task.failure is not None
    assert task.failure.failure_code == "PROVIDER_ACCESS_DENIED"
    assert desk.stack.wait_for(job, "EDITING").instruction_id is not None
    assert desk.stack.store.get_instruction(OWNER, job.instruction_id or "").version == 1
    assert desk.regenerate(job).status == "SUCCEEDED"


def test_given_an_unusable_answer_twice_then_a_regeneration_falls_back_with_a_warning(desk: Desk) -> None:
    job = desk.run()
    instruction_id = job.instruction_id or ""
    drafted = desk.stack.store.get_instruction(OWNER, instruction_id)
    spoilt = drafted.markdown.replace("## ", "## Do not ", 1)
    desk.stack.loop.run(desk.stack.documents.save(OWNER, instruction_id, drafted.version, spoilt))
    desk.sandbox.script("chat", UNUSABLE["prose"], UNUSABLE["prose"])
    assert desk.regenerate(job, wish=None).status == "SUCCEEDED"
    version = desk.stack.store.get_instruction(OWNER, instruction_id)
    assert "Do not" not in version.markdown
    assert (version.version, version.model_profile_id) == (3, "local")
    assert [warning["code"] for warning in version.warnings] == ["MODEL_ANSWER_UNUSABLE"]


# --- cancelled while a provider says nothing -----------------------------------------------------------------------


@pytest.mark.parametrize("route", STAGES)
def test_given_a_provider_that_says_nothing_when_cancelled_then_the_request_is_dropped(desk: Desk, route: str) -> None:
    desk.sandbox.script(route, Behaviour(hang=True, times=2))
    job = desk.begin()
    wait_until(lambda: desk.sandbox.count(route) >= 1, 30, "the request")
    cancelled = desk.stack.loop.run(desk.stack.kinds.cancel(OWNER, job.id))
    assert cancelled.status == "CANCELLED"
    history = desk.stack.events(job.id)
    assert any(event.HasField("activity_task_canceled_event_attributes") for event in history), "the work went on"
    assert desk.sandbox.count(route) == 1


def test_given_a_regeneration_that_hangs_when_the_job_is_cancelled_then_both_end(desk: Desk) -> None:
    job = desk.run()
    desk.sandbox.script("chat", Behaviour(hang=True, times=2))
    task = desk.ask_again(job)
    wait_until(lambda: desk.sandbox.count("chat") >= 2, 30, "the request")
    cancelled = desk.stack.loop.run(desk.stack.kinds.cancel(OWNER, job.id))
    assert cancelled.status == "CANCELLED"
    wait_until(lambda: desk.stack.store.get_regenerate(task.id).status == "FAILED", 60, "the task to end")


# --- nothing secret leaves -----------------------------------------------------------------------------------------


def test_given_providers_that_quote_what_they_got_then_no_key_prompt_or_transcript_is_logged_or_kept(
    desk: Desk,
) -> None:
    quoted = f"{LLM_KEY} {STT_KEY} {WISH} {' '.join(PROMPT)} {' '.join(SENTENCES)}"
    quoting = {"error": {"message": quoted, "type": quoted, "code": quoted}}
    desk.sandbox.script("chat", Behaviour(status=500, body=quoting))
    drafted = desk.run()
    desk.sandbox.script("chat", Behaviour(status=503, body=quoted), Behaviour(status=403, body=quoting))
    assert desk.regenerate(drafted).status == "FAILED"
    assert desk.regenerate(drafted).status == "SUCCEEDED"
    desk.sandbox.script("transcriptions", Behaviour(status=400, body=quoting, times=2))
    assert desk.run().status == "FAILED"
    desk.sandbox.script("chat", answering(quoted), answering(quoted))
    assert desk.run().status == "DRAFT_READY"
    assert any(WISH in str(request["body"]) for request in desk.sandbox.requests("chat")), "the wish was not passed on"

    assert said_in(desk)
    secrets = (LLM_KEY, STT_KEY, WISH, *PROMPT, *SENTENCES, *said_in(desk))
    for place, text in places(desk):
        for secret in secrets:
            assert secret not in text, f"{secret[:12]}... stands in {place}"


def said_in(desk: Desk) -> set[str]:
    """What was said in any of the recordings."""
    said = set()
    for job in desk.jobs:
        artifact = desk.stack.store.latest_artifact(job.id, ArtifactKind.TRANSCRIPT)
        if artifact is not None:
            transcript = Transcript.model_validate_json(desk.stack.artifacts.read_bytes(artifact.blob))
            said |= {segment.text.strip() for segment in transcript.segments}
    return said


def places(desk: Desk) -> Iterator[tuple[str, str]]:
    """Where nothing of it may stand: the worker's log, the log of every job and task, and their histories."""
    log = desk.stack.log_file.read_text()
    assert '"level": "debug"' in log, "the worker does not log all it can"
    yield "the worker's log", log
    for job in desk.jobs:
        row = desk.stack.job(job)
        yield "a job's failure", str(row.failure)
        for event in desk.stack.store.events(job.id, 0, 500):
            yield "an audit row", event.model_dump_json()
        yield "a job's history", text_of(desk.stack.events(job.id))
    for task in desk.tasks:
        yield "a task's failure", str(desk.stack.store.get_regenerate(task.id).failure)
        yield "a task's history", text_of(desk.stack.events(f"regenerate-{task.id}"))


def text_of(events: list[HistoryEvent]) -> str:
    contents = [payload.data.decode(errors="replace") for event in events for payload in payloads(event)]
    return " ".join([*(MessageToJson(event) for event in events), *contents])
