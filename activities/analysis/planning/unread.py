"""What the embedded planner did not read, and what the tables leave open: asked, before anything is computed.

A word that changes nothing is one of the few in ``STOP``. Every other that nothing was made of might have changed the
answer (``never``, ``compared to``, ``net``), so nobody gets a number until it is said that it does not matter, or until
the question is put in other words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product

from activities.analysis.planning import lexicon
from activities.analysis.planning.intent import Where
from activities.analysis.planning.numbers import usual
from activities.analysis.planning.periods import TOGETHER, parts_column
from activities.analysis.planning.requirement import ParsedRequirement, slug
from activities.analysis.planning.words import STOP, Column, stem, word_set
from activities.analysis.reading.total_words import PART, totals_among
from domain.analyses.plan import Question
from domain.analyses.plan_meaning import COMPARED, stand_ins_left
from domain.analyses.steps import ORDERED, Function, Test, Value
from domain.analyses.table import ColumnType
from domain.analyses.units import is_percent, says_which_way, unit_of

UNREAD = "unread_"
"""Begins the ids of questions about words. An answer that is none of the options is the whole question anew."""
LEAVE_OUT = "does not matter"
COUNT_THEM = "they are data: count them"
LEAVE_ROWS_OUT = "leave them out"
ALL_PARTS = "all of them"
AS_IT_STANDS = "as the numbers stand"
AVERAGED = "the average"
YEARS_TOGETHER = "all years together"
ADDED_UP = "add them up all the same"

HIGHEST, LOWEST = "the highest", "the lowest"

AMONG = "TEXTS_AMONG_NUMBERS"
"""The note of a column of numbers with other texts, which it shows."""
_WITHIN_YEARS = word_set("month quarter week")
_EACH = re.compile(r"\b(?:per|each|every)\b")
_BEST = re.compile(r"\b(?:best|worst)\b")
_EITHER_WAY = word_set(
    "grade mark note rank ranking position place time duration second minute cost price error defect delay loss"
)
"""Words of headings of numbers of which the lowest may be the best."""
_PRICES = word_set("price cost rate fee")
_MONEY = word_set(
    "revenue sale turnover income amount expense spending profit margin salary total value budget balance"
)
"""Words of headings of what one of them, and of what all of a row, is worth."""
_POINTING = word_set("them these those it this that there they same")
_OF = word_set("of for from in with among without")
_QUOTED = re.compile("\u201c([^\u201d]*)\u201d")
_NUMERIC = re.compile(r"[\d\u00bc-\u00be\u00b2\u00b3\u00b9\u2150-\u218f]")
_HARMLESS = word_set(
    "please kindly number total data dataset table file sheet column value values overall result results figure "
    "figures breakdown report analysis analyse analyze display view respectively each every per"
)
"""Words that say nothing more where everything else was understood."""
_PERIODS = re.compile(
    rf"(?:{lexicon.MONTH}|q[1-4]|h[12]|kw ?\d+|week ?\d+|day ?\d+|part ?\d+|sheet ?\d+|page ?\d+)?[\s_-]*"
    r"(?:(?:19|20)\d\d)?(?:[-_/ ]?\d{1,2})?",
    re.IGNORECASE,
)
"""Names of parts that are plainly parts: months, quarters, years, numbers."""


def check(parsed: ParsedRequirement) -> None:
    """Ask about all that was read over."""
    if any(question.id == "goal" for question in parsed.intent.questions):
        return
    _parts(parsed)
    _totals(parsed)
    _stand_ins(parsed)
    _unread_numbers(parsed)
    _percent(parsed)
    _units(parsed)
    _either(parsed)
    _of_several_years(parsed)
    _of_rows_or_groups(parsed)
    _averages_within(parsed)
    _which_is_best(parsed)
    _of_what_was_before(parsed)
    _not_taken(parsed)


def reworded(questions: list[Question], answers: Mapping[str, str]) -> str | None:
    """The requirement in other words, where an answer puts it so."""
    for question in questions:
        answer = (answers.get(question.id) or "").strip()
        if question.id.startswith(UNREAD) and answer and answer.casefold() != LEAVE_OUT:
            return answer
    return None


def _not_taken(parsed: ParsedRequirement) -> None:
    left = [*parsed.left_unread, *_phrases(parsed)]
    if not left:
        return
    words = ", ".join(f"\u201c{each}\u201d" for each in left[:5])
    id = f"{UNREAD}{slug('_'.join(left))}"
    text = f"{words} was not understood. Ask in other words, or say that it does not matter."
    if parsed.ask(id, text, [LEAVE_OUT]) is not None:
        parsed.assume(f"{words} was left out of account.")


def _averages_within(parsed: ParsedRequirement) -> None:
    """``average amount per customer``: that of the rows of each, which is not the average of what each comes to."""
    intent = parsed.intent
    within = [*(each.name for each in intent.groups), *([intent.every.value] if intent.every else [])]
    added_up = [
        asked.column
        for asked in intent.measures
        if asked.function is Function.MEAN and asked.column is not None and usual(asked.column) is Function.SUM
    ]
    if within and added_up and _EACH.search(parsed.text):
        parsed.assume(f"The average is that of the rows of each {within[0]}, not of what each comes to.")


def _which_is_best(parsed: ParsedRequirement) -> None:
    """``the best grade``, ``the worst time``: the highest in one school, the lowest in another."""
    intent = parsed.intent
    cue = _BEST.search(parsed.text)
    columns = [asked.column for asked in intent.measures if asked.column is not None]
    columns = [column for column in [*columns, intent.sorted_by] if column and _EITHER_WAY & set(column.stems)]
    if intent.first is None or cue is None or not columns:
        return
    text = f"Which {columns[0].name} is the {cue[0]}: the highest, or the lowest?"
    answer = parsed.ask(f"best_{slug(columns[0].name)}", text, [HIGHEST, LOWEST])
    if answer is not None:
        intent.descending = answer.casefold() == HIGHEST


def _of_what_was_before(parsed: ParsedRequirement) -> None:
    """``total amount for them``: of an answer that was given before, which no plan knows."""
    for place, token in enumerate(parsed.tokens):
        if token.word in _POINTING and parsed.word(place - 1) in _OF and parsed.free(place, place + 1):
            behind = parsed.tokens[place + 1 : place + 2]
            if not behind or behind[0].kind == "mark" or behind[0].word in _OF | {"by", "per", "only"}:
                parsed.unread(parsed.words(place - 1, place + 1))


def _phrases(parsed: ParsedRequirement) -> Iterator[str]:
    """Neighbouring words that nothing was made of."""
    found: list[str] = []
    for place, token in enumerate(parsed.tokens):
        matters = (
            parsed.free(place, place + 1)
            and token.kind != "mark"
            and not (token.kind == "symbol" and token.text in "-/+*")
            and (_bare(token.word) not in STOP | _HARMLESS or _is_value(parsed, place) or _is_worth(parsed, token.word))
            and not (token.kind == "word" and parsed.means_rows(token.word))
        )
        if matters:
            found.append(token.text)
        elif found and not (parsed.free(place, place + 1) and token.word in STOP):
            yield " ".join(found)
            found = []
    if found:
        yield " ".join(found)


def _bare(word: str) -> str:
    """``what's`` is what is."""
    return re.sub("['\u2019]s$", "", word)


