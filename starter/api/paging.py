"""What every list takes; and pages of what is one file, whose cursors name a place in it."""

import base64
from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator

from activities.store.cursors import check_cursor
from domain.errors import RequestInvalid


def _of_a_list(cursor: str) -> str:
    try:
        return check_cursor(cursor)
    except RequestInvalid as invalid:
        raise ValueError(invalid.message) from None


Limit = Annotated[int, Query(ge=1, le=100, description="Items of a page.")]
_PAGE = Query(max_length=500, description="next_cursor of the page before.")

OpaqueCursor = Annotated[str | None, _PAGE]
Cursor = Annotated[Annotated[str, AfterValidator(_of_a_list)] | None, _PAGE]
"""Judged with the rest of the request, before anything is looked up."""


def place_cursor(kind: str, place: int) -> str:
    """Where the next page of a ``kind`` of list begins, counted from 0."""
    return base64.urlsafe_b64encode(f"{kind}:{place}".encode()).decode().rstrip("=")


def place_of(kind: str, cursor: str | None) -> int:
    """What a cursor of :func:`place_cursor` names; without one, the beginning.

    Raises:
        RequestInvalid: It is none of such a list's.
    """
    if cursor is None:
        return 0
    try:
        found, _, number = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(":")
    except ValueError:
        found, number = "", ""
    if found != kind or not number.isdecimal() or len(number) > 9:
        raise RequestInvalid("The cursor is not one that this list answered with.", field="query.cursor")
    return int(number)
