"""Cuts a transcript into sentences that know which segments they were spoken in."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from domain.transcript import Segment

PAUSE_MS = 1_200
"""A silence between segments that ends a sentence even without a full stop: speakers breathe for 0.3 to 0.6 s."""

_LONGEST_WORDS = 60
"""Beyond that many words a sentence ends with its segment: the recogniser forgot to punctuate."""

_UNPUNCTUATED_WORDS = 60
"""A transcript with fewer full stops than one in so many words is taken to have none."""

_END = re.compile(
    "[.!?\u2026]+[\"'\u201d\u2019)\\]\u00bb]*(?=\\s|$)|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\u2019\uff09]*"
)
"""Full stops, question and exclamation marks (Latin before a space, fullwidth anywhere) with what they close."""

_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|mr|mrs|ms|dr|prof|vs|st|fig|approx)\.$", re.IGNORECASE)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
"""Scripts that are written without spaces: kana, Han, Thai."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was said in one breath, and in which segments: it begins ``begins_at`` non-blank characters into the
    first and ends ``ends_at`` into the last of them. Times are milliseconds, those of the whole segments."""

    text: str
    touched: tuple[Segment, ...]
    offsets: tuple[int, ...]
    """Where in ``text`` each segment's words begin; negative for words of the first that stand before it."""

    @property
    def segments(self) -> tuple[int, ...]:
        return tuple(segment.id for segment in self.touched)

    @property
    def start_ms(self) -> int:
        return self.touched[0].start_ms

    @property
    def end_ms(self) -> int:
        return max(segment.end_ms for segment in self.touched)

    @property
    def begins_at(self) -> int:
        return _letters(self.touched[0], -self.offsets[0])

    @property
    def ends_at(self) -> int:
        return _letters(self.touched[-1], len(self.text) - self.offsets[-1])

    def part(self, start: int, end: int) -> "Sentence":
        """The stretch ``start`` to ``end`` of the text, with the segments that it touches."""
        first = max(0, bisect_right(self.offsets, start) - 1)
        last = max(first, bisect_right(self.offsets, end - 1) - 1)
        return Sentence(
            text=self.text[start:end],
            touched=self.touched[first : last + 1],
            offsets=tuple(offset - start for offset in self.offsets[first : last + 1]),
        )


def _letters(segment: Segment, characters: int) -> int:
    """Non-blank characters among the first ``characters`` of the segment's words, one space apart."""
    return len("".join(" ".join(segment.text.split())[: max(0, characters)].split()))


def sentences(segments: Sequence[Segment]) -> list[Sentence]:
    """The sentences of consecutive segments, in order. Linear."""
    spoken = [segment for segment in segments if segment.text.strip()]
    text, starts = _joined(spoken)
    made: list[Sentence] = []
    for start, end in _spans(text, _forced_ends(spoken, starts, text)):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, end - 1) - 1
        made.append(
            Sentence(
                text=text[start:end],
                touched=tuple(spoken[first : last + 1]),
                offsets=tuple(offset - start for offset in starts[first : last + 1]),
            )
        )
    return made


def _joined(segments: Sequence[Segment]) -> tuple[str, list[int]]:
    """All words, and where each segment's begin."""
    pieces: list[str] = []
    starts: list[int] = []
    length = 0
    for segment in segments:
        words = " ".join(segment.text.split())
        if pieces and not (_UNSPACED.match(pieces[-1][-1]) and _UNSPACED.match(words[0])):
            pieces.append(" ")
            length += 1
        starts.append(length)
        pieces.append(words)
        length += len(words)
    return "".join(pieces), starts


def _forced_ends(segments: Sequence[Segment], starts: list[int], text: str) -> set[int]:
    """Starts of segments that begin a sentence whatever stands before them."""
    words = len(text.split())
    unpunctuated = len(_END.findall(text)) * _UNPUNCTUATED_WORDS < words
    forced: set[int] = set()
    since_end = 0
    for place, segment in enumerate(segments):
        before = segments[place - 1] if place else None
        if before and (unpunctuated or segment.start_ms - before.end_ms >= PAUSE_MS or since_end > _LONGEST_WORDS):
            forced.add(starts[place])
            since_end = 0
        ends = list(_END.finditer(segment.text))
        since_end = len(segment.text[ends[-1].end() :].split()) if ends else since_end + len(segment.text.split())
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
            spans.append((begin, end))
        elif spans and words.strip():
            spans[-1] = (spans[-1][0], end)
        start = cut
    return spans


def _ends_here(text: str, found: re.Match[str]) -> bool:
    if _ABBREVIATION.search(text, max(0, found.end() - 8), found.end()):
        return False
    following = text[found.end() : found.end() + 2].strip()
    # "and so on ... it works": dots that trail off within a sentence
    return not (found.group().startswith(("..", "…")) and following[:1].islower())
