"""Corrections of a transcript by its reader.

Revision: 0012, after 0011.
"""

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
