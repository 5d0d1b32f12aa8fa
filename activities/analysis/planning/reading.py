"""Reads a requirement: which numbers, of which rows, for each of what. Part of the embedded planner.

Everything is decided by words and profiles, in one order, so the same requirement over the same tables is always read
the same way. What is not understood is asked, and what is guessed is said.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from activities.analysis.planning import lexicon
from activities.analysis.planning.conditions import Conditions
from activities.analysis.planning.growth import rank_by_growth
from activities.analysis.planning.intent import Intent, Product, RequestedMeasure
from activities.analysis.planning.numbers import Numbers, is_numeric, usual
from activities.analysis.planning.periods import parts_column, time_column, year_column
from activities.analysis.planning.requirement import ParsedRequirement, is_measure, named_wholly, slug
from activities.analysis.planning.unread import check
from activities.analysis.planning.words import NEVER_PART, STOP, Column, Mention, stem, word_set
from domain.analyses.steps import Every, Function, Test
from domain.analyses.table import ColumnType, TableProfile

GOAL = "goal"
GOAL_ASKED = "What is to be computed? Name a number and what it is for each of, in words of the columns."
"""The question where nothing was understood. Its answer is read in the place of the requirement."""
MOST_GROUPS = 3

_OPERATORS: dict[str, Literal["+", "-", "*", "/"]] = {
    "times": "*", "x": "*", "*": "*", "multiplied by": "*", "minus": "-", "-": "-", "less": "-", "plus": "+",
    "+": "+", "divided by": "/", "/": "/",
}  # fmt: skip
_TO_DATE = re.compile(r"\b(?:year to date|ytd)\b")
_BEFORE_GROUP = word_set("the a each every by calendar their")
_BETWEEN_GROUPS = word_set("and by then per each")
_ROWS = frozenset(("row", "rows", "record", "records", "entry", "entries"))
"""Words for rows, of any table."""


def read(requirement: str, tables: Sequence[TableProfile], answers: Mapping[str, str]) -> Intent:
    """What the requirement asks for."""
    reading = _Reading(ParsedRequirement(requirement, tables, answers))
    reading.read()
    return reading.parsed.intent


class _Reading:
    def __init__(self, parsed: ParsedRequirement) -> None:
        self.parsed = parsed
        self._intent = parsed.intent
        self._numbers = Numbers(parsed)

    def read(self) -> None:
        self._looks()
        self._product()
        Conditions(self.parsed).read()
        self._first()
        self._order()
        self._groups()
        self._periods()
        self._numbers.read()
        self._of_the_first()
        self._defaults()
        self._changes_of_one()
        rank_by_growth(self.parsed)
        check(self.parsed)

    # --- how it is shown, and what is derived of numbers ----------------------------------------------------------

    def _looks(self) -> None:
        parsed, intent = self.parsed, self._intent
        if lexicon.NO_CHART.search(parsed.text):
            intent.no_chart = True
        elif lexicon.LINE.search(parsed.text):
            intent.chart = "line"
        elif lexicon.BAR.search(parsed.text):
            intent.chart = "bar"
        for pattern in (lexicon.NO_CHART, lexicon.LINE, lexicon.BAR, lexicon.CHART):
            for match in parsed.found(pattern):
                parsed.take(*parsed.span(match))
        for match in parsed.found(lexicon.SUMMARY):
            intent.summary = True
            parsed.take(*parsed.span(match))
        intent.share = self._cued(lexicon.SHARE, "percent of the total")
        intent.running = self._cued(lexicon.RUNNING, "a running total")
        to_date = _TO_DATE.search(parsed.text)
        if intent.running and to_date and any(map(_has_several_years, parsed.columns)):
            parsed.unread(to_date[0])  # it begins anew each year

    def _cued(self, pattern: re.Pattern[str], words: str) -> bool:
        """Whether a cue is there that is not a column's name."""
        parsed, found = self.parsed, False
        for match in parsed.found(pattern):
            begin, end = parsed.span(match)
            mention = parsed.mention_at(begin)
            if mention is None or not named_wholly(mention):
                parsed.take(begin, end)
                found = True
        if found:
            parsed.understand(words)
        return found

    def _product(self) -> None:
        """``price times quantity``, ``profit = revenue - cost``."""
        parsed = self.parsed
        for left in parsed.mentions:
            rest = parsed.rest(left.end)
            sign = next((sign for sign in _OPERATORS if re.match(rf"{re.escape(sign)}(?= |$)", rest)), None)
            right = parsed.mention_at(left.end + len(sign.split())) if sign else None
            if sign is None or right is None or not parsed.free(left.start, left.end):
                continue
            first, second = parsed.pick(left, is_numeric), parsed.pick(right, is_numeric)
            if first is None or second is None:
                continue
            name = "result"
            begin = left.start
            if parsed.word(left.start - 1) in ("=", "as", "is") and left.start >= 2:
                name, begin = slug(parsed.word(left.start - 2)), left.start - 2
            operator = _OPERATORS[sign]
            self._intent.product = Product(_free_name(name, parsed.columns), first, operator, second)
            parsed.take(begin, right.end)
            parsed.understand(f"{name} = {first.name} {operator} {second.name}")
            return

    # --- the first few -------------------------------------------------------------------------------------------

    def _first(self) -> None:
        parsed, intent = self.parsed, self._intent
        for match in parsed.found(lexicon.TOP):
            begin, end = parsed.span(match)
            intent.first = max(1, int(match["n"] or match["n2"]))
            intent.descending = (match["cue"] or match["cue2"]) not in lexicon.ASCENDING
            parsed.take(begin, end)
            self._subject(end)
            return
        self._which()

    def _subject(self, place: int) -> None:
        """What the first few are: groups, or rows. And by which number."""
        parsed, intent = self.parsed, self._intent
        place = parsed.past(place, STOP | {"selling", "performing", "individual", "single"})
        mention = parsed.mention_at(place)
        column = parsed.pick(mention, _is_groupable) if mention is not None else None
        after = place + 1
        if mention is not None and column is not None:
            parsed.take(mention.start, mention.end)
            after = mention.end
        if column is not None and not self.parsed.tells_rows_apart(column):
            self._group(column)
        elif column is not None or self.parsed.means_rows(parsed.word(place)):
            intent.rows = True
            if column is None and place < len(parsed.tokens):
                parsed.take(place, place + 1)
        if parsed.word(after) == "by":
            parsed.take(after, after + 1)
        kind = "groups" if intent.groups else "rows"
        parsed.understand(f"only the {intent.first} {'largest' if intent.descending else 'smallest'} {kind}")

    def _which(self) -> None:
        """``which region has the highest sales``: the groups' first."""
        parsed, intent = self.parsed, self._intent
        asked = lexicon.ASKED_WHICH.search(parsed.text)
        extreme = lexicon.SUPERLATIVE.search(parsed.text)
        if extreme is None:
            return
        cue, _ = parsed.span(extreme, "cue")
        place = parsed.span(asked)[1] if asked else self._before_superlative(cue)
        mention = None if place is None else parsed.mention_at(place)
        if mention is None or mention.end > cue:
            if parsed.word(0) in ("who", "whose"):  # a number is no answer to that
                parsed.unread(parsed.words(0, 1))
            return
        column = parsed.pick(mention, _is_groupable)
        if column is None or column.profile.type is ColumnType.NUMBER:
            return
        intent.first, intent.descending = 1, extreme["cue"] not in lexicon.ASCENDING
        parsed.take(mention.start, mention.end)
        parsed.take(cue, cue + 1)
        if self.parsed.tells_rows_apart(column) and column.profile.type is not ColumnType.TEXT:
            intent.rows = True
        else:
            self._group(column)
        parsed.understand(f"only the {'largest' if intent.descending else 'smallest'}")

    def _before_superlative(self, cue: int) -> int | None:
        """``the region with the highest sales``: where ``region`` begins."""
        parsed = self.parsed
        if parsed.word(cue - 1) == "the" and parsed.word(cue - 2) in ("with", "has", "having", "had"):
            mention = parsed.mention_before(cue - 2, within=0)
            return mention.start if mention is not None else None
        return None

    def _of_the_first(self) -> None:
        """``average amount of the top 3 orders``: they are listed, and nothing is computed of them."""
        parsed = self.parsed
        top = lexicon.TOP.search(parsed.text)
        if not self._intent.rows or top is None:
            return
        for function, words in lexicon.FUNCTIONS:
            found = re.search(rf"\b(?:{words})(?= )", parsed.text[: top.start()])
            if found is None or function not in (Function.SUM, Function.MEAN, Function.MEDIAN):
                continue
            place, _ = parsed.span(found)
            if not any(each.start <= place < each.end and named_wholly(each) for each in parsed.mentions):
                parsed.unread(found[0])

    # --- order and groups ----------------------------------------------------------------------------------------

    def _order(self) -> None:
        parsed, intent = self.parsed, self._intent
        for match in parsed.found(lexicon.SORTED):
            begin, end = parsed.span(match)
            place = parsed.past(end, STOP | {"total", "average"})
            mention = parsed.mention_at(place)
            column = parsed.pick(mention) if mention is not None else None
            parsed.take(begin, end)
            if column is not None and mention is not None:
                intent.sorted_by = column
                if not column.profile.type.is_numeric:
                    parsed.take(mention.start, mention.end)
                parsed.understand(f"in order of {column.name}")
            ways = list(parsed.found(lexicon.DESCENDING)) + list(parsed.found(lexicon.ASCENDING_WAY))
            intent.descending = (
                bool(lexicon.DESCENDING.search(parsed.text)) if intent.first is None else intent.descending
            )
            for way in ways:
                parsed.take(*parsed.span(way))

    def _groups(self) -> None:
        parsed = self.parsed
        for match in parsed.found(lexicon.GROUP):
            begin, end = parsed.span(match, "cue")
            if begin and lexicon.NOT_A_GROUP.search(parsed.word(begin - 1)):
                continue
            place, any_found = end, False
            while place < len(parsed.tokens):
                while parsed.word(place) in ("the", "a", "each", "every", "by", "calendar", "their") and place < len(
                    parsed.tokens
                ):
                    place += 1
                stop = self._group_at(place, first=not any_found)
                if stop is None:
                    break
                any_found = True
                parsed.take(begin, stop)
                place = stop
                if parsed.word(place) not in ("and", ",", "&", "by", "then"):
                    break
                place += 1
                place = parsed.past(place, _BETWEEN_GROUPS)

    def _group_at(self, place: int, *, first: bool) -> int | None:
        """The end of the group that begins at a token, or ``None``: there is none."""
        parsed = self.parsed
        if place >= len(parsed.tokens):
            return None
        mention = parsed.mention_at(place)
        whole = mention is not None and named_wholly(mention)
        unit = lexicon.UNITS.get(parsed.tokens[place].stem)
        if unit is not None and not whole:
            named = parsed.mention_at(place + 2) if parsed.word(place + 1) == "of" else None
            column = parsed.pick(named, lambda each: each.profile.type.is_temporal) if named is not None else None
            if named is not None and column is not None:
                self._intent.time = column
            self._every(unit)
            return place + 1 if named is None or column is None else named.end
        if mention is not None:
            column = parsed.pick(mention, _is_groupable, about="to group by")
            if column is not None:
                rate = parsed.word(place - 1) == "per" and column.profile.type is ColumnType.INTEGER
                if rate and is_measure(column, lexicon.NO_MEASURE) and usual(column) is Function.SUM:
                    parsed.unread(f"per {parsed.words(mention.start, mention.end)}")  # “amount per unit”
                self._group(column)
                return mention.end
            if any(each.is_groupable for _, each in mention.candidates):
                return mention.end  # asked
            if whole and first and self._intent.first is None and self._measures_beside(mention):
                # each of its numbers would be a group of its own
                parsed.unread(f"by {parsed.words(mention.start, mention.end)}")
                return mention.end
        if not first or parsed.tokens[place].kind not in ("word", "quoted") or parsed.word(place) in STOP | NEVER_PART:
            return None
        if mention is not None and self._intent.first is not None:
            return None  # “top 5 by amount”
        return self._unknown_group(place)

    def _measures_beside(self, mention: Mention) -> bool:
        """Whether a number is asked for besides what is mentioned there."""
        others = (each for each in self.parsed.mentions if each.start != mention.start)
        return any(is_numeric(column) for each in others for _, column in each.candidates[:1])

    def _unknown_group(self, place: int) -> int | None:
        parsed = self.parsed
        word = parsed.words(place, place + 1)
        among = [
            column for column in parsed.columns if column.is_groupable and not self.parsed.tells_rows_apart(column)
        ]
        if not among:
            return None
        column = parsed.ask_column(f"group_{slug(word)}", f"Which column is meant by “{word}”, to group by?", among)
        if column is not None:
            self._group(column)
        return place + 1

    def _group(self, column: Column) -> None:
        intent = self._intent
        if column.profile.type.is_temporal:
            intent.time = column
            intent.every = intent.every or self._usual_period(column)
        elif column not in intent.groups and len(intent.groups) >= MOST_GROUPS:
            self.parsed.unread(f"by {column.name}")
        elif column not in intent.groups:
            intent.groups.append(column)
            self.parsed.understand(f"for each {column.name}")

    def _every(self, every: Every) -> None:
        """Rows by period: of the dates, or of a column that holds such periods."""
        parsed, intent = self.parsed, self._intent
        parts = parts_column(parsed)
        if parts is not None and every in (Every.MONTH, Every.QUARTER, Every.YEAR) and not _has_times(parsed):
            parsed.assume(f"Each {parts.name} is a {every.value}.")
            self._group(parts)
            return
        held = year_column(parsed) if every is Every.YEAR else None
        if held is not None:
            self._group(held)
            return
        column = time_column(parsed, years_will_do=every is Every.YEAR)
        if column is None:
            return
        if not column.profile.type.is_temporal:
            self._group(column)
            return
        intent.every = every
        parsed.understand(f"for each {every.value} of {column.name}")

    def _periods(self) -> None:
        parsed, intent = self.parsed, self._intent
        for match in parsed.found(lexicon.ON_PERIOD):
            intent.change = True
            self._every(lexicon.UNITS[match["unit"]])
            parsed.take(*parsed.span(match))
        for place, token in enumerate(parsed.tokens):
            every = lexicon.ADVERBS.get(token.word)
            mention = parsed.mention_at(place)
            if every is not None and parsed.free(place, place + 1) and not (mention and named_wholly(mention)):
                if parsed.word(place - 1) in ("average", "avg", "mean", "median", "highest", "lowest", "typical"):
                    parsed.unread(parsed.words(place - 1, place + 1))
                self._every(every)
                parsed.take(place, place + 1)
        if self._cued(lexicon.CHANGE, "change to the period before"):
            intent.change = True
        if self._cued(lexicon.OVER_TIME, "over time") or ((intent.change or intent.running) and intent.every is None):
            column = time_column(parsed)
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
        self.parsed.assume(f"Time is shown by {every.value}, as no period was named.")
        return every

    def _changes_of_one(self) -> None:
        """``growth in 2024``: what came before is none of the rows that are meant."""
        intent, parsed = self._intent, self.parsed
        begins = [
            str(where.values[0])
            for where in intent.where
            if where.column == intent.time and where.test is Test.AT_LEAST
        ]
        ends = [
            str(where.values[0]) for where in intent.where if where.column == intent.time and where.test is Test.LESS
        ]
        cue = lexicon.CHANGE.search(parsed.text)
        if not intent.change or not begins or intent.every is None or cue is None:
            return
        unnamed = any("no period was named" in each for each in intent.assumptions)
        first, behind = begins[0], ends[0] if ends else ""
        years = int(behind[:4] or 9999) - int(first[:4])
        if unnamed or (intent.every is Every.YEAR and years < 2):
            parsed.unread(cue[0])

    # --- what was left open --------------------------------------------------------------------------------------

    def _defaults(self) -> None:
        intent = self._intent
        self._share_of_some()
        if intent.first is not None and len(intent.groups) > 1:
            self.parsed.assume(f"The first {intent.first} are those of all groups together, not of each.")
        if any(where.having for where in intent.where) and not intent.groups:
            self._having_groups()
            if not intent.groups and intent.every is None:  # of no groups: rows
                intent.where[:] = [replace(where, having=False) for where in intent.where]
        gathers = bool(intent.groups or intent.every or intent.share)
        if intent.product is not None and gathers and not intent.measures:
            if intent.product.operator == "/":  # the sum of rates is none, and their average not that of all
                self.parsed.unread("divided by")
            self._numbers.add_measure(RequestedMeasure(Function.SUM, None, intent.product.name))
        if intent.measures or intent.product is not None:
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
            self.parsed.unread("share")
            return
        intent.where.remove(named[0])
        self.parsed.intent.understood[:] = [
            each for each in intent.understood if not each.startswith("only rows where")
        ]
        self.parsed.assume(f"The share of each {named[0].column.name} is given, that of all rows being 100 percent.")
        self._group(named[0].column)

    def _having_groups(self) -> None:
        """``regions with total sales over 1000``: what has them are groups."""
        parsed = self.parsed
        for mention in parsed.mentions:
            if parsed.word(mention.end) in ("with", "having", "whose", "where", "that", "which"):
                column = parsed.pick(mention, _is_groupable)
                if column is not None:
                    parsed.take(mention.start, mention.end)
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
        parsed = self.parsed
        if any(question.blocking and not question.answer for question in self._intent.questions):
            self._numbers.add_measure(RequestedMeasure(Function.COUNT, None))  # which column is meant is asked already
            return
        if any(token.word in _ROWS and parsed.free(place, place + 1) for place, token in enumerate(parsed.tokens)):
            self._numbers.add_measure(RequestedMeasure(Function.COUNT, None))  # “what percent of rows are open”
            return
        left = [parsed.word(place) for place in self.parsed.left_over()]
        records = [word for word in left if stem(word) in lexicon.RECORDS]
        if len(records) < len(left) or not records:
            column = self._numbers.only_measure()
            self._numbers.add_measure(
                RequestedMeasure(Function.COUNT, None) if column is None else RequestedMeasure(usual(column), column)
            )
            return
        self._numbers.add_measure(RequestedMeasure(Function.COUNT, None))
        parsed.assume(f"The rows are counted: each is one of the “{records[0]}”.")

    def _aimless(self) -> None:
        """Nothing was recognised: the tables are described, and what is wanted is asked."""
        parsed = self.parsed
        measures = [column.name for column in parsed.columns if is_measure(column, lexicon.NO_MEASURE)]
        groups = [
            column.name for column in parsed.columns if column.is_groupable and not self.parsed.tells_rows_apart(column)
        ]
        options = [f"total {measure} by {group}" for measure in measures[:3] for group in groups[:3]]
        parsed.ask(GOAL, GOAL_ASKED, [*options, "a summary of every column"])
        self._intent.summary = True


def _has_several_years(column: Column) -> bool:
    least, most = (column.profile.minimum or "")[:4], (column.profile.maximum or "")[:4]
    return column.profile.type.is_temporal and least != most


def _has_times(parsed: ParsedRequirement) -> bool:
    return any(column.profile.type.is_temporal for column in parsed.columns)


def _free_name(name: str, columns: Sequence[Column]) -> str:
    taken = {column.name for column in columns}
    base = name if name[0].isalpha() else f"n_{name}"
    return base if base not in taken else f"{base}_computed"


def _is_groupable(column: Column) -> bool:
    return column.is_groupable
