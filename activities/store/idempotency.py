"""Idempotency keys: what a request was answered, for a day."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from activities.store.database import inserting
from activities.store.repository import Repository
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


class Idempotency(Repository):
    def idempotent_answer(self, scope: IdempotencyScope, request_sha256: str) -> dict[str, Any] | None:
        """What this request was answered before, or ``None``.

        Raises:
            IdempotencyConflict: The key was used with another request.
        """
        with self._database.read() as connection:
            return self._find(connection, scope, request_sha256)

    def once(
        self, scope: IdempotencyScope, request_sha256: str, create: Callable[[], Mapping[str, object]]
    ) -> tuple[dict[str, Any], bool]:
        """Do something once for a key, in one transaction with the record of its answer.

        The key is taken first: the same request in another thread or process waits for this one, and is then answered
        alike. Where ``create`` raises, nothing was done and the key is free again.

        Args:
            create: Makes the answer; its reads and writes of this store, in this thread, belong to the transaction.

        Returns:
            The answer, and whether it is an earlier one.

        Raises:
            IdempotencyConflict: The key was used with another request.
        """
        with self._database.together() as connection:
            if not self._take(connection, scope, request_sha256):
                before = self._find(connection, scope, request_sha256)
                assert before is not None, "the key is taken, and was not when it had expired"
                return before, True
            answer = dict(create())
            connection.execute(update(idempotency_keys).where(_is(scope)).values(response=answer))
            return answer, False

    def purge_idempotency_keys(self) -> int:
        """Forget the keys that have expired, and say how many."""
        with self._database.write() as connection:
            expired = delete(idempotency_keys).where(idempotency_keys.c.expires_at <= self._clock())
            return connection.execute(expired).rowcount

    def _find(self, connection: Connection, scope: IdempotencyScope, request_sha256: str) -> dict[str, Any] | None:
        query = select(idempotency_keys.c.request_sha256, idempotency_keys.c.response).where(
            _is(scope), idempotency_keys.c.expires_at > self._clock()
        )
        row = connection.execute(query).one_or_none()
        if row is None:
            return None
        if row.request_sha256 != request_sha256:
            raise IdempotencyConflict("This Idempotency-Key was used with another request.")
        return dict(row.response)

    def _take(self, connection: Connection, scope: IdempotencyScope, request_sha256: str) -> bool:
        """Whether the key was free. Waits for a transaction that has taken it and not ended."""
        now = self._clock()
        connection.execute(delete(idempotency_keys).where(_is(scope), idempotency_keys.c.expires_at <= now))
        row = {
            **scope._asdict(),
            "request_sha256": request_sha256,
            "response": {},
            "created_at": now,
            "expires_at": now + KEPT,
        }
        taking = inserting(connection, idempotency_keys).values(row).on_conflict_do_nothing()
        taken = taking.returning(idempotency_keys.c.key)
        return connection.execute(taken).one_or_none() is not None
