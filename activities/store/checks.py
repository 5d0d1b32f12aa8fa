"""CHECK constraints written from the lifecycle tables, so that no row can be where its table does not have it.

The metadata and the migrations call the same functions. After a table changes, a migration calls
:func:`replace_checks`; the test that compares a migrated database with the metadata fails until one does.
"""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from alembic.operations import Operations
from sqlalchemy import CheckConstraint, inspect, literal_column, select, text
from sqlalchemy import table as sql_table
from sqlalchemy.sql.naming import conv

from domain.artifacts import ArtifactKind
from domain.credits import AMOUNT_LIMIT, HOUSE, HOUSES, Account, PostingKind
from domain.documents.publication import ADDED, ExportFormat
from domain.documents.screenshots import Operation
from domain.documents.tasks import ExportStatus
from domain.documents.versions import VersionOrigin
from domain.jobs import Actor, TaskStatus
from domain.library import AssetMedium
from domain.lifecycles.generation import WebhookVerdict
from domain.lifecycles.kinds import LIFECYCLES
from domain.lifecycles.lifecycle import Lifecycle
from domain.webhooks import DeliveryStatus, WebhookEvent

STREAMS = ("status", "progress", "task", "export", "comment")
"""Names of the server-sent events; all but ``progress`` are the audit trail."""

AUDIT_STREAMS = tuple(stream for stream in STREAMS if stream != "progress")


def _quoted(names: Iterable[str]) -> str:
    return ", ".join("'" + str(name).replace("'", "''") + "'" for name in names)


def one_of(column: str, names: Iterable[str]) -> str:
    return f"{column} IN ({_quoted(names)})"


def _each_kind(clause: str, statuses: dict[str, Iterable[Any]]) -> str:
    return " OR ".join(
        f"({one_of('kind', [kind])} AND {clause}({one_of('status', names)}))" for kind, names in statuses.items()
    )


def _in_order(lifecycle: Lifecycle[Any], wanted: Iterable[Any]) -> list[str]:
    chosen = set(wanted)
    return [str(status) for status in lifecycle.statuses if status in chosen]


def job_checks() -> dict[str, str]:
    """Constraint name (without prefix) → SQL, for ``jobs``."""
    tables = LIFECYCLES
    return {
        "status_of_kind": _each_kind(
            "", {kind: _in_order(table, {*table.active, *table.terminals}) for kind, table in tables.items()}
        ),
        "completed_when_terminal": _each_kind(
            "(completed_at IS NOT NULL) = ",
            {kind: _in_order(table, table.terminals) for kind, table in tables.items()},
        ),
        "failure_when_failed": _each_kind(
            "(failure_code IS NOT NULL) = ",
            {kind: _in_order(table, table.failures) for kind, table in tables.items()},
        ),
        "progress_range": "progress BETWEEN 0 AND 100",
        "counters": "attempt >= 1 AND version >= 1 AND fence_seq >= 0 AND fence_execution >= 1 AND event_seq >= 0",
    }


_MOVE = "coalesce(prev_status, '') || '>' || new_status"


def event_checks() -> dict[str, str]:
    """For ``job_events``: a row that names a move names one that a table has."""
    moves = sorted({f"{row.source or ''}>{row.target}" for table in LIFECYCLES.values() for row in table.transitions})
    return {
        "stream": one_of("stream", STREAMS),
        "actor": one_of("actor_type", Actor),
        "move": f"new_status IS NULL OR {one_of(_MOVE, moves)}",
        "counters": "seq >= 1 AND attempt >= 1 AND execution >= 1 AND unit >= 0",
    }


def artifact_checks() -> dict[str, str]:
    return {
        "kind": one_of("kind", ArtifactKind),
        "counters": "version >= 1 AND attempt >= 1 AND size_bytes >= 0",
        "checksum": "length(checksum_sha256) = 64",
    }


def reported_checks() -> dict[str, str]:
    return {"kind": one_of("kind", ArtifactKind), "counters": "attempt >= 1"}


def version_checks() -> dict[str, str]:
    return {"origin": one_of("origin", VersionOrigin), "counters": "version >= 1"}


def task_checks() -> dict[str, str]:
    done = (TaskStatus.SUCCEEDED, TaskStatus.FAILED)
    return {
        "status": one_of("status", TaskStatus),
        "progress_range": "progress_pct BETWEEN 0 AND 100",
        "completed_when_terminal": f"(completed_at IS NOT NULL) = ({one_of('status', done)})",
        "failure_when_failed": f"(failure_code IS NOT NULL) = ({one_of('status', [TaskStatus.FAILED])})",
    }


def plan_task_checks() -> dict[str, str]:
    return {name: sql for name, sql in task_checks().items() if name != "progress_range"}


def screenshot_checks() -> dict[str, str]:
    succeeded = one_of("status", [TaskStatus.SUCCEEDED])
    return {
        "operation": one_of("operation", Operation),
        "canonical_key": "length(canonical_key) = 64 AND (standing_key IS NULL OR standing_key = canonical_key)",
        "stored_when_succeeded": f"({succeeded}) = (asset_id IS NOT NULL)",
        **plan_task_checks(),
    }


