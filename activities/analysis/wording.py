"""What a step does, in words, from the typed plan: for those who read a draft or a report."""

from collections.abc import Iterable, Sequence

from domain.analyses.steps import (
    Aggregate,
    Arithmetic,
    Change,
    Chart,
    Condition,
    DatePart,
    Derive,
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

_TESTS = {
    Test.EQUALS: "is",
    Test.DIFFERS: "is not",
    Test.LESS: "is less than",
    Test.AT_MOST: "is at most",
    Test.MORE: "is more than",
    Test.AT_LEAST: "is at least",
    Test.ONE_OF: "is one of",
    Test.NONE_OF: "is none of",
    Test.CONTAINS: "contains",
    Test.STARTS_WITH: "starts with",
    Test.ENDS_WITH: "ends with",
    Test.IS_EMPTY: "is empty",
    Test.HAS_VALUE: "has a value",
}
_FUNCTIONS = {
    Function.COUNT: "number of values in",
    Function.DISTINCT: "number of distinct values in",
    Function.SUM: "total of",
    Function.MEAN: "average of",
    Function.MEDIAN: "median of",
    Function.LEAST: "least of",
    Function.MOST: "most of",
}
_OPERATORS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


def in_words(operation: Operation) -> str:
    """One sentence without a full stop. Names and values are as they are in the plan."""
    match operation:
        case Load(table=table):
            return f"all rows of {table}"
        case Filter(match=match, conditions=conditions):
            return f"rows where {(' and ' if match == 'all' else ' or ').join(map(_condition, conditions))}"
        case Derive(column=column, formula=formula):
            return f"{column} = {_formula(formula)}"
        case Aggregate(by=by, measures=measures):
            return _measures(measures) + (f" for each {_listed(by)}" if by else " over all rows")
        case Trend(time=time, every=every, by=by, measures=measures):
            return f"{_measures(measures)} for each {_listed([f'{every.value} of {time}', *by])}"
        case Join(on=on, how=how):
            keys = _listed(f"{key.left} = {key.right}" for key in on)
            return f"rows with {keys}" + (", and rows of the first that have no counterpart" if how == "left" else "")
        case Sort(by=by, limit=limit):
            order = _listed(f"{each.column} ({'descending' if each.descending else 'ascending'})" for each in by)
            first = "" if limit is None else ", the first one" if limit == 1 else f", the first {limit}"
            return f"rows by {order}{first}"
        case Chart(kind=kind, x=x, y=y, series=series):
            return f"a {kind} chart of {_listed(y)} over {x}" + (f", one for each {series}" if series else "")
        case Summary(columns=columns):
            return f"values, gaps and range of {_listed(columns) if columns else 'every column'}"


def _listed(words: Iterable[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last


def _condition(condition: Condition) -> str:
    values = ", ".join(str(value) for value in condition.values)
    return f"{condition.column} {_TESTS[condition.test]} {values}".strip()


def _measures(measures: Sequence[Measure]) -> str:
    return _listed(
        "number of rows" if each.column is None else f"{_FUNCTIONS[each.function]} {each.column}" for each in measures
    )


def _formula(formula: Formula) -> str:
    match formula:
        case Arithmetic(left=left, operator=operator, right=right):
            return f"{left} {_OPERATORS[operator]} {right}"
        case DatePart(column=column, part=part):
            return f"{part} of {column}"
        case ToNumber(column=column):
            return f"{column} as a number, nothing where it is none"
        case Share(column=column, within=within):
            return f"percent of the total of {column}" + (f" within {_listed(within)}" if within else "")
        case Change(column=column, along=along, within=within, form=form):
            kind = "percent change" if form == "percent" else "difference"
            return f"{kind} of {column} to the {along} before" + (f" within {_listed(within)}" if within else "")
        case Running(column=column, along=along, within=within):
            return f"running total of {column} along {along}" + (f" within {_listed(within)}" if within else "")
