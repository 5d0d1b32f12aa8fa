"""The analysis job on the real engine: every row of its table, kills in every status, and what is done once.

One Temporal, one API and one worker process for the module.
"""

import csv
import io
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from domain.jobs import Job, TaskStatus
from domain.lifecycles.analysis import ANALYSIS, CONFIRMED, CREATED, DRAFT_READY, FAILED, QUEUED, RUNNING, SUCCEEDED
from sample.analysis.truth import REQUIREMENT, revenue_by_month_and_region
from tests.integration.analysis_jobs import REGIONS, TOTALS, Bureau, declared, running_bureau, sales
from tests.integration.test_analysis_inputs import workbook
from tests.stack import wait_until
from tests.temporal import TemporalServer

DATA = ("regions.csv", REGIONS)
DRAFTED = [(None, CREATED), (CREATED, DRAFT_READY)]
QUEUED_UP = [*DRAFTED, (DRAFT_READY, CONFIRMED), (CONFIRMED, QUEUED)]
DONE = [*QUEUED_UP, (QUEUED, RUNNING), (RUNNING, SUCCEEDED)]
ASKS = "Total by region"
"""A requirement that leaves open what is added up, of a table with two numbers."""
TWO_NUMBERS = ("two.csv", "region,net,gross\nNorth,1,2\nSouth,3,4\n")
UNKNOWN = "Total amount by month"
"""One over a table without dates."""
MANY = ("many.csv", "id,amount\n" + "".join(f"{each},{each}\n" for each in range(3_000)))
ALL_ROWS = [
    {"id": "all", "title": "All", "operation": {"op": "load", "table": "many"}},
]
FEW_ROWS = "2000"
"""As many as a step of a run may have here."""


@pytest.fixture(scope="module")
def bureau(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bureau]:
    with running_bureau(
        tmp_path_factory.mktemp("bureau"), temporal, worker={"GUIDESMITH_ANALYSIS_RESULT_ROWS": FEW_ROWS}
    ) as running:
        yield running


@pytest.fixture(autouse=True)
def _a_worker(bureau: Bureau) -> None:
    bureau.stack.attend()


# --- the rows of the table -------------------------------------------------------------------------------------------


def test_given_a_table_and_a_requirement_when_planned_confirmed_and_run_then_the_results_are_right(
    bureau: Bureau,
) -> None:
    job = bureau.succeeded(REQUIREMENT, sales())
    assert bureau.moves(job) == DONE
    made = bureau.artifacts(job)
    assert {"plan.json", "report.md"} < set(made)
    table = next(name for name in made if name.startswith("tables/") and name.endswith(".csv"))
    chart = next(name for name in made if name.startswith("charts/"))
    assert table.replace(".csv", ".parquet") in made
    rows = csv.DictReader(io.StringIO(_fetched(made[table]).decode("utf-8-sig")))
    found = {(date.fromisoformat(row["month"]), row["region"]): Decimal(row["total_revenue"]) for row in rows}
    assert found == revenue_by_month_and_region(2025)
    assert made[table]["rows"] == len(found)
    assert _fetched(made[chart]).startswith(b"\x89PNG")
    assert b"# " in _fetched(made["report.md"])
    answer = bureau.http.get(f"analyses/{job.id}").json()
    assert (answer["progress"], answer["attempt"], answer["failure"]) == (100, 1, None)
    assert answer["source_name"] == "sales.csv"
    assert answer["plan_id"] in _fetched(made["plan.json"]).decode()


