"""The outbox and what providers tell, on both databases."""

from itertools import accumulate
from typing import Any

import pytest
from sqlalchemy import select
from temporalio.client import Client

from activities.process.callers import act_as_member, called_by
from activities.store import Store
from activities.store.tables import webhook_endpoints
from activities.webhooks import OutboxRelay
from activities.webhooks.relay import EVERY_S, longer
from domain.documents.publication import ExportFormat
from domain.erasure import NOBODY
from domain.errors import NotFound, RequestInvalid, SettingsInvalid, TransitionRefused
from domain.jobs import Actor, Failure
from domain.lifecycles.fence import Fence
from domain.lifecycles.generation import GENERATION, WebhookVerdict
from domain.lifecycles.lifecycle import Trigger
from domain.projects import ProjectRole
from domain.webhooks import ENDPOINTS_LIMIT, DeliveryStatus, Endpoint, ProviderEvent, WebhookEvent, WebhookReceipt
from tests.integration.store_builders import (
    OWNER,
    STEP_BLOCK,
    Run,
    at_once,
    blob,
    drafted_job,
    instruction_of,
    log_of,
    uploaded_job,
)
from tests.integration.test_api_lists import statements
from tests.stack import Loop

URL = "https://example.org/hook"


@pytest.fixture
def endpoint(store: Store) -> Endpoint:
    return store.create_endpoint(OWNER, URL)


def told(store: Store, endpoint: Endpoint) -> list[tuple[str, str, str]]:
    """Event, from, to of each delivery, oldest first."""
    items = store.list_deliveries(endpoint.owner, endpoint.id, 100).items
    ordered = sorted(items, key=lambda each: (each.payload["data"]["seq"], each.event))
    return [(each.event, each.payload["data"]["prev_status"], each.payload["data"]["status"]) for each in ordered]


def test_given_a_key_when_the_store_is_upgraded_then_secrets_are_sealed_and_what_is_sent_is_signed_as_before(
    store: Store, database_url: str
) -> None:
    old = store.create_endpoint(OWNER, URL)
    first, second = "0123456789abcdef" * 2, "fedcba9876543210" * 2

    def kept() -> list[str]:
        with store._database.read() as connection:
            return list(connection.scalars(select(webhook_endpoints.c.secret).order_by(webhook_endpoints.c.id)))

    def signing(keys: tuple[str, ...]) -> set[str]:
        with_keys = Store.open(database_url, durable=False, secrets_keys=keys)
        try:
            outgoing = [with_keys.outgoing(each.delivery_id, each.round) for each in with_keys.waiting_deliveries()]
            return {each.endpoint.secret for each in outgoing if each is not None}
        finally:
            with_keys.dispose()

    assert kept() == [old.secret]
    keyed = Store.open(database_url, durable=False, secrets_keys=[first])
    keyed.upgrade()
    new = keyed.create_endpoint(OWNER, URL)
    assert new.secret.startswith("whsec_")
    assert all(each.startswith("sealed:") and "whsec_" not in each for each in kept())
    uploaded_job(store)
    assert signing((first,)) == {old.secret, new.secret}
    with pytest.raises(SettingsInvalid, match="SECRETS_KEY"):
        signing(())
    assert {each.id for each in store.list_endpoints(OWNER).items} == {old.id, new.id}  # needs no key
    rotated = Store.open(database_url, durable=False, secrets_keys=[second, first])
    assert (rotated.seal_endpoints(), rotated.seal_endpoints()) == (2, 0)
    assert signing((second,)) == {old.secret, new.secret}
    for each in (keyed, rotated):
        each.dispose()


# --- the outbox --------------------------------------------------------------------------------------------------


def test_given_an_endpoint_when_a_job_moves_then_each_move_is_in_the_outbox(store: Store, endpoint: Endpoint) -> None:
    Run(store, uploaded_job(store).id).dispatched().extract_audio()
    assert told(store, endpoint) == [
        ("job.status_changed", "CREATED", "UPLOADED"),
        ("job.status_changed", "UPLOADED", "AUDIO_EXTRACTING"),
        ("job.status_changed", "AUDIO_EXTRACTING", "AUDIO_READY"),
    ]
    assert len(store.waiting_deliveries()) == 3


