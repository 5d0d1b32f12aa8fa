"""Whether a plan that can be computed answers what was asked, and what whoever reads its numbers should know.

``plan_rules`` says whether the tables can bear a plan. This is about plans that they can bear and that are wrong all
the same: identifiers that are added up, rows that are counted where a total was asked for, a number that a join
multiplies. The same is asked of whoever drafted the plan, model or not.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from domain.analyses.plan import Plan
from domain.analyses.plan_rules import PlanIssue, in_order
from domain.analyses.rates import (
    COMPUTED,
    RATES_ADDED,
    RATES_AVERAGED,
    RATES_MIXED,
    STATES_ADDED,
    WEIGHTS_IGNORED,
    factor_in_percent,
    sums_and_averages,
    unweighted,
)
from domain.analyses.spellings import written_differently
from domain.analyses.steps import (
    ORDERED,
    Aggregate,
    Arithmetic,
    Change,
    Condition,
    Derive,
    Filter,
    Function,
    Join,
    Load,
    Measure,
    Running,
    Share,
    Sort,
    Step,
    Test,
    ToNumber,
    Trend,
    Value,
)
from domain.analyses.table import ColumnProfile, Note, TableProfile
from domain.analyses.units import is_percent, unit_of, word_set

IDENTIFIER_MEASURED = "PLAN_IDENTIFIER_MEASURED"
COUNT_INSTEAD = "PLAN_COUNT_INSTEAD"
COLUMN_AMBIGUOUS = "PLAN_COLUMN_AMBIGUOUS"
VALUES_LOST = "PLAN_VALUES_LOST"
NUMBER_MULTIPLIED = "PLAN_NUMBER_MULTIPLIED"
UNITS_MIXED = "PLAN_UNITS_MIXED"
PERCENT_ADDED = "PLAN_PERCENT_ADDED"
SUMS_COUNTED = "PLAN_SUMS_COUNTED"
STAND_INS_MEASURED = "PLAN_STAND_INS_MEASURED"

DIGITS_LOST = "DIGITS_LOST"
"""The note of a column whose values are not what they were: two of them may have become one."""
GROUP_EMPTY = "GROUP_EMPTY"
NUMBER_EMPTY = "NUMBER_EMPTY"
TIME_EMPTY = "TIME_EMPTY"
VALUES_ALIKE = "VALUES_ALIKE"
VERSIONS = "VERSIONS_GUESSED"
NOTHING_MEANT = "NOTHING_MEANT"
EMPTY_KEPT = "EMPTY_KEPT"
OWN = frozenset(
    {
        *(GROUP_EMPTY, NUMBER_EMPTY, VALUES_ALIKE, TIME_EMPTY, RATES_ADDED, RATES_AVERAGED, RATES_MIXED, STATES_ADDED),
        *(VERSIONS, NOTHING_MEANT, EMPTY_KEPT, WEIGHTS_IGNORED),
    }
)
"""Codes of the notes that are made of a plan."""

COMPARED = COMPUTED | {Function.LEAST, Function.MOST}
COUNTED_ROWS = 1_000_000
"""Up to which the different values of a column are counted; beyond, they are estimated."""
ESTIMATED = 0.9
_VERSIONS = word_set("version revision rev")
WARNINGS = 20
"""Most that a plan holds."""

_ASKS_FOR_A_NUMBER = re.compile(r"\b(?:totals?|sum|averages?|avg|mean|medians?|how much)\b", re.IGNORECASE)
_ASKS_FOR_A_COUNT = re.compile(
    r"\b(?:how many|how often|number of|counts?|rows|records|entries|times)\b", re.IGNORECASE
)

Origins = dict[str, tuple[TableProfile, ColumnProfile]]
"""Columns of a step that are columns of a table."""


def meaning_issues(plan: Plan, tables: Sequence[TableProfile]) -> tuple[PlanIssue, ...]:
    """What makes a plan that can be computed answer something else. The plan is one that ``check_plan`` let pass."""
    return tuple(_issues(plan, {table.name: table for table in tables}))


def noted(plan: Plan, tables: Sequence[TableProfile]) -> Plan:
    """The plan with everything among its warnings that is to be known of the tables that it computes with: a number
    that rests on a guess says so before anything runs."""
    by_name = {table.name: table for table in tables}
    used = [by_name[name] for name in _loaded(plan) if name in by_name]
    found = [
        note if len(used) == 1 else note.model_copy(update={"message": f"{table.source}: {note.message}"})
        for table in used
        for note in table.notes
        if _concerns(note, table, plan)
    ]
    own = [note for note in plan.warnings if note.code not in OWN]
    warnings = dict.fromkeys([*own, *found, *_gaps(plan, by_name)])
    return plan.model_copy(update={"warnings": tuple(warnings)[:WARNINGS]})


def origins(plan: Plan, tables: Mapping[str, TableProfile]) -> dict[str, Origins]:
    """Of each step, which of its columns are those of a table."""
    known: dict[str, Origins] = {}
    for step in in_order(plan):
        before = [known.get(need, {}) for need in step.needs]
        match step.operation:
            case Load(table=name) if name in tables:
                known[step.id] = {column.name: (tables[name], column) for column in tables[name].columns}
            case Join() as join:
                keys = {key.right for key in join.on}
                known[step.id] = {**{n: o for n, o in before[1].items() if n not in keys}, **before[0]}
            case Derive(column=made, formula=ToNumber(column=text)) if text in before[0]:
                known[step.id] = {**before[0], made: before[0][text]}
            case Filter() | Sort() | Derive():
                known[step.id] = before[0]
            case Aggregate(by=by) | Trend(by=by):
                known[step.id] = {name: before[0][name] for name in by if name in before[0]}
            case _:
                known[step.id] = {}
    return known


# --- what is wrong -----------------------------------------------------------------------------------------------


def _issues(plan: Plan, tables: Mapping[str, TableProfile]) -> Iterator[PlanIssue]:
    known = origins(plan, tables)
    for place, step in enumerate(plan.steps):
        before = known.get(step.needs[0], {}) if step.needs else {}
        path = f"steps.{place}.operation"
        for name, function in _computed_with(step):
            if name in before and before[name][1].is_identifier and function in COMPUTED:
                text = f"{name!r} tells things apart: it is counted or grouped by, and nothing is computed with it."
                yield PlanIssue(code=IDENTIFIER_MEASURED, path=path, message=text)
        for name in _named(step):
            if name in before and _is_twice(*before[name]) and not _is_asked(plan, name):
                text = f"Several columns have the heading of {name!r}: ask which is meant."
                yield PlanIssue(code=COLUMN_AMBIGUOUS, path=path, message=text)
        for name in _named(step):
            if name in before and _has_lost_digits(*before[name]):
                text = f"{name!r} has lost digits in its workbook, and different values may be one: send it as CSV."
                yield PlanIssue(code=VALUES_LOST, path=path, message=text)
        yield from _multiplied(plan, step, path, known, tables)
        yield from _taken_at_face_value(plan, step, path, before)
        for name, function in _computed_with(step):
            percent = name in before and function is Function.SUM and is_percent(*before[name])
            if percent and not _is_asked_about(plan, name):
                text = f"{name!r} is percent, which has no sum: take its average, or ask."
                yield PlanIssue(code=PERCENT_ADDED, path=path, message=text)
            unit = unit_of(*before[name]) if name in before and function in COMPARED else None
            if unit is not None and not _is_of_one(plan, step, unit):
                text = (
                    f"{name!r} is in several units, which {unit.name!r} tells: group by it, keep one of them, or ask."
                )
                yield PlanIssue(code=UNITS_MIXED, path=path, message=text)
    if _counts_instead(plan):
        text = "Rows are counted, and a total or an average is asked for: compute that, or ask which column holds it."
        yield PlanIssue(code=COUNT_INSTEAD, path="steps", message=text)


def _taken_at_face_value(plan: Plan, step: Step, path: str, before: Origins) -> Iterator[PlanIssue]:
    """Sums that are added up with what they are sums of, and values that stand for none."""
    if not _measures(step):
        return
    times = [step.operation.time] if isinstance(step.operation, Trend) else []
    measured = [name for name, function in _computed_with(step) if function in COMPARED]
    for name, (_, column) in before.items():
        if column.summing and not _is_settled(plan, step, name):
            words = ", ".join(column.summing[:5])
            text = f"Rows with {words} as {name!r} hold what others add up to: leave them out, or ask."
            yield PlanIssue(code=SUMS_COUNTED, path=path, message=text)
        tests = [(each.test, each.values) for each in _conditions(plan, step) if each.column == name]
        used = name in (*measured, *times) or any(test in ORDERED for test, _ in tests)
        left = stand_ins_left(column, tests) if used else ()
        if left and not _is_asked_about(plan, name):
            words = ", ".join(left)
            text = f"{name!r} holds {words}, which stands for no value: leave these rows out, or ask."
            yield PlanIssue(code=STAND_INS_MEASURED, path=path, message=text)


def stand_ins_left(column: ColumnProfile, tests: Iterable[tuple[Test, Sequence[Value]]]) -> tuple[str, ...]:
    """Which of a column's stand-ins are among the rows that conditions on it leave."""
    left = column.stand_ins
    for test, values in tests:
        left = tuple(each for each in left if _may_pass(column, each, test, values))
    return left


