"""Idempotency keys: what a request was answered, for a day."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, delete, insert, select
from sqlalchemy.exc import IntegrityError

from activities.store.area import Area
from activities.store.tables import idempotency_keys
from domain.errors import IdempotencyConflict

KEPT = timedelta(hours=24)
"""How long a key is remembered (API contract)."""


class IdempotencyScope(NamedTuple):
    """Within what a key is unique."""

    owner: str
    method: str
    path: str
    key: str


def _is(scope: IdempotencyScope) -> ColumnElement[bool]:
    return and_(*(idempotency_keys.c[name] == value for name, value in scope._asdict().items()))


class Idempotency(Area):
    def idempotent_answer(self, scope: IdempotencyScope, request_sha256: str) -> dict[str, Any] | None:
        """What this request was answered before, or ``None``.

        Raises:
            IdempotencyConflict: The key was used with another request.
        """
        query = select(idempotency_keys.c.request_sha256, idempotency_keys.c.response).where(
            _is(scope), idempotency_keys.c.expires_at > self._clock()
        )
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        if row.request_sha256 != request_sha256:
            raise IdempotencyConflict("This Idempotency-Key was used with another request.")
        return dict(row.response)

    def keep_answer(self, scope: IdempotencyScope, request_sha256: str, response: Mapping[str, object]) -> None:
        """Remember the answer to a call that succeeded. Of two at once the first stays."""
        now = self._clock()
        try:
            with self._database.write() as connection:
                connection.execute(delete(idempotency_keys).where(_is(scope), idempotency_keys.c.expires_at <= now))
                connection.execute(
                    insert(idempotency_keys),
                    {
                        **scope._asdict(),
                        "request_sha256": request_sha256,
                        "response": dict(response),
                        "created_at": now,
                        "expires_at": now + KEPT,
                    },
                )
        except IntegrityError:
            return  # kept by the call that ran beside this one

    def purge_idempotency_keys(self) -> int:
        """Forget the keys that have expired, and say how many."""
        with self._database.write() as connection:
            expired = delete(idempotency_keys).where(idempotency_keys.c.expires_at <= self._clock())
            return connection.execute(expired).rowcount
