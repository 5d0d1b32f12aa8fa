"""Reads a recording's pictures into a record of what was shown and done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic

from activities.screen.actions import (
    ObservedChange,
    control_of,
    is_elsewhere,
    kind_of,
    marked_of,
    nobody_acted,
    typed_into,
)
from activities.screen.change_detection import SETTLED_MS, ChangeDetector, Patch, PatchGroup
from activities.screen.film import Film, Look, film
from activities.screen.pointer_tracking import LARGEST, Rest, Sight
from activities.screen.rectangles import Rect, box_of, place_of, point_of, union
from activities.screen.resume_point import SAVE_EVERY_S, ScreenResumePoint
from activities.screen.steadying import steadied
from activities.screen.structure import Replaced, among, places_of, replaced
from activities.screen.text import TextReader
from activities.screen.text_tracking import ChangedParts, TextTracker
from activities.screen.typing_detection import ANSWER_MS, PAUSE_MS, TypedText, is_prompt, only_glyphs, without_prompt
from activities.screen.weights import READER
from domain.recordings.screen import PARTLY_READ, ChangeKind, PointerRest, ScreenChange, ScreenRecord

NAME = f"{READER}/8"
"""The reader with its version: raise it when it would answer differently."""
_TOGETHER_MS = 350
"""Between the rests of parts of one transition: a wipe, a dialog that comes after its shade."""

_AFTERMATH_MS = 50
_CONSEQUENCE_MS = 1_000
"""From a change's rest until something else moves because of it: a sum that counts up, a list that loads."""
_LOOKS_BACK_MS = 10_000
"""How long before its place a resumed reading looks, and reads nothing: so much of what moved lately is known again."""
_FIRST_OF_FADE_MS = 150
"""So much earlier nothing of a quick fade shows yet, of which a frame was taken for the screen before it."""
_FAINT_MS = 350
"""A fade is not seen at once: so much earlier nothing of it is on the picture."""


def read_screen(
    path: Path,
    *,
    threads: int = 1,
    on_progress: Callable[[int], None] | None = None,
    so_far: ScreenResumePoint | None = None,
    save: Callable[[ScreenResumePoint], None] | None = None,
    save_every_s: float = SAVE_EVERY_S,
) -> ScreenRecord:
    """All that the recording's pictures say; a record without size where it has none.

    Args:
        threads: Cores that text is read with.
        on_progress: Called with the position in ms, several times a second; may raise to stop.
        so_far: Where an earlier reading of this recording stopped.
        save: Called every ``save_every_s`` seconds of work with what would be ``so_far``.

    Raises:
        ScreenReaderUnavailable: There are no weights.
        MediaError: The recording cannot be read.
    """
    position = [so_far.resume_ms if so_far else 0]

    def no_earlier(at_ms: int) -> None:
        if on_progress is not None:
            on_progress(max(at_ms, position[0]))

    with film(path, no_earlier) as found:
        if found is None:
            return ScreenRecord(reader=NAME, width=0, height=0, duration_ms=0)
        reader = TextReader(threads, lambda: on_progress(position[0]) if on_progress else None)
        reading = _Reading(found, reader, save, save_every_s, position)
        return reading.whole(so_far)


