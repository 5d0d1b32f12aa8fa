"""Jobs that were erased, of which nothing else is kept; the books, which outlive them; reviews of what ended badly;
how many jobs a user has open.

Revision: 0020, after 0019.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment, Name

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

OPEN, WHERE = "ix_erasures_open", sa.text("completed_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "erasures",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("by_admin", sa.Boolean(), nullable=False),
        sa.Column("requested_at", Moment(), nullable=False),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("keys", Json, nullable=False),
        sa.Column("workflows", Json, nullable=False),
        sa.CheckConstraint("completed_at IS NULL OR owner IS NULL", name=op.f("ck_erasures_nothing_else")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_erasures")),
    )
    op.create_index(op.f("ix_erasures_requested_at_job_id"), "erasures", ["requested_at", "job_id"], unique=False)
    op.create_index(OPEN, "erasures", ["requested_at"], unique=False, postgresql_where=WHERE, sqlite_where=WHERE)
    op.create_index("ix_jobs_open", "jobs", ["owner"], unique=False, postgresql_where=WHERE, sqlite_where=WHERE)
    op.create_table(
        "reviews",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("reviewed_at", Moment(), nullable=False),
        sa.CheckConstraint("attempt >= 1", name=op.f("ck_reviews_counters")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_reviews_job_id")),
        sa.PrimaryKeyConstraint("job_id", "attempt", name=op.f("pk_reviews")),
    )
    with op.batch_alter_table("credit_postings") as batch:
        batch.drop_constraint(op.f("fk_credit_postings_job_id"), type_="foreignkey")


def downgrade() -> None:
    with op.batch_alter_table("credit_postings") as batch:
        batch.create_foreign_key(op.f("fk_credit_postings_job_id"), "jobs", ["job_id"], ["id"])
    op.drop_table("reviews")
    op.drop_index("ix_jobs_open", table_name="jobs")
    op.drop_index(OPEN, table_name="erasures")
    op.drop_index(op.f("ix_erasures_requested_at_job_id"), table_name="erasures")
    op.drop_table("erasures")
