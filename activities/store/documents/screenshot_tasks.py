"""Extraction tasks: a frame is asked for, taken by a worker, and becomes the next version of an anchor's picture.

The same request is the same task: for as long as its picture lives, and of a replacement for as long as it shows.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select, update

from activities.store import rows
from activities.store.documents.anchors import (
    STREAM,
    add_anchor,
    add_asset,
    anchors_at,
    read_anchor,
    read_asset,
    read_version,
)
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import screenshot_tasks
from domain.documents.anchors import Addressing, Anchor, block_at
from domain.documents.document import BlockEvidence, parse
from domain.documents.screenshots import AssetKind, Extraction, NewFrame, Operation, ScreenshotTask
from domain.jobs import Actor, Failure, TaskStatus

_ENDED = (TaskStatus.SUCCEEDED, TaskStatus.FAILED)


class ScreenshotTasks(Repository):
    def request_extraction(
        self,
        owner: str,
        job_id: str,
        instruction_id: str,
        instruction_version_id: str,
        extraction: Extraction,
        *,
        anchor_id: str | None = None,
        place: Addressing | None = None,
    ) -> tuple[ScreenshotTask, bool]:
        """Ask for a frame of the job's recording.

        Args:
            anchor_id: Where the picture goes.
            place: Where it goes instead: to the oldest anchor there, or to one that is made. With neither it goes to
                the block that tells of that moment, beside the pictures that show there already.

        Returns:
            The task, and whether it is new. Wherever its picture was to go, the same frame for the same version is
            one task.

        Raises:
            NotFound: The job is absent or not ``owner``'s, or has no such instruction, version or anchor.
            RequestInvalid: The version has no such place.
        """
        with self._database.write() as connection:
            job = _job_with(connection, job_id, owner, instruction_id, self._clock())
            version = read_version(connection, instruction_id, instruction_version_id)
            target = self._target(connection, job, version, extraction, anchor_id, place)
            key = extraction.canonical_key(job.id, version.id)
            existing = _existing(connection, key)
            if existing is not None:
                return existing, False
            made = None if isinstance(target, Anchor) else add_anchor(connection, job, version.id, target, self._new_id)
            anchor = made or target
            assert isinstance(anchor, Anchor)
            task = self._add(connection, job, version.id, anchor, Operation.EXTRACT, extraction, key)
            _log(job, EventType.SCREENSHOT_REQUESTED, task, Actor.EDITOR, anchor_created=made is not None)
            job.save()
            return task, True

    def request_replacement(
        self, owner: str, anchor_id: str, instruction_id: str, instruction_version_id: str, extraction: Extraction
    ) -> tuple[ScreenshotTask, bool]:
        """Ask for a frame that is to show at an anchor instead of what shows there.

        Returns:
            The task, and whether it is new.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s, or its instruction is another or has no such version.
        """
        with self._database.write() as connection:
            anchor = read_anchor(connection, anchor_id, owner)
            job = _job_with(connection, anchor.job_id, owner, instruction_id, self._clock())
            version = read_version(connection, instruction_id, instruction_version_id)
            if anchor.instruction_id != instruction_id:
                raise not_found()
            key = extraction.canonical_key(job.id, version.id, replacing=anchor.id)
            existing = _existing(connection, key)
            if existing is not None:
                return existing, False
            task = self._add(connection, job, version.id, anchor, Operation.REPLACE, extraction, key)
            _log(job, EventType.SCREENSHOT_REQUESTED, task, Actor.EDITOR)
            job.save()
            return task, True

    def get_screenshot_task(self, task_id: str, *, owner: str | None = None) -> ScreenshotTask:
        """Raises: NotFound: absent, or not ``owner``'s where one is given."""
        with self._database.read() as connection:
            task = _find(connection, screenshot_tasks.c.id == task_id)
        if task is None or (owner is not None and task.owner != owner):
            raise not_found()
        return task

    def begin_screenshot(self, task_id: str) -> ScreenshotTask:
        """The work begins. Begun or ended before: nothing changes. Raises: NotFound."""
        with self._database.write() as connection:
            job, task = _hold(connection, task_id, self._clock())
            if task.status is not TaskStatus.PENDING:
                return task
            return _settle(connection, job, task, TaskStatus.RUNNING, EventType.SCREENSHOT_STARTED)

    def finish_screenshot(self, task_id: str, frame: NewFrame) -> ScreenshotTask:
        """The frame is stored: it is the next version of its anchor's picture, and shows.

        A task that had ended is answered as it is. Raises: NotFound.
        """
        with self._database.write() as connection:
            job, task = _hold(connection, task_id, self._clock())
            if task.status in _ENDED:
                return task
            anchor = read_anchor(connection, task.anchor_id)
            asset = add_asset(
                connection,
                anchor.id,
                job.now,
                previous_asset_id=anchor.active_asset_id,
                asset_id=self._new_id(),
                kind=str(AssetKind.EXTRACTED),
                **rows.blob_columns(frame.blob),
                width=frame.width,
                height=frame.height,
                timestamp_ms=frame.pts_ms,
                extraction_key=task.canonical_key,
            )
            event = EventType.SCREENSHOT_SUCCEEDED
            return _settle(connection, job, task, TaskStatus.SUCCEEDED, event, asset_id=asset.id)

    def fail_screenshot(self, task_id: str, failure: Failure) -> ScreenshotTask:
        """The work failed, and the same request is a new task from now on.

        A task that had ended is answered as it is. Raises: NotFound.
        """
        with self._database.write() as connection:
            job, task = _hold(connection, task_id, self._clock())
            if task.status in _ENDED:
                return task
            columns = {**rows.failure_columns(failure, job["correlation_id"]), "standing_key": None}
            return _settle(connection, job, task, TaskStatus.FAILED, EventType.SCREENSHOT_FAILED, **columns)

    # --- how -------------------------------------------------------------------------------------------------

    def _target(
        self,
        connection: Connection,
        job: LockedJob,
        version: Any,
        extraction: Extraction,
        anchor_id: str | None,
        place: Addressing | None,
    ) -> Anchor | Addressing:
        """The anchor that the picture goes to, or the place where one is to be made."""
        if anchor_id is not None:
            anchor = read_anchor(connection, anchor_id)
            if anchor.instruction_id != job["instruction_id"]:
                raise not_found()
            return anchor
        document = parse(version.markdown)
        if place is not None:
            there = anchors_at(connection, job["instruction_id"], version.id, place := place.checked(document))
            return there[0] if there else place
        evidence = (BlockEvidence.model_validate(each) for each in version.evidence)
        place = Addressing.of_block(block_at(extraction.moment_ms, document, evidence))
        there = anchors_at(connection, job["instruction_id"], version.id, place)
        return next((each for each in there if each.active_asset_id is None), place)

    def _add(
        self,
        connection: Connection,
        job: LockedJob,
        version_id: str,
        anchor: Anchor,
        operation: Operation,
        extraction: Extraction,
        key: str,
    ) -> ScreenshotTask:
        task = ScreenshotTask(
            id=self._new_id(),
            job_id=job.id,
            instruction_id=anchor.instruction_id,
            instruction_version_id=version_id,
            anchor_id=anchor.id,
            owner=job["owner"],
            operation=operation,
            status=TaskStatus.PENDING,
            extraction=extraction,
            canonical_key=key,
            requested_at=job.now,
            updated_at=job.now,
        )
        columns = task.model_dump(mode="json", exclude={"failure"})
        connection.execute(
            insert(screenshot_tasks), {**columns, "standing_key": key, "requested_at": job.now, "updated_at": job.now}
        )
        return task


