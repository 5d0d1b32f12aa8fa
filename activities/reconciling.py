"""The reconciler: says for a workflow what it died without saying.

A workflow that is terminated, or times out, writes no last row. The reconciler compares the mirror with Temporal's
word on each job that the mirror calls active, and repairs with that evidence only, never by age.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import structlog
from temporalio import activity
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from activities.contracts import Message, RunOptions
from activities.dispatching import Dispatcher, Terms, is_startable
from activities.handover import EXPORT, PLAN, REGENERATE, SCREENSHOT, Handover
from activities.waking import wake
from domain.analyses import Planning
from domain.callbacks import Undelivered
from domain.errors import TransitionRefused, VersionConflict
from domain.instruction import CANCELLED, INSTRUCTION, RETRY, RUNNABLE
from domain.jobs import Actor, Export, Failure, Job, RegenerateTask
from domain.kinds import GIVEN_UP, lifecycle_of
from domain.lifecycle import Lifecycle, Trigger
from domain.screenshots import ScreenshotTask

PAGE = 100

OpenTask = tuple[str, str, str]
"""What it is (the name of its workflow), the task's id, its job's."""

WORKFLOW_LOST = "WORKFLOW_LOST"

log = structlog.get_logger("guidesmith.reconciler")

_GONE = {
    WorkflowExecutionStatus.TERMINATED: "its run was terminated by an operator",
    WorkflowExecutionStatus.TIMED_OUT: "its run timed out",
    WorkflowExecutionStatus.FAILED: "its run ended in a fault",
    WorkflowExecutionStatus.CANCELED: "its run was cancelled",
    WorkflowExecutionStatus.COMPLETED: "its run ended",
}


class Reconciled(Message):
    """How many jobs were looked at, and how many repaired."""

    seen: int = 0
    repaired: int = 0


class Books(Protocol):
    """What the reconciler needs of the store."""

    def active_jobs(self, after_id: str | None = None, limit: int = 100) -> tuple[Job, ...]: ...
    def get_job(self, job_id: str) -> Job: ...
    def move(
        self,
        job_id: str,
        fence: None,
        target: str,
        *,
        trigger: Trigger,
        actor: Actor,
        failure: Failure | None = None,
        note: str = "",
        expected_version: int | None = None,
    ) -> Job: ...
    def undelivered_callbacks(self, older_than_s: float = 10.0, limit: int = 100) -> tuple[Undelivered, ...]: ...
    def mark_delivered(self, told: Sequence[Undelivered]) -> None: ...
    def unstarted_tasks(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[OpenTask, ...]: ...
    def running_tasks(self, older_than_s: float = 30.0, limit: int = 1000) -> tuple[OpenTask, ...]: ...
    def fail_export(self, export_id: str, failure: Failure) -> Export: ...
    def fail_regenerate(self, task_id: str, failure: Failure) -> RegenerateTask: ...
    def fail_screenshot(self, task_id: str, failure: Failure) -> ScreenshotTask: ...
    def fail_planning(self, task_id: str, failure: Failure) -> Planning: ...


class Reconciler:
    """One activity, run by a schedule.

    Args:
        terms: What the runs go by that it starts (see ``Dispatcher``).
    """

    def __init__(self, books: Books, client: Client, options: RunOptions, terms: Terms | None = None) -> None:
        self._books = books
        self._client = client
        self._handover = Handover(client, options)
        self._dispatcher = Dispatcher(client, options, terms)

    @activity.defn(name="reconcile")
    async def reconcile(self) -> Reconciled:
        """Look at every active job once."""
        seen = repaired = 0
        after: str | None = None
        while page := await asyncio.to_thread(self._books.active_jobs, after, PAGE):
            for job in page:
                seen += 1
                repaired += await self._mend(job)
                activity.heartbeat(seen)
            after = page[-1].id
        repaired += await self.deliver_callbacks()
        return Reconciled(seen=seen, repaired=repaired + await self.follow_tasks())

    async def _mend(self, job: Job) -> bool:
        if is_startable(job):
            return await self._start_forgotten(job)
        if job.dispatch_id is None:
            return False
        status = await self._workflow_status(job.id)
        if status is None or status is WorkflowExecutionStatus.RUNNING:
            return False
        return await self._settle(job, status)

    async def _settle(self, job: Job, status: WorkflowExecutionStatus) -> bool:
        """Record the end of a job whose run has ended without saying so."""
        # The row was read before Temporal was asked: only what has not changed since is judged by this evidence.
        current = await asyncio.to_thread(self._books.get_job, job.id)
        if current.version != job.version or current.status in RUNNABLE:
            return False
        cancelled = status is WorkflowExecutionStatus.CANCELED
        try:
            await asyncio.to_thread(settle_lost, self._books, current, _GONE.get(status, "its run ended"), cancelled)
        except (VersionConflict, TransitionRefused):
            return False
        log.warning("job.reconciled", job_id=job.id, evidence=status.name)
        return True

    async def _start_forgotten(self, job: Job) -> bool:
        """Start the run of a job whose API died, or did not reach Temporal, after it made the job."""
        status = await self._workflow_status(job.id)
        if status is WorkflowExecutionStatus.RUNNING:
            return False  # it has not written yet
        if status is not None and job.attempt == 1:  # it never will: of a later attempt it may be the run before
            return await self._settle(job, status)
        await self._dispatcher.start(job)
        log.warning("job.started_late", job_id=job.id)
        return True

    async def _workflow_status(self, workflow_id: str) -> WorkflowExecutionStatus | None:
        try:
            return (await self._client.get_workflow_handle(workflow_id).describe()).status
        except RPCError as fault:
            if fault.status is RPCStatusCode.NOT_FOUND:
                return None
            raise

    async def deliver_callbacks(self, older_than_s: float = 10.0) -> int:
        """Wake the workflows that an API applied a callback for and died before it could say so."""
        delivered = 0
        while told := await asyncio.to_thread(self._books.undelivered_callbacks, older_than_s, PAGE):
            for job_id in {each.job_id for each in told}:
                await wake(self._client, job_id)
            await asyncio.to_thread(self._books.mark_delivered, told)
            delivered += len(told)
            log.warning("callback.delivered_late", callbacks=len(told))
        return delivered

    async def follow_tasks(self) -> int:
        """Start the tasks whose row was written by an API that died before it could; settle those whose workflow ended
        without saying so."""
        mended = 0
        for what, task_id, job_id in await asyncio.to_thread(self._books.unstarted_tasks):
            status = await self._workflow_status(f"{what}-{task_id}")
            if status is not None:
                mended += await self._settle_task(what, task_id, status)
                continue
            live = await self._workflow_status(job_id) is WorkflowExecutionStatus.RUNNING
            await self._handover.begin(what, task_id, job_id, live=live)
            mended += 1
        for what, task_id, _ in await asyncio.to_thread(self._books.running_tasks):
            mended += await self._settle_task(what, task_id, await self._workflow_status(f"{what}-{task_id}"))
        return mended

    async def _settle_task(self, what: str, task_id: str, status: WorkflowExecutionStatus | None) -> bool:
        """Record the end of a task whose workflow is gone: it settles its row before it ends, if it can."""
        if status is None or status is WorkflowExecutionStatus.RUNNING:
            return False
        fail: Mapping[str, Callable[[str, Failure], Export | RegenerateTask | ScreenshotTask | Planning]] = {
            EXPORT: self._books.fail_export,
            REGENERATE: self._books.fail_regenerate,
            SCREENSHOT: self._books.fail_screenshot,
            PLAN: self._books.fail_planning,
        }
        failure = Failure(
            failure_code=WORKFLOW_LOST,
            failure_message=f"The work stopped because {_GONE.get(status, 'its run ended')}. Ask for it again.",
        )
        task = await asyncio.to_thread(fail[what], task_id, failure)
        lost = task.failure is not None and task.failure.failure_code == WORKFLOW_LOST
        if lost:
            log.warning("task.reconciled", task_id=task_id, task=what, evidence=status.name)
        return lost


def settle_lost(books: Books, job: Job, evidence: str, cancelled: bool = False) -> Job:
    """Record the end of a job whose workflow is gone: the shortest way of its table to where such a job ends.

    Raises:
        VersionConflict: The job changed since ``job`` was read.
    """
    lifecycle = lifecycle_of(job.kind)
    resumable = job.kind == INSTRUCTION.kind
    failure = Failure(
        failure_code=WORKFLOW_LOST,
        failure_message=f"The job stopped because {evidence}. " + _mended_by(lifecycle, resumable=resumable),
        correlation_id=job.correlation_id,
    )
    target = CANCELLED if cancelled and resumable else GIVEN_UP[job.kind]
    trigger = Trigger.API if resumable else lifecycle.runner
    for status in lifecycle.way(lifecycle.status(job.status), target, trigger):
        job = books.move(
            job.id,
            None,
            str(status),
            trigger=trigger,
            actor=Actor.SYSTEM,
            failure=failure if status in lifecycle.failures else None,
            note=evidence,
            expected_version=job.version,
        )
    return job


def _mended_by(lifecycle: Lifecycle[Any], *, resumable: bool) -> str:
    """What its owner does about a job whose run was lost."""
    if resumable:
        return "Retry it; it goes on from its last checkpoint."
    retried = any(row.action == RETRY and Trigger.USER in row.triggers for row in lifecycle.transitions)
    return "Retry it." if retried else "Ask for it again."