class _Reading:
    def __init__(
        self,
        source: Film,
        reader: TextReader,
        save: Callable[[ScreenResumePoint], None] | None,
        save_every_s: float,
        position: list[int],
    ) -> None:
        self._film = source
        self._position = position
        self._text = TextTracker(reader)
        self._changes: list[ScreenChange] = []
        self._group: PatchGroup | None = None
        self._typed: TypedText | None = None
        self._detector: ChangeDetector | None = None
        self._calm: Look | None = None
        self._rests: deque[tuple[Rect, Look]] = deque(maxlen=4)
        """Calm looks, each with the pointer at another place."""
        self._lately: deque[Look] = deque(maxlen=10)
        self._started = False
        self._save = save
        self._save_every_s = save_every_s
        self._saved_at = monotonic()

    def whole(self, so_far: ScreenResumePoint | None) -> ScreenRecord:
        if so_far is not None:
            self._text.restore(so_far.shown)
            self._changes = list(so_far.changes)
            self._started = True
            self._typed = TypedText.of(so_far.typed) if so_far.typed else None
        last: Look | None = None
        for look in steadied(self._film.looks(max(0, so_far.resume_ms - _LOOKS_BACK_MS) if so_far else 0)):
            again = so_far is not None and look.at_ms <= so_far.resume_ms
            if so_far is not None and not again:
                self._go_on(so_far)
                so_far = None
            self._see(last, look, again=again)
            last = look
        if so_far is not None:  # it had come to the end
            self._go_on(so_far)
        end_ms = self._film.duration_ms
        if last is not None and self._detector is not None:
            self._settle(last, end_ms + SETTLED_MS)
            self._close()
            if not self._started:
                self._text.start(last, 0)
        warnings = (PARTLY_READ,) if self._text.is_partly_read else ()
        return ScreenRecord(
            reader=NAME,
            warnings=warnings,
            width=self._film.width,
            height=self._film.height,
            duration_ms=end_ms,
            texts=self._text.finish(end_ms, self._film.width, self._film.height),
            changes=_until(self._acted(), end_ms),
            rests=self._pointed(end_ms),
        )

    def _pointed(self, end_ms: int) -> tuple[PointerRest, ...]:
        """Where the pointer stood still."""
        if self._detector is None:
            return ()
        high, wide = self._detector.screen.shape
        return tuple(
            PointerRest(start_ms=rest.start_ms, end_ms=rest.end_ms, at=point_of(rest.x / wide, rest.y / high))
            for rest in self._detector.pointer.rests(end_ms)
        )

    def _acted(self) -> list[ScreenChange]:
        """Without the place that the pointer left when it was first seen."""
        first = self._detector.pointer.first if self._detector is not None else None
        if first is None:
            return self._changes
        high, wide = self._detector.screen.shape if self._detector is not None else (1, 1)
        near = first.place.padded(LARGEST)
        kept = []
        for change in self._changes:
            box = change.box
            place = Rect(
                round(box.x * wide), round(box.y * high), round((box.x + box.w) * wide), round((box.y + box.h) * high)
            )
            small = max(place.width, place.height) <= 1.5 * max(first.place.width, first.place.height)
            there = near.intersects(place) or (change.at_ms < first.at_ms and first.likeness(place) > 0.5)
            if small and there and abs(change.at_ms - first.at_ms) < 2_500:
                continue
            kept.append(change)
        return [change.model_copy(update={"id": at}) for at, change in enumerate(kept)]

    def _save_if_due(self, at_ms: int) -> None:
        if self._save is not None and self._started and monotonic() - self._saved_at >= self._save_every_s:
            assert self._detector is not None
            pointer = self._detector.pointer
            first, last, held = pointer.first, pointer.last, pointer.held
            self._save(
                ScreenResumePoint(
                    resume_ms=at_ms,
                    shown=self._text.state(),
                    changes=tuple(self._changes),
                    typed=self._typed.saved() if self._typed else None,
                    first=first.saved() if first else None,
                    last=last.saved() if last else None,
                    held=held.saved() if held else None,
                    rests=tuple(pointer.rests(0)),
                )
            )
            self._saved_at = monotonic()

    def _go_on(self, so_far: ScreenResumePoint) -> None:
        if self._detector is not None:
            first, last, held = (
                Sight.of(saved) if saved else None for saved in (so_far.first, so_far.last, so_far.held)
            )
            self._detector.go_on(first, last, held, [Rest(*rest) for rest in so_far.rests])

    def _see(self, last: Look | None, look: Look, *, again: bool) -> None:
        """``again``: it was read already; what is wanted is where things rest, and where the pointer is."""
        if self._detector is None or last is None:
            self._detector = ChangeDetector(look.grey, look.at_ms)
            self._calm = look
            return
        if again:
            self._detector.until(look.at_ms)
        else:
            self._position[0] = look.at_ms
            self._settle(last, look.at_ms)
        self._detector.see(look.at_ms, look.grey)
        self._lately.append(look)
        if self._group is not None or not self._detector.is_calm:
            return
        if again:
            self._rest(look)
        else:
            self._be_calm(look)
            if not self._started and look.at_ms >= 500:
                self._start(look)
            self._save_if_due(look.at_ms)

    def _start(self, look: Look) -> None:
        self._started = True
        self._text.start(look, 0)

    def _settle(self, shown: Look, until_ms: int) -> None:
        """Nothing else happened until then."""
        assert self._detector is not None
        for patch in self._detector.until(until_ms):
            self._add(patch, shown)
        group = self._group
        if group is None or until_ms < group.settled_ms + _AFTERMATH_MS:
            return
        if not self._detector.pending_since(group.came_ms + _TOGETHER_MS):
            self._close()
            if self._detector.is_calm:
                self._be_calm(shown)

    def _be_calm(self, look: Look) -> None:
        if self._started:
            self._text.catch_up(look)
        self._rest(look)

    def _rest(self, look: Look) -> None:
        assert self._detector is not None
        self._calm = look
        sight = self._detector.pointer.last
        place = sight.place if sight is not None else Rect(0, 0, 1, 1)
        if self._rests and self._rests[-1][0].padded(40).intersects(place):
            self._rests[-1] = (self._rests[-1][0], look)
        else:
            self._rests.append((place, look))

    def _clean(self, group: PatchGroup, sight: Sight | None) -> Look:
        """The screen before, with the pointer elsewhere."""
        for place, look in reversed(self._rests):
            if (
                self._changed_ms <= look.at_ms <= group.left_ms
                and sight
                and not place.padded(30).intersects(sight.place)
            ):
                return look
        return group.before

    def _just_before(self, patch: Patch) -> Look:
        """The last calm look, or where nothing rested since the change before, the last of what that led to."""
        assert self._calm is not None
        if self._calm.at_ms >= self._changed_ms:
            return self._calm
        return self._earlier(patch.left_ms - 21) or self._calm

    def _earlier(self, until_ms: int) -> Look | None:
        """The last look until a time, of what the last change led to."""
        return next((each for each in reversed(self._lately) if self._changed_ms <= each.at_ms <= until_ms), None)

    @property
    def _changed_ms(self) -> int:
        return self._changes[-1].after_ms if self._changes else 0

    def _add(self, patch: Patch, shown: Look) -> None:
        assert self._detector is not None
        group, passing = self._group, self._detector.pointer.is_as_small(patch.place)
        if group is not None and patch.came_ms > group.came_ms + _TOGETHER_MS:
            if passing:
                return  # it came to the next control before the screen had settled
            if patch.left_ms > group.came_ms + _TOGETHER_MS:
                self._close()
                group = None
        if group is None:
            before = self._just_before(patch)
            self._group = PatchGroup(
                [patch], before, shown, patch.settled_ms, patch.came_ms, self._earlier(before.at_ms - _FIRST_OF_FADE_MS)
            )
        else:
            group.patches.append(patch)
            group.after = shown
            group.settled_ms = max(group.settled_ms, patch.settled_ms)
            group.came_ms = max(group.came_ms, patch.came_ms)

    def _close(self) -> None:
        group, self._group = self._group, None
        if group is None:
            return
        assert self._detector is not None
        if not self._started:
            self._start(group.before)
        high, wide = group.after.grey.shape
        across, down = self._film.width / wide, self._film.height / high
        sight = self._detector.pointer.at(group.left_ms + 50)
        pointer = (sight.tip[0] * across, sight.tip[1] * down) if sight else None
        if pointer is not None:
            self._text.catch_up(group.before, pointer)
        before = list(self._text.lines)
        places = [patch.place.scaled(across, down) for patch in group.patches]
        last = self._detector.pointer.at(group.settled_ms)
        covers = last.place.padded(2).scaled(across, down) if last else None
        looked = [patch.place for patch in group.patches]
        changed, cells, share = self._replaced(group, looked)
        if not cells.any() and group.earlier is not None:
            group.before, group.earlier = group.earlier, None
            changed, cells, share = self._replaced(group, looked)
        parts = [
            p for p in places_of(changed, group.after.grey.shape) if any(p.intersects(q.padded(6)) for q in looked)
        ]
        gone, came = self._text.change(ChangedParts(group.after, parts, changed, group.left_ms, group.came_ms, covers))
        observed = ObservedChange(
            before=group.before,
            clean=self._clean(group, sight),
            after=group.after,
            places=places,
            content=[place.scaled(across, down) for place in places_of(cells, group.after.grey.shape)],
            lasted_ms=group.came_ms - group.left_ms,
            lines=before,
            replaced=cells,
            share=share,
            gone=gone,
            came=came,
            pointer=pointer,
            covers=sight.place.padded(3).scaled(across, down) if sight else None,
            moving=self._detector.pointer.moved_between(group.left_ms - 150, group.left_ms + 100),
            stopped=not self._detector.pointer.moved_between(group.left_ms + 100, group.left_ms + 400),
            restless=self._detector.pointer.moved_between(group.left_ms - 300, group.left_ms + 350),
        )
        self._correct()
        if nobody_acted(observed) or self._follows(observed, group):
            return
        if self._goes_on(observed, group):
            return
        if pointer is not None and not any(line.place.padded(3, 3).contains(*pointer) for line in before):
            observed = replace(observed, lines=[*before, *self._text.beneath(observed.clean, pointer)])
        kind = kind_of(observed)
        control, label = control_of(observed, kind)
        if kind is ChangeKind.TYPING and is_elsewhere(observed):
            control, label = typed_into(observed)
        before_ms = max(0, min(group.before.at_ms, group.left_ms - _FAINT_MS))
        if self._changes:
            before_ms = max(before_ms, min(self._changes[-1].after_ms, group.left_ms))
        self._changes.append(
            ScreenChange(
                id=len(self._changes),
                kind=kind,
                before_ms=before_ms,
                at_ms=group.left_ms,
                hand_ms=self._set_off(group.left_ms),
                after_ms=group.came_ms + 50,
                until_ms=group.came_ms + 50,
                box=box_of(union(places), self._film.width, self._film.height),
                pointer=point_of(pointer[0] / self._film.width, pointer[1] / self._film.height) if pointer else None,
                control=box_of(control, self._film.width, self._film.height) if control else None,
                label=label.text if label else None,
                label_confidence=label.confidence if label else None,
                appeared=self._appeared(observed, kind),
                marked=marked_of(observed, control) if kind is ChangeKind.PRESS else None,
            )
        )
        group.before.forget()
        group.after.forget()

    def _replaced(self, group: PatchGroup, looked: list[Rect]) -> tuple[Replaced, Replaced, float]:
        """The cells that hold something else, those that the pointer did not hide, and their share of all."""
        everywhere, share = replaced(group.before.grey, group.after.grey)
        changed = among(everywhere, looked)
        cells = changed.copy()
        for at_ms in (group.before.at_ms, group.after.at_ms):
            if self._detector is not None and (there := self._detector.pointer.at(at_ms)) is not None:
                cells &= ~among(cells, [there.place])
        if not cells.any():
            changed = cells  # only the pointer came or went
        return changed, cells, share * float(cells.sum()) / max(1, int(everywhere.sum()))

    def _set_off(self, at_ms: int) -> int | None:
        """When the hand set off for what it acts on; not before it was done with what it did last."""
        assert self._detector is not None
        off_ms = self._detector.pointer.set_off(at_ms)
        last_ms = self._changes[-1].at_ms if self._changes else 0
        return off_ms if off_ms is not None and last_ms <= off_ms <= at_ms else None

    def _follows(self, observed: ObservedChange, group: PatchGroup) -> bool:
        """What came of the last change by itself: the hand rested, and is not there."""
        last = self._changes[-1] if self._changes else None
        if last is None or observed.pointer is None or not 0 <= group.left_ms - last.after_ms <= _CONSEQUENCE_MS:
            return False
        assert self._detector is not None
        if self._detector.pointer.moved_between(last.at_ms, group.left_ms) or observed.share > 0.5:
            return False
        if self._typed is not None and self._typed.prompted:
            return False
        where = [line.place for line in (*observed.gone, *observed.came)] or observed.content or observed.places
        if any(place.padded(24, 16).contains(*observed.pointer) for place in where):
            return False
        self._changes[-1] = last.model_copy(update={"after_ms": group.came_ms + 50, "until_ms": group.came_ms + 50})
        return True

    def _correct(self) -> None:
        """What was read better at a second look was so from the beginning."""
        for wrong, right in self._text.corrected:
            for at, change in enumerate(self._changes):
                if any(wrong.endswith(text) for text in change.appeared if text):
                    better = tuple(
                        right[-len(text) :] if wrong.endswith(text) and len(right) >= len(text) else text
                        for text in change.appeared
                    )
                    self._changes[at] = change.model_copy(update={"appeared": better})
        self._text.corrected.clear()

    def _appeared(self, observed: ObservedChange, kind: ChangeKind) -> tuple[str, ...]:
        """For typing: what was typed, then what came below it; else what can be read that was not there before."""
        self._typed = None
        if kind is not ChangeKind.TYPING:
            return tuple(line.text for line in observed.came)
        line = min(observed.came, key=lambda each: abs(each.place.centre[1] - observed.place.centre[1]))
        before = next((old.text for old in observed.gone if old.place.intersects(line.place)), "")
        prompted = is_prompt(before) or without_prompt(line.text) != line.text
        self._typed = TypedText(line.place, before, line.place.bottom, prompted)
        below = [
            each.text for each in observed.came if each.place.top > line.place.centre[1] and not is_prompt(each.text)
        ]
        return (without_prompt(line.text, before) or line.text, *below)

    def _goes_on(self, observed: ObservedChange, group: PatchGroup) -> bool:
        """More letters of what is being typed, or what a terminal answered: one change with the one before."""
        typed, last = self._typed, self._changes[-1] if self._changes else None
        if typed is None or last is None or group.left_ms - last.after_ms > ANSWER_MS:
            return False
        if not only_glyphs(observed.before, observed.after, observed.places):
            return False
        place = observed.place
        on_line = place.centre[1] < typed.line.bottom and place.bottom > typed.line.top
        appeared = last.appeared
        if on_line and place.bottom <= typed.line.bottom + typed.line.height // 2:
            now = next((line for line in self._text.lines if line.place.iou(typed.line) > 0.2), None)
            grows = now is not None and place.left >= typed.line.left - 4
            if now is None or not grows or group.left_ms - last.after_ms > PAUSE_MS:
                return False
            typed.line = now.place
            appeared = (without_prompt(now.text, typed.before) or now.text, *appeared[1:])
        else:
            is_command = any(
                without_prompt(line.text) != line.text and not is_prompt(line.text) for line in observed.came
            )
            below = typed.line.centre[1] < place.top < typed.bottom + 3 * typed.line.height
            aligned = place.left < typed.line.left + 3 * typed.line.height
            if not typed.prompted or is_command or not below or not aligned:
                return False
            appeared = (*appeared, *(line.text for line in observed.came if not is_prompt(line.text)))
        typed.bottom = max(typed.bottom, place.bottom)
        self._changes[-1] = last.model_copy(
            update={
                "after_ms": group.came_ms + 50,
                "until_ms": group.came_ms + 50,
                "box": box_of(
                    place_of(last.box, self._film.width, self._film.height).union(place),
                    self._film.width,
                    self._film.height,
                ),
                "appeared": appeared,
            }
        )
        return True


def _until(changes: list[ScreenChange], end_ms: int) -> tuple[ScreenChange, ...]:
    ends = [max(later.before_ms, now.after_ms) for now, later in pairwise(changes)]
    return tuple(
        change.model_copy(update={"until_ms": until})
        for change, until in zip(changes, [*ends, max([end_ms, *(c.after_ms for c in changes[-1:])])], strict=False)
    )
