"""What a plan may ask of its tables: known steps without circles, columns that are there, of a type that bears it.

The columns of every step follow from those of the tables, so a plan is judged without computing anything.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from itertools import count

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.analyses.plan import Plan
from domain.analyses.steps import (
    NEEDS,
    OF_MANY,
    OF_NOTHING,
    OF_TEXT,
    ORDERED,
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
    ToNumber,
    Trend,
    Value,
)
from domain.analyses.table import ColumnType, TableProfile
from domain.errors import PlanInvalid

Schema = dict[str, ColumnType]
"""Columns of a step, in order."""

ISSUES_SHOWN = 20

STEPS_MISSING = "PLAN_STEPS_MISSING"
STEP_DUPLICATE = "PLAN_STEP_DUPLICATE"
NEEDS_UNKNOWN = "PLAN_NEEDS_UNKNOWN"
NEEDS_WRONG = "PLAN_NEEDS_WRONG"
NEEDS_CIRCULAR = "PLAN_NEEDS_CIRCULAR"
TABLE_UNKNOWN = "PLAN_TABLE_UNKNOWN"
COLUMN_UNKNOWN = "PLAN_COLUMN_UNKNOWN"
COLUMN_DUPLICATE = "PLAN_COLUMN_DUPLICATE"
COLUMN_TYPE = "PLAN_COLUMN_TYPE"
VALUE_WRONG = "PLAN_VALUE_WRONG"
SHAPE_WRONG = "PLAN_SHAPE_WRONG"
"""What the models of ``steps.py`` and ``plan.py`` refuse: a field missing, unknown, too long or of another type."""

SUMMARY_COLUMNS: Schema = {
    "column": ColumnType.TEXT,
    "type": ColumnType.TEXT,
    "filled": ColumnType.INTEGER,
    "empty": ColumnType.INTEGER,
    "distinct": ColumnType.INTEGER,
    "least": ColumnType.TEXT,
    "most": ColumnType.TEXT,
    "mean": ColumnType.NUMBER,
}


class PlanIssue(BaseModel):
    """Something that a plan cannot do. ``path`` leads into its JSON (``steps.2.operation.by.0``)."""

    model_config = ConfigDict(frozen=True)

    code: str
    path: str
    message: str


def read_plan(document: object) -> Plan:
    """A plan from plain JSON values, as somebody edited it.

    Raises:
        PlanInvalid: It is none; ``details`` holds where, and nothing of what stands there.
    """
    try:
        return Plan.model_validate(document)
    except ValidationError as invalid:
        raise _refused([*shape_issues(invalid)]) from None


def shape_issues(invalid: ValidationError) -> Iterator[PlanIssue]:
    """A model's refusal as issues."""
    for error in invalid.errors(include_input=False, include_context=False, include_url=False)[:ISSUES_SHOWN]:
        path = ".".join(str(part)[:80] for part in error["loc"])
        yield PlanIssue(code=SHAPE_WRONG, path=path, message=f"{error['msg'][:200]}.")


def check_plan(plan: Plan, tables: Sequence[TableProfile]) -> dict[str, Schema]:
    """The columns of every step, for a plan that its tables can bear.

    Raises:
        PlanInvalid: :func:`plan_issues` finds something; ``details`` holds the ``issues``.
    """
    judge = _Judge(plan, tables)
    if judge.issues:
        raise _refused(judge.issues)
    return judge.schemas


def plan_issues(plan: Plan, tables: Sequence[TableProfile]) -> tuple[PlanIssue, ...]:
    """Everything that keeps the plan from being computed."""
    return tuple(_Judge(plan, tables).issues)


def in_order(plan: Plan) -> list[Step]:
    """The steps, each behind those that it needs, else as they are listed. Those of a circle are left out."""
    done: dict[str, Step] = {}
    waiting = list(plan.steps)
    while ready := [step for step in waiting if all(need in done for need in step.needs)]:
        done |= {ready[0].id: ready[0]}
        waiting.remove(ready[0])
    return list(done.values())


