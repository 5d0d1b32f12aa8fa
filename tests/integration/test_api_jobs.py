"""A job's life over HTTP: run once however often, cancel, history, the event stream, the transcript."""

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from activities.store import JobRequest, schema
from domain.artifacts import ArtifactKind
from domain.documents.publication import ExportFormat
from domain.jobs import Actor
from domain.lifecycles import batch
from domain.lifecycles.batch import BATCH
from domain.lifecycles.instruction import AUDIO_EXTRACTING, FAILED
from domain.lifecycles.lifecycle import Trigger
from starter.access.tokens import Role
from starter.services import engine
from tests import recordings
from tests.apis import TIMEOUT_S, RunningApi, api_settings, running_api, wait_ready
from tests.integration.analysis_builders import confirmed_analysis
from tests.integration.api_builders import SPOKEN, told_job
from tests.integration.footage import recorded_job
from tests.integration.store_builders import STEP_BLOCK, Run, drafted_job, instruction_of
from tests.integration.test_api_uploads import begun, new_job
from tests.stack import wait_until
from tests.temporal import TemporalServer, free_port, running_temporal


def uploaded(client: httpx.Client) -> str:
    job_id = new_job(client)
    session = begun(client, job_id)
    assert httpx.put(session["upload_url"], content=b"abc").status_code == 200
    assert client.post(f"jobs/{job_id}/confirm-upload", json={"video_uri": session["video_uri"]}).status_code == 200
    return job_id


@dataclass(frozen=True)
class Heard:
    id: int
    name: str
    data: dict[str, Any]


@contextmanager
def listening(client: httpx.Client, job_id: str, last_event_id: str | None = None) -> Iterator["Queue[Heard]"]:
    """The job's event stream, read by a thread until the block ends."""
    heard: Queue[Heard] = Queue()
    answers: Queue[httpx.Response] = Queue()

    def read() -> None:
        headers = {"Last-Event-ID": last_event_id} if last_event_id is not None else {}
        fields: dict[str, str] = {}
        with client.stream("GET", f"jobs/{job_id}/events", headers=headers) as answer:
            assert answer.status_code == 200
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            answers.put(answer)
            for line in answer.iter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif "data" in fields:
                    heard.put(Heard(int(fields["id"]), fields["event"], json.loads(fields["data"])))
                    fields = {}

    def read_until_closed() -> None:
        with suppress(httpx.TransportError, httpx.StreamError):
            read()

    thread = threading.Thread(target=read_until_closed)
    thread.start()
    answer = answers.get(timeout=60)
    try:
        yield heard
    finally:
        stream = answer.extensions["network_stream"].get_extra_info("socket")
        stream.shutdown(socket.SHUT_RDWR)
        thread.join(15)


def next_of(heard: "Queue[Heard]", count: int) -> list[Heard]:
    return [heard.get(timeout=60) for _ in range(count)]


# --- run and cancel ----------------------------------------------------------------------------------------------


def test_given_a_job_without_a_recording_when_run_then_409_with_the_table(ann: httpx.Client) -> None:
    answer = ann.post(f"jobs/{new_job(ann)}/run")
    assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TRANSITION_INVALID")
    assert answer.json()["details"] == {
        "current_status": "CREATED",
        "attempted_status": "AUDIO_EXTRACTING",
        "allowed_next_statuses": ["UPLOADING", "UPLOADED", "FAILED", "CANCELLED"],
    }


def test_given_a_job_of_a_kind_without_a_recording_when_uploaded_to_or_run_then_409_with_its_own_table(
    api: RunningApi,
) -> None:
    job, _ = api.store.request_job(JobRequest(owner="ines", kind=BATCH.kind, input={}))
    refused = {"upload": {"filename": "a.mp4"}, "confirm-upload": {"video_uri": "artifact://a"}, "run": None}
    with api.client("ines") as ines:
        for ended in (False, True):
            if ended:
                for status in (batch.PROCESSING, batch.FAILED):
                    job = api.store.move(job.id, None, status, trigger=Trigger.WORKER, actor=Actor.SYSTEM)
            for path, body in refused.items():
                answer = ines.post(f"jobs/{job.id}/{path}", json=body)
                code = "FSM_TERMINAL_IMMUTABLE" if ended else "FSM_TRANSITION_INVALID"
                assert (answer.status_code, answer.json()["code"]) == (409, code), path
                details = answer.json()["details"]
                assert (details["current_status"], details["allowed_next_statuses"]) == (
                    job.status,
                    [] if ended else ["processing"],
                ), path
                assert details["attempted_status"] in ("UPLOADING", "UPLOADED", "queued"), path


