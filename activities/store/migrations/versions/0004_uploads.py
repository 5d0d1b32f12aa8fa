"""Uploads that go straight to the object store: which multipart upload a session has, and who is confirming it.

The parts themselves are known by the artifact store, and by nobody else.

Revision: 0004, after 0003.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Moment, Name

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("uploads", sa.Column("part_size", sa.BigInteger(), nullable=True))
    op.add_column("uploads", sa.Column("multipart_id", sa.Text(), nullable=True))
    op.add_column("uploads", sa.Column("whole_sha256", Name, nullable=True))
    op.add_column("uploads", sa.Column("sealed_by", Name, nullable=True))
    op.add_column("uploads", sa.Column("sealed_until", Moment(), nullable=True))
    op.create_index(
        "ix_uploads_begun",
        "uploads",
        ["multipart_id"],
        unique=False,
        postgresql_where=sa.text("multipart_id IS NOT NULL"),
        sqlite_where=sa.text("multipart_id IS NOT NULL"),
    )
    op.drop_table("upload_parts")


def downgrade() -> None:
    op.create_table(
        "upload_parts",
        sa.Column("upload_id", Name, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("checksum_sha256", Name, nullable=False),
        sa.Column("received_at", Moment(), nullable=False),
        sa.CheckConstraint("number >= 1 AND size_bytes >= 0", name=op.f("ck_upload_parts_counters")),
        sa.ForeignKeyConstraint(["upload_id"], ["uploads.id"], name="fk_upload_parts_upload_id"),
        sa.PrimaryKeyConstraint("upload_id", "number", name="pk_upload_parts"),
    )
    op.drop_index("ix_uploads_begun", "uploads")
    for column in ("sealed_until", "sealed_by", "whole_sha256", "multipart_id", "part_size"):
        op.drop_column("uploads", column)
