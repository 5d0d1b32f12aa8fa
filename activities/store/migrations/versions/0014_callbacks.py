"""Callbacks: what finds those that are old enough to be dropped.

Revision: 0014, after 0013.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

NAME = "ix_callback_events_forgotten"
WHERE = "delivered_at IS NOT NULL AND status NOT IN ('AUDIO_READY', 'TRANSCRIPT_READY', 'DRAFT_READY')"


def upgrade() -> None:
    where = sa.text(WHERE)
    op.create_index(
        NAME, "callback_events", ["recorded_at"], unique=False, postgresql_where=where, sqlite_where=where
    )


def downgrade() -> None:
    op.drop_index(NAME, table_name="callback_events")
