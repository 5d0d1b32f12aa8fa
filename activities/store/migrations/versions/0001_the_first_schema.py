"""The first schema: jobs with their log and artifacts, and the documents.

Revision: 0001, after nothing.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import constraints
from activities.store.tables import Json, Moment, Name

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("method", Name, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_sha256", Name, nullable=False),
        sa.Column("response", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "method", "path", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_expires_at", "idempotency_keys", ["expires_at"], unique=False)

    op.create_table(
        "projects",
        sa.Column("id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("stages", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
    )
    op.create_index("ix_projects_owner_created_at_id", "projects", ["owner", "created_at", "id"], unique=False)

    op.create_table(
        "jobs",
        sa.Column("id", Name, nullable=False),
        sa.Column("kind", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("project_id", Name, nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("progress", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("dispatch_id", Name, nullable=True),
        sa.Column("fence_seq", sa.Integer(), nullable=False),
        sa.Column("fence_execution", sa.Integer(), nullable=False),
        sa.Column("event_seq", sa.Integer(), nullable=False),
        sa.Column("correlation_id", sa.Text(), nullable=False),
        sa.Column("source_name", sa.Text(), nullable=True),
        sa.Column("language", Name, nullable=True),
        sa.Column("model_profile", sa.Text(), nullable=True),
        sa.Column("instruction_id", Name, nullable=True),
        sa.Column("failure_code", Name, nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failed_stage", Name, nullable=True),
        sa.Column("failure_correlation_id", sa.Text(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("completed_at", Moment(), nullable=True),
        *constraints("jobs"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_jobs_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        postgresql_with={"fillfactor": "70"},
    )
    op.create_index(
        "ix_jobs_active",
        "jobs",
        ["id"],
        unique=False,
        postgresql_where=sa.text("completed_at IS NULL"),
        sqlite_where=sa.text("completed_at IS NULL"),
    )
    op.create_index("ix_jobs_owner_created_at_id", "jobs", ["owner", "created_at", "id"], unique=False)
    op.create_index("ix_jobs_project_id_created_at_id", "jobs", ["project_id", "created_at", "id"], unique=False)

    op.create_table(
        "artifacts",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("kind", Name, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("checksum_sha256", Name, nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("facts", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        *constraints("artifacts"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_artifacts_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_artifacts"),
        sa.UniqueConstraint("job_id", "kind", "version", name="uq_artifacts_job_id_kind_version"),
    )
    op.create_table(
        "callback_events",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("payload_sha256", Name, nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("occurred_at", Moment(), nullable=False),
        sa.Column("recorded_at", Moment(), nullable=False),
        sa.CheckConstraint("length(payload_sha256) = 64", name=op.f("ck_callback_events_checksum")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_callback_events_job_id"),
        sa.PrimaryKeyConstraint("job_id", "event_id", name="pk_callback_events"),
    )
    op.create_table(
        "dispatches",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("dispatch_id", Name, nullable=False),
        sa.Column("resume_from", Name, nullable=True),
        sa.Column("client_request_id", sa.Text(), nullable=True),
        sa.Column("model_profile", sa.Text(), nullable=True),
        sa.Column("recorded_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_dispatches_job_id"),
        sa.PrimaryKeyConstraint("job_id", "attempt", name="pk_dispatches"),
        sa.UniqueConstraint("job_id", "client_request_id", name="uq_dispatches_job_id_client_request_id"),
    )
    op.create_table(
        "instructions",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("current_version", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.CheckConstraint("current_version >= 1", name=op.f("ck_instructions_counters")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_instructions_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_instructions"),
        sa.UniqueConstraint("job_id", name="uq_instructions_job_id"),
    )
    op.create_table(
        "job_events",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("stream", Name, nullable=False),
        sa.Column("event_type", Name, nullable=False),
        sa.Column("actor_type", Name, nullable=False),
        sa.Column("prev_status", Name, nullable=True),
        sa.Column("new_status", Name, nullable=True),
        sa.Column("occurred_at", Moment(), nullable=False),
        sa.Column("recorded_at", Moment(), nullable=False),
        sa.Column("correlation_id", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("execution", sa.Integer(), nullable=False),
        sa.Column("unit", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("data", Json, nullable=False),
        *constraints("job_events"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_job_events_job_id"),
        sa.PrimaryKeyConstraint("job_id", "seq", name="pk_job_events"),
    )
    op.create_index(
        "uq_job_events_step",
        "job_events",
        ["job_id", "attempt", "step", "unit", "execution"],
        unique=True,
        postgresql_where=sa.text("step IS NOT NULL"),
        sqlite_where=sa.text("step IS NOT NULL"),
    )

    op.create_table(
        "uploads",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("checksum_sha256", Name, nullable=True),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_uploads_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_uploads"),
        sa.UniqueConstraint("job_id", name="uq_uploads_job_id"),
    )
    op.create_table(
        "instruction_versions",
        sa.Column("id", Name, nullable=False),
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("language", Name, nullable=True),
        sa.Column("warnings", Json, nullable=False),
        sa.Column("origin", Name, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("model_profile_id", sa.Text(), nullable=True),
        sa.Column("prompt_template_id", sa.Text(), nullable=True),
        sa.Column("prompt_params_ref", sa.Text(), nullable=True),
        sa.Column("validation_status", Name, nullable=False),
        sa.Column("validation_errors", Json, nullable=False),
        sa.Column("validator_version", Name, nullable=False),
        sa.Column("validated_at", Moment(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        *constraints("instruction_versions"),
        sa.ForeignKeyConstraint(["instruction_id"], ["instructions.id"], name="fk_instruction_versions_instruction_id"),
        sa.PrimaryKeyConstraint("id", name="pk_instruction_versions"),
        sa.UniqueConstraint("instruction_id", "version", name="uq_instruction_versions_instruction_id_version"),
    )
    op.create_table(
        "regenerate_tasks",
        sa.Column("id", Name, nullable=False),
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("progress_pct", sa.Integer(), nullable=False),
        sa.Column("base_version", sa.Integer(), nullable=False),
        sa.Column("selection", Json, nullable=False),
        sa.Column("client_request_id", sa.Text(), nullable=False),
        sa.Column("request", Json, nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("requested_at", Moment(), nullable=False),
        sa.Column("instruction_version", sa.Integer(), nullable=True),
        sa.Column("proposal", sa.Text(), nullable=True),
        sa.Column("failure_code", Name, nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failed_stage", Name, nullable=True),
        sa.Column("failure_correlation_id", sa.Text(), nullable=True),
        sa.Column("completed_at", Moment(), nullable=True),
        *constraints("regenerate_tasks"),
        sa.ForeignKeyConstraint(["instruction_id"], ["instructions.id"], name="fk_regenerate_tasks_instruction_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_regenerate_tasks_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_regenerate_tasks"),
        sa.UniqueConstraint(
            "instruction_id", "client_request_id", name="uq_regenerate_tasks_instruction_id_client_request_id"
        ),
    )
    op.create_index(
        "uq_regenerate_tasks_active",
        "regenerate_tasks",
        ["instruction_id"],
        unique=True,
        postgresql_where=sa.text("completed_at IS NULL"),
        sqlite_where=sa.text("completed_at IS NULL"),
    )

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
    op.create_table(
        "anchors",
        sa.Column("id", Name, nullable=False),
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("instruction_version_id", Name, nullable=False),
        sa.Column("address_type", Name, nullable=False),
        sa.Column("block_id", Name, nullable=True),
        sa.Column("char_range", Json, nullable=True),
        sa.Column("strategy", Name, nullable=True),
        sa.Column("active_asset_id", Name, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.CheckConstraint(
            "(address_type = 'block_id' AND block_id IS NOT NULL) OR (address_type = 'char_range' AND char_range IS NOT NULL)",
            name=op.f("ck_anchors_address"),
        ),
        sa.ForeignKeyConstraint(["instruction_id"], ["instructions.id"], name="fk_anchors_instruction_id"),
        sa.ForeignKeyConstraint(
            ["instruction_version_id"], ["instruction_versions.id"], name="fk_anchors_instruction_version_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_anchors"),
    )
    op.create_index("ix_anchors_instruction_id_block_id", "anchors", ["instruction_id", "block_id"], unique=False)

    op.create_table(
        "exports",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("instruction_version_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("format", Name, nullable=False),
        sa.Column("identity_key", Name, nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("checksum_sha256", Name, nullable=True),
        sa.Column("media_type", sa.Text(), nullable=True),
        sa.Column("filename", sa.Text(), nullable=True),
        sa.Column("provenance", Json, nullable=False),
        sa.Column("provenance_frozen_at", Moment(), nullable=True),
        sa.Column("warnings", Json, nullable=False),
        sa.Column("failure_code", Name, nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failed_stage", Name, nullable=True),
        sa.Column("failure_correlation_id", sa.Text(), nullable=True),
        sa.Column("requested_at", Moment(), nullable=False),
        sa.Column("completed_at", Moment(), nullable=True),
        *constraints("exports"),
        sa.ForeignKeyConstraint(["instruction_id"], ["instructions.id"], name="fk_exports_instruction_id"),
        sa.ForeignKeyConstraint(
            ["instruction_version_id"], ["instruction_versions.id"], name="fk_exports_instruction_version_id"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_exports_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_exports"),
    )
    op.create_index("ix_exports_job_id_requested_at_id", "exports", ["job_id", "requested_at", "id"], unique=False)
    op.create_index(
        "ix_exports_open",
        "exports",
        ["requested_at"],
        unique=False,
        postgresql_where=sa.text("completed_at IS NULL"),
        sqlite_where=sa.text("completed_at IS NULL"),
    )
    op.create_index(
        "uq_exports_identity",
        "exports",
        ["instruction_id", "identity_key"],
        unique=True,
        postgresql_where=sa.text("status <> 'FAILED'"),
        sqlite_where=sa.text("status <> 'FAILED'"),
    )

    op.create_table(
        "screenshot_assets",
        sa.Column("id", Name, nullable=False),
        sa.Column("anchor_id", Name, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", Name, nullable=False),
        sa.Column("previous_asset_id", Name, nullable=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("checksum_sha256", Name, nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("timestamp_ms", sa.BigInteger(), nullable=True),
        sa.Column("extraction_key", sa.Text(), nullable=True),
        sa.Column("upload_id", Name, nullable=True),
        sa.Column("ops_hash", Name, nullable=True),
        sa.Column("rendered_from_asset_id", Name, nullable=True),
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.CheckConstraint("kind IN ('EXTRACTED', 'UPLOADED', 'ANNOTATED')", name=op.f("ck_screenshot_assets_kind")),
        sa.CheckConstraint("version >= 1 AND width >= 1 AND height >= 1", name=op.f("ck_screenshot_assets_counters")),
        sa.ForeignKeyConstraint(["anchor_id"], ["anchors.id"], name="fk_screenshot_assets_anchor_id"),
        sa.ForeignKeyConstraint(
            ["previous_asset_id"], ["screenshot_assets.id"], name="fk_screenshot_assets_previous_asset_id"
        ),
        sa.ForeignKeyConstraint(
            ["rendered_from_asset_id"], ["screenshot_assets.id"], name="fk_screenshot_assets_rendered_from_asset_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_screenshot_assets"),
        sa.UniqueConstraint("anchor_id", "version", name="uq_screenshot_assets_anchor_id_version"),
    )


def downgrade() -> None:
    for table in (
        "screenshot_assets",
        "exports",
        "anchors",
        "upload_parts",
        "regenerate_tasks",
        "instruction_versions",
        "uploads",
        "job_events",
        "instructions",
        "dispatches",
        "callback_events",
        "artifacts",
        "jobs",
        "projects",
        "idempotency_keys",
    ):
        op.drop_table(table)
