"""Twenty times at once, on two API processes, on SQLite and on Postgres: one effect, one audit row, one start.

What two processes confirm of an upload is in ``test_upload_races.py``.
"""

from datetime import UTC, datetime
from hashlib import sha256

import httpx

from domain.jobs import Actor, Failure, Job
from domain.lifecycles.instruction import FAILED
from domain.lifecycles.lifecycle import Trigger
from tests.integration.analysis_builders import CONTENT, arrived_analysis, drafted_analysis
from tests.integration.api_pairs import AT_ONCE, RUNNER, Pair, audit, firsts, job_at_its_desk, statuses
from tests.integration.store_builders import MARKDOWN, STEP_BLOCK, Run, drafted_job, instruction_of, uploaded_job
from tests.integration.test_callbacks_store import waiting_run
from tests.workers import document_workers

FAILURE = Failure(failure_code="PROVIDER_TIMEOUT", failure_message="Try again.", failed_stage="draft")


# --- a job's runs ------------------------------------------------------------------------------------------------


def test_given_twenty_runs_when_answered_then_one_workflow_one_dispatch_and_one_that_is_no_replay(
    pair: Pair, owner: str
) -> None:
    job, before = uploaded_job(pair.store, owner), pair.executions()

    answers = pair.at_once(owner, lambda client, _: client.post(f"jobs/{job.id}/run"))

    assert statuses(answers) == {200: AT_ONCE - 1, 202: 1}, [answer.text for answer in answers]
    assert len({answer.json()["dispatch_id"] for answer in answers}) == 1
    assert (firsts(answers), audit(pair, job.id, "RUN_DISPATCHED")) == (1, 1)
    assert pair.started(before) == [job.id]


def failed_job(pair: Pair, owner: str) -> Job:
    """A job whose first attempt failed."""
    run = Run(pair.store, uploaded_job(pair.store, owner).id).dispatched().extract_audio()
    return pair.store.move(
        run.job_id, run.next(3).fence(), FAILED, trigger=Trigger.WORKFLOW, actor=Actor.ORCHESTRATOR, failure=FAILURE
    )


def test_given_twenty_retries_of_one_request_when_answered_then_one_attempt_and_one_that_is_no_replay(
    pair: Pair, owner: str
) -> None:
    job, before = failed_job(pair, owner), pair.executions()

    answers = pair.at_once(
        owner, lambda client, _: client.post(f"jobs/{job.id}/retry", json={"client_request_id": "r"})
    )

    assert statuses(answers) == {200: AT_ONCE - 1, 202: 1}, [answer.text for answer in answers]
    assert len({answer.json()["dispatch_id"] for answer in answers}) == 1
    assert (firsts(answers), audit(pair, job.id, "RETRY_DISPATCHED")) == (1, 1)
    assert pair.store.get_job(job.id).attempt == 2
    assert pair.started(before) == [job.id]
    with pair.apis[0].client(owner) as client:
        other = client.post(f"jobs/{job.id}/retry", json={"client_request_id": "r", "model_profile": "local"})
        strange = client.post(f"jobs/{job.id}/retry", json={"client_request_id": "s", "model_profile": "elsewhere"})
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_CONFLICT")
    assert (strange.status_code, strange.json()["code"]) == (400, "MODEL_NOT_ALLOWED")


def test_given_twenty_people_who_retry_when_answered_then_one_attempt_and_the_rest_are_told(
    pair: Pair, owner: str
) -> None:
    job, before = failed_job(pair, owner), pair.executions()

    answers = pair.at_once(
        owner, lambda client, number: client.post(f"jobs/{job.id}/retry", json={"client_request_id": f"r-{number}"})
    )

    assert statuses(answers) == {202: 1, 409: AT_ONCE - 1}, [answer.text for answer in answers]
    codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert codes <= {"JOB_ALREADY_RUNNING", "RETRY_NOT_ALLOWED_STATE"}
    assert audit(pair, job.id, "RETRY_DISPATCHED") == 1
    assert pair.started(before) == [job.id]


def test_given_twenty_cancels_when_answered_then_one_is_audited(pair: Pair, owner: str) -> None:
    job = uploaded_job(pair.store, owner)

    answers = pair.at_once(owner, lambda client, _: client.post(f"jobs/{job.id}/cancel"))

    assert set(statuses(answers)) <= {200, 409}
    assert {answer.json()["status"] for answer in answers if answer.status_code == 200} == {"CANCELLED"}
    moves = [event for event in pair.store.events(job.id) if event.new_status == "CANCELLED"]
    assert len(moves) == 1


