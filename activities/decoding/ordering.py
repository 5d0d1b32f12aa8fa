"""The worker's side of a decoder: a process that sees one recording and one folder, and what it tells.

A few kilobytes of a recording can make a decoder take gigabytes, hours, or leave its tracks altogether. So nothing of
FFmpeg's decoders runs beside the worker's keys and other jobs: a process of its own does it (``decoder.py``), within
bounds of memory and processor time. What comes back is numbers and plain samples.

A process that dies says nothing certain of the recording: the machine may be short of memory. That is told as
``DecodingDied``, and whoever tries again counts (``activities/rails/heartbeat.py``).
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from pydantic import ValidationError

from activities.confined.outside import Bounds, Died, Overran, Report, made_bytes, reports
from domain import errors
from domain.errors import DecodingDied, GuidesmithError

DECODER = Path(__file__).with_name("decoder.py")
LOADS = (
    *("activities.media.probe", "activities.media.audio", "activities.media.tracks", "activities.media.scenes"),
    *("activities.media.frames", "activities.batching.clips", "activities.speech.sound"),
    *("activities.filming.encoding", "activities.filming.joining"),
)
"""What decoders work with, by name; none of it has threads. Loading takes half a second of a processor. One list for
all, so that one process is what all are forked from."""
ENVIRONMENT: Mapping[str, str] = {
    "LC_ALL": "C.UTF-8",
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""All that a decoder knows of the environment. Arenas and idle threads are address space that would count."""

LEAST_CPU_S, MOST_CPU_S = 600, 4 * 3600
CPU_S_A_MIB = 20
"""Processor seconds that decoding may take, by the size of the file: ten times what 4K at a screen recorder's rate
takes. Pictures times frames are bounded by it, whatever a header says about either."""

WALL_S_A_CPU_S = 4
FILES, LEAST_FOLDER, LARGEST_FOLDER = 64, 1 << 30, 16 << 30
"""How much a decoder's folder may hold, in bytes: so many files of the largest size, frames that wait to be taken among
them, within these. A decoder that was taken over would fill the disk for as long as a long recording takes."""
SILENT_S = 600.0
"""Between two signs of life. A picture takes seconds at most, on a machine that has much else to do as well."""


@dataclass(slots=True)
class Limits:
    """``memory_bytes``: address space of a process that decodes. ``scratch``: where its folder is made."""

    memory_bytes: int = 2 << 30
    scratch: Path | None = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """Seconds that a process may take: of processors, and in all. ``more_bytes`` of address space than decoding has."""

    cpu_s: int
    wall_s: float
    more_bytes: int = 0


LIMITS = Limits()
"""Of this process; set once, where its parts are put together."""

_REFUSED: Sequence[type[GuidesmithError]] = (
    *errors.MediaError.__subclasses__(),
    *(errors.MediaError, errors.RequestInvalid, errors.ScreenReaderUnavailable, errors.ArtifactCorrupt),
    errors.DecoderFailed,
)
_REFUSALS: Mapping[str, type[GuidesmithError]] = {each.code: each for each in _REFUSED}
_T = TypeVar("_T")


class Decoding:
    """One process at work, and its folder."""

    def __init__(self, folder: Path, running: Iterator[Report]) -> None:
        self.folder = folder
        self._running = running
        self._last: list[Any] = []
        self.at_ms = 0

    def reports(self) -> Generator[Report, None, None]:
        """What it made on the way; positions are taken out."""
        for report in self._running:
            if "at" in report:
                self.at_ms = natural(report, "at")
            elif "refused" in report:
                raise _refusal(report)
            elif "machine" in report:
                number = natural(report, "machine")
                raise OSError(number, os.strerror(number))
            elif "done" in report:
                self._last = [report["done"]]
            else:
                yield report
        if not self._last:
            raise decoding_died()

    def answer(self) -> Any:
        """Its last word, once it has ended."""
        for _ in self.reports():
            raise decoding_died()
        return self._last[0]

    def file(self, name: str, most_bytes: int) -> bytes:
        return made_bytes(self.folder, name, most_bytes)


@contextmanager
def ordered(
    recording: Path,
    work: tuple[str, str],
    on_progress: Callable[[int], None] | None,
    order: Mapping[str, object] | None = None,
    *,
    beside: Path | None = None,
    file_bytes: int = 1 << 20,
    allowance: Allowance | None = None,
    loads: Sequence[str] = LOADS,
) -> Iterator[Decoding]:
    """A decoder at ``work``: the module that holds it (in its ``WORK``), and its name there. What becomes a file lies
    ``beside`` another one, on the same file system.

    Without ``allowance`` its time follows the size of the recording. ``loads``: see ``confined.outside.reports``.

    Raises:
        DecodingDied: It ended early.
        GuidesmithError: What it says of the recording.
    """
    within = beside.parent if beside is not None else LIMITS.scratch
    with TemporaryDirectory(prefix="guidesmith-decoding-", dir=within) as made:
        folder = Path(made).resolve()
        module, name = work
        places = {"recording": str(recording.resolve()), "folder": str(folder)}
        whole = {**(order or {}), "module": module, "work": name, **places}
        running = reports(
            DECODER,
            whole,
            _bounds(recording, file_bytes, allowance),
            environment={**ENVIRONMENT, "TMPDIR": str(folder), "HOME": str(folder)},
            cwd=folder,
            on_poll=lambda: on_progress(decoding.at_ms) if on_progress is not None else None,
            loads=loads,
        )
        decoding = Decoding(folder, running)
        with closing(running):
            try:
                yield decoding
            except (Died, Overran):
                raise decoding_died() from None


def _bounds(recording: Path, file_bytes: int, allowance: Allowance | None) -> Bounds:
    if allowance is None:
        cpu_s = min(LEAST_CPU_S + CPU_S_A_MIB * (recording.stat().st_size >> 20), MOST_CPU_S)
        allowance = Allowance(cpu_s, WALL_S_A_CPU_S * cpu_s)
    return Bounds(
        wall_s=allowance.wall_s,
        cpu_s=allowance.cpu_s,
        memory_bytes=LIMITS.memory_bytes + allowance.more_bytes,
        silence_s=SILENT_S,
        file_bytes=file_bytes,
        folder_bytes=max(2 * file_bytes, min(FILES * file_bytes, LARGEST_FOLDER), LEAST_FOLDER),
        open_files=64,
    )


def _refusal(report: Report) -> GuidesmithError:
    kind = _REFUSALS.get(str(report["refused"]))
    if kind is None:
        return decoding_died()
    details = report.get("details")
    return kind(str(report.get("message", "")), details=details if isinstance(details, dict) else {})


def decoding_died() -> DecodingDied:
    return DecodingDied("The process that decodes the recording ended early. It is tried once more, then given up.")


def valid(read: Callable[[], _T]) -> _T:
    """What ``read`` makes of an answer. Raises: DecodingDied, where it is none."""
    try:
        return read()
    except ValidationError:
        raise decoding_died() from None


def natural(report: Report, name: str) -> int:
    """A number that it told. Raises: DecodingDied."""
    value = report.get(name)
    if not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise decoding_died()
    return value
