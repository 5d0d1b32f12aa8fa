"""The real stack for tests: Temporal, a worker process, the database and the artifact store, and the job service."""

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import psutil
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowHandle, WorkflowHistory, WorkflowQueryFailedError
from temporalio.service import RPCError

from activities.artifacts import ArtifactStore
from activities.store import Store
from domain.artifacts import ArtifactKind
from domain.documents.publication import ExportFormat
from domain.documents.tasks import Export
from domain.jobs import Event, Job
from starter.access import fetching
from starter.api import readiness
from starter.services import analyses, engine, kinds, live_runs
from starter.services.documents import DocumentService
from starter.services.jobs import JobService, RunAnswer
from starter.services.kinds import KindService
from starter.services.payloads import data_converter
from starter.settings import Settings
from starter.wiring import model_profiles, open_artifacts, open_store, run_options
from tests.databases import laid_out
from tests.forks import Forked, fork_server
from tests.temporal import TemporalServer, free_port

ROOT = Path(__file__).parent.parent
OWNER = "tester"

WORKER_SETTINGS = (
    "data_dir",
    "database_url",
    "artifacts_url",
    "task_queue_prefix",
    "heartbeat_timeout_s",
    "retry_budget",
    "s3_endpoint",
    "s3_access_key_id",
    "llm_base_url",
    "llm_model",
    "stt_base_url",
    "image_base_url",
    "image_model",
    "moderation_base_url",
    "provider_timeout_s",
    "predictions_base_url",
    "predictions_deadline_s",
    "provider_callback_url",
    "static_ad_model",
    "ugc_video_model",
    "tts_prediction_model",
    "tts_base_url",
    "scrape_allow_private",
    "speech_model",
)
"""What a stack's workers are told of its settings."""
T = TypeVar("T")

ODD = frozenset({"HOLD", "DIE_AFTER"})
"""What a worker is told that does not go on with whatever comes."""

SLOWEST = 5
"""How many times slower than a machine with two idle cores one may be, on which the tests hold: what has to be soon is
measured in ``tests/bench``."""


LONGEST_S = 160
"""How long a slow machine is waited for at most: a test says what it waited for before all of it is given up
(``timeout`` of pytest)."""


def have_patience() -> None:
    """An API of this process waits as long for what it needs, before it says that it is not there, as a slow machine
    takes for it."""
    engine.PATIENCE_S *= SLOWEST
    analyses.PLAN_WAIT_S *= SLOWEST
    live_runs.CLOSE_WAIT_S *= SLOWEST
    readiness.TIMEOUT_S *= SLOWEST
    fetching.FETCH_TIMEOUT_S *= SLOWEST


CANCEL_WAIT_S = SLOWEST * kinds.CANCEL_WAIT_S
"""How long who cancels a job waits for its end, where a worker brings that about."""


def wait_until(condition: Callable[[], T | None], within_s: float, what: str) -> T:
    """The first truthy answer of ``condition``. ``within_s``: how long that may take where nobody else computes."""
    patience_s = max(within_s, min(SLOWEST * within_s, LONGEST_S))
    deadline, pause_s = time.monotonic() + patience_s, 0.02
    while time.monotonic() < deadline:
        with contextlib.suppress(psutil.NoSuchProcess):
            if found := condition():
                return found
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.2, 0.1)  # four tests that wait at a time would else take a fifth of a core for it
    raise AssertionError(f"not within {patience_s:g} s: {what}")


