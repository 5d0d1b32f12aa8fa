"""Rectangles on a picture, in whole pixels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from domain.geometry import Box
from domain.recordings.screen import Point


@dataclass(frozen=True, slots=True)
class Rect:
    """From the left and top edge up to, without, the right and bottom one."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """What ``Rect(*edges)`` makes it again of."""
        return self.left, self.top, self.right, self.bottom

    @property
    def window(self) -> tuple[slice, slice]:
        """Of an array, rows by columns."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    @property
    def empty(self) -> bool:
        return self.width <= 0 or self.height <= 0

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def padded(self, by: int, down: int | None = None) -> Rect:
        """Wider by ``by`` on both sides, higher by ``down`` (as much, where not said)."""
        down = by if down is None else down
        return Rect(self.left - by, self.top - down, self.right + by, self.bottom + down)

    def moved(self, across: int, down: int) -> Rect:
        return Rect(self.left + across, self.top + down, self.right + across, self.bottom + down)

    def clipped(self, other: Rect) -> Rect:
        """The part that both share; may be empty."""
        return Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def intersects(self, other: Rect) -> bool:
        return not self.clipped(other).empty

    def contains(self, x: float, y: float) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom

    def share_in(self, other: Rect) -> float:
        """How much of this lies in the other, 0 to 1."""
        shared = self.clipped(other)
        return 0.0 if shared.empty or not self.area else shared.area / self.area

    def iou(self, other: Rect) -> float:
        """Intersection over union, 0 to 1."""
        shared = self.clipped(other)
        if shared.empty:
            return 0.0
        return shared.area / (self.area + other.area - shared.area)

    def distance(self, x: float, y: float) -> float:
        """To the nearest edge, 0 inside."""
        across = max(self.left - x, 0, x - self.right)
        down = max(self.top - y, 0, y - self.bottom)
        return float((across * across + down * down) ** 0.5)

    def scaled(self, across: float, down: float) -> Rect:
        return Rect(
            int(self.left * across),
            int(self.top * down),
            int(self.right * across + 0.999),
            int(self.bottom * down + 0.999),
        )

    def union(self, other: Rect) -> Rect:
        return Rect(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


def union(places: Iterable[Rect]) -> Rect:
    """
    Raises:
        ValueError: There are none.
    """
    found = list(places)
    if not found:
        raise ValueError("no places")
    whole = found[0]
    for place in found[1:]:
        whole = whole.union(place)
    return whole


def place_of(box: Box, width: int, height: int) -> Rect:
    """In pixels of a picture of that size."""
    left, top = round(box.x * width), round(box.y * height)
    return Rect(left, top, left + round(box.w * width), top + round(box.h * height))


def box_of(place: Rect, width: int, height: int) -> Box:
    """In parts of a picture of that size, pixels."""
    place = place.clipped(Rect(0, 0, width, height))
    return Box(
        x=place.left / width,
        y=place.top / height,
        w=max(1, place.width) / width,
        h=max(1, place.height) / height,
    )


def point_of(x: float, y: float) -> Point:
    """Within the picture."""
    return Point(x=min(1.0, max(0.0, x)), y=min(1.0, max(0.0, y)))
