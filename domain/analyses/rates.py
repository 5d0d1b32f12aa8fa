"""What is to be known of numbers that have no sum, or no average, by themselves: rates, parts, what there is at a time.

Ten times 12% is not 120%, and the average of two rates is that of all only where both are of as many.
"""

import re
from collections.abc import Collection, Iterator, Mapping

from domain.analyses.steps import Arithmetic, Function, Measure
from domain.analyses.table import ColumnProfile, ColumnType, Note, TableProfile
from domain.analyses.units import is_percent, word_set

RATES_ADDED = "RATES_ADDED"
RATES_AVERAGED = "RATES_AVERAGED"
RATES_MIXED = "RATES_MIXED"
STATES_ADDED = "STATES_ADDED"
WEIGHTS_IGNORED = "WEIGHTS_IGNORED"

COMPUTED = frozenset({Function.SUM, Function.MEAN, Function.MEDIAN})
_RATES = word_set(
    "rate percent percentage pct share ratio margin average avg mean median score rating temperature temp rank ranking"
    " position percentile grade stars index age latitude longitude lat lon lng speed density growth conversion ph bmi"
    " year jahr année annee anno año ano rok weekday celsius fahrenheit kelvin humidity pressure"
)
_PARTS = word_set("rate percent percentage pct share ratio margin growth conversion discount")
_OF_ONE = word_set("unit per each")
"""Words of headings that say that a price is that of one."""
_OF_MANY = word_set("quantity qty units pieces menge")
_PRICES = word_set("price cost rate fee")
MOST_OF_ONE = 2
"""A growth or a rate that is larger is in percent."""
FEWEST_PARTS = 3
"""Different numbers of a column from which on it can be seen that they are all parts of one, or count on."""
_STATES = word_set(
    "balance saldo kontostand stock inventory bestand headcount ytd cumulative running population close closing"
    " odometer mileage kilometerstand zählerstand counter"
)
_COORDINATES = word_set("x y z")
_WEIGHTS = word_set(
    "weight weights weighting gewicht gewichtung poids pondération peso population einwohner inhabitants coefficient"
)
"""Words of headings that may say how much a row counts."""


def sums_and_averages(function: Function, table: TableProfile, column: ColumnProfile) -> Iterator[Note]:
    """What is said of sums and averages of numbers that have none by themselves."""
    words = set(column.name.split("_"))
    percent = is_percent(table, column)
    beside = {word for each in table.columns if each.type.is_numeric for word in each.name.split("_")}
    of_one = bool(words & _PRICES and (words & _OF_ONE or beside & _OF_MANY))
    if words & _PARTS and function in COMPUTED and _has_parts_and_more(column):
        text = f"{column.name} goes from {column.minimum} to {column.maximum}: parts of one and percent may be mixed."
        yield Note(code=RATES_MIXED, message=text)
    axes = _COORDINATES & {each.name for each in table.columns}
    rate = percent or of_one or "%" in column.original or bool(words & _RATES)
    rate = rate or (column.name in axes and len(axes) > 1)
    if rate and function is Function.SUM:
        text = f"{column.name} looks like rates or averages, which are added up here as they stand."
        yield Note(code=RATES_ADDED, message=text)
    elif rate and function is Function.MEAN and table.rows > 1:
        text = f"{column.name} looks like rates or averages: in their average each row counts the same."
        yield Note(code=RATES_AVERAGED, message=text)
    elif function is Function.SUM and (kind := _kind_without_a_sum(table, column)):
        yield Note(code=RATES_ADDED, message=f"{column.name} {kind}: they are added up here as they stand.")
    elif words & _STATES and function is Function.SUM:
        text = f"{column.name} looks like what there was at a time: of several times, it is added up as often."
        yield Note(code=STATES_ADDED, message=text)


def unweighted(
    measure: Measure, table: TableProfile, column: ColumnProfile, measured: Collection[str | None]
) -> Iterator[Note]:
    """A column beside an average that may say how much each row counts in it."""
    if measure.function not in (Function.MEAN, Function.MEDIAN) or table.rows < 2:
        return
    for other in table.columns:
        weighs = other.type.is_numeric and other.distinct > 1 and _WEIGHTS.intersection(other.name.split("_"))
        if weighs and other != column and other.name not in measured:
            text = f"{other.name} may say how much a row counts; in {measure.name} each counts the same."
            yield Note(code=WEIGHTS_IGNORED, message=text)


def factor_in_percent(
    formula: Arithmetic, before: Mapping[str, tuple[TableProfile, ColumnProfile]], made: str
) -> Iterator[Note]:
    """12% that something is multiplied by, or divided by, as 12."""
    for side in (formula.left, formula.right):
        if formula.operator in "*/" and isinstance(side, str) and side in before and is_percent(*before[side]):
            column = before[side][1]
            if not _is_of_one(column):
                text = f"{column.name} is percent: in {made} the number before the sign counts, 12 of 12%."
                yield Note(code=RATES_MIXED, message=text)


def _is_of_one(column: ColumnProfile) -> bool:
    """Whether percent are stored as parts of one."""
    try:
        return abs(float(column.maximum or 0)) <= 1
    except ValueError:
        return False


def _has_parts_and_more(column: ColumnProfile) -> bool:
    try:
        return 0 < float(column.minimum or 0) < 1 and float(column.maximum or 0) > MOST_OF_ONE
    except ValueError:
        return False


def _kind_without_a_sum(table: TableProfile, column: ColumnProfile) -> str:
    """What the numbers look like, where that has no sum."""
    least, most = column.minimum or "", column.maximum or ""
    if column.distinct < FEWEST_PARTS:
        return ""
    if column.type is ColumnType.NUMBER and least.startswith("0.") and re.fullmatch(r"0\.\d+|1(?:\.0+)?", most):
        return "holds parts of one"
    filled = table.rows - column.nulls
    counts_on = column.type is ColumnType.INTEGER and least == "1" and most == str(filled) == str(column.distinct)
    return f"holds 1 to {filled}, each once, as ranks do" if counts_on else ""