def _is_value(parsed: ParsedRequirement, place: int) -> bool:
    """Whether a small word is a value, as it is written: ``IT``, ``US``, ``A``. No sentence ends with an article."""
    text = parsed.tokens[place].text
    known = any(text in column.profile.values for column in parsed.columns)
    return known and ((text.isupper() and place > 0) or (place == len(parsed.tokens) - 1 and text == "a"))


def _is_worth(parsed: ParsedRequirement, word: str) -> bool:
    """``value on hand`` where there are prices, too: a number of pieces is none."""
    measured = {asked.column for asked in parsed.intent.measures if asked.column is not None}
    priced = any(set(each.stems) & _PRICES and each.profile.type.is_numeric for each in parsed.columns)
    is_money = any(set(each.stems) & (_PRICES | _MONEY) for each in measured)
    return stem(word) == "value" and priced and bool(measured) and not is_money and parsed.intent.product is None


def _units(parsed: ParsedRequirement) -> None:
    """Numbers of several currencies, or units: of each, of one, or as they stand."""
    computed = {
        asked.column for asked in parsed.intent.measures if asked.column is not None and asked.function in COMPARED
    }
    if parsed.intent.product is not None:
        computed |= {parsed.intent.product.left, parsed.intent.product.right}
    units = {
        (column.table, unit.name): (column, unit)
        for column in sorted(computed, key=lambda each: each.name)
        if (unit := unit_of(parsed.tables[column.table], column.profile)) is not None
    }
    for (table, name), (column, unit) in units.items():
        named = [where for where in parsed.intent.where if where.column.name == name]
        if any(group.name == name for group in parsed.intent.groups) or named:
            continue
        text = f"{column.name} is in several units, which \u201c{name}\u201d tells. How is it to be computed?"
        if says_which_way(unit):
            text = f"{column.name} has no signs, and \u201c{name}\u201d tells what comes in and what goes out: which?"
        each = f"for each {name}"
        answer = parsed.ask(
            f"units_{slug(name)}", text, [each, *(f"only {value}" for value in unit.values), AS_IT_STANDS]
        )
        by_it = next(each for each in parsed.columns if (each.table, each.name) == (table, name))
        meant = next((value for value in unit.values if (answer or "").casefold() == f"only {value}".casefold()), None)
        if meant is not None:
            parsed.intent.where.append(Where(by_it, Test.EQUALS, (meant,)))
            parsed.understand(f"only rows where {name} is {meant}")
        elif (answer or "").casefold() == each.casefold():
            parsed.intent.groups.append(by_it)
            parsed.understand(each)


