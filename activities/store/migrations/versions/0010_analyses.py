"""Analyses: inputs, drafts, frozen plans.

A job may have several uploads now, told apart by their number; 0 is a recording. The inputs, drafts and results of
analyses are kinds of artifacts, so the checks of what holds kinds are written anew.

Revision: 0010, after 0009.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import constraints, replace_checks
from activities.store.tables import Json, Moment, Name

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

OPEN = sa.text("completed_at IS NULL")


def upgrade() -> None:
    with op.batch_alter_table("uploads") as batch:
        batch.add_column(sa.Column("ordinal", sa.Integer(), nullable=False, server_default=sa.text("0")))
        batch.add_column(sa.Column("confirmed_at", Moment(), nullable=True))
        batch.drop_constraint("uq_uploads_job_id", type_="unique")
        batch.create_unique_constraint("uq_uploads_job_id_ordinal", ["job_id", "ordinal"])
    for table in ("artifacts", "reported_artifacts"):
        replace_checks(op, table)
    op.create_index("ix_artifacts_job_id_created_at_id", "artifacts", ["job_id", "created_at", "id"], unique=False)
    op.create_table(
        "analyses",
        sa.Column("job_id", Name, nullable=False),
        sa.Column("requirement", sa.Text(), nullable=False),
        sa.Column("plan_revision", sa.Integer(), nullable=True),
        sa.Column("files", Json, nullable=False),
        sa.Column("inputs_fingerprint", Name, nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("answers", Json, nullable=False),
        sa.Column("tables", Json, nullable=False),
        sa.Column("tables_fingerprint", Name, nullable=True),
        sa.Column("plan", Json, nullable=True),
        sa.Column("planned_generation", sa.Integer(), nullable=True),
        sa.Column("plan_id", Name, nullable=True),
        sa.CheckConstraint(
            "generation >= 1 AND (plan IS NULL) = (planned_generation IS NULL)", name=op.f("ck_analyses_planned")
        ),
        sa.CheckConstraint("plan_id IS NULL OR plan IS NOT NULL", name=op.f("ck_analyses_frozen")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_analyses_job_id"),
        sa.PrimaryKeyConstraint("job_id", name="pk_analyses"),
    )
    op.create_table(
        "plan_tasks",
        sa.Column("id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("status", Name, nullable=False),
        sa.Column("failure_code", Name, nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failed_stage", Name, nullable=True),
        sa.Column("failure_correlation_id", sa.Text(), nullable=True),
        sa.Column("requested_at", Moment(), nullable=False),
        sa.Column("completed_at", Moment(), nullable=True),
        *constraints("plan_tasks"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_plan_tasks_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_plan_tasks"),
    )
    op.create_index("ix_plan_tasks_job_id_id", "plan_tasks", ["job_id", "id"], unique=False)
    op.create_index(
        "uq_plan_tasks_active", "plan_tasks", ["job_id"], unique=True, postgresql_where=OPEN, sqlite_where=OPEN
    )
    op.create_index(
        "ix_plan_tasks_open", "plan_tasks", ["requested_at"], unique=False, postgresql_where=OPEN, sqlite_where=OPEN
    )


def downgrade() -> None:
    for table in ("plan_tasks", "analyses"):
        op.drop_table(table)
    op.drop_index("ix_artifacts_job_id_created_at_id", table_name="artifacts")
    op.execute("DELETE FROM uploads WHERE ordinal <> 0")
    with op.batch_alter_table("uploads") as batch:
        batch.drop_constraint("uq_uploads_job_id_ordinal", type_="unique")
        batch.create_unique_constraint("uq_uploads_job_id", ["job_id"])
        batch.drop_column("confirmed_at")
        batch.drop_column("ordinal")
