"""Stages that a runner outside does, on a real Temporal and worker: driven, failed, late, cancelled, retried."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from temporalio.client import WorkflowExecutionStatus

from activities.upkeep.reconciling import Reconciler
from domain.artifacts import ArtifactKind
from domain.documents.document import parse
from domain.jobs import Job
from domain.lifecycles.callbacks import Callback
from domain.recordings.transcript import Segment, SpeechFound, Transcript
from starter.api.callbacks.shapes import NewCallback
from starter.services import live_runs
from starter.wiring import run_options
from tests import recordings
from tests.apis import SECRET, RunningApi, running_api, wait_ready
from tests.stack import OWNER, Stack, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

RUNNER = "runner-" + "5" * 40
EVENTS = count()

SPOKEN = Transcript(
    speech=SpeechFound.SPEECH,
    language="en",
    duration_ms=6_000,
    model="a runner of ours",
    segments=(
        Segment(id=0, start_ms=0, end_ms=2_500, text="First open the settings and choose the language."),
        Segment(id=1, start_ms=2_500, end_ms=5_500, text="Then click Save and wait for the message."),
    ),
)
TITLE: dict[str, Any] = {"role": "title", "heading": "Choose a language"}
DRAFT = {
    "blocks": [
        TITLE,
        {"role": "step", "heading": "Open the settings", "body": "Choose **Settings**.", "segments": [0]},
        {"role": "step", "heading": "Save", "body": "Click **Save**.", "segments": [1]},
    ],
    "language": "en",
    "provenance": {"model_profile_id": "our-drafter", "prompt_template_id": "ours/1"},
}


@dataclass
class Desk:
    """A stack with an API, and the runner that reports to it."""

    stack: Stack
    api: RunningApi
    folder: Path

    def start(self, *stages: str, recording: Path | None = None, model_profile: str = "local") -> Job:
        """A job whose ``stages`` are done outside, running."""
        external = dict.fromkeys(stages, "external")
        film = recording or recordings.mp4(self.folder)
        job = self.stack.new_job(film, stages=external, model_profile=model_profile)
        self.stack.run(job)
        return job

    @contextmanager
    def running_with(self, **options: Any) -> Iterator[None]:
        """Runs that are started in the block have other options."""
        usual = self.stack.jobs._options
        self.stack.jobs._options = usual.model_copy(update=options)
        try:
            yield
        finally:
            self.stack.jobs._options = usual

    def put(self, job: Job, name: str, content: Any) -> str:
        """What the runner made, in the artifact store; its URI."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        key = f"external/{job.id}/{name}"
        self.stack.artifacts.put_bytes(key, data, "application/octet-stream")
        return self.stack.artifacts.uri(key)

    def put_transcript(self, job: Job) -> str:
        return self.put(job, "transcript.json", SPOKEN.model_dump_json().encode())

    def event(self, status: str, **fields: Any) -> dict[str, Any]:
        return {
            "event_id": f"e-{next(EVENTS)}",
            "status": status,
            "occurred_at": datetime.now(UTC).isoformat(),
            "correlation_id": "c-1",
        } | fields

    def send(self, job: Job, body: dict[str, Any]) -> int:
        url = f"{self.api.url}/api/v1/internal/jobs/{job.id}/status"
        return httpx.post(url, json=body, headers={"X-Callback-Secret": RUNNER}, timeout=60).status_code

    def report(self, job: Job, status: str, **uris: str) -> None:
        """The runner reports; it must be taken."""
        assert self.send(job, self.event(status, artifact_updates=uris)) == 204

    def failure_code(self, job: Job) -> str | None:
        failed = self.stack.wait_for(job, "FAILED")
        assert failed.failure is not None
        return failed.failure.failure_code

    def closed(self, job: Job) -> WorkflowExecutionStatus:
        """How the job's run ended."""
        handle = self.stack.client.get_workflow_handle(job.id)

        def status() -> WorkflowExecutionStatus | None:
            now = self.stack.loop.run(handle.describe()).status
            return now if now is not WorkflowExecutionStatus.RUNNING else None

        return wait_until(status, 30, "the run to end")

    def retry(self, job: Job) -> str:
        return self.stack.loop.run(
            self.stack.jobs.retry(OWNER, job.id, model_profile=None, client_request_id=f"r-{next(EVENTS)}")
        ).resume_from_status

    def has_document(self, job: Job) -> Job:
        """The job at DRAFT_READY, once its document is there."""

        def drafted() -> Job | None:
            now = self.stack.job(job)
            assert now.status != "FAILED", now.failure
            return now if now.status == "DRAFT_READY" and now.instruction_id and now.progress == 100 else None

        return wait_until(drafted, 60, "the document")

    def markdown(self, job: Job) -> str:
        return self.stack.store.get_instruction(OWNER, self.stack.job(job).instruction_id or "").markdown


