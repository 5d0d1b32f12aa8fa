"""What a film of a guide shows, and for how long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from activities.publishing.manuscript import Manuscript, Section, SectionKind
from activities.publishing.markup import (
    Block,
    Blocks,
    CodeBlock,
    Heading,
    Listing,
    Paragraph,
    Quote,
    Rule,
    Table,
    plain,
)
from domain.documents.publication import PublicationBlock
from domain.geometry import Box
from domain.recordings.captions import SENTENCE_ENDS

LEAST_SPAN_MS = 2_000
"""Of the recording: what is shorter has flown by."""
AFTER_MS = 1_500
"""Shown after a step's last picture, which stands before what was done: the doing, and what the screen answers. Less,
where the next thing is spoken of by then: no sentence is cut in two."""
LEAD_MS, REST_MS = 300, 500
"""Silence before the voice and after it."""
LEAST_READING_MS, MOST_READING_MS, READING_MS = 3_000, 15_000, 60
"""For what stands still and is not read out: at least, at most, and a character (some 17 a second, as captions)."""
ENDS = frozenset((*SENTENCE_ENDS, ":"))
LEAD_SHOWN = 400
"""Characters of a lead on the title's card."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A frame of the recording at ``at_ms`` (``base``), and the same with what is drawn on it, all of it in ``boxes``:
    pictures in a format of ours."""

    at_ms: int
    base: bytes
    drawn: bytes
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A stretch of the film.

    Attributes:
        kind: ``title``, or a section's.
        mark: The number that is shown, if any.
        heading: Below the picture, or large on a card. ``text``: what else is read out.
        span: Of the recording, ms: heard, also over a note's card, and seen where it ``moves``.
        stills: Pictures that are shown one after the other where it does not. Without any it is a card.
    """

    kind: str
    number: int
    label: str
    heading: str
    text: str
    span: tuple[int, int] | None = None
    moves: bool = False
    stills: tuple[bytes, ...] = ()
    marked: Marked | None = None
    mark: str = ""

    @property
    def is_card(self) -> bool:
        return not self.moves and not self.stills

    @property
    def script(self) -> str:
        """All that a voice reads."""
        heading = self.heading if self.heading[-1:] in ("", *ENDS) else f"{self.heading}."
        return " ".join(each for each in (heading, self.text) if each)

    def length_ms(self, spoken_ms: int | None, *, is_heard: bool) -> int:
        """How long it is, with a voice of ``spoken_ms``, or without; ``is_heard``: with the recording's sound."""
        voice = 0 if spoken_ms is None else LEAD_MS + spoken_ms + REST_MS
        heard = 0 if self.span is None or not (self.moves or (is_heard and not voice)) else self.span[1] - self.span[0]
        if self.moves:
            return max(heard, voice)
        reading = max(LEAST_READING_MS, min(MOST_READING_MS, READING_MS * len(self.script)))
        return voice or max(heard, reading, LEAST_READING_MS * len(self.stills))


@dataclass(frozen=True, slots=True)
class Footage:
    """What there is of the recording: how long it is, whether it has pictures, and whether they may be shown moving.
    ``duration_ms`` 0: nothing."""

    duration_ms: int = 0
    has_picture: bool = False
    may_move: bool = False


NO_FOOTAGE = Footage()


def scenes(
    manuscript: Manuscript, blocks: Sequence[PublicationBlock], marks: Mapping[str, Marked], footage: Footage
) -> tuple[Scene, ...]:
    """The film. ``marks``: by the block that shows them."""
    spans = {each.block_id: (each.start_ms, each.end_ms) for each in blocks}
    begins = sorted(start for start, _ in spans.values() if start is not None)
    made = [Scene("title", 0, "", manuscript.title_text, shortened(words(manuscript.lead), LEAD_SHOWN))]
    until = 0
    for section in manuscript.sections:
        cited = spans.get(section.block_id, (None, None))
        scene = _scene(section, cited, marks.get(section.block_id), footage, begins)
        if scene.span is not None and scene.kind == SectionKind.STEP:
            scene = _after(scene, until)
            until = scene.span[1] if scene.span else until
        if scene.heading or scene.text or not scene.is_card:
            made.append(scene)
    return tuple(_heard_once(made))


