"""The lines of text on the screen, and when each stood there. Only what changed is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from activities.screen.film import Look
from activities.screen.rectangles import Rect
from activities.screen.resume_point import SavedLine, TextState
from activities.screen.structure import Replaced, merged, share_of
from activities.screen.text import Line, TextReader, likely_s
from domain.geometry import Box
from domain.recordings.screen import ScreenText

_TOUCHED = 0.15
"""Share of a line's cells that were replaced from which it is read again."""
_LIGHTLY = 0.3
"""Below this share a line that reads nearly the same is the same, read better or worse."""
_MOSTLY = 0.5
"""Share of the picture beyond which all of it is read at once."""
_FIRST_S = 20.0
"""CPU seconds that may be spent reading at once: a recording of a minute or two is read whole."""
_REST_S, _NEAR_S = 4.0, 6.0
"""CPU seconds of reading for each minute of the recording: for all that changed, and for what lies around the pointer.
They bound what reading an hour costs, however busy its screen is; what they leave unread is said."""
_BENEATH = 70, 36
"""Pixels on either side of the pointer: a button's worth."""
_AROUND = 0.2, 0.15
"""Parts of the picture's width and height on either side of the pointer that are read first."""


@dataclass(slots=True)
class _Standing:
    line: Line
    start_ms: int


def _saved(line: Line, start_ms: int, end_ms: int = 0) -> SavedLine:
    return SavedLine(
        text=line.text,
        place=line.place.edges,
        confidence=line.confidence,
        start_ms=start_ms,
        end_ms=end_ms,
    )


def _line(saved: SavedLine) -> Line:
    return Line(saved.text, Rect(*saved.place), saved.confidence)


@dataclass(frozen=True)
class ChangedParts:
    """What to read again. ``parts`` in pixels of a look; ``covered`` is what the pointer hides in the picture after."""

    after: Look
    parts: Sequence[Rect]
    replaced: Replaced
    left_ms: int
    came_ms: int
    covered: Rect | None


