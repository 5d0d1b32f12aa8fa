"""The story laid out in time: when each sentence is spoken, what the app looks like and where the pointer is.

Times are in seconds from the beginning of the film.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sample.studio.canvas import Point as Position
from sample.studio.story import FIRST_SCREEN, Act, Change, Line, Point, Role, Type
from sample.studio.ui import HOTSPOTS, Ui

LEAD_IN = 0.7
MOVE = 0.6
"""Seconds that the pointer takes from one hotspot to the next."""
FADE = 0.24
TOAST = 2.4
SETTLING = 0.4
"""Seconds after a change until the picture is still: the fade and the click's ring."""


@dataclass(frozen=True)
class Spoken:
    role: Role
    text: str
    start: float
    end: float
    screen: str
    """What is seen when the sentence has ended."""


@dataclass(frozen=True)
class Shown:
    """A stretch in which the screen does not change but for the pointer."""

    screen: str
    start: float
    end: float
    ui: Ui


@dataclass(frozen=True)
class Look:
    """The app from ``at`` on, faded into over ``fade`` seconds."""

    at: float
    ui: Ui
    fade: float = 0.0


@dataclass(frozen=True)
class Move:
    start: float
    origin: Position
    target: Position


class Timeline:
    """The laid-out story.

    Args:
        lines: The story.
        durations: How long each sentence takes, in seconds.
    """

    def __init__(self, lines: Sequence[Line], durations: Sequence[float]) -> None:
        self.spoken: list[Spoken] = []
        self._changes: list[tuple[float, float, dict[str, object]]] = []
        self.moves: list[Move] = []
        self.clicks: list[tuple[float, Position]] = []
        self._screens: list[tuple[float, str]] = [(0.0, FIRST_SCREEN)]
        self._typing: list[float] = []
        self._pointer: Position = (820, 560)
        now = LEAD_IN
        for line, duration in zip(lines, durations, strict=True):
            for act in line.acts:
                self._perform(act, now, duration)
            self.spoken.append(Spoken(line.role, line.text, now, now + duration, self._screens[-1][1]))
            now += duration + line.pause
        self.duration = now
        self.looks = self._fold()

    def look_at(self, moment: float) -> tuple[Ui, Ui, float]:
        """The look that goes, the look that comes, and how far it has come, 0 to 1."""
        index = bisect_right(self.looks, moment, key=lambda look: look.at) - 1
        look = self.looks[index]
        share = 1.0 if look.fade == 0 else min(1.0, (moment - look.at) / look.fade)
        return self.looks[max(0, index - 1)].ui, look.ui, share

    def pointer_at(self, moment: float) -> Position:
        index = bisect_right(self.moves, moment, key=lambda move: move.start) - 1
        if index < 0:
            return self.moves[0].origin
        move = self.moves[index]
        share = min(1.0, (moment - move.start) / MOVE)
        eased = share * share * (3 - 2 * share)
        (x0, y0), (x1, y1) = move.origin, move.target
        return x0 + (x1 - x0) * eased, y0 + (y1 - y0) * eased

    def shown(self) -> list[Shown]:
        """The stretches in which one screen is seen and still, in order; one for each look, so that the light under
        the pointer makes a stretch of its own."""
        ends = [start for start, _ in self._screens[1:]] + [self.duration]
        stretches = []
        for (start, screen), end in zip(self._screens, ends, strict=True):
            settled = start + SETTLING if start else 0.0
            if not any(start <= typing < end for typing in self._typing):
                stretches += [Shown(screen, *span) for span in self._looks_between(settled, end)]
        return stretches

    def _looks_between(self, start: float, end: float) -> list[tuple[float, float, Ui]]:
        cuts = [start, *(look.at for look in self.looks if start < look.at < end), end]
        return [(since, until, self.look_at((since + until) / 2)[1]) for since, until in pairwise(cuts)]

    def _perform(self, act: Act, start: float, duration: float) -> None:
        now = start + act.at * duration
        match act:
            case Point():
                self._point(act.hotspot, now)
            case Change():
                self._change(act, now)
            case Type():
                self._type(act.text, now, (act.until - act.at) * duration)

    def _point(self, hotspot: str, now: float) -> None:
        target = HOTSPOTS[hotspot]
        self.moves.append(Move(now, self._pointer, target))
        self._pointer = target
        self._look(now + MOVE / 4, hover=None)
        self._look(now + MOVE * 0.9, hover=hotspot)

    def _change(self, act: Change, now: float) -> None:
        if act.click:
            self.clicks.append((now, self._pointer))
        self._look(now, fade=FADE, hover=None, **act.changes)
        self._screens.append((now, act.screen))
        if "toast" in act.changes:
            self._look(now + TOAST, fade=FADE, toast="")
            self._screens.append((now + TOAST, act.screen))

    def _type(self, text: str, now: float, duration: float) -> None:
        self._typing.append(now)
        for count in range(1, len(text) + 1):
            self._look(now + duration * count / len(text), description=text[:count])

    def _look(self, at: float, *, fade: float = 0.0, **changes: object) -> None:
        self._changes.append((at, fade, changes))

    def _fold(self) -> list[Look]:
        """Every state in turn; what changes nothing is left out."""
        looks = [Look(0.0, Ui())]
        for at, fade, changes in sorted(self._changes, key=lambda change: change[0]):
            ui = replace(looks[-1].ui, **changes)  # type: ignore[arg-type]
            if ui != looks[-1].ui:
                looks.append(Look(at, ui, fade))
        return looks
