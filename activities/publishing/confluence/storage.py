"""A guide in Confluence's storage format: XHTML with macros, as its documentation has it (Confluence Storage Format).

Headings, panels for notes and warnings, tables, code blocks, and pictures that are attached to the page. What a user
wrote is escaped; the only elements and macros are those named here.
"""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from activities.publishing.branding.appearance import shown_anywhere
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
)
from activities.publishing.pictures import Illustration
from domain.documents.publication import clock

MARKS = {Style.EMPHASIS: "em", Style.STRONG: "strong", Style.STRUCK: "del"}
PANELS = {SectionKind.NOTE: "info", SectionKind.WARNING: "warning"}
WIDEST = 760
"""Pixels at which a picture is shown: the width of a page's text. It opens at its own size."""
OUTLINED_FROM = 3
"""Headings from which on a page has a table of contents."""

_LANGUAGE = re.compile(r"[A-Za-z0-9+#-]{1,30}")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture of the page. Its name begins with its place and ends with what is in it: one that stays the same is not
    sent again, and another one is another file."""

    name: str
    data: bytes
    media_type: str


def mark_of(guide_id: str) -> str:
    """The name of the anchor by which a page is known as a guide's."""
    return f"guidesmith-{guide_id}"


def storage(manuscript: Manuscript, guide_id: str) -> tuple[str, tuple[Attachment, ...]]:
    """The body of the page, and its pictures in their order."""
    pictures = {id(each): _attachment(each) for section in manuscript.sections for each in section.illustrations}
    look = manuscript.appearance
    logo = None if look is None else shown_anywhere(look)
    attachments = [*([] if logo is None else [_attachment(logo)]), *pictures.values()]
    parts = [_macro("anchor", parameters={"": mark_of(guide_id)})]
    if look is not None and logo is not None:
        parts.append(_image(attachments[0], logo.alt, look.logo_size[0]))
    if look is not None and look.heading:
        parts.append(f"<p>{_escaped(look.heading)}</p>")
    parts.append(_blocks(manuscript.lead, 1))
    if sum(bool(section.heading) for section in manuscript.sections) >= OUTLINED_FROM:
        parts.append(_macro("toc", parameters={"maxLevel": "3"}))
    parts += [_section(section, manuscript, pictures) for section in manuscript.sections]
    remarks = [manuscript.edition, *manuscript.remarks]
    parts.append("<hr />" + "".join(f"<p><em>{_escaped(each)}</em></p>" for each in remarks if each))
    if look is not None and look.imprint:
        parts.append(f"<p>{_escaped(look.imprint)}</p>")
    return "\n".join(part for part in parts if part), tuple(attachments)


def _attachment(picture: Illustration) -> Attachment:
    digest = sha256(picture.data).hexdigest()[:12]
    return Attachment(f"{picture.name}-{digest}.{picture.extension}", picture.data, picture.media_type)


def _section(section: Section, manuscript: Manuscript, pictures: dict[int, Attachment]) -> str:
    level = 1 + section.level
    body = _blocks(section.body, section.level) + "".join(
        _picture(each, pictures[id(each)], manuscript) for each in section.illustrations
    )
    if section.kind in PANELS:
        return _macro(PANELS[section.kind], parameters={"title": section.label}, body=body or "<p />")
    if not section.heading:
        return body
    time = f" <sub>{clock(section.start_ms)}</sub>" if section.number and section.start_ms is not None else ""
    name = f"step-{section.number}" if section.number else section.anchor
    anchor = _macro("anchor", parameters={"": name}) if name else ""
    return f"<h{level}>{anchor}{section.lead_in}{_inlines(section.heading)}{time}</h{level}>{body}"


def _picture(picture: Illustration, attachment: Attachment, manuscript: Manuscript) -> str:
    outcome = f"<p><em>{_escaped(manuscript.labels.outcome)}</em></p>" if picture.is_outcome else ""
    return outcome + _image(attachment, picture.alt, min(WIDEST, picture.width))


def _image(attachment: Attachment, alt: str, width: int) -> str:
    return (
        f'<p><ac:image ac:alt="{_escaped(alt)}" ac:width="{width}">'
        f'<ri:attachment ri:filename="{_escaped(attachment.name)}" /></ac:image></p>'
    )


def _macro(
    name: str, *, parameters: dict[str, str] | None = None, body: str | None = None, text: str | None = None
) -> str:
    """``body`` is markup, ``text`` is shown as it is."""
    inner = "".join(
        f'<ac:parameter ac:name="{_escaped(each)}">{_escaped(value)}</ac:parameter>'
        for each, value in (parameters or {}).items()
        if value
    )
    if body is not None:
        inner += f"<ac:rich-text-body>{body}</ac:rich-text-body>"
    if text is not None:
        held = text.replace("]]>", "]]]]><![CDATA[>")
        inner += f"<ac:plain-text-body><![CDATA[{held}]]></ac:plain-text-body>"
    return f'<ac:structured-macro ac:name="{name}">{inner}</ac:structured-macro>'


def _escaped(text: str) -> str:
    return html.escape(text)


def _blocks(blocks: Blocks, shift: int) -> str:
    return "".join(_block(block, shift) for block in blocks)


def _block(block: Block, shift: int) -> str:
    match block:
        case Paragraph(content):
            return f"<p>{_inlines(content)}</p>"
        case Heading(level, content):
            tag = f"h{min(6, level + shift)}"
            return f"<{tag}>{_inlines(content)}</{tag}>"
        case CodeBlock(text, language):
            known = {"language": language} if _LANGUAGE.fullmatch(language) else {}
            return _macro("code", parameters=known, text=text)
        case Quote(inner):
            return f"<blockquote>{_blocks(inner, shift)}</blockquote>"
        case Listing(start, items):
            tag = "ul" if start is None else "ol"
            first = f' start="{start}"' if start not in (None, 1) else ""
            return f"<{tag}{first}>{''.join(f'<li>{_item(item, shift)}</li>' for item in items)}</{tag}>"
        case Table(_, header, rows):
            lines = [_row(header, "th"), *(_row(cells, "td") for cells in rows)]
            return f"<table><tbody>{''.join(lines)}</tbody></table>"
        case Rule():
            return "<hr />"


def _item(item: Blocks, shift: int) -> str:
    match item:
        case (Paragraph(content), *rest):
            return _inlines(content) + _blocks(tuple(rest), shift)
        case _:
            return _blocks(item, shift)


def _row(cells: Sequence[Inlines], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}><p>{_inlines(cell)}</p></{tag}>' for cell in cells)}</tr>"


def _inlines(content: Iterable[Inline]) -> str:
    return "".join(_inline(node) for node in content)


def _inline(node: Inline) -> str:
    match node:
        case Text(text):
            return _escaped(text)
        case CodeSpan(text):
            return f"<code>{_escaped(text)}</code>"
        case LineBreak(hard):
            return "<br />" if hard else " "
        case Styled(style, children):
            return f"<{MARKS[style]}>{_inlines(children)}</{MARKS[style]}>"
        case Link(href, children):
            return f'<a href="{_escaped(href)}">{_inlines(children)}</a>'
