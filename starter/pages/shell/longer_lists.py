"""Lists that a reader has made longer: they stay so when their page is shown anew."""

from collections.abc import Callable
from typing import TypeVar

from activities.store.cursors import LIMIT
from domain.jobs import Page
from starter.pages.shell.context import PageContext

MOST_ROWS = 500

Row = TypeVar("Row")


def rows_wanted(context: PageContext, name: str, usual: int) -> int:
    """How many rows of the list ``name`` stand on the page that is shown anew; at first ``usual``."""
    asked = context.request.query_params.get(name, "")[:6]
    return min(max(int(asked), usual), MOST_ROWS) if asked.isascii() and asked.isdecimal() else usual


def gathered(read: Callable[[int, str | None], Page[Row]], wanted: int, cursor: str | None = None) -> Page[Row]:
    """``wanted`` rows of a list of which ``read(limit, cursor)`` answers a page at a time."""
    found = read(min(wanted, LIMIT), cursor)
    while found.next_cursor and len(found.items) < wanted:
        more = read(min(wanted - len(found.items), LIMIT), found.next_cursor)
        found = Page(items=(*found.items, *more.items), next_cursor=more.next_cursor)
    return found
