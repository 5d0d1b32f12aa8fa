"""Batches: which items of a job are settled, and how.

Revision: 0009, after 0008.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "batch_items",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("failure_code", Name, nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("settled_at", Moment(), nullable=False),
        sa.CheckConstraint(
            "number >= 1 AND (failure_code IS NULL) = (failure_message IS NULL)", name=op.f("ck_batch_items_settled")
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_batch_items_job_id"),
        sa.PrimaryKeyConstraint("job_id", "number", name="pk_batch_items"),
    )


def downgrade() -> None:
    op.drop_table("batch_items")
