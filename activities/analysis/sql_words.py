"""The words that every query here is made of: quoted names, quoted texts, texts as numbers.

Nothing is imported, so that it serves inside and outside of the confined processes.
"""

_MARK = "[$€£¥%]?"
GROUPED = rf"^\(?[+-]?{_MARK} ?[+-]?(\d{{1,3}}(,\d{{3}})+|\d+)(\.\d+)? ?{_MARK}\)?$"
"""Numbers as people write them: 1,234.50, $5, 12 %, (3.00)."""
KEPT_DIGITS = 15
"""Of a whole number, that a DOUBLE keeps, whatever they are."""


def literal(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def bare_number(text: str) -> str:
    """SQL: ``($1,234.50)`` as ``-1234.50``, for a text expression that :data:`GROUPED` holds for."""
    bare = f"regexp_replace({text}, '[^0-9.+-]', '', 'g')"
    return f"CASE WHEN starts_with({text}, '(') THEN '-' || {bare} ELSE {bare} END"


def to_number(text: str) -> str:
    """SQL: a trimmed text expression as a DOUBLE, NULL where it is none, or has more digits than a DOUBLE keeps."""
    kept = f"length(regexp_replace(split_part({text}, '.', 1), '[^0-9]', '', 'g')) <= {KEPT_DIGITS}"
    return (
        f"CASE WHEN regexp_matches({text}, {literal(GROUPED)}) AND {kept} "
        f"THEN TRY_CAST({bare_number(text)} AS DOUBLE) END"
    )
