"""What the values of a text column are: found by trying, on all of them, and converted without losing a digit.

CSV and workbooks hold texts; a column is a number or a date if every value of it is. What one column leaves open
(``1,234`` and ``03/08/2026`` can be read two ways) the other columns of the file decide; where they do not, it is
guessed, and the guess is said. Money stays exact: decimals become DECIMAL, not floating point. Codes with leading zeros
stay texts, and so do numbers of sixteen digits and more, which are names of things. Runs inside.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from activities.analysis.engine import Connection, count, one, rows
from activities.analysis.reading import date_text as dates
from activities.analysis.reading import number_text as numbers
from activities.analysis.reading.number_text import Style
from activities.analysis.sql_words import literal, quoted

FEW = 50
"""Values that decide which kinds are worth a look at all of them."""
MOST_DIGITS = 18
"""Of a DECIMAL that is as fast as an integer."""
WIDEST = 38
"""Digits of any DECIMAL. Longer ones become floating point."""
ID_DIGITS = 16
"""From so many digits on a whole number is the name of something: no program keeps more than 15 as a number."""
MOSTLY = 0.5
"""From this part of numbers on, the others among them are told."""

ERRORS = ("#null!", "#value!", "#ref!", "#div/0!", "#name?", "#num!", "#spill!", "#calc!", "#getting_data")
"""What a workbook shows where a formula went wrong. ``#N/A`` is how many write that there is no value."""
MISSING = (
    *ERRORS, "", "na", "n/a", "null", "none", "nan", "-", "--", "\u2013", "\u2014", "#n/a", "0000-00-00",
    "0000-00-00 00:00:00", "0001-01-01", "0001-01-01 00:00:00", "0001-01-01t00:00:00",
)  # fmt: skip
"""Texts that stand for no value in a column that is otherwise of one kind. In a text column only the empty one does."""

_INTEGER = r"^[+-]?\d{1,15}$"
_DECIMAL = r"^[+-]?(\d+\.?\d*|\.\d+)$"
_FLOAT = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$"
_LONG_NUMBER = rf"^[+-]?\d{{{ID_DIGITS},}}$"
_CODED = r"^[+-]?0\d"
_CODE_LIKE = r"^\d+([eE]\d+)?$"
"""Parts are called 1E5, too; a number that is written so has a point or a sign, as a rule."""
_SHORTENED = r"^[1-9](\.\d{1,5})?E\+1[1-9]$"
"""As a spreadsheet shows a whole number of twelve digits and more in a narrow column."""
_POINTED = r"^[+-]?(\d*\.(\d{0,2}|\d{4,})|0\.\d*|\d{4,}\.\d*)$"
"""A decimal that cannot be a whole number with a point between its thousands."""
_SPENT = re.compile(
    r"worked|duration|hours?|time_spent|elapsed|overtime|effort|laps?e?|spent|runtime|length|dauer", re.I
)
_NOT_HOURS = re.compile(r"min|mm:ss|\bstart|\bend\b|clock|arriv|depart|\bat\b", re.I)
_DATED = re.compile(r"date|day|datum|fecha|\bon\b|_at\b|dt", re.I)


class Order(StrEnum):
    """Of day and month."""

    DAY_FIRST = "day/month/year"
    MONTH_FIRST = "month/day/year"
    YEAR_FIRST = "year/month/day"


_DAYS = {Order.DAY_FIRST: dates.DAY_FIRST, Order.MONTH_FIRST: dates.MONTH_FIRST, Order.YEAR_FIRST: dates.YEAR_FIRST}


