"""A project's brand on one document: its texts filled in, its colours as each theme shows them, its steps' numbers."""

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from PIL import Image

from activities.publishing.markup import Blocks, CodeBlock, CodeSpan, Inlines, Text, parse, printable
from activities.publishing.pictures import Illustration
from domain.documents.brand import (
    DARK,
    LIGHT,
    OF_ONE_GUIDE,
    Branding,
    Ground,
    Logo,
    Numbering,
    Placeholder,
    SectionPlace,
    Shade,
    TemplateSection,
    filled,
    names_page,
    pieces,
    shade,
    without,
    without_pages,
    without_unknown,
)

LOGO_FILE = "logo.png"
LOGO_NAME = "guidesmith-logo"
"""Where it lies among files of others."""
GROUND_RIM = 0.15
"""Of a logo's height: around one that brings its ground along."""
LOGO_PIXELS = (200, 56)
"""At most, as a page shows it, of 96 to the inch: half of what it is kept in."""

Line = tuple[str | Placeholder, ...]
"""A header or footer: texts, and between them what only the page itself knows."""


@dataclass(frozen=True, slots=True)
class FilledSection:
    """A section of the template, filled in; ``heading`` is empty where the text brings its own."""

    heading: Inlines
    body: Blocks


@dataclass(frozen=True, slots=True)
class Appearance:
    """What the renderers ask.

    Attributes:
        header, footer: For what has pages. ``heading``, ``imprint``: the same for what has none.
        lead: What stands under the title, after the guide's own.
        before, after: What stands before the guide's first section and after its last.
        light, dark: The accent; ``None``: there is none.
    """

    branding: Branding
    header: Line
    footer: Line
    heading: str
    imprint: str
    lead: Blocks
    before: tuple[FilledSection, ...]
    after: tuple[FilledSection, ...]
    light: Shade | None
    dark: Shade | None

    @property
    def logo(self) -> Logo | None:
        return self.branding.logo

    @property
    def font(self) -> str | None:
        """The family of all text but code."""
        return None if self.branding.brand.font is None else str(self.branding.brand.font)

    @property
    def numbering(self) -> Numbering:
        return self.branding.brand.numbering

    @property
    def tells_page(self) -> bool:
        """Whether header or footer say on which page they stand, so that nobody else has to."""
        return names_page(self.branding.brand.header) or names_page(self.branding.brand.footer)

    @property
    def logo_size(self) -> tuple[int, int]:
        """Pixels of 96 to the inch, at most :data:`LOGO_PIXELS`; 0 without one."""
        if self.logo is None:
            return 0, 0
        share = min(LOGO_PIXELS[0] / self.logo.width, LOGO_PIXELS[1] / self.logo.height, 1)
        return max(1, round(self.logo.width * share)), max(1, round(self.logo.height * share))

    @property
    def logo_address(self) -> str:
        """The logo as an address that holds it."""
        return "" if self.logo is None else f"data:image/png;base64,{base64.b64encode(self.logo.png).decode()}"


def appearance(
    branding: Branding, *, title: str, version: int, day: str, steps: int, duration_ms: int | None
) -> Appearance:
    """The brand on a document of that title and so many steps; ``day``: on which its version was written, and
    ``duration_ms``: the length of its recording, where they are known."""
    values: dict[str, str] = {
        Placeholder.TITLE: title,
        Placeholder.PROJECT: printable(branding.project),
        Placeholder.DATE: day,
        Placeholder.VERSION: str(version),
        Placeholder.STEPS: str(steps),
        Placeholder.MINUTES: "" if duration_ms is None else str(max(1, round(duration_ms / 60_000))),
    }
    brand = branding.brand
    header, footer = (without_unknown(printable(each), values) for each in (brand.header, brand.footer))

    def sections(place: SectionPlace) -> tuple[FilledSection, ...]:
        made = (_section(each, values) for each in brand.sections if each.place is place)
        return tuple(each for each in made if each.heading or each.body)

    return Appearance(
        branding=branding,
        header=pieces(header, values),
        footer=pieces(footer, values),
        heading=filled(without_pages(header), values),
        imprint=filled(without_pages(footer), values),
        lead=_text(brand.lead, values),
        before=sections(SectionPlace.BEFORE),
        after=sections(SectionPlace.AFTER),
        light=shade(brand, LIGHT),
        dark=shade(brand, DARK),
    )


def shown_anywhere(appearance: Appearance) -> Illustration | None:
    """The logo as a picture for pages whose ground is not ours, twice as sharp as it is shown: one that is cut out
    brings the ground along that it can be seen on."""
    logo = appearance.logo
    if logo is None:
        return None
    width, height = (2 * side for side in appearance.logo_size)
    out = io.BytesIO()
    with Image.open(io.BytesIO(logo.png)) as image:
        made = image.convert("RGBA")
        made.thumbnail((width, height), Image.Resampling.LANCZOS)
    if logo.ground is not Ground.ANY:
        rim = round(made.height * GROUND_RIM)
        colour = DARK.page if logo.ground is Ground.DARK else LIGHT.page
        ground = Image.new("RGBA", (made.width + 2 * rim, made.height + 2 * rim), colour)
        ground.alpha_composite(made, (rim, rim))
        made = ground
    made.save(out, "PNG")
    alt = printable(appearance.branding.project)
    return Illustration(LOGO_NAME, out.getvalue(), "png", made.width, made.height, alt, None)


def lines_of_many(branding: Branding) -> tuple[str, str]:
    """Header and footer for what shows several guides of the project: without what is each guide's own."""
    brand, values = branding.brand, {str(Placeholder.PROJECT): printable(branding.project)}
    header, footer = (filled(without(printable(line), OF_ONE_GUIDE), values) for line in (brand.header, brand.footer))
    return header, footer


def _section(section: TemplateSection, values: Mapping[str, str]) -> FilledSection:
    heading = filled(without_unknown(printable(section.heading), values), values).strip()
    return FilledSection((Text(heading),) if heading else (), _text(section.text, values))


def _text(markdown: str, values: Mapping[str, str]) -> Blocks:
    blocks: Blocks = _filled(parse(without_unknown(markdown, values)).blocks, values)
    return blocks


def _filled(node: Any, values: Mapping[str, str]) -> Any:
    """The tree with the placeholders in its texts filled in: what a title says is never read as Markdown."""
    match node:
        case tuple():
            return tuple(_filled(each, values) for each in node)
        case Text(text) | CodeSpan(text) | CodeBlock(text, _):
            return replace(node, text=filled(text, values))
    if not is_dataclass(node):
        return node
    within = {each.name: getattr(node, each.name) for each in fields(node)}
    changed = {name: _filled(value, values) for name, value in within.items() if isinstance(value, tuple)}
    return replace(node, **changed) if changed else node  # type: ignore[type-var]
