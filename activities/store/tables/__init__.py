"""The tables, as SQLAlchemy Core sees them.

Jobs are the mirror of the workflows and their audit trail; instructions, anchors, exports are the documents that
live here and nowhere else. Nothing is ever deleted but expired idempotency keys, the log of webhooks, and
callbacks that ended no stage, and sittings that became a version.
"""

from activities.store.tables.columns import Json, Moment, Name, blob_columns, failure_columns, id_column, metadata
from activities.store.tables.documents import (
    anchors,
    exports,
    instruction_versions,
    instructions,
    picture_uploads,
    private_words,
    regenerate_tasks,
    screenshot_assets,
    screenshot_tasks,
    shares,
    sittings,
    transcript_corrections,
)
from activities.store.tables.hooks import (
    FORGOTTEN_CALLBACKS,
    callback_events,
    provider_webhooks,
    reported_artifacts,
    webhook_attempts,
    webhook_deliveries,
    webhook_endpoints,
    webhook_tickets,
)
from activities.store.tables.jobs import (
    NOT_REVIEWED,
    artifacts,
    default_projects,
    dispatches,
    ended_sessions,
    engine_namespaces,
    erasures,
    idempotency_keys,
    job_events,
    job_inputs,
    jobs,
    library_assets,
    projects,
    purges,
    reviews,
    rounds,
)
from activities.store.tables.kinds import analyses, batch_items, generation_submissions, plan_tasks
from activities.store.tables.ledger import credit_accounts, credit_entries, credit_postings
from activities.store.tables.people import people
from activities.store.tables.uploads import uploads

__all__ = [
    "FORGOTTEN_CALLBACKS",
    "NOT_REVIEWED",
    "Json",
    "Moment",
    "Name",
    "analyses",
    "anchors",
    "artifacts",
    "batch_items",
    "blob_columns",
    "callback_events",
    "credit_accounts",
    "credit_entries",
    "credit_postings",
    "default_projects",
    "dispatches",
    "ended_sessions",
    "engine_namespaces",
    "erasures",
    "exports",
    "failure_columns",
    "generation_submissions",
    "id_column",
    "idempotency_keys",
    "instruction_versions",
    "instructions",
    "job_events",
    "job_inputs",
    "jobs",
    "library_assets",
    "metadata",
    "people",
    "picture_uploads",
    "plan_tasks",
    "private_words",
    "projects",
    "provider_webhooks",
    "purges",
    "regenerate_tasks",
    "reported_artifacts",
    "reviews",
    "rounds",
    "screenshot_assets",
    "screenshot_tasks",
    "shares",
    "sittings",
    "transcript_corrections",
    "uploads",
    "webhook_attempts",
    "webhook_deliveries",
    "webhook_endpoints",
    "webhook_tickets",
]
