"""Decoding sound to be heard apart from the worker: whoever made the file, a confined process reads it.

The same functions as in ``activities.speech.sound``, which do the work there. What comes back is plain samples.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from pydantic import NonNegativeInt, TypeAdapter, ValidationError

from activities.decoding.ordering import Allowance, Decoding, decoding_died, ordered
from activities.speech.sound import SAMPLES_PER_MS, Samples

INSIDE = "activities.speech.inside"

ALLOWANCE = Allowance(cpu_s=3600, wall_s=24 * 3600.0)
"""Twelve hours of FLAC take half a minute of a processor. Whoever hears the samples takes its time: it is that one's
pace which the hours are for, and a decoder that is silent is ended long before."""

BYTES_A_MS = 4 * SAMPLES_PER_MS
_MADE = "samples-{:06}.f32"
_MS = TypeAdapter(NonNegativeInt)


def duration_ms(audio: Path) -> int:
    """See ``activities.speech.sound``. Also raises: DecodingDied."""
    with ordered(audio, (INSIDE, "heard_ms"), None, allowance=ALLOWANCE) as decoding:
        try:
            return _MS.validate_python(decoding.answer())
        except ValidationError:
            raise decoding_died() from None


def blocks(
    audio: Path,
    start_ms: int = 0,
    end_ms: int | None = None,
    *,
    block_ms: int = 10_000,
    on_poll: Callable[[], None] = lambda: None,
) -> Generator[Samples, None, None]:
    """See ``activities.speech.sound``. Close it where you may leave it early.

    Args:
        on_poll: Called five times a second while the decoder is waited for; what it raises ends it.

    Raises:
        DecodingDied: Besides what is said there.
    """
    yield from _read(audio, [(start_ms, end_ms)], block_ms, on_poll)


def stretches(
    audio: Path, spans: Sequence[tuple[int, int]], *, on_poll: Callable[[], None] = lambda: None
) -> Generator[Samples, None, None]:
    """Each of ``spans`` (start and end, ms) whole, in one process. One behind the end of the audio is empty."""
    if spans:
        yield from _read(audio, spans, max(end_ms - start_ms for start_ms, end_ms in spans), on_poll, whole=True)


def _read(
    audio: Path,
    spans: Sequence[tuple[int, int | None]],
    block_ms: int,
    on_poll: Callable[[], None],
    *,
    whole: bool = False,
) -> Generator[Samples, None, None]:
    most = block_ms * BYTES_A_MS
    order = {"spans": spans, "block_ms": block_ms, "whole": whole, "made": _MADE}
    reading = ordered(audio, (INSIDE, "samples"), lambda _: on_poll(), order, file_bytes=most, allowance=ALLOWANCE)
    with reading as decoding, closing(decoding.reports()) as reports:
        place = -1
        for place, _ in enumerate(reports):
            yield _samples(decoding, _MADE.format(place), most)
        if whole and place + 1 != len(spans):
            raise decoding_died()


def _samples(decoding: Decoding, name: str, most: int) -> Samples:
    data = decoding.file(name, most)
    if len(data) % 4:
        raise decoding_died()
    (decoding.folder / name).unlink()  # makes room for the next one
    samples: Samples = np.frombuffer(data, np.float32)
    if not np.isfinite(samples).all():
        raise decoding_died()
    return samples
