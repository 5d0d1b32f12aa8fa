"""The lines of text on the screen, and when each stood there. Only what changed is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from activities.screen.film import Look
from activities.screen.kept import KeptLine, ShownState
from activities.screen.places import Place
from activities.screen.structure import Replaced, merged, share_of
from activities.screen.text import Line, TextReader
from domain.documents.annotations import Box
from domain.recordings.screen import ScreenText

_TOUCHED = 0.15
"""Share of a line's cells that were replaced from which it is read again."""
_LIGHTLY = 0.3
"""Below this share a line that reads nearly the same is the same, read better or worse."""
_MOSTLY = 0.5
"""Share of the picture beyond which all of it is read at once."""


@dataclass(slots=True)
class _Standing:
    line: Line
    start_ms: int


def _kept(line: Line, start_ms: int, end_ms: int = 0) -> KeptLine:
    place = line.place
    return KeptLine(
        text=line.text,
        place=(place.left, place.top, place.right, place.bottom),
        confidence=line.confidence,
        start_ms=start_ms,
        end_ms=end_ms,
    )


def _line(kept: KeptLine) -> Line:
    return Line(kept.text, Place(*kept.place), kept.confidence)


@dataclass(frozen=True)
class Changed:
    """What to read again. ``parts`` in pixels of a look; ``covered`` is what the pointer hides in the picture after."""

    after: Look
    parts: Sequence[Place]
    replaced: Replaced
    left_ms: int
    came_ms: int
    covered: Place | None


class Shown:
    """What can be read now, and what could be."""

    def __init__(self, reader: TextReader) -> None:
        self._reader = reader
        self._standing: list[_Standing] = []
        self.corrected: list[tuple[str, str]] = []
        """What was read wrong at first, and what it is."""
        self._past: list[tuple[Line, int, int]] = []

    @property
    def lines(self) -> list[Line]:
        return [each.line for each in self._standing]

    def state(self) -> ShownState:
        return ShownState(
            standing=[_kept(each.line, each.start_ms) for each in self._standing],
            past=[_kept(line, start_ms, end_ms) for line, start_ms, end_ms in self._past],
        )

    def restore(self, state: ShownState) -> None:
        self._standing = [_Standing(_line(kept), kept.start_ms) for kept in state.standing]
        self._past = [(_line(kept), kept.start_ms, kept.end_ms) for kept in state.past]

    def start(self, look: Look, at_ms: int) -> None:
        self._standing = [_Standing(line, at_ms) for line in self._reader.read(look.colours)]

    def change(self, change: Changed) -> tuple[list[Line], list[Line]]:
        """Read what changed. Returns the lines that are gone and the ones that came."""
        picture = change.after.colours
        high, wide = picture.shape[:2]
        across, down = wide / change.after.grey.shape[1], high / change.after.grey.shape[0]
        whole = Place(0, 0, wide, high)
        parts = [place.scaled(across, down) for place in change.parts]
        touched = []
        for each in self._standing:
            if not any(each.line.place.touches(part.grown(2)) for part in parts):
                continue
            if share_of(change.replaced, each.line.place.scaled(1 / across, 1 / down)) > _TOUCHED:
                touched.append(each)
        parts = merged([*(part.grown(4).within(whole) for part in parts), *(each.line.place for each in touched)])
        if sum(part.area for part in parts) > _MOSTLY * whole.area:
            parts = [whole]
            touched = list(self._standing)
        kept = [each for each in self._standing if each not in touched]
        read = [
            line
            for part in parts
            for line in self._reader.read(picture, part)
            if (part is whole or line.place.share_in(part.grown(8)) > 0.4)
            and not any(
                line.place.alike(other.line.place) > 0.3 or line.place.share_in(other.line.place) > 0.6
                for other in kept
            )
        ]
        pointer = change.covered
        if pointer is not None:  # an arrow is read as a K
            read = [line for line in read if line.place.share_in(pointer.grown(6)) < 0.6]
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
        frame = Place(0, 0, width, height)
        texts: list[ScreenText] = []
        for line, start_ms, stop_ms in sorted(whole, key=lambda each: (each[1], each[0].place.top, each[0].place.left)):
            place = line.place.within(frame)
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


def _distinct(lines: Sequence[Line]) -> list[Line]:
    """Without what was read twice where parts overlap."""
    kept: list[Line] = []
    for line in sorted(lines, key=lambda each: -each.place.area):
        if not any(line.place.share_in(other.place) > 0.6 for other in kept):
            kept.append(line)
    return sorted(kept, key=lambda each: (each.place.top // 12, each.place.left))


def _same(old: Line, new: Line, pointer: Place | None, light: bool) -> bool:
    if new.place.alike(old.place) < 0.5:
        return False
    if light and SequenceMatcher(None, old.text, new.text).ratio() > 0.9:
        return True
    covered = pointer is not None and (pointer.touches(new.place) or pointer.touches(old.place))
    return new.text == old.text or (covered and SequenceMatcher(None, old.text, new.text).ratio() > 0.6)