def _percent(parsed: ParsedRequirement) -> None:
    """The sum of percent is nothing: that of ten times 12% is not 120%."""
    for place, asked in enumerate(parsed.intent.measures):
        column = asked.column
        if column is None or asked.function is not Function.SUM:
            continue
        if is_percent(parsed.tables[column.table], column.profile):
            text = f"{column.name} is percent, which has no sum. What is meant?"
            answer = parsed.ask(f"percent_{slug(column.name)}", text, [AVERAGED, ADDED_UP])
            if answer is not None and answer.casefold() == AVERAGED:
                parsed.intent.measures[place] = replace(asked, function=Function.MEAN)
                parsed.understand(f"the average of {column.name}")


def _either(parsed: ParsedRequirement) -> None:
    """Conditions are all to hold; an ``or`` between two columns would say otherwise, and so would ``under 100 or over
    500``."""
    columns = {where.column.name for where in parsed.intent.where}
    equal = [each for each in parsed.intent.where if each.test in (Test.EQUALS, Test.ONE_OF) and not each.having]
    for one, other in combinations(equal, 2):
        if one.column == other.column and not set(one.values) & set(other.values):
            parsed.unread(f"{', '.join(map(str, one.values))} and {', '.join(map(str, other.values))}")
            return
    below = [each for each in parsed.intent.where if each.test in (Test.LESS, Test.AT_MOST)]
    above = [each for each in parsed.intent.where if each.test in (Test.MORE, Test.AT_LEAST)]
    for less, more in product(below, above):
        if less.column == more.column and _is_nothing(less, more):
            parsed.unread("or")
            return
    if len(columns) > 1 and any(
        token.word in ("or", "either") and parsed.free(place, place + 1) for place, token in enumerate(parsed.tokens)
    ):
        parsed.unread("or")


def _is_nothing(less: Where, more: Where) -> bool:
    """Whether no value meets both."""
    most, least = _key(less.values[0]), _key(more.values[0])
    return most < least or (most == least and (less.test, more.test) != (Test.AT_MOST, Test.AT_LEAST))


