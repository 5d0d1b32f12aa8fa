"""What a requirement asks for, before it is a plan: the planner's own notes."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from activities.analysis.planning.words import Column
from domain.analyses.plan import Question, Unknown
from domain.analyses.steps import Every, Function, Test, Value


@dataclass(frozen=True)
class RequestedMeasure:
    """A number that is asked for; without a column that of rows, or of the column that is computed first."""

    function: Function
    column: Column | None
    product: str | None = None

    @property
    def name(self) -> str:
        name = self.product if self.column is None else self.column.name
        return "rows" if name is None else f"{_WORDS[self.function]}_{name}"[:60]


_WORDS = {
    Function.COUNT: "number_of",
    Function.DISTINCT: "number_of",
    Function.SUM: "total",
    Function.MEAN: "average",
    Function.MEDIAN: "median",
    Function.LEAST: "least",
    Function.MOST: "most",
}


@dataclass(frozen=True)
class Where:
    """A condition on the rows; ``having``: on the groups, whose number it names."""

    column: Column
    test: Test
    values: tuple[Value, ...] = ()
    having: bool = False


@dataclass(frozen=True)
class Product:
    """A column to compute first: ``left operator right``."""

    name: str
    left: Column
    operator: Literal["+", "-", "*", "/"]
    right: Column


@dataclass(frozen=True)
class Growth:
    """Groups ranked by what became of their number from one period to a later one; both by their first days."""

    every: Every
    begin: date
    end: date
    form: Literal["percent", "difference"]


@dataclass
class Intent:
    """``first``: only so many rows, the largest (``descending``) or the smallest."""

    measures: list[RequestedMeasure] = field(default_factory=list)
    groups: list[Column] = field(default_factory=list)
    every: Every | None = None
    time: Column | None = None
    where: list[Where] = field(default_factory=list)
    product: Product | None = None
    first: int | None = None
    descending: bool | None = None
    sorted_by: Column | None = None
    share: bool = False
    change: bool = False
    running: bool = False
    chart: Literal["bar", "line"] | None = None
    no_chart: bool = False
    summary: bool = False
    growth: Growth | None = None
    counted: int | None = None
    """The table whose rows are counted."""
    rows: bool = False
    """The rows themselves are wanted, not numbers of them."""
    questions: list[Question] = field(default_factory=list)
    unknowns: list[Unknown] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    """What was recognised, in words: why the plan is as it is."""
