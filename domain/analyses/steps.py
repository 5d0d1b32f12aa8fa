"""The steps of a plan, typed: what each operation says, and nothing of how it is computed.

No query language passes through a plan. What a step may ask of the tables is judged in
``domain/analyses/plan_rules.py``.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    StringConstraints,
)

from domain.analyses.table import Name

MAX_STEPS = 8
MAX_ROWS_KEPT = 100_000
"""Most rows that a sort may be asked to keep."""
REQUIREMENT_LIMIT = 4_000
"""Characters of a requirement."""
TEXT_LIMIT = 500
INTEGER_LIMIT = 2**63 - 1


class Strict(BaseModel):
    """Nothing unknown passes, and nothing is converted: a plan says what it means."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _finite(value: float) -> float:
    if isinstance(value, int) and abs(value) > INTEGER_LIMIT:
        raise ValueError("must fit 64 bits")
    if not math.isfinite(value):
        raise ValueError("must be finite")
    return value


def printable(text: str) -> str:
    """Line breaks and tabs are fine. NUL ends a text in some libraries, and lone surrogates cannot be written."""
    if "\0" in text or any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):
        raise ValueError("must be text")
    return text


Text = Annotated[StrictStr, StringConstraints(max_length=TEXT_LIMIT), AfterValidator(printable)]
StepId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Number = Annotated[StrictInt | StrictFloat, AfterValidator(_finite)]
Value = StrictBool | Number | Text
"""What a column is compared with. Dates and times as ISO 8601 text."""


class Load(Strict):
    """All rows of an input table."""

    op: Literal["load"] = "load"
    table: Name


class Test(StrEnum):
    EQUALS = "eq"
    DIFFERS = "ne"
    LESS = "lt"
    AT_MOST = "le"
    MORE = "gt"
    AT_LEAST = "ge"
    ONE_OF = "in"
    NONE_OF = "not_in"
    CONTAINS = "contains"
    STARTS_WITH = "starts_with"
    ENDS_WITH = "ends_with"
    IS_EMPTY = "is_null"
    HAS_VALUE = "not_null"


ORDERED = frozenset({Test.LESS, Test.AT_MOST, Test.MORE, Test.AT_LEAST})
OF_TEXT = frozenset({Test.CONTAINS, Test.STARTS_WITH, Test.ENDS_WITH})
OF_MANY = frozenset({Test.ONE_OF, Test.NONE_OF})
OF_NOTHING = frozenset({Test.IS_EMPTY, Test.HAS_VALUE})


class Condition(Strict):
    """Texts are compared without regard to case. ``ne`` and ``not_in`` let rows without a value pass."""

    column: Name
    test: Annotated[Test, Field(strict=False)]
    values: Annotated[tuple[Value, ...], Field(strict=False, max_length=100)] = ()


class Filter(Strict):
    """The rows that meet all, or any, of the conditions."""

    op: Literal["filter"] = "filter"
    match: Literal["all", "any"] = "all"
    conditions: Annotated[tuple[Condition, ...], Field(strict=False, min_length=1, max_length=10)]


class Arithmetic(Strict):
    """``left`` and ``right`` are columns (text) or constants. A division by zero gives no value."""

    kind: Literal["arithmetic"] = "arithmetic"
    left: Name | Number
    operator: Literal["+", "-", "*", "/"]
    right: Name | Number


class DatePart(Strict):
    """A number of a date: weekdays count from Monday = 1."""

    kind: Literal["date_part"] = "date_part"
    column: Name
    part: Literal["year", "quarter", "month", "week", "day", "weekday", "hour"]


class ToNumber(Strict):
    """A text as a number; no value where it is none."""

    kind: Literal["to_number"] = "to_number"
    column: Name


class Share(Strict):
    """Percent of the column's total: of all rows, or of the rows with the same ``within``."""

    kind: Literal["share"] = "share"
    column: Name
    within: Annotated[tuple[Name, ...], Field(strict=False, max_length=3)] = ()


