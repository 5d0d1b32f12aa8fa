"""Tables of who is in a project, and who is asked to come."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Table, Text, text

from activities.store.checks import one_of
from activities.store.tables.columns import Moment, Name, id_column, metadata
from domain.projects import GIVEN

project_members = Table(
    "project_members",
    metadata,
    # beside its owner, whom the project's own row names
    Column("project_id", Name, ForeignKey("projects.id"), primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("role", Name, nullable=False),
    Column("added_by", Text, nullable=False),
    Column("added_at", Moment, nullable=False),
    CheckConstraint(one_of("role", GIVEN), name="role"),
    Index(None, "subject"),
)


project_invitations = Table(
    "project_invitations",
    metadata,
    id_column(),
    Column("project_id", Name, ForeignKey("projects.id"), nullable=False),
    Column("role", Name, nullable=False),
    # in lower case; whose it is
    Column("email", Text),
    Column("token_sha256", Name, nullable=False, unique=True),
    Column("invited_by", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("used_at", Moment),
    Column("used_by", Text),
    Column("revoked_at", Moment),
    CheckConstraint(one_of("role", GIVEN), name="role"),
    CheckConstraint("length(token_sha256) = 64", name="checksum"),
    CheckConstraint("(used_at IS NULL) = (used_by IS NULL)", name="used"),
    Index(None, "project_id", "created_at", "id"),
    Index(
        "ix_project_invitations_waiting",
        "email",
        postgresql_where=text("email IS NOT NULL AND used_at IS NULL"),
        sqlite_where=text("email IS NOT NULL AND used_at IS NULL"),
    ),
)
