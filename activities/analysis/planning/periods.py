"""Which time a requirement speaks of: years, months, since, between, last. Part of the embedded planner."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from activities.analysis.planning import lexicon
from activities.analysis.planning.intent import Where
from activities.analysis.planning.requirement import ParsedRequirement, named_wholly, slug
from activities.analysis.planning.words import SYNONYM, Column, word_set
from domain.analyses.plan import Unknown
from domain.analyses.steps import Test
from domain.analyses.table import ColumnType

TOGETHER = "SHEETS_TOGETHER"
"""The note of a table that was put together; its first column says of what."""
THE_TIME = "the time"
"""An answer: not the value of that name."""
NEAR_YEARS = 2
"""By which years of a column may differ from those of the dates to be theirs, as fiscal years are."""
_BEFORE_TIME = word_set("in for during of only on")


class Periods:
    """Reads the periods, and takes their words."""

    def __init__(self, parsed: ParsedRequirement) -> None:
        self._parsed = parsed
        self._spans: list[tuple[date, date, tuple[Where, Where], str]] = []

    def read(self) -> None:
        """Take what names a time."""
        parsed = self._parsed
        for match in parsed.found(lexicon.SPAN):
            if not (is_day(match["a"]) and is_day(match["b"])):
                continue
            self._between(match, _begin(match["a"]), _end(match["b"]))
        for match in parsed.found(lexicon.SINCE):
            if not is_day(match["when"]) or (match["month"] and len(match["when"]) != 4):
                continue
            begin, end = self._unit(match["when"], match["month"])
            how = match["how"].split()[0]
            if how in ("since", "from", "starting"):
                self._between(match, begin, None)
            elif how == "after":
                self._between(match, end, None)
            elif how in ("before", "prior"):
                self._between(match, None, begin)
            else:
                self._between(match, None, end)
        for match in self._of_time(lexicon.IN_MONTH):
            self._between(match, *self._unit(match["year"], match["month"]))
        for match in self._of_time(lexicon.IN_QUARTER):
            self._quarter(match)
        for match in parsed.found(lexicon.LAST):
            self._last(match)
        for match in parsed.found(lexicon.ON_DAY):
            if is_day(match["day"]):
                self._between(match, _begin(match["day"]), _end(match["day"]))
        self._years()
        for match in self._of_time(lexicon.IN_MONTH_ONLY):
            year = self._year_of_data("month", match["month"])
            if year is not None:
                self._between(match, *self._unit(str(year), match["month"]))
            parsed.take(*parsed.span(match))

    def _of_time(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Matches that are no column, and no value, of that name."""
        for match in self._parsed.found(pattern):
            if not self._is_a_name(*self._parsed.span(match)):
                yield match

    def _is_a_name(self, begin: int, end: int) -> bool:
        """Whether the words are those of a column (``Q1``), or of a value (``Jan``, somebody called May)."""
        parsed = self._parsed
        begin = min(parsed.past(begin, _BEFORE_TIME), end - 1)
        timed = any(column.profile.type.is_temporal for column in parsed.columns)
        mention = parsed.mention_at(begin)
        if mention is not None and mention.end >= end and named_wholly(mention):
            return not timed or parsed.word(begin - 1) not in _BEFORE_TIME
        words = parsed.words(begin, end)
        holders = [
            column
            for column in parsed.columns
            if any(value.strip().casefold() == words.casefold() for value in column.profile.values)
        ]
        if not holders or not timed:
            return bool(holders)
        text = f"\u201c{words}\u201d is a time, and a value of {holders[0].name}. Which is meant?"
        answer = parsed.ask(f"time_{slug(words)}", text, [THE_TIME, f"{holders[0].name} {words}"])
        return answer is not None and answer.casefold() != THE_TIME

    def _years(self) -> None:
        """``2024``, ``2023 and 2024``: each year a period, several of them a list."""
        parsed = self._parsed
        found = [match for match in parsed.found(lexicon.IN_YEAR) if self._is_year(parsed.span(match)[0])]
        years = sorted({int(match["year"]) for match in found})
        if not years:
            return
        held = year_column(parsed)
        if held is not None:
            test = Test.ONE_OF if len(years) > 1 else Test.EQUALS
            parsed.only(Where(held, test, tuple(years)), f"{held.name} is {', '.join(map(str, years))}")
        elif len(years) == 1 or years == list(range(years[0], years[-1] + 1)):
            self._between(found[0], date(years[0], 1, 1), date(years[-1] + 1, 1, 1))
        else:
            column = self._time_column()
            if column is not None and not column.profile.type.is_temporal:
                parsed.only(Where(column, Test.ONE_OF, tuple(years)), f"{column.name} is {', '.join(map(str, years))}")
            elif column is not None:
                parsed.ask("years", "Which years: one span, from the first to the last?", ["yes"])
                self._between(found[0], date(years[0], 1, 1), date(years[-1] + 1, 1, 1))
        for match in found:
            parsed.take(*parsed.span(match))

    def _is_year(self, place: int) -> bool:
        before = self._parsed.words(place - 2, place).casefold()
        after = self._parsed.word(place + 1)
        if re.search(r"(?:over|above|than|below|under|least|most|top|first|bottom|>|<|>=|<=|=)$", before):
            return False
        return not self._parsed.mention_at(place) and after not in ("unit", "units", "pieces", "rows", "%")

    def _unit(self, year: str, month: str | None) -> tuple[date, date]:
        if month:
            begin = date(int(year), lexicon.MONTHS[month], 1)
            return begin, _months_on(begin, 1)
        return _begin(year), _end(year)

    def _quarter(self, match: re.Match[str]) -> None:
        quarter = int(match["q"] or match["q2"])
        year = match["year"] or match["year2"] or self._year_of_data("quarter", f"Q{quarter}")
        if year is not None:
            begin = date(int(year), 3 * quarter - 2, 1)
            self._between(match, begin, _months_on(begin, 3))
        self._parsed.take(*self._parsed.span(match))

    def _last(self, match: re.Match[str]) -> None:
        column = self._time_column()
        latest = _day(column.profile.maximum) if column is not None and column.profile.type.is_temporal else None
        if column is None or latest is None:
            return
        count, unit = int(match["n"] or 1), match["unit"]
        if unit in ("day", "week"):
            begin = latest - timedelta(days=count * (7 if unit == "week" else 1) - 1)
        else:
            length = {"month": 1, "quarter": 3, "year": 12}[unit]
            current = date(latest.year, (latest.month - 1) // length * length + 1, 1)
            begin = _months_on(current, -length * (count - 1))
        self._parsed.assume(
            f"“{match[0].strip()}” is counted back from the latest {column.name} in the data, {latest}."
        )
        self._between(match, begin, None)

    def _year_of_data(self, unit: str, words: str) -> int | None:
        """The year that a month without one belongs to: the only one in the data, or the answer."""
        column = self._time_column()
        if column is None or not column.profile.type.is_temporal:
            return None
        least, most = _day(column.profile.minimum), _day(column.profile.maximum)
        if least is None or most is None:
            return None
        if least.year == most.year:
            return least.year
        years = [str(year) for year in range(least.year, most.year + 1)]
        answer = self._parsed.ask(f"year_of_{unit}", f"{words.capitalize()} of which year?", years)
        return int(answer) if answer and re.fullmatch(lexicon.YEAR, answer) else None

    def _between(self, match: re.Match[str], begin: date | None, end: date | None) -> None:
        """Rows from ``begin`` to before ``end``."""
        parsed = self._parsed
        column = self._time_column()
        parsed.take(*parsed.span(match))
        if column is None:
            return
        if not column.profile.type.is_temporal:
            self._in_years(column, begin, end)
            return
        if begin is not None and end is not None:
            begin, end = self._joined(begin, end)
        words = []
        if begin is not None:
            parsed.intent.where.append(Where(column, Test.AT_LEAST, (begin.isoformat(),)))
            words.append(f"from {begin}")
        if end is not None:
            parsed.intent.where.append(Where(column, Test.LESS, (end.isoformat(),)))
            words.append(f"before {end}")
        phrase = f"only rows with {column.name} {' and '.join(words)}"
        if begin is not None and end is not None:
            first, last = parsed.intent.where[-2:]
            self._spans.append((begin, end, (first, last), phrase))
        parsed.understand(phrase)

    def _joined(self, begin: date, end: date) -> tuple[date, date]:
        """``Q1 and Q2``, ``March and April``: periods that follow each other are one, as no day is in both."""
        for span in self._spans:
            first, last, conditions, phrase = span
            if last == begin or end == first:
                self._spans.remove(span)
                intent = self._parsed.intent
                intent.where[:] = [each for each in intent.where if each not in conditions]
                intent.understood.remove(phrase)
                return min(begin, first), max(end, last)
        return begin, end

    def _in_years(self, column: Column, begin: date | None, end: date | None) -> None:
        """For a column that holds years as numbers."""
        first = begin.year if begin else None
        last = end.year - 1 if end else None
        if first is not None and first == last:
            self._parsed.only(Where(column, Test.EQUALS, (first,)), f"{column.name} is {first}")
            return
        if first is not None:
            self._parsed.only(Where(column, Test.AT_LEAST, (first,)), f"{column.name} is at least {first}")
        if last is not None:
            self._parsed.only(Where(column, Test.AT_MOST, (last,)), f"{column.name} is at most {last}")

    def _time_column(self) -> Column | None:
        return time_column(self._parsed, years_will_do=True)


def time_column(parsed: ParsedRequirement, *, years_will_do: bool = False) -> Column | None:
    """The column that says when: the one that is named, the only one, or the answer. With ``years_will_do`` a column of
    years where there are no dates."""
    temporal = [column for column in parsed.columns if column.profile.type.is_temporal]
    if parsed.intent.time is not None:
        return parsed.intent.time
    if not temporal:
        years = [column for column in parsed.columns if "year" in column.stems and column.profile.type.is_numeric]
        if years and years_will_do:
            return years[0]
        if "time" not in {unknown.id for unknown in parsed.intent.unknowns}:
            parsed.intent.unknowns.append(_no_time())
        return None
    named = {
        column
        for mention in parsed.mentions
        for score, column in mention.candidates
        if score >= SYNONYM and column.profile.type.is_temporal
    }
    if len(named) == 1:
        chosen: Column | None = next(iter(named))
        for mention in parsed.mentions:
            if any(score >= SYNONYM and column == chosen for score, column in mention.candidates):
                parsed.take(mention.start, mention.end)
    elif len(temporal) == 1:
        chosen = temporal[0]
    else:
        chosen = parsed.ask_column("time", "Which column says when?", temporal)
        if chosen is not None and not chosen.profile.type.is_temporal:
            chosen = None
    parsed.intent.time = chosen
    return chosen


def year_column(parsed: ParsedRequirement) -> Column | None:
    """A column of years that are not those of the dates, as fiscal years are, where it is the one that is meant."""
    dates = [column for column in parsed.columns if column.profile.type.is_temporal]
    years = [column for column in parsed.columns if "year" in column.stems and _are_years_near(column, dates)]
    if not years or parsed.intent.time is not None:
        return None
    text = f"{years[0].name} is not the year of {dates[0].name} in all rows. Which year is meant?"
    chosen = parsed.ask_column("year", text, [*years, *dates])
    if chosen in dates:
        parsed.intent.time = chosen
    return chosen if chosen in years else None


def _are_years_near(column: Column, dates: list[Column]) -> bool:
    held = [column.profile.minimum or "", column.profile.maximum or ""]
    if column.profile.type is not ColumnType.INTEGER or not all(re.fullmatch(lexicon.YEAR, year) for year in held):
        return False
    spans = [
        (int(least[:4]), int(most[:4]))
        for date in dates
        if (least := date.profile.minimum or "")[:4].isdigit() and (most := date.profile.maximum or "")[:4].isdigit()
    ]
    first, last = map(int, held)
    if any((first, last) == span for span in spans):
        return False
    return any(abs(first - begin) <= NEAR_YEARS and abs(last - end) <= NEAR_YEARS for begin, end in spans)


def parts_column(parsed: ParsedRequirement) -> Column | None:
    """The column that tells the parts of a table apart, where it was put together."""
    for place, table in enumerate(parsed.tables):
        if any(note.code == TOGETHER for note in table.notes):
            return Column(place, table.columns[0])
    return None


def is_day(text: str) -> bool:
    """Whether a year, or a day, is one that the calendar has."""
    try:
        return 1000 <= _begin(text).year <= 2999
    except ValueError:
        return False


def padded(text: str) -> str:
    """A day as ISO 8601 writes it: ``2024-3-1`` is ``2024-03-01``."""
    year, month, day = text.split("-")
    return f"{year}-{int(month):02}-{int(day):02}"


def _no_time() -> Unknown:
    return Unknown(
        id="time",
        text="The requirement speaks of time, and no column holds dates. Upload data with dates (as 2024-12-31), or "
        "leave time out of the requirement.",
    )


def _begin(text: str) -> date:
    return date(int(text), 1, 1) if len(text) == 4 else date.fromisoformat(padded(text))


def _end(text: str) -> date:
    """The first day behind a year or a day."""
    return date(int(text) + 1, 1, 1) if len(text) == 4 else _begin(text) + timedelta(days=1)


def _months_on(day: date, months: int) -> date:
    month = day.year * 12 + day.month - 1 + months
    return date(month // 12, month % 12 + 1, 1)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