def test_given_files_of_every_form_when_asked_across_them_then_they_are_joined(bureau: Bureau, tmp_path: Path) -> None:
    amounts = tmp_path / "amounts.parquet"
    duckdb.execute(f"COPY (SELECT * FROM (VALUES ('a', 5), ('b', 7), ('a', 1)) t(customer, amount)) TO '{amounts}'")
    files = (
        ("amounts.parquet", amounts.read_bytes()),
        ("customers.xlsx", workbook({"Sheet1": [["customer", "segment"], ["a", "retail"], ["b", "trade"]]})),
        DATA,
    )
    job = bureau.succeeded("Total amount of amounts by segment", *files)
    draft = bureau.draft(job)
    assert sorted(table["name"] for table in draft["tables"]) == ["amounts", "customers", "regions"]
    made = bureau.artifacts(job)
    table = next(name for name in made if name.startswith("tables/") and name.endswith(".csv"))
    text = _fetched(made[table]).decode("utf-8-sig")
    assert [line.split(",") for line in text.split()[1:]] == [["retail", "6"], ["trade", "7"]]


def test_given_questions_when_they_are_open_then_confirm_says_which_and_answers_lead_to_another_plan(
    bureau: Bureau,
) -> None:
    job = bureau.drafted(ASKS, TWO_NUMBERS)
    draft = bureau.draft(job)
    (question,) = draft["open_questions"]
    refused = bureau.http.post(f"analyses/{job.id}/confirm")
    assert (refused.status_code, refused.json()["code"]) == (400, "OPEN_QUESTIONS")
    assert refused.json()["details"]["open_questions"] == [question]
    assert bureau.stack.job(job).status == DRAFT_READY and bureau.artifacts(job) == {}
    answer = {"version": draft["version"], "answers": {question: "gross"}}
    answered = bureau.http.patch(f"analyses/{job.id}/draft", json=answer).json()
    assert answered["current"] and answered["open_questions"] == [] and answered["version"] > draft["version"]
    assert "gross" in str(answered["plan"]["steps"])
    again = bureau.http.patch(f"analyses/{job.id}/draft", json=answer)
    assert (again.status_code, again.json()["version"]) == (200, answered["version"])
    assert bureau.http.post(f"analyses/{job.id}/confirm").json()["status"] == CONFIRMED
    assert bureau.moves(job) == [*DRAFTED, (DRAFT_READY, CONFIRMED)]


def test_given_a_blocking_unknown_when_the_requirement_is_changed_then_it_is_planned_anew(bureau: Bureau) -> None:
    job = bureau.drafted(UNKNOWN, DATA)
    draft = bureau.draft(job)
    refused = bureau.http.post(f"analyses/{job.id}/confirm").json()
    assert refused["details"]["blocking_unknowns"] == draft["blocking_unknowns"] != []
    changed = {"version": draft["version"], "requirement": TOTALS}
    planned = bureau.http.patch(f"analyses/{job.id}/draft", json=changed).json()
    assert planned["current"] and planned["blocking_unknowns"] == []
    found = bureau.http.post("analyses", json={"requirement": TOTALS, "inputs": {"files": [declared(*DATA)]}})
    assert bureau.http.post(f"analyses/{job.id}/confirm").status_code == 200
    assert found.status_code in (200, 202)


def test_given_steps_by_hand_when_they_fit_then_they_are_the_plan_and_may_settle_an_unknown(bureau: Bureau) -> None:
    job = bureau.drafted(UNKNOWN, DATA, plan_revision=2)
    draft = bureau.draft(job)
    steps = [{"id": "all", "title": "All rows", "operation": {"op": "load", "table": "regions"}}]
    bad = [{"id": "all", "title": "All rows", "operation": {"op": "load", "table": "nowhere"}}]
    url = f"analyses/{job.id}/draft"
    refused = bureau.http.patch(url, json={"version": draft["version"], "steps": bad})
    assert (refused.status_code, refused.json()["code"]) == (400, "PLAN_INVALID")
    body = {"version": draft["version"], "steps": steps, "dismissed_unknowns": draft["blocking_unknowns"]}
    taken = bureau.http.patch(url, json=body).json()
    assert taken["plan"]["steps"][0]["id"] == "all" and taken["blocking_unknowns"] == []
    assert taken["plan"]["why"].endswith("by hand.")
    stale = bureau.http.patch(url, json={"version": draft["version"], "steps": [{**steps[0], "title": "Other"}]})
    assert (stale.status_code, stale.json()["code"]) == (409, "JOB_VERSION_CONFLICT")
    assert bureau.http.post(f"analyses/{job.id}/confirm", json={"version": draft["version"]}).status_code == 409
    assert bureau.http.post(f"analyses/{job.id}/confirm", json={"version": taken["version"]}).status_code == 200
    late = bureau.http.patch(url, json={"version": taken["version"], "steps": steps})
    assert (late.status_code, late.json()["code"]) == (409, "FSM_TRANSITION_INVALID")


