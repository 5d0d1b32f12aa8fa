"""What is drawn on a screenshot (blur, arrow, marker, pencil, ring, outline, text, number, crop), and what makes two
drawings the same one.

Coordinates are parts of the whole picture: 0 to 1 of its width and height, from the top left corner, also where it is
cropped.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from domain.geometry import GRAIN, Box, Part, grained

MOST_OPERATIONS = 100
"""On one picture. A person draws ten."""
MOST_POINTS = 5_000
"""Of all pencil lines on one picture: a minute of drawing at 80 points a second."""
MOST_COVERED = 20.0
"""Pictures' worth of area that all operations on one may take up together: what bounds the work, and far beyond what
leaves anything to see."""
WIDEST_LINE = 0.1
"""Of the picture's width."""

LineWidth = Annotated[
    float,
    Field(strict=True, ge=1 / GRAIN, le=WIDEST_LINE, allow_inf_nan=False, description="Of the picture's width."),
    AfterValidator(grained),
]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$", examples=["#e5484d"]), AfterValidator(str.lower)]
Strength = Annotated[
    float,
    Field(strict=True, ge=0, le=100, allow_inf_nan=False),
    AfterValidator(lambda strength: grained(min(strength, 1.0))),
]


LONGEST_LABEL = 300
"""Characters of a label. More is a paragraph, which belongs into the step."""
HIGHEST_NUMBER = 999


def _sayable(text: str) -> str:
    if not text.strip():
        raise ValueError("says nothing")
    if any(
        (unicodedata.category(each) in ("Cc", "Cs") and each != "\n") or "\u202a" <= each <= "\u202e" for each in text
    ):
        raise ValueError("has control characters")
    return text


Label = Annotated[str, Field(strict=True, min_length=1, max_length=LONGEST_LABEL), AfterValidator(_sayable)]
"""Lines of text, as they stand on the label."""

LEAST_CROP = 0.02
"""Of the picture's width and height: what is smaller shows nothing that anyone could find again."""


STYLES = frozenset({"color", "width", "opacity", "strength", "whole"})
"""All that a style may say. What an operation has no use for it leaves out, so that one style serves several."""


