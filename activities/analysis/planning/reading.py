"""Reads a requirement: which numbers, of which rows, for each of what. Part of the embedded planner.

Everything is decided by words and profiles, in one order, so the same requirement over the same tables is always read
the same way. What is not understood is asked, and what is guessed is said.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from activities.analysis.planning import cues
from activities.analysis.planning.conditions import Conditions
from activities.analysis.planning.growth import grown
from activities.analysis.planning.intent import Intent, Product, Wish
from activities.analysis.planning.numbers import Numbers, is_numeric, usual
from activities.analysis.planning.periods import parts_column, time_column
from activities.analysis.planning.said import Said, is_measure, named_wholly, slug
from activities.analysis.planning.unread import check
from activities.analysis.planning.words import NEVER_PART, STOP, Column, stem, word_set
from domain.analyses.plan import Every, Function, Test
from domain.analyses.table import ColumnType, TableProfile

GOAL = "goal"
GOAL_ASKED = "What is to be computed? Name a number and what it is for each of, in words of the columns."
"""The question where nothing was understood. Its answer is read in the place of the requirement."""
MOST_GROUPS = 3

_OPERATORS: dict[str, Literal["+", "-", "*", "/"]] = {
    "times": "*", "x": "*", "*": "*", "multiplied by": "*", "minus": "-", "-": "-", "less": "-", "plus": "+",
    "+": "+", "divided by": "/", "/": "/",
}  # fmt: skip
_BEFORE_GROUP = word_set("the a each every by calendar their")
_BETWEEN_GROUPS = word_set("and by then per each")


def read(requirement: str, tables: Sequence[TableProfile], answers: Mapping[str, str]) -> Intent:
    """What the requirement asks for."""
    reading = _Reading(Said(requirement, tables, answers))
    reading.read()
    return reading.said.intent


class _Reading:
    def __init__(self, said: Said) -> None:
        self.said = said
        self._intent = said.intent
        self._numbers = Numbers(said)

    def read(self) -> None:
        self._looks()
        self._product()
        Conditions(self.said).read()
        self._first()
        self._order()
        self._groups()
        self._periods()
        self._numbers.read()
        self._defaults()
        grown(self.said)
        check(self.said)

    # --- how it is shown, and what is derived of numbers ----------------------------------------------------------

    def _looks(self) -> None:
        said, intent = self.said, self._intent
        if cues.NO_CHART.search(said.text):
            intent.no_chart = True
        elif cues.LINE.search(said.text):
            intent.chart = "line"
        elif cues.BAR.search(said.text):
            intent.chart = "bar"
        for pattern in (cues.NO_CHART, cues.LINE, cues.BAR, cues.CHART):
            for match in said.found(pattern):
                said.take(*said.span(match))
        for match in said.found(cues.SUMMARY):
            intent.summary = True
            said.take(*said.span(match))
        intent.share = self._cued(cues.SHARE, "percent of the total")
        intent.running = self._cued(cues.RUNNING, "a running total")

    def _cued(self, pattern: re.Pattern[str], words: str) -> bool:
        """Whether a cue is there that is not a column's name."""
        said, found = self.said, False
        for match in said.found(pattern):
            begin, end = said.span(match)
            mention = said.mention_at(begin)
            if mention is None or not named_wholly(mention):
                said.take(begin, end)
                found = True
        if found:
            said.understand(words)
        return found

    def _product(self) -> None:
        """``price times quantity``, ``profit = revenue - cost``."""
        said = self.said
        for left in said.mentions:
            rest = said.rest(left.end)
            sign = next((sign for sign in _OPERATORS if re.match(rf"{re.escape(sign)}(?= |$)", rest)), None)
            right = said.mention_at(left.end + len(sign.split())) if sign else None
            if sign is None or right is None or not said.free(left.start, left.end):
                continue
            first, second = said.pick(left, is_numeric), said.pick(right, is_numeric)
            if first is None or second is None:
                continue
            name = "result"
            begin = left.start
            if said.word(left.start - 1) in ("=", "as", "is") and left.start >= 2:
                name, begin = slug(said.word(left.start - 2)), left.start - 2
            operator = _OPERATORS[sign]
            self._intent.product = Product(_free_name(name, said.columns), first, operator, second)
            said.take(begin, right.end)
            said.understand(f"{name} = {first.name} {operator} {second.name}")
            return

    # --- the first few -------------------------------------------------------------------------------------------

    def _first(self) -> None:
        said, intent = self.said, self._intent
        for match in said.found(cues.TOP):
            begin, end = said.span(match)
            intent.first = max(1, int(match["n"] or match["n2"]))
            intent.descending = (match["cue"] or match["cue2"]) not in cues.ASCENDING
            said.take(begin, end)
            self._subject(end)
            return
        self._which()

    def _subject(self, place: int) -> None:
        """What the first few are: groups, or rows. And by which number."""
        said, intent = self.said, self._intent
        place = said.past(place, STOP | {"selling", "performing", "individual", "single"})
        mention = said.mention_at(place)
        column = said.pick(mention, _is_groupable) if mention is not None else None
        after = place + 1
        if mention is not None and column is not None:
            said.take(mention.start, mention.end)
            after = mention.end
        if column is not None and not self.said.tells_rows_apart(column):
            self._group(column)
        elif column is not None or self.said.means_rows(said.word(place)):
            intent.rows = True
            if column is None and place < len(said.tokens):
                said.take(place, place + 1)
        if said.word(after) == "by":
            said.take(after, after + 1)
        kind = "groups" if intent.groups else "rows"
        said.understand(f"only the {intent.first} {'largest' if intent.descending else 'smallest'} {kind}")

    def _which(self) -> None:
        """``which region has the highest sales``: the groups' first."""
        said, intent = self.said, self._intent
        asked = cues.ASKED_WHICH.search(said.text)
        extreme = cues.SUPERLATIVE.search(said.text)
        if extreme is None:
            return
        cue, _ = said.span(extreme, "cue")
        place = said.span(asked)[1] if asked else self._before_superlative(cue)
        mention = None if place is None else said.mention_at(place)
        if mention is None or mention.end > cue:
            return
        column = said.pick(mention, _is_groupable)
        if column is None or column.profile.type is ColumnType.NUMBER:
            return
        intent.first, intent.descending = 1, extreme["cue"] not in cues.ASCENDING
        said.take(mention.start, mention.end)
        said.take(cue, cue + 1)
        if self.said.tells_rows_apart(column) and column.profile.type is not ColumnType.TEXT:
            intent.rows = True
        else:
            self._group(column)
        said.understand(f"only the {'largest' if intent.descending else 'smallest'}")

    def _before_superlative(self, cue: int) -> int | None:
        """``the region with the highest sales``: where ``region`` begins."""
        said = self.said
        if said.word(cue - 1) == "the" and said.word(cue - 2) in ("with", "has", "having", "had"):
            mention = said.mention_before(cue - 2, within=0)
            return mention.start if mention is not None else None
        return None

    # --- order and groups ----------------------------------------------------------------------------------------

    def _order(self) -> None:
        said, intent = self.said, self._intent
        for match in said.found(cues.SORTED):
            begin, end = said.span(match)
            place = said.past(end, STOP | {"total", "average"})
            mention = said.mention_at(place)
            column = said.pick(mention) if mention is not None else None
            said.take(begin, end)
            if column is not None and mention is not None:
                intent.sorted_by = column
                if not column.profile.type.is_numeric:
                    said.take(mention.start, mention.end)
                said.understand(f"in order of {column.name}")
            ways = list(said.found(cues.DESCENDING)) + list(said.found(cues.ASCENDING_WAY))
            intent.descending = bool(cues.DESCENDING.search(said.text)) if intent.first is None else intent.descending
            for way in ways:
                said.take(*said.span(way))

    def _groups(self) -> None:
        said = self.said
        for match in said.found(cues.GROUP):
            begin, end = said.span(match, "cue")
            if begin and cues.NOT_A_GROUP.search(said.word(begin - 1)):
                continue
            place, any_found = end, False
            while place < len(said.tokens):
                while said.word(place) in ("the", "a", "each", "every", "by", "calendar", "their") and place < len(
                    said.tokens
                ):
                    place += 1
                stop = self._group_at(place, first=not any_found)
                if stop is None:
                    break
                any_found = True
                said.take(begin, stop)
                place = stop
                if said.word(place) not in ("and", ",", "&", "by", "then"):
                    break
                place += 1
                place = said.past(place, _BETWEEN_GROUPS)

    def _group_at(self, place: int, *, first: bool) -> int | None:
        """The end of the group that begins at a token, or ``None``: there is none."""
        said = self.said
        if place >= len(said.tokens):
            return None
        mention = said.mention_at(place)
        whole = mention is not None and named_wholly(mention)
        unit = cues.UNITS.get(said.tokens[place].stem)
        if unit is not None and not whole:
            named = said.mention_at(place + 2) if said.word(place + 1) == "of" else None
            column = said.pick(named, lambda each: each.profile.type.is_temporal) if named is not None else None
            if named is not None and column is not None:
                self._intent.time = column
            self._every(unit)
            return place + 1 if named is None or column is None else named.end
        if mention is not None:
            column = said.pick(mention, _is_groupable, about="to group by")
            if column is not None:
                self._group(column)
                return mention.end
            if any(each.is_groupable for _, each in mention.candidates):
                return mention.end  # asked
        if not first or said.tokens[place].kind not in ("word", "quoted") or said.word(place) in STOP | NEVER_PART:
            return None
        if mention is not None and self._intent.first is not None:
            return None  # “top 5 by amount”
        return self._unknown_group(place)

    def _unknown_group(self, place: int) -> int | None:
        said = self.said
        word = said.words(place, place + 1)
        among = [column for column in said.columns if column.is_groupable and not self.said.tells_rows_apart(column)]
        if not among:
            return None
        column = said.ask_column(f"group_{slug(word)}", f"Which column is meant by “{word}”, to group by?", among)
        if column is not None:
            self._group(column)
        return place + 1

    def _group(self, column: Column) -> None:
        intent = self._intent
        if column.profile.type.is_temporal:
            intent.time = column
            intent.every = intent.every or self._usual_period(column)
        elif column not in intent.groups and len(intent.groups) >= MOST_GROUPS:
            self.said.unread(f"by {column.name}")
        elif column not in intent.groups:
            intent.groups.append(column)
            self.said.understand(f"for each {column.name}")

    def _every(self, every: Every) -> None:
        """Rows by period: of the dates, or of a column that holds such periods."""
        said, intent = self.said, self._intent
        parts = parts_column(said)
        if parts is not None and every in (Every.MONTH, Every.QUARTER, Every.YEAR) and not _has_times(said):
            said.assume(f"Each {parts.name} is a {every.value}.")
            self._group(parts)
            return
        column = time_column(said, years_will_do=every is Every.YEAR)
        if column is None:
            return
        if not column.profile.type.is_temporal:
            self._group(column)
            return
        intent.every = every
        said.understand(f"for each {every.value} of {column.name}")

    def _periods(self) -> None:
        said, intent = self.said, self._intent
        for match in said.found(cues.ON_PERIOD):
            intent.change = True
            self._every(cues.UNITS[match["unit"]])
            said.take(*said.span(match))
        for place, token in enumerate(said.tokens):
            every = cues.ADVERBS.get(token.word)
            mention = said.mention_at(place)
            if every is not None and said.free(place, place + 1) and not (mention and named_wholly(mention)):
                if said.word(place - 1) in ("average", "avg", "mean", "median", "highest", "lowest", "typical"):
                    said.unread(said.words(place - 1, place + 1))
                self._every(every)
                said.take(place, place + 1)
        if self._cued(cues.CHANGE, "change to the period before"):
            intent.change = True
        if self._cued(cues.OVER_TIME, "over time") or ((intent.change or intent.running) and intent.every is None):
            column = time_column(said)
            if column is not None and intent.every is None:
                intent.every = self._usual_period(column)
        if intent.every is None:
            intent.change = intent.running = False

    def _usual_period(self, column: Column) -> Every:
        """As fine as gives up to some 60 periods."""
        least, most = (column.profile.minimum or "")[:10], (column.profile.maximum or "")[:10]
        years = int(most[:4] or 0) - int(least[:4] or 0) if least[:4].isdigit() and most[:4].isdigit() else 0
        every = Every.YEAR if years > 5 else Every.MONTH
        if years == 0 and least[:7] == most[:7]:
            every = Every.DAY
        self.said.assume(f"Time is shown by {every.value}, as no period was named.")
        return every

    # --- what was left open --------------------------------------------------------------------------------------

    def _defaults(self) -> None:
        intent = self._intent
        self._share_of_some()
        if intent.first is not None and len(intent.groups) > 1:
            self.said.assume(f"The first {intent.first} are those of all groups together, not of each.")
        if any(where.having for where in intent.where) and not intent.groups:
            self._having_groups()
        gathers = bool(intent.groups or intent.every or intent.share)
        if intent.product is not None and gathers and not intent.wishes:
            self._numbers.wish(Wish(Function.SUM, None, intent.product.name))
        if intent.wishes or intent.product is not None:
            return
        if intent.rows or (intent.first is not None and not gathers):
            self._first_rows()
        elif gathers or intent.first is not None:
            self._ungathered()
        elif not intent.summary and not intent.where and not intent.questions:
            self._aimless()

    def _share_of_some(self) -> None:
        """``what percent of orders are cancelled``: the share of each status, and not of the cancelled ones."""
        intent = self._intent
        if not intent.share or intent.groups or intent.every:
            return
        named = [where for where in intent.where if where.test in (Test.EQUALS, Test.ONE_OF) and not where.having]
        if len(named) != 1:
            intent.share = False
            self.said.unread("share")
            return
        intent.where.remove(named[0])
        self.said.intent.understood[:] = [each for each in intent.understood if not each.startswith("only rows where")]
        self.said.assume(f"The share of each {named[0].column.name} is given, that of all rows being 100 percent.")
        self._group(named[0].column)

    def _having_groups(self) -> None:
        """``regions with total sales over 1000``: what has them are groups."""
        said = self.said
        for mention in said.mentions:
            if said.word(mention.end) in ("with", "having", "whose", "where", "that", "which"):
                column = said.pick(mention, _is_groupable)
                if column is not None:
                    said.take(mention.start, mention.end)
                    self._group(column)
                    return

    def _first_rows(self) -> None:
        intent = self._intent
        intent.rows = True
        column = intent.sorted_by or self._numbers.only_measure()
        if column is not None:
            intent.sorted_by = column

    def _ungathered(self) -> None:
        """Groups without a number: of rows, unless a word stands where a number was meant."""
        said = self.said
        if any(question.blocking and not question.answer for question in self._intent.questions):
            self._numbers.wish(Wish(Function.COUNT, None))  # which column is meant is asked already
            return
        left = [said.word(place) for place in self.said.left_over()]
        records = [word for word in left if stem(word) in cues.RECORDS]
        if len(records) < len(left) or not records:
            column = self._numbers.only_measure()
            self._numbers.wish(Wish(Function.COUNT, None) if column is None else Wish(usual(column), column))
            return
        self._numbers.wish(Wish(Function.COUNT, None))
        said.assume(f"The rows are counted: each is one of the “{records[0]}”.")

    def _aimless(self) -> None:
        """Nothing was recognised: the tables are described, and what is wanted is asked."""
        said = self.said
        measures = [column.name for column in said.columns if is_measure(column, cues.NO_MEASURE)]
        groups = [
            column.name for column in said.columns if column.is_groupable and not self.said.tells_rows_apart(column)
        ]
        options = [f"total {measure} by {group}" for measure in measures[:3] for group in groups[:3]]
        said.ask(GOAL, GOAL_ASKED, [*options, "a summary of every column"])
        self._intent.summary = True


def _has_times(said: Said) -> bool:
    return any(column.profile.type.is_temporal for column in said.columns)


def _free_name(name: str, columns: Sequence[Column]) -> str:
    taken = {column.name for column in columns}
    base = name if name[0].isalpha() else f"n_{name}"
    return base if base not in taken else f"{base}_computed"


def _is_groupable(column: Column) -> bool:
    return column.is_groupable