def test_given_a_run_that_needs_too_much_then_failed_says_which_step_and_a_retry_counts(bureau: Bureau) -> None:
    job = bureau.drafted("Everything", MANY)
    version = bureau.draft(job)["version"]
    body = {"version": version, "steps": ALL_ROWS, "answers": _answers(bureau, job)}
    assert bureau.http.patch(f"analyses/{job.id}/draft", json=body).status_code == 200
    assert bureau.http.post(f"analyses/{job.id}/confirm").status_code == 200
    bureau.run(job)
    failed = bureau.stack.wait_for(job, FAILED)
    assert failed.failure is not None and failed.failure.failure_code == "ANALYSIS_LIMIT_EXCEEDED"
    assert failed.failure.failed_stage == "computation" and "'all'" in failed.failure.failure_message
    assert bureau.moves(job) == [*QUEUED_UP, (QUEUED, RUNNING), (RUNNING, FAILED)]
    assert set(bureau.artifacts(job)) == {"plan.json"}
    answer = bureau.run(job)
    assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TERMINAL_IMMUTABLE")

    bureau.stack.kill_worker()
    bureau.stack.start_worker(GUIDESMITH_ANALYSIS_RESULT_ROWS="100000")
    retry = {"client_request_id": "again"}
    first = bureau.http.post(f"jobs/{job.id}/retry", json=retry)
    assert (first.status_code, first.json()["resume_from_status"]) == (202, QUEUED)
    replay = bureau.http.post(f"jobs/{job.id}/retry", json=retry)
    assert (replay.status_code, replay.json()["dispatch_id"]) == (200, first.json()["dispatch_id"])
    done = bureau.stack.wait_for(job, SUCCEEDED)
    assert done.attempt == 2 and done.failure is None
    assert bureau.moves(job)[-3:] == [(FAILED, QUEUED), (QUEUED, RUNNING), (RUNNING, SUCCEEDED)]
    assert set(bureau.artifacts(job)) > {"plan.json", "report.md"}
    late = bureau.http.post(f"jobs/{job.id}/retry", json={"client_request_id": "late"})
    assert (late.status_code, late.json()["code"]) == (409, "RETRY_NOT_ALLOWED_STATE")
    bureau.stack.kill_worker()


