"""Jobs that are asked for in one request: made once, on both databases, however many ask at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from activities.store import Admission, JobRequest, Store
from domain.errors import IdempotencyConflict, InsufficientCredits, NotFound, QuotaExceeded
from domain.jobs import Actor, Failure
from domain.library import AssetMedium, NewAsset
from domain.lifecycles.fence import Fence
from domain.lifecycles.image import (
    COMPLETED,
    DEAD_LETTER,
    FAILED,
    IMAGE,
    RUNNING,
    SUPERSEDE,
    check_quota,
)
from domain.lifecycles.kinds import GIVEN_UP, LIFECYCLES, STARTS
from tests.integration.store_builders import blob

OWNER = "ann"
COST = 4
FAULT = Failure(failure_code="PROVIDER_TIMEOUT", failure_message="The provider did not answer.")


def wanted(prompt: str = "a boat", key: str | None = "k", owner: str = OWNER) -> JobRequest:
    return JobRequest(owner=owner, kind=IMAGE.kind, input={"prompt": prompt}, cost=COST, idempotency_key=key)


def rich(store: Store, credits: int = 100) -> Store:
    store.grant(OWNER, credits, reason="test", actor="test", idempotency_key="grant")
    return store


def fence(seq: int, execution: int = 1) -> Fence:
    return Fence(attempt=1, dispatch_id="run", seq=seq, execution=execution)


def at_once(count: int, call: Any) -> list[Any]:
    gate = Barrier(count)

    def run(number: int) -> Any:
        gate.wait()
        try:
            return call(number)
        except (QuotaExceeded, InsufficientCredits) as refused:
            return refused

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_given_twenty_of_the_same_at_once_and_credits_for_one_then_one_job_and_nobody_is_refused(store: Store) -> None:
    rich(store, COST)
    answers = at_once(20, lambda _: store.request_job(wanted()))
    assert len({job.id for job, _ in answers}) == 1
    assert [created for _, created in answers].count(True) == 1
    assert (store.balance(OWNER).available, store.balance(OWNER).reserved) == (0, COST)
    assert len(store.list_projects(OWNER).items) == 1


def test_given_a_quota_when_many_ask_at_once_then_no_more_than_it_allows(store: Store) -> None:
    rich(store)
    rules = Admission(admit=lambda made, frees_in_s: check_quota(made, 3, frees_in_s=frees_in_s))
    answers = at_once(10, lambda number: store.request_job(wanted(f"boat {number}", f"k{number}"), rules))
    refused = [each for each in answers if isinstance(each, QuotaExceeded)]
    assert len(refused) == 7
    assert all(each.retry_after_s and 86_000 < each.retry_after_s <= 86_400 for each in refused)


def test_given_the_same_key_with_another_input_then_conflict_and_of_other_owners_nothing_is_known(store: Store) -> None:
    rich(store)
    job, _ = store.request_job(wanted())
    with pytest.raises(IdempotencyConflict):
        store.request_job(wanted("a ship"))
    with pytest.raises(InsufficientCredits):
        store.request_job(wanted(owner="bob"))
    assert not store.list_jobs("bob").items
    assert not store.list_projects("bob").items
    assert store.job_input(job.id).input == {"prompt": "a boat"}
    with pytest.raises(NotFound):
        store.job_input("01890000-0000-7000-8000-000000000000")


def test_given_a_job_that_gives_way_then_it_ends_and_is_released_before_the_new_one_is_charged(store: Store) -> None:
    rich(store, COST)
    gives_way = Admission(gives_way=lambda status: (DEAD_LETTER, SUPERSEDE) if status == FAILED else None)
    before, _ = store.request_job(wanted(), gives_way)
    store.begin_stage(before.id, fence(1), RUNNING)
    assert store.request_job(wanted(), gives_way) == (store.get_job(before.id), False)
    store.move(before.id, fence(4), FAILED, trigger=IMAGE.runner, actor=Actor.ORCHESTRATOR, failure=FAULT)
    after, created = store.request_job(wanted(), gives_way)
    assert created and after.id != before.id
    ended = store.get_job(before.id)
    assert (ended.status, ended.failure.failure_code) == (DEAD_LETTER, FAULT.failure_code)  # type: ignore[union-attr]
    assert store.request_job(wanted(), gives_way) == (after, False)
    assert store.balance(OWNER).reserved == COST
    assert store.audit_credits().balanced


def test_given_a_stage_that_ends_twice_then_its_asset_is_kept_once_and_charged_once(store: Store) -> None:
    rich(store)
    job, _ = store.request_job(wanted())
    store.begin_stage(job.id, fence(1), RUNNING)
    store.begin_stage(job.id, fence(1, execution=2), RUNNING)
    asset = NewAsset(medium=AssetMedium.PICTURE, blob=blob("p"), thumbnail=blob("t"), width=3, height=2)
    for _ in range(2):
        store.finish_stage(job.id, fence(1, execution=2), target=COMPLETED, assets=[asset], result={"model": "m"})
    (kept,) = store.library(OWNER).items
    assert (kept.blob, kept.thumbnail, kept.width, kept.job_id) == (asset.blob, asset.thumbnail, 3, job.id)
    assert store.job_input(job.id).result == {"model": "m"}
    assert [each.event_type for each in store.events(job.id, 0, 100) if each.event_type == "STAGE_RETRIED"]
    assert (store.balance(OWNER).available, store.balance(OWNER).reserved) == (100 - COST, 0)


def test_every_kind_that_is_started_by_itself_has_a_way_to_where_a_lost_job_ends() -> None:
    for kind, start in STARTS.items():
        lifecycle = LIFECYCLES[kind]
        assert lifecycle.way(start, GIVEN_UP[kind], lifecycle.runner)
    assert set(GIVEN_UP) == set(LIFECYCLES)
