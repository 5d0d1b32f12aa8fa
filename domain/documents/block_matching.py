"""Finds the blocks of an earlier version again in a text that lost their markers.

An editor that tidies comments away, or a model that rewrites the Markdown, gives back the words alone. A block whose
text is still there, word for word, is that block; one that was changed is the block that it is most like.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from domain.documents.constructs import Construct, constructs, groups

ALIKE = 0.5
"""Share of the runs of three letters that two texts have in common (Dice) from which one is the other, changed."""

ALIKE_INSIDE = 0.65
"""The same for a paragraph in the midst of a step, which is that step's more likely than a block of its own."""

_COMPARED = 4_000
"""Characters of a block that are compared."""

_MOST_COMPARISONS = 40_000
_MOST_BEGINNINGS = 50
"""Blocks that begin with the same paragraph."""


@dataclass(frozen=True, slots=True)
class Found:
    """A stretch of the text: ``start`` and ``end`` in code points; the block that it is, ``None`` for a new one."""

    start: int
    end: int
    block_id: str | None


def match_blocks(text: str, missing: Mapping[str, str]) -> list[Found]:
    """``text``, without markers, as blocks in order.

    Args:
        missing: Ids and texts of the blocks that may be in it, in their old order. None is found twice.
    """
    return _Recognition(text, missing).found()


class _Known:
    """A text, made comparable."""

    def __init__(self, block_id: str, text: str) -> None:
        self.block_id = block_id
        self.units = _units(text)
        self.heading = next((each.heading for each in constructs(text)[:1]), 0)
        self.grams = _grams(text)


@dataclass(slots=True)
class _Group:
    """Constructs ``first`` to ``last`` (excluded) of the text."""

    first: int
    last: int
    block_id: str | None = None


