"""The bodies of how a project's guides look."""

import base64
import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from domain.documents.brand import (
    DARK,
    LEAD_LIMIT,
    LIGHT,
    LINE_LIMIT,
    LOGO_BYTES,
    SECTION_LIMIT,
    TEXT_LIMIT,
    Brand,
    BrandFont,
    Ground,
    Logo,
    Numbering,
    Paper,
    Placeholder,
    SavedBrand,
    SectionPlace,
    contrast,
    shade,
)
from starter.api.shapes import Moment, Sent, Shape, Text
from starter.api.shapes.base import on_one_line

_DIGITS = re.compile(r"[0-9a-f]{6}")

Colour = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_lower=True, max_length=20),
    AfterValidator(lambda colour: f"#{colour}" if _DIGITS.fullmatch(colour) else colour),
]
"""``#rrggbb``, with or without the sign; what else is sent is told about by the domain, in a sentence."""

Bar = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LINE_LIMIT), AfterValidator(on_one_line)]

_NAMES = ", ".join(f"{{{each}}}" for each in Placeholder)


class SectionChoice(Sent):
    """A section that every guide has. Its heading or its text may be left out."""

    place: SectionPlace = Field(description="before: the guide's first section. after: its last.")
    heading: Bar = Field(default="", description="Plain text; may name what the lead may. Contents list it.")
    text: Annotated[Text, StringConstraints(max_length=TEXT_LIMIT)] = Field(
        default="", description="Markdown; may name the same."
    )


class BrandChoice(Sent):
    """What somebody chooses. Each may be left out."""

    accent: Colour | None = Field(default=None, description="#rrggbb. Null: guidesmith's own blue.")
    on_accent: Colour | None = Field(
        default=None,
        description="Of what is written on the accent; refused where it could not be read (WCAG 2.2 AA, 4.5:1). "
        "Null: white or black.",
    )
    font: BrandFont | None = Field(default=None, description="One that travels with the package. Null: Inter.")
    header: Bar = Field(default="", description=f"Above every page. May name {_NAMES}.")
    footer: Bar = Field(default="", description="Below every page. May name the same.")
    lead: Annotated[Text, StringConstraints(max_length=LEAD_LIMIT)] = Field(
        default="",
        description="Under each title, after what the guide says there, in Markdown; may name the same, but pages. A "
        "line, or its part between · or |, that names what is not known is left out.",
    )
    sections: Annotated[tuple[SectionChoice, ...], Field(max_length=SECTION_LIMIT)] = Field(
        default=(), description="In their order; those of one place follow one another."
    )
    numbering: Numbering = Field(
        default=Numbering.STEPS, description="steps: 1, 2, 3. parts: parts too, and steps 2.1, 2.2. none: neither."
    )

    def brand(self) -> Brand:
        return Brand(**self.model_dump())


class NewLogo(Sent):
    data: Annotated[str, StringConstraints(min_length=1, max_length=4 * (LOGO_BYTES // 3 + 2))] = Field(
        description=f"A PNG, JPEG or WebP of at most {LOGO_BYTES // 1024} KiB, in base64."
    )


class LogoFacts(Shape):
    width: int
    height: int
    ground: Ground = Field(description="What it is seen on. dark: documents on white paper give it a dark ground.")

    @classmethod
    def about(cls, logo: Logo) -> "LogoFacts":
        return cls(width=logo.width, height=logo.height, ground=logo.ground)


class LogoAnswer(LogoFacts):
    data: str = Field(description="A PNG, in base64.")

    @classmethod
    def of(cls, logo: Logo) -> "LogoAnswer":
        return cls(**LogoFacts.about(logo).model_dump(), data=base64.b64encode(logo.png).decode())


class ShadeAnswer(Shape):
    fill: str = Field(description="Of what is filled with the accent.")
    on_fill: str = Field(description="Of what is written there.")
    on_fill_contrast: float
    ink: str = Field(description="Of what is written in the accent, on the page.")
    ink_contrast: float
    accent_contrast: float = Field(description="What the accent itself would have there.")
    is_moved: bool = Field(description="The accent itself could not be read there: ink is as near to it as can be.")

    @classmethod
    def of(cls, brand: Brand, paper: Paper) -> "ShadeAnswer | None":
        found = shade(brand, paper)
        if found is None or brand.accent is None:
            return None
        return cls(
            fill=found.fill,
            on_fill=found.on_fill,
            on_fill_contrast=round(contrast(found.on_fill, found.fill), 2),
            ink=found.ink,
            ink_contrast=round(contrast(found.ink, paper.page), 2),
            accent_contrast=round(contrast(brand.accent, paper.page), 2),
            is_moved=found.is_moved,
        )


class BrandAnswer(BrandChoice, Shape):
    model_config = Shape.model_config

    project_id: str
    id: str | None = Field(description="Of what was saved last; exports name it. Null: nobody has saved a brand.")
    logo: LogoFacts | None
    light: ShadeAnswer | None = Field(description="The accent on light pages and on paper; null without one.")
    dark: ShadeAnswer | None = Field(description="The accent on dark pages.")
    saved_by: str | None
    saved_at: Moment | None

    @classmethod
    def of(cls, project_id: str, saved: SavedBrand | None) -> "BrandAnswer":
        brand = Brand() if saved is None else saved.brand
        return cls(
            **brand.model_dump(),
            project_id=project_id,
            id=saved.id if saved else None,
            logo=LogoFacts.about(saved.logo) if saved and saved.logo else None,
            light=ShadeAnswer.of(brand, LIGHT),
            dark=ShadeAnswer.of(brand, DARK),
            saved_by=saved.saved_by if saved else None,
            saved_at=saved.saved_at if saved else None,
        )