def _scene(
    section: Section,
    cited: tuple[int | None, int | None],
    marked: Marked | None,
    footage: Footage,
    begins: Sequence[int],
) -> Scene:
    scene = Scene(
        kind=str(section.kind),
        number=section.number,
        label=section.label,
        heading=plain(section.heading),
        text=words(section.body),
        stills=tuple((each.whole or each).data for each in section.illustrations),
        mark=section.mark,
    )
    if footage.duration_ms == 0:
        return scene
    if section.kind in (SectionKind.NOTE, SectionKind.WARNING):
        return replace(scene, span=_spoken(cited, footage.duration_ms))
    if section.kind is not SectionKind.STEP:
        return scene
    moments = [each.timestamp_ms for each in section.illustrations if each.timestamp_ms is not None]
    span = _span(cited, moments, footage.duration_ms, begins)
    # a step without a picture may be one whose picture somebody took away
    moves = span is not None and footage.may_move and footage.has_picture and bool(moments)
    return replace(scene, span=span, moves=moves, marked=marked if moves else None)


def _span(
    cited: tuple[int | None, int | None], moments: Sequence[int], duration_ms: int, begins: Sequence[int]
) -> tuple[int, int] | None:
    """From where a step is spoken of, or its first picture, to what comes of its last one, or to where the next thing
    is spoken of (``begins``: when each block is, in order)."""
    starts = [each for each in (cited[0], *moments) if each is not None]
    if not starts:
        return None
    start = min(starts)
    needed = max(each for each in (start, cited[1], *moments) if each is not None)
    wanted = max([needed, *(moment + AFTER_MS for moment in moments)])
    next_said = next((each for each in begins if each > start and each >= needed), wanted)
    end = min(max(start + LEAST_SPAN_MS, min(wanted, next_said)), duration_ms)
    start = max(0, min(start, end - LEAST_SPAN_MS))
    return (start, end) if end > start else None


def _spoken(cited: tuple[int | None, int | None], duration_ms: int) -> tuple[int, int] | None:
    """Where a note is spoken of, which is heard over its card; longer than a card is shown it is not."""
    start, end = cited
    if start is None or end is None or not 0 < min(end, duration_ms) - start <= MOST_READING_MS:
        return None
    return start, min(end, duration_ms)


def _heard_once(made: Sequence[Scene]) -> Iterator[Scene]:
    """Without the sound of a note that a step, or another note, has already."""
    heard = [each.span for each in made if each.kind == SectionKind.STEP and each.span is not None]
    for scene in made:
        if scene.span is None or scene.kind == SectionKind.STEP:
            yield scene
        elif any(start < scene.span[1] and scene.span[0] < end for start, end in heard):
            yield replace(scene, span=None)
        else:
            heard.append(scene.span)
            yield scene


def _after(scene: Scene, until_ms: int) -> Scene:
    """Without what the scene before has shown already, where enough is left."""
    if scene.span is None or not scene.span[0] < until_ms <= scene.span[1] - LEAST_SPAN_MS:
        return scene
    return replace(scene, span=(until_ms, scene.span[1]))


def words(blocks: Blocks) -> str:
    """What a voice reads of them: no tables and no code."""
    return " ".join(each for block in blocks for each in _words(block) if each)


def _words(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(content) | Heading(_, content):
            yield _ended(plain(content))
        case Quote(inner):
            yield words(inner)
        case Listing(_, items):
            yield from (words(item) for item in items)
        case CodeBlock() | Table() | Rule():
            return


def _ended(text: str) -> str:
    return text if not text or text[-1] in ENDS else f"{text}."


def shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[:most].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
