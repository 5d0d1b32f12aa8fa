"""Guides that lie in the bin.

Revision: 0034, after 0033.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import add_index
from activities.store.tables import Moment

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

WHERE = sa.text("binned_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("jobs", sa.Column("binned_at", Moment(), nullable=True))
    add_index(
        op,
        "ix_jobs_binned",
        "jobs",
        ["owner", "binned_at", "id"],
        unique=False,
        postgresql_where=WHERE,
        sqlite_where=WHERE,
    )


def downgrade() -> None:
    op.drop_index("ix_jobs_binned", table_name="jobs")
    op.drop_column("jobs", "binned_at")
