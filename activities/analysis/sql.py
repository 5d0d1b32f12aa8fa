"""A plan's steps as SQL: made from the typed plan alone, names quoted, values as parameters.

Steps that only pass rows on (load, filter, most derivations, join) become named subqueries of those that gather them,
so that a large input is read and never copied. Everything else, and every result, is computed once, as a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from activities.analysis.sql_words import quoted, to_number
from domain.analyses.plan import Plan
from domain.analyses.plan_rules import Schema, as_moment, in_order, joined_names, results
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
    Running,
    Share,
    Sort,
    Step,
    Summary,
    Test,
    ToNumber,
    Trend,
    Value,
)
from domain.analyses.table import ColumnType

PLACE = "__place"
"""Keeps the order of rows through a window. No column can be called so."""
TEXT_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Query:
    sql: str
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Computed:
    """A step as the runner does it: ``query`` gives its rows, which are kept as ``relation`` where ``kept`` is true.
    A chart has no relation: its rows are what is drawn. ``tied`` counts rows that were cut off and are as large as the
    last that was not."""

    step: Step
    relation: str
    query: Query
    kept: bool
    tied: Query | None = None


def input_relation(table: str) -> str:
    """What the runner calls an input table. Apart from any step's."""
    return f"in_{table}"


def computation(plan: Plan, schemas: Mapping[str, Schema]) -> Iterator[Computed]:
    """The plan's steps in an order in which they can be computed; ``schemas`` as ``check_plan`` gives them."""
    given_out = {step.id for step in results(plan)}
    passing: dict[str, Query] = {}
    for step in in_order(plan):
        query = _select(step, schemas)
        if step.id not in given_out and _passes_on(step):
            passing[step.id] = query
        behind = _with(plan, step, passing)
        kept = step.id not in passing and not isinstance(step.operation, Chart)
        tied = _joined(behind, _tied(step.operation, step)) if kept and isinstance(step.operation, Sort) else None
        yield Computed(step, _relation(step.id), _joined(behind, query), kept, tied)


def _passes_on(step: Step) -> bool:
    match step.operation:
        case Load() | Filter() | Join():
            return True
        case Derive(formula=formula):
            return not isinstance(formula, Share | Change | Running)
        case _:
            return False


def _relation(step: str) -> str:
    return f"s_{step}"


def _with(plan: Plan, step: Step, passing: Mapping[str, Query]) -> list[tuple[str, Query]]:
    """The steps behind ``step`` that are subqueries of it, in order."""
    wanted, waiting = set[str](), [*step.needs]
    while waiting:
        need = waiting.pop()
        if need in passing and need not in wanted:
            wanted.add(need)
            waiting += plan.step(need).needs
    return [(id, query) for id, query in passing.items() if id in wanted]


def _joined(behind: Sequence[tuple[str, Query]], query: Query) -> Query:
    if not behind:
        return query
    named = ", ".join(f"{quoted(_relation(id))} AS ({each.sql})" for id, each in behind)
    return Query(f"WITH {named} {query.sql}", (*(v for _, each in behind for v in each.values), *query.values))


# --- the operations ----------------------------------------------------------------------------------------------


def _select(step: Step, schemas: Mapping[str, Schema]) -> Query:
    sources = [quoted(_relation(need)) for need in step.needs]
    match step.operation:
        case Load(table=table):
            return Query(f"SELECT * FROM {quoted(input_relation(table))}")
        case Filter() as chosen:
            return _filter(chosen, sources[0], schemas[step.needs[0]])
        case Derive(column=name, formula=formula):
            return _derive(name, formula, sources[0])
        case Aggregate(by=by, measures=measures):
            return _grouped([(quoted(name), quoted(name)) for name in by], measures, sources[0], schemas[step.needs[0]])
        case Trend() as trend:
            time = quoted(trend.time)
            period = (f"CAST(date_trunc('{trend.every.value}', {time}) AS DATE)", quoted(trend.every.value))
            source = f"(SELECT * FROM {sources[0]} WHERE {time} IS NOT NULL)"
            groups = [period, *((quoted(name), quoted(name)) for name in trend.by)]
            return _grouped(groups, trend.measures, source, schemas[step.needs[0]])
        case Join() as join:
            return _join(join, sources, [schemas[need] for need in step.needs])
        case Sort() as sort:
            return _sort(sort, sources[0], schemas[step.needs[0]])
        case Summary(columns=columns):
            before = schemas[step.needs[0]]
            return _summary({name: before[name] for name in columns or before}, sources[0])
        case Chart() as chart:
            drawn = dict.fromkeys([chart.x, *([chart.series] if chart.series else []), *chart.y])
            return Query(f"SELECT {', '.join(map(quoted, drawn))} FROM {sources[0]}")


