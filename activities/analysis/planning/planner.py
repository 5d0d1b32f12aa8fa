"""Who drafts plans, and the embedded planner: deterministic, offline, and honest about what it did not understand."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from activities.analysis.planning.intent import Growth, Intent, RequestedMeasure, Where
from activities.analysis.planning.reading import GOAL, GOAL_ASKED, read
from activities.analysis.planning.requirement import slug
from activities.analysis.planning.unread import UNREAD, reworded
from activities.analysis.planning.words import Column
from domain.analyses.plan import Plan, PlanSource, Question, Unknown
from domain.analyses.plan_meaning import meaning_issues, tells_apart
from domain.analyses.plan_rules import check_plan, joinable
from domain.analyses.steps import (
    MAX_STEPS,
    Aggregate,
    Arithmetic,
    Change,
    Chart,
    Condition,
    Derive,
    Filter,
    Function,
    Join,
    Key,
    Load,
    Measure,
    Operation,
    Order,
    Running,
    Share,
    Sort,
    Step,
    Summary,
    Test,
    ToNumber,
    Trend,
)
from domain.analyses.table import ColumnProfile, ColumnType, TableProfile

Stop = Callable[[], bool | None]
"""Asked while a model's answer is awaited: returns true, or raises, to give it up."""

NO_KEYS = frozenset(("id", "name", "date", "nr", "no", "number", "key", "code", "title", "row"))
"""Names that two tables have without meaning the same."""
MOST_BESIDE_TIME = 2
"""Groups of a trend."""
MOST_WORDINGS = 5
"""In which a requirement may be put, one after the other."""


class Planner(Protocol):
    """Drafts a plan; stores nothing."""

    def draft(
        self,
        requirement: str,
        tables: Sequence[TableProfile],
        *,
        answers: Mapping[str, str] | None = None,
        stop: Stop | None = None,
    ) -> Plan:
        """A plan that :func:`domain.analyses.plan_rules.check_plan` lets pass.

        Args:
            requirement: What somebody wants to know, in words.
            tables: At least one.
            answers: What was answered to questions of an earlier draft, by their ids.
            stop: See :data:`Stop`.

        Raises:
            ProviderError: A model's provider failed; the taxonomy says whether to try again.
        """
        ...


class EmbeddedPlanner:
    """Reads English requirements by their words. No state."""

    def draft(
        self,
        requirement: str,
        tables: Sequence[TableProfile],
        *,
        answers: Mapping[str, str] | None = None,
        stop: Stop | None = None,
    ) -> Plan:
        """See :meth:`Planner.draft`. The same requirement, tables and answers give the same plan."""
        known = dict(answers or {})
        # nothing was understood where it was asked what is to be computed: the answer is the requirement
        goal = known.get(GOAL, "").strip()
        intent = _read(goal or requirement, tables, known)
        if goal and not any(question.id == GOAL for question in intent.questions):
            intent.questions.insert(0, Question(id=GOAL, text=GOAL_ASKED, blocking=True, answer=goal[:500]))
        plan = _Building(intent, tables).plan(requirement)
        check_plan(plan, tables)
        return _judged(plan, tables)


def _judged(plan: Plan, tables: Sequence[TableProfile]) -> Plan:
    """The plan, which cannot be confirmed where it would answer something else than what was asked."""
    issues = meaning_issues(plan, tables)
    known = {unknown.id for unknown in plan.unknowns}
    found = {f"meaning_{place}": issue.message for place, issue in enumerate(issues[:5], start=1)}
    more = tuple(Unknown(id=id, text=text) for id, text in found.items() if id not in known)
    return plan.model_copy(update={"unknowns": (*plan.unknowns, *more)[:20]}) if more else plan


def _read(requirement: str, tables: Sequence[TableProfile], answers: Mapping[str, str]) -> Intent:
    """What is asked for, in the words that the answers put it in."""
    asked: list[Question] = []
    for _ in range(MOST_WORDINGS):
        intent = read(requirement, tables, answers)
        wording = reworded([each for each in intent.questions if each.id not in {one.id for one in asked}], answers)
        if wording is None:
            break
        asked += [each for each in intent.questions if each.id.startswith(UNREAD)]
        requirement = wording
    known = {question.id for question in intent.questions}
    intent.questions = [*(each for each in asked if each.id not in known), *intent.questions]
    return intent


