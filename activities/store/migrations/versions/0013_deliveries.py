"""Webhook deliveries: events for ends in between, and what finds those that are old enough to be dropped.

Revision: 0013, after 0012.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import replace_checks

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

AGED = (
    ("ix_webhook_deliveries_handed_over", "webhook_deliveries", "handed_over_at", "handed_over_at IS NOT NULL"),
    ("ix_provider_webhooks_delivered", "provider_webhooks", "received_at", "delivered_at IS NOT NULL"),
)


def upgrade() -> None:
    replace_checks(op, "webhook_deliveries")
    for name, table, column, where in AGED:
        op.create_index(
            name, table, [column], unique=False, postgresql_where=sa.text(where), sqlite_where=sa.text(where)
        )


def downgrade() -> None:
    for name, table, _, _ in AGED:
        op.drop_index(name, table_name=table)
