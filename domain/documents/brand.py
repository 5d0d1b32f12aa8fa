"""How a project's guides look to whoever gets one, and how they are built: its logo, colours, font, header and footer,
and its template, which is a lead and sections before the first step and after the last.

A brand is put on as an export is made, and stands in no document: a text is its writer's, with what it rests on, and
a sentence that every guide of a project begins with is changed in one place.
"""

import re
from collections.abc import Container, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, model_validator

from domain.errors import ColoursUnreadable, RequestInvalid
from domain.jobs import Frozen

LINE_LIMIT = 200
"""Characters of a header or footer, or of a section's heading."""
LEAD_LIMIT = 1000
"""Characters of what stands under each title; Markdown."""
SECTION_LIMIT = 12
"""Sections of a template: with more, a guide is no longer its writer's."""
TEXT_LIMIT = 4000
"""Characters of a section's text; Markdown."""

LOGO_BYTES = 512 * 1024
"""Of a logo's file, as it comes and as it is kept: every page that is made holds it."""
LOGO_SIDE = range(16, 4097)
"""Pixels of each side of the file that comes."""
LOGO_MADE = (800, 320)
"""Pixels that it is made to fit: twice as sharp as the largest it is shown."""
LOGO_RATIO = 12
"""How many times as wide as high, or as high as wide, it may be."""

READABLE = 4.5
"""Contrast of text with its ground (WCAG 2.2, 1.4.3, AA)."""
SEEN = 3.0
"""Contrast of a shape with what is around it (WCAG 2.2, 1.4.11)."""

_COLOUR = re.compile(r"#[0-9a-f]{6}")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
_APART = re.compile(r"\s*[·|]\s*")
_HEADED = re.compile(r"#{1,2}[ \t]+([^\n]*[^\s#])[ \t#]*(?:\n+|$)")
_MARKED = re.compile(r"[*_`~\[\]<>&\\]")
_BLACK, _WHITE = "#000000", "#ffffff"


class BrandFont(StrEnum):
    """The families that travel with the package in all weights, upright and slanted."""

    INTER = "Inter"
    NOTO_SANS = "Noto Sans"
    JETBRAINS_MONO = "JetBrains Mono"


class Numbering(StrEnum):
    """``steps``: 1, 2, 3 through the whole guide. ``parts``: its parts are numbered, and their steps are 2.1, 2.2.
    ``none``: nothing is."""

    STEPS = "steps"
    PARTS = "parts"
    NONE = "none"


class Placeholder(StrEnum):
    """What a brand's texts may name in braces. ``date`` is the version's day, on which the guide was last changed, as
    2026-11-30; ``steps`` is how many it has, ``minutes`` the length of its recording, rounded, at least 1."""

    TITLE = "title"
    PROJECT = "project"
    DATE = "date"
    VERSION = "version"
    STEPS = "steps"
    MINUTES = "minutes"
    PAGE = "page"
    PAGES = "pages"


ON_PAPER = frozenset({Placeholder.PAGE, Placeholder.PAGES})
"""Only what has pages can say these, and only in a header or footer."""


OF_ONE_GUIDE = frozenset(Placeholder) - {Placeholder.PROJECT}
"""What says something else in each guide of a project."""


class Ground(StrEnum):
    """What a logo is seen on: one that has its own ground, on any; one that is cut out, on what it differs from."""

    ANY = "any"
    LIGHT = "light"
    DARK = "dark"


class SectionPlace(StrEnum):
    """Where a section of a template stands: before the first of the guide's own, or after the last."""

    BEFORE = "before"
    AFTER = "after"


class TemplateSection(Frozen):
    """A section that every guide of a project has. ``heading`` is plain text on one line, ``text`` Markdown, both with
    placeholders; one of them may be empty."""

    place: SectionPlace
    heading: str = ""
    text: str = ""


