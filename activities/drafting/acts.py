"""What was done on the screen, as actions that a step can tell: a click into a field and what was typed into it are
one, and so are a click and the page that it led to."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from activities.drafting.language.phonetics import letter_similarity, squashed
from domain.geometry import Box
from domain.recordings.screen import ChangeKind, ScreenChange, ScreenRecord, ScreenText

_SAME_FIELD_MS = 6_000
"""From the click into a field to the first letter in it, and between two bursts of typing in one field."""
_TOLD_MS = 1_000
"""A click that a sentence tells comes about when the sentence ends."""
_CONSEQUENCE_MS = 700
"""What changes by itself right after an action (a page that comes up in two parts) belongs to it."""
SURE_LABEL = 0.6
"""Confidence of a reading that can stand in a heading by itself."""
_PROMPTS = ("$ ", "# ", "% ", "> ", "\u276f ", "\u279c ", "\u03bb ", "PS ")
_ICON = re.compile(r"^(?:[^\w\s$@#./~\u00bf\u00a1(\[\"'-]+\s+)+|(?:\s+[^\w\s)\]\"'.!?%]+)+$")
_LONGEST_LABEL = 60
_LONGEST_VALUE = 40
_SAME_LINE = 0.92
_FIELD_PARTS = 4.0
"""A change that covers more than so many of the control's areas did more than fill it."""
_FLUSH = 0.01
"""Of the picture's width: lines that begin at the same place."""
_NEXT_LINE = 1.5
"""Heights of a line that the one above or below it lies away at most."""
_ALL = 0.9
"""Of the picture, both ways: where hardly anything of it is new, it was darkened."""
_SIDEBAR = 0.26
"""Of the picture's width: what navigation on the left takes up at most."""


@dataclass(frozen=True, slots=True)
class Act:
    """One action. ``changes`` are the ids, the deciding one first."""

    changes: tuple[int, ...]
    kind: ChangeKind
    at_ms: int
    after_ms: int
    until_ms: int
    box: Box
    label: str | None
    confidence: float
    control: Box | None
    has_control: bool
    appeared: tuple[str, ...]
    marked: bool | None = None
    """Whether the box to tick bears its mark afterwards."""
    beside: tuple[str, ...] = ()
    """The other lines of the entry that was clicked, of several words: a message is called by its sender."""

    @property
    def chosen(self) -> str | None:
        """What a click chose in a field, where that is all that it changed."""
        new = [text.strip() for text in self.appeared if text.strip()]
        if self.kind is not ChangeKind.PRESS or len(new) != 1 or self.control is None or not self.label:
            return None
        small = self.box.w * self.box.h <= _FIELD_PARTS * self.control.w * self.control.h
        is_value = len(new[0]) <= _LONGEST_VALUE and squashed(new[0]) != squashed(self.label)
        return new[0] if small and is_value and overlap(self.box, self.control) else None

    @property
    def in_sidebar(self) -> bool:
        """Whether a click at the left edge led to another page: navigation."""
        at_left = self.control is not None and self.control.x + self.control.w <= _SIDEBAR
        shaded = self.kind is ChangeKind.PRESS and min(self.box.w, self.box.h) > _ALL  # behind a dialog
        return (
            at_left
            and not shaded
            and self.kind is not ChangeKind.TYPING
            and (self.kind is ChangeKind.PAGE or len(self.appeared) > 1)
        )

    @property
    def is_read(self) -> bool:
        """Whether its label can stand in a heading by itself."""
        return bool(self.label) and self.confidence >= SURE_LABEL


@dataclass(frozen=True, slots=True)
class StatedTime:
    """An action in a sentence of its own, from when until when; whether it is a click."""

    start_ms: int
    end_ms: int
    clicks: bool


