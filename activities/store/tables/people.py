"""Tables of who comes: people as their identity provider calls them, and the sessions that it vouches for."""

from sqlalchemy import Boolean, Column, Index, Table, Text, false

from activities.store.tables.columns import Moment, Name, id_column, metadata

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


sign_ins = Table(
    "sign_ins",
    metadata,
    # the session's own, which its cookie names
    id_column(),
    Column("owner", Text, nullable=False),
    Column("role", Name, nullable=False),
    # the provider's name of its own session, for when it ends that
    Column("sid", Text),
    # sealed; what the provider is asked again with
    Column("refresh_token", Text),
    # when it is to be asked again, and until when its last word holds
    Column("due_at", Moment, nullable=False),
    Column("until", Moment, nullable=False),
    # when the session is over whatever it says
    Column("ends_at", Moment, nullable=False),
    # somebody asks it now: a refresh token may be good for one question
    Column("asking_until", Moment),
    Index(None, "owner"),
    Index(None, "sid"),
    Index(None, "ends_at"),
)
