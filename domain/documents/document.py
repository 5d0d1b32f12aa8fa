"""The instruction's text: Markdown in blocks that keep their ids through every edit.

Each block stands below its marker, a line of its own::

    <!-- block:0192f3a1-5c1e-7cc0-a8a1-3f2b8c6d4e10 -->
    ## Open the settings

    Choose **Settings** from the menu.

What follows a marker up to the next one is one block, even when it has several paragraphs; only a heading of level 1
or 2 in its midst begins another. Markers always count, also between code fences: a fence that somebody forgot to
close must not swallow the ids of all that follows. Lines end with ``\\n``; offsets count Unicode code points of the
stored Markdown, markers included.

Beside the Markdown a version keeps what its blocks rest on (:class:`BlockEvidence`).
"""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from itertools import count

from pydantic import BaseModel, ConfigDict, Field

from domain.documents.block_matching import match_blocks
from domain.documents.constructs import Construct, constructs, groups
from domain.documents.draft import GIVEN, BlockRole
from domain.documents.titles import title_of
from domain.documents.versions import TranslatedFrom
from domain.errors import DocumentInvalid, RequestInvalid
from domain.spaces import with_spaces

MAX_DOCUMENT_BYTES = 1024 * 1024
"""The largest document, in bytes of UTF-8 with markers: the cap of a JSON request."""

MOST_BLOCKS = MAX_DOCUMENT_BYTES // 55
"""Markers alone would make a document of more too large: 51 bytes with their line end, a letter, a blank line."""

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_MARKER = re.compile(rf"^ {{0,3}}<!--[ \t]*block:[ \t]*({_UUID})[ \t]*-->[ \t]*$", re.MULTILINE)
_ANY_MARKER = re.compile(r"^ {0,3}<!--[ \t]*block[ \t]*(?::[^\n>]*)?-->[ \t]*$", re.MULTILINE)
"""Also a marker without an id or with a broken one: how a person splits a block by hand."""

_MANGLED_MARKER = re.compile(
    rf"^[ \t]*(?:\\?<|&lt;)!--[ \t]*block:[ \t]*({_UUID})[ \t]*(?:--\\?>|--&gt;)[ \t]*\n?", re.MULTILINE
)
"""Also one that was escaped or set in, or that its text was joined to."""
_WRAPPED = re.compile(r"\s*(`{3,}|~{3,})(?:markdown|md)[ \t]*\n(\s*(?:# |<!--)[^\0]*)\n\1\s*", re.IGNORECASE)
"""A whole document as a block of code, as chat models give it."""

_IDS_NAMESPACE = uuid.UUID("5f0c6f4e-6a0a-5b1f-9b51-6f3f6f0d9a27")
_BLANK = " \t\n"
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_MARKS_OF_STYLE = str.maketrans("", "", "*_`~")