def test_given_a_job_that_never_ran_when_cancelled_then_cancelled_and_again_409(ann: httpx.Client) -> None:
    job_id = uploaded(ann)
    cancelled = ann.post(f"jobs/{job_id}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "CANCELLED")
    assert cancelled.json()["completed_at"].endswith("Z")
    for path in ("cancel", "run", "upload"):
        again = ann.post(f"jobs/{job_id}/{path}", json={"filename": "a.mp4"} if path == "upload" else None)
        assert (again.status_code, again.json()["code"]) == (409, "FSM_TERMINAL_IMMUTABLE"), path
    assert ann.post(f"jobs/{job_id}/cancel").json()["details"]["attempted_status"] == "CANCELLED"


def test_given_a_model_profile_that_is_not_there_when_a_job_is_made_then_400_and_no_job(ann: httpx.Client) -> None:
    project = ann.post("projects", json={"name": "Guides"}).json()["id"]
    refused = ann.post(f"projects/{project}/jobs", json={"model_profile": "elsewhere"})
    assert (refused.status_code, refused.json()["code"]) == (400, "MODEL_NOT_ALLOWED")
    assert refused.json()["details"] == {"model_profiles": ["local"]}
    assert ann.get("jobs", params={"project_id": project}).json()["items"] == []
    assert ann.post(f"projects/{project}/jobs", json={"model_profile": "local"}).status_code == 201


def test_given_a_job_that_has_not_failed_when_retried_then_409(ann: httpx.Client) -> None:
    answer = ann.post(f"jobs/{uploaded(ann)}/retry", json={"client_request_id": "r1"})
    assert (answer.status_code, answer.json()["code"]) == (409, "RETRY_NOT_ALLOWED_STATE")


def test_given_a_failed_job_when_an_administrator_retries_it_then_another_attempt_from_its_checkpoint(
    api: RunningApi,
) -> None:
    job = drafted_job(api.store, "olga")[0]
    api.store.move(job.id, None, FAILED, trigger=Trigger.API, actor=Actor.SYSTEM)
    with api.client("root", Role.ADMIN) as root, api.client("olga") as olga:
        answers = [root.post(f"admin/jobs/{job.id}/retry", headers={"Idempotency-Key": "k"}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [202, 200], answers[0].text
        assert answers[1].headers["Idempotency-Replayed"] == "true"
        assert (answers[0].json()["attempt"], answers[0].json()["status"]) == (2, "UPLOADED")
        rows = olga.get(f"jobs/{job.id}/history").json()["items"]
        again = root.post(f"admin/jobs/{job.id}/retry")
    told = [(row["actor_type"], row["data"]["client_request_id"]) for row in rows if row["attempt"] == 2]
    assert told == [("system", "admin root k")]
    assert (again.status_code, again.json()["code"]) == (409, "JOB_ALREADY_RUNNING")


def test_given_no_temporal_when_run_then_503_and_nothing_changed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free_port()}")
    with running_api(api_settings(tmp_path_factory.mktemp("alone"))) as alone, alone.client() as client:
        job_id = uploaded(client)
        before = client.get(f"jobs/{job_id}").json()
        answer = client.post(f"jobs/{job_id}/run")
        assert (answer.status_code, answer.json()["code"]) == (503, "ENGINE_UNAVAILABLE")
        assert int(answer.headers["Retry-After"]) >= 1
        assert client.get(f"jobs/{job_id}").json() == before
        shutil.rmtree(alone.settings.data_dir / "artifacts")
        ready = httpx.get(f"{alone.url}/readyz")
        assert (ready.status_code, ready.json()["checks"]["database"]) == (503, "ok")
        assert "ok" not in (ready.json()["checks"]["engine"], ready.json()["checks"]["artifacts"])


def test_given_no_temporal_when_anything_is_started_or_stopped_then_503_and_nothing_changed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free_port()}")
    with running_api(api_settings(tmp_path_factory.mktemp("alone"))) as alone, alone.client() as ann:
        store = alone.store
        filmed = recorded_job(store, alone.artifacts, recordings.mp4(tmp_path_factory.mktemp("film")))
        ended = drafted_job(store, "ann")[0]
        store.move(ended.id, None, FAILED, trigger=Trigger.API, actor=Actor.SYSTEM)
        analysis = confirmed_analysis(store, alone.artifacts, "ann").job
        store.grant("ann", 100, reason="test", actor="test", idempotency_key="g")
        asked: dict[str, dict[str, Any] | None] = {
            f"instructions/{filmed.instruction_id}/regenerate": {
                "base_version": 1,
                "selection": {"block_id": STEP_BLOCK},
                "client_request_id": "r",
            },
            f"jobs/{filmed.job.id}/exports": {"format": "PDF", "instruction_version_id": filmed.version_id},
            f"jobs/{filmed.job.id}/screenshots/extract": filmed.wish(100),
            f"jobs/{filmed.job.id}/cancel": None,
            f"jobs/{ended.id}/retry": {"client_request_id": "r"},
            f"analyses/{analysis.id}/run": None,
            "images": {"prompt": "a kettle"},
            "generate/copy": {"prompt": "a kettle"},
            "jobs": {"job_type": "captions", "parameters": {"inputs": [{"job_id": filmed.job.id}]}},
        }

        def everything() -> list[Any]:
            jobs = ann.get("jobs").json()["items"]
            return [jobs, [store.last_event_seq(each["id"]) for each in jobs], ann.get("credits").json()]

        before = everything()
        for path, body in asked.items():
            answer = ann.post(path, json=body)
            assert (answer.status_code, answer.json()["code"]) == (503, "ENGINE_UNAVAILABLE"), (path, answer.text)
        assert everything() == before


def test_given_a_frozen_temporal_when_asked_then_a_save_is_done_at_once_and_what_needs_it_is_503_within_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as up:
        temporal = up.enter_context(running_temporal(tmp_path))
        monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
        api = up.enter_context(running_api(api_settings(tmp_path)))
        ann = up.enter_context(api.client())
        wait_ready(api)
        drafted = drafted_job(api.store, "ann")[0]
        waiting, running = uploaded(ann), uploaded(ann)
        assert ann.post(f"jobs/{running}/run").status_code == 202, "connected, before it freezes"
        before = ann.get(f"jobs/{waiting}").json()
        document = f"instructions/{instruction_of(drafted)}"
        text = ann.get(document).json()["markdown"]
        with temporal.frozen(), ThreadPoolExecutor(4) as at_once:
            save = {"base_version": 1, "markdown": text.replace(".", "!", 1)}
            monkeypatch.setattr(engine, "PATIENCE_S", 10 * TIMEOUT_S)
            saved = ann.put(document, json=save)  # while it waited for Temporal there would be no answer
            assert (saved.status_code, saved.json()["version"]) == (200, 2), saved.text
            monkeypatch.setattr(engine, "PATIENCE_S", 2.0)
            asked = {
                f"jobs/{waiting}/run": None,
                f"jobs/{running}/cancel": None,
                f"{document}/regenerate": {
                    "base_version": 2,
                    "selection": {"block_id": STEP_BLOCK},
                    "client_request_id": "r",
                },
                "images": {"prompt": "a kettle"},
            }
            for answer in at_once.map(lambda each: ann.post(each[0], json=each[1]), asked.items()):
                assert (answer.status_code, answer.json()["code"]) == (503, "ENGINE_UNAVAILABLE"), answer.text
            assert ann.get(f"jobs/{waiting}").json() == before


def test_given_a_temporal_that_refuses_the_start_when_run_then_502_and_nothing_changed(
    temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal.address)
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "nobodys")
    with running_api(api_settings(tmp_path_factory.mktemp("refused"))) as refused, refused.client() as client:
        job_id = uploaded(client)
        before, written = client.get(f"jobs/{job_id}").json(), refused.store.last_event_seq(job_id)
        answer = client.post(f"jobs/{job_id}/run")
        assert (answer.status_code, answer.json()["code"]) == (502, "ORCHESTRATOR_DISPATCH_FAILED")
        assert client.get(f"jobs/{job_id}").json() == before
        assert refused.store.last_event_seq(job_id) == written
        rows = refused.store._database
        with rows.write() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '0028'"))
        old = client.get(f"{refused.url}/readyz")
        assert (old.status_code, old.json()["checks"]["database"]) == (503, "SETTINGS_INVALID"), "not upgraded yet"
        with rows.write() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": schema.head()})
        wait_until(lambda: client.get(f"{refused.url}/readyz").json()["checks"]["database"] == "ok", 20, "the schema")
        ready = client.get(f"{refused.url}/readyz")
        assert (ready.status_code, ready.json()["status"]) == (503, "not ready"), "before anybody runs a job"
        assert ready.json()["checks"] == {"database": "ok", "engine": "ENGINE_FOREIGN", "artifacts": "ok"}
        assert client.get(f"{refused.url}/healthz").status_code == 200, "a restart would mend nothing"


