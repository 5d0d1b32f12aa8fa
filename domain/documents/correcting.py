"""Where misheard words stand in a document and in its transcript, and both with the chosen places put right."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from domain.canonical import digest
from domain.documents.constructs import constructs
from domain.documents.document import Document, parse
from domain.jobs import Frozen
from domain.recordings.glossary import Found, How, Pair, Search, replaced
from domain.recordings.transcript import Transcript

MOST_PLACES = 1_000
"""Told at once. What is left is found again once these are put right."""
MOST_PAIRS = 200
"""Looked for at once."""
AROUND = 48
"""Characters on either side that are told with a place."""


class Place(Frozen):
    """One place: a segment of the transcript (``segment``) or a block (``block_id``), the words that stand there, what
    is around them, and what they would be. ``id`` holds as long as the text there stays the same. ``start_ms``: when
    it is said, as far as that is known. ``pair``: which of the pairs that were looked for."""

    id: str
    pair: int
    segment: int | None = None
    block_id: str | None = None
    start_ms: int | None = None
    before: str
    found: str
    after: str
    becomes: str
    how: How

    @property
    def is_certain(self) -> bool:
        return self.how is How.WORD


class SegmentChange(Frozen):
    """What a segment is said to say: ``before`` and ``after``; ``None``: what was recognised."""

    segment: int
    original_sha256: str
    before: str | None
    after: str | None


class BlockChange(Frozen):
    """A block's Markdown, before and after."""

    block_id: str
    before: str
    after: str

    @property
    def undone(self) -> "BlockChange":
        return BlockChange(block_id=self.block_id, before=self.after, after=self.before)


class CorrectionSet(Frozen):
    """What was put right at once. ``version``: the one that it made of the document, if that was concerned;
    ``undone_version``: the one that undid it there."""

    id: str
    job_id: str
    owner: str
    pairs: tuple[Pair, ...]
    segments: tuple[SegmentChange, ...]
    blocks: tuple[BlockChange, ...]
    version: int | None
    undone_version: int | None
    made_at: datetime
    undone_at: datetime | None


def with_texts(markdown: str, changes: Sequence[BlockChange]) -> str:
    """The stored Markdown with the blocks' new texts, where they still say what they said."""
    document = parse(markdown)
    wanted = {each.block_id: each for each in changes}
    blocks = tuple(
        block.model_copy(update={"markdown": wanted[block.id].after})
        if block.id in wanted and block.markdown == wanted[block.id].before
        else block
        for block in document.blocks
    )
    return document.model_copy(update={"blocks": blocks}).render()


def places(search: Search, transcript: Transcript | None, document: Document | None) -> Iterator[Place]:
    """Every place, the document's first."""
    for block in document.blocks if document else ():
        code = protected(block.markdown)
        for found, pair in search.found(block.markdown):
            how = next((kind for start, end, kind in code if found.start < end and start < found.end), found.how)
            yield _place(block.markdown, found, pair, how, block_id=block.id)
    for segment in transcript.segments if transcript else ():
        for found, pair in search.found(segment.text):
            yield _place(segment.text, found, pair, found.how, segment=segment.id, start_ms=segment.start_ms)


def corrected_text(text: str, chosen: Collection[str], search: Search, key: str) -> tuple[str, set[str]]:
    """The text with the places of these ids put right, and the ids that it had. ``key``: the block or the segment."""
    taken = {_id(key, text, found): found for found, _ in search.found(text)}
    used = taken.keys() & chosen
    return replaced(text, [found for id, found in taken.items() if id in used]), used


def _place(
    text: str,
    found: Found,
    pair: int,
    how: How,
    *,
    segment: int | None = None,
    block_id: str | None = None,
    start_ms: int | None = None,
) -> Place:
    key = block_id if block_id is not None else str(segment)
    return Place(
        id=_id(key, text, found),
        pair=pair,
        segment=segment,
        block_id=block_id,
        start_ms=start_ms,
        before=text[max(0, found.start - AROUND) : found.start],
        found=text[found.start : found.end],
        after=text[found.end : found.end + AROUND],
        becomes=found.becomes,
        how=how,
    )


def _id(key: str, text: str, found: Found) -> str:
    return digest(key, text, found.start, found.end, found.becomes)[:32]


# --- what a reader does not read as words ----------------------------------------------------------------------

_CODE = (
    re.compile(r"(?ms)^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)"),
    re.compile(r"(?s)(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).){1,2000}?(?<!`)(?P=ticks)(?!`)"),
    re.compile(r"(?s)<!--.{0,2000}?-->"),
    re.compile(r"</?[A-Za-z][\w-]{0,40}(?:\s[^<>\n]{0,2000})?/?>"),
)
_ADDRESSES = (
    re.compile(r"\]\([ \t\n]*(?P<address><[^>\n]{0,2000}>|[^\s)]{1,2000})"),
    re.compile(r"(?m)^ {0,3}(?P<address>\[[^\]\n]{1,200}\]:[ \t]*\S+)"),
    re.compile(r"\](?P<address>\[[^\]\n]{1,200}\])"),
    re.compile(r"(?P<address><[A-Za-z][A-Za-z0-9+.-]{1,30}:[^>\s]{0,2000}>)"),
    re.compile(r"(?P<address>\b(?:https?://|www\.)\S+)"),
    re.compile(r"(?P<address>[\w.+-]{1,100}@[\w-]{1,100}(?:\.[\w-]{1,100}){1,5})"),
)


def protected(markdown: str) -> list[tuple[int, int, How]]:
    """Code, tags and addresses of a text: start, end, and which."""
    spans = [(*match.span(), How.CODE) for pattern in _CODE for match in pattern.finditer(markdown)]
    spans += [(*match.span("address"), How.ADDRESS) for pattern in _ADDRESSES for match in pattern.finditer(markdown)]
    indented = [each for each in constructs(markdown) if markdown[each.start :].startswith(("    ", "\t"))]
    return [*spans, *((each.start, each.end, How.CODE) for each in indented)]