class Block(BaseModel):
    """One block: ``markdown`` is its text below the marker, without blank space at the end; ``gap`` is the blank
    space up to the next marker or the end of the document."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(pattern=rf"^{_UUID}$")
    markdown: str
    gap: str = Field(default="\n\n", pattern=r"^[ \t\n]*$")


class BlockPart(BaseModel):
    """A stretch of one block's ``markdown``, ``start`` to ``end`` in code points of that text."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Document(BaseModel):
    """A document as its blocks. ``preamble`` is text above the first marker, which a save turns into blocks."""

    model_config = ConfigDict(frozen=True)

    blocks: tuple[Block, ...] = ()
    preamble: str = ""

    @classmethod
    def of(cls, blocks: Iterable[tuple[str, str]]) -> "Document":
        """A document of (id, Markdown) pairs, one blank line apart, with a line end at its end."""
        made = [Block(id=block_id, markdown=text.rstrip(_BLANK)) for block_id, text in blocks]
        return cls(blocks=(*made[:-1], *(last.model_copy(update={"gap": "\n"}) for last in made[-1:])))

    def render(self) -> str:
        """The stored Markdown. ``parse(markdown).render() == markdown`` for everything that :func:`with_ids` made,
        and for any text whose line ends are ``\\n`` and whose markers are written as they are here."""
        return self.preamble + "".join(self._pieces())

    def _pieces(self) -> list[str]:
        last = len(self.blocks) - 1
        pieces = []
        for place, block in enumerate(self.blocks):
            gap = block.gap
            if place != last and block.markdown and "\n" not in gap:
                gap = "\n\n"
            pieces.append(f"{marker(block.id)}\n{block.markdown}{gap}")
        return pieces

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(block.id for block in self.blocks)

    @property
    def title(self) -> str | None:
        """The text of the first heading of level 1, or ``None``."""
        for text in (self.preamble, *(block.markdown for block in self.blocks)):
            if (found := title_of(text)) is not None:
                return found
        return None

    def block(self, block_id: str) -> Block:
        """The block with this id.

        Raises:
            RequestInvalid: There is none.
        """
        for each in self.blocks:
            if each.id == block_id.lower():
                return each
        raise RequestInvalid(
            "This version of the instruction has no such block. Load it again and select anew.", field="block_id"
        )

    def replace_block(self, block_id: str, markdown: str) -> "Document":
        """The document with another text in one block; order, ids and blank space stay.

        Raises:
            RequestInvalid: There is no such block.
            DocumentInvalid: The text is empty or holds a block marker of its own.
        """
        target = self.block(block_id).id
        if not markdown.strip():
            raise DocumentInvalid("A block cannot be replaced by nothing. Delete it instead.")
        if _ANY_MARKER.search(markdown):
            raise DocumentInvalid("The text of a block cannot hold a block marker.")
        return self.model_copy(
            update={
                "blocks": tuple(
                    each.model_copy(update={"markdown": with_spaces(_normal_line_ends(markdown)).rstrip(_BLANK)})
                    if each.id == target
                    else each
                    for each in self.blocks
                )
            }
        )

    def replace_part(self, part: BlockPart, text: str) -> "Document":
        """The document with ``text`` in place of a stretch of one block; nothing outside the stretch changes.

        Raises:
            RequestInvalid, DocumentInvalid: As :meth:`replace_block`.
        """
        whole = self.block(part.block_id).markdown
        return self.replace_block(part.block_id, whole[: part.start] + text + whole[part.end :])

    def text_of(self, part: BlockPart) -> str:
        """The stretch's text."""
        return self.block(part.block_id).markdown[part.start : part.end]

    def parts_in_range(self, start: int, end: int) -> tuple[BlockPart, ...]:
        """What the range ``start`` (included) to ``end`` (excluded) of the stored Markdown covers of each block's
        text, in order. Markers and blank space are no text; a range over nothing but a marker means its block.

        Raises:
            RequestInvalid: The range is empty, runs backwards, ends behind the document or covers no block.
        """
        spans, length = self._spans()
        if not 0 <= start < end <= length:
            raise RequestInvalid(
                "The selected range does not lie in this version of the instruction. Load it again and select anew.",
                field="char_range",
                details={"start_offset": start, "end_offset": end, "length": length},
            )
        parts = tuple(
            BlockPart(block_id=block.id, start=max(start, text) - text, end=min(end, text + len(block.markdown)) - text)
            for block, (_, text) in zip(self.blocks, spans, strict=True)
            if start < text + len(block.markdown) and end > text
        ) or tuple(
            BlockPart(block_id=block.id, start=0, end=len(block.markdown))
            for block, (mark, text) in zip(self.blocks, spans, strict=True)
            if block.markdown and start < text and end > mark
        )
        if not parts:
            raise RequestInvalid("The selected range holds no text of a block.", field="char_range")
        return parts

    def starts(self) -> dict[str, int]:
        """Where each block's text begins in the stored Markdown."""
        return {block.id: text for block, (_, text) in zip(self.blocks, self._spans()[0], strict=True)}

    def _spans(self) -> tuple[list[tuple[int, int]], int]:
        """Of each block the offsets of its marker and of its text; and the document's length."""
        spans = []
        offset = len(self.preamble)
        for block, piece in zip(self.blocks, self._pieces(), strict=True):
            spans.append((offset, offset + len(marker(block.id)) + 1))
            offset += len(piece)
        return spans, offset


def marker(block_id: str) -> str:
    """The line above a block."""
    return f"<!-- block:{block_id} -->"