# --- looking -----------------------------------------------------------------------------------------------------


def test_given_jobs_when_listed_then_only_the_callers_and_filtered(api: RunningApi) -> None:
    with api.client("carla") as carla, api.client("dora") as dora:
        mine, other = new_job(carla), new_job(carla)
        new_job(dora)
        carla.post(f"jobs/{other}/cancel")
        assert [job["id"] for job in carla.get("jobs").json()["items"]] == [other, mine]
        assert [job["id"] for job in carla.get("jobs", params={"status": "CREATED"}).json()["items"]] == [mine]
        project = carla.get(f"jobs/{mine}").json()["project_id"]
        assert [job["id"] for job in carla.get("jobs", params={"project_id": project}).json()["items"]] == [mine]
        assert carla.get("jobs", params={"kind": "image"}).json() == {"items": [], "next_cursor": None}


def test_given_a_job_when_its_history_is_read_then_newest_first_with_every_field(ann: httpx.Client) -> None:
    job_id = uploaded(ann)
    rows = ann.get(f"jobs/{job_id}/history").json()["items"]
    assert [row["new_status"] for row in rows] == ["UPLOADED", "UPLOADING", "CREATED"]
    assert {
        "event_type",
        "job_id",
        "project_id",
        "actor_type",
        "prev_status",
        "new_status",
        "occurred_at",
        "recorded_at",
        "correlation_id",
        "attempt",
    } <= set(rows[0])
    assert rows[0]["actor_type"] == "editor"