class TextTracker:
    """What can be read now, and what could be."""

    def __init__(self, reader: TextReader) -> None:
        self._reader = reader
        self._standing: list[_Standing] = []
        self.corrected: list[tuple[str, str]] = []
        """What was read wrong at first, and what it is."""
        self._past: list[tuple[Line, int, int]] = []
        self._unread: list[tuple[Rect, int]] = []
        """What was put off, and since when it stands."""
        self._missed = False
        self._size = 0, 0
        """Of the picture, width and height."""

    @property
    def is_partly_read(self) -> bool:
        """Something changed again, or the recording ended, before there was time to read it."""
        return self._missed or bool(self._unread)

    @property
    def lines(self) -> list[Line]:
        return [each.line for each in self._standing]

    def state(self) -> TextState:
        return TextState(
            standing=[_saved(each.line, each.start_ms) for each in self._standing],
            past=[_saved(line, start_ms, end_ms) for line, start_ms, end_ms in self._past],
            spent_s=self._reader.spent_s,
            unread=[(at.left, at.top, at.right, at.bottom, since_ms) for at, since_ms in self._unread],
            missed=self._missed,
        )

    def restore(self, state: TextState) -> None:
        self._standing = [_Standing(_line(saved), saved.start_ms) for saved in state.standing]
        self._past = [(_line(saved), saved.start_ms, saved.end_ms) for saved in state.past]
        self._reader.spent_s = state.spent_s
        self._unread = [(Rect(*place), since_ms) for *place, since_ms in state.unread]
        self._missed = state.missed

    def start(self, look: Look, at_ms: int) -> None:
        self._standing = [_Standing(line, at_ms) for line in self._reader.read(look.colours)]

    def _affords(self, part: Rect, wide: int, high: int, at_ms: int, rate_s: float) -> bool:
        return self._reader.spent_s + likely_s(part, wide, high) <= _FIRST_S + rate_s * at_ms / 60_000

    def catch_up(self, look: Look, pointer: tuple[float, float] | None = None) -> None:
        """Read what was put off and still stands: around the pointer (pixels of the picture), or the oldest."""
        if not self._unread or not self._size[0]:
            return
        wide, high = self._size
        whole = Rect(0, 0, wide, high)
        around = None if pointer is None else _around(pointer, wide, high)
        for entry in list(self._unread):
            place, since_ms = entry
            part = place if around is None else place.clipped(around)
            if part.empty or since_ms > look.at_ms:
                continue
            if not self._affords(part, wide, high, look.at_ms, _REST_S if around is None else _NEAR_S):
                continue
            self._unread.remove(entry)
            self._unread += [(rest, since_ms) for rest in _without(place, part)]
            inner = part.padded(4).clipped(whole)
            self._standing += [
                _Standing(line, since_ms)
                for line in self._reader.read(look.colours, inner)
                if line.place.share_in(part.padded(8)) > 0.4
                and not any(line.place.iou(each.line.place) > 0.3 for each in self._standing)
            ]
            self._standing.sort(key=lambda each: (each.line.place.top // 12, each.line.place.left))

    def beneath(self, look: Look, pointer: tuple[float, float]) -> list[Line]:
        """What stands at the pointer (pixels of the picture) and was not found when all around was read."""
        wide, high = self._size
        x, y = (int(value) for value in pointer)
        part = Rect(x - _BENEATH[0], y - _BENEATH[1], x + _BENEATH[0], y + _BENEATH[1]).clipped(Rect(0, 0, wide, high))
        if part.empty or not self._affords(part, wide, high, look.at_ms, _NEAR_S):
            return []
        found = self._reader.read(look.colours, part)
        return [line for line in found if line.place.padded(3, 3).contains(*pointer)]

    def _chosen(self, parts: Sequence[Rect], change: ChangedParts, wide: int, high: int) -> list[Rect]:
        """What is read of it now, the nearest to the pointer first; the rest is put off."""
        pointer = change.covered.centre if change.covered is not None else None
        around = None if pointer is None else _around(pointer, wide, high)
        for part in parts:
            for entry in [each for each in self._unread if each[0].intersects(part)]:
                self._unread.remove(entry)
                self._unread += [(rest, entry[1]) for rest in _without(entry[0], part)]
                self._missed = True
        chosen: list[Rect] = []
        reserved = 0.0
        nearest = sorted(parts, key=lambda part: part.distance(*pointer) if pointer else part.area)
        for part in nearest:
            left_s = _FIRST_S - reserved - self._reader.spent_s
            if likely_s(part, wide, high) <= left_s + _REST_S * change.came_ms / 60_000:
                chosen.append(part)
                reserved += likely_s(part, wide, high)
                continue
            near = part.clipped(around) if around is not None else None
            if near is not None and not near.empty:
                cost = likely_s(near, wide, high)
                if cost <= left_s + _NEAR_S * change.came_ms / 60_000:
                    chosen.append(near)
                    reserved += cost
                    self._unread += [(rest, change.came_ms) for rest in _without(part, near)]
                    continue
            self._unread.append((part, change.came_ms))
        return chosen

    def change(self, change: ChangedParts) -> tuple[list[Line], list[Line]]:
        """Read what changed. Returns the lines that are gone and the ones that came."""
        picture = change.after.colours
        high, wide = picture.shape[:2]
        self._size = wide, high
        across, down = wide / change.after.grey.shape[1], high / change.after.grey.shape[0]
        whole = Rect(0, 0, wide, high)
        parts = [place.scaled(across, down) for place in change.parts]
        touched = []
        for each in self._standing:
            if not any(each.line.place.intersects(part.padded(2)) for part in parts):
                continue
            shares = (
                share_of(change.replaced, part.scaled(1 / across, 1 / down))
                for part in _seen(each.line.place, change.covered)
            )
            if max(shares) > _TOUCHED:
                touched.append(each)
        parts = merged([*(part.padded(4).clipped(whole) for part in parts), *(each.line.place for each in touched)])
        if sum(part.area for part in parts) > _MOSTLY * whole.area:
            parts = [whole]
            touched = list(self._standing)
        parts = self._chosen(parts, change, wide, high)
        kept = [each for each in self._standing if each not in touched]
        read = [
            line
            for part in parts
            for line in self._reader.read(picture, part)
            if (part == whole or line.place.share_in(part.padded(8)) > 0.4)
            and not any(
                line.place.iou(other.line.place) > 0.3 or line.place.share_in(other.line.place) > 0.6 for other in kept
            )
        ]
        pointer = change.covered
        if pointer is not None:  # an arrow is read as a K
            read = [line for line in read if line.place.share_in(pointer.padded(6)) < 0.6]
        read = _distinct(read)
        left_ms, came_ms = change.left_ms, change.came_ms
        gone, came = [], []
        for old in touched:
            light = share_of(change.replaced, old.line.place.scaled(1 / across, 1 / down)) < _LIGHTLY
            same = next((new for new in read if _same(old.line, new, pointer, light)), None)
            if same is None:
                gone.append(old.line)
                self._past.append((old.line, old.start_ms, max(old.start_ms, left_ms)))
            else:
                read.remove(same)
                if light and same.text != old.line.text and same.confidence > old.line.confidence:
                    self.corrected.append((old.line.text, same.text))
                    old.line = same
                kept.append(old)
        for new in read:
            came.append(new)
            kept.append(_Standing(new, came_ms))
        self._standing = sorted(kept, key=lambda each: (each.line.place.top // 12, each.line.place.left))
        return gone, came

    def finish(self, end_ms: int, width: int, height: int) -> tuple[ScreenText, ...]:
        whole = [*self._past, *((each.line, each.start_ms, max(end_ms, each.start_ms)) for each in self._standing)]
        frame = Rect(0, 0, width, height)
        texts: list[ScreenText] = []
        for line, start_ms, stop_ms in sorted(whole, key=lambda each: (each[1], each[0].place.top, each[0].place.left)):
            place = line.place.clipped(frame)
            if place.empty:
                continue
            texts.append(
                ScreenText(
                    id=len(texts),
                    text=line.text,
                    box=Box(x=place.left / width, y=place.top / height, w=place.width / width, h=place.height / height),
                    confidence=line.confidence,
                    start_ms=start_ms,
                    end_ms=stop_ms,
                )
            )
        return tuple(texts)


def _around(pointer: tuple[float, float], wide: int, high: int) -> Rect:
    across, down = _AROUND
    x, y = pointer
    place = Rect(int(x - across * wide), int(y - down * high), int(x + across * wide), int(y + down * high))
    return place.clipped(Rect(0, 0, wide, high))


def _seen(place: Rect, covered: Rect | None) -> list[Rect]:
    """A line, and what is to be seen of it left and right of the pointer."""
    if covered is None or not covered.intersects(place):
        return [place]
    sides = (
        Rect(place.left, place.top, covered.left, place.bottom),
        Rect(covered.right, place.top, place.right, place.bottom),
    )
    return [place, *(each for each in sides if each.width >= 8)]


def _without(place: Rect, part: Rect) -> list[Rect]:
    """What is left of a place, in rectangles that do not overlap; slivers lower than any text are dropped."""
    cut = place.clipped(part)
    if cut.empty:
        return [place]
    rest = [
        Rect(place.left, place.top, place.right, cut.top),
        Rect(place.left, cut.bottom, place.right, place.bottom),
        Rect(place.left, cut.top, cut.left, cut.bottom),
        Rect(cut.right, cut.top, place.right, cut.bottom),
    ]
    return [each for each in rest if each.width >= 8 and each.height >= 8]


def _distinct(lines: Sequence[Line]) -> list[Line]:
    """Without what was read twice where parts overlap."""
    kept: list[Line] = []
    for line in sorted(lines, key=lambda each: -each.place.area):
        if not any(line.place.share_in(other.place) > 0.6 for other in kept):
            kept.append(line)
    return sorted(kept, key=lambda each: (each.place.top // 12, each.place.left))


def _same(old: Line, new: Line, pointer: Rect | None, light: bool) -> bool:
    if new.place.iou(old.place) < 0.5:
        return False
    if light and SequenceMatcher(None, old.text, new.text).ratio() > 0.9:
        return True
    covered = pointer is not None and (pointer.intersects(new.place) or pointer.intersects(old.place))
    return new.text == old.text or (covered and SequenceMatcher(None, old.text, new.text).ratio() > 0.6)
