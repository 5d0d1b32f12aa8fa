"""A painter that needs no key and no model: it sets the prompt as a poster. The same order gives the same bytes.

It does not pretend: what it draws is the prompt's own words on shapes that their hash chooses, and the asset's
provenance says ``embedded-poster``.
"""

import colorsys
import io
import random
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from activities.imaging.painters import Painted
from activities.process.checksums import check_file, check_fonts, fonts_of
from activities.providers.cancellation import Stop
from domain.canonical import digest
from domain.orders.picture import PictureOrder

VERSION = "1"
"""Raise it when the same order would give other bytes."""

MARGIN = 0.08
LARGEST, SMALLEST = 0.13, 0.02
"""Type sizes, as parts of the shorter side."""
TEXT_HEIGHT = 0.62
"""The part of the picture that the words may fill."""
LEADING = 1.18
SHAPES = 9
IMPRINT = "guidesmith poster · drawn without an image model"

Font = ImageFont.FreeTypeFont


class EmbeddedPoster:
    """Sets prompts as posters, PNG."""

    name = "embedded-poster"

    def paint(self, order: PictureOrder, *, request_id: str, stop: Stop) -> Painted:
        stop()
        return Painted(poster(order), f"{self.name}/{VERSION}")


def poster(order: PictureOrder) -> bytes:
    """The poster of an order: a PNG of its size."""
    choices = random.Random(digest(VERSION, order.prompt, order.params))  # noqa: S311  (chooses colours)
    hue = choices.random()
    picture = _ground(order.size, hue)
    _shapes(picture, choices, hue)
    _words(picture, " ".join(order.prompt.split()))
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=6)
    return out.getvalue()


def _colour(hue: float, lightness: float, saturation: float = 0.55) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part) for part in colorsys.hls_to_rgb(hue % 1.0, lightness, saturation))
    return red, green, blue


def _ground(size: tuple[int, int], hue: float) -> Image.Image:
    """A vertical gradient, dark enough for white type."""
    width, height = size
    column = Image.new("RGB", (1, 2))
    column.putpixel((0, 0), _colour(hue, 0.30))
    column.putpixel((0, 1), _colour(hue + 0.10, 0.16))
    return column.resize((width, height), Image.Resampling.BILINEAR)


def _shapes(picture: Image.Image, choices: random.Random, hue: float) -> None:
    width, height = picture.size
    for _ in range(SHAPES):
        layer = Image.new("L", picture.size, 0)
        pen = ImageDraw.Draw(layer)
        x, y = choices.randint(0, width), choices.randint(0, height)
        reach = choices.randint(min(width, height) // 10, min(width, height) // 3)
        alpha = choices.randint(28, 70)
        if choices.random() < 0.5:
            pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=alpha)
        else:
            pen.regular_polygon((x, y, reach), choices.choice((3, 4, 6)), choices.randint(0, 90), fill=alpha)
        picture.paste(_colour(hue + choices.uniform(-0.12, 0.12), 0.5), (0, 0), layer)


def _words(picture: Image.Image, text: str) -> None:
    width, height = picture.size
    short, margin = min(width, height), round(MARGIN * min(width, height))
    file = _font_for(text)
    font, lines = _set(file, text, width - 2 * margin, round(TEXT_HEIGHT * height), short)
    pen = ImageDraw.Draw(picture)
    step = font.size * LEADING
    top = (height - step * len(lines)) / 2
    for number, line in enumerate(lines):
        pen.text((margin, top + number * step), line, font=font, fill=(255, 255, 255))
    small = _font(_font_for(IMPRINT), max(round(0.018 * short), 9))
    pen.text((margin, height - margin), IMPRINT, font=small, fill=(255, 255, 255), anchor="ls")


def _set(file: str, text: str, width: int, height: int, short: int) -> tuple[Font, list[str]]:
    """The largest type in which the text fits; at the smallest, as many lines as fit."""
    size = round(LARGEST * short)
    while True:
        font = _font(file, size)
        lines = list(_lines(text, font, width))
        room = max(1, int(height / (size * LEADING)))
        if len(lines) <= room:
            return font, lines
        if size <= round(SMALLEST * short):
            return font, [*lines[: room - 1], "…"]
        size = max(round(SMALLEST * short), int(size * 0.9))


def _lines(text: str, font: Font, width: int) -> Iterator[str]:
    """Broken at spaces, and within words that are longer than a line."""

    def fit(part: str) -> bool:
        return bool(font.getlength(part) <= width)

    line = ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if fit(joined):
            line = joined
            continue
        if line:
            yield line
        line = word
        while len(line) > 1 and not fit(line):
            fits = max(1, bisect_left(range(1, len(line)), True, key=lambda count: not fit(line[:count])))
            yield line[:fits]
            line = line[fits:]
    yield line


# --- fonts -------------------------------------------------------------------------------------------------------


def _font_for(text: str) -> str:
    """The font file that has most of the text's characters; the first of equals."""
    shown = {ord(each) for each in text if not each.isspace()}
    return max(_files(), key=lambda file: len(shown & _coverage(file)))


@lru_cache(maxsize=1)
def _files() -> tuple[str, ...]:
    """Fonts that come as packages, so that a poster looks the same wherever it is drawn."""
    import fontpkg_inter  # whoever has no poster drawn does without them
    import manimgx_fonts

    inter = check_file("fontpkg-inter", fontpkg_inter.ROOT / "files" / "Inter[opsz,wght].ttf")
    noto = sorted(check_fonts("manimgx-fonts", Path(manimgx_fonts.__file__).parent).glob("NotoSans*.ttf"))
    others = [each for package in ("manimgx_fonts_cjk", "ziafont") for each in _packaged(package)]
    return tuple(str(each) for each in (inter, *noto, *others))


def _packaged(package: str) -> list[Path]:
    found = find_spec(package)
    if found is None or found.origin is None:
        return []
    return list(fonts_of(check_fonts(package.replace("_", "-"), Path(found.origin).parent)))


@lru_cache(maxsize=64)
def _coverage(file: str) -> frozenset[int]:
    from fontTools.ttLib import TTFont

    with TTFont(file, fontNumber=0, lazy=True) as font:
        return frozenset(font.getBestCmap() or ())


@lru_cache(maxsize=32)
def _font(file: str, size: int) -> Font:
    return ImageFont.truetype(file, size)
