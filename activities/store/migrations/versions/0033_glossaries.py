"""Glossaries, and words that are corrected everywhere at once.

Revision: 0033, after 0032.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment, Name

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "correction_sets",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("pairs", Json, nullable=False),
        sa.Column("segments", Json, nullable=False),
        sa.Column("blocks", Json, nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("undone_version", sa.Integer(), nullable=True),
        sa.Column("made_at", Moment(), nullable=False),
        sa.Column("undone_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_correction_sets_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_correction_sets")),
    )
    op.create_index(op.f("ix_correction_sets_job_id"), "correction_sets", ["job_id"])
    op.create_table(
        "glossary_terms",
        sa.Column("id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("project_id", Name, nullable=False),
        sa.Column("heard", sa.Text(), nullable=False),
        sa.Column("right", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("changed_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_glossary_terms")),
        sa.UniqueConstraint("owner", "project_id", "folded", name=op.f("uq_glossary_terms_owner_project_id_folded")),
    )
    op.create_index(
        op.f("ix_glossary_terms_owner_changed_at_id"), "glossary_terms", ["owner", "changed_at", "id"]
    )


def downgrade() -> None:
    op.drop_table("glossary_terms")
    op.drop_table("correction_sets")
