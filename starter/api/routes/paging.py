"""What every list takes."""

from typing import Annotated

from fastapi import Query

Limit = Annotated[int, Query(ge=1, le=100, description="Items of a page.")]
Cursor = Annotated[str | None, Query(max_length=500, description="next_cursor of the page before.")]
