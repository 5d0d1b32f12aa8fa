"""What is shown on a recording's screen, and what is done on it: the two witnesses besides speech.

Values only: reading them off the pictures is ``activities/screen``. Coordinates are parts of the picture as shown (0 to
1 of its width and height, from the top left corner), times are milliseconds of the recording.
"""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from domain.geometry import Box, Part

PARTLY_READ = "SCREEN_PARTLY_READ"
"""Too much changed to read all of it in the time that a recording of this length is given."""


class Point(BaseModel):
    """A place on the picture."""

    model_config = ConfigDict(frozen=True)

    x: Part
    y: Part


class ScreenText(BaseModel):
    """A line of text that was read, and when it stood there. ``confidence`` is the reader's, 0 to 1."""

    model_config = ConfigDict(frozen=True)

    id: int = Field(ge=0)
    text: str
    box: Box
    confidence: float = Field(ge=0, le=1)
    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=0)


class PointerRest(BaseModel):
    """The pointer stood still, from when until when, and where it pointed."""

    model_config = ConfigDict(frozen=True)

    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=0)
    at: Point


class ChangeKind(StrEnum):
    """How the screen changed because somebody acted."""

    PRESS = "press"
    """Something was clicked, chosen, ticked, opened: a lasting change, sudden and mostly local."""
    TYPING = "typing"
    """A field, or a terminal's line, filled."""
    SCROLL = "scroll"
    """The same content, moved."""
    PAGE = "page"
    """Another page, slide or window: most of the screen was replaced."""


class ScreenChange(BaseModel):
    """One lasting change that somebody caused.

    ``before_ms`` is the last moment at which the settled screen before it is to be seen whole, with the control still
    on it; ``at_ms`` the action itself; ``after_ms`` the first moment at which the screen it led to has settled, which
    stands until ``until_ms``. ``box`` is what changed; ``pointer`` where the pointer stood before it, if one was
    found; ``control`` what was acted on, and ``label`` its text as read (``None`` where it cannot be told);
    ``appeared`` what could be read after it that was not there before (for typing: what was typed); ``marked`` whether
    a box to tick bears its mark after it (``None`` where none was acted on, or it cannot be told).
    """

    model_config = ConfigDict(frozen=True)

    id: int = Field(ge=0)
    kind: ChangeKind
    before_ms: int = Field(ge=0)
    at_ms: int = Field(ge=0)
    hand_ms: int | None = Field(default=None, ge=0)
    after_ms: int = Field(ge=0)
    until_ms: int = Field(ge=0)
    box: Box
    pointer: Point | None = None
    control: Box | None = None
    label: str | None = None
    label_confidence: float | None = Field(default=None, ge=0, le=1)
    appeared: tuple[str, ...] = ()
    marked: bool | None = None


class ScreenRecord(BaseModel):
    """All that was read off one recording's pictures. ``reader`` names what read it, with its version; ``warnings``
    are stable codes (:data:`PARTLY_READ`)."""

    model_config = ConfigDict(frozen=True)

    reader: str
    width: int = Field(ge=0)
    height: int = Field(ge=0)
    duration_ms: int = Field(ge=0)
    texts: tuple[ScreenText, ...] = ()
    changes: tuple[ScreenChange, ...] = ()
    rests: tuple[PointerRest, ...] = ()
    warnings: tuple[str, ...] = ()

    def texts_at(self, at_ms: int) -> tuple[ScreenText, ...]:
        """What stood on the screen at that moment."""
        return tuple(each for each in self.texts if each.start_ms <= at_ms < each.end_ms)
