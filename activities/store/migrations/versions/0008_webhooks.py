"""Webhooks in and out.

Revision: 0008, after 0007.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import constraints
from activities.store.tables import Json, Moment, Name

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _out()
    _in()


def downgrade() -> None:
    for table in (
        "provider_webhooks",
        "webhook_tickets",
        "webhook_attempts",
        "webhook_deliveries",
        "webhook_endpoints",
    ):
        op.drop_table(table)


def _out() -> None:
    op.create_table(
        "webhook_endpoints",
        sa.Column("id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("events", Json, nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("deleted_at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_endpoints"),
    )
    _partial_index("webhook_endpoints", "standing", ["owner", "created_at", "id"], "deleted_at IS NULL")
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", Name, nullable=False),
        sa.Column("endpoint_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("event", Name, nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("handed_over_at", Moment(), nullable=True),
        sa.Column("completed_at", Moment(), nullable=True),
        *constraints("webhook_deliveries"),
        sa.ForeignKeyConstraint(["endpoint_id"], ["webhook_endpoints.id"], name="fk_webhook_deliveries_endpoint_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_webhook_deliveries_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        sa.UniqueConstraint(
            "endpoint_id", "job_id", "seq", "event", name="uq_webhook_deliveries_endpoint_id_job_id_seq_event"
        ),
    )
    op.create_index(
        "ix_webhook_deliveries_endpoint_id_created_at_id", "webhook_deliveries", ["endpoint_id", "created_at", "id"]
    )
    _partial_index("webhook_deliveries", "waiting", ["created_at"], "handed_over_at IS NULL")
    op.create_table(
        "webhook_attempts",
        sa.Column("delivery_id", Name, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("error_code", Name, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("attempted_at", Moment(), nullable=False),
        sa.CheckConstraint("number >= 1 AND duration_ms >= 0", name=op.f("ck_webhook_attempts_counters")),
        sa.ForeignKeyConstraint(["delivery_id"], ["webhook_deliveries.id"], name="fk_webhook_attempts_delivery_id"),
        sa.PrimaryKeyConstraint("delivery_id", "number", name="pk_webhook_attempts"),
    )


def _in() -> None:
    op.create_table(
        "webhook_tickets",
        sa.Column("token", Name, nullable=False),
        sa.Column("provider", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.CheckConstraint("attempt >= 1", name=op.f("ck_webhook_tickets_counters")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_webhook_tickets_job_id"),
        sa.PrimaryKeyConstraint("token", name="pk_webhook_tickets"),
        sa.UniqueConstraint("job_id", "attempt", "provider", name="uq_webhook_tickets_job_id_attempt_provider"),
        sa.UniqueConstraint("provider", "external_id", name="uq_webhook_tickets_provider_external_id"),
    )
    op.create_table(
        "provider_webhooks",
        sa.Column("id", Name, nullable=False),
        sa.Column("provider", Name, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("ticket", sa.Text(), nullable=True),
        sa.Column("job_id", Name, nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("verdict", Name, nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("received_at", Moment(), nullable=False),
        sa.Column("delivered_at", Moment(), nullable=True),
        *constraints("provider_webhooks"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_provider_webhooks_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_provider_webhooks"),
        sa.UniqueConstraint("provider", "event_id", name="uq_provider_webhooks_provider_event_id"),
    )
    op.create_index(
        "ix_provider_webhooks_job_id_attempt_id", "provider_webhooks", ["job_id", "attempt", "id"], unique=False
    )
    _partial_index("provider_webhooks", "unclaimed", ["provider", "external_id"], "job_id IS NULL")
    _partial_index("provider_webhooks", "undelivered", ["received_at"], "delivered_at IS NULL")


def _partial_index(table: str, name: str, columns: list[str], where: str) -> None:
    op.create_index(
        f"ix_{table}_{name}",
        table,
        columns,
        unique=False,
        postgresql_where=sa.text(where),
        sqlite_where=sa.text(where),
    )
