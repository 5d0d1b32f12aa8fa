"""Tasks and exports: when they changed last. NULL where a version wrote that does not say it: as they began or ended.

Revision: 0021, after 0020.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

TABLES = ("regenerate_tasks", "exports", "screenshot_tasks")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("updated_at", Moment(), nullable=True))


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, "updated_at")
