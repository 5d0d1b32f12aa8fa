"""Handing a document task to whoever follows it: the job's workflow while it lives, else a workflow of its own.

Idempotent by the task's id, so that the API, its retried request and the reconciler may all try.
"""

import asyncio

import structlog
from temporalio.client import Client, WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from activities.rails.contracts import RunOptions, TaskStart
from activities.rails.dispatching import turn_of
from activities.rails.search_attributes import of_task
from domain.jobs import Job

EXPORT, REGENERATE = "export", "regenerate"
"""Names of the task workflows, and of the updates by which a job's workflow takes them on."""

SCREENSHOT = "screenshot"
"""Name of the task workflow that no job takes on: a screenshot changes nothing about its job."""

TRANSLATE = "translate"
"""Name of the task workflow that translates a document: what it makes is another document, and the job goes on."""

PLAN = "plan"
"""Name of the task workflow that drafts an analysis's plan, before the job has a workflow."""

ON_THEIR_OWN = frozenset({SCREENSHOT, TRANSLATE, PLAN})

UPDATE_WAIT_S = 2.0
"""Seconds to wait for a worker to take a task on, less than anybody waits for Temporal. Without one the row stays, and
the reconciler hands it over."""

log = structlog.get_logger("guidesmith.tasks")


class TaskDispatch:
    """Starts tasks.

    Args:
        client: Temporal.
        options: How the tasks' activities are executed.
    """

    def __init__(self, client: Client, options: RunOptions) -> None:
        self._client = client
        self._options = options

    async def begin(self, what: str, task_id: str, job: Job, *, live: bool) -> None:
        """Hand over a task whose row is written.

        Args:
            what: ``export``, ``regenerate``, ``translate``, ``screenshot`` or ``plan``.
            job: Whose turn the task waits for, as the job's own stages do.
            live: Whether the job's workflow was running a moment ago.

        Raises:
            temporalio.service.RPCError: Temporal could not be asked.
        """
        task = TaskStart(task_id=task_id, job_id=job.id, owner=job.owner, options=self._options)
        if live and what not in ON_THEIR_OWN and await self._ask(what, task):
            return
        try:
            await self._client.start_workflow(
                what,
                task,
                id=task.workflow_id(what),
                task_queue=self._options.queue("jobs"),
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                priority=turn_of(job.owner, job.project_id, self._options.weights.get(job.project_id)),
                search_attributes=of_task(what, job.owner, live=self._options.live_status),
                static_summary=f"{what} of a document",
            )
        except WorkflowAlreadyStartedError:
            log.info("task.already_done", task_id=task_id)

    async def cancel(self, what: str, task_id: str) -> None:
        """Ask a task's own workflow to stop; one that is over, or was never started, has.

        Raises:
            temporalio.service.RPCError: Temporal could not be asked.
        """
        try:
            await self._client.get_workflow_handle(f"{what}-{task_id}").cancel()
        except RPCError as fault:
            if fault.status is not RPCStatusCode.NOT_FOUND:
                raise

    async def _ask(self, what: str, task: TaskStart) -> bool:
        """Whether the job's workflow took the task on, or will when a worker comes up. One that ended has not."""
        job = self._client.get_workflow_handle(task.job_id)
        try:
            await asyncio.wait_for(job.execute_update(what, task, id=task.task_id), UPDATE_WAIT_S)
        except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
            log.warning("task.not_taken_yet", job_id=task.job_id, task_id=task.task_id)
        except WorkflowUpdateFailedError as refused:
            code = refused.cause.type if isinstance(refused.cause, ApplicationError) else None
            log.info("task.refused", job_id=task.job_id, task_id=task.task_id, code=code)
            return False
        except RPCError as fault:
            if fault.status is not RPCStatusCode.NOT_FOUND:
                raise
            return False
        return True
