"""Markdown as a small tree that every exporter sets in its own way.

CommonMark with tables and strike-through, and with everything dangerous already gone: raw HTML is text, links go to
http, https or mail only, and an image that the Markdown refers to is never looked at, wherever it is said to be: its
alternative text stands in for it (screenshots come with the publication, not through Markdown). Nesting is bounded,
so that no document can exhaust the stack of what sets it; what is nested deeper is kept, at the deepest level.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from domain.spaces import with_spaces

DEEPEST_BLOCK = 8
"""Lists and quotes inside each other. Ten levels no longer fit a page."""
DEEPEST_STYLE = 8
"""Emphasis, links and the like inside each other."""
LONGEST_ADDRESS = 2_000
"""Characters of a link's target; browsers and typesetters refuse much longer ones."""
SAFE_ADDRESS = re.compile(r"(?i)^(?:https?://|mailto:)[^\s<>\"\x00-\x20]+$")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
BOXES = {"[ ] ": "☐", "[x] ": "☑"}
LINE_BREAK = re.compile(r"(?i)^<br\s*/?>$")
SPACES = re.compile("[ \t]+")
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Control characters and halves of characters: no format can hold them (XML 1.0 forbids them outright)."""


class Style(StrEnum):
    """How a run of text stands out."""

    EMPHASIS = "emphasis"
    STRONG = "strong"
    STRUCK = "struck"


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class CodeSpan:
    text: str


@dataclass(frozen=True, slots=True)
class LineBreak:
    """``hard`` where the writer asked for it; a soft one is only where the source went on in a new line."""

    hard: bool


@dataclass(frozen=True, slots=True)
class Styled:
    style: Style
    children: "Inlines"


@dataclass(frozen=True, slots=True)
class Link:
    """``href`` is http, https or mailto."""

    href: str
    children: "Inlines"


Inline: TypeAlias = Text | CodeSpan | LineBreak | Styled | Link
Inlines: TypeAlias = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    content: Inlines


@dataclass(frozen=True, slots=True)
class Heading:
    """``level`` from 1."""

    level: int
    content: Inlines


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """``text`` without the line break at its end; ``language`` may be empty."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Quote:
    blocks: "Blocks"


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; ``start`` is the first number of an ordered one, else ``None``."""

    start: int | None
    items: tuple["Blocks", ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Every row has as many cells as ``header``; ``aligns`` holds ``left``, ``center``, ``right`` or nothing."""

    aligns: tuple[str, ...]
    header: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    pass


Block: TypeAlias = Paragraph | Heading | CodeBlock | Quote | Listing | Table | Rule
Blocks: TypeAlias = tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """``left_images`` counts the images that the Markdown refers to and that were not looked at."""

    blocks: Blocks
    left_images: int = 0


def parse(markdown: str) -> Parsed:
    """The tree of a Markdown text. Never fails: everything is Markdown."""
    reader = _Reader()
    tokens = _grammar().parse(UNPRINTABLE.sub(" ", with_spaces(markdown)))
    return Parsed(reader.blocks(tokens), reader.left_images)


def printable(text: str) -> str:
    """One line of text without the characters that no format can hold."""
    return " ".join(UNPRINTABLE.sub(" ", with_spaces(text)).split())


def plain(content: Iterable[Inline]) -> str:
    """The words alone, in one line."""
    return " ".join("".join(_plain(content)).split())


def _plain(content: Iterable[Inline]) -> Iterable[str]:
    for node in content:
        match node:
            case Text(text) | CodeSpan(text):
                yield text
            case LineBreak():
                yield " "
            case Styled(_, children) | Link(_, children):
                yield from _plain(children)


@cache
def _grammar() -> MarkdownIt:
    # Raw HTML is recognised, so that comments can be left out and tags shown as the text they are.
    grammar = MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable(["table", "strikethrough"])
    grammar.parse("Its rules are put in order when they are first used, which threads must not do at once.")
    return grammar


