"""Short workflows for what is asked of a document. Children of the job while it lives, on their own once it is done."""

from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

from workflows.rails.display import Display
from workflows.rails.failures import failure_of
from workflows.rails.retries import MIRROR_RETRIES, ROW_TIMEOUT, stage_retries

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import TaskCall, TaskFailure, TaskStart
    from activities.rails.search_attributes import AT_WORK
    from activities.rails.versioning import soon_over
    from activities.tasks.documents import DocumentTasks
    from activities.tasks.translating import TranslationTasks
    from domain.jobs import StageName, TaskStatus


async def carry_out(
    task: TaskStart,
    method: Callable[[Any, TaskCall], None],
    fail: Callable[[Any, TaskFailure], None],
    *,
    stage: StrEnum,
    queue: str,
    summary: str,
    is_last: bool = True,
) -> None:
    """Execute one activity of the task, its only one or the last; when it cannot be done, the task's row says why
    before the workflow leaves."""
    display = Display(AT_WORK, live=task.options.live_status)
    try:
        await workflow.execute_activity_method(
            method,
            TaskCall(task_id=task.task_id, heartbeat_timeout_s=task.options.heartbeat_timeout_s),
            task_queue=task.options.queue(queue),
            start_to_close_timeout=timedelta(seconds=task.options.stage_timeout_s),
            heartbeat_timeout=timedelta(seconds=task.options.heartbeat_timeout_s),
            retry_policy=stage_retries(task.options.retry_budget),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            summary=summary,
        )
    except ActivityError as error:
        failure = failure_of(error, str(stage), task.job_id)
        await workflow.execute_local_activity_method(
            fail,
            TaskFailure(task_id=task.task_id, failure=failure),
            start_to_close_timeout=ROW_TIMEOUT,
            retry_policy=MIRROR_RETRIES,
            summary="the task failed",
        )
        if task.options.live_status:
            display.show(TaskStatus.FAILED, failure)
        raise ApplicationError(failure.failure_message, type=failure.failure_code, non_retryable=True) from None
    if is_last:
        display.follow(TaskStatus.SUCCEEDED)


@workflow.defn(name="export", versioning_behavior=soon_over())
class ExportWorkflow:
    """Publishes exactly one version in one format."""

    @workflow.run
    async def run(self, task: TaskStart) -> None:
        await carry_out(
            task,
            DocumentTasks.publish,
            DocumentTasks.fail_export,
            stage=StageName.EXPORT,
            queue="media",
            summary="typeset and store",
        )


@workflow.defn(name="regenerate", versioning_behavior=soon_over())
class RegenerateWorkflow:
    """Writes the selected part of one version again."""

    @workflow.run
    async def run(self, task: TaskStart) -> None:
        await carry_out(
            task,
            DocumentTasks.rewrite,
            DocumentTasks.fail_regenerate,
            stage=StageName.REGENERATION,
            queue="providers",
            summary="write the selected part again",
        )


@workflow.defn(name="translate", versioning_behavior=soon_over())
class TranslateWorkflow:
    """Translates a document, or what is behind in a translation. It stands on its own, whatever becomes of the job."""

    @workflow.run
    async def run(self, task: TaskStart) -> None:
        await carry_out(
            task,
            TranslationTasks.translate,
            TranslationTasks.fail_translation,
            stage=StageName.TRANSLATION,
            queue="providers",
            summary="translate block by block",
        )
