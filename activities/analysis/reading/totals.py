"""Rows that are no data: totals among the rows that they add up, headings once more, and remarks below the table; and
names that stand once for several rows. Runs inside.

A row that calls itself a total is left out where the numbers bear it out, and that is said. Where they do not it stays,
for somebody may sell a thing called so: whoever plans asks (``reading.py``).
"""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from activities.analysis.engine import Connection, count, one, rows
from activities.analysis.reading.kinds import Kind
from activities.analysis.reading.total_words import CALLED, CALLED_IN_LOWER_CASE, PAGE
from activities.analysis.sql_words import literal, quoted

LABELS_AMONG = 4
"""Columns, from the left, in which a row may say that it is a total."""
MOST_TOTALS = 2_000
"""Rows that may call themselves so and be looked at; of more, it is a name like any other."""
OUTLINED = 3
"""Columns behind one that names groups in which their rows are named."""
ROUNDS = 3
"""In which rows that are none are put back among the data, and the others looked at again."""
MOST_BELOW = 8
"""Lines of remarks below a table."""
REMARK_LENGTH = 25
"""Characters of a text that is a remark and no name; three words are one, too."""
REMARK = "^[*\u2020\u2021]\\s*[A-Za-z]|^[A-Z][a-z]+( [a-z]+)?: ?\\S"
"""How a remark begins, and few names do."""
TOLERANCE = 0.011
"""By which a total may differ from the sum of what was rounded: each of its rows by half a unit of its last place."""


def set_headings_apart(
    connection: Connection, table: str, columns: Sequence[str], heading: Sequence[str]
) -> list[tuple[str, str]]:
    """Drop the rows that are the heading once more, and the numbers of pages that stand between them."""
    if sum(map(bool, heading)) < 2:
        return []
    same = [
        f"lower(trim(coalesce({quoted(column)}, ''))) = lower({literal(name)})"
        for column, name in zip_longest(columns, heading, fillvalue="")
    ]
    repeated = count(connection, f"SELECT count(*) FROM {quoted(table)} WHERE {' AND '.join(same)}")
    if not repeated:
        return []
    first, *others = map(quoted, columns)
    alone = f"{_filled(first)} AND NOT ({' OR '.join(map(_filled, others))})"
    page = f"({alone} AND regexp_matches(trim({first}), {literal(PAGE)}))"
    connection.execute(f"DELETE FROM {quoted(table)} WHERE ({' AND '.join(same)}) OR {page}")
    return [("HEADING_REPEATED", str(repeated))]


