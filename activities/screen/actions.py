"""What kind of action a change answers, and what was acted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from activities.screen.film import Look
from activities.screen.rectangles import Rect, union
from activities.screen.structure import CELL, Replaced, extent, moved_by
from activities.screen.text import Line
from activities.screen.typing_detection import only_glyphs, without_prompt
from domain.recordings.screen import ChangeKind


@dataclass(frozen=True)
class ObservedChange:
    """A change with all that is known of it; places in pixels of the picture."""

    before: Look
    clean: Look
    """Before it, too, with the pointer elsewhere if there was such a time."""
    after: Look
    places: Sequence[Rect]
    content: Sequence[Rect]
    """Where something else stands than before, and not only its colour is another, or the pointer on it."""
    lasted_ms: int
    """From its first sign to its rest."""
    lines: Sequence[Line]
    replaced: Replaced
    share: float
    gone: Sequence[Line]
    came: Sequence[Line]
    pointer: tuple[float, float] | None
    covers: Rect | None
    """What the pointer hides."""
    moving: bool
    """The pointer, at that moment; ``restless`` shortly before or after."""
    restless: bool
    stopped: bool
    """It came to rest as the change began: what it lights in passing it lights on its way."""

    @property
    def place(self) -> Rect:
        return union(self.places)


def kind_of(observed: ObservedChange) -> ChangeKind:
    """By what changed, and how much."""
    replaced, share = observed.replaced, observed.share
    if moved_by(observed.before.grey, observed.after.grey, replaced):
        return ChangeKind.SCROLL
    if share > 0.5 and extent(replaced) > 0.45:
        return ChangeKind.PAGE
    if _is_typing(observed):
        return ChangeKind.TYPING
    return ChangeKind.PRESS


def nobody_acted(observed: ObservedChange) -> bool:
    """What the pointer lights in passing, what an encoder sharpens, and a message that goes by itself."""
    high, wide = observed.before.colours.shape[:2]
    if observed.pointer is None:
        return False
    under = any(place.padded(16).contains(*observed.pointer) for place in observed.content or observed.places)
    if not observed.replaced.any():
        return observed.restless or not under
    small = observed.place.area < _MESSAGE * wide * high
    if observed.stopped and small and (observed.came or _is_marked(observed)):
        return False
    if observed.moving and small and not observed.gone and (not observed.came or observed.place.height <= high // 9):
        return True
    return (
        small and bool(observed.gone) and not observed.came and observed.place.distance(*observed.pointer) > _FAR * high
    )


def _is_marked(observed: ObservedChange) -> bool:
    """Whether a box to tick under the pointer got or lost its mark."""
    if observed.pointer is None or not any(place.padded(16).contains(*observed.pointer) for place in observed.places):
        return False
    ticked = next(
        (
            found
            for look in (observed.clean, observed.before)
            if (found := _tick_box(look, observed, *observed.pointer))
        ),
        None,
    )
    return ticked is not None and marked_of(observed, ticked[0]) is not None


_BY_LETTERS_MS = 700
"""A text that takes longer to come is typed, though another stood there: what to enter, in grey."""
_LEVEL = 1.3
"""Of a text's height: a field reaches so far above and below the middle of its text."""
_MESSAGE = 0.1
"""Share of the picture that a message covers at most."""
_FAR = 0.08
"""Of the picture's height: a hand that closes something is on it."""


def _is_typing(observed: ObservedChange) -> bool:
    if not observed.came:
        return False
    place = _at_the_hand(observed)
    there = [line for line in observed.came if line.place.intersects(place)]
    if not there:
        return False
    if any(line.text == old.text and not line.place.intersects(old.place) for line in there for old in observed.gone):
        return False  # it was moved there
    tallest = max(line.place.height for line in there)
    margin = CELL * observed.before.colours.shape[0] / observed.before.grey.shape[0]  # a place covers whole cells
    if place.height > 2.6 * tallest + margin:
        return False
    if observed.lasted_ms < _BY_LETTERS_MS and not _is_level(observed, there):
        return False
    return only_glyphs(observed.before, observed.after, [place]) and (
        observed.lasted_ms >= _BY_LETTERS_MS or not acted_on_choice(observed)
    )


def _is_level(observed: ObservedChange, there: Sequence[Line]) -> bool:
    """What came at once is a field's value only where the pointer stands beside it, or there is none: below it, a list
    opens. A terminal's prompt says by itself that it was typed behind it."""
    if observed.pointer is None or any(without_prompt(line.text) != line.text for line in there):
        return True
    y = observed.pointer[1]
    return all(abs(line.place.centre[1] - y) <= _LEVEL * line.place.height for line in there)


