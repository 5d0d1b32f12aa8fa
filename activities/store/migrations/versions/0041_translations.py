"""Translations of instructions: a document of its own beside its original, of the same job.

Revision: 0041, after 0040.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import add_index, replace_checks, task_checks
from activities.store.tables import Json, Moment, Name

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

INDEXES = (
    ("uq_instructions_original", ["job_id"], sa.text("translation_of IS NULL")),
    ("uq_instructions_translation", ["translation_of", "language"], sa.text("translation_of IS NOT NULL")),
)
OPEN = sa.text("completed_at IS NULL")


def upgrade() -> None:
    with op.batch_alter_table("instructions") as batch:
        batch.add_column(sa.Column("translation_of", Name, nullable=True))
        batch.add_column(sa.Column("language", Name, nullable=True))
        batch.add_column(sa.Column("offers", Json, nullable=True))
        batch.drop_constraint("uq_instructions_job_id", type_="unique")
        batch.create_foreign_key("fk_instructions_translation_of", "instructions", ["translation_of"], ["id"])
    add_index(op, "ix_instructions_job_id", "instructions", ["job_id"], unique=False)
    for name, columns, where in INDEXES:
        add_index(op, name, "instructions", columns, unique=True, postgresql_where=where, sqlite_where=where)
    op.create_table(
        "translation_tasks",
        sa.Column("id", Name, nullable=False),
        sa.Column("source_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("language", Name, nullable=False),
        sa.Column("source_version", sa.Integer(), nullable=False),
        sa.Column("blocks", Json, nullable=True),
        sa.Column("reorder", sa.Boolean(), nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("progress_pct", sa.Integer(), nullable=False),
        sa.Column("client_request_id", sa.Text(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("requested_at", Moment(), nullable=False),
        sa.Column("made", Json, nullable=True),
        sa.Column("instruction_id", Name, nullable=True),
        sa.Column("instruction_version", sa.Integer(), nullable=True),
        sa.Column("translated", sa.Integer(), nullable=False),
        sa.Column("offered", sa.Integer(), nullable=False),
        sa.Column("removed", sa.Integer(), nullable=False),
        sa.Column("untranslated", Json, nullable=False),
        sa.Column("model_profile_id", sa.Text(), nullable=True),
        sa.Column("prompt_template_id", sa.Text(), nullable=True),
        sa.Column("prompt_params_ref", sa.Text(), nullable=True),
        sa.Column("failure_code", Name, nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failed_stage", Name, nullable=True),
        sa.Column("failure_correlation_id", sa.Text(), nullable=True),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("updated_at", Moment(), nullable=True),
        *(sa.CheckConstraint(sql, name=op.f(f"ck_translation_tasks_{name}")) for name, sql in task_checks().items()),
        sa.ForeignKeyConstraint(["source_id"], ["instructions.id"], name=op.f("fk_translation_tasks_source_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_translation_tasks_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_translation_tasks")),
        sa.UniqueConstraint(
            "source_id", "client_request_id", name=op.f("uq_translation_tasks_source_id_client_request_id")
        ),
    )
    op.create_index(op.f("ix_translation_tasks_source_id_id"), "translation_tasks", ["source_id", "id"], unique=False)
    op.create_index(op.f("ix_translation_tasks_job_id"), "translation_tasks", ["job_id"], unique=False)
    op.create_index(
        "uq_translation_tasks_active",
        "translation_tasks",
        ["source_id", "language"],
        unique=True,
        postgresql_where=OPEN,
        sqlite_where=OPEN,
    )
    replace_checks(op, "instruction_versions")


def downgrade() -> None:
    """Goes where nothing was translated yet: the older code knows one document of a job. What it checks of versions is
    narrower, and is not brought back."""
    op.drop_table("translation_tasks")
    for name in ("uq_instructions_original", "uq_instructions_translation", "ix_instructions_job_id"):
        op.drop_index(name, table_name="instructions")
    with op.batch_alter_table("instructions") as batch:
        batch.drop_constraint("fk_instructions_translation_of", type_="foreignkey")
        batch.create_unique_constraint("uq_instructions_job_id", ["job_id"])
        batch.drop_column("offers")
        batch.drop_column("language")
        batch.drop_column("translation_of")
