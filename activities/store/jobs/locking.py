"""A job's row under its lock: what every change of a job goes through.

One SELECT … FOR UPDATE, then one UPDATE and one INSERT of the log's rows, however much changed. The log's numbers
are counted under the lock, so that they have no gaps and are committed in order.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, exists, func, insert, or_, select, update

from activities.process.callers import acting_member
from activities.process.log_context import note
from activities.store import rows
from activities.store.after_commit import say_moved
from activities.store.credits import book
from activities.store.jobs.outbox import IS_LISTENED, LISTENED, announce
from activities.store.records import UNEXPLAINED, EventType
from activities.store.tables import exports, job_events, jobs, library_assets
from domain.credits import Charge
from domain.errors import NotFound
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.fence import Fence, Seen
from domain.lifecycles.kinds import lifecycle_of
from domain.lifecycles.lifecycle import Lifecycle, Trigger

_CHANGING = (
    "status",
    "progress",
    "attempt",
    "version",
    "dispatch_id",
    "fence_seq",
    "fence_execution",
    "event_seq",
    "source_name",
    "model_profile",
    "instruction_id",
    "failure_code",
    "failure_message",
    "failed_stage",
    "failure_correlation_id",
    "updated_at",
    "completed_at",
)

# Built once: the statements of every stage, the same text each time, so that the driver prepares them.
_SELECT = select(jobs).where(jobs.c.id == bindparam("job_id"))
_SELECT_LOCKED = _SELECT.add_columns(IS_LISTENED.label(LISTENED)).with_for_update(of=jobs)
_UPDATE = (
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"))
    .values({name: bindparam(f"new_{name}", type_=jobs.c[name].type) for name in _CHANGING})
)
_CAME_INTO_IT = (
    select(job_events.c.recorded_at)
    .where(
        job_events.c.job_id == bindparam("job_id"),
        job_events.c.new_status.is_not(None),
        or_(job_events.c.prev_status.is_(None), job_events.c.prev_status != job_events.c.new_status),
    )
    .order_by(job_events.c.seq.desc())
    .limit(1)
    .scalar_subquery()
    .label("since")
)
_UPDATE_MOVED = _UPDATE.returning(_CAME_INTO_IT)
"""Also says since when the job was in the status that it leaves. The log has it, whichever version wrote it; asked for
with the lock in hand, and before the move's own row is there."""
_INSERT_EVENT = insert(job_events)
_OUTPUT = select(
    select(func.count())
    .where(library_assets.c.job_id == bindparam("job_id"))
    .select_from(library_assets)
    .scalar_subquery()
    .label("assets"),
    select(func.count())
    .where(exports.c.job_id == bindparam("job_id"), exports.c.key.is_not(None))
    .select_from(exports)
    .scalar_subquery()
    .label("exports"),
)
"""How many files a job has made, by itself and on request."""
_SELECT_MOVE = select(
    exists().where(
        job_events.c.job_id == bindparam("job_id"),
        job_events.c.attempt == bindparam("attempt"),
        job_events.c.step == bindparam("step"),
        job_events.c.unit == 0,
        or_(
            bindparam("target", type_=job_events.c.new_status.type).is_(None),
            job_events.c.new_status == bindparam("target"),
        ),
    )
)


def not_found() -> NotFound:
    """The one answer to what is absent, foreign or malformed."""
    return NotFound()


def read_job(connection: Connection, job_id: str, owner: str | None = None) -> Job:
    """Raises: NotFound: absent, or not ``owner``'s where one is given."""
    row = connection.execute(_SELECT, {"job_id": job_id}).mappings().one_or_none()
    if row is None or (owner is not None and row["owner"] != owner):
        raise not_found()
    note(job_id=row["id"], correlation_id=row["correlation_id"])
    return rows.job(row)


def next_event(
    job: Mapping[str, Any], now: datetime, event_type: EventType, *, stream: str, actor: Actor
) -> dict[str, Any]:
    """The next row of a job's log, which goes with a rise of its ``event_seq``. ``job``: its row, locked."""
    return {
        "job_id": job["id"],
        "seq": job["event_seq"] + 1,
        "stream": stream,
        "event_type": str(event_type),
        "actor_type": str(actor),
        "prev_status": None,
        "new_status": None,
        "occurred_at": now,
        "recorded_at": now,
        "correlation_id": job["correlation_id"],
        "attempt": job["attempt"],
        "execution": 1,
        "unit": 0,
        "step": None,
        "data": {},
        "actor": acting_member(),
    }


