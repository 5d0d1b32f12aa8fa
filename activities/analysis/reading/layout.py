"""Where the table begins in what people send: lines above its heading, the heading, how wide it is. Runs inside."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from activities.analysis.reading.number_text import is_number, plain
from activities.analysis.reading.refusals import Refused

Rows = Sequence[Sequence[str]]
"""Cells without blanks around them; a row that holds nothing may be empty."""

MOST_ABOVE = 40
"""Lines above a heading that are looked through."""

_SPACES = " \u00a0\u2007\u2009\u202f"
_NUMBERLIKE = re.compile(
    rf"\(?[+\-\u2212]?(?:[^\w\s.,:()+-])?[{_SPACES}]?[+\-\u2212]?\d[\d.,:/'\u2019{_SPACES}-]*"
    rf"(?:[{_SPACES}]?[^\w\s.,:()+-])?\)?-?"
)
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:\.\d*)?[eE][+-]?\d{1,3}")
_YEAR = re.compile(r"(19|20)\d\d")
_NOTHING = frozenset(("", "-", "--", "na", "n/a", "null", "none", "nan", "\u2013", "\u2014"))


@dataclass(frozen=True, slots=True)
class Layout:
    """``above`` rows stand over the table, whose first row is a heading where ``headed`` is true. ``short``: some rows
    have fewer cells than it; ``has_gap``: some stand below a blank line."""

    above: int
    headed: bool
    width: int
    short: bool = False
    has_gap: bool = False


def layout_of(rows: Rows) -> Layout:
    """The layout of a sheet's or a text's first rows, of which one at least holds something.

    Raises:
        Refused: The rows have more cells than the heading, so that nobody knows which is which.
    """
    usual = _usual_width(rows)
    above = _begin(rows, usual)
    first = rows[above]
    rest = [row for row in rows[above + 1 :] if not repeats(row, first)]
    headed = _is_heading(filled(first), rest)
    if headed:
        _check_aligned(first, rest)
    # cells that are always there and always empty are a delimiter at the end of the line
    written = Counter(len(row) for row in [first, *rest] if any(row)).most_common(1)[0][0]
    return Layout(
        above,
        headed,
        max(usual, len(filled(first)), written, 1),
        short=headed and any(1 < len(row) < len(filled(first)) and sum(map(bool, row)) > 1 for row in rest),
        has_gap=_has_rows_apart(rest),
    )


def _has_rows_apart(rest: Rows) -> bool:
    """Whether rows of data follow a blank line below rows of data."""
    blank = False
    begun = False
    for row in rest:
        held = sum(map(bool, row))
        if held > 1 and blank:
            return True
        blank = begun and not held
        begun = begun or held > 1
    return False


def repeats(row: Sequence[str], heading: Sequence[str]) -> bool:
    """Whether a row is the heading once more, as where pages were exported one below the other."""
    names = [cell.casefold() for cell in filled(heading)]
    return sum(map(bool, names)) > 1 and [cell.casefold() for cell in filled(row)] == names


def filled(row: Sequence[str]) -> Sequence[str]:
    """Without empty cells at the end."""
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row[:end]


def is_numberlike(cell: str) -> bool:
    """Whether a cell begins like a number, a date or a duration, and holds nothing else."""
    return any(letter.isdigit() for letter in cell) and bool(
        _NUMBERLIKE.fullmatch(cell) or _SCIENTIFIC.fullmatch(cell) or is_number(plain(cell))
    )


def _usual_width(rows: Rows) -> int:
    widths = Counter(len(filled(row)) for row in rows if any(row))
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _begin(rows: Rows, usual: int) -> int:
    """The place of the heading, or of the first row of a table without one."""
    if usual < 2:
        return next(place for place, row in enumerate(rows) if any(row))
    wide = [place for place, row in enumerate(rows) if len(filled(row)) >= usual and 2 * sum(map(bool, row)) >= usual]
    begin = next(iter(wide), None)
    if begin is None:
        return next((place for place, row in enumerate(rows) if sum(map(bool, row)) >= 2), 0)
    begin = _behind_pairs(rows, begin, wide)
    before = rows[begin - 1] if begin else ()
    if sum(map(bool, before)) >= 2 and not _are_texts(rows[begin]) and _are_texts(before):
        return begin - 1  # a heading that is shorter than its rows
    return begin


def _behind_pairs(rows: Rows, begin: int, wide: Sequence[int]) -> int:
    """``Account;DE00``, ``Period;2025``, then a table of two columns: its heading is the one above columns of one kind
    where the rows over it are none."""
    best, typed = begin, _columns_of_numbers(rows, begin)
    for place in wide:
        if place <= begin or place > begin + MOST_ABOVE:
            continue
        if repeats(rows[place], rows[begin]):
            continue
        if any(sum(map(bool, row)) > 2 for row in rows[begin:place]) or not _are_texts(rows[place]):
            continue
        found = _columns_of_numbers(rows, place)
        if found > typed:
            best, typed = place, found
    return best


def _columns_of_numbers(rows: Rows, heading: int) -> int:
    """How many columns hold nothing but numbers below a row of names."""
    names = rows[heading]
    if not _are_texts(names):
        return 0
    below = [row for row in rows[heading + 1 :] if sum(map(bool, row)) >= 2 and not repeats(row, names)]
    return sum(
        bool(cells) and all(is_numberlike(cell) for cell in cells)
        for place, name in enumerate(names)
        if name
        and (cells := [row[place] for row in below if place < len(row) and row[place].casefold() not in _NOTHING])
        is not None
    )


def _are_texts(row: Sequence[str]) -> bool:
    names = [cell for cell in row if cell]
    return bool(names) and not any(is_numberlike(name) for name in names)


def _is_heading(first: Sequence[str], rest: Rows) -> bool:
    """Names: most are given, none a number, none twice unless numbers stand below them; but years as columns next to
    names are names too."""
    names = [cell for cell in first if cell]
    numbers = sum(is_numberlike(name) for name in names)
    if not names or len({name.casefold() for name in names}) < len(names):
        return bool(names) and (not rest or (numbers == 0 and _stands_above_numbers(first, rest)))
    if numbers == 0:
        # A column of texts only says nothing: then the first row is taken for what first rows mostly are.
        return True
    below = rest[0] if rest else ()
    same = sum(is_numberlike(cell) == is_numberlike(under) for cell, under in zip(first, below, strict=False))
    years = all(_YEAR.fullmatch(name) for name in names if is_numberlike(name))
    return years and numbers < len(names) and bool(rest) and same < len(names) + 1


def _stands_above_numbers(first: Sequence[str], rest: Rows) -> bool:
    """Whether what is below one of the row's texts is numbers, all of it."""
    for place in (place for place, cell in enumerate(first) if cell):
        below = [row[place] for row in rest if place < len(row) and row[place]]
        if below and all(is_numberlike(cell) for cell in below):
            return True
    return False


def _check_aligned(heading: Sequence[str], rest: Rows) -> None:
    """A row name without a heading shifts every column; a comma within a number splits it."""
    held = [len(filled(row)) for row in rest if any(row)]
    wider = [width for width in held if width > len(heading)]
    if held and 2 * len(wider) > len(held):
        usual = Counter(wider).most_common(1)[0][0]
        raise Refused(
            "TABLE_INVALID",
            f"has {usual} cells in its rows and {len(heading)} in its heading. Name every column; put numbers that "
            "hold the delimiter in quotation marks.",
        )
