"""Comments on guides, and the words of the log and of webhooks for them.

Revision: 0032, after 0031.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import replace_checks
from activities.store.tables import Moment, Name

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "comment_threads",
        sa.Column("id", Name, nullable=False),
        sa.Column("instruction_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("block_id", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("resolved_at", Moment(), nullable=True),
        sa.Column("resolved_by", sa.Text(), nullable=True),
        sa.CheckConstraint("(resolved_at IS NULL) = (resolved_by IS NULL)", name=op.f("ck_comment_threads_resolved")),
        sa.ForeignKeyConstraint(
            ["instruction_id"], ["instructions.id"], name=op.f("fk_comment_threads_instruction_id")
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_comment_threads_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment_threads")),
    )
    columns = ["instruction_id", "created_at", "id"]
    op.create_index(op.f("ix_comment_threads_instruction_id_created_at_id"), "comment_threads", columns, unique=False)
    op.create_index(op.f("ix_comment_threads_job_id"), "comment_threads", ["job_id"], unique=False)
    op.create_table(
        "comments",
        sa.Column("id", Name, nullable=False),
        sa.Column("thread_id", Name, nullable=False),
        sa.Column("job_id", Name, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("edited_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(["thread_id"], ["comment_threads.id"], name=op.f("fk_comments_thread_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_comments_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
    )
    columns = ["thread_id", "created_at", "id"]
    op.create_index(op.f("ix_comments_thread_id_created_at_id"), "comments", columns, unique=False)
    op.create_index(op.f("ix_comments_author"), "comments", ["author"], unique=False)
    op.create_index(op.f("ix_comments_job_id"), "comments", ["job_id"], unique=False)
    replace_checks(op, "job_events")
    replace_checks(op, "webhook_deliveries")


def downgrade() -> None:
    """What the older code checks is narrower, and is not brought back: rows of that kind may be there."""
    op.drop_table("comments")
    op.drop_table("comment_threads")
