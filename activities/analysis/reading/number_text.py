"""Numbers and durations as people write them: which texts are some, which way their decimals go, what they are worth.

Patterns work in Python and in DuckDB alike, over *plain* text: signs, spaces and digits as ASCII has them. Runs inside.
"""

import re
from enum import StrEnum

from activities.analysis.sql_words import literal

_MINUS = "\u2212\u2012\u2013\ufe63\uff0d\u2010\u2011"
_SPACE = "\u00a0\u2007\u2009\u202f\u3000\u2002\u2003\u2008\t\n"
_QUOTE = "\u2019\u2018\u02bc\u2032`\u00b4"
_DIGITS = "".join(chr(zero + digit) for zero in (0xFF10, 0x0660, 0x06F0, 0x0966) for digit in range(10))
_OTHERS = {"\uff0c": ",", "\uff0e": ".", "\u066b": ".", "\u066c": ",", "\uff08": "(", "\uff09": ")", "\uffe5": "\u00a5"}
_FROM = "".join([_MINUS, _SPACE, _QUOTE, _DIGITS, *_OTHERS])
_TO = "".join(["-" * len(_MINUS), " " * len(_SPACE), "'" * len(_QUOTE), "0123456789" * 4, *_OTHERS.values()])
_TABLE = str.maketrans(_FROM, _TO)
_MARKS_AROUND = "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
"""Marks that nobody sees: of direction, of no width."""

_SYMBOLS = "$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba\u20b4\u20aa\u20ab\u20a6\u20b1\u0e3f\u20b8\u20bf\u00a2%\u2030"
_CODES = (
    "USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|RUB|PLN|CZK|HUF|SEK|NOK|DKK|TRY|BRL|MXN|CAD|AUD|NZD|ZAR|KRW|TWD|HKD|SGD|THB|IDR"
    "|MYR|PHP|VND|ILS|AED|SAR|UAH|RON|BGN|ISK|ARS|CLP|COP|PEN|EGP|NGN|KES|PKR|BDT|LKR|KZT|GEL|RSD|MAD|QAR|KWD"
)
_NAMES = (
    "[Kk]r\\.?|z\u0142|K\u010d|Ft|[Ll]ei|Rs\\.?|S?Fr\\.?|TL|RM|Rp\\.?|\u0440\u0443\u0431\\.?|\u0440\\."
    "|\u0433\u0440\u043d\\.?|\u043b\u0432\\.?|\u5143|\u5186|\uc6d0|\u0434\u0438\u043d\\.?|din\\.?"
)
_UNIT = f"(?:(?:US|CA|AU|NZ|HK|NT|Mex|A|C|R|S)[$]|[{_SYMBOLS}]|{_CODES}|{_NAMES})"
"""What may stand before or behind an amount."""

_GROUPED = r"[1-9]\d{0,2}(?: \d{3})+|[1-9]\d{0,2}(?:'\d{3})+"
_POINT = rf"(?:(?:[1-9]\d{{0,2}}(?:,\d{{3}})+|[1-9]\d?(?:,\d{{2}})+,\d{{3}}|{_GROUPED}|\d+)(?:\.\d*)?|\.\d+)"
_COMMA = rf"(?:(?:[1-9]\d{{0,2}}(?:\.\d{{3}})+|{_GROUPED}|\d+)(?:,\d*)?|,\d+)"


def _whole(digits: str) -> str:
    signed = rf"(?:[+-] ?(?:{_UNIT} ?)?|{_UNIT} ?(?:[+-] ?)?)?{digits}(?: ?{_UNIT})?(?: ?-)?"
    around = rf"[+-]? ?{_UNIT} ?\({digits}\)|\({digits}\) ?{_UNIT}"
    return rf"^(?:{signed}|\( ?{signed} ?\)|{around})$"


class Style(StrEnum):
    """What stands before decimals."""

    POINT = "."
    COMMA = ","


