"""One guide as a part of a site: its page, its pictures, and what the site's index says of it, in a ZIP.

The page is that of the HTML export in a frame. Where the site's bar and the way to the next guide come to stand, it has
a mark: these depend on the other guides, and are written when the site is put together. Nothing in the ZIP is packed:
a picture of it can be sent on from its middle.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC
from functools import cache
from hashlib import sha256
from importlib.resources import files

from PIL import Image
from pydantic import BaseModel, ConfigDict

from activities.publishing.archive import zipped
from activities.publishing.branding.appearance import LOGO_FILE, Appearance, lines_of_many
from activities.publishing.direction import of_language, of_nodes
from activities.publishing.labels import primary_language
from activities.publishing.manuscript import Manuscript, Section
from activities.publishing.markup import (
    Block,
    CodeBlock,
    Heading,
    Listing,
    Paragraph,
    Quote,
    Table,
    plain,
)
from activities.publishing.pictures import Illustration
from activities.publishing.webpage import Frame, ids_of, webpage
from domain.documents.brand import Brand, Ground, Logo

PAGE, FACTS, CARD, PICTURES = "index.html", "guide.json", "card.webp", "images"
LOGO = f"{PICTURES}/{LOGO_FILE}"
TOP, BOTTOM = "<!--site-top-->", "<!--site-bottom-->"
"""Where the bar and the way on come to stand. What a user wrote cannot hold them: it is escaped."""

FROM_SITE = "'self' file: data:"
"""Where a site's pictures come from: beside the page, on a server or on a disk."""

CARD_SIZE = (720, 405)
"""Pixels that a card's picture fits in: twice what it is shown at."""
CARD_QUALITY = 82
LEAD_SHOWN = 220
"""Characters of a guide's lead on its card."""
LONGEST_ENTRY = 20_000
"""Characters of a section's text that are searched."""


class Entry(BaseModel):
    """What is searched of one section. ``id``: what a link to it names; empty: the guide itself."""

    model_config = ConfigDict(frozen=True)

    id: str
    number: int
    heading: str
    text: str


class SiteLogo(BaseModel):
    """Of a logo that lies beside a guide's page: its size as pages show it, and what it is seen on. ``digest``: by
    which two are the same."""

    model_config = ConfigDict(frozen=True)

    width: int
    height: int
    ground: Ground
    digest: str


class SiteLook(BaseModel):
    """What a guide's project has the site's index look like. Guides whose looks are equal can share one.

    Args:
        brand: Its accent and font. ``heading``, ``imprint``: header and footer, without what is each guide's own.
    """

    model_config = ConfigDict(frozen=True)

    brand: Brand
    heading: str
    imprint: str
    logo: SiteLogo | None


class GuideFacts(BaseModel):
    """What the site says of a guide outside its page. ``written``: the day, where it is known. ``look``: of its
    project's brand, if it has one; exports of before 0.2.0 do not say it. ``tag``: its language with region or script.
    """

    model_config = ConfigDict(frozen=True)

    title: str
    lead: str
    language: str
    tag: str = ""
    direction: str
    steps: int
    written: str
    has_card: bool
    entries: tuple[Entry, ...]
    look: SiteLook | None = None


def site_part(manuscript: Manuscript, on_progress: Callable[[], None] = lambda: None) -> bytes:
    """The ZIP. The same manuscript gives the same bytes; names in it are ours."""
    page = webpage(manuscript, on_progress, _frame())
    card = _card(manuscript.sections)
    members = [(PAGE, page.encode()), (FACTS, _facts(manuscript, card is not None).model_dump_json().encode())]
    if card is not None:
        members.append((CARD, card))
    for section in manuscript.sections:
        on_progress()
        for picture in section.illustrations:
            seen = picture.whole or picture
            members.append((_address(seen), seen.data))
    if manuscript.appearance is not None and manuscript.appearance.logo is not None:
        members.append((LOGO, manuscript.appearance.logo.png))
    return zipped(members, manuscript.publication.created_at, packed=False)


