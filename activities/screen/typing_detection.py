"""What was typed: a line that grows letter by letter, and in a terminal what the command answered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from activities.screen.film import Look
from activities.screen.rectangles import Rect
from activities.screen.resume_point import SavedTyping

PAUSE_MS = 2_500
"""Between two letters of one text."""
ANSWER_MS = 6_000
"""From a command's end until its first output, and between two parts of that."""

_PROMPT = re.compile(
    r"^(?:\([\w.-]+\)\s*)?"
    r"(?:[\w.-]+@[\w.-]+[:\s]?\S*\s?[$#%>]|\[[^\]]+\][$#]|PS [A-Z]:\\\S*>|[A-Z]:\\\S*>|[$#%>\u276f\u279c\u00bb])"
    r"(?:\s+|$)"
)
"""Of usual shells, at a line's start."""


@dataclass(slots=True)
class TypedText:
    """A text as far as it was typed: its line, what stood on that before, and how far down its answer reaches."""

    line: Rect
    before: str
    bottom: int
    prompted: bool
    """A shell had asked for it: what comes below is its answer."""

    def saved(self) -> SavedTyping:
        return SavedTyping(line=self.line.edges, before=self.before, bottom=self.bottom, prompted=self.prompted)

    @classmethod
    def of(cls, saved: SavedTyping) -> TypedText:
        return cls(Rect(*saved.line), saved.before, saved.bottom, saved.prompted)


def without_prompt(text: str, before: str = "") -> str:
    """What was typed of a line that began with ``before``, or with a shell's prompt."""
    if before and text.startswith(before):
        rest = text[len(before) :].strip()
        if rest:
            return rest
    return _PROMPT.sub("", text).strip()


def is_prompt(text: str) -> bool:
    """A shell waits for a command."""
    found = _PROMPT.match(text)
    return found is not None and not text[found.end() :].strip()


def only_glyphs(before: Look, after: Look, places: Sequence[Rect]) -> bool:
    """Text came or went, and the ground that it stands on is as it was."""
    old, new = before.colours, after.colours
    whole = Rect(0, 0, old.shape[1], old.shape[0])
    kept = pixels = 0
    for each in places:
        place = each.clipped(whole)
        if place.empty:
            continue
        window = np.s_[place.top : place.bottom, place.left : place.right]
        a, b = old[window].astype(np.int16), new[window].astype(np.int16)
        ground = np.median(a.reshape(-1, 3), axis=0)
        same = (np.abs(b - ground).max(axis=2) < _GROUND) & (np.abs(a - ground).max(axis=2) < _GROUND)
        kept += int(same.sum())
        pixels += place.area
    return pixels > 0 and kept > 0.4 * pixels


_GROUND = 28
"""Colour levels."""
