"""What a step does, in words, from the typed plan: for those who read a draft or a report.

The words of each sentence are looked up by its name, so that pages say them in another language.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from domain.analyses.steps import (
    Aggregate,
    Arithmetic,
    Change,
    Chart,
    Condition,
    DatePart,
    Derive,
    Every,
    Filter,
    Formula,
    Function,
    Join,
    Load,
    Measure,
    Operation,
    Running,
    Share,
    Sort,
    Summary,
    Test,
    ToNumber,
    Trend,
)

Say = Callable[..., str]
"""``say("load", table="sales")``: the sentence of that name, one of :data:`SENTENCES`."""

_FUNCTIONS = {
    Function.COUNT: "number of values in {column}",
    Function.DISTINCT: "number of distinct values in {column}",
    Function.SUM: "total of {column}",
    Function.MEAN: "average of {column}",
    Function.MEDIAN: "median of {column}",
    Function.LEAST: "least of {column}",
    Function.MOST: "most of {column}",
}
_TESTS = {
    Test.EQUALS: "{column} is {values}",
    Test.DIFFERS: "{column} is not {values}",
    Test.LESS: "{column} is less than {values}",
    Test.AT_MOST: "{column} is at most {values}",
    Test.MORE: "{column} is more than {values}",
    Test.AT_LEAST: "{column} is at least {values}",
    Test.ONE_OF: "{column} is one of {values}",
    Test.NONE_OF: "{column} is none of {values}",
    Test.CONTAINS: "{column} contains {values}",
    Test.STARTS_WITH: "{column} starts with {values}",
    Test.ENDS_WITH: "{column} ends with {values}",
    Test.IS_EMPTY: "{column} is empty",
    Test.HAS_VALUE: "{column} has a value",
}
_OPERATORS = {"+": "plus", "-": "minus", "*": "times", "/": "divided-by"}
_PARTS = ("year", "quarter", "month", "week", "day", "weekday", "hour")


def named(kind: str, value: str) -> str:
    """The name of the sentence of a value of an enumeration: ``test-not-null``."""
    return f"{kind}-{value.replace('_', '-')}"


SENTENCES: Mapping[str, str] = {
    "load": "all rows of {table}",
    "filter": "rows where {conditions}",
    "both": "{one} and {other}",
    "either": "{one} or {other}",
    "listed": "{some} and {last}",
    **{named("test", test): words for test, words in _TESTS.items()},
    "derive": "{column} = {formula}",
    "plus": "{left} plus {right}",
    "minus": "{left} minus {right}",
    "times": "{left} times {right}",
    "divided-by": "{left} divided by {right}",
    **{named("part", part): f"{part} of {{column}}" for part in _PARTS},
    "number": "{column} as a number, nothing where it is none",
    "share": "percent of the total of {column}",
    "change-percent": "percent change of {column} to the {along} before",
    "change-difference": "difference of {column} to the {along} before",
    "running": "running total of {column} along {along}",
    "within": "{formula} within {columns}",
    "rows": "number of rows",
    **{named("measure", function): words for function, words in _FUNCTIONS.items()},
    "for-each": "{measures} for each {groups}",
    "over-all": "{measures} over all rows",
    **{named("every", every): f"{every} of {{column}}" for every in Every},
    "join": "rows with {keys}",
    "join-left": "rows with {keys}, and rows of the first that have no counterpart",
    "sort": "rows by {order}",
    "descending": "{column} (descending)",
    "ascending": "{column} (ascending)",
    "first-one": "{order}, the first one",
    "first-many": "{order}, the first {count}",
    "chart-bar": "a bar chart of {values} over {x}",
    "chart-line": "a line chart of {values} over {x}",
    "chart-series": "{chart}, one for each {series}",
    "summary": "values, gaps and range of {columns}",
    "summary-all": "values, gaps and range of every column",
}


def english(name: str, /, **values: object) -> str:
    """The sentence of that name."""
    return SENTENCES[name].format(**values)


def in_words(operation: Operation, say: Say = english) -> str:
    """One sentence without a full stop. Names and values are as they are in the plan."""
    match operation:
        case Load(table=table):
            return say("load", table=table)
        case Filter() as chosen:
            return say("filter", conditions=conditions_in_words(chosen, say))
        case Derive(column=column, formula=formula):
            return say("derive", column=column, formula=_formula(formula, say))
        case Aggregate(by=by, measures=measures):
            return _gathered(measures, by, say)
        case Trend(time=time, every=every, by=by, measures=measures):
            return _gathered(measures, [say(named("every", every), column=time), *by], say)
        case Join(on=on, how=how):
            keys = listed((f"{key.left} = {key.right}" for key in on), say)
            return say("join-left" if how == "left" else "join", keys=keys)
        case Sort() as sort:
            return say("sort", order=order_in_words(sort, say))
        case Chart(kind=kind, x=x, y=y, series=series):
            chart = say(named("chart", kind), values=listed(y, say), x=x)
            return say("chart-series", chart=chart, series=series) if series else chart
        case Summary(columns=columns):
            return say("summary", columns=listed(columns, say)) if columns else say("summary-all")


def conditions_in_words(chosen: Filter, say: Say = english) -> str:
    """What the rows have to meet."""
    how = "both" if chosen.match == "all" else "either"
    return reduce(
        lambda one, other: say(how, one=one, other=other), (_condition(each, say) for each in chosen.conditions)
    )


def order_in_words(sort: Sort, say: Say = english) -> str:
    """By what the rows stand in order, and how many of them are kept."""
    order = listed((say("descending" if each.descending else "ascending", column=each.column) for each in sort.by), say)
    if sort.limit is None:
        return order
    return say("first-one", order=order) if sort.limit == 1 else say("first-many", order=order, count=sort.limit)


def listed(words: Iterable[str], say: Say = english) -> str:
    """``a, b and c``."""
    *some, last = words
    return say("listed", some=", ".join(some), last=last) if some else last


def _condition(condition: Condition, say: Say) -> str:
    values = ", ".join(str(value) for value in condition.values)
    return say(named("test", condition.test), column=condition.column, values=values)


def _gathered(measures: Sequence[Measure], by: Sequence[str], say: Say) -> str:
    what = listed((_measure(each, say) for each in measures), say)
    return say("for-each", measures=what, groups=listed(by, say)) if by else say("over-all", measures=what)


def _measure(measure: Measure, say: Say) -> str:
    return say("rows") if measure.column is None else say(named("measure", measure.function), column=measure.column)


def _formula(formula: Formula, say: Say) -> str:
    match formula:
        case Arithmetic(left=left, operator=operator, right=right):
            return say(_OPERATORS[operator], left=str(left), right=str(right))
        case DatePart(column=column, part=part):
            return say(named("part", part), column=column)
        case ToNumber(column=column):
            return say("number", column=column)
        case Share(column=column, within=within):
            return _within(say("share", column=column), within, say)
        case Change(column=column, along=along, within=within, form=form):
            return _within(say(named("change", form), column=column, along=along), within, say)
        case Running(column=column, along=along, within=within):
            return _within(say("running", column=column, along=along), within, say)


def _within(formula: str, within: Sequence[str], say: Say) -> str:
    return say("within", formula=formula, columns=listed(within, say)) if within else formula
