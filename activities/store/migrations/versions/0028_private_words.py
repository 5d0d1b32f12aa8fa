"""Words that users call private.

Revision: 0028, after 0027.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "private_words",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("words", Json, nullable=False),
        sa.Column("changed_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_private_words")),
    )


def downgrade() -> None:
    op.drop_table("private_words")
