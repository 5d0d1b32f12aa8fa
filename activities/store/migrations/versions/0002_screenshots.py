"""Screenshots that people ask for: extraction tasks, uploaded pictures.

Revision: 0002, after 0001.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import constraints
from activities.store.tables import Json, Moment, Name

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

FAILURE = {
    "failure_code": Name,
    "failure_message": sa.Text(),
    "failed_stage": Name,
    "failure_correlation_id": sa.Text(),
}
UNCONFIRMED = sa.text("confirmed_at IS NULL AND key IS NOT NULL")
OPEN = sa.text("completed_at IS NULL")


def upgrade() -> None:
    op.create_index(
        "ix_anchors_instruction_id_created_at_id", "anchors", ["instruction_id", "created_at", "id"], unique=False
    )
    op.create_table(
        "screenshot_tasks",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("instruction_version_id", Name, nullable=False),
        sa.Column("anchor_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("operation", Name, nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("extraction", Json, nullable=False),
        sa.Column("canonical_key", Name, nullable=False),
        sa.Column("standing_key", Name, nullable=True),
        sa.Column("asset_id", Name, nullable=True),
        *(sa.Column(name, kind, nullable=True) for name, kind in FAILURE.items()),
        sa.Column("requested_at", Moment(), nullable=False),
        sa.Column("completed_at", Moment(), nullable=True),
        *constraints("screenshot_tasks"),
        sa.ForeignKeyConstraint(["anchor_id"], ["anchors.id"], name="fk_screenshot_tasks_anchor_id"),
        sa.ForeignKeyConstraint(["asset_id"], ["screenshot_assets.id"], name="fk_screenshot_tasks_asset_id"),
        sa.ForeignKeyConstraint(["instruction_id"], ["instructions.id"], name="fk_screenshot_tasks_instruction_id"),
        sa.ForeignKeyConstraint(
            ["instruction_version_id"], ["instruction_versions.id"], name="fk_screenshot_tasks_instruction_version_id"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_screenshot_tasks_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_screenshot_tasks"),
        sa.UniqueConstraint("standing_key", name="uq_screenshot_tasks_standing_key"),
    )
    op.create_index(
        "ix_screenshot_tasks_open",
        "screenshot_tasks",
        ["requested_at"],
        unique=False,
        postgresql_where=OPEN,
        sqlite_where=OPEN,
    )
    op.create_table(
        "picture_uploads",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("asset_id", Name, nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("checksum_sha256", Name, nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("confirmed_at", Moment(), nullable=True),
        sa.CheckConstraint(
            "length(checksum_sha256) = 64 AND size_bytes >= 1", name=op.f("ck_picture_uploads_declared")
        ),
        sa.CheckConstraint(
            "confirmed_at IS NULL OR (key IS NOT NULL AND width IS NOT NULL AND width >= 1"
            " AND height IS NOT NULL AND height >= 1)",
            name=op.f("ck_picture_uploads_whole_when_confirmed"),
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_picture_uploads_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_picture_uploads"),
        sa.UniqueConstraint("asset_id", name="uq_picture_uploads_asset_id"),
    )
    op.create_index(
        "ix_picture_uploads_unconfirmed",
        "picture_uploads",
        ["expires_at"],
        unique=False,
        postgresql_where=UNCONFIRMED,
        sqlite_where=UNCONFIRMED,
    )


def downgrade() -> None:
    op.drop_table("picture_uploads")
    op.drop_table("screenshot_tasks")
    op.drop_index("ix_anchors_instruction_id_created_at_id", table_name="anchors")