def _may_pass(column: ColumnProfile, text: str, test: Test, values: Sequence[Value]) -> bool:
    """Whether a value of the column meets a condition; days are compared as days, whatever the clock."""

    def of(value: Value) -> tuple[float, str]:
        return (float(value), "") if column.type.is_numeric else (0.0, str(value)[:10])

    try:
        mine, known = of(text), [of(value) for value in values]
    except ValueError:
        return True
    match test:
        case Test.EQUALS | Test.ONE_OF:
            return mine in known
        case Test.DIFFERS | Test.NONE_OF:
            return mine not in known
        case Test.LESS | Test.AT_MOST:
            return mine <= known[0]
        case Test.MORE | Test.AT_LEAST:
            return mine >= known[0]
        case _:
            return True


def _is_settled(plan: Plan, step: Step, name: str) -> bool:
    """Whether the plan chooses among the rows by a column, or asks about it."""
    return name in {condition.column for condition in _conditions(plan, step)} or _is_asked_about(plan, name)


def _is_asked_about(plan: Plan, name: str) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", question.text) for question in plan.questions)


def _conditions(plan: Plan, step: Step) -> list[Condition]:
    """Those that all rows of a step meet."""
    return [
        condition
        for behind in _behind(plan, step)
        if isinstance(behind.operation, Filter)
        and (behind.operation.match == "all" or len(behind.operation.conditions) == 1)
        for condition in behind.operation.conditions
    ]


