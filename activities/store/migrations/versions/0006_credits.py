"""Credits: a double-entry ledger, what a job costs, and the statuses of the kinds that cost something.

Revision: 0006, after 0005.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.checks import constraints, one_of, replace_checks
from activities.store.repository import utc_now
from activities.store.tables import Moment, Name
from domain.credits import CHARGES, HOUSE, HOUSES, SETTLES

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # a worker of the old version, still running, knows nothing of it, and makes free jobs only
    op.add_column("jobs", sa.Column("cost", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    for table in ("jobs", "job_events"):
        replace_checks(op, table)

    accounts = op.create_table(
        "credit_accounts",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("account", Name, nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        *constraints("credit_accounts"),
        sa.PrimaryKeyConstraint("owner", "account", name="pk_credit_accounts"),
    )
    now = utc_now()
    op.bulk_insert(accounts, [{"owner": HOUSE, "account": str(each), "created_at": now} for each in HOUSES])

    op.create_table(
        "credit_postings",
        sa.Column("id", Name, nullable=False),
        sa.Column("kind", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("job_id", Name, nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        *constraints("credit_postings"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_credit_postings_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_credit_postings"),
        sa.UniqueConstraint("job_id", "attempt", "kind", name="uq_credit_postings_job_id_attempt_kind"),
        sa.UniqueConstraint("actor", "idempotency_key", name="uq_credit_postings_actor_idempotency_key"),
    )
    for what, kinds in (("charged", CHARGES), ("settled", SETTLES)):
        only = sa.text(one_of("kind", kinds))
        op.create_index(
            f"uq_credit_postings_{what}",
            "credit_postings",
            ["job_id", "attempt"],
            unique=True,
            postgresql_where=only,
            sqlite_where=only,
        )

    op.create_table(
        "credit_entries",
        sa.Column("id", Name, nullable=False),
        sa.Column("posting_id", Name, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("account", Name, nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.CheckConstraint("amount <> 0", name=op.f("ck_credit_entries_amount")),
        sa.ForeignKeyConstraint(["posting_id"], ["credit_postings.id"], name="fk_credit_entries_posting_id"),
        sa.ForeignKeyConstraint(
            ["owner", "account"],
            ["credit_accounts.owner", "credit_accounts.account"],
            name="fk_credit_entries_owner",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_credit_entries"),
        sa.UniqueConstraint("posting_id", "account", name="uq_credit_entries_posting_id_account"),
    )
    op.create_index(
        "ix_credit_entries_owner_created_at_id", "credit_entries", ["owner", "created_at", "id"], unique=False
    )


def downgrade() -> None:
    for table in ("credit_entries", "credit_postings", "credit_accounts"):
        op.drop_table(table)
    op.drop_column("jobs", "cost")