class Shown:
    """A recording's screens, asked by time. ``stated``: the actions that are told, in order of time; a click that is
    told by itself is no part of the typing that is told after it."""

    def __init__(self, record: ScreenRecord, stated: Sequence[StatedTime] = ()) -> None:
        self.record = record
        self._texts = sorted(record.texts, key=lambda each: each.start_ms)
        self._starts = [each.start_ms for each in self._texts]
        self._longest = max((each.end_ms - each.start_ms for each in self._texts), default=0)
        self.acts = tuple(replace(act, beside=self._beside(act)) for act in _acts(record.changes, stated))
        self.is_handless = not any(act.has_control for act in self.acts)
        """Whether no pointer is to be seen at anything that was done (a telephone)."""

    def texts(self, from_ms: int, until_ms: int) -> list[ScreenText]:
        """What stood on the screen at some moment between the two."""
        first = bisect_left(self._starts, from_ms - self._longest)
        last = bisect_left(self._starts, until_ms)
        return [each for each in self._texts[first:last] if each.end_ms > from_ms]

    def _beside(self, act: Act) -> tuple[str, ...]:
        if act.kind is ChangeKind.TYPING or act.control is None or not act.label:
            return ()
        there = self.texts(max(0, act.at_ms - 500), act.at_ms)
        own = next((each.box for each in there if each.text == act.label and overlap(each.box, act.control)), None)
        if own is None:
            return ()
        return tuple(
            dict.fromkeys(
                each.text
                for each in there
                if each.text != act.label
                and len(each.text.split()) > 1
                and len(each.text) <= _LONGEST_LABEL
                and abs(each.box.x - own.x) < _FLUSH
                and abs(each.box.y - own.y) < _NEXT_LINE * own.h
            )
        )

    def names(self, from_ms: int, until_ms: int) -> dict[str, str]:
        """Short texts of that time as they are spelt, by their squashed letters."""
        found: dict[str, str] = {}
        for each in self.texts(from_ms, until_ms):
            text = _without_icon(each.text)
            key = squashed(text)
            if len(text) <= _LONGEST_LABEL and len(key) >= 2 and not _prompt(text):
                found.setdefault(key, text)
        return found

    def command(self, act: Act) -> str | None:
        """What was typed at a terminal's prompt, exactly; ``None`` where it was no terminal."""
        typed = [text.strip() for text in act.appeared if text.strip()]
        if act.kind is not ChangeKind.TYPING:
            # The line with its output may come at once, with an earlier line that was read anew.
            told = [bare for text in typed if (bare := _without_prompt(text)) != text and bare]
            return told[-1] if told else None
        lines = [text.text.strip() for text in self.texts(max(0, act.at_ms - 500), act.after_ms + 1_500)]
        prompted = [line for line in lines if _prompt(line)]
        for text in typed:
            bare = _without_prompt(text)
            if bare and (bare != text or any(squashed(bare) in squashed(line) for line in prompted)):
                return self._read_again(bare, act)
        return None

    def _read_again(self, command: str, act: Act) -> str:
        """The command as a later and surer reading of the same line has it, once the first is gone."""
        lines = [(text, _without_prompt(text.text.strip())) for text in self.texts(act.at_ms, act.after_ms + 60_000)]
        first = next((text for text, bare in lines if bare == command), None)
        if first is None:
            return command
        again = [
            (text.confidence, bare)
            for text, bare in lines
            if text.start_ms >= first.end_ms
            and text.confidence > first.confidence
            and len(bare.split()) == len(command.split())
            and letter_similarity(bare, command) >= _SAME_LINE
        ]
        return max(again)[1] if again else command


def _without_icon(text: str) -> str:
    """The text without the signs that a reader makes of an icon beside it ("+ New invoice")."""
    return _ICON.sub("", " ".join(text.split()))


def _prompt(line: str) -> bool:
    return line in ("$", "#", "%", ">") or any(
        line.startswith(mark) or (f"{mark}" in line[:60] and "@" in line.partition(mark)[0]) for mark in _PROMPTS
    )


