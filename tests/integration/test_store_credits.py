"""The ledger in the database: what a transition costs commits with it, and nothing makes credits or loses them."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import delete, insert, text, update
from sqlalchemy.exc import IntegrityError

from activities.store import Store, schema
from activities.store.database import Database, DatabaseOptions
from activities.store.jobs.locking import LockedJob
from activities.store.tables import credit_accounts, credit_entries, credit_postings, jobs
from domain.credits import Balance, Entry
from domain.errors import (
    IdempotencyConflict,
    InsufficientCredits,
    JobVersionConflict,
    PostingRefused,
    RequestInvalid,
    TerminalImmutable,
    TransitionRefused,
)
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.fence import Fence
from domain.lifecycles.image import SUPERSEDE
from domain.lifecycles.instruction import RETRY
from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Trigger
from tests.databases import PATIENT
from tests.integration.store_builders import OWNER, at_once, drafted_job, log_of

COST = 4
REASON = Failure(failure_code="PROVIDER_TIMEOUT", failure_message="No answer in time.")


def given_credits(store: Store, amount: int, owner: str = OWNER, key: str = "first") -> None:
    store.grant(owner, amount, reason="a test", actor="admin", idempotency_key=key)


def project_of(store: Store, owner: str = OWNER) -> str:
    return store.create_project(owner, "Pictures").id


def made(store: Store, kind: str, cost: int | None = COST, owner: str = OWNER) -> Job:
    return store.create_job(owner, project_of(store, owner), kind=kind, cost=cost)


def moved(store: Store, job: Job, *targets: str, trigger: Trigger = Trigger.WORKER) -> Job:
    for target in targets:
        job = store.move(job.id, None, target, trigger=trigger, actor=Actor.SYSTEM, failure=REASON)
    return job


def retried(store: Store, job_id: str, attempt: int, *, target: str = "pending") -> Job:
    """A new attempt of a job that has ended, as a dispatch makes it."""
    return store.record_dispatch(
        job_id,
        attempt=attempt,
        dispatch_id=f"run-{attempt}",
        resume_from=target,
        action=RETRY,
        trigger=Trigger.ADMIN,
        actor=Actor.EDITOR,
    ).job


def has(store: Store, available: int, reserved: int = 0, owner: str = OWNER) -> bool:
    return store.balance(owner) == Balance(available=available, reserved=reserved)


def entries(store: Store, owner: str = OWNER) -> list[Entry]:
    found: list[Entry] = []
    cursor: str | None = None
    while True:
        page = store.credit_entries(owner, 100, cursor)
        found += page.items
        if (cursor := page.next_cursor) is None:
            return found


def postings(store: Store, owner: str = OWNER) -> list[tuple[str, int | None]]:
    """Kind and attempt of each posting, oldest first."""
    seen = {entry.posting_id: (str(entry.kind), entry.attempt) for entry in reversed(entries(store, owner))}
    return list(seen.values())


def balanced(store: Store) -> bool:
    report = store.audit_credits()
    assert report.balanced, report.findings
    return True


# --- what each kind's transitions book -------------------------------------------------------------------------------


def test_given_an_image_when_it_completes_then_it_was_reserved_and_is_captured(store: Store) -> None:
    given_credits(store, 10)
    job = made(store, "image")
    assert has(store, 6, 4)
    moved(store, job, "running", "completed")
    assert has(store, 6)
    assert postings(store) == [("grant", None), ("reserve", 1), ("capture", 1)]
    assert balanced(store)


@pytest.mark.parametrize(
    ("path", "left"),
    [
        (("rejected",), 6),
        (("running", "rejected"), 6),
        (("running", "failed", "queued", "running", "failed", "dead_letter"), 10),
    ],
)
def test_given_an_image_when_it_ends_otherwise_then_captured_or_released(
    store: Store, path: tuple[str, ...], left: int
) -> None:
    given_credits(store, 10)
    moved(store, made(store, "image"), *path)
    assert has(store, left)
    assert balanced(store)


def test_given_an_image_that_waits_for_its_next_try_when_superseded_then_released_before_the_new_one_reserves(
    store: Store,
) -> None:
    given_credits(store, COST)
    old = moved(store, made(store, "image"), "running", "failed")
    project = project_of(store)
    with pytest.raises(InsufficientCredits):
        made(store, "image")
    with store._database.write() as connection:
        locked = LockedJob(connection, old.id, datetime.now(UTC))
        locked.move("dead_letter", Trigger.API, action=SUPERSEDE, failure=REASON)
        locked.save()
    store.create_job(OWNER, project, kind="image", cost=COST)
    assert has(store, 0, COST)
    assert balanced(store)


def test_given_a_generation_when_it_fails_and_is_retried_then_each_attempt_is_paid_and_refunded_once(
    store: Store,
) -> None:
    given_credits(store, 10)
    job = made(store, "generation")
    assert has(store, 6)
    moved(store, job, "queued", "processing", "failed")
    assert has(store, 10)
    assert retried(store, job.id, 2).status == "pending"
    assert has(store, 6)
    moved(store, job, "processing", "expired")
    assert has(store, 10)
    retried(store, job.id, 3)
    moved(store, job, "processing", "completed")
    assert has(store, 6)
    assert postings(store) == [
        ("grant", None),
        ("deduct", 1),
        ("refund", 1),
        ("deduct", 2),
        ("refund", 2),
        ("deduct", 3),
    ]
    assert balanced(store)


@pytest.mark.parametrize("path", [(), ("queued",), ("queued", "processing")])
def test_given_a_generation_when_canceled_then_refunded_and_a_second_cancel_changes_nothing(
    store: Store, path: tuple[str, ...]
) -> None:
    given_credits(store, 10)
    job = moved(store, made(store, "generation"), *path, "canceled", "canceled")
    assert has(store, 10)
    with pytest.raises(TerminalImmutable):
        moved(store, job, "failed")
    assert has(store, 10)
    assert balanced(store)


def test_given_a_retry_when_the_credits_are_gone_then_402_and_the_job_stays_as_it_was(store: Store) -> None:
    given_credits(store, COST)
    job = moved(store, made(store, "generation"), "failed")
    made(store, "generation")
    before = store.get_job(job.id)
    with pytest.raises(InsufficientCredits) as refusal:
        retried(store, job.id, 2)
    assert refusal.value.details == {"balance": 0, "cost": COST}
    assert store.get_job(job.id) == before
    assert store.get_dispatch(job.id, 2) is None
    assert balanced(store)


def test_given_a_way_out_of_an_end_when_the_attempt_is_not_a_new_one_then_it_is_not_free(store: Store) -> None:
    given_credits(store, 10)
    job = moved(store, made(store, "generation"), "failed")
    with pytest.raises(PostingRefused), store._database.write() as connection:
        LockedJob(connection, job.id, datetime.now(UTC)).move("pending", Trigger.ADMIN, action=RETRY)
    assert store.get_job(job.id) == job
    assert balanced(store)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("analysis", ("draft_ready", "confirmed", "queued")),
        ("batch", ("processing",)),
        ("instruction", ()),
    ],
)
def test_given_a_kind_that_costs_nothing_when_it_moves_then_nothing_is_posted(
    store: Store, kind: str, path: tuple[str, ...]
) -> None:
    moved(store, made(store, kind, None), *path, trigger=Trigger.API if kind == "analysis" else Trigger.WORKER)
    assert entries(store) == []
    assert balanced(store)


def test_given_a_free_image_when_it_goes_its_way_then_nothing_is_posted(store: Store) -> None:
    moved(store, made(store, "image", 0), "running", "failed", "dead_letter")
    assert entries(store) == []
    assert balanced(store)


def test_given_a_transition_that_moves_credits_when_its_history_is_read_then_it_says_so(store: Store) -> None:
    given_credits(store, 10)
    job = moved(store, made(store, "image"), "running", "completed")
    said = [(event.new_status, event.data.get("credits")) for event in store.events(job.id)]
    assert said == [
        ("queued", {"posting": "reserve", "amount": COST}),
        ("running", None),
        ("completed", {"posting": "capture", "amount": COST}),
    ]
    assert (job.cost, store.get_job(job.id).cost) == (COST, COST)


def test_given_a_job_of_a_priced_kind_when_its_maker_forgets_the_price_then_there_is_no_job(store: Store) -> None:
    given_credits(store, 10)
    with pytest.raises(ValueError, match="price"):
        made(store, "image", None)
    assert store.list_jobs(OWNER).items == ()


# --- statuses of the other kinds in the database ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["image", "generation", "analysis", "batch"])
def test_given_a_kind_when_jobs_take_every_row_of_its_table_then_the_database_accepts_each(
    store: Store, kind: str
) -> None:
    """Shortest ways from birth over every row: checks on status, completion, failure and moves all hold."""
    given_credits(store, 1000)
    lifecycle = LIFECYCLES[kind]
    ways: dict[Any, tuple[Any, ...]] = {lifecycle.initial: ()}
    frontier = [lifecycle.initial]
    while frontier:
        here = frontier.pop(0)
        for row in lifecycle.transitions:
            if row.source is here and row.target not in ways:
                ways[row.target] = (*ways[here], row)
                frontier.append(row.target)
    cost = COST if kind in ("image", "generation") else None
    for row in lifecycle.transitions:
        if row.source is None:
            continue
        job = made(store, kind, cost)
        for step in (*ways[row.source], row):
            _take(store, job.id, step)
        last = store.get_job(job.id)
        assert last.status == row.target
        assert (last.completed_at is not None) is lifecycle.is_terminal(row.target)
        assert (last.failure is not None) is (row.target in lifecycle.failures)
    assert balanced(store)


def _take(store: Store, job_id: str, row: Any) -> None:
    with store._database.write() as connection:
        job = LockedJob(connection, job_id, datetime.now(UTC))
        if row.action == RETRY:
            job.set(attempt=job["attempt"] + 1)
        job.move(row.target, min(row.triggers), action=row.action)
        job.save()


def test_given_an_analysis_when_moved_to_where_it_is_then_a_success_without_a_row_or_a_version(store: Store) -> None:
    job = moved(store, made(store, "analysis", None), "draft_ready", trigger=Trigger.API)
    again = moved(store, job, "draft_ready", trigger=Trigger.API)
    assert again == job
    assert len(log_of(store, job.id)) == 2


def test_given_two_decisions_on_one_version_of_a_job_when_both_arrive_then_the_second_is_a_job_version_conflict(
    store: Store,
) -> None:
    job = moved(store, made(store, "analysis", None), "draft_ready", trigger=Trigger.API)

    def confirm(_: int) -> Job:
        return store.move(
            job.id,
            None,
            "confirmed",
            trigger=Trigger.USER,
            actor=Actor.EDITOR,
            expected_version=job.version,
        )

    answers = at_once(2, confirm)
    [conflict] = [each for each in answers if isinstance(each, JobVersionConflict)]
    assert conflict.code == "JOB_VERSION_CONFLICT"
    assert conflict.details == {"base_version": job.version, "current_version": job.version + 1}
    assert sum(isinstance(each, Job) for each in answers) == 1


def test_given_a_batch_that_has_ended_when_its_end_is_repeated_then_the_moment_stays(store: Store) -> None:
    job = moved(store, made(store, "batch", None), "processing", "processing", "partial")
    assert moved(store, job, "partial").completed_at == job.completed_at is not None


# --- stages of a kind whose run is a worker --------------------------------------------------------------------------


def test_given_a_stage_of_a_priced_kind_when_it_ends_twice_then_it_is_captured_once(store: Store) -> None:
    given_credits(store, 10)
    job = made(store, "image")
    store.record_dispatch(job.id, attempt=1, dispatch_id="run-1", trigger=Trigger.API, actor=Actor.EDITOR)
    fence = Fence(attempt=1, dispatch_id="run-1", seq=1)
    store.begin_stage(job.id, fence, "running")
    for _ in range(3):
        assert store.finish_stage(job.id, fence, target="completed").job.status == "completed"
    assert postings(store) == [("grant", None), ("reserve", 1), ("capture", 1)]
    assert balanced(store)


# --- not enough ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["image", "generation"])
@pytest.mark.parametrize("balance", [0, 3])
def test_given_too_little_when_a_job_is_made_then_402_and_no_trace_of_it(store: Store, kind: str, balance: int) -> None:
    if balance:
        given_credits(store, balance)
    with pytest.raises(InsufficientCredits) as refusal:
        made(store, kind)
    assert refusal.value.details == {"balance": balance, "cost": COST}
    assert store.list_jobs(OWNER).items == ()
    assert has(store, balance)
    assert balanced(store)


def test_given_credits_that_are_reserved_when_a_job_is_made_then_they_are_not_there_to_spend(store: Store) -> None:
    given_credits(store, COST)
    made(store, "image")
    with pytest.raises(InsufficientCredits) as refusal:
        made(store, "generation", 1)
    assert refusal.value.details == {"balance": 0, "cost": 1}


# --- many at once ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["image", "generation"])
def test_given_credits_for_ten_when_fifty_ask_at_once_then_exactly_ten_win(store: Store, kind: str) -> None:
    given_credits(store, 10)
    project = project_of(store)

    answers = at_once(50, lambda _: store.create_job(OWNER, project, kind=kind, cost=1))

    won = [each for each in answers if isinstance(each, Job)]
    lost = [each for each in answers if isinstance(each, InsufficientCredits)]
    assert (len(won), len(lost)) == (10, 40), [each for each in answers if each not in won and each not in lost]
    assert {job.id for job in store.list_jobs(OWNER, limit=100).items} == {job.id for job in won}
    assert store.balance(OWNER).available == 0
    assert balanced(store)


ASKING = """
import json, sys
from activities.store import Store
from domain.errors import InsufficientCredits
from domain.jobs import (Job)
from tests.integration.store_builders import OWNER, at_once
url, project = sys.argv[1:]
store = Store.open(url, durable=False, lock_timeout_ms=60_000, pool_timeout_s=60.0)
store.ping()
print("ready", flush=True)
sys.stdin.readline()
answers = at_once(25, lambda _: store.create_job(OWNER, project, kind="image", cost=1))
store.dispose()
won = sum(isinstance(each, Job) for each in answers)
lost = sum(isinstance(each, InsufficientCredits) for each in answers)
print(json.dumps([won, lost]))
"""


def test_given_credits_for_ten_when_two_processes_ask_for_fifty_then_exactly_ten_win(database_url: str) -> None:
    store = Store.open(database_url, durable=False, **PATIENT)
    given_credits(store, 10)
    project = project_of(store)
    command = [sys.executable, "-c", ASKING, database_url, project]
    other = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    try:
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == "ready\n"
        other.stdin.write("go\n")
        other.stdin.flush()
        answers = at_once(25, lambda _: store.create_job(OWNER, project, kind="image", cost=1))
        theirs = json.loads(other.communicate(timeout=120)[0].splitlines()[-1])  # after its logs
    finally:
        other.kill()
        other.wait()
    ours = [sum(isinstance(each, what) for each in answers) for what in (Job, InsufficientCredits)]
    assert [sum(ours), sum(theirs)] == [25, 25], answers
    assert ours[0] + theirs[0] == 10
    assert has(store, 0, 10)
    assert balanced(store)
    store.dispose()


def test_given_jobs_of_one_user_when_they_end_and_begin_at_once_then_nobody_waits_in_a_circle(store: Store) -> None:
    given_credits(store, 100)
    project = project_of(store)
    running = [moved(store, store.create_job(OWNER, project, kind="image", cost=2), "running") for _ in range(8)]

    def act(number: int) -> Job:
        if number % 2:
            return store.create_job(OWNER, project, kind=("image", "generation")[number % 4 // 2], cost=2)
        target = ("completed", "failed")[number % 4 // 2]
        return moved(store, running[number // 2], target, *(("dead_letter",) if target == "failed" else ()))

    assert not [each for each in at_once(16, act) if isinstance(each, Exception)]
    assert balanced(store)


def test_given_one_grant_when_sent_many_times_at_once_then_given_once(store: Store) -> None:
    answers = at_once(8, lambda _: store.grant("new", 7, reason="hello", actor="admin", idempotency_key="once"))
    granted = [each for each in answers if not isinstance(each, Exception)]
    assert len(granted) == 8, answers
    assert sorted(replayed for _, replayed in granted) == [False, *[True] * 7]
    assert len({posted.id for posted, _ in granted}) == 1
    assert has(store, 7, owner="new")


# --- grants ----------------------------------------------------------------------------------------------------------


def test_given_a_key_when_used_for_another_grant_then_a_conflict_and_another_actor_has_keys_of_their_own(
    store: Store,
) -> None:
    given_credits(store, 5, key="k")
    for owner, amount, reason in (("bob", 5, "a test"), (OWNER, 6, "a test"), (OWNER, 5, "another")):
        with pytest.raises(IdempotencyConflict):
            store.grant(owner, amount, reason=reason, actor="admin", idempotency_key="k")
    store.grant(OWNER, 6, reason="a test", actor="other", idempotency_key="k")
    assert has(store, 11)


def test_given_a_user_when_welcomed_again_and_with_more_then_given_once(store: Store) -> None:
    store.welcome(OWNER, 0)
    assert has(store, 0)
    for amount in (100, 100, 500, 0):
        store.welcome(OWNER, amount)
    assert has(store, 100)
    at_once(4, lambda _: store.welcome("bob", 50))
    assert has(store, 50, owner="bob")


# --- lists -----------------------------------------------------------------------------------------------------------


def test_given_entries_when_listed_then_newest_first_ones_own_and_they_sum_to_the_balance(store: Store) -> None:
    given_credits(store, 50)
    given_credits(store, 50, "bob", "other")
    for _ in range(5):
        moved(store, made(store, "image"), "running", "completed")
    made(store, "image")

    found = entries(store)

    assert [each.created_at for each in found] == sorted((each.created_at for each in found), reverse=True)
    assert sum(each.amount for each in found) == store.balance(OWNER).balance == 30
    first = store.credit_entries(OWNER, 4)
    second = store.credit_entries(OWNER, 4, first.next_cursor)
    assert (*first.items, *second.items) == tuple(found[:8])
    assert len(entries(store, "bob")) == 1
    with pytest.raises(RequestInvalid):
        store.credit_entries(OWNER, 20, "nonsense")


# --- garbage written around the store --------------------------------------------------------------------------------

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _posting(**columns: Any) -> dict[str, Any]:
    row = {"id": "p", "kind": "grant", "owner": OWNER, "amount": 1, "reason": "", "actor": "x", "created_at": NOW}
    return row | columns


GARBAGE: dict[str, Callable[[str], Any]] = {
    "a debt": lambda _: update(credit_accounts).where(credit_accounts.c.owner == OWNER).values(balance=-1),
    "an account of no name": lambda _: insert(credit_accounts).values(
        owner=OWNER, account="hidden", balance=1, created_at=NOW
    ),
    "a house of one's own": lambda _: insert(credit_accounts).values(
        owner=OWNER, account="earned", balance=1, created_at=NOW
    ),
    "nothing for something": lambda _: insert(credit_postings).values(_posting(amount=0)),
    "a posting of no kind": lambda _: insert(credit_postings).values(_posting(kind="gift")),
    "a grant in a job's name": lambda job: insert(credit_postings).values(_posting(job_id=job, attempt=1)),
    "a charge in nobody's name": lambda _: insert(credit_postings).values(_posting(kind="deduct")),
    "a charge of no attempt": lambda job: insert(credit_postings).values(_posting(kind="deduct", job_id=job)),
    "a second charge": lambda job: insert(credit_postings).values(_posting(kind="deduct", job_id=job, attempt=1)),
    "a second settlement": lambda job: insert(credit_postings).values(_posting(kind="release", job_id=job, attempt=1)),
    "a used key": lambda _: insert(credit_postings).values(_posting(actor="admin", idempotency_key="first")),
    "an entry of no posting": lambda _: insert(credit_entries).values(
        id="e", posting_id="none", owner=OWNER, account="available", amount=1, created_at=NOW
    ),
    "an empty entry": lambda _: update(credit_entries).values(amount=0),
    "a posting without its entries": lambda _: delete(credit_postings),
}


def test_given_garbage_written_around_the_store_when_it_arrives_then_the_database_refuses(store: Store) -> None:
    given_credits(store, 10)
    job = moved(store, made(store, "image"), "running", "completed")
    accepted = []
    for what, written in GARBAGE.items():
        with suppress(IntegrityError), store._database.write() as connection:
            connection.execute(written(job.id))
            accepted.append(what)
    assert accepted == []


COOKED: dict[str, str] = {
    "does not sum to zero": "UPDATE credit_entries SET amount = amount + 1 WHERE account = 'earned'",
    "their entries sum to": "UPDATE credit_accounts SET balance = balance + 1 WHERE account = 'available'",
    "not where they belong": "UPDATE jobs SET status = 'running', completed_at = NULL WHERE kind = 'image'",
}


@pytest.mark.parametrize("finding", COOKED)
def test_given_books_that_somebody_cooked_when_audited_then_it_is_found(store: Store, finding: str) -> None:
    given_credits(store, 10)
    moved(store, made(store, "image"), "running", "completed")
    assert balanced(store)
    with store._database.write() as connection:
        connection.execute(text(COOKED[finding]))

    report = store.audit_credits()

    assert not report.balanced
    assert len(report.findings) == 1
    assert finding in report.findings[0]


# --- the migration ---------------------------------------------------------------------------------------------------


def test_given_jobs_of_the_version_before_when_the_database_is_upgraded_then_they_are_free_and_go_on(
    changeable_database_url: str,
) -> None:
    url = changeable_database_url
    store, database = Store.open(url, durable=False), Database(url, DatabaseOptions(durable=False))
    job, run = drafted_job(store)
    schema.downgrade(database, "0005")
    schema.upgrade(database)

    assert store.get_job(job.id) == job
    assert job.cost == 0
    assert store.move(job.id, run.fence(), "EDITING", trigger=Trigger.USER, actor=Actor.EDITOR).status == "EDITING"
    given_credits(store, COST)
    made(store, "image")
    assert balanced(store)
    database.dispose()
    store.dispose()


# --- every lifecycle, with crashes, duplicates and replays -----------------------------------------------------------


class Crash(Exception):
    """The process died before its commit."""


class Books(RuleBasedStateMachine):
    """Jobs of every kind that move, crash, and are told the same again; and what everybody ought to have, by hand."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store
        self.now = NOW
        self.jobs: list[tuple[str, str]] = []
        self.spent = self.held = self.given = 0

    @initialize()
    def begin(self) -> None:
        with self.store._database.write() as connection:
            for table in (credit_entries, credit_postings):
                connection.execute(delete(table))
            connection.execute(delete(credit_accounts).where(credit_accounts.c.owner == OWNER))
            connection.execute(text("DELETE FROM job_events"))
            connection.execute(delete(jobs))
        self.project = project_of(self.store)

    @rule(amount=st.integers(1, 20), key=st.sampled_from("abcdef"))
    def grant(self, amount: int, key: str) -> None:
        try:
            _, replayed = self.store.grant(OWNER, amount, reason="r", actor="admin", idempotency_key=key)
        except IdempotencyConflict:
            return
        self.given += 0 if replayed else amount

    @rule(kind=st.sampled_from(list(LIFECYCLES)), cost=st.integers(0, 9))
    def make(self, kind: str, cost: int) -> None:
        charged = kind in ("image", "generation")
        enough = self.available >= cost
        try:
            job = self.store.create_job(OWNER, self.project, kind=kind, cost=cost if charged else None)
        except InsufficientCredits as refusal:
            assert charged and not enough
            assert refusal.details == {"balance": self.available, "cost": cost}
            return
        assert enough or not charged
        self.jobs.append((kind, job.id))
        self._book(kind, None, job.status, job.cost)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), crash=st.sampled_from([None, "locked", "moved", "saved"]), again=st.integers(0, 2))
    def follow_a_row(self, data: st.DataObject, crash: str | None, again: int) -> None:
        """A legal move; perhaps the process dies before the commit and the move is made again, or it is told twice."""
        kind, job_id = data.draw(st.sampled_from(self.jobs))
        current = self.store.get_job(job_id)
        here = LIFECYCLES[kind].status(current.status)
        rows = [row for row in LIFECYCLES[kind].transitions if row.source is here]
        if not rows:
            return
        row = data.draw(st.sampled_from(rows))
        if crash is not None:
            with pytest.raises((Crash, InsufficientCredits)):
                self._move(job_id, row, crash)
            assert self.store.get_job(job_id) == current
        try:
            self._move(job_id, row)
        except InsufficientCredits:
            assert row.action == RETRY and self.available < current.cost
            return
        self._book(kind, row.source, row.target, current.cost)
        for _ in range(again):
            self._tell_again(job_id, row)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), trigger=st.sampled_from(list(Trigger)))
    def attempt_anything(self, data: st.DataObject, trigger: Trigger) -> None:
        """A move that somebody wishes for: where it is forbidden, nothing changes."""
        kind, job_id = data.draw(st.sampled_from(self.jobs))
        lifecycle = LIFECYCLES[kind]
        before = self.store.get_job(job_id)
        here = lifecycle.status(before.status)
        target = data.draw(st.sampled_from([*lifecycle.active, *sorted(lifecycle.terminals)]))
        if lifecycle.may(here, target, trigger):
            return
        if target is here and lifecycle.is_terminal(here):
            self.store.move(job_id, None, target, trigger=trigger, actor=Actor.SYSTEM)
        else:
            with pytest.raises(TransitionRefused):
                self.store.move(job_id, None, target, trigger=trigger, actor=Actor.SYSTEM)
        assert self.store.get_job(job_id) == before

    def _move(self, job_id: str, row: Any, crash: str | None = None) -> None:
        self.now += timedelta(seconds=1)

        def come_to(point: str) -> None:
            if crash == point:
                raise Crash

        with self.store._database.write() as connection:
            job = LockedJob(connection, job_id, self.now)
            come_to("locked")
            if row.action == RETRY:
                job.set(attempt=job["attempt"] + 1, dispatch_id=None, fence_seq=0, fence_execution=1)
            job.move(row.target, min(row.triggers), action=row.action)
            come_to("moved")
            job.save()
            come_to("saved")

    def _tell_again(self, job_id: str, row: Any) -> None:
        """The same event once more: a terminal status reached twice, or a move that is no longer there."""
        trigger = min(row.triggers)
        before = self.store.get_job(job_id)
        with suppress(TransitionRefused):
            self.store.move(job_id, None, row.target, trigger=trigger, actor=Actor.SYSTEM)
        may_repeat = LIFECYCLES[before.kind].may(row.target, row.target, trigger)
        assert self.store.get_job(job_id) == before or may_repeat

    def _book(self, kind: str, source: Any, target: Any, cost: int) -> None:
        """What the contract says of credits, said a second time in plain words."""
        if kind == "image":
            self.held += cost if source is None else 0
            if target in ("completed", "rejected", "dead_letter"):
                self.held -= cost
                self.spent += cost if target != "dead_letter" else 0
        if kind == "generation":
            self.spent += cost if target == "pending" else 0
            self.spent -= cost if target in ("failed", "canceled", "expired") else 0

    @property
    def available(self) -> int:
        return self.given - self.spent - self.held

    @invariant()
    def everybody_has_what_they_ought_to(self) -> None:
        assert self.store.balance(OWNER) == Balance(available=self.available, reserved=self.held)

    def teardown(self) -> None:
        report = self.store.audit_credits()
        assert report.balanced, report.findings


@pytest.fixture
def few_steps(database_url: str) -> Iterator[settings]:
    """As many as a second or two allow: a step on Postgres costs five on SQLite."""
    yield settings(
        max_examples=12 if database_url.startswith("sqlite") else 4,
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def test_given_every_lifecycle_with_crashes_duplicates_and_replays_when_it_is_driven_then_the_books_balance(
    store: Store, few_steps: settings
) -> None:
    class OnStore(Books):
        def __init__(self) -> None:
            super().__init__(store)

    run_state_machine_as_test(OnStore, settings=few_steps)


def test_given_balances_when_an_administrator_looks_then_those_of_whose_name_fits(store: Store) -> None:
    for owner, amount in (("ann", 3), ("Annika", 5), ("b%b", 7)):
        store.grant(owner, amount, reason="test", actor="test", idempotency_key=owner)
    found = {owner: has.available for owner, has in store.balances("ANN")}
    assert found == {"ann": 3, "Annika": 5}
    assert [owner for owner, _ in store.balances("%")] == ["b%b"]
    assert len(store.balances(most=2)) == 2