class Loop:
    """An event loop in a thread, for tests that are not async themselves."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], within_s: float = 60.0) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(SLOWEST * within_s)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


def begin_upload(store: Store, job: Job, filename: str, size_bytes: int | None = None) -> str:
    """Let the job wait for a recording of this name and size. Answers the key that it is kept under. One of no size has
    expired: while it had not, it would count as the largest that may be sent, and few have room for many."""
    lasts = timedelta(hours=1 if size_bytes else 0)
    key = f"uploads/{job.id}/recording"
    store.begin_upload(
        job.owner,
        job.id,
        upload_id=job.id,
        key=key,
        filename=filename,
        size_bytes=size_bytes,
        checksum_sha256=None,
        expires_at=job.created_at + lasts,
    )
    return key


@dataclass
class Stack:
    """What a test works with. ``environment`` is laid over every worker's; ``deadly``: workers are killed here, and
    soon missed; nobody counts the events of a history."""

    folder: Path
    temporal: TemporalServer
    settings: Settings
    environment: dict[str, str] = field(default_factory=dict)
    deadly: bool = False

    def __post_init__(self) -> None:
        self.loop = Loop()
        laid_out(self.settings.database)
        self.store: Store = open_store(self.settings)
        self.store.upgrade()
        self.artifacts: ArtifactStore = open_artifacts(self.settings)
        self.client = self.loop.run(
            Client.connect(
                self.temporal.address, data_converter=data_converter(self.settings.payload_keys()), lazy=True
            )
        )
        parts = (self.store, self.artifacts, self.client, run_options(self.settings), model_profiles(self.settings))
        self.jobs = JobService(*parts)
        self.documents = DocumentService(*parts)
        self.kinds = KindService(self.store, self.client, run_options(self.settings))
        self.workers: list[Forked] = []
        self.metrics_port = 0
        self._is_odd = False

    # --- workers -------------------------------------------------------------------------------------------

    def start_worker(self, **environment: str) -> Forked:
        """A worker that has begun to work; how long that takes is not what the tests measure. One that is to die
        (``DIE_AFTER``) may have done so."""
        port = free_port()
        values = {
            **os.environ,
            **{f"GUIDESMITH_{name.upper()}": str(value) for name, value in self._settings().items()},
            "GUIDESMITH_METRICS_PORT": str(port),
            "GUIDESMITH_LOG_FORMAT": "json",
            **({"STICKY_S": "1"} if self.deadly or environment.keys() & ODD else {}),
            "TEMPORAL_ADDRESS": self.temporal.address,
            **self.environment,
            **environment,
        }
        self.metrics_port = port
        started = self._workers_started()
        process = fork_server().fork("worker", values, self.log_file)
        self.workers.append(process)
        self._is_odd |= not ODD.isdisjoint(environment)
        wait_until(lambda: self._workers_started() > started or process.poll() is not None, 90, "a worker")
        assert process.poll() is None or "DIE_AFTER" in environment, self.log_file.read_text()[-3000:]
        return process

    def _workers_started(self) -> int:
        return self.log_file.read_text().count('"worker.started"') if self.log_file.exists() else 0

    @property
    def log_file(self) -> Path:
        return self.folder / "worker.log"

    def _settings(self) -> dict[str, object]:
        return {name: value for name in WORKER_SETTINGS if (value := getattr(self.settings, name)) not in (None, "")}

    def kill_worker(self) -> None:
        """As a power cut would."""
        for process in self.workers:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.wait()
        self.workers.clear()
        self._is_odd = False

    def attend(self) -> None:
        """See that a worker is at work, at a test's start: the one before may have failed while there was none, or one
        that holds its work or is to die."""
        if self._is_odd or all(process.poll() is not None for process in self.workers):
            self.kill_worker()
            self.start_worker()

    def die(self, after: str, unless: Callable[[], bool]) -> None:
        """Have a worker die once the transaction that leads to ``after`` is committed, unless that never comes."""
        worker = self.start_worker(DIE_AFTER=after)
        wait_until(lambda: worker.poll() is not None or unless(), 60, f"a death after {after}")
        self.kill_worker()

    def stop(self) -> None:
        self.kill_worker()
        self.store.dispose()
        self.loop.close()

    # --- jobs ----------------------------------------------------------------------------------------------

    def new_job(self, recording: Path, *, stages: Mapping[str, str] | None = None, **fields: Any) -> Job:
        """A job whose recording is uploaded and confirmed."""
        project = self.store.create_project(OWNER, "tests", stages)
        job = self.store.create_job(OWNER, project.id, **fields)
        key = begin_upload(self.store, job, recording.name)
        blob = self.artifacts.put_file(key, recording, "video/mp4")
        confirmed, _ = self.store.confirm_upload(OWNER, job.id, blob, recording.name)
        return confirmed

    def run(self, job: Job) -> RunAnswer:
        return self.loop.run(self.jobs.run(OWNER, job.id))

    def job(self, job: Job) -> Job:
        return self.store.get_job(job.id)

    def wait_for(self, job: Job, *statuses: str, within_s: float = 60.0) -> Job:
        """The job once it has one of ``statuses``."""

        def reached() -> Job | None:
            now = self.store.get_job(job.id)
            return now if now.status in statuses else None

        try:
            return wait_until(reached, within_s, f"{statuses}")
        except AssertionError:
            log = self.log_file.read_text()[-3000:] if self.log_file.exists() else ""
            raise AssertionError(f"still {self.job(job)!r}, not {statuses}\n{log}") from None

    def draft(self, recording: Path, **fields: Any) -> Job:
        """A job taken to DRAFT_READY."""
        job = self.new_job(recording, **fields)
        self.run(job)
        return self.wait_for(job, "DRAFT_READY", "FAILED")

    def export(self, job: Job, export_format: ExportFormat) -> Export:
        """An export of the newest version, once it ended."""
        version = self.store.get_instruction(OWNER, self.job(job).instruction_id or "")
        export, _ = self.loop.run(self.documents.export(OWNER, job.id, export_format, version.id))

        def ended() -> Export | None:
            now = self.store.get_export(export.id)
            return now if now.status in ("SUCCEEDED", "FAILED") else None

        return wait_until(ended, 60, "the export to end")

    def audit(self, job: Job) -> list[Event]:
        """The job's audit rows, oldest first."""
        return [event for event in self.store.events(job.id, 0, 500) if event.stream != "progress"]

    def statuses(self, job: Job) -> list[str]:
        """The statuses that the job was given, in order, self transitions included."""
        return [event.new_status for event in self.audit(job) if event.new_status is not None]

    def versions_of(self, job: Job, kind: ArtifactKind) -> list[int]:
        return [artifact.version for artifact in self.store.artifacts(job.id) if artifact.kind is kind]

    # --- histories -----------------------------------------------------------------------------------------

    def history(self, workflow_id: str, run_id: str | None = None) -> WorkflowHistory:
        return self.loop.run(self.client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history())

    def events(self, workflow_id: str) -> list[HistoryEvent]:
        return list(self.history(workflow_id).events)

    def told(self, run: "WorkflowHandle[Any, Any]") -> str | None:
        """The status that a run answers with; ``None``: nobody has answered in time."""
        with contextlib.suppress(RPCError, WorkflowQueryFailedError):
            return str(self.loop.run(run.query("status")))
        return None

    def scheduled(self, job: Job) -> list[str]:
        """The stages that were scheduled, in order: what ran, and how often."""
        return [
            event.activity_task_scheduled_event_attributes.activity_type.name
            for event in self.events(job.id)
            if event.HasField("activity_task_scheduled_event_attributes")
        ]


@contextmanager
def running_stack(folder: Path, temporal: TemporalServer, *, deadly: bool = False, **settings: Any) -> Iterator[Stack]:
    """A stack without a worker yet; task queues of its own, so that stacks can share a server."""
    folder.mkdir(parents=True, exist_ok=True)
    values: dict[str, Any] = {
        "data_dir": folder,
        "task_queue_prefix": f"test-{free_port()}-{time.monotonic_ns() % 1_000_000}",
        "heartbeat_timeout_s": 3.0 if deadly else 5.0,
        "speech_model": "bundled",  # the quick ones: what is tested is what happens around them
        "screen_reading": False,  # seconds of computing a job: for the tests that are about it
        **settings,
    }
    stack = Stack(folder, temporal, Settings(**values), deadly=deadly)
    try:
        with patch.object(kinds, "CANCEL_WAIT_S", CANCEL_WAIT_S):
            yield stack
    finally:
        stack.stop()
