"""What the values of a text column are: found by trying, on all of them, and converted without losing a digit.

CSV and workbooks hold texts; a column is a number or a date if every value of it is. Money stays exact: decimals become
DECIMAL, not floating point. Codes with leading zeros stay texts. Runs inside.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from activities.analysis.engine import Connection, count, one
from activities.analysis.sql_words import GROUPED, GROUPED_WITH_COMMA, bare_number, literal, quoted

SAMPLED = 2_000
"""Rows that decide which kinds are worth a look at all rows."""
MOST_DIGITS = 18
"""Of a DECIMAL that is as fast as an integer. Longer ones become floating point."""

MISSING = ("", "na", "n/a", "null", "none", "nan", "-", "--", "#n/a", "#null!", "#value!", "#ref!", "#div/0!", "#name?")
"""Texts that stand for no value in a column that is otherwise of one kind. In a text column only the empty one does."""

_LEADING_ZERO = r"^[+-]?0\d"
_INTEGER = r"^[+-]?\d{1,18}$"
_DECIMAL = r"^[+-]?(\d+\.?\d*|\.\d+)$"
_FLOAT = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$"

_ISO_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d")
_MONTHS = ("%Y-%m", "%b %Y", "%B %Y", "%b-%Y", "%Y/%m")
_NAMED = ("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%d. %B %Y", "%b %d %Y", "%B %d %Y")
_DAY_FIRST = ("%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d/%m/%y", "%d.%m.%y")
_MONTH_FIRST = ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y")
_CLOCKS = (" %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H:%M:%S.%f")
_ISO_TIME = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?( ?(Z|UTC|[+-]\d{2}(:?\d{2})?))?)?$"


@dataclass(frozen=True, slots=True)
class Kind:
    """``holds`` and ``value`` are SQL over a trimmed text ``t``; ``note`` is a code that goes with the choice."""

    type: str
    holds: str
    value: str
    note: str | None = None


def kind_of(connection: Connection, table: str, column: str, *, comma_decimals: bool) -> Kind | None:
    """The kind of all values of a column of texts, or ``None``: they are texts.

    Args:
        comma_decimals: Whether ``1.234,5`` is likelier than ``1,234.5``.
    """
    text = f"trim({quoted(column)})"
    given = f"FROM {{rows}} AS sampled(t) WHERE t IS NOT NULL AND lower(t) NOT IN ({', '.join(map(literal, MISSING))})"
    everything = given.format(rows=f"(SELECT {text} FROM {quoted(table)})")
    sample = given.format(rows=f"(SELECT {text} FROM {quoted(table)} LIMIT {SAMPLED})")
    if not count(connection, f"SELECT count(*) {everything}"):
        return None
    kinds = list(_kinds(comma_decimals=comma_decimals))
    # of those that the sample allows, the first that all values allow
    fitting = one(connection, f"SELECT {', '.join(_all(kind.holds) for kind in kinds)} {sample}")
    for kind, fits in zip(kinds, fitting, strict=True):
        if fits is not False and count(connection, f"SELECT count(*) {everything} AND ({kind.holds}) IS NOT TRUE") == 0:
            return (
                _exact(connection, kind, everything) if kind.type == "number" else _dated(connection, kind, everything)
            )
    return None


def converted(kind: Kind | None, column: str) -> str:
    """SQL: the column's values as they are stored."""
    text = quoted(column)
    if kind is None:
        return f"CASE WHEN trim({text}) = '' THEN NULL ELSE {text} END"
    missing = ", ".join(map(literal, MISSING))
    value = kind.value.replace("{t}", f"trim({text})")
    return f"CASE WHEN {text} IS NULL OR lower(trim({text})) IN ({missing}) THEN NULL ELSE {value} END"


def _all(holds: str) -> str:
    return f"coalesce(bool_and({holds}), true)"


