"""Jobs: what they make, of a kind that makes several things, so that they can be listed by it. Regenerations: what finds
an instruction's latest.

Revision: 0016, after 0015.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Name, job_inputs

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

INDEX, WHERE = "ix_jobs_owner_job_type_created_at_id", sa.text("job_type IS NOT NULL")
LATEST = "ix_regenerate_tasks_instruction_id_id"
NAMED = {"generation": "type", "batch": "job_type"}
"""Where a kind's orders say it."""


def upgrade() -> None:
    op.add_column("jobs", sa.Column("job_type", Name, nullable=True))
    jobs = sa.table("jobs", sa.column("id"), sa.column("kind"), sa.column("job_type"))
    for kind, name in NAMED.items():
        ordered = sa.select(job_inputs.c.input[name].as_string()).where(job_inputs.c.job_id == jobs.c.id)
        op.execute(sa.update(jobs).where(jobs.c.kind == kind).values(job_type=ordered.scalar_subquery()))
    columns = ["owner", "job_type", "created_at", "id"]
    op.create_index(INDEX, "jobs", columns, unique=False, postgresql_where=WHERE, sqlite_where=WHERE)
    op.create_index(LATEST, "regenerate_tasks", ["instruction_id", "id"], unique=False)


def downgrade() -> None:
    op.drop_index(LATEST, table_name="regenerate_tasks")
    op.drop_index(INDEX, table_name="jobs")
    op.drop_column("jobs", "job_type")