def test_given_each_status_when_moved_where_its_table_does_not_lead_then_refused_and_nothing_changes(
    bureau: Bureau, tmp_path: Path
) -> None:
    created = bureau.stack.job(_job(bureau, bureau.ask("never sent", DATA)))
    drafted = bureau.drafted("Average amount by region", DATA)
    confirmed = bureau.confirmed("Smallest amount by region", DATA)
    succeeded = bureau.succeeded("Largest amount by region", DATA)
    bureau.stack.kill_worker()
    held = tmp_path / "held"
    held.touch()
    bureau.stack.start_worker(HOLD=str(RUNNING), HOLD_FILE=str(held))
    running = bureau.confirmed("Number of rows by region", DATA)
    bureau.run(running)
    running = bureau.stack.wait_for(running, RUNNING)
    for job in (created, drafted, confirmed, succeeded, running):
        before = bureau.stack.job(job)
        lifecycle = [str(each) for each in ANALYSIS.allowed_next(ANALYSIS.status(before.status))]
        answer = bureau.http.post(f"jobs/{job.id}/cancel")
        expected = "FSM_TERMINAL_IMMUTABLE" if before.status == SUCCEEDED else "FSM_TRANSITION_INVALID"
        assert (answer.status_code, answer.json()["code"]) == (409, expected)
        assert answer.json()["details"]["allowed_next_statuses"] == lifecycle
        assert bureau.http.post(f"jobs/{job.id}/retry", json={"client_request_id": "x"}).status_code == 409
        assert bureau.http.post(f"jobs/{job.id}/run").status_code == 409
        assert bureau.stack.job(job).version == before.version
    for job in (created, drafted):
        answer = bureau.run(job)
        assert (answer.status_code, answer.json()["code"]) == (409, "FSM_TRANSITION_INVALID")
        assert answer.json()["details"]["attempted_status"] == QUEUED
    assert bureau.http.get(f"analyses/{created.id}/draft").json()["code"] == "DRAFT_NOT_READY"
    assert bureau.http.post(f"analyses/{created.id}/confirm").json()["code"] == "DRAFT_NOT_READY"
    for job in (confirmed, succeeded, running):
        locked = bureau.http.put(f"analyses/{job.id}/inputs", json={"files": [declared("other.csv", "a,b\n1,2\n")]})
        assert (locked.status_code, locked.json()["code"]) == (409, "FSM_TRANSITION_INVALID")
        assert bureau.http.post(f"analyses/{job.id}/draft").status_code == 409
    held.unlink()
    bureau.stack.wait_for(running, SUCCEEDED)
    bureau.stack.kill_worker()


# --- planning --------------------------------------------------------------------------------------------------------


def test_given_inputs_that_are_no_table_then_the_job_stays_created_says_why_and_is_planned_once_they_are(
    bureau: Bureau,
) -> None:
    broken = ("broken.csv", b"\x00\x01\x02\x03" * 1000)
    asked = bureau.ask(TOTALS, broken)
    bureau.send(asked, broken)
    job = _job(bureau, asked)
    found = bureau.planned(job)
    assert found.status == CREATED and found.planning is not None and found.planning.failure is not None
    answer = bureau.http.get(f"analyses/{job.id}").json()["planning"]
    assert (answer["status"], answer["failure"]["failed_stage"]) == ("FAILED", "inputs")
    assert answer["failure"]["failure_code"].startswith("TABLE_")
    assert bureau.http.get(f"analyses/{job.id}/draft").json()["details"]["failure_code"].startswith("TABLE_")
    again = bureau.http.post(f"analyses/{job.id}/draft")
    assert again.status_code == 202 and again.json()["planning"]["task_id"] != answer["task_id"]
    assert bureau.planned(job).status == CREATED
    other = ("mended.csv", REGIONS)
    bureau.send(bureau.put_inputs(job.id, other), other)
    bureau.stack.wait_for(job, DRAFT_READY)
    assert bureau.moves(job) == DRAFTED
    assert [table["name"] for table in bureau.draft(job)["tables"]] == ["mended"]


def test_given_other_inputs_when_there_is_a_draft_then_it_is_no_plan_for_them_and_another_is_drafted(
    bureau: Bureau,
) -> None:
    job = bureau.drafted("Mean amount by region", DATA)
    before = bureau.draft(job)
    other = ("more.csv", REGIONS + "East,99\n")
    declared_only = bureau.put_inputs(job.id, other)
    assert not declared_only["inputs"]["complete"] and declared_only["status"] == DRAFT_READY
    assert not bureau.draft(job)["current"]
    assert bureau.http.post(f"analyses/{job.id}/confirm").json()["code"] == "DRAFT_NOT_READY"
    bureau.send(declared_only, other)
    wait_until(lambda: bureau.analysis(job).is_planned, 60, "the other plan")
    after = bureau.draft(job)
    assert after["current"] and after["inputs_fingerprint"] != before["inputs_fingerprint"]
    assert after["tables"][0]["rows"] == 4
    assert bureau.ask("Mean amount by region", other)["id"] == job.id
    assert bureau.ask("Mean amount by region", DATA)["id"] != job.id