def _at_the_hand(observed: ObservedChange) -> Rect:
    """Of several places that changed together the one that the pointer stands at; sums elsewhere follow from it."""
    if observed.pointer is None:
        return observed.place
    at = [place for place in observed.content or observed.places if place.padded(16).contains(*observed.pointer)]
    return union(at) if at else observed.place


def acted_on_choice(observed: ObservedChange) -> bool:
    """A value took another's place: it does not begin as the old one did."""
    return any(
        old.place.iou(new.place) > 0.3 and not new.text.startswith(old.text[: max(1, len(old.text) - 1)])
        for old in observed.gone
        for new in observed.came
    )


def control_of(observed: ObservedChange, kind: ChangeKind) -> tuple[Rect | None, Line | None]:
    """What was acted on, and its text."""
    if observed.pointer is None:
        return None, None
    x, y = observed.pointer
    under = [line for line in observed.lines if line.place.padded(3, 3).contains(x, y)]
    written = min(under, key=lambda each: each.place.area).place if under else None
    looks = [observed.clean] if observed.clean is observed.before else [observed.clean, observed.before]
    for look in looks:
        ticked = _tick_box(look, observed, x, y)
        if ticked is not None:
            return ticked
    found = [enclosing(look.colours, x, y, observed.covers, written) for look in looks]
    least = (
        observed.covers.area if observed.covers is not None else 0
    )  # smaller is the pointer's own fill, or a letter's
    frame = next((each for each in found if each is not None and each.area > least), None)
    drawn = frame is not None
    if frame is None and any(place.padded(4).contains(x, y) for place in observed.places):
        frame = enclosing(
            observed.after.colours, x, y, observed.covers, written
        )  # plain before, marked as chosen after
        if frame is not None and not any(frame.share_in(place.padded(6)) > 0.5 for place in observed.places):
            frame = None
    if under:
        line = min(under, key=lambda each: each.place.area)
        if frame is not None and _is_list(frame, line, observed.lines):
            return line.place.padded(8, 6), line
        name = _label_above(frame, observed.lines) if frame is not None and drawn else None
        if frame is not None and name is not None and _is_value(line.place, frame) and not _is_above(name, line, frame):
            return frame, name
        return frame or line.place.padded(8, 6), line
    beside = _entry_beside(observed.lines, x, y)
    if frame is not None and beside is not None and _is_list(frame, beside, observed.lines):
        return _row_of(beside, x), beside
    if frame is not None:
        inside = [line for line in observed.lines if line.place.share_in(frame.padded(2)) > 0.8]
        above = _label_above(frame, observed.lines)
        if above is not None and not any(abs(i.place.centre[0] - frame.centre[0]) < 12 for i in inside):
            return frame, above
        if inside:
            return frame, min(inside, key=lambda each: each.place.distance(x, y))
        if above is not None:
            return frame, above
    if beside is not None:
        return frame or _row_of(beside, x), beside
    near = min(observed.lines, key=lambda each: each.place.distance(x, y), default=None)
    if near is not None and near.place.distance(x, y) < max(12, near.place.height):
        return frame or near.place.padded(8, 6), near
    return frame, None


_ROW, _BESIDE = 0.8, 5.0
"""Of a text's height: how far above and below its middle its row reaches, and how far to the right of it a click is
meant for it."""
_ELSEWHERE = 1.5, 0.25
"""Of a text's height down, and of the picture's width across: a pointer farther off was left there."""


def is_elsewhere(observed: ObservedChange) -> bool:
    """Whether the pointer lies far from what is typed: the keyboard led there."""
    if observed.pointer is None:
        return False
    x, y = observed.pointer
    typed = union([line.place for line in observed.came]) if observed.came else observed.place
    down = _ELSEWHERE[0] * max(24, min(line.place.height for line in observed.came) if observed.came else 0)
    return not typed.padded(round(_ELSEWHERE[1] * observed.before.colours.shape[1]), round(down)).contains(x, y)


def typed_into(observed: ObservedChange) -> tuple[Rect | None, Line | None]:
    """The field that a text came into, by its place, if that is one with a name."""
    line = min(observed.came, key=lambda each: each.place.distance(*observed.place.centre), default=None)
    if line is None or without_prompt(line.text) != line.text:
        return None, None
    x, y = line.place.centre
    control, label = control_of(replace(observed, pointer=(x, y), covers=None, came=()), ChangeKind.TYPING)
    return (
        (control, label)
        if control is not None and label is not None and not label.place.contains(x, y)
        else (None, None)
    )


