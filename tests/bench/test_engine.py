"""What durability costs: the engine against bare Temporal and against a naive mirror, with stages that take no time.

The contenders take turns, so that each round's ratio is of one moment of the machine; what is asserted is the median
of the ratios. Absolute figures are of this machine at this hour. Where the last column is not near zero, something else
ran on the machine: the run takes longer than its four minutes, and its ratios are guesses.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from rich.console import Console
from rich.table import Table
from temporalio.api.history.v1 import HistoryEvent

from activities.rails.contracts import PAYLOAD_LIMIT_BYTES
from tests.bench.engine_stand import BARE, CONTENDERS, NAIVE, OURS, POLL_S, Stand, bench_stand
from tests.bench.processes import Cpu
from tests.e2e.test_budget import ACTIONS, BILLABLE, EVENTS, payloads


@dataclass(frozen=True)
class Load:
    """How much is sent: jobs at once a round, and jobs of each contender that run alone, one after the other.

    Of one round alone the ratio says more about what else the machine did than about the contenders.
    """

    in_flight: int = 200
    rounds: int = 3
    warm_up: int = 20
    unloaded: int = 30


SMALL = Load(in_flight=120, rounds=1, warm_up=5, unloaded=3)
"""More jobs than fill a pipe with a worker's log: everything runs to its end, and nothing is said about speed."""

SHOWN: Final = "upsert_workflow_search_attributes_event_attributes"
"""The last event of a run up to its draft: the job's status is shown to operators."""

LEAST_OF_BARE, LEAST_OF_NAIVE, MOST_LATENCY = 0.75, 1.8, 1.3


@dataclass
class Figures:
    """What one contender showed. Rates in jobs a second, times in seconds, CPU in seconds a job."""

    rates: list[float] = field(default_factory=list)
    loaded: list[float] = field(default_factory=list)
    unloaded: list[float] = field(default_factory=list)
    cpu: list[dict[str, Cpu]] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    """The part of the machine, 0 to 1, that went to processes which are not measured: the less, the better the run."""

    def cpu_ms(self, process: str, jobs: int) -> tuple[float, float]:
        """User and system milliseconds a job, of so many a round."""
        return (
            1000 * statistics.fmean(each[process].user for each in self.cpu) / jobs,
            1000 * statistics.fmean(each[process].system for each in self.cpu) / jobs,
        )


@dataclass
class History:
    """What one of our jobs left in Temporal, up to its draft."""

    events: int
    actions: int
    largest_payload_bytes: int


async def history_of_one_job(stand: Stand) -> History:
    (job_id,) = stand.new_jobs(1)
    await stand.race(OURS, [job_id], POLL_S)
    handle = stand.client.get_workflow_handle(job_id)
    events: list[HistoryEvent] = []
    while not any(event.HasField(SHOWN) for event in events):  # the database knows of the draft a moment earlier
        events = list((await handle.fetch_history()).events)
    return History(
        events=len(events),
        actions=sum(event.HasField(name) for event in events for name in BILLABLE),  # type: ignore[arg-type]
        largest_payload_bytes=max(payload.ByteSize() for event in events for payload in payloads(event)),
    )


async def measure(folder: Path, load: Load) -> tuple[dict[str, Figures], History]:
    figures = {contender: Figures() for contender in CONTENDERS}
    async with bench_stand(folder) as stand:
        for contender in CONTENDERS:
            await stand.race(contender, stand.new_jobs(load.warm_up))
        for _ in range(load.unloaded):
            for contender in CONTENDERS:
                figures[contender].unloaded += await stand.race(contender, stand.new_jobs(1), POLL_S)
        for turn in range(load.rounds):
            for contender in CONTENDERS[turn:] + CONTENDERS[:turn]:
                await one_round(stand, contender, figures[contender], load.in_flight)
        return figures, await history_of_one_job(stand)


async def one_round(stand: Stand, contender: str, figures: Figures, in_flight: int) -> None:
    jobs = stand.new_jobs(in_flight)
    meter = stand.meter(contender)
    begun = time.perf_counter()
    figures.loaded += await stand.race(contender, jobs)
    figures.rates.append(in_flight / (time.perf_counter() - begun))
    figures.cpu.append(meter.read())
    figures.others.append(meter.others())


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the rounds' own ratios."""
    return statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True))


def report(figures: dict[str, Figures], history: History, load: Load) -> None:
    processes = list(figures[OURS].cpu[0])
    table = Table(
        title=f"{load.in_flight} jobs in flight, {load.rounds} rounds by turns; CPU in ms a job, user + system"
    )
    table.add_column("")
    for name in ("jobs/s", "p50 s", "unloaded p50 ms", *processes, "CPU in all", "others' CPU"):
        table.add_column(name, justify="right")
    for contender, shown in figures.items():
        cpu = [shown.cpu_ms(process, load.in_flight) for process in processes]
        table.add_row(
            contender,
            " ".join(f"{rate:.1f}" for rate in shown.rates),
            f"{statistics.median(shown.loaded):.1f}",
            f"{1000 * statistics.median(shown.unloaded):.0f}",
            *(f"{user:.1f} + {system:.1f}" for user, system in cpu),
            f"{sum(map(sum, cpu)):.1f}",
            " ".join(f"{part:.0%}" for part in shown.others),
        )
    console = Console(file=sys.stdout, width=170)
    console.print(table)
    console.print(
        f"One of our jobs, from run to DRAFT_READY: {history.events} history events (at most {EVENTS}), "
        f"{history.actions} billable actions (at most {ACTIONS}), "
        f"largest payload {history.largest_payload_bytes} bytes (at most {PAYLOAD_LIMIT_BYTES})."
    )


def within_budget(history: History) -> None:
    assert history.events <= EVENTS
    assert history.actions <= ACTIONS
    assert history.largest_payload_bytes <= PAYLOAD_LIMIT_BYTES


@pytest.mark.small
def test_every_contender_ends_all_that_it_is_sent(tmp_path: Path) -> None:
    figures, history = asyncio.run(measure(tmp_path, SMALL))

    report(figures, history, SMALL)
    assert {len(figures[contender].loaded) for contender in CONTENDERS} == {SMALL.in_flight}
    within_budget(history)


def test_the_engine_keeps_up_with_bare_temporal_and_beats_a_naive_mirror(tmp_path: Path) -> None:
    load = Load()
    figures, history = asyncio.run(measure(tmp_path, load))
    ours, bare, naive = (figures[contender] for contender in (OURS, BARE, NAIVE))
    of_bare, of_naive = ratio(ours.rates, bare.rates), ratio(ours.rates, naive.rates)
    latency = statistics.median(ours.unloaded) / statistics.median(bare.unloaded)

    report(figures, history, load)
    sys.stdout.write(
        f"ours / bare {of_bare:.2f} (at least {LEAST_OF_BARE}), ours / naive {of_naive:.2f} (at least "
        f"{LEAST_OF_NAIVE}), unloaded p50 {latency:.2f} of bare (at most {MOST_LATENCY})\n"
    )
    within_budget(history)
    assert latency <= MOST_LATENCY
    assert of_bare >= LEAST_OF_BARE
    assert of_naive >= LEAST_OF_NAIVE
