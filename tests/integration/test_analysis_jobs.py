"""The analysis job on the real engine: every row of its table, kills in every status, and what is done once.

One Temporal, one API and one worker process for the module.
"""

import csv
import io
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from domain.analysis import CONFIRMED, CREATED, DRAFT_READY, FAILED, QUEUED, RUNNING, SUCCEEDED
from sample.analysis.truth import REQUIREMENT, revenue_by_month_and_region
from tests.integration.analysis_jobs import REGIONS, TOTALS, Bureau, running_bureau, sales
from tests.temporal import TemporalServer

Json = dict[str, Any]


@pytest.fixture(scope="module")
def bureau(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bureau]:
    with running_bureau(tmp_path_factory.mktemp("bureau"), temporal) as running:
        yield running


@pytest.fixture(autouse=True)
def _a_worker(bureau: Bureau) -> None:
    if not bureau.stack.workers:
        bureau.stack.start_worker()


def test_given_a_table_and_a_requirement_when_asked_planned_confirmed_and_run_then_the_results_are_right(
    bureau: Bureau,
) -> None:
    file = sales()
    asked = bureau.ask(REQUIREMENT, file)
    assert (asked["status"], asked["kind"], asked["inputs"]["complete"]) == (CREATED, "analysis", False)
    sent = bureau.send(asked, file)
    assert sent["inputs"]["complete"]
    job = bureau.stack.wait_for(bureau.store.get_job(asked["id"]), DRAFT_READY)
    draft = bureau.draft(job)
    print(draft["plan"])
    assert draft["plan"]["plan_source"] == "embedded"
