"""Which namespace of Temporal's the jobs run in; what finds the deliveries that are under way.

Revision: 0018, after 0017.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

OPEN, WHERE = "ix_webhook_deliveries_open", sa.text("completed_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "engine_namespaces",
        sa.Column("id", Name, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("recorded_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_engine_namespaces")),
    )
    op.create_index(OPEN, "webhook_deliveries", ["id"], unique=False, postgresql_where=WHERE, sqlite_where=WHERE)


def downgrade() -> None:
    op.drop_index(OPEN, table_name="webhook_deliveries")
    op.drop_table("engine_namespaces")