def export_checks() -> dict[str, str]:
    done = (ExportStatus.SUCCEEDED, ExportStatus.FAILED)
    succeeded = one_of("status", [ExportStatus.SUCCEEDED])
    return {
        "status": one_of("status", ExportStatus),
        "format": f"{one_of('format', ExportFormat)} OR format LIKE '{ADDED}%'",
        "completed_when_terminal": f"(completed_at IS NOT NULL) = ({one_of('status', done)})",
        "failure_when_failed": f"(failure_code IS NOT NULL) = ({one_of('status', [ExportStatus.FAILED])})",
        "stored_when_succeeded": (
            f"({succeeded}) = (key IS NOT NULL) AND ({succeeded}) = (provenance_frozen_at IS NOT NULL)"
        ),
    }


def account_checks() -> dict[str, str]:
    house = f"owner = '{HOUSE}'"
    return {
        "account": one_of("account", Account),
        "house": f"({house}) = ({one_of('account', HOUSES)})",
        "balance": f"(balance IS NULL) = ({house}) AND (balance IS NULL OR balance >= 0)",
    }


def posting_checks() -> dict[str, str]:
    return {
        "kind": one_of("kind", PostingKind),
        "amount": f"amount BETWEEN 1 AND {AMOUNT_LIMIT}",
        "grant": (
            f"(kind = '{PostingKind.GRANT}') = (job_id IS NULL) AND (job_id IS NULL) = (attempt IS NULL)"
            f" AND owner <> '{HOUSE}'"
        ),
    }


def asset_checks() -> dict[str, str]:
    return {
        "medium": one_of("medium", AssetMedium),
        "checksum": "length(checksum_sha256) = 64",
        "counters": "ordinal >= 1 AND size_bytes >= 0 AND (width IS NULL OR width >= 1)"
        " AND (height IS NULL OR height >= 1)",
    }


def delivery_checks() -> dict[str, str]:
    waiting = one_of("status", [DeliveryStatus.PENDING])
    return {
        "event": one_of("event", WebhookEvent),
        "status": one_of("status", DeliveryStatus),
        "completed_when_over": f"(completed_at IS NULL) = ({waiting})",
        "counters": "seq >= 1 AND round >= 1",
    }


def received_checks() -> dict[str, str]:
    return {
        "verdict": one_of("verdict", WebhookVerdict),
        "bound": "(job_id IS NULL) = (attempt IS NULL) AND (attempt IS NULL OR attempt >= 1)",
    }


CHECKS: Mapping[str, Callable[[], dict[str, str]]] = {
    "jobs": job_checks,
    "job_events": event_checks,
    "artifacts": artifact_checks,
    "reported_artifacts": reported_checks,
    "instruction_versions": version_checks,
    "regenerate_tasks": task_checks,
    "translation_tasks": task_checks,
    "screenshot_tasks": screenshot_checks,
    "plan_tasks": plan_task_checks,
    "exports": export_checks,
    "library_assets": asset_checks,
    "credit_accounts": account_checks,
    "credit_postings": posting_checks,
    "webhook_deliveries": delivery_checks,
    "provider_webhooks": received_checks,
}
"""The tables whose checks are written by code."""


def constraints(table: str) -> list[CheckConstraint]:
    """The generated checks of a table, under their full names."""
    return [CheckConstraint(sql, name=conv(f"ck_{table}_{name}")) for name, sql in CHECKS[table]().items()]


def replace_checks(op: Operations | ModuleType, table: str) -> None:
    """In a migration: drop the checks of ``table`` and write them anew as this code has them.

    On a Postgres with rows new ones are held to them at once; those that are there are looked at when the upgrade ends
    (:mod:`activities.store.finishing`), with the table in use.
    """
    found = {str(each["name"]): str(each["sqltext"]) for each in inspect(op.get_bind()).get_check_constraints(table)}
    wanted = {f"ck_{table}_{name}": sql for name, sql in CHECKS[table]().items()}
    if _in_one_line(found) == _in_one_line(wanted):
        return  # a table that this code made has them: SQLite would copy it, of a new database 14 times
    existing = list(found)
    if is_in_use(op, table):
        drops = [f'DROP CONSTRAINT "{name}"' for name in existing]
        adds = [f'ADD CONSTRAINT "ck_{table}_{name}" CHECK ({sql}) NOT VALID' for name, sql in CHECKS[table]().items()]
        op.execute(text(f"ALTER TABLE {table} {', '.join([*drops, *adds])}"))
        return
    with op.batch_alter_table(table) as batch:
        for old in existing:
            batch.drop_constraint(op.f(old), type_="check")
        for name, sql in CHECKS[table]().items():
            batch.create_check_constraint(op.f(f"ck_{table}_{name}"), text(sql))


def _in_one_line(checks: dict[str, str]) -> dict[str, str]:
    return {name: " ".join(sql.split()) for name, sql in checks.items()}


def add_index(op: Operations | ModuleType, name: str, table: str, columns: list[str], **options: Any) -> None:
    """In a migration: an index of a table that was there before. On a Postgres with rows it is made when the upgrade
    ends, while others write: the metadata has to have it under that name."""
    if not is_in_use(op, table):
        op.create_index(name, table, columns, **options)


def is_in_use(op: Operations | ModuleType, table: str) -> bool:
    """Whether others may be waiting for ``table`` while all of it is read: it is Postgres's, and has rows."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return False
    return connection.execute(select(literal_column("1")).select_from(sql_table(table)).limit(1)).first() is not None