def _multiplied(
    plan: Plan, step: Step, path: str, known: Mapping[str, Origins], tables: Mapping[str, TableProfile]
) -> Iterator[PlanIssue]:
    """Numbers of the right side of a join to a left side with several rows for one of its own."""
    joins = [each for each in _behind(plan, step) if isinstance(each.operation, Join)]
    for join in joins:
        assert isinstance(join.operation, Join)
        left, right = (known.get(need, {}) for need in join.needs)
        keys = [left[key.left] for key in join.operation.on if key.left in left]
        several = keys and not any(tells_apart(*key) for key in keys)
        theirs = [right[key.right] for key in join.operation.on if key.right in right]
        fanned = len(theirs) == 1 and not tells_apart(*theirs[0]) and _is_whole(plan, join.needs[1])
        for name, function in _computed_with(step):
            if fanned and function in COMPUTED and name in left:
                text = f"{name!r} is joined to several rows each, and would count as often: compute it before the join."
                yield PlanIssue(code=NUMBER_MULTIPLIED, path=path, message=text)
            if several and function in COMPUTED and name in right and name not in left:
                text = f"{name!r} is joined to several rows each, and would count as often: compute it before the join."
                yield PlanIssue(code=NUMBER_MULTIPLIED, path=path, message=text)


def tells_apart(table: TableProfile, column: ColumnProfile) -> bool:
    """Whether no two rows of the table have one value in the column, as far as it was counted."""
    filled = table.rows - column.nulls
    return column.distinct >= (filled if table.rows <= COUNTED_ROWS else ESTIMATED * filled)


def _is_whole(plan: Plan, id: str) -> bool:
    """Whether a step has all rows of a table."""
    step = plan.step(id)
    if isinstance(step.operation, Derive | Sort):
        return _is_whole(plan, step.needs[0])
    return isinstance(step.operation, Load)