def set_remarks_apart(connection: Connection, table: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    """Drop the lines below a table that hold nothing but a text in their first cell."""
    if len(columns) < 2:
        return []
    first, *others = map(quoted, columns)
    # a name whose numbers are missing is short
    alone = (
        f"{_filled(first)} AND NOT ({' OR '.join(map(_filled, others))}) "
        rf"AND (length(trim({first})) >= {REMARK_LENGTH} OR regexp_matches({first}, '^[*†‡]|^\(.*\)$|\S\s+\S+\s+\S|:'))"
    )
    nothing_else = f"NOT ({' OR '.join(map(_filled, others))})"
    comment = f"starts_with(trim({first}), '#') AND {nothing_else}"
    comments, last, end = one(
        connection,
        f"SELECT count(*) FILTER (WHERE {comment}), coalesce(max(rowid) FILTER (WHERE NOT ({alone})), -1), max(rowid) "
        f"FROM {quoted(table)}",
    )
    assert isinstance(comments, int)
    if 0 < comments <= MOST_BELOW:
        connection.execute(f"DELETE FROM {quoted(table)} WHERE {comment}")
        return [("REMARKS_AMONG_LEFT_OUT", str(comments)), *set_remarks_apart(connection, table, columns)]
    if last in (-1, end):
        return []
    behind = f"rowid > {last}"
    below = count(connection, f"SELECT count(*) FROM {quoted(table)} WHERE {behind}")
    elsewhere = count(connection, f"SELECT count(*) FROM {quoted(table)} WHERE ({alone}) AND NOT {behind}")
    if below > MOST_BELOW or elsewhere:
        return []
    connection.execute(f"DELETE FROM {quoted(table)} WHERE {behind}")
    return [("REMARKS_LEFT_OUT", str(below))]


def remark_counted(table: str, connection: Connection, columns: Sequence[str]) -> list[tuple[str, str]]:
    """A last row that begins as a remark does (``Source: Eurostat``) and has more cells: it may be none of the rows."""
    first = f"trim({quoted(columns[0])})" if columns else "NULL"
    (last, among) = one(
        connection,
        f"SELECT arg_max({first}, rowid) FILTER (WHERE {first} <> ''), "
        f"count_if(regexp_matches({first}, {literal(REMARK)})) FROM {quoted(table)}",
    )
    text = str(last or "")
    is_one = among == 1 and re.search(REMARK, text) and not re.search(CALLED, text)
    return [("REMARK_COUNTED_GUESSED", f"\u201c{text[:40]}\u201d")] if is_one else []


def filled_down(connection: Connection, table: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    """Write a name that stands in the first row of its group only (an outline, as pivot tables are exported) into each
    row of it, in the first columns one after the other."""
    remarks: list[tuple[str, str]] = []
    for level in range(len(columns) - 2):
        example = _filled_at(connection, table, columns, level)
        if example is None:
            break
        remarks.append(("LABELS_FILLED_GUESSED", f"\u201c{example[:40]}\u201d"))
    return remarks


def _filled_at(connection: Connection, table: str, columns: Sequence[str], level: int) -> str | None:
    """A name that was written into the rows below it. That it is one of an outline: no name is there twice within what
    it is a part of, and every row without one has a text in the columns behind."""
    first, *behind = map(quoted, columns[level : level + 1 + OUTLINED])
    # most columns have a name in each row, and to compile the patterns below takes longer than to see that
    if not rows(connection, f"SELECT 1 FROM {quoted(table)} WHERE NOT {_filled(first)} LIMIT 1"):
        return None
    named = f"{_filled(first)} AND NOT coalesce({_called(f'trim({first})')}, false)"
    letters = rf"regexp_matches(concat_ws('', {', '.join(behind[:-1] or behind)}), '\p{{L}}')"
    below = f"NOT {_filled(first)} AND {letters}"
    last = f"rowid = (SELECT max(rowid) FROM {quoted(table)})"
    of = ", ".join([*(f"coalesce({quoted(column)}, '')" for column in columns[:level]), f"trim({first})"])
    begins, names, different, rows_below, others = one(
        connection,
        "SELECT min(place) FILTER (WHERE named) <= min(place), count_if(named), "
        "count(DISTINCT whole) FILTER (WHERE named), count_if(below), count_if(bare AND NOT below AND NOT last) FROM "
        f"(SELECT rowid AS place, {named} AS named, [{of}] AS whole, {below} AS below, NOT {_filled(first)} AS bare, "
        f"{last} AS last FROM {quoted(table)})",
    )
    assert isinstance(names, int) and isinstance(rows_below, int)
    if not (begins and rows_below and names == different and 2 * rows_below >= names and not others):
        return None
    (example,) = one(connection, f"SELECT trim({first}) FROM {quoted(table)} WHERE {named} ORDER BY rowid LIMIT 1")
    name = f"last_value(nullif(trim({first}), '') IGNORE NULLS) OVER (ORDER BY rowid)"
    connection.execute(
        f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * REPLACE "
        f"(CASE WHEN {below} THEN {name} ELSE {first} END AS {first}) FROM {quoted(table)} ORDER BY rowid"
    )
    return str(example)


def set_totals_apart(connection: Connection, table: str, columns: Sequence[str]) -> bool:
    """Mark rows that call themselves totals, and a last row of numbers without a name, in a copy of ``table`` called
    ``marked`` (``place``, ``called``, ``total``); whether there are any."""
    # one pattern over a line for each label, said once in a query: compiling it is dear
    labels = ", ".join(f"trim(replace({quoted(column)}, chr(10), ' '))" for column in columns[:LABELS_AMONG])
    called = _called(f"concat_ws(chr(10), {labels})")
    last = f"rowid = (SELECT max(rowid) FROM {quoted(table)})"
    nameless = f"{last} AND NOT {_filled(quoted(columns[0]))} AND {len(columns) > 1}"
    found, every = one(
        connection,
        f"SELECT count(*) FILTER (WHERE ({called}) IS TRUE OR ({nameless})), count(*) FROM {quoted(table)}",
    )
    assert isinstance(found, int) and isinstance(every, int)
    if not 0 < found <= MOST_TOTALS or 2 * found > every:
        return False
    connection.execute(
        "CREATE TABLE marked AS SELECT place, called, called OR nameless AS total, * EXCLUDE (place, called, nameless) "
        f"FROM (SELECT rowid AS place, ({called}) IS TRUE AS called, {nameless} AS nameless, * FROM {quoted(table)})"
    )
    return True


def left_out(
    connection: Connection, names: Sequence[str], kinds: Mapping[str, Kind | None], values: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Leave only those rows of ``marked`` marked as totals whose numbers add up; what is to be said of them, nothing
    where none is left.

    Args:
        values: SQL of each column as it is stored.
    """
    numeric = [name for name in names if (kind := kinds[name]) is not None and kind.type in ("integer", "number")]
    for _ in range(ROUNDS):
        wrong = _not_adding_up(connection, names, numeric, kinds, values) if numeric else None
        if wrong == []:
            break
        among = "" if wrong is None else f" AND place IN ({', '.join(map(str, wrong))})"
        connection.execute(f"UPDATE marked SET total = false WHERE total{among}")
        if wrong is None:
            break
    number = count(connection, "SELECT count(*) FROM marked WHERE total")
    words = _words(connection, names, "total" if number else "true")
    if number:
        return [("TOTALS_LEFT_OUT", f"{number} ({words})" if words else str(number))]
    return [("TOTALS_SUSPECTED", words)] if words else []


def _words(connection: Connection, names: Sequence[str], which: str) -> str:
    """What the rows call themselves: the label that says that they are totals, else the first."""
    labels = [f"nullif(trim({quoted(name)}), '')" for name in names[:LABELS_AMONG]]
    saying = [f"CASE WHEN {_called(label)} THEN {label} END" for label in labels]
    first = f"coalesce({', '.join([*saying, *labels])})"
    found = rows(connection, f"SELECT DISTINCT {first} AS w FROM marked WHERE {which} AND called ORDER BY w LIMIT 4")
    return ", ".join(f"\u201c{str(word)[:40]}\u201d" for (word,) in found[:3]) + (", \u2026" if len(found) > 3 else "")


def _not_adding_up(
    connection: Connection,
    names: Sequence[str],
    numeric: Sequence[str],
    kinds: Mapping[str, Kind | None],
    values: Mapping[str, str],
) -> list[int]:
    """The places of totals that in no column are the sum of all rows, of those above, of those up to the total before
    or behind it, or of those with a value that it names."""
    labels = [name for name in names[:LABELS_AMONG] if (kind := kinds[name]) is None or kind.type == "text"]
    label = " || ' ' || ".join(f"coalesce({quoted(name)}, '')" for name in names[:LABELS_AMONG])
    right = set[int]()
    every = set[int]()
    for name in numeric:
        value = f"TRY_CAST(TRY({values[name]}) AS DOUBLE)"
        which = [
            "true",
            "d.place < t.place",
            "d.place < t.place AND d.place > coalesce((SELECT max(o.place) FROM t AS o WHERE o.place < t.place), -1)",
            "d.place > t.place AND d.place < coalesce((SELECT min(o.place) FROM t AS o WHERE o.place > t.place), 9e18)",
            *(f"length(d.{quoted(text)}) > 0 AND contains(lower(t.label), lower(d.{quoted(text)}))" for text in labels),
        ]
        near = " OR ".join(f"abs((SELECT sum(d.v) FROM d WHERE {each}) - t.v) <= {TOLERANCE}" for each in which)
        listed = "".join(f", {quoted(text)}" for text in labels)
        found = rows(
            connection,
            f"WITH d AS (SELECT place, {value} AS v{listed} FROM marked WHERE NOT total), "
            f"t AS (SELECT place, {value} AS v, {label} AS label FROM marked WHERE total) "
            f"SELECT t.place, coalesce({near}, false) FROM t",
        )
        every |= {int(str(at)) for at, _ in found}
        right |= {int(str(at)) for at, is_near in found if is_near}
    return sorted(every - right)


def _called(text: str) -> str:
    """SQL: whether a line of the text is called a total."""
    return f"regexp_matches(lower({text}), {literal(CALLED_IN_LOWER_CASE)})"


def _filled(column: str) -> str:
    return f"(nullif(trim({column}), '') IS NOT NULL)"