def _is_above(name: Line, line: Line, frame: Rect) -> bool:
    """Whether it is the entry above in a list: it begins where the text does. A field's name begins where that does."""
    return abs(name.place.left - line.place.left) < abs(name.place.left - frame.left)


def _entry_beside(lines: Sequence[Line], x: float, y: float) -> Line | None:
    """The entry of a list that a click right of its text is meant for."""
    level = [
        line for line in lines if abs(line.place.centre[1] - y) <= _ROW * line.place.height and line.place.right <= x
    ]
    line = min(level, key=lambda each: x - each.place.right, default=None)
    return line if line is not None and x - line.place.right <= _BESIDE * line.place.height else None


def _row_of(entry: Line, x: float) -> Rect:
    """From where the entry begins until beyond the click."""
    place = entry.place.padded(8, 6)
    return Rect(place.left, place.top, max(place.right, round(x) + 8), place.bottom)


def _is_list(frame: Rect, line: Line, lines: Sequence[Line]) -> bool:
    """Whether a frame holds other entries that begin where the line does, above or below it: no field, no button."""
    return any(
        other is not line
        and other.place.share_in(frame) > 0.8
        and abs(other.place.left - line.place.left) < line.place.height
        and not -line.place.height < 2 * (other.place.centre[1] - line.place.centre[1]) < line.place.height
        for other in lines
    )


def _is_value(text: Rect, frame: Rect) -> bool:
    """Text in a field, and not on a button: it begins at the left, with room behind it."""
    return frame.width > 1.8 * text.width and text.left - frame.left < 40