class Brand(Frozen):
    """What somebody chose. An empty one changes nothing at all.

    Args:
        accent: ``#rrggbb``, in lower case. ``on_accent``: of what is written on it; ``None``: black or white.
        header, footer: One line each, with placeholders.
        lead: Markdown, with placeholders: stands under each title, after what the guide says there itself.
        sections: In their order; those of one place follow one another.
    """

    accent: str | None = None
    on_accent: str | None = None
    font: BrandFont | None = None
    header: str = ""
    footer: str = ""
    lead: str = ""
    sections: tuple[TemplateSection, ...] = ()
    numbering: Numbering = Numbering.STEPS

    @model_validator(mode="before")
    @classmethod
    def _as_sections(cls, stored: Any) -> Any:
        """Brands that were stored when there was one text before the steps and one after them."""
        if not isinstance(stored, dict) or not {"before", "closing"} & stored.keys():
            return stored
        texts = (SectionPlace.BEFORE, stored.get("before")), (SectionPlace.AFTER, stored.get("closing"))
        sections = [section_of(text, place) for place, text in texts if text]
        kept = {name: value for name, value in stored.items() if name not in ("before", "closing")}
        return {**kept, "sections": [*sections, *kept.get("sections", ())]}

    @property
    def names_project(self) -> bool:
        """Whether the project's name stands in its texts."""
        named = f"{{{Placeholder.PROJECT}}}"
        within = (text for each in self.sections for text in (each.heading, each.text))
        return any(named in text for text in (self.header, self.footer, self.lead, *within))


def section_of(markdown: str, place: SectionPlace) -> TemplateSection:
    """A section that is written as one text, whose heading is its first line: ``## Before you begin``. A heading with
    marks in it stays in the text, where they are read."""
    found = _HEADED.match(markdown)
    if found is None or _MARKED.search(found.group(1)) or len(found.group(1)) > LINE_LIMIT:
        return TemplateSection(place=place, text=markdown)
    return TemplateSection(place=place, heading=found.group(1), text=markdown[found.end() :])


class Logo(Frozen):
    """A logo as it is kept: a PNG that was made here of what came, with nothing else of that file in it."""

    png: bytes
    width: int
    height: int
    ground: Ground


class SavedBrand(Frozen):
    """A brand as it was saved once. It never changes: what was made with it stays what it is."""

    id: str
    project_id: str
    brand: Brand
    logo: Logo | None = None
    saved_by: str
    saved_at: datetime

    @property
    def is_plain(self) -> bool:
        """Whether it changes nothing: guides look as they do without one."""
        return self.logo is None and self.brand == Brand()


class Branding(BaseModel):
    """A brand put on a publication. ``project``: the name that the project has."""

    model_config = ConfigDict(frozen=True)

    brand: Brand = Brand()
    logo: Logo | None = None
    project: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it changes nothing."""
        return self.logo is None and self.brand == Brand()


# --- colours -------------------------------------------------------------------------------------------------------


class Shade(NamedTuple):
    """An accent as one theme shows it.

    Attributes:
        fill: Of what is filled with it; ``on_fill``: of what is written there.
        ink: Of what is written in it on the page, and on ``wash``, which is a breath of it. ``is_moved``: it is not the
            accent itself, which could not be read there.
    """

    fill: str
    on_fill: str
    ink: str
    wash: str
    is_moved: bool


class Paper(NamedTuple):
    """A theme: its page, and what stands out from it a little; where colours are moved so that they can be read; how
    much of an accent its wash has."""

    page: str
    wash: str
    toward: str
    share: float


LIGHT = Paper("#ffffff", "#f4f6f8", _BLACK, 0.1)
DARK = Paper("#14191f", "#1c232b", _WHITE, 0.18)
"""As ``activities/publishing/webpage.css`` and ``instruction.typ`` have them."""


def contrast(one: str, other: str) -> float:
    """From 1 to 21 (WCAG 2.2, contrast ratio)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def shade(brand: Brand, paper: Paper) -> Shade | None:
    """The brand's accent on that paper; ``None``: it has none."""
    if brand.accent is None:
        return None
    wash = mixed(paper.page, brand.accent, paper.share)
    ink = _moved(brand.accent, (paper.page, paper.wash, wash), paper.toward, READABLE)
    # on white paper a pale accent stays what it is: what is read is the number on it
    fill = _moved(brand.accent, (paper.page,), paper.toward, SEEN) if paper is DARK else brand.accent
    chosen = brand.on_accent
    on_fill = chosen if chosen and contrast(chosen, fill) >= READABLE else readable_on(fill)
    return Shade(fill, on_fill, ink, wash, ink != brand.accent)


def readable_on(fill: str) -> str:
    """White where that can be read on it, else black, which then can."""
    return _WHITE if contrast(_WHITE, fill) >= READABLE else _BLACK


def mixed(one: str, other: str, share: float) -> str:
    """``one`` with ``share`` (0 to 1) of ``other``."""
    parts = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(own + (its - own) * share):02x}" for own, its in parts)


def _moved(colour: str, grounds: tuple[str, ...], toward: str, least: float) -> str:
    """The colour, moved no farther than it takes to stand out from all ``grounds``."""
    for step in range(65):
        moved = mixed(colour, toward, step / 64)
        if all(contrast(moved, ground) >= least for ground in grounds):
            return moved
    return toward


