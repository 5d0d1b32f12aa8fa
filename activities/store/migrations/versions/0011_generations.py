"""Generations: what an attempt gave to a provider, and what the provider said of its end.

Revision: 0011, after 0010.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment, Name

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "generation_submissions",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("provider", Name, nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("word", Json, nullable=True),
        sa.Column("begun_at", Moment(), nullable=False),
        sa.Column("submitted_at", Moment(), nullable=True),
        sa.Column("settled_at", Moment(), nullable=True),
        sa.CheckConstraint("attempt >= 1 AND number >= 1", name=op.f("ck_generation_submissions_counters")),
        sa.CheckConstraint(
            "(submitted_at IS NULL) = (external_id IS NULL) AND (settled_at IS NULL) = (word IS NULL)"
            " AND (word IS NULL OR external_id IS NOT NULL)",
            name=op.f("ck_generation_submissions_in_order"),
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_generation_submissions_job_id"),
        sa.PrimaryKeyConstraint("job_id", "attempt", "number", name="pk_generation_submissions"),
    )


def downgrade() -> None:
    op.drop_table("generation_submissions")