def parse(markdown: str) -> Document:
    """Read a document. Nothing is lost; text above the first marker becomes ``preamble``."""
    text = _normal_line_ends(markdown)
    marks = list(_MARKER.finditer(text))
    blocks = []
    for mark, raw in _below(marks, text):
        body = raw.rstrip(_BLANK)
        blocks.append(Block(id=mark.group(1).lower(), markdown=body, gap=raw[len(body) :]))
    return Document(blocks=tuple(blocks), preamble=text[: marks[0].start()] if marks else text)


def _below(marks: list[re.Match[str]], text: str) -> Iterable[tuple[re.Match[str], str]]:
    """Each marker and the text below it; the marker's own line end is no part of the text."""
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return ((mark, text[mark.end() + 1 : end]) for mark, end in zip(marks, ends, strict=False))


def stable_ids(seed: str) -> Callable[[], str]:
    """Block ids that depend on ``seed`` alone: an activity that runs twice writes the same document twice."""
    numbers = count()
    return lambda: str(uuid.uuid5(_IDS_NAMESPACE, f"{seed}:{next(numbers)}"))


def with_ids(markdown: str, new_id: Callable[[], str], *, base: Document | None = None, as_marked: bool = False) -> str:
    """The Markdown as it is stored: every block below a marker of its own, every id once.

    Ids that are there are kept; the second copy of an id gets a new one, and so do text above the first marker, a
    heading of level 1 or 2 within a block, and what follows a marker without an id (``<!-- block -->``). A marker with
    no text below it is dropped with its block, and so is, with ``base``, its title once more. Otherwise the text stays
    as it was written, but for line ends (``\\n``), a byte order mark, markers (one spelling), with ``base`` a block of
    code around it all, and at least one blank line between blocks; a vertical tab, and what else breaks lines or pages,
    is a space. Applying it again changes nothing and asks for no id.

    Args:
        markdown: What a person or a drafter wrote.
        new_id: Gives UUIDs; asked again when it gives one that the document already has.
        base: The version that was edited. With it, paragraphs added below a block that is otherwise unchanged
            are new blocks, not a part of it; and text that lost its marker, or was moved away from it, is the block
            that it was (:mod:`domain.documents.block_matching`).
        as_marked: Each marker's text stays one block, also where paragraphs were added below it.

    Raises:
        DocumentInvalid: It would be more than :data:`MOST_BLOCKS`: a megabyte of one-letter headings would grow
            fifteenfold.
    """
    markdown = _normal_line_ends(markdown).removeprefix("\ufeff")
    if base is not None:
        markdown = _mended(markdown, base)
    taken = {mark.group(1).lower() for mark in _MARKER.finditer(markdown)}

    def fresh() -> str:
        while (made := new_id().lower()) in taken:
            pass
        taken.add(made)
        return made

    before = {block.id: block.markdown for block in base.blocks} if base else {}
    sections = list(_sections(with_spaces(markdown)))
    there = {found for found, text in sections if text.strip()}
    missing = {block_id: text for block_id, text in before.items() if block_id not in there and text.strip()}
    seen: set[str] = set()
    blocks: list[Block] = []
    for found, text in sections:
        known = found if found and found not in seen else None
        unchanged = None if as_marked else before.get(known or "")
        for place, (body, gap, was) in enumerate(_recognised(text, found, unchanged, missing)):
            block_id = known if place == 0 and known else was or fresh()
            seen.add(block_id)
            missing.pop(block_id, None)
            blocks.append(Block(id=block_id, markdown=body, gap=gap))
            if len(blocks) > MOST_BLOCKS:
                raise DocumentInvalid(
                    f"The document has more than {MOST_BLOCKS} blocks. Split it into several instructions."
                )
    blocks = _without_title_again(blocks, before)
    spaced = [_spaced(block) for block in blocks[:-1]]
    return Document(blocks=(*spaced, *blocks[-1:])).render()


def _without_title_again(blocks: list[Block], before: Mapping[str, str]) -> list[Block]:
    """Without a new title of the same words as the one that is there: models write one above what they were given."""
    kept = {_title_words(block.markdown) for block in blocks if block.id in before}
    return [
        block
        for block in blocks
        if block.id in before or not (words := _title_words(block.markdown)) or words not in kept
    ]


def _title_words(markdown: str) -> str:
    """The words of a block that is a title and nothing else, however they are set; empty: it is none."""
    if len(constructs(markdown)) != 1 or (title := title_of(markdown)) is None:
        return ""
    return " ".join(title.translate(_MARKS_OF_STYLE).casefold().split())


