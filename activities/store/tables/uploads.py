"""The table of uploads."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from activities.store.tables.columns import Moment, Name, id_column, metadata

uploads = Table(
    "uploads",
    metadata,
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("filename", Text, nullable=False),
    Column("size_bytes", BigInteger),
    Column("checksum_sha256", Name),
    Column("expires_at", Moment, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("part_size", BigInteger),
    # the artifact store's multipart upload that holds what has arrived; with its hash when it was sent whole
    Column("multipart_id", Text),
    Column("whole_sha256", Name),
    # who confirms it, until when: nothing else may change it meanwhile
    Column("sealed_by", Name),
    Column("sealed_until", Moment),
    # which of its job's uploads it is: 0 is the recording, from 1 an analysis's inputs
    Column("ordinal", Integer, nullable=False, server_default=text("0")),
    # of an input: from then on nothing changes it
    Column("confirmed_at", Moment),
    UniqueConstraint("job_id", "ordinal"),
    Index(
        "ix_uploads_begun",
        "multipart_id",
        postgresql_where=text("multipart_id IS NOT NULL"),
        sqlite_where=text("multipart_id IS NOT NULL"),
    ),
)