def test_given_a_stage_that_is_repeated_when_it_ends_twice_then_it_is_told_once(
    store: Store, endpoint: Endpoint
) -> None:
    run = Run(store, uploaded_job(store).id).dispatched()
    run.extract_audio()
    run.extract_audio()  # a zombie
    assert len(told(store, endpoint)) == 3


def test_given_a_move_that_is_refused_when_rolled_back_then_nothing_is_told(store: Store, endpoint: Endpoint) -> None:
    job = uploaded_job(store)
    before = told(store, endpoint)
    with pytest.raises(TransitionRefused):
        store.move(job.id, None, "DONE", trigger=Trigger.API, actor=Actor.EDITOR)
    assert told(store, endpoint) == before


def test_given_a_job_that_fails_when_told_then_by_name_and_with_why(store: Store) -> None:
    endpoint = store.create_endpoint(OWNER, URL, [WebhookEvent.JOB_FAILED])
    job = uploaded_job(store)
    failure = Failure(failure_code="MEDIA_EMPTY", failure_message="The recording is empty.", failed_stage="audio")
    store.move(job.id, None, "FAILED", trigger=Trigger.API, actor=Actor.SYSTEM, failure=failure)
    (delivery,) = store.list_deliveries(OWNER, endpoint.id).items
    assert (delivery.event, delivery.status, delivery.round) == (WebhookEvent.JOB_FAILED, DeliveryStatus.PENDING, 1)
    assert delivery.payload["type"] == "job.failed"
    assert delivery.payload["data"]["failure"] == {
        "failure_code": "MEDIA_EMPTY",
        "failure_message": "The recording is empty.",
        "failed_stage": "audio",
    }
    assert set(delivery.payload) == {"type", "timestamp", "data"}


def test_given_a_job_that_is_cancelled_when_told_then_by_name(store: Store) -> None:
    endpoint = store.create_endpoint(OWNER, URL, [WebhookEvent.JOB_CANCELLED, WebhookEvent.JOB_COMPLETED])
    store.move(uploaded_job(store).id, None, "CANCELLED", trigger=Trigger.API, actor=Actor.EDITOR)
    assert [event for event, _, _ in told(store, endpoint)] == ["job.cancelled"]


def test_given_an_export_when_it_succeeds_then_its_id_is_told(store: Store) -> None:
    endpoint = store.create_endpoint(OWNER, URL, [WebhookEvent.EXPORT_SUCCEEDED])
    job, _ = drafted_job(store)
    assert job.instruction_id is not None
    version = store.versions(OWNER, job.instruction_id).items[0]
    export, _ = store.request_export(OWNER, job.id, ExportFormat.PDF, version.id)
    store.begin_export(export.id)
    for _ in range(2):
        store.finish_export(export.id, blob("x.pdf"), "x.pdf", {})
    (delivery,) = store.list_deliveries(OWNER, endpoint.id).items
    assert delivery.payload["data"]["export_id"] == export.id
    assert delivery.payload["data"]["format"] == "PDF"


def test_given_somebody_elses_jobs_or_a_deleted_endpoint_when_they_move_then_nothing_is_told(store: Store) -> None:
    bobs = store.create_endpoint("bob", URL)
    gone = store.create_endpoint(OWNER, URL)
    store.delete_endpoint(OWNER, gone.id)
    uploaded_job(store)
    assert told(store, bobs) == []
    assert store.waiting_deliveries() == ()


# --- endpoints ---------------------------------------------------------------------------------------------------