def test_given_a_worker_that_is_killed_while_a_plan_is_drafted_then_it_is_drafted_once(bureau: Bureau) -> None:
    bureau.stack.kill_worker()
    asked = bureau.ask("Sum of amount by region", DATA)
    bureau.send(asked, DATA)
    assert bureau.put_inputs(asked["id"], DATA)["planning"]["status"] == "PENDING"
    bureau.stack.start_worker()
    job = _job(bureau, asked)
    bureau.stack.wait_for(job, DRAFT_READY)
    assert (bureau.events(job, "PLAN_REQUESTED"), bureau.events(job, "PLAN_DRAFTED")) == (1, 1)
    assert bureau.moves(job) == DRAFTED


def test_given_a_planning_whose_start_was_lost_or_whose_run_was_ended_when_reconciled_then_it_is_settled(
    bureau: Bureau,
) -> None:
    job = bureau.drafted("Count of rows by region", DATA)
    bureau.store.request_planning(job.owner, job.id, again=True)
    bureau.reconcile_tasks()
    assert bureau.planned(job).planning.status is TaskStatus.SUCCEEDED  # type: ignore[union-attr]
    bureau.stack.kill_worker()
    assert bureau.http.post(f"analyses/{job.id}/draft").status_code == 202
    task = bureau.analysis(job).planning
    assert task is not None and task.status is TaskStatus.PENDING
    bureau.stack.loop.run(bureau.stack.client.get_workflow_handle(f"plan-{task.id}").terminate())
    bureau.reconcile_tasks()
    failure = bureau.planned(job).planning.failure  # type: ignore[union-attr]
    assert failure is not None and failure.failure_code == "WORKFLOW_LOST"
    assert bureau.draft(job)["current"]


# --- once ------------------------------------------------------------------------------------------------------------


def test_given_the_same_question_over_the_same_files_when_asked_again_then_it_is_the_same_analysis(
    bureau: Bureau,
) -> None:
    first = bureau.ask("  Total   amount\nby region ", DATA, plan_revision=7)
    body = {"requirement": "Total amount by region", "inputs": {"files": [declared(*DATA)]}, "plan_revision": 7}
    again = bureau.http.post("analyses", json=body)
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert again.headers["Idempotency-Replayed"] == "true"
    assert bureau.http.post("analyses", json={**body, "plan_revision": 8}).status_code == 202
    assert bureau.http.post("analyses", json={**body, "requirement": "Another"}).status_code == 202
    with bureau.api.client("bob") as bob:
        assert bob.post("analyses", json=body).status_code == 202
        assert bob.get(f"analyses/{first['id']}").status_code == 404


def test_given_a_plan_when_confirmed_again_then_it_has_one_id_and_one_artifact_and_other_inputs_conflict(
    bureau: Bureau,
) -> None:
    job = bureau.confirmed("Median amount by region", DATA)
    first = bureau.http.get(f"analyses/{job.id}").json()
    again = bureau.http.post(f"analyses/{job.id}/confirm", json={"inputs_fingerprint": first["inputs"]["fingerprint"]})
    assert (again.status_code, again.json()["plan_id"]) == (200, first["plan_id"])
    assert set(bureau.artifacts(job)) == {"plan.json"}
    for what in ("confirm", "run"):
        other = bureau.http.post(f"analyses/{job.id}/{what}", json={"inputs_fingerprint": "0" * 64})
        assert (other.status_code, other.json()["code"]) == (409, "PLAN_CONFLICT")
    assert bureau.stack.job(job).status == CONFIRMED
    assert bureau.run(job).status_code == 202
    bureau.stack.wait_for(job, SUCCEEDED)
    assert bureau.run(job).status_code == 200
    assert bureau.http.post(f"analyses/{job.id}/confirm").json()["plan_id"] == first["plan_id"]
    assert bureau.moves(job) == DONE


