"""The reconciler: says for a workflow what it died without saying.

A workflow that is terminated, or times out, writes no last row; one whose history Temporal has lost (its database is
gone, its namespace was made anew, its retention ran out) never will. The reconciler compares the mirror with Temporal's
word on each job that the mirror calls active, and repairs with that evidence only, never by age. That there is no such
workflow is such a word where it is the jobs' own namespace that says so (see ``activities/rails/namespaces.py``).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import structlog
from temporalio import activity
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.service import RPCError, RPCStatusCode

from activities.process.metrics import RECONCILED
from activities.rails.contracts import Message, RunOptions
from activities.rails.dispatching import Dispatcher, Terms, is_startable
from activities.rails.namespaces import Register, recognise_namespace
from activities.rails.signals import EDIT, TASKS_ENDED, wake
from activities.rails.task_dispatch import EXPORT, PLAN, REGENERATE, SCREENSHOT, TRANSLATE, TaskDispatch
from activities.store.hooks.webhooks import Waiting
from activities.upkeep.erasing import NAME as ERASE
from activities.upkeep.erasing import PROJECT, RECORDING, USER, erase_workflow
from activities.webhooks.relay import delivery_workflow
from domain.analyses.analysis import Planning
from domain.documents.screenshots import ScreenshotTask
from domain.documents.tasks import Export, RegenerateTask
from domain.documents.translations import TranslationTask
from domain.erasure import PurgeKind
from domain.errors import WORKFLOW_LOST, Cancelled, TransitionRefused, VersionConflict
from domain.jobs import Actor, Failure, Job, StageName
from domain.lifecycles.batch import BATCH
from domain.lifecycles.callbacks import Undelivered
from domain.lifecycles.instruction import INSTRUCTION, RETRY
from domain.lifecycles.kinds import GIVEN_UP, WORKING_ON, lifecycle_of
from domain.lifecycles.lifecycle import Lifecycle, Trigger

PAGE = 100

DELIVERIES_A_ROUND = 500
"""Deliveries under way whose workflows are looked at in one round; the next round goes on with those after them."""

TAKEN_UP_WITHIN_S = 3 * 24 * 3600.0
"""A delivery is carried out for a day. One that was made this long ago, and lost its workflow, nobody waits for."""

OpenTask = tuple[str, str, str]
"""What it is (the name of its workflow), the task's id, its job's."""

log = structlog.get_logger("guidesmith.reconciler")

Gone = WorkflowExecutionStatus | None
"""Temporal's last word on a workflow; ``None``: the jobs' own namespace knows of none."""

_GONE: Mapping[Gone, str] = {
    None: "Temporal has no history of its run any more",
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


class ReconcilerStore(Register, Protocol):
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
        of_run: str | None = None,
    ) -> Job: ...
    def end_batch(self, job_id: str, failure: Failure, *, version: int, actor: Actor, note: str) -> Job: ...
    def open_erasures(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[str, ...]: ...
    def open_purges(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[tuple[str, PurgeKind], ...]: ...
    def untold_edits(self, limit: int = 100) -> tuple[str, ...]: ...
    def unfollowed_jobs(self, older_than_s: float = 15.0, limit: int = 100) -> tuple[str, ...]: ...
    def open_deliveries(
        self, after_id: str | None = None, older_than_s: float = 60.0, limit: int = 100
    ) -> tuple[Waiting, ...]: ...
    def take_up_again(self, delivery_id: str, round: int, within_s: float) -> bool: ...
    def undelivered_callbacks(self, older_than_s: float = 10.0, limit: int = 100) -> tuple[Undelivered, ...]: ...
    def mark_delivered(self, delivered: Sequence[Undelivered]) -> None: ...
    def unstarted_tasks(self, older_than_s: float = 30.0, limit: int = 100) -> tuple[OpenTask, ...]: ...
    def running_tasks(self, older_than_s: float = 30.0, limit: int = 1000) -> tuple[OpenTask, ...]: ...
    def fail_export(self, export_id: str, failure: Failure) -> Export: ...
    def fail_regenerate(self, task_id: str, failure: Failure) -> RegenerateTask: ...
    def fail_translation(self, task_id: str, failure: Failure) -> TranslationTask: ...
    def fail_screenshot(self, task_id: str, failure: Failure) -> ScreenshotTask: ...
    def fail_planning(self, task_id: str, failure: Failure) -> Planning: ...


class Reconciler:
    """What is done once a minute (``activities/upkeep/rounds.py``).

    Args:
        terms: What the runs go by that it starts (see ``Dispatcher``).
    """

    def __init__(self, store: ReconcilerStore, client: Client, options: RunOptions, terms: Terms | None = None) -> None:
        self._store = store
        self._client = client
        self._options = options
        self._task_dispatch = TaskDispatch(client, options)
        self._dispatcher = Dispatcher(client, options, terms)
        self._delivery: str | None = None

    @activity.defn(name="reconcile")
    async def reconcile(self) -> Reconciled:
        """Look at every active job once, for a schedule of an earlier version."""
        return await self.look(activity.heartbeat)

    async def look(self, beat: Callable[..., object] = lambda *_: None) -> Reconciled:
        """Look at every active job once."""
        sure = await self.is_sure()
        seen = repaired = 0
        after: str | None = None
        while page := await asyncio.to_thread(self._store.active_jobs, after, PAGE):
            for job in page:
                seen += 1
                repaired += await self._mend(job, sure)
                beat(seen)
            after = page[-1].id
        repaired += await self.deliver_callbacks()
        repaired += await self.tell_edits() + await self.follow_erasures()
        repaired += await self.take_up_deliveries(sure=sure, beat=beat)
        repaired += await self.follow_tasks(sure=sure)
        repaired += await self.tell_ends()
        RECONCILED.inc(repaired)
        return Reconciled(seen=seen, repaired=repaired)

    async def is_sure(self) -> bool:
        """Whether what this Temporal does not know is gone. Where it does not let itself be asked, nothing is."""
        try:
            return await recognise_namespace(self._store, self._client)
        except RPCError as fault:
            if fault.status is not RPCStatusCode.PERMISSION_DENIED:
                raise
            log.warning("engine.unrecognised", status=fault.status.name)
            return False

    async def _mend(self, job: Job, sure: bool) -> bool:
        if is_startable(job):
            return await self._start_forgotten(job)
        if job.dispatch_id is None:
            return False
        status = await self._status_of_run(job)
        if _is_at_work(status, sure):
            return False
        return await self._settle(job, status)

    async def _status_of_run(self, job: Job) -> Gone:
        """Of the run that has the job. Where an operator has reset one of an earlier attempt, Temporal has ended that
        of the current one for it: it is ended, too, since it may do nothing and stands in the way of a retry."""
        try:
            found = await self._client.get_workflow_handle(job.id).describe()
        except RPCError as fault:
            if fault.status is RPCStatusCode.NOT_FOUND:
                return None
            raise
        raw = found.raw_description
        first = raw.workflow_execution_info.first_run_id
        if found.status is not WorkflowExecutionStatus.RUNNING or first in ("", job.dispatch_id):
            return found.status
        if not raw.workflow_extended_info.HasField("last_reset_time"):
            return found.status  # a newer attempt, which the row does not name yet
        with suppress(RPCError):  # it has ended by itself
            handle = self._client.get_workflow_handle(job.id, run_id=found.run_id)
            await handle.terminate(reason="an earlier attempt's run, which was reset, has no job any more")
        return WorkflowExecutionStatus.TERMINATED

    async def _settle(self, job: Job, status: Gone) -> bool:
        """Record the end of a job whose run has ended without saying so."""
        # The row was read before Temporal was asked: only what has not changed since is judged by this evidence.
        current = await asyncio.to_thread(self._store.get_job, job.id)
        if (current.version, current.dispatch_id) != (job.version, job.dispatch_id):
            return False
        cancelled = status is WorkflowExecutionStatus.CANCELED
        try:
            await asyncio.to_thread(settle_lost, self._store, current, _GONE.get(status, "its run ended"), cancelled)
        except (VersionConflict, TransitionRefused):
            return False
        log.warning("job.reconciled", job_id=job.id, evidence=_name(status))
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

    async def _workflow_status(self, workflow_id: str) -> Gone:
        try:
            return (await self._client.get_workflow_handle(workflow_id).describe()).status
        except RPCError as fault:
            if fault.status is RPCStatusCode.NOT_FOUND:
                return None
            raise

    async def tell_edits(self) -> int:
        """Tell the runs that still wait for the first edit of documents that were saved while Temporal was away."""
        edited = await asyncio.to_thread(self._store.untold_edits)
        for job_id in edited:
            await wake(self._client, job_id, EDIT)
        return len(edited)

    async def tell_ends(self) -> int:
        """Tell the runs that do not follow a task of their document (they were reset, or it was asked for before they
        knew of the document) that it has ended."""
        unfollowed = await asyncio.to_thread(self._store.unfollowed_jobs)
        for job_id in unfollowed:
            await wake(self._client, job_id, TASKS_ENDED)
            log.warning("job.tasks_ended_unseen", job_id=job_id)
        return len(unfollowed)

    async def take_up_deliveries(
        self, *, sure: bool, older_than_s: float = 60.0, beat: Callable[[], object] = lambda: None
    ) -> int:
        """Send deliveries off anew whose workflow has ended without taking or giving them up."""
        taken, left = 0, DELIVERIES_A_ROUND
        while left > 0:
            found = await asyncio.to_thread(self._store.open_deliveries, self._delivery, older_than_s, PAGE)
            for each in found:
                status = await self._workflow_status(delivery_workflow(each.delivery_id, each.round))
                beat()
                if _is_at_work(status, sure):
                    continue
                if await asyncio.to_thread(self._store.take_up_again, each.delivery_id, each.round, TAKEN_UP_WITHIN_S):
                    taken += 1
                    log.warning("webhook.taken_up_again", delivery_id=each.delivery_id, evidence=_name(status))
            left -= len(found)
            self._delivery = found[-1].delivery_id if len(found) == PAGE else None
            if self._delivery is None:
                break
        return taken

    async def deliver_callbacks(self, older_than_s: float = 10.0) -> int:
        """Wake the workflows that an API applied a callback for and died before it could say so."""
        delivered = 0
        while told := await asyncio.to_thread(self._store.undelivered_callbacks, older_than_s, PAGE):
            for job_id in {each.job_id for each in told}:
                await wake(self._client, job_id)
            await asyncio.to_thread(self._store.mark_delivered, told)
            delivered += len(told)
            log.warning("callback.delivered_late", callbacks=len(told))
        return delivered

    async def follow_erasures(self) -> int:
        """Begin the erasures that nobody works on: whoever was asked for them died, or did not reach Temporal."""
        begun = 0
        for job_id in await asyncio.to_thread(self._store.open_erasures):
            if await self._workflow_status(erase_workflow(job_id)) is not WorkflowExecutionStatus.RUNNING:
                await begin_erasing(self._client, job_id, self._options)
                begun += 1
        for purge_id, what in await asyncio.to_thread(self._store.open_purges):
            if await self._workflow_status(f"{PURGES[what]}-{purge_id}") is not WorkflowExecutionStatus.RUNNING:
                await begin_purging(self._client, purge_id, what, self._options)
                begun += 1
        return begun

    async def follow_tasks(self, *, sure: bool = False) -> int:
        """Start the tasks whose row was written by an API that died before it could; settle those whose workflow ended
        without saying so."""
        mended = 0
        for what, task_id, job_id in await asyncio.to_thread(self._store.unstarted_tasks):
            status = await self._workflow_status(f"{what}-{task_id}")
            if status is not None:
                mended += await self._settle_task(what, task_id, status, sure)
                continue
            live = await self._workflow_status(job_id) is WorkflowExecutionStatus.RUNNING
            job = await asyncio.to_thread(self._store.get_job, job_id)
            await self._task_dispatch.begin(what, task_id, job, live=live)
            mended += 1
        for what, task_id, _ in await asyncio.to_thread(self._store.running_tasks):
            mended += await self._settle_task(what, task_id, await self._workflow_status(f"{what}-{task_id}"), sure)
        return mended

    async def _settle_task(self, what: str, task_id: str, status: Gone, sure: bool) -> bool:
        """Record the end of a task whose workflow is gone: it settles its row before it ends, if it can."""
        if _is_at_work(status, sure):
            return False
        fail: Mapping[
            str, Callable[[str, Failure], Export | RegenerateTask | TranslationTask | ScreenshotTask | Planning]
        ] = {
            EXPORT: self._store.fail_export,
            REGENERATE: self._store.fail_regenerate,
            TRANSLATE: self._store.fail_translation,
            SCREENSHOT: self._store.fail_screenshot,
            PLAN: self._store.fail_planning,
        }
        failure = Failure(
            failure_code=WORKFLOW_LOST,
            failure_message=f"The work stopped because {_GONE.get(status, 'its run ended')}. Ask for it again.",
            failed_stage=_TASK_STAGE[what],
        )
        task = await asyncio.to_thread(fail[what], task_id, failure)
        lost = task.failure is not None and task.failure.failure_code == WORKFLOW_LOST
        if lost:
            log.warning("task.reconciled", task_id=task_id, task=what, evidence=_name(status))
        return lost


_TASK_STAGE: Mapping[str, str] = {
    EXPORT: StageName.EXPORT,
    REGENERATE: StageName.REGENERATION,
    TRANSLATE: StageName.TRANSLATION,
    SCREENSHOT: StageName.SCREENSHOT,
    PLAN: "planning",
}


PURGES: Mapping[PurgeKind, str] = {
    PurgeKind.RECORDING: RECORDING,
    PurgeKind.PROJECT: PROJECT,
    PurgeKind.USER: USER,
}


async def begin_erasing(client: Client, job_id: str, options: RunOptions) -> None:
    """Start the workflow that erases a job, unless it runs.

    Raises:
        RPCError: Temporal could not be asked.
    """
    await _begin(client, ERASE, job_id, options, "erase a job")


async def begin_purging(client: Client, purge_id: str, what: PurgeKind, options: RunOptions) -> None:
    """As :func:`begin_erasing`, of a recording alone, a project or a user."""
    await _begin(client, PURGES[what], purge_id, options, f"erase a {what}")


async def _begin(client: Client, name: str, of: str, options: RunOptions, summary: str) -> None:
    await client.start_workflow(
        name,
        of,
        id=f"{name}-{of}",
        task_queue=options.queue("jobs"),
        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        static_summary=summary,
    )


def _is_at_work(status: Gone, sure: bool) -> bool:
    """Whether a workflow runs, or may for all that is known."""
    return status is WorkflowExecutionStatus.RUNNING or (status is None and not sure)


def _name(status: Gone) -> str:
    return "NOT_FOUND" if status is None else status.name


def settle_lost(store: ReconcilerStore, job: Job, evidence: str, cancelled: bool = False) -> Job:
    """Record the end of a job whose workflow is gone: the shortest way of its table to where such a job ends; of a
    batch, by what there is.

    Args:
        cancelled: Its run was stopped by somebody, which is no fault.

    Raises:
        VersionConflict: The job changed since ``job`` was read.
    """
    lifecycle = lifecycle_of(job.kind)
    resumable = job.kind == INSTRUCTION.kind
    failure = Failure(
        failure_code=Cancelled.code if cancelled else WORKFLOW_LOST,
        failure_message=f"The job stopped because {evidence}. " + _mended_by(lifecycle, resumable=resumable),
        failed_stage=WORKING_ON[job.kind].get(lifecycle.status(job.status)),
        correlation_id=job.correlation_id,
    )
    if job.kind == BATCH.kind:
        return store.end_batch(job.id, failure, version=job.version, actor=Actor.SYSTEM, note=evidence)
    target = lifecycle.cancelled if cancelled and lifecycle.cancelled else GIVEN_UP[job.kind]
    trigger = Trigger.API if target == lifecycle.cancelled or resumable else lifecycle.runner
    for status in lifecycle.way(lifecycle.status(job.status), target, trigger):
        job = store.move(
            job.id,
            None,
            str(status),
            trigger=trigger,
            actor=Actor.SYSTEM,
            failure=failure if status in lifecycle.failures else None,
            note=evidence,
            expected_version=job.version,
            of_run=job.dispatch_id,
        )
    return job


def _mended_by(lifecycle: Lifecycle[Any], *, resumable: bool) -> str:
    """What its owner does about a job whose run was lost."""
    if resumable:
        return "Retry it; it goes on from its last checkpoint."
    retried = any(row.action == RETRY and Trigger.USER in row.triggers for row in lifecycle.transitions)
    return "Retry it." if retried else "Ask for it again."