@dataclass(frozen=True, slots=True)
class Kind:
    """``value`` is SQL over a trimmed text ``{t}``; ``remarks`` are codes that go with the choice, with words."""

    type: str
    value: str
    remarks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """What there is to find out about. ``exact``: its numbers were never text; ``spent``: it holds durations."""

    name: str
    heading: str
    sample: Sequence[str | None]
    exact: bool = False
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What a column tells by itself. One that is open can be read in each style, or order, of ``open``; one that is
    settled says for the others which ``style`` and ``order`` the file has. ``mostly``: some values are no numbers;
    ``partly`` is the unit that some of them have."""

    everything: str
    kind: Kind | None = None
    open_styles: bool = False
    open_orders: bool = False
    style: Style | None = None
    order: Order | None = None
    timed: bool = False
    mostly: bool = False
    partly: str = ""


def kinds_of(connection: Connection, table: str, columns: Sequence[Column], *, semicolons: bool) -> list[Kind | None]:
    """The kind of all values of each column of texts, or ``None``: they are texts.

    Args:
        table: SQL of where they are.
        semicolons: Whether they part the cells, as where decimals have commas.
    """
    found = [_Look(connection, table, column).finding() for column in columns]
    styles = {each.style for each in found if each.style is not None and not each.mostly}
    orders = {each.order for each in found if each.order is not None}
    commas = Style.COMMA in styles or (semicolons and Style.POINT not in styles)
    settled = []
    for each in found:
        if each.open_styles:
            (style, sure) = (next(iter(styles)), True) if len(styles) == 1 else (_likely_style(commas=commas), False)
            settled.append(_number(connection, each, style, "" if sure else "NUMBER_FORMAT_GUESSED"))
        elif each.open_orders:
            (order, sure) = (next(iter(orders)), True) if len(orders) == 1 else (_likely_order(commas=commas), False)
            settled.append(_dated(connection, each, order, "DATE_ORDER_OF_FILE" if sure else "DATE_ORDER_GUESSED"))
        else:
            settled.append(each.kind)
    return settled


def converted(kind: Kind | None, column: str) -> str:
    """SQL: the column's values as they are stored."""
    text = quoted(column)
    if kind is None:
        return f"CASE WHEN trim({text}) = '' THEN NULL ELSE {text} END"
    value = kind.value.replace("{t}", f"trim({text})")
    if kind.type == "text":
        return f"CASE WHEN {text} IS NULL OR trim({text}) = '' THEN NULL ELSE {value} END"
    missing = ", ".join(map(literal, MISSING))
    return f"CASE WHEN {text} IS NULL OR lower(trim({text})) IN ({missing}) THEN NULL ELSE {value} END"


def _likely_style(*, commas: bool) -> Style:
    return Style.COMMA if commas else Style.POINT


def _likely_order(*, commas: bool) -> Order:
    return Order.DAY_FIRST if commas else Order.MONTH_FIRST


