"""A draft and the rule that it must not lie.

A drafter, local or model, says which transcript segments, which changes of the screen or (where neither is known)
which scenes each block rests on, and nothing about time: times, frames and anchors are derived from what is cited. A
block that cites what does not exist, or a step that cites nothing, cannot be stored.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import accumulate

from pydantic import BaseModel, ConfigDict, Field

from domain.errors import DraftInvalid
from domain.recordings.glossary import SegmentPut
from domain.recordings.media import Scene
from domain.recordings.screen import ScreenChange, ScreenRecord
from domain.recordings.transcript import Segment, Transcript

_MARKER = re.compile(r"^[ \t]*<!--[ \t]*block\b", re.MULTILINE)


class BlockRole(StrEnum):
    """TITLE is the document's heading, LEAD its first paragraph; both may cite nothing. The others must cite. WARNING
    and TEXT no drafter gives: they are what people make of a block (``GIVEN``).

    A SECTION is the heading of the steps that follow it, up to the next one; it has no number, and steps are counted
    through. In the stored Markdown a section is ``## Heading``, as a step is: a step's level cannot depend on whether
    there are sections, since people add and delete them, and documents of earlier versions have steps at this level.
    Which of the two a block is, its evidence's role says, and so do numbering, contents and exports (which may set
    steps one level deeper where there are sections).
    """

    TITLE = "title"
    LEAD = "lead"
    SECTION = "section"
    STEP = "step"
    NOTE = "note"
    WARNING = "warning"
    TEXT = "text"


MUST_CITE = frozenset({BlockRole.SECTION, BlockRole.STEP, BlockRole.NOTE})
HEADED = frozenset({BlockRole.TITLE, BlockRole.SECTION, BlockRole.STEP})
"""Blocks that have a heading of one line."""
SET_APART = frozenset({BlockRole.NOTE, BlockRole.WARNING})
"""Blocks that stand in a box with a label."""
GIVEN = frozenset({BlockRole.SECTION, BlockRole.STEP, BlockRole.NOTE, BlockRole.WARNING, BlockRole.TEXT})
"""What people may make of a block."""
DRAFTED = frozenset(BlockRole) - {BlockRole.WARNING, BlockRole.TEXT}
"""What a drafter may make."""


class DraftBlock(BaseModel):
    """One block as a drafter writes it.

    ``heading`` is plain text on one line (a title's, a section's and a step's; elsewhere it may be empty), ``body``
    is Markdown without block markers. ``segments`` and ``scenes`` are the numbers of what the block rests on,
    ``changes`` the ids of changes of the screen: the first is the action that the step tells, which its pictures and
    its precise time follow; others belong to it, in order of time (the field that was clicked before it was filled).

    A drafter that knows where in a long segment a block's words stand may say so, which narrows its time:
    ``begins_at`` non-blank characters into the first cited segment, ``ends_at`` into the last (``None``: its end).
    """

    model_config = ConfigDict(frozen=True)

    role: BlockRole
    heading: str = Field(default="", max_length=300)
    body: str = Field(default="", max_length=20_000)
    segments: tuple[int, ...] = ()
    scenes: tuple[int, ...] = ()
    changes: tuple[int, ...] = ()
    begins_at: int = Field(default=0, ge=0)
    ends_at: int | None = Field(default=None, ge=1)


class Draft(BaseModel):
    """What a drafter answers. ``warnings`` are stable codes with a sentence, shown with the version."""

    model_config = ConfigDict(frozen=True)

    blocks: tuple[DraftBlock, ...]
    language: str | None = None
    warnings: tuple["DraftWarning", ...] = ()
    provenance: "DraftProvenance"


class DraftWarning(BaseModel):
    """``at_ms`` are the moments of the recording that it asks to look at, for whoever leads there; may be empty.
    ``details``: what the message says of this draft alone, for who says it in another language."""

    model_config = ConfigDict(frozen=True)

    code: str
    message: str
    at_ms: tuple[int, ...] = ()
    details: dict[str, str | int] = Field(default_factory=dict)


class DraftProvenance(BaseModel):
    """Who wrote the draft: ``model_profile_id`` (``local`` for the built-in drafter), the prompt template and its
    version, and a reference to the parameters."""

    model_config = ConfigDict(frozen=True)

    model_profile_id: str
    prompt_template_id: str
    prompt_params_ref: str | None = None


class Cited(BaseModel):
    """A block's time in the recording, derived from its citations. Milliseconds. ``action_ms`` is the moment of the
    first change of the screen that it cites, ``None`` where it cites none."""

    model_config = ConfigDict(frozen=True)

    start_ms: int
    end_ms: int
    action_ms: int | None = None


def cited_time(
    block: DraftBlock,
    transcript: Transcript,
    scenes: tuple[Scene, ...] = (),
    screen: ScreenRecord | None = None,
) -> Cited | None:
    """When the block's evidence happens, or ``None`` where a title or a lead cites nothing.

    It begins with the words (or scenes) that it cites, and only where there are none with the changes (when the hand
    set off for what it acts on); it lasts until the last of them all. A citation that begins within the recording and
    ends behind it (speech models round up) is cut at its end.

    Raises:
        DraftInvalid: The block cites a segment, scene or change that does not exist or lies outside the recording,
            or it is a section, a step or a note that cites nothing.
    """
    changes = _cited_changes(block, screen)
    acted = [
        (min(change.at_ms, change.hand_ms or change.at_ms), max(change.at_ms, change.after_ms)) for change in changes
    ]
    told = [*_segment_spans(block, transcript), *_scene_spans(block, scenes)]
    spans = [*told, *acted]
    if not spans:
        if block.role in MUST_CITE:
            raise DraftInvalid(f"A {block.role} of the draft cites nothing of the recording.")
        return None
    ends = [transcript.duration_ms, *(scene.end_ms for scene in scenes), screen.duration_ms if screen else 0]
    end_of_recording = max(ends)
    if any(not 0 <= start < end_of_recording for start, _ in spans):
        raise DraftInvalid("The draft cites a time outside the recording.")
    start_ms = min(start for start, _ in told or acted)
    return Cited(
        start_ms=start_ms,
        end_ms=max(start_ms, min(end_of_recording, max(end for _, end in spans))),
        action_ms=changes[0].at_ms if changes else None,
    )


def _cited_changes(block: DraftBlock, screen: ScreenRecord | None) -> list[ScreenChange]:
    known = {change.id: change for change in screen.changes} if screen and block.changes else {}
    for number in block.changes:
        if number not in known:
            raise DraftInvalid(f"The draft cites change {number} of the screen, which the recording does not have.")
    return [known[number] for number in block.changes]


def _segment_spans(block: DraftBlock, transcript: Transcript) -> Iterator[tuple[int, int]]:
    first, last = min(block.segments, default=0), max(block.segments, default=0)
    for number in block.segments:
        if not 0 <= number < len(transcript.segments):
            raise DraftInvalid(f"The draft cites segment {number}, which the transcript does not have.")
        segment = transcript.segments[number]
        letters = len("".join(segment.text.split()))
        begins = block.begins_at if number == first else 0
        ends = block.ends_at if number == last and block.ends_at is not None else letters
        if not (0 <= begins < ends <= letters or (begins == 0 and letters == 0)):
            raise DraftInvalid(f"The draft cites words that segment {number} does not have.")
        times = SpokenTimes(segment)
        yield times.at(begins), max(times.at(begins), times.at(ends, end=True))


def _scene_spans(block: DraftBlock, scenes: tuple[Scene, ...]) -> Iterator[tuple[int, int]]:
    for number in block.scenes:
        if not 0 <= number < len(scenes):
            raise DraftInvalid(f"The draft cites scene {number}, which the recording does not have.")
        yield scenes[number].start_ms, scenes[number].end_ms


class SpokenTimes:
    """When the characters of one segment are spoken. Made once for a segment of which many are asked."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._letters = len("".join(segment.text.split()))
        self._behind = list(accumulate(len("".join(word.text.split())) for word in segment.words))

    def at(self, letter: int, *, end: bool = False) -> int:
        """When the segment's ``letter``-th non-blank character is spoken, in ms: the start of its word, or with
        ``end`` the end of the word that ends there. By the recogniser's word times; in proportion where it gave
        none."""
        segment, letters = self._segment, self._letters
        if letters == 0 or (letter == 0 and not end) or (letter == letters and end):
            return segment.end_ms if end else segment.start_ms
        if self._behind and self._behind[-1] == letters:
            place = bisect_left(self._behind, letter) if end else bisect_right(self._behind, letter)
            word = segment.words[place]
            return min(max(word.end_ms if end else word.start_ms, segment.start_ms), segment.end_ms)
        return segment.start_ms + (segment.end_ms - segment.start_ms) * letter // letters


def check_draft(
    draft: Draft,
    transcript: Transcript,
    scenes: tuple[Scene, ...] = (),
    screen: ScreenRecord | None = None,
) -> None:
    """Refuse a draft that could not be traced to the recording.

    Raises:
        DraftInvalid: :func:`draft_problems` finds something; the message is the first of it.
    """
    problems = draft_problems(draft, transcript, scenes, screen)
    if problems:
        raise DraftInvalid(problems[0], details={"problems": len(problems)})


def draft_problems(
    draft: Draft,
    transcript: Transcript,
    scenes: tuple[Scene, ...] = (),
    screen: ScreenRecord | None = None,
) -> list[str]:
    """Everything that keeps a draft from being stored, as sentences that hold nothing of its text.

    That is what :func:`cited_time` refuses, and: no title, or not exactly one, or not first; a lead that is not
    second; nothing below the title; an empty block; a title, section or step without a heading of one line; a block
    marker in the text, which would make two blocks of one.
    """
    problems = [*_shape_problems(draft.blocks)]
    for block in draft.blocks:
        problems += _text_problems(block)
        try:
            cited_time(block, transcript, scenes, screen)
        except DraftInvalid as refused:
            problems.append(refused.message)
    return problems


def _shape_problems(blocks: tuple[DraftBlock, ...]) -> Iterator[str]:
    roles = [block.role for block in blocks]
    if roles.count(BlockRole.TITLE) != 1 or roles[0] is not BlockRole.TITLE:
        yield "A draft has exactly one title, first."
    elif len(roles) == 1:
        yield "A draft has some text below its title."
    if BlockRole.LEAD in roles and (roles.count(BlockRole.LEAD) > 1 or roles.index(BlockRole.LEAD) != 1):
        yield "A draft has at most one lead, right below its title."


def _text_problems(block: DraftBlock) -> Iterator[str]:
    if not (block.heading.strip() or block.body.strip()):
        yield f"A {block.role} of the draft is empty."
    elif block.role not in DRAFTED:
        yield f"No draft has a {block.role}: that is for people to say."
    elif block.role in HEADED and not block.heading.strip():
        yield f"A {block.role} of the draft has no heading."
    if "\n" in block.heading or "\r" in block.heading:
        yield f"The heading of a {block.role} has more than one line."
    if _MARKER.search(block.body):
        yield f"A {block.role} of the draft holds a block marker."


UNCLEAR_MS = 2_000
"""Speech that was not understood, in all, from which it is told: less is a cough or a word."""

_PLACES_TOLD = 5


JOINED_MS = 2_000
"""By which sound may be longer than the recording says that it is."""


def joined_recording(facts: Mapping[str, object]) -> tuple[DraftWarning, ...]:
    """The warning that the file is several recordings, of which only the first is whole, if so.

    Args:
        facts: Of the recording's sound.
    """
    if facts.get("joined") == "unread":
        text = "Another recording stands behind this one in the file, and was not read. Upload each by itself."
    elif facts.get("joined") == "unseen":
        text = (
            "The file is several recordings, one behind the other. All were heard and only the first was seen: later "
            "steps have no right picture. Upload each by itself."
        )
    else:
        return ()
    return (DraftWarning(code="RECORDING_JOINED", message=text),)


GLOSSARY_CORRECTED = "GLOSSARY_CORRECTED"
_WORDS_TOLD = 10


def glossary_corrected(put: Iterable[SegmentPut]) -> tuple[DraftWarning, ...]:
    """The warning that words of the transcript are the glossary's, and not what was heard, if so."""
    put = tuple(put)
    counts = Counter((each.heard, each.right) for segment in put for each in segment.words)
    if not counts:
        return ()
    told = [f"“{heard}” → “{right}”" + (f" ({count})" if count > 1 else "") for (heard, right), count in counts.items()]
    words = ", ".join(told[:_WORDS_TOLD]) + (" …" if len(told) > _WORDS_TOLD else "")
    return (
        DraftWarning(
            code=GLOSSARY_CORRECTED,
            message=f"Your glossary corrected what was heard: {words}. Listen there; the transcript takes it back.",
            at_ms=tuple(each.start_ms for each in put),
            details={"words": words},
        ),
    )


def unclear_speech(transcript: Transcript) -> tuple[DraftWarning, ...]:
    """The warning that somebody speaks where nothing was written down, if so: what was said there is in no step."""
    if sum(end_ms - start_ms for start_ms, end_ms in transcript.unclear) < UNCLEAR_MS:
        return ()
    starts = tuple(start_ms for start_ms, _ in transcript.unclear)
    places = ", ".join(f"{start_ms // 60_000}:{start_ms // 1000 % 60:02}" for start_ms in starts[:_PLACES_TOLD])
    more = f" and {len(starts) - _PLACES_TOLD} more" if len(starts) > _PLACES_TOLD else ""
    return (
        DraftWarning(
            code="SPEECH_UNCLEAR",
            message=f"Somebody speaks at {places}{more} and was not understood. Listen there, and add what is missing.",
            at_ms=starts,
            details={"places": places, "more": max(0, len(starts) - _PLACES_TOLD)},
        ),
    )