WRITTEN = {Style.POINT: _whole(_POINT), Style.COMMA: _whole(_COMMA)}
"""Patterns of plain text."""
LEADING_ZERO = r"^[^0-9.,]*0\d"
DURATION = r"^-?\d{1,6}:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?$"
LONG = r"^-?(?:2[4-9]|[3-9]\d|\d{3,}):"
"""A duration that is no time of day."""
SPOKEN = (
    r"^(?:(\d+(?:\.\d+)?) ?d(?:ays?)?,? ?)?(?:(\d+(?:\.\d+)?) ?h(?:(?:ou)?rs?)?,? ?)?"
    r"(?:(\d+(?:\.\d+)?) ?m(?:in(?:ute)?s?)?\.?,? ?)?(?:(\d+(?:\.\d+)?) ?s(?:ec(?:ond)?s?)?\.?)?$"
)
"""``1h 30m``, ``2 hours``, ``45 min``."""
ISO = r"^P(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$"
"""``PT1H30M`` (ISO 8601), as OpenDocument sheets hold it."""


_EITHER = re.compile("|".join(WRITTEN.values()))


def is_number(text: str) -> bool:
    """Whether a plain text is a number, in either style."""
    return _EITHER.match(text) is not None


def plain(text: str) -> str:
    """A text with ASCII's signs, spaces and digits, without what stands for no decimals (``5,-``)."""
    bare = text.translate(_TABLE).translate({ord(mark): None for mark in _MARKS_AROUND})
    return re.sub(r"[.,]-+( ?[^\d\s]+)?$", r"\1", bare.strip(" ")).strip(" ")


def plain_sql(text: str) -> str:
    """SQL of :func:`plain`, for a text expression."""
    bare = f"translate({text}, {literal(_FROM + _MARKS_AROUND)}, {literal(_TO)})"
    return rf"trim(regexp_replace(trim({bare}), '[.,]-+( ?[^\d\s]+)?$', '\1'))"


def unit_sql(text: str) -> str:
    """SQL: the unit of a plain number."""
    return rf"trim(regexp_replace({text}, '[0-9.,()+'' -]', '', 'g'))"


def number_sql(text: str, style: Style) -> str:
    """SQL: ``$(1,234.50)`` as the text ``-1234.50``, for a plain number of the style."""
    digits = f"regexp_replace(regexp_replace({text}, '\\p{{L}}+\\.?', '', 'g'), '[^0-9{style}]', '', 'g')"
    bare = digits if style is Style.POINT else f"replace({digits}, ',', '.')"
    return rf"CASE WHEN regexp_matches({text}, '[(-]') THEN '-' || {bare} ELSE {bare} END"


def hours_sql(text: str) -> str:
    """SQL: ``27:15`` as 27.25, a DOUBLE, for a text that :data:`DURATION` holds for."""
    part = "CAST(split_part(ltrim({0}, '-'), ':', {1}) AS DOUBLE)"
    hours, minutes = part.format(text, 1), part.format(text, 2)
    seconds = f"coalesce(TRY_CAST(nullif(split_part({text}, ':', 3), '') AS DOUBLE), 0)"
    sign = f"CASE WHEN starts_with({text}, '-') THEN -1 ELSE 1 END"
    return f"({sign}) * ({hours} * 3600 + {minutes} * 60 + {seconds}) / 3600"


def spoken_hours_sql(text: str, way: str = SPOKEN) -> str:
    """SQL: ``1h 30m`` as 1.5, a DOUBLE, for a text that ``way`` holds for: :data:`SPOKEN` or :data:`ISO`."""
    parts = [
        f"coalesce(TRY_CAST(nullif(regexp_extract({text}, {literal(way)}, {place}), '') AS DOUBLE), 0) * {seconds}"
        for place, seconds in enumerate((86400, 3600, 60, 1), start=1)
    ]
    return f"({' + '.join(parts)}) / 3600"
