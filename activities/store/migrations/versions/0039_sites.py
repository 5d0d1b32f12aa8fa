"""Exports as parts of a site, and into Confluence.

Revision: 0039, after 0038.
"""

from alembic import op

from activities.store.checks import replace_checks

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    replace_checks(op, "exports")


def downgrade() -> None:
    """What the older code checks is narrower, and is not brought back: rows in such a format may be there."""
