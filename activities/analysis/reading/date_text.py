"""Dates and times as people write them, as formats of DuckDB's ``strptime``. Runs inside."""

import re

from activities.analysis.sql_words import literal

ISO_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y\u5e74%m\u6708%d\u65e5")
MONTHS = ("%b-%y", "%b %y", "%Y-%m", "%b %Y", "%B %Y", "%b-%Y", "%Y/%m")
NAMED = (
    "%d %b %y", "%d-%b-%y", "%b %d, %y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d. %B %Y",
    "%b %d %Y", "%B %d %Y", "%d/%b/%Y", "%a, %d %b %Y", "%A, %d %B %Y", "%A, %B %d, %Y", "%a %b %d %Y", "%d %b, %Y",
    "%d. %b %Y", "%Y-%b-%d",
)  # fmt: skip
DAY_FIRST = ("%d/%m/%y", "%d.%m.%y", "%d-%m-%y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y")
MONTH_FIRST = ("%m/%d/%y", "%m-%d-%y", "%m/%d/%Y", "%m-%d-%Y")
"""Years of two digits come first: ``%Y`` would read 26 as the year 26."""
YEAR_FIRST = ("%y-%m-%d", "%y/%m/%d", "%y.%m.%d")
YEAR_WRITTEN = r"\d{4}"
"""In a date whose century is no guess."""
COMPACT = re.compile(r"(19|20)\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])")
CLOCKS = tuple(
    before + clock
    for before in (" ", "T", ", ", "  ")
    for clock in ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p", "%I:%M:%S%p", "%H:%M:%S.%f")
)
FIRST_YEAR, LAST_YEAR = 1000, 2999
"""03/08/26 is no day of the year 3."""
NEVER = 9999
"""The year that programs write for no end."""
FAR_YEAR, PAST_YEAR = 2200, 1500
"""Years behind the one and before the other may be those of another era: the Buddhist 2569 and the Persian 1405 are
2026."""

ZONE = (
    r"(:\d{2}(?:\.\d+)?(?: ?[AaPp]\.?[Mm]\.?)?) ?"
    r"\(?((?:GMT|UTC|Z)? ?(?:[+-]\d{1,2}(?::?\d{2})?)|GMT|UTC|Z|[A-Z]{3,4})\)?$"
)
"""What stands before a zone, and the zone."""
OFFSET = r"^(?:GMT|UTC|Z)? ?([+-])(\d{1,2}?)(?::?(\d{2}))?$"
NAUGHT = r"^(?:Z|UTC|GMT)?(?: ?[+-]0{1,2}(?::?00)?)?$"

_DAY = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}\u5e74\d{1,2}\u6708\d{1,2}\u65e5"
_WITH_MONTH = r"[\d., A-Za-z/-]*[A-Za-z]{3,9}[\d., /-]+"
LOOKS_DATED = re.compile(rf"{_DAY}|{_WITH_MONTH}|\d{{4}}[-/]\d{{1,2}}")
LOOKS_TIMED = re.compile(rf"({_DAY}|{_WITH_MONTH})[T ,]*(\d{{1,2}}:\d{{2}}.*)?")
"""Shapes that a look at a few values tells: parsing dates is dear, and most columns hold none."""


def read_sql(text: str, days: tuple[str, ...], *, timed: bool) -> str:
    """SQL: a text as a moment, NULL where it is none of these days, with a clock where ``timed``."""
    formats = [day + clock for day in days for clock in CLOCKS] + list(days) if timed else list(days)
    read = f"try_strptime({text}, [{', '.join(map(literal, formats))}])"
    year = f"date_part('year', {read})"
    return f"CASE WHEN {year} BETWEEN {FIRST_YEAR} AND {LAST_YEAR} OR {year} = {NEVER} THEN {read} END"


def bare_sql(text: str) -> str:
    """SQL: a moment without its zone, without the dots of ``p.m.`` and what is finer than a microsecond."""
    fine = rf"regexp_replace({text}, '(:\d\d)[.,](\d{{1,6}})\d*', '\1.\2')"
    bare = rf"regexp_replace({fine}, {literal(ZONE)}, '\1')"
    return rf"regexp_replace({bare}, '([AaPp])\.([Mm])\.$', '\1\2')"


def zone_sql(text: str) -> str:
    """SQL: the zone of a moment, empty where there is none. ``PM`` is none."""
    found = f"regexp_extract({text}, {literal(ZONE)}, 2)"
    return f"CASE WHEN {found} IN ('AM', 'PM') THEN '' ELSE {found} END"


def seconds_east_sql(zone: str) -> str:
    """SQL: an offset (``GMT+2``, ``+02:00``) in seconds; 0 of what is none."""
    sign = f"CASE WHEN regexp_extract({zone}, {literal(OFFSET)}, 1) = '-' THEN -1 ELSE 1 END"
    hours = f"coalesce(TRY_CAST(regexp_extract({zone}, {literal(OFFSET)}, 2) AS INTEGER), 0)"
    minutes = f"coalesce(TRY_CAST(regexp_extract({zone}, {literal(OFFSET)}, 3) AS INTEGER), 0)"
    return f"(({sign}) * ({hours} * 3600 + {minutes} * 60))"
