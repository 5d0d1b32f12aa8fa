"""Which rows a requirement speaks of: periods, comparisons, values, gaps. Part of the embedded planner."""

import re
from collections.abc import Callable, Sequence
from itertools import chain

from activities.analysis.planning import lexicon
from activities.analysis.planning.intent import Where
from activities.analysis.planning.periods import Periods, is_day, padded
from activities.analysis.planning.requirement import ParsedRequirement, is_measure, named_wholly, slug
from activities.analysis.planning.words import NEVER_PART, STOP, SYNONYM, Column, Mention, Token, stem, word_set
from domain.analyses.steps import Test, Value
from domain.analyses.table import ColumnType
from domain.analyses.units import is_percent, multiple_of

_ASKS = word_set("where with whose having and or only if the for when")
LONGEST_VALUE = 6
"""Words of a value that is looked for."""


class Conditions:
    """Reads the conditions, and takes their words, so that nothing else is read into them."""

    def __init__(self, parsed: ParsedRequirement) -> None:
        self._parsed = parsed

    def read(self) -> None:
        self._equalities()
        self._gaps()
        Periods(self._parsed).read()
        self._comparisons()
        self._values()
        self._flags()

    # --- comparisons -------------------------------------------------------------------------------------------

    def _comparisons(self) -> None:
        parsed = self._parsed
        for match in parsed.found(lexicon.BETWEEN):
            begin, end = parsed.span(match)
            low, high = self._number(match["low"]), self._number(match["high"])
            if low is None or high is None:
                continue
            column, having = self._compared(begin, end)
            if column is not None:
                low, high = self._meant(column, match["low"], low), self._meant(column, match["high"], high)
                parsed.only(Where(column, Test.AT_LEAST, (low,), having), f"{column.name} is at least {low}")
                parsed.only(Where(column, Test.AT_MOST, (high,), having), f"{column.name} is at most {high}")
            parsed.take(begin, end)
        for match in parsed.found(lexicon.COMPARISON):
            begin, end = parsed.span(match)
            number = self._number(match["number"])
            if number is None:
                continue
            test = next(test for test, _ in lexicon.COMPARISONS if match[test.name])
            if match["how"] == "from":
                continue
            mention = parsed.mention_at(begin)
            if mention is not None and mention.end >= end and named_wholly(mention):
                continue  # a column that is called “Over 65”
            column, having = self._compared(begin, end)
            if column is not None:
                number = self._meant(column, match["number"], number)
                parsed.only(Where(column, test, (number,), having), f"{column.name} {match['how']} {number}")
            parsed.take(begin, end)

    def _meant(self, column: Column, text: str, number: int | float) -> int | float:
        """A number as the column has it: ``1.000`` may be a thousand, and 500 may be 0.5 where it counts in thousands;
        asked."""
        words = text.strip()
        if re.fullmatch(r"[$€£]?[1-9]\d{0,2}\.\d{3}", words):
            thousands = int(re.sub(r"\D", "", words))
            options = [f"{thousands}", f"{number:g}"]
            if self._parsed.ask(f"number_{slug(words)}", f"Which number is {words}?", options) != options[1]:
                return self._of_size(column, words, thousands)
        return self._share(column, text, self._of_size(column, words, number))

    def _of_size(self, column: Column, words: str, number: int | float) -> int | float:
        """A number of a column whose heading says that it counts in thousands, or more."""
        size = multiple_of(column.profile)
        if size == 1 or "%" in words:
            return number
        least, most = column.profile.minimum, column.profile.maximum
        part = round(number / size, 12)
        asked = (
            f"{column.profile.original} counts in {size:,}, and goes from {least} to {most}. "
            f"Which number there is {words}?"
        )
        options = [f"{number:.12g}", f"{part:.12g}"]
        answer = self._parsed.ask(f"size_{_id(column, words)}", asked, options)
        return part if answer == options[1] else number

    def _share(self, column: Column, text: str, number: int | float) -> int | float:
        """``20%`` of a column that may hold shares of one, or 0.2 of one of percent: as it stands there."""
        profile = column.profile
        if profile.minimum is None or profile.maximum is None or float(profile.minimum) < 0:
            return number
        most = float(profile.maximum)
        if "%" in text:
            meant = round(number / 100, 12)
            doubtful = most <= 1 or meant <= most < number
        else:
            meant = round(number * 100, 12)
            doubtful = 0 < number < 1 <= most and is_percent(self._parsed.tables[column.table], profile)
        if not doubtful:
            return number
        words = text.strip()
        asked = f"{column.name} goes from {profile.minimum} to {profile.maximum}. Which number there is {words}?"
        answer = self._parsed.ask(f"percent_{_id(column, words)}", asked, [f"{meant:g}", f"{number:g}"])
        return number if answer == f"{number:g}" else meant

    def _number(self, text: str) -> int | float | None:
        return Token("number", text.rstrip(".,")).number if re.search(r"\d", text) else None

    def _compared(self, begin: int, end: int) -> tuple[Column | None, bool]:
        """The column that is compared, and whether it is a group's number of it."""
        parsed = self._parsed

        before = parsed.mention_before(begin, within=2)
        column = None if before is None else parsed.pick(before, _in_numbers(before))
        if before is not None and column is not None and (column.is_id or not parsed.names_rows(column)):
            gathered = parsed.words(before.start - 2, before.start).casefold()
            having = bool(re.search(r"\b(?:total|sum|average|avg|mean|median)(?: of)?(?: the)?$", gathered))
            if not having:
                parsed.take(before.start, before.end)
            return column, having
        if before is not None and (column or (named_wholly(before) and before.candidates[0][1].profile.numeric_share)):
            parsed.unread(parsed.words(before.start, end))  # names of rows (“users under 35”), or texts among numbers
            return None, False
        after = parsed.mention_at(end)
        if after is not None and (column := parsed.pick(after, _in_numbers(after))) is not None:
            parsed.take(after.start, after.end)
            return column, False
        measures = [column for column in parsed.columns if is_measure(column, lexicon.NO_MEASURE)]
        named = {
            column.name: column
            for mention in parsed.mentions
            for score, column in mention.candidates
            if score >= SYNONYM and column in measures
        }
        words = parsed.words(begin, end)
        if len(named) == 1 or len(measures) == 1:
            column = [*named.values(), *measures][0]
            if not self._follows_a_group(begin):
                parsed.assume(f"“{words}” is said of {column.name}.")
                return column, False
            options = [f"each row's {column.name}", f"the total {column.name} of each group"]
            answer = parsed.ask(f"of_{slug(words)}", f"What is to be {words}?", options)
            return column, answer == options[1]
        if not measures:
            parsed.unread(words)
            return None, False
        return parsed.ask_column(f"column_{slug(words)}", f"Which column is to be {words}?", measures), False

    def _follows_a_group(self, begin: int) -> bool:
        """``amount per customer over 1000``: of the rows, or of the customers?"""
        near = [self._parsed.word(place) for place in range(begin - 3, begin)]
        return any(word in ("by", "per", "each", "every") for word in near)

    # --- values ------------------------------------------------------------------------------------------------

    def _equalities(self) -> None:
        """``where status is open``, ``region = North``, ``name contains "x"``."""
        parsed = self._parsed
        for mention in parsed.mentions:
            if not parsed.free(mention.start, mention.end):
                continue
            rest = parsed.rest(mention.end)
            for pattern, test in (
                (lexicon.CONTAINS, Test.CONTAINS),
                (lexicon.STARTS, Test.STARTS_WITH),
                (lexicon.IS_NOT, Test.NONE_OF),
                (lexicon.IS, Test.ONE_OF),
                ("", Test.ONE_OF),
            ):
                sign = re.match(rf"{pattern}(?: |$)" if pattern else "", rest)
                if sign is None:
                    continue
                begin = mention.end + len(sign[0].split())
                if self._equality(mention.start, mention.end, begin, test, signed=bool(pattern)):
                    break

    def _equality(self, start: int, end: int, begin: int, test: Test, *, signed: bool) -> bool:
        parsed = self._parsed
        mention = parsed.mention_at(start)
        asked = parsed.word(start - 1) in (
            "where",
            "with",
            "whose",
            "having",
            "and",
            "or",
            "only",
            "if",
            "the",
            "for",
            "when",
        )
        if mention is None or begin >= len(parsed.tokens):
            return False
        if not signed and parsed.word(start - 1) not in ("where", "with", "whose", "having", "in", "for", "only"):
            return False
        if re.match(rf"(?:not )?{lexicon.EMPTY}(?: |$)", parsed.words(begin, begin + 3).casefold()):
            return False
        columns = [column for _, column in mention.candidates]
        for column in columns:
            if "in" in (parsed.word(end), parsed.word(begin - 1)) and column.profile.type is not ColumnType.TEXT:
                continue  # “quantity in 2024”, “amount not in 2023”
            values, stop = self._values_at(column, begin, test)
            if values:
                parsed.only(
                    _equal(column, test, values), f"{column.name} {_said_of(test)} {', '.join(map(str, values))}"
                )
                parsed.take(start, stop)
                return True
        texts = [column for column in columns if column.profile.type is ColumnType.TEXT]
        if not (signed and asked and texts and named_wholly(mention)) or parsed.tokens[begin].kind not in (
            "word",
            "quoted",
        ):
            return False
        return self._foreign_value(texts[0], start, begin, test)

    def _foreign_value(self, column: Column, start: int, begin: int, test: Test) -> bool:
        """A value that the column is not known to have: taken as it stands where not all are known, else asked."""
        parsed = self._parsed
        stop = begin + 1
        while stop < len(parsed.tokens) and self._goes_on(stop) and stop - begin < LONGEST_VALUE:
            stop += 1
        text = parsed.words(begin, stop)
        if column.profile.values and test in (Test.ONE_OF, Test.NONE_OF):
            question = f"No row has {column.name} “{text}”. Which value is meant?"
            answer = parsed.ask(f"value_of_{slug(column.name)}", question, column.profile.values)
            known = next((each for each in column.profile.values if each.casefold() == (answer or "").casefold()), None)
            if known is not None:
                parsed.only(_equal(column, test, (known,)), f"{column.name} {_said_of(test)} {known}")
        else:
            parsed.only(_equal(column, test, (text,)), f"{column.name} {_said_of(test)} {text}")
        parsed.take(start, stop)
        return True

    def _goes_on(self, place: int) -> bool:
        token = self._parsed.tokens[place]
        return token.kind in ("word", "number") and token.word not in STOP | {"and", "or", "across", "each", "grouped"}

    def _values_at(self, column: Column, begin: int, test: Test) -> tuple[list[Value], int]:
        """Values of the column from a token on, joined by and, or, commas; and where they end."""
        parsed = self._parsed
        values: list[Value] = []
        place, stop = begin, begin
        while place < len(parsed.tokens):
            if values and parsed.word(place) in ("and", "or", ",", "nor") and place + 1 < len(parsed.tokens):
                place += 1
            if parsed.word(place) in ("the", "a", "either", "(", "only") and place + 1 < len(parsed.tokens):
                place += 1
            value, end = self._value_at(column, place, test)
            if value is None:
                break
            values.append(value)
            place = stop = end
        if stop < len(parsed.tokens) and parsed.word(stop) == ")":
            stop += 1
        return values, stop

    def _value_at(self, column: Column, place: int, test: Test) -> tuple[Value | None, int]:
        token, type = self._parsed.tokens[place], column.profile.type
        if not self._parsed.free(place, place + 1):
            return None, place
        if type is ColumnType.BOOLEAN:
            flag = {"true": True, "yes": True, "false": False, "no": False}.get(token.word)
            return flag, place + 1
        if type.is_numeric:
            # a comparison says so itself
            return (token.number, place + 1) if token.number is not None else (None, place)
        if type.is_temporal:
            day = token.text if token.kind == "date" and is_day(token.text) else None
            return (padded(day), place + 1) if day else (None, place)
        if token.kind == "quoted":
            known = next((each for each in column.profile.values if each.casefold() == token.word), token.text)
            return known, place + 1
        if test in (Test.CONTAINS, Test.STARTS_WITH):
            return (token.text, place + 1) if token.kind in ("word", "number") else (None, place)
        return self._known_value(column, place)

    def _known_value(self, column: Column, place: int) -> tuple[str | None, int]:
        """The longest value of the column that begins here."""
        parsed = self._parsed
        for end in range(min(place + LONGEST_VALUE, len(parsed.tokens)), place, -1):
            if parsed.tokens[end - 1].kind == "mark":  # that joins two values
                continue
            words = _comparable(parsed.tokens[place:end])
            for value in column.profile.values:
                if words and words == _stems(value) and parsed.free(place, end):
                    return value, end
        return None, place

    def _values(self) -> None:
        """Values that stand for themselves: ``sales in North``, ``excluding cancelled``."""
        parsed = self._parsed
        texts = [column for column in parsed.columns if column.profile.values]
        found: dict[tuple[str, bool], tuple[Column, list[Value]]] = {}
        before: tuple[str, bool, int] | None = None
        place = 0
        while place < len(parsed.tokens):
            column, value, end = self._bare_value(texts, place)
            if column is None or value is None:
                place += 1
                continue
            negated = parsed.word(place - 1) in lexicon.NEGATIONS or parsed.word(place - 2) in (
                "excluding",
                "except",
                "not",
                *(lexicon.NEGATIONS if parsed.word(place - 1) == "-" else ()),  # “non-open”
            )
            if before is not None and before[0] == column.name and self._goes_together(before[2], place):
                negated = before[1]  # “except North and West”
            before = (column.name, negated, end)
            self._take_negation(place)
            self._say_alone(column, value)
            key = (column.name, negated)
            found.setdefault(key, (column, []))[1].append(value)
            parsed.take(place, end)
            self._take_name(column, place, end)
            place = end
        for (_, negated), (column, values) in found.items():
            test = Test.NONE_OF if negated else Test.ONE_OF
            unique = list(dict.fromkeys(values))
            parsed.only(_equal(column, test, unique), f"{column.name} {_said_of(test)} {', '.join(map(str, unique))}")
            if (
                len(unique) > 1
                and not negated
                and lexicon.COMPARE.search(parsed.text)
                and column not in parsed.intent.groups
            ):
                parsed.intent.groups.append(column)
                for match in parsed.found(lexicon.COMPARE):
                    parsed.take(*parsed.span(match))

    def _say_alone(self, column: Column, value: str) -> None:
        """``agree``, where others agree strongly."""
        words = f" {value.casefold()} "
        others = [each for each in column.profile.values if words in f" {each.casefold()} " and each != value]
        if others:
            named = ", ".join(f"\u201c{each}\u201d" for each in others[:3])
            self._parsed.assume(f"\u201c{value}\u201d is taken alone, and not {named}.")

    def _goes_together(self, end: int, place: int) -> bool:
        """Whether a value goes on where another ended: nothing but joining words between."""
        between = [self._parsed.word(each) for each in range(end, place)]
        return bool(between) and all(word in ("and", "or", ",", "nor", "&", "the") for word in between)

    def _take_negation(self, place: int) -> None:
        for before in (place - 1, place - 2):
            if self._parsed.word(before) in lexicon.NEGATIONS:
                self._parsed.take(before, before + 1)

    def _bare_value(self, texts: Sequence[Column], place: int) -> tuple[Column | None, str | None, int]:
        parsed = self._parsed
        token = parsed.tokens[place]
        if not parsed.free(place, place + 1) or token.kind not in ("word", "quoted", "number"):
            return None, None, place
        found = [(column, *self._known_value(column, place)) for column in texts]
        longest = max((end for _, value, end in found if value is not None), default=place)
        fitting = [(column, value) for column, value, end in found if value is not None and end == longest]
        if not fitting or not self._stands_alone(place, longest, fitting[0][1] or ""):
            return None, None, place
        near = [each for each in fitting if self._named_beside(each[0], place, longest)]
        columns = {column.name for column, _ in near or fitting}
        if len(columns) == 1:
            return (*(near or fitting)[0], longest)
        words = parsed.words(place, longest)
        column = parsed.ask_column(
            f"value_{slug(words)}", f"“{words}” is a value of several columns. Which is meant?", [c for c, _ in fitting]
        )
        value = next((value for each, value in fitting if each == column), None)
        if column is None:
            parsed.take(place, longest)
        return column, value, longest

    def _stands_alone(self, place: int, end: int, value: str) -> bool:
        """Whether words are a value rather than a column's name or an everyday word."""
        parsed = self._parsed
        quoted = parsed.tokens[place].kind == "quoted"
        if quoted:
            return True
        if parsed.tokens[place].kind == "number" or (end == place + 1 and parsed.word(place) in NEVER_PART):
            return False
        if end == place + 1 and parsed.word(place) in lexicon.NEGATIONS:  # “no discount”, of orders paid or not: No
            return False
        if any(each.start < place < each.end and named_wholly(each) for each in parsed.mentions):
            return False
        mention = parsed.mention_at(place)
        if mention is None or mention.candidates[0][0] < SYNONYM or mention.end < end:
            return True
        introduced = parsed.word(place - 1) in ("in", "for", "only", "from", "of", *lexicon.NEGATIONS)
        return introduced and parsed.words(place, end) == value

    def _named_beside(self, column: Column, place: int, end: int) -> bool:
        parsed = self._parsed
        before = parsed.mention_before(place, within=0)
        after = parsed.mention_at(end)
        return any(column in [each for _, each in mention.candidates] for mention in (before, after) if mention)

    def _take_name(self, column: Column, place: int, end: int) -> None:
        """The ``region`` of ``the North region``, unless it is a group (``by region``)."""
        parsed = self._parsed
        after = parsed.mention_at(end)
        if after is not None and any(each == column for _, each in after.candidates):
            parsed.take(after.start, after.end)
        before = parsed.mention_before(place, within=0)
        grouped = before is not None and parsed.word(before.start - 1) in ("by", "per", "each", "every", "across")
        if before is not None and not grouped and any(each == column for _, each in before.candidates):
            parsed.take(before.start, before.end)

    # --- gaps and flags ----------------------------------------------------------------------------------------

    def _gaps(self) -> None:
        """``email is missing``, ``without a region``, ``status is not empty``."""
        parsed = self._parsed
        for mention in parsed.mentions:
            if not parsed.free(mention.start, mention.end):
                continue
            after = parsed.words(mention.end, mention.end + 4).casefold()
            behind = re.match(rf"(?:is |are |was |were |has |=)?(?P<no>not )?{lexicon.EMPTY}(?= |$)", after)
            before = parsed.words(mention.start - 2, mention.start).casefold()
            ahead = re.search(r"(?:missing|empty|blank)(?: the| a)?$", before) or re.search(
                r"without (?:an?|any)$", before
            )
            if behind is None and ahead is None:
                continue
            column = parsed.pick(mention)
            if column is None:
                continue
            test = Test.HAS_VALUE if behind is not None and behind["no"] else Test.IS_EMPTY
            parsed.only(Where(column, test), f"{column.name} {'has a value' if test is Test.HAS_VALUE else 'is empty'}")
            end = mention.end + (len(behind[0].split()) if behind else 0)
            parsed.take(mention.start - (len(ahead[0].split()) if ahead else 0), end)

    def _flags(self) -> None:
        """``only active customers``, ``not shipped``."""
        parsed = self._parsed
        for mention in parsed.mentions:
            if not parsed.free(mention.start, mention.end):
                continue
            before = parsed.word(mention.start - 1)
            negated = before in lexicon.NEGATIONS
            if not negated and before not in (
                "only",
                "just",
                "where",
                "are",
                "is",
                "which",
                "that",
                "of",
                "many",
                "all",
            ):
                continue
            column = next((each for _, each in mention.candidates if each.profile.type is ColumnType.BOOLEAN), None)
            if column is not None:
                parsed.only(Where(column, Test.EQUALS, (not negated,)), f"{column.name} is {str(not negated).lower()}")
                parsed.take(mention.start - negated, mention.end)
                noun = parsed.mention_at(mention.end)
                counted = before == "many" or parsed.word(mention.start - 2) in ("number", "count")
                if noun is None or counted or parsed.means_rows(parsed.word(noun.start)):
                    continue
                if parsed.tells_rows_apart(noun.candidates[0][1]):
                    parsed.take(noun.start, noun.end)  # “amount of active customers”, each of whom is a row


def _in_numbers(mention: Mention) -> Callable[[Column], bool]:
    """Columns that a number may be compared with: ids only where they are named."""
    return lambda column: column.profile.type.is_numeric and (not column.is_id or named_wholly(mention))


def _id(column: Column, words: str) -> str:
    """Of a question about a number that a column is compared with."""
    return f"{slug(column.name)[:20].strip('_')}_{slug(words)[:10].strip('_')}"


def _equal(column: Column, test: Test, values: Sequence[Value]) -> Where:
    if len(values) == 1:
        test = {Test.ONE_OF: Test.EQUALS, Test.NONE_OF: Test.DIFFERS}.get(test, test)
        return Where(column, test, (values[0],))
    if test in (Test.CONTAINS, Test.STARTS_WITH):
        return Where(column, test, (values[0],))
    return Where(column, test, tuple(values))


def _said_of(test: Test) -> str:
    return {Test.NONE_OF: "is not", Test.CONTAINS: "contains", Test.STARTS_WITH: "starts with"}.get(test, "is")


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in re.findall(r"[^\W_]+", text.casefold()))


def _comparable(parsed: Sequence[Token]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(_stems(token.text) for token in parsed))
