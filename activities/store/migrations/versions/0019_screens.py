"""What was read off a recording's screen is a kind of artifact.

Revision: 0019, after 0018.
"""

from alembic import op

from activities.store.checks import replace_checks

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("artifacts", "reported_artifacts"):
        replace_checks(op, table)


def downgrade() -> None:
    """The wider checks stay: they refuse nothing that was there before."""
