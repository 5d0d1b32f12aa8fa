"""One HTML file that holds everything: its style, its pictures, and no script. Or, within a :class:`Frame`, a page of
several, whose pictures are files beside it.

What a user wrote goes through the tree of ``markup.py``, is escaped here, and is sanitised once more by nh3, so that
a fault in one of them is not yet a hole. The page's own policy lets a browser load nothing at all but the pictures
inside it.
"""

import base64
import hashlib
import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files

import nh3
from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from activities.publishing.branding.appearance import Appearance
from activities.publishing.branding.sheet import FONT_FACE, sheet
from activities.publishing.direction import Direction, of_language, of_nodes, of_text
from activities.publishing.labels import primary_language
from activities.publishing.manuscript import Manuscript, Section, SectionKind
from activities.publishing.markup import (
    Block,
    Blocks,
    CodeBlock,
    CodeSpan,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Style,
    Styled,
    Table,
    Text,
    parse,
    plain,
)
from activities.publishing.pictures import Illustration
from domain.documents.brand import Numbering
from domain.documents.publication import clock

CONTENTS_FROM = 3
"""Headings below which a table of contents says nothing that the page does not."""
HEADING_SHIFT = 2
"""The page's title is h1, a section's heading h2; what stands inside begins at h3."""
MARKS = {Style.EMPHASIS: "em", Style.STRONG: "strong", Style.STRUCK: "s"}
ALLOWED_TAGS = {
    *("p", "h3", "h4", "h5", "h6", "pre", "code", "blockquote", "ul", "ol", "li", "hr", "br", "a", "em", "strong", "s"),
    *("div", "table", "thead", "tbody", "tr", "th", "td"),
}
ALLOWED_ATTRIBUTES = {"*": {"dir"}, "a": {"href"}, "ol": {"start"}, "th": {"class"}, "td": {"class"}, "div": {"class"}}


def in_page(picture: Illustration) -> str:
    """The picture's address where it is in the page itself."""
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"


@dataclass(frozen=True)
class Frame:
    """What is around a page that is one of several, as our own markup.

    Args:
        style: Added to the page's own.
        script: Runs before the page is shown.
        top, bottom: Stand before and after the document.
        address: Where a picture is; ``logo``: where a brand's is, empty: in the page itself.
        pictures: What the policy lets pictures come from.
    """

    style: str = ""
    script: str = ""
    top: str = ""
    bottom: str = ""
    address: Callable[[Illustration], str] = in_page
    logo: str = ""
    pictures: str = "data:"


ALONE = Frame()


def webpage(manuscript: Manuscript, on_progress: Callable[[], None] = lambda: None, frame: Frame = ALONE) -> str:
    """The page. The same manuscript gives the same text."""
    language = primary_language(manuscript.publication.language)
    direction = of_language(language)
    lead = _sanitised(_blocks(manuscript.lead, direction))
    sections = list(_sections(manuscript.sections, direction, on_progress, frame.address))
    look = manuscript.appearance
    style = base_style() + "".join(_crops(manuscript.sections))
    if look is not None:
        style += "\n".join(_branded(look, _said(manuscript, look, lead, sections)))
    style += frame.style
    return _template().render(
        language=manuscript.publication.language or language,
        direction=direction,
        title_direction=of_nodes(manuscript.title, direction),
        policy=policy(style, frame.script, frame.pictures),
        style=Markup(style),  # noqa: S704 - our own file, and colours and families of a brand, which are checked
        script=Markup(frame.script),  # noqa: S704 - our own file
        top=Markup(frame.top),  # noqa: S704 - our own markup
        bottom=Markup(frame.bottom),  # noqa: S704 - our own markup
        labels=manuscript.labels,
        title=_sanitised(_inlines(manuscript.title)),
        title_text=manuscript.title_text,
        lead=lead,
        edition=manuscript.edition,
        contents=sum(bool(section.heading) for section in manuscript.sections) >= CONTENTS_FROM,
        sections=sections,
        remarks=[(remark, of_text(remark, direction)) for remark in manuscript.remarks],
        look=look,
        logo=frame.logo or ("" if look is None else look.logo_address),
    )