def _is_of_one(plan: Plan, step: Step, unit: ColumnProfile) -> bool:
    """Whether the step computes with rows of one unit at a time, or somebody has said that it does not matter."""
    if unit.name in _groups(step) or any(f"\u201c{unit.name}\u201d" in each.text for each in plan.questions):
        return True
    left = {value.casefold() for value in unit.values}
    for before in _behind(plan, step):
        if not isinstance(before.operation, Filter):
            continue
        for condition in before.operation.conditions:
            values = {str(value).casefold() for value in condition.values}
            if condition.column != unit.name or (
                before.operation.match != "all" and len(before.operation.conditions) > 1
            ):
                continue
            if condition.test in (Test.EQUALS, Test.ONE_OF):
                left &= values
            elif condition.test in (Test.DIFFERS, Test.NONE_OF):
                left -= values
    return len(left) < 2


def _behind(plan: Plan, step: Step) -> Iterator[Step]:
    """The steps whose rows the step works on, up to those that gather them."""
    for need in step.needs:
        found = plan.step(need)
        yield found
        if not isinstance(found.operation, Aggregate | Trend):
            yield from _behind(plan, found)


def _counts_instead(plan: Plan) -> bool:
    measures = [measure for step in plan.steps for measure in _measures(step)]
    counts = measures and all(each.function is Function.COUNT and each.column is None for each in measures)
    asks = _ASKS_FOR_A_NUMBER.search(plan.requirement) and not _ASKS_FOR_A_COUNT.search(plan.requirement)
    return bool(counts and asks and not plan.questions)


def _computed_with(step: Step) -> Iterator[tuple[str, Function]]:
    for measure in _measures(step):
        if measure.column is not None:
            yield measure.column, measure.function
    if isinstance(step.operation, Derive) and isinstance(step.operation.formula, Share | Change | Running):
        yield step.operation.formula.column, Function.SUM


def _measures(step: Step) -> Sequence[Measure]:
    return step.operation.measures if isinstance(step.operation, Aggregate | Trend) else ()


def _groups(step: Step) -> Sequence[str]:
    return step.operation.by if isinstance(step.operation, Aggregate | Trend) else ()


def _named(step: Step) -> Iterator[str]:
    yield from _groups(step)
    yield from (measure.column for measure in _measures(step) if measure.column is not None)
    if isinstance(step.operation, Filter):
        yield from (condition.column for condition in step.operation.conditions)


def _is_twice(table: TableProfile, column: ColumnProfile) -> bool:
    return Counter(each.original.casefold() for each in table.columns)[column.original.casefold()] > 1


def _has_lost_digits(table: TableProfile, column: ColumnProfile) -> bool:
    return any(note.code == DIGITS_LOST and note.message.startswith(f"{column.name} ") for note in table.notes)


def _is_asked(plan: Plan, name: str) -> bool:
    return any(name in question.options for question in plan.questions)


def _concerns(note: Note, table: TableProfile, plan: Plan) -> bool:
    """Whether a note is of the table, or of a column that the plan names. It begins with the column's name."""
    if not any(isinstance(step.operation, Aggregate | Trend) for step in plan.steps):
        return True
    of = next((column.name for column in table.columns if note.message.startswith(f"{column.name} ")), None)
    return of is None or f'"{of}"' in plan.model_dump_json(include={"steps"})


# --- what is to be known -----------------------------------------------------------------------------------------


def _loaded(plan: Plan) -> list[str]:
    return list(dict.fromkeys(step.operation.table for step in plan.steps if isinstance(step.operation, Load)))


