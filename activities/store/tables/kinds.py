"""Tables of what some kinds of job keep beside the job."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    text,
)

from activities.store.checks import constraints
from activities.store.tables.columns import Json, Moment, Name, failure_columns, id_column, metadata

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
    id_column(),
    Column("job_id", Name, ForeignKey("jobs.id"), nullable=False),
    Column("generation", Integer, nullable=False),
    Column("status", Name, nullable=False),
    *failure_columns(),
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
