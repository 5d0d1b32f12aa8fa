"""Webhooks out: the endpoints of users, what is on its way to them, and what became of it."""

import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, bindparam, exists, func, insert, or_, select, update

from activities.store.cursors import newest_first
from activities.store.jobs.locking import not_found
from activities.store.repository import Repository
from activities.store.rows import Columns
from activities.store.tables import provider_webhooks, webhook_attempts, webhook_deliveries, webhook_endpoints
from domain.errors import RequestInvalid
from domain.jobs import Frozen, Page
from domain.webhooks import (
    ENDPOINTS_LIMIT,
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    Endpoint,
    WebhookEvent,
)

SECRET_BYTES = 32
"""Of an endpoint's secret. Standard Webhooks asks for 24 to 64."""

_NOT_DELETED = webhook_endpoints.c.deleted_at.is_(None)


class Waiting(NamedTuple):
    """A delivery whose workflow was not started yet."""

    delivery_id: str
    round: int


class Outgoing(Frozen):
    """What is to be sent, and where."""

    delivery: Delivery
    endpoint: Endpoint


class Webhooks(Repository):
    # --- endpoints -----------------------------------------------------------------------------------------

    def create_endpoint(
        self, owner: str, url: str, events: Sequence[WebhookEvent] = (), description: str | None = None
    ) -> Endpoint:
        """Tell ``url`` of what happens to ``owner``'s jobs from now on, signed with a secret of its own.

        Raises:
            RequestInvalid: The owner has as many endpoints as one may have.
        """
        secret = "whsec_" + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
        columns = {
            "id": self._new_id(),
            "owner": owner,
            "url": url,
            "description": description,
            "events": [str(event) for event in dict.fromkeys(events)],
            "secret": self._sealing.sealed(secret),
            "created_at": self._clock(),
        }
        existing = select(func.count()).select_from(webhook_endpoints).where(webhook_endpoints.c.owner == owner)
        with self._database.write() as connection:
            if connection.execute(existing.where(_NOT_DELETED)).scalar_one() >= ENDPOINTS_LIMIT:
                raise RequestInvalid(f"You have {ENDPOINTS_LIMIT} webhook endpoints already. Delete one first.")
            connection.execute(insert(webhook_endpoints), columns)
        return _endpoint(columns | {"secret": secret})

    def seal_endpoints(self) -> int:
        """Encrypt the secrets that lie in clear, or under a key that was replaced, and say how many. Nothing happens
        where there is no key."""
        table, sealed = webhook_endpoints, 0
        if not self._sealing.has_key:
            return 0
        with self._database.read() as connection:
            found = [(str(id), str(kept)) for id, kept in connection.execute(select(table.c.id, table.c.secret))]
        for id, kept in found:
            if self._sealing.is_due(kept):
                anew = self._sealing.sealed(self._sealing.opened(kept))
                with self._database.write() as connection:
                    changed = update(table).where(table.c.id == id, table.c.secret == kept).values(secret=anew)
                    sealed += connection.execute(changed).rowcount
        return sealed

    def list_endpoints(self, owner: str, limit: int = 20, cursor: str | None = None) -> Page[Endpoint]:
        """Newest first. Raises: RequestInvalid: bad limit or cursor."""
        query = select(webhook_endpoints).where(webhook_endpoints.c.owner == owner, _NOT_DELETED)
        moment, unique = webhook_endpoints.c.created_at, webhook_endpoints.c.id
        with self._database.read() as connection:
            return newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=_endpoint)

    def get_endpoint(self, owner: str, endpoint_id: str) -> Endpoint:
        """Raises: NotFound: absent, deleted, or not ``owner``'s."""
        with self._database.read() as connection:
            return _own(connection, owner, endpoint_id)

    def delete_endpoint(self, owner: str, endpoint_id: str) -> None:
        """Nothing is sent there any more, not even what was on its way. Raises: as :meth:`get_endpoint`."""
        deleted = update(webhook_endpoints).where(_is_own(owner, endpoint_id)).values(deleted_at=self._clock())
        with self._database.write() as connection:
            if connection.execute(deleted).rowcount == 0:
                raise not_found()

    # --- deliveries, as their owner sees them --------------------------------------------------------------

    def list_deliveries(
        self, owner: str, endpoint_id: str, limit: int = 20, cursor: str | None = None
    ) -> Page[Delivery]:
        """What was sent to an endpoint, newest first, with each request that was made.

        Raises:
            NotFound: No such endpoint. RequestInvalid: bad limit or cursor.
        """
        query = select(webhook_deliveries).where(webhook_deliveries.c.endpoint_id == endpoint_id)
        moment, unique = webhook_deliveries.c.created_at, webhook_deliveries.c.id
        with self._database.read() as connection:
            _own(connection, owner, endpoint_id)
            page = newest_first(connection, query, moment, unique, limit=limit, cursor=cursor, read=dict)
            attempts = _attempts(connection, [str(row["id"]) for row in page.items])
        items = tuple(_delivery(row, attempts.get(row["id"], ())) for row in page.items)
        return Page(items=items, next_cursor=page.next_cursor)

    def redeliver(self, owner: str, endpoint_id: str, delivery_id: str) -> Delivery:
        """Send a delivery off once more, under the id that it has, whether it was taken, given up or waits for its next
        try. One that was not sent off yet is answered as it is.

        Raises:
            NotFound: No such endpoint, or no such delivery to it.
        """
        with self._database.write() as connection:
            _own(connection, owner, endpoint_id)
            row = _hold(connection, delivery_id)
            if row is None or row["endpoint_id"] != endpoint_id:
                raise not_found()
            if row["handed_over_at"] is not None:
                _again(connection, row)
            return _delivery(row, _attempts(connection, [delivery_id]).get(delivery_id, ()))

    # --- deliveries, as they are carried out ---------------------------------------------------------------

    def has_post(self, older_than_s: float = 10.0) -> bool:
        """Whether there are deliveries that nobody has taken up, or webhooks of providers that came more than
        ``older_than_s`` seconds ago and whose run was perhaps not told: one statement, of two small indexes."""
        untold = exists().where(
            provider_webhooks.c.delivered_at.is_(None),
            provider_webhooks.c.received_at < self._clock() - timedelta(seconds=older_than_s),
        )
        waiting = exists().where(webhook_deliveries.c.handed_over_at.is_(None))
        with self._database.read() as connection:
            return bool(connection.execute(select(or_(waiting, untold))).scalar_one())

    def waiting_deliveries(self, limit: int = 100) -> tuple[Waiting, ...]:
        """Deliveries that nobody has taken up; oldest first."""
        query = select(webhook_deliveries.c.id, webhook_deliveries.c.round)
        query = query.where(webhook_deliveries.c.handed_over_at.is_(None))
        with self._database.read() as connection:
            found = connection.execute(query.order_by(webhook_deliveries.c.created_at).limit(limit))
            return tuple(Waiting(*row) for row in found)

    def open_deliveries(
        self, after_id: str | None = None, older_than_s: float = 60.0, limit: int = 100
    ) -> tuple[Waiting, ...]:
        """Deliveries that were handed over more than ``older_than_s`` seconds ago and are under way still, by id; the
        next call passes the last one's."""
        query = select(webhook_deliveries.c.id, webhook_deliveries.c.round).where(
            webhook_deliveries.c.completed_at.is_(None),
            webhook_deliveries.c.handed_over_at < self._clock() - timedelta(seconds=older_than_s),
        )
        if after_id is not None:
            query = query.where(webhook_deliveries.c.id > after_id)
        with self._database.read() as connection:
            found = connection.execute(query.order_by(webhook_deliveries.c.id).limit(limit))
            return tuple(Waiting(*row) for row in found)

    def take_up_again(self, delivery_id: str, round: int, within_s: float) -> bool:
        """Send a delivery off anew whose round ended without a word. One that was made more than ``within_s`` seconds
        ago has failed: its receiver waits no more. Whether anything was changed: it may have ended meanwhile."""
        with self._database.write() as connection:
            row = _hold(connection, delivery_id)
            if row is None or row["status"] != DeliveryStatus.PENDING or row["round"] != round:
                return False
            if row["created_at"] < self._clock() - timedelta(seconds=within_s):
                self._end(connection, row, DeliveryStatus.FAILED)
            else:
                _again(connection, row)
            return True

    def mark_handed_over(self, taken: Sequence[Waiting]) -> None:
        """Their workflows run. A round that was begun since is not meant."""
        mark = (
            update(webhook_deliveries)
            .where(webhook_deliveries.c.id == bindparam("delivery"), webhook_deliveries.c.round == bindparam("taken"))
            .values(handed_over_at=self._clock())
        )
        with self._database.write() as connection:
            connection.execute(mark, [{"delivery": each.delivery_id, "taken": each.round} for each in taken])

    def outgoing(self, delivery_id: str, round: int) -> Outgoing | None:
        """What to send, with the secret that signs it; ``None`` where there is nothing to do any more: it was delivered
        or given up, another round has begun, or the endpoint was deleted (then it has failed).

        Raises:
            NotFound: There is no such delivery.
            SettingsInvalid: The key that the secret was sealed with is not here.
        """
        with self._database.write() as connection:
            row = _hold(connection, delivery_id)
            if row is None:
                raise not_found()
            if row["status"] != DeliveryStatus.PENDING or row["round"] != round:
                return None
            query = select(webhook_endpoints).where(webhook_endpoints.c.id == row["endpoint_id"])
            endpoint = connection.execute(query).mappings().one()
            if endpoint["deleted_at"] is not None:
                self._end(connection, row, DeliveryStatus.FAILED)
                return None
            opened = dict(endpoint) | {"secret": self._sealing.opened(endpoint["secret"])}
            return Outgoing(delivery=_delivery(row), endpoint=_endpoint(opened))

    def record_delivery_attempt(
        self,
        delivery_id: str,
        round: int,
        *,
        status_code: int | None,
        duration_ms: int,
        error_code: str | None = None,
        error: str | None = None,
    ) -> None:
        """Log a request; one without an error has delivered. Of a round that is over only the request is logged."""
        with self._database.write() as connection:
            row = _hold(connection, delivery_id)
            if row is None:
                return
            number = select(func.coalesce(func.max(webhook_attempts.c.number), 0) + 1)
            number = number.where(webhook_attempts.c.delivery_id == delivery_id)
            connection.execute(
                insert(webhook_attempts),
                {
                    "delivery_id": delivery_id,
                    "number": connection.execute(number).scalar_one(),
                    "status_code": status_code,
                    "duration_ms": duration_ms,
                    "error_code": error_code,
                    "error": error,
                    "attempted_at": self._clock(),
                },
            )
            if error_code is None and row["status"] == DeliveryStatus.PENDING and row["round"] == round:
                self._end(connection, row, DeliveryStatus.DELIVERED)

    def give_up_delivery(self, delivery_id: str, round: int) -> None:
        """The day is over, or the endpoint wants no more. What had ended, or is sent again, stays as it is."""
        with self._database.write() as connection:
            row = _hold(connection, delivery_id)
            if row is not None and row["status"] == DeliveryStatus.PENDING and row["round"] == round:
                self._end(connection, row, DeliveryStatus.FAILED)

    def _end(self, connection: Connection, row: dict[str, Any], status: DeliveryStatus) -> None:
        now = self._clock()
        row |= {"status": str(status), "completed_at": now, "handed_over_at": row["handed_over_at"] or now}
        _change(connection, row, "status", "completed_at", "handed_over_at")


