"""Words that are misheard again and again, and what they are: found in what was heard, and put right.

A pair says what was heard and what is right. Where it stands as a word of its own it is certain; with an ending, within
a word with hyphens or an address, or where something only sounds like it, it is offered and a person decides.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from pydantic import Field

from domain.jobs import Frozen
from domain.recordings.corrections import text_sha256
from domain.recordings.transcript import Transcript

LONGEST_WORDS = 100
"""Characters of one side of a pair."""
MOST_TERMS = 500
"""Pairs that one user keeps: what bounds the work of looking for all of them."""

LEAST_SIMILAR = 3
"""Letters and digits of a word that anything else is taken for."""
LEAST_LETTERS = 5
"""Letters and digits of a word that is known again although it was split, joined or spelt with other signs."""
LEAST_SOUND = 7
"""The same of one that is known again by its sound, and"""
LEAST_CONSONANTS = 4
"""how many consonants its sound has: fewer are those of too many words."""
APART = 5
"""One letter in so many may differ where the sound is the same."""
MOST_JOINED = 4
"""Words that one word may have been heard as."""
HINT_CHARACTERS = 200
"""Of all words that a recogniser is told: what it is told takes the place of what it was told of the talk so far."""


class Pair(Frozen):
    heard: str = Field(min_length=1, max_length=LONGEST_WORDS)
    right: str = Field(min_length=1, max_length=LONGEST_WORDS)


class Term(Pair):
    """A pair that is kept. ``project_id``: for the recordings of that project alone; ``None``: for all."""

    id: str
    owner: str
    project_id: str | None
    changed_at: datetime


class How(StrEnum):
    """How a place was found. WORD is certain. The others are offered: with an ending (INFLECTED), as a part of a word
    with hyphens or of a path (COMPOUND), in code or in a link's address, and what only sounds like it (SIMILAR)."""

    WORD = "word"
    INFLECTED = "inflected"
    COMPOUND = "compound"
    CODE = "code"
    ADDRESS = "address"
    SIMILAR = "similar"


class Found(Frozen):
    """Characters ``start`` to ``end`` of a text, and what they should be."""

    start: int
    end: int
    becomes: str
    how: How


_BETWEEN = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*|-)"
"""Between the words of a pair: a blank, the end of a line, or a hyphen. No empty line."""
_ENDING = r"(?P<ending>['\u2019]s|s['\u2019]|['\u2019]|es|en|s|n)?"
"""Endings of English and German that a name takes. What has an apostrophe is certain, the rest may be another word."""
_JOINS = "-./@:\\#"
_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*")


def folded(text: str) -> str:
    """Its letters and digits, without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if each.isalnum())


def found_in(text: str, pair: Pair) -> Iterator[Found]:
    """Where a pair's wrong words stand, in order; nothing where they are right already."""
    right = [match.span() for match in _pattern(pair.right).finditer(text) if match.group() == pair.right]
    for match in _pattern(pair.heard).finditer(text):
        start, end = match.span()
        if any(first <= start and end <= last for first, last in right):
            continue
        ending = match.group("ending") or ""
        becomes = _cased(pair, match.group()) + ending
        if becomes == match.group():
            continue
        how = How.WORD if not ending or "'" in ending or "\u2019" in ending else How.INFLECTED
        yield Found(start=start, end=end, becomes=becomes, how=How.COMPOUND if _is_joined(text, start, end) else how)


@lru_cache(maxsize=2 * MOST_TERMS)
def _pattern(words: str) -> re.Pattern[str]:
    spaced = _BETWEEN.join(re.escape(part) for part in words.split())
    return re.compile(rf"(?<!\w){spaced}{_ENDING}(?!\w)", re.IGNORECASE)


def _cased(pair: Pair, found: str) -> str:
    """What is right, with a capital where the wrong word had one at the beginning of a sentence. A name stays as it is
    spelt."""
    is_word = pair.right.islower() and all(each.isalpha() or each.isspace() for each in pair.right)
    if is_word and pair.heard[0].islower() and found[0].isupper():
        return pair.right[0].upper() + pair.right[1:]
    return pair.right