class Change(Strict):
    """Against the row before, in the order of ``along``: the difference, or percent of the row before."""

    kind: Literal["change"] = "change"
    column: Name
    along: Name
    within: Annotated[tuple[Name, ...], Field(strict=False, max_length=3)] = ()
    form: Literal["difference", "percent"] = "percent"


class Running(Strict):
    """The total so far, in the order of ``along``."""

    kind: Literal["running"] = "running"
    column: Name
    along: Name
    within: Annotated[tuple[Name, ...], Field(strict=False, max_length=3)] = ()


Formula = Annotated[
    Arithmetic | DatePart | ToNumber | Share | Change | Running,
    Field(discriminator="kind"),
]


class Derive(Strict):
    """The rows with one more column."""

    op: Literal["derive"] = "derive"
    column: Name
    formula: Formula


class Function(StrEnum):
    COUNT = "count"
    DISTINCT = "count_distinct"
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    LEAST = "min"
    MOST = "max"


class Measure(Strict):
    """``count`` without a column counts rows, with one its values. ``name`` is the new column."""

    function: Annotated[Function, Field(strict=False)]
    column: Name | None = None
    name: Name


Measures = Annotated[tuple[Measure, ...], Field(strict=False, min_length=1, max_length=8)]


class Aggregate(Strict):
    """One row a group, in the order of the groups; without ``by`` one row in all."""

    op: Literal["aggregate"] = "aggregate"
    by: Annotated[tuple[Name, ...], Field(strict=False, max_length=4)] = ()
    measures: Measures


class Every(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Trend(Strict):
    """One row a period and group, in time's order. The period is a date, its first day, in a column named as it is
    long (``month``). Rows without a time are left out; a period without rows is not there."""

    op: Literal["trend"] = "trend"
    time: Name
    every: Annotated[Every, Field(strict=False)]
    by: Annotated[tuple[Name, ...], Field(strict=False, max_length=2)] = ()
    measures: Measures


class Key(Strict):
    left: Name
    right: Name


class Join(Strict):
    """The rows of the first needed step with those of the second that have the same key. The second's other columns
    are added, with a number behind their names (``_2``) where the first has such a name."""

    op: Literal["join"] = "join"
    on: Annotated[tuple[Key, ...], Field(strict=False, min_length=1, max_length=3)]
    how: Literal["inner", "left"] = "inner"


class Order(Strict):
    column: Name
    descending: bool = False


class Sort(Strict):
    """The rows in order, empty values last; the first ``limit`` of them."""

    op: Literal["sort"] = "sort"
    by: Annotated[tuple[Order, ...], Field(strict=False, min_length=1, max_length=4)]
    limit: Annotated[int, Field(ge=1, le=MAX_ROWS_KEPT)] | None = None


class Chart(Strict):
    """A picture of the rows. ``series`` draws one line, or one bar a group, for each of its values."""

    op: Literal["chart"] = "chart"
    kind: Literal["bar", "line"]
    x: Name
    y: Annotated[tuple[Name, ...], Field(strict=False, min_length=1, max_length=4)]
    series: Name | None = None


class Summary(Strict):
    """One row a column: its type, values, gaps, distinct values, least, most and mean. Without ``columns``: of all."""

    op: Literal["summary"] = "summary"
    columns: Annotated[tuple[Name, ...], Field(strict=False, max_length=100)] = ()


Operation = Annotated[
    Load | Filter | Derive | Aggregate | Trend | Join | Sort | Chart | Summary,
    Field(discriminator="op"),
]

NEEDS: Mapping[str, int] = {"load": 0, "join": 2}
"""How many steps an operation builds on, where it is not one."""


class Step(Strict):
    """``needs`` are the steps whose rows this one works on; a join's first is its left side."""

    id: StepId
    title: Annotated[Text, StringConstraints(min_length=1, max_length=200)]
    needs: Annotated[tuple[StepId, ...], Field(strict=False, max_length=2)] = ()
    operation: Operation