class _Look:
    """Looks at one column."""

    def __init__(self, connection: Connection, table: str, column: Column) -> None:
        self._connection = connection
        self._column = column
        self._everything = (
            f"FROM (SELECT trim({quoted(column.name)}) FROM {table}) AS given(t) "
            f"WHERE t IS NOT NULL AND lower(t) NOT IN ({', '.join(map(literal, MISSING))})"
        )

    def finding(self) -> Finding:
        some = [text for value in self._column.sample if value and (text := value.strip(" ")).lower() not in MISSING]
        if not some:
            some = [str(value) for (value,) in rows(self._connection, f"SELECT t {self._everything} LIMIT {FEW}")]
        if not some:
            return Finding(self._everything)
        for looked in (self._flags, self._compact, self._spans, self._numbers, self._dates):
            found = looked(some)
            if found is not None:
                return found
        return Finding(self._everything)

    def _all(self, holds: str) -> bool:
        return count(self._connection, f"SELECT count(*) {self._everything} AND ({holds}) IS NOT TRUE") == 0

    def _few(self, some: Sequence[str], holds: str) -> bool:
        """Whether it holds for a few values: ``text12`` looks like a date, and to try all of a million takes long. Of
        a column that has no more than these, all are to be tried anyway."""
        if len(self._column.sample) < FEW:
            return True
        listed = ", ".join(f"({literal(text)})" for text in some)
        return not count(
            self._connection, f"SELECT count(*) FROM (VALUES {listed}) AS given(t) WHERE ({holds}) IS NOT TRUE"
        )

    def _settled(self, kind: Kind | None, style: Style | None = None, order: Order | None = None) -> Finding:
        return Finding(self._everything, kind, style=style, order=order)

    def _flags(self, some: Sequence[str]) -> Finding | None:
        if not all(text.lower() in ("true", "false") for text in some) or not self._all(
            "lower(t) IN ('true', 'false')"
        ):
            return None
        return self._settled(Kind("boolean", "lower({t}) = 'true'"))

    # --- durations ---------------------------------------------------------------------------------------------

    def _spans(self, some: Sequence[str]) -> Finding | None:
        """Durations as hours. What may be a time of day is one where the heading does not say otherwise."""
        column = self._column
        if all(re.fullmatch(numbers.DURATION, text) for text in some):
            if not self._all(f"regexp_matches(t, {literal(numbers.DURATION)})"):
                return None
            long = count(
                self._connection, f"SELECT count(*) {self._everything} AND regexp_matches(t, {literal(numbers.LONG)})"
            )
            is_spent = column.spent or (_SPENT.search(column.heading) and not _NOT_HOURS.search(column.heading))
            if not is_spent and (not long or _NOT_HOURS.search(column.heading)):
                return None
            value = numbers.hours_sql("{t}")
        else:
            way = next((way for way in (numbers.SPOKEN, numbers.ISO) if _are_spans(some, way)), None)
            if way is None or not self._all(rf"regexp_matches(t, {literal(way)}) AND regexp_matches(t, '\d')"):
                return None
            value = numbers.spoken_hours_sql("{t}", way)
        example = _example(self._connection, self._everything, value)
        days = r"regexp_matches(lower(t), '\d ?d')"
        guessed = count(self._connection, f"SELECT count(*) {self._everything} AND {days}") > 0
        return self._settled(
            Kind("number", value, (("DAYS_AS_HOURS_GUESSED" if guessed else "DURATIONS_AS_HOURS", example),))
        )

    # --- numbers -----------------------------------------------------------------------------------------------

    def _numbers(self, some: Sequence[str]) -> Finding | None:
        if all(re.fullmatch(_FLOAT, text) for text in some) and (found := self._as_typed(some)) is not None:
            return found
        plain = [numbers.plain(text) for text in some]
        patterns = [re.compile(pattern) for pattern in numbers.WRITTEN.values()]
        share = sum(any(pattern.match(text) for pattern in patterns) for text in plain) / len(plain)
        return self._as_written() if share >= MOSTLY else None

    def _as_typed(self, some: Sequence[str]) -> Finding | None:
        """Numbers as programs write them."""
        total, whole, decimal, floating, coded, long, pointed = one(
            self._connection,
            f"SELECT count(*), {_counted(_INTEGER)}, {_counted(_DECIMAL)}, {_counted(_FLOAT)}, {_counted(_CODED)}, "
            f"{_counted(_LONG_NUMBER)}, {_counted(_POINTED)} {self._everything}",
        )
        if coded or floating != total:
            return None
        if long:
            return self._settled(None if not self._column.exact else Kind("text", "{t}", (("DIGITS_LOST", ""),)))
        if whole == total:
            return self._settled(Kind("integer", "CAST({t} AS BIGINT)"))
        if decimal != total:
            if self._all(rf"regexp_matches(t, {literal(_CODE_LIKE)})"):
                return self._settled(_text("EXPONENTS_KEPT_GUESSED", some[0]))
            finite = self._all("isfinite(TRY_CAST(t AS DOUBLE))")
            short = self._some_that(_SHORTENED)
            remarks = (("DIGITS_SHORT_GUESSED", short),) if short else ()
            return self._settled(Kind("number", "CAST({t} AS DOUBLE)", remarks), Style.POINT) if finite else None
        if not pointed and not self._column.exact:
            return None  # 1.234
        kind = _exact(self._connection, self._everything, "{t}", ())
        return self._settled(kind, None if self._column.exact else Style.POINT)

    def _as_written(self) -> Finding | None:
        """Numbers as people write them, in either style."""
        plain = numbers.plain_sql("t")
        point, comma = (f"regexp_matches(p, {literal(pattern)})" for pattern in numbers.WRITTEN.values())
        total, pointed, commaed, neither, open_ones, coded, long = one(  # each pattern once: compiling it is dear
            self._connection,
            "SELECT count(*), count_if(point AND NOT comma), count_if(comma AND NOT point), "
            "count_if(NOT point AND NOT comma), count_if(point AND comma AND regexp_matches(p, '[.,]')), "
            f"count_if(regexp_matches(p, {literal(numbers.LEADING_ZERO)})), "
            f"count_if(regexp_matches(p, {literal(_LONG_NUMBER)})) FROM (SELECT p, {point} AS point, {comma} AS comma "
            f"FROM (SELECT {plain} AS p {self._everything}))",
        )
        assert isinstance(total, int) and isinstance(neither, int)
        if coded or long or neither > (1 - MOSTLY) * total:
            return self._settled(Kind("text", "{t}", (("IDENTIFIERS_KEPT", ""),))) if long and not neither else None
        if pointed and commaed:
            return self._settled(_text("NUMBERS_MIXED", self._some_of(f"{point} <> {comma}")))
        units, partly = self._units()
        if len(units) > 1:
            return self._settled(_text("UNITS_MIXED", ", ".join(units)))
        style = Style.POINT if pointed else Style.COMMA if commaed else None
        found = Finding(self._everything, style=style, mostly=bool(neither), partly=units[0] if partly else "")
        if style is None and open_ones and not (self._column.exact and not neither):
            return replace(found, open_styles=True)
        return replace(found, kind=_number(self._connection, found, style or Style.POINT, ""))

    def _units(self) -> tuple[list[str], bool]:
        """The units of the numbers, percent and none being two; and whether there is one, and some numbers have none,
        of which nothing is none in any unit."""
        plain = numbers.plain_sql("t")
        point, comma = (f"regexp_matches(p, {literal(pattern)})" for pattern in numbers.WRITTEN.values())
        found = rows(
            self._connection,
            f"SELECT DISTINCT {numbers.unit_sql('p')} AS unit FROM (SELECT {plain} AS p {self._everything}) "
            f"WHERE ({point} OR {comma}) AND NOT regexp_matches(p, '^[0.,-]+$') ORDER BY unit LIMIT 6",
        )
        units = {str(unit).rstrip(".") for (unit,) in found}
        named = sorted(units - {""})
        return (["none", *named], False) if "%" in units and "" in units else (named, len(named) == 1 and "" in units)

    def _some_that(self, pattern: str) -> str:
        """A value that a pattern fits, or nothing."""
        found = rows(self._connection, f"SELECT min(t) {self._everything} AND regexp_matches(t, {literal(pattern)})")
        return str(found[0][0] or "")[:30]

    def _some_of(self, holds: str) -> str:
        found = rows(
            self._connection,
            f"SELECT DISTINCT t FROM (SELECT t, {numbers.plain_sql('t')} AS p {self._everything}) WHERE {holds} "
            "ORDER BY length(t) DESC, t LIMIT 2",
        )
        return ", ".join(str(value)[:30] for (value,) in found)

    # --- dates -------------------------------------------------------------------------------------------------

    def _compact(self, some: Sequence[str]) -> Finding | None:
        """``20260803``, where the heading says that it is a date."""
        if _DATED.search(self._column.heading) and all(dates.COMPACT.fullmatch(text) for text in some):
            read = "try_strptime({t}, '%Y%m%d')"
            if self._all(f"{read.replace('{t}', 't')} IS NOT NULL"):
                return self._settled(Kind("date", f"CAST({read} AS DATE)"))
        return None

    def _dates(self, some: Sequence[str]) -> Finding | None:
        for timed in (False, True):
            looks = dates.LOOKS_TIMED if timed else dates.LOOKS_DATED
            if all(looks.fullmatch(text) for text in some):
                for looked in (self._plainly, self._in_an_order):
                    if (found := looked(some, timed=timed)) is not None:
                        return found
        return None

    def _plainly(self, some: Sequence[str], *, timed: bool) -> Finding | None:
        """Dates that can be read one way only."""
        shapes = [(*dates.ISO_DAYS, *dates.NAMED)] if timed else [dates.ISO_DAYS, dates.MONTHS, dates.NAMED]
        for days in shapes:
            holds = f"{_moment('t', days, timed=timed)} IS NOT NULL"
            if self._few(some, holds) and self._all(holds):
                return self._settled(self._moments(days, timed=timed, remarks=()))
        return None

    def _in_an_order(self, some: Sequence[str], *, timed: bool) -> Finding | None:
        day, month, year = (f"{_moment('t', days, timed=timed)} IS NOT NULL" for days in _DAYS.values())
        if not self._few(some, f"{day} OR {month} OR {year}"):
            return None
        # of a year the values begin, or end, with a few numbers, and of a day with many
        total, days, months, either, years, begins, ends = one(
            self._connection,
            "SELECT count(*), count_if(day), count_if(month), count_if(day OR month), count_if(year), "
            r"count(DISTINCT t[1:2]), count(DISTINCT regexp_extract(t, '^\d+\D\d+\D(\d+)', 1)) "
            f"FROM (SELECT t, {day} AS day, {month} AS month, {year} AS year {self._everything})",
        )
        assert isinstance(begins, int) and isinstance(ends, int)
        if years == total and (begins < ends or total not in (days, months)):
            guessed = (("DATE_ORDER_GUESSED", Order.YEAR_FIRST.value),) if total in (days, months) else ()
            return self._settled(self._moments(dates.YEAR_FIRST, timed=timed, remarks=guessed))
        doubt = ("DATE_ORDER_GUESSED",) if years == total else ()
        if days == total and months == total:
            return Finding(self._everything, open_orders=True, timed=timed)
        if days == total:
            remarks = tuple((code, Order.DAY_FIRST.value) for code in doubt)
            return self._settled(self._moments(dates.DAY_FIRST, timed=timed, remarks=remarks), order=Order.DAY_FIRST)
        if months == total:
            remarks = tuple((code, Order.MONTH_FIRST.value) for code in doubt)
            return self._settled(
                self._moments(dates.MONTH_FIRST, timed=timed, remarks=remarks), order=Order.MONTH_FIRST
            )
        return self._settled(_text("DATES_MIXED", "")) if either == total else None

    def _moments(self, days: tuple[str, ...], *, timed: bool, remarks: tuple[tuple[str, str], ...]) -> Kind:
        return _moments(self._connection, self._everything, days, timed=timed, remarks=remarks)