def test_given_a_drafted_job_when_looked_at_then_its_manifest_names_every_artifact(api: RunningApi) -> None:
    job, _ = drafted_job(api.store, "erin")
    with api.client("erin") as erin:
        answer = erin.get(f"jobs/{job.id}").json()
    assert answer["status"] == "DRAFT_READY"
    assert answer["instruction_id"] == job.instruction_id
    assert all(answer["manifest"][f"{kind}_uri"].startswith("artifact://") for kind in ("audio", "transcript", "draft"))


# --- events ------------------------------------------------------------------------------------------------------


def test_given_a_job_when_followed_then_its_whole_log_and_then_what_happens(ann: httpx.Client) -> None:
    job_id = new_job(ann)
    with listening(ann, job_id) as heard:
        (created,) = next_of(heard, 1)
        assert (created.id, created.name, created.data["new_status"]) == (1, "status", "CREATED")
        begun(ann, job_id)
        (uploading,) = next_of(heard, 1)
        assert (uploading.id, uploading.data["new_status"]) == (2, "UPLOADING")


def test_given_a_stream_that_broke_when_resumed_then_no_gap_and_no_repeat(api: RunningApi) -> None:
    job, run = drafted_job(api.store, "fred")
    with api.client("fred") as fred:
        with listening(fred, job.id) as heard:
            first = next_of(heard, 4)
        with listening(fred, job.id, last_event_id=str(first[-1].id)) as heard:
            rest = next_of(heard, api.store.last_event_seq(job.id) - 4)
    assert [event.id for event in first + rest] == list(range(1, api.store.last_event_seq(job.id) + 1))
    assert run.job_id == job.id


def test_given_progress_when_followed_then_it_comes_as_progress(api: RunningApi) -> None:
    with api.client("gina") as gina:
        job_id = uploaded(gina)
        run = Run(api.store, job_id).dispatched()
        api.store.begin_stage(job_id, run.fence(), AUDIO_EXTRACTING)
        with listening(gina, job_id, last_event_id=str(api.store.last_event_seq(job_id))) as heard:
            assert api.store.report_progress(job_id, run.fence(), 7, {"stage": "audio"})
            (event,) = next_of(heard, 1)
    assert event.name == "progress"
    assert event.data["data"] == {"stage": "audio", "progress": 7, "status": "AUDIO_EXTRACTING"}


def test_given_a_task_and_an_export_when_followed_then_they_come_by_these_names(api: RunningApi) -> None:
    job, _ = drafted_job(api.store, "nina")
    instruction = instruction_of(job)
    asked: dict[str, Any] = {"selection": {"block_id": STEP_BLOCK}, "client_request_id": "r", "requested_by": "nina"}
    after = str(api.store.last_event_seq(job.id))
    with api.client("nina") as nina, listening(nina, job.id, last_event_id=after) as heard:
        api.store.create_regenerate("nina", instruction, base_version=1, **asked)
        api.store.request_export("nina", job.id, ExportFormat.PDF, api.store.current_instruction(instruction).id)
        told = [(event.name, event.data["event_type"]) for event in next_of(heard, 2)]
    assert told == [("task", "REGENERATE_REQUESTED"), ("export", "EXPORT_REQUESTED")]


