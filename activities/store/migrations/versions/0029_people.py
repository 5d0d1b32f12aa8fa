"""People: names and addresses as identity providers tell them.

Revision: 0029, after 0028.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("email_verified", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("seen_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_people")),
    )
    op.create_index("ix_people_email", "people", ["email"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_people_email", table_name="people")
    op.drop_table("people")