def _are_spans(some: Sequence[str], way: str) -> bool:
    return all(re.fullmatch(way, text) and re.search(r"\d", text) for text in some)


def _counted(pattern: str) -> str:
    return f"count_if(regexp_matches(t, {literal(pattern)}))"


def _text(code: str, words: str) -> Kind:
    return Kind("text", "{t}", ((code, words),))


def _number(connection: Connection, found: Finding, style: Style, guess: str) -> Kind | None:
    """A column of numbers in a style; of one that holds other texts, too, the numbers as programs write them."""
    value = numbers.number_sql(numbers.plain_sql("{t}"), style)
    partly = (("UNITS_PARTLY_GUESSED", found.partly),) if found.partly else ()
    if found.mostly:
        among = _among_texts(connection, found.everything, style, value)
        return replace(among, remarks=(*among.remarks, *partly))
    example = _example(connection, found.everything, value, changed=not guess)
    remarks = (*(((guess or "NUMBERS_CLEANED", example),) if example or guess else ()), *partly)
    return _exact(connection, found.everything, value, remarks)


def _among_texts(connection: Connection, everything: str, style: Style, value: str) -> Kind:
    is_one = f"regexp_matches({numbers.plain_sql('{t}')}, {literal(numbers.WRITTEN[style])})"
    others = rows(
        connection,
        f"SELECT DISTINCT t {everything} AND NOT {is_one.replace('{t}', 't')} "
        rf"ORDER BY regexp_matches(t, '\p{{N}}') DESC, t LIMIT 3",
    )
    words = ", ".join(f"\u201c{str(other)[:30]}\u201d" for (other,) in others)
    return Kind("text", f"CASE WHEN {is_one} THEN {value} ELSE {{t}} END", (("TEXTS_AMONG_NUMBERS", words),))


