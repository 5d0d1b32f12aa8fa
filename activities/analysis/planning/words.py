"""A requirement's words, and which columns they may mean: plurals, synonyms and parts of names are understood."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from domain.analyses.table import ColumnProfile, ColumnType, TableProfile

LONGEST_MENTION = 5
_WITHIN_HEADINGS = frozenset("/-&().")
"""Signs that a heading may hold between its words: Cost / conv."""


def word_set(words: str) -> frozenset[str]:
    """Words, written in one text."""
    return frozenset(words.split())


FULL, NAME, ID, HEAD, SYNONYM, PART, PART_SYNONYM = 100, 80, 70, 65, 50, 40, 30
"""How well words name a column: all of its name; all but ``name``; all but ``id``; its end, which says what it is (the
``amount`` of ``order_amount``); all of it by synonyms; another part; a part by synonyms."""

SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "revenue sale turnover income amount proceeds takings",
        "cost expense spending spend expenditure",
        "profit margin earning",
        "quantity qty unit piece volume",
        "customer client buyer",
        "product item article sku",
        "region area territory zone",
        "country nation",
        "city town",
        "employee staff worker colleague",
        "salesperson seller rep agent salesman",
        "category type kind class",
        "department dept division",
        "store shop branch outlet",
        "channel source medium",
        "status state",
        "gender sex",
        "score rating mark grade",
        "salary wage pay",
        "order purchase transaction",
        "supplier vendor",
        "discount rebate",
        "weight mass",
        "duration length",
    )
)

STOP = word_set(
    "a an and are as at be by do each every for from give had has have how i if in is it its list me my "
    "of on or our per please show tell than that the their them there these this those to us was we were "
    "what when where which who will with would you your all any only get find see want need compute "
    "calculate create make produce also it's did does been being made"
)
NEVER_PART = STOP | word_set(
    "total sum average mean median count number maximum minimum max min highest lowest largest smallest "
    "most least top bottom best worst first last share percent percentage over under above below more "
    "less between before after since until day week month quarter year daily weekly monthly quarterly "
    "yearly annual time trend chart graph plot table row record entry data value column not without "
    "except excluding distinct unique different group sort order by descending ascending compare versus "
    "vs growth change id"
) - {"order"}
"""Words that name a column only where they are the whole of its name."""

_TOKEN = re.compile(
    r"""
    (?P<quoted>"[^"\n]{1,200}"|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{1,200}'(?!\w))
    |(?P<date>\d{4}-\d{1,2}-\d{1,2}(?!\w))
    |(?P<number>[$€£]?\d+(?:,\d{3})*(?:\.\d+)?(?:[kKmM](?![^\W_])|\s?%)?(?![^\W_]))
    |(?P<word>[^\W_]+(?:['\u2019][^\W_]+)?)
    |(?P<symbol>>=|<=|!=|<>|[><=*/+-])
    |(?P<mark>[,;.:?!()&\n])
    """,
    re.VERBOSE,
)
_PLURALS = (("ies", "y", 5), ("sses", "ss", 5), ("xes", "x", 4), ("ches", "ch", 5), ("shes", "sh", 5))
_SIZES = {"k": 1_000, "m": 1_000_000}

FEW_GROUPS = 1_000
"""Distinct integers up to which a column of them may make groups."""


@dataclass(frozen=True)
class Token:
    """``text`` is as it was written, without quotation marks; ``word`` in lower case; ``number`` of a number."""

    kind: str
    text: str

    @cached_property
    def word(self) -> str:
        return self.text.casefold()

    @cached_property
    def stem(self) -> str:
        return stem(self.word)

    @cached_property
    def number(self) -> int | float | None:
        if self.kind != "number":
            return None
        digits = re.sub(r"[^\d.]", "", self.text)
        size = _SIZES.get(self.word[-1], 1)
        value = float(digits) * size
        return int(value) if value.is_integer() and ("." not in digits or size > 1) else value

    @property
    def year(self) -> int | None:
        return int(self.text) if re.fullmatch(r"(19|20)\d\d", self.text) else None


def tokens(requirement: str) -> list[Token]:
    """The requirement cut into words, numbers, dates, quoted texts and signs."""
    found = []
    for match in _TOKEN.finditer(requirement):
        kind = match.lastgroup or "mark"
        text = match.group()
        found.append(Token(kind, text[1:-1].strip() if kind == "quoted" else text))
    return found


def stem(word: str) -> str:
    """A word without its plural and possessive."""
    word = re.sub(r"['\u2019]s?$", "", word)
    for ending, instead, least in _PLURALS:
        if word.endswith(ending) and len(word) >= least:
            return word[: -len(ending)] + instead
    if word.endswith("statuses"):
        return word[:-2]
    if (len(word) > 3 or word == "ids") and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@dataclass(frozen=True)
class Column:
    """A column of a table, as a candidate for what words mean."""

    table: int
    profile: ColumnProfile

    @property
    def name(self) -> str:
        return self.profile.name

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(stem(word) for word in self.name.split("_") if word)

    @cached_property
    def heading_stems(self) -> tuple[str, ...]:
        """Of the heading in the file, which two columns may share."""
        return tuple(stem(word) for word in re.split(r"[\W_]+", self.profile.original.casefold()) if word)

    @property
    def is_id(self) -> bool:
        return self.profile.is_identifier

    @property
    def is_groupable(self) -> bool:
        """Whether rows may be gathered by its values."""
        type = self.profile.type
        if type is ColumnType.NUMBER:
            return False
        return type is not ColumnType.INTEGER or self.is_id or self.profile.distinct <= FEW_GROUPS


@dataclass(frozen=True)
class Mention:
    """Tokens ``start`` to ``end`` may mean one of ``candidates``, best first, each with its score."""

    start: int
    end: int
    candidates: tuple[tuple[int, Column], ...]


def columns_of(tables: Sequence[TableProfile]) -> list[Column]:
    return [Column(place, column) for place, table in enumerate(tables) for column in table.columns]


def mentions(parsed: Sequence[Token], columns: Sequence[Column]) -> list[Mention]:
    """Where columns may be meant, from left to right; the longest and best name at each place."""
    return list(_mentions(parsed, columns))


def _mentions(parsed: Sequence[Token], columns: Sequence[Column]) -> Iterator[Mention]:
    place = 0
    while place < len(parsed):
        best = _best_at(parsed, place, columns)
        if best is None:
            place += 1
        else:
            yield best
            place = best.end


def _best_at(parsed: Sequence[Token], start: int, columns: Sequence[Column]) -> Mention | None:
    found: Mention | None = None
    for end in range(start + 1, min(start + LONGEST_MENTION, len(parsed)) + 1):
        if parsed[end - 1].kind not in ("word", "quoted", "number"):
            if end == start + 1 or parsed[end - 1].text not in _WITHIN_HEADINGS:
                break
            continue
        candidates = candidates_for(parsed[start:end], columns)
        if any(token.text in _WITHIN_HEADINGS for token in parsed[start:end]):  # only a whole heading spans a sign
            candidates = tuple(each for each in candidates if each[0] == FULL)
        if candidates and (found is None or candidates[0][0] >= found.candidates[0][0]):
            found = Mention(start, end, candidates)
    return found


def candidates_for(parsed: Sequence[Token], columns: Sequence[Column]) -> tuple[tuple[int, Column], ...]:
    """The columns that the words may name, best first."""
    stems = [stem(word) for token in parsed for word in re.split(r"[\W_]+", token.word) if word]
    if not stems:
        return ()
    scored = [(score, column) for column in columns if (score := _score(stems, column))]
    return tuple(sorted(scored, key=lambda each: -each[0]))


def _score(stems: Sequence[str], column: Column) -> int:
    named = column.stems
    if tuple(stems) == column.heading_stems or tuple(stems) == named or "".join(stems) == "".join(named):
        return FULL
    if stems[0] in NEVER_PART or stems[-1] in NEVER_PART or len(stems) > len(named) or stems[0].isdigit():
        return 0
    if tuple(stems) == named[:-1] and named[-1] in ("name", "title"):
        return NAME
    if tuple(stems) == named[:-1] and column.is_id:
        return ID
    if tuple(stems) == named[-len(stems) :]:
        return HEAD
    if len(stems) == len(named) and all(_alike(*pair) for pair in zip(stems, named, strict=True)):
        return SYNONYM
    if any(tuple(stems) == named[first : first + len(stems)] for first in range(len(named))):
        return PART
    if len(stems) == 1 and any(_alike(stems[0], word) for word in named):
        return PART_SYNONYM
    return 0


def _alike(word: str, other: str) -> bool:
    return word == other or any(word in group and other in group for group in SYNONYMS)
