"""Numbers and dates that stand for no value: 9999, -1, 1900-01-01. Told by where they lie: far from all others, at an
end. Runs inside.

What lies so far off that no other number is near is asked about before it is computed with (``plan_meaning``); what
might as well be one of them is said.
"""

import math
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from activities.analysis.engine import Connection, one
from activities.analysis.sql_words import literal

_NINES = [digit * length for digit in "89" for length in range(1, 10)]
_NINES += [digit * length for digit in "1234567" for length in range(4, 10)]
_BELOW = frozenset(
    [
        Decimal(f"-{text}")
        for text in (*_NINES, *"1234567", "32768", "2147483648", "9223372036854775808", "9999.99", "99.9")
    ]
)
_ABOVE = frozenset(
    [Decimal(text) for text in _NINES if len(text) > 1]
    + [Decimal(text) for text in ("32767", "65535", "2147483647", "4294967295", "9223372036854775807")]
    + [Decimal(text) for text in ("99.9", "99.99", "999.9", "999.99", "9999.99", "99999.99", "999999.99")]
)
"""What programs and questionnaires write for nothing: nines and eights, and the ends of whole numbers."""
_ENORMOUS = Decimal("1e15")
_FAR, _APART = 10, 3
"""Times the largest of the others: from there on it is none of them; it may be none."""
_ALONE = Decimal(99)
"""From this size on a negative number among none, larger than all of them, is no refund."""

_BEFORE = frozenset((
    "0001-01-01", "1000-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1900-01-02", "1900-12-31",
    "1901-01-01", "1904-01-01", "1970-01-01", "1980-01-01",
))  # fmt: skip
_BEHIND = frozenset((
    "2038-01-19", "2050-12-31", "2099-01-01", "2099-12-31", "2100-01-01", "2100-12-31", "2199-12-31", "2262-04-11",
    "2999-01-01", "2999-12-31", "9999-01-01", "9999-12-31",
))  # fmt: skip
"""First and last days of calendars, of databases and of programs."""
_YEARS_FAR, _YEARS_APART = 15, 3
_ROUNDS = 4
FEWEST_OTHERS = 2


@dataclass(frozen=True, slots=True)
class StandIns:
    """Values as texts: ``sure`` ones are none of the others, ``perhaps`` may be some."""

    sure: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()


def stand_ins(connection: Connection, source: str, column: str, type: str, least: object, most: object) -> StandIns:
    """Of a column of numbers or dates, as far as its ends tell.

    Args:
        source: SQL of where it is.
        column: SQL of it.
        type: ``domain.analyses.table.ColumnType``.
        least: The least of its values as a text, ``None`` if it has none.
        most: The greatest.
    """
    if type not in ("integer", "number", "date", "timestamp"):
        return StandIns()
    judged = _number if type in ("integer", "number") else _day
    written = str if judged is _number else literal
    aside: list[str] = []
    found: list[tuple[str, bool | None]] = []
    for _ in range(_ROUNDS):
        if aside:
            others = f"{column} NOT IN ({', '.join(map(written, aside))})"
            ends = f"CAST(min({column}) AS VARCHAR), CAST(max({column}) AS VARCHAR)"
            least, most = one(connection, f"SELECT {ends} FROM {source} WHERE {others}")
        candidates = [str(end) for end in (least, most) if end is not None and _is_candidate(str(end), type)]
        if not candidates and not aside and type in ("integer", "number") and str(least).startswith("-"):
            candidates = [str(least)]  # lonely and far below all others, whatever it is
        if not candidates or least == most:
            break
        aside += candidates
    if not aside:
        return StandIns()
    among = f"{column} NOT IN ({', '.join(map(written, aside))})"
    least, most, number = one(
        connection,
        f"SELECT CAST(min({column}) AS VARCHAR), CAST(max({column}) AS VARCHAR), count(DISTINCT {column}) "
        f"FROM {source} WHERE {among}",
    )
    if least is None or most is None or not isinstance(number, int) or number < FEWEST_OTHERS:
        return StandIns()
    found = [(value, judged(value, str(least), str(most))) for value in dict.fromkeys(aside)]
    return StandIns(
        tuple(value for value, sure in found if sure), tuple(value for value, sure in found if sure is False)
    )


def _is_candidate(text: str, type: str) -> bool:
    if type in ("date", "timestamp"):
        return text[:10] in _BEHIND or (text[:10] in _BEFORE and not text[10:].strip(" 0:."))
    value = _decimal(text)
    return value is not None and (value in _BELOW or value in _ABOVE or abs(value) >= _ENORMOUS)


def _number(text: str, least: str, most: str) -> bool | None:
    """Whether it is none of the others, which lie between; ``None``: it is one of them."""
    value, low, high = (_decimal(each) for each in (text, least, most))
    if value is None or low is None or high is None:
        return None
    largest = max(abs(low), abs(high))
    if low <= value <= high or not largest:
        return None
    if value < 0 and value not in _BELOW and abs(value) < _ENORMOUS:
        return False if low >= 0 and abs(value) > _FAR * high else None
    if value < 0 <= low:
        return abs(value) > high and abs(value) >= _ALONE
    if abs(value) > _FAR * largest:
        return True
    return False if abs(value) > _APART * largest else None


def _day(text: str, least: str, most: str) -> bool | None:
    value, low, high = (date.fromisoformat(each[:10]) for each in (text, least, most))
    gap = (low - value if value < low else value - high).days / 365.25
    if low <= value <= high:
        return None
    if gap >= _YEARS_FAR and gap > (high - low).days / 365.25:
        return True
    return False if gap >= _YEARS_APART else None


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if math.isfinite(value) else None
