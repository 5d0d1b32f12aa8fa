"""Captions: a transcript cut into cues that can be read while they are shown.

Pure: rendering to files is ``activities/publishing/captions.py``. The limits are those of the Netflix Timed Text
Style Guide (General Requirements and English), which broadcasters' guides agree with within a few per cent. Widths
are counted in columns: a wide (East Asian) character takes two, so that the same numbers hold for scripts that are
read two columns at a time.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from domain.recordings.transcript import Segment, Transcript

LINE_COLUMNS = 42
"""Columns of a line. Netflix, English: 42 characters."""
LINES = 2
"""Lines of a cue. Netflix, General Requirements: two at most."""
COLUMNS_PER_SECOND = 20
"""Reading speed. Netflix, English, adult programmes: 20 characters a second."""
MIN_MS = 833
"""The shortest time a cue is shown when there is room. Netflix, General Requirements: 5/6 of a second."""
MAX_MS = 7_000
"""The longest time a cue is shown. Netflix, General Requirements: 7 seconds."""
GAP_MS = 83
"""Between two cues that follow each other. Netflix, General Requirements: 2 frames, at 24 frames a second."""
PAUSE_MS = 300
"""Silence between words at which a reader expects a new cue."""
LONG_PAUSE_MS = 1_500
"""Silence that a cue should not stand through."""
FLOOR_MS = 40
"""One frame at 25 frames a second: what a cue gets where the speech leaves no room at all."""

SENTENCE_ENDS = frozenset(".!?…。！？؟")  # noqa: RUF001 - punctuation of several scripts
CLAUSE_ENDS = frozenset(",;:—–、，；：،")  # noqa: RUF001 - punctuation of several scripts
OPENERS = ("Ps", "Pi")
"""Unicode categories of opening brackets and quotation marks."""
CLOSERS = "\"'”’»)]」』"  # noqa: RUF001


class Cue(BaseModel):
    """What is shown from ``start_ms`` until ``end_ms``: one or two lines of plain text, without markup."""

    model_config = ConfigDict(frozen=True)

    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=1)
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of text that is never cut: a word, or a character of a script written without spaces."""

    text: str
    spaced: bool
    """A space stands before it."""
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class _Timed:
    start_ms: int
    end_ms: int
    lines: tuple[str, ...]


def cues(transcript: Transcript) -> tuple[Cue, ...]:
    """The captions of a transcript: every word once, in order, within the limits above.

    A cue never crosses a segment. Cues do not overlap and their starts increase. A cue is kept on the screen into
    the silence after it for as long as reading takes; where people speak faster than anyone reads, the words win
    over the reading speed. Words' own times are used where the recogniser gave them, else a segment's time is
    shared out by the width of its words. A transcript without speech has none.
    """
    raw: list[_Timed] = []
    for segment in transcript.segments:
        pieces = _pieces(segment)
        for first, last in _cut(pieces):
            group = pieces[first:last]
            raw.append(_Timed(group[0].start_ms, group[-1].end_ms, _fold(group)))
    return tuple(_settle(raw, transcript.duration_ms))


def columns(text: str) -> int:
    """The width of a line: two for a wide character, none for one that combines with another, else one."""
    return sum(_width(character) for character in text)


@cache
def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if _is_wide(character) else 1


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


# --- text to pieces --------------------------------------------------------------------------------------------


def _pieces(segment: Segment) -> list[_Piece]:
    """The segment's text as timed pieces. Words' times are trusted only if the words say what the segment says."""
    spoken = [word for word in segment.words if word.text.strip()]
    said = "".join("".join(word.text.split()) for word in spoken)
    if spoken and said == "".join(segment.text.split()):
        texts = [word.text if at else word.text.lstrip() for at, word in enumerate(spoken)]
        clamped = _monotone([(word.start_ms, word.end_ms) for word in spoken])
        pieces: list[_Piece] = []
        for text, (start, end) in zip(texts, clamped, strict=True):
            pieces += _spread(text, start, end)
        return pieces
    return _spread(segment.text.strip(), segment.start_ms, segment.end_ms)


