"""Who made a link, brought it up to date, and revoked it.

Revision: 0043, after 0042.
"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("created_by", "updated_by", "revoked_by"):
        op.add_column("shares", sa.Column(name, sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("shares") as batch:
        for name in ("revoked_by", "updated_by", "created_by"):
            batch.drop_column(name)