def _mended(text: str, base: Document) -> str:
    """Without what editors and models do to a whole document: code around it, markers of the base that are none."""
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped and not any(block.markdown.startswith(wrapped.group(1)) for block in base.blocks[:1]):
        text = f"{wrapped.group(2)}\n"
    ids = set(base.ids)
    return _MANGLED_MARKER.sub(
        lambda mark: f"{marker(mark.group(1).lower())}\n" if mark.group(1).lower() in ids else mark.group(0), text
    )


def _sections(text: str) -> Iterable[tuple[str | None, str]]:
    """(id or ``None``, text) between markers. An empty id stands for a marker that has none: it keeps its text
    together, as any marker does."""
    marks = list(_ANY_MARKER.finditer(text))
    yield None, text[: marks[0].start()] if marks else text
    for mark, below in _below(marks, text):
        exact = _MARKER.match(mark.group(0))
        yield exact.group(1).lower() if exact else "", below


def _recognised(
    text: str, found: str | None, unchanged: str | None, missing: Mapping[str, str]
) -> list[tuple[str, str, str | None]]:
    """The blocks of one section: (text, blank space behind it, the block of the base that lost its marker)."""
    if found is None and missing:
        return _known_again(text, missing)
    cut = _cut(text, marked=found is not None, unchanged=unchanged)
    if len(cut) < 2 or not missing:
        return [(body, gap, None) for body, gap in cut]
    (body, gap), *_ = cut
    # What stands in the midst of a block was joined to it; what is cut off again had lost its marker.
    return [(body, gap, None), *_known_again(text[text.index(body) + len(body) + len(gap) :], missing)]


def _known_again(text: str, missing: Mapping[str, str]) -> list[tuple[str, str, str | None]]:
    parts = match_blocks(text, missing)
    ends = [part.start for part in parts[1:]] + [len(text)]
    return [
        (text[part.start : part.end], text[part.end : end], part.block_id)
        for part, end in zip(parts, ends, strict=False)
    ]


def _cut(text: str, *, marked: bool, unchanged: str | None) -> list[tuple[str, str]]:
    """The blocks of one section: (text, blank space behind it). Blank lines at its very start are dropped."""
    parts = groups(text, keep_together=marked)
    if unchanged and (added := _added_below(text, unchanged)):
        parts = [part for part in parts if part.end <= len(unchanged)] or [Construct(0, len(unchanged))]
        parts[-1] = Construct(parts[-1].start, len(unchanged))
        parts += [Construct(p.start + added, p.end + added) for p in groups(text[added:], keep_together=False)]
    ends = [part.start for part in parts[1:]] + [len(text)]
    return [(text[part.start : part.end], text[part.end : end]) for part, end in zip(parts, ends, strict=False)]


def _added_below(text: str, unchanged: str) -> int:
    """Where the text behind an unchanged block begins, 0 where none was added or the block itself was changed (as by
    one more item of its list)."""
    if not text.startswith(unchanged) or not _BLANK_LINE.match(text, len(unchanged)):
        return 0
    starts = [part.start for part in constructs(text)]
    ends = {part.end for part in constructs(text)}
    behind = [start for start in starts if start > len(unchanged)]
    return behind[0] if len(unchanged) in ends and behind else 0


def _spaced(block: Block) -> Block:
    missing = 2 - block.gap.count("\n")
    return block.model_copy(update={"gap": block.gap + "\n" * missing}) if missing > 0 else block


def _normal_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


class BlockEvidence(BaseModel):
    """What a block rests on: the segments, scenes and changes of the screen that its draft cited (the first change is
    the action that a step tells), and the time that follows from them in milliseconds (``None`` where nothing is
    cited). ``action_ms`` is the precise moment of that action. ``absorbed``: ids of blocks that were merged into
    this one, and whose pictures show here. ``translated``: of a translation's block, what it was made from. Kept beside
    a version's Markdown; versions that were stored before screens were read have no changes."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    role: BlockRole
    segments: tuple[int, ...] = ()
    scenes: tuple[int, ...] = ()
    changes: tuple[int, ...] = ()
    start_ms: int | None = None
    end_ms: int | None = None
    action_ms: int | None = None
    absorbed: tuple[str, ...] = ()
    translated: TranslatedFrom | None = None


class BlockMark(BaseModel):
    """What a person says of a block beside its text: its role, the block that it was cut from (whose time, words and
    place in the recording it shares), those that were merged into it (``absorbs``), and the moment that it tells
    (``start_ms``, milliseconds of the recording; within what the block that it was cut from tells, it begins there)."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    role: BlockRole | None = None
    cut_from: str | None = None
    absorbs: tuple[str, ...] = ()
    start_ms: int | None = Field(default=None, ge=0)