def _filter(chosen: Filter, source: str, schema: Schema) -> Query:
    conditions = [_condition(each, schema[each.column]) for each in chosen.conditions]
    glue = " AND " if chosen.match == "all" else " OR "
    sql = glue.join(f"({each.sql})" for each in conditions)
    return Query(f"SELECT * FROM {source} WHERE {sql}", tuple(value for each in conditions for value in each.values))


_OPERATORS: Mapping[Test, str] = {
    Test.EQUALS: "=",
    Test.DIFFERS: "IS DISTINCT FROM",
    Test.LESS: "<",
    Test.AT_MOST: "<=",
    Test.MORE: ">",
    Test.AT_LEAST: ">=",
}
_TEXT_TESTS: Mapping[Test, str] = {
    Test.CONTAINS: "contains",
    Test.STARTS_WITH: "starts_with",
    Test.ENDS_WITH: "ends_with",
}


def _condition(condition: Condition, type: ColumnType) -> Query:
    column, test = quoted(condition.column), condition.test
    if test is Test.IS_EMPTY:
        return Query(f"{column} IS NULL")
    if test is Test.HAS_VALUE:
        return Query(f"{column} IS NOT NULL")
    if test in _TEXT_TESTS:
        return Query(f"{_TEXT_TESTS[test]}(lower({column}), lower(?))", (condition.values[0],))
    if test in _OPERATORS:
        return _compared(column, type, _OPERATORS[test], condition.values[0])
    each = [_compared(column, type, "=", value) for value in condition.values]
    one_of = " OR ".join(query.sql for query in each)
    values = tuple(value for query in each for value in query.values)
    return Query(one_of if test is Test.ONE_OF else f"({one_of}) IS NOT TRUE", values)


def _compared(column: str, type: ColumnType, operator: str, value: Value) -> Query:
    if type is ColumnType.TEXT:
        return Query(f"lower({column}) {operator} lower(?)", (value,))
    if type.is_temporal:
        # a day is compared with days, a time of day with times
        by_day = len(str(value)) <= len("2024-12-31") and as_moment(str(value)) is not None
        cast = "DATE" if by_day else "TIMESTAMP"
        return Query(f"CAST({column} AS {cast}) {operator} CAST(? AS {cast})", (value,))
    return Query(f"{column} {operator} ?", (value,))


def _derive(name: str, formula: Formula, source: str) -> Query:
    new = quoted(name)
    if not isinstance(formula, Share | Change | Running):
        return Query(f"SELECT *, {_row_formula(formula)} AS {new} FROM {source}")
    placed = f"(SELECT *, row_number() OVER () AS {PLACE} FROM {source})"
    return Query(
        f"SELECT * EXCLUDE ({PLACE}) FROM (SELECT *, {_window(formula)} AS {new} FROM {placed}) ORDER BY {PLACE}"
    )


def _row_formula(formula: Arithmetic | DatePart | ToNumber) -> str:
    match formula:
        case Arithmetic(left=left, operator="/", right=right):
            return f"CAST({_operand(left)} AS DOUBLE) / nullif(CAST({_operand(right)} AS DOUBLE), 0)"
        case Arithmetic(left=left, operator=operator, right=right):
            return f"{_operand(left)} {operator} {_operand(right)}"
        case DatePart(column=column, part=part):
            return f"date_part('{'isodow' if part == 'weekday' else part}', {quoted(column)})"
        case ToNumber(column=column):
            return to_number(f"trim({quoted(column)})")


def _operand(operand: str | int | float) -> str:
    if isinstance(operand, str):
        return quoted(operand)
    if isinstance(operand, int):
        return f"({operand})"
    exact = format(Decimal(repr(operand)), "f")
    # as many digits as DECIMAL has, exactly; the rest as floating point
    return f"({exact})" if len(exact) <= 18 else f"CAST({operand!r} AS DOUBLE)"


def _window(formula: Share | Change | Running) -> str:
    column = quoted(formula.column)
    partition = f"PARTITION BY {', '.join(map(quoted, formula.within))} " if formula.within else ""
    if isinstance(formula, Share):
        return f"100 * CAST({column} AS DOUBLE) / nullif(CAST(sum({column}) OVER ({partition}) AS DOUBLE), 0)"
    over = f"OVER ({partition}ORDER BY {quoted(formula.along)}, {PLACE}"
    if isinstance(formula, Running):
        return f"sum({column}) {over} ROWS UNBOUNDED PRECEDING)"
    before = f"lag({column}) {over})"
    if formula.form == "difference":
        return f"{column} - {before}"
    return f"100 * (CAST({column} AS DOUBLE) - {before}) / nullif(abs(CAST({before} AS DOUBLE)), 0)"


