"""The short workflow that takes one screenshot. It stands on its own, whatever becomes of the job."""

from temporalio import workflow

from workflows.tasks import carry_out

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import TaskStart
    from activities.rails.versioning import soon_over
    from activities.tasks.screenshots import ScreenshotTaker
    from domain.jobs import StageName


@workflow.defn(name="screenshot", versioning_behavior=soon_over())
class ScreenshotWorkflow:
    """Takes one frame of a recording."""

    @workflow.run
    async def run(self, task: TaskStart) -> None:
        await carry_out(
            task,
            ScreenshotTaker.take,
            ScreenshotTaker.fail_screenshot,
            stage=StageName.SCREENSHOT,
            queue="media",
            summary="take the frame and store it",
        )
