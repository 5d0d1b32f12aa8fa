"""Recordings and users that are erased; what was erased because of its age.

Revision: 0024, after 0023.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment, Name

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

OPEN, WHERE = "ix_purges_open", sa.text("completed_at IS NULL")


def upgrade() -> None:
    op.add_column("erasures", sa.Column("by_age", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "purges",
        sa.Column("id", Name, nullable=False),
        sa.Column("what", Name, nullable=False),
        sa.Column("by_admin", sa.Boolean(), nullable=False),
        sa.Column("by_age", sa.Boolean(), nullable=False),
        sa.Column("requested_at", Moment(), nullable=False),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("job_id", Name, nullable=True),
        sa.Column("keys", Json, nullable=False),
        sa.CheckConstraint("what IN ('recording', 'user')", name=op.f("ck_purges_what")),
        sa.CheckConstraint(
            "completed_at IS NULL OR (owner IS NULL AND job_id IS NULL)", name=op.f("ck_purges_nothing_else")
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_purges_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_purges")),
    )
    op.create_index(op.f("ix_purges_requested_at_id"), "purges", ["requested_at", "id"], unique=False)
    op.create_index(OPEN, "purges", ["requested_at"], unique=False, postgresql_where=WHERE, sqlite_where=WHERE)


def downgrade() -> None:
    op.drop_index(OPEN, table_name="purges")
    op.drop_index(op.f("ix_purges_requested_at_id"), table_name="purges")
    op.drop_table("purges")
    with op.batch_alter_table("erasures") as batch:
        batch.drop_column("by_age")
