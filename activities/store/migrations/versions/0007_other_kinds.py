"""The other kinds of job: what they were asked for, where they are kept, and what they made.

Revision: 0007, after 0006.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import constraints
from activities.store.tables import Json, Moment, Name

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "default_projects",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("project_id", Name, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_default_projects_project_id"),
        sa.PrimaryKeyConstraint("owner", name="pk_default_projects"),
    )
    op.create_table(
        "job_inputs",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", Name, nullable=False),
        sa.Column("input", Json, nullable=False),
        sa.Column("request_sha256", Name, nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("result", Json, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.CheckConstraint("length(request_sha256) = 64", name=op.f("ck_job_inputs_checksum")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_job_inputs_job_id"),
        sa.PrimaryKeyConstraint("job_id", name="pk_job_inputs"),
        sa.UniqueConstraint("owner", "kind", "idempotency_key", name="uq_job_inputs_owner_kind_idempotency_key"),
    )
    op.create_table(
        "library_assets",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("medium", Name, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("checksum_sha256", Name, nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("thumbnail", Json, nullable=True),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("facts", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        *constraints("library_assets"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_library_assets_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_library_assets"),
        sa.UniqueConstraint("job_id", "ordinal", name="uq_library_assets_job_id_ordinal"),
    )
    op.create_index(
        "ix_library_assets_owner_created_at_id", "library_assets", ["owner", "created_at", "id"], unique=False
    )


def downgrade() -> None:
    for table in ("library_assets", "job_inputs", "default_projects"):
        op.drop_table(table)
