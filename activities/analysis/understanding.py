"""What was understood of a question, in words: read off the plan, whoever made it.

A person who has never seen a plan can say from it whether the answer will be theirs: what is computed of which column,
for each of what, over which time, of which rows, what is left out, and what was guessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from activities.analysis.wording import in_words
from domain.analyses.plan import Plan
from domain.analyses.plan_meaning import Origins, origins
from domain.analyses.plan_rules import in_order
from domain.analyses.steps import Aggregate, Derive, Filter, Function, Join, Load, Measure, Sort, Step, Summary, Trend
from domain.analyses.table import Note, TableProfile

_FUNCTIONS = {
    Function.COUNT: "the number of values in",
    Function.DISTINCT: "the number of different values in",
    Function.SUM: "the total of",
    Function.MEAN: "the average of",
    Function.MEDIAN: "the median of",
    Function.LEAST: "the least of",
    Function.MOST: "the most of",
}
_LEFT_OUT = frozenset(
    (
        "PREAMBLE_SKIPPED",
        "REMARKS_LEFT_OUT",
        "REMARKS_AMONG_LEFT_OUT",
        "HEADING_REPEATED",
        "TOTALS_LEFT_OUT",
        "SHEETS_HIDDEN",
        "COLUMN_LEFT_OUT",
        "CONTROL_CHARACTERS_REMOVED",
    )
)
"""Notes of what of the inputs is not computed with."""
_TAKEN_FOR = frozenset(("DURATIONS_AS_HOURS", "DATE_ORDER_OF_FILE", "ZONE_AS_WRITTEN", "TOTALS_SUSPECTED"))
"""Notes of what could be meant otherwise, beside those that say that they are guesses."""


@dataclass(frozen=True, slots=True)
class Understood:
    """``aspect`` is one of Data, Computed, For each, Period, Rows, Order, Left out, Guessed, To know; ``words`` are
    sentences without a full stop, or with one where they are somebody's."""

    aspect: str
    words: tuple[str, ...]


def understood(plan: Plan, tables: Sequence[TableProfile]) -> tuple[Understood, ...]:
    """The plan in words, aspect by aspect; those of which there is nothing to say are not there."""
    known = origins(plan, {table.name: table for table in tables})
    read: dict[str, dict[str, None]] = {}
    for step in in_order(plan):
        before = known.get(step.needs[0], {}) if step.needs else {}
        for aspect, words in _of_step(step, before, tables):
            read.setdefault(aspect, {})[words] = None
    for note in plan.warnings:
        read.setdefault(_aspect_of(note), {})[note.message] = None
    for assumption in plan.assumptions:
        read.setdefault("Guessed", {})[assumption] = None
    return tuple(
        Understood(aspect, tuple(read[aspect]))
        for aspect in (*_PLANNED, "Left out", "Guessed", "To know")
        if aspect in read
    )


_PLANNED = ("Data", "Computed", "For each", "Period", "Rows", "Order")


def _aspect_of(note: Note) -> str:
    if note.code in _LEFT_OUT:
        return "Left out"
    return "Guessed" if note.code.endswith("_GUESSED") or note.code in _TAKEN_FOR else "To know"


def _of_step(step: Step, before: Origins, tables: Sequence[TableProfile]) -> Iterator[tuple[str, str]]:
    match step.operation:
        case Load(table=name):
            table = next((each for each in tables if each.name == name), None)
            if table is not None:
                yield "Data", f"{table.source}, {table.rows:,} rows"
        case Join() as join:
            yield "Data", f"joined by {', '.join(key.left for key in join.on)}: {in_words(join)}"
        case Filter() as chosen:
            yield "Rows", in_words(chosen).replace("rows where", "only those where", 1)
        case Derive() as derived:
            yield "Computed", in_words(derived)
        case Aggregate(by=by, measures=measures):
            yield from _gathered(measures, by, before)
            if not by:
                yield "For each", "nothing: one answer over all rows"
        case Trend(time=time, every=every, by=by, measures=measures):
            yield from _gathered(measures, by, before)
            yield "Period", f"each {every.value} of {_column(time, before)}"
        case Sort() as sort:
            yield "Order", in_words(sort).replace("rows by", "by", 1)
        case Summary() as summary:
            yield "Computed", in_words(summary)
        case _:
            return


def _gathered(measures: Sequence[Measure], by: Sequence[str], before: Origins) -> Iterator[tuple[str, str]]:
    for measure in measures:
        if measure.column is None:
            yield "Computed", "the number of rows"
        else:
            yield "Computed", f"{_FUNCTIONS[measure.function]} {_column(measure.column, before)}"
    for name in by:
        yield "For each", _column(name, before)


def _column(name: str, before: Origins) -> str:
    """A column by its heading in the file, where that says more than its name."""
    if name not in before:
        return name.replace("_", " ")
    heading = before[name][1].original
    return name if heading.casefold() in (name, name.replace("_", " ")) or not heading else f"{name} (“{heading}”)"