def _is_joined(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    joins_before = before[-1:] in _JOINS and before != "" and (before[-1] in "/@#\\" or before[:-1].isalnum())
    joins_after = after[:1] in _JOINS and after != "" and after[1:].isalnum()
    return bool(joins_before or joins_after)


# --- what only sounds like it ----------------------------------------------------------------------------------

_SPELLINGS = (
    *((each, "k") for each in ("ck", "sch", "qu", "q")),
    ("ph", "f"),
    ("sc", "sk"),
    ("sh", "s"),
    ("ch", "k"),
    ("dg", "j"),
    *((f"c{each}", f"s{each}") for each in "eiy"),
    ("c", "k"),
    ("x", "ks"),
    ("z", "s"),
    ("v", "f"),
    ("h", ""),
    ("w", ""),
)
_VOWELS = re.compile(r"[aeiouy]+")
_DOUBLED = re.compile(r"(.)\1+")


@lru_cache(maxsize=20_000)
def sound(word: str) -> str:
    """How it sounds, roughly: its consonants, and whether it begins with a vowel. Words that are said alike have one;
    so have some that are not."""
    letters = folded(word)
    for spelt, said in _SPELLINGS:
        letters = letters.replace(spelt, said)
    if not letters:
        return ""
    first = "a" if _VOWELS.match(letters) else ""
    return _DOUBLED.sub(r"\1", first + _VOWELS.sub("", letters))


class Search:
    """Pairs that are looked for in one text after another. ``sounding``: also what only sounds like what is right."""

    def __init__(self, pairs: Sequence[Pair], *, sounding: bool = True) -> None:
        self._pairs = [(number, pair, pair.heard.split()[0].casefold()) for number, pair in enumerate(pairs)]
        self._similar: dict[str, list[tuple[int, Pair]]] = {}
        for number, pair in enumerate(pairs) if sounding else ():
            if len(folded(pair.right)) >= LEAST_SIMILAR:
                for key in {_by_letters(pair.right), _by_sound(pair.right)}:
                    self._similar.setdefault(key, []).append((number, pair))

    def found(self, text: str) -> tuple[tuple[Found, int], ...]:
        """Every place, and of which pair; none over another: the surer one counts, then the longer one."""
        every: dict[Found, int] = {}
        plain = text.casefold()
        for number, pair, first in self._pairs:
            if first in plain:
                for found in found_in(text, pair):
                    every.setdefault(found, number)
        for found, number, _ in self.similar(text):
            every.setdefault(found, number)
        return tuple((found, every[found]) for found in disjoint(list(every)))

    def certain(self, text: str) -> tuple[Found, ...]:
        """What may be put right without asking: the words themselves, and what is surely the same."""
        plain = text.casefold()
        pairs = [pair for _, pair, first in self._pairs if first in plain]
        words = [found for pair in pairs for found in found_in(text, pair) if found.how is How.WORD]
        return disjoint([*words, *(found for found, _, is_sure in self.similar(text) if is_sure)])

    def similar(self, text: str) -> Iterator[tuple[Found, int, bool]]:
        """What sounds or is spelt like the right words of a pair and is neither them nor its wrong ones; of which, and
        whether that is sure: the same letters, or the same sound and nearly the same letters, of a name that is long
        enough."""
        spans = [match.span() for match in _TOKEN.finditer(text)] if self._similar else []
        behind = 0
        for place, (start, _) in enumerate(spans):
            if start < behind:
                continue
            for _, end in reversed(spans[place : place + MOST_JOINED]):
                words = text[start:end]
                meant = self._meant(text, start, words) if _is_one(words) else None
                if meant is None:
                    continue
                number, pair, is_sure = meant
                how = How.COMPOUND if is_sure and _is_joined(text, start, end) else How.SIMILAR
                yield Found(start=start, end=end, becomes=pair.right, how=how), number, is_sure and how is How.SIMILAR
                behind = end
                break

    def _meant(self, text: str, start: int, words: str) -> tuple[int, Pair, bool] | None:
        candidates = [*self._similar.get(_by_letters(words), ()), *self._similar.get(_by_sound(words), ())]
        best: tuple[int, Pair, bool] | None = None
        for number, pair in candidates:
            is_sure = _surely(words, pair.right)
            if not is_sure and (best is not None or not _like(folded(words), folded(pair.right))):
                continue
            if not _stands(text, start, start + len(words), pair):
                best = (number, pair, is_sure)
                if is_sure:
                    break
        return best


def _stands(text: str, start: int, end: int, pair: Pair) -> bool:
    """Whether the pair's own words, right or wrong, stand there."""
    spans = (match.span() for words in (pair.right, pair.heard) for match in _pattern(words).finditer(text))
    return any(start < last and first < end for first, last in spans)


def _by_letters(words: str) -> str:
    return f"={folded(words)}"


def _by_sound(words: str) -> str:
    return f"~{sound(words)}"


def _is_one(words: str) -> bool:
    """Whether nothing but blanks and hyphens stands between them."""
    return all(not gap.strip(" \t\n-.") for gap in _TOKEN.split(words)) and ". " not in words


def _like(one: str, other: str) -> bool:
    return abs(len(one) - len(other)) <= 2 and _distance(one, other) <= max(1, len(other) // 3)


def _surely(words: str, right: str) -> bool:
    here, letters = folded(words), folded(right)
    if here == letters:
        if _TOKEN.findall(words) != _TOKEN.findall(right) and words.casefold() != right.casefold():
            return len(letters) >= LEAST_LETTERS or all(len(each) == 1 for each in _TOKEN.findall(words))
        return words != right and any(not each.islower() for each in right[1:] if each.isalnum())
    return (
        _is_name(right)
        and min(len(here), len(letters)) >= LEAST_SOUND
        and len(sound(right)) >= LEAST_CONSONANTS
        and sound(words) == sound(right)
        and _distance(here, letters) <= max(1, len(letters) // APART)
    )


def _is_name(text: str) -> bool:
    return any(not (each.islower() or each.isspace()) for each in text)


@lru_cache(maxsize=20_000)
def _distance(one: str, other: str) -> int:
    """How many letters are put in, left out or changed (Levenshtein)."""
    row = list(range(len(other) + 1))
    for place, each in enumerate(one, start=1):
        last, row[0] = row[0], place
        for column, letter in enumerate(other, start=1):
            last, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, last + (each != letter))
    return row[-1]


# --- a new recording -------------------------------------------------------------------------------------------


class Put(Frozen):
    """A word that was put right: what was heard, and what stands there now."""

    heard: str
    right: str


class SegmentPut(Frozen):
    """A segment whose words were put right: the hash of what was heard, what it reads now, and which words."""

    segment: int
    start_ms: int
    original_sha256: str
    text: str
    words: tuple[Put, ...]


def put_right_in(transcript: Transcript, pairs: Sequence[Pair]) -> tuple[SegmentPut, ...]:
    """The segments of a transcript in which something certain is put right."""
    search = Search(pairs)
    put = []
    for segment in transcript.segments if pairs else ():
        text = segment.text
        if found := search.certain(text):
            put.append(
                SegmentPut(
                    segment=segment.id,
                    start_ms=segment.start_ms,
                    original_sha256=text_sha256(text),
                    text=replaced(text, found).strip(),
                    words=tuple(Put(heard=text[each.start : each.end], right=each.becomes) for each in found),
                )
            )
    return tuple(put)


def disjoint(found: Sequence[Found]) -> tuple[Found, ...]:
    """Those that do not lie over one another: of two that do, the surer one, then the longer one."""
    surest = sorted(found, key=lambda each: (each.how is How.SIMILAR, each.start - each.end, each.start))
    kept: list[Found] = []
    for each in surest:
        if all(each.end <= other.start or each.start >= other.end for other in kept):
            kept.append(each)
    return tuple(sorted(kept, key=lambda each: each.start))


def replaced(text: str, found: Sequence[Found]) -> str:
    """The text with each of them as it should be. They lie apart, in order."""
    parts, at = [], 0
    for each in found:
        parts += [text[at : each.start], each.becomes]
        at = each.end
    return "".join([*parts, text[at:]])


def hints(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """The right words, each once, as many as a recogniser can be told."""
    kept: list[str] = []
    for word in dict.fromkeys(pair.right for pair in pairs):
        if sum(len(each) + 2 for each in (*kept, word)) <= HINT_CHARACTERS:
            kept.append(word)
    return tuple(kept)
