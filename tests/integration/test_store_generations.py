"""Generations in the database: submissions that are made once and end once, retries, new attempts, and the log's lines
of what was committed."""

from collections.abc import Iterator, MutableMapping
from itertools import product
from typing import Any

import pytest
from structlog.testing import capture_logs

from activities.store import JobRequest, Store
from domain.errors import (
    Fenced,
    InsufficientCredits,
    NotFound,
    RetryNotAllowed,
    TransitionRefused,
)
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.fence import Fence
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
from domain.lifecycles.lifecycle import Trigger
from domain.orders.generation import ProviderWord
from tests.integration.store_builders import OWNER, at_once, log_of

COST = 8
PROVIDER = "replicate"
REASON = Failure(failure_code="PROVIDER_ERROR", failure_message="It failed.")
DONE = ProviderWord(outputs=("https://files.example.org/1",))
PASSING = ProviderWord(failure_code="PROVIDER_UNAVAILABLE", failure_message="Again.", passing=True)


def made(store: Store, credits: int = COST) -> Job:
    if credits:
        store.grant(OWNER, credits, reason="a test", actor="admin", idempotency_key=f"grant {credits}")
    order = {"type": "static_ad", "prompt": "a kettle", "params": {}}
    request = JobRequest(owner=OWNER, kind=GENERATION.kind, input=order, cost=COST, job_type="static_ad")
    return store.request_job(request)[0]


def moved(store: Store, job: Job, *targets: str) -> Job:
    for target in targets:
        job = store.move(job.id, None, target, trigger=Trigger.WORKER, actor=Actor.SYSTEM, failure=REASON)
    return job


def brought(store: Store, status: GenerationStatus) -> Job:
    """A job that has ``status``, by the table's shortest way."""
    job = made(store, 10 * COST)
    return job if status is PENDING else moved(store, job, *GENERATION.way(PENDING, status, Trigger.WORKER))


@pytest.fixture
def lines() -> Iterator[list[MutableMapping[str, Any]]]:
    with capture_logs() as said:
        yield said


def said(lines: list[MutableMapping[str, Any]], event: str) -> list[MutableMapping[str, Any]]:
    return [each for each in lines if each["event"] == event]


# --- the table -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", GenerationStatus)
def test_given_a_status_when_moved_where_its_table_does_not_lead_then_refused_and_nothing_changed(
    store: Store, status: GenerationStatus
) -> None:
    job = brought(store, status)
    before = (store.get_job(job.id), log_of(store, job.id), store.balance(OWNER))
    for target, trigger in product(GenerationStatus, (Trigger.WORKER, Trigger.API, Trigger.ADMIN, Trigger.USER)):
        if GENERATION.may(status, target, trigger) or (status is target and GENERATION.is_terminal(status)):
            continue
        with pytest.raises(TransitionRefused) as refused:
            store.move(job.id, None, target, trigger=trigger, actor=Actor.SYSTEM, failure=REASON)
        allowed = [str(each) for each in GENERATION.allowed_next(status)]
        assert refused.value.details["allowed_next_statuses"] == allowed
    assert (store.get_job(job.id), log_of(store, job.id), store.balance(OWNER)) == before


# --- submissions -----------------------------------------------------------------------------------------------------


def test_given_a_submission_when_begun_again_then_it_is_the_same_until_it_has_failed_for_a_while(store: Store) -> None:
    job = made(store)
    first = store.begin_submission(job.id, 1, PROVIDER)
    assert (first.number, first.external_id, first.word) == (1, None, None)
    assert store.begin_submission(job.id, 1, PROVIDER) == first
    store.bind_work(first, "p-1")
    store.bind_work(first, "p-2")
    bound = store.begin_submission(job.id, 1, PROVIDER)
    assert (bound.number, bound.external_id, bound.request_id) == (1, "p-1", f"{job.id}-1")
    store.settle_submission(bound, PASSING)
    second = store.begin_submission(job.id, 1, PROVIDER)
    assert (second.number, second.external_id, second.request_id) == (2, None, f"{job.id}-1-2")
    assert store.begin_submission(job.id, 2, PROVIDER).request_id == f"{job.id}-2"
    assert store.newest_submission(job.id, 1) == second


def test_given_a_word_when_another_comes_then_the_first_counts(store: Store) -> None:
    job = made(store)
    submission = store.begin_submission(job.id, 1, PROVIDER)
    store.settle_submission(submission, DONE)  # nobody knows yet what the provider calls it
    assert store.newest_submission(job.id, 1) == submission
    store.bind_work(submission, "p-1")
    store.settle_submission(submission, DONE)
    store.settle_submission(submission, PASSING)
    newest = store.newest_submission(job.id, 1)
    assert newest is not None and newest.word == DONE


def test_given_twenty_workers_when_they_begin_the_same_then_there_is_one(store: Store) -> None:
    job = made(store)
    found = at_once(20, lambda _: store.begin_submission(job.id, 1, PROVIDER).number)
    assert found == [1] * 20