def fragment(markdown: str) -> str:
    """A text alone, to be shown within a page; its headings begin at h3."""
    return _sanitised(_blocks(parse(markdown).blocks, "ltr"))


def policy(style: str, script: str = "", pictures: str = "data:") -> str:
    """What a browser may do with a page: show itself, with this style, and run this script."""
    fonts = " font-src data:;" if FONT_FACE in style else ""
    runs = f" script-src {_hashed(script)};" if script else ""
    return (
        f"default-src 'none'; img-src {pictures};{fonts} style-src {_hashed(style)};{runs} "
        "base-uri 'none'; form-action 'none'"
    )


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def ids_of(sections: Iterable[Section]) -> Iterable[str]:
    """What links to each section name: a step's number, for as long as it keeps it; whatever the template adds."""
    parts = place = 0
    for section in sections:
        if section.anchor:
            yield section.anchor
            continue
        place += 1
        parts += section.kind is SectionKind.PART
        if section.number:
            yield f"step-{section.number}"
        else:
            yield f"section-{parts}" if section.kind is SectionKind.PART else f"{section.kind}-{place}"


def _branded(look: Appearance, shown: str) -> Iterable[str]:
    """What a brand adds to the style of a page that says ``shown``."""
    yield from sheet(look.branding.brand, shown)
    if look.numbering is Numbering.NONE:
        yield ".step > .head, nav a { grid-template-columns: 1fr auto; } nav .n { display: none; }"
        yield ".step > .body, aside.inset { margin-inline-start: 0; }"


def _said(manuscript: Manuscript, look: Appearance, lead: str, sections: Iterable[Mapping[str, object]]) -> str:
    """All that the page says in the brand's font, with some markup between it."""
    texts = [manuscript.title_text, manuscript.edition, *manuscript.remarks, *astuple(manuscript.labels)]
    texts += [lead, look.heading, look.imprint]
    for section in sections:
        texts += [str(section[each]) for each in ("heading_text", "label", "body")]
    return "".join(texts)


def _sections(
    sections: Sequence[Section],
    around: Direction,
    on_progress: Callable[[], None],
    address: Callable[[Illustration], str],
) -> Iterable[dict[str, object]]:
    for name, section in zip(ids_of(sections), sections, strict=True):
        on_progress()
        direction = of_nodes((*section.heading, *section.body), around)
        yield {
            "direction": direction,
            "heading_direction": of_nodes(section.heading, direction),
            "id": name,
            "level": section.level,
            "kind": str(section.kind),
            "number": section.number,
            "mark": section.mark,
            "heading": _sanitised(_inlines(section.heading)),
            "heading_text": plain(section.heading),
            "label": section.label,
            "time": None if section.start_ms is None else clock(section.start_ms),
            "body": _sanitised(_blocks(section.body, direction, HEADING_SHIFT + section.level - 1)),
            "illustrations": [_illustration(picture, address) for picture in section.illustrations],
        }


def _crops(sections: Iterable[Section]) -> Iterable[str]:
    """How each part of a picture is cut out of the whole, which is in the page once, until it is opened."""
    for section in sections:
        for picture in section.illustrations:
            if picture.whole is None or picture.crop is None:
                continue
            whole, crop = picture.whole, picture.crop
            ratio = f"{crop.w * whole.width:.2f}/{crop.h * whole.height:.2f}"
            closed = f"#picture-{picture.name}:not([open])"
            yield f"{closed} .view{{aspect-ratio:{ratio};width:{crop.w * whole.width:.0f}px}}\n"
            yield (
                f"{closed} img{{width:{100 / crop.w:.4f}%;"
                f"left:{-100 * crop.x / crop.w:.4f}%;top:{-100 * crop.y / crop.h:.4f}%}}\n"
            )


