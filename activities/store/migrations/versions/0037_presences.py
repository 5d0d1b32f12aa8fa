"""Presences: who has a guide open now.

Revision: 0037, after 0036.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "presences",
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("desk_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("block_id", Name, nullable=True),
        sa.Column("writes", sa.Boolean(), nullable=False),
        sa.Column("came_at", Moment(), nullable=False),
        sa.Column("seen_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["instruction_id"], ["instructions.id"], name="fk_presences_instruction_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("instruction_id", "subject", "desk_id", name="pk_presences"),
    )


def downgrade() -> None:
    op.drop_table("presences")