class _Building:
    """Turns an intent into steps, one behind the other."""

    def __init__(self, intent: Intent, tables: Sequence[TableProfile]) -> None:
        self._intent = intent
        self._tables = tables
        self._steps: list[Step] = []
        self._base = self._base_table()

    def plan(self, requirement: str) -> Plan:
        self._rows()
        self._conditions(self._intent.where, having=False)
        self._computed()
        if self._intent.measures and not self._intent.rows:
            self._gathered()
        elif self._intent.rows or self._intent.where or self._intent.product is not None:
            self._listed()
        nothing = len(self._steps) == 1 and isinstance(self._steps[0].operation, Load)
        if nothing or (self._intent.summary and not self._intent.measures):
            self._add("summary", "Summary", Summary())
        return Plan(
            requirement=requirement,
            steps=tuple(self._steps[:MAX_STEPS]),
            questions=tuple(self._intent.questions[:20]),
            unknowns=tuple(self._intent.unknowns[:20]),
            assumptions=tuple(self._intent.assumptions[:20]),
            plan_source=PlanSource.EMBEDDED,
            why=self._why(),
        )

    # --- rows ------------------------------------------------------------------------------------------------------

    def _rows(self) -> None:
        """Load the tables that are spoken of, and join those that are not the first."""
        wanted = [self._base, *sorted({column.table for column in self._columns()} - {self._base})]
        joined = [(table, key) for table in wanted[1:] if (key := self._key(table)) is not None]
        self._check_fan_out(joined)
        for table, _ in [(self._base, None), *joined]:
            name = self._tables[table].name
            id = "load" if not joined else self._id(f"load_{slug(name)}")
            self._steps.append(Step(id=id, title=f"All rows of {name}", operation=Load(table=name)))
        for place, (table, key) in enumerate(joined, start=1):
            needs = (self._steps[0].id if place == 1 else self._steps[-1].id, self._steps[place].id)
            name = self._tables[table].name
            join = Join(on=(Key(left=key, right=key),), how="left")
            step = Step(id=self._id(f"join_{slug(name)}"), title=f"With {name}", needs=needs, operation=join)
            self._steps.append(step)
            self._intent.assumptions += [
                f"Rows are joined with {name} by {key}.",
                f"Rows that find none in {name} are kept, with nothing in its columns.",
            ]

    def _check_fan_out(self, joined: Sequence[tuple[int, str]]) -> None:
        """A number of a joined table stands in each of the base's rows that find it, and would count as often."""
        for asked in self._intent.measures:
            if asked.column is not None and asked.column.table in {table for table, _ in joined}:
                theirs, ours = self._tables[asked.column.table].name, self._tables[self._base].name
                text = f"{asked.column.name} lies in {theirs} and other numbers in {ours}. Ask for them one at a time."
                self._intent.unknowns.append(Unknown(id=self._id(f"apart_{slug(asked.column.name)}"), text=text))

    def _base_table(self) -> int:
        """The table of the numbers; else that of what is spoken of most, the largest first."""
        measured = [asked.column.table for asked in self._intent.measures if asked.column is not None]
        if self._intent.product is not None:
            measured.append(self._intent.product.left.table)
        spoken = [column.table for column in self._columns()]
        if measured:
            return measured[0]
        if self._intent.counted is not None:
            return self._intent.counted
        largest = sorted(range(len(self._tables)), key=lambda table: -self._tables[table].rows)
        return max(largest, key=lambda table: (spoken.count(table), self._tables[table].rows))

    def _columns(self) -> list[Column]:
        intent = self._intent
        found = [*intent.groups, *(where.column for where in intent.where)]
        found += [asked.column for asked in intent.measures if asked.column is not None]
        found += [column for column in (intent.time if intent.every else None, intent.sorted_by) if column is not None]
        if intent.product is not None:
            found += [intent.product.left, intent.product.right]
        return found

    def _key(self, table: int) -> str | None:
        """The column by which the base's rows find one of the table: of the same name in both, unique there."""
        ours = {column.name: column.type for column in self._tables[self._base].columns}
        theirs = self._tables[table]
        of_types = []
        for column in theirs.columns:
            same = column.name in ours and column.name not in NO_KEYS
            if same and tells_apart(theirs, column) and column.distinct:
                if joinable(ours[column.name], column.type):
                    self._compare_keys(table, column.name)
                    return column.name
                of_types.append(column.name)
        name = self._tables[self._base].name
        text = (
            f"The tables {name} and {theirs.name} have no column in common that tells the rows of {theirs.name} apart."
            if not of_types
            else f"{of_types[0]} is {ours[of_types[0]].value} in {name} and something else in {theirs.name}: "
            "write it in one way in both."
        )
        self._intent.unknowns.append(Unknown(id=self._id(f"join_{slug(theirs.name)}"), text=text))
        return None

    def _compare_keys(self, table: int, key: str) -> None:
        """Say which of the base's keys the other table does not have, as far as all are known."""
        ours, theirs = (self._tables[place].column(key) for place in (self._base, table))
        lost = [value for value in ours.values if value not in theirs.values] if theirs.values else []
        if ours.type.is_numeric and _never_meet(ours, theirs):
            lost = [f"{ours.minimum} to {ours.maximum}"]
        if not lost:
            return
        name = self._tables[table].name
        words = ", ".join(f"\u201c{value}\u201d" for value in lost[:3])
        if len(lost) == max(len(ours.values), 1):
            text = f"None of {key} of {self._tables[self._base].name} ({words}) is in {name}: write them in one way."
            self._intent.unknowns.append(Unknown(id=self._id(f"keys_{slug(name)}"), text=text))
        else:
            self._intent.assumptions.append(f"{len(lost)} of {len(ours.values)} {key} are not in {name}: {words}.")

    def _conditions(self, wheres: Sequence[Where], *, having: bool) -> None:
        conditions = [
            Condition(column=self._name(where), test=where.test, values=where.values)
            for where in wheres
            if where.having == having and self._at_hand(where.column)
        ]
        if conditions:
            title = "The groups that are meant" if having else "The rows that are meant"
            self._add("filter_groups" if having else "filter", title, Filter(conditions=tuple(conditions[:10])))

    def _name(self, where: Where) -> str:
        """Of a condition on groups, the column of their number."""
        if not where.having:
            return where.column.name
        return next((asked.name for asked in self._intent.measures if asked.column == where.column), where.column.name)

    def _at_hand(self, column: Column) -> bool:
        """Whether the rows have the column: its table may not have been joined."""
        loaded = {step.operation.table for step in self._steps if isinstance(step.operation, Load)}
        return self._tables[column.table].name in loaded

    def _computed(self) -> None:
        product = self._intent.product
        if product is not None:
            formula = Arithmetic(left=product.left.name, operator=product.operator, right=product.right.name)
            self._add("compute", f"{_title(product.name)}", Derive(column=product.name, formula=formula))
        for asked in self._intent.measures:
            column = asked.column
            if column is None or column.profile.type is not ColumnType.TEXT or asked.function is Function.DISTINCT:
                continue
            name = f"{column.name}_number"[:60]
            operation = Derive(column=name, formula=ToNumber(column=column.name))
            self._add("numbers", f"{_title(column.name)} as numbers", operation)
            lost = 1 - column.profile.numeric_share
            self._intent.assumptions.append(
                f"{column.name} holds texts; {lost:.1%} of them are no numbers and are left out."
            )

    # --- numbers ---------------------------------------------------------------------------------------------------

    def _gathered(self) -> None:
        intent = self._intent
        groups = [column.name for column in intent.groups if self._at_hand(column)]
        measures = tuple(self._measures(groups))
        first = measures[0].name
        period = None
        if intent.every is not None and intent.time is not None and self._at_hand(intent.time):
            period = intent.every.value
            groups = [name for name in groups if name != period]
            if len(groups) > MOST_BESIDE_TIME:
                text = f"At most {MOST_BESIDE_TIME} groups fit beside a period. Leave out one of {', '.join(groups)}."
                self._intent.unknowns.append(Unknown(id="groups", text=text))
            groups = groups[:MOST_BESIDE_TIME]
            trend = Trend(time=intent.time.name, every=intent.every, by=tuple(groups), measures=measures)
            self._add("trend", _headline(measures, [period, *groups]), trend)
        else:
            id = f"by_{'_and_'.join(slug(name) for name in groups)}"[:40].rstrip("_") if groups else "total"
            self._add(id, _headline(measures, groups), Aggregate(by=tuple(groups), measures=measures))
        self._conditions(intent.where, having=True)
        if intent.growth is not None and period is not None:
            self._grown(intent.growth, first, period, groups)
            return
        numbers = [measure.name for measure, asked in zip(measures, intent.measures, strict=True) if _is_number(asked)]
        derived = self._derived(numbers[0], period, groups) if numbers else None
        self._sorted(first, groups)
        if numbers:
            self._chart(numbers, derived, period, groups)

    def _measures(self, groups: Sequence[str]) -> list[Measure]:
        taken = {name.casefold() for name in groups} | ({self._intent.every.value} if self._intent.every else set())
        measures = []
        for asked in self._intent.measures:
            name = asked.name
            while name.casefold() in taken:
                name = f"{name[:57]}_2"
            taken.add(name.casefold())
            measures.append(Measure(function=asked.function, column=self._measured(asked), name=name))
        return measures

    def _measured(self, asked: RequestedMeasure) -> str | None:
        if asked.column is None:
            return asked.product
        if asked.column.profile.type is ColumnType.TEXT and asked.function is not Function.DISTINCT:
            return f"{asked.column.name}_number"[:60]
        return asked.column.name

    def _derived(self, first: str, period: str | None, groups: Sequence[str]) -> str | None:
        """A share, a change, a running total; its column."""
        intent = self._intent
        name: str | None = None
        if intent.share and (groups or period):
            name = f"share_of_{first}"[:60]
            within = (period,) if period and groups else ()
            self._add(
                "share",
                f"Share of {_words(first)}, percent",
                Derive(column=name, formula=Share(column=first, within=within)),
            )
        if intent.change and period:
            name = f"change_of_{first}"[:60]
            intent.assumptions.append("A change is that since the last period that has rows; from 0 there is none.")
            formula = Change(column=first, along=period, within=tuple(groups))
            self._add("change", f"Change of {_words(first)}, percent", Derive(column=name, formula=formula))
        if intent.running and period:
            name = f"running_{first}"[:60]
            total = Running(column=first, along=period, within=tuple(groups))
            operation = Derive(column=name, formula=total)
            self._add("running", f"Running {_words(first)}", operation)
        return name if intent.running else (name if intent.share else None)

    def _grown(self, growth: Growth, number: str, period: str, groups: Sequence[str]) -> None:
        """Groups by what became of their number from one period to another."""
        ends = (growth.begin.isoformat(), growth.end.isoformat())
        both = Condition(column=period, test=Test.ONE_OF, values=ends)
        self._add("both_periods", "The two periods", Filter(conditions=(both,)))
        name = f"growth_of_{number}"[:60]
        change = Change(column=number, along=period, within=tuple(groups), form=growth.form)
        self._add("growth", f"Growth of {_words(number)}", Derive(column=name, formula=change))
        last = Condition(column=period, test=Test.EQUALS, values=ends[1:])
        self._add("grown", "What became of them", Filter(conditions=(last,)))
        self._add_order(Order(column=name, descending=self._intent.descending is not False))

    def _sorted(self, first: str, groups: Sequence[str]) -> None:
        intent = self._intent
        if intent.first is None and intent.sorted_by is None and intent.descending is not True:
            return
        column = first
        if intent.sorted_by is not None and intent.sorted_by.name in groups:
            column = intent.sorted_by.name
        descending = intent.descending if intent.descending is not None else column == first
        if groups or intent.first is not None:
            self._add_order(Order(column=column, descending=bool(descending)))

    def _chart(self, measures: Sequence[str], derived: str | None, period: str | None, groups: Sequence[str]) -> None:
        intent = self._intent
        if intent.no_chart or not (groups or period) or intent.first == 1 or len(self._steps) >= MAX_STEPS:
            return
        x = period or groups[0]
        others = [*groups] if period else list(groups[1:])
        kind = intent.chart or ("line" if period else "bar")
        y = (
            (derived,)
            if derived is not None and not others
            else tuple(measures[:1] if others else self._alike(measures))
        )
        series = others[0] if others else None
        if len(others) > 1:
            return  # no picture shows three groups
        title = f"{_title(y[0])} by {' and '.join(_words(name) for name in [x, *others])}"
        self._add("chart", title, Chart(kind=kind, x=x, y=y, series=series))

    def _alike(self, measures: Sequence[str]) -> list[str]:
        """Those that share a scale: of one function."""
        functions = {asked.name: asked.function for asked in self._intent.measures}
        first = functions.get(measures[0])
        return [name for name in measures if functions.get(name) is first][:4]

    def _listed(self) -> None:
        """The rows themselves."""
        intent = self._intent
        measured = next((asked.column for asked in intent.measures if asked.column is not None), None)
        named = intent.sorted_by or measured
        column = named.name if named is not None else None
        if intent.product is not None:
            column = intent.product.name
        if column is not None and (intent.first is not None or intent.sorted_by is not None):
            self._add_order(Order(column=column, descending=intent.descending is not False))

    # --- steps -----------------------------------------------------------------------------------------------------

    def _add_order(self, order: Order) -> None:
        """The rows in an order, or the first of them."""
        first = self._intent.first
        way = "descending" if order.descending else "ascending"
        rows = f"First {'one' if first == 1 else first} by" if first else "In order of"
        step = "top" if first else "sort"
        self._add(step, f"{rows} {_words(order.column)}, {way}", Sort(by=(order,), limit=first))

    def _add(self, id: str, title: str, operation: Operation) -> None:
        step = Step(id=self._id(id), title=title[:200], needs=(self._steps[-1].id,), operation=operation)
        self._steps.append(step)

    def _id(self, wanted: str) -> str:
        base = wanted[:36].strip("_") or "step"
        base = base if base[0].isalpha() else f"s_{base}"
        taken = {step.id for step in self._steps}
        return next(id for id in (base, *(f"{base}_{n}" for n in range(2, 99))) if id not in taken)

    def _why(self) -> str:
        understood = "; ".join(self._intent.understood)
        recognised = f"It recognised: {understood}." if understood else "It recognised nothing in the requirement."
        return f"Drafted by the built-in planner, which matches words to columns. {recognised}"[:500]


def _never_meet(ours: ColumnProfile, theirs: ColumnProfile) -> bool:
    """Whether all numbers of one column are below all of the other."""
    ends = [each.minimum or "nan" for each in (ours, theirs)] + [each.maximum or "nan" for each in (ours, theirs)]
    try:
        least, their_least, most, their_most = map(float, ends)
    except ValueError:
        return False
    return most < their_least or their_most < least


def _is_number(asked: RequestedMeasure) -> bool:
    """Whether what is asked for is a number: the latest of dates is none."""
    extreme = asked.function in (Function.LEAST, Function.MOST)
    return not (extreme and asked.column is not None and asked.column.profile.type.is_temporal)


def _headline(measures: Sequence[Measure], groups: Sequence[str]) -> str:
    named = " and ".join(_words(measure.name) for measure in measures[:3])
    return _title(f"{named} by {' and '.join(map(_words, groups))}" if groups else named)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _title(name: str) -> str:
    words = _words(name)
    return words[:1].upper() + words[1:]