def _is_own(owner: str, endpoint_id: str) -> ColumnElement[bool]:
    return and_(webhook_endpoints.c.id == endpoint_id, webhook_endpoints.c.owner == owner, _NOT_DELETED)


def _own(connection: Connection, owner: str, endpoint_id: str) -> Endpoint:
    row = connection.execute(select(webhook_endpoints).where(_is_own(owner, endpoint_id))).mappings().one_or_none()
    if row is None:
        raise not_found()
    return _endpoint(row)


def _hold(connection: Connection, delivery_id: str) -> dict[str, Any] | None:
    query = select(webhook_deliveries).where(webhook_deliveries.c.id == delivery_id).with_for_update()
    row = connection.execute(query).mappings().one_or_none()
    return dict(row) if row is not None else None


def _again(connection: Connection, row: dict[str, Any]) -> None:
    row |= {
        "status": str(DeliveryStatus.PENDING),
        "round": row["round"] + 1,
        "handed_over_at": None,
        "completed_at": None,
    }
    _change(connection, row, "status", "round", "handed_over_at", "completed_at")


def _change(connection: Connection, row: Mapping[str, Any], *columns: str) -> None:
    changed = update(webhook_deliveries).where(webhook_deliveries.c.id == row["id"])
    connection.execute(changed.values({name: row[name] for name in columns}))


def _attempts(connection: Connection, delivery_ids: Sequence[str]) -> dict[str, tuple[DeliveryAttempt, ...]]:
    query = select(webhook_attempts).where(webhook_attempts.c.delivery_id.in_(delivery_ids))
    found: dict[str, tuple[DeliveryAttempt, ...]] = {}
    for row in connection.execute(query.order_by(webhook_attempts.c.number)).mappings():
        of = str(row["delivery_id"])
        found[of] = (*found.get(of, ()), DeliveryAttempt.model_validate(dict(row)))
    return found


def _endpoint(row: Columns) -> Endpoint:
    return Endpoint.model_validate(dict(row))


def _delivery(row: Columns, attempts: Sequence[DeliveryAttempt] = ()) -> Delivery:
    return Delivery(**row, attempts=tuple(attempts))