def results(plan: Plan) -> list[Step]:
    """The steps whose rows are handed out, in order: groups, trends and summaries, and whatever nothing but a chart
    builds on."""
    built_on = {need for step in plan.steps if not isinstance(step.operation, Chart) for need in step.needs}
    return [
        step
        for step in in_order(plan)
        if not isinstance(step.operation, Chart)
        and (step.id not in built_on or isinstance(step.operation, Aggregate | Trend | Summary))
    ]


def _refused(issues: Sequence[PlanIssue]) -> PlanInvalid:
    return PlanInvalid(
        f"The plan cannot be used: {issues[0].message}",
        details={"issues": [issue.model_dump() for issue in issues[:ISSUES_SHOWN]]},
    )


class _Judge:
    """Goes through a plan once, and notes the columns of each step and what is wrong. A step that is wrong has no
    columns, and what builds on it is not judged: its issues would be echoes."""

    def __init__(self, plan: Plan, tables: Sequence[TableProfile]) -> None:
        self.issues: list[PlanIssue] = []
        self.schemas: dict[str, Schema] = {}
        self._tables = {table.name: table for table in tables}
        self._place = {step.id: number for number, step in enumerate(plan.steps)}
        self._graph(plan)
        for step in [] if self.issues else in_order(plan):
            self._judge(step)

    def _graph(self, plan: Plan) -> None:
        if not plan.steps:
            self._note(STEPS_MISSING, "steps", "A plan has at least one step.")
        for id, times in Counter(step.id for step in plan.steps).items():
            if times > 1:
                self._note(STEP_DUPLICATE, "steps", f"{times} steps are called {id!r}.")
        charts = {step.id for step in plan.steps if isinstance(step.operation, Chart)}
        for number, step in enumerate(plan.steps):
            path = f"steps.{number}.needs"
            wanted = NEEDS.get(step.operation.op, 1)
            if len(step.needs) != wanted:
                self._note(NEEDS_WRONG, path, f"Step {step.id!r} ({step.operation.op}) needs {wanted} step(s).")
            for place, need in enumerate(step.needs):
                if need not in self._place:
                    self._note(NEEDS_UNKNOWN, f"{path}.{place}", f"Step {step.id!r} needs {need!r}, which is no step.")
                elif need in charts:
                    self._note(NEEDS_WRONG, f"{path}.{place}", f"Step {step.id!r} needs a chart, which has no rows.")
        if not self.issues and len(in_order(plan)) < len(plan.steps):
            self._note(NEEDS_CIRCULAR, "steps", "Some steps need one another in a circle.")

    def _judge(self, step: Step) -> None:
        if any(need not in self.schemas for need in step.needs):
            return
        path = f"steps.{self._place[step.id]}.operation"
        seen = len(self.issues)
        schema = _StepJudge(partial(self._note_at, path), self._tables).columns(
            step, [self.schemas[need] for need in step.needs]
        )
        if len(self.issues) == seen:
            self.schemas[step.id] = schema

    def _note_at(self, base: str, code: str, path: str, message: str) -> None:
        self._note(code, f"{base}.{path}", message)

    def _note(self, code: str, path: str, message: str) -> None:
        self.issues.append(PlanIssue(code=code, path=path, message=message))


