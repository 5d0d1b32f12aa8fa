"""The outbox: what endpoints are to be told, written with what happened, in its transaction.

So a delivery exists exactly where its event was committed; sending it is another matter (``activities/webhooks``). A
user without endpoints costs nothing but a column of the statement that locks the job.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, exists, insert, select

from activities.store.repository import new_uuid7
from activities.store.tables import jobs, webhook_deliveries, webhook_endpoints
from domain.lifecycles.lifecycle import Lifecycle
from domain.webhooks import DeliveryStatus, announced, message

LISTENED = "listened"

IS_LISTENED = exists().where(webhook_endpoints.c.owner == jobs.c.owner, webhook_endpoints.c.deleted_at.is_(None))
"""Whether a job's owner has endpoints: asked with the job's row."""

_STANDING = select(webhook_endpoints.c.id, webhook_endpoints.c.events).where(
    webhook_endpoints.c.owner == bindparam("owner"), webhook_endpoints.c.deleted_at.is_(None)
)


def announce(
    connection: Connection,
    lifecycle: Lifecycle[Any],
    job: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    now: datetime,
    output: Mapping[str, object] | None = None,
) -> None:
    """Put what the owner's endpoints want to know of ``events`` (rows of the job's log) into the outbox. ``output``:
    how much the job made, where they complete it."""
    news = [
        (event, what)
        for event in events
        for what in announced(lifecycle, event["event_type"], event["prev_status"], event["new_status"])
    ]
    if not news:
        return
    endpoints = connection.execute(_STANDING, {"owner": job["owner"]}).all()
    deliveries = [
        {
            "id": new_uuid7(),
            "endpoint_id": endpoint_id,
            "job_id": job["id"],
            "seq": event["seq"],
            "event": str(what),
            "payload": message(what, job, event, event["occurred_at"], output),
            "status": str(DeliveryStatus.PENDING),
            "round": 1,
            "created_at": now,
        }
        for event, what in news
        for endpoint_id, wanted in endpoints
        if not wanted or what in wanted
    ]
    if deliveries:
        connection.execute(insert(webhook_deliveries), deliveries)
