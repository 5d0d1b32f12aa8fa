"""Webhooks, both ways: what is told to the endpoints of users, and what providers tell us.

Outgoing ones follow Standard Webhooks (https://www.standardwebhooks.com): a message keeps its id however often it is
sent, and is signed with its endpoint's own secret.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from domain.errors import MESSAGE_LIMIT
from domain.jobs import Frozen
from domain.lifecycles import batch, image
from domain.lifecycles.batch import BATCH
from domain.lifecycles.generation import WebhookVerdict
from domain.lifecycles.image import IMAGE
from domain.lifecycles.lifecycle import Lifecycle

ENDPOINTS_LIMIT = 20
"""Endpoints of one user. Each is one more request for every event."""

EVENT_ID_LIMIT = 255
"""Characters of a provider's event id."""

PROVIDER = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""A provider's name, as the settings and the address of its webhooks have it."""


class WebhookEvent(StrEnum):
    """What an endpoint can be told."""

    JOB_STATUS_CHANGED = "job.status_changed"
    JOB_COMPLETED = "job.completed"
    JOB_PARTIAL = "job.partial"
    JOB_REJECTED = "job.rejected"
    JOB_FAILED = "job.failed"
    JOB_CANCELLED = "job.cancelled"
    EXPORT_SUCCEEDED = "export.succeeded"
    EXPORT_FAILED = "export.failed"
    COMMENT_CREATED = "comment.created"
    COMMENT_RESOLVED = "comment.resolved"
    COMMENT_MENTIONED = "comment.mentioned"


_BY_EVENT_TYPE = {
    "EXPORT_SUCCEEDED": WebhookEvent.EXPORT_SUCCEEDED,
    "EXPORT_FAILED": WebhookEvent.EXPORT_FAILED,
    "COMMENT_CREATED": WebhookEvent.COMMENT_CREATED,
    "COMMENT_RESOLVED": WebhookEvent.COMMENT_RESOLVED,
    "COMMENT_MENTIONED": WebhookEvent.COMMENT_MENTIONED,
}

_BETWEEN: Mapping[tuple[str, str], WebhookEvent] = {
    (BATCH.kind, batch.PARTIAL): WebhookEvent.JOB_PARTIAL,
    (IMAGE.kind, image.REJECTED): WebhookEvent.JOB_REJECTED,
}
"""Ends that are neither a success nor a failure, by kind and status."""


def announced(
    lifecycle: Lifecycle[Any], event_type: str, prev_status: str | None, new_status: str | None
) -> tuple[WebhookEvent, ...]:
    """What endpoints are told of one row of a job's log: of every change of status, and of its end by name."""
    if event_type in _BY_EVENT_TYPE:
        return (_BY_EVENT_TYPE[event_type],)
    if new_status is None or new_status == prev_status:
        return ()
    status = lifecycle.status(new_status)
    if not lifecycle.is_terminal(status):
        return (WebhookEvent.JOB_STATUS_CHANGED,)
    return (WebhookEvent.JOB_STATUS_CHANGED, _end(lifecycle, status))


def _end(lifecycle: Lifecycle[Any], status: StrEnum) -> WebhookEvent:
    if (between := _BETWEEN.get((lifecycle.kind, str(status)))) is not None:
        return between
    if status in lifecycle.failures:
        return WebhookEvent.JOB_FAILED
    return WebhookEvent.JOB_CANCELLED if status == lifecycle.cancelled else WebhookEvent.JOB_COMPLETED


# --- out -----------------------------------------------------------------------------------------------------------


class Endpoint(Frozen):
    """Where a user wants to be told. ``events``: of what; empty: of everything. ``secret`` signs what is sent there;
    who neither made the endpoint nor sends has it as it is kept."""

    id: str
    owner: str
    url: str
    description: str | None = None
    events: tuple[WebhookEvent, ...] = ()
    secret: str = Field(repr=False)
    created_at: datetime


class DeliveryStatus(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class DeliveryAttempt(Frozen):
    """One request to an endpoint. ``status_code``: what it answered, if it did. ``error`` is safe to show."""

    number: int
    status_code: int | None = None
    duration_ms: int = Field(ge=0)
    error_code: str | None = None
    error: str | None = Field(default=None, max_length=MESSAGE_LIMIT)
    attempted_at: datetime


class Delivery(Frozen):
    """One event on its way to one endpoint. ``round`` counts the times that it was sent off: once by itself, and once
    for each redelivery; ``message_id`` stays the same, so that a receiver knows it again."""

    id: str
    endpoint_id: str
    job_id: str
    event: WebhookEvent
    status: DeliveryStatus
    round: int
    payload: dict[str, Any]
    attempts: tuple[DeliveryAttempt, ...] = ()
    created_at: datetime
    completed_at: datetime | None = None

    @property
    def message_id(self) -> str:
        return f"msg_{self.id}"


_TOLD = (
    *("export_id", "format", "failure_code"),
    *("instruction_id", "thread_id", "comment_id", "block_id", "mentioned"),
)
"""Facts of a row of the log that endpoints are told."""


def message(
    event: WebhookEvent,
    job: Mapping[str, Any],
    row: Mapping[str, Any],
    occurred_at: datetime,
    output: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """What an endpoint is sent: references and small facts that are safe to show, never what people said or wrote.

    Args:
        job: The job's row as the event leaves it.
        row: The row of its log.
        output: How much a job made that is complete, and in which time.
    """
    failure = {
        "failure_code": job["failure_code"],
        "failure_message": job["failure_message"],
        "failed_stage": job["failed_stage"],
    }
    facts = row["data"]
    about = {name: facts[name] for name in _TOLD if name in facts}
    if "thread_id" in facts:
        about["user_id"] = row.get("actor") or job["owner"]
    return {
        "type": str(event),
        "timestamp": occurred_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "data": {
            "job_id": job["id"],
            "kind": job["kind"],
            "project_id": job["project_id"],
            "seq": row["seq"],
            "prev_status": row["prev_status"] or job["status"],
            "status": row["new_status"] or job["status"],
            "attempt": row["attempt"],
            "correlation_id": row["correlation_id"],
            "failure": failure if job["failure_code"] is not None else None,
            **about,
            **({"output": dict(output)} if output is not None and event is WebhookEvent.JOB_COMPLETED else {}),
        },
    }


# --- in ------------------------------------------------------------------------------------------------------------


class Ticket(Frozen):
    """What the address of a provider's webhook carries: the attempt of a job that the address was made for.

    ``external_id`` is the provider's own name for the work, once the call that submitted it has returned.
    """

    token: str
    provider: str
    job_id: str
    attempt: int
    external_id: str | None = None


class ProviderEvent(Frozen):
    """A webhook whose signature and age were found good. ``external_id``: whose work it says it speaks of."""

    provider: str
    event_id: str = Field(min_length=1, max_length=EVENT_ID_LIMIT)
    ticket: str | None = None
    external_id: str | None = None
    payload: dict[str, Any]


class ProviderWebhook(ProviderEvent):
    """A stored one, bound to the attempt that it is for."""

    id: str
    job_id: str | None = None
    attempt: int | None = None
    verdict: WebhookVerdict
    received_at: datetime


class WebhookReceipt(Frozen):
    """What became of a webhook. ``delivered``: nobody has to be told any more."""

    id: str
    verdict: WebhookVerdict
    job_id: str | None = None
    delivered: bool


def speaks_for(ticket: Ticket, external_id: str | None) -> bool:
    """Whether a webhook that names ``external_id`` can be meant for the work that ``ticket`` was made for."""
    return ticket.external_id is None or external_id is None or ticket.external_id == external_id
