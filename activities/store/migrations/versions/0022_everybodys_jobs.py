"""Everybody's jobs, listed from an index; which attempt of a job was reviewed, in its own row.

Revision: 0022, after 0021.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

EVERYBODYS = "ix_jobs_kind_status_id"
TO_REVIEW, WHERE = "ix_jobs_to_review", sa.text("failure_code IS NOT NULL AND attempt > coalesce(reviewed_attempt, 0)")
PLACE = ["kind", "status", "id"]


def upgrade() -> None:
    op.add_column("jobs", sa.Column("reviewed_attempt", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE jobs SET reviewed_attempt = (SELECT max(attempt) FROM reviews WHERE reviews.job_id = jobs.id)"
        " WHERE id IN (SELECT job_id FROM reviews)"
    )
    op.create_index(op.f(EVERYBODYS), "jobs", PLACE, unique=False)
    op.create_index(TO_REVIEW, "jobs", PLACE, unique=False, postgresql_where=WHERE, sqlite_where=WHERE)


def downgrade() -> None:
    op.drop_index(TO_REVIEW, table_name="jobs")
    op.drop_index(op.f(EVERYBODYS), table_name="jobs")
    op.drop_column("jobs", "reviewed_attempt")