def _example(connection: Connection, everything: str, value: str, *, changed: bool = True) -> str:
    """A text of a column with what it was read as; of those that were ``changed`` by it, or none."""
    made = value.replace("{t}", "t")
    found = rows(
        connection,
        f"SELECT t, v FROM (SELECT t, CAST({made} AS VARCHAR) AS v {everything}) WHERE t <> v OR {not changed} "
        "ORDER BY regexp_matches(t, '[(-]') DESC, length(t) DESC, t LIMIT 1",
    )
    return "".join(f"\u201c{str(text)[:40]}\u201d is {read}" for text, read in found)


def _exact(connection: Connection, everything: str, value: str, remarks: tuple[tuple[str, str], ...]) -> Kind:
    """Decimals as DECIMAL with as many places as the values have, as far as any DECIMAL goes."""
    digits = value.replace("{t}", "t")
    whole, places = one(
        connection,
        rf"SELECT max(length(regexp_extract(w, '^[+-]?(\d*)', 1))), max(length(regexp_extract(w, '\.(\d*)$', 1))) "
        f"FROM (SELECT {digits} AS w {everything})",
    )
    assert isinstance(whole, int) and isinstance(places, int)
    if places == 0 and whole <= MOST_DIGITS:
        return Kind("integer", f"CAST(rtrim({value}, '.') AS BIGINT)", remarks)
    if whole + places <= MOST_DIGITS:
        return Kind("number", f"CAST({value} AS DECIMAL({MOST_DIGITS}, {places}))", remarks)
    if whole + places <= WIDEST:
        return Kind("number", f"CAST({value} AS DECIMAL({WIDEST}, {places}))", remarks)
    return Kind("number", f"CAST({value} AS DOUBLE)", remarks)


