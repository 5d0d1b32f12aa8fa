"""A guide in Notion's blocks, as its documentation has them (Working with page content; Request limits).

Headings, callouts for notes and warnings, lists, tables, code and pictures that were uploaded before.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from activities.publishing.branding.appearance import shown_anywhere
from activities.publishing.manuscript import Manuscript, Section, SectionKind
from activities.publishing.markup import (
    BOXES,
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
    plain,
)
from activities.publishing.pictures import Illustration
from domain.documents.publication import clock

LONGEST_TEXT = 2_000
"""UTF-16 units of a piece of rich text, a title and an address."""
MOST_PIECES = 100
"""Pieces of rich text in a block."""
LOWEST_HEADING = 3
OUTLINED_FROM = 3
"""Headings from which on a page has a table of contents."""
CALLOUTS = {
    SectionKind.NOTE: ("\u2139\ufe0f", "blue_background"),
    SectionKind.WARNING: ("\u26a0\ufe0f", "yellow_background"),
}
MARKS = {Style.EMPHASIS: "italic", Style.STRONG: "bold", Style.STRUCK: "strikethrough"}
PLAIN_TEXT = "plain text"
LANGUAGES = frozenset(
    [
        "abap",
        "arduino",
        "bash",
        "basic",
        "c",
        "clojure",
        "coffeescript",
        "c++",
        "c#",
        "css",
        "dart",
        "diff",
        "docker",
        "elixir",
        "elm",
        "erlang",
        "flow",
        "fortran",
        "f#",
        "gherkin",
        "glsl",
        "go",
        "graphql",
        "groovy",
        "haskell",
        "html",
        "java",
        "javascript",
        "json",
        "julia",
        "kotlin",
        "latex",
        "less",
        "lisp",
        "livescript",
        "lua",
        "makefile",
        "markdown",
        "markup",
        "matlab",
        "mermaid",
        "nix",
        "objective-c",
        "ocaml",
        "pascal",
        "perl",
        "php",
        "powershell",
        "prolog",
        "protobuf",
        "python",
        "r",
        "reason",
        "ruby",
        "rust",
        "sass",
        "scala",
        "scheme",
        "scss",
        "shell",
        "sql",
        "swift",
        "typescript",
        "vb.net",
        "verilog",
        "vhdl",
        "webassembly",
        "xml",
        "yaml",
    ]
)
"""Those of the documentation that are one word."""
OTHER_NAMES = {
    "sh": "shell",
    "zsh": "shell",
    "console": "shell",
    "ps1": "powershell",
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "yml": "yaml",
    "md": "markdown",
    "cpp": "c++",
    "cs": "c#",
    "csharp": "c#",
    "rb": "ruby",
    "rs": "rust",
    "golang": "go",
    "dockerfile": "docker",
    "make": "makefile",
    "tex": "latex",
    "kt": "kotlin",
}

Rich = list[dict[str, Any]]
Uploads = Callable[[Illustration], str]
"""The id of the upload that a picture is."""


@dataclass(frozen=True)
class Node:
    """A block and what stands within it. ``content`` is what its type holds, without the children."""

    type: str
    content: dict[str, Any]
    children: tuple["Node", ...] = field(default=())


def mark_of(guide_id: str) -> str:
    """The words by which a page is known as a guide's."""
    return f"guidesmith-{guide_id}"


def mark(guide_id: str) -> Node:
    """The block that says so: the first of the page, small and grey."""
    return Node("paragraph", {"rich_text": _pieces(mark_of(guide_id), {"code": True, "color": "gray"})})


def title(text: str) -> Rich:
    return _pieces(text)[:1]


def blocks_of(manuscript: Manuscript, uploaded: Uploads) -> tuple[Node, ...]:
    """What stands on the page, in its order."""
    look = manuscript.appearance
    logo = None if look is None else shown_anywhere(look)
    nodes = [] if logo is None else [_image(logo, uploaded)]
    nodes += _line("" if look is None else look.heading)
    nodes += _blocks(manuscript.lead, 1)
    if sum(bool(section.heading) for section in manuscript.sections) >= OUTLINED_FROM:
        nodes.append(Node("table_of_contents", {}))
    for section in manuscript.sections:
        nodes += _section(section, manuscript, uploaded)
    nodes.append(Node("divider", {}))
    for remark in (manuscript.edition, *manuscript.remarks):
        nodes += _line(remark, {"italic": True})
    nodes += _line("" if look is None else look.imprint)
    return tuple(nodes)


def _line(text: str, shown: dict[str, Any] | None = None) -> list[Node]:
    return _texts("paragraph", _pieces(text, shown)) if text else []


def _image(picture: Illustration, uploaded: Uploads, caption: str = "") -> Node:
    file = {"type": "file_upload", "file_upload": {"id": uploaded(picture)}}
    return Node("image", file | {"caption": _pieces(caption)[:MOST_PIECES]})


