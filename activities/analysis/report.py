"""The report of an analysis as Markdown: what was asked, what came out, which step says so, and how it was computed.

Whatever comes from the data or from a person is escaped: a heading cannot make a link, a cell cannot end its table.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from activities.analysis.names import shown
from activities.analysis.numbers import formatted, number
from activities.analysis.understanding import understood
from activities.analysis.wording import in_words
from domain.analyses.plan import FrozenPlan, Plan
from domain.analyses.plan_rules import Schema, in_order
from domain.analyses.steps import Aggregate, Chart, Every, Filter, Sort, Step, Trend
from domain.analyses.table import ColumnType, TableProfile

TABLE_ROWS = 20
CELL_LIMIT = 80

_MARKUP = re.compile(r"[\\`*_\[\]<>#|~&$@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""What has a meaning within a line, the parts of addresses that some readers make links of included."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """``files`` are the artifact names of what it made; ``shown`` its first rows, of a result that is handed out;
    ``tied`` how many rows are left out that are as large as the last."""

    step: Step
    rows: int
    schema: Schema
    shown: Sequence[Sequence[object]] | None = None
    files: tuple[str, ...] = ()
    tied: int = 0


def report(frozen: FrozenPlan, tables: Sequence[TableProfile], results: Mapping[str, StepResult]) -> str:
    """The whole report. ``results`` are those of every step."""
    return "\n\n".join(_parts(frozen, tables, results)) + "\n"


def escaped(text: str) -> str:
    """A text as Markdown that shows it, on one line."""
    return _MARKUP.sub(r"\\\g<0>", shown(text, 2_000))


def _parts(frozen: FrozenPlan, tables: Sequence[TableProfile], results: Mapping[str, StepResult]) -> Iterator[str]:
    plan = frozen.plan
    yield f"# {escaped(shown(plan.requirement, 120)) or 'Analysis'}"
    if len(plan.requirement) > 120:
        yield escaped(plan.requirement)
    yield "## What was understood"
    yield "\n".join(
        f"- **{each.aspect}**: {escaped('; '.join(words.rstrip('.') for words in each.words))}"
        for each in understood(plan, tables)
    )
    if findings := list(_findings(plan, results)):
        yield "## Findings"
        yield "\n".join(f"- {finding}" for finding in findings)
    yield "## Results"
    for step in in_order(plan):
        yield from _result(results[step.id])
    yield "## How it was computed"
    yield "\n".join(_step_lines(plan, results))
    yield from _basis(frozen, tables)


def _result(result: StepResult) -> Iterator[str]:
    if isinstance(result.step.operation, Chart):
        yield f"### {escaped(result.step.title)}"
        yield f"![{escaped(result.step.title)}]({result.files[0]})"
        yield f"*Step `{result.step.id}`.*"
    elif result.shown is not None:
        yield f"### {escaped(result.step.title)}"
        yield _table(result.schema, result.shown[:TABLE_ROWS]) if result.rows else "No rows."
        more = f" The first {TABLE_ROWS} of {result.rows:,} rows." if result.rows > TABLE_ROWS else ""
        if result.tied and isinstance(result.step.operation, Sort):
            named = escaped(result.step.operation.by[0].column.replace("_", " "))
            others = "1 other is" if result.tied == 1 else f"{result.tied:,} others are"
            yield f"**Not alone**: {others} left out with the same {named} as the last row here."
        links = " · ".join(f"[{name.rsplit('.', 1)[-1].upper()}]({name})" for name in result.files)
        large = "" if any(name.endswith(".xlsx") for name in result.files) else " Too large for a workbook."
        yield f"*Step `{result.step.id}`.{more}{large}* {links}"


def _table(schema: Schema, rows: Sequence[Sequence[object]]) -> str:
    heads = " | ".join(escaped(name.replace("_", " ")) for name in schema)
    rule = " | ".join("---:" if type.is_numeric else "---" for type in schema.values())
    lines = [" | ".join(_cell(value, type) for value, type in zip(row, schema.values(), strict=True)) for row in rows]
    return "\n".join(f"| {line} |" for line in [heads, rule, *lines])


def _cell(value: object, type: ColumnType) -> str:
    text = formatted(value, type)
    return text if type.is_numeric else escaped(shown(text, CELL_LIMIT))


def _step_lines(plan: Plan, results: Mapping[str, StepResult]) -> Iterator[str]:
    for place, step in enumerate(in_order(plan), start=1):
        result = results[step.id]
        behind = f" From {' and '.join(f'`{need}`' for need in step.needs)}." if step.needs else ""
        count = "" if isinstance(step.operation, Chart) else f" {result.rows:,} row{'' if result.rows == 1 else 's'}."
        words = escaped(in_words(step.operation))
        yield f"{place}. `{step.id}`: {words}.{behind}{count}"


def _basis(frozen: FrozenPlan, tables: Sequence[TableProfile]) -> Iterator[str]:
    plan = frozen.plan
    yield "## What it rests on"
    yield "\n".join(
        f"- {escaped(table.source)}: {table.rows:,} rows, {len(table.columns)} columns, as `{table.name}`"
        for table in tables
    )
    told = {note.message for note in plan.warnings}
    if notes := [
        f"- {escaped(table.source)}: {escaped(note.message)}"
        for table in tables
        for note in table.notes
        if note.message not in told
    ]:
        yield "Of the inputs:\n\n" + "\n".join(notes)
    if asked := [each for each in plan.questions if each.answer]:
        yield "Asked and answered:\n\n" + "\n".join(
            f"- {escaped(each.text)} {escaped(each.answer or '')}" for each in asked
        )
    yield f"Plan `{frozen.plan_id}` ({plan.plan_source}) over inputs `{frozen.inputs_fingerprint}`. {escaped(plan.why)}"
    yield (
        "In the CSV files, texts that a spreadsheet might take for a formula begin with an apostrophe; "
        "the Parquet files hold the values as they are."
    )


# --- findings ----------------------------------------------------------------------------------------------------


def _findings(plan: Plan, results: Mapping[str, StepResult]) -> Iterator[str]:
    """What the numbers say, of results small enough to be known whole: totals, the largest and least group, where a
    trend began and ended, and what is not there. Each names its step."""
    for step in in_order(plan):
        result = results[step.id]
        if isinstance(step.operation, Filter) and not result.rows and any(results[need].rows for need in step.needs):
            yield f"**Nothing to compute with**: no row meets the conditions (step `{step.id}`)"
        if result.shown is None or not result.rows or result.rows > len(result.shown):
            continue
        if isinstance(step.operation, Aggregate | Trend):
            for sentence in _sentences(step.operation, result):
                yield f"{sentence} (step `{step.id}`)"
        if isinstance(step.operation, Trend) and (absent := _absent(step.operation, result)):
            every, one = step.operation.every, absent == 1
            are = "has no rows and is" if one else "have no rows and are"
            periods = f"{absent:,} {every}{'' if one else 's'} between the first and the last"
            yield f"**Gaps**: {periods} {are} not listed (step `{step.id}`)"


def _absent(operation: Trend, result: StepResult) -> int:
    """How many periods between the first and the last have no row."""
    at = list(result.schema).index(str(operation.every))
    there = {date.fromisoformat(str(row[at])[:10]) for row in result.shown or () if row[at] is not None}
    places = {_place(day, operation.every) for day in there}
    return max(places) - min(places) + 1 - len(places) if places else 0


def _place(day: date, every: Every) -> int:
    """The number of the period that begins with a day; the next one's is one more."""
    if every is Every.DAY or every is Every.WEEK:
        return day.toordinal() // (7 if every is Every.WEEK else 1)
    months = 12 * day.year + day.month - 1
    return months // {Every.MONTH: 1, Every.QUARTER: 3, Every.YEAR: 12}[every]


