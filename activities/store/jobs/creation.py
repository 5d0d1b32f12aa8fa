"""How a job comes to be: its row, the first row of its log, and what it costs, in the caller's transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert

from activities.process.callers import acting_member
from activities.store.after_commit import say_created
from activities.store.credits import book
from activities.store.jobs.locking import read_job
from activities.store.jobs.projects import read_project
from activities.store.jobs.quotas import check_job
from activities.store.records import EventType
from activities.store.repository import new_uuid7
from activities.store.tables import job_events, jobs
from domain.credits import cost_of
from domain.jobs import Actor, Job
from domain.lifecycles.instruction import INSTRUCTION
from domain.lifecycles.kinds import lifecycle_of
from domain.lifecycles.lifecycle import Trigger
from domain.quotas import OwnerLimits

UNLIMITED = OwnerLimits()


@dataclass(frozen=True)
class NewJob:
    """A job that is about to be made.

    Args:
        cost: Credits that an attempt costs: the price of now. Free kinds have none.
        language: The spoken language, where the user set one.
        correlation_id: Names the request in every log; made up where none is given.
    """

    owner: str
    project_id: str
    kind: str = INSTRUCTION.kind
    cost: int | None = None
    language: str | None = None
    model_profile: str | None = None
    correlation_id: str | None = None
    job_type: str | None = None
    """What is made, of a kind that makes several things."""


def add_job(
    connection: Connection,
    new: NewJob,
    now: datetime,
    new_id: Callable[[], str] = new_uuid7,
    limits: OwnerLimits = UNLIMITED,
) -> Job:
    """Make a job in its kind's first status, and charge for it where the books say so.

    Raises:
        NotFound: The project is absent, or not the owner's.
        RequestInvalid: There is no such kind.
        QuotaExceeded: The owner has as many jobs or bytes as they may.
        InsufficientCredits: It costs more than the owner has. With the transaction, the job is undone.
    """
    lifecycle = lifecycle_of(new.kind)
    row = lifecycle.check(None, lifecycle.initial, Trigger.API)
    read_project(connection, new.owner, new.project_id)
    check_job(connection, new.owner, new.kind, limits)
    columns = {
        "id": new_id(),
        "kind": new.kind,
        "owner": new.owner,
        "project_id": new.project_id,
        "status": str(row.target),
        "progress": 0,
        "attempt": 1,
        "version": 1,
        "fence_seq": 0,
        "fence_execution": 1,
        "event_seq": 1,
        "correlation_id": new.correlation_id or new_id(),
        "language": new.language,
        "model_profile": new.model_profile,
        "cost": cost_of(new.kind, new.cost),
        "job_type": new.job_type,
        "created_by": acting_member(),
        "created_at": now,
        "updated_at": now,
    }
    connection.execute(insert(jobs), columns)
    charge = book(connection, columns, None, row.target, now)
    connection.execute(
        insert(job_events),
        {
            "job_id": columns["id"],
            "seq": 1,
            "stream": "status",
            "event_type": str(EventType.JOB_CREATED),
            "actor_type": str(Actor.EDITOR),
            "new_status": str(row.target),
            "occurred_at": now,
            "recorded_at": now,
            "correlation_id": columns["correlation_id"],
            "attempt": 1,
            "execution": 1,
            "unit": 0,
            "actor": acting_member(),
            "data": {"credits": {"posting": str(charge.kind), "amount": charge.amount}} if charge else {},
        },
    )
    say_created(columns, new.job_type)
    return read_job(connection, str(columns["id"]))