def _grouped(groups: Sequence[tuple[str, str]], measures: Sequence[Measure], source: str, schema: Schema) -> Query:
    named = [f"{value} AS {name}" for value, name in groups]
    measured = [f"{_measure(each, schema)} AS {quoted(each.name)}" for each in measures]
    places = ", ".join(str(place) for place in range(1, len(groups) + 1))
    tail = f" GROUP BY {places} ORDER BY {places}" if groups else ""
    return Query(f"SELECT {', '.join([*named, *measured])} FROM {source}{tail}")


def _measure(measure: Measure, schema: Schema) -> str:
    if measure.column is None:
        return "count(*)"
    column = quoted(measure.column)
    match measure.function:
        case Function.COUNT:
            return f"count({column})"
        case Function.DISTINCT:
            return f"count(DISTINCT {column})"
        case Function.SUM:
            # a sum of integers would be wider than the files hold
            return (
                f"CAST(sum({column}) AS BIGINT)" if schema[measure.column] is ColumnType.INTEGER else f"sum({column})"
            )
        case Function.MEAN:
            return f"avg({column})"
        case Function.MEDIAN:
            return f"median(CAST({column} AS DOUBLE))"
        case Function.LEAST:
            return f"min({column})"
        case Function.MOST:
            return f"max({column})"


def _join(join: Join, sources: Sequence[str], schemas: Sequence[Schema]) -> Query:
    left, right = schemas
    on = " AND ".join(f"l.{quoted(key.left)} = r.{quoted(key.right)}" for key in join.on)
    added = [f"r.{quoted(old)} AS {quoted(new)}" for old, new in joined_names(join, left, right)]
    columns = ", ".join(["l.*", *added])
    kind = "LEFT" if join.how == "left" else "INNER"
    return Query(f"SELECT {columns} FROM {sources[0]} AS l {kind} JOIN {sources[1]} AS r ON {on}")


def _sort(sort: Sort, source: str, schema: Schema) -> Query:
    wanted = [f"{quoted(each.column)} {'DESC' if each.descending else 'ASC'} NULLS LAST" for each in sort.by]
    named = {each.column for each in sort.by}
    # rows that are alike in what is asked for come in one order all the same
    rest = [f"{quoted(name)} ASC NULLS LAST" for name in schema if name not in named]
    limit = f" LIMIT {sort.limit}" if sort.limit is not None else ""
    return Query(f"SELECT * FROM {source} ORDER BY {', '.join([*wanted, *rest])}{limit}")


def _tied(sort: Sort, step: Step) -> Query:
    """How many rows are like the last of the first few, and not among them. Nobody can say of two orders."""
    if sort.limit is None or len(sort.by) > 1:
        return Query("SELECT 0")
    column, made = quoted(sort.by[0].column), quoted(_relation(step.id))
    last = f"{'min' if sort.by[0].descending else 'max'}({column})"
    same = f"SELECT count(*) FROM {{}} WHERE {column} = v"
    return Query(
        f"SELECT ({same.format(quoted(_relation(step.needs[0])))}) - ({same.format(made)}) "
        f"FROM (SELECT {last} AS v FROM {made})"
    )


def _summary(columns: Schema, source: str) -> Query:
    parts, values = [], list[object]()
    for place, (name, type) in enumerate(columns.items()):
        column = quoted(name)
        mean = f"avg(CAST({column} AS DOUBLE))" if type.is_numeric else "CAST(NULL AS DOUBLE)"
        parts.append(
            f'SELECT {place} AS {PLACE}, ? AS "column", ? AS "type", count({column}) AS filled, '
            f'count(*) - count({column}) AS empty, count(DISTINCT {column}) AS "distinct", '
            f"left(CAST(min({column}) AS VARCHAR), {TEXT_SHOWN}) AS least, "
            f"left(CAST(max({column}) AS VARCHAR), {TEXT_SHOWN}) AS most, {mean} AS mean FROM {source}"
        )
        values += [name, type.value]
    return Query(f"SELECT * EXCLUDE ({PLACE}) FROM ({' UNION ALL '.join(parts)}) ORDER BY {PLACE}", tuple(values))
