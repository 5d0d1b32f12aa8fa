"""Takes a hand's shaking out of a film of a screen: a telephone that is filmed, or filmed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from activities.screen.film import Grey, Look

_JUDGED = 16
"""Looks at the beginning by which it is judged whether a hand holds the camera: a second and a half."""
_MOST_OF_THEM = 0.6
"""Share of those that have to differ from the one before them by a little way."""
_STIRS, _REACH = 0.2, 12.0
"""Pixels of a look between two: less is an encoder's noise, more is another picture."""
_BACK_AND_FORTH = 0.6
"""What a shaking hand covers as a whole, of all its ways; a page that scrolls, or a recorder's zoom, has 1."""
_CORNERS, _APART = 200, 7
"""How many corners of a look are followed, and pixels between them."""
_FEWEST = 12
_TOGETHER = 0.7
"""Pixels by which a corner's way may differ from that of most."""
_ALIKE = 0.5
"""Share of corners that went the same way: a pointer and a page that changed go another."""

_Way = tuple[float, float]


def steadied(looks: Iterable[Look]) -> Iterator[Look]:
    """The same looks; where a hand holds the camera, each moved to where the first one stood."""
    coming = iter(looks)
    first = list(islice(coming, _JUDGED))
    held = _is_held(first)
    yield from _moved(chain(first, coming)) if held else chain(first, coming)


def _is_held(looks: list[Look]) -> bool:
    if len(looks) < _JUDGED:
        return False
    ways = [_Reference(one.grey, (0.0, 0.0)).way(other.grey) for one, other in pairwise(looks)]
    small = [way for way in ways if way is not None and _STIRS <= max(abs(way[0]), abs(way[1])) <= _REACH]
    if len(small) < _MOST_OF_THEM * len(ways):
        return False
    whole = float(np.hypot(*np.sum(small, axis=0)))
    return whole <= _BACK_AND_FORTH * sum(float(np.hypot(x, y)) for x, y in small)


def _moved(looks: Iterable[Look]) -> Iterator[Look]:
    coming = iter(looks)
    first = next(coming)
    reference = last = _Reference(first.grey, (0.0, 0.0))
    shown = first.grey
    yield first
    for look in coming:
        at = reference.way(look.grey)
        if at is None:  # another picture: from here on it is told by that
            at = last.way(look.grey) or last.at
            reference = _Reference(look.grey, at)
        last = _Reference(look.grey, at)
        steady = _steady(look, at, shown)
        shown = steady.grey
        yield steady


class _Reference:
    """A look, and how far it had moved against the first, in pixels."""

    def __init__(self, grey: Grey, at: _Way) -> None:
        self.at = at
        self._grey = grey
        self._corners: NDArray[np.float32] | None = None

    def way(self, grey: Grey) -> _Way | None:
        """How far another look has moved against the first; ``None`` where it does not show the same."""
        if self._corners is None:
            found = cv2.goodFeaturesToTrack(self._grey, _CORNERS, 0.01, _APART)
            self._corners = np.zeros((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32)
        if len(self._corners) < _FEWEST:
            return None
        there, followed, _ = cv2.calcOpticalFlowPyrLK(self._grey, grey, self._corners, np.empty_like(self._corners))
        ways = (there - self._corners)[:, 0][followed[:, 0] > 0]
        if len(ways) < _FEWEST:
            return None
        most = np.median(ways, axis=0)
        together = int((np.abs(ways - most).max(axis=1) <= _TOGETHER).sum())
        if together < _ALIKE * len(self._corners) or float(np.abs(most).max()) > 2 * _REACH:
            return None
        return self.at[0] + float(most[0]), self.at[1] + float(most[1])


def _steady(look: Look, at: _Way, shown: Grey) -> Look:
    """The look, moved back; what came from beyond its edge is as it was ``shown`` before."""
    high, wide = look.grey.shape
    matrix = np.array([[1.0, 0.0, -at[0]], [0.0, 1.0, -at[1]]], dtype=np.float32)
    grey = cv2.warpAffine(look.grey, matrix, (wide, high), dst=shown.copy(), borderMode=cv2.BORDER_TRANSPARENT)
    return replace(look, grey=np.asarray(grey, dtype=np.uint8), way=(at[0] / wide, at[1] / high))
