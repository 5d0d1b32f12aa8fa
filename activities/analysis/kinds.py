"""What the values of a text column are: found by trying, on all of them, and converted without losing a digit.

CSV and workbooks hold texts; a column is a number or a date if every value of it is. Money stays exact: decimals become
DECIMAL, not floating point. Codes with leading zeros stay texts. Runs inside.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from activities.analysis.engine import Connection, count, one, rows
from activities.analysis.sql_words import GROUPED, GROUPED_WITH_COMMA, bare_number, literal, quoted

FEW = 50
"""Values that decide which kinds are worth a look at all of them."""
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


_DAY = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_WITH_MONTH = r"[\d., -]*[A-Za-z]{3,9}[\d., -]+"
_LOOKS_DATED = re.compile(rf"{_DAY}|{_WITH_MONTH}|\d{{4}}[-/]\d{{1,2}}")
_LOOKS_TIMED = re.compile(rf"({_DAY}|{_WITH_MONTH}) \d{{1,2}}:\d{{2}}.*")
"""Shapes that a look at a few values tells: parsing dates is dear, and most columns hold none."""


@dataclass(frozen=True, slots=True)
class Kind:
    """``looks``: what a value's shape is at least; ``holds`` and ``value`` are SQL over a trimmed text ``t``; ``note``
    is a code that goes with the choice."""

    type: str
    looks: re.Pattern[str]
    holds: str
    value: str
    note: str | None = None


def kind_of(
    connection: Connection, table: str, column: str, sample: Sequence[str | None], *, comma_decimals: bool
) -> Kind | None:
    """The kind of all values of a column of texts, or ``None``: they are texts.

    Args:
        sample: Some of its values.
        comma_decimals: Whether ``1.234,5`` is likelier than ``1,234.5``.
    """
    everything = (
        f"FROM (SELECT trim({quoted(column)}) FROM {quoted(table)}) AS given(t) "
        f"WHERE t IS NOT NULL AND lower(t) NOT IN ({', '.join(map(literal, MISSING))})"
    )
    some = [text for value in sample if value is not None and (text := value.strip(" ")).lower() not in MISSING]
    if not some:
        some = [str(value) for (value,) in rows(connection, f"SELECT t {everything} LIMIT {FEW}")]
    if not some:
        return None
    # of those that some values allow, the first that all values allow
    for kind in _kinds(comma_decimals=comma_decimals):
        if not all(kind.looks.fullmatch(text) for text in some):
            continue
        if count(connection, f"SELECT count(*) {everything} AND ({kind.holds}) IS NOT TRUE") == 0:
            number = kind.type == "number"
            return _exact(connection, kind, everything) if number else _dated(connection, kind, everything)
    return None


def converted(kind: Kind | None, column: str) -> str:
    """SQL: the column's values as they are stored."""
    text = quoted(column)
    if kind is None:
        return f"CASE WHEN trim({text}) = '' THEN NULL ELSE {text} END"
    missing = ", ".join(map(literal, MISSING))
    value = kind.value.replace("{t}", f"trim({text})")
    return f"CASE WHEN {text} IS NULL OR lower(trim({text})) IN ({missing}) THEN NULL ELSE {value} END"


def _kinds(*, comma_decimals: bool) -> Iterator[Kind]:
    yield Kind("boolean", re.compile("true|false", re.I), "lower(t) IN ('true', 'false')", "lower({t}) = 'true'")
    yield _number("integer", _INTEGER, "CAST({t} AS BIGINT)")
    yield _number("number", _DECIMAL, "{t}")
    yield _number("float", _FLOAT, "CAST({t} AS DOUBLE)", and_="isfinite(TRY_CAST(t AS DOUBLE))")
    points = _number("number", GROUPED, bare_number("{t}"), note="NUMBERS_CLEANED")
    bare = r"replace(regexp_replace({t}, '[^0-9,+-]', '', 'g'), ',', '.')"
    commas = _number("number", GROUPED_WITH_COMMA, bare, note="NUMBERS_CLEANED")
    yield from (commas, points) if comma_decimals else (points, commas)
    yield _strptime("date", _ISO_DATES)
    yield Kind(
        "timestamp",
        re.compile(_ISO_TIME),
        f"regexp_matches(t, {literal(_ISO_TIME)}) AND TRY_CAST(t AS TIMESTAMPTZ) IS NOT NULL",
        "CAST(CAST({t} AS TIMESTAMPTZ) AT TIME ZONE 'UTC' AS TIMESTAMP)",
    )
    yield _strptime("date", _MONTHS)
    yield _strptime("date", _NAMED)
    yield _strptime("date", _MONTH_FIRST, note="DATE_ORDER_GUESSED")
    yield _strptime("date", _DAY_FIRST)
    yield _strptime("timestamp", (*_ISO_DATES, *_NAMED))
    yield _strptime("timestamp", _MONTH_FIRST, note="DATE_ORDER_GUESSED")
    yield _strptime("timestamp", _DAY_FIRST)


def _number(type: str, pattern: str, value: str, *, and_: str = "true", note: str | None = None) -> Kind:
    plain = f"regexp_matches(t, {literal(pattern)}) AND NOT regexp_matches(t, {literal(_LEADING_ZERO)})"
    return Kind(type, re.compile(pattern, re.ASCII), f"{plain} AND {and_}", value, note)


def _strptime(type: str, days: Sequence[str], *, note: str | None = None) -> Kind:
    formats = days if type == "date" else [day + clock for day in days for clock in _CLOCKS]
    read = f"try_strptime({{t}}, [{', '.join(map(literal, formats))}])"
    looks = _LOOKS_DATED if type == "date" else _LOOKS_TIMED
    return Kind(type, looks, f"{read.replace('{t}', 't')} IS NOT NULL", f"CAST({read} AS {type.upper()})", note)


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
        return Kind("integer", kind.looks, kind.holds, f"CAST({kind.value} AS BIGINT)", kind.note)
    return Kind("number", kind.looks, kind.holds, f"CAST({kind.value} AS {type})", kind.note)


def _dated(connection: Connection, kind: Kind, everything: str) -> Kind:
    """A guess is none where only one order of day and month is possible."""
    if kind.note != "DATE_ORDER_GUESSED":
        return kind
    told = count(
        connection, rf"SELECT count(*) {everything} AND CAST(regexp_extract(t, '^\d+[/.-](\d+)', 1) AS INTEGER) > 12"
    )
    return Kind(kind.type, kind.looks, kind.holds, kind.value) if told else kind
