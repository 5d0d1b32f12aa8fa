"""Tables of what is told: callbacks of runners outside, webhooks out, and webhooks in."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from activities.store.checks import constraints
from activities.store.tables.columns import Json, Moment, Name, id_column, metadata
from domain.lifecycles.callbacks import EXTERNAL_STAGES

FORGOTTEN_CALLBACKS = "delivered_at IS NOT NULL AND status NOT IN ({})".format(
    ", ".join(f"'{stage.checkpoint}'" for stage in EXTERNAL_STAGES.values())
)
"""Events that nothing asks for once they are old: whoever resumes a job asks which of its stages were called done."""


callback_events = Table(
    "callback_events",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("payload_sha256", Name, nullable=False),
    Column("status", Name, nullable=False),
    Column("occurred_at", Moment, nullable=False),
    Column("recorded_at", Moment, nullable=False),
    Column("attempt", Integer, nullable=False, server_default=text("1")),
    # when the workflow was told; a repeat of the processing status concerns nobody
    Column("delivered_at", Moment),
    CheckConstraint("length(payload_sha256) = 64", name="checksum"),
    Index(
        "ix_callback_events_undelivered",
        "recorded_at",
        postgresql_where=text("delivered_at IS NULL"),
        sqlite_where=text("delivered_at IS NULL"),
    ),
    Index(
        "ix_callback_events_forgotten",
        "recorded_at",
        postgresql_where=text(FORGOTTEN_CALLBACKS),
        sqlite_where=text(FORGOTTEN_CALLBACKS),
    ),
)


reported_artifacts = Table(
    "reported_artifacts",
    metadata,
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("event_id", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("kind", Name, nullable=False),
    Column("uri", Text, nullable=False),
    # what was made of it once it was read, or why nothing could be
    Column("artifact_id", Name, ForeignKey("artifacts.id")),
    Column("rejected_code", Name),
    Column("created_at", Moment, nullable=False),
    *constraints("reported_artifacts"),
    Index(None, "job_id", "kind", "created_at"),
)


webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    id_column(),
    Column("owner", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("description", Text),
    Column("events", Json, nullable=False),
    Column("secret", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("deleted_at", Moment),
    Index(
        "ix_webhook_endpoints_standing",
        "owner",
        "created_at",
        "id",
        postgresql_where=text("deleted_at IS NULL"),
        sqlite_where=text("deleted_at IS NULL"),
    ),
)


webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    id_column(),
    Column("endpoint_id", Name, ForeignKey("webhook_endpoints.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    # the row of the job's log that is told of
    Column("seq", Integer, nullable=False),
    Column("event", Name, nullable=False),
    Column("payload", Json, nullable=False),
    Column("status", Name, nullable=False),
    Column("round", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    # when the workflow of this round was started
    Column("handed_over_at", Moment),
    Column("completed_at", Moment),
    UniqueConstraint("endpoint_id", "job_id", "seq", "event"),
    *constraints("webhook_deliveries"),
    Index(None, "endpoint_id", "created_at", "id"),
    Index(
        "ix_webhook_deliveries_handed_over",
        "handed_over_at",
        postgresql_where=text("handed_over_at IS NOT NULL"),
        sqlite_where=text("handed_over_at IS NOT NULL"),
    ),
    Index(
        "ix_webhook_deliveries_waiting",
        "created_at",
        postgresql_where=text("handed_over_at IS NULL"),
        sqlite_where=text("handed_over_at IS NULL"),
    ),
    Index(
        "ix_webhook_deliveries_open",
        "id",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)


webhook_attempts = Table(
    "webhook_attempts",
    metadata,
    Column("delivery_id", Name, ForeignKey("webhook_deliveries.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("status_code", Integer),
    Column("duration_ms", Integer, nullable=False),
    Column("error_code", Name),
    Column("error", Text),
    Column("attempted_at", Moment, nullable=False),
    CheckConstraint("number >= 1 AND duration_ms >= 0", name="counters"),
)


webhook_tickets = Table(
    "webhook_tickets",
    metadata,
    Column("token", Name, primary_key=True),
    Column("provider", Name, nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    # the provider's name for the work, once the submit call has returned
    Column("external_id", Text),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("job_id", "attempt", "provider"),
    UniqueConstraint("provider", "external_id"),
    CheckConstraint("attempt >= 1", name="counters"),
)


provider_webhooks = Table(
    "provider_webhooks",
    metadata,
    id_column(),
    Column("provider", Name, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("external_id", Text),
    # the address that it came to, whether or not it is one of ours
    Column("ticket", Text),
    Column("job_id", Name, ForeignKey("jobs.id")),
    Column("attempt", Integer),
    Column("verdict", Name, nullable=False),
    Column("payload", Json, nullable=False),
    Column("received_at", Moment, nullable=False),
    # when the workflow was told; at once where there is nothing to tell
    Column("delivered_at", Moment),
    UniqueConstraint("provider", "event_id"),
    *constraints("provider_webhooks"),
    Index(None, "job_id", "attempt", "id"),
    Index(
        "ix_provider_webhooks_unclaimed",
        "provider",
        "external_id",
        postgresql_where=text("job_id IS NULL"),
        sqlite_where=text("job_id IS NULL"),
    ),
    Index(
        "ix_provider_webhooks_delivered",
        "received_at",
        postgresql_where=text("delivered_at IS NOT NULL"),
        sqlite_where=text("delivered_at IS NOT NULL"),
    ),
    Index(
        "ix_provider_webhooks_undelivered",
        "received_at",
        postgresql_where=text("delivered_at IS NULL"),
        sqlite_where=text("delivered_at IS NULL"),
    ),
)
