"""The store: jobs, their audit trail and their documents, on SQLite or Postgres."""

from activities.store.database import DatabaseOptions
from activities.store.idempotency import IdempotencyScope
from activities.store.jobs.inputs import Admission, JobInput, JobRequest
from activities.store.jobs.manifests import ManifestKeys
from activities.store.records import (
    CallbackReceipt,
    Dispatch,
    EventType,
    RecordedDispatch,
    Sitting,
    SittingSummary,
    StageGrant,
    StageOutcome,
    UploadSession,
    VersionSummary,
)
from activities.store.store import Store

__all__ = [
    "Admission",
    "CallbackReceipt",
    "DatabaseOptions",
    "Dispatch",
    "EventType",
    "IdempotencyScope",
    "JobInput",
    "JobRequest",
    "ManifestKeys",
    "RecordedDispatch",
    "Sitting",
    "SittingSummary",
    "StageGrant",
    "StageOutcome",
    "Store",
    "UploadSession",
    "VersionSummary",
]