def _dated(connection: Connection, found: Finding, order: Order, code: str) -> Kind:
    return _moments(connection, found.everything, _DAYS[order], timed=found.timed, remarks=((code, order.value),))


def _moment(text: str, days: tuple[str, ...], *, timed: bool) -> str:
    return dates.read_sql(dates.bare_sql(text) if timed else text, days, timed=timed)


def _moments(
    connection: Connection,
    everything: str,
    days: tuple[str, ...],
    *,
    timed: bool,
    remarks: tuple[tuple[str, str], ...],
) -> Kind:
    """Dates, or times without a zone: as they are written where all have one zone, else in UTC."""
    read = _moment("{t}", days, timed=timed)
    short = f"NOT regexp_matches(t, {literal(dates.YEAR_WRITTEN)})"
    if count(connection, f"SELECT count(*) {everything} AND {short}"):
        example = _example(connection, f"{everything} AND {short}", f"CAST({read} AS DATE)")
        remarks = (*remarks, ("CENTURY_GUESSED", example))
    year = f"date_part('year', {read.replace('{t}', 't')})"
    far = f"({year} > {dates.FAR_YEAR} AND {year} < {dates.NEVER} OR {year} < {dates.PAST_YEAR})"
    if count(connection, f"SELECT count(*) {everything} AND {far}"):
        example = _example(connection, f"{everything} AND {far}", f"CAST({read} AS DATE)", changed=False)
        remarks = (*remarks, ("ERA_GUESSED", example))
    if not timed:
        return Kind("date", f"CAST({read} AS DATE)", remarks)
    zones = [
        str(zone)
        for (zone,) in rows(connection, f"SELECT DISTINCT {dates.zone_sql('t')} AS z {everything} ORDER BY z LIMIT 9")
    ]
    elsewhere = [zone for zone in zones if not re.fullmatch(dates.NAUGHT, zone)]
    if not elsewhere:
        return Kind("timestamp", f"CAST({read} AS TIMESTAMP)", remarks)
    if len(zones) == 1 or not all(re.fullmatch(dates.OFFSET, zone) or zone not in elsewhere for zone in zones):
        return Kind(
            "timestamp", f"CAST({read} AS TIMESTAMP)", (*remarks, ("ZONE_AS_WRITTEN", ", ".join(elsewhere[:3])))
        )
    east = dates.seconds_east_sql(dates.zone_sql("{t}"))
    value = f"CAST({read} AS TIMESTAMP) - to_seconds({east})"
    return Kind("timestamp", value, (*remarks, ("ZONES_AS_UTC", ", ".join(elsewhere[:3]))))
