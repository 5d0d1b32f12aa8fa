"""Tables of the ledger: accounts, postings, entries."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from activities.store.checks import constraints, one_of
from activities.store.tables.columns import Moment, Name, id_column, metadata
from domain.credits import CHARGES, SETTLES

credit_accounts = Table(
    "credit_accounts",
    metadata,
    # "": the house
    Column("owner", Text, primary_key=True),
    Column("account", Name, primary_key=True),
    # the sum of the account's entries; the house's are not kept
    Column("balance", BigInteger),
    Column("created_at", Moment, nullable=False),
    *constraints("credit_accounts"),
)


credit_postings = Table(
    "credit_postings",
    metadata,
    id_column(),
    Column("kind", Name, nullable=False),
    Column("owner", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),
    # of a job that may have been erased since: the books keep what was posted
    Column("job_id", Name),
    Column("attempt", Integer),
    Column("reason", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("idempotency_key", Text),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("job_id", "attempt", "kind"),
    UniqueConstraint("actor", "idempotency_key"),
    *constraints("credit_postings"),
    # an attempt is charged once, and its charge is settled once, whichever way
    *(
        Index(
            f"uq_credit_postings_{what}",
            "job_id",
            "attempt",
            unique=True,
            postgresql_where=text(one_of("kind", kinds)),
            sqlite_where=text(one_of("kind", kinds)),
        )
        for what, kinds in (("charged", CHARGES), ("settled", SETTLES))
    ),
)


credit_entries = Table(
    "credit_entries",
    metadata,
    id_column(),
    Column("posting_id", Name, ForeignKey("credit_postings.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("account", Name, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("posting_id", "account"),
    ForeignKeyConstraint(["owner", "account"], ["credit_accounts.owner", "credit_accounts.account"]),
    CheckConstraint("amount <> 0", name="amount"),
    Index(None, "owner", "created_at", "id"),
)
