"""Projects with members: who is in one, who is asked to come, and who of them did what.

Revision: 0031, after 0030.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import add_index
from activities.store.tables import Moment, Name

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

WAITING = sa.text("email IS NOT NULL AND used_at IS NULL")
BY_MEMBERS = sa.text("actor IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "project_members",
        sa.Column("project_id", Name, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("role", Name, nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("added_at", Moment(), nullable=False),
        sa.CheckConstraint("role IN ('editor', 'commenter', 'viewer')", name=op.f("ck_project_members_role")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_project_members_project_id")),
        sa.PrimaryKeyConstraint("project_id", "subject", name=op.f("pk_project_members")),
    )
    op.create_index(op.f("ix_project_members_subject"), "project_members", ["subject"], unique=False)
    op.create_table(
        "project_invitations",
        sa.Column("id", Name, nullable=False),
        sa.Column("project_id", Name, nullable=False),
        sa.Column("role", Name, nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("token_sha256", Name, nullable=False),
        sa.Column("invited_by", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("used_at", Moment(), nullable=True),
        sa.Column("used_by", sa.Text(), nullable=True),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.CheckConstraint("role IN ('editor', 'commenter', 'viewer')", name=op.f("ck_project_invitations_role")),
        sa.CheckConstraint("length(token_sha256) = 64", name=op.f("ck_project_invitations_checksum")),
        sa.CheckConstraint("(used_at IS NULL) = (used_by IS NULL)", name=op.f("ck_project_invitations_used")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_project_invitations_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project_invitations")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_project_invitations_token_sha256")),
    )
    columns = ["project_id", "created_at", "id"]
    op.create_index(
        op.f("ix_project_invitations_project_id_created_at_id"), "project_invitations", columns, unique=False
    )
    op.create_index(
        "ix_project_invitations_waiting",
        "project_invitations",
        ["email"],
        unique=False,
        postgresql_where=WAITING,
        sqlite_where=WAITING,
    )
    op.add_column("jobs", sa.Column("created_by", sa.Text(), nullable=True))
    op.add_column("job_events", sa.Column("actor", sa.Text(), nullable=True))
    add_index(
        op,
        "ix_job_events_actor",
        "job_events",
        ["actor"],
        unique=False,
        postgresql_where=BY_MEMBERS,
        sqlite_where=BY_MEMBERS,
    )


def downgrade() -> None:
    op.drop_index("ix_job_events_actor", table_name="job_events")
    op.drop_column("job_events", "actor")
    op.drop_column("jobs", "created_by")
    op.drop_table("project_invitations")
    op.drop_table("project_members")