def _sentences(operation: Aggregate | Trend, result: StepResult) -> Iterator[str]:
    columns = list(result.schema)
    groups = columns[: len(columns) - len(operation.measures)]
    for measure in operation.measures:
        at = columns.index(measure.name)
        type = result.schema[measure.name]
        label = escaped(measure.name.replace("_", " "))
        if not groups and result.shown:
            value = formatted(result.shown[0][at], type)
            yield f"**{label}**: {escaped(value) if value else 'no value'}"
            continue
        valued = [(row, found) for row in result.shown or () if (found := number(row[at])) is not None]
        if not type.is_numeric or len(valued) < 2:
            continue
        if isinstance(operation, Trend) and not operation.by:
            yield _trend(label, type, at, valued)
        else:
            yield _extremes(label, type, at, len(groups), valued)


def _trend(label: str, type: ColumnType, at: int, valued: Sequence[tuple[Sequence[object], Decimal]]) -> str:
    (first, begin), (last, end) = valued[0], valued[-1]
    change = f", {_signed(100 * (end - begin) / abs(begin))} %" if begin else ""
    top = max(valued, key=lambda each: each[1])[0]
    return (
        f"**{label}** went from {formatted(first[at], type)} ({escaped(str(first[0]))}) to {formatted(last[at], type)} "
        f"({escaped(str(last[0]))}){change}; most: {formatted(top[at], type)} ({escaped(str(top[0]))})"
    )


def _extremes(
    label: str, type: ColumnType, at: int, groups: int, valued: Sequence[tuple[Sequence[object], Decimal]]
) -> str:
    def phrase(row: Sequence[object]) -> str:
        names = ", ".join("(empty)" if cell is None else str(cell) for cell in row[:groups])
        return f"{escaped(shown(names, CELL_LIMIT))} ({formatted(row[at], type)})"

    top, least = max(valued, key=lambda each: each[1])[0], min(valued, key=lambda each: each[1])[0]
    if top[at] == least[at]:
        return f"**{label}**: {formatted(top[at], type)} in each"
    return f"**{label}**: most in {phrase(top)}, least in {phrase(least)}"


def _signed(percent: Decimal) -> str:
    text = formatted(str(percent), ColumnType.NUMBER)
    return text if percent < 0 else f"+{text}"
