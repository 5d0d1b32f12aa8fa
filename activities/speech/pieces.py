"""Where long audio can be cut into pieces that are recognised in parallel."""

import itertools
from contextlib import closing
from pathlib import Path

from activities.speech.isolated import duration_ms, stretches
from activities.speech.recognition import OnProgress
from activities.speech.sound import SAMPLES_PER_MS, Samples
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
        DecodingDied: The process that reads it ended early.
    """
    whole_ms = duration_ms(audio)
    count = max(1, round(whole_ms / target_ms))
    search_ms = min(SEARCH_MS, target_ms // 4)
    ideals = [whole_ms * number // count for number in range(1, count)]
    cuts = [0]

    def report() -> None:
        if on_progress is not None:
            on_progress(ideals[min(len(cuts), len(ideals)) - 1])

    around = [(ideal_ms - search_ms, ideal_ms + search_ms) for ideal_ms in ideals]
    with closing(stretches(audio, around, on_poll=report)) as surroundings:
        for ideal_ms, found in zip(ideals, surroundings, strict=True):
            cuts.append(ideal_ms - search_ms + _best_cut(found) // SAMPLES_PER_MS if found.size else ideal_ms)
            report()
    cuts.append(whole_ms)
    return tuple(itertools.pairwise(cuts))


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
