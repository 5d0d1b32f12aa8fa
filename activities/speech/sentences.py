"""Turns what a recogniser hears into about a sentence a segment, as it is heard."""

import re
from collections.abc import Iterable, Iterator, Sequence

from activities.speech.recognition import SpokenSegment, SpokenWord

LONGEST_MS = 20_000
LONGEST_CHARACTERS = 320
"""A segment that grows beyond either is cut at the best place it has: nobody reads a longer sentence."""

PAUSE_MS = 2_000
"""A silence that ends a sentence even without a full stop."""

CLAUSE_PAUSE_MS = 800
"""A silence that ends a sentence after a comma: Whisper likes to join steps that way. Longer than a breath."""

# Full-width marks are written as escapes, because they look like the others.
_CLOSING = r"""["'\u201d\u2019\u00bb)\]]*$"""
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]" + _CLOSING)
_CLAUSE_END = re.compile(r"[,;:\u060c\uff0c\uff1b\uff1a\u2014\u2013]" + _CLOSING)
_TOKEN = re.compile(r"\s*[^\s\u3002\uff01\uff1f\uff0c\uff1b]+[\u3002\uff01\uff1f\uff0c\uff1b]*")
_ABBREVIATION = re.compile(r"(?i)^[\"'(]*(?:mr|mrs|ms|dr|prof|st|vs|etc|no|e\.g|i\.e|approx|inc|ltd|z\.b|bzw|usw)\.$")


class SentenceBuilder:
    """Collects words and gives back sentences when they are complete. One stretch of speech, in order."""

    def __init__(self) -> None:
        self._words: list[SpokenWord] = []

    def push(self, words: Iterable[SpokenWord]) -> Iterator[SpokenSegment]:
        """The sentences that ``words`` complete."""
        for word in words:
            if self._words and _parted(self._words[-1], word):
                yield from self.flush()
            self._words.append(word)
            if ends_sentence(word.text):
                yield from self.flush()
            elif _too_long(self._words):
                cut = _best_break(self._words)
                yield _segment(self._words[:cut])
                self._words = self._words[cut:]

    def flush(self) -> Iterator[SpokenSegment]:
        """What is left, complete or not."""
        if self._words:
            yield _segment(self._words)
            self._words = []


def ends_sentence(word: str) -> bool:
    """Whether a sentence ends with ``word``, as far as a word can tell."""
    return bool(_SENTENCE_END.search(word.strip())) and not _ABBREVIATION.match(word.strip())


def words_of(segment: SpokenSegment) -> tuple[SpokenWord, ...]:
    """The segment's words; where it has no word times, they are shared out by length.

    Text without spaces (Chinese, Japanese) is taken sentence by sentence instead of word by word. What is joined
    again by :class:`SentenceBuilder` is the same text.
    """
    if segment.words:
        return segment.words
    texts = _tokens(segment.text)
    total = sum(len(text) for text in texts)
    if not total:
        return ()
    words = []
    said = 0
    span_ms = segment.end_ms - segment.start_ms
    for text in texts:
        start_ms = segment.start_ms + span_ms * said // total
        said += len(text)
        words.append(SpokenWord(start_ms=start_ms, end_ms=segment.start_ms + span_ms * said // total, text=text))
    return tuple(words)


def _tokens(text: str) -> list[str]:
    """Words with the space before them; in text without spaces, clauses."""
    return [token for token in _TOKEN.findall(text) if token.strip()]


def _parted(before: SpokenWord, after: SpokenWord) -> bool:
    silence_ms = after.start_ms - before.end_ms
    return silence_ms >= (CLAUSE_PAUSE_MS if _CLAUSE_END.search(before.text.strip()) else PAUSE_MS)


def _too_long(words: Sequence[SpokenWord]) -> bool:
    if words[-1].end_ms - words[0].start_ms > LONGEST_MS:
        return len(words) > 1
    return len(words) > 1 and sum(len(word.text) for word in words) > LONGEST_CHARACTERS


def _best_break(words: Sequence[SpokenWord]) -> int:
    """Number of words before the break: after the last clause of the second half, or else at the longest silence."""
    half = max(1, len(words) // 2)
    for place in range(len(words) - 1, half - 1, -1):
        if _CLAUSE_END.search(words[place - 1].text.strip()):
            return place
    return max(range(half, len(words)), key=lambda place: words[place].start_ms - words[place - 1].end_ms)


def _segment(words: Sequence[SpokenWord]) -> SpokenSegment:
    text = re.sub(r"\s+", " ", "".join(word.text for word in words)).strip()
    start_ms = words[0].start_ms
    return SpokenSegment(
        start_ms=start_ms, end_ms=max(start_ms, *(word.end_ms for word in words)), text=text, words=tuple(words)
    )
