"""Which of several grew the most: from when to when, and in percent or by amount. Asked, for each gives another answer.

Part of the embedded planner.
"""

import re
from collections.abc import Iterator
from datetime import date

from activities.analysis.planning.intent import Growth
from activities.analysis.planning.requirement import ParsedRequirement
from domain.analyses.steps import Every

ID = "growth"
MOST_CHOICES = 3
"""Pairs of periods that are offered of each length."""
_ANSWER = re.compile(r"(?P<form>in percent|by amount), from (?P<begin>\S+) to (?P<end>\S+)", re.IGNORECASE)
_PERIOD = re.compile(r"(?P<year>(?:19|20)\d\d)(?:-(?P<month>\d\d)|-?Q(?P<quarter>[1-4]))?", re.IGNORECASE)
_FALL = re.compile(r"\b(?:decreas|declin)")


def rank_by_growth(parsed: ParsedRequirement) -> None:
    """Rank groups by their growth where that was asked for."""
    intent = parsed.intent
    if not (intent.change and intent.groups and intent.first is not None):
        return
    column = intent.time
    if column is None or not column.profile.type.is_temporal:
        return
    if _FALL.search(parsed.text):
        intent.descending = not intent.descending
    least, most = (_day(text) for text in (column.profile.minimum, column.profile.maximum))
    options = list(_options(least, most)) if least and most else []
    answer = parsed.ask(ID, "Growth in which way, and from when to when?", options)
    growth = _read(answer or "")
    if growth is not None:
        intent.growth, intent.every = growth, growth.every
        intent.assumptions = [each for each in intent.assumptions if "no period was named" not in each]
        parsed.understand(f"growth {answer}")
        parsed.assume("What has no number in the earlier period has no growth.")
    elif answer is not None:
        parsed.unread(answer)


def _options(least: date, most: date) -> Iterator[str]:
    for periods in (_years(least, most), _quarters(least, most), _months(least, most)):
        if len(periods) < 2:
            continue
        pairs = dict.fromkeys([(periods[0], periods[-1]), *zip(periods[-2::-1], periods[:0:-1], strict=True)])
        for begin, end in list(pairs)[:MOST_CHOICES]:
            for form in ("in percent", "by amount"):
                yield f"{form}, from {begin} to {end}"


def _years(least: date, most: date) -> list[str]:
    return [str(year) for year in range(least.year, most.year + 1)]


def _quarters(least: date, most: date) -> list[str]:
    first, last = (4 * day.year + (day.month - 1) // 3 for day in (least, most))
    return [f"{number // 4}-Q{number % 4 + 1}" for number in range(first, last + 1)]


def _months(least: date, most: date) -> list[str]:
    first, last = (12 * day.year + day.month - 1 for day in (least, most))
    return [f"{number // 12}-{number % 12 + 1:02}" for number in range(first, last + 1)]


def _read(answer: str) -> Growth | None:
    found = _ANSWER.fullmatch(answer.strip())
    begin, end = (_period(found[name]) for name in ("begin", "end")) if found else (None, None)
    if found is None or begin is None or end is None or begin[0] is not end[0]:
        return None
    form = "percent" if found["form"].casefold() == "in percent" else "difference"
    return Growth(begin[0], begin[1], end[1], "percent" if form == "percent" else "difference")


def _period(text: str) -> tuple[Every, date] | None:
    found = _PERIOD.fullmatch(text)
    if found is None:
        return None
    year = int(found["year"])
    if found["quarter"]:
        return Every.QUARTER, date(year, 3 * int(found["quarter"]) - 2, 1)
    if found["month"]:
        return (Every.MONTH, date(year, int(found["month"]), 1)) if 1 <= int(found["month"]) <= 12 else None
    return Every.YEAR, date(year, 1, 1)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
