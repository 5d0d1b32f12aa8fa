"""Jobs that are erased: hidden at once, their rows removed in one transaction, and what was done kept as one row.

From the first transaction on the job belongs to nobody, so that whoever asks for it is told what they are told of what
never was. What is still to be done (keys of files, ids of workflows, whose memos) stands in the erasure's row while it
is, and is emptied with the last step: any step may be repeated by whoever comes after a death.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, Text, cast, delete, func, insert, select, update

from activities.store.cursors import newest_first
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.repository import Repository
from activities.store.tables import (
    anchors,
    credit_postings,
    erasures,
    exports,
    idempotency_keys,
    instruction_versions,
    instructions,
    jobs,
    metadata,
    plan_tasks,
    project_members,
    regenerate_tasks,
    screenshot_assets,
    screenshot_tasks,
    translation_tasks,
    webhook_attempts,
    webhook_deliveries,
)
from activities.store.upkeep.references import keys_of
from domain.erasure import BIN, NOBODY, Erasure, binned, whose
from domain.errors import Cancelled, TransitionRefused
from domain.jobs import Actor, Failure, Page
from domain.lifecycles.kinds import GIVEN_UP
from domain.lifecycles.lifecycle import Trigger

_DELETED = Failure(failure_code=Cancelled.code, failure_message="The job was deleted.")

_TASKS = (
    *(("export", exports), ("regenerate", regenerate_tasks), ("translate", translation_tasks)),
    *(("screenshot", screenshot_tasks), ("plan", plan_tasks)),
)

_COLUMNS = ("job_id", "by_admin", "by_age", "requested_at", "completed_at")


class Erasures(Repository):
    def begin_erasure(self, job_id: str, *, owner: str | None, by_admin: bool = False, by_age: bool = False) -> Erasure:
        """End the job where it has not, so that what it held of credits is settled, and take it from its owner.

        Args:
            owner: Whose it has to be; ``None``: anybody's.

        Raises:
            NotFound: Absent, not ``owner``'s, or being erased already.
        """
        with self._database.write() as connection:
            return begin_erasing(connection, job_id, self._clock(), owner=owner, by_admin=by_admin, by_age=by_age)

    def begin_erasure_in_bin(self, job_id: str, *, owner: str | None, by_age: bool = False) -> Erasure:
        """As :meth:`begin_erasure`, of what lies in the bin (still). Raises: NotFound: it does not."""
        theirs = None if owner is None else binned(owner)
        with self._database.write() as connection:
            return begin_erasing(connection, job_id, self._clock(), owner=theirs, by_age=by_age, in_bin=True)

    def erasure_workflows(self, job_id: str) -> tuple[str, ...]:
        """Ids of every workflow that ever worked for the job; none once it is erased. Raises: NotFound."""
        return tuple(self._left(job_id, "workflows"))

    def erase_rows(self, job_id: str) -> tuple[str, ...]:
        """Remove every row of the job, in one transaction, with its files' keys noted first; answers these, also where
        the rows were removed before. Raises: NotFound: nobody asked for that."""
        with self._database.write() as connection:
            known = _hold(connection, job_id)
            if connection.execute(select(jobs.c.id).where(jobs.c.id == job_id)).one_or_none() is None:
                return tuple(known["keys"])
            in_project = select(project_members.c.subject).join(jobs, jobs.c.project_id == project_members.c.project_id)
            askers = [known["owner"], *connection.scalars(in_project.where(jobs.c.id == job_id))]
            keys = sorted(keys_of(connection, [job_id]))
            connection.execute(update(erasures).where(erasures.c.job_id == job_id).values(keys=keys))
            for table in reversed(metadata.sorted_tables):
                if (own := own_rows(table, job_id)) is not None:
                    connection.execute(delete(table).where(own))
            asked = idempotency_keys.c
            told = asked.path.contains(job_id) | cast(asked.response, Text).contains(job_id)
            connection.execute(delete(idempotency_keys).where(asked.owner.in_(askers), told))
            return tuple(keys)

    def erasure_owner(self, job_id: str) -> str:
        """Whose the job was, while it is being erased. Raises: NotFound."""
        with self._database.read() as connection:
            return str(_hold(connection, job_id)["owner"] or "")

    def finish_erasure(self, job_id: str) -> None:
        """All is removed: of the erasure, too, but that it was done."""
        done = update(erasures).where(erasures.c.job_id == job_id, erasures.c.completed_at.is_(None))
        with self._database.write() as connection:
            connection.execute(done.values(completed_at=self._clock(), owner=None, keys=[], workflows=[]))

    def open_erasures(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[str, ...]:
        """Jobs whose erasure was asked for more than ``older_than_s`` seconds ago, and is not done."""
        before = self._clock() - timedelta(seconds=older_than_s)
        query = select(erasures.c.job_id).where(erasures.c.completed_at.is_(None), erasures.c.requested_at < before)
        with self._database.read() as connection:
            return tuple(connection.scalars(query.limit(limit)))

    def list_erasures(self, limit: int = 20, cursor: str | None = None) -> Page[Erasure]:
        """Newest first. Raises: RequestInvalid: bad limit or cursor."""
        query = select(*(erasures.c[name] for name in _COLUMNS))
        moment, unique = erasures.c.requested_at, erasures.c.job_id
        with self._database.read() as connection:
            return newest_first(
                connection,
                query,
                moment,
                unique,
                limit=limit,
                cursor=cursor,
                read=lambda row: Erasure.model_validate(dict(row)),
            )

    def _left(self, job_id: str, column: str) -> Sequence[str]:
        with self._database.read() as connection:
            found: list[str] = _hold(connection, job_id)[column]
            return found


def begin_erasing(
    connection: Connection,
    job_id: str,
    now: datetime,
    *,
    owner: str | None,
    by_admin: bool = False,
    by_age: bool = False,
    in_bin: bool = False,
) -> Erasure:
    """As :meth:`Erasures.begin_erasure`, in the caller's transaction. ``in_bin``: only where it lies there."""
    job = LockedJob(connection, job_id, now, owner=owner)
    if in_bin and not job["owner"].startswith(BIN):
        raise not_found()
    if job["owner"].startswith(NOBODY):
        return _read(connection, job_id)
    mine = whose(job["owner"])
    if mine != job["owner"]:
        take_out(connection, job_id)
        job.set(owner=mine)  # whom the books pay back
    _end(job)
    job.save()
    for table, own in owned(job_id):
        connection.execute(update(table).where(own).values(owner=f"{NOBODY} {job_id}"))
    row = {
        "job_id": job_id,
        "by_admin": by_admin,
        "by_age": by_age,
        "requested_at": now,
        "owner": mine,
        "keys": [],
        "workflows": _workflows(connection, job_id),
    }
    connection.execute(insert(erasures), row)
    return _read(connection, job_id)