def _job_with(connection: Connection, job_id: str, owner: str, instruction_id: str, now: datetime) -> LockedJob:
    """The job, locked. Raises: NotFound: absent, not ``owner``'s, or without that instruction."""
    job = LockedJob(connection, job_id, now, owner=owner)
    if job["instruction_id"] is None or job["instruction_id"] != instruction_id:
        raise not_found()
    return job


def _existing(connection: Connection, key: str) -> ScreenshotTask | None:
    """The task that answers the request; one that no longer does gives its place up."""
    task = _find(connection, screenshot_tasks.c.standing_key == key)
    if task is None or _stands(connection, task):
        return task
    connection.execute(update(screenshot_tasks).where(screenshot_tasks.c.id == task.id).values(standing_key=None))
    return None


def _stands(connection: Connection, task: ScreenshotTask) -> bool:
    if task.asset_id is None:
        return True
    asset = read_asset(connection, task.asset_id)
    if asset is None or asset.is_deleted:
        return False
    return task.operation is Operation.EXTRACT or read_anchor(connection, task.anchor_id).active_asset_id == asset.id


def _hold(connection: Connection, task_id: str, now: datetime) -> tuple[LockedJob, ScreenshotTask]:
    """The task's job, locked, and the task as it is under that lock."""
    known = _find(connection, screenshot_tasks.c.id == task_id)
    if known is None:
        raise not_found()
    job = LockedJob(connection, known.job_id, now)
    return job, _find(connection, screenshot_tasks.c.id == task_id) or known


def _settle(
    connection: Connection,
    job: LockedJob,
    task: ScreenshotTask,
    status: TaskStatus,
    event_type: EventType,
    **columns: Any,
) -> ScreenshotTask:
    columns |= {"status": str(status), "updated_at": job.now, "completed_at": job.now if status in _ENDED else None}
    changed = update(screenshot_tasks).where(screenshot_tasks.c.id == task.id).values(columns)
    row = connection.execute(changed.returning(*screenshot_tasks.c)).mappings().one()
    settled = rows.screenshot_task(row)
    _log(job, event_type, settled)
    job.save()
    return settled


def _find(connection: Connection, *criteria: ColumnElement[bool]) -> ScreenshotTask | None:
    row = connection.execute(select(screenshot_tasks).where(*criteria)).mappings().one_or_none()
    return rows.screenshot_task(row) if row is not None else None


def _log(
    job: LockedJob,
    event_type: EventType,
    task: ScreenshotTask,
    actor: Actor = Actor.ORCHESTRATOR,
    **facts: object,
) -> None:
    data: dict[str, object] = {
        "task_id": task.id,
        "task_status": str(task.status),
        "operation": str(task.operation),
        "anchor_id": task.anchor_id,
        **facts,
    }
    if task.asset_id is not None:
        data["asset_id"] = task.asset_id
    if task.failure is not None:
        data["failure_code"] = task.failure.failure_code
    job.log(event_type, stream=STREAM, actor=actor, data=data)