def _key(value: Value) -> tuple[float, str]:
    """Numbers by size, days as they are written."""
    return (float(value), "") if isinstance(value, int | float) else (0.0, str(value))


def _of_several_years(parsed: ParsedRequirement) -> None:
    """Months, or quarters, of a column beside one of years: March may be that of every year, or of each."""
    intent = parsed.intent
    for group in list(intent.groups):
        years = [
            each
            for each in parsed.columns
            if each.table == group.table and "year" in each.stems and each.profile.distinct > 1
        ]
        used = {*(each.name for each in intent.groups), *(where.column.name for where in intent.where)}
        if not set(group.stems) & _WITHIN_YEARS or not years or years[0].name in used:
            continue
        each_year = f"for each {years[0].name}"
        text = f"{group.name} is one of several years, which {years[0].name} tells. Are they taken together?"
        answer = parsed.ask(f"years_of_{slug(group.name)}", text, [each_year, YEARS_TOGETHER])
        if answer is not None and answer.casefold() == each_year.casefold():
            intent.groups.insert(0, years[0])
            parsed.understand(each_year)


def _of_rows_or_groups(parsed: ParsedRequirement) -> None:
    """``how many customers have an amount over 100``: in one of their rows, or in all of them together?"""
    intent = parsed.intent
    counted = [
        asked.column for asked in intent.measures if asked.function is Function.DISTINCT and asked.column is not None
    ]
    compared = [
        each
        for each in intent.where
        if each.test in ORDERED and not each.having and each.column.profile.type.is_numeric
    ]
    for column in counted:
        if not compared or parsed.tells_rows_apart(column) or "year" in compared[0].column.stems:
            continue
        number = compared[0].column.name
        text = f"{column.name} may have several rows. Is {number} that of one of them, or of all together?"
        of_a_row = f"the {number} of a row"
        answer = parsed.ask(f"rows_of_{slug(column.name)}", text, [of_a_row])
        if answer is not None and answer.casefold() != of_a_row.casefold():
            parsed.unread(f"{number} {answer}"[:80])


def _totals(parsed: ParsedRequirement) -> None:
    """Rows that are called totals, and were not left out: nobody can tell by their numbers."""
    for column in _used_tables(parsed):
        called = list(totals_among(column.profile.values))
        named = list(dict.fromkeys([*called, *column.profile.summing]))
        if not named or any(where.column.name == column.name for where in parsed.intent.where):
            _indented(parsed, column)
            continue
        words = ", ".join(f"\u201c{value}\u201d" for value in named[:5])
        text = f"Some rows have {words} as {column.name}. Are they totals of the other rows?"
        if not called:
            text = f"Rows with {words} as {column.name} hold what others add up to. Are they totals of them?"
        answer = parsed.ask(f"totals_{slug(column.name)}", text, [LEAVE_ROWS_OUT, COUNT_THEM])
        if answer is not None and answer.casefold() != COUNT_THEM:
            test = Test.NONE_OF if len(named) > 1 else Test.DIFFERS
            parsed.intent.where.append(Where(column, test, tuple(named)))
            parsed.understand(f"only rows where {column.name} is not {', '.join(named)}")


def _stand_ins(parsed: ParsedRequirement) -> None:
    """Numbers and days that lie so far from all others that they stand for none."""
    intent = parsed.intent
    used = {asked.column for asked in intent.measures if asked.column is not None and asked.function in COMPARED}
    used |= {column for column in (intent.time if intent.every else None, intent.sorted_by) if column is not None}
    used |= {where.column for where in intent.where if where.test in ORDERED and not where.having}
    if intent.product is not None:
        used |= {intent.product.left, intent.product.right}
    for column in sorted(used, key=lambda each: each.name):
        tests = [(each.test, each.values) for each in intent.where if each.column == column and not each.having]
        values = stand_ins_left(column.profile, tests)
        if not values:
            continue
        words = ", ".join(values)
        text = f"{column.name} holds {words}, far from all others. Does that stand for \u201cnot known\u201d?"
        answer = parsed.ask(f"missing_{slug(column.name)}", text, [LEAVE_ROWS_OUT, COUNT_THEM])
        if answer is not None and answer.casefold() != COUNT_THEM:
            meant = tuple(_as_value(column, value) for value in values)
            intent.where.append(Where(column, Test.NONE_OF if len(meant) > 1 else Test.DIFFERS, meant))
            parsed.understand(f"only rows where {column.name} is not {words}")