class _StepJudge:
    """Judges one step. ``note`` takes a code, a path within the operation and a message."""

    def __init__(self, note: Callable[[str, str, str], None], tables: Mapping[str, TableProfile]) -> None:
        self._note = note
        self._tables = tables

    def columns(self, step: Step, needed: Sequence[Schema]) -> Schema:
        """The step's columns, of use where nothing was noted."""
        match step.operation:
            case Load(table=name):
                if name in self._tables:
                    return {column.name: column.type for column in self._tables[name].columns}
                self._note(TABLE_UNKNOWN, "table", f"There is no table {name!r}.")
                return {}
            case Filter(conditions=conditions):
                for place, condition in enumerate(conditions):
                    self._condition(condition, needed[0], f"conditions.{place}")
                return needed[0]
            case Derive(column=name, formula=formula):
                made = self._formula(formula, needed[0])
                return self._joined([*needed[0].items(), (name, made)], "column")
            case Aggregate(by=by, measures=measures):
                groups = self._groups(by, needed[0])
                return self._joined([*groups, *self._measures(measures, needed[0])], "measures")
            case Trend(time=time, every=every, by=by, measures=measures):
                self._typed(time, needed[0], "time", lambda type: type.is_temporal, "a date or a time")
                groups = self._groups(by, needed[0])
                period = (str(every), ColumnType.DATE)
                return self._joined([period, *groups, *self._measures(measures, needed[0])], "measures")
            case Join() as join:
                return self._join(join, needed[0], needed[1])
            case Sort(by=orders):
                for place, order in enumerate(orders):
                    self._known(order.column, needed[0], f"by.{place}.column")
                return needed[0]
            case Chart() as chart:
                self._chart(chart, needed[0])
                return {}
            case Summary(columns=columns):
                for place, name in enumerate(columns):
                    self._known(name, needed[0], f"columns.{place}")
                return dict(SUMMARY_COLUMNS)

    def _known(self, name: str, schema: Schema, path: str) -> ColumnType | None:
        if name not in schema:
            self._note(COLUMN_UNKNOWN, path, f"There is no column {name!r} at this step.")
        return schema.get(name)

    def _typed(
        self, name: str, schema: Schema, path: str, fits: Callable[[ColumnType], bool], wanted: str
    ) -> ColumnType | None:
        found = self._known(name, schema, path)
        if found is not None and not fits(found):
            self._note(COLUMN_TYPE, path, f"Column {name!r} is {found}, and {wanted} is needed.")
        return found

    def _numeric(self, name: str, schema: Schema, path: str) -> ColumnType:
        found = self._typed(name, schema, path, lambda type: type.is_numeric, "a number")
        return found or ColumnType.NUMBER

    def _joined(self, columns: Iterable[tuple[str, ColumnType]], path: str) -> Schema:
        """Names are told apart without regard to case, as the engine does."""
        schema: Schema = {}
        taken: set[str] = set()
        for name, type in columns:
            if name.casefold() in taken:
                self._note(COLUMN_DUPLICATE, path, f"Two columns would be called {name!r}.")
            taken.add(name.casefold())
            schema[name] = type
        return schema

    def _groups(self, by: Sequence[str], schema: Schema) -> list[tuple[str, ColumnType]]:
        return [(name, self._known(name, schema, f"by.{place}") or ColumnType.TEXT) for place, name in enumerate(by)]

    def _measures(self, measures: Sequence[Measure], schema: Schema) -> Iterator[tuple[str, ColumnType]]:
        for place, measure in enumerate(measures):
            yield measure.name, self._measured(measure, schema, f"measures.{place}.column")

    def _measured(self, measure: Measure, schema: Schema, path: str) -> ColumnType:
        name, function = measure.column, measure.function
        if name is None:
            if function is not Function.COUNT:
                self._note(COLUMN_UNKNOWN, path, f"{function} needs a column.")
            return ColumnType.INTEGER
        if function in (Function.COUNT, Function.DISTINCT):
            self._known(name, schema, path)
            return ColumnType.INTEGER
        if function in (Function.LEAST, Function.MOST):
            return self._known(name, schema, path) or ColumnType.TEXT
        found = self._numeric(name, schema, path)
        return found if function is Function.SUM else ColumnType.NUMBER

    def _condition(self, condition: Condition, schema: Schema, path: str) -> None:
        type = self._known(condition.column, schema, f"{path}.column")
        if type is None:
            return
        test, given = condition.test, len(condition.values)
        wrong = given if test in OF_NOTHING else given < 1 if test in OF_MANY else given != 1
        if wrong:
            self._note(VALUE_WRONG, f"{path}.values", f"The test {test} does not take {given} value(s).")
        if test in OF_TEXT and type is not ColumnType.TEXT:
            self._note(COLUMN_TYPE, f"{path}.column", f"Column {condition.column!r} is {type}, and text is needed.")
        if test in ORDERED and type is ColumnType.BOOLEAN:
            self._note(COLUMN_TYPE, f"{path}.column", f"Column {condition.column!r} has no order.")
        for place, value in enumerate(condition.values):
            if not comparable(value, type):
                self._note(
                    VALUE_WRONG,
                    f"{path}.values.{place}",
                    f"Column {condition.column!r} is {type}: compare it with one.",
                )

    def _formula(self, formula: Formula, schema: Schema) -> ColumnType:
        match formula:
            case Arithmetic(left=left, operator=operator, right=right):
                types = [self._operand(left, schema, "left"), self._operand(right, schema, "right")]
                whole = operator != "/" and all(type is ColumnType.INTEGER for type in types)
                return ColumnType.INTEGER if whole else ColumnType.NUMBER
            case DatePart(column=name, part=part):
                if part == "hour":
                    self._typed(name, schema, "formula.column", lambda type: type is ColumnType.TIMESTAMP, "a time")
                else:
                    self._typed(name, schema, "formula.column", lambda type: type.is_temporal, "a date or a time")
                return ColumnType.INTEGER
            case ToNumber(column=name):
                self._typed(name, schema, "formula.column", lambda type: type is ColumnType.TEXT, "text")
                return ColumnType.NUMBER
            case Share(column=name, within=within):
                self._numeric(name, schema, "formula.column")
                self._within(within, schema)
                return ColumnType.NUMBER
            case Change(column=name, along=along, within=within) | Running(column=name, along=along, within=within):
                type = self._numeric(name, schema, "formula.column")
                self._known(along, schema, "formula.along")
                self._within(within, schema)
                percent = isinstance(formula, Change) and formula.form == "percent"
                return ColumnType.NUMBER if percent else type

    def _operand(self, operand: str | int | float, schema: Schema, path: str) -> ColumnType:
        if isinstance(operand, str):
            return self._numeric(operand, schema, f"formula.{path}")
        return ColumnType.INTEGER if isinstance(operand, int) else ColumnType.NUMBER

    def _within(self, within: Sequence[str], schema: Schema) -> None:
        for place, name in enumerate(within):
            self._known(name, schema, f"formula.within.{place}")

    def _join(self, join: Join, left: Schema, right: Schema) -> Schema:
        for place, key in enumerate(join.on):
            ours = self._known(key.left, left, f"on.{place}.left")
            theirs = self._known(key.right, right, f"on.{place}.right")
            if ours and theirs and not joinable(ours, theirs):
                self._note(COLUMN_TYPE, f"on.{place}", f"{key.left!r} is {ours}, and {key.right!r} is {theirs}.")
        added = [(new, right[old]) for old, new in joined_names(join, left, right)]
        return self._joined([*left.items(), *added], "on")

    def _chart(self, chart: Chart, schema: Schema) -> None:
        self._known(chart.x, schema, "x")
        for place, name in enumerate(chart.y):
            self._numeric(name, schema, f"y.{place}")
        if chart.series is not None:
            self._known(chart.series, schema, "series")
            if len(chart.y) > 1 or chart.series == chart.x:
                self._note(VALUE_WRONG, "series", "A chart with series has one value, and another column along x.")