def _tick_box(look: Look, observed: ObservedChange, x: float, y: float) -> tuple[Rect, Line] | None:
    """A small square, with its name on its right."""
    picture = look.colours
    largest = max(28, picture.shape[0] // 24)
    box = enclosing(picture, x, y, observed.covers)
    if box is None or max(box.width, box.height) > largest or not 0.7 < box.width / box.height < 1.4:
        return None
    beside = [
        line
        for line in observed.lines
        if abs(line.place.centre[1] - box.centre[1]) < 0.6 * max(box.height, line.place.height)
        and box.left - 0.4 * box.width <= line.place.left <= box.right + 3 * box.width
        and line.place.right > box.right + box.width
    ]
    return (box, min(beside, key=lambda each: each.place.left)) if beside else None


def marked_of(observed: ObservedChange, control: Rect | None) -> bool | None:
    """Whether a box to tick bears its mark after the change; ``None`` where it is no such box, or cannot be told. An
    empty box is even; a mark, whatever its colour, is not."""
    high, wide = observed.after.colours.shape[:2]
    box = next((each for each in (control, observed.place) if each is not None and _is_small_square(each, high)), None)
    if box is None:
        return None
    inner = box.padded(-max(2, round(0.16 * min(box.width, box.height)))).clipped(Rect(0, 0, wide, high))
    seen = np.ones((max(inner.height, 0), max(inner.width, 0)), dtype=bool)
    if observed.covers is not None:
        hides = observed.covers.clipped(inner)
        seen[max(0, hides.top - inner.top) : hides.bottom - inner.top, max(0, hides.left - inner.left) :][
            :, : max(0, hides.width)
        ] = False
    if seen.sum() < max(20, 0.25 * seen.size):
        seen[:] = True
    if seen.size < 20:
        return None
    before, after = (_unevenness(look.colours, inner, seen) for look in (observed.clean, observed.after))
    if max(before, after) < _MARK or min(before, after) > 0.5 * max(before, after):
        return None
    return after > before


_MARK = 9.0
"""Levels of deviation of a box's inside that only a mark makes; an encoder's noise on an even fill makes 3."""


def _is_small_square(place: Rect, high: int) -> bool:
    side = max(place.width, place.height)
    return 8 <= side <= max(30, high // 22) and 0.7 < place.width / max(1, place.height) < 1.4


def _unevenness(picture: np.ndarray, inner: Rect, seen: np.ndarray) -> float:
    cut = picture[inner.top : inner.bottom, inner.left : inner.right][seen]
    return float(cut.astype(np.float32).std(axis=0).max())


def _label_above(frame: Rect, lines: Sequence[Line]) -> Line | None:
    """The name of a field: just above it, where it begins."""
    near = [
        line
        for line in lines
        if -4 <= frame.top - line.place.bottom <= 0.4 * line.place.height
        and abs(line.place.left - frame.left) < 24
        and line.place.height < 1.2 * frame.height
    ]
    return max(near, key=lambda each: each.place.bottom, default=None)


def enclosing(
    picture: np.ndarray, x: float, y: float, covers: Rect | None = None, line: Rect | None = None
) -> Rect | None:
    """The smallest evenly filled rectangle around a point: a button, a field, a box to tick, a chosen row."""
    high, wide = picture.shape[:2]
    tallest = max(80, high // 9)
    reach_x, reach_y = wide, tallest + 20
    part = Rect(int(x) - reach_x, int(y) - reach_y, int(x) + reach_x, int(y) + reach_y).clipped(Rect(0, 0, wide, high))
    cut = np.ascontiguousarray(picture[part.top : part.bottom, part.left : part.right])
    if min(cut.shape[:2]) < 12:
        return None
    px, py = min(int(x) - part.left, cut.shape[1] - 1), min(int(y) - part.top, cut.shape[0] - 1)
    best: Rect | None = None
    for sx, sy in _seeds(cut, max(0, px), max(0, py)):
        filled = (fill(cut, sx, sy, tolerance) for fill in (_filled, _filled_within) for tolerance in _TOLERANCES)
        found = next(
            (
                rect
                for rect, area in filled
                if 10 <= rect.width <= 0.9 * wide
                and 10 <= rect.height <= tallest
                and area > 0.45 * rect.width * rect.height
            ),
            None,
        )
        if found is None:
            continue
        place = found.moved(part.left, part.top)
        if covers is not None and _is_pointer(place, covers, x, y):
            continue
        if line is not None and line.share_in(place.padded(4)) < 0.8:
            continue
        if place.padded(3).contains(x, y) and (best is None or place.area < best.area):
            best = place
    return best.padded(1) if best else None


def _filled(cut: np.ndarray, x: int, y: int, tolerance: int) -> tuple[Rect, int]:
    """What is of a pixel's colour and hangs together with it, and how many pixels that are."""
    mask = np.zeros((cut.shape[0] + 2, cut.shape[1] + 2), dtype=np.uint8)
    flags = 4 | (255 << 8) | cv2.FLOODFILL_FIXED_RANGE | cv2.FLOODFILL_MASK_ONLY
    area, _, _, (left, top, width, height) = cv2.floodFill(
        cut, mask, (x, y), 0, (tolerance,) * 3, (tolerance,) * 3, flags
    )
    return Rect(left, top, left + width, top + height), int(area)


def _filled_within(cut: np.ndarray, x: int, y: int, tolerance: int) -> tuple[Rect, int]:
    """As :func:`_filled`, where an outline has a gap of a pixel or two: an encoder pales the corners of a thin one."""
    apart = np.abs(cut.astype(np.int16) - cut[y, x].astype(np.int16)).max(axis=2)
    inner = cv2.erode((apart <= tolerance).astype(np.uint8), np.ones((3, 3), dtype=np.uint8))
    top, left = max(0, y - _NEAR), max(0, x - _NEAR)
    ys, xs = np.nonzero(inner[top : y + _NEAR + 1, left : x + _NEAR + 1])
    if not len(ys):
        return Rect(0, 0, 0, 0), 0
    nearest = int(np.argmin((ys + top - y) ** 2 + (xs + left - x) ** 2))
    seed = int(xs[nearest]) + left, int(ys[nearest]) + top
    area, _, _, (left, top, width, height) = cv2.floodFill(inner, None, seed, 2)
    return Rect(left - 1, top - 1, left + width + 1, top + height + 1), int(area)


_NEAR = 4
"""Pixels from a seed to the next one that is not beside an edge."""


def _is_pointer(place: Rect, covers: Rect, x: float, y: float) -> bool:
    """The fill of the pointer itself: right of and below its tip, and hardly beyond what it covers."""
    beyond_tip = place.left >= x - 4 and place.top >= y - 4
    return place.share_in(covers) > (0.5 if beyond_tip else 0.85)


_TOLERANCES = (24, 14, 8)
"""Colour levels of one fill, the widest first: an encoder tints it from block to block."""


def _seeds(cut: np.ndarray, px: int, py: int) -> list[tuple[int, int]]:
    """Pixels of the commonest colours near a point."""
    reach = 12
    top, left = max(0, py - reach), max(0, px - reach)
    window = cut[top : py + reach + 1, left : px + reach + 1]
    keys = (window // 8).astype(np.int32)
    keys = keys[:, :, 0] * 1024 + keys[:, :, 1] * 32 + keys[:, :, 2]
    values, counts = np.unique(keys, return_counts=True)
    seeds = []
    for value in values[np.argsort(counts)[::-1][:3]]:
        ys, xs = np.nonzero(keys == value)
        nearest = int(np.argmin((ys + top - py) ** 2 + (xs + left - px) ** 2))
        seeds.append((int(xs[nearest]) + left, int(ys[nearest]) + top))
    return seeds
