"""Which numbers a requirement wants: functions and the columns behind them. Part of the embedded planner."""

import re
from collections.abc import Sequence

from activities.analysis.planning import lexicon
from activities.analysis.planning.intent import Intent, RequestedMeasure
from activities.analysis.planning.requirement import Fits, ParsedRequirement, is_measure, named_wholly, slug
from activities.analysis.planning.words import FULL, STOP, SYNONYM, Column, Mention, word_set
from domain.analyses.plan_meaning import tells_apart
from domain.analyses.spellings import written_differently
from domain.analyses.steps import Function
from domain.analyses.table import ColumnType

ROWS = "the number of rows"
"""An answer."""
_ROWS = word_set("row rows record records line lines entry entries")
_COUNTS = word_set("count headcount quantity qty freq frequency n anzahl menge")
"""Words of headings of numbers that say how many things each row stands for."""
_JOINS = word_set("and or , & / by plus")
_OF_TIME = word_set("latest recent earliest oldest")
"""What is the last, or the first, by its day: of a number it is not the largest, nor the smallest."""
_YES_OR_NO = word_set("y n yes no x true false t f j ja nein o oui non s si sí não sim tak nie da ne")
"""Values that say of each row whether it is so: how many of them there are is no answer."""
SPELLINGS = "SPELLINGS_GUESSED"
_FUNCTION = re.compile("|".join(rf"(?P<{function.name}>\b(?:{words})(?= |$))" for function, words in lexicon.FUNCTIONS))
_ENDS_CLAUSE = word_set("by per where whose with for in when if that which having over each every across during")