# --- kills -----------------------------------------------------------------------------------------------------------


def test_given_a_worker_that_is_killed_while_it_computes_then_one_set_of_artifacts_and_no_move_twice(
    bureau: Bureau, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    held.touch()
    bureau.stack.kill_worker()
    bureau.stack.start_worker(HOLD=str(RUNNING), HOLD_FILE=str(held))
    job = bureau.confirmed(TOTALS, DATA, plan_revision=11)
    bureau.run(job)
    bureau.stack.wait_for(job, RUNNING)
    bureau.stack.kill_worker()
    bureau.stack.start_worker()
    _succeeded_once(bureau, job)
    again = [each.execution for each in bureau.stack.audit(job) if each.event_type == "STAGE_RETRIED"]
    assert again == [*range(2, 2 + len(again))] != [], "one, and others only where a starved worker was missed"


def test_given_a_worker_that_dies_with_the_results_recorded_then_nothing_is_made_twice(bureau: Bureau) -> None:
    bureau.stack.kill_worker()
    bureau.stack.start_worker(DIE_AFTER=str(SUCCEEDED))
    job = bureau.confirmed(TOTALS, DATA, plan_revision=12)
    bureau.run(job)
    bureau.stack.wait_for(job, SUCCEEDED)
    bureau.stack.kill_worker()
    bureau.stack.start_worker()
    bureau.stack.loop.run(bureau.stack.client.get_workflow_handle(job.id).result())
    _succeeded_once(bureau, job)


def test_given_no_worker_while_it_is_confirmed_and_queued_then_it_goes_on_when_there_is_one(bureau: Bureau) -> None:
    job = bureau.drafted(TOTALS, DATA, plan_revision=13)
    bureau.stack.kill_worker()
    assert bureau.http.post(f"analyses/{job.id}/confirm").status_code == 200
    assert bureau.run(job).json()["status"] == QUEUED
    bureau.stack.start_worker()
    _succeeded_once(bureau, job)


def _succeeded_once(bureau: Bureau, job: Job) -> None:
    bureau.stack.wait_for(job, SUCCEEDED)
    assert bureau.moves(job) == DONE
    assert {"plan.json", "report.md"} < set(bureau.artifacts(job))


# --- what the engine lost --------------------------------------------------------------------------------------------


def test_given_a_start_that_was_lost_when_reconciled_then_the_analysis_runs(bureau: Bureau) -> None:
    job = bureau.confirmed(TOTALS, DATA, plan_revision=14)
    bureau.store.enqueue_analysis(job.owner, job.id)
    bureau.reconcile()
    _succeeded_once(bureau, job)


@pytest.mark.parametrize("how", ["terminate", "cancel"])
def test_given_a_run_that_an_operator_ended_then_it_has_failed_and_may_be_retried(
    bureau: Bureau, tmp_path: Path, how: str
) -> None:
    held = tmp_path / "held"
    held.touch()
    bureau.stack.kill_worker()
    bureau.stack.start_worker(HOLD=str(RUNNING), HOLD_FILE=str(held))
    job = bureau.confirmed(TOTALS, DATA, plan_revision=15 + len(how))
    bureau.run(job)
    bureau.stack.wait_for(job, RUNNING)
    handle = bureau.stack.client.get_workflow_handle(job.id)

    def has_failed() -> bool:
        """As the worker may have found out a moment before."""
        return bureau.stack.job(job).status == FAILED

    bureau.stack.loop.run(handle.terminate() if how == "terminate" else handle.cancel())
    if how == "terminate":
        bureau.stack.kill_worker()
        wait_until(lambda: bureau.reconcile().repaired or has_failed(), 60, "the terminated job's end")
    failed = bureau.stack.wait_for(job, FAILED)
    expected = "WORKFLOW_LOST" if how == "terminate" else "CANCELLED"
    assert failed.failure is not None and failed.failure.failure_code == expected
    bureau.stack.kill_worker()
    bureau.stack.start_worker()
    assert bureau.http.post(f"jobs/{job.id}/retry", json={"client_request_id": "again"}).status_code == 202
    assert bureau.stack.wait_for(job, SUCCEEDED).attempt == 2
    assert set(bureau.artifacts(job)) > {"plan.json", "report.md"}


def test_given_a_run_that_was_terminated_before_its_first_write_when_reconciled_then_it_has_failed(
    bureau: Bureau,
) -> None:
    job = bureau.confirmed(TOTALS, DATA, plan_revision=16)
    bureau.stack.kill_worker()
    bureau.run(job)
    bureau.stack.loop.run(bureau.stack.client.get_workflow_handle(job.id).terminate())
    wait_until(lambda: bureau.reconcile().repaired or None, 60, "the terminated job's end")
    failed = bureau.stack.wait_for(job, FAILED)
    assert failed.failure is not None and failed.failure.failure_message.endswith("Retry it.")
    assert bureau.moves(job) == [*QUEUED_UP, (QUEUED, RUNNING), (RUNNING, FAILED)]
    bureau.stack.start_worker()
    assert bureau.http.post(f"jobs/{job.id}/retry", json={"client_request_id": "again"}).status_code == 202
    assert bureau.stack.wait_for(job, SUCCEEDED).attempt == 2


# --- inputs ----------------------------------------------------------------------------------------------------------


def test_given_a_large_file_when_sent_in_parts_then_it_is_awaited_until_it_is_whole(bureau: Bureau) -> None:
    content = ("region,amount\n" + "North,1\n" * 20_000).encode()
    file = ("large.csv", content)
    asked = bureau.ask("Number of rows by region of the large file", file)
    (place,) = asked["inputs"]["files"]
    size = place["part_size"]
    parts = [content[at : at + size] for at in range(0, len(content), size)]
    assert len(parts) == 3
    for number in (3, 1):
        httpx.put(f"{place['upload_url']}?part={number}", content=parts[number - 1])
    assert not bureau.put_inputs(asked["id"], file)["inputs"]["complete"]
    assert httpx.get(place["upload_url"]).json()["received_parts"] == [1, 3]
    httpx.put(f"{place['upload_url']}?part=2", content=parts[1])
    assert bureau.put_inputs(asked["id"], file)["inputs"]["complete"]
    job = bureau.stack.wait_for(_job(bureau, asked), DRAFT_READY)
    assert bureau.draft(job)["tables"][0]["rows"] == 20_000
    late = httpx.put(place["upload_url"], content=b"other")
    assert (late.status_code, late.json()["code"]) == (409, "UPLOAD_SEALED")


def test_given_bytes_that_are_not_those_declared_when_put_then_400_and_they_may_be_sent_again(bureau: Bureau) -> None:
    asked = bureau.ask("a wrong file", DATA)
    (place,) = asked["inputs"]["files"]
    httpx.put(place["upload_url"], content=b"something else")
    wrong = bureau.http.put(f"analyses/{asked['id']}/inputs", json={"files": [declared(*DATA)]})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "UPLOAD_INVALID")
    assert bureau.send(asked, DATA)["inputs"]["complete"]


