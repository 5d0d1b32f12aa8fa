"""Where the table begins in what people send: lines above its heading, the heading, how wide it is. Runs inside."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from activities.analysis.reading.number_text import is_number, plain
from activities.analysis.reading.refusals import Refused

Rows = Sequence[Sequence[str]]
"""Cells without blanks around them; a row that holds nothing may be empty."""

SNIFFED_ROWS = 200
"""That a layout is told by."""
WIDE = 4
"""Columns of a table below which lines of fewer cells are none of its rows."""
MOST_ABOVE = 40
"""Lines above a heading that are looked through."""

RULE = r"^[-=_*#~+|]{4,}$"
"""What the cells of a line that was drawn hold together."""
_SPACES = " \u00a0\u2007\u2009\u202f"
_NUMBERLIKE = re.compile(
    rf"\(?[+\-\u2212]?(?:[^\w\s.,:()+-])?[{_SPACES}]?[+\-\u2212]?\d[\d.,:/'\u2019{_SPACES}-]*"
    rf"(?:[{_SPACES}]?[^\w\s.,:()+-])?\)?-?"
)
_SCIENTIFIC = re.compile(r"[+-]?\d+(?:\.\d*)?[eE][+-]?\d{1,3}")
_YEAR = re.compile(r"(19|20)\d\d")
_UNIT = re.compile(
    r"[\[(](?=[^\d]*[^\W\d]|[%\u2030\u20ac$\u00b0])[^\[\]()\d]*(?:(?<=[^\W\d])[23])?[^\[\]()\d]*[\])]"
    r"|[%\u2030\u20ac$\u00a3\u00a5-]|\u00b0 ?[CFK]?|T?\u20ac|(?i:(?:mio|tsd|mrd)\.? ?(?:\u20ac|eur)?)"
    r"|(?:[kmc\u00b5\u03bcnMGT]?(?:g|m|l|s|W|Wh|J|V|A|Hz|Pa|bar|B|mol)[23\u00b2\u00b3]?)"
    r"(?:/(?:[kmc]?[gmls]|h|min)[23\u00b2\u00b3]?)?"
    r"|(?i:k|h|hrs?|hours?|min|sec|days?|t|lbs?|oz|ft|in|mi|pcs|stk\.?|st(?:\u00fcck)?\.?|ppm|rpm|db|none|n/a"
    r"|t?eur|keur|usd|gbp|chf|jpy|int(?:eger)?|float|double|number|numeric|string|text|date|bool(?:ean)?|varchar"
    r"|decimal)"
)
"""What a row of units holds, or one of types."""
_NOTHING = frozenset(("", "-", "--", "na", "n/a", "null", "none", "nan", "\u2013", "\u2014"))


@dataclass(frozen=True, slots=True)
class Layout:
    """``above`` rows stand over the table, whose first row is a heading where ``headed`` is true. ``short``: some rows
    have fewer cells than it; ``has_gap``: some stand below a blank line. ``units`` are what a row below the heading
    says of the columns; ``ends`` is the row in which another table begins, called ``other``."""

    above: int
    headed: bool
    width: int
    short: bool = False
    has_gap: bool = False
    units: tuple[str, ...] = ()
    ends: int | None = None
    other: str = ""

    @property
    def begins(self) -> int:
        """The first row of data."""
        return self.above + self.headed + bool(self.units)


def layout_of(rows: Rows) -> Layout:
    """The layout of a sheet's or a text's first rows, of which one at least holds something.

    Raises:
        Refused: The rows have more cells than the heading, so that nobody knows which is which.
    """
    usual = _usual_width(rows)
    above = _begin(rows, usual)
    first = rows[above]
    ends = _other_columns(rows, above, usual)
    units = _units_below(first, rows[above + 1 : ends])
    rest = [row for row in rows[above + 1 + bool(units) : ends] if not repeats(row, first)]
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
        units=units if headed else (),
        ends=ends,
        other="" if ends is None else next(cell for cell in rows[ends] if cell),
    )


def _other_columns(rows: Rows, above: int, usual: int) -> int | None:
    """Where something else begins: another table; or, where these are all rows, lines of a few cells at the end."""
    ends = _another(rows, above)
    if ends is not None or len(rows) >= SNIFFED_ROWS or usual < WIDE:
        return ends
    held = [sum(map(bool, row)) for row in rows]
    last = max((place for place in range(above + 2, len(rows)) if not held[place - 1] and held[place]), default=None)
    few = last is not None and all(2 * cells <= usual for cells in held[last:]) and max(held[last:]) > 1
    return last if few else None


def _another(rows: Rows, above: int) -> int | None:
    """Where another table begins: names below a blank line, in columns that hold numbers above and below them."""
    for place in range(above + 3, len(rows) - 1):
        if not any(rows[place - 1]) and is_other(rows[place], rows[place + 1], rows[above], rows[above + 1 : place]):
            return place
    return None


def is_other(row: Sequence[str], behind: Sequence[str], heading: Sequence[str], body: Rows) -> bool:
    """Whether a row is the heading of another table: names, in columns of the ``body`` that hold numbers, with a number
    in the row ``behind``."""
    if sum(map(bool, row)) < 2 or not _are_texts(row) or repeats(row, heading):
        return False
    if not any(is_numberlike(cell) for cell in behind):
        return False
    for at, cell in enumerate(row):
        held = [each[at] for each in body if at < len(each) and each[at]]
        numbers = sum(is_numberlike(each) for each in held)
        if cell and cell.casefold() not in _NOTHING and numbers and 2 * numbers >= len(held):
            return True
    return False


def with_rows_below(layout: Layout, rows: Rows) -> Layout:
    """The layout with what is below the rows that it was told by: another table, or rows behind a blank line."""
    if layout.ends is not None:
        return layout
    heading, body = rows[layout.above], rows[layout.above + 1 : SNIFFED_ROWS]
    has_gap = layout.has_gap
    for place in range(SNIFFED_ROWS, len(rows)):
        if any(rows[place - 1]) or not any(rows[place]):
            continue
        if place + 1 < len(rows) and is_other(rows[place], rows[place + 1], heading, body):
            other = next(cell for cell in rows[place] if cell)
            return replace(layout, ends=place, other=other, has_gap=has_gap)
        has_gap = has_gap or sum(map(bool, rows[place])) > 1
    return replace(layout, has_gap=has_gap)


def _units_below(heading: Sequence[str], rest: Rows) -> tuple[str, ...]:
    """What the row below a heading says that the numbers are: ``kg``, ``[mm]``, ``EUR``; or which type they have."""
    if len(rest) < 2 or not any(rest[0]) or not all(_UNIT.fullmatch(cell) for cell in rest[0] if cell):
        return ()
    told = []
    for place, unit in enumerate(rest[0]):
        below = [row[place] for row in rest[1:] if place < len(row) and row[place].casefold() not in _NOTHING]
        if unit and unit.casefold() not in _NOTHING and below and all(map(is_numberlike, below)):
            name = heading[place] if place < len(heading) else ""
            told.append(f"{name} in {unit}".strip())
    return tuple(told)


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
    usual = max(widths, key=lambda width: (widths[width], width), default=0)
    # more pairs above a short table than it has rows
    last = [len(filled(row)) for row in rows[_after_last_blank(rows) :]]
    widest = max(last, default=0)
    return widest if usual < WIDE <= widest and 2 * last.count(widest) > len(last) > 1 else usual


def _after_last_blank(rows: Rows) -> int:
    """The row behind the last one that holds nothing, and has something behind it."""
    end = len(rows)
    while end and not any(rows[end - 1]):
        end -= 1
    return next((place for place in range(end, 0, -1) if not any(rows[place - 1])), 0)


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
