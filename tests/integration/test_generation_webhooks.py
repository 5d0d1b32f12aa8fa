"""Generation jobs whose work is a provider's, on the real engine: what it calls back, and when, changes what it may.

One API, one worker process and one sandbox provider for the module.
"""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from temporalio.testing import ActivityEnvironment

from activities.upkeep.reconciling import Reconciled, Reconciler
from domain.credits import PostingKind
from domain.jobs import Job
from domain.lifecycles.generation import CANCELED, COMPLETED, EXPIRED, FAILED, PENDING, PROCESSING, QUEUED
from domain.orders.generation import AdOrder
from starter.sandbox import Behaviour, Call, Course, Cut, Sent, Verdict
from starter.wiring import kind_terms, run_options
from tests.generating import OWNER, PRICES, Workshop, running_workshop
from tests.stack import wait_until
from tests.temporal import TemporalServer

BEGUN = [(None, PENDING), (PENDING, QUEUED), (QUEUED, PROCESSING)]
DONE = [*BEGUN, (PROCESSING, COMPLETED)]

SILENT = Course(calls=())
"""It is done at once, and nobody is told until the test says so."""

LONG_S, SHORT_S = 600.0, 1.0
"""Deadlines: one that no test reaches, and one that each does."""


@pytest.fixture(scope="module")
def running(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    folder = tmp_path_factory.mktemp("webhooks")
    with running_workshop(folder, temporal, predictions=True, predictions_deadline_s=LONG_S) as workshop:
        yield workshop


@pytest.fixture
def workshop(running: Workshop) -> Iterator[Workshop]:
    running.refresh()
    yield running
    report = running.store.audit_credits()
    assert report.balanced, report.findings


def begun(workshop: Workshop, *courses: Course, path: str = "static-ad", **body: Any) -> tuple[Job, str]:
    """A job whose work is with the provider, and what the provider calls it."""
    workshop.sandbox.plan(*courses)
    job = workshop.ask(path, **(body or {"prompt": "a quiet harbour"}))
    return job, submitted(workshop, job)


def hurried(workshop: Workshop, *courses: Course) -> tuple[Job, str]:
    """As :func:`begun`, with a deadline that is soon over."""
    workshop.sandbox.plan(*courses)
    job = workshop.lost(AdOrder(prompt="a quiet harbour"))
    start_lost(workshop, SHORT_S)
    return job, submitted(workshop, job)


def start_lost(workshop: Workshop, deadline_s: float) -> None:
    """Start the runs that nobody started, by a reconciler with terms of its own."""
    settings = workshop.stack.settings
    terms = kind_terms(settings.model_copy(update={"predictions_deadline_s": deadline_s}))
    reconciler = Reconciler(workshop.store, workshop.stack.client, run_options(settings), terms)

    async def start() -> Reconciled:
        return await ActivityEnvironment().run(reconciler.reconcile)

    workshop.stack.loop.run(start())


def submitted(workshop: Workshop, job: Job, attempt: int = 1) -> str:
    """What the provider calls the attempt's work, once it has a name."""

    def named() -> str | None:
        newest = workshop.store.newest_submission(job.id, attempt)
        return newest.external_id if newest is not None else None

    return wait_until(named, 60, "the work to be submitted")


def waiting(workshop: Workshop, job: Job) -> None:
    """Until the job's newest run does nothing but wait for its provider's word."""

    def timed() -> bool:
        return any(event.HasField("timer_started_event_attributes") for event in workshop.stack.events(job.id))

    wait_until(timed, 60, "the run to wait for the provider")


def call(workshop: Workshop, prediction: str, **how: Any) -> int | None:
    """How the API answers a webhook that is sent now."""
    return workshop.sandbox.call(prediction, Call(**how)).answered


def calls(workshop: Workshop, count: int) -> list[Sent]:
    """What the provider called back by itself, of ``count`` works. A job may be done before its webhook is answered."""
    wait_until(lambda: len({each.prediction_id for each in workshop.sandbox.calls()}) >= count, 60, f"{count} calls")
    return workshop.sandbox.calls()


def record(workshop: Workshop, job: Job) -> tuple[Any, ...]:
    """All that a webhook could change."""
    now = workshop.stack.job(job)
    kept = [asset.id for asset in workshop.store.library_of_job(job.id)]
    return now.status, now.version, now.attempt, now.failure, workshop.stack.audit(job), workshop.postings(job), kept


def completed_once(workshop: Workshop, job: Job) -> None:
    workshop.stack.wait_for(job, COMPLETED)
    workshop.until_closed(job)
    assert workshop.moves(job) == DONE
    assert workshop.postings(job) == [PostingKind.DEDUCT]
    assert len(workshop.store.library_of_job(job.id)) == 1


# --- in time ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "medium", "media_type"),
    [
        ("static-ad", {"prompt": "a kettle"}, "picture", "image/png"),
        ("video", {"prompt": "a kettle"}, "video", "video/mp4"),
        ("tts", {"text": "Buy a kettle."}, "audio", "audio/wav"),
    ],
)
def test_given_work_of_each_type_when_the_provider_calls_back_then_what_it_made_is_kept_and_charged_once(
    workshop: Workshop, path: str, body: dict[str, str], medium: str, media_type: str
) -> None:
    job, prediction = begun(workshop, path=path, **body)
    completed_once(workshop, job)
    made = workshop.answer(job)
    assert made["assets"][0]["medium"] == medium
    result = httpx.get(made["result_url"])
    assert (result.status_code, result.headers["content-type"]) == (200, media_type)
    assert (workshop.sandbox.count("prediction"), workshop.sandbox.count("cancel")) == (0, 0)
    (asked,) = workshop.sandbox.requests("predictions")
    assert body.items() <= asked["body"]["input"].items()
    assert [(each.prediction_id, each.answered) for each in calls(workshop, 1)] == [(prediction, 200)]


