"""What of the screen changed for good, and when: each pixel for itself, then together.

A pixel that differs from the settled screen is away; once it kept its new value for :data:`SETTLED_MS` it has settled
there, and what settled together is one patch, with when its pixels left (``left_ms``) and when they came to rest
(``came_ms``). A pointer that passes, a ripple, a caret, a video and a fade on its way never rest for so long. What
plays all the time (a webcam, an animation) is left out by how often it changed lately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from activities.screen.film import Grey, Look
from activities.screen.pointer_tracking import LARGEST, PointerTracker, Rest, Sight
from activities.screen.rectangles import Rect

SETTLED_MS = 600
"""Longer than half a caret's blink (500 to 530 ms on all desktops), shorter than people take between two actions."""

_AWAY = 12
"""Grey levels of 255 that a pixel differs from the settled screen by: above an encoder's noise after shrinking."""
_NEW = 14
"""Grey levels that make another value of one on its way: a slow fade counts as motion until it is nearly done."""
_MOVED = 10
_SAME = 0.85
_BRIGHTER = 5
"""Grey levels by which a patch as a whole may differ, and how alike its structure is, where it is only sharper."""
_LEAST = 10
"""Pixels of a patch: the mark of a check box on a full-HD screen."""
_FOLLOW_MS = 1_000
_CELL = 8
_PLAYING = 0.3
"""Share of the last seconds' looks in which a cell that plays has changed."""
_BLOCK = 6
"""Cells, each way, that are looked at together: what moves through a video comes to no cell often, and to the part of
the picture that it plays in all the time. Letters that are typed go on to the next part within a second or two."""
_BUSY = 0.5
"""Share of the last seconds' looks in which such a part that plays has changed."""
_SHAKEN = 0.6
"""Share of the parts from which it is the camera that moves, and nothing that plays."""
_MEMORY_MS = 4_000


@dataclass(frozen=True, slots=True)
class Patch:
    """What settled together. Places in pixels of a look."""

    place: Rect
    pixels: int
    left_ms: int
    came_ms: int
    settled_ms: int


@dataclass(eq=False)
class PatchGroup:
    """Patches that settled one after the other, as one change."""

    patches: list[Patch]
    before: Look
    after: Look
    settled_ms: int
    came_ms: int
    """When the last of it came to rest, but for what is no larger than the pointer, which goes on to the next."""
    earlier: Look | None = None
    """Shortly before ``before``, on which the first of a fade may show already."""

    @property
    def left_ms(self) -> int:
        whole = sum(p.pixels for p in self.patches)
        counts = min(whole / 20, max(p.pixels for p in self.patches))
        return min(p.left_ms for p in self.patches if p.pixels >= counts)


