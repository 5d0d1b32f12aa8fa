"""Which way a block reads: by its own words, whatever the document's language is."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from activities.publishing.labels import RIGHT_TO_LEFT, primary_language
from activities.publishing.markup import (
    Block,
    CodeBlock,
    Heading,
    Inline,
    Link,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Styled,
    Table,
    Text,
)

Direction: TypeAlias = Literal["ltr", "rtl"]

_SHARE = 0.4
"""Of a text's words: from it on it reads from the right. Steps name the buttons of a Latin interface, and begin with
them, so that neither the first word nor the majority decides."""

_SENTENCE = 3
"""Words from the left alone that are a text of their own in a document that reads from the right; fewer are a name."""

_WORD = re.compile(r"[^\W\d_]+")


def of_language(language: str | None) -> Direction:
    return "rtl" if primary_language(language) in RIGHT_TO_LEFT else "ltr"


def of_text(text: str, around: Direction) -> Direction:
    """``around`` is how what the text stands in reads: it goes for a text without letters, and for names."""
    right = left = 0
    for word in _WORD.findall(text):
        if unicodedata.bidirectional(word[0]) in ("R", "AL"):
            right += 1
        else:
            left += 1
    if around == "rtl":
        return "ltr" if not right and left >= _SENTENCE else "rtl"
    return "rtl" if right and right >= _SHARE * (right + left) else "ltr"


def of_nodes(nodes: Iterable[Block | Inline], around: Direction) -> Direction:
    """Of a tree, by all of its words but code, which reads from the left anyway."""
    return of_text(" ".join(_words(nodes)), around)


def _words(nodes: Iterable[Block | Inline]) -> Iterator[str]:
    for node in nodes:
        match node:
            case Text(text):
                yield text
            case Styled(_, children) | Link(_, children) | Paragraph(children) | Heading(_, children):
                yield from _words(children)
            case Quote(blocks):
                yield from _words(blocks)
            case Listing(_, items):
                for item in items:
                    yield from _words(item)
            case Table(_, header, rows):
                for cells in (header, *rows):
                    for cell in cells:
                        yield from _words(cell)
            case CodeBlock() | Rule() | _:
                pass
