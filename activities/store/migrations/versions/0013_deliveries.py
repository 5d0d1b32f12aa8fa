"""Webhook deliveries: what finds those that are old enough to be dropped.

Revision: 0013, after 0012.
"""

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