class ChangeDetector:
    """The settled screen, and what is on its way to it."""

    def __init__(self, first: Grey, at_ms: int) -> None:
        self._seen = first
        """The last look as it came: the next is the same object where nothing at all changed."""
        first = _soft(first)
        self.screen = first.copy()
        """The settled screen."""
        self.pointer = PointerTracker()
        shape = first.shape
        self._value = first.copy()
        self._last: Grey = first.copy()
        self._last_ms = at_ms
        self._follow_ms = at_ms
        self._whole = Rect(0, 0, shape[1], shape[0])
        self._away: Grey = np.zeros(shape, dtype=np.uint8)
        self._where = Rect(0, 0, 0, 0)
        """What holds all that is away: only there is anything looked for."""
        self._came = np.zeros(shape, dtype=np.int32)
        self._left = np.zeros(shape, dtype=np.int32)
        self._rows, self._columns = -(-shape[0] // _CELL), -(-shape[1] // _CELL)
        self._motion = np.zeros((self._rows, self._columns), dtype=np.float32)
        self._blocks = np.zeros((-(-self._rows // _BLOCK), -(-self._columns // _BLOCK)), dtype=np.float32)
        self._cells_playing = np.zeros((self._rows, self._columns), dtype=np.uint8)
        self._playing: Grey | None = None
        """1 where something plays; ``None`` where nothing does."""

    def go_on(
        self, first: Sight | None, last: Sight | None, held: Sight | None = None, rests: Sequence[Rest] = ()
    ) -> None:
        """Know of the pointer what an earlier reading knew at this moment."""
        if self.pointer.go_on(first, last, held, rests) and last is not None:
            self.screen[last.place.window] = last.ground

    def until(self, at_ms: int) -> list[Patch]:
        """What has settled by a time, if nothing else happened until then."""
        waiting = self._waiting()
        if waiting is None:
            return []
        where = self._where
        ripe = waiting & (self._came[where.window] <= at_ms - SETTLED_MS)
        self._leave_out_pointer(ripe)
        if not ripe.any():
            return []
        mask = ripe.astype(np.uint8) * 255
        count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(mask, _SPREAD), connectivity=8)
        patches = []
        for number in range(1, count):
            left, top, wide, high, _ = (int(v) for v in stats[number])
            part = Rect(left, top, left + wide, top + high)
            inside = (labels[part.window] == number) & (mask[part.window] > 0)
            box = part.moved(where.left, where.top)
            window = box.window
            patch = self._patch(box, inside, window, at_ms)
            if patch is None:
                continue
            sharper = patch.pixels >= _LEAST and self._only_sharper(patch)
            self.screen[window][inside] = self._last[window][inside]
            self._away[window][inside] = 0
            if patch.pixels >= _LEAST and not sharper and not self._is_hole(patch):
                patches.append(patch)
        return patches

    def see(self, at_ms: int, look: Grey) -> bool:
        """A look. Returns whether anything but the pointer moved in it."""
        if look is self._seen:
            self._note_motion(at_ms, None)
            return False
        self._seen = look
        look = _soft(look)
        moved = _beyond(look, self._last, _MOVED)
        still = cv2.countNonZero(moved) == 0
        self._note_motion(at_ms, moved if not still else None)
        if still:
            return False
        away = _beyond(look, self.screen, _AWAY)
        left, top, wide, high = cv2.boundingRect(away)
        where = Rect(left, top, left + wide, top + high)
        if not where.empty:
            self._note_away(at_ms, look, away, where)
        self._away, self._where = away, where
        self._last = look
        if self._playing is not None:
            moved = self._without_playing(moved)
        if at_ms >= self._follow_ms:
            # so that small differences in quality do not add up
            cv2.copyTo(look, cv2.bitwise_not(away), self.screen)
            self._follow_ms = at_ms + _FOLLOW_MS
        only_pointer = self.pointer.see(at_ms, look, self.screen, moved, away)
        return not only_pointer

    def _without_playing(self, moved: Grey) -> Grey:
        """What moved and does not play; around the pointer all that moved: a hand that works in one place for seconds
        looks as what plays does."""
        kept = moved.copy()
        assert self._playing is not None
        kept[self._playing > 0] = 0
        sight = self.pointer.last
        if sight is not None:
            around = sight.place.padded(2 * LARGEST).clipped(self._whole).window
            kept[around] = moved[around]
        return kept

    def _note_away(self, at_ms: int, look: Grey, away: Grey, where: Rect) -> None:
        """When each pixel left the settled screen, and when it came to what it is now."""
        window = where.window
        there = away[window] > 0
        changed = _beyond(look[window], self._value[window], _NEW)
        fresh = there & (self._away[window] == 0)
        new = fresh | (there & (changed > 0))
        sight = self.pointer.last
        if sight is not None:  # it was away because the pointer hid it
            hidden = sight.place.padded(4).clipped(where).moved(-where.left, -where.top)
            if not hidden.empty:
                fresh[hidden.window] |= new[hidden.window]
        self._left[window][fresh] = at_ms
        self._came[window][new] = at_ms
        np.copyto(self._value[window], look[window], where=new)

    @property
    def is_calm(self) -> bool:
        """Nothing but the pointer is on its way."""
        waiting = self._waiting()
        if waiting is None:
            return True
        self._leave_out_pointer(waiting, 4)
        return int(waiting.sum()) < 2 * _LEAST

    def pending_since(self, at_ms: int) -> bool:
        """Something that left at or before a time is still on its way."""
        waiting = self._waiting()
        if waiting is None:
            return False
        waiting &= self._left[self._where.window] <= at_ms
        self._leave_out_pointer(waiting)
        return int(waiting.sum()) >= _LEAST

    def _waiting(self) -> NDArray[np.bool_] | None:
        """What is away and does not play, of :attr:`_where`; ``None`` where nothing is."""
        waiting = self._away[self._where.window] > 0
        if self._playing is not None:
            waiting &= self._playing[self._where.window] == 0
        return waiting if waiting.any() else None

    def _patch(self, box: Rect, inside: NDArray[np.bool_], window: tuple[slice, slice], at_ms: int) -> Patch | None:
        ys, xs = np.nonzero(inside)
        if not len(ys):
            return None
        place = Rect(
            box.left + int(xs.min()), box.top + int(ys.min()), box.left + int(xs.max()) + 1, box.top + int(ys.max()) + 1
        )
        came = self._came[window][inside]
        left = self._left[window][inside]
        return Patch(place, len(ys), int(np.percentile(left, 20)), int(np.percentile(came, 95)), at_ms)

    def _only_sharper(self, patch: Patch) -> bool:
        """An encoder brings the same picture in better quality, some time after it changed."""
        place = patch.place.padded(4).clipped(self._whole)
        window = place.window
        old, new = self.screen[window].astype(np.float32), self._last[window].astype(np.float32)
        new = np.where(self._away[window] > 0, new, old)
        if abs(float(old.mean() - new.mean())) > _BRIGHTER:
            return False
        spread = float(old.std()), float(new.std())
        if min(spread) < 0.6 * max(spread):
            return False
        like = float(((old - old.mean()) * (new - new.mean())).mean()) / (spread[0] * spread[1] + 1e-6)
        return like > _SAME

    def _leave_out_pointer(self, mask: NDArray[np.bool_], by: int = 2) -> None:
        """What the pointer hides is not known until it moves on. The mask is of :attr:`_where`."""
        sight = self.pointer.last
        if sight is not None:
            box = sight.place.padded(by).clipped(self._where).moved(-self._where.left, -self._where.top)
            if not box.empty:
                mask[box.window] = False

    def _is_hole(self, patch: Patch) -> bool:
        """Where the pointer had been when the screen settled around it."""
        if max(patch.place.width, patch.place.height) > LARGEST:
            return False
        if self.pointer.hid(patch.place, patch.left_ms, patch.came_ms):
            return True
        first = self.pointer.first
        if first is None or abs(first.at_ms - patch.came_ms) > 400:
            return False
        size = first.place.padded(4)  # it stood there from the beginning
        return patch.place.width <= size.width and patch.place.height <= size.height

    def _note_motion(self, at_ms: int, moved: Grey | None) -> None:
        share = min(0.5, (at_ms - self._last_ms) / _MEMORY_MS)
        if moved is None:
            if not self._motion.any():
                self._last_ms = at_ms
                return
            self._motion *= 1 - share
            self._blocks *= 1 - share
            self._motion[self._motion < 0.02] = 0
        else:
            cells = cv2.resize(cv2.dilate(moved, _SPREAD), (self._columns, self._rows), interpolation=cv2.INTER_AREA)
            self._motion += share * ((cells > 0).astype(np.float32) - self._motion)
            self._blocks += share * (_by_block(cells > 0).astype(np.float32) - self._blocks)
        self._last_ms = at_ms
        playing = (self._motion > _PLAYING).astype(np.uint8)
        busy = self._blocks > _BUSY
        if 0 < busy.sum() <= _SHAKEN * busy.size:
            beside = cv2.dilate(busy.astype(np.uint8), np.ones((3, 3), dtype=np.uint8)) > 0
            busy |= beside & (self._blocks > _BUSY / 2)  # where a video ends, less goes on
            playing |= busy.repeat(_BLOCK, 0).repeat(_BLOCK, 1)[: self._rows, : self._columns]
        if np.array_equal(playing, self._cells_playing):
            return
        self._cells_playing = playing
        self._playing = None
        if playing.any():
            whole = cv2.resize(playing, (self._columns * _CELL, self._rows * _CELL), interpolation=cv2.INTER_NEAREST)
            self._playing = np.ascontiguousarray(whole[: self._whole.height, : self._whole.width])


def _by_block(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any of the cells of a block."""
    rows, columns = (-(-side // _BLOCK) * _BLOCK for side in cells.shape)
    padded = np.zeros((rows, columns), dtype=bool)
    padded[: cells.shape[0], : cells.shape[1]] = cells
    return np.asarray(padded.reshape(rows // _BLOCK, _BLOCK, columns // _BLOCK, _BLOCK).any(axis=(1, 3)))


def _beyond(one: Grey, other: Grey, levels: int) -> Grey:
    """255 where the two differ by more than so many grey levels."""
    return np.asarray(cv2.threshold(cv2.absdiff(one, other), levels, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)


def _soft(look: Grey) -> Grey:
    """Without the finest detail, in which encoders differ from picture to picture."""
    return np.asarray(cv2.GaussianBlur(look, (5, 5), 1.1), dtype=np.uint8)


_SPREAD = np.ones((5, 5), dtype=np.uint8)
