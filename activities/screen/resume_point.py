"""A reading of a screen under way, as it is kept between two executions. Values only, for who reads nothing himself."""

from pydantic import BaseModel

from domain.recordings.screen import ScreenChange

SAVE_EVERY_S = 5.0
"""Seconds of work that a killed reading loses at most, besides the change being read."""


class SavedLine(BaseModel):
    """A line as it is kept between two executions."""

    text: str
    place: tuple[int, int, int, int]
    confidence: float
    start_ms: int
    end_ms: int = 0


class TextState(BaseModel):
    """What stands, and what stood, at a moment."""

    standing: list[SavedLine] = []
    past: list[SavedLine] = []
    spent_s: float = 0.0
    unread: list[tuple[int, int, int, int, int]] = []
    missed: bool = False


class SavedSight(BaseModel):
    """The pointer at a time: where, in pixels of a look, and the grey levels that it hides, row by row in Base64."""

    at_ms: int
    place: tuple[int, int, int, int]
    ground: str


class SavedTyping(BaseModel):
    """A text that was being typed. Places in pixels of the picture."""

    line: tuple[int, int, int, int]
    before: str
    bottom: int
    prompted: bool


class ScreenResumePoint(BaseModel):
    """A reading under way, at a moment when nothing moved: from where to go on, and what was found.

    Attributes:
        first: Where the pointer was seen first, if it was.
        last: Where it is. It may have rested there for longer than a resumed reading looks back.
        held: The first sight of it there.
        rests: Where it stood still before: from, until, and the place in pixels of a look.
    """

    resume_ms: int
    shown: TextState
    changes: tuple[ScreenChange, ...]
    typed: SavedTyping | None = None
    first: SavedSight | None = None
    last: SavedSight | None = None
    held: SavedSight | None = None
    rests: tuple[tuple[int, int, float, float], ...] = ()