def test_given_a_webhook_that_comes_before_the_submit_call_returned_then_it_is_not_lost(workshop: Workshop) -> None:
    job, _ = begun(workshop, Course(calls=(Call(early=True),)))
    completed_once(workshop, job)
    assert [each.answered for each in workshop.sandbox.calls()] == [200]
    assert workshop.sandbox.count("prediction") == 0


def test_given_a_result_in_the_webhook_itself_then_it_is_kept(workshop: Workshop) -> None:
    job, _ = begun(workshop, Course(inline=True), path="tts", text="Hello.")
    completed_once(workshop, job)


def test_given_the_same_event_three_times_then_it_counts_once(workshop: Workshop) -> None:
    job, prediction = begun(workshop, SILENT)
    assert call(workshop, prediction, times=3, event_id=f"event-{prediction}") == 200
    completed_once(workshop, job)
    before = record(workshop, job)
    assert call(workshop, prediction, event_id=f"event-{prediction}") == 200
    assert record(workshop, job) == before


def test_given_events_out_of_order_then_only_the_end_counts(workshop: Workshop) -> None:
    job, prediction = begun(workshop, SILENT)
    for status in ("processing", "starting", "a status from the future"):
        assert call(workshop, prediction, status=status) == 200
    assert call(workshop, prediction) == 200
    assert call(workshop, prediction, status="processing") == 200
    completed_once(workshop, job)


def test_given_two_ends_of_one_work_while_no_worker_runs_then_the_first_counts(workshop: Workshop) -> None:
    job, prediction = begun(workshop, SILENT)
    workshop.stack.kill_worker()
    assert [call(workshop, prediction), call(workshop, prediction, status="failed")] == [200, 200]
    workshop.stack.start_worker()
    completed_once(workshop, job)


@pytest.mark.parametrize("how", [{"forged": True}, {"age_s": 600}, {"age_s": -600}], ids=["forged", "old", "to come"])
def test_given_a_webhook_that_is_not_the_providers_or_not_of_now_then_401_and_nothing_changes(
    workshop: Workshop, how: dict[str, Any]
) -> None:
    job, prediction = begun(workshop, SILENT)
    waiting(workshop, job)
    before = record(workshop, job)
    assert call(workshop, prediction, **how) == 401
    assert record(workshop, job) == before
    assert workshop.store.webhooks_of(job.id, 1) == ()
    call(workshop, prediction)
    completed_once(workshop, job)


@pytest.mark.parametrize("status", ["succeeded", "failed", "canceled", "processing"])
def test_given_a_job_that_is_over_when_another_webhook_comes_then_nothing_changes(
    workshop: Workshop, status: str
) -> None:
    job, prediction = begun(workshop)
    completed_once(workshop, job)
    before = record(workshop, job)
    assert call(workshop, prediction, status=status) == 200
    assert record(workshop, job) == before


# --- what the provider did not make ----------------------------------------------------------------------------------


def test_given_a_safety_filter_that_refuses_then_failed_at_once_and_refunded(workshop: Workshop) -> None:
    job, _ = begun(workshop, Course(verdict=Verdict.NSFW))
    failed = workshop.stack.wait_for(job, FAILED)
    assert failed.failure is not None
    assert (failed.failure.failure_code, failed.failure.failed_stage) == ("CONTENT_REJECTED", "provider")
    assert workshop.moves(job) == [*BEGUN, (PROCESSING, FAILED)]
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    assert workshop.sandbox.count("predictions") == 1