def _frame() -> Frame:
    return Frame(
        style=packaged("frame.css"),
        script=packaged("theme.js"),
        top=TOP,
        bottom=BOTTOM,
        address=_address,
        logo=LOGO,
        pictures=FROM_SITE,
    )


def _address(picture: Illustration) -> str:
    return f"{PICTURES}/{picture.filename}"


@cache
def packaged(name: str) -> str:
    """A file beside this module, as text."""
    return files("activities.publishing.site").joinpath(name).read_text(encoding="utf-8")


def _facts(manuscript: Manuscript, has_card: bool) -> GuideFacts:
    publication = manuscript.publication
    around = of_language(publication.language)
    lead = _text(manuscript.own_lead)
    return GuideFacts(
        title=manuscript.title_text,
        lead=lead if len(lead) <= LEAD_SHOWN else f"{lead[:LEAD_SHOWN].rsplit(' ', 1)[0]} …",
        language=primary_language(publication.language),
        tag=publication.language or "",
        direction=of_nodes((*manuscript.title, *manuscript.own_lead), around),
        steps=len(manuscript.steps),
        written="" if publication.created_at is None else f"{publication.created_at.astimezone(UTC):%Y-%m-%d}",
        has_card=has_card,
        entries=tuple(_entries(lead, manuscript.sections)),
        look=None if manuscript.appearance is None else _look(manuscript.appearance),
    )


def _look(appearance: Appearance) -> SiteLook | None:
    chosen, logo = appearance.branding.brand, appearance.logo
    heading, imprint = lines_of_many(appearance.branding)
    look = SiteLook(
        brand=Brand(accent=chosen.accent, on_accent=chosen.on_accent, font=chosen.font),
        heading=heading,
        imprint=imprint,
        logo=None if logo is None else _logo(appearance, logo),
    )
    return None if look == SiteLook(brand=Brand(), heading="", imprint="", logo=None) else look


def _logo(appearance: Appearance, logo: Logo) -> SiteLogo:
    width, height = appearance.logo_size
    return SiteLogo(width=width, height=height, ground=logo.ground, digest=sha256(logo.png).hexdigest())


def _entries(lead: str, sections: Sequence[Section]) -> Iterator[Entry]:
    if lead:
        yield Entry(id="", number=0, heading="", text=lead[:LONGEST_ENTRY])
    for name, section in zip(ids_of(sections), sections, strict=True):
        heading, text = plain(section.heading) or section.label, _text(section.body)
        if heading or text:
            yield Entry(id=name, number=section.number, heading=heading, text=text[:LONGEST_ENTRY])


def _text(blocks: Iterable[Block]) -> str:
    """The words of a tree, in one line."""
    return " ".join(" ".join(_texts(blocks)).split())


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph(content) | Heading(_, content):
                yield plain(content)
            case CodeBlock(text, _):
                yield text
            case Quote(inner):
                yield from _texts(inner)
            case Listing(_, items):
                for item in items:
                    yield from _texts(item)
            case Table(_, header, rows):
                for cells in (header, *rows):
                    yield from map(plain, cells)
            case _:
                pass


def _card(sections: Iterable[Section]) -> bytes | None:
    """The first picture, as small as a card shows it."""
    shown = [picture for section in sections for picture in section.illustrations]
    if not shown:
        return None
    picture = next((each for each in shown if not each.is_outcome), shown[0])
    out = io.BytesIO()
    with Image.open(io.BytesIO(picture.data)) as image:
        small = image.convert("RGB")
        small.thumbnail((CARD_SIZE[0], CARD_SIZE[0]), Image.Resampling.LANCZOS, reducing_gap=3.0)
        # a card shows the upper part of what is tall
        small.crop((0, 0, small.width, min(small.height, CARD_SIZE[1]))).save(
            out, "WEBP", quality=CARD_QUALITY, method=4
        )
    return out.getvalue()
