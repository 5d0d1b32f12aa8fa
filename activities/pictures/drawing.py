"""Draws annotations into a picture. The same picture and operations give the same bytes.

Only whole numbers decide what a pixel becomes, and the PNG holds pixels and nothing else: no time, no name of a
program, no EXIF of the base.
"""

import io
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, hypot
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageColor, ImageDraw

from activities.pictures.labels import badge, label
from activities.pictures.opening import decode_picture
from domain.documents.annotations import (
    Arrow,
    Blur,
    Crop,
    Marker,
    Number,
    Operation,
    Outline,
    Pencil,
    Ring,
    Text,
    crop_of,
)
from domain.geometry import GRAIN, Box

RENDERER = "1"
"""The version of what drawings look like. Part of their hash: it changes whenever the same operations would give
other pixels."""

FINEST_CELL = 40
"""Pixels: no cell of a blur is smaller, whatever the picture's size. About four letters of a user interface: from the
averages of single letters, text in a known font can be guessed back."""
WEAKEST, STRONGEST = 0.02, 0.06
"""Sides of a blur's cells, as parts of the picture's longer side: on a 4K screen 77 to 230 pixels."""
SHADES = 16
"""Levels a channel that a cell's average is rounded to: what an exact average would tell of a known font is lost."""

SMOOTHEST = 4
"""Drawn this many times larger each way and reduced, so that edges are smooth."""
MOST_MASK_PIXELS = 36_000_000
"""Of an enlarged drawing: all of a full-HD screen at the smoothest; what is larger is drawn less smooth."""

LEAST_RING, LEAST_HALO = 2.5, 1.5
"""Pixels: how thin the coloured line of a ring, and its halo, may get on a small picture."""
HALO, RING_GAP, ROUNDEST = 0.45, 0.8, 4.0
"""Of a ring's line: how wide its halo is, how far from the box it keeps, and the largest radius of its corners."""
CORNER = 0.18
"""The radius of a ring's corners, of the box's shorter side."""

Points: TypeAlias = list[tuple[float, float]]


def draw(base: bytes, operations: Sequence[Operation]) -> tuple[bytes, int, int]:
    """The picture file ``base`` with the operations on it, in their order: a PNG, its width and its height.

    Raises:
        UploadInvalid: ``base`` is no picture that can be worked with.
    """
    return draw_on(decode_picture(base), operations)


def draw_on(picture: Image.Image, operations: Sequence[Operation]) -> tuple[bytes, int, int]:
    """As :func:`draw`, on an RGB picture that is decoded already; it is changed."""
    for operation in operations:
        match operation:
            case Blur(geometry=box, style=style):
                _blur(picture, box, style.strength)
            case Marker(geometry=box, style=style):
                left, top, right, bottom = _pixels(picture, box)
                mask = Image.new("L", (right - left, bottom - top), _alpha(style.opacity))
                picture.paste(ImageColor.getrgb(style.color), (left, top), mask)
            case Arrow(geometry=line, style=style):
                ends = _placed(picture, [(line.x1, line.y1), (line.x2, line.y2)])
                _ink(picture, *_arrow(ends[0], ends[1], style.width * picture.width), style.color, style.opacity)
            case Pencil(geometry=stroke, style=style):
                points = _placed(picture, stroke.points)
                _ink(picture, points, None, style.width * picture.width, style.color, style.opacity)
            case Ring(geometry=box, style=style):
                _ring(picture, box, style.width * picture.width, style.color, style.opacity)
            case Outline(geometry=box, style=style):
                _outline(picture, box, style.width * picture.width, style.color, style.opacity)
            case Text(geometry=box, text=text, style=style):
                label(picture, _pixels(picture, box), text, style.color)
            case Number(geometry=box, number=number, style=style):
                badge(picture, _pixels(picture, box), number, style.color)
            case Crop():
                pass  # of the finished drawing
    if (crop := crop_of(operations)) is not None:
        picture = picture.crop(_pixels(picture, crop.geometry))
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=4)
    return out.getvalue(), picture.width, picture.height


def _pixels(picture: Image.Image, box: Box) -> tuple[int, int, int, int]:
    """The box in pixels, outwards: a pixel that it touches belongs to it."""
    left, right = _span(box.x, box.w, picture.width)
    top, bottom = _span(box.y, box.h, picture.height)
    return left, top, right, bottom


