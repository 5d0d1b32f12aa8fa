"""Corrections of a transcript by its reader.

Revision: 0012, after 0011.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "transcript_corrections",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("segment", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("original_sha256", Name, nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("corrected_at", Moment(), nullable=False),
        sa.CheckConstraint(
            "segment >= 0 AND (text IS NULL OR text <> '')", name=op.f("ck_transcript_corrections_says_something")
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_transcript_corrections_job_id"),
        sa.PrimaryKeyConstraint("job_id", "segment", "original_sha256", name="pk_transcript_corrections"),
    )


def downgrade() -> None:
    op.drop_table("transcript_corrections")
