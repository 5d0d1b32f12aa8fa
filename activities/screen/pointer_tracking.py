"""Where the pointer is: the small thing that moves over a screen which otherwise stands still.

No shape, size or colour is assumed. What differs from the settled screen, is small, and was in motion just now is
the pointer; where it came to rest is where it stays until it moves again.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from activities.screen.film import LOOK_EVERY_MS
from activities.screen.rectangles import Rect
from activities.screen.resume_point import SavedSight

Mask = NDArray[np.uint8]
Grey = NDArray[np.uint8]

LARGEST = 60
"""Pixels of a look, either way: twice a usual pointer, or one that was made large for the audience."""
_MOST_IN_MOTION = 4
"""Things that change from one look to the next while a pointer moves: its old and its new place, and crumbs."""
_IN_MOTION = 0.5
"""Of the pointer's place, of what moves with it: a box beside it that was ticked just now stands still."""
_OTHER = 14
_CRUMBS_LEFT = 0.15
"""Grey levels and share of pixels by which a place may differ that the pointer has left."""
_CRUMB = 10
"""Pixels; a small pointer has thrice as many."""
_OWN = 40
_SAME_SHAPE = 30.0
"""Grey levels by which the pointer stands out from what it hides, and by which another sight of it differs."""
_STIRRED = 10.0
"""Pixels of a look: less than any way from one control to the next."""
_UNCOVERED_MS = 700
"""From the moment when the pointer leaves a place until that is seen as it is: what comes later was not below it."""
_UNSEEN_MS = 2 * LOOK_EVERY_MS
"""A hand sets off slowly: it stood at the look before the first that shows it elsewhere, and moved by less than can be
told for another."""
REST_MS = 400
"""Somebody who goes from one control to the next does not stand for so long on the way."""
_MUCH = 0.05
"""Share of a look: more than a control that lights up."""
_FARTHER = 0.1
"""What a pixel of way adds to that, of two places that look like it."""
_REMEMBERED = 400
_TRACK = 20


@dataclass(frozen=True, slots=True)
class Sight:
    """The pointer at a time, in pixels of a look; it stays until the next sight. ``ground``: what it hides."""

    at_ms: int
    place: Rect
    ground: Grey
    look: Grey | None = None
    """The place with the pointer on it; ``None`` where that is not remembered."""

    @property
    def tip(self) -> tuple[float, float]:
        """Where it points: near the top left of an arrow, and still within a hand or a beam."""
        return self.place.left + 0.2 * self.place.width, self.place.top + 0.15 * self.place.height

    def away_from(self, other: Sight) -> float:
        """Pixels of a look between where the two point."""
        (x, y), (a, b) = self.tip, other.tip
        return max(abs(x - a), abs(y - b))

    def likeness(self, other: Rect) -> float:
        """0 to 1: of the same size."""
        return _likeness(self.place, other)

    def saved(self) -> SavedSight:
        ground = b64encode(self.ground.tobytes()).decode()
        return SavedSight(at_ms=self.at_ms, place=self.place.edges, ground=ground)

    @classmethod
    def of(cls, saved: SavedSight) -> Sight:
        place = Rect(*saved.place)
        ground = np.frombuffer(b64decode(saved.ground), dtype=np.uint8)
        return cls(saved.at_ms, place, ground.reshape(place.height, place.width))


class Rest(NamedTuple):
    """The pointer stood still: from when until when, and where it pointed, in pixels of a look."""

    start_ms: int
    end_ms: int
    x: float
    y: float


