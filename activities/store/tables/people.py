"""Tables of who comes: people, as their identity provider calls them."""

from sqlalchemy import Boolean, Column, Index, Table, Text, false

from activities.store.tables.columns import Moment, metadata

people = Table(
    "people",
    metadata,
    # the token's `sub`: the owner of what they make, whose erasure takes this row, too
    Column("owner", Text, primary_key=True),
    Column("name", Text),
    Column("email", Text),
    Column("email_verified", Boolean, nullable=False, server_default=false()),
    Column("seen_at", Moment, nullable=False),
    Index("ix_people_email", "email"),
)
