"""Stages that an outside runner does, and what it reports.

Revision: 0003, after 0002.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import constraints
from activities.store.tables import Moment, Name

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("callback_events", sa.Column("attempt", sa.Integer(), nullable=False, server_default=sa.text("1")))
    op.add_column("callback_events", sa.Column("delivered_at", Moment(), nullable=True))
    op.execute("UPDATE callback_events SET delivered_at = recorded_at")
    op.create_index(
        "ix_callback_events_undelivered",
        "callback_events",
        ["recorded_at"],
        unique=False,
        postgresql_where=sa.text("delivered_at IS NULL"),
        sqlite_where=sa.text("delivered_at IS NULL"),
    )
    op.create_table(
        "reported_artifacts",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("kind", Name, nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("artifact_id", Name, nullable=True),
        sa.Column("rejected_code", Name, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        *constraints("reported_artifacts"),
        sa.ForeignKeyConstraint(["artifact_id"], ["artifacts.id"], name="fk_reported_artifacts_artifact_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_reported_artifacts_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_reported_artifacts"),
    )
    op.create_index(
        "ix_reported_artifacts_job_id_kind_created_at",
        "reported_artifacts",
        ["job_id", "kind", "created_at"],
        unique=False,
    )


def downgrade() -> None:
    op.drop_table("reported_artifacts")
    op.drop_index("ix_callback_events_undelivered", table_name="callback_events")
    op.drop_column("callback_events", "delivered_at")
    op.drop_column("callback_events", "attempt")