DEAD = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "none"}
"""A model endpoint for the profile ``llm`` that nobody serves."""


@contextmanager
def desk_in(folder: Path, temporal: TemporalServer) -> Iterator[Desk]:
    values = {"callback_secret": SecretStr(RUNNER), "auth_secret": SecretStr(SECRET), "api_port": free_port(), **DEAD}
    values["heartbeat_timeout_s"] = 10.0  # nobody dies in a stage here: none is tried again on a machine that is slow
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_stack(folder, temporal, deadly=True, **values) as stack, running_api(stack.settings) as api:
            wait_ready(api)
            yield Desk(stack, api, folder)


@pytest.fixture(scope="module")
def desk(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """With one worker that nobody kills."""
    with desk_in(tmp_path_factory.mktemp("desk"), temporal) as desk:
        desk.stack.start_worker()
        yield desk


@dataclass
class Unattended:
    """What was reported while there was no worker; there is one now. ``retried``: what a retry was answered then."""

    desk: Desk
    ahead: Job
    statuses: list[str]
    failed: Job
    retried: httpx.Response


@pytest.fixture(scope="module")
def unattended(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Unattended]:
    with desk_in(tmp_path_factory.mktemp("unattended"), temporal) as desk:
        ahead = desk.start("audio", "transcription", "draft")
        for status, uris in (
            ("AUDIO_EXTRACTING", {}),
            ("AUDIO_READY", {}),
            ("TRANSCRIBING", {}),
            ("TRANSCRIPT_READY", {"transcript_uri": desk.put_transcript(ahead)}),
            ("GENERATING", {}),
            ("DRAFT_READY", {"draft_uri": desk.put(ahead, "draft.json", DRAFT)}),
        ):
            desk.report(ahead, status, **uris)
        failed = desk.start("audio")
        assert desk.send(failed, desk.event("FAILED")) == 204
        with desk.api.client(OWNER) as client, pytest.MonkeyPatch.context() as patch:
            patch.setattr(live_runs, "CLOSE_WAIT_S", 0.5)  # nobody is there who could end it
            retried = client.post(f"jobs/{failed.id}/retry", json={"client_request_id": "r-1"})
        statuses = desk.stack.statuses(ahead)
        desk.stack.start_worker()
        yield Unattended(desk, ahead, statuses, failed, retried)


# --- driven from outside -----------------------------------------------------------------------------------------


def test_given_a_transcription_outside_when_it_is_reported_then_the_job_goes_on_to_its_draft(desk: Desk) -> None:
    job = desk.start("transcription")
    desk.stack.wait_for(job, "TRANSCRIBING")
    uri = desk.put_transcript(job)
    body = desk.event("TRANSCRIPT_READY", artifact_updates={"transcript_uri": uri})
    with ThreadPoolExecutor(20) as pool:
        answers = sorted(pool.map(lambda _: desk.send(job, body), range(20)))
    assert answers == [200] * 19 + [204]
    desk.has_document(job)
    assert [status for status in desk.stack.statuses(job) if status != "UPLOADING"] == [
        "CREATED",
        "UPLOADED",
        "AUDIO_EXTRACTING",
        "AUDIO_READY",
        "TRANSCRIBING",
        "TRANSCRIPT_READY",
        "GENERATING",
        "DRAFT_READY",
    ]
    assert desk.stack.scheduled(job) == ["audio", "adopt-transcription", "draft", "illustration"]
    transcript = desk.stack.store.latest_artifact(job.id, ArtifactKind.TRANSCRIPT)
    assert transcript is not None and desk.stack.artifacts.uri(transcript.blob.key) == uri
    assert "language" in desk.markdown(job)


def test_given_every_stage_outside_when_all_are_reported_then_the_document_is_the_runners(desk: Desk) -> None:
    job = desk.start("audio", "transcription", "draft")
    desk.stack.wait_for(job, "AUDIO_EXTRACTING")
    desk.report(job, "AUDIO_READY", audio_uri="s3://somewhere-else/audio.opus")
    desk.stack.wait_for(job, "TRANSCRIBING")
    desk.report(job, "TRANSCRIBING")
    desk.report(job, "TRANSCRIPT_READY", transcript_uri=desk.put_transcript(job))
    desk.stack.wait_for(job, "GENERATING")
    desk.report(job, "DRAFT_READY", draft_uri=desk.put(job, "draft.json", DRAFT))
    desk.has_document(job)
    version = desk.stack.store.get_instruction(OWNER, desk.stack.job(job).instruction_id or "")
    assert [block.markdown.splitlines()[0] for block in parse(version.markdown).blocks] == [
        "# Choose a language",
        "## Open the settings",
        "## Save",
    ]
    assert (version.version, version.model_profile_id, version.prompt_template_id) == (1, "our-drafter", "ours/1")
    assert [each["start_ms"] for each in version.evidence] == [None, 0, 2500]
    assert len(desk.stack.store.screenshots_for(version.id)) == 2
    assert job.id not in desk.stack.store.untold_edits(), "a runner's draft is nobody's edit"
    with desk.api.client(OWNER) as client:
        manifest = client.get(f"jobs/{job.id}").json()["manifest"]
    assert manifest["audio_uri"] == "s3://somewhere-else/audio.opus"
    assert manifest["draft_uri"].endswith(f"external/{job.id}/draft.json")


def test_given_the_audio_outside_when_it_lies_in_the_store_by_its_own_url_then_we_transcribe_it(desk: Desk) -> None:
    job = desk.start("audio")
    desk.stack.wait_for(job, "AUDIO_EXTRACTING")
    desk.put(job, "audio.ogg", recordings.ogg(desk.folder).read_bytes())
    root = desk.stack.settings.artifacts
    desk.report(job, "AUDIO_READY", audio_uri=f"{root}/external/{job.id}/audio.ogg")
    desk.has_document(job)
    audio = desk.stack.store.latest_artifact(job.id, ArtifactKind.AUDIO)
    assert audio is not None and audio.facts["has_video"] is True and audio.facts["pieces"] == 1
    assert desk.stack.scheduled(job) == ["adopt-audio", "transcription", "draft", "illustration"]


def test_given_a_recording_without_sound_when_the_runner_says_so_then_the_draft_is_made_of_its_screens(
    desk: Desk,
) -> None:
    job = desk.start("audio", recording=recordings.mp4_without_sound(desk.folder))
    desk.stack.wait_for(job, "AUDIO_EXTRACTING")
    desk.report(job, "AUDIO_READY", audio_uri=desk.put(job, "audio.json", {"audio": None}))
    desk.has_document(job)


# --- failed, late, cancelled -------------------------------------------------------------------------------------


def test_given_a_runner_that_fails_when_retried_then_the_stage_is_asked_for_again(desk: Desk) -> None:
    job = desk.start("transcription")
    desk.stack.wait_for(job, "TRANSCRIBING")
    first = desk.stack.job(job).dispatch_id
    half_done = {"transcript_uri": desk.put_transcript(job)}  # not called done: no checkpoint
    failed = desk.event("FAILED", failure_code="GPU_LOST", failure_message="No GPU left.", artifact_updates=half_done)
    assert desk.send(job, failed) == 204
    assert desk.failure_code(job) == "GPU_LOST"
    assert desk.retry(job) == "AUDIO_READY"
    desk.stack.wait_for(job, "TRANSCRIBING")
    late = desk.event("TRANSCRIPT_READY", dispatch_id=first)
    assert desk.send(job, late) == 409
    assert desk.send(job, failed) == 200
    desk.report(job, "TRANSCRIPT_READY", transcript_uri=desk.put_transcript(job))
    desk.has_document(job)
    assert desk.stack.statuses(job).count("FAILED") == 1
    assert "No GPU left." not in str(desk.stack.history(job.id).to_json())


def test_given_nobody_who_reports_when_the_deadline_is_over_then_the_job_fails(desk: Desk) -> None:
    with desk.running_with(external_timeout_s=1.0):
        job = desk.start("audio")
    assert desk.failure_code(job) == "STAGE_DEADLINE_EXCEEDED"
    failure = desk.stack.job(job).failure
    assert failure is not None and failure.failed_stage == "audio"
    assert desk.closed(job) is WorkflowExecutionStatus.FAILED
    assert desk.stack.statuses(job)[-2:] == ["AUDIO_EXTRACTING", "FAILED"]
    assert desk.send(job, desk.event("AUDIO_READY")) == 409


def test_given_a_job_that_waits_when_cancelled_then_it_is_and_takes_no_callback(desk: Desk) -> None:
    job = desk.start("transcription")
    desk.stack.wait_for(job, "TRANSCRIBING")
    with desk.api.client(OWNER) as client:
        assert client.post(f"jobs/{job.id}/cancel").json()["status"] == "CANCELLED"
    assert desk.closed(job) is WorkflowExecutionStatus.COMPLETED
    assert desk.send(job, desk.event("TRANSCRIPT_READY")) == 409


# --- what cannot be used -----------------------------------------------------------------------------------------

UNUSABLE: dict[str, tuple[Sequence[str], Any, str]] = {
    "elsewhere": (["transcription"], "https://127.0.0.1:9/t.json", "EXTERNAL_ARTIFACT_UNREACHABLE"),
    "a file of the machine": (["transcription"], "file:///etc/passwd", "EXTERNAL_ARTIFACT_UNREACHABLE"),
    "not there": (["transcription"], "artifact://external/nothing.json", "EXTERNAL_ARTIFACT_UNREACHABLE"),
    "no name of ours": (["transcription"], "artifact://external/a;b.json", "EXTERNAL_ARTIFACT_INVALID"),
    "nothing": (["transcription"], None, "EXTERNAL_ARTIFACT_UNREACHABLE"),
    "no transcript": (["transcription"], {"text": "hello"}, "EXTERNAL_ARTIFACT_INVALID"),
    "times that run backwards": (
        ["transcription"],
        SPOKEN.model_dump(mode="json")
        | {"segments": [{"id": 0, "start_ms": 9, "end_ms": 3, "text": "a secret sentence"}]},
        "EXTERNAL_ARTIFACT_INVALID",
    ),
    "numbers in quotes": (
        ["transcription"],
        SPOKEN.model_dump(mode="json") | {"duration_ms": "6000"},
        "EXTERNAL_ARTIFACT_INVALID",
    ),
    "no json": (["transcription"], b"\xff\xfe", "EXTERNAL_ARTIFACT_INVALID"),
    "no sound": (["audio"], b"not a sound file, but long enough to be looked at " * 9, "EXTERNAL_ARTIFACT_INVALID"),
    "a playlist": (["audio"], b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n" * 9, "EXTERNAL_ARTIFACT_INVALID"),
}
STATUSES = {"audio": ("AUDIO_EXTRACTING", "AUDIO_READY"), "transcription": ("TRANSCRIBING", "TRANSCRIPT_READY")}
URIS = {"audio": "audio_uri", "transcription": "transcript_uri"}


@pytest.mark.parametrize(("stages", "content", "code"), UNUSABLE.values(), ids=UNUSABLE)
def test_given_what_cannot_be_used_when_reported_then_the_job_says_why_and_a_retry_asks_again(
    desk: Desk, stages: Sequence[str], content: Any, code: str
) -> None:
    (stage,) = stages
    processing, checkpoint = STATUSES[stage]
    job = desk.start(*stages)
    desk.stack.wait_for(job, processing)
    uri = content if content is None or isinstance(content, str) else desk.put(job, "made", content)
    desk.report(job, checkpoint, **({} if uri is None else {URIS[stage]: uri}))
    assert desk.failure_code(job) == code
    failure = desk.stack.job(job).failure
    assert failure is not None and failure.failed_stage == stage
    assert "secret" not in failure.failure_message and "passwd" not in failure.failure_message
    assert desk.retry(job) == {"audio": "UPLOADED", "transcription": "AUDIO_READY"}[stage]
    desk.stack.wait_for(job, processing)
    desk.stack.loop.run(desk.stack.kinds.cancel(OWNER, job.id))


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [TITLE],
        [TITLE, {"role": "step", "heading": "Made up", "segments": [7]}],
        [TITLE, {"role": "step", "heading": "Cites nothing"}],
        [TITLE, {"role": "dance", "heading": "No role", "segments": [0]}],
        [TITLE, {"role": "step", "heading": "A", "body": "<!-- block:x -->", "segments": [0]}],
    ],
)
def test_given_a_draft_that_lies_when_reported_then_no_document_and_a_retry_asks_again(
    desk: Desk, blocks: list[dict[str, Any]]
) -> None:
    job = desk.start("transcription", "draft")
    desk.stack.wait_for(job, "TRANSCRIBING")
    desk.report(job, "TRANSCRIPT_READY", transcript_uri=desk.put_transcript(job))
    desk.stack.wait_for(job, "GENERATING")
    desk.report(job, "DRAFT_READY", draft_uri=desk.put(job, "draft.json", DRAFT | {"blocks": blocks}))
    assert desk.failure_code(job) == "EXTERNAL_ARTIFACT_INVALID"
    assert desk.stack.job(job).instruction_id is None
    assert desk.retry(job) == "TRANSCRIPT_READY"
    desk.stack.wait_for(job, "GENERATING")
    desk.report(job, "DRAFT_READY", draft_uri=desk.put(job, "better.json", DRAFT))
    desk.has_document(job)


