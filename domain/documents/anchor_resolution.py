"""Where an anchor's place of one version is in another.

:func:`resolve` looks for it and says how it was found. A wrong place is worse than none: what is not found with some
certainty is unresolved.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from domain.documents.anchors import Addressing, CharRange
from domain.documents.diff import block_diff
from domain.documents.document import BlockPart, Document
from domain.errors import RequestInvalid

LEAST_SOUGHT = 12
"""Characters, without blank space, of a text that is looked for outside of its block: shorter ones occur anywhere."""
LEAST_LIKENESS = 0.5
"""Share of its words that an edited range must have kept to be the same place."""
LEAST_LIKENESS_OF_BLOCKS = 0.75
"""The same for a block that has lost its id."""
CONTEXT = 32
"""Characters on either side by which one of several equal texts is recognised."""
LEAST_CONTEXT = 8
MOST_OCCURRENCES = 200
"""Of one text that are compared by context."""
MOST_WORDS, MOST_CHARACTERS = 2_000, 40_000
"""On either side of what changed within a block, to be compared word by word: some hundredths of a second."""

_WORDS = re.compile(r"\S+\s*|\s+")


class Outcome(StrEnum):
    """``retain``: the same text at the same place. ``remap``: moved, or edited. ``unresolved``: not to be found."""

    RETAIN = "retain"
    REMAP = "remap"
    UNRESOLVED = "unresolved"


Way: TypeAlias = Literal["position", "block_id", "merged", "words", "text_in_block", "text_elsewhere", "similar_block"]
Finding: TypeAlias = Literal["unchanged", "moved", "edited", "found", "missing", "ambiguous", "too_short"]


class Step(BaseModel):
    """One way in which the place was looked for, and what came of it. ``confidence``: 0 to 1 that it is the place."""

    model_config = ConfigDict(frozen=True)

    step: Way
    outcome: Finding
    confidence: float = Field(ge=0, le=1)


class Resolution(BaseModel):
    """Where a place is in another version; ``addressing`` and ``block_id`` are ``None`` where it is unresolved."""

    model_config = ConfigDict(frozen=True)

    resolution: Outcome
    addressing: Addressing | None = None
    block_id: str | None = None
    trace: tuple[Step, ...]


def resolve(addressing: Addressing, before: Document, after: Document) -> Resolution:
    """Where a place of ``before``, the version that the address was made for, is in ``after``."""
    return Resolver(before, after).resolve(addressing)


class Resolver:
    """Finds the places of one version in another; what it must know of the two it works out once. ``absorbed``: into
    which block of ``after`` each of those went that were merged into others."""

    def __init__(self, before: Document, after: Document, absorbed: Mapping[str, str] | None = None) -> None:
        self.before, self.after = before, after
        self.absorbed = absorbed or {}

    def resolve(self, addressing: Addressing) -> Resolution:
        if addressing.char_range is None:
            return _BlockSearch(self, addressing).result()
        return _RangeSearch(self, addressing, addressing.char_range).result()

    @cached_property
    def old_texts(self) -> dict[str, str]:
        return {block.id: block.markdown for block in self.before.blocks}

    @cached_property
    def new_texts(self) -> dict[str, str]:
        return {block.id: block.markdown for block in self.after.blocks}

    @cached_property
    def fresh(self) -> dict[str, tuple[str, Counter[str]]]:
        """The blocks that ``before`` does not have: the text and the words of each."""
        return {each: (now, _words(now)) for each, now in self.new_texts.items() if each not in self.old_texts}

    @cached_property
    def moved(self) -> frozenset[str]:
        return frozenset(each.block_id for each in block_diff(self.before, self.after) if each.moved)

    @cached_property
    def old_starts(self) -> dict[str, int]:
        return self.before.starts()

    @cached_property
    def new_starts(self) -> dict[str, int]:
        return self.after.starts()

    @cached_property
    def old(self) -> str:
        return self.before.render()

    @cached_property
    def new(self) -> str:
        return self.after.render()


class _Search:
    """Notes what was tried."""

    def __init__(self, resolver: Resolver, addressing: Addressing) -> None:
        self.known, self.addressing = resolver, addressing
        self.trace: list[Step] = []

    def note(self, step: Way, outcome: Finding, confidence: float = 0.0) -> None:
        self.trace.append(Step(step=step, outcome=outcome, confidence=round(confidence, 2)))

    def found(self, outcome: Outcome, **place: object) -> Resolution:
        addressing = self.addressing.model_copy(update=place) if place else self.addressing
        block_id = self._block_of(addressing)
        if block_id is None:
            return self.lost()
        return Resolution(resolution=outcome, addressing=addressing, block_id=block_id, trace=tuple(self.trace))

    def _block_of(self, addressing: Addressing) -> str | None:
        if addressing.char_range is None:
            block_id = (addressing.block_id or "").lower()
            return block_id if block_id in self.known.new_texts else None
        try:
            return addressing.block_in(self.known.after)
        except RequestInvalid:
            return None

    def lost(self) -> Resolution:
        return Resolution(resolution=Outcome.UNRESOLVED, trace=tuple(self.trace))


# --- a block ---------------------------------------------------------------------------------------------------


class _BlockSearch(_Search):
    """By its id; where that is gone, by its text among the blocks that ``before`` does not have."""

    def result(self) -> Resolution:
        block_id = (self.addressing.block_id or "").lower()
        text, now = self.known.old_texts.get(block_id), self.known.new_texts.get(block_id)
        if now is None:
            self.note("block_id", "missing")
            into = self.known.absorbed.get(block_id)
            if into in self.known.new_texts:
                self.note("merged", "found", 1.0)
                return self.found(Outcome.REMAP, block_id=into)
            return self._elsewhere(text)
        if text is not None and now != text:
            self.note("block_id", "edited", 0.5 + 0.5 * _likeness(text, now))
            return self.found(Outcome.REMAP)
        if block_id in self.known.moved:
            self.note("block_id", "moved", 1.0)
            return self.found(Outcome.REMAP)
        self.note("block_id", "unchanged", 1.0)
        return self.found(Outcome.RETAIN)

    def _elsewhere(self, text: str | None) -> Resolution:
        fresh = self.known.fresh
        if not text or not fresh:
            self.note("text_elsewhere", "missing")
            return self.lost()
        same = [block_id for block_id, (now, _) in fresh.items() if now == text]
        if len(same) == 1:
            self.note("text_elsewhere", "found", 0.9)
            return self.found(Outcome.REMAP, block_id=same[0])
        self.note("text_elsewhere", "ambiguous" if same else "missing")
        if same:
            return self.lost()
        return self._similar(text)

    def _similar(self, text: str) -> Resolution:
        words = _words(text)
        likest, likeness = max(
            ((block_id, _shared(words, now)) for block_id, (_, now) in self.known.fresh.items()),
            key=lambda pair: pair[1],
        )
        if likeness < LEAST_LIKENESS_OF_BLOCKS:
            self.note("similar_block", "missing", likeness)
            return self.lost()
        self.note("similar_block", "found", 0.8 * likeness)
        return self.found(Outcome.REMAP, block_id=likest)


# --- a range ---------------------------------------------------------------------------------------------------


class _RangeSearch(_Search):
    """By its place; then within its blocks, which keep their ids; then by its words anywhere."""

    def __init__(self, resolver: Resolver, addressing: Addressing, chars: CharRange) -> None:
        super().__init__(resolver, addressing)
        self.start, self.end = chars.start_offset, chars.end_offset
        self.old, self.new = resolver.old, resolver.new
        self.text = self.old[self.start : self.end]

    def result(self) -> Resolution:
        if self.new[: self.end] == self.old[: self.end]:
            self.note("position", "unchanged", 1.0)
            return self.found(Outcome.RETAIN)
        self.note("position", "missing")
        try:
            parts = self.known.before.parts_in_range(self.start, self.end)
        except RequestInvalid:  # an address that this version never had
            return self.lost()
        return self._by_blocks(parts[0], parts[-1]) or self._by_words(parts)

    def _by_blocks(self, first: BlockPart, last: BlockPart) -> Resolution | None:
        if not {first.block_id, last.block_id} <= self.known.new_texts.keys():
            self.note("block_id", "missing")
            return None
        hull = self._carried(first, last)
        if hull is not None:
            start, end = self._as_wide_as_before(first, last, *hull)
            if self.new[start:end] == self.text:
                stands = (start, end) == (self.start, self.end)
                self.note("words", "unchanged" if stands else "moved", 1.0)
                return self._at(start, end, Outcome.RETAIN if stands else Outcome.REMAP)
        if first is last and (again := self._once_in(first)) is not None:
            return again
        likeness = _likeness(self.text, self.new[hull[0] : hull[1]]) if hull else 0.0
        if hull is None or likeness < LEAST_LIKENESS:
            self.note("words", "missing", likeness)
            return None
        self.note("words", "edited", likeness)
        return self._at(*hull, Outcome.REMAP)

    def _carried(self, first: BlockPart, last: BlockPart) -> tuple[int, int] | None:
        """Where the edits of its blocks have carried the range; ``None`` where nothing is left of it."""
        start = self._shifted(first, first.start, is_start=True)
        end = self._shifted(last, last.end, is_start=False)
        return (start, end) if start < end else None

    def _shifted(self, part: BlockPart, offset: int, *, is_start: bool) -> int:
        old, new = self.known.old_texts[part.block_id], self.known.new_texts[part.block_id]
        return self.known.new_starts[part.block_id] + _shift(old, new, offset, is_start=is_start)

    def _as_wide_as_before(self, first: BlockPart, last: BlockPart, start: int, end: int) -> tuple[int, int]:
        """With the markers and the blank space that the range had on either side, where they are still there."""
        lead = self.known.old_starts[first.block_id] + first.start - self.start
        trail = self.end - self.known.old_starts[last.block_id] - last.end
        wide = max(start - lead, 0), end + trail
        return wide if self.new[wide[0] : wide[1]] == self.text else (start, end)

    def _once_in(self, part: BlockPart) -> Resolution | None:
        """Its very words, where its block has them exactly once."""
        words = self._words_of(part)
        block = self.known.new_texts[part.block_id]
        places = list(islice(_occurrences(block, words), 2))
        if len(places) != 1:
            self.note("text_in_block", "ambiguous" if places else "missing")
            return None
        self.note("text_in_block", "found", 0.95)
        start = self.known.new_starts[part.block_id] + places[0]
        return self._at(start, start + len(words), Outcome.REMAP)

    def _words_of(self, part: BlockPart) -> str:
        return self.known.old_texts[part.block_id][part.start : part.end]

    def _by_words(self, parts: tuple[BlockPart, ...]) -> Resolution:
        if len(parts) > 1:
            self.note("text_elsewhere", "missing")
            return self.lost()
        words = self._words_of(parts[0])
        if len("".join(words.split())) < LEAST_SOUGHT:
            self.note("text_elsewhere", "too_short")
            return self.lost()
        places = list(islice(self._everywhere(words), MOST_OCCURRENCES))
        if len(places) == 1:
            self.note("text_elsewhere", "found", 0.9)
            return self._at(places[0], places[0] + len(words), Outcome.REMAP)
        chosen = self._by_context(words, places)
        if chosen is None:
            self.note("text_elsewhere", "ambiguous" if places else "missing")
            return self.lost()
        self.note("text_elsewhere", "found", 0.7)
        return self._at(chosen, chosen + len(words), Outcome.REMAP)

    def _everywhere(self, words: str) -> Iterator[int]:
        for block_id, text in self.known.new_texts.items():
            for place in _occurrences(text, words):
                yield self.known.new_starts[block_id] + place

    def _by_context(self, words: str, places: list[int]) -> int | None:
        """The one among equal texts that has the same neighbourhood."""
        at = self.old.index(words, self.start)
        scores = [
            _alike(self.old[max(at - CONTEXT, 0) : at][::-1], self.new[max(place - CONTEXT, 0) : place][::-1])
            + _alike(
                self.old[at + len(words) :][:CONTEXT],
                self.new[place + len(words) : place + len(words) + CONTEXT],
            )
            for place in places
        ]
        best = max(scores, default=0)
        if best < LEAST_CONTEXT or scores.count(best) > 1 or len(places) == MOST_OCCURRENCES:
            return None
        return places[scores.index(best)]

    def _at(self, start: int, end: int, outcome: Outcome) -> Resolution:
        return self.found(outcome, char_range=CharRange(start_offset=start, end_offset=end))


# --- texts -----------------------------------------------------------------------------------------------------


def _likeness(one: str, other: str) -> float:
    """How many words two texts share, in any order: 0 to 1, in linear time."""
    return _shared(_words(one), _words(other))


def _words(text: str) -> Counter[str]:
    return Counter(text.split())


def _shared(here: Counter[str], there: Counter[str]) -> float:
    total = sum(here.values()) + sum(there.values())
    both = here.keys() & there.keys()
    return 2 * sum([min(here[word], there[word]) for word in both]) / total if total else 1.0


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning: halved, so that whole slices are compared."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _occurrences(text: str, words: str) -> Iterator[int]:
    place = text.find(words)
    while place >= 0:
        yield place
        place = text.find(words, place + 1)


def _shift(old: str, new: str, offset: int, *, is_start: bool) -> int:
    """Where an offset of ``old`` is in ``new``. Within a replaced stretch: its start, or its end."""
    if old == new:
        return offset
    head = _alike(old, new)
    tail = min(_alike(old[::-1], new[::-1]), len(old) - head, len(new) - head)
    if offset < head or (offset == head and not is_start):
        return offset
    if offset > len(old) - tail or (offset == len(old) - tail and is_start):
        return offset + len(new) - len(old)
    middle = _shift_among_words(old[head : len(old) - tail], new[head : len(new) - tail], offset - head, is_start)
    return head + middle


def _shift_among_words(old: str, new: str, offset: int, is_start: bool) -> int:
    edge = 0 if is_start else len(new)
    if max(len(old), len(new)) > MOST_CHARACTERS:
        return edge
    here, there = _WORDS.findall(old), _WORDS.findall(new)
    if max(len(here), len(there)) > MOST_WORDS:
        return edge
    ends, starts = _ends(here), _ends(there)
    for tag, i, j, k, m in SequenceMatcher(None, here, there).get_opcodes():
        first, last = ends[i], ends[j]
        inside = first <= offset < last if is_start else first < offset <= last
        if inside:
            if tag == "equal":
                return starts[k] + offset - first
            return starts[k] if is_start else starts[m]
    return edge


def _ends(words: list[str]) -> list[int]:
    """Where each word begins, and where the last one ends."""
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    return places
