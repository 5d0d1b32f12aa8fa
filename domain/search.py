"""The search in guides: what a word is, what a search asks for, and where it stands in a text.

One rule for what is indexed and what is looked for, on every database: a text becomes tokens of lower-case ASCII
letters and digits, which any full-text index keeps as they are. Case, accents and widths do not count: ``Straße`` is
``strasse``, and all four of the Turkish i are one. A German umlaut is found by its letter and by its two (``ä``: a,
ae). Scripts that put no spaces between words (Han, Kana) are cut into pairs of characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property, lru_cache

from domain.errors import RequestInvalid
from domain.jobs import Frozen

LONGEST_QUERY = 200
MOST_TERMS = 8
"""Of a search. What is behind is not looked for."""

LONGEST_WORD = 40
"""Characters of a word that count: what is longer is no word."""

TOKENS_OF_PIECE = 8000
"""Tokens that are indexed together. Postgres counts no more than 16383 places in a text, and says nothing of it:
https://www.postgresql.org/docs/current/textsearch-limitations.html"""

BETWEEN = "0"
"""The token between two passages: no phrase goes from one to the other. Words have a letter before them."""

EXCERPT = 160
"""Characters of a passage that are shown around what was found."""


class Part(StrEnum):
    """What of a guide a passage is of; a hit in the first is worth most."""

    TITLE = "title"
    STEP = "step"
    TRANSCRIPT = "transcript"
    SCREEN = "screen"


class Passage(Frozen):
    """A stretch of text that is shown as a whole, and where it is: a block of the document, or a moment of the
    recording (ms). ``step``: its number, where the block is a step."""

    text: str
    block_id: str | None = None
    step: int | None = None
    at_ms: int | None = None


class Piece(Frozen):
    """Passages that are indexed together, and their tokens with spaces."""

    part: Part
    number: int
    passages: tuple[Passage, ...]
    words: str


class Span(Frozen):
    """A stretch of a text, in code points."""

    start: int
    end: int


Token = tuple[str, int, int]
"""What is indexed, and from where to where it stands in the text."""