# --- documents ---------------------------------------------------------------------------------------------------


def regeneration(job: Job, request_id: str) -> tuple[str, dict[str, object]]:
    body = {"base_version": 1, "selection": {"block_id": STEP_BLOCK}, "client_request_id": request_id}
    return f"instructions/{job.instruction_id}/regenerate", body


def test_given_twenty_regenerations_of_one_request_when_answered_then_one_task_and_one_start(
    pair: Pair, owner: str
) -> None:
    (job, _), before = drafted_job(pair.store, owner), pair.executions()
    path, body = regeneration(job, "r")

    answers = pair.at_once(owner, lambda client, _: client.post(path, json=body))

    assert statuses(answers) == {200: AT_ONCE - 1, 202: 1}, [answer.text for answer in answers]
    (task_id,) = {answer.json()["task_id"] for answer in answers}
    assert audit(pair, job.id, "REGENERATE_REQUESTED") == 1
    assert pair.started(before) == [f"regenerate-{task_id}"]


def test_given_twenty_regenerations_of_one_document_when_answered_then_one_runs_and_the_rest_hear_which(
    pair: Pair, owner: str
) -> None:
    (job, _), before = drafted_job(pair.store, owner), pair.executions()

    def ask(client: httpx.Client, number: int) -> httpx.Response:
        path, body = regeneration(job, f"r-{number}")
        return client.post(path, json=body)

    answers = pair.at_once(owner, ask)

    assert statuses(answers) == {202: 1, 409: AT_ONCE - 1}, [answer.text for answer in answers]
    (task_id,) = (answer.json()["task_id"] for answer in answers if answer.status_code == 202)
    refused = [answer.json() for answer in answers if answer.status_code == 409]
    assert {(each["code"], each["details"]["task_id"]) for each in refused} == {("REGENERATE_IN_PROGRESS", task_id)}
    assert pair.started(before) == [f"regenerate-{task_id}"]


def test_given_twenty_exports_of_one_version_when_answered_then_one_export_and_one_start(
    pair: Pair, owner: str
) -> None:
    (job, _), before = drafted_job(pair.store, owner), pair.executions()
    version = pair.store.get_instruction(owner, instruction_of(job))
    body = {"format": "PDF", "instruction_version_id": version.id}

    answers = pair.at_once(owner, lambda client, _: client.post(f"jobs/{job.id}/exports", json=body))

    assert statuses(answers) == {200: AT_ONCE - 1, 202: 1}, [answer.text for answer in answers]
    (export_id,) = {answer.json()["export_id"] for answer in answers}
    assert audit(pair, job.id, "EXPORT_REQUESTED") == 1
    assert pair.started(before) == [f"export-{export_id}"]


def test_given_twenty_extractions_of_one_frame_when_answered_then_one_task_and_one_start(
    pair: Pair, owner: str
) -> None:
    job, before = job_at_its_desk(pair, owner), pair.executions()
    version = pair.store.get_instruction(owner, instruction_of(job))
    body = {"instruction_id": job.instruction_id, "instruction_version_id": version.id, "timestamp_ms": 500}

    answers = pair.at_once(owner, lambda client, _: client.post(f"jobs/{job.id}/screenshots/extract", json=body))

    assert statuses(answers) == {200: AT_ONCE - 1, 202: 1}, [answer.text for answer in answers]
    (task_id,) = {answer.json()["task_id"] for answer in answers}
    assert audit(pair, job.id, "SCREENSHOT_REQUESTED") == 1
    assert pair.started(before) == [f"screenshot-{task_id}"]


def test_given_twenty_saves_of_one_version_when_answered_then_one_is_stored_and_the_rest_are_stale(
    pair: Pair, owner: str
) -> None:
    job, _ = drafted_job(pair.store, owner)
    url = f"instructions/{job.instruction_id}"

    def save(client: httpx.Client, number: int) -> httpx.Response:
        return client.put(url, json={"base_version": 1, "markdown": f"{MARKDOWN}\nEdit {number}.\n"})

    answers = pair.at_once(owner, save)

    assert statuses(answers) == {200: 1, 409: AT_ONCE - 1}, [answer.text for answer in answers]
    assert pair.store.get_instruction(owner, instruction_of(job)).version == 2
    assert audit(pair, job.id, "INSTRUCTION_SAVED") == 1


