"""Tables of how the guides of a project look."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from activities.store.checks import one_of
from activities.store.tables.columns import Json, Moment, Name, id_column, metadata
from domain.documents.brand import Ground

project_logos = Table(
    "project_logos",
    metadata,
    id_column(),
    Column("project_id", Name, ForeignKey("projects.id"), nullable=False),
    # a PNG of at most 512 KiB, in base64: it goes where the brand goes, into backups and archives of a user's rows
    Column("png", Text, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("ground", Name, nullable=False),
    CheckConstraint(one_of("ground", Ground), name="ground"),
    Index(None, "project_id"),
)


project_brands = Table(
    "project_brands",
    metadata,
    # a row for each time that it was saved: exports name the one that they were made with
    id_column(),
    Column("project_id", Name, ForeignKey("projects.id"), nullable=False),
    Column("brand", Json, nullable=False),
    Column("logo_id", Name, ForeignKey("project_logos.id")),
    Column("saved_by", Text, nullable=False),
    Column("saved_at", Moment, nullable=False),
    Index(None, "project_id", "id"),
)
