"""The words of a film as pictures: cards that fill it, and the bands below what moves. Set by Typst, as PDFs are, so
that every script is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from activities.confined.outside import Bounds, Died, Overran, answer, made_bytes, places
from activities.filming.scenes import Scene, shortened
from activities.publishing import typesetter
from activities.publishing.branding.appearance import LOGO_FILE, Appearance
from activities.publishing.direction import of_language, of_text
from activities.publishing.fonts import typeface_for
from activities.publishing.labels import primary_language
from activities.publishing.pdf import EPOCH, made_count
from domain.errors import ExportFailed

TEMPLATE = "film.typ"
POINTS = 0.75
"""Of a pixel, at 96 to the inch."""
MOST_SHOWN = 700
"""Characters of a card's text; what is longer is read out whole, and ends here in dots."""
MADE = "card-{:05}"
LARGEST_MADE = 64 << 20
BOUNDS = Bounds(wall_s=600.0, cpu_s=240, memory_bytes=4 << 30)


@dataclass(frozen=True, slots=True)
class Canvas:
    """A film's size in pixels: of the picture, and of the band below it."""

    width: int
    height: int
    band: int

    @property
    def whole(self) -> int:
        """Rows in all."""
        return self.height + self.band


@dataclass(frozen=True, slots=True)
class Cards:
    """A PNG for each scene: the card, or the band. ``missing``: characters that no font at hand has."""

    pictures: tuple[bytes, ...]
    missing: tuple[str, ...]


def cards(
    scenes: Sequence[Scene],
    canvas: Canvas,
    language: str | None,
    edition: str,
    on_progress: Callable[[], None],
    *,
    appearance: Appearance | None = None,
) -> Cards:
    """Set them, in a brand's colours, with its logo and lines where it has them. Raises: ExportFailed: the typesetter
    refused."""
    primary = primary_language(language)
    around = of_language(primary)
    foot = [line for line in (edition, "" if appearance is None else appearance.imprint) if line]
    document = {
        "language": primary,
        "width": canvas.width * POINTS,
        "height": canvas.whole * POINTS,
        "band": canvas.band * POINTS,
        "cards": [
            {
                "kind": each.kind,
                "card": each.is_card,
                "number": each.mark,
                "label": each.label,
                "heading": each.heading,
                "text": shortened(each.text, MOST_SHOWN) if each.is_card else "",
                "head": appearance.heading if appearance is not None and each.kind == "title" else "",
                "foot": foot if each.kind == "title" else [],
                "dir": of_text(f"{each.heading} {each.text}", around),
            }
            for each in scenes
        ],
        "brand": None if appearance is None else _brand(appearance),
    }
    typeface = typeface_for(
        json.dumps(document, ensure_ascii=False), primary, None if appearance is None else appearance.font
    )
    document["fonts"] = typeface.body
    with TemporaryDirectory(prefix="guidesmith-cards-") as made:
        folder = Path(made).resolve()
        template = files("activities.filming").joinpath(TEMPLATE).read_text(encoding="utf-8")
        (folder / TEMPLATE).write_text(template, encoding="utf-8")
        (folder / "document.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        if appearance is not None and appearance.logo is not None:
            (folder / LOGO_FILE).write_bytes(appearance.logo.png)
        order = {
            "root": str(folder),
            "template": TEMPLATE,
            "format": "png",
            "ppi": 96.0,
            "date": EPOCH.isoformat(),
            "fonts": [str(each) for each in typeface.folders],
            "system_fonts": typeface.with_system,
            "made": MADE,
        }
        return Cards(_pictures(folder, order, len(scenes), on_progress), typeface.missing)


def _brand(appearance: Appearance) -> dict[str, object]:
    shade, logo = appearance.dark, appearance.logo  # a film's ground is dark
    return {
        "colours": None if shade is None else {"ink": shade.ink, "fill": shade.fill, "on-fill": shade.on_fill},
        "logo": None
        if logo is None
        else {"file": LOGO_FILE, "ground": logo.ground, "name": appearance.branding.project},
    }


def _pictures(folder: Path, order: dict[str, object], count: int, on_progress: Callable[[], None]) -> tuple[bytes, ...]:
    script = Path(typesetter.__file__)
    try:
        told = answer(script, order, BOUNDS, environment=places(), on_poll=on_progress, loads=typesetter.LOADS)
        if "error" in told or made_count(told) != count:
            raise _failed(str(told.get("error", "other pages than scenes")))
        return tuple(made_bytes(folder, MADE.format(place), LARGEST_MADE) for place in range(count))
    except Overran:
        raise _failed("the typesetter took too long") from None
    except Died:
        raise _failed("the typesetter stopped") from None


def _failed(reason: str) -> ExportFailed:
    return ExportFailed(
        "The words of the video could not be set. Export the version as PDF or HTML instead, or simplify its headings.",
        details={"reason": reason},
    )
