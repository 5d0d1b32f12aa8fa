"""Cuts a stretch of audio into windows that are recognised one after another, so that memory stays flat."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from activities.process.memory import release_memory
from activities.speech.isolated import blocks
from activities.speech.recognition import OnProgress
from activities.speech.sound import NO_SAMPLES, SAMPLES_PER_MS, Samples
from activities.speech.voice import Speech, find_speech, quietest

WINDOW_MS = 90_000
"""Each window ends with a partly filled 30 s block that the model computes in full: longer windows waste less (2 % at
3 minutes, 4 % here), shorter ones hold less in memory (6 MB of samples, some 50 MB of spectra while they are made) and
let the cores of a small machine share a recording of a few minutes."""

_BLOCK_MS = 10_000

_KEPT_MS = 500
"""Of a window without speech, its end stays: the first sounds of a word may be in it."""


@dataclass(frozen=True)
class Window:
    """Audio from ``start_ms`` of the recording, and the speech found in it (in its own samples)."""

    start_ms: int
    samples: Samples
    speech: tuple[Speech, ...]

    @property
    def end_ms(self) -> int:
        return self.start_ms + self.samples.size // SAMPLES_PER_MS


def windows(
    audio: Path, start_ms: int, end_ms: int | None, on_progress: OnProgress, *, window_ms: int | None = None
) -> Iterator[Window]:
    """The stretch in windows of at most ``window_ms`` (``None``: ``WINDOW_MS``).

    They are cut where nobody speaks, as long as there is such a place.

    ``on_progress`` is called with the position reached before every block that is read, and while one is waited for.

    Raises:
        ArtifactCorrupt: The audio cannot be read.
        DecodingDied: The process that reads it ended early.
    """
    window_ms = window_ms or WINDOW_MS
    size = window_ms * SAMPLES_PER_MS
    at_ms = start_ms
    held: Samples = NO_SAMPLES
    block_ms = min(_BLOCK_MS, window_ms)
    with closing(blocks(audio, start_ms, end_ms, block_ms=block_ms, on_poll=lambda: on_progress(at_ms))) as read:
        for block in read:
            on_progress(at_ms)
            if held.size + block.size > size:
                speech = _speech_of(held)
                cut = _cut(held, speech)
                yield _window(at_ms, held[:cut], speech)
                release_memory()
                at_ms += cut // SAMPLES_PER_MS
                held = held[cut:].copy()  # a view would keep the whole window alive
            held = np.concatenate((held, block)) if held.size else block
    if held.size:
        on_progress(at_ms)
        yield Window(at_ms, held, _speech_of(held))
        release_memory()


def _speech_of(samples: Samples) -> tuple[Speech, ...]:
    found = find_speech(samples)
    release_memory()
    return found


def _window(at_ms: int, samples: Samples, speech: tuple[Speech, ...]) -> Window:
    """The speech that begins before the cut; only an emergency cut goes through one."""
    inside = tuple(Speech(one.start, min(one.end, samples.size)) for one in speech if one.start < samples.size)
    return Window(at_ms, samples, inside)


def _cut(samples: Samples, speech: tuple[Speech, ...]) -> int:
    """Sample to cut at, on a whole millisecond: the middle of the last pause, or else the quietest place of the
    second half."""
    if not speech or samples.size - speech[-1].end >= _KEPT_MS * SAMPLES_PER_MS:
        cut = samples.size - _KEPT_MS * SAMPLES_PER_MS
    elif len(speech) > 1 and speech[-1].start > samples.size // 4:
        cut = (speech[-2].end + speech[-1].start) // 2
    else:
        half = samples.size // 2
        cut = half + quietest(samples[half:])
    return cut - cut % SAMPLES_PER_MS
