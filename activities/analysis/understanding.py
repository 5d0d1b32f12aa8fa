"""What was understood of a question, in words: read off the plan, whoever made it.

A person who has never seen a plan can say from it whether the answer will be theirs: what is computed of which column,
for each of what, over which time, of which rows, what is left out, and what was guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from activities.analysis.wording import SENTENCES, Say, conditions_in_words, in_words, named, order_in_words
from domain.analyses.plan import Plan
from domain.analyses.plan_meaning import Origins, origins
from domain.analyses.plan_rules import in_order
from domain.analyses.steps import (
    Aggregate,
    Derive,
    Every,
    Filter,
    Function,
    Join,
    Load,
    Measure,
    Sort,
    Step,
    Summary,
    Trend,
)
from domain.analyses.table import Note, TableProfile

_FUNCTIONS = {
    Function.COUNT: "the number of values in {column}",
    Function.DISTINCT: "the number of different values in {column}",
    Function.SUM: "the total of {column}",
    Function.MEAN: "the average of {column}",
    Function.MEDIAN: "the median of {column}",
    Function.LEAST: "the least of {column}",
    Function.MOST: "the most of {column}",
}
SAID: Mapping[str, str] = {
    **SENTENCES,
    "data": "{source}, {rows} rows",
    "joined": "joined by {keys}: {how}",
    "only": "only those where {conditions}",
    "all-rows": "the number of rows",
    **{named("computed", function): words for function, words in _FUNCTIONS.items()},
    "one-answer": "nothing: one answer over all rows",
    **{named("each", every): f"each {every} of {{column}}" for every in Every},
    "by": "by {order}",
    "headed": "{name} (\u201c{heading}\u201d)",
}
"""All that is said of a plan, by name: its steps, and what was understood."""


def english(name: str, /, **values: object) -> str:
    """The sentence of that name; numbers with their thousands apart."""
    return SAID[name].format(**{key: f"{each:,}" if isinstance(each, int) else each for key, each in values.items()})


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


def understood(plan: Plan, tables: Sequence[TableProfile], say: Say = english) -> tuple[Understood, ...]:
    """The plan in words, aspect by aspect; those of which there is nothing to say are not there. Notes and what was
    taken for granted are as they stand in the plan."""
    known = origins(plan, {table.name: table for table in tables})
    read: dict[str, dict[str, None]] = {}
    for step in in_order(plan):
        before = known.get(step.needs[0], {}) if step.needs else {}
        for aspect, words in _of_step(step, before, tables, say):
            read.setdefault(aspect, {})[words] = None
    for note in plan.warnings:
        read.setdefault(_aspect_of(note), {})[note.message] = None
    for assumption in plan.assumptions:
        read.setdefault("Guessed", {})[assumption] = None
    return tuple(Understood(aspect, tuple(read[aspect])) for aspect in (*PLANNED, *NOTED) if aspect in read)


PLANNED = ("Data", "Computed", "For each", "Period", "Rows", "Order")
"""Aspects that are read off the steps."""
NOTED = ("Left out", "Guessed", "To know")
"""Those that the planner and whoever read the tables have written down."""


def _aspect_of(note: Note) -> str:
    if note.code in _LEFT_OUT:
        return "Left out"
    return "Guessed" if note.code.endswith("_GUESSED") or note.code in _TAKEN_FOR else "To know"


def _of_step(step: Step, before: Origins, tables: Sequence[TableProfile], say: Say) -> Iterator[tuple[str, str]]:
    match step.operation:
        case Load(table=name):
            table = next((each for each in tables if each.name == name), None)
            if table is not None:
                yield "Data", say("data", source=table.source, rows=table.rows)
        case Join() as join:
            keys = ", ".join(key.left for key in join.on)
            yield "Data", say("joined", keys=keys, how=in_words(join, say))
        case Filter() as chosen:
            yield "Rows", say("only", conditions=conditions_in_words(chosen, say))
        case Derive() as derived:
            yield "Computed", in_words(derived, say)
        case Aggregate(by=by, measures=measures):
            yield from _gathered(measures, by, before, say)
            if not by:
                yield "For each", say("one-answer")
        case Trend(time=time, every=every, by=by, measures=measures):
            yield from _gathered(measures, by, before, say)
            yield "Period", say(named("each", every), column=_column(time, before, say))
        case Sort() as sort:
            yield "Order", say("by", order=order_in_words(sort, say))
        case Summary() as summary:
            yield "Computed", in_words(summary, say)
        case _:
            return


def _gathered(measures: Sequence[Measure], by: Sequence[str], before: Origins, say: Say) -> Iterator[tuple[str, str]]:
    for measure in measures:
        if measure.column is None:
            yield "Computed", say("all-rows")
        else:
            yield "Computed", say(named("computed", measure.function), column=_column(measure.column, before, say))
    for name in by:
        yield "For each", _column(name, before, say)


def _column(name: str, before: Origins, say: Say) -> str:
    """A column by its heading in the file, where that says more than its name."""
    if name not in before:
        return name.replace("_", " ")
    heading = before[name][1].original
    plain = heading.casefold() in (name, name.replace("_", " ")) or not heading
    return name if plain else say("headed", name=name, heading=heading)
