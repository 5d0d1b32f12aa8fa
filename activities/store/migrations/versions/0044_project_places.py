"""Where a project's guides are put in Confluence and Notion.

Revision: 0044, after 0043.
"""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("confluence_space", "notion_parent"):
        op.add_column("projects", sa.Column(name, sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("projects") as batch:
        for name in ("notion_parent", "confluence_space"):
            batch.drop_column(name)
