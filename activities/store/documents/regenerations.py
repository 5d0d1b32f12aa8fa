"""Regenerations: a part of an instruction is written again, one at a time, and no edit is ever lost to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from activities.store import rows
from activities.store.documents.documents import (
    Composed,
    LockedInstruction,
    compose,
    conflict,
    current_version,
    lock_instruction,
    save_if_changed,
)
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import instructions, regenerate_tasks
from domain.documents.tasks import Regenerated, RegenerateTask
from domain.documents.versions import InstructionVersion
from domain.errors import IdempotencyConflict, RegenerateInProgress
from domain.jobs import Actor, Failure, TaskStatus

STREAM = "task"


@dataclass(frozen=True)
class _Held:
    """A task with all that it may change, locked in the order job, instruction, task."""

    job: LockedJob
    instruction: LockedInstruction
    task: RegenerateTask


@dataclass(frozen=True)
class _Merged:
    """What the work comes to against one version."""

    onto: InstructionVersion
    merged: Regenerated
    composed: Composed | None


class Regenerations(Repository):
    def create_regenerate(
        self,
        owner: str,
        instruction_id: str,
        *,
        base_version: int,
        selection: Mapping[str, object],
        client_request_id: str,
        requested_by: str,
        request: Mapping[str, object] | None = None,
    ) -> tuple[RegenerateTask, bool]:
        """Ask for a regeneration.

        Args:
            selection: What is to be written again, checked by the caller.
            request: The rest of what the client asked for (context, model profile, prompt).

        Returns:
            The task, and whether it is new: the same ``client_request_id`` with the same request is the same task.

        Raises:
            IdempotencyConflict: The same ``client_request_id`` with another request.
            VersionConflict: ``base_version`` is no longer the newest.
            RegenerateInProgress: Another regeneration of the instruction runs; ``details`` hold its ``task_id``.
            NotFound: Absent, or not ``owner``'s.
        """
        now = self._clock()
        asked: dict[str, Any] = {
            "base_version": base_version,
            "selection": dict(selection),
            "request": dict(request or {}),
        }
        with self._database.write() as connection:
            job_id = _job_of(connection, owner, instruction_id)
            job = LockedJob(connection, job_id, now)
            instruction = lock_instruction(connection, instruction_id)
            before = _find(connection, instruction_id, client_request_id)
            if before is not None:
                if before.model_dump(include=set(asked)) != asked:
                    raise IdempotencyConflict("This client_request_id was used for another regeneration.")
                return before, False
            if base_version != instruction.current_version:
                raise conflict(base_version, instruction.current_version)
            active = _active(connection, instruction_id)
            if active is not None:
                raise RegenerateInProgress(
                    "A part of this instruction is being written already. Wait for it to end.",
                    details={"task_id": active},
                )
            task = RegenerateTask(
                id=self._new_id(),
                instruction_id=instruction_id,
                job_id=job_id,
                owner=owner,
                status=TaskStatus.PENDING,
                progress_pct=0,
                client_request_id=client_request_id,
                requested_by=requested_by,
                requested_at=now,
                updated_at=now,
                model_profile_id=_asked_text(asked, "model_profile"),
                prompt_template_id=_asked_text(asked, "prompt_template_id"),
                prompt_params_ref=_asked_text(asked, "prompt_params_ref"),
                **asked,
            )
            columns = task.model_dump(mode="json", exclude={"failure", "requested_at"})
            connection.execute(insert(regenerate_tasks), {**columns, "requested_at": now, "updated_at": now})
            _log(job, EventType.REGENERATE_REQUESTED, task, actor=Actor.EDITOR)
            job.save()
            return task, True

    def get_regenerate(self, task_id: str, *, owner: str | None = None) -> RegenerateTask:
        """Raises: NotFound: absent, or not ``owner``'s where one is given."""
        with self._database.read() as connection:
            task = _read(connection, task_id)
        if owner is not None and task.owner != owner:
            raise not_found()
        return task

    def latest_regenerate(self, instruction_id: str) -> RegenerateTask | None:
        """The regeneration that was asked for last, if there is one."""
        query = select(regenerate_tasks).where(regenerate_tasks.c.instruction_id == instruction_id)
        with self._database.read() as connection:
            row = connection.execute(query.order_by(regenerate_tasks.c.id.desc()).limit(1)).mappings().one_or_none()
        return rows.regenerate_task(row) if row is not None else None

    def begin_regenerate(self, task_id: str) -> RegenerateTask:
        """The work begins. Begun or ended before: nothing changes. Raises: NotFound."""
        with self._database.write() as connection:
            held = _hold(connection, task_id, self._clock())
            if held.task.status is not TaskStatus.PENDING:
                return held.task
            return _settle(connection, held, TaskStatus.RUNNING, EventType.REGENERATE_STARTED)

    def finish_regenerate(
        self,
        task_id: str,
        merge: Callable[[InstructionVersion], Regenerated],
    ) -> RegenerateTask:
        """The work ended well.

        Args:
            merge: Called with the version that is the newest now; answers what the work comes to against it. Pure:
                it is called again, inside the transaction, where somebody saved meanwhile.

        Returns:
            The task, with the number of the version that it led to: the newest where none was added.
            A task that had ended before is answered as it is.

        Raises:
            NotFound: There is no such task.
        """
        with self._database.read() as connection:
            task = _read(connection, task_id)
            newest = current_version(connection, task.instruction_id)
        if _has_ended(task):
            return task
        ahead = self._merged(newest, merge)
        with self._database.write() as connection:
            held = _hold(connection, task_id, self._clock())
            if _has_ended(held.task):
                return held.task
            found = ahead
            if found.onto.version != held.instruction.current_version:
                found = self._merged(current_version(connection, held.instruction.id), merge)
            merged, version = found.merged, found.onto
            if found.composed is not None:
                version, _ = save_if_changed(
                    connection, held.instruction, version, found.composed, held.job.now, self._new_id
                )
            return _settle(
                connection,
                held,
                TaskStatus.SUCCEEDED,
                EventType.REGENERATE_SUCCEEDED,
                progress_pct=100,
                instruction_version=version.version,
                proposal=merged.proposal,
                kept=[each.model_dump() for each in merged.kept],
                warnings=list(merged.warnings),
                **{name: getattr(held.task, name) or getattr(merged, name) for name in _WRITER},
            )

    def _merged(self, onto: InstructionVersion, merge: Callable[[InstructionVersion], Regenerated]) -> _Merged:
        merged = merge(onto)
        composed = compose(merged.version, self._new_id) if merged.version is not None else None
        return _Merged(onto, merged, composed)

    def fail_regenerate(self, task_id: str, failure: Failure) -> RegenerateTask:
        """The work failed; a task that had ended before is answered as it is. Raises: NotFound."""
        with self._database.write() as connection:
            held = _hold(connection, task_id, self._clock())
            if _has_ended(held.task):
                return held.task
            columns = rows.failure_columns(failure, held.job["correlation_id"])
            return _settle(connection, held, TaskStatus.FAILED, EventType.REGENERATE_FAILED, **columns)


