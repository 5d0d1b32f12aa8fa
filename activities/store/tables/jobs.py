"""Tables of jobs: projects, the job, its log, its runs, its artifacts, and what keeps requests from counting twice."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from activities.store.checks import constraints, one_of
from activities.store.tables.columns import Json, Moment, Name, blob_columns, failure_columns, id_column, metadata
from domain.erasure import PurgeKind

NOT_REVIEWED = "failure_code IS NOT NULL AND attempt > coalesce(reviewed_attempt, 0)"
"""Which jobs went wrong, and wait for somebody to look at them. Written out, so that a planner knows its index."""


projects = Table(
    "projects",
    metadata,
    id_column(),
    Column("owner", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("stages", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    # within the site and by the token of the settings
    Column("confluence_space", Text),
    Column("notion_parent", Text),
    Index(None, "owner", "created_at", "id"),
)


jobs = Table(
    "jobs",
    metadata,
    id_column(),
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
    *failure_columns(),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("completed_at", Moment),
    # credits that an attempt costs, as the price was when the job was made
    Column("cost", BigInteger, nullable=False, server_default=text("0")),
    # of a kind that makes several things
    Column("job_type", Name),
    # the last attempt that an administrator reviewed: what they noted is in ``reviews``
    Column("reviewed_attempt", Integer),
    # the member of the project who made it; none: its owner did
    Column("created_by", Text),
    # since when its guide lies in the bin
    Column("binned_at", Moment),
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
    Index(
        "ix_jobs_binned",
        "owner",
        "binned_at",
        "id",
        postgresql_where=text("binned_at IS NOT NULL"),
        sqlite_where=text("binned_at IS NOT NULL"),
    ),
    # lists of everybody's: an id sorts as it was made
    Index(None, "kind", "status", "id"),
    Index(
        "ix_jobs_to_review",
        "kind",
        "status",
        "id",
        postgresql_where=text(NOT_REVIEWED),
        sqlite_where=text(NOT_REVIEWED),
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
    # the member of the project who did it; none: its owner did, or nobody
    Column("actor", Text),
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
    Index(
        "ix_job_events_actor",
        "actor",
        postgresql_where=text("actor IS NOT NULL"),
        sqlite_where=text("actor IS NOT NULL"),
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
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("version", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("step", Integer),
    *blob_columns(),
    Column("facts", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("job_id", "kind", "version"),
    *constraints("artifacts"),
    Index(None, "job_id", "created_at", "id"),
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
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("owner", Text, nullable=False),
    Column("medium", Name, nullable=False),
    *blob_columns(),
    Column("thumbnail", Json),
    Column("width", Integer),
    Column("height", Integer),
    Column("facts", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    *constraints("library_assets"),
    UniqueConstraint("job_id", "ordinal"),
    Index(None, "owner", "created_at", "id"),
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


rounds = Table(
    "rounds",
    metadata,
    # what is done again and again by one of many workers, and until when nobody else begins it
    Column("name", Name, primary_key=True),
    Column("taken_until", Moment, nullable=False),
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
    # nobody asked: it was kept as long as the settings say
    Column("by_age", Boolean, nullable=False, server_default=false()),
    CheckConstraint("completed_at IS NULL OR owner IS NULL", name="nothing_else"),
    Index(None, "requested_at", "job_id"),
    Index(
        "ix_erasures_open",
        "requested_at",
        postgresql_where=text("completed_at IS NULL"),
        sqlite_where=text("completed_at IS NULL"),
    ),
)


purges = Table(
    "purges",
    metadata,
    # an id that leads nowhere
    id_column(),
    Column("what", Name, nullable=False),
    Column("by_admin", Boolean, nullable=False),
    Column("by_age", Boolean, nullable=False),
    Column("requested_at", Moment, nullable=False),
    Column("completed_at", Moment),
    # what is still to be removed; emptied when it is
    Column("owner", Text),
    Column("job_id", Name, ForeignKey("jobs.id")),
    Column("keys", Json, nullable=False),
    CheckConstraint(one_of("what", PurgeKind), name="what"),
    CheckConstraint("completed_at IS NULL OR (owner IS NULL AND job_id IS NULL)", name="nothing_else"),
    Index(None, "requested_at", "id"),
    Index(
        "ix_purges_open",
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
