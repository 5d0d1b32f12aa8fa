"""Rows that hold what other rows add up to, whatever they are called: told by arithmetic, and by how likely it is that
it is chance. Runs inside.

``North 10, South 20, East 30`` may be three regions or two and their sum: that is said. ``799.75`` behind four numbers
of its kind that add up to it, or a row with two others below it that add up to it, and so for each group of rows, is no
chance: whoever plans asks.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate, pairwise

from activities.analysis.engine import Connection, count, rows
from activities.analysis.sql_words import quoted

Cells = Sequence[object]
Column = Sequence[int | None]
"""Of whole numbers: of the last decimal place that the column has."""

MOST_ROWS = 3_000
"""In which families are looked for; in longer tables only the first and the last rows are."""
MOST_BEHIND = 6
"""Rows at an end that summarise all others."""
LONGEST_FAMILY = 400
MOST_NUMBERS = 8
PLACES = 4
SURE, LIKELY, GROUPED = 10.0, 12.0, 8.0
"""Bits against chance, for a row at an end, for families among the rows, and for the rows of one name."""
ONE_SIDED = 6.0
"""Bits of a row that has no name in a column where every other has one."""
DATED = -12.0
"""Bits of a row that has a day, or names that others have, as rows of data do."""
HINT = 4.0
"""Bits that are worth a word."""
DOUBT = 2.0
"""Times what is expected by chance, as numbers that people count are not spread evenly."""
FEWEST_GROUPS = 3
COVERED = 4.0
"""Bits where every row belongs to a family."""
MOST_NAMES = 50
FEWEST = 2
"""Numbers that have a sum."""
FINE = 1_000
"""In units of the last place: from there on a sum of rounded numbers may be one off."""
_CODE = re.compile(r"(\d+(?:\.\d+)*)\.?(?=\s|$)")
_END = 1.0
"""Bits of a row that holds the least or the most."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What rows are called that are ``sure`` to add up others, by the column that names them; ``perhaps`` some do."""

    sure: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    perhaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Table:
    names: Mapping[str, Sequence[str | None]]
    """Texts, and dates as texts."""
    dated: frozenset[str]
    numbers: Sequence[Column]
    rows: int


def sums(
    connection: Connection, source: str, names: Sequence[str], numbers: Sequence[str], dates: Sequence[str], total: int
) -> Sums:
    """Of a table in the order of its file.

    Args:
        source: SQL of it.
        names: Columns of texts.
        numbers: Columns of numbers that are no names of things.
        dates: Columns of days.
        total: Rows.
    """
    if total < 3 or not numbers or not (names or dates):
        return Sums()
    if total > MOST_ROWS:
        return _at_an_end_of_many(connection, source, names, numbers, dates, total)
    listed = [*names, *dates, *numbers[:MOST_NUMBERS]]
    found = rows(connection, f"SELECT {', '.join(map(quoted, listed))} FROM {source}")
    table = _table(found, names, dates, numbers[:MOST_NUMBERS])
    above = _above_their_codes(found, [*range(len(names)), *range(len(names) + len(dates), len(listed))], len(names))
    return _named(table, above, sure=True) if above else _judged(table)


def _at_an_end_of_many(
    connection: Connection, source: str, names: Sequence[str], numbers: Sequence[str], dates: Sequence[str], total: int
) -> Sums:
    """The last row of a long table, or the first: the sum of all others."""
    numbers, labels = numbers[:MOST_NUMBERS], [*names, *dates]
    listed = ", ".join(map(quoted, [*labels, *numbers]))
    filled = ", ".join([*(f"count({quoted(name)})" for name in labels), *(f"sum({quoted(name)})" for name in numbers)])
    (whole,) = rows(connection, f"SELECT {filled} FROM {source}")
    for place in (total - 1, 0):
        for cells in rows(connection, f"SELECT {listed} FROM {source} LIMIT 1 OFFSET {place}"):
            bits = sum(_bits_of(cells[at], whole[at]) for at in range(len(labels), len(cells)))
            bits += ONE_SIDED * sum(cells[at] is None and whole[at] == total - 1 for at in range(len(labels)))
            for name, value in zip(names, cells, strict=False):
                if bits >= SURE and value is not None:
                    others = count(connection, f"SELECT count(*) FROM {source} WHERE {quoted(name)} = ?", [value])
                    if others == 1:
                        return Sums({name: (str(value),)})
    return Sums()


