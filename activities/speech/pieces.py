"""Where long audio can be cut into pieces that are recognised in parallel."""

import itertools
from pathlib import Path

import numpy as np

from activities.speech.recognition import OnProgress
from activities.speech.sound import SAMPLES_PER_MS, Samples, blocks, duration_ms
from activities.speech.voice import Speech, find_pauses, quietest

TARGET_MS = 300_000
"""About five minutes: long enough that starting an activity costs nothing beside it, short enough to share an hour
among workers and to lose little."""

SEARCH_MS = 30_000
"""How far from its ideal place a cut may be moved to find a pause, either way."""

_LONG_PAUSE_MS = 1_500
"""A pause longer than this is no better a place to cut."""


def plan_pieces(
    audio: Path, *, target_ms: int = TARGET_MS, on_progress: OnProgress | None = None
) -> tuple[tuple[int, int], ...]:
    """(start, end) in ms of pieces of about ``target_ms`` that cover the audio without gap or overlap.

    Audio up to 1.5 times the target stays whole. Cuts lie in pauses of speech; only the surroundings of the ideal
    places are read.

    Raises:
        ArtifactCorrupt: The audio cannot be read.
    """
    whole_ms = duration_ms(audio)
    count = max(1, round(whole_ms / target_ms))
    search_ms = min(SEARCH_MS, target_ms // 4)
    cuts = [0]
    for number in range(1, count):
        ideal_ms = whole_ms * number // count
        if on_progress is not None:
            on_progress(ideal_ms)
        cuts.append(_cut_near(audio, ideal_ms, search_ms))
    cuts.append(whole_ms)
    return tuple(itertools.pairwise(cuts))


def _cut_near(audio: Path, ideal_ms: int, search_ms: int) -> int:
    start_ms = ideal_ms - search_ms
    found = list(blocks(audio, start_ms, ideal_ms + search_ms))
    if not found:
        return ideal_ms
    return start_ms + _best_cut(np.concatenate(found)) // SAMPLES_PER_MS


def _best_cut(samples: Samples) -> int:
    """Inside the longest pause; of equally good ones, in that nearest to the middle of ``samples``."""
    pauses = find_pauses(samples)
    if not pauses:
        return quietest(samples)
    middle = samples.size // 2
    enough = _LONG_PAUSE_MS * SAMPLES_PER_MS

    def place(pause: Speech) -> int:
        margin = min(pause.size, enough) // 2
        return min(max(middle, pause.start + margin), pause.end - margin)

    def merit(pause: Speech) -> float:
        return min(pause.size, enough) / enough - 0.5 * abs(place(pause) - middle) / middle

    return place(max(pauses, key=merit))