def joinable(left: ColumnType, right: ColumnType) -> bool:
    """Whether values of the two types can be the same."""
    return left is right or (left.is_numeric and right.is_numeric)


def joined_names(join: Join, left: Schema, right: Schema) -> list[tuple[str, str]]:
    """The columns that a join adds: (name on the right, name in the result). A name that is taken gets the first number
    behind it, from 2 on, that makes it free."""
    keys = {key.right for key in join.on}
    taken = {name.casefold() for name in (*left, *(name for name in right if name not in keys))}
    named = []
    for name in right:
        if name in keys:
            continue
        new = name
        if name.casefold() in {each.casefold() for each in left}:
            new = next(made for n in count(2) if (made := f"{name}_{n}").casefold() not in taken)
            taken.add(new.casefold())
        named.append((name, new))
    return named


def comparable(value: Value, type: ColumnType) -> bool:
    """Whether a column of this type can be compared with the value."""
    if isinstance(value, bool):
        return type is ColumnType.BOOLEAN
    if isinstance(value, int | float):
        return type.is_numeric
    if type.is_temporal:
        return as_moment(value) is not None
    return type is ColumnType.TEXT


def as_moment(text: str) -> date | datetime | None:
    """An ISO date, or a time without a zone, from year 1 on; else ``None``."""
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            moment = read(text)
        except ValueError:
            continue
        return None if isinstance(moment, datetime) and moment.tzinfo else moment
    return None