class PointerTracker:
    """Follows one pointer."""

    def __init__(self) -> None:
        self._seen: deque[Sight] = deque(maxlen=_REMEMBERED)
        self._first: Sight | None = None
        self._held: Sight | None = None
        self._stirred_ms = -REST_MS
        """When it began to stir after it had stood."""
        self._rests: list[Rest] = []
        self._shape: tuple[Grey, Mask] | None = None
        """How it looks, and which pixels of that are its own."""
        self._track: list[Sight] = []
        """What may be the pointer: it moves, but has not yet left a place behind as it was."""

    @property
    def last(self) -> Sight | None:
        return self._seen[-1] if self._seen else None

    def rests(self, until_ms: int) -> list[Rest]:
        """Where it has stood still so far, in order of time, and where it stands."""
        held = self._held
        lasts = held is not None and until_ms - held.at_ms >= REST_MS
        return [*self._rests, Rest(held.at_ms, until_ms, *held.tip)] if held is not None and lasts else self._rests

    def set_off(self, at_ms: int) -> int | None:
        """When it set off for where it stands at a time; ``None`` where that is not known."""
        rests = self.rests(max(at_ms, self._held.at_ms if self._held is not None else 0))
        here = next((place for place in range(len(rests) - 1, -1, -1) if rests[place].start_ms <= at_ms), None)
        if here is None:
            return None
        if rests[here].end_ms < at_ms:  # on its way, or it never stood still
            return rests[here].end_ms
        if here:
            return rests[here - 1].end_ms
        if self._first is None or self._first.at_ms >= rests[0].start_ms:
            return None
        return max(0, self._first.at_ms - _UNSEEN_MS)  # it is not seen before it moves

    def _stand(self, sight: Sight) -> None:
        """It was seen: at another place its rest at the one before is over."""
        held = self._held
        if sight.at_ms - self._stirred_ms > REST_MS:
            self._stirred_ms = sight.at_ms
        if held is not None:
            if sight.away_from(held) <= _STIRRED:
                return
            end_ms = self._stirred_ms - _UNSEEN_MS
            if end_ms - held.at_ms >= REST_MS:
                self._rests.append(Rest(held.at_ms, end_ms, *held.tip))
        self._held = sight

    @property
    def first(self) -> Sight | None:
        return self._first

    @property
    def held(self) -> Sight | None:
        """The first sight of it where it is now."""
        return self._held

    def go_on(
        self, first: Sight | None, last: Sight | None, held: Sight | None = None, rests: Sequence[Rest] = ()
    ) -> bool:
        """Know what an earlier reading knew at this moment; whether it knew of a place that this one has not seen."""
        self._first = first
        self._held = held
        self._rests = list(rests)
        if last is not None and self.last is not None and last.place.intersects(self.last.place):
            return False
        self._seen.clear()
        self._track.clear()
        if last is not None:
            self._seen.append(last)
        return last is not None

    def at(self, at_ms: int) -> Sight | None:
        """The last sight at or before a time."""
        return next((sight for sight in reversed(self._seen) if sight.at_ms <= at_ms), None)

    def moved_between(self, start_ms: int, end_ms: int) -> bool:
        """It went somewhere else; a ripple around it, or another shape over another control, is no way."""
        stood = self.at(start_ms - 1)
        return any(
            start_ms <= sight.at_ms <= end_ms and (stood is None or sight.away_from(stood) > _STIRRED)
            for sight in self._seen
        )

    def hid(self, place: Rect, left_ms: int, came_ms: int) -> bool:
        """The pointer covered ``place`` shortly before it was another, from ``left_ms`` until ``came_ms``."""
        since_ms = max(came_ms - 2_000, left_ms - _UNCOVERED_MS)
        lately = [sight for sight in self._seen if since_ms <= sight.at_ms <= came_ms]
        rests = [sight for sight in (self.at(since_ms), self.at(came_ms - 100)) if sight is not None]
        return any(place.share_in(sight.place.padded(4)) > 0.75 for sight in [*rests, *lately])

    def is_as_small(self, place: Rect) -> bool:
        """Whether a place is no larger than the pointer, with an encoder's rim around it."""
        if not self._seen:
            return False
        size = self._usual_size().padded(2)
        return place.width <= size.width and place.height <= size.height

    def _usual_size(self) -> Rect:
        lately = list(islice(reversed(self._seen), 15))
        wide = sorted(sight.place.width for sight in lately)[len(lately) // 2]
        high = sorted(sight.place.height for sight in lately)[len(lately) // 2]
        return Rect(0, 0, wide, high)

    def see(self, at_ms: int, look: Grey, screen: Grey, moved: Mask, away: Mask) -> bool:
        """A look. Returns whether all that moved in it is the pointer.

        Args:
            screen: The settled screen.
            moved: What differs from the look before, 0 or 255.
            away: What differs from the settled screen.
        """
        parts = _parts(moved)
        seen = self._seen[-1] if self._seen else None
        only_pointer = self._follow(at_ms, look, screen, parts, away)
        if self._seen and self._seen[-1] is not seen:
            self._learn(look)
        elif seen is not None and parts and (_left(seen, look) or self._is_gone(seen, look)):
            self._search(at_ms, look, screen, parts)
        return only_pointer

    def _is_gone(self, sight: Sight, look: Grey) -> bool:
        """The pointer itself is not there any more, whatever came to stand where it was: by how it looks, where that
        is known. What it hid may have changed with it."""
        if self._shape is None or self._shape[0].shape != (sight.place.height, sight.place.width):
            return _is_gone(sight, look)
        crop, own = self._shape
        now = look[sight.place.top : sight.place.bottom, sight.place.left : sight.place.right]
        return float((cv2.absdiff(now, crop) > _OWN)[own > 0].mean()) > _GONE

    def _learn(self, look: Grey) -> None:
        sight = self._seen[-1]
        if _likeness(self._usual_size(), sight.place) < 0.8:
            return
        place = sight.place
        crop = look[place.top : place.bottom, place.left : place.right]
        own = np.asarray(
            cv2.threshold(cv2.absdiff(crop, sight.ground), _OWN, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8
        )
        if cv2.countNonZero(own) >= 3 * _CRUMB and float(crop[own > 0].std()) > _OWN / 2:
            self._shape = crop.copy(), own

    def _search(self, at_ms: int, look: Grey, screen: Grey, parts: list[Rect]) -> None:
        """It left, and what it went to changed with it: a button that lights up. By its looks, or within that."""
        last = self._seen[-1]
        whole = Rect(0, 0, look.shape[1], look.shape[0])
        size = self._usual_size()
        best: tuple[float, Rect] | None = None
        # A hand rests while it clicks: where much changes at once, only the pointer itself is taken for it.
        much = sum(part.area for part in parts) >= _MUCH * whole.area
        limit = _SAME_SHAPE / 2 if much else _SAME_SHAPE
        for part in parts:
            around = part.padded(max(size.width, size.height)).clipped(whole)
            if self._shape is None or around.area > whole.area // 4 or 2 * part.height < size.height:
                continue
            crop, own = self._shape
            high, wide = crop.shape
            if around.height <= high or around.width <= wide:
                continue
            cut = look[around.top : around.bottom, around.left : around.right]
            found = cv2.matchTemplate(cut, crop, cv2.TM_SQDIFF, mask=own)
            off, _, (x, y), _ = cv2.minMaxLoc(found)
            place = Rect(around.left + x, around.top + y, around.left + x + wide, around.top + y + high)
            difference = float(np.sqrt(max(0.0, off) / cv2.countNonZero(own)))
            if difference >= limit:
                continue
            difference += _FARTHER * last.place.distance(*place.centre)
            if best is None or difference < best[0]:
                best = difference, place
        if best is None:
            lit = [
                part
                for part in parts
                if not part.intersects(last.place)
                and size.height <= part.height <= 2 * LARGEST
                and part.width >= size.width
            ]
            if much or len(lit) != 1 or max(lit[0].width, lit[0].height) > 6 * LARGEST:
                return
            x, y = (round(value) for value in _into(lit[0], last.place.centre))
            left, top = x - size.width // 2, y - size.height // 2
            best = 0.0, Rect(left, top, left + size.width, top + size.height).clipped(whole)
        place = best[1]
        if place.width >= 3 and place.height >= 3 and place != last.place:
            window = np.s_[place.top : place.bottom, place.left : place.right]
            self._seen.append(Sight(at_ms, place, screen[window].copy(), look[window].copy()))
            self._stand(self._seen[-1])
            self._track.clear()

    def _follow(self, at_ms: int, look: Grey, screen: Grey, parts: list[Rect], away: Mask) -> bool:
        if not parts or len(parts) > _MOST_IN_MOTION or any(max(p.width, p.height) > 2 * LARGEST for p in parts):
            self._track.clear()
            return False
        there = [sight for part in parts for sight in _candidates(at_ms, part, look, screen, away)]
        if not there:
            return True  # it went out of sight
        last = self.last
        if last is not None:
            size, whole = self._usual_size(), Rect(0, 0, look.shape[1], look.shape[0])
            alike = {id(each): _likeness(_within(size, each.place, whole), each.place) for each in there}
            best = max(there, key=lambda sight: alike[id(sight)])
            if alike[id(best)] > 0.5 and _follows(last, best, look, self._is_gone):
                self._seen.append(best)
                self._stand(best)
                self._track.clear()
                return True
        head = self._track[-1] if self._track else None
        if head is None:
            self._track = [min(there, key=lambda sight: sight.place.area)]
            return False
        best = max(there, key=lambda sight: head.likeness(sight.place))
        if not _follows(head, best, look):
            self._track = [best]
            return False
        self._track.append(best)
        del self._track[:-_TRACK]
        if any(not best.place.intersects(each.place) and _left(each, look) for each in self._track):
            self._first = self._first or self._track[0]
            self._seen.extend(self._track)
            for sight in self._track:
                self._stand(sight)
            self._track = []
            return True
        return False


def _within(size: Rect, place: Rect, whole: Rect) -> Rect:
    """What is to be seen of a pointer of that size at a place: at the right and the lower edge hardly more than its
    tip."""
    return Rect(place.left, place.top, place.left + size.width, place.top + size.height).clipped(whole)


def _into(part: Rect, start: tuple[float, float]) -> tuple[float, float]:
    """Half way between where somebody who comes from ``start`` enters a part, and its middle."""
    x = min(max(start[0], part.left), part.right)
    y = min(max(start[1], part.top), part.bottom)
    return (x + part.centre[0]) / 2, (y + part.centre[1]) / 2


def _candidates(at_ms: int, part: Rect, look: Grey, screen: Grey, away: Mask) -> list[Sight]:
    """Small things that differ from the settled screen where something moved; what stands out strongly, where a row or
    a button around it lights up with it."""
    around = part.padded(LARGEST // 2).clipped(Rect(0, 0, away.shape[1], away.shape[0]))
    window = np.s_[around.top : around.bottom, around.left : around.right]
    found = _small(at_ms, part, around, away[window], look, screen)
    if found:
        return found
    strong = cv2.threshold(cv2.absdiff(look[window], screen[window]), _OWN, 255, cv2.THRESH_BINARY)[1]
    return _small(at_ms, part, around, np.asarray(strong, dtype=np.uint8), look, screen)


def _small(at_ms: int, part: Rect, around: Rect, cut: Mask, look: Grey, screen: Grey) -> list[Sight]:
    found = []
    high, wide = look.shape
    for spread in _parts(cut):
        right, bottom = around.left + spread.right, around.top + spread.bottom
        place = Rect(
            around.left + spread.left + 2,
            around.top + spread.top + 2,
            right if right == wide else right - 2,
            bottom if bottom == high else bottom - 2,
        )
        if place.share_in(part) >= _IN_MOTION and 5 <= max(place.width, place.height) <= LARGEST and place.width >= 3:
            window = np.s_[place.top : place.bottom, place.left : place.right]
            found.append(Sight(at_ms, place, screen[window].copy(), look[window].copy()))
    return found


def _likeness(one: Rect, other: Rect) -> float:
    wide = min(one.width, other.width) / max(one.width, other.width)
    high = min(one.height, other.height) / max(one.height, other.height)
    return wide * high


def _follows(old: Sight, new: Sight, look: Grey, is_gone: Callable[[Sight, Grey], bool] | None = None) -> bool:
    """The same thing, moved: what it left is as it was before. Text that grows stays where it is."""
    if old.likeness(new.place) < 0.3:
        return False
    if new.place.intersects(old.place):
        moved = max(abs(new.place.left - old.place.left), abs(new.place.top - old.place.top))
        grew = new.place.width > 1.3 * old.place.width and abs(new.place.left - old.place.left) <= 1
        return not grew or moved > 2
    return _left(old, look) or (is_gone or _is_gone)(old, look)


def _left(sight: Sight, look: Grey) -> bool:
    """What was hidden is to be seen again."""
    place = sight.place
    now = look[place.top : place.bottom, place.left : place.right]
    return float((cv2.absdiff(now, sight.ground) > _OTHER).mean()) < _CRUMBS_LEFT


def _is_gone(sight: Sight, look: Grey) -> bool:
    """The pointer itself is not there any more, whatever came to stand where it was: a list closed under it."""
    if sight.look is None:
        return False
    place = sight.place
    own = cv2.absdiff(sight.look, sight.ground) > _OWN
    if own.sum() < 3 * _CRUMB:
        return True  # it was taken to be there, and not seen
    now = look[place.top : place.bottom, place.left : place.right]
    return float((cv2.absdiff(now, sight.look) > _OTHER)[own].mean()) > _GONE


_GONE = 0.7
"""Share of its own pixels."""

_SPREAD = np.ones((5, 5), dtype=np.uint8)


def _parts(mask: Mask) -> list[Rect]:
    """What hangs together, or nearly, with a margin of 2; crumbs are left out."""
    left, top, wide, high = cv2.boundingRect(mask)
    if not wide:
        return []
    part = Rect(left, top, left + wide, top + high).padded(2).clipped(Rect(0, 0, mask.shape[1], mask.shape[0]))
    cut = mask[part.top : part.bottom, part.left : part.right]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(cut, _SPREAD), connectivity=8)
    pixels = np.bincount(labels[cut > 0], minlength=count)
    return [
        Rect(int(left), int(top), int(left + wide), int(top + high)).moved(part.left, part.top)
        for (left, top, wide, high, _), own in zip(stats[1:count], pixels[1:], strict=True)
        if own >= _CRUMB
    ]
