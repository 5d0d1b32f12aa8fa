"""What of a picture is other content, and not the same in another light: a shade, a highlight, a better quality."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from activities.screen.film import Grey
from activities.screen.rectangles import Rect

CELL = 12
"""Pixels of a look: the height of a line of text on a full-HD screen."""
_TEXTURED = 25
"""Variance from which a cell has something in it."""
_ALIKE = 0.7
_TALL = 0.3
"""Of the picture's height: what scrolls is not lower."""

Replaced: TypeAlias = NDArray[np.bool_]
"""By cells, rows by columns."""


def replaced(before: Grey, after: Grey) -> tuple[Replaced, float]:
    """The cells with other content, and their share of all cells that had or have any."""
    high, wide = (side - side % CELL for side in before.shape)
    a = cv2.GaussianBlur(before[:high, :wide], (3, 3), 0).astype(np.float32)
    b = cv2.GaussianBlur(after[:high, :wide], (3, 3), 0).astype(np.float32)
    mean_a, mean_b = _cells(a), _cells(b)
    var_a, var_b = _cells(a * a) - mean_a * mean_a, _cells(b * b) - mean_b * mean_b
    together = _cells(a * b) - mean_a * mean_b
    textured = np.maximum(var_a, var_b) > _TEXTURED
    similarity = together / np.sqrt(np.maximum(var_a, 1) * np.maximum(var_b, 1))
    other = textured & (similarity < _ALIKE)
    return other, float(other.sum() / max(1, textured.sum()))


def places_of(cells: Replaced, shape: tuple[int, ...]) -> list[Rect]:
    """Rectangles in pixels of a look that cover the cells, near ones in one."""
    if not cells.any():
        return []
    mask = cv2.dilate(cells.astype(np.uint8), np.ones((3, 5), dtype=np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    whole = Rect(0, 0, shape[1], shape[0])
    found = [
        Rect(left * CELL, top * CELL, (left + wide) * CELL, (top + high) * CELL).clipped(whole)
        for left, top, wide, high in ((int(v) for v in row[:4]) for row in stats[1:count])
    ]
    return merged(found)


def merged(places: list[Rect]) -> list[Rect]:
    """With those that touch in one."""
    done: list[Rect] = []
    for place in places:
        whole = place
        for other in [each for each in done if each.intersects(place)]:
            done.remove(other)
            whole = whole.union(other)
        done.append(whole)
    return done if len(done) == len(places) else merged(done)


def among(cells: Replaced, places: list[Rect]) -> Replaced:
    """The cells that lie in one of the places (pixels of a look), or beside it."""
    near = np.zeros_like(cells)
    for place in places:
        padded = place.padded(CELL)
        near[
            max(0, padded.top) // CELL : -(-padded.bottom // CELL),
            max(0, padded.left) // CELL : -(-padded.right // CELL),
        ] = True
    return cells & near


def share_of(cells: Replaced, place: Rect) -> float:
    """How much of a place in pixels of a look was replaced, 0 to 1."""
    cut = cells[place.top // CELL : -(-place.bottom // CELL), place.left // CELL : -(-place.right // CELL)]
    return float(cut.mean()) if cut.size else 0.0


def moved_by(before: Grey, after: Grey, cells: Replaced) -> int:
    """By how many pixels the replaced content moved up (or down, negative); 0 where it did not move."""
    if cells.sum() < 24:
        return 0
    ys, xs = np.nonzero(cells)
    top, bottom = (int(v) * CELL for v in (np.percentile(ys, 2), np.percentile(ys, 98) + 1))
    left, right = (int(v) * CELL for v in (np.percentile(xs, 2), np.percentile(xs, 98) + 1))
    if bottom - top < max(8 * CELL, _TALL * before.shape[0]) or right - left < 6 * CELL:
        return 0
    old, new = before[top:bottom, left:right], after[top:bottom, left:right]
    third = (bottom - top) // 3
    votes = []
    for start in (0, third, 2 * third):
        strip = new[start : start + third]
        if strip.std() < 6:
            continue
        found = cv2.matchTemplate(old, strip, cv2.TM_CCOEFF_NORMED)[:, 0]
        best = int(found.argmax())
        if float(found[best]) > 0.85 and abs(best - start) >= 4:
            votes.append(best - start)
    if not votes:
        return 0
    middle = sorted(votes)[len(votes) // 2]
    return middle if sum(abs(vote - middle) <= 3 for vote in votes) >= 2 else 0


def _cells(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    high, wide = picture.shape
    return np.asarray(cv2.resize(picture, (wide // CELL, high // CELL), interpolation=cv2.INTER_AREA), dtype=np.float32)


def extent(cells: Replaced) -> float:
    """How much of the picture the cells reach over, 0 to 1, without the outermost few."""
    if not cells.any():
        return 0.0
    ys, xs = np.nonzero(cells)
    high = np.percentile(ys, 95) - np.percentile(ys, 5) + 1
    wide = np.percentile(xs, 95) - np.percentile(xs, 5) + 1
    return float(high * wide / cells.size)