# --- callbacks ---------------------------------------------------------------------------------------------------


def test_given_one_report_twenty_times_when_answered_then_it_counts_once(pair: Pair, owner: str) -> None:
    job_id = waiting_run(pair.store).job_id
    report = {
        "event_id": "e-1",
        "status": "TRANSCRIPT_READY",
        "occurred_at": datetime.now(UTC).isoformat(),
        "correlation_id": "c-1",
        "artifact_updates": {"transcript_uri": "s3://elsewhere/t.json"},
    }
    headers = {"X-Callback-Secret": RUNNER}

    answers = pair.at_once(
        owner, lambda client, _: client.post(f"internal/jobs/{job_id}/status", json=report, headers=headers)
    )

    assert statuses(answers) == {200: AT_ONCE - 1, 204: 1}, [answer.text for answer in answers]
    assert {answer.json()["replayed"] for answer in answers if answer.status_code == 200} == {True}
    assert [event.new_status for event in pair.store.events(job_id)].count("TRANSCRIPT_READY") == 1


# --- with a workflow that lives ----------------------------------------------------------------------------------


def test_given_a_living_job_when_regenerated_and_exported_twenty_times_then_its_workflow_starts_each_once(
    pair: Pair, owner: str
) -> None:
    job, before = job_at_its_desk(pair, owner), pair.executions()
    version = pair.store.get_instruction(owner, instruction_of(job))
    export = {"format": "HTML", "instruction_version_id": version.id}
    path, body = regeneration(job, "r")
    with document_workers(pair.temporal.address, pair.settings, pair.store, pair.artifacts, ("jobs",)):
        runs = pair.at_once(owner, lambda client, _: client.post(f"jobs/{job.id}/run"))
        assert statuses(runs) == {200: AT_ONCE - 1, 202: 1}, [answer.text for answer in runs]
        assert firsts(runs) == 1

        tasks = pair.at_once(owner, lambda client, _: client.post(path, json=body))
        exports = pair.at_once(owner, lambda client, _: client.post(f"jobs/{job.id}/exports", json=export))

        assert statuses(tasks) == statuses(exports) == {200: AT_ONCE - 1, 202: 1}
        (task_id,) = {answer.json()["task_id"] for answer in tasks}
        (export_id,) = {answer.json()["export_id"] for answer in exports}
        assert sorted(pair.started(before)) == sorted([job.id, f"regenerate-{task_id}", f"export-{export_id}"])
        assert audit(pair, job.id, "RUN_DISPATCHED") == 2  # one of them was the run that drafted
        assert audit(pair, job.id, "REGENERATE_REQUESTED") == audit(pair, job.id, "EXPORT_REQUESTED") == 1


# --- by key ------------------------------------------------------------------------------------------------------


def test_given_twenty_requests_for_one_analysis_when_answered_then_there_is_one(pair: Pair, owner: str) -> None:
    file = {"filename": "a.csv", "checksum_sha256": "0" * 64}

    def ask(http: httpx.Client, number: int) -> httpx.Response:
        body = {"requirement": f"total{' ' * (1 + number)}by region", "inputs": {"files": [file]}}
        return http.post("analyses", json=body)

    answers = pair.at_once(owner, ask)
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [202]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len(pair.store.list_jobs(owner).items) == 1


def test_given_twenty_who_say_that_the_inputs_are_there_when_answered_then_they_are_taken_once_and_planned_once(
    pair: Pair, owner: str
) -> None:
    before = pair.executions()
    file = {"filename": "a.csv", "checksum_sha256": sha256(CONTENT).hexdigest()}
    with pair.apis[0].client(owner) as http:
        asked = http.post("analyses", json={"inputs": {"files": [file]}}).json()
    assert httpx.put(asked["inputs"]["files"][0]["upload_url"], content=CONTENT).status_code == 200
    url = f"analyses/{asked['id']}/inputs"
    answers = pair.at_once(owner, lambda http, _: http.put(url, json={"files": [file]}))
    assert {(answer.status_code, answer.json()["inputs"]["complete"]) for answer in answers} == {(200, True)}
    tasks = {answer.json()["planning"]["task_id"] for answer in answers}
    assert pair.started(before) == [f"plan-{tasks.pop()}"] and not tasks


