"""How alike what was drafted is to what is true of a recording."""

import re
from collections.abc import Sequence
from typing import Any

SECTION_NEAR_MS = 5_000
_STOP = frozenset(
    (
        *("the", "a", "an", "to", "of", "in", "on", "at", "and", "is", "it", "your", "you", "this", "that", "with"),
        *("for", "from", "by", "as", "be", "are", "we", "our", "now", "next", "first", "then", "finally"),
    )
)


def like(true: dict[str, Any], heading: str) -> float:
    """How much of its content words a heading shares with a true step, in the best of its wordings."""
    return max(overlap(text, heading) for text in [true["text"], *true.get("also", [])])


def overlap(one: str, other: str) -> float:
    """Shared among all content words, 0 to 1 (Jaccard)."""
    a, b = _words(one), _words(other)
    return len(a & b) / (len(a | b) or 1)


def sections_f1(true: Sequence[dict[str, Any]], made: Sequence[tuple[str, int]]) -> float | None:
    """F1 of sections, each a title and its start in ms; ``None`` where there are none and none were made."""
    if not true and not made:
        return None
    hits = sum(
        any(
            abs(each["start_ms"] - start_ms) <= SECTION_NEAR_MS and overlap(each["title"], heading) >= 0.5
            for heading, start_ms in made
        )
        for each in true
    )
    return 2 * hits / (len(true) + len(made))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.lower()) if word not in _STOP}
