"""Plans that a chat model drafts, over real HTTP from the sandbox; and analyses from the command line."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sample.analysis.truth import SALES, revenue_by_month_and_region
from starter.access.tokens import Tokens
from starter.cli.exits import ExitCode
from starter.cli.kinds.analyses import DEMO_ANSWERS, DEMO_REQUIREMENT
from starter.sandbox import Behaviour, RunningSandbox, running_sandbox
from tests.apis import SECRET
from tests.integration.analysis_jobs import OWNER, REGIONS, Bureau, running_bureau
from tests.temporal import TemporalServer

DATA = ("regions.csv", REGIONS)
PLAN: dict[str, Any] = {
    "steps": [
        {"id": "load", "title": "Everything", "needs": [], "operation": {"op": "load", "table": "regions"}},
        {
            "id": "most",
            "title": "The largest",
            "needs": ["load"],
            "operation": {"op": "sort", "by": [{"column": "amount", "descending": True}], "limit": 1},
        },
    ],
    "questions": [],
    "assumptions": ["Ties do not matter."],
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    with running_sandbox() as running:
        yield running


@pytest.fixture(scope="module")
def bureau(
    sandbox: RunningSandbox, temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bureau]:
    model: dict[str, Any] = {"llm_base_url": sandbox.base_url, "llm_model": "sandbox-planner"}
    with running_bureau(tmp_path_factory.mktemp("modelled"), temporal, **model) as running:
        yield running


@pytest.fixture(autouse=True)
def _fresh(sandbox: RunningSandbox) -> None:
    sandbox.reset()


def answered(plan: dict[str, Any]) -> Behaviour:
    message = {"role": "assistant", "content": json.dumps(plan)}
    return Behaviour(body={"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})


def test_given_a_model_that_plans_then_its_plan_is_the_draft_and_it_saw_no_value(
    bureau: Bureau, sandbox: RunningSandbox
) -> None:
    sandbox.script("chat", answered(PLAN))
    job = bureau.drafted("The largest amount", DATA)
    plan = bureau.draft(job)["plan"]
    assert (plan["plan_source"], [step["id"] for step in plan["steps"]]) == ("chat", ["load", "most"])
    assert "sandbox-planner" in plan["why"] and plan["assumptions"] == PLAN["assumptions"]
    (request,) = sandbox.requests("chat")
    assert "amount" in str(request["body"]) and "10.5" not in str(request["body"])


def test_given_a_model_whose_answer_is_no_plan_then_it_is_asked_once_more_and_then_the_built_in_planner_is(
    bureau: Bureau, sandbox: RunningSandbox
) -> None:
    sandbox.script("chat", *[answered({"steps": []})] * 2)
    plan = bureau.draft(bureau.drafted("Total amount by region", DATA))["plan"]
    assert plan["plan_source"] == "embedded"
    assert [warning["code"] for warning in plan["warnings"]] == ["MODEL_ANSWER_UNUSABLE"]
    assert sandbox.count("chat") == 2


@pytest.mark.parametrize(("status", "asked"), [(503, 3), (401, 1)])
def test_given_a_model_that_cannot_be_asked_then_the_built_in_planner_drafts_and_the_draft_says_so(
    bureau: Bureau, sandbox: RunningSandbox, status: int, asked: int
) -> None:
    sandbox.script("chat", Behaviour(status=status, times=20))
    plan = bureau.draft(bureau.drafted(f"Total amount by region {status}", DATA))["plan"]
    assert plan["plan_source"] == "embedded"
    assert [warning["code"] for warning in plan["warnings"]] == ["MODEL_UNREACHED"]
    assert sandbox.count("chat") == asked


def test_given_an_answer_to_a_model_s_question_then_the_model_is_told_it(
    bureau: Bureau, sandbox: RunningSandbox
) -> None:
    question = {"id": "which", "text": "Which?", "blocking": True, "options": ["a", "b"], "answer": None}
    sandbox.script("chat", answered({**PLAN, "questions": [question]}), answered({**PLAN, "questions": [question]}))
    job = bureau.drafted("Something of the amounts", DATA)
    draft = bureau.draft(job)
    assert draft["open_questions"] == ["which"]
    body = {"version": draft["version"], "answers": {"which": "b"}}
    after = bureau.http.patch(f"analyses/{job.id}/draft", json=body).json()
    assert after["current"] and after["open_questions"] == []
    told = json.loads(sandbox.requests("chat")[-1]["body"]["messages"][1]["content"])
    assert told["answers"] == {"which": "b"}


# --- from the command line -------------------------------------------------------------------------------------------


def command(bureau: Bureau, *words: str) -> "subprocess.CompletedProcess[str]":
    token = Tokens(SECRET).issue(OWNER)
    environment = {**os.environ, "GUIDESMITH_API_URL": bureau.api.url, "GUIDESMITH_TOKEN": token}
    call = [sys.executable, "-m", "starter.cli", "analyse", *words]
    return subprocess.run(
        call, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )


def test_given_the_command_when_its_question_is_answered_then_the_files_hold_what_is_true_of_the_sample(
    bureau: Bureau, sandbox: RunningSandbox, tmp_path: Path
) -> None:
    sandbox.script("chat", Behaviour(status=401, times=20))
    ask = (str(SALES), "--ask", DEMO_REQUIREMENT, "--out", str(tmp_path))
    asked = command(bureau, *ask)
    assert asked.returncode == ExitCode.USAGE and "--answer measure=" in asked.stderr
    answers = [word for name, text in DEMO_ANSWERS.items() for word in ("--answer", f"{name}={text}")]
    done = command(bureau, *ask, *answers, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [each["answer"] for each in said["answered"]] == [*DEMO_ANSWERS.values()]
    (table,) = (each["path"] for each in said["files"] if each["path"].endswith(".csv"))
    rows = [line.split(",") for line in Path(table).read_text(encoding="utf-8-sig").split()[1:]]
    found = {(date.fromisoformat(month), region): Decimal(total) for month, region, total in rows}
    assert found == revenue_by_month_and_region(2025)
    again = command(bureau, *ask)
    assert again.returncode == 0 and "report.md" in again.stdout
    assert len(bureau.store.list_jobs(OWNER, kind="analysis", status="succeeded").items) == 1


def test_given_a_question_that_no_answer_settles_when_the_command_is_run_then_it_fails_and_says_what_is_open(
    bureau: Bureau, sandbox: RunningSandbox, tmp_path: Path
) -> None:
    sandbox.script("chat", Behaviour(status=401, times=20))
    file = tmp_path / "regions.csv"
    file.write_text(REGIONS)
    failed = command(bureau, str(file), "--ask", "Total amount by month", "--yes", "--out", str(tmp_path / "out"))
    assert failed.returncode == ExitCode.JOB_FAILED and "OPEN_QUESTIONS" in failed.stderr