def test_given_a_failure_that_passes_then_the_work_is_submitted_again_under_another_name(workshop: Workshop) -> None:
    job, first = begun(workshop, Course(verdict=Verdict.FAILED, times=2), Course())
    completed_once(workshop, job)
    keys = [each["headers"]["idempotency-key"] for each in workshop.sandbox.requests("predictions")]
    assert len(keys) == len(set(keys)) == 3
    before = record(workshop, job)
    assert call(workshop, first, status="failed") == 200
    assert record(workshop, job) == before


def test_given_any_other_failure_then_it_is_final_and_says_nothing_of_what_was_asked(workshop: Workshop) -> None:
    error = "ValueError: a canary sang in /src/model.py (E9243)"
    job, _ = begun(workshop, Course(verdict=Verdict.FAILED, error=error), prompt="a canary")
    failed = workshop.stack.wait_for(job, FAILED)
    assert failed.failure is not None
    assert failed.failure.failure_code == "PROVIDER_ERROR" and "E9243" in failed.failure.failure_message
    assert "canary" not in workshop.stack.audit(job).__repr__() and "/src" not in failed.failure.failure_message
    assert workshop.sandbox.count("predictions") == 1


def test_given_work_that_the_provider_gave_up_then_failed_and_refunded(workshop: Workshop) -> None:
    job, _ = begun(workshop, Course(verdict=Verdict.CANCELED))
    workshop.stack.wait_for(job, FAILED)
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]


def test_given_an_output_that_has_expired_then_its_address_is_asked_for_once_more(workshop: Workshop) -> None:
    workshop.sandbox.script("files", Behaviour(status=410))
    job, _ = begun(workshop, Course())
    completed_once(workshop, job)
    assert (workshop.sandbox.count("prediction"), workshop.sandbox.count("files")) == (1, 2)


def test_given_an_output_that_is_gone_for_good_then_failed_and_refunded(workshop: Workshop) -> None:
    job, _ = begun(workshop, Course(expired=True))
    failed = workshop.stack.wait_for(job, FAILED)
    assert failed.failure is not None
    assert (failed.failure.failure_code, failed.failure.failed_stage) == ("PROVIDER_OUTPUT_EXPIRED", "collection")
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    assert workshop.store.library_of_job(job.id) == ()


def test_given_a_file_that_is_not_what_was_asked_for_then_it_is_fetched_again(workshop: Workshop) -> None:
    workshop.sandbox.script("files", Behaviour(body="<html>no video</html>"))
    job, _ = begun(workshop, path="video", prompt="a kettle")
    completed_once(workshop, job)
    assert (workshop.sandbox.count("files"), workshop.sandbox.count("predictions")) == (2, 1)


def test_given_submit_calls_that_fail_when_made_again_then_the_provider_has_one_work_of_each_job(
    workshop: Workshop,
) -> None:
    faults = (
        Behaviour(status=429, retry_after=1),
        Behaviour(status=500),
        Behaviour(hang=True),
        Behaviour(cut=Cut.JSON),
        Behaviour(cut=Cut.CONNECTION),
    )
    workshop.sandbox.script("predictions", *faults)
    jobs = [workshop.lost(AdOrder(prompt=f"number {number}")) for number in range(len(faults))]
    start_lost(workshop, LONG_S)  # all at once, so that each meets a fault
    for job in jobs:
        completed_once(workshop, job)
    keys = {each["headers"]["idempotency-key"] for each in workshop.sandbox.requests("predictions")}
    assert (workshop.sandbox.count("predictions"), len(keys)) == (2 * len(faults), len(faults))
    assert len({each.prediction_id for each in calls(workshop, len(faults))}) == len(faults)


@pytest.mark.parametrize(("status", "code"), [(401, "PROVIDER_ACCESS_DENIED"), (404, "PROVIDER_REQUEST_REFUSED")])
def test_given_a_provider_that_does_not_take_the_work_then_failed_at_once_and_refunded(
    workshop: Workshop, status: int, code: str
) -> None:
    workshop.sandbox.script("predictions", Behaviour(status=status))
    job = workshop.stack.wait_for(workshop.ask("video", prompt="a kettle"), FAILED)
    assert job.failure is not None
    assert (job.failure.failure_code, job.failure.failed_stage) == (code, "submission")
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    assert workshop.sandbox.count("predictions") == 1


# --- attempts --------------------------------------------------------------------------------------------------------


def test_given_a_new_attempt_when_the_old_ones_webhook_comes_then_it_changes_nothing(workshop: Workshop) -> None:
    job, first = begun(workshop, SILENT, SILENT)
    call(workshop, first, status="canceled")
    workshop.stack.wait_for(job, FAILED)
    assert workshop.retry(job).status_code == 202
    second = submitted(workshop, job, attempt=2)
    waiting(workshop, job)
    before = record(workshop, job)
    assert call(workshop, first) == 200
    assert record(workshop, job) == before and second != first
    call(workshop, second)
    workshop.stack.wait_for(job, COMPLETED)
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND, PostingKind.DEDUCT]
    assert len(workshop.store.library_of_job(job.id)) == 1


