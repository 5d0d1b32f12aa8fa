"""Sessions of the pages that were ended before their time.

Revision: 0015, after 0014.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ended_sessions",
        sa.Column("id", Name, nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ended_sessions")),
    )
    op.create_index(op.f("ix_ended_sessions_expires_at"), "ended_sessions", ["expires_at"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_ended_sessions_expires_at"), table_name="ended_sessions")
    op.drop_table("ended_sessions")
