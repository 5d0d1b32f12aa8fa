"""Indexes for lists and lookups of a million jobs, and what a regeneration and a dispatch remember of themselves.

Revision: 0005, after 0004.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

LISTED = (("owner", "kind", "created_at", "id"), ("owner", "status", "created_at", "id"))


def upgrade() -> None:
    for columns in LISTED:
        op.create_index(f"ix_jobs_{'_'.join(columns)}", "jobs", list(columns), unique=False)

    op.add_column("dispatches", sa.Column("answered_at", Moment(), nullable=True))
    op.execute("UPDATE dispatches SET answered_at = recorded_at")

    # a worker of the old version, still running, knows nothing of these: the database fills them in
    for name in ("kept", "warnings"):
        op.add_column("regenerate_tasks", sa.Column(name, Json, nullable=False, server_default=sa.text("'[]'")))
    for name in ("model_profile_id", "prompt_template_id", "prompt_params_ref"):
        op.add_column("regenerate_tasks", sa.Column(name, sa.Text(), nullable=True))


def downgrade() -> None:
    for name in ("prompt_params_ref", "prompt_template_id", "model_profile_id", "warnings", "kept"):
        op.drop_column("regenerate_tasks", name)
    op.drop_column("dispatches", "answered_at")
    for columns in reversed(LISTED):
        op.drop_index(f"ix_jobs_{'_'.join(columns)}", table_name="jobs")