def test_given_somebody_who_is_erased_then_neither_what_is_sent_nor_the_log_names_them_and_the_rest_stays(
    store: Store, endpoint: Endpoint
) -> None:
    who = 'Zoë "zo" O\\Hara'  # escaped where JSON is written
    job, _ = drafted_job(store)
    store.invite(OWNER, job.project_id, ProjectRole.EDITOR, "0" * 64)
    store.accept_invitation(who, "0" * 64)
    act_as_member(who, "editor")
    thread = store.add_thread(OWNER, instruction_of(job), STEP_BLOCK, "This?", author=who)
    called_by(None)
    store.reply(OWNER, thread.id, f"Ask @{who}", author=OWNER)
    failed = generation(store, "failed")
    store.begin_attempt(failed, who)

    def named() -> list[Any]:
        sent = [each.payload["data"] for each in store.list_deliveries(OWNER, endpoint.id, 100).items]
        facts = [*sent, *(each.data for each in store.events(job.id, 0, 100) + store.events(failed, 0, 100))]
        return sorted((each for each in facts if {"user_id", "requested_by", "mentioned"} & each.keys()), key=str)

    before = named()
    assert sum(who in (each.get("user_id"), each.get("requested_by")) for each in before) == 2
    assert sum(each.get("mentioned") == [who] for each in before) == 2
    purge = store.begin_user_purge(who)
    assert store.erase_user_rows(purge.id)
    nobody = f"{NOBODY} {purge.id}"
    without: list[dict[str, Any]] = [
        {name: [] if value == [who] else nobody if value == who else value for name, value in each.items()}
        for each in before
    ]
    assert named() == sorted(without, key=str)


def test_given_endpoints_when_listed_then_only_the_owners_own_newest_first(store: Store) -> None:
    made = [store.create_endpoint(OWNER, f"{URL}/{n}").id for n in range(3)]
    store.create_endpoint("bob", URL)
    first = store.list_endpoints(OWNER, 2)
    rest = store.list_endpoints(OWNER, 2, first.next_cursor)
    assert [each.id for each in (*first.items, *rest.items)] == made[::-1]
    assert rest.next_cursor is None


def test_given_two_endpoints_when_made_then_each_has_a_secret_of_its_own_that_is_not_shown(store: Store) -> None:
    first, second = (store.create_endpoint(OWNER, URL) for _ in range(2))
    assert first.secret.startswith("whsec_") and first.secret != second.secret
    assert first.secret not in repr(first)


def test_given_as_many_endpoints_as_allowed_when_another_is_made_then_it_is_refused(store: Store) -> None:
    for _ in range(ENDPOINTS_LIMIT):
        store.create_endpoint(OWNER, URL)
    with pytest.raises(RequestInvalid):
        store.create_endpoint(OWNER, URL)


@pytest.mark.parametrize("owner", ["bob", ""])
def test_given_somebody_elses_endpoint_when_touched_then_it_is_absent(
    store: Store, endpoint: Endpoint, owner: str
) -> None:
    uploaded_job(store)
    (delivery,) = store.list_deliveries(OWNER, endpoint.id).items
    for call in (
        lambda: store.get_endpoint(owner, endpoint.id),
        lambda: store.delete_endpoint(owner, endpoint.id),
        lambda: store.list_deliveries(owner, endpoint.id),
        lambda: store.redeliver(owner, endpoint.id, delivery.id),
    ):
        with pytest.raises(NotFound):
            call()
    other = store.create_endpoint("bob", URL)
    with pytest.raises(NotFound):
        store.redeliver("bob", other.id, delivery.id)


# --- deliveries --------------------------------------------------------------------------------------------------


def test_given_a_delivery_when_attempts_are_logged_then_the_one_without_a_fault_ends_it(
    store: Store, endpoint: Endpoint
) -> None:
    uploaded_job(store)
    (waiting,) = store.waiting_deliveries()
    store.mark_handed_over([waiting])
    assert store.waiting_deliveries() == ()
    store.record_delivery_attempt(
        *waiting, status_code=500, duration_ms=3, error_code="WEBHOOK_UNDELIVERED", error="It answered 500."
    )
    assert store.outgoing(*waiting) is not None
    store.record_delivery_attempt(*waiting, status_code=204, duration_ms=2)
    store.give_up_delivery(*waiting)
    assert store.outgoing(*waiting) is None
    (delivery,) = store.list_deliveries(OWNER, endpoint.id).items
    assert delivery.status is DeliveryStatus.DELIVERED and delivery.completed_at is not None
    assert [(each.number, each.status_code) for each in delivery.attempts] == [(1, 500), (2, 204)]


