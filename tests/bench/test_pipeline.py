"""What a draft costs beside the recognition of its speech, and how much memory a long recording takes.

The whole pipeline, from run to draft on the real stack with a warm worker, against faster-whisper's own ``transcribe``
of the same file with the same weights and settings. The two take turns, and what is asserted is the median of the
rounds' ratios; absolute figures are of this machine at this hour.
"""

import itertools
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from activities.speech.options import WhisperOptions
from activities.speech.weights import load_weights
from domain.jobs import Event, Job
from sample.truth import recording as sample_recording
from starter.settings import Settings
from tests.bench.long_recordings import enlarged, lasting
from tests.bench.processes import cpu_of
from tests.stack import Stack, running_stack
from tests.temporal import TemporalServer

SHORT_MINUTES, LONG_MINUTES = 5, 30
ROUNDS = 3

FULL_HD = 1_080
HD_MINUTES = 10
HOUR_CPU_S = 1_200
"""An hour of full HD becomes a draft in ten minutes on two idle cores, screens read."""

MOST_OF_PLAIN = 1.25
MOST_GROWTH = 0.15

DRAFT_WITHIN_S = 1_200.0
SAMPLE_EVERY_S = 0.05
MB = 1_000_000


@dataclass
class Spent:
    """What the rounds of one contender took."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @contextmanager
    def round(self, pid: int | None = None) -> Iterator[None]:
        """Measures the body; its CPU is that of process ``pid``."""
        process = psutil.Process(pid).pid
        begun, cpu = time.perf_counter(), cpu_of(process).total
        yield
        self.seconds.append(time.perf_counter() - begun)
        self.cpu.append(cpu_of(process).total - cpu)

    @property
    def said(self) -> list[str]:
        return [" ".join(f"{each:.1f}" for each in kind) for kind in (self.seconds, self.cpu)]


@dataclass
class Peak:
    """The most memory that a process had."""

    rss_bytes: int = 0

    @property
    def megabytes(self) -> float:
        return self.rss_bytes / MB


@contextmanager
def peak_of(pid: int) -> Iterator[Peak]:
    """Watches the resident memory of a process, children included, during the body."""
    peak, ended = Peak(), threading.Event()
    process = psutil.Process(pid)

    def watch() -> None:
        while not ended.wait(SAMPLE_EVERY_S):
            peak.rss_bytes = max(peak.rss_bytes, resident(process))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        ended.set()
        watcher.join()


def resident(process: psutil.Process) -> int:
    """Bytes of memory of a process and all that it started."""
    total = process.memory_info().rss
    for child in process.children(recursive=True):
        try:
            total += child.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return int(total)


@dataclass
class Figures:
    """Of the short recording by turns, and of the long one once. Seconds of wall clock; peaks of the worker."""

    plain: Spent
    ours: Spent
    stages: list[str]
    long_s: float
    short_peak: Peak
    long_peak: Peak

    @property
    def ratio(self) -> float:
        """The median of the rounds' own ratios."""
        return _ratio(self.ours.seconds, self.plain.seconds)

    @property
    def cpu_ratio(self) -> float:
        return _ratio(self.ours.cpu, self.plain.cpu)

    @property
    def growth(self) -> float:
        return self.long_peak.rss_bytes / self.short_peak.rss_bytes - 1


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True))


class Plain:
    """faster-whisper by itself, with the weights and settings of the stack's worker, loaded beforehand."""

    def __init__(self, settings: Settings) -> None:
        options = WhisperOptions(
            model=settings.speech_model, threads=settings.speech_threads, workers=settings.speech_slots
        )
        self._model = load_weights(options)
        self._beam_size = options.beam_size

    def transcribe(self, recording: Path) -> str:
        segments, _ = self._model.transcribe(str(recording), beam_size=self._beam_size, vad_filter=True)
        return " ".join(segment.text.strip() for segment in segments)


def draft(stack: Stack, job: Job) -> Job:
    stack.run(job)
    drafted = stack.wait_for(job, "DRAFT_READY", "FAILED", within_s=DRAFT_WITHIN_S)
    assert drafted.status == "DRAFT_READY", drafted
    return drafted


def forget(stack: Stack) -> None:
    """Stages answer a recording that they know from memory: the next round is to be work again."""
    for remembered in list(stack.artifacts.list("memo")):
        stack.artifacts.delete(remembered.key)


