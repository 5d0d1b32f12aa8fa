"""A stage that stands still is seen, however well its worker's heart beats."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import REGISTRY, generate_latest
from sqlalchemy import update
from temporalio.testing import ActivityEnvironment

from activities.rails.heartbeat import PROGRESS_AT, STANDS_STILL, Heartbeat
from activities.store import Store
from activities.store.tables import jobs
from domain.artifacts import ArtifactKind
from domain.jobs import Actor
from domain.lifecycles.callbacks import TRANSCRIPTION
from domain.lifecycles.instruction import AUDIO_EXTRACTING, AUDIO_READY, CANCELLED, INSTRUCTION
from domain.lifecycles.kinds import LIFECYCLES, WORKING_ON
from domain.lifecycles.lifecycle import Trigger
from domain.lifecycles.standstill import LONGEST
from starter.access.tokens import Role
from starter.doctor import CheckFailed, _stages
from starter.settings import load_settings
from starter.work.health import OPEN, STANDING_STILL, HealthServer
from tests.apis import api_settings, running_api
from tests.integration.store_builders import OWNER, Run, artifact, blob
from tests.integration.test_pages_roles import visitor
from tests.stack import wait_until

pytest_plugins = ("tests.databases",)


def transcribing(store: Store, *external: str) -> Run:
    project = store.create_project(OWNER, "Manuals", dict.fromkeys(external, "external"))
    job = store.create_job(OWNER, project.id)
    store.confirm_upload(OWNER, job.id, blob(f"videos/{job.id}", "video/mp4"), "demo.mp4")
    run = Run(store, job.id).dispatched().extract_audio()
    if external:
        store.enter_external(run.job_id, run.fence(), TRANSCRIPTION)
    else:
        store.begin_stage(run.job_id, run.fence(), "TRANSCRIBING")
    return run


def let_pass(store: Store, run: Run, time: timedelta) -> None:
    since = store.get_job(run.job_id).updated_at - time
    with store._database.write() as connection:
        connection.execute(update(jobs).where(jobs.c.id == run.job_id).values(updated_at=since))


def test_given_a_stage_when_it_shows_no_progress_for_too_long_then_it_stands_still_until_it_does(store: Store) -> None:
    still, within, outside = transcribing(store), transcribing(store), transcribing(store, "transcription")
    for run, hours in ((still, 2.1), (within, 1.9), (outside, 20)):
        let_pass(store, run, timedelta(hours=hours))
    (found,) = store.stages_without_progress()
    assert (found.job_id, found.kind, found.stage) == (still.job_id, "instruction", "transcription")
    assert found.since == store.get_job(still.job_id).updated_at
    assert store.report_progress(still.job_id, still.fence(), 60)
    assert store.stages_without_progress() == ()


def test_given_a_stage_at_work_when_it_stands_still_then_its_beats_say_since_when() -> None:
    environment = ActivityEnvironment()
    beats: list[dict[str, object]] = []
    environment.on_heartbeat = lambda *details: beats.append(details[0])

    def work() -> None:
        heartbeat = Heartbeat(0.05)
        heartbeat.note(progress=40, stage_progress=0.5)
        with heartbeat:
            wait_until(lambda: beats, 30, "a beat")
            heartbeat.longest = timedelta(seconds=1.5)
            wait_until(lambda: beats and STANDS_STILL in beats[-1], 30, "a beat that says it")
            still = beats[-1]
            heartbeat.note(progress=40, stage_progress=0.5)
            assert heartbeat._carried()[PROGRESS_AT] == still[PROGRESS_AT], "what is said again is no progress"
            heartbeat.longest = timedelta(hours=1)
            heartbeat.note(progress=40, stage_progress=0.51)
            went_on = heartbeat._carried()
            assert STANDS_STILL not in went_on and str(went_on[PROGRESS_AT]) > str(still[PROGRESS_AT])

    environment.run(work)
    assert STANDS_STILL not in beats[0] and beats[0]["stage_progress"] == 0.5


def test_given_a_job_when_it_moves_then_the_time_in_the_status_that_it_leaves_is_observed_once_it_is_committed(
    database_url: str,
) -> None:
    def observed() -> dict[str, tuple[float, float]]:
        sample = REGISTRY.get_sample_value
        name = "guidesmith_job_status_seconds"
        labels = {each: {"kind": "instruction", "status": each} for each in map(str, INSTRUCTION.statuses)}
        return {
            status: (sample(f"{name}_count", of) or 0.0, sample(f"{name}_sum", of) or 0.0)
            for status, of in labels.items()
        }

    now = [datetime(2026, 1, 1, 12, tzinfo=UTC)]
    store = Store.open(database_url, clock=lambda: now[0], durable=False)
    before = observed()
    job = store.create_job(OWNER, store.create_project(OWNER, "Manuals").id)
    now[0] += timedelta(days=2)
    store.confirm_upload(OWNER, job.id, blob("videos/v", "video/mp4"), "demo.mp4")
    run = Run(store, job.id).dispatched()
    now[0] += timedelta(seconds=7)
    store.begin_stage(run.job_id, run.fence(), AUDIO_EXTRACTING)
    now[0] += timedelta(seconds=30)
    store.report_progress(run.job_id, run.fence(), 5)
    store.begin_stage(run.job_id, run.fence(2), AUDIO_EXTRACTING)
    now[0] += timedelta(seconds=11)
    with pytest.raises(RuntimeError), store._database.together():
        store.finish_stage(run.job_id, run.fence(2), target=AUDIO_READY, artifacts=[artifact(ArtifactKind.AUDIO)])
        raise RuntimeError("rolled back: nobody left anything")
    store.finish_stage(run.job_id, run.fence(2), target=AUDIO_READY, artifacts=[artifact(ArtifactKind.AUDIO)])
    now[0] -= timedelta(seconds=3)  # on the next machine
    store.move(run.job_id, None, CANCELLED, trigger=Trigger.API, actor=Actor.EDITOR)
    store.dispose()
    lasted = {
        status: (after[0] - before[status][0], round(after[1] - before[status][1], 6))  # sums of what ran before
        for status, after in observed().items()
        if after != before[status]
    }
    day = 24 * 3600.0
    assert lasted == {"CREATED": (1, 2 * day), "UPLOADED": (1, 7), "AUDIO_EXTRACTING": (1, 41), "AUDIO_READY": (1, 0)}


def test_given_a_job_that_stands_still_when_it_is_asked_for_then_it_says_since_when(tmp_path: Path) -> None:
    with running_api(api_settings(tmp_path)) as api, api.client(OWNER) as client:
        still, within, outside = (transcribing(api.store, *external) for external in ((), (), ("transcription",)))
        for run, hours in ((still, 2.1), (within, 1.9), (outside, 20)):
            let_pass(api.store, run, timedelta(hours=hours))
        said = {each["id"]: each["stands_still_since"] for each in client.get("jobs").json()["items"]}
        assert said.pop(still.job_id) == client.get(f"jobs/{still.job_id}").json()["updated_at"]
        assert said == {within.job_id: None, outside.job_id: None}
        with visitor(api, OWNER) as ann:
            for page, times in (("/jobs", 1), (f"/jobs/{still.job_id}", 1), (f"/jobs/{within.job_id}", 0)):
                assert ann.get(page).text.count("No progress since") == times, page
            assert ann.get("/").text.count("Stands still") == 1
        with visitor(api, OWNER, Role.ADMIN) as root:
            assert root.get("/administration").text.count(">Stands still<") == 1
            assert "No progress since" in root.get(f"/administration/{still.job_id}").text


def test_every_kind_has_its_longest_times_of_statuses_in_which_a_stage_works() -> None:
    assert LONGEST.keys() == LIFECYCLES.keys()
    assert all(each.keys() <= WORKING_ON[kind].keys() for kind, each in LONGEST.items())


def test_given_a_stage_that_stands_still_when_looked_at_then_doctor_and_metric_say_it(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, metrics_port=9)
    assert _stages(settings) == "no jobs yet"
    store = Store.open(settings.database, durable=False)
    try:
        store.upgrade()
        run = transcribing(store)
        assert _stages(settings) == "every stage at work shows progress"
        let_pass(store, run, timedelta(hours=3))
        HealthServer(settings).watch(store)
        scraped = generate_latest(REGISTRY)
        assert b"\nguidesmith_stages_without_progress 1.0\n" in scraped
        assert b'\nguidesmith_open_jobs{kind="instruction",status="TRANSCRIBING"} 1.0\n' in scraped
        assert b'\nguidesmith_webhook_backlog{state="unsent"} 0.0\n' in scraped
    finally:
        OPEN.store = None
        STANDING_STILL.set_function(lambda: 0)
        store.dispose()
    try:
        said = _stages(settings)
    except CheckFailed as failed:
        said = failed.found
    assert said.startswith("1 stages at work show no progress") and f"transcription of job {run.job_id} since" in said
