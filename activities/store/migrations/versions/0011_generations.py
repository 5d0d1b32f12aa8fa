"""Generations: what was submitted to a provider, and until when its answer is awaited.

Revision: 0011, after 0010.
"""

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