def stages_of(events: list[Event]) -> str:
    """How long each status lasted, from the audit rows."""
    entered = [event for event in events if event.new_status is not None]
    return ", ".join(
        f"{before.new_status} {(after.occurred_at - before.occurred_at) / timedelta(seconds=1):.1f}"
        for before, after in itertools.pairwise(entered)
    )


def measure(temporal: TemporalServer, folder: Path) -> Figures:
    short = lasting(SHORT_MINUTES, sample_recording(), folder / "short.mp4")
    long = lasting(LONG_MINUTES, sample_recording(), folder / "long.mp4")
    plain, ours, stages = Spent(), Spent(), []
    with running_stack(folder / "stack", temporal, speech_model=Settings().speech_model) as stack:
        worker = stack.start_worker().pid
        rival = Plain(stack.settings)
        draft(stack, stack.new_job(sample_recording()))
        rival.transcribe(sample_recording())
        with peak_of(worker) as short_peak:
            for _ in range(ROUNDS):
                with plain.round():
                    rival.transcribe(short)
                forget(stack)
                job = stack.new_job(short)
                with ours.round(worker):
                    draft(stack, job)
                stages.append(stages_of(stack.audit(job)))
        job, once = stack.new_job(long), Spent()
        with peak_of(worker) as long_peak, once.round(worker):
            draft(stack, job)
    return Figures(plain, ours, stages, once.seconds[0], short_peak, long_peak)


def report(figures: Figures) -> None:
    table = Table(title=f"A screen recording of {SHORT_MINUTES} minutes, {ROUNDS} rounds by turns")
    for name in ("", "seconds", "CPU seconds"):
        table.add_column(name)
    table.add_row("faster-whisper's transcribe", *figures.plain.said)
    table.add_row("run to DRAFT_READY", *figures.ours.said)
    console = Console(file=sys.stdout, width=150)
    console.print(table)
    for each in figures.stages:
        console.print(f"Seconds in each status: {each}.")
    console.print(f"{LONG_MINUTES} minutes took {figures.long_s:.0f} s.")
    console.print(
        f"Pipeline / transcribe {figures.ratio:.2f} (at most {MOST_OF_PLAIN}), of CPU {figures.cpu_ratio:.2f}. "
        f"The worker's peak: {figures.short_peak.megabytes:.0f} MB at {SHORT_MINUTES} minutes, "
        f"{figures.long_peak.megabytes:.0f} MB at {LONG_MINUTES} ({figures.growth:+.0%}, at most ±{MOST_GROWTH:.0%})."
    )


def test_a_draft_costs_little_more_than_its_transcription_and_memory_does_not_grow_with_length(
    temporal: TemporalServer, tmp_path: Path
) -> None:
    figures = measure(temporal, tmp_path)
    report(figures)
    assert figures.ratio <= MOST_OF_PLAIN
    assert abs(figures.growth) <= MOST_GROWTH


def test_an_hour_of_full_hd_becomes_a_draft_within_ten_minutes_of_two_cores(
    temporal: TemporalServer, tmp_path: Path
) -> None:
    """Measured on ten minutes, in CPU time of the worker and all its children, and taken six times: what is spent once
    (the first screens are read whole) counts six times, too."""
    large = enlarged(sample_recording(), tmp_path / "large.mp4", high=FULL_HD)
    recording = lasting(HD_MINUTES, large, tmp_path / "hd.mp4")
    once = Spent()
    with running_stack(tmp_path / "stack", temporal, speech_model=Settings().speech_model) as stack:
        worker = stack.start_worker().pid
        draft(stack, stack.new_job(sample_recording()))  # whatever is loaded once
        job = stack.new_job(recording)
        with peak_of(worker) as peak, once.round(worker):
            draft(stack, job)
        stages = stages_of(stack.audit(job))
    hour_s = once.cpu[0] * 60 / HD_MINUTES
    Console(file=sys.stdout, width=150).print(
        f"{HD_MINUTES} minutes of 1080p: {once.seconds[0]:.0f} s, {once.cpu[0]:.0f} CPU s; an hour {hour_s:.0f} CPU s "
        f"(at most {HOUR_CPU_S}). Peak {peak.megabytes:.0f} MB. Seconds in each status: {stages}."
    )
    assert hour_s <= HOUR_CPU_S