def test_given_a_transcript_that_comes_with_the_draft_when_reported_then_it_is_cited(desk: Desk) -> None:
    job = desk.start("transcription", "draft")
    desk.stack.wait_for(job, "TRANSCRIBING")
    desk.report(job, "TRANSCRIPT_READY")
    desk.stack.wait_for(job, "GENERATING")
    desk.report(
        job, "DRAFT_READY", draft_uri=desk.put(job, "draft.json", DRAFT), transcript_uri=desk.put_transcript(job)
    )
    desk.has_document(job)


# --- resumed -----------------------------------------------------------------------------------------------------


def test_given_a_later_failure_when_retried_then_the_runners_artifact_is_used_again_unless_it_changed(
    desk: Desk,
) -> None:
    with desk.running_with(retry_budget=1):
        job = desk.start("transcription", model_profile="llm")
        desk.stack.wait_for(job, "TRANSCRIBING")
        desk.report(job, "TRANSCRIPT_READY", transcript_uri=desk.put_transcript(job))
        assert desk.failure_code(job) == "PROVIDER_UNAVAILABLE"
        assert desk.retry(job) == "TRANSCRIPT_READY"
        wait_until(lambda: desk.stack.job(job).attempt == 2 and desk.stack.job(job).status == "FAILED", 30, "a failure")
        desk.put(job, "transcript.json", SPOKEN.model_dump(mode="json") | {"model": "another"})
        assert desk.retry(job) == "AUDIO_READY"
        desk.stack.wait_for(job, "TRANSCRIBING")
        desk.stack.loop.run(desk.stack.kinds.cancel(OWNER, job.id))