def _hold(connection: Connection, task_id: str, now: datetime) -> _Held:
    known = _read(connection, task_id)
    job = LockedJob(connection, known.job_id, now)
    instruction = lock_instruction(connection, known.instruction_id)
    return _Held(job, instruction, _read(connection, task_id))


def _settle(
    connection: Connection, held: _Held, status: TaskStatus, event_type: EventType, **columns: Any
) -> RegenerateTask:
    columns |= {
        "status": str(status),
        "updated_at": held.job.now,
        "completed_at": held.job.now if status in _ENDED else None,
    }
    changed = update(regenerate_tasks).where(regenerate_tasks.c.id == held.task.id).values(columns)
    row = connection.execute(changed.returning(*regenerate_tasks.c)).mappings().one()
    task = rows.regenerate_task(row)
    _log(held.job, event_type, task)
    held.job.save()
    return task


_ENDED = (TaskStatus.SUCCEEDED, TaskStatus.FAILED)
_WRITER = ("model_profile_id", "prompt_template_id", "prompt_params_ref")


def _asked_text(asked: Mapping[str, Any], name: str) -> str | None:
    value = asked["request"].get(name)
    return value if isinstance(value, str) else None


def _has_ended(task: RegenerateTask) -> bool:
    return task.status in _ENDED


def _read(connection: Connection, task_id: str) -> RegenerateTask:
    query = select(regenerate_tasks).where(regenerate_tasks.c.id == task_id)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise not_found()
    return rows.regenerate_task(row)


def _find(connection: Connection, instruction_id: str, client_request_id: str) -> RegenerateTask | None:
    query = select(regenerate_tasks).where(
        regenerate_tasks.c.instruction_id == instruction_id,
        regenerate_tasks.c.client_request_id == client_request_id,
    )
    row = connection.execute(query).mappings().one_or_none()
    return rows.regenerate_task(row) if row is not None else None


def _active(connection: Connection, instruction_id: str) -> str | None:
    query = select(regenerate_tasks.c.id).where(
        regenerate_tasks.c.instruction_id == instruction_id, regenerate_tasks.c.completed_at.is_(None)
    )
    return connection.execute(query).scalar_one_or_none()


def _job_of(connection: Connection, owner: str, instruction_id: str) -> str:
    query = select(instructions.c.job_id).where(instructions.c.id == instruction_id, instructions.c.owner == owner)
    job_id = connection.execute(query).scalar_one_or_none()
    if job_id is None:
        raise not_found()
    return str(job_id)


def _log(job: LockedJob, event_type: EventType, task: RegenerateTask, actor: Actor = Actor.ORCHESTRATOR) -> None:
    data: dict[str, object] = {"task_id": task.id, "task_status": str(task.status)}
    if task.instruction_version is not None:
        data["instruction_version"] = task.instruction_version
    if task.failure is not None:
        data["failure_code"] = task.failure.failure_code
    job.log(event_type, stream=STREAM, actor=actor, data=data)