def test_given_twenty_confirmations_and_runs_when_answered_then_one_plan_one_move_and_one_start(
    pair: Pair, owner: str
) -> None:
    before = pair.executions()
    job = drafted_analysis(pair.store, pair.artifacts, owner).job
    confirmed = pair.at_once(owner, lambda http, _: http.post(f"analyses/{job.id}/confirm"))
    assert {answer.status_code for answer in confirmed} == {200}
    assert len({answer.json()["plan_id"] for answer in confirmed}) == 1
    assert [each.facts["name"] for each in pair.store.outputs(job.id).items] == ["plan.json"]
    runs = pair.at_once(owner, lambda http, _: http.post(f"analyses/{job.id}/run"))
    assert sorted(answer.status_code for answer in runs) == [200] * 19 + [202]
    moves = [each.new_status for each in pair.store.events(job.id, 0, 500) if each.new_status is not None]
    assert moves == ["created", "draft_ready", "confirmed", "queued"]
    assert pair.started(before) == [job.id]


def test_given_twenty_people_who_have_one_plan_drafted_when_answered_then_one_task(pair: Pair, owner: str) -> None:
    before = pair.executions()
    job = arrived_analysis(pair.store, pair.artifacts, owner).job
    answers = pair.at_once(owner, lambda http, _: http.post(f"analyses/{job.id}/draft"))
    tasks = {answer.json()["planning"]["task_id"] for answer in answers}
    assert ({answer.status_code for answer in answers}, len(tasks)) == ({202}, 1)
    assert pair.started(before) == [f"plan-{tasks.pop()}"]


def test_given_twenty_edits_of_one_draft_when_answered_then_one_is_made_and_the_rest_are_stale(
    pair: Pair, owner: str
) -> None:
    drafted = drafted_analysis(pair.store, pair.artifacts, owner)
    steps = [{"id": "load", "title": "", "operation": {"op": "load", "table": "sales"}}]

    def edit(http: httpx.Client, number: int) -> httpx.Response:
        named = [{**steps[0], "title": f"By {number}"}]
        return http.patch(f"analyses/{drafted.job.id}/draft", json={"version": drafted.job.version, "steps": named})

    answers = pair.at_once(owner, edit)
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 19
    assert {answer.json().get("code") for answer in answers} == {None, "JOB_VERSION_CONFLICT"}
    assert pair.store.get_job(drafted.job.id).version == drafted.job.version + 1


def test_given_one_key_twenty_times_when_projects_and_jobs_are_made_then_one_of_each(pair: Pair, owner: str) -> None:
    key = {"Idempotency-Key": "k"}
    projects = pair.at_once(owner, lambda client, _: client.post("projects", json={"name": "a"}, headers=key))
    (project_id,) = {answer.json()["id"] for answer in projects}
    jobs = pair.at_once(owner, lambda client, _: client.post(f"projects/{project_id}/jobs", headers=key))

    assert statuses(projects) == statuses(jobs) == {201: AT_ONCE}
    for answers in (projects, jobs):
        assert len({answer.content for answer in answers}) == 1
        assert ["Idempotency-Replayed" in answer.headers for answer in answers].count(False) == 1
    assert len(pair.store.list_projects(owner).items) == len(pair.store.list_jobs(owner).items) == 1
    assert audit(pair, jobs[0].json()["id"], "JOB_CREATED") == 1


def test_given_one_key_twenty_times_when_a_version_is_restored_then_it_is_restored_once(pair: Pair, owner: str) -> None:
    job, _ = drafted_job(pair.store, owner)
    url = f"instructions/{job.instruction_id}"
    with pair.apis[0].client(owner) as client:
        edited = MARKDOWN.replace("Enter the name.", "Enter it.")
        assert client.put(url, json={"base_version": 1, "markdown": edited}).status_code == 200

    def restore(client: httpx.Client, _: int) -> httpx.Response:
        return client.post(f"{url}/restore", json={"version": 1, "base_version": 2}, headers={"Idempotency-Key": "k"})

    answers = pair.at_once(owner, restore)

    assert statuses(answers) == {200: AT_ONCE}
    assert {(answer.json()["version"], answer.json()["markdown"]) for answer in answers} == {(3, MARKDOWN)}
    assert pair.store.get_instruction(owner, instruction_of(job)).version == 3
    assert audit(pair, job.id, "INSTRUCTION_RESTORED") == 1