def _luminance(colour: str) -> float:
    shares = (channel / 255 for channel in _channels(colour))
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


# --- texts ---------------------------------------------------------------------------------------------------------


def check_brand(brand: Brand) -> None:
    """Raises: RequestInvalid: No brand may be like that; the message says why. ColoursUnreadable: What is written on
    the accent could not be read."""
    for field, colour in (("accent", brand.accent), ("on_accent", brand.on_accent)):
        if colour is not None and not _COLOUR.fullmatch(colour):
            raise RequestInvalid("A colour is written as #1f5a94: six digits of 0 to 9 and a to f.", field=field)
    if brand.on_accent is not None:
        if brand.accent is None:
            raise RequestInvalid("Choose an accent first: this is the colour of what is written on it.", field="accent")
        found = contrast(brand.accent, brand.on_accent)
        if found < READABLE:
            raise ColoursUnreadable(
                f"{brand.on_accent} on {brand.accent} has a contrast of {found:.2f}:1, and text needs {READABLE}:1. "
                f"Leave it out, and {readable_on(brand.accent)} is taken.",
                details={"contrast": round(found, 2), "needed": READABLE},
            )
    for field in ("header", "footer"):
        _check_text(getattr(brand, field), field, LINE_LIMIT, on_paper=True)
    _check_text(brand.lead, "lead", LEAD_LIMIT, on_paper=False)
    if len(brand.sections) > SECTION_LIMIT:
        raise RequestInvalid(f"A template may have {SECTION_LIMIT} sections at most.", field="sections")
    for place, section in enumerate(brand.sections):
        _check_text(section.heading, f"sections.{place}.heading", LINE_LIMIT, on_paper=False)
        _check_text(section.text, f"sections.{place}.text", TEXT_LIMIT, on_paper=False)
        if not section.heading.strip() and not section.text.strip():
            raise RequestInvalid("A section needs a heading or a text.", field=f"sections.{place}")


def _check_text(text: str, field: str, most: int, *, on_paper: bool) -> None:
    if len(text) > most:
        raise RequestInvalid(f"This may have {most} characters at most.", field=field)
    known = [each for each in Placeholder if on_paper or each not in ON_PAPER]
    for name in _PLACEHOLDER.findall(text):
        if name not in known:
            named = ", ".join(f"{{{each}}}" for each in known)
            raise RequestInvalid(f"{{{name}}} is nothing that is filled in here. There are {named}.", field=field)


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders filled in; one that ``values`` does not have stays."""
    return _PLACEHOLDER.sub(lambda found: values.get(found.group(1), found.group()), text)


def without_unknown(text: str, values: Mapping[str, str]) -> str:
    """The text without what names something that is not known, whose value is empty: of each line the part between
    ``·`` or ``|``, or all of it; of a table the row."""
    unknown = [each for each in Placeholder if values.get(each) == ""]
    if not any(f"{{{each}}}" in text for each in unknown):
        return text
    named = {f"{{{each}}}" for each in unknown}
    lines = []
    for line in text.split("\n"):
        is_row = line.lstrip().startswith("|") and any(each in line for each in named)
        lines.append("" if is_row else without(line, unknown))
    return "\n".join(lines)


def pieces(line: str, values: Mapping[str, str]) -> tuple[str | Placeholder, ...]:
    """A header or footer in pieces: texts, and what only the page itself knows (:data:`ON_PAPER`)."""
    made: list[str | Placeholder] = []
    at = 0
    for found in _PLACEHOLDER.finditer(line):
        if found.group(1) in ON_PAPER:
            made += [filled(line[at : found.start()], values), Placeholder(found.group(1))]
            at = found.end()
    return tuple(piece for piece in (*made, filled(line[at:], values)) if piece)


def without_pages(line: str) -> str:
    """A header or footer for what has no pages."""
    return without(line, ON_PAPER)


def without(line: str, named: Container[Placeholder]) -> str:
    """Of a header's or footer's parts, which stand between ``·`` or ``|``, those that name nothing of ``named``."""
    parts = _APART.split(line)
    kept = [part for part in parts if not any(each in named and f"{{{each}}}" in part for each in Placeholder)]
    return line if len(kept) == len(parts) else " · ".join(kept)


def names_page(line: str) -> bool:
    """Whether it says which page it stands on."""
    return f"{{{Placeholder.PAGE}}}" in line
