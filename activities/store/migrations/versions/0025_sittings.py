"""Sittings: what somebody writes at a desk, kept beside the versions until it is one; and
names of versions, and the pictures that showed with them.

Revision: 0025, after 0024.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment, Name

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("instruction_versions", sa.Column("name", sa.Text(), nullable=True))
    op.add_column("instruction_versions", sa.Column("pictures", Json, nullable=True))
    op.create_table(
        "sittings",
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("sitting_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("base_version", sa.Integer(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("blocks", Json, nullable=False),
        sa.Column("kept_at", Moment(), nullable=False),
        sa.CheckConstraint("base_version >= 1", name=op.f("ck_sittings_counters")),
        sa.ForeignKeyConstraint(["instruction_id"], ["instructions.id"], name="fk_sittings_instruction_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_sittings_job_id"),
        sa.PrimaryKeyConstraint("instruction_id", "sitting_id", name="pk_sittings"),
    )


def downgrade() -> None:
    op.drop_table("sittings")
    op.drop_column("instruction_versions", "pictures")
    op.drop_column("instruction_versions", "name")