def _unread_numbers(parsed: ParsedRequirement) -> None:
    """Texts among numbers that may be some, in a way of writing that nobody has read: ``~5``, ``1/2``, ``10-20``."""
    for asked in parsed.intent.measures:
        column = asked.column
        if column is None or column.profile.type is not ColumnType.TEXT or asked.function not in COMPARED:
            continue
        table = parsed.tables[column.table]
        told = (
            note.message for note in table.notes if note.code == AMONG and note.message.startswith(f"{column.name} ")
        )
        texts = [text for message in told for text in _QUOTED.findall(message) if _NUMERIC.search(text)]
        if texts:
            words = ", ".join(f"\u201c{text}\u201d" for text in texts)
            parsed.ask(
                f"texts_{slug(column.name)}",
                f"{column.name} holds {words} among numbers, which cannot be read as one.",
                [LEAVE_ROWS_OUT],
            )


def _as_value(column: Column, text: str) -> Value:
    if not column.profile.type.is_numeric:
        return text
    number = float(text)
    return int(number) if number.is_integer() else number


def _indented(parsed: ParsedRequirement, column: Column) -> None:
    """Names that are set in below others: parts of them, as a rule, which would count twice."""
    values = column.profile.values
    inner = [value for value in values if (value[:1].isspace() and value.strip() not in values) or PART.match(value)]
    if not inner or len(inner) == len(values) or any(where.column.name == column.name for where in parsed.intent.where):
        return
    words = ", ".join(f"\u201c{value.strip()}\u201d" for value in inner[:5])
    text = f"Some values of {column.name} are set in, or called so: {words}. Are they parts of the rows above them?"
    answer = parsed.ask(f"parts_{slug(column.name)}", text, [LEAVE_ROWS_OUT, COUNT_THEM])
    if answer is not None and answer.casefold() != COUNT_THEM:
        parsed.intent.where.append(Where(column, Test.NONE_OF if len(inner) > 1 else Test.DIFFERS, tuple(inner)))
        parsed.understand(f"only rows where {column.name} is not indented")


def _parts(parsed: ParsedRequirement) -> None:
    """Sheets that are alike: all of them where they are plainly parts, else those that are meant."""
    parts = parts_column(parsed)
    if parts is None or any(where.column.name == parts.name for where in parsed.intent.where):
        return
    names = parts.profile.values
    table = parsed.tables[parts.table]
    told = next(note.message for note in table.notes if note.code == TOGETHER)
    if names and all(_PERIODS.fullmatch(name.strip()) for name in names):
        parsed.assume(f"All of them are taken: {', '.join(names)}. Name one to have it alone.")
        return
    answer = parsed.ask(parts.name, f"{told} Which are meant?", [ALL_PARTS, *names])
    if answer is None or answer.casefold() == ALL_PARTS:
        return
    meant = tuple(name for name in names if name.casefold() in re.split(r"\s*,\s*", answer.casefold()))
    if meant:
        parsed.intent.where.append(Where(parts, Test.ONE_OF, meant))
        parsed.understand(f"only {', '.join(meant)}")


def _used_tables(parsed: ParsedRequirement) -> Iterator[Column]:
    """Columns of texts of the tables that may be computed with."""
    used = {column.table for column in parsed.columns if column.profile.type is not ColumnType.TEXT}
    for column in parsed.columns:
        if (column.profile.values or column.profile.summing) and (column.table in used or not used):
            yield column
