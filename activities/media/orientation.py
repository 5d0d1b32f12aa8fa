"""How a decoded picture has to be turned, mirrored and stretched to be what a player shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import numpy as np
from av.sidedata.sidedata import Type
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL import Image

_WIDEST_PIXEL = 4
"""Sample aspect ratios beyond 4:1 either way are broken metadata and are not applied."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """A display matrix reduced to quarter turns: first transpose, then flip."""

    transposed: bool = False
    flipped_x: bool = False
    flipped_y: bool = False

    @classmethod
    def of(cls, frame: VideoFrame) -> "Orientation":
        """Read a frame's display matrix (nine 32-bit integers ``a b u c d v x y w``, libavutil/display.h).

        A source point (x, y) is shown at (ax + cy, bx + dy); any other angle is rounded to the nearest quarter turn.
        """
        matrix = cast("Mapping[Type, bytes]", frame.side_data).get(Type.DISPLAYMATRIX)
        if matrix is None:
            return NO_TURN
        a, b, _, c, d, *_ = (int(each) for each in np.frombuffer(matrix, dtype=np.int32))
        if abs(a) >= abs(b):
            return cls(transposed=False, flipped_x=a < 0, flipped_y=d < 0)
        return cls(transposed=True, flipped_x=c < 0, flipped_y=b < 0)

    @property
    def clockwise_degrees(self) -> int:
        """The turn in it: 0, 90, 180 or 270. A mirrored picture counts as its turn before mirroring."""
        if self.transposed:
            return 90 if self.flipped_x else 270
        return 180 if self.flipped_x and self.flipped_y else 0

    def apply(self, image: Image.Image) -> Image.Image:
        if self.transposed:
            image = image.transpose(Image.Transpose.TRANSPOSE)
        if self.flipped_x:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        if self.flipped_y:
            image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        return image


NO_TURN = Orientation()


def pixel_aspect(stream: VideoStream) -> Fraction:
    """Width of a stored pixel over its height; 1 where the recording does not say or says nonsense."""
    aspect = stream.sample_aspect_ratio
    if not aspect or not Fraction(1, _WIDEST_PIXEL) <= aspect <= _WIDEST_PIXEL:
        return Fraction(1)
    return aspect


def square_pixel_size(width: int, height: int, aspect: Fraction) -> tuple[int, int]:
    """The stored picture's size with square pixels. Only ever stretched, so that no detail is lost."""
    if aspect >= 1:
        return round(width * aspect), height
    return width, round(height / aspect)


def shown_size(width: int, height: int, aspect: Fraction, turn: Orientation) -> tuple[int, int]:
    """Width and height in pixels as a player shows them."""
    wide, high = square_pixel_size(width, height, aspect)
    return (high, wide) if turn.transposed else (wide, high)
