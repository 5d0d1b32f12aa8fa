"""A drawing surface with smooth edges: shapes are drawn large and scaled down once.

Positions and sizes are in pixels of the finished picture. Colours are ``#rrggbb``.
"""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFilter, ImageFont

OVERSAMPLING = 3
FONT_FOLDER = Path("/usr/share/fonts/opentype/inter")
"""Where Debian's package ``fonts-inter`` puts the typeface Inter (SIL Open Font License)."""

Weight = Literal["Regular", "Medium", "SemiBold", "Bold"]
Anchor = Literal["lm", "mm", "rm"]
Point = tuple[float, float]

ICONS: dict[str, list[list[Point]]] = {
    "home": [[(3, 11), (12, 3.5), (21, 11)], [(5.5, 9), (5.5, 20), (18.5, 20), (18.5, 9)]],
    "bill": [
        [(6, 3), (18, 3), (18, 21), (15, 19), (12, 21), (9, 19), (6, 21), (6, 3)],
        [(9.5, 8), (14.5, 8)],
        [(9.5, 12.5), (14.5, 12.5)],
    ],
    "people": [[(4, 20), (4.6, 16.5), (7.5, 14.5), (12, 14), (16.5, 14.5), (19.4, 16.5), (20, 20)]],
    "box": [
        [(12, 3), (20, 7.5), (20, 16.5), (12, 21), (4, 16.5), (4, 7.5), (12, 3)],
        [(4, 7.5), (12, 12), (20, 7.5)],
        [(12, 12), (12, 21)],
    ],
    "chart": [[(4, 20), (20, 20)], [(7, 20), (7, 12)], [(12, 20), (12, 5)], [(17, 20), (17, 9)]],
    "gear": [[(4, 7), (20, 7)], [(4, 12), (20, 12)], [(4, 17), (20, 17)]],
    "search": [[(15.5, 15.5), (20.5, 20.5)]],
    "bell": [[(5, 17), (19, 17), (17, 14), (17, 10), (15.5, 6.5), (12, 5), (8.5, 6.5), (7, 10), (7, 14), (5, 17)]],
    "calendar": [
        [(4, 6), (20, 6), (20, 20), (4, 20), (4, 6)],
        [(4, 10.5), (20, 10.5)],
        [(8.5, 3.5), (8.5, 7)],
        [(15.5, 3.5), (15.5, 7)],
    ],
    "down": [[(6, 9.5), (12, 15.5), (18, 9.5)]],
    "left": [[(14.5, 6), (8.5, 12), (14.5, 18)]],
    "right": [[(9.5, 6), (15.5, 12), (9.5, 18)]],
    "check": [[(5, 12.5), (10, 17.5), (19, 7)]],
    "plus": [[(12, 5), (12, 19)], [(5, 12), (19, 12)]],
    "send": [[(21, 3), (3, 10.5), (10.5, 13.5), (13.5, 21), (21, 3)], [(21, 3), (10.5, 13.5)]],
    "download": [[(12, 4), (12, 15)], [(7, 10.5), (12, 15.5), (17, 10.5)], [(4.5, 20), (19.5, 20)]],
    "pencil": [[(4, 20), (5, 15.5), (16, 4.5), (19.5, 8), (8.5, 19), (4, 20)]],
    "mail": [[(3.5, 6), (20.5, 6), (20.5, 18.5), (3.5, 18.5), (3.5, 6)], [(4, 6.5), (12, 13), (20, 6.5)]],
    "lock": [[(6, 11), (18, 11), (18, 20), (6, 20), (6, 11)], [(8.5, 11), (8.5, 7), (12, 4.5), (15.5, 7), (15.5, 11)]],
    "reload": [
        [(19, 8), (15.5, 5.2), (11, 4.8), (6.5, 7.5), (4.8, 12), (6.5, 16.8), (12, 19.2), (17, 17)],
        [(19.5, 3.5), (19, 8), (14.8, 8.2)],
    ],
}
"""Polylines on a grid of 24 units."""

