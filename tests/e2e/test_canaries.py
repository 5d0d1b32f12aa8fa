"""Canaries: secrets, speech and prompts, fed through every route and every failure of a real stack, are sung nowhere.

One story: a recording becomes an instruction through providers that quote what they got, a worker and a handler that
crash over what they were given, documents and requests that are wrong in every way, a database that goes away. Then
the places where nothing of it may stand are read: the logs, the bodies of errors, the audit, Temporal's histories.
"""

import json
import os
import re
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from starter.access.tokens import Role, Tokens
from starter.sandbox import Behaviour, RunningSandbox, running_sandbox
from starter.sandbox.speech import SENTENCES
from tests import speech
from tests.databases import PostgresServer
from tests.e2e.conftest import MISSED_AFTER_S
from tests.e2e.test_providers import text_of
from tests.forks import fork_server
from tests.stack import OWNER, SLOWEST, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, free_port
from tests.walking import ABSENT, Operation, operations

SECRETS = {
    "GUIDESMITH_AUTH_SECRET": "canary-auth-5d0c7e1f9ab24c83b6f1-signs-tokens",
    "GUIDESMITH_CALLBACK_SECRET": "canary-callback-7be04d9912",
    "GUIDESMITH_LLM_API_KEY": "sk-canary-llm-3f1c88aa",
    "GUIDESMITH_STT_API_KEY": "sk-canary-stt-9b7e41dd",
}
DATABASE_PASSWORD = "canary-database-41f6"
COUNTER_PASSWORD = "canary-counter-c2a9"
WISH = "Write it as a canary would sing it, please."
TEXT = "canary-text-e81b of somebody's screen"
FORGED = "canary-forged.token.8842"
CRASH = "canary-crash-0b7d"
PROMPTS = ("You turn the transcript of a narrated recording", "You write one block of a written instruction again")

CANARIES = (
    *SECRETS.values(),
    *(DATABASE_PASSWORD, COUNTER_PASSWORD, WISH, TEXT, FORGED, CRASH, "somebody's screen"),
    *PROMPTS,
    *SENTENCES,
)

CORRELATION = "canary-story-0001"
QUOTED = " ".join(CANARIES)
QUOTING = {"error": {"message": QUOTED, "type": QUOTED, "code": QUOTED}}

UP_WITHIN_S = 60.0


@dataclass
class Evidence:
    """What the story left behind."""

    api_log: str = ""
    worker_log: str = ""
    refusals: list[tuple[str, int, str]] = field(default_factory=list)
    """Of each answer that is an error: the request, its status, its headers and its body."""
    audit: list[str] = field(default_factory=list)
    histories: list[str] = field(default_factory=list)
    prompts: str = ""
    job_id: str = ""
    walked: int = 0

    def note(self, answer: httpx.Response) -> httpx.Response:
        if answer.is_error:
            name = f"{answer.request.method} {answer.request.url.path}"
            self.refusals.append((name, answer.status_code, f"{dict(answer.headers)} {answer.text}"))
        return answer


@contextmanager
def running_api_process(stack: Stack, **environment: str) -> Iterator[tuple[str, Path]]:
    """The API beside ``stack``; where it answers, and its log."""
    port, log = free_port(), stack.folder / "api.log"
    values = {
        **os.environ,
        "GUIDESMITH_DATA_DIR": str(stack.settings.data_dir),
        "GUIDESMITH_DATABASE_URL": stack.settings.database_url,
        "GUIDESMITH_TASK_QUEUE_PREFIX": stack.settings.task_queue_prefix,
        "GUIDESMITH_LLM_BASE_URL": stack.settings.llm_base_url or "",
        "GUIDESMITH_LLM_MODEL": "sandbox",
        "GUIDESMITH_API_PORT": str(port),
        "GUIDESMITH_LOG_FORMAT": "json",
        "TEMPORAL_ADDRESS": stack.temporal.address,
        **environment,
    }
    process = fork_server().fork("api", values, log)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: process.poll() is not None or answers(url), UP_WITHIN_S, "the API")
        assert process.poll() is None, log.read_text()[-3000:]
        yield url, log
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30 * SLOWEST)


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def evidence(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer
) -> Iterator[Evidence]:
    """The story, told once."""
    folder, name = tmp_path_factory.mktemp("canaries"), postgres.create()
    database = postgres.url(name).replace("postgres@", f"postgres:{DATABASE_PASSWORD}@")
    secrets = {**SECRETS, "GUIDESMITH_LOG_LEVEL": "DEBUG", "CRASH_WITH": CRASH}
    with running_sandbox() as sandbox:
        provider: dict[str, Any] = {
            "stt_base_url": sandbox.base_url,
            "llm_base_url": sandbox.base_url,
            "llm_model": "sandbox",
            "database_url": database,
            "heartbeat_timeout_s": MISSED_AFTER_S,
        }
        with running_stack(folder / "stack", temporal, **provider) as stack:
            stack.start_worker(**secrets, CRASH_IN="AUDIO_EXTRACTING")
            counter = f"redis://:{COUNTER_PASSWORD}@127.0.0.1:1/0"
            with running_api_process(
                stack, **secrets, CRASH_FOR="crasher", GUIDESMITH_RATE_LIMIT_STORAGE_URL=counter
            ) as (url, log):
                story = Story(Evidence(), stack, sandbox, url, folder)
                story.tell()
                story.gather()
                postgres.drop(name)
                story.without_a_database()
            story.evidence.api_log = log.read_text()
            story.evidence.worker_log = stack.log_file.read_text()
    yield story.evidence