@pytest.mark.parametrize(
    "body",
    [
        {"inputs": {"files": [declared("a.csv", "x")] * 2}},
        {"inputs": {"files": [declared(f"{each}.csv", str(each)) for each in range(11)]}},
        {"inputs": {"files": [{"filename": "a.csv"}]}},
        {"inputs": {"files": [declared("a.csv", "x")], "fingerprint": "0" * 64}},
        {"requirement": "x" * 4_001},
        {"requirement": "nul \x00"},
    ],
)
def test_given_a_request_that_makes_no_sense_then_400_and_no_job(bureau: Bureau, body: dict[str, Any]) -> None:
    with bureau.api.client("nobody") as http:
        answer = http.post("analyses", json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_ERROR")
        assert http.get("jobs").json()["items"] == []


def test_given_a_file_that_is_too_large_then_413_when_announced_and_when_sent(bureau: Bureau) -> None:
    announced = {**declared("big.csv", "x"), "size_bytes": 2 << 40}
    refused = bureau.http.post("analyses", json={"inputs": {"files": [announced]}})
    assert (refused.status_code, refused.json()["code"]) == (413, "TABLE_TOO_LARGE")


def test_given_hostile_names_and_cells_then_results_have_safe_names_and_no_formula(bureau: Bureau) -> None:
    file = ("../../etc/passwd.csv", "region,amount\n\"=cmd|' /C calc'!A0\",1\n@SUM(1+1),2\n")
    asked = bureau.ask(TOTALS, file)
    (place,) = asked["inputs"]["files"]
    assert place["filename"] == "passwd.csv"
    httpx.put(place["upload_url"], content=str(file[1]).encode())
    bureau.put_inputs(asked["id"], file)
    job = bureau.stack.wait_for(_job(bureau, asked), DRAFT_READY)
    assert bureau.http.post(f"analyses/{job.id}/confirm").status_code == 200
    bureau.run(job)
    bureau.stack.wait_for(job, SUCCEEDED)
    made = bureau.artifacts(job)
    assert not any(".." in name or name.startswith("/") for name in made)
    table = next(name for name in made if name.endswith(".csv"))
    cells = [row[0] for row in csv.reader(io.StringIO(_fetched(made[table]).decode("utf-8-sig")))][1:]
    assert cells and all(cell[0] not in "=+-@" for cell in cells)
    assert made[table]["url"].count("..") == 0


# --- silence, and strangers ------------------------------------------------------------------------------------------


def test_given_words_and_data_then_no_history_no_log_and_no_audit_row_has_them(bureau: Bureau) -> None:
    canary, secret = "canary-heliotrope-7719", "canary-periwinkle-4410"
    file = ("data.csv", f"region,amount\n{secret},5\nNorth,6\n")
    job = bureau.succeeded(f'Total amount by region where region is not "{canary}"', file)
    task = bureau.analysis(job).planning
    assert task is not None
    for words in (canary, secret):
        for workflow in (job.id, f"plan-{task.id}"):
            assert words not in bureau.stack.history(workflow).to_json()
        assert all(words not in each.model_dump_json() for each in bureau.store.events(job.id, 0, 500))
        assert words not in bureau.stack.log_file.read_text()


def test_given_a_stranger_when_they_look_or_act_then_there_is_nothing(bureau: Bureau) -> None:
    job = bureau.succeeded(TOTALS, DATA, plan_revision=17)
    with bureau.api.client("stranger") as http:
        answers = [
            http.get(f"analyses/{job.id}"),
            http.get(f"analyses/{job.id}/draft"),
            http.get(f"analyses/{job.id}/artifacts"),
            http.put(f"analyses/{job.id}/inputs", json={"files": []}),
            http.patch(f"analyses/{job.id}/draft", json={"version": 1}),
            *(http.post(f"analyses/{job.id}/{what}") for what in ("draft", "confirm", "run")),
        ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    url = bureau.artifacts(job)["report.md"]["url"]
    assert httpx.get(url[:-4] + "AAAA").status_code == 404


def _answers(bureau: Bureau, job: Job) -> dict[str, str]:
    return {each["id"]: "all" for each in bureau.draft(job)["plan"]["questions"]}


def _job(bureau: Bureau, asked: dict[str, Any]) -> Job:
    return bureau.store.get_job(asked["id"])


def _fetched(artifact: dict[str, Any]) -> bytes:
    answer = httpx.get(artifact["url"])
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]
    assert answer.headers["content-type"].startswith(artifact["mime_type"].partition(";")[0])
    return answer.content
