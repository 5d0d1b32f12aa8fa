"""A reading of a screen under way, as it is kept between two executions. Values only, for who reads nothing himself."""

from pydantic import BaseModel

from domain.recordings.screen import ScreenChange

SAVE_EVERY_S = 5.0
"""Seconds of work that a killed reading loses at most, besides the change being read."""


class KeptLine(BaseModel):
    """A line as it is kept between two executions."""

    text: str
    place: tuple[int, int, int, int]
    confidence: float
    start_ms: int
    end_ms: int = 0


class ShownState(BaseModel):
    """What stands, and what stood, at a moment."""

    standing: list[KeptLine] = []
    past: list[KeptLine] = []
    spent_s: float = 0.0
    unread: list[tuple[int, int, int, int, int]] = []
    missed: bool = False


class ReadSoFar(BaseModel):
    """A reading under way, at a moment when nothing moved: from where to go on, and what was found."""

    resume_ms: int
    shown: ShownState
    changes: tuple[ScreenChange, ...]