def test_given_a_job_that_was_canceled_then_the_provider_is_told_and_its_webhook_changes_nothing(
    workshop: Workshop,
) -> None:
    job, prediction = begun(workshop, Course(verdict=Verdict.NEVER, calls=()))
    workshop.stack.wait_for(job, PROCESSING)
    assert workshop.http.post(f"jobs/{job.id}/cancel").json()["status"] == CANCELED
    workshop.until_closed(job)
    assert workshop.sandbox.count("cancel") == 1
    before = record(workshop, job)
    assert call(workshop, prediction, status="succeeded") == 200
    assert record(workshop, job) == before
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]


def test_given_a_worker_that_is_killed_while_it_waits_then_the_work_is_submitted_once_and_kept_once(
    workshop: Workshop,
) -> None:
    job, prediction = begun(workshop, SILENT)
    waiting(workshop, job)
    workshop.stack.kill_worker()
    workshop.stack.start_worker()
    call(workshop, prediction)
    completed_once(workshop, job)
    assert workshop.sandbox.count("predictions") == 1


# --- the deadline ----------------------------------------------------------------------------------------------------


def test_given_no_webhook_by_the_deadline_when_the_provider_is_asked_once_then_what_it_made_is_kept(
    workshop: Workshop,
) -> None:
    job, _ = hurried(workshop, SILENT)
    completed_once(workshop, job)
    assert workshop.sandbox.count("prediction") == 1


def test_given_no_end_by_the_deadline_nor_when_asked_then_expired_refunded_and_called_off(workshop: Workshop) -> None:
    job, prediction = hurried(workshop, Course(verdict=Verdict.NEVER, calls=()))
    expired = workshop.stack.wait_for(job, EXPIRED)
    assert expired.failure is not None and expired.failure.failure_code == "PROVIDER_SILENT"
    assert workshop.moves(job) == [*BEGUN, (PROCESSING, EXPIRED)]
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]
    workshop.until_closed(job)
    assert (workshop.sandbox.count("prediction"), workshop.sandbox.count("cancel")) == (1, 1)
    before = record(workshop, job)
    assert call(workshop, prediction, status="succeeded") == 200
    assert record(workshop, job) == before
    answered = workshop.http.post(f"jobs/{job.id}/cancel")
    assert (answered.status_code, answered.json()["code"]) == (409, "FSM_TERMINAL_IMMUTABLE")


def test_given_an_expired_job_when_an_administrator_retries_it_then_charged_again_and_done(workshop: Workshop) -> None:
    job, first = hurried(workshop, Course(verdict=Verdict.NEVER, calls=()), Course())
    workshop.stack.wait_for(job, EXPIRED)
    assert workshop.retry(job).status_code == 202
    workshop.stack.wait_for(job, COMPLETED)
    assert workshop.moves(job)[4:] == [(EXPIRED, PENDING), *DONE[1:]]
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND, PostingKind.DEDUCT]
    assert submitted(workshop, job, attempt=2) != first


def test_given_a_provider_that_has_forgotten_the_work_when_asked_then_failed_and_refunded(workshop: Workshop) -> None:
    workshop.sandbox.script("prediction", Behaviour(status=404, times=9))
    job, _ = hurried(workshop, SILENT)
    workshop.stack.wait_for(job, FAILED, EXPIRED)
    assert workshop.postings(job) == [PostingKind.DEDUCT, PostingKind.REFUND]


def test_given_a_provider_that_stumbles_when_asked_then_it_is_asked_again(workshop: Workshop) -> None:
    workshop.sandbox.script("prediction", Behaviour(status=503))
    job, _ = hurried(workshop, SILENT)
    completed_once(workshop, job)
    assert workshop.sandbox.count("prediction") == 2


# --- many at once ----------------------------------------------------------------------------------------------------


def test_given_many_jobs_whose_webhooks_come_twice_and_with_forgeries_then_each_is_done_and_charged_once(
    workshop: Workshop,
) -> None:
    before = workshop.store.balance(OWNER).balance
    calls = (Call(early=True), Call(forged=True), Call(times=2), Call(status="processing"))
    workshop.sandbox.plan(Course(calls=calls, times=8))
    jobs = [workshop.ask("static-ad", prompt=f"number {number}") for number in range(8)]
    for job in jobs:
        completed_once(workshop, job)
    assert before - workshop.store.balance(OWNER).balance == 8 * PRICES["static_ad"]