# --- crashes -----------------------------------------------------------------------------------------------------


def test_given_an_api_that_dies_between_commit_and_signal_when_the_reconciler_comes_then_the_job_goes_on(
    desk: Desk,
) -> None:
    job = desk.start("transcription")
    desk.stack.wait_for(job, "TRANSCRIBING")
    body = desk.event("TRANSCRIPT_READY", artifacts={"transcript": desk.put_transcript(job)})
    desk.stack.store.apply_callback(job.id, Callback.model_validate(body), "a" * 64)  # and no signal
    assert "adopt-transcription" not in desk.stack.scheduled(job)
    assert job.id in [each.job_id for each in desk.stack.store.undelivered_callbacks(-1.0)]
    reconciler = Reconciler(desk.stack.store, desk.stack.client, run_options(desk.stack.settings))
    desk.stack.loop.run(reconciler.deliver_callbacks(older_than_s=0.0))
    desk.has_document(job)
    assert job.id not in [each.job_id for each in desk.stack.store.undelivered_callbacks(-1.0)]


def test_given_a_lost_signal_when_the_runner_sends_the_event_again_then_the_job_goes_on(desk: Desk) -> None:
    job = desk.start("transcription")
    desk.stack.wait_for(job, "TRANSCRIBING")
    body = desk.event("TRANSCRIPT_READY", artifact_updates={"transcript_uri": desk.put_transcript(job)})
    new = NewCallback.model_validate(body)
    desk.stack.store.apply_callback(job.id, new.callback(), new.payload_sha256())  # and no signal
    assert desk.send(job, body) == 200
    desk.has_document(job)