def owned(job_id: str) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """The tables that name the owner of what is the job's, and which of their rows are."""
    for table in metadata.sorted_tables:
        own = own_rows(table, job_id)
        if "owner" in table.c and own is not None:
            yield table, own


def take_out(connection: Connection, job_id: str) -> None:
    """Give every row of the job's that lies in the bin back to whose it was."""
    connection.execute(update(jobs).where(jobs.c.id == job_id).values(binned_at=None))
    for table, own in owned(job_id):
        lying = own & table.c.owner.startswith(BIN)
        connection.execute(update(table).where(lying).values(owner=func.substr(table.c.owner, len(BIN) + 1)))


def _end(job: LockedJob) -> None:
    """Bring the job to an end along its table, where that has a way: what waits for a person holds no credits."""
    if job.is_terminal:
        return
    lifecycle = job.lifecycle
    for target, trigger in ((lifecycle.cancelled, Trigger.API), (GIVEN_UP[job["kind"]], lifecycle.runner)):
        if target is None:
            continue
        try:
            way = lifecycle.way(job.status, target, trigger)
        except TransitionRefused:
            continue
        for status in way:
            failure = _DELETED if status in lifecycle.failures else None
            job.move(str(status), trigger, actor=Actor.SYSTEM, failure=failure, note="deleted")
        return


def _workflows(connection: Connection, job_id: str) -> list[str]:
    ids = [job_id]
    for what, table in _TASKS:
        ids += [f"{what}-{task}" for task in connection.scalars(select(table.c.id).where(table.c.job_id == job_id))]
    sent = select(webhook_deliveries.c.id, webhook_deliveries.c.round).where(webhook_deliveries.c.job_id == job_id)
    for delivery, rounds in connection.execute(sent):
        ids += [f"webhook-{delivery}-{number}" for number in range(1, rounds + 1)]
    return ids


def own_rows(table: Table, job_id: str) -> ColumnElement[bool] | None:
    """Which rows of ``table`` are the job's own. The books keep what was posted, under an id that leads nowhere."""
    if table in (erasures, credit_postings):
        return None
    if table is jobs:
        return jobs.c.id == job_id
    instruction = select(instructions.c.id).where(instructions.c.job_id == job_id)
    through: dict[Table, ColumnElement[bool]] = {
        screenshot_assets: screenshot_assets.c.anchor_id.in_(
            select(anchors.c.id).where(anchors.c.instruction_id.in_(instruction))
        ),
        anchors: anchors.c.instruction_id.in_(instruction),
        instruction_versions: instruction_versions.c.instruction_id.in_(instruction),
        webhook_attempts: webhook_attempts.c.delivery_id.in_(
            select(webhook_deliveries.c.id).where(webhook_deliveries.c.job_id == job_id)
        ),
    }
    if table in through:
        return through[table]
    return table.c.job_id == job_id if "job_id" in table.c else None


def _hold(connection: Connection, job_id: str) -> dict[str, Any]:
    row = connection.execute(select(erasures).where(erasures.c.job_id == job_id)).mappings().one_or_none()
    if row is None:
        raise not_found()
    return dict(row)


def _read(connection: Connection, job_id: str) -> Erasure:
    held = _hold(connection, job_id)
    return Erasure.model_validate({name: held[name] for name in _COLUMNS})