RINGS: dict[str, list[tuple[float, float, float]]] = {
    "people": [(12, 8, 4)],
    "gear": [(15.5, 7, 2.2), (8.5, 12, 2.2), (14, 17, 2.2)],
    "search": [(10.5, 10.5, 6.5)],
}
"""Circles that belong to an icon: centre and radius, on the same grid."""


@lru_cache(maxsize=64)
def font(size: float, weight: Weight) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONT_FOLDER / f"Inter-{weight}.otf"), size * OVERSAMPLING)


class Canvas:
    """A picture of ``width`` by ``height`` pixels, filled with ``background``."""

    def __init__(self, width: int, height: int, background: str) -> None:
        self.size = (width, height)
        self._image = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), background)
        self._draw = ImageDraw.Draw(self._image)

    def picture(self) -> Image.Image:
        """What has been drawn, at its finished size."""
        return self._image.resize(self.size, Image.Resampling.LANCZOS)

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str | None,
        *,
        radius: float = 0,
        outline: str | None = None,
        stroke: float = 1,
    ) -> None:
        k = OVERSAMPLING
        self._draw.rounded_rectangle(
            (round(x * k), round(y * k), round((x + w) * k) - 1, round((y + h) * k) - 1),
            radius=radius * k,
            fill=fill,
            outline=outline,
            width=round(stroke * k) if outline else 0,
        )

    def shadow(
        self, x: float, y: float, w: float, h: float, *, radius: float = 10, blur: float = 12, strength: float = 0.1
    ) -> None:
        """The soft shadow of a box that will be drawn over it."""
        k, margin = OVERSAMPLING, 3 * blur
        mask = Image.new("L", (round((w + 2 * margin) * k), round((h + 2 * margin) * k)), 0)
        ImageDraw.Draw(mask).rounded_rectangle(
            (margin * k, margin * k, (margin + w) * k, (margin + h) * k), radius * k, fill=round(255 * strength)
        )
        mask = mask.filter(ImageFilter.GaussianBlur(blur * k / 2))
        self._image.paste("#10131a", (round((x - margin) * k), round((y - margin + blur / 3) * k)), mask)

    def disc(self, x: float, y: float, radius: float, fill: str) -> None:
        k = OVERSAMPLING
        self._draw.ellipse(((x - radius) * k, (y - radius) * k, (x + radius) * k, (y + radius) * k), fill=fill)

    def ring(self, x: float, y: float, radius: float, colour: str, stroke: float) -> None:
        k, outer = OVERSAMPLING, radius + stroke / 2
        self._draw.ellipse(
            ((x - outer) * k, (y - outer) * k, (x + outer) * k, (y + outer) * k),
            outline=colour,
            width=round(stroke * k),
        )

    def line(self, points: list[Point], colour: str, stroke: float = 1) -> None:
        """A line with round ends and joints."""
        k = OVERSAMPLING
        self._draw.line([(x * k, y * k) for x, y in points], fill=colour, width=round(stroke * k), joint="curve")
        if stroke > 1:
            for x, y in points:
                self.disc(x, y, stroke / 2, colour)

    def polygon(self, points: list[Point], fill: str) -> None:
        k = OVERSAMPLING
        self._draw.polygon([(x * k, y * k) for x, y in points], fill=fill)

    def icon(self, name: str, x: float, y: float, size: float, colour: str, stroke: float = 1.6) -> None:
        """An icon centred on (x, y)."""
        unit = size / 24
        left, top = x - size / 2, y - size / 2
        for polyline in ICONS[name]:
            self.line([(left + u * unit, top + v * unit) for u, v in polyline], colour, stroke)
        for u, v, radius in RINGS.get(name, []):
            self.ring(left + u * unit, top + v * unit, radius * unit, colour, stroke)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str,
        *,
        weight: Weight = "Regular",
        anchor: Anchor = "lm",
    ) -> None:
        """One line of text, vertically centred on ``y``."""
        k = OVERSAMPLING
        self._draw.text((x * k, y * k), text, colour, font(size, weight), anchor=anchor)

    @staticmethod
    def text_width(text: str, size: float, weight: Weight = "Regular") -> float:
        return font(size, weight).getlength(text) / OVERSAMPLING
