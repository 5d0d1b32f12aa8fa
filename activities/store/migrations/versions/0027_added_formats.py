"""Exports in formats that other packages bring.

Revision: 0027, after 0026.
"""

from alembic import op

from activities.store.checks import replace_checks

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    replace_checks(op, "exports")


def downgrade() -> None:
    """What the older code checks is narrower, and is not brought back: rows in such a format may be there."""
