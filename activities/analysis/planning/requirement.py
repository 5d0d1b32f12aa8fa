"""A requirement while it is read: its tokens, where patterns match, what was taken already, which columns are meant."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from activities.analysis.planning import lexicon
from activities.analysis.planning.intent import Intent, Where
from activities.analysis.planning.words import (
    FULL,
    NEVER_PART,
    STOP,
    Column,
    Mention,
    candidates_for,
    columns_of,
    mentions,
    stem,
    tokens,
)
from domain.analyses.plan import Question
from domain.analyses.plan_meaning import tells_apart
from domain.analyses.table import ColumnType, TableProfile

OPTIONS_SHOWN = 30
FEWEST_IDS = 5
ID_LENGTH = 5
"""Rows, and digits, from which on numbers that tell rows apart look like names."""
_NO_NOUNS = STOP | NEVER_PART

Fits = Callable[[Column], bool]


class ParsedRequirement:
    """Shared by everything that reads a requirement. What is open is asked in ``intent``."""

    def __init__(self, requirement: str, tables: Sequence[TableProfile], answers: Mapping[str, str]) -> None:
        self.tables = tables
        self.columns = columns_of(tables)
        self.tokens = tokens(requirement)
        self.intent = Intent()
        self._answers = answers
        self.left_unread: list[str] = []
        self._used = [False] * len(self.tokens)
        words = [token.word for token in self.tokens]
        self.text = " ".join(words)
        self.starts = [0, *accumulate(len(word) + 1 for word in words)]
        self.mentions = mentions(self.tokens, self.columns)
        self._settle_tables()
        self._settle_headings()

    # --- what is there twice -----------------------------------------------------------------------------------

    def _settle_tables(self) -> None:
        """Of tables that hold a number of one name, the one that is meant: any of them would give another answer."""
        for mention in self.mentions:
            best = [column for score, column in mention.candidates if score == mention.candidates[0][0]]
            same = [
                each for each in best if each.name == best[0].name and each.profile.type.is_numeric and not each.is_id
            ]
            places = list(dict.fromkeys(column.table for column in same))
            if len(places) < 2:
                continue
            names = [self.tables[place].name for place in places]
            words = self.words(mention.start, mention.end)
            named = [name for name in names if f" {name.replace('_', ' ')} " in f" {self.text.replace('_', ' ')} "]
            if len(named) == 1:
                answer: str | None = named[0]
                self.assume(f"\u201c{words}\u201d is that of {named[0]}.")
            else:
                answer = self.ask("table", f"Several tables hold \u201c{words}\u201d. Which is meant?", names)
            meant = next((place for place in places if self.tables[place].name == (answer or "").casefold()), None)
            if meant is not None:
                gone = set(places) - {meant}
                self.columns = [column for column in self.columns if column.table not in gone]
                self.mentions = mentions(self.tokens, self.columns)
            return

    def _settle_headings(self) -> None:
        """Of columns with one heading, the one that is meant."""
        for place, mention in enumerate(self.mentions):
            best = [column for score, column in mention.candidates if score == mention.candidates[0][0]]
            same = [
                each for each in best if each.table == best[0].table and each.heading_stems == best[0].heading_stems
            ]
            if len(same) < 2:
                continue
            told = "; ".join(f"{each.name}: {', '.join(each.profile.samples)}" for each in same)
            words = self.words(mention.start, mention.end)
            text = f"{len(same)} columns have the heading \u201c{words}\u201d. Which is meant? ({told})"
            chosen = self.ask_column(f"heading_{slug(words)}", text, same)
            self.mentions[place] = Mention(mention.start, mention.end, ((FULL, chosen or same[0]),))

    # --- places ------------------------------------------------------------------------------------------------

    def at(self, character: int) -> int:
        """The token at a place of ``text``."""
        return bisect_right(self.starts, character) - 1

    def span(self, match: re.Match[str], group: int | str = 0) -> tuple[int, int]:
        """The tokens of a match, from and to."""
        begin, end = match.span(group)
        while begin < end and self.text[begin] == " ":
            begin += 1
        return self.at(begin), self.at(max(begin, end - 1)) + 1

    def found(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Matches of which no token was taken."""
        for match in pattern.finditer(self.text):
            if self.free(*self.span(match)):
                yield match

    def rest(self, place: int) -> str:
        """``text`` from a token on."""
        return self.text[self.starts[place] :] if place < len(self.tokens) else ""

    def free(self, begin: int, end: int) -> bool:
        return not any(self._used[begin:end])

    def take(self, begin: int, end: int) -> None:
        for place in range(begin, end):
            self._used[place] = True

    def word(self, place: int) -> str:
        return self.tokens[place].word if 0 <= place < len(self.tokens) else ""

    def past(self, place: int, words: Collection[str]) -> int:
        """The first token from a place on that is none of the words."""
        while place < len(self.tokens) and self.tokens[place].word in words:
            place += 1
        return place

    def words(self, begin: int, end: int) -> str:
        return " ".join(token.text for token in self.tokens[max(begin, 0) : end])

    def left_over(self) -> Iterator[int]:
        """The places of words that nothing was made of."""
        for place, token in enumerate(self.tokens):
            if token.kind == "word" and self.free(place, place + 1) and not {token.word, token.stem} & _NO_NOUNS:
                yield place

    # --- columns -----------------------------------------------------------------------------------------------

    def mention_at(self, place: int) -> Mention | None:
        """What begins at a token that was not taken."""
        for mention in self.mentions:
            if mention.start == place and self.free(mention.start, mention.end):
                return mention
        return None

    def mention_before(self, place: int, within: int) -> Mention | None:
        """The last that ends at most so many tokens before."""
        near = [each for each in self.mentions if each.end <= place and place - each.end <= within]
        return near[-1] if near and self.free(near[-1].start, near[-1].end) else None

    def pick(self, mention: Mention, fits: Fits = lambda column: True, *, about: str = "") -> Column | None:
        """The column that is meant, of those that fit; asks where two are meant equally well.

        Returns:
            ``None`` where none fits, or where it was asked and is not answered. What is named wholly and does not fit
            is not another whose name holds the words.
        """
        if named_wholly(mention):
            mention = replace(mention, candidates=tuple(each for each in mention.candidates if each[0] == FULL))
        candidates = [(score, column) for score, column in mention.candidates if fits(column)]
        if not candidates:
            return None
        best = [column for score, column in candidates if score == candidates[0][0]]
        names = {column.name for column in best}
        if len(names) == 1:
            return best[0]  # the key of two tables: either
        words = self.words(mention.start, mention.end)
        where = f" ({about})" if about else ""
        return self.ask_column(f"column_{slug(words)}", f"Which column is meant by “{words}”{where}?", best)

    def ask_column(self, id: str, text: str, among: Sequence[Column], others: Sequence[str] = ()) -> Column | None:
        """A blocking question for a column; the answered one. ``others`` are further answers that are no column."""
        answer = self.ask(id, text, [*(self._label(column) for column in among), *others])
        if answer is None:
            return None
        for column in [*among, *self.columns]:
            if answer.strip().casefold() in (self._label(column), column.name, column.profile.original.casefold()):
                return column
        meant = candidates_for(tokens(answer), [*among])
        return meant[0][1] if meant else None

    def ask(self, id: str, text: str, options: Sequence[str], *, blocking: bool = True) -> str | None:
        """A question, once; the answer to it, if there is one."""
        answer = self.answer(id)
        if id not in {question.id for question in self.intent.questions}:
            shown = tuple(option[:200] for option in options[:OPTIONS_SHOWN])
            question = Question(id=id, text=text[:500], blocking=blocking, options=shown, answer=answer)
            self.intent.questions.append(question)
        return answer

    def answer(self, id: str) -> str | None:
        return (self._answers.get(id) or "").strip()[:500] or None

    def _label(self, column: Column) -> str:
        alone = sum(each.name == column.name for each in self.columns) == 1
        return column.name if alone else f"{self.tables[column.table].name}.{column.name}"

    def tells_rows_apart(self, column: Column) -> bool:
        """Whether no two rows have the same."""
        table = self.tables[column.table]
        return table.rows > 1 and tells_apart(table, column.profile) and column.profile.nulls == 0

    def looks_like_an_id(self, column: Column) -> bool:
        """Whole numbers, no two alike, one behind the other or of one length: they may well be names."""
        profile = column.profile
        rows = self.tables[column.table].rows
        if profile.type is not ColumnType.INTEGER or rows < FEWEST_IDS or not self.tells_rows_apart(column):
            return False
        least, most = profile.minimum or "", profile.maximum or ""
        try:
            in_a_row = int(most) - int(least) + 1 == rows
        except ValueError:
            return False
        return in_a_row or (len(least) == len(most) >= ID_LENGTH)

    def names_rows(self, column: Column) -> bool:
        """Whether numbers that look like names are some: in the first column, of a heading that speaks of one."""
        heading = re.split(r"[\W_]+", column.profile.original.casefold())
        is_first = self.tables[column.table].columns[0].name == column.name
        return is_first and heading == [stem(word) for word in heading] and self.looks_like_an_id(column)

    def means_rows(self, word: str) -> bool:
        """Whether a word stands for the rows themselves (``orders`` of a table of orders)."""
        return stem(word) in lexicon.RECORDS or any(self.is_called(place, word) for place in range(len(self.tables)))

    def is_called(self, table: int, word: str) -> bool:
        """Whether a word is one of the table's name."""
        return stem(word) in map(stem, self.tables[table].name.split("_"))

    # --- notes -------------------------------------------------------------------------------------------------

    def assume(self, text: str) -> None:
        if text not in self.intent.assumptions:
            self.intent.assumptions.append(text[:500])

    def unread(self, words: str) -> None:
        """What was seen and cannot be done."""
        if words not in self.left_unread:
            self.left_unread.append(words)

    def only(self, where: Where, words: str) -> None:
        """Take a condition, and say it."""
        self.intent.where.append(where)
        self.understand(f"only rows where {words}")

    def understand(self, text: str) -> None:
        if text not in self.intent.understood:
            self.intent.understood.append(text)


def named_wholly(mention: Mention) -> bool:
    """Whether the words are all of a column's name."""
    return mention.candidates[0][0] == FULL


def slug(words: str) -> str:
    """For an id."""
    plain = re.sub(r"[^a-z0-9]+", "_", words.casefold()).strip("_")
    return plain[:28].strip("_") or "it"


def is_measure(column: Column, never: frozenset[str]) -> bool:
    """Whether a column's numbers are to be computed with: no ids, years, codes."""
    # hours are a number of them, the hour is when
    return column.profile.type.is_numeric and not column.is_id and not (set(column.name.split("_")) & never)