class Numbers:
    """Reads the numbers, and takes their words."""

    def __init__(self, parsed: ParsedRequirement) -> None:
        self.parsed = parsed
        self._intent = parsed.intent
        self._of_time = ""

    def read(self) -> None:
        """Functions and the columns behind them, clause by clause."""
        parsed = self.parsed
        pending: list[Function] = []
        fresh = False
        place = 0
        while place < len(parsed.tokens):
            match = _FUNCTION.match(parsed.text, parsed.starts[place]) if parsed.free(place, place + 1) else None
            mention = parsed.mention_at(place)
            if match is not None and not (mention is not None and self._is_named_so(mention, match)):
                function = next(function for function, _ in lexicon.FUNCTIONS if match[function.name])
                if fresh and pending and not self._is_another(place):
                    parsed.unread(f"{parsed.words(place - 1, place)} {parsed.word(place)}".strip())
                pending = [*pending, function] if fresh else [function]
                self._of_time = match[0] if set(match[0].split()) & _OF_TIME else ""
                fresh = True
                _, end = parsed.span(match)
                parsed.take(place, end)
                if function is Function.COUNT:
                    end = self._counted(place, end)
                    pending, fresh = [], False
                place = end
                continue
            if mention is not None:
                fresh = not self._measured(mention, pending, fresh=fresh) and fresh
                place = mention.end
                continue
            if parsed.word(place) in _ENDS_CLAUSE:
                if fresh:
                    self._unnamed(pending)
                pending, fresh = [], False
            place += 1
        if fresh:
            self._unnamed(pending)

    def _is_another(self, place: int) -> bool:
        """Whether a function stands beside the one before it: ``lowest and average``, not ``lowest average``."""
        return self.parsed.word(place - 1) in ("and", ",", "or", "&", "/")

    def _is_named_so(self, mention: Mention, match: re.Match[str]) -> bool:
        """A column that is called ``total``, where no other number follows."""
        parsed = self.parsed
        if mention.end - mention.start > len(match[0].split()):
            return named_wholly(mention)
        following = [each for each in parsed.mentions if mention.end <= each.start <= mention.end + 2]
        return named_wholly(mention) and not any(parsed.pick(each, is_numeric) for each in following)

    def _measured(self, mention: Mention, pending: Sequence[Function], *, fresh: bool) -> bool:
        """Whether the mention is of a number that is wanted."""
        parsed = self.parsed
        wanted = self._is_ordered_extreme(pending)
        column = parsed.pick(
            mention, lambda each: wanted(each) and each not in self._intent.groups, about="as a number"
        )
        words = parsed.words(mention.start, mention.end)
        if column is None and _asks(self._intent, f"column_{slug(words)}"):
            parsed.take(mention.start, mention.end)
            return True
        if column is None and pending:
            column = self._numbers_as_text(mention)
        if column is None:
            return False
        parsed.take(mention.start, mention.end)
        if not fresh and (column.profile.minimum, column.profile.maximum) == ("0", "1"):
            parsed.unread(words)  # “of active rows”, where active is 0 or 1
            return True
        if not pending and self._is_of_what_is_counted(mention):
            parsed.unread(parsed.words(mention.start - 1, mention.end))  # “how many orders with a discount”
            return True
        if pending and self._of_time and not column.profile.type.is_temporal:
            parsed.unread(self._of_time)
        if self._intent.share and not pending and parsed.word(mention.start - 1) == "of" and parsed.names_rows(column):
            self._count_rows(words)  # “percent of respondents”, who are numbered
            return True
        for function in pending or [usual(column)]:
            self.add_measure(RequestedMeasure(function, column))
        if not pending and not self._intent.rows:
            how = "averaged" if usual(column) is Function.MEAN else "added up"
            same = mention.candidates[0][0] == FULL
            what = column.name if same else f"“{words}” is {column.name}, and"
            parsed.assume(f"{what} is {how}, as it was not said how.")
        elif mention.candidates[0][0] < FULL:
            parsed.assume(f"“{words}” is {column.name}.")
        return True

    def _is_of_what_is_counted(self, mention: Mention) -> bool:
        counts = [each.function in (Function.COUNT, Function.DISTINCT) for each in self._intent.measures]
        return bool(counts) and all(counts) and self.parsed.word(mention.start - 1) not in _JOINS

    def _is_ordered_extreme(self, pending: Sequence[Function]) -> Fits:
        """What columns fit the functions: dates have a least and a most, too."""
        extremes = pending and all(function in (Function.LEAST, Function.MOST) for function in pending)

        def fits(column: Column) -> bool:
            return is_measure(column, lexicon.NO_MEASURE) or bool(extremes and column.profile.type.is_temporal)

        return fits

    def _numbers_as_text(self, mention: Mention) -> Column | None:
        """A text column that mostly holds numbers."""
        for _, column in mention.candidates:
            if column.profile.type is ColumnType.TEXT and column.profile.numeric_share >= 0.5:
                return column
        return None

    def _counted(self, begin: int, place: int) -> int:
        """``number of (distinct) customers``, from ``begin`` on, with its noun behind ``place``: their end."""
        parsed = self.parsed
        place = parsed.past(place, STOP | {"distinct", "unique", "different", "total"})
        asked = parsed.words(begin, place).casefold()
        distinct = bool(lexicon.DISTINCT.search(asked))
        parsed.take(begin, place)
        behind = next((at for at in range(place, len(parsed.tokens)) if parsed.free(at, at + 1)), place)
        if parsed.tokens[behind : behind + 1] and parsed.word(behind) not in STOP:  # “how many active customers”
            place = behind
        mention = parsed.mention_at(place)
        word = parsed.word(place)
        if mention is None:
            if word and parsed.free(place, place + 1) and word not in STOP and parsed.tokens[place].kind == "word":
                parsed.take(place, place + 1)
                if not parsed.means_rows(word):
                    self._count_unknown(word)
                    return place + 1
                self._count_rows(word)
                return place + 1
            self._rows_of(word)
            self.add_measure(RequestedMeasure(Function.COUNT, None))
            return place
        parsed.take(mention.start, mention.end)
        # “how many paid items”, of a column that says which are
        values = {value.casefold() for value in mention.candidates[0][1].profile.values}
        if (values and values <= _YES_OR_NO and not distinct) or parsed.mention_at(mention.end) is not None:
            parsed.unread(parsed.words(mention.start, mention.end + 1))
        countable = [
            column for score, column in mention.candidates if column.is_id or not column.profile.type.is_numeric
        ]
        ids = [column for column in countable if column.is_id] or countable
        ids = self._of_named_table(ids, word)
        column = ids[0] if (ids and mention.candidates[0][0] >= SYNONYM) or (ids and ids[0].is_id) else None
        if distinct and not countable:  # “1.1” and “1.10” are one number, and may be two names
            parsed.unread(parsed.words(mention.start, mention.end))
        meant = mention.candidates[0][1]
        if column is None and not distinct and "count" not in asked and self._may_be_added_up(meant):
            self._counted_or_added_up(meant)
        elif column is None and not distinct and meant.profile.nulls:  # a number that is not there is none of them
            self.add_measure(RequestedMeasure(Function.COUNT, meant))
        elif not distinct and column is not None and not column.is_id and parsed.means_rows(word):
            self._count_rows(word)
        elif column is None or (not distinct and self._is_each_row(column)):
            if column is None:
                self._rows_of(word)
            else:
                self._intent.counted = column.table
            self.add_measure(RequestedMeasure(Function.COUNT, None))
        else:
            self.add_measure(RequestedMeasure(Function.DISTINCT, column))
            if not distinct:
                parsed.assume(f"Each {column.name} is counted once, however many rows it has.")
        return mention.end

    def _is_each_row(self, column: Column) -> bool:
        """Whether each row has one of the column's values, and no two are one name that is written in two ways."""
        table, profile = self.parsed.tables[column.table], column.profile
        spelled = any(note.code == SPELLINGS and note.message.startswith(f"{column.name} ") for note in table.notes)
        return tells_apart(table, profile) and not spelled and not written_differently(profile.values, str)

    def _count_rows(self, word: str) -> None:
        """Rows that are called so, unless a column says how many of them each row stands for."""
        parsed = self.parsed
        self._rows_of(word)
        known = word in _ROWS or any(parsed.tells_rows_apart(each) for each in parsed.columns if each.is_id)
        sizes = [each for each in parsed.columns if set(each.stems) & _COUNTS and self._may_be_added_up(each)]
        if sizes and not known:
            self._counted_or_added_up(sizes[0])
            return
        if not known:
            parsed.assume(f"Each row is counted as one of the “{word}”.")
        self.add_measure(RequestedMeasure(Function.COUNT, None))

    def _rows_of(self, word: str) -> None:
        """Of several tables, the one whose rows are counted: that which is called so, the only one with such an id, or
        the answer."""
        parsed = self.parsed
        # a sheet of notes holds no rows of anything
        tables = {column.table for column in parsed.columns if column.profile.type is not ColumnType.TEXT}
        tables = tables or {column.table for column in parsed.columns}
        if len(tables) == 1:
            self._intent.counted = next(iter(tables))
        if len(tables) < 2 or self._intent.counted is not None:
            return
        named = [place for place in sorted(tables) if parsed.is_called(place, word)]
        if len(named) == 1:
            self._intent.counted = named[0]
            return
        names = [parsed.tables[place].name for place in sorted(tables)]
        answer = parsed.ask("rows_of", f"The rows of which table are “{word}”?", names)
        place = next((at for at in sorted(tables) if parsed.tables[at].name == (answer or "").casefold()), None)
        self._intent.counted = place

    def _of_named_table(self, ids: list[Column], word: str) -> list[Column]:
        """Of one key in several tables, that of the table that is called so; else that of the answer."""
        parsed = self.parsed
        same = [each for each in ids if each.name == ids[0].name]
        if len(same) < 2:
            return ids
        names = [parsed.tables[each.table].name for each in same]
        named = [each for each in same if parsed.is_called(each.table, word)]
        others = [each for each in same if each not in named]
        is_other_spoken = any(parsed.is_called(each.table, token.word) for each in others for token in parsed.tokens)
        if len(named) == 1 and not is_other_spoken:
            return named
        text = f"{same[0].name} is in {' and '.join(names)}. Those of which are counted?"
        answer = parsed.ask(f"count_of_{slug(same[0].name)}", text, names)
        return [each for each, name in zip(same, names, strict=True) if name == (answer or "").casefold()] or ids

    def _may_be_added_up(self, column: Column) -> bool:
        return (
            is_measure(column, lexicon.NO_MEASURE)
            and usual(column) is Function.SUM
            and not self.parsed.names_rows(column)
        )

    def _counted_or_added_up(self, column: Column) -> None:
        """``how many units`` of rows that hold some each: what the column comes to, its different numbers, or rows?"""
        added_up, different = f"the sum of {column.name}", f"different values of {column.name}"
        text = f"{column.name} is a column of numbers. How many of them are there: what is meant?"
        answer = (self.parsed.ask(f"count_{slug(column.name)}", text, [added_up, different, ROWS]) or "").casefold()
        if answer == added_up.casefold():
            self.add_measure(RequestedMeasure(Function.SUM, column))
        elif answer == different.casefold():
            self.add_measure(RequestedMeasure(Function.DISTINCT, column))
        else:
            self.add_measure(RequestedMeasure(Function.COUNT, None))

    def _count_unknown(self, word: str) -> None:
        """``how many widgets`` of a table that has no such column: rows, or the values of one?"""
        parsed = self.parsed
        texts = [each for each in parsed.columns if each.is_groupable]
        text = f"No column is called “{word}”. What is to be counted?"
        answer = parsed.ask(
            f"count_{slug(word)}", text, [ROWS, *(f"different values of {each.name}" for each in texts)]
        )
        column = next((each for each in texts if answer and answer.split()[-1].casefold() == each.name), None)
        if answer is not None and column is not None:
            self.add_measure(RequestedMeasure(Function.DISTINCT, column))
        else:
            self.add_measure(RequestedMeasure(Function.COUNT, None))

    def _unnamed(self, pending: Sequence[Function]) -> None:
        """A function whose number was not recognised."""
        if self._intent.product is not None:
            for function in pending:
                self.add_measure(RequestedMeasure(function, None, self._intent.product.name))
            return
        counted = any(asked.function in (Function.COUNT, Function.DISTINCT) for asked in self._intent.measures)
        if counted and Function.MEAN in pending:
            self.parsed.unread("average")  # “how many orders per customer on average”
            return
        column = self.only_measure(sure=Function.SUM not in pending or not self._has_records())
        if column is not None:
            if self._of_time:
                self.parsed.unread(self._of_time)
            for function in pending:
                self.add_measure(RequestedMeasure(function, column))

    def _has_records(self) -> bool:
        """``total orders``: their number, as well as what they come to."""
        parsed = self.parsed
        return any(
            parsed.tokens[place].stem in lexicon.RECORDS - {"data"} and parsed.word(place + 1) != "value"
            for place in parsed.left_over()
        )

    def only_measure(self, *, sure: bool = True) -> Column | None:
        """The only column of numbers where none is named, or the answer which; asked, too, where it is not ``sure``."""
        parsed = self.parsed
        nouns = [place for place in parsed.left_over() if not parsed.means_rows(parsed.word(place))]
        words = " ".join(parsed.tokens[place].text for place in nouns)
        measures = [
            each for each in parsed.columns if is_measure(each, lexicon.NO_MEASURE) and each not in self._intent.groups
        ]
        if sure and len(measures) == 1 and not nouns and not self.parsed.looks_like_an_id(measures[0]):
            parsed.assume(f"The number that is meant is {measures[0].name}, the only one there is.")
            return measures[0]
        for place in nouns:
            if not any(each.start <= place < each.end for each in parsed.mentions):
                parsed.take(place, place + 1)
        called = f"No column is called “{words}”. " if words else ""
        text = f"{called}Which column holds the numbers that are meant?"
        if not measures:
            text = f"{called}No column holds numbers that can be computed with. Are the rows to be counted?"
        if parsed.answer("measure") == ROWS:
            parsed.ask("measure", text, [ROWS])
            return None
        return parsed.ask_column("measure", text, measures, others=[ROWS])

    def add_measure(self, asked: RequestedMeasure) -> None:
        """Take a number that is wanted: six at most."""
        if asked not in self._intent.measures and len(self._intent.measures) < 6:
            self._intent.measures.append(asked)
            self.parsed.understand("the number of rows" if asked.name == "rows" else asked.name.replace("_", " "))


def usual(column: Column) -> Function:
    """What is done with a number where it is not said."""
    return Function.MEAN if set(column.stems) & lexicon.AVERAGED else Function.SUM


def _asks(intent: Intent, id: str) -> bool:
    return any(question.id == id for question in intent.questions)


def is_numeric(column: Column) -> bool:
    """Whether the column holds numbers."""
    return column.profile.type.is_numeric
