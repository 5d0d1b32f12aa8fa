"""The search in guides.

Revision: 0035, after 0034. What is there is indexed by the workers, some at a time (activities/upkeep/indexing.py).
"""

import sqlalchemy as sa
from alembic import op

from activities.store import fulltext
from activities.store.checks import one_of
from activities.store.tables import Json, Moment, Name
from domain.search import Part

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "search_texts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("part", Name, nullable=False),
        sa.Column("piece", sa.Integer(), nullable=False),
        sa.Column("passages", Json, nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.CheckConstraint(one_of("part", Part), name=op.f("ck_search_texts_part")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_search_texts_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_texts")),
        sa.UniqueConstraint("job_id", "part", "piece", name=op.f("uq_search_texts_job_id_part_piece")),
    )
    fulltext.create(op.get_bind())
    op.create_table(
        "search_sources",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("source", Name, nullable=False),
        sa.Column("made_of", Name, nullable=False),
        sa.Column("indexed_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_search_sources_job_id")),
        sa.PrimaryKeyConstraint("job_id", "source", name=op.f("pk_search_sources")),
    )


def downgrade() -> None:
    op.drop_table("search_sources")
    fulltext.drop(op.get_bind())
    op.drop_table("search_texts")
