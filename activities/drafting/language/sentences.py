"""Cuts a transcript into sentences that know which segments they were spoken in."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.documents.draft import SpokenTimes
from domain.recordings.transcript import Segment

PAUSE_MS = 1_200
"""A silence between segments that ends a sentence even without a full stop: speakers breathe for 0.3 to 0.6 s."""

_LONGEST_WORDS = 60
"""Beyond that many words a sentence ends with its segment: the recogniser forgot to punctuate."""

_LONGEST_CHARACTERS = 1_000
"""What is still longer, within one segment, is cut between words: nobody reads it, and reading it is not linear."""

_UNPUNCTUATED_WORDS = 60
"""A transcript with fewer full stops than one in so many words is taken to have none."""

_END = re.compile(
    "[.!?\u2026]+[\"'\u201d\u2019)\\]\u00bb]*(?=\\s|$)|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\u2019\uff09]*"
)
"""Full stops, question and exclamation marks (Latin before a space, fullwidth anywhere) with what they close."""

_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|mr|mrs|ms|dr|prof|vs|st|fig|approx)\.$", re.IGNORECASE)
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
"""Scripts that are written without spaces: kana, Han, Thai."""


@dataclass(frozen=True, slots=True)
class SegmentText:
    """A segment, its words one space apart, and where those spaces are."""

    segment: Segment
    words: str
    spaces: tuple[int, ...]
    times: SpokenTimes

    @classmethod
    def of(cls, segment: Segment) -> "SegmentText":
        words = " ".join(segment.text.split())
        return cls(
            segment, words, tuple(place for place, each in enumerate(words) if each == " "), SpokenTimes(segment)
        )

    def letters(self, characters: int) -> int:
        """How many of the first ``characters`` are not blank."""
        within = min(max(0, characters), len(self.words))
        return within - bisect_left(self.spaces, within)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was said in one breath, and in which segments: it begins ``begins_at`` non-blank characters into the
    first and ends ``ends_at`` into the last of them. Times are milliseconds, those of the whole segments."""

    text: str
    touched: tuple[SegmentText, ...]
    offsets: tuple[int, ...]
    """Where in ``text`` each segment's words begin; negative for words of the first that stand before it."""

    @property
    def segments(self) -> tuple[int, ...]:
        return tuple(each.segment.id for each in self.touched)

    @property
    def start_ms(self) -> int:
        return self.touched[0].segment.start_ms

    @property
    def end_ms(self) -> int:
        return max(each.segment.end_ms for each in self.touched)

    @property
    def begins_at(self) -> int:
        return self.touched[0].letters(-self.offsets[0])

    @property
    def ends_at(self) -> int:
        return self.touched[-1].letters(len(self.text) - self.offsets[-1])

    @property
    def begins_ms(self) -> int:
        """When its first word is spoken, in ms."""
        return self.touched[0].times.at(self.begins_at)

    @property
    def ends_ms(self) -> int:
        """When its last word is over, in ms."""
        return max(self.begins_ms, self.touched[-1].times.at(self.ends_at, end=True))

    def part(self, start: int, end: int) -> "Sentence":
        """The stretch ``start`` to ``end`` of the text, with the segments that it touches."""
        first = max(0, bisect_right(self.offsets, start) - 1)
        last = max(first, bisect_right(self.offsets, end - 1) - 1)
        return Sentence(
            text=self.text[start:end],
            touched=self.touched[first : last + 1],
            offsets=tuple(offset - start for offset in self.offsets[first : last + 1]),
        )


def sentences(segments: Sequence[Segment]) -> list[Sentence]:
    """The sentences of consecutive segments, in order. Linear."""
    segment_texts = [SegmentText.of(segment) for segment in segments if segment.text.strip()]
    text, starts = _joined(segment_texts)
    made: list[Sentence] = []
    for start, end in _spans(text, _forced_ends(segment_texts, starts, text)):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, end - 1) - 1
        made.append(
            Sentence(
                text=text[start:end],
                touched=tuple(segment_texts[first : last + 1]),
                offsets=tuple(offset - start for offset in starts[first : last + 1]),
            )
        )
    return made


def _joined(segment_texts: Sequence[SegmentText]) -> tuple[str, list[int]]:
    """All words, and where each segment's begin."""
    pieces: list[str] = []
    starts: list[int] = []
    length = 0
    for each in segment_texts:
        if pieces and not (UNSPACED.match(pieces[-1][-1]) and UNSPACED.match(each.words[0])):
            pieces.append(" ")
            length += 1
        starts.append(length)
        pieces.append(each.words)
        length += len(each.words)
    return "".join(pieces), starts


def _forced_ends(segment_texts: Sequence[SegmentText], starts: list[int], text: str) -> set[int]:
    """Starts of segments that begin a sentence whatever stands before them."""
    unpunctuated = len(_END.findall(text)) * _UNPUNCTUATED_WORDS < text.count(" ") + 1
    forced: set[int] = set()
    since_end = 0
    for place, each in enumerate(segment_texts):
        pause = each.segment.start_ms - segment_texts[place - 1].segment.end_ms if place else 0
        if place and (unpunctuated or pause >= PAUSE_MS or since_end > _LONGEST_WORDS):
            forced.add(starts[place])
            since_end = 0
        ends = list(_END.finditer(each.words))
        behind = each.words[ends[-1].end() :] if ends else each.words
        since_end = len(behind.split()) + (0 if ends else since_end)
    return forced


def _spans(text: str, forced: set[int]) -> list[tuple[int, int]]:
    cuts = sorted(forced | {found.end() for found in _END.finditer(text) if _ends_here(text, found)} | {len(text)})
    spans: list[tuple[int, int]] = []
    start = 0
    for cut in cuts:
        words = text[start:cut]
        begin = start + len(words) - len(words.lstrip())
        end = begin + len(words.strip())
        if any(each.isalnum() for each in words):
            spans += _short_spans(text, begin, end)
        elif spans and words.strip():
            spans[-1] = (spans[-1][0], end)
        start = cut
    return spans


def _short_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _LONGEST_CHARACTERS:
        space = text.rfind(" ", start + 1, start + _LONGEST_CHARACTERS)
        cut = space if space > 0 else start + _LONGEST_CHARACTERS
        yield start, cut
        start = cut + 1 if space > 0 else cut
    if start < end:
        yield start, end


def _ends_here(text: str, found: re.Match[str]) -> bool:
    if _ABBREVIATION.search(text, max(0, found.end() - 8), found.end()):
        return False
    following = text[found.end() : found.end() + 2].strip()
    # "and so on ... it works": dots that trail off within a sentence
    return not (found.group().startswith(("..", "…")) and following[:1].islower())
