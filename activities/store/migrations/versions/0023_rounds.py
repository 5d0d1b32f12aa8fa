"""Rounds: whose turn it is to look after what everybody could, by the database's clock.

Revision: 0023, after 0022.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rounds",
        sa.Column("name", Name, nullable=False),
        sa.Column("taken_until", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rounds")),
    )


def downgrade() -> None:
    op.drop_table("rounds")