def test_given_a_delivery_that_ended_when_sent_again_then_the_message_is_the_same_and_the_old_round_is_over(
    store: Store, endpoint: Endpoint
) -> None:
    uploaded_job(store)
    (first,) = store.waiting_deliveries()
    before = store.outgoing(*first)
    store.give_up_delivery(*first)
    again = store.redeliver(OWNER, endpoint.id, first.delivery_id)
    assert store.redeliver(OWNER, endpoint.id, first.delivery_id) == again
    assert (again.round, again.status) == (2, DeliveryStatus.PENDING)
    assert before is not None
    assert again.message_id == before.delivery.message_id
    store.mark_handed_over([first])
    assert store.waiting_deliveries() == ((first.delivery_id, 2),)
    assert store.outgoing(*first) is None
    store.give_up_delivery(*first)
    store.record_delivery_attempt(*first, status_code=200, duration_ms=1)
    assert store.list_deliveries(OWNER, endpoint.id).items[0].status is DeliveryStatus.PENDING


def test_given_a_delivery_that_waits_for_its_next_try_when_sent_again_then_a_new_round_begins(
    store: Store, endpoint: Endpoint
) -> None:
    uploaded_job(store)
    (first,) = store.waiting_deliveries()
    assert store.redeliver(OWNER, endpoint.id, first.delivery_id).round == 1
    store.mark_handed_over([first])
    assert store.redeliver(OWNER, endpoint.id, first.delivery_id).round == 2
    assert store.outgoing(*first) is None


def test_given_a_deleted_endpoint_when_a_delivery_is_on_its_way_then_it_fails(store: Store, endpoint: Endpoint) -> None:
    uploaded_job(store)
    (waiting,) = store.waiting_deliveries()
    store.delete_endpoint(OWNER, endpoint.id)
    assert store.outgoing(*waiting) is None
    assert store.waiting_deliveries() == ()


# --- what providers tell -----------------------------------------------------------------------------------------

PROVIDER = "replicate"


def generation(store: Store, status: str = "processing") -> str:
    """A generation job in ``status``."""
    store.grant(OWNER, 100, reason="test", actor="root", idempotency_key=f"g-{status}")
    job = store.create_job(OWNER, store.create_project(OWNER, "Ads").id, kind=GENERATION.kind, cost=2)
    if status != "pending":
        fence = Fence(attempt=1, dispatch_id="run-1", seq=1, execution=1)
        store.record_dispatch(job.id, attempt=1, dispatch_id="run-1", trigger=Trigger.API, actor=Actor.EDITOR)
        store.begin_stage(job.id, fence, "processing")
        if status != "processing":
            store.finish_stage(job.id, fence, target=status)
    return job.id


def event(event_id: str = "e-1", **fields: object) -> ProviderEvent:
    values: dict[str, object] = {
        "provider": PROVIDER,
        "event_id": event_id,
        "external_id": "p-1",
        "payload": {"id": "p-1", "status": "succeeded"},
    }
    return ProviderEvent.model_validate(values | fields)


def test_given_a_processing_job_when_its_webhook_comes_then_it_counts_and_is_to_be_told(store: Store) -> None:
    job_id = generation(store)
    ticket = store.issue_ticket(job_id, 1, PROVIDER)
    assert store.issue_ticket(job_id, 1, PROVIDER) == ticket
    receipt = store.receive_webhook(event(ticket=ticket.token))
    assert (receipt.verdict, receipt.job_id, receipt.delivered) == (WebhookVerdict.APPLY, job_id, False)
    assert [each.event_id for each in store.webhooks_of(job_id, 1)] == ["e-1"]
    assert [each.job_id for each in store.undelivered_webhooks(-1.0)] == [job_id]
    store.mark_webhooks_delivered([receipt.id])
    assert store.undelivered_webhooks(-1.0) == ()


def test_given_an_event_when_it_comes_20_times_at_once_then_it_is_stored_once(store: Store) -> None:
    job_id = generation(store)
    ticket = store.issue_ticket(job_id, 1, PROVIDER)
    log = log_of(store, job_id)
    receipts = at_once(20, lambda _: store.receive_webhook(event(ticket=ticket.token)))
    verdicts = sorted(str(each.verdict) for each in receipts if isinstance(each, WebhookReceipt))
    assert verdicts == ["apply"] + ["repeated"] * 19
    assert len(store.webhooks_of(job_id, 1)) == 1
    assert log_of(store, job_id) == log