def test_given_no_job_then_nothing_is_submitted_for_it(store: Store) -> None:
    with pytest.raises(NotFound):
        store.begin_submission("absent", 1, PROVIDER)
    assert store.newest_submission("absent", 1) is None


# --- retries and attempts --------------------------------------------------------------------------------------------


def test_given_a_retry_when_it_is_noted_twice_then_one_row_and_none_of_an_older_run(store: Store) -> None:
    job = moved(store, made(store), PROCESSING)
    fence = Fence(attempt=1, dispatch_id="run-1", seq=4)
    for _ in range(2):
        store.note_retry(job.id, fence, {"retry_count": 1, "retry_in_s": 2.0})
    with pytest.raises(Fenced):
        store.note_retry(job.id, fence.model_copy(update={"seq": 3}), {"retry_count": 1})
    moved(store, job, FAILED)
    with pytest.raises(Fenced):
        store.note_retry(job.id, fence.model_copy(update={"seq": 5}), {"retry_count": 2})
    rows = [each for each in store.events(job.id, 0, 100) if each.event_type == "STAGE_RETRIED"]
    assert [each.data["retry_count"] for each in rows] == [1]


@pytest.mark.parametrize("status", [FAILED, EXPIRED])
def test_given_a_job_that_has_failed_when_another_attempt_begins_then_it_is_charged_and_waits(
    store: Store, status: GenerationStatus
) -> None:
    job = moved(store, made(store, 3 * COST), *GENERATION.way(PENDING, status, Trigger.WORKER))
    assert store.balance(OWNER).available == 3 * COST
    again = store.begin_attempt(job.id, "root")
    assert (again.status, again.attempt, again.dispatch_id, again.progress) == (PENDING, 2, None, 0)
    assert (again.failure, again.completed_at, store.balance(OWNER).available) == (None, None, 2 * COST)
    moved(store, again, QUEUED, PROCESSING, FAILED)
    assert store.balance(OWNER).available == 3 * COST
    assert store.audit_credits().balanced


@pytest.mark.parametrize("status", [PENDING, QUEUED, PROCESSING, COMPLETED, CANCELED])
def test_given_any_other_job_when_another_attempt_is_asked_for_then_refused_and_nothing_changed(
    store: Store, status: GenerationStatus
) -> None:
    job = brought(store, status)
    before = (store.get_job(job.id), store.balance(OWNER))
    with pytest.raises(RetryNotAllowed):
        store.begin_attempt(job.id, "root")
    assert (store.get_job(job.id), store.balance(OWNER)) == before


def test_given_too_few_credits_when_another_attempt_begins_then_refused_and_nothing_changed(store: Store) -> None:
    job = moved(store, made(store), FAILED)
    made(store, 0)  # spends what came back
    before = store.get_job(job.id)
    with pytest.raises(InsufficientCredits):
        store.begin_attempt(job.id, "root")
    assert (store.get_job(job.id), store.balance(OWNER).available) == (before, 0)


def test_given_twenty_at_once_when_another_attempt_begins_then_one_does(store: Store) -> None:
    job = moved(store, made(store, 20 * COST), FAILED)

    def retry(_: int) -> bool:
        try:
            return store.begin_attempt(job.id, "root").attempt == 2
        except RetryNotAllowed:
            return False

    assert at_once(20, retry).count(True) == 1
    assert store.balance(OWNER).available == 19 * COST


# --- what is said ----------------------------------------------------------------------------------------------------


def test_given_what_is_committed_then_each_effect_is_one_line_and_a_repeat_none(
    store: Store, lines: list[MutableMapping[str, Any]]
) -> None:
    job = moved(store, made(store), QUEUED, PROCESSING, FAILED)
    store.move(job.id, None, FAILED, trigger=Trigger.WORKER, actor=Actor.SYSTEM, failure=REASON)
    (created,) = said(lines, "job.created")
    assert (created["job_id"], created["type"], created["cost"]) == (job.id, "static_ad", COST)
    transitions = [(each["from_status"], each["to_status"]) for each in said(lines, "job.transition")]
    assert transitions == [(PENDING, QUEUED), (QUEUED, PROCESSING), (PROCESSING, FAILED)]
    (failed,) = said(lines, "job.failed")
    assert (failed["error"], failed["refund"]) == ("PROVIDER_ERROR", COST)
    assert "kettle" not in str(lines)


def test_given_what_is_rolled_back_then_nothing_is_said_of_it(
    store: Store, lines: list[MutableMapping[str, Any]]
) -> None:
    with pytest.raises(InsufficientCredits):
        made(store, 0)
    job = made(store)
    lines.clear()
    with pytest.raises(RuntimeError), store._database.together():
        moved(store, job, QUEUED)
        raise RuntimeError
    assert store.get_job(job.id).status == PENDING
    with store._database.together():
        moved(store, job, QUEUED)
        with pytest.raises(TransitionRefused):
            moved(store, job, EXPIRED)
        assert said(lines, "job.transition") == []
    assert [each["to_status"] for each in said(lines, "job.transition")] == [QUEUED]