def test_given_a_runner_that_ran_ahead_of_every_worker_when_one_comes_then_it_finds_all_done(
    unattended: Unattended,
) -> None:
    unattended.desk.has_document(unattended.ahead)
    assert unattended.desk.stack.statuses(unattended.ahead) == unattended.statuses


def test_given_a_failure_without_a_worker_when_retried_then_only_once_the_run_has_ended(unattended: Unattended) -> None:
    desk, job = unattended.desk, unattended.failed
    assert (unattended.retried.status_code, unattended.retried.json()["code"]) == (409, "JOB_ALREADY_RUNNING")
    assert desk.closed(job) is WorkflowExecutionStatus.FAILED
    with desk.api.client(OWNER) as client:
        answer = client.post(f"jobs/{job.id}/retry", json={"client_request_id": "r-1"})
        assert (answer.status_code, answer.json()["resume_from_status"]) == (202, "UPLOADED")
    assert desk.stack.statuses(job).count("FAILED") == 1


def test_given_a_worker_that_is_killed_while_it_waits_when_another_comes_then_the_callback_is_not_lost(
    unattended: Unattended,
) -> None:
    desk = unattended.desk
    job = desk.start("transcription")
    desk.stack.wait_for(job, "TRANSCRIBING")
    desk.stack.kill_worker()
    desk.report(job, "TRANSCRIPT_READY", transcript_uri=desk.put_transcript(job))
    assert desk.stack.job(job).status == "TRANSCRIPT_READY"
    desk.stack.start_worker()
    desk.has_document(job)
    assert desk.stack.statuses(job).count("TRANSCRIPT_READY") == 1