def _illustration(picture: Illustration, address: Callable[[Illustration], str]) -> dict[str, object]:
    seen = picture.whole or picture
    return {
        "name": picture.name,
        "address": address(seen),
        "alt": picture.alt,
        "width": seen.width,
        "height": seen.height,
        "opens": picture.whole is not None,
        "outcome": picture.is_outcome,
        "time": None if picture.timestamp_ms is None else clock(picture.timestamp_ms),
    }


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(_packaged("webpage.html.j2"))


@cache
def base_style() -> str:
    """What a page without a brand looks like."""
    return "\n" + _packaged("webpage.css")


def _packaged(name: str) -> str:
    return files("activities.publishing").joinpath(name).read_text(encoding="utf-8")


def _sanitised(markup: str) -> Markup:
    safe = nh3.clean(
        markup,
        tags=ALLOWED_TAGS,
        attributes=ALLOWED_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        clean_content_tags={"script", "style"},
    )
    return Markup(safe)  # noqa: S704 - escaped by us and cleaned by nh3


# --- the tree as HTML ------------------------------------------------------------------------------------------


def _blocks(blocks: Blocks, around: Direction, shift: int = HEADING_SHIFT) -> str:
    return "".join(f"{_block(block, around, shift)}\n" for block in blocks)


def _block(block: Block, around: Direction, shift: int) -> str:
    """``around`` is the way that what it stands in reads; it is said where the block reads the other way."""
    direction = of_nodes((block,), around)
    way = f' dir="{direction}"' if direction != around else ""
    match block:
        case Paragraph(content):
            return f"<p{way}>{_inlines(content)}</p>"
        case Heading(level, content):
            tag = f"h{min(6, level + shift)}"
            return f"<{tag}{way}>{_inlines(content)}</{tag}>"
        case CodeBlock(text, _):
            return f"<pre><code>{html.escape(text)}</code></pre>"
        case Quote(inner):
            return f"<blockquote{way}>{_blocks(inner, direction, shift)}</blockquote>"
        case Listing(start, items):
            body = "".join(_item(item, direction, shift) for item in items)
            if start is None:
                return f"<ul{way}>{body}</ul>"
            return f'<ol{way} start="{start}">{body}</ol>' if start != 1 else f"<ol{way}>{body}</ol>"
        case Table():
            return _table(block, way)
        case Rule():
            return "<hr>"


def _item(item: Blocks, around: Direction, shift: int) -> str:
    """A line of text stands in its item bare, without a paragraph's space around it."""
    match item:
        case (Paragraph(content), *rest) if all(isinstance(block, Listing) for block in rest):
            direction = of_nodes(content, around)
            way = f' dir="{direction}"' if direction != around else ""
            return f"<li{way}>{_inlines(content)}{_blocks(tuple(rest), direction, shift)}</li>"
        case _:
            return f"<li>{_blocks(item, around, shift)}</li>"


def _table(table: Table, way: str) -> str:
    def row(cells: Iterable[Inlines], tag: str) -> str:
        aligned = zip(cells, table.aligns, strict=False)
        inner = (f'<{tag} class="{align}">' if align else f"<{tag}>" for _, align in aligned)
        return "".join(f"{opening}{_inlines(cell)}</{tag}>" for opening, cell in zip(inner, cells, strict=False))

    head = f"<thead><tr>{row(table.header, 'th')}</tr></thead>"
    body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in table.rows)
    return f'<div{way} class="table"><table>{head}<tbody>{body}</tbody></table></div>'


def _inlines(content: Iterable[Inline]) -> str:
    return "".join(_inline(node) for node in content)


def _inline(node: Inline) -> str:
    match node:
        case Text(text):
            return html.escape(text)
        case CodeSpan(text):
            return f"<code>{html.escape(text)}</code>"
        case LineBreak(hard):
            return "<br>" if hard else "\n"
        case Styled(style, children):
            return f"<{MARKS[style]}>{_inlines(children)}</{MARKS[style]}>"
        case Link(href, children):
            return f'<a href="{html.escape(href)}">{_inlines(children)}</a>'
