"""Words and numbers on pictures, set in the fonts that come as packages: the same wherever they are drawn."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from fontTools.ttLib import TTFont
from PIL import Image, ImageColor, ImageDraw, ImageFont

from domain.errors import UploadInvalid

Pixels: TypeAlias = tuple[int, int, int, int]

INTER = ("fontpkg_inter", "files/Inter[opsz,wght].ttf")
PACKAGES = (INTER, ("manimgx_fonts", "NotoSans*.ttf"), ("manimgx_fonts_cjk", "*"), ("ziafont", "fonts/DejaVuSans.ttf"))
"""Where fonts are, the most wanted first: each label is set in one that has all of its characters."""

LINE, MARGIN = 1.25, 0.3
"""Of the size of the letters: from line to line, and around the lines."""
LEAST_SIZE, LARGEST_SIZE = 6, 400
"""Pixels. What is smaller nobody reads; it is drawn all the same, and cut off by its box."""
SEMIBOLD = 600
SMOOTHEST = 4
ROUND = 0.18
"""The radius of a label's corners, of its shorter side."""
DIGITS = 0.62
"""The height of a badge's digits, of its circle."""
HALO = 0.07
"""The white ring around a badge, of its circle."""
BRIGHT = 150
"""Of 255, from where on a colour takes black letters: with white ones its contrast would be below 3:1."""


def label(picture: Image.Image, box: Pixels, text: str, color: str) -> None:
    """A label that fills ``box``, with ``text`` as large as it fits.

    Raises:
        UploadInvalid: No font here has all of its characters.
    """
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    _shape(picture, box, color, radius=min(width, height) * ROUND)
    lines = text.rstrip("\n").split("\n")
    path = _font_for(text)
    size = _fitting(path, lines, width, height)
    font = _font(path, size)
    sheet = Image.new("L", (width, height), 0)
    pen = ImageDraw.Draw(sheet)
    first = height / 2 - LINE * size * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        pen.text((width / 2, first + number * LINE * size), line, fill=255, font=font, anchor="mm")
    picture.paste(_ink_on(color), (left, top), sheet)


def badge(picture: Image.Image, box: Pixels, number: int, color: str) -> None:
    """A circle in the middle of ``box`` with the number in it, and a thin white ring around it."""
    left, top, right, bottom = box
    side = max(min(right - left, bottom - top), 1)
    x, y = (left + right - side) // 2, (top + bottom - side) // 2
    halo = max(1, round(side * HALO))
    _shape(picture, (x, y, x + side, y + side), "#ffffff", radius=side / 2)
    inner = (x + halo, y + halo, max(x + side - halo, x + halo + 1), max(y + side - halo, y + halo + 1))
    _shape(picture, inner, color, radius=side / 2)
    digits = str(number)
    size = max(LEAST_SIZE, round(side * DIGITS * min(1.0, 2.2 / (len(digits) + 0.8))))
    sheet = Image.new("L", (side, side), 0)
    font = _font(_font_for(digits), size)
    ImageDraw.Draw(sheet).text((side / 2, side / 2), digits, fill=255, font=font, anchor="mm")
    picture.paste(_ink_on(color), (x, y), sheet)


def _shape(picture: Image.Image, box: Pixels, color: str, *, radius: float) -> None:
    left, top, right, bottom = box
    size = ((right - left) * SMOOTHEST, (bottom - top) * SMOOTHEST)
    if size[0] * size[1] > 36_000_000:  # of a large picture: no edge is seen so close
        picture.paste(ImageColor.getrgb(color), box)
        return
    mask = Image.new("L", size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius * SMOOTHEST, fill=255)
    picture.paste(ImageColor.getrgb(color), (left, top), mask.reduce(SMOOTHEST))


def _ink_on(color: str) -> tuple[int, int, int]:
    red, green, blue = ImageColor.getrgb(color)[:3]
    return (17, 17, 17) if (299 * red + 587 * green + 114 * blue) // 1000 > BRIGHT else (255, 255, 255)


def _fitting(path: str, lines: list[str], width: int, height: int) -> int:
    """The largest size in pixels at which all lines stand in the box."""
    size = int(height / (LINE * len(lines) + 2 * MARGIN - (LINE - 1)))
    size = min(max(size, LEAST_SIZE), LARGEST_SIZE)
    font = _font(path, size)
    widest = max(font.getlength(line) for line in lines) + 2 * MARGIN * size
    return max(LEAST_SIZE, min(size, int(size * width / widest)) if widest > width else size)


@lru_cache(maxsize=32)
def _font(path: str, size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(path, size)
    if "[" in path:  # a variable font, which names its axes so
        font.set_variation_by_axes([_axis(each) for each in font.get_variation_axes()])
    return font


def _axis(axis: Mapping[str, Any]) -> float:
    wanted = SEMIBOLD if axis["name"] == b"Weight" else axis["default"]
    return float(min(max(wanted, axis["minimum"]), axis["maximum"]))


def _font_for(text: str) -> str:
    characters = {ord(each) for each in text if not each.isspace()}
    for path in _fonts():
        if characters <= _known(path):
            return path
    known = frozenset().union(*map(_known, _fonts()))
    lacking = " ".join(sorted(chr(each) for each in characters - known)) or text
    raise UploadInvalid(f"No font here can draw this text: {lacking[:40]}. Write it in other letters.")


@lru_cache(maxsize=1)
def _fonts() -> tuple[str, ...]:
    found: list[str] = []
    for package, pattern in PACKAGES:
        spec = find_spec(package)
        for place in spec.submodule_search_locations or () if spec else ():
            folder = Path(place)
            exact = folder / pattern
            files = [exact] if exact.is_file() else sorted(folder.glob(pattern))
            found += [str(each) for each in files if each.suffix in (".ttf", ".otf", ".ttc")]
    return tuple(found)


@lru_cache(maxsize=64)
def _known(path: str) -> frozenset[int]:
    with TTFont(path, lazy=True, fontNumber=0) as font:
        return frozenset(font.getBestCmap() or ())
