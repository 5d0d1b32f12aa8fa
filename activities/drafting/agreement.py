"""Which action on the screen answers which spoken one: aligned in time and in words, in order.

People talk and then act, or act and then talk; a sentence tells several actions. Each pair has a merit, and the chain
of pairs in order with the greatest sum of merits is taken: of ``n`` pairs within reach in ``n log n``.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from activities.drafting.acts import SURE_LABEL, Act, Shown, StatedTime
from activities.drafting.language.phonetics import similarity, squashed
from activities.drafting.language.speech_acts import StatedAction
from domain.documents.illustration import TYPED
from domain.geometry import Box
from domain.recordings.screen import ChangeKind

_SHORT_MS, _LONG_MS = 8_000, 14_000
"""How far an action may lie from its words, on the side where this speaker hardly acts, and on the other. Speakers who
act first hardly wait longer than five seconds to say so."""
_AS_TOLD_MS = 1_500
_LEAST_REPORTED = 2
"""Actions that were surely told after they were made: one alone is no habit."""
_TYPING = TYPED | {"put", "name", "call", "set", "add", "give", "run", "execute", "specify", "provide"}
_PRESSING = frozenset(
    ("click", "press", "hit", "tap", "tick", "untick", "check", "uncheck", "open", "select", "choose")
)
_TOUCHING = frozenset(("click", "press", "hit", "tap"))
_CAME_OF_IT = 0.5
"""What it counts that words of pressing name what only came of a click on something of another name."""
_DOUBTED = 0.8
"""What it takes away to be taken back by the next sentence."""
_LINKED = 0.75
"""From here on two texts are taken for the same words, one of them misheard."""
_FAINT = 0.2
"""What a faint likeness counts of words that nobody made out: there, when they were spoken tells more."""
_SURELY = 0.85
"""Of words and a label that nobody pointed at. "Billing address" is as like *Email address* as 0.77."""
_LONG = 6
"""Letters of such a label: shorter ones are like too much."""
_EVERYWHERE = frozenset(
    (
        *("the", "and", "for", "you", "your", "with", "this", "that", "then", "from", "are", "will", "can", "into"),
        *("der", "die", "das", "und", "den", "dem", "les", "des", "une", "los", "las", "del", "que", "sie", "auf"),
        *("button", "page", "new", "tab"),
    )
)


@dataclass(frozen=True, slots=True)
class _Order:
    """On which side of its words an action is expected."""

    reported: bool

    @property
    def before_ms(self) -> int:
        return _LONG_MS if self.reported else _SHORT_MS

    @property
    def behind_ms(self) -> int:
        return _SHORT_MS if self.reported else _LONG_MS

    def in_time(self, at_ms: int, begins_ms: int, ends_ms: int) -> float:
        """1 where the action comes with its words, less the farther off it is."""
        off_ms = begins_ms - at_ms if self.reported else at_ms - ends_ms
        against_ms = at_ms - ends_ms if self.reported else begins_ms - at_ms
        if against_ms > 0:
            return 0.8 - against_ms / 5_000
        return 1.0 - max(0, off_ms - _AS_TOLD_MS) / 8_000


_ANNOUNCED, _REPORTED = _Order(reported=False), _Order(reported=True)


@dataclass(frozen=True, slots=True)
class Pair:
    stated: int
    act: int
    merit: float
    link: float


def link(text: str, act: Act) -> float:
    """0 to 1: how surely the text names what was acted on, or what came of it."""
    best = named(text, act.label) if act.label else 0.0
    for each in act.appeared[:12]:
        if len(each) <= 60 and best < 1.0:
            best = max(best, 0.85 * named(text, each))
    return best


def _just_before(act: Act) -> tuple[int, int]:
    """From when until when what an action was made on stood there, ms."""
    return max(0, act.at_ms - 400), act.at_ms


def _touched(text: str, act: Act, shown: Shown, verb: str, linked: float) -> float:
    """As :func:`link`, which answered ``linked``, of an action whose control nobody pointed at (a telephone): what
    stood there before can have been acted on; what only came of it cannot have been pressed."""
    before = shown.names(*_just_before(act)).values()
    best = max((named(text, each) for each in before if len(squashed(each)) >= 3), default=0.0)
    if best >= _LINKED:
        return best
    return min(best, _FAINT) if verb in _TOUCHING and linked >= _LINKED else linked


def _surely_touched(stated: StatedAction, act: Act, shown: Shown) -> bool:
    """Whether words press what stood there, on a screen without a pointer that looks like a slide."""
    if stated.verb not in _TOUCHING or act.label is not None or not shown.is_handless:
        return False
    before = shown.names(*_just_before(act))
    return any(len(key) >= 3 and named(stated.heading, name) == 1.0 for key, name in before.items())


def named_by(heading: str, act: Act, shown: Shown) -> Act:
    """The action with the label that its words surely name, where none was read: one text that stood there before, on
    the level of the control if that is known."""
    if act.is_read or (act.control is None and not shown.is_handless):
        return act
    there = {
        squashed(each.text): each
        for each in shown.texts(*_just_before(act))
        if len(squashed(each.text)) >= _LONG
        and each.confidence >= SURE_LABEL
        and (act.control is None or _is_level(each.box, act.control))
        and named(heading, each.text) >= _SURELY
    }
    if len(there) != 1:
        return act
    (text,) = there.values()
    return replace(act, label=text.text, confidence=text.confidence)


def _is_level(text: Box, control: Box) -> bool:
    return control.y <= text.y + text.h / 2 <= control.y + control.h


def named(text: str, label: str) -> float:
    """0 to 1: how surely the text has the label in it, by letters, by sound, or in part."""
    wanted = squashed(label)
    if not wanted:
        return 0.0
    words = text.split()
    size = len(label.split())
    best = 0.0
    for length in range(max(1, size - 1), size + 4):
        for start in range(len(words) - length + 1):
            span = " ".join(words[start : start + length])
            if squashed(span) == wanted:
                return 1.0
            if len(wanted) >= 3 and abs(len(squashed(span)) - len(wanted)) <= max(2, len(wanted) // 2):
                best = max(best, similarity(span, label))
    shared = _content(text) & _content(label)
    part = 0.7 * len(shared) / max(1, len(_content(label)))
    return max(best if best >= _LINKED else 0.0, part)


def _content(text: str) -> set[str]:
    return {word for each in text.split() if len(word := squashed(each)) >= 3 and word not in _EVERYWHERE}


def agreed(
    stated: Sequence[StatedAction],
    shown: Shown,
    taken_back: frozenset[int] = frozenset(),
    excluded: frozenset[int] = frozenset(),
) -> dict[int, Pair]:
    """The pair of each spoken action that the screen answers, by its place in ``stated``. Those that were taken back
    must be named by what answers them. Of a speaker who mostly tells what he has done already, what was done before
    its words is as near as what is done behind them is else. Actions ``excluded``, by place, answer nothing."""
    pairs = _paired(stated, shown, taken_back, excluded, _ANNOUNCED)
    return _paired(stated, shown, taken_back, excluded, _REPORTED) if _is_reported(stated, shown, pairs) else pairs


def _is_reported(stated: Sequence[StatedAction], shown: Shown, pairs: dict[int, Pair]) -> bool:
    """Whether most of what is surely the same was done before it was told."""
    same = [pair for pair in pairs.values() if pair.link >= _LINKED]
    before = sum(shown.acts[pair.act].at_ms < stated[pair.stated].clause.begins_ms for pair in same)
    return before >= _LEAST_REPORTED and 2 * before > len(same)


def _paired(
    stated: Sequence[StatedAction], shown: Shown, taken_back: frozenset[int], excluded: frozenset[int], order: _Order
) -> dict[int, Pair]:
    acts = shown.acts
    times = [act.at_ms for act in acts]
    tree = _Prefix(len(acts))
    reached: list[tuple[float, int, Pair, int | None]] = []
    for place, action in enumerate(stated):
        begins, ends = action.clause.begins_ms, action.clause.ends_ms
        first, last = bisect_left(times, begins - order.before_ms), bisect_left(times, ends + order.behind_ms)
        found = [
            pair
            for number in range(first, last)
            if (number not in excluded or _surely_touched(action, acts[number], shown))
            and (pair := _pair(place, action, number, shown, _DOUBTED if place in taken_back else 0.0, order))
        ]
        chained = []
        for pair in found:
            sum_before, before = tree.best(pair.act)
            chained.append((sum_before + pair.merit, pair, before))
        for total, pair, before in chained:
            reached.append((total, pair.act, pair, before))
            tree.add(pair.act, total, len(reached) - 1)
    return _chain(reached)


def _chain(reached: Sequence[tuple[float, int, Pair, int | None]]) -> dict[int, Pair]:
    at = max(range(len(reached)), key=lambda number: reached[number][0], default=None)
    chosen: dict[int, Pair] = {}
    while at is not None:
        _, _, pair, before = reached[at]
        chosen[pair.stated] = pair
        at = before
    return chosen


def _pair(place: int, stated: StatedAction, number: int, shown: Shown, doubt: float, order: _Order) -> Pair | None:
    act = shown.acts[number]
    in_time = order.in_time(act.at_ms, stated.clause.begins_ms, stated.clause.ends_ms)
    said = stated.heading if stated.sure else stated.clause.text
    # What a screen shows by itself must not hold on to what was taken back.
    related = named(said, act.label or "") if doubt else link(said, act)
    if stated.verb in _TOUCHING and act.is_read and not doubt:
        related = max(named(said, act.label or ""), _CAME_OF_IT * related)  # what is pressed was there before
    if act.label is None and not doubt and shown.is_handless:
        related = _touched(said, act, shown, stated.verb, related)
    if not stated.sure and related < _LINKED:
        related *= _FAINT
    if in_time < -0.5 and related < _LINKED:
        return None
    merit = in_time + 1.4 * related + _fit(stated.verb, act.kind) + (0.3 if stated.sure else 0.0) - 0.75 - doubt
    if act.is_read and related < 0.3:
        merit -= 0.15 if stated.sure else 0.4
        if stated.sure and _names_other(said, act, shown):
            merit -= 0.5
    return Pair(place, number, merit, related) if merit > 0 else None


def stated_time(stated: StatedAction) -> StatedTime:
    """When it is told, and whether it is a click."""
    return StatedTime(stated.clause.begins_ms, stated.clause.ends_ms, stated.verb in _PRESSING)


def _fit(verb: str, kind: ChangeKind) -> float:
    if verb in _TYPING:
        return 0.2 if kind is ChangeKind.TYPING else 0.0
    if verb in _PRESSING:
        return -0.1 if kind is ChangeKind.TYPING else 0.1
    return 0.0


def _names_other(text: str, act: Act, shown: Shown) -> bool:
    """Whether the text ends with the name of something else that stands there ("click Invoices", with the click on
    Subscriptions)."""
    words = text.split()[1:]
    names = shown.names(*_just_before(act))
    own = squashed(act.label or "")
    tails = (squashed(" ".join(words[start:])) for start in range(len(words)))
    return any(len(tail) >= 4 and tail in names and tail not in own for tail in tails)


class _Prefix:
    """The best sum of all chains that end before an action: a tree of prefixes' maxima (Fenwick)."""

    def __init__(self, size: int) -> None:
        self._best: list[tuple[float, int | None]] = [(0.0, None)] * (size + 1)

    def best(self, act: int) -> tuple[float, int | None]:
        found: tuple[float, int | None] = (0.0, None)
        while act > 0:
            found = max(found, self._best[act], key=lambda each: each[0])
            act -= act & -act
        return found

    def add(self, act: int, total: float, number: int) -> None:
        place = act + 1
        while place < len(self._best):
            if total > self._best[place][0]:
                self._best[place] = (total, number)
            place += place & -place
