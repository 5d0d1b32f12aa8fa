"""What every list takes."""

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