@dataclass
class Story:
    evidence: Evidence
    stack: Stack
    sandbox: RunningSandbox
    url: str
    folder: Path
    ids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.client = self._client(OWNER)

    def _client(self, subject: str, role: Role = Role.EDITOR) -> httpx.Client:
        token = Tokens(SECRETS["GUIDESMITH_AUTH_SECRET"]).issue(subject, role)
        return httpx.Client(base_url=f"{self.url}/api/v1/", headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def ask(self, method: str, path: str, **how: Any) -> httpx.Response:
        return self.evidence.note(self.client.request(method, path, **how))

    def tell(self) -> None:
        self.uploaded()
        self.drafted()
        self.edited()
        self.regenerated()
        self.exported()
        self.knocked()
        self.walked()

    # --- chapters ----------------------------------------------------------------------------------------------------

    def uploaded(self) -> None:
        project = self.ask("POST", "projects", json={"name": TEXT}).json()["id"]
        job = self.ask("POST", f"projects/{project}/jobs", headers={"X-Request-Id": CORRELATION}).json()["id"]
        self.ids |= {"project_id": project, "job_id": job}
        self.evidence.job_id = job
        recording = self.folder / "talk.flac"
        speech.write_flac(recording, [speech.clip("english")])
        session = self.ask("POST", f"jobs/{job}/upload", json={"filename": f"{TEXT}.flac"}).json()
        self.evidence.note(httpx.put(session["upload_url"], content=recording.read_bytes(), timeout=60))
        wrong = {"video_uri": session["video_uri"], "checksum_sha256": "0" * 64}
        assert self.ask("POST", f"jobs/{job}/confirm-upload", json=wrong).status_code == 400
        assert self.ask("POST", f"jobs/{job}/confirm-upload", json={"video_uri": session["video_uri"]}).is_success

    def drafted(self) -> None:
        """The worker crashes, the speech model is down, the chat model refuses; the built-in drafter does it."""
        job = self.ids["job_id"]
        self.sandbox.script("transcriptions", Behaviour(status=500, body=QUOTING), Behaviour(status=503, body=QUOTED))
        self.sandbox.script("chat", Behaviour(status=500, body=QUOTING), Behaviour(status=403, body=QUOTING))
        assert self.ask("POST", f"jobs/{job}/run").status_code == 202
        self.until(lambda: self.ask("GET", f"jobs/{job}").json()["status"] == "FAILED")
        retry = {"client_request_id": "again", "model_profile": "local"}
        assert self.ask("POST", f"jobs/{job}/retry", json=retry).status_code == 202
        self.until(lambda: self.ask("GET", f"jobs/{job}").json()["status"] == "DRAFT_READY")
        transcript = self.ask("GET", f"jobs/{job}/transcript").json()
        assert any(item["text"].strip() in SENTENCES for item in transcript["items"])
        self.ids["instruction_id"] = self.ask("GET", f"jobs/{job}").json()["instruction_id"]

    def edited(self) -> None:
        path = f"instructions/{self.ids['instruction_id']}"
        before = self.ask("GET", path).json()
        text = f"{before['markdown']}\n\n{TEXT} <script>{TEXT}</script>\n"
        assert self.ask("PUT", path, json={"base_version": 1, "markdown": text}).is_success
        assert self.ask("PUT", path, json={"base_version": 1, "markdown": TEXT}).status_code == 409
        for broken in (f"<!-- block:{TEXT} -->\n{TEXT}", f"# {TEXT}\n" * 3, "", f"\\u0000{TEXT}", f"```\n{TEXT}"):
            self.ask("PUT", path, json={"base_version": 2, "markdown": broken})
        self.ids["version_id"] = self.ask("GET", path).json()["instruction_version_id"]

    def regenerated(self) -> None:
        path = f"instructions/{self.ids['instruction_id']}"
        now = self.ask("GET", path).json()
        block = re.findall(r"<!-- block:(\S+) -->\n## ", now["markdown"]) or re.findall(
            r"block:(\S+) -->", now["markdown"]
        )
        for number, answer in enumerate((Behaviour(status=403, body=QUOTING), Behaviour())):
            self.sandbox.script("chat", Behaviour(status=503, body=QUOTED), answer)
            body = {
                "base_version": self.ask("GET", path).json()["version"],
                "selection": {"block_id": block[0]},
                "client_request_id": f"wish-{number}",
                "context": WISH,
            }
            task = self.ask("POST", f"{path}/regenerate", json=body).json()["id"]
            self.until(lambda task=task: self.ask("GET", f"tasks/{task}").json()["status"] in ("FAILED", "SUCCEEDED"))
            self.ids["task_id"] = task
        self.evidence.prompts = str(self.sandbox.requests("chat"))

    def exported(self) -> None:
        job = self.ids["job_id"]
        version = self.ask("GET", f"instructions/{self.ids['instruction_id']}").json()["instruction_version_id"]
        for kind in ("MD_ZIP", TEXT):
            answer = self.ask("POST", f"jobs/{job}/exports", json={"format": kind, "instruction_version_id": version})
            if answer.is_success:
                export = self.ids["export_id"] = answer.json()["id"]
                self.until(lambda export=export: self.ask("GET", f"exports/{export}").json()["status"] == "SUCCEEDED")

    def knocked(self) -> None:
        """Attempts to get in, and a handler that crashes."""
        for header in (f"Bearer {FORGED}", f"Basic {FORGED}", FORGED):
            self.evidence.note(httpx.get(f"{self.url}/api/v1/jobs", headers={"Authorization": header}))
        for secret in (FORGED, SECRETS["GUIDESMITH_CALLBACK_SECRET"]):
            status = f"{self.url}/api/v1/internal/jobs/{ABSENT}/status"
            self.evidence.note(httpx.post(status, headers={"X-Callback-Secret": secret}, json={"event_id": TEXT}))
        for place in ("uploads", "downloads"):
            self.evidence.note(httpx.get(f"{self.url}/api/v1/{place}/v1.{FORGED}"))
        with self._client("crasher") as crasher:
            assert self.evidence.note(crasher.get("projects")).status_code == 500

    def walked(self) -> None:
        """Every route, as the owner of it all, with bodies that are right, poisoned, of another shape, and broken."""
        description = httpx.get(f"{self.url}/api/v1/openapi.json").json()
        with self._client(OWNER, Role.ADMIN) as admin:
            for operation in operations(description):
                if operation.is_stream:
                    odd = admin.get(f"{self.url}{self.path(operation)}", headers={"Last-Event-ID": TEXT})
                    self.evidence.note(odd)
                    continue
                for how in bent(operation):
                    self.evidence.note(admin.request(operation.method, f"{self.url}{self.path(operation)}", **how))
                self.evidence.walked += 1

    def path(self, operation: Operation) -> str:
        ids = {name: self.ids.get(name, ABSENT) for name in operation.parameters}
        if operation.method == "DELETE" and operation.parameters in (["job_id"], ["project_id"]):
            ids = dict.fromkeys(ids, ABSENT)  # what is told of here goes on
        return operation.path(ids)

    def without_a_database(self) -> None:
        assert self.ask("GET", "projects").status_code == 503
        assert self.ask("POST", "projects", json={"name": TEXT}).status_code == 503

    # --- what is left ------------------------------------------------------------------------------------------------

    def gather(self) -> None:
        """The audit, and every history of this stack's workflows. Read before the database goes."""
        self.evidence.audit = [event.model_dump_json() for event in self.stack.store.events(self.ids["job_id"], 0, 500)]
        self.evidence.audit.append(str(self.stack.store.get_job(self.ids["job_id"]).failure))
        for workflow_id in self.stack.loop.run(self._workflows()):
            self.evidence.histories.append(text_of(self.stack.events(workflow_id)))

    async def _workflows(self) -> list[str]:
        query = f"TaskQueue = '{self.stack.settings.task_queue_prefix}-jobs'"
        return [each.id async for each in self.stack.client.list_workflows(query)]

    @staticmethod
    def until(condition: Any) -> None:
        wait_until(condition, 60, "the story to go on")


def bent(operation: Operation) -> Iterator[dict[str, Any]]:
    """Requests to an operation: right, and wrong in every way that may make a handler quote them."""
    query = operation.query()
    body = operation.body(whole=True)
    yield {"params": query, "json": body, "headers": {"Idempotency-Key": "canary"}}
    yield {"params": dict.fromkeys([*query, "status", "cursor", "limit", "version", "format"], TEXT)}
    if operation.takes_json:
        yield {"params": query, "json": poisoned(body)}
        yield {"params": query, "json": {name: {TEXT: TEXT} for name in body} if isinstance(body, dict) else TEXT}
        broken = f'{{"x": "{TEXT} {WISH}'.encode()
        yield {"params": query, "content": broken, "headers": {"Content-Type": "application/json"}}
        yield {"params": query, "content": TEXT.encode(), "headers": {"Content-Type": "text/plain"}}
        yield {"params": query, "json": body, "headers": {"Idempotency-Key": TEXT.encode()}}


def poisoned(value: Any) -> Any:
    """``value`` with a canary in place of every text."""
    if isinstance(value, str):
        return TEXT
    if isinstance(value, Mapping):
        return {name: poisoned(item) for name, item in value.items()}
    return [poisoned(item) for item in value] if isinstance(value, list) else value


def singing(text: str) -> list[str]:
    """The canaries that stand in ``text``, also as JSON writes them."""
    return [each for each in CANARIES if each in text or json.dumps(each)[1:-1] in text]


def lines(log: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.splitlines() if line.startswith("{")]


# --- what the places say ---------------------------------------------------------------------------------------------


def test_the_story_went_everywhere(evidence: Evidence) -> None:
    assert evidence.walked > 25
    assert {status for _, status, _ in evidence.refusals} >= {400, 401, 404, 409, 413, 415, 500, 503} - {413}
    assert WISH in evidence.prompts, "the wish was not passed on"
    assert any(sentence in evidence.prompts for sentence in SENTENCES)
    assert len(evidence.histories) > 2
    events = {line["event"] for line in lines(evidence.api_log) + lines(evidence.worker_log)}
    assert {"request", "request.crashed", "activity.failed", "rate_limit.storage_unavailable"} <= events
    assert any(line["level"] == "debug" for line in lines(evidence.worker_log)), "the worker does not log all it can"


def test_no_canary_sings_in_a_log(evidence: Evidence) -> None:
    for line in (evidence.api_log + evidence.worker_log).splitlines():
        assert not singing(line), line


def test_no_canary_sings_in_the_body_or_the_head_of_an_error(evidence: Evidence) -> None:
    for request, status, said in evidence.refusals:
        assert not singing(said), (request, status, said)


def test_no_canary_sings_in_a_history_of_temporals_or_in_the_audit(evidence: Evidence) -> None:
    for text in evidence.histories + evidence.audit:
        assert not singing(text), text[:2000]


def test_no_error_shows_a_path_of_a_file_or_a_stack(evidence: Evidence) -> None:
    for request, status, said in evidence.refusals:
        assert not re.search(r"Traceback|\.py\b|/tmp/|site-packages|/home/|sqlalchemy|psycopg", said), (
            request,
            status,
            said,
        )


def test_every_line_of_the_api_is_json_with_its_event_and_those_of_a_request_name_it(evidence: Evidence) -> None:
    written = [json.loads(line) for line in evidence.api_log.splitlines()]
    for line in written:
        assert {"event", "level", "ts"} <= set(line), line
    for line in written:
        if line.get("logger") in ("api", "guidesmith.jobs") and line["event"] != "api.exposed":
            assert line["request_id"], line
    requests = [line for line in written if line["event"] == "request"]
    assert len(requests) > evidence.walked


def test_the_lines_of_a_job_name_it_and_its_correlation_in_the_api_and_in_the_worker(evidence: Evidence) -> None:
    for line in lines(evidence.api_log):
        if line["event"] == "request" and line["status"] == 200 and str(line["route"]).endswith("/jobs/{job_id}"):
            assert (line["job_id"], line["correlation_id"]) == (evidence.job_id, CORRELATION), line
    failed = [line for line in lines(evidence.worker_log) if line["event"] == "activity.failed"]
    assert all({"activity", "workflow_id", "execution", "code"} <= set(line) for line in failed)
    of_the_job = [line for line in failed if line.get("job_id") == evidence.job_id]
    assert len(of_the_job) >= 4
    assert {line["correlation_id"] for line in of_the_job} == {CORRELATION}


def test_a_crash_is_logged_with_the_way_that_it_took_through_the_code(evidence: Evidence) -> None:
    (crash,) = (line for line in lines(evidence.api_log) if line["event"] == "request.crashed")
    assert "RuntimeError" in crash["exception"]
    assert "KeyError" in crash["exception"]
    assert "in list_projects" in crash["exception"]
    assert crash["request_id"]
