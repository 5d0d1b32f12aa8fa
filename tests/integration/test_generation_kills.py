"""A worker that dies in each status of a generation: what is given to a provider, charged and kept stays one.

The process ends the moment the transaction that leads to the status is committed, before anybody hears of it.
"""

from collections.abc import Iterator

import pytest

from domain.credits import PostingKind
from domain.jobs import Job
from domain.lifecycles.generation import (
    CANCELED,
    COMPLETED,
    EXPIRED,
    FAILED,
    GENERATION,
    PENDING,
    PROCESSING,
    QUEUED,
    GenerationStatus,
)
from starter.sandbox import Course, Verdict
from starter.services import kinds
from tests.generating import OWNER, Workshop, running_workshop
from tests.temporal import TemporalServer

pytestmark = pytest.mark.timeout(300)  # waits one after the other, of which each may take a slow machine its time

BEGUN = [(None, PENDING), (PENDING, QUEUED), (QUEUED, PROCESSING)]
CANARY = "canary-periwinkle-4417"


@pytest.fixture(scope="module")
def workshop(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    folder = tmp_path_factory.mktemp("kills")
    with running_workshop(folder, temporal, predictions=True, predictions_deadline_s=2.0) as workshop:
        yield workshop


@pytest.fixture(autouse=True)
def _fresh(workshop: Workshop) -> Iterator[None]:
    workshop.sandbox.reset()
    workshop.stack.kill_worker()
    yield
    workshop.settle()


def test_given_workers_that_die_after_each_move_then_each_move_charge_and_asset_is_one(workshop: Workshop) -> None:
    asked = {f"{CANARY} on a glacier": COMPLETED, f"{CANARY}, nsfw": FAILED}
    jobs = {workshop.ask("static-ad", prompt=prompt): end for prompt, end in asked.items()}

    def are_over() -> bool:
        return all(workshop.store.get_job(each.id).completed_at is not None for each in jobs)

    for died_after in (QUEUED, PROCESSING, FAILED, COMPLETED):
        workshop.stack.die(died_after, unless=are_over)
    workshop.stack.start_worker()
    for job, end in jobs.items():
        ended_once(workshop, job, end)
    keys = {each["headers"]["idempotency-key"] for each in workshop.sandbox.requests("predictions")}
    assert len(keys) == len(jobs), "a request whose answer nobody lived to read is made again: it is the same work"


def test_given_a_worker_that_dies_as_a_job_expires_then_it_is_refunded_once(workshop: Workshop) -> None:
    workshop.sandbox.plan(Course(verdict=Verdict.NEVER, calls=()))
    job = workshop.ask("static-ad", prompt=CANARY)
    workshop.stack.die(EXPIRED, unless=lambda: False)
    workshop.stack.start_worker()
    ended_once(workshop, job, EXPIRED)
    assert (workshop.sandbox.count("predictions"), workshop.sandbox.count("prediction")) == (1, 1)


def ended_once(workshop: Workshop, job: Job, end: GenerationStatus) -> None:
    workshop.stack.wait_for(job, end)
    workshop.until_closed(job)
    assert workshop.moves(job) == [*BEGUN, (PROCESSING, end)]
    refund = [PostingKind.REFUND] if end in GENERATION.failures else []
    assert workshop.postings(job) == [PostingKind.DEDUCT, *refund]
    assert len(workshop.store.library_of_job(job.id)) == (0 if refund else 1)
    assert CANARY not in workshop.stack.history(job.id).to_json()
    assert CANARY not in workshop.stack.log_file.read_text()


def test_given_a_queued_job_whose_worker_is_gone_when_cancelled_then_canceled_once_there_is_one(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "CANCEL_WAIT_S", 0.5)  # it is waited for in vain
    job = workshop.ask("static-ad", prompt="on second thoughts")
    workshop.stack.die(QUEUED, unless=lambda: False)
    assert workshop.retry(job).json()["code"] == "RETRY_NOT_ALLOWED_STATE"
    assert workshop.http.post(f"jobs/{job.id}/cancel").json()["status"] == QUEUED
    workshop.stack.start_worker()
    workshop.stack.wait_for(job, CANCELED)
    workshop.until_closed(job)
    assert workshop.moves(job)[-1][1] == CANCELED
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    assert workshop.store.library_of_job(job.id) == ()
    for path in (f"jobs/{job.id}/cancel", f"jobs/{job.id}/run"):
        assert workshop.http.post(path).status_code == 409
    assert workshop.retry(job).json()["code"] == "RETRY_NOT_ALLOWED_STATE"
    assert workshop.store.balance(OWNER).reserved == 0
