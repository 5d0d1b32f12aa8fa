"""Encoding apart from the worker: what reads a recording and what reads a voice's file is in a confined process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from activities.confined.outside import moved
from activities.decoding.ordering import Allowance, ordered

INSIDE = "activities.filming.inside"
MADE = "made.mp4"
LARGEST_FILM = 8 << 30
"""Bytes: ten hours of a screen."""
LEAST_CPU_S, CPU_S_A_SECOND = 300, 40
"""Processor seconds of a piece, and by each of its seconds: ten times what 4K takes."""
JOINED_CPU_S_A_SECOND = 2
WALL_S_A_CPU_S = 4
MORE_BYTES = 1 << 30
"""Of address space, beside what decoding has: the encoder looks forty pictures ahead."""

OnProgress = Callable[[], None]


def encode(
    recording: Path, spec: Mapping[str, object], files: Mapping[str, bytes], out: Path, on_progress: OnProgress
) -> None:
    """See ``activities.filming.encoding``. Also raises: DecodingDied."""
    seconds = int(str(spec["length_ms"])) // 1000 + 1
    allowance = _allowance(LEAST_CPU_S + CPU_S_A_SECOND * seconds)
    order = {**spec, "made": MADE}
    with ordered(
        recording,
        (INSIDE, "piece"),
        lambda _: on_progress(),
        order,
        beside=out,
        file_bytes=LARGEST_FILM,
        allowance=allowance,
    ) as work:
        for name, data in files.items():
            (work.folder / name).write_bytes(data)
        work.answer()
        moved(work.folder, MADE, out, LARGEST_FILM)


def join(
    sound: Path, order: Mapping[str, object], files: Sequence[Path], length_ms: int, out: Path, on_progress: OnProgress
) -> None:
    """See ``activities.filming.joining``; ``files`` are the pieces and voices, which are used up. Also raises:
    DecodingDied."""
    allowance = _allowance(LEAST_CPU_S + JOINED_CPU_S_A_SECOND * (length_ms // 1000))
    with ordered(
        sound,
        (INSIDE, "join"),
        lambda _: on_progress(),
        {**order, "made": MADE},
        beside=out,
        file_bytes=LARGEST_FILM,
        allowance=allowance,
    ) as work:
        for file in files:
            shutil.move(file, work.folder / file.name)
        work.answer()
        moved(work.folder, MADE, out, LARGEST_FILM)


def _allowance(cpu_s: int) -> Allowance:
    return Allowance(cpu_s, WALL_S_A_CPU_S * cpu_s, MORE_BYTES)
