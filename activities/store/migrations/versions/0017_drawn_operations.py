"""Drawings: what was drawn, so that it can be changed later. Those made before keep their picture alone.

Revision: 0017, after 0016.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("screenshot_assets", sa.Column("operations", Json, nullable=True))


def downgrade() -> None:
    op.drop_column("screenshot_assets", "operations")
