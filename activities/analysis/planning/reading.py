"""Reads a requirement: which numbers, of which rows, for each of what. Part of the embedded planner.

Everything is decided by words and profiles, in one order, so the same requirement over the same tables is always read
the same way. What is not understood is asked, and what is guessed is said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from activities.analysis.planning import cues
from activities.analysis.planning.conditions import Conditions, parts_column, time_column
from activities.analysis.planning.growth import grown
from activities.analysis.planning.intent import Intent, Product, Wish
from activities.analysis.planning.said import Fits, Said, is_measure, named_wholly, slug
from activities.analysis.planning.unread import check
from activities.analysis.planning.words import FULL, NEVER_PART, STOP, SYNONYM, Column, Mention, stem, word_set
from domain.analyses.plan import Every, Function, Test
from domain.analyses.table import ColumnType, TableProfile

ROWS = "the number of rows"
"""An answer."""
FEWEST_IDS = 5
ID_LENGTH = 5
"""Rows, and digits, from which on numbers that tell rows apart look like names."""
GOAL = "goal"
GOAL_ASKED = "What is to be computed? Name a number and what it is for each of, in words of the columns."
"""The question where nothing was understood. Its answer is read in the place of the requirement."""
MOST_GROUPS = 3
FEW_GROUPS = 1_000
"""Distinct integers up to which a column of them may make groups."""
UNIQUE = 0.97
"""From this part of distinct values on, a column tells the rows apart."""

_OPERATORS: dict[str, Literal["+", "-", "*", "/"]] = {
    "times": "*", "x": "*", "*": "*", "multiplied by": "*", "minus": "-", "-": "-", "less": "-", "plus": "+",
    "+": "+", "divided by": "/", "/": "/",
}  # fmt: skip
_FUNCTION = re.compile("|".join(rf"(?P<{function.name}>\b(?:{words})(?= |$))" for function, words in cues.FUNCTIONS))
_BEFORE_GROUP = word_set("the a each every by calendar their")
_BETWEEN_GROUPS = word_set("and by then per each")
_ENDS_CLAUSE = word_set("by per where whose with for in when if that which having over each every across during")


def read(requirement: str, tables: Sequence[TableProfile], answers: Mapping[str, str]) -> Intent:
    """What the requirement asks for."""
    reading = _Reading(Said(requirement, tables, answers))
    reading.read()
    return reading.said.intent


class _Reading:
    def __init__(self, said: Said) -> None:
        self.said = said
        self._intent = said.intent

    def read(self) -> None:
        self._looks()
        self._product()
        Conditions(self.said).read()
        self._first()
        self._order()
        self._groups()
        self._periods()
        self._numbers()
        self._defaults()
        grown(self.said)
        check(self.said, self._means_rows)

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
            first, second = said.pick(left, _is_numeric), said.pick(right, _is_numeric)
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
        column = said.pick(mention, self._groupable) if mention is not None else None
        after = place + 1
        if mention is not None and column is not None:
            said.take(mention.start, mention.end)
            after = mention.end
        if column is not None and not self._tells_rows_apart(column):
            self._group(column)
        elif column is not None or self._means_rows(said.word(place)):
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
        column = said.pick(mention, self._groupable)
        if column is None or column.profile.type is ColumnType.NUMBER:
            return
        intent.first, intent.descending = 1, extreme["cue"] not in cues.ASCENDING
        said.take(mention.start, mention.end)
        said.take(cue, cue + 1)
        if self._tells_rows_apart(column) and column.profile.type is not ColumnType.TEXT:
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
            column = said.pick(mention, self._groupable, about="to group by")
            if column is not None:
                self._group(column)
                return mention.end
            if any(self._groupable(each) for _, each in mention.candidates):
                return mention.end  # asked
        if not first or said.tokens[place].kind not in ("word", "quoted") or said.word(place) in STOP | NEVER_PART:
            return None
        if mention is not None and self._intent.first is not None:
            return None  # “top 5 by amount”
        return self._unknown_group(place)

    def _unknown_group(self, place: int) -> int | None:
        said = self.said
        word = said.words(place, place + 1)
        among = [column for column in said.columns if self._groupable(column) and not self._tells_rows_apart(column)]
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

    # --- numbers -------------------------------------------------------------------------------------------------

    def _numbers(self) -> None:
        """Functions and the columns behind them, clause by clause."""
        said = self.said
        pending: list[Function] = []
        fresh = False
        place = 0
        while place < len(said.tokens):
            match = _FUNCTION.match(said.text, said.starts[place]) if said.free(place, place + 1) else None
            mention = said.mention_at(place)
            if match is not None and not (mention is not None and self._is_named_so(mention, match)):
                function = next(function for function, _ in cues.FUNCTIONS if match[function.name])
                if fresh and pending and not self._is_another(place):
                    said.unread(f"{said.words(place - 1, place)} {said.word(place)}".strip())
                pending = [*pending, function] if fresh else [function]
                fresh = True
                _, end = said.span(match)
                said.take(place, end)
                if function is Function.COUNT:
                    end = self._counted(place, end)
                    pending, fresh = [], False
                place = end
                continue
            if mention is not None:
                fresh = not self._measured(mention, pending) and fresh
                place = mention.end
                continue
            if said.word(place) in _ENDS_CLAUSE:
                if fresh:
                    self._unnamed(pending)
                pending, fresh = [], False
            place += 1
        if fresh:
            self._unnamed(pending)

    def _is_another(self, place: int) -> bool:
        """Whether a function stands beside the one before it: ``lowest and average``, not ``lowest average``."""
        return self.said.word(place - 1) in ("and", ",", "or", "&", "/")

    def _is_named_so(self, mention: Mention, match: re.Match[str]) -> bool:
        """A column that is called ``total``, where no other number follows."""
        said = self.said
        if mention.end - mention.start > len(match[0].split()):
            return named_wholly(mention)
        following = [each for each in said.mentions if mention.end <= each.start <= mention.end + 2]
        return named_wholly(mention) and not any(said.pick(each, _is_numeric) for each in following)

    def _measured(self, mention: Mention, pending: Sequence[Function]) -> bool:
        """Whether the mention is of a number that is wanted."""
        said = self.said
        wanted = self._is_ordered_extreme(pending)
        column = said.pick(mention, lambda each: wanted(each) and not self._is_group(each), about="as a number")
        words = said.words(mention.start, mention.end)
        if column is None and _asks(self._intent, f"column_{slug(words)}"):
            said.take(mention.start, mention.end)
            return True
        if column is None and pending:
            column = self._numbers_as_text(mention)
        if column is None:
            return False
        said.take(mention.start, mention.end)
        for function in pending or [self._usual(column)]:
            self._wish(Wish(function, column))
        if not pending and not self._intent.rows:
            how = "averaged" if self._usual(column) is Function.MEAN else "added up"
            same = mention.candidates[0][0] == FULL
            what = column.name if same else f"“{words}” is {column.name}, and"
            said.assume(f"{what} is {how}, as it was not said how.")
        elif mention.candidates[0][0] < FULL:
            said.assume(f"“{words}” is {column.name}.")
        return True

    def _is_ordered_extreme(self, pending: Sequence[Function]) -> Fits:
        """What columns fit the functions: dates have a least and a most, too."""
        extremes = pending and all(function in (Function.LEAST, Function.MOST) for function in pending)

        def fits(column: Column) -> bool:
            return is_measure(column, cues.NO_MEASURE) or bool(extremes and column.profile.type.is_temporal)

        return fits

    def _numbers_as_text(self, mention: Mention) -> Column | None:
        """A text column that mostly holds numbers."""
        for _, column in mention.candidates:
            if column.profile.type is ColumnType.TEXT and column.profile.numeric_share >= 0.5:
                return column
        return None

    def _counted(self, begin: int, place: int) -> int:
        """``number of (distinct) customers``, from ``begin`` on, with its noun behind ``place``: their end."""
        said = self.said
        place = said.past(place, STOP | {"distinct", "unique", "different", "total"})
        distinct = bool(cues.DISTINCT.search(said.words(begin, place).casefold()))
        said.take(begin, place)
        mention = said.mention_at(place)
        word = said.word(place)
        if mention is None:
            if word and said.free(place, place + 1) and word not in STOP and said.tokens[place].kind == "word":
                said.take(place, place + 1)
                if not self._means_rows(word):
                    self._count_unknown(word)
                    return place + 1
                place += 1
            self._wish(Wish(Function.COUNT, None))
            return place
        said.take(mention.start, mention.end)
        countable = [
            column for score, column in mention.candidates if column.is_id or not column.profile.type.is_numeric
        ]
        ids = [column for column in countable if column.is_id] or countable
        column = ids[0] if (ids and mention.candidates[0][0] >= SYNONYM) or (ids and ids[0].is_id) else None
        if (
            column is None
            or (self._tells_rows_apart(column) and not distinct)
            or (not distinct and self._means_rows(word) and not column.is_id)
        ):
            self._wish(Wish(Function.COUNT, None))
        else:
            self._wish(Wish(Function.DISTINCT, column))
            if not distinct:
                said.assume(f"Each {column.name} is counted once, however many rows it has.")
        return mention.end

    def _count_unknown(self, word: str) -> None:
        """``how many widgets`` of a table that has no such column: rows, or the values of one?"""
        said = self.said
        texts = [each for each in said.columns if self._groupable(each)]
        text = f"No column is called “{word}”. What is to be counted?"
        answer = said.ask(f"count_{slug(word)}", text, [ROWS, *(f"different values of {each.name}" for each in texts)])
        column = next((each for each in texts if answer and answer.split()[-1].casefold() == each.name), None)
        if answer is not None and column is not None:
            self._wish(Wish(Function.DISTINCT, column))
        else:
            self._wish(Wish(Function.COUNT, None))

    def _unnamed(self, pending: Sequence[Function]) -> None:
        """A function whose number was not recognised."""
        if self._intent.product is not None:
            for function in pending:
                self._wish(Wish(function, None, self._intent.product.name))
            return
        column = self._only_measure()
        if column is not None:
            for function in pending:
                self._wish(Wish(function, column))

    def _only_measure(self) -> Column | None:
        """The only column of numbers where none is named, or the answer which."""
        said = self.said
        nouns = [place for place in self._left_over() if not self._means_rows(said.word(place))]
        words = " ".join(said.tokens[place].text for place in nouns)
        measures = [each for each in said.columns if is_measure(each, cues.NO_MEASURE) and not self._is_group(each)]
        if len(measures) == 1 and not nouns and not self._looks_like_an_id(measures[0]):
            said.assume(f"The number that is meant is {measures[0].name}, the only one there is.")
            return measures[0]
        for place in nouns:
            if not any(each.start <= place < each.end for each in said.mentions):
                said.take(place, place + 1)
        called = f"No column is called “{words}”. " if words else ""
        text = f"{called}Which column holds the numbers that are meant?"
        if not measures:
            text = f"{called}No column holds numbers that can be computed with. Are the rows to be counted?"
        if said.answer("measure") == ROWS:
            said.ask("measure", text, [ROWS])
            return None
        return said.ask_column("measure", text, measures, others=[ROWS])

    def _looks_like_an_id(self, column: Column) -> bool:
        """Whole numbers, no two alike, one behind the other or of one length: they may well be names."""
        profile = column.profile
        rows = self.said.tables[column.table].rows
        if profile.type is not ColumnType.INTEGER or rows < FEWEST_IDS or not self._tells_rows_apart(column):
            return False
        least, most = profile.minimum or "", profile.maximum or ""
        try:
            in_a_row = int(most) - int(least) + 1 == rows
        except ValueError:
            return False
        return in_a_row or (len(least) == len(most) >= ID_LENGTH)

    def _wish(self, wish: Wish) -> None:
        if wish not in self._intent.wishes and len(self._intent.wishes) < 6:
            self._intent.wishes.append(wish)
            self.said.understand("the number of rows" if wish.name == "rows" else wish.name.replace("_", " "))

    def _usual(self, column: Column) -> Function:
        return Function.MEAN if set(column.stems) & cues.AVERAGED else Function.SUM

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
            self._wish(Wish(Function.SUM, None, intent.product.name))
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
                column = said.pick(mention, self._groupable)
                if column is not None:
                    said.take(mention.start, mention.end)
                    self._group(column)
                    return

    def _first_rows(self) -> None:
        intent = self._intent
        intent.rows = True
        column = intent.sorted_by or self._only_measure()
        if column is not None:
            intent.sorted_by = column

    def _ungathered(self) -> None:
        """Groups without a number: of rows, unless a word stands where a number was meant."""
        said = self.said
        if any(question.blocking and not question.answer for question in self._intent.questions):
            self._wish(Wish(Function.COUNT, None))  # which column is meant is asked already
            return
        left = [said.word(place) for place in self._left_over()]
        records = [word for word in left if stem(word) in cues.RECORDS]
        if len(records) < len(left) or not records:
            column = self._only_measure()
            self._wish(Wish(Function.COUNT, None) if column is None else Wish(self._usual(column), column))
            return
        self._wish(Wish(Function.COUNT, None))
        said.assume(f"The rows are counted: each is one of the “{records[0]}”.")

    def _left_over(self) -> Iterator[int]:
        """The places of words that nothing was made of."""
        said = self.said
        for place, token in enumerate(said.tokens):
            if token.kind == "word" and said.free(place, place + 1) and token.word not in STOP | NEVER_PART:
                yield place

    def _aimless(self) -> None:
        """Nothing was recognised: the tables are described, and what is wanted is asked."""
        said = self.said
        measures = [column.name for column in said.columns if is_measure(column, cues.NO_MEASURE)]
        groups = [
            column.name for column in said.columns if self._groupable(column) and not self._tells_rows_apart(column)
        ]
        options = [f"total {measure} by {group}" for measure in measures[:3] for group in groups[:3]]
        said.ask(GOAL, GOAL_ASKED, [*options, "a summary of every column"])
        self._intent.summary = True

    # --- judging columns -----------------------------------------------------------------------------------------

    def _groupable(self, column: Column) -> bool:
        type = column.profile.type
        if type is ColumnType.NUMBER:
            return False
        return type is not ColumnType.INTEGER or column.is_id or column.profile.distinct <= FEW_GROUPS

    def _is_group(self, column: Column) -> bool:
        return column in self._intent.groups

    def _tells_rows_apart(self, column: Column) -> bool:
        rows = self.said.tables[column.table].rows
        return (
            rows > 1 and column.profile.distinct >= UNIQUE * (rows - column.profile.nulls) and column.profile.nulls == 0
        )

    def _means_rows(self, word: str) -> bool:
        names = {stem(part) for table in self.said.tables for part in table.name.split("_")}
        return stem(word) in cues.RECORDS | names


def _asks(intent: Intent, id: str) -> bool:
    return any(question.id == id for question in intent.questions)


def _has_times(said: Said) -> bool:
    return any(column.profile.type.is_temporal for column in said.columns)


def _is_numeric(column: Column) -> bool:
    return column.profile.type.is_numeric


def _free_name(name: str, columns: Sequence[Column]) -> str:
    taken = {column.name for column in columns}
    base = name if name[0].isalpha() else f"n_{name}"
    return base if base not in taken else f"{base}_computed"
