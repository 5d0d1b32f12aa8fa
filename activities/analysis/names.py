"""Names that people give to files and columns, made fit for plans, queries and file names."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

NAME_LIMIT = 60
"""As ``domain.analyses.table.NAME_LIMIT``, which confined processes do not load; a test compares them."""
SHOWN_LIMIT = 100

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAPS = re.compile(r"_{2,}")


def cleaned(names: Iterable[str], *, fallback: str) -> list[str]:
    """Names of lower-case letters, digits and underscores that begin with a letter, no two alike.

    Args:
        fallback: Stands where nothing is left of a name, with its place behind (``column_3``).
    """
    return list(_apart(_clean(name) or f"{fallback}_{place}" for place, name in enumerate(names, start=1)))


def _clean(name: str) -> str:
    plain = unicodedata.normalize("NFKC", _CAMEL.sub("_", name)).casefold()
    words = _GAPS.sub("_", "".join(letter if _may_stand(letter) else "_" for letter in plain))
    words = words.strip("_")[:NAME_LIMIT].strip("_")
    if not words:
        return ""
    return words if words[0].isalpha() else f"n_{words}"[:NAME_LIMIT].rstrip("_")


def _may_stand(letter: str) -> bool:
    """Letters, digits, and the marks without which many scripts cannot be read."""
    return letter.isalpha() or letter.isdecimal() or unicodedata.category(letter).startswith("M")


def _apart(names: Iterable[str]) -> Iterator[str]:
    taken: set[str] = set()
    for name in names:
        apart, number = name, 1
        while apart in taken:
            number += 1
            apart = f"{name[: NAME_LIMIT - 2]}_{number}"
        taken.add(apart)
        yield apart


def shown(text: str, limit: int = SHOWN_LIMIT) -> str:
    """A short line for people: what cannot be printed is left out."""
    line = " ".join(text.split())
    line = "".join(letter for letter in line if letter.isprintable())
    return line if len(line) <= limit else line[: limit - 1] + "…"
