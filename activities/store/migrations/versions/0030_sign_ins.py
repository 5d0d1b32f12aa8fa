"""Sessions that an identity provider vouches for.

Revision: 0030, after 0029.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sign_ins",
        sa.Column("id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("role", Name, nullable=False),
        sa.Column("sid", sa.Text(), nullable=True),
        sa.Column("refresh_token", sa.Text(), nullable=True),
        sa.Column("due_at", Moment(), nullable=False),
        sa.Column("until", Moment(), nullable=False),
        sa.Column("ends_at", Moment(), nullable=False),
        sa.Column("asking_until", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_ins")),
    )
    for column in ("owner", "sid", "ends_at"):
        op.create_index(op.f(f"ix_sign_ins_{column}"), "sign_ins", [column], unique=False)


def downgrade() -> None:
    op.drop_table("sign_ins")
