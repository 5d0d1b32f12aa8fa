"""Shares: links that show a guide to whoever holds them.

Revision: 0026, after 0025.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment, Name

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shares",
        sa.Column("id", Name, nullable=False),
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("token_sha256", Name, nullable=False),
        sa.Column("export_id", Name, nullable=False),
        sa.Column("previous_export_id", Name, nullable=True),
        sa.Column("passphrase_hash", sa.Text(), nullable=True),
        sa.Column("recording", sa.Boolean(), nullable=False),
        sa.Column("embed_origins", Json, nullable=False),
        sa.Column("views", sa.Integer(), nullable=False),
        sa.Column("last_viewed_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=True),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.CheckConstraint("length(token_sha256) = 64", name=op.f("ck_shares_checksum")),
        sa.ForeignKeyConstraint(["export_id"], ["exports.id"], name=op.f("fk_shares_export_id")),
        sa.ForeignKeyConstraint(["instruction_id"], ["instructions.id"], name=op.f("fk_shares_instruction_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_shares_job_id")),
        sa.ForeignKeyConstraint(["previous_export_id"], ["exports.id"], name=op.f("fk_shares_previous_export_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shares")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_shares_token_sha256")),
    )
    columns = ["instruction_id", "created_at", "id"]
    op.create_index(op.f("ix_shares_instruction_id_created_at_id"), "shares", columns, unique=False)
    op.create_index(op.f("ix_shares_job_id"), "shares", ["job_id"], unique=False)


def downgrade() -> None:
    op.drop_table("shares")
