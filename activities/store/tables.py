"""The tables, as SQLAlchemy Core sees them.

Jobs are the mirror of the workflows and their audit trail; instructions, anchors, exports are the documents that
live here and nowhere else. Nothing is ever deleted but expired idempotency keys, the log of webhooks, and
callbacks that ended no stage.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from activities.store.checks import constraints, one_of
from domain.credits import CHARGES, SETTLES
from domain.jobs import ExportStatus
from domain.lifecycles.callbacks import EXTERNAL_STAGES

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


def _blob(*, nullable: bool = False) -> list[Column[Any]]:
    """Where a blob lies and what it must hash to."""
    return [
        Column("key", Text, nullable=nullable),
        Column("size_bytes", BigInteger, nullable=nullable),
        Column("checksum_sha256", Name, nullable=nullable),
        Column("media_type", Text, nullable=nullable),
    ]


def _failure() -> list[Column[Any]]:
    return [
        Column("failure_code", Name),
        Column("failure_message", Text),
        Column("failed_stage", Name),
        Column("failure_correlation_id", Text),
    ]


def _id() -> Column[Any]:
    return Column("id", Name, primary_key=True)


projects = Table(
    "projects",
    metadata,
    _id(),
    Column("owner", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("stages", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index(None, "owner", "created_at", "id"),
)

jobs = Table(
    "jobs",
    metadata,
    _id(),
    Column("kind", Name, nullable=False),
    Column("owner", Text, nullable=False),
    Column("project_id", Name, ForeignKey("projects.id"), nullable=False),
    Column("status", Name, nullable=False),
    Column("progress", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    # what the fence has seen of the current attempt
    Column("dispatch_id", Name),
    Column("fence_seq", Integer, nullable=False),
    Column("fence_execution", Integer, nullable=False),
    # the last number of the job's log, counted under the row's lock: no gaps
    Column("event_seq", Integer, nullable=False),
    Column("correlation_id", Text, nullable=False),
    Column("source_name", Text),
    Column("language", Name),
    Column("model_profile", Text),
    # instructions.job_id is the foreign key; this is its other end, for lists
    Column("instruction_id", Name),
    *_failure(),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("completed_at", Moment),
    # credits that an attempt costs, as the price was when the job was made
    Column("cost", BigInteger, nullable=False, server_default=text("0")),
    # of a kind that makes several things
    Column("job_type", Name),
    *constraints("jobs"),
    Index(None, "owner", "created_at", "id"),
    Index(None, "owner", "kind", "created_at", "id"),
    # Of the price of this one: each change of status is entered in every index anew (25 % of updates are HOT, without
    # it all), 2 KiB of WAL more a job. Without it a list of what failed reads all that its owner ever had.
    Index(None, "owner", "status", "created_at", "id"),
    Index(None, "project_id", "created_at", "id"),
    Index(
        None,
        "owner",
        "job_type",
        "created_at",
        "id",
        postgresql_where=text("job_type IS NOT NULL"),
        sqlite_where=text("job_type IS NOT NULL"),
    ),
    Index(
        "ix_jobs_open",
        "owner",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
    Index(
        "ix_jobs_active",
        "id",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
    # a job's row is rewritten often and, but for its status, without touching an indexed column: leave room on its page
    postgresql_with={"fillfactor": "70"},
)

job_events = Table(
    "job_events",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("stream", Name, nullable=False),
    Column("event_type", Name, nullable=False),
    Column("actor_type", Name, nullable=False),
    Column("prev_status", Name),
    Column("new_status", Name),
    Column("occurred_at", Moment, nullable=False),
    Column("recorded_at", Moment, nullable=False),
    Column("correlation_id", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("execution", Integer, nullable=False),
    Column("unit", Integer, nullable=False),
    # the fence's number of the write that caused this row: a write that counts twice cannot be stored twice
    Column("step", Integer),
    Column("data", Json, nullable=False),
    *constraints("job_events"),
    Index(
        "uq_job_events_step",
        "job_id",
        "attempt",
        "step",
        "unit",
        "execution",
        unique=True,
        postgresql_where=text("step IS NOT NULL"),
        sqlite_where=text("step IS NOT NULL"),
    ),
)

dispatches = Table(
    "dispatches",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("dispatch_id", Name, nullable=False),
    Column("resume_from", Name),
    Column("client_request_id", Text),
    Column("model_profile", Text),
    Column("recorded_at", Moment, nullable=False),
    # when somebody was first told of it: whoever asks later is told of a replay
    Column("answered_at", Moment),
    UniqueConstraint("job_id", "client_request_id"),
)

artifacts = Table(
    "artifacts",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("version", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("step", Integer),
    *_blob(),
    Column("facts", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("job_id", "kind", "version"),
    *constraints("artifacts"),
    Index(None, "job_id", "created_at", "id"),
)

uploads = Table(
    "uploads",
    metadata,
    _id(),
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

instructions = Table(
    "instructions",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False, unique=True),
    Column("owner", Text, nullable=False),
    Column("current_version", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    CheckConstraint("current_version >= 1", name="counters"),
)

instruction_versions = Table(
    "instruction_versions",
    metadata,
    _id(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("markdown", Text, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("language", Name),
    Column("warnings", Json, nullable=False),
    Column("origin", Name, nullable=False),
    Column("author", Text, nullable=False),
    Column("model_profile_id", Text),
    Column("prompt_template_id", Text),
    Column("prompt_params_ref", Text),
    Column("validation_status", Name, nullable=False),
    Column("validation_errors", Json, nullable=False),
    Column("validator_version", Name, nullable=False),
    Column("validated_at", Moment, nullable=False),
    Column("attempt", Integer),
    Column("step", Integer),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("instruction_id", "version"),
    *constraints("instruction_versions"),
)

regenerate_tasks = Table(
    "regenerate_tasks",
    metadata,
    _id(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("status", Name, nullable=False),
    Column("progress_pct", Integer, nullable=False),
    Column("base_version", Integer, nullable=False),
    Column("selection", Json, nullable=False),
    Column("client_request_id", Text, nullable=False),
    Column("request", Json, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("requested_at", Moment, nullable=False),
    Column("instruction_version", Integer),
    Column("proposal", Text),
    *_failure(),
    Column("completed_at", Moment),
    Column("kept", Json, nullable=False, server_default=text("'[]'")),
    Column("warnings", Json, nullable=False, server_default=text("'[]'")),
    Column("model_profile_id", Text),
    Column("prompt_template_id", Text),
    Column("prompt_params_ref", Text),
    Column("updated_at", Moment),
    UniqueConstraint("instruction_id", "client_request_id"),
    Index(None, "instruction_id", "id"),
    *constraints("regenerate_tasks"),
    Index(
        "uq_regenerate_tasks_active",
        "instruction_id",
        unique=True,
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)

_STANDING = text(f"status <> '{ExportStatus.FAILED}'")

exports = Table(
    "exports",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("instruction_version_id", Name, ForeignKey("instruction_versions.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("format", Name, nullable=False),
    Column("identity_key", Name, nullable=False),
    Column("status", Name, nullable=False),
    *_blob(nullable=True),
    Column("filename", Text),
    Column("provenance", Json, nullable=False),
    Column("provenance_frozen_at", Moment),
    Column("warnings", Json, nullable=False),
    *_failure(),
    Column("requested_at", Moment, nullable=False),
    Column("completed_at", Moment),
    Column("updated_at", Moment),
    *constraints("exports"),
    # a failed export stays as it is; the same request again is a new row
    Index(
        "uq_exports_identity",
        "instruction_id",
        "identity_key",
        unique=True,
        postgresql_where=_STANDING,
        sqlite_where=_STANDING,
    ),
    Index(None, "job_id", "requested_at", "id"),
    Index(
        "ix_exports_open",
        "requested_at",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)

anchors = Table(
    "anchors",
    metadata,
    _id(),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("instruction_version_id", Name, ForeignKey("instruction_versions.id"), nullable=False),
    Column("address_type", Name, nullable=False),
    Column("block_id", Name),
    Column("char_range", Json),
    Column("strategy", Name),
    # screenshot_assets.anchor_id is the foreign key; this names the one that shows, or none
    Column("active_asset_id", Name),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    CheckConstraint(
        "(address_type = 'block_id' AND block_id IS NOT NULL)"
        " OR (address_type = 'char_range' AND char_range IS NOT NULL)",
        name="address",
    ),
    Index(None, "instruction_id", "block_id"),
    Index(None, "instruction_id", "created_at", "id"),
)

screenshot_assets = Table(
    "screenshot_assets",
    metadata,
    _id(),
    Column("anchor_id", Name, ForeignKey("anchors.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", Name, nullable=False),
    Column("previous_asset_id", Name, ForeignKey("screenshot_assets.id")),
    *_blob(),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("timestamp_ms", BigInteger),
    Column("extraction_key", Text),
    Column("upload_id", Name),
    Column("ops_hash", Name),
    Column("rendered_from_asset_id", Name, ForeignKey("screenshot_assets.id")),
    Column("is_deleted", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    # what was drawn, to be changed later; drawings of earlier versions have none
    Column("operations", Json),
    UniqueConstraint("anchor_id", "version"),
    CheckConstraint("kind IN ('EXTRACTED', 'UPLOADED', 'ANNOTATED')", name="kind"),
    CheckConstraint("version >= 1 AND width >= 1 AND height >= 1", name="counters"),
)

screenshot_tasks = Table(
    "screenshot_tasks",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("instruction_id", Name, ForeignKey("instructions.id"), nullable=False),
    Column("instruction_version_id", Name, ForeignKey("instruction_versions.id"), nullable=False),
    Column("anchor_id", Name, ForeignKey("anchors.id"), nullable=False),
    Column("owner", Text, nullable=False),
    Column("operation", Name, nullable=False),
    Column("status", Name, nullable=False),
    Column("extraction", Json, nullable=False),
    Column("canonical_key", Name, nullable=False),
    # the canonical key for as long as the same request is answered with this task; then nothing
    Column("standing_key", Name, unique=True),
    Column("asset_id", Name, ForeignKey("screenshot_assets.id")),
    *_failure(),
    Column("requested_at", Moment, nullable=False),
    Column("completed_at", Moment),
    Column("updated_at", Moment),
    *constraints("screenshot_tasks"),
    Index(
        "ix_screenshot_tasks_open",
        "requested_at",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)

picture_uploads = Table(
    "picture_uploads",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("owner", Text, nullable=False),
    # the id of the asset that it becomes where it is first attached
    Column("asset_id", Name, nullable=False, unique=True),
    Column("filename", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("checksum_sha256", Name, nullable=False),
    # where the bytes lie that came last; each sending has a key of its own
    Column("key", Text),
    Column("width", Integer),
    Column("height", Integer),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("confirmed_at", Moment),
    CheckConstraint("length(checksum_sha256) = 64 AND size_bytes >= 1", name="declared"),
    CheckConstraint(
        "confirmed_at IS NULL OR (key IS NOT NULL AND width IS NOT NULL AND width >= 1"
        " AND height IS NOT NULL AND height >= 1)",
        name="whole_when_confirmed",
    ),
    Index(
        "ix_picture_uploads_unconfirmed",
        "expires_at",
        postgresql_where=text("confirmed_at IS NULL AND key IS NOT NULL"),
        sqlite_where=text("confirmed_at IS NULL AND key IS NOT NULL"),
    ),
)

FORGOTTEN_CALLBACKS = "delivered_at IS NOT NULL AND status NOT IN ({})".format(
    ", ".join(f"'{stage.checkpoint}'" for stage in EXTERNAL_STAGES.values())
)
"""Events that nothing asks for once they are old: whoever resumes a job asks which of its stages were called done."""

callback_events = Table(
    "callback_events",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("payload_sha256", Name, nullable=False),
    Column("status", Name, nullable=False),
    Column("occurred_at", Moment, nullable=False),
    Column("recorded_at", Moment, nullable=False),
    Column("attempt", Integer, nullable=False, server_default=text("1")),
    # when the workflow was told; a repeat of the processing status concerns nobody
    Column("delivered_at", Moment),
    CheckConstraint("length(payload_sha256) = 64", name="checksum"),
    Index(
        "ix_callback_events_undelivered",
        "recorded_at",
        postgresql_where=text("delivered_at IS NULL"),
        sqlite_where=text("delivered_at IS NULL"),
    ),
    Index(
        "ix_callback_events_forgotten",
        "recorded_at",
        postgresql_where=text(FORGOTTEN_CALLBACKS),
        sqlite_where=text(FORGOTTEN_CALLBACKS),
    ),
)

reported_artifacts = Table(
    "reported_artifacts",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("event_id", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("kind", Name, nullable=False),
    Column("uri", Text, nullable=False),
    # what was made of it once it was read, or why nothing could be
    Column("artifact_id", Name, ForeignKey("artifacts.id")),
    Column("rejected_code", Name),
    Column("created_at", Moment, nullable=False),
    *constraints("reported_artifacts"),
    Index(None, "job_id", "kind", "created_at"),
)

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
    _id(),
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
    _id(),
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

default_projects = Table(
    "default_projects",
    metadata,
    # locked by whoever makes a job of a kind that is made and started in one: of one owner's, one at a time
    Column("owner", Text, primary_key=True),
    Column("project_id", Name, ForeignKey("projects.id")),
    Column("created_at", Moment, nullable=False),
)

job_inputs = Table(
    "job_inputs",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("owner", Text, nullable=False),
    Column("kind", Name, nullable=False),
    # the user's own words: here, and neither in Temporal nor in a log
    Column("input", Json, nullable=False),
    Column("request_sha256", Name, nullable=False),
    # what the same request finds the job by, for as long as it is to be found
    Column("idempotency_key", Text),
    Column("result", Json),
    Column("created_at", Moment, nullable=False),
    CheckConstraint("length(request_sha256) = 64", name="checksum"),
    UniqueConstraint("owner", "kind", "idempotency_key"),
)

library_assets = Table(
    "library_assets",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("owner", Text, nullable=False),
    Column("medium", Name, nullable=False),
    *_blob(),
    Column("thumbnail", Json),
    Column("width", Integer),
    Column("height", Integer),
    Column("facts", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    *constraints("library_assets"),
    UniqueConstraint("job_id", "ordinal"),
    Index(None, "owner", "created_at", "id"),
)

webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    _id(),
    Column("owner", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("description", Text),
    Column("events", Json, nullable=False),
    Column("secret", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("deleted_at", Moment),
    Index(
        "ix_webhook_endpoints_standing",
        "owner",
        "created_at",
        "id",
        postgresql_where=text("deleted_at IS NULL"),
        sqlite_where=text("deleted_at IS NULL"),
    ),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    _id(),
    Column("endpoint_id", Name, ForeignKey("webhook_endpoints.id"), nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    # the row of the job's log that is told of
    Column("seq", Integer, nullable=False),
    Column("event", Name, nullable=False),
    Column("payload", Json, nullable=False),
    Column("status", Name, nullable=False),
    Column("round", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    # when the workflow of this round was started
    Column("handed_over_at", Moment),
    Column("completed_at", Moment),
    UniqueConstraint("endpoint_id", "job_id", "seq", "event"),
    *constraints("webhook_deliveries"),
    Index(None, "endpoint_id", "created_at", "id"),
    Index(
        "ix_webhook_deliveries_handed_over",
        "handed_over_at",
        postgresql_where=text("handed_over_at IS NOT NULL"),
        sqlite_where=text("handed_over_at IS NOT NULL"),
    ),
    Index(
        "ix_webhook_deliveries_waiting",
        "created_at",
        postgresql_where=text("handed_over_at IS NULL"),
        sqlite_where=text("handed_over_at IS NULL"),
    ),
    Index(
        "ix_webhook_deliveries_open",
        "id",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)

webhook_attempts = Table(
    "webhook_attempts",
    metadata,
    Column("delivery_id", Name, ForeignKey("webhook_deliveries.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("status_code", Integer),
    Column("duration_ms", Integer, nullable=False),
    Column("error_code", Name),
    Column("error", Text),
    Column("attempted_at", Moment, nullable=False),
    CheckConstraint("number >= 1 AND duration_ms >= 0", name="counters"),
)

webhook_tickets = Table(
    "webhook_tickets",
    metadata,
    Column("token", Name, primary_key=True),
    Column("provider", Name, nullable=False),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    # the provider's name for the work, once the submit call has returned
    Column("external_id", Text),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("job_id", "attempt", "provider"),
    UniqueConstraint("provider", "external_id"),
    CheckConstraint("attempt >= 1", name="counters"),
)

provider_webhooks = Table(
    "provider_webhooks",
    metadata,
    _id(),
    Column("provider", Name, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("external_id", Text),
    # the address that it came to, whether or not it is one of ours
    Column("ticket", Text),
    Column("job_id", Name, ForeignKey("jobs.id")),
    Column("attempt", Integer),
    Column("verdict", Name, nullable=False),
    Column("payload", Json, nullable=False),
    Column("received_at", Moment, nullable=False),
    # when the workflow was told; at once where there is nothing to tell
    Column("delivered_at", Moment),
    UniqueConstraint("provider", "event_id"),
    *constraints("provider_webhooks"),
    Index(None, "job_id", "attempt", "id"),
    Index(
        "ix_provider_webhooks_unclaimed",
        "provider",
        "external_id",
        postgresql_where=text("job_id IS NULL"),
        sqlite_where=text("job_id IS NULL"),
    ),
    Index(
        "ix_provider_webhooks_delivered",
        "received_at",
        postgresql_where=text("delivered_at IS NOT NULL"),
        sqlite_where=text("delivered_at IS NOT NULL"),
    ),
    Index(
        "ix_provider_webhooks_undelivered",
        "received_at",
        postgresql_where=text("delivered_at IS NULL"),
        sqlite_where=text("delivered_at IS NULL"),
    ),
)

generation_submissions = Table(
    "generation_submissions",
    metadata,
    # what an attempt gave to a provider: once, and anew where the provider failed for a reason that passes
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("provider", Name, nullable=False),
    # the provider's name for the work, once the submit call has returned
    Column("external_id", Text),
    # the first that the provider said of its end, by webhook or when asked; what comes later changes nothing
    Column("word", Json),
    Column("begun_at", Moment, nullable=False),
    Column("submitted_at", Moment),
    Column("settled_at", Moment),
    CheckConstraint("attempt >= 1 AND number >= 1", name="counters"),
    CheckConstraint(
        "(submitted_at IS NULL) = (external_id IS NULL) AND (settled_at IS NULL) = (word IS NULL)"
        " AND (word IS NULL OR external_id IS NOT NULL)",
        name="in_order",
    ),
)

batch_items = Table(
    "batch_items",
    metadata,
    # a row for each item that is settled: done, where nothing is said against it
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("failure_code", Name),
    Column("failure_message", Text),
    Column("settled_at", Moment, nullable=False),
    CheckConstraint("number >= 1 AND (failure_code IS NULL) = (failure_message IS NULL)", name="settled"),
)

analyses = Table(
    "analyses",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("requirement", Text, nullable=False),
    Column("plan_revision", Integer),
    Column("files", Json, nullable=False),
    Column("inputs_fingerprint", Name, nullable=False),
    # counts the changes of what a plan depends on: requirement, inputs, answers
    Column("generation", Integer, nullable=False),
    Column("answers", Json, nullable=False),
    Column("tables", Json, nullable=False),
    Column("tables_fingerprint", Name),
    Column("plan", Json),
    Column("planned_generation", Integer),
    Column("plan_id", Name),
    CheckConstraint("generation >= 1 AND (plan IS NULL) = (planned_generation IS NULL)", name="planned"),
    CheckConstraint("plan_id IS NULL OR plan IS NOT NULL", name="frozen"),
)

plan_tasks = Table(
    "plan_tasks",
    metadata,
    _id(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("generation", Integer, nullable=False),
    Column("status", Name, nullable=False),
    *_failure(),
    Column("requested_at", Moment, nullable=False),
    Column("completed_at", Moment),
    *constraints("plan_tasks"),
    Index(None, "job_id", "id"),
    Index(
        "uq_plan_tasks_active",
        "job_id",
        unique=True,
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
    Index(
        "ix_plan_tasks_open",
        "requested_at",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)

transcript_corrections = Table(
    "transcript_corrections",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("segment", Integer, primary_key=True, autoincrement=False),
    # of the words that are corrected: a transcript that is made anew may have others there
    Column("original_sha256", Name, primary_key=True),
    # none: it was undone
    Column("text", Text),
    Column("author", Text, nullable=False),
    Column("corrected_at", Moment, nullable=False),
    CheckConstraint("segment >= 0 AND (text IS NULL OR text <> '')", name="says_something"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("method", Name, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request_sha256", Name, nullable=False),
    Column("response", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False, index=True),
)

# those of the pages that somebody signed out of, for as long as their cookies would hold
ended_sessions = Table(
    "ended_sessions",
    metadata,
    Column("id", Name, primary_key=True),
    Column("expires_at", Moment, nullable=False, index=True),
)

engine_namespaces = Table(
    "engine_namespaces",
    metadata,
    # Temporal's own id of a namespace that jobs ran in; the one that was recorded last is the one they run in now
    Column("id", Name, primary_key=True),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("recorded_at", Moment, nullable=False),
)

erasures = Table(
    "erasures",
    metadata,
    # of a job that is not there any more
    Column("job_id", Name, primary_key=True),
    Column("by_admin", Boolean, nullable=False),
    Column("requested_at", Moment, nullable=False),
    Column("completed_at", Moment),
    # what is still to be removed; emptied when it is
    Column("owner", Text),
    Column("keys", Json, nullable=False),
    Column("workflows", Json, nullable=False),
    CheckConstraint("completed_at IS NULL OR owner IS NULL", name="nothing_else"),
    Index(None, "requested_at", "job_id"),
    Index(
        "ix_erasures_open",
        "requested_at",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)

reviews = Table(
    "reviews",
    metadata,
    Column("job_id", Name, ForeignKey("jobs.id"), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("reviewer", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("reviewed_at", Moment, nullable=False),
    CheckConstraint("attempt >= 1", name="counters"),
)
