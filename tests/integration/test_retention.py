"""The log of webhooks is forgotten once it is old; what is still on its way, or still to be read, is not."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.artifacts import ArtifactStore
from activities.store import Sitting, Store
from activities.upkeep.sweeping import Keeping, Sweeper, Swept
from domain.documents.versions import KEPT_DAYS
from domain.errors import NotFound
from domain.jobs import Actor
from domain.lifecycles.callbacks import TRANSCRIPTION
from domain.lifecycles.generation import WebhookVerdict
from domain.lifecycles.lifecycle import Trigger
from tests.integration.store_builders import OWNER, Run, created_job, drafted_job, instruction_of, uploaded_job
from tests.integration.test_callbacks_store import HASH, callback, waiting_run
from tests.integration.test_webhook_store import PROVIDER, URL, event, generation

KEPT_S = 30 * 24 * 3600.0
LATER = timedelta(seconds=KEPT_S, minutes=1)


class Time:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def goes_on(self) -> None:
        self.now += LATER


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def aged(database_url: str, time: Time) -> Iterator[Store]:
    store = Store.open(database_url, clock=time, durable=False)
    yield store
    store.dispose()


def test_given_deliveries_when_they_are_old_then_they_go_with_their_requests_and_others_stay(
    aged: Store, time: Time
) -> None:
    endpoint = aged.create_endpoint(OWNER, URL)
    Run(aged, uploaded_job(aged).id).dispatched().extract_audio()
    delivered, given_up, waiting = aged.waiting_deliveries()
    aged.mark_handed_over([delivered, given_up])
    aged.record_delivery_attempt(*delivered, status_code=500, duration_ms=1, error_code="E", error="It said no.")
    aged.record_delivery_attempt(*delivered, status_code=204, duration_ms=1)
    aged.give_up_delivery(*given_up)
    time.goes_on()
    uploaded_job(aged)
    (young,) = [each for each in aged.waiting_deliveries() if each != waiting]
    aged.mark_handed_over([young])
    assert aged.purge_deliveries(KEPT_S) == 2
    left = {each.id for each in aged.list_deliveries(OWNER, endpoint.id).items}
    assert left == {waiting.delivery_id, young.delivery_id}
    assert aged.purge_deliveries(KEPT_S) == 0


def test_given_a_delivery_that_was_sent_again_when_purged_then_it_counts_from_then(aged: Store, time: Time) -> None:
    endpoint = aged.create_endpoint(OWNER, URL)
    uploaded_job(aged)
    (first,) = aged.waiting_deliveries()
    aged.mark_handed_over([first])
    aged.give_up_delivery(*first)
    time.goes_on()
    aged.redeliver(OWNER, endpoint.id, first.delivery_id)
    assert aged.purge_deliveries(KEPT_S) == 0
    aged.mark_handed_over(aged.waiting_deliveries())
    assert aged.purge_deliveries(KEPT_S) == 0


def test_given_more_deliveries_than_go_at_once_when_purged_then_all_of_them_go(
    aged: Store, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.store.upkeep.retention.AT_ONCE", 2)
    aged.create_endpoint(OWNER, URL)
    for _ in range(5):
        uploaded_job(aged)
    aged.mark_handed_over(aged.waiting_deliveries())
    time.goes_on()
    assert aged.purge_deliveries(KEPT_S) == 5


def test_given_an_endpoint_that_was_deleted_long_ago_when_nothing_speaks_of_it_then_it_goes_too(
    aged: Store, time: Time
) -> None:
    gone, kept = aged.create_endpoint(OWNER, URL), aged.create_endpoint(OWNER, URL)
    uploaded_job(aged)
    aged.delete_endpoint(OWNER, gone.id)
    time.goes_on()
    aged.purge_deliveries(KEPT_S)
    (waiting,) = [each for each in aged.waiting_deliveries() if aged.outgoing(*each) is None]  # it fails now
    time.goes_on()
    assert aged.purge_deliveries(KEPT_S) == 1
    with pytest.raises(NotFound):
        aged.outgoing(*waiting)
    assert [each.id for each in aged.list_endpoints(OWNER).items] == [kept.id]


def test_given_what_providers_sent_when_old_then_it_goes_unless_a_job_that_goes_on_has_to_read_it(
    aged: Store, time: Time
) -> None:
    over, running = generation(aged, "completed"), generation(aged)
    for number, job_id in enumerate((over, running)):
        aged.receive_webhook(event(f"e-{number}", ticket=aged.issue_ticket(job_id, 1, PROVIDER).token))
    aged.receive_webhook(event("e-unknown", ticket="nobodys"))
    aged.mark_webhooks_delivered([each.id for each in aged.undelivered_webhooks(-1.0)])
    assert aged.purge_provider_webhooks(KEPT_S) == 0
    time.goes_on()
    assert aged.purge_provider_webhooks(KEPT_S) == 2
    assert [each.event_id for each in aged.webhooks_of(running, 1)] == ["e-1"]
    aged.move(running, None, "failed", trigger=Trigger.SYSTEM, actor=Actor.SYSTEM)
    assert aged.purge_provider_webhooks(KEPT_S) == 1


def test_given_a_webhook_that_nobody_was_told_of_when_old_then_it_stays(aged: Store, time: Time) -> None:
    job_id = generation(aged)
    receipt = aged.receive_webhook(event(ticket=aged.issue_ticket(job_id, 1, PROVIDER).token))
    assert receipt.verdict is WebhookVerdict.APPLY
    aged.move(job_id, None, "failed", trigger=Trigger.SYSTEM, actor=Actor.SYSTEM)
    time.goes_on()
    assert aged.purge_provider_webhooks(KEPT_S) == 0
    assert created_job(aged).id != job_id


def test_given_what_a_runner_called_back_when_old_then_it_goes_but_for_the_ends_of_stages_and_what_nobody_was_told(
    aged: Store, time: Time
) -> None:
    run = waiting_run(aged)
    told = [
        aged.apply_callback(run.job_id, callback("TRANSCRIBING", event_id=f"sign-{n}", artifacts={}), HASH)
        for n in range(2)
    ]
    assert all(each.delivered for each in told)
    aged.apply_callback(run.job_id, callback(event_id="end"), HASH)
    failed = waiting_run(aged)
    aged.apply_callback(failed.job_id, callback("FAILED", event_id="failed", failure_code="X", artifacts={}), HASH)
    assert aged.purge_callbacks(KEPT_S) == 0
    time.goes_on()
    assert aged.purge_callbacks(KEPT_S) == 2  # nobody was told of the failure
    aged.mark_delivered(aged.undelivered_callbacks())
    assert aged.purge_callbacks(KEPT_S) == 1
    (report,) = aged.reported_artifacts(run.job_id)
    assert aged.ended_outside(report, TRANSCRIPTION)
    assert aged.purge_callbacks(KEPT_S) == 0


def test_given_what_was_written_and_made_no_version_when_it_is_old_then_it_is_not_offered_and_is_swept(
    aged: Store, time: Time, folder_store: ArtifactStore
) -> None:
    job, _ = drafted_job(aged)
    sitting = Sitting(
        sitting_id="desk", instruction_id=instruction_of(job), base_version=1, markdown="Unsaved.", kept_at=time.now
    )
    aged.keep_sitting(OWNER, sitting)
    time.now += timedelta(days=KEPT_DAYS)
    aged.keep_sitting(OWNER, sitting.model_copy(update={"sitting_id": "other desk"}))
    assert [each.sitting_id for each in aged.list_sittings(OWNER, sitting.instruction_id)] == ["other desk", "desk"]
    time.now += timedelta(seconds=1)
    assert [each.sitting_id for each in aged.list_sittings(OWNER, sitting.instruction_id)] == ["other desk"]
    with pytest.raises(NotFound):
        aged.get_sitting(OWNER, sitting.instruction_id, "desk")
    sweeper = Sweeper(aged, folder_store, longest_s=KEPT_S, keeping=Keeping(log_s=KEPT_S))
    assert ActivityEnvironment().run(sweeper.sweep) == Swept(sittings=1)
    time.now -= timedelta(days=1)
    assert [each.sitting_id for each in aged.list_sittings(OWNER, sitting.instruction_id)] == ["other desk"]


def test_given_a_session_that_was_ended_when_its_cookies_have_expired_then_it_is_forgotten(
    aged: Store, time: Time
) -> None:
    for _ in range(2):  # the button pressed twice
        aged.end_session("of-ann", KEPT_S)
    aged.end_session("of-bob", 2 * KEPT_S)
    assert [aged.is_session_ended(each) for each in ("of-ann", "of-bob", "of-eve")] == [True, True, False]
    assert aged.purge_ended_sessions() == 0
    time.goes_on()
    assert aged.purge_ended_sessions() == 1
    assert [aged.is_session_ended(each) for each in ("of-ann", "of-bob")] == [False, True]