def _kinds(*, comma_decimals: bool) -> Iterator[Kind]:
    plain = f"NOT regexp_matches(t, {literal(_LEADING_ZERO)})"
    yield Kind("boolean", "lower(t) IN ('true', 'false')", "lower({t}) = 'true'")
    yield Kind("integer", f"regexp_matches(t, {literal(_INTEGER)}) AND {plain}", "CAST({t} AS BIGINT)")
    yield Kind("number", f"regexp_matches(t, {literal(_DECIMAL)}) AND {plain}", "{t}")
    finite = "coalesce(isfinite(TRY_CAST(t AS DOUBLE)), false)"
    yield Kind("float", f"regexp_matches(t, {literal(_FLOAT)}) AND {plain} AND {finite}", "CAST({t} AS DOUBLE)")
    points = Kind("number", f"regexp_matches(t, {literal(GROUPED)}) AND {plain}", bare_number("{t}"), "NUMBERS_CLEANED")
    commas = Kind(
        "number",
        f"regexp_matches(t, {literal(GROUPED_WITH_COMMA)}) AND {plain}",
        r"replace(regexp_replace({t}, '[^0-9,+-]', '', 'g'), ',', '.')",
        "NUMBERS_CLEANED",
    )
    yield from (commas, points) if comma_decimals else (points, commas)
    yield _strptime("date", _ISO_DATES)
    yield Kind(
        "timestamp",
        f"regexp_matches(t, {literal(_ISO_TIME)}) AND TRY_CAST(t AS TIMESTAMPTZ) IS NOT NULL",
        "CAST(CAST({t} AS TIMESTAMPTZ) AT TIME ZONE 'UTC' AS TIMESTAMP)",
    )
    yield _strptime("date", _MONTHS)
    yield _strptime("date", _NAMED)
    yield _strptime("date", _MONTH_FIRST, "DATE_ORDER_GUESSED")
    yield _strptime("date", _DAY_FIRST)
    yield _strptime("timestamp", [day + clock for day in (*_ISO_DATES, *_NAMED) for clock in _CLOCKS])
    yield _strptime("timestamp", [day + clock for day in _MONTH_FIRST for clock in _CLOCKS], "DATE_ORDER_GUESSED")
    yield _strptime("timestamp", [day + clock for day in _DAY_FIRST for clock in _CLOCKS])


def _strptime(type: str, formats: Sequence[str], note: str | None = None) -> Kind:
    read = f"try_strptime({{t}}, [{', '.join(map(literal, formats))}])"
    holds = f"{read.replace('{t}', 't')} IS NOT NULL"
    return Kind(type, holds, f"CAST({read} AS {type.upper()})", note)


def _exact(connection: Connection, kind: Kind, everything: str) -> Kind:
    """Decimals as DECIMAL with as many places as the values have, else as floating point."""
    digits = kind.value.replace("{t}", "t")
    whole, places = one(
        connection,
        rf"SELECT max(length(regexp_extract(w, '^[+-]?(\d*)', 1))), max(length(regexp_extract(w, '\.(\d*)$', 1))) "
        f"FROM (SELECT {digits} AS w {everything})",
    )
    assert isinstance(whole, int)
    assert isinstance(places, int)
    type = f"DECIMAL({MOST_DIGITS}, {places})" if whole + places <= MOST_DIGITS else "DOUBLE"
    if places == 0 and whole <= MOST_DIGITS:
        return Kind("integer", kind.holds, f"CAST({kind.value} AS BIGINT)", kind.note)
    return Kind("number", kind.holds, f"CAST({kind.value} AS {type})", kind.note)


def _dated(connection: Connection, kind: Kind, everything: str) -> Kind:
    """A guess is none where only one order of day and month is possible."""
    if kind.note != "DATE_ORDER_GUESSED":
        return kind
    told = count(
        connection, rf"SELECT count(*) {everything} AND CAST(regexp_extract(t, '^\d+[/.-](\d+)', 1) AS INTEGER) > 12"
    )
    return Kind(kind.type, kind.holds, kind.value) if told else kind