def _gaps(plan: Plan, tables: Mapping[str, TableProfile]) -> Iterator[Note]:
    known = origins(plan, tables)
    for step in plan.steps:
        before = known.get(step.needs[0], {}) if step.needs else {}
        if isinstance(step.operation, Filter):
            yield from _outside(step.operation.conditions, before)
            yield from _kept_without(step.operation, before)
            for name in dict.fromkeys(each.column for each in step.operation.conditions if each.column in before):
                yield from _written_differently(before[name][1], str.casefold, doubled=True)
        if isinstance(step.operation, Derive) and isinstance(formula := step.operation.formula, Arithmetic):
            yield from factor_in_percent(formula, before, step.operation.column)
            for side in (formula.left, formula.right):
                if isinstance(side, str) and side in before and (nulls := before[side][1].nulls):
                    rows, made = before[side][0].rows, step.operation.column
                    text = f"{side} is empty in {nulls:,} of {rows:,} rows: {made} is, too."
                    yield Note(code=NUMBER_EMPTY, message=text)
        for name in _groups(step):
            if name in before:
                yield from _group_notes(*before[name])
        if isinstance(step.operation, Trend) and step.operation.time in before:
            table, column = before[step.operation.time]
            if column.nulls:
                text = f"{column.name} is empty in {column.nulls:,} of {table.rows:,} rows: they are in no period."
                yield Note(code=TIME_EMPTY, message=text)
        for measure in _measures(step):
            if measure.column in before and measure.function is Function.DISTINCT:
                yield from _written_differently(before[measure.column][1], str)
            elif measure.column in before:
                table, column = before[measure.column]
                if column.nulls:
                    text = f"{column.name} is empty in {column.nulls:,} of {table.rows:,} rows: they count as nothing."
                    yield Note(code=NUMBER_EMPTY, message=text)
                yield from sums_and_averages(measure.function, table, column)
                yield from unweighted(measure, table, column, [each.column for each in _measures(step)])
                yield from _superseded(plan, step, table)


def _kept_without(meant: Filter, before: Origins) -> Iterator[Note]:
    """Rows without a value pass every ``is not``: whether they are meant is not known."""
    filled = {each.column for each in meant.conditions if each.test is Test.HAS_VALUE}
    for condition in meant.conditions:
        table, column = before.get(condition.column, (None, None))
        if table is None or column is None or column.name in filled or not column.nulls:
            continue
        if condition.test in (Test.DIFFERS, Test.NONE_OF):
            text = f"{column.name} is empty in {column.nulls:,} of {table.rows:,} rows: they are kept, too."
            yield Note(code=EMPTY_KEPT, message=text)


def _outside(conditions: Sequence[Condition], before: Origins) -> Iterator[Note]:
    """Of conditions that no value of a column can meet, as far as its least and its most tell."""
    for condition in conditions:
        _, column = before.get(condition.column, (None, None))
        if column is None or column.minimum is None or column.maximum is None:
            continue
        ends = {
            **dict.fromkeys((Test.LESS, Test.AT_MOST), ((column.minimum, condition.test),)),
            **dict.fromkeys((Test.MORE, Test.AT_LEAST), ((column.maximum, condition.test),)),
            Test.EQUALS: ((column.minimum, Test.AT_MOST), (column.maximum, Test.AT_LEAST)),
        }.get(condition.test, ())
        known = column.type.is_numeric or column.type.is_temporal
        if known and not all(_may_pass(column, end, test, condition.values) for end, test in ends):
            text = f"{column.name} goes from {column.minimum} to {column.maximum}: no row meets the condition on it."
            yield Note(code=NOTHING_MEANT, message=text)


def _superseded(plan: Plan, step: Step, table: TableProfile) -> Iterator[Note]:
    """Rows that may stand for one thing at several times."""
    named = {*_groups(step), *(condition.column for condition in _conditions(plan, step))}
    for column in table.columns:
        several = set(column.name.split("_")) & _VERSIONS and column.distinct > 1 and column.name not in named
        if several and any(each.is_identifier and not tells_apart(table, each) for each in table.columns):
            text = f"{column.name} tells versions apart: all rows are computed with, also those that others replace."
            yield Note(code=VERSIONS, message=text)


def _group_notes(table: TableProfile, column: ColumnProfile) -> Iterator[Note]:
    if column.nulls:
        text = f"{column.name} is empty in {column.nulls:,} of {table.rows:,} rows: they are a group of their own."
        yield Note(code=GROUP_EMPTY, message=text)
    yield from _written_differently(column, str)


def _written_differently(
    column: ColumnProfile, told_apart: Callable[[str], str], *, doubled: bool = False
) -> Iterator[Note]:
    if alike := written_differently(column.values, told_apart, doubled=doubled):
        shown = "; ".join(", ".join(f"\u201c{value}\u201d" for value in values) for values in alike[:3])
        text = f"{column.name} has values that are written differently, and are counted apart: {shown}."
        yield Note(code=VALUES_ALIKE, message=text)
