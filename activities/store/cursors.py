"""Keyset pages: the cursor names the last row of a page, so that rows which arrive meanwhile shift nothing."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError
from sqlalchemy import Column, ColumnElement, Connection, Select, and_, or_, select, union_all
from sqlalchemy.engine import RowMapping

from activities.store.database import compact_json
from domain.errors import RequestInvalid
from domain.jobs import Page

Item = TypeVar("Item")

LIMIT = 100
"""Rows of the largest page (API contract: 1-100)."""

NAME_LIMIT = 300
"""Characters of a name that a list is ordered by: what is in lower case may be longer than what it was made of."""

Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
"""What a column that numbers rows can hold: a driver refuses to send a larger one."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[0-9a-f-]{36}$")]

NOBODYS = "The cursor is not one that a list answered with."

_KEY: dict[str, TypeAdapter[Any]] = {
    "moment": TypeAdapter(tuple[datetime, Identifier]),
    "name": TypeAdapter(tuple[Annotated[str, StringConstraints(max_length=NAME_LIMIT)], Identifier]),
    "number": TypeAdapter(tuple[Number]),
    "identifier": TypeAdapter(tuple[Identifier]),
}


def check_limit(limit: int, largest: int = LIMIT) -> int:
    """Raises: RequestInvalid: not 1 to ``largest``."""
    if not 1 <= limit <= largest:
        raise RequestInvalid(f"limit must be from 1 to {largest}.", field="query.limit")
    return limit


def _encode(key: Sequence[object]) -> str:
    plain = [part.isoformat() if isinstance(part, datetime) else part for part in key]
    return base64.urlsafe_b64encode(compact_json(plain).encode()).decode().rstrip("=")


def _decode(cursor: str, shape: str) -> tuple[Any, ...]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        plain = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        key = _KEY[shape].validate_python(plain, strict=False)
        if isinstance(key[0], datetime):
            if key[0].tzinfo is None:
                raise ValueError(cursor)
            key[0].astimezone(UTC)  # a time zone may lead out of what a date can be, for us as for the drivers
    except (ValueError, binascii.Error, ValidationError, RecursionError, OverflowError):
        raise RequestInvalid(NOBODYS, field="query.cursor") from None
    return tuple(key)


def check_cursor(cursor: str) -> str:
    """``cursor``, where some list may have answered with it; a list itself knows whether it did.

    Raises:
        RequestInvalid: None did.
    """
    for shape in _KEY:
        with suppress(RequestInvalid):
            _decode(cursor, shape)
            return cursor
    raise RequestInvalid(NOBODYS, field="query.cursor")


def newest_first(
    connection: Connection,
    query: Select[Any],
    moment: ColumnElement[Any],
    unique: Column[Any],
    *,
    limit: int,
    cursor: str | None,
    read: Callable[[RowMapping], Item],
) -> Page[Item]:
    """A page of ``query`` ordered by ``moment`` and then ``unique``, newest first.

    Raises:
        RequestInvalid: The limit is not from 1 to 100, or the cursor is none of ours.
    """
    check_limit(limit)
    query = query.order_by(moment.desc(), unique.desc()).limit(limit + 1)
    if cursor is not None:
        at, last = _decode(cursor, "moment")
        # `moment <= at` alone lets the index find the place; the rest takes out what was shown
        query = query.where(and_(moment <= at, or_(moment < at, unique < last)))
    return _page(connection, query, (moment, unique), limit, read)


def by_name(
    connection: Connection,
    query: Select[Any],
    name: ColumnElement[Any],
    unique: Column[Any],
    *,
    limit: int,
    cursor: str | None,
    read: Callable[[RowMapping], Item],
) -> Page[Item]:
    """A page of ``query`` ordered by ``name`` and then ``unique``. Raises as :func:`newest_first`."""
    check_limit(limit)
    query = query.order_by(name, unique).limit(limit + 1)
    if cursor is not None:
        after, last = _decode(cursor, "name")
        query = query.where(or_(name > after, and_(name == after, unique > last)))
    return _page(connection, query, (name, unique), limit, read)


def highest_first(
    connection: Connection,
    query: Select[Any],
    number: Column[Any],
    *,
    limit: int,
    cursor: str | None,
    read: Callable[[RowMapping], Item],
) -> Page[Item]:
    """A page of ``query`` ordered by ``number``, highest first. Raises as :func:`newest_first`."""
    check_limit(limit)
    query = query.order_by(number.desc()).limit(limit + 1)
    if cursor is not None:
        (last,) = _decode(cursor, "number")
        query = query.where(number < last)
    return _page(connection, query, (number,), limit, read)


def latest_first(
    connection: Connection,
    places: Sequence[Select[Any]],
    identifier: Column[Any],
    *,
    limit: int,
    cursor: str | None,
    read: Callable[[RowMapping], Item],
) -> Page[Item]:
    """A page of what any of ``places`` selects, ordered by a UUIDv7, the latest first. Of each place no more is read
    than the page has, from an index that ends with the id; only that much is ever sorted. Raises as
    :func:`newest_first`."""
    check_limit(limit)
    if cursor is not None:
        (last,) = _decode(cursor, "identifier")
        places = [each.where(identifier < last) for each in places]
    if not places:
        return Page(items=(), next_cursor=None)
    ordered = [each.order_by(identifier.desc()).limit(limit + 1) for each in places]
    if len(ordered) == 1:
        return _page(connection, ordered[0], (identifier,), limit, read)
    found = union_all(*(select(each.with_only_columns(identifier).subquery()) for each in ordered))
    query = select(identifier.table).where(identifier.in_(found)).order_by(identifier.desc()).limit(limit + 1)
    return _page(connection, query, (identifier,), limit, read)


def _page(
    connection: Connection,
    query: Select[Any],
    key: Sequence[ColumnElement[Any]],
    limit: int,
    read: Callable[[RowMapping], Item],
) -> Page[Item]:
    rows = connection.execute(query).mappings().all()
    more = len(rows) > limit
    shown = rows[:limit]
    next_cursor = _encode([shown[-1][column] for column in key]) if more else None
    return Page(items=tuple(read(row) for row in shown), next_cursor=next_cursor)