def test_given_an_id_beyond_the_log_when_resumed_then_one_resync(api: RunningApi) -> None:
    job, _ = drafted_job(api.store, "hugo")
    reach = api.store.last_event_seq(job.id)
    with api.client("hugo") as hugo, listening(hugo, job.id, last_event_id="99999") as heard:
        (event,) = next_of(heard, 1)
        assert (event.name, event.id, event.data["last_seq"]) == ("resync", reach, reach)


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "9" * 40])
def test_given_a_malformed_last_event_id_when_resumed_then_400(ann: httpx.Client, value: str) -> None:
    answer = ann.get(f"jobs/{new_job(ann)}/events", headers={"Last-Event-ID": value})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")


def test_given_many_followers_when_something_happens_then_all_hear_it_once(ann: httpx.Client) -> None:
    job_id = new_job(ann)
    with ExitStack() as open_streams:
        streams = [open_streams.enter_context(listening(ann, job_id)) for _ in range(10)]
        for heard in streams:
            next_of(heard, 1)
        begun(ann, job_id)
        assert [next_of(heard, 1)[0].id for heard in streams] == [2] * 10
        assert all(heard.empty() for heard in streams)


# --- transcript --------------------------------------------------------------------------------------------------


def test_given_no_transcript_when_asked_then_409(ann: httpx.Client) -> None:
    answer = ann.get(f"jobs/{uploaded(ann)}/transcript")
    assert (answer.status_code, answer.json()["code"]) == (409, "TRANSCRIPT_NOT_READY")


def test_given_a_transcript_when_paged_then_every_segment_once_in_order(api: RunningApi) -> None:
    job_id = told_job(api.store, api.artifacts, "ivan").id
    with api.client("ivan") as ivan:
        texts: list[str] = []
        cursor = None
        while True:
            parameters = {"limit": 2} | ({"cursor": cursor} if cursor else {})
            page = ivan.get(f"jobs/{job_id}/transcript", params=parameters).json()
            assert page["limit"] == 2
            texts += [item["text"] for item in page["items"]]
            if (cursor := page["next_cursor"]) is None:
                break
        assert texts == [segment.text for segment in SPOKEN.segments]
        assert len(ivan.get(f"jobs/{job_id}/transcript").json()["items"]) == 5
        for wrong in ({"limit": "501"}, {"limit": "0"}, {"cursor": "x"}, {"format": "doc"}):
            assert ivan.get(f"jobs/{job_id}/transcript", params=wrong).status_code == 400, wrong


@pytest.mark.parametrize(("left", "code"), [(None, "ARTIFACT_MISSING"), (b"{}", "ARTIFACT_CORRUPT")])
def test_given_a_transcript_that_was_lost_when_asked_then_409_says_so(
    api: RunningApi, left: bytes | None, code: str
) -> None:
    job_id = told_job(api.store, api.artifacts, f"lost-{code}").id
    artifact = api.store.latest_artifact(job_id, ArtifactKind.TRANSCRIPT)
    assert artifact is not None
    api.artifacts.delete(artifact.blob.key)
    if left is not None:
        api.artifacts.put_bytes(artifact.blob.key, left, artifact.blob.media_type)
    with api.client(f"lost-{code}") as owner:
        answer = owner.get(f"jobs/{job_id}/transcript")
    assert (answer.status_code, answer.json()["code"]) == (409, code)


def test_given_a_transcript_when_asked_as_captions_or_text_then_whole_and_in_that_format(api: RunningApi) -> None:
    job_id = told_job(api.store, api.artifacts, "jane").id
    with api.client("jane") as jane:

        def asked(accept: str | None = None, **parameters: str) -> httpx.Response:
            headers = {"Accept": accept} if accept else {}
            return jane.get(f"jobs/{job_id}/transcript", params=parameters, headers=headers)

        assert asked(format="vtt").text.startswith("WEBVTT")
        assert asked(accept="text/vtt").headers["Content-Type"].startswith("text/vtt")
        assert "00:00:01,000 --> 00:00:01,900" in asked(format="srt").text
        assert asked(accept="text/plain, */*").text.splitlines() == [segment.text for segment in SPOKEN.segments]
        assert asked(accept="text/vtt", format="json").json()["items"]
        assert asked(accept="image/png").json()["items"]