def _bits_of(value: object, whole: object) -> float:
    """Bits of a number being half of a sum that it is in."""
    if value is None or whole is None or not float(str(value)):
        return 0.0
    number = float(str(value))
    near = abs(float(str(whole)) - 2 * number) <= max(0.011, 1e-9 * abs(number))
    return math.log2(abs(number) + 1) if near else -ONE_SIDED


def _table(found: Sequence[Cells], names: Sequence[str], dates: Sequence[str], numbers: Sequence[str]) -> _Table:
    cells = list(zip(*found, strict=True))
    labels = {
        name: [None if cell is None else str(cell) for cell in cells[place]]
        for place, name in enumerate([*names, *dates])
    }
    columns = [column for place in range(len(numbers)) if any(column := _whole(cells[len(labels) + place]))]
    measures = [column for column in columns if not _counts_on(column)] or columns
    return _Table(labels, frozenset(dates), measures, len(found))


def _counts_on(column: Column) -> bool:
    """Whether each number is one more than that before it, as those that name rows are."""
    return all(here is not None and behind is not None and here + 1 == behind for here, behind in pairwise(column))


def _whole(cells: Cells) -> Column:
    decimals = [None if cell is None else Decimal(str(cell)) for cell in cells]
    places = min(PLACES, max((_places(each) for each in decimals if each is not None), default=0))
    return [None if each is None else int(each.scaleb(places).to_integral_value()) for each in decimals]


def _places(value: Decimal) -> int:
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


# --- judged ------------------------------------------------------------------------------------------------------


def _judged(table: _Table) -> Sums:
    """Families first; then, of the rows that are left, what stands at an end and summarises them."""
    if not table.numbers:
        return Sums()
    parents = max((_families(table, above=above) for above in (True, False)), key=lambda each: each[0])
    sure = parents[1] if parents[0] >= LIKELY else []
    left = [place for place in range(table.rows) if place not in set(sure)]
    block, bits = max(_at_the_ends(table, left), key=lambda each: each[1], default=([], 0.0))
    if bits >= SURE or (sure and bits > 0):
        sure = sorted({*sure, *block})
    if sure:
        return _named(table, sure, sure=True)
    perhaps = block if bits > 0 else _halves(table) or _so_far(table)
    return _named(table, perhaps, sure=False) if perhaps else Sums()


def _named(table: _Table, places: Sequence[int], *, sure: bool) -> Sums:
    """What the rows are called in the column that has these names for them alone."""
    among = set(places)
    for name, cells in table.names.items():
        if name in table.dated:
            continue
        called = [cells[place] for place in places]
        alone = not any(cell in called for place, cell in enumerate(cells) if place not in among)
        if all(called) and alone and len(set(called)) <= MOST_NAMES:
            values = tuple(dict.fromkeys(str(value) for value in called))
            return Sums({name: values}) if sure else Sums(perhaps=values)
    words = [next((str(cells[place]) for cells in table.names.values() if cells[place]), "") for place in places]
    return Sums(perhaps=tuple(word or f"row {place + 1}" for place, word in zip(places, words, strict=True)))


def _looks_like_a_sum(table: _Table, place: int, aside: Collection[int]) -> float:
    """Bits for and against a row that adds up others: what it lacks that all others have, and what it has as they do.

    Args:
        aside: Rows that add up others, too.
    """
    bits = 0.0
    named: list[bool] = []
    for name, cells in table.names.items():
        others = [cell for at, cell in enumerate(cells) if at not in aside]
        if cells[place] is None:
            bits += ONE_SIDED if len(table.names) > 1 and all(others) else 0.0
        elif name in table.dated:
            return DATED
        else:
            named.append(cells[place] in others)
    return DATED if named and all(named) and not bits else bits


# --- by their codes ----------------------------------------------------------------------------------------------


def _above_their_codes(found: Sequence[Cells], places: Sequence[int], texts: int) -> list[int]:
    """The rows of an outline that is told by codes (``4``, ``41``, ``42``; ``1 Sales``, ``1.1 Home``) whose numbers are
    those of the rows one level below, added up: all of them, in a column of numbers.

    Args:
        places: Of the cells that may hold codes, or numbers.
        texts: So many of the first cells of a row are texts.
    """
    for at in places:
        codes = [match[1] if (match := _CODE.match(str(row[at]))) else "" for row in found]
        if not all(codes) or len(set(codes)) < len(codes):
            continue
        below = _below(codes)
        if sum(map(len, below.values())) < FEWEST:
            continue
        for number in (place for place in places if place >= texts and place != at):
            cells = _whole([row[number] for row in found])
            if all(_adds_up(cells, parent, family) for parent, family in below.items()):
                return sorted(below)
    return []