def _span(start: float, length: float, pixels: int) -> tuple[int, int]:
    near, far = round(start * GRAIN), round(start * GRAIN) + round(length * GRAIN)
    first = min(near * pixels // GRAIN, pixels - 1)
    return first, min(max(-(-far * pixels // GRAIN), first + 1), pixels)


def _placed(picture: Image.Image, points: Sequence[tuple[float, float]]) -> Points:
    return [(x * picture.width, y * picture.height) for x, y in points]


def _alpha(opacity: float) -> int:
    return round(opacity * 255)


# --- blur ------------------------------------------------------------------------------------------------------


def _blur(picture: Image.Image, box: Box, strength: float) -> None:
    """Replace the region by what a few coarse averages of it tell, and nothing else does.

    The averages are taken in whole cells, rounded to few shades, and laid out softly: the soft look is made from
    them alone, so no pixel of the region takes part in the result any more.
    """
    left, top, right, bottom = _pixels(picture, box)
    cell = max(FINEST_CELL, round(max(picture.size) * (WEAKEST + (STRONGEST - WEAKEST) * strength)))
    region = np.asarray(picture.crop((left, top, right, bottom)))
    rows, columns = _cuts(bottom - top, cell), _cuts(right - left, cell)
    bands = [region[first:last].sum(axis=0, dtype=np.uint64) for first, last in pairwise(rows)]
    sums = np.add.reduceat(np.stack(bands), columns[:-1], axis=1)
    counts = (np.diff(rows)[:, None] * np.diff(columns)[None, :])[:, :, None].astype(np.uint64)
    shades = sums // counts * SHADES // 256
    averages = Image.fromarray((shades * 255 // (SHADES - 1)).astype(np.uint8))
    picture.paste(averages.resize((right - left, bottom - top), Image.Resampling.BILINEAR), (left, top))


def _cuts(length: int, cell: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where cells of at least ``cell`` pixels begin and the last one ends; a shorter length is one cell."""
    count = max(1, length // cell)
    return np.arange(count + 1, dtype=np.int64) * length // count


# --- lines -----------------------------------------------------------------------------------------------------


def _arrow(tail: tuple[float, float], head: tuple[float, float], width: float) -> tuple[Points, Points, float]:
    """The shaft, the triangle of the head, and the shaft's width, in pixels. A short arrow is all head."""
    length = max(hypot(head[0] - tail[0], head[1] - tail[1]), 1.0)
    along = ((head[0] - tail[0]) / length, (head[1] - tail[1]) / length)
    reach = min(max(4.5 * width, 9.0), length)
    neck = (head[0] - along[0] * reach, head[1] - along[1] * reach)
    half = reach * 0.42
    triangle = [head, (neck[0] - along[1] * half, neck[1] + along[0] * half)]
    triangle.append((neck[0] + along[1] * half, neck[1] - along[0] * half))
    return [tail, neck], triangle, min(width, half)


def _ink(picture: Image.Image, line: Points, triangle: Points | None, width: float, color: str, opacity: float) -> None:
    """A line with round ends, and a triangle, as one shape in one colour."""
    width = max(width, 1.0)
    points = [*line, *(triangle or ())]
    left = max(floor(min(x for x, _ in points) - width), 0)
    top = max(floor(min(y for _, y in points) - width), 0)
    right = min(ceil(max(x for x, _ in points) + width), picture.width)
    bottom = min(ceil(max(y for _, y in points) + width), picture.height)
    size = (right - left, bottom - top)
    scale = _smoothness(size)
    mask = Image.new("L", (size[0] * scale, size[1] * scale), 0)
    pen = ImageDraw.Draw(mask)

    def enlarged(wanted: Points) -> Points:
        return [((x - left) * scale, (y - top) * scale) for x, y in wanted]

    _line(pen, enlarged(line), width * scale)
    if triangle:
        pen.polygon(enlarged(triangle), fill=255)
    alpha = _alpha(opacity)
    soft = mask.reduce(scale).point([value * alpha // 255 for value in range(256)])
    picture.paste(ImageColor.getrgb(color), (left, top), soft)


def _smoothness(size: tuple[int, int]) -> int:
    return next(each for each in (SMOOTHEST, 2, 1) if size[0] * size[1] * each**2 <= MOST_MASK_PIXELS or each == 1)


def _line(pen: ImageDraw.ImageDraw, points: Points, width: float) -> None:
    radius = width / 2
    kept = [points[0]]
    for point in points[1:]:  # what lies within an eighth of the line's width of the last point does not show
        if hypot(point[0] - kept[-1][0], point[1] - kept[-1][1]) >= width / 8:
            kept.append(point)
    for pair in pairwise(kept):  # one by one, so that a long line does not keep other threads from their turn
        pen.line(pair, fill=255, width=max(1, round(width)))
    for x, y in kept:
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)


def _outline(picture: Image.Image, box: Box, width: float, color: str, opacity: float) -> None:
    """A line along the box's edges, half of it outside."""
    width = max(width, 1.0)
    (left, top), (right, bottom) = _placed(picture, [(box.x, box.y), (box.x + box.w, box.y + box.h)])
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    _ink(picture, corners, None, width, color, opacity)


# --- rings -----------------------------------------------------------------------------------------------------


def _ring(picture: Image.Image, box: Box, width: float, color: str, opacity: float) -> None:
    """A rounded outline outside of the box, whose outermost corners it may cut; over a white one, and that over a dark
    one: one of the three stands out on whatever is there. At the picture's edges it keeps within."""
    width = max(width, LEAST_RING)
    halo = max(LEAST_HALO, width * HALO)
    gap = max(width * RING_GAP, 1.5 * halo)
    reach = gap + width + halo + halo / 2
    left, top, right, bottom = _pixels(picture, box)
    outer = (
        max(floor(left - reach), 0),
        max(floor(top - reach), 0),
        min(ceil(right + reach), picture.width),
        min(ceil(bottom + reach), picture.height),
    )
    size = (outer[2] - outer[0], outer[3] - outer[1])
    scale = _smoothness(size)
    radius = min(min(right - left, bottom - top) * CORNER, ROUNDEST * width) + reach
    for layer, inset, thickness, shade in (
        ("#111111", 0.0, width + 3 * halo, 0.75),
        ("#ffffff", halo / 2, width + 2 * halo, 1.0),
        (color, halo / 2 + halo, width, 1.0),
    ):
        mask = Image.new("L", (size[0] * scale, size[1] * scale), 0)
        within = (inset * scale, inset * scale, (size[0] - inset) * scale - 1, (size[1] - inset) * scale - 1)
        if within[2] <= within[0] or within[3] <= within[1]:
            continue
        ImageDraw.Draw(mask).rounded_rectangle(
            within, max(radius - inset, 1) * scale, outline=255, width=max(1, round(thickness * scale))
        )
        alpha = round(_alpha(opacity) * shade)
        soft = mask.reduce(scale).point([value * alpha // 255 for value in range(256)])
        picture.paste(ImageColor.getrgb(layer), outer[:2], soft)
