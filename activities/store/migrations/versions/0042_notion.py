"""Exports into Notion.

Revision: 0042, after 0041.
"""

from alembic import op

from activities.store.checks import replace_checks

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    replace_checks(op, "exports")


def downgrade() -> None:
    """What the older code checks is narrower, and is not brought back: rows in such a format may be there."""
