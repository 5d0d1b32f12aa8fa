"""What the tables share: the metadata, types of columns that both databases keep alike, and columns that recur."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    DateTime,
    MetaData,
    String,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


Name = String().with_variant(String(collation="C"), "postgresql")
"""Ids and other ASCII names: compared by byte on both databases, so that keyset pages come in one order."""


Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


_SQLITE_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"  # of fixed width, so that text sorts as time does


class Moment(TypeDecorator[datetime]):
    """A moment in UTC with microseconds: ``timestamptz`` on Postgres, sortable text on SQLite. Always aware."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(DateTime(timezone=True) if dialect.name == "postgresql" else String(27))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("A moment without a time zone cannot be stored.")
        utc = value.astimezone(UTC)
        return utc if dialect.name == "postgresql" else utc.strftime(_SQLITE_FORMAT)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if isinstance(value, datetime):
            return value.astimezone(UTC)
        return datetime.fromisoformat(value)


def blob_columns(*, nullable: bool = False) -> list[Column[Any]]:
    """Where a blob lies and what it must hash to."""
    return [
        Column("key", Text, nullable=nullable),
        Column("size_bytes", BigInteger, nullable=nullable),
        Column("checksum_sha256", Name, nullable=nullable),
        Column("media_type", Text, nullable=nullable),
    ]


def failure_columns() -> list[Column[Any]]:
    return [
        Column("failure_code", Name),
        Column("failure_message", Text),
        Column("failed_stage", Name),
        Column("failure_correlation_id", Text),
    ]


def id_column() -> Column[Any]:
    return Column("id", Name, primary_key=True)
