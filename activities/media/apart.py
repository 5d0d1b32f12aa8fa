"""Decoding apart from the worker: the functions of this package, each in a confined process of its own.

A few kilobytes of a recording can make a decoder take gigabytes, hours, or leave its tracks altogether. So nothing of
FFmpeg's decoders runs beside the worker's keys and other jobs: a process that sees one recording and one folder does it
(``decoder.py``), within bounds of memory and processor time. What comes back is numbers and plain samples.

A process that dies says nothing certain of the recording: the machine may be short of memory. That is told as
``DecodingDied``, and whoever tries again counts (``activities/rails/heartbeat.py``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from PIL import Image
from pydantic import NonNegativeInt, TypeAdapter, ValidationError

from activities.confined.outside import Bounds, Died, Overran, Report, made_bytes, moved, reports
from activities.media.audio import AudioFacts
from activities.media.container import MAX_PICTURE_PIXELS, OnProgress
from activities.media.frames import Frame, Strategy, in_order
from activities.media.pictures import sharpness
from activities.media.settled import FrameWish
from activities.media.tracks import Judge, Listener, TrackChoice, choose_track, speech_spans
from domain import errors
from domain.errors import DecodingDied, GuidesmithError
from domain.recordings.media import AudioTrack, MediaInfo, Scene

if TYPE_CHECKING:
    from activities.batching.clips import Clip
    from domain.orders.batch import Span

DECODER = Path(__file__).with_name("decoder.py")
LOADS = (
    *("activities.media.probe", "activities.media.audio", "activities.media.tracks", "activities.media.scenes"),
    *("activities.media.frames", "activities.batching.clips", "activities.speech.sound"),
)
"""What decoders work with; none of it has threads. Loading takes half a second of a processor."""
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
SILENT_S = 600.0
"""Between two signs of life. A picture takes seconds at most, on a machine that has much else to do as well."""

LARGEST_SOUND = 2 << 30
"""Bytes: 12 hours of 16 kHz mono FLAC have 0.7 GB."""
LARGEST_WINDOWS = 256 << 20
LARGEST_PICTURE = 3 * 2 * MAX_PICTURE_PIXELS
"""Bytes of a decoded picture, which square pixels may make wider than it is stored."""
CONTAINER_OVERHEAD = 64 << 20


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
)
_REFUSALS: Mapping[str, type[GuidesmithError]] = {each.code: each for each in _REFUSED}
_T = TypeVar("_T")
_SCENES = TypeAdapter(tuple[Scene, ...])
_WINDOWS = TypeAdapter(list[list[tuple[NonNegativeInt, NonNegativeInt]]])


def probe(path: Path, *, on_progress: OnProgress | None = None) -> MediaInfo:
    """See ``activities.media.probe``. Also raises: DecodingDied."""
    with ordered(path, "probe", on_progress) as decoding:
        return _valid(lambda: MediaInfo.model_validate(decoding.answer()))


def extract_audio(
    path: Path, track_index: int, out: Path, *, also: Sequence[int] = (), on_progress: OnProgress | None = None
) -> AudioFacts:
    """See ``activities.media.audio``. Also raises: DecodingDied."""
    order = {"track": track_index, "also": list(also), "made": "audio.flac"}
    with ordered(path, "audio", on_progress, order, beside=out, file_bytes=LARGEST_SOUND) as decoding:
        facts = _valid(lambda: TypeAdapter(AudioFacts).validate_python(decoding.answer()))
        moved(decoding.folder, "audio.flac", out, LARGEST_SOUND)
        return facts


def sound_ms(path: Path) -> int:
    """See ``activities.media.audio``. Also raises: DecodingDied."""
    with ordered(path, "sound_ms", None) as decoding:
        return _valid(lambda: TypeAdapter(int).validate_python(decoding.answer()))


def pick_speech_track(
    path: Path,
    info: MediaInfo,
    on_progress: OnProgress | None = None,
    *,
    judge: Judge = speech_spans,
) -> TrackChoice:
    """See ``activities.media.tracks``. What was heard is judged here. Also raises: DecodingDied."""
    return choose_track(info, lambda: _hear(path, info, on_progress), judge)


def _hear(path: Path, info: MediaInfo, on_progress: OnProgress | None) -> list[Listener]:
    made = "track-{:03}.f32"
    order = {"info": info.model_dump(mode="json"), "made": made}
    with ordered(path, "tracks", on_progress, order, file_bytes=LARGEST_WINDOWS) as decoding:
        told = _valid(lambda: _WINDOWS.validate_python(decoding.answer()))
        if len(told) != len(info.audio):
            raise decoding_died()
        return [
            _listener(track, windows, decoding.file(made.format(place), LARGEST_WINDOWS))
            for place, (track, windows) in enumerate(zip(info.audio, told, strict=True))
        ]


def _listener(track: AudioTrack, windows: Sequence[tuple[int, int]], data: bytes) -> Listener:
    if len(data) != 4 * sum(size for _, size in windows):
        raise decoding_died()
    samples, listener = np.frombuffer(data, np.float32), Listener(track)
    for at_ms, size in windows:
        listener.begin(at_ms)
        listener.listen(samples[:size])
        samples = samples[size:]
    return listener


def find_scenes(path: Path, *, effort: str = "auto", on_progress: OnProgress | None = None) -> tuple[Scene, ...]:
    """See ``activities.media.scenes``. Also raises: DecodingDied."""
    with ordered(path, "scenes", on_progress, {"effort": effort}) as decoding:
        return _valid(lambda: _SCENES.validate_python(decoding.answer()))


def grab_frame(
    path: Path, timestamp_ms: int, *, strategy: Strategy = "precise", duration_ms: int | None = None
) -> Frame:
    """See ``activities.media.frames``. Also raises: DecodingDied."""
    with closing(_frames(path, [FrameWish(timestamp_ms)], duration_ms, None, strategy)) as frames:
        return next(frames)


def grab_frames(
    path: Path,
    wishes: Sequence[int | FrameWish],
    *,
    duration_ms: int | None = None,
    on_progress: OnProgress | None = None,
) -> Generator[Frame, None, None]:
    """See ``activities.media.frames``. Also raises: DecodingDied."""
    ordered = in_order(wishes)
    if ordered:
        yield from _frames(path, ordered, duration_ms, on_progress, "precise")


def pick_sharp(path: Path, candidates: Sequence[int], *, duration_ms: int | None = None) -> Frame:
    """See ``activities.media.frames``. Also raises: DecodingDied."""
    if not candidates:
        raise ValueError("no candidates")
    return max(grab_frames(path, candidates, duration_ms=duration_ms), key=lambda frame: sharpness(frame.image))


def _frames(
    path: Path,
    wishes: Sequence[FrameWish],
    duration_ms: int | None,
    on_progress: OnProgress | None,
    strategy: Strategy,
) -> Generator[Frame, None, None]:
    made = "frame-{:06}.rgb"
    order = {
        "wishes": [[wish.timestamp_ms, wish.earliest_ms] for wish in wishes],
        "duration_ms": duration_ms,
        "strategy": strategy,
        "made": made,
    }
    with ordered(path, "frames", on_progress, order, file_bytes=LARGEST_PICTURE) as decoding:
        place = 0
        for told in decoding.told():
            yield _frame(decoding, made.format(place), told)
            place += 1
        if place != len(wishes):
            raise decoding_died()


def _frame(decoding: Decoding, name: str, told: Report) -> Frame:
    size = (_natural(told, "width"), _natural(told, "height"))
    data = decoding.file(name, LARGEST_PICTURE)
    if not all(size) or len(data) != 3 * size[0] * size[1]:
        raise decoding_died()
    (decoding.folder / name).unlink()  # makes room for the next one
    return Frame(Image.frombuffer("RGB", size, data), _natural(told, "pts_ms"), _natural(told, "timestamp_ms"))


def _natural(told: Report, name: str) -> int:
    value = told.get(name)
    if not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise decoding_died()
    return value


def cut(recording: Path, span: Span, out: Path, check: Callable[[], None] = lambda: None) -> Clip:
    """See ``activities.batching.clips``. Also raises: DecodingDied."""
    from activities.batching.clips import MATROSKA, MP4, WEBM, Clip

    most = recording.stat().st_size + CONTAINER_OVERHEAD
    order = {"span": span.model_dump(mode="json"), "made": "clip"}
    with ordered(recording, "clip", lambda _: check(), order, beside=out, file_bytes=most) as decoding:
        told = decoding.answer()
        wrapping = {each.suffix: each for each in (MP4, WEBM, MATROSKA)}.get(told.get("suffix"))
        if wrapping is None:
            raise decoding_died()
        moved(decoding.folder, "clip", out, most)
        return Clip(wrapping, _natural(told, "begins_ms"), _natural(told, "ends_ms"), told.get("has_video") is True)


# --- the process -----------------------------------------------------------------------------------------------------


class Decoding:
    """One process at work, and its folder."""

    def __init__(self, folder: Path, running: Iterator[Report]) -> None:
        self.folder = folder
        self._running = running
        self._last: list[Any] = []
        self.at_ms = 0

    def told(self) -> Generator[Report, None, None]:
        """What it made on the way; positions are taken out."""
        for report in self._running:
            if "at" in report:
                self.at_ms = _natural(report, "at")
            elif "refused" in report:
                raise _refusal(report)
            elif "machine" in report:
                number = _natural(report, "machine")
                raise OSError(number, os.strerror(number))
            elif "done" in report:
                self._last = [report["done"]]
            else:
                yield report
        if not self._last:
            raise decoding_died()

    def answer(self) -> Any:
        """Its last word, once it has ended."""
        for _ in self.told():
            raise decoding_died()
        return self._last[0]

    def file(self, name: str, most_bytes: int) -> bytes:
        return made_bytes(self.folder, name, most_bytes)


@contextmanager
def ordered(
    recording: Path,
    work: str,
    on_progress: OnProgress | None,
    order: Mapping[str, object] | None = None,
    *,
    beside: Path | None = None,
    file_bytes: int = 1 << 20,
    allowance: Allowance | None = None,
    loads: Sequence[str] = LOADS,
) -> Iterator[Decoding]:
    """A decoder at ``work``. What becomes a file lies ``beside`` another one, on the same file system.

    Without ``allowance`` its time follows the size of the recording. ``loads``: see ``confined.outside.reports``.

    Raises:
        DecodingDied: It ended early.
        GuidesmithError: What it says of the recording.
    """
    within = beside.parent if beside is not None else LIMITS.scratch
    with TemporaryDirectory(prefix="guidesmith-decoding-", dir=within) as made:
        folder = Path(made).resolve()
        whole = {**(order or {}), "work": work, "recording": str(recording.resolve()), "folder": str(folder)}
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
        open_files=64,
    )


def _valid(read: Callable[[], _T]) -> _T:
    try:
        return read()
    except ValidationError:
        raise decoding_died() from None


def _refusal(report: Report) -> GuidesmithError:
    kind = _REFUSALS.get(str(report["refused"]))
    if kind is None:
        return decoding_died()
    details = report.get("details")
    return kind(str(report.get("message", "")), details=details if isinstance(details, dict) else {})


def decoding_died() -> DecodingDied:
    return DecodingDied("The process that decodes the recording ended early. It is tried once more, then given up.")