class _Drawn(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Style(_Drawn):
    @model_validator(mode="before")
    @classmethod
    def _leave_out(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name in cls.model_fields or name not in STYLES}


class Line(_Drawn):
    """From its tail to its head."""

    x1: Part
    y1: Part
    x2: Part
    y2: Part

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if (self.x1, self.y1) == (self.x2, self.y2):
            raise ValueError("has no length: it ends where it begins")
        return self


class Stroke(_Drawn):
    """A line by hand, through points [x, y]. One point is a dot."""

    points: Annotated[tuple[tuple[Part, Part], ...], Field(min_length=1, max_length=MOST_POINTS)]


class BlurStyle(_Style):
    strength: Strength = Field(
        default=0.5, description="How coarse, 0 to 1; more counts as 1. The weakest destroys what was there, too."
    )


class MarkerStyle(_Style):
    color: Colour = "#ffd60a"
    opacity: Part = 0.4


class InkStyle(_Style):
    color: Colour = "#e5484d"
    width: LineWidth = 0.004
    opacity: Part = 1.0


class RingStyle(_Style):
    color: Colour = "#e11d48"
    width: LineWidth = 0.004
    opacity: Part = 1.0


class LabelStyle(_Style):
    color: Colour = Field(default="#e5484d", description="Of the label; what stands on it is black or white.")


class CropStyle(_Style):
    whole: bool = Field(
        default=False,
        strict=True,
        description="Whether readers may open the whole picture. Otherwise nothing beyond the box is published.",
    )


class Blur(_Drawn):
    """Makes a region unreadable for good."""

    op_type: Literal["blur"]
    geometry: Box
    style: BlurStyle = BlurStyle()


class Marker(_Drawn):
    """Lays a colour over a region, as a highlighter does."""

    op_type: Literal["marker"]
    geometry: Box
    style: MarkerStyle = MarkerStyle()


class Arrow(_Drawn):
    """Points at something."""

    op_type: Literal["arrow"]
    geometry: Line
    style: InkStyle = InkStyle()


class Pencil(_Drawn):
    """Draws by hand."""

    op_type: Literal["pencil"]
    geometry: Stroke
    style: InkStyle = InkStyle()


class Ring(_Drawn):
    """Marks a control: an outline around its box, with a halo that stands out on light and on dark."""

    op_type: Literal["ring"]
    geometry: Box
    style: RingStyle = RingStyle()


class Outline(_Drawn):
    """A plain outline on a box."""

    op_type: Literal["outline"]
    geometry: Box
    style: InkStyle = InkStyle()


class Text(_Drawn):
    """Words on a label that fills its box, as large as they fit in it."""

    op_type: Literal["text"]
    geometry: Box
    text: Label
    style: LabelStyle = LabelStyle()


class Number(_Drawn):
    """A number in a circle, as large as it fits into its box."""

    op_type: Literal["number"]
    geometry: Box
    number: Annotated[int, Field(strict=True, ge=1, le=HIGHEST_NUMBER)]
    style: LabelStyle = LabelStyle()


class Crop(_Drawn):
    """Shows only this part, whatever else is drawn and in whichever order."""

    op_type: Literal["crop"]
    geometry: Box
    style: CropStyle = CropStyle()

    @model_validator(mode="after")
    def _shows_something(self) -> Self:
        if min(self.geometry.w, self.geometry.h) < LEAST_CROP:
            raise ValueError(f"is too small: w and h of a crop are at least {LEAST_CROP}")
        return self


Operation: TypeAlias = Annotated[
    Blur | Marker | Arrow | Pencil | Ring | Outline | Text | Number | Crop, Field(discriminator="op_type")
]


def _can_be_drawn(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    points = sum(len(each.geometry.points) for each in operations if isinstance(each, Pencil))
    if points > MOST_POINTS:
        raise ValueError(f"has {points} pencil points; at most {MOST_POINTS} are drawn on one picture")
    if sum(isinstance(each, Crop) for each in operations) > 1:
        raise ValueError("crops the picture more than once")
    if sum(_covered(each) for each in operations if not isinstance(each, Crop)) > MOST_COVERED:
        raise ValueError(f"covers the picture more than {MOST_COVERED:.0f} times over")
    return operations


def _covered(operation: Operation) -> float:
    match operation.geometry:
        case Box(w=w, h=h):
            return w * h
        case Line(x1=x1, y1=y1, x2=x2, y2=y2):
            return abs(x2 - x1) * abs(y2 - y1)
        case Stroke(points=points):
            xs, ys = zip(*points, strict=True)
            return float((max(xs) - min(xs)) * (max(ys) - min(ys)))


Operations = Annotated[
    tuple[Operation, ...], Field(min_length=1, max_length=MOST_OPERATIONS), AfterValidator(_can_be_drawn)
]
"""What is drawn on one picture, in this order: later ones lie over earlier ones."""


operation_list: TypeAdapter[tuple[Operation, ...]] = TypeAdapter(tuple[Operation, ...])
"""Operations as JSON and back, for where they are kept."""


def crop_of(operations: Iterable[Operation]) -> Crop | None:
    """The part of the picture that shows; ``None``: all of it."""
    return next((each for each in operations if isinstance(each, Crop)), None)


def without_crop(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """The same on the whole picture."""
    return tuple(each for each in operations if not isinstance(each, Crop))


COVERS = 0.8
"""Opacity of a marker from which it covers what is below."""


def hides(operations: Iterable[Operation]) -> bool:
    """Whether something was drawn so that what is there be read no more: blurred, covered, or cut off for good."""
    return any(
        isinstance(each, Blur)
        or (isinstance(each, Crop) and not each.style.whole)
        or (isinstance(each, Marker) and each.style.opacity >= COVERS)
        for each in operations
    )


def box_of(operation: Operation) -> Box:
    """Where an operation is drawn, without the width of its lines."""
    match operation:
        case Arrow(geometry=line):
            points = [(line.x1, line.y1), (line.x2, line.y2)]
        case Pencil(geometry=stroke):
            points = list(stroke.points)
        case _:
            return operation.geometry
    left, top = (min(each[axis] for each in points) for axis in (0, 1))
    right, bottom = (max(each[axis] for each in points) for axis in (0, 1))
    left, top = min(left, 1 - 1 / GRAIN), min(top, 1 - 1 / GRAIN)
    return Box(x=left, y=top, w=max(right - left, 1 / GRAIN), h=max(bottom - top, 1 / GRAIN))


def canonical(operations: Iterable[Operation]) -> str:
    """The operations as one text: defaults filled in, numbers in millionths, names in order, nothing else."""
    return json.dumps([_counted(each.model_dump()) for each in operations], sort_keys=True, separators=(",", ":"))


def ops_hash(base_checksum_sha256: str, operations: Iterable[Operation], renderer: str) -> str:
    """SHA-256 for what a drawing looks like: over the base picture's checksum, the renderer's version, and the
    canonical operations, a line each."""
    text = f"{base_checksum_sha256}\n{renderer}\n{canonical(operations)}"
    return hashlib.sha256(text.encode()).hexdigest()


def _counted(value: Any) -> Any:
    match value:
        case float():
            return round(value * GRAIN)
        case dict():
            return {name: _counted(each) for name, each in value.items()}
        case list() | tuple():
            return [_counted(each) for each in value]
        case _:
            return value