_OTHER_LETTERS = str.maketrans(
    {"\u0131": "i", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŋ": "n"}
)
"""That no decomposition leads to a plain letter, after casefold()."""

_ACCENTS = re.compile("[\u0300-\u036f]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_RUN = re.compile(r"\S+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
"""Hiragana, Katakana and Han."""
_BY_SCRIPT = re.compile(f"({_UNSPACED.pattern})")

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_DIGRAPHS = re.compile("(?<![aeoq])([aou])e(?=[a-z])")
"""Two letters that may stand for an umlaut: not those of *neue*, *Quelle* or *blue*."""


class _Spaced(dict[int, int]):
    """For str.translate: every character that is of no word becomes a space, so that offsets stay."""

    def __missing__(self, code: int) -> int:
        kept = unicodedata.category(chr(code))[0] in "LNM"
        self[code] = code if kept else 0x20
        return self[code]


_SPACED = _Spaced()


def folded(word: str) -> str:
    """The word without what does not count: case, width, accents."""
    plain = unicodedata.normalize("NFKC", word).casefold().translate(_OTHER_LETTERS)
    if plain.isascii():
        return plain
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", plain))
    return unicodedata.normalize("NFC", bare).translate(_OTHER_LETTERS)


@lru_cache(maxsize=20_000)
def _encoded(word: str) -> str:
    """A folded word as a token: ASCII, and a prefix of it for a prefix of the word."""
    short = word[:LONGEST_WORD]
    if _ASCII_WORD.fullmatch(short):
        return f"w{short}"
    return "w" + "".join(each if each.isascii() and each.isalnum() else f"zx{ord(each):05x}" for each in short)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, in order. Of a run of unspaced script: each pair of characters, and the last one alone."""
    for run in _RUN.finditer(text.translate(_SPACED)):
        at = run.start()
        if run.group().isascii():
            yield _encoded(run.group().lower()), at, run.end()
            continue
        last = 0
        for unspaced in _UNSPACED.finditer(run.group()):
            if unspaced.start() > last:
                yield _token(run.group()[last : unspaced.start()], at + last)
            yield from _pairs(unspaced.group(), at + unspaced.start())
            last = unspaced.end()
        if last < len(run.group()):
            yield _token(run.group()[last:], at + last)


def _token(word: str, at: int) -> Token:
    return _encoded(folded(word)), at, at + len(word)


def _pairs(run: str, at: int) -> Iterator[Token]:
    for place in range(len(run)):
        pair = run[place : place + 2]
        yield _encoded(folded(pair)), at + place, at + place + len(pair)


def pieces(part: Part, passages: Iterable[Passage]) -> Iterator[Piece]:
    """The passages as they are indexed, a few thousand tokens at a time."""
    held: list[Passage] = []
    words: list[str] = []
    number = 0
    for passage in passages:
        found = [token for token, _, _ in tokens(passage.text)]
        if not found:
            continue
        if words and len(words) + len(found) > TOKENS_OF_PIECE:
            yield Piece(part=part, number=number, passages=tuple(held), words=" ".join(words))
            held, words, number = [], [], number + 1
        held.append(passage)
        words += [*found, BETWEEN]
    if held:
        yield Piece(part=part, number=number, passages=tuple(held), words=" ".join(words))


class Term(Frozen):
    """Tokens that stand one behind the other, in any of several spellings. ``prefix``: the last may go on."""

    spellings: tuple[tuple[str, ...], ...]
    prefix: bool

    def spans(self, found: Sequence[Token]) -> Iterator[Span]:
        """Where it stands among the tokens of a text."""
        for place in range(len(found)):
            for spelling in self.spellings:
                if self._is_at(found, place, spelling):
                    yield Span(start=found[place][1], end=found[place + len(spelling) - 1][2])
                    break

    def _is_at(self, found: Sequence[Token], place: int, spelling: tuple[str, ...]) -> bool:
        if place + len(spelling) > len(found):
            return False
        *first, last = spelling
        if any(found[place + number][0] != token for number, token in enumerate(first)):
            return False
        token = found[place + len(first)][0]
        return token.startswith(last) if self.prefix else token == last


class Query(Frozen):
    """What is looked for: every term."""

    terms: tuple[Term, ...]

    def terms_in(self, words: str) -> int:
        """How many of the terms stand in a passage, by its tokens with spaces."""
        chunk = f" {words} "
        return sum(any(each in chunk for each in asked) for asked in self._asked)

    @cached_property
    def _asked(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            tuple(f" {' '.join(each)}{'' if term.prefix else ' '}" for each in term.spellings) for term in self.terms
        )

    def spans_in(self, text: str) -> tuple[Span, ...]:
        """Where the terms stand in a text, in order, none over another."""
        known = list(tokens(text))
        found = {each for term in self.terms for each in term.spans(known)}
        disjoint: list[Span] = []
        for each in sorted(found, key=lambda span: (span.start, -span.end)):
            if not disjoint or each.start >= disjoint[-1].end:
                disjoint.append(each)
        return tuple(disjoint)


_QUOTED = re.compile(r'["„“”«»]([^"„“”«»]*)(["„“”«»]|$)')


def read_query(asked: str) -> Query:
    """What somebody typed. A word finds every word that begins with it; words in quotes stand as they are, one behind
    the other.

    Raises:
        RequestInvalid: There is no word in it, or it is too long.
    """
    if len(asked) > LONGEST_QUERY:
        raise RequestInvalid(f"A search has at most {LONGEST_QUERY} characters.", field="query.q")
    terms: list[Term] = []
    last = 0
    for quoted in _QUOTED.finditer(asked):
        terms += _words(asked[last : quoted.start()])
        terms += _terms(quoted.group(1), prefix=not quoted.group(2))
        last = quoted.end()
    terms += _words(asked[last:])
    if not terms:
        raise RequestInvalid("Say a word to look for.", field="query.q")
    return Query(terms=tuple(terms[:MOST_TERMS]))


def _words(text: str) -> list[Term]:
    return [term for word in text.split() for term in _terms(word, prefix=True)]


def _terms(text: str, *, prefix: bool) -> list[Term]:
    """One, or, where it goes from one sort of script to the other, one for each stretch."""
    stretches = _BY_SCRIPT.split(text)
    return [term for each in stretches if (term := _term(each, prefix=prefix)) is not None]


def _term(text: str, *, prefix: bool) -> Term | None:
    spellings: dict[tuple[str, ...], None] = {}
    lower = unicodedata.normalize("NFC", text.lower())
    for spelled in (text, lower.translate(_UMLAUTS), _DIGRAPHS.sub(r"\1", lower)):
        if spelling := _spelling(spelled):
            spellings[spelling] = None
    if not spellings:
        return None
    alone = len(text) == 1 and _UNSPACED.fullmatch(text) is not None
    return Term(spellings=tuple(spellings), prefix=prefix or alone)


def _spelling(text: str) -> tuple[str, ...]:
    """The tokens that are looked for: those of an index, but for the last character of an unspaced run, which is
    indexed for searches of one character."""
    known = [token for token, _, _ in tokens(text)]
    return tuple(known[:-1] if len(known) > 1 and _UNSPACED.fullmatch(text) else known)


_MARKUP = re.compile(
    r"!?\[([^\]\n]*)\]\([^)\n]*\)|<!--.*?-->|^#{1,6}[ \t]+|^[ \t]*(?:[-+*>]|\d+[.)])[ \t]+"
    r"|(?<!\\)[*`~]+|(?<![\w\\])_+|(?<!\\)_+(?!\w)",
    re.MULTILINE,
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain(markdown: str) -> str:
    """A block's words on one line, without its marks: near enough to be searched and shown as a line."""
    return " ".join(_ESCAPED.sub(r"\1", _MARKUP.sub(r"\1", markdown)).split())


def excerpt(text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """The part of a text around the first of ``spans``, cut between words, with those that lie in it."""
    if len(text) <= EXCERPT:
        return text, tuple(spans)
    first = spans[0].start if spans else 0
    start = max(0, first - EXCERPT // 3)
    if start and (space := text.find(" ", start, first)) >= 0:
        start = space + 1
    end = min(len(text), start + EXCERPT)
    if end < len(text) and (space := text.rfind(" ", start, end)) > first:
        end = space
    before, after = ("… " if start else ""), (" …" if end < len(text) else "")
    moved = len(before) - start
    within = (each for each in spans if start <= each.start and each.end <= end)
    kept = tuple(Span(start=each.start + moved, end=each.end + moved) for each in within)
    return f"{before}{text[start:end]}{after}", kept