def _below(codes: Sequence[str]) -> dict[int, list[int]]:
    """Of each row with others below it, the rows one level below."""
    dotted = any("." in code for code in codes)
    known = {code: place for place, code in enumerate(codes)}
    below: dict[int, list[int]] = {}
    for place, code in enumerate(codes):
        parts = code.split(".") if dotted else list(code)
        for end in range(len(parts) - 1, 0, -1):
            parent = known.get(("." if dotted else "").join(parts[:end]))
            if parent is not None:
                below.setdefault(parent, []).append(place)
                break
    return below


# --- at an end ---------------------------------------------------------------------------------------------------


def _at_the_ends(table: _Table, left: Sequence[int]) -> Iterator[tuple[list[int], float]]:
    """Rows behind all others, or the first, that summarise them; and the bits against chance."""
    for size in range(1, min(MOST_BEHIND, len(left) - 2) + 1):
        block = list(left[-size:])
        bits = _summarising(table, block, left[:-size])
        if bits is not None:
            yield block, bits
    if len(left) > 2 and (bits := _summarising(table, [left[0]], left[1:])) is not None:
        yield [left[0]], bits


def _summarising(table: _Table, block: Sequence[int], body: Sequence[int]) -> float | None:
    """Bits against chance of each row of the block being a summary of the body, or ``None``: one is none."""
    together = 0.0
    kinds = set[str]()
    for place in block:
        bits = 0.0
        for column in table.numbers:
            value = column[place]
            given = [each for at in body if (each := column[at]) is not None]
            if value is None or len(given) < FEWEST:
                continue
            kind = "count" if value == len(body) and _is_last(table, place) else _summary(value, given)
            bits += -ONE_SIDED if kind is None else _END if kind == "end" else math.log2(_spread(column))
            kinds |= {kind} if kind else set()
        if bits <= 0:
            return None
        together += bits + _looks_like_a_sum(table, place, block)
    return together if kinds - {"end"} or together > ONE_SIDED else None


def _is_last(table: _Table, place: int) -> bool:
    return place == table.rows - 1


def _summary(value: int, given: Sequence[int]) -> str | None:
    """Which one a number is of others: their sum, their mean, or an end of them."""
    sum_ = sum(given)
    if value and abs(sum_ - value) <= (1 if _is_fine(given) else 0):
        return "sum"
    if len(set(given)) == 1:
        return None
    if abs(sum_ - value * len(given)) * 2 <= len(given):
        return "mean"
    return "end" if value in (min(given), max(given)) else None


def _is_fine(given: Sequence[int]) -> bool:
    """Whether the numbers have decimals that may have been rounded."""
    return math.gcd(*given) == 1 and max(map(abs, given)) >= FINE


def _spread(column: Column) -> float:
    """How many numbers the column might hold where it holds one."""
    given = [each for each in column if each is not None]
    step = math.gcd(*given) or 1
    return max(1.0, (max(given) - min(given)) / step)


# --- among the rows ----------------------------------------------------------------------------------------------


def _families(table: _Table, *, above: bool) -> tuple[float, list[int]]:
    """Rows that add up those that follow (``above``) or precede them, and the bits against chance."""
    column = max(table.numbers, key=_size)
    found, tried = _parents(column, range(table.rows) if above else range(table.rows - 1, -1, -1))
    parents = {parent for parent, _ in found}
    found = [(parent, family) for parent, family in found if _looks_like_a_sum(table, parent, parents) >= 0]
    if not found:
        return 0.0, []
    bits = _surprise(len(found), DOUBT * _expected(column, tried))
    for other in table.numbers:
        if other is not column and all(_adds_up(other, parent, family) for parent, family in found):
            bits += len(found) * math.log2(_size(other))
    bits += sum(_looks_like_a_sum(table, parent, parents) for parent, _ in found)
    inside = {place for parent, family in found for place in (parent, *family)}
    if len(inside) == table.rows and len(found) > 1:
        bits += COVERED
    return bits, sorted(parent for parent, _ in found)