@dataclass(slots=True)
class _Open:
    """A container that is being read. ``close`` makes its node, or is ``None`` where it is dissolved."""

    close: Callable[[list[Block]], Block] | None
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class _OpenList:
    """A list that is being read. Dissolved, its items' blocks go to what is around it."""

    start: int | None
    dissolved: bool
    items: list[Blocks] = field(default_factory=list)


class _Reader:
    """One pass over markdown-it's flat tokens, with a stack of its own instead of recursion."""

    def __init__(self) -> None:
        self.left_images = 0
        self._containers: list[_Open] = [_Open(None)]
        self._lists: list[_OpenList] = []
        self._depth = 0

    def blocks(self, tokens: Sequence[Token]) -> Blocks:
        at = 0
        while at < len(tokens):
            if tokens[at].type == "table_open":
                at = self._table(tokens, at)
            else:
                self._token(tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None)
                at += 1
        return tuple(self._containers[0].blocks)

    def _add(self, *blocks: Block) -> None:
        self._containers[-1].blocks.extend(blocks)

    def _token(self, token: Token, following: Token | None) -> None:
        match token.type:
            case "heading_open" if following:
                self._add_text(following, lambda content: Heading(int(token.tag[1:]), _in_one_line(content)))
            case "paragraph_open" if following:
                self._add_text(following, Paragraph)
            case "fence" | "code_block":
                self._add(CodeBlock(token.content.removesuffix("\n"), (token.info or "").split(" ")[0].strip()))
            case "html_block":
                shown = COMMENT.sub("", token.content).strip()
                if shown:
                    self._add(Paragraph(_trimmed(_lines(shown))))
            case "hr":
                self._add(Rule())
            case "blockquote_open":
                self._depth += 1
                deep = self._depth > DEEPEST_BLOCK
                self._containers.append(_Open(None if deep else lambda blocks: Quote(tuple(blocks))))
            case "blockquote_close":
                self._depth -= 1
                self._close()
            case "bullet_list_open" | "ordered_list_open":
                self._open_list(token)
            case "list_item_open":
                self._containers.append(_Open(None))
            case "list_item_close":
                self._lists[-1].items.append(_ticked(self._containers.pop().blocks))
            case "bullet_list_close" | "ordered_list_close":
                self._close_list()
            case _:
                pass

    def _add_text(self, inline: Token, make: Callable[[Inlines], Block]) -> None:
        content = self._inlines(inline)
        if content:
            self._add(make(content))

    def _close(self) -> None:
        done = self._containers.pop()
        if done.close is None:
            self._add(*done.blocks)
        elif done.blocks:
            self._add(done.close(done.blocks))

    def _open_list(self, token: Token) -> None:
        self._depth += 1
        start = int(token.attrGet("start") or 1) if token.type.startswith("ordered") else None
        if token.type.startswith("ordered") and token.attrGet("start") == 0:
            start = 0
        self._lists.append(_OpenList(start, self._depth > DEEPEST_BLOCK))

    def _close_list(self) -> None:
        self._depth -= 1
        done = self._lists.pop()
        if done.dissolved:
            self._add(*(block for item in done.items for block in item))
        else:
            self._add(Listing(done.start, tuple(done.items)))

    def _table(self, tokens: Sequence[Token], at: int) -> int:
        """Read from ``table_open`` to ``table_close`` (tables hold no other blocks); where to go on."""
        aligns: list[str] = []
        rows: list[list[Inlines]] = []
        while tokens[at].type != "table_close":
            token = tokens[at]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                aligns.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
            elif token.type == "inline":
                rows[-1].append(self._inlines(token))
            at += 1
        header, *body = [tuple(row) for row in rows]
        self._add(Table(tuple(aligns), header, tuple(body)))
        return at + 1

    def _inlines(self, token: Token) -> Inlines:
        stack: list[tuple[Callable[[Inlines], Inline] | None, list[Inline]]] = [(None, [])]
        for child in token.children or ():
            if child.nesting == 1:
                make = _wrapper(child) if len(stack) <= DEEPEST_STYLE else None
                stack.append((make, []))
            elif child.nesting == -1:
                wrap, done = stack.pop()
                stack[-1][1].extend([wrap(_joined(done))] if wrap and done else done)
            else:
                stack[-1][1].extend(self._leaf(child))
        return _trimmed(stack[0][1])

    def _leaf(self, token: Token) -> Iterable[Inline]:
        match token.type:
            case "code_inline":
                return [CodeSpan(token.content)] if token.content.strip() else []
            case "softbreak" | "hardbreak":
                return [LineBreak(hard=token.type == "hardbreak")]
            case "html_inline" if LINE_BREAK.match(token.content):
                return [LineBreak(hard=True)]
            case "html_inline":
                return [Text(shown)] if (shown := COMMENT.sub("", token.content)) else []
            case "image":
                self.left_images += 1
                alt = plain(self._inlines(token))
                return [Text(alt)] if alt else []
            case _:
                return [Text(token.content)] if token.content else []