class LockedJob:
    """The row of one job, locked until the transaction ends; changes are collected, and written by :meth:`save`.

    Raises:
        NotFound: There is no such job, or it is not ``owner``'s where one is given.
    """

    def __init__(self, connection: Connection, job_id: str, now: datetime, *, owner: str | None = None) -> None:
        row = connection.execute(_SELECT_LOCKED, {"job_id": job_id}).mappings().one_or_none()
        if row is None or (owner is not None and row["owner"] != owner):
            raise not_found()
        note(job_id=row["id"], correlation_id=row["correlation_id"])
        self._connection = connection
        self.now = now
        self._stored = row
        self._row: dict[str, Any] = dict(row)
        self._events: list[dict[str, Any]] = []
        self._charges: list[Charge] = []
        self.lifecycle: Lifecycle[Any] = lifecycle_of(row["kind"])

    def __getitem__(self, column: str) -> Any:
        return self._row[column]

    @property
    def id(self) -> str:
        return str(self._row["id"])

    @property
    def status(self) -> Any:
        return self.lifecycle.status(self._row["status"])

    @property
    def is_terminal(self) -> bool:
        return self.lifecycle.is_terminal(self.status)

    @property
    def seen(self) -> Seen:
        """What the fence has seen of this job."""
        return Seen(
            attempt=self._row["attempt"],
            dispatch_id=self._row["dispatch_id"],
            seq=self._row["fence_seq"],
            execution=self._row["fence_execution"],
        )

    def has_moved(self, fence: Fence, target: str | None) -> bool:
        """Whether ``fence``'s run made its move number ``fence.seq`` of the job before, to ``target`` where one is
        named."""
        move = {"job_id": self.id, "attempt": fence.attempt, "step": fence.seq, "target": target}
        return self.is_own(fence) and bool(self._connection.execute(_SELECT_MOVE, move).scalar_one())

    def is_own(self, fence: Fence) -> bool:
        """Whether ``fence`` is of the run that has the job."""
        return bool(fence.dispatch_id == self._row["dispatch_id"] and fence.attempt == self._row["attempt"])

    def set(self, **columns: Any) -> None:
        self._row.update(columns)

    def advance(self, fence: Fence, seq: int) -> None:
        """Let the fence see the write number ``seq`` of ``fence``'s run."""
        self.set(dispatch_id=fence.dispatch_id, fence_seq=seq, fence_execution=fence.execution)

    def move(
        self,
        target: str,
        trigger: Trigger,
        *,
        action: str | None = None,
        event_type: EventType = EventType.STATUS_CHANGED,
        actor: Actor = Actor.ORCHESTRATOR,
        failure: Failure | None = None,
        note: str = "",
        occurred_at: datetime | None = None,
        correlation_id: str | None = None,
        execution: int = 1,
        unit: int = 0,
        step: int | None = None,
        data: Mapping[str, object] | None = None,
    ) -> None:
        """Go to ``target`` as the job's table has it, log that, and post what the books have for it.

        A move that the kind takes for none (``repeats_are_noops``) writes nothing. Where a retry charges again, the
        job's ``attempt`` is the new one before this is called.

        Raises:
            TransitionRefused: The table has no such move for ``trigger``. TerminalImmutable: from a terminal status.
            InsufficientCredits: The move costs more than the job's owner has.
            PostingRefused: The move would charge an attempt, or settle a charge, for a second time.
        """
        source = self.status
        row = self.lifecycle.check(source, target, trigger, action=action)
        if row.is_noop:
            return
        aim = row.target
        failed = (failure or UNEXPLAINED) if aim in self.lifecycle.failures else None
        facts: dict[str, object] = {"note": note or row.note, **(data or {})}
        charge = book(self._connection, self._row, source, aim, self.now)
        if charge is not None:
            self._charges.append(charge)
            facts["credits"] = {"posting": str(charge.kind), "amount": charge.amount}
        if failed is not None:
            facts |= {"failure_code": failed.failure_code, "failed_stage": failed.failed_stage}
        self.set(
            status=str(aim),
            version=self._row["version"] + 1,
            completed_at=self.now if self.lifecycle.is_terminal(aim) else None,
            **rows.failure_columns(failed, self._row["correlation_id"]),
        )
        self.log(
            event_type,
            actor=actor,
            prev_status=str(source),
            new_status=str(aim),
            occurred_at=occurred_at,
            correlation_id=correlation_id,
            execution=execution,
            unit=unit,
            step=step,
            data=facts,
        )

    def log(
        self,
        event_type: EventType,
        *,
        stream: str = "status",
        actor: Actor = Actor.ORCHESTRATOR,
        prev_status: str | None = None,
        new_status: str | None = None,
        occurred_at: datetime | None = None,
        correlation_id: str | None = None,
        execution: int = 1,
        unit: int = 0,
        step: int | None = None,
        data: Mapping[str, object] | None = None,
    ) -> None:
        """Add a row to the job's log. ``correlation_id``: the cause's own, where it is not the job's."""
        row = next_event(self._row, self.now, event_type, stream=stream, actor=actor)
        self.set(event_seq=row["seq"])
        row |= {"prev_status": prev_status, "new_status": new_status, "occurred_at": occurred_at or self.now}
        row |= {"execution": execution, "unit": unit, "step": step, "data": dict(data or {})}
        self._events.append({**row, "correlation_id": correlation_id or row["correlation_id"]})

    def _moves(self) -> Iterator[dict[str, Any]]:
        return (each for each in self._events if each["new_status"] not in (None, each["prev_status"]))

    def _output(self) -> dict[str, object] | None:
        """How much a job has made that its events complete; ``None`` where they do not."""
        table = self.lifecycle
        ends = {table.status(each["new_status"]) for each in self._moves()}
        bad = {*table.failures, table.cancelled}
        if not any(table.is_terminal(each) and each not in bad for each in ends):
            return None
        made = self._connection.execute(_OUTPUT, {"job_id": self.id}).mappings().one()
        took = self.now - self._row["created_at"]
        return {**made, "duration_ms": int(took.total_seconds() * 1000)}

    def save(self) -> Job:
        """Write what changed, if anything did, and answer the job as it is now."""
        since: datetime | None = None
        if any(self._row[name] != self._stored[name] for name in _CHANGING):
            self.set(updated_at=self.now)
            values = {f"new_{name}": self._row[name] for name in _CHANGING}
            statement = _UPDATE_MOVED if any(self._moves()) else _UPDATE
            written = self._connection.execute(statement, {"job_id": self.id, **values})
            since = written.scalar_one() if written.returns_rows else None
        if self._events:
            batch = self._events if len(self._events) > 1 else self._events[0]
            self._connection.execute(_INSERT_EVENT, batch)
            output = self._output()
            if self._stored[LISTENED]:
                announce(self._connection, self.lifecycle, self._row, self._events, self.now, output)
            say_moved(self.lifecycle, self._row, self._events, self._charges, since, output)
        self._events, self._charges = [], []
        return rows.job(self._row)