def carry_evidence(
    old_evidence: Iterable[BlockEvidence], new_document: Document, marks: Iterable[BlockMark] = ()
) -> tuple[BlockEvidence, ...]:
    """The evidence of the blocks that are still there, in the new document's order, as ``marks`` have it. A block
    written by hand of which nothing is said has none."""
    known: dict[str, BlockEvidence] = {each.block_id: each for each in old_evidence}
    for mark in marks:
        evidence = _marked(known.get(mark.block_id), known.get(mark.cut_from or ""), mark)
        if mark.absorbs:
            evidence = _absorbing(mark.block_id, evidence, [(each, known.get(each)) for each in mark.absorbs])
        if evidence is not None:
            known[mark.block_id] = evidence
    return tuple(known[block_id] for block_id in dict.fromkeys(new_document.ids) if block_id in known)


def absorbed_by(evidence: Iterable[BlockEvidence]) -> dict[str, str]:
    """Into which block each of those went that were merged into others."""
    return {gone: each.block_id for each in evidence for gone in each.absorbed}


def _absorbing(
    block_id: str, own: BlockEvidence | None, merged: Iterable[tuple[str, BlockEvidence | None]]
) -> BlockEvidence:
    """One block and those that were merged into it: what all of them rest on."""
    whole = own or BlockEvidence(block_id=block_id, role=BlockRole.TEXT)
    for gone, other in merged:
        absorbed = (*whole.absorbed, gone, *(other.absorbed if other else ()))
        changed: dict[str, object] = {"absorbed": tuple(dict.fromkeys(each for each in absorbed if each != block_id))}
        if other is not None:
            for name in ("segments", "scenes", "changes"):  # the first change stays the action
                changed[name] = tuple(dict.fromkeys((*getattr(whole, name), *getattr(other, name))))
            times = [each for each in (whole, other) if each.start_ms is not None and each.end_ms is not None]
            if times:
                changed["start_ms"] = min(each.start_ms or 0 for each in times)
                changed["end_ms"] = max(each.end_ms or 0 for each in times)
        whole = whole.model_copy(update=changed)
    return whole


def _begun_at(cut: BlockEvidence, start_ms: int | None) -> BlockEvidence:
    """A part that was cut off, where it begins within what the whole tells. An action before that is not its own."""
    if start_ms is None or cut.start_ms is None or cut.end_ms is None or not cut.start_ms <= start_ms <= cut.end_ms:
        return cut
    is_before = cut.action_ms is not None and cut.action_ms < start_ms
    return cut.model_copy(update={"start_ms": start_ms, **({"changes": (), "action_ms": None} if is_before else {})})


def _marked(own: BlockEvidence | None, source: BlockEvidence | None, mark: BlockMark) -> BlockEvidence | None:
    """What a block rests on, once somebody has said so; ``None``: still nothing."""
    if own is None and source is not None:
        role = source.role if source.role in GIVEN else BlockRole.TEXT
        own = source.model_copy(update={"block_id": mark.block_id, "role": role, "translated": None})
        own = _begun_at(own, mark.start_ms)
    if own is None and (mark.role not in (None, BlockRole.TEXT) or mark.start_ms is not None):
        own = BlockEvidence(block_id=mark.block_id, role=BlockRole.TEXT)
    if own is None:
        return None
    changed: dict[str, object] = {"role": mark.role or own.role}
    if mark.start_ms is not None and mark.start_ms != own.start_ms:
        told = {"segments": (), "scenes": (), "changes": (), "action_ms": None}
        changed |= {"start_ms": mark.start_ms, "end_ms": mark.start_ms, **told}
    return own.model_copy(update=changed)
