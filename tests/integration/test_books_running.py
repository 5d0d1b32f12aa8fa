"""The books while everything runs: jobs of every kind on the real engine, with crashes, repeats, cancels and faults.

One Temporal, and workers in the test's own process, which are stopped in the middle of whatever they do. After each
step, and once all jobs have ended, the books are held against what was asked, kept and given back. A kind more is one
more :class:`Trade` in ``TRADES``.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import ActivityEnvironment

from activities.store import Store
from activities.upkeep.reconciling import Reconciler
from domain.credits import PostingKind
from domain.errors import (
    DatabaseUnavailable,
    InsufficientCredits,
    JobAlreadyRunning,
    RetryNotAllowed,
    TransitionRefused,
)
from domain.jobs import Job
from domain.lifecycles import image
from domain.lifecycles.batch import BATCH, BatchType
from domain.lifecycles.generation import GENERATION
from domain.lifecycles.image import IMAGE
from domain.lifecycles.kinds import lifecycle_of
from domain.orders.batch import BatchOrder
from domain.orders.generation import CopyOrder, ScrapeOrder
from domain.orders.picture import PictureOrder
from starter.sandbox import Behaviour, RunningSandbox, running_sandbox
from starter.services import kinds as starting
from starter.services import live_runs
from starter.services.batches import BatchRequests
from starter.services.kinds import KindService
from starter.services.retrying import Retries
from starter.settings import QUEUES, Settings
from starter.wiring import generation_requests, image_requests, kind_terms, open_artifacts, run_options
from starter.work.worker import all_activities, build_workers
from tests.databases import laid_out
from tests.integration.api_builders import told_job
from tests.integration.store_builders import created_job
from tests.stack import Loop, wait_until
from tests.temporal import TemporalServer, free_port

OWNERS = ("ann", "bob")
PRICES = "image=4,copy=1,scrape=2"
NOWHERE = f"http://127.0.0.1:{free_port()}"
"""Nobody listens there: that may pass, and is tried again."""

MINUTE = datetime(2026, 1, 31, 12, 0, 30, tzinfo=UTC)
"""It does not end: the same wish is the same request."""

EXAMPLES, STEPS = 3, 12


class Doubtful(Store):
    """A store that sometimes does not tell what it has committed: to whoever asked, it is as if they had died then."""

    crashes = 0

    def _committed(self, answer: Any) -> Any:
        if self.crashes > 0 and "-stage" in threading.current_thread().name:  # workers doubt, not the test itself
            self.crashes -= 1
            raise DatabaseUnavailable("The commit is in doubt.")
        return answer

    def begin_stage(self, *given: Any, **named: Any) -> Any:
        return self._committed(super().begin_stage(*given, **named))

    def finish_stage(self, *given: Any, **named: Any) -> Any:
        return self._committed(super().finish_stage(*given, **named))

    def move(self, *given: Any, **named: Any) -> Any:
        return self._committed(super().move(*given, **named))

    def finish_item(self, *given: Any, **named: Any) -> Any:
        return self._committed(super().finish_item(*given, **named))

    def fail_item(self, *given: Any, **named: Any) -> Any:
        return self._committed(super().fail_item(*given, **named))

    def close_batch(self, *given: Any, **named: Any) -> Any:
        return self._committed(super().close_batch(*given, **named))


@dataclass
class Market:
    """What the machine works with."""

    settings: Settings
    store: Doubtful
    sandbox: RunningSandbox
    loop: Loop
    client: Client
    running: AsyncExitStack = field(default_factory=AsyncExitStack)
    examples: int = 0

    def __post_init__(self) -> None:
        self.terms = kind_terms(self.settings)
        self.kinds = KindService(self.store, self.client, run_options(self.settings), self.terms)
        self.retries = Retries(self.store, self.client, self.kinds)
        self.images = image_requests(self.settings, self.store)
        self.images._clock = lambda: MINUTE
        self.generations = generation_requests(self.settings, self.store)
        self.batches = BatchRequests(self.store)
        self.artifacts = open_artifacts(self.settings)
        self.artifacts.ensure_bucket()

    def work(self) -> None:
        async def start() -> None:
            for each in build_workers(self.client, self.settings, QUEUES, self.activities()):
                await self.running.enter_async_context(each)

        self.loop.run(start())

    def activities(self) -> list[object]:
        return all_activities(self.settings, self.store, self.client)

    def stop(self) -> None:
        """What runs is given up; somebody else goes on with it."""
        self.loop.run(self.running.aclose())
        self.running = AsyncExitStack()

    def reconcile(self) -> None:
        reconciler = Reconciler(self.store, self.client, run_options(self.settings), self.terms)

        async def once() -> None:
            await ActivityEnvironment().run(reconciler.reconcile)

        self.loop.run(once())


@dataclass(frozen=True)
class Trade:
    """A kind of job as it is asked for: ``ask`` makes a job of a variant, told apart from others by a number."""

    kind: str
    variants: tuple[str, ...]
    ask: Callable[[Market, str, str, int], Job]


def ask_image(market: Market, owner: str, variant: str, number: int) -> Job:
    gave_way: list[str] = []
    job, _ = market.images.make(owner, PictureOrder(prompt=f"{variant} {number} of {market.examples}"), gave_way.append)
    for each in gave_way:
        market.loop.run(market.kinds.tell_superseded(each))
    return job


def ask_generation(market: Market, owner: str, variant: str, number: int) -> Job:
    order = CopyOrder(prompt=f"Sell number {number}") if variant == "copy" else ScrapeOrder(url=f"{NOWHERE}/{number}")
    return market.generations.make(owner, order, f"{variant}-{number}-{market.examples}")[0]


def ask_batch(market: Market, owner: str, variant: str, number: int) -> Job:
    told = told_job(market.store, market.artifacts, owner).id if variant == "told" else None
    sources = (told or created_job(market.store, owner).id, created_job(market.store, owner).id)
    return market.batches.make(owner, BatchOrder(job_type=BatchType.CAPTIONS, sources=sources))


TRADES = (
    Trade(IMAGE.kind, ("a boat", "nsfw", "flagged", "expired"), ask_image),
    Trade(GENERATION.kind, ("copy", "scrape"), ask_generation),
    Trade(BATCH.kind, ("told", "bare"), ask_batch),
)

KEPT = {
    (IMAGE.kind, "completed"): [PostingKind.RESERVE, PostingKind.CAPTURE],
    (IMAGE.kind, "rejected"): [PostingKind.RESERVE, PostingKind.CAPTURE],
    (IMAGE.kind, "dead_letter"): [PostingKind.RESERVE, PostingKind.RELEASE],
    (GENERATION.kind, "completed"): [PostingKind.DEDUCT],
    (GENERATION.kind, "failed"): [PostingKind.DEDUCT, PostingKind.REFUND],
    (GENERATION.kind, "canceled"): [PostingKind.DEDUCT, PostingKind.REFUND],
}
"""What stands in the books of an attempt that ended so; earlier attempts were all refunded. Others cost nothing."""

PAID = {(IMAGE.kind, "completed"), (IMAGE.kind, "rejected"), (GENERATION.kind, "completed")}


class Bustle(RuleBasedStateMachine):
    """People who ask, ask again, and change their minds, while workers stop and providers fail."""

    def __init__(self, market: Market) -> None:
        super().__init__()
        self.market = market
        self.store = market.store
        market.examples += 1
        self.owners = [f"{name}-{market.examples}" for name in OWNERS]
        self.granted = dict.fromkeys(self.owners, 0)
        self.asked: list[tuple[Trade, str, str, int]] = []
        self.jobs: dict[str, Trade] = {}

    @initialize()
    def open(self) -> None:
        for owner in self.owners:
            self._grant(owner, 15)
            for trade in TRADES:
                self._ask(trade, owner, trade.variants[0], len(self.asked), started=True)

    # --- what people do --------------------------------------------------------------------------------------

    @rule(owner=st.sampled_from(OWNERS), which=st.data(), started=st.sampled_from([True, True, True, False]))
    def ask(self, owner: str, which: st.DataObject, started: bool) -> None:
        trade = which.draw(st.sampled_from(TRADES))
        variant = which.draw(st.sampled_from(trade.variants))
        self._ask(trade, self._own(owner), variant, len(self.asked), started=started)

    @rule(which=st.integers(0, 50))
    def ask_again(self, which: int) -> None:
        if self.asked:
            self._ask(*self.asked[which % len(self.asked)], started=True)

    @rule(which=st.integers(0, 50))
    def cancel(self, which: int) -> None:
        for job_id in self._some(which):
            with suppress(TransitionRefused):
                self.market.loop.run(self.market.kinds.cancel(self.store.get_job(job_id).owner, job_id))

    @rule(which=st.integers(0, 50))
    def retry(self, which: int) -> None:
        for job_id in self._some(which):
            begin = partial(self.store.begin_attempt, job_id, "root")
            with suppress(RetryNotAllowed, TransitionRefused, InsufficientCredits, JobAlreadyRunning):
                self.market.loop.run(self.market.retries.retry(job_id, begin))

    @rule(owner=st.sampled_from(OWNERS))
    def grant(self, owner: str) -> None:
        self._grant(self._own(owner), 5)

    # --- what goes wrong -------------------------------------------------------------------------------------

    @rule(crashes=st.integers(1, 3))
    def forget_what_was_committed(self, crashes: int) -> None:
        self.store.crashes += crashes

    @rule()
    def stop_the_workers(self) -> None:
        self.market.stop()
        self.market.work()

    @rule(endpoint=st.sampled_from(["images", "moderations"]), status=st.sampled_from([429, 500, 503]))
    def provider_fails(self, endpoint: str, status: int) -> None:
        self.market.sandbox.script(endpoint, Behaviour(status=status))

    @rule(which=st.integers(0, 50))
    def terminate(self, which: int) -> None:
        for job_id in self._some(which):
            with suppress(Exception):  # it has no run, or none any more
                self.market.loop.run(self.market.client.get_workflow_handle(job_id).terminate())

    @rule(which=st.integers(0, 50))
    def let_one_end(self, which: int) -> None:
        for job_id in self._some(which):
            if self.store.get_job(job_id).dispatch_id is not None:
                self._wait_a_little(job_id)

    # --- what holds ------------------------------------------------------------------------------------------

    @invariant()
    def the_books_balance(self) -> None:
        report = self.store.audit_credits()
        assert report.balanced, report.findings
        for owner in self.owners:
            balance = self.store.balance(owner)
            assert min(balance.balance, balance.reserved, balance.available) >= 0

    def teardown(self) -> None:
        self.store.crashes = 0
        wait_until(self._settled, 60, "the end of every job")
        self.the_books_balance()
        spent = dict.fromkeys(self.owners, 0)
        for job_id, trade in self.jobs.items():
            job = self.store.get_job(job_id)
            self._check(job)
            if (trade.kind, job.status) in PAID:
                spent[job.owner] += self._price(job)
        for owner in self.owners:
            balance = self.store.balance(owner)
            assert (balance.reserved, balance.available) == (0, self.granted[owner] - spent[owner])

    def _check(self, job: Job) -> None:
        moves = [(each.prev_status, each.new_status) for each in self.store.events(job.id, 0, 500) if each.new_status]
        assert all(before[1] == after[0] for before, after in pairwise(moves)), moves
        posted: dict[int, list[str]] = {}
        entries = self.store.credit_entries(job.owner, 100).items
        for each in {each.posting_id: each for each in reversed(entries) if each.job_id == job.id}.values():
            posted.setdefault(each.attempt or 0, []).append(each.kind)
        kept = KEPT.get((job.kind, job.status), [])
        refunded = KEPT[GENERATION.kind, "failed"]
        assert posted == (dict.fromkeys(range(1, job.attempt), refunded) | {job.attempt: kept} if kept else {}), job
        if job.kind == IMAGE.kind:
            assert len(self.store.library_of_job(job.id)) == (job.status == "completed")

    # --- how -------------------------------------------------------------------------------------------------

    def _own(self, name: str) -> str:
        return self.owners[OWNERS.index(name)]

    def _grant(self, owner: str, amount: int) -> None:
        key = f"{owner}-{self.granted[owner]}"
        self.store.grant(owner, amount, reason="test", actor="test", idempotency_key=key)
        self.granted[owner] += amount

    def _ask(self, trade: Trade, owner: str, variant: str, number: int, *, started: bool) -> None:
        try:
            job = trade.ask(self.market, owner, variant, number)
        except InsufficientCredits:
            return
        self.asked.append((trade, owner, variant, number))
        self.jobs[job.id] = trade
        if started:
            self.market.loop.run(self.market.kinds.start(job))

    def _some(self, which: int) -> list[str]:
        return [list(self.jobs)[which % len(self.jobs)]] if self.jobs else []

    def _has_ended(self, job_id: str) -> bool:
        return self.store.get_job(job_id).completed_at is not None

    def _wait_a_little(self, job_id: str) -> None:
        """In vain where its run was terminated: the reconciler ends it."""
        until = time.monotonic() + 2
        while not self._has_ended(job_id) and time.monotonic() < until:
            time.sleep(0.02)

    def _settled(self) -> bool:
        if all(map(self._has_ended, self.jobs)):
            return True
        self.market.reconcile()
        return False

    def _price(self, job: Job) -> int:
        prices = self.market.settings.price_list
        return prices[IMAGE.kind] if job.kind == IMAGE.kind else prices[str(self.store.job_input(job.id).input["type"])]


@pytest.fixture
def market(temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Market]:
    monkeypatch.setattr(image, "BACKOFF_FIRST_S", 0.05)
    monkeypatch.setattr("domain.lifecycles.generation.backoff_s", lambda failures: 0.05 * failures)
    monkeypatch.setattr(starting, "CANCEL_WAIT_S", 0.5)
    monkeypatch.setattr(live_runs, "CLOSE_WAIT_S", 1.0)
    with running_sandbox() as sandbox:
        chosen = Settings(
            data_dir=tmp_path,
            task_queue_prefix="bustle",
            prices=PRICES,
            image_base_url=sandbox.base_url,
            image_model="sandbox-images",
            moderation_base_url=sandbox.base_url,
            provider_timeout_s=2.0,
            heartbeat_timeout_s=2.0,
            graceful_shutdown_s=0.0,
            scrape_allow_private=True,
        )
        store = Doubtful.open(laid_out(chosen.database), durable=False)
        store.upgrade()
        loop = Loop()
        client = loop.run(Client.connect(temporal.address, data_converter=pydantic_data_converter))
        running = Market(chosen, store, sandbox, loop, client)
        running.work()
        yield running
        running.stop()
        store.dispose()
        loop.close()


@pytest.mark.timeout(600)  # for each of the examples what a slow machine is waited for
def test_given_a_bustle_of_jobs_when_workers_stop_and_providers_fail_then_nobody_pays_twice_or_for_nothing(
    market: Market,
) -> None:
    run_state_machine_as_test(
        cast("type[RuleBasedStateMachine]", partial(Bustle, market)),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("trade", TRADES, ids=lambda each: each.kind)
def test_every_end_of_a_trade_has_its_books(trade: Trade) -> None:
    ends = {str(each) for each in lifecycle_of(trade.kind).terminals} - {"expired"}
    assert trade.kind == BATCH.kind or ends == {end for kind, end in KEPT if kind == trade.kind}
