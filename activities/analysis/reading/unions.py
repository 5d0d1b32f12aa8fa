"""Tables that are one table in parts (a sheet a month, a file a region) and their union. Runs inside."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from activities.analysis.sql_words import literal, quoted

Part = tuple[str, Mapping[str, Any]]
"""A label, and a table as the reader describes it."""

FEWEST_COLUMNS = 2
_NUMBERS = frozenset(("integer", "number"))
_ADDED_UP = re.compile(
    r"total|summar|overall|overview|consolidat|combined|gesamt|\bsum\b|\byear\b|annual|ytd|\ball\b|budget|plan|forecast"
    r"|target|copy|\(\d+\)|backup|\bold\b|draft",
    re.IGNORECASE,
)
"""Names of what is not one part among others: it holds them all, or the same once more."""

_NAMED = re.compile(r"(?:^|_)(?:id|nr|no|number|key|code|uuid|sku)$|nummer$")
"""Columns that tell rows apart."""


def labelled(tables: Sequence[Part]) -> list[Part]:
    """The tables with names that tell them apart: of the sheet where there is one file, else of the file, too."""
    several = len({label for label, _ in tables}) > 1
    found = []
    for label, table in tables:
        parts = [label, table["sheet"]] if several else [table["sheet"]]
        found.append((": ".join(part for part in parts if part) or label, table))
    return found


def union_compatible(tables: Sequence[Part]) -> Iterator[list[int]]:
    """The places of tables with the same columns: names, and types as far as there are values."""
    groups: dict[frozenset[str], list[int]] = defaultdict(list)
    for place, (label, table) in enumerate(tables):
        names = frozenset(column["name"] for column in table["columns"])
        if len(names) >= FEWEST_COLUMNS and table["rows"] and _has_heading(table) and not _ADDED_UP.search(label):
            groups[names].append(place)
    for places in groups.values():
        parts = [tables[place][1] for place in places]
        if len(places) > 1 and all(_one_type(parts, name) for name in {c["name"] for c in parts[0]["columns"]}):
            yield places


def union_sql(parts: Sequence[Part], folder: Path) -> tuple[str, str, list[str]]:
    """SQL of all rows, the name of the column that tells them apart, and the headings."""
    names = [column["name"] for column in parts[0][1]["columns"]]
    which = next(name for name in ("sheet", "part", "source", "sheet_of") if name not in names)
    selects = []
    for label, table in parts:
        held = {column["name"]: column for column in table["columns"]}
        cells = [quoted(name) if held[name]["nulls"] < table["rows"] else f"NULL AS {quoted(name)}" for name in names]
        source = f"read_parquet({literal(str(folder / table['parquet']))})"
        selects.append(f"SELECT {literal(label)} AS {quoted(which)}, {', '.join(cells)} FROM {source}")
    headings = [which, *(column["original"] for column in parts[0][1]["columns"])]
    return " UNION ALL BY NAME ".join(selects), which, headings


def names_rows(parts: Sequence[Part]) -> bool:
    """Whether rows that are alike are one row: a column tells when, or tells the rows of each part apart."""
    for name in {column["name"] for column in parts[0][1]["columns"]}:
        held = [next(each for each in table["columns"] if each["name"] == name) for _, table in parts]
        unique = _NAMED.search(name) and all(
            each["distinct"] == table["rows"] for each, (_, table) in zip(held, parts, strict=True)
        )
        if unique or all(each["type"] in ("date", "timestamp") for each in held):
            return True
    return False


def shared_notes(parts: Sequence[Part]) -> list[tuple[str, int | None, str]]:
    """What was said of the parts, once; a column's place is one further on, behind the new one."""
    names = [column["name"] for column in parts[0][1]["columns"]]
    notes = dict[tuple[str, int | None, str], None]()
    for _, table in parts:
        for code, place, words in table["notes"]:
            at = None if place is None else 1 + names.index(table["columns"][place]["name"])
            notes[code, at, words] = None
    return list(notes)


def _has_heading(table: Mapping[str, Any]) -> bool:
    return all(code != "HEADING_MISSING" for code, _, _ in table["notes"])


def _one_type(tables: Sequence[Mapping[str, Any]], name: str) -> bool:
    found = {
        column["type"]
        for table in tables
        for column in table["columns"]
        if column["name"] == name and column["nulls"] < table["rows"]
    }
    return len(found) <= 1 or found <= _NUMBERS