def _wrapper(token: Token) -> Callable[[Inlines], Inline] | None:
    match token.type:
        case "em_open":
            return lambda children: Styled(Style.EMPHASIS, children)
        case "strong_open":
            return lambda children: Styled(Style.STRONG, children)
        case "s_open":
            return lambda children: Styled(Style.STRUCK, children)
        case "link_open":
            href = str(token.attrGet("href") or "")
            if len(href) <= LONGEST_ADDRESS and SAFE_ADDRESS.match(href):
                return lambda children: Link(href, children)
    return None


def _ticked(item: list[Block]) -> Blocks:
    """A list item, with the box of a task list drawn."""
    match item:
        case [Paragraph((Text(text), *rest)), *others] if box := BOXES.get(text[:4].lower()):
            return (Paragraph((Text(f"{box} {text[4:]}"), *rest)), *others)
        case _:
            return tuple(item)


def _lines(text: str) -> Iterable[Inline]:
    for at, line in enumerate(text.splitlines()):
        if at:
            yield LineBreak(hard=True)
        yield Text(line)


def _joined(content: Iterable[Inline]) -> Inlines:
    """Runs of text in one piece, without the space that Markdown ignores: beside breaks, and after a break another."""
    nodes: list[Inline] = []
    for node in content:
        last = nodes[-1] if nodes else None
        match last, node:
            case Text(before), Text(after):
                nodes[-1] = Text(SPACES.sub(" ", before + after))
            case Text(before), LineBreak():
                nodes[-1:] = [Text(before.rstrip())] if before.rstrip() else []
                nodes.append(node)
            case LineBreak(), Text(after):
                nodes += [Text(SPACES.sub(" ", after.lstrip()))] if after.lstrip() else []
            case LineBreak(hard), LineBreak(again):
                nodes[-1] = LineBreak(hard or again)
            case _, Text(after):
                nodes.append(Text(SPACES.sub(" ", after)))
            case _:
                nodes.append(node)
    return tuple(nodes)


def _in_one_line(content: Inlines) -> Inlines:
    return _joined(Text(" ") if isinstance(node, LineBreak) else node for node in content)


def _trimmed(content: Iterable[Inline]) -> Inlines:
    """Joined, without breaks and space at either end, and empty if there is nothing but space."""
    nodes = list(_joined(content))
    while nodes and isinstance(nodes[0], LineBreak):
        nodes.pop(0)
    while nodes and isinstance(nodes[-1], LineBreak):
        nodes.pop()
    if nodes and isinstance(nodes[0], Text):
        nodes[0] = Text(nodes[0].text.lstrip())
    if nodes and isinstance(nodes[-1], Text):
        nodes[-1] = Text(nodes[-1].text.rstrip())
    kept = tuple(node for node in nodes if node != Text(""))
    return kept if plain(kept) else ()