def _without_prompt(line: str) -> str:
    for mark in _PROMPTS:
        before, found, after = line.partition(mark)
        if found and (not before or "@" in before or before.startswith("PS ") or before.endswith((":~", "\\"))):
            return after.strip()
    return line


def _acts(changes: Sequence[ScreenChange], stated: Sequence[StatedTime]) -> Iterator[Act]:
    pending: Act | None = None
    for change in sorted(changes, key=lambda each: (each.at_ms, each.id)):
        if change.kind is ChangeKind.SCROLL:
            continue
        act = _act(change)
        joined = _joined(pending, act) if pending and not _stated_apart(pending, act, stated) else None
        if joined is None:
            if pending:
                yield pending
            pending = act
        else:
            pending = joined
    if pending:
        yield pending


def _act(change: ScreenChange) -> Act:
    label = _without_icon(change.label or "")
    confidence = 0.0 if not label else change.label_confidence if change.label_confidence is not None else 0.7
    return Act(
        changes=(change.id,),
        kind=change.kind,
        at_ms=change.at_ms,
        after_ms=max(change.at_ms, change.after_ms),
        until_ms=change.until_ms,
        box=change.box,
        label=label or None,
        confidence=confidence,
        control=change.control,
        has_control=change.control is not None or change.pointer is not None,
        appeared=change.appeared,
        marked=change.marked,
    )


def _joined(first: Act, second: Act) -> Act | None:
    """The two as one action, or ``None`` where they are two."""
    gap = second.at_ms - first.after_ms
    same = first.label is not None and second.label is not None and squashed(first.label) == squashed(second.label)
    unknown = first.label is None or second.label is None
    near = overlap(first.box, second.box)
    if second.kind is ChangeKind.TYPING and gap <= _SAME_FIELD_MS:
        if first.kind is ChangeKind.TYPING and (same or (unknown and near)) and not _ran(first, second):
            return _merged(second, first, label=second.label or first.label)
        into_field = unknown and near and (first.label is None or not first.appeared)  # and opened nothing
        if first.kind is ChangeKind.PRESS and (same or into_field):
            return _merged(second, first, label=second.label or first.label)
    soon = second.at_ms - first.at_ms <= _CONSEQUENCE_MS
    told_apart = second.label is not None and not same and bool(second.appeared)
    if not soon or told_apart or (second.kind is ChangeKind.TYPING and second.appeared):
        return None
    return _merged(first, second, label=first.label or second.label)


def _stated_apart(first: Act, second: Act, stated: Sequence[StatedTime]) -> bool:
    """Whether the click and the typing after it are told each in a sentence: the first is over when it is clicked, and
    the second begins before anything is typed."""
    if first.kind is not ChangeKind.PRESS or second.kind is not ChangeKind.TYPING:
        return False
    return any(
        one.clicks and first.at_ms - _TOLD_MS < one.end_ms < first.at_ms + _TOLD_MS and first.at_ms < other.start_ms
        for one, other in pairwise(stated)
        if other.start_ms < second.at_ms
    )


def _ran(first: Act, second: Act) -> bool:
    """Two lines typed into a terminal are two commands."""
    return first.label is None and second.label is None and not set(first.appeared) & set(second.appeared)


def _merged(main: Act, other: Act, *, label: str | None) -> Act:
    appeared = tuple(dict.fromkeys((*main.appeared, *other.appeared)))
    return Act(
        changes=(*main.changes, *other.changes),
        kind=main.kind,
        at_ms=main.at_ms,
        after_ms=max(main.after_ms, other.after_ms),
        until_ms=max(main.until_ms, other.until_ms),
        box=main.box,
        label=label,
        confidence=max(main.confidence, other.confidence),
        control=main.control or other.control,
        has_control=main.has_control or other.has_control,
        appeared=appeared,
        marked=main.marked if main.marked is not None else other.marked,
    )


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.w and other.x < one.x + one.w and one.y < other.y + other.h and other.y < one.y + one.h
    )