@dataclass(slots=True)
class _Recognition:
    text: str
    missing: Mapping[str, str]
    _parts: list[Construct] = field(init=False)
    _plain: list[str] = field(init=False)
    _titled: bool = field(init=False)
    _left: dict[str, _Known] = field(init=False)

    def __post_init__(self) -> None:
        self._parts = constructs(self.text)
        self._titled = any(part.heading == 1 for part in self._parts)
        self._plain = [_plain(self.text[part.start : part.end]) for part in self._parts]
        self._left = {block_id: _Known(block_id, each) for block_id, each in self.missing.items()}

    def found(self) -> list[Found]:
        made = self._verbatim()
        unknown = [(place, self._known(group)) for place, group in enumerate(made) if group.block_id is None]
        for place, block_id in _alike(unknown, self._left):
            made[place].block_id = block_id
        self._join_rests(made)
        return [
            Found(self._parts[group.first].start, self._parts[group.last - 1].end, group.block_id) for group in made
        ]

    def _verbatim(self) -> list[_Group]:
        """What is there word for word; between it, what Markdown alone makes of the rest."""
        beginnings: dict[str, dict[str, _Known]] = {}
        for known in self._left.values():
            beginnings.setdefault(known.units[0] if known.units else "", {})[known.block_id] = known
        made: list[_Group] = []
        at = rest = 0
        while at < len(self._parts):
            same = self._same_at(at, beginnings.get(self._plain[at], {}))
            if same is None:
                at += 1
                continue
            made += self._loose(rest, at)
            made.append(_Group(at, at + len(same.units), same.block_id))
            del self._left[same.block_id]
            del beginnings[self._plain[at]][same.block_id]
            at = rest = at + len(same.units)
        return made + self._loose(rest, len(self._parts))

    def _same_at(self, at: int, candidates: Mapping[str, _Known]) -> _Known | None:
        """The longest that stands there, of equals one of the same level, the first. A text's title is its title."""
        level = self._parts[at].heading
        first = islice(candidates.values(), _MOST_BEGINNINGS)
        there = [
            each
            for each in first
            if tuple(self._plain[at : at + len(each.units)]) == each.units
            and (each.heading == level or not (each.heading == 1 and self._titled))
        ]
        return max(there, key=lambda each: (len(each.units), each.heading == level), default=None)

    def _loose(self, first: int, last: int) -> list[_Group]:
        if first >= last:
            return []
        begin = self._parts[first].start
        made: list[_Group] = []
        at = first
        for whole in groups(self.text[begin : self._parts[last - 1].end], keep_together=False):
            end = at
            while end < last and self._parts[end].start < begin + whole.end:
                end += 1
            made += self._without_others(_Group(at, end))
            at = end
        return made

    def _without_others(self, group: _Group) -> list[_Group]:
        """A step, and the paragraphs below it that were blocks of their own, such as a note."""
        cuts = [group.first]
        for at in range(group.first + 1, group.last):
            grams = _grams(self._plain[at])
            if any(not each.heading and _likeness(each.grams, grams) >= ALIKE_INSIDE for each in self._some_left()):
                cuts.append(at)
        return [_Group(first, last) for first, last in zip(cuts, [*cuts[1:], group.last], strict=True)]

    def _some_left(self) -> list[_Known]:
        most = max(1, _MOST_COMPARISONS // max(1, len(self._parts)))
        return list(islice(self._left.values(), most))

    def _known(self, group: _Group) -> _Known:
        return _Known("", self.text[self._parts[group.first].start : self._parts[group.last - 1].end])

    def _join_rests(self, made: list[_Group]) -> None:
        """Paragraphs behind a changed block that make it more like what it was are its own."""
        place = 0
        while place + 1 < len(made):
            group, behind = made[place], made[place + 1]
            was = _grams(self.missing[group.block_id]) if group.block_id else None
            if was and behind.block_id is None and self._parts[behind.first].heading not in (1, 2):
                joined = _Group(group.first, behind.last, group.block_id)
                if _likeness(was, self._known(joined).grams) > _likeness(was, self._known(group).grams):
                    made[place : place + 2] = [joined]
                    continue
            place += 1


def _alike(unknown: Sequence[tuple[int, _Known]], left: dict[str, _Known]) -> list[tuple[int, str]]:
    """Pairs of a place and the block that is there, changed: the most alike first, and the nearer of equals. What is
    found is taken out of ``left``. A text's only title is its title, whatever it says now."""
    pairs: list[tuple[int, str]] = []
    titles = [(place, each) for place, each in unknown if each.heading == 1]
    were = [each for each in left.values() if each.heading == 1]
    if len(titles) == len(were) == 1:
        pairs.append((titles[0][0], left.pop(were[0].block_id).block_id))
        unknown = [each for each in unknown if each[0] != titles[0][0]]
    old = list(left.values())
    width = max(2, _MOST_COMPARISONS // max(1, len(unknown)))
    scored = []
    for order, (place, each) in enumerate(unknown):
        middle = order * len(old) // len(unknown)
        begin = max(0, min(middle - width // 2, len(old) - width))
        for was_at, was in enumerate(old[begin : begin + width], start=begin):
            if (was.heading == 1) == (each.heading == 1) and (likeness := _likeness(was.grams, each.grams)) >= ALIKE:
                scored.append((-likeness, abs(was_at - middle), place, was.block_id))
    taken: set[int] = set()
    for _, _, place, block_id in sorted(scored):
        if place not in taken and block_id in left:
            taken.add(place)
            pairs.append((place, left.pop(block_id).block_id))
    return pairs


def _units(text: str) -> tuple[str, ...]:
    return tuple(_plain(text[part.start : part.end]) for part in constructs(text))


def _plain(text: str) -> str:
    """The text without what a formatter changes: blank space, marks of headings, lists and emphasis, escapes."""
    text = _HEADING.sub(lambda found: found[1] or found[2], text)
    return " ".join(unicodedata.normalize("NFC", text).translate(_DECORATION).split())


_HEADING = re.compile(r"\A {0,3}(?:#{1,6}[ \t]+([^\n]*?)(?:[ \t]+#+)?|([^\n]+)\n {0,3}(?:=+|-+))[ \t]*\Z")
_DECORATION = dict.fromkeys(map(ord, "*_-+\\"))


def _grams(text: str) -> frozenset[str]:
    """The runs of three letters or digits in a text."""
    folded = unicodedata.normalize("NFKC", text[:_COMPARED]).casefold()
    words = f" {' '.join(''.join(each if each.isalnum() else ' ' for each in folded).split())} "
    return frozenset(words[at : at + 3] for at in range(len(words) - 2))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    size = len(one) + len(other)
    return 2 * len(one & other) / size if size else 0.0