def _parents(column: Column, order: Sequence[int]) -> tuple[list[tuple[int, list[int]]], list[int]]:
    """Rows with the two or more behind them that add up to them; and the rows of which that was tried. The innermost
    come first, and stand for their families from there on."""
    found: list[tuple[int, list[int]]] = []
    tried: list[int] = []
    behind: list[int] = []
    for place in reversed(order):
        value = column[place]
        added, size = 0, 0
        for child in reversed(behind[-LONGEST_FAMILY:]) if value else ():
            cell = column[child]
            if cell is None or not value or (cell > 0) != (value > 0) or abs(added + cell) > abs(value):
                break
            added, size = added + cell, size + 1
            if added == value:
                break
        if size:
            tried.append(place)
        if value and added == value and size >= FEWEST:
            found.append((place, behind[-size:]))
            del behind[-size:]
        behind.append(place)
    return found, tried


def _expected(column: Column, tried: Sequence[int]) -> float:
    """How many of the rows would be the sum of some behind them by chance: sums that grow by steps of some size meet a
    number as often as one of so many (the renewal theorem)."""
    step = math.gcd(*(each for each in column if each is not None)) or 1
    sizes = sorted(abs(each) / step for each in column if each)
    added = list(accumulate(sizes))
    chances = 0.0
    for place in tried:
        smaller = bisect_right(sizes, abs(column[place] or 0) / step)
        chances += smaller / added[smaller - 1] if smaller else 0.0
    return max(chances, 1e-12)


def _surprise(number: int, expected: float) -> float:
    """Bits: how unlikely so many are where so many are expected (Chernoff's bound for a Poisson distribution)."""
    if number <= expected:
        return 0.0
    return (number * math.log(number / expected) - number + expected) / math.log(2)


def _adds_up(column: Column, parent: int, family: Sequence[int]) -> bool:
    value = column[parent]
    return value is not None and value == sum(column[place] or 0 for place in family) and bool(value)


def _size(column: Column) -> float:
    """How many of its steps the column's numbers are, on average."""
    given = [abs(each) for each in column if each]
    return max(1.0, sum(given) / len(given) / (math.gcd(*given) or 1)) if given else 1.0


# --- apart -------------------------------------------------------------------------------------------------------


def _halves(table: _Table) -> list[int]:
    """The first rows that together are as much as all behind them, in every column; or rows each with its like."""
    size = min(_size(column) for column in table.numbers)
    for first in range(FEWEST, table.rows - FEWEST):
        if first < table.rows - first and all(_half(column, first) for column in table.numbers):
            return list(range(first)) if _surprise(1, DOUBT * table.rows / size) >= HINT else []
    pairs = range(0, table.rows - 1, 2)
    like = table.rows >= 4 and table.rows % 2 == 0
    if like and all(column[at] == column[at + 1] for column in table.numbers for at in pairs):
        different = {column[at] for column in table.numbers for at in pairs}
        return list(pairs) if len(different) > 1 else []
    return []


def _so_far(table: _Table) -> list[int]:
    """Rows that hold what all others above them come to, the last among them, as in a statement of profit and loss."""
    for column in table.numbers:
        if not any((each or 0) < 0 for each in column):
            continue
        added, size = 0, 0
        found: list[int] = []
        for place, value in enumerate(column):
            if value and value == added and size >= FEWEST:
                found.append(place)
            else:
                added, size = added + (value or 0), size + 1
        if len(found) >= FEWEST and found[-1] == table.rows - 1:
            return found
    return []


def _half(column: Column, first: int) -> bool:
    given = [each or 0 for each in column]
    return bool(sum(given)) and 2 * sum(given[:first]) == sum(given)


def among_groups(
    connection: Connection, source: str, names: Sequence[str], numbers: Sequence[str]
) -> Mapping[str, tuple[str, ...]]:
    """A value of a column of texts whose rows hold, together, as much as those of all its others.

    Args:
        names: Columns of few texts.
    """
    for name in names:
        added = ", ".join(f"sum({quoted(number)})" for number in numbers[:MOST_NUMBERS])
        found = rows(connection, f"SELECT {quoted(name)}, {added} FROM {source} GROUP BY 1")
        if len(found) < FEWEST_GROUPS:
            continue
        columns = [_whole(cells) for cells in list(zip(*found, strict=True))[1:]]
        columns = [column for column in columns if any(column)]
        for place, (value, *_) in enumerate(found):
            half = [2 * (column[place] or 0) == sum(each or 0 for each in column) for column in columns]
            bits = sum(math.log2(_size(column)) for column, holds in zip(columns, half, strict=True) if holds)
            if value is not None and half and all(half) and bits - math.log2(len(found)) >= GROUPED:
                return {name: (str(value),)}
    return {}