def test_given_a_job_that_has_not_submitted_when_its_webhook_comes_then_the_run_finds_it(store: Store) -> None:
    job_id = generation(store, "pending")
    ticket = store.issue_ticket(job_id, 1, PROVIDER)
    assert store.receive_webhook(event(ticket=ticket.token)).verdict is WebhookVerdict.EARLY
    store.bind_submission(job_id, 1, PROVIDER, "p-1")
    assert [each.payload["status"] for each in store.webhooks_of(job_id, 1)] == ["succeeded"]


def test_given_no_ticket_when_a_webhook_comes_before_the_submit_call_returned_then_it_is_claimed(store: Store) -> None:
    job_id = generation(store)
    assert store.receive_webhook(event()).verdict is WebhookVerdict.UNKNOWN
    assert store.webhooks_of(job_id, 1) == ()
    store.bind_submission(job_id, 1, PROVIDER, "p-1")
    assert [each.event_id for each in store.webhooks_of(job_id, 1)] == ["e-1"]
    assert store.receive_webhook(event("e-2")).verdict is WebhookVerdict.APPLY


def test_given_a_webhook_of_other_work_or_of_nobodys_when_it_comes_then_it_is_kept_and_counts_for_nothing(
    store: Store,
) -> None:
    job_id = generation(store)
    ticket = store.issue_ticket(job_id, 1, PROVIDER)
    early = store.receive_webhook(event("e-0", ticket=ticket.token, external_id="p-other"))
    assert early.verdict is WebhookVerdict.APPLY  # nobody knows yet what the provider calls the work
    store.bind_submission(job_id, 1, PROVIDER, "p-1")
    wrong: tuple[dict[str, object], ...] = (
        {"ticket": ticket.token, "external_id": "p-other"},
        {"ticket": "nobodys"},
        {"external_id": None},
    )
    for number, fields in enumerate(wrong):
        receipt = store.receive_webhook(event(f"u-{number}", **fields))
        assert (receipt.verdict, receipt.job_id, receipt.delivered) == (WebhookVerdict.UNKNOWN, None, True)
    other = store.receive_webhook(event("u-4", provider="other", ticket=ticket.token))
    assert other.verdict is WebhookVerdict.UNKNOWN
    assert store.webhooks_of(job_id, 1) == ()


def test_given_an_attempt_that_is_over_when_its_webhook_comes_then_it_is_late(store: Store) -> None:
    job_id = generation(store, "completed")
    ticket = store.issue_ticket(job_id, 1, PROVIDER)
    receipt = store.receive_webhook(event(ticket=ticket.token))
    assert (receipt.verdict, receipt.delivered) == (WebhookVerdict.LATE, True)
    assert store.webhooks_of(job_id, 1) == ()


# --- the relay -------------------------------------------------------------------------------------------------


def test_given_nothing_to_do_when_the_courier_looks_then_one_statement_and_longer_and_longer_pauses(
    store: Store,
) -> None:
    loop = Loop()
    relay = OutboxRelay(store, loop.run(Client.connect("127.0.0.1:9", lazy=True)), "idle")
    with statements() as issued:
        assert not loop.run(relay.look())
    loop.close()
    assert len(issued) == 1
    pauses = list(accumulate(range(20), lambda pause, _: longer(pause), initial=EVERY_S))
    assert pauses[:5] == [1.0, 2.0, 4.0, 5.0, 5.0]
    assert len([at for at in accumulate(pauses) if at <= 60]) == 13


def test_given_a_delivery_or_a_webhook_that_waits_when_asked_then_there_is_post(
    store: Store, endpoint: Endpoint
) -> None:
    assert not store.has_post()
    uploaded_job(store)
    assert store.has_post()
    store.mark_handed_over(store.waiting_deliveries())
    assert not store.has_post()
    store.delete_endpoint(OWNER, endpoint.id)
    job_id = generation(store)
    store.receive_webhook(event(ticket=store.issue_ticket(job_id, 1, PROVIDER).token))
    assert (store.has_post(), store.has_post(-1.0)) == (False, True)