def _section(section: Section, manuscript: Manuscript, uploaded: Uploads) -> list[Node]:
    body = _blocks(section.body, section.level)
    for picture in section.illustrations:
        if picture.is_outcome:
            body += _line(manuscript.labels.outcome, {"italic": True})
        body.append(_image(picture, uploaded, picture.alt))
    if section.kind in CALLOUTS:
        sign, color = CALLOUTS[section.kind]
        more = {"icon": {"type": "emoji", "emoji": sign}, "color": color}
        return _texts("callout", _pieces(section.label, {"bold": True}), body, **more)
    if not section.heading:
        return body
    heading = _pieces(section.lead_in) + _rich(section.heading)
    if section.number and section.start_ms is not None:
        heading += _pieces(f" {clock(section.start_ms)}", {"color": "gray"})
    return _heading(1 + section.level, heading) + body


def _heading(level: int, content: Rich) -> list[Node]:
    return _texts(f"heading_{min(LOWEST_HEADING, level)}", content)


def _texts(kind: str, content: Rich, within: Iterable[Node] = (), **more: Any) -> list[Node]:
    """A block of text; what is too long for one goes on in paragraphs: behind it, or within what holds blocks."""
    head, rest = content[:MOST_PIECES], content[MOST_PIECES:]
    node = Node(kind, {"rich_text": head, **more})
    further = [Node("paragraph", {"rich_text": rest[at : at + MOST_PIECES]}) for at in range(0, len(rest), MOST_PIECES)]
    if kind.startswith("heading") or (kind == "paragraph" and not within):
        return [node, *further]
    return [replace(node, children=(*further, *within))]


def _blocks(blocks: Blocks, shift: int) -> list[Node]:
    return [node for block in blocks for node in _block(block, shift)]


def _block(block: Block, shift: int) -> list[Node]:
    match block:
        case Paragraph(content):
            return _texts("paragraph", _rich(content))
        case Heading(level, content):
            return _heading(level + shift, _rich(content))
        case CodeBlock(text, language):
            return _code(text, language)
        case Quote(inner):
            first, others = _first(inner)
            return _texts("quote", _rich(first), _blocks(others, shift))
        case Listing(start, items):
            return [node for at, item in enumerate(items) for node in _item(start, at, item, shift)]
        case Table(_, header, rows):
            shape = {"table_width": len(header), "has_column_header": True, "has_row_header": False}
            return [Node("table", shape, tuple(_row(cells) for cells in (header, *rows)))]
        case Rule():
            return [Node("divider", {})]


def _item(start: int | None, at: int, item: Blocks, shift: int) -> list[Node]:
    first, others = _first(item)
    within = _blocks(others, shift)
    if start is None:
        match first:
            case (Text(text), *rest) if text[:1] in BOXES.values():
                content = _rich((Text(text[1:].lstrip()), *rest))
                return _texts("to_do", content, within, checked=text[0] == BOXES["[x] "])
        return _texts("bulleted_list_item", _rich(first), within)
    if start == 1:
        return _texts("numbered_list_item", _rich(first), within)
    # Notion counts every list from 1: the numbers of one that begins elsewhere are written out
    return _texts("paragraph", _pieces(f"{start + at}. ") + _rich(first), within)


def _first(blocks: Blocks) -> tuple[Inlines, Blocks]:
    match blocks:
        case (Paragraph(content), *rest):
            return content, tuple(rest)
        case _:
            return (), blocks


def _code(text: str, language: str) -> list[Node]:
    name = OTHER_NAMES.get(language.lower(), language.lower())
    pieces = _pieces(text)
    known = name if name in LANGUAGES else PLAIN_TEXT
    return [
        Node("code", {"rich_text": pieces[at : at + MOST_PIECES], "language": known})
        for at in range(0, max(1, len(pieces)), MOST_PIECES)
    ]


def _row(cells: Sequence[Inlines]) -> Node:
    return Node("table_row", {"cells": [_cell(cell) for cell in cells]})


def _cell(content: Inlines) -> Rich:
    """A cell does not go on elsewhere: one of too many pieces keeps its words, without what stands out."""
    rich = _rich(content)
    return rich if len(rich) <= MOST_PIECES else _pieces(plain(content))[:MOST_PIECES]


def _rich(content: Iterable[Inline], shown: dict[str, Any] | None = None, href: str | None = None) -> Rich:
    pieces: Rich = []
    for node in content:
        match node:
            case Text(text):
                pieces += _pieces(text, shown, href)
            case CodeSpan(text):
                pieces += _pieces(text, {**(shown or {}), "code": True}, href)
            case LineBreak(hard):
                pieces += _pieces("\n" if hard else " ", shown, href)
            case Styled(style, children):
                pieces += _rich(children, {**(shown or {}), MARKS[style]: True}, href)
            case Link(target, children):
                pieces += _rich(children, shown, target)
    return pieces


def _pieces(text: str, shown: dict[str, Any] | None = None, href: str | None = None) -> Rich:
    at_once = LONGEST_TEXT if len(text.encode("utf-16-le")) == 2 * len(text) else LONGEST_TEXT // 2
    return [
        {
            "type": "text",
            "text": {"content": text[at : at + at_once], **({"link": {"url": href}} if href else {})},
            **({"annotations": shown} if shown else {}),
        }
        for at in range(0, len(text), at_once)
    ]