def _monotone(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that never run backwards, whatever the recogniser thought."""
    clean: list[tuple[int, int]] = []
    last = 0
    for start, end in spans:
        last = max(last, start)
        clean.append((last, max(last, end)))
    return clean


def _spread(text: str, start_ms: int, end_ms: int) -> list[_Piece]:
    """``text`` cut where a line may be broken, its time shared out by width."""
    parts = list(_breakable(text))
    whole = sum(max(1, columns(part)) for part, _ in parts)
    pieces: list[_Piece] = []
    done = 0
    for part, spaced in parts:
        begins = start_ms + (end_ms - start_ms) * done // whole
        done += max(1, columns(part))
        ends = start_ms + (end_ms - start_ms) * done // whole
        pieces.append(_Piece(part, spaced, begins, ends))
    return pieces


def _breakable(text: str) -> Iterable[tuple[str, bool]]:
    """(piece, whether a space stands before it). No piece is wider than a line."""
    spaced = text[:1].isspace()
    for word in text.split():
        for part in _words_of(word):
            for chunk in _chunks(part):
                yield chunk, spaced
                spaced = False
        spaced = True


def _words_of(word: str) -> Iterable[str]:
    """Beside wide characters a line may break, but not before a mark that closes nor after one that opens."""
    part = ""
    for character in word:
        kind = unicodedata.category(character)
        stays = (kind[0] in "PM" and kind not in OPENERS) or (part and unicodedata.category(part[-1]) in OPENERS)
        if part and not stays and (_is_wide(character) or _is_wide(part[-1])):
            yield part
            part = ""
        part += character
    if part:
        yield part


def _chunks(part: str) -> Iterable[str]:
    """A word wider than a line (an address, a hash) is cut hard."""
    chunk, width = "", 0
    for character in part:
        wide = _width(character)
        if chunk and width + wide > LINE_COLUMNS:
            yield chunk
            chunk, width = "", 0
        chunk += character
        width += wide
    if chunk:
        yield chunk


# --- pieces to cues --------------------------------------------------------------------------------------------


def _cut(pieces: Sequence[_Piece]) -> list[tuple[int, int]]:
    """Where to cut, as [first, last) index pairs: the cheapest way through, by dynamic programming."""
    count = len(pieces)
    best: list[float] = [0.0] + [float("inf")] * count
    came: list[int] = [0] * (count + 1)
    for first in range(count):
        for last in range(first + 1, count + 1):
            group = pieces[first:last]
            alone = last == first + 1
            too_long = pieces[last - 1].end_ms - pieces[first].start_ms > MAX_MS
            if not alone and (too_long or not _fits(group)):
                break
            cost = best[first] + _cost(group, pieces[last] if last < count else None)
            if cost < best[last]:
                best[last], came[last] = cost, first
    cuts: list[tuple[int, int]] = []
    last = count
    while last:
        cuts.append((came[last], last))
        last = came[last]
    return cuts[::-1]


def _fits(group: Sequence[_Piece]) -> bool:
    """Whether the pieces go into the lines of one cue, filled greedily."""
    lines, width = 1, 0
    for at, piece in enumerate(group):
        wide = columns(piece.text)
        space = int(piece.spaced and at > 0)
        if at and width + space + wide > LINE_COLUMNS:
            lines, width = lines + 1, wide
        else:
            width += space + wide
    return lines <= LINES


def _cost(group: Sequence[_Piece], after: _Piece | None) -> float:
    """How badly a cue of these pieces reads: few cues, ends where the speaker paused, no stumps, no long stare."""
    cost = 10.0
    if after is not None:
        cost += _cost_of_end(group[-1], after)
    if sum(columns(piece.text) for piece in group) < 12:
        cost += 6
    for one, other in pairwise(group):
        if other.start_ms - one.end_ms >= LONG_PAUSE_MS:
            cost += 25
        elif _ends_with(one.text, SENTENCE_ENDS):
            cost += 3
    return cost


def _cost_of_end(piece: _Piece, after: _Piece) -> float:
    if _ends_with(piece.text, SENTENCE_ENDS):
        return 0
    if after.start_ms - piece.end_ms >= PAUSE_MS:
        return 1
    if _ends_with(piece.text, CLAUSE_ENDS):
        return 2
    return 7 if after.spaced else 9


def _ends_with(text: str, marks: frozenset[str]) -> bool:
    return text.rstrip(CLOSERS)[-1:] in marks


def _fold(group: Sequence[_Piece]) -> tuple[str, ...]:
    """One line where it fits, else two, as even as they come and rather broken after a clause."""
    whole = _text(group)
    if columns(whole) <= LINE_COLUMNS:
        return (whole,)
    ways: list[tuple[float, str, str]] = []
    for at in range(1, len(group)):
        upper, lower = _text(group[:at]), _text(group[at:])
        over, under = columns(upper), columns(lower)
        if max(over, under) > LINE_COLUMNS:
            continue
        clause = _ends_with(group[at - 1].text, CLAUSE_ENDS | SENTENCE_ENDS)
        ways.append((abs(over - under) + (0 if clause else 8) + (2 if over > under else 0), upper, lower))
    _, upper, lower = min(ways)
    return (upper, lower)


def _text(group: Sequence[_Piece]) -> str:
    return "".join((" " if piece.spaced and at else "") + piece.text for at, piece in enumerate(group))


# --- when ------------------------------------------------------------------------------------------------------


def _settle(raw: Sequence[_Timed], duration_ms: int) -> Iterable[Cue]:
    """The cues' times: apart from each other, long enough to be read where there is room, never past the end."""
    free_from = 0
    for at, cue in enumerate(raw):
        start = max(cue.start_ms, free_from)
        reading = columns("".join(cue.lines)) * 1000 // COLUMNS_PER_SECOND
        end = max(cue.end_ms, start + max(MIN_MS, reading))
        end = min(end, start + MAX_MS, max(duration_ms, cue.end_ms))
        if at + 1 < len(raw):
            end = min(end, _latest_end(start, raw[at + 1]))
        end = max(end, start + FLOOR_MS)
        yield Cue(start_ms=start, end_ms=end, lines=cue.lines)
        squeezed = at + 1 < len(raw) and raw[at + 1].start_ms < end + GAP_MS
        free_from = end + GAP_MS if squeezed and raw[at + 1].end_ms >= end + GAP_MS + MIN_MS else end


def _latest_end(start_ms: int, following: _Timed) -> int:
    """When a cue must be gone. A cue too short to be seen holds the next one up, if that can spare the time."""
    can_spare = following.end_ms - MIN_MS - GAP_MS
    return max(following.start_ms - GAP_MS, min(start_ms + MIN_MS, can_spare))
