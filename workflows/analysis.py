"""The analysis job: a plan that was confirmed is computed, once it was put into the queue; and the task before it,
which drafts the plan while the job itself has no run yet."""

from temporalio import workflow

from workflows.tasks import carry_out

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import JobOutcome, JobStart, TaskStart
    from activities.rails.task_dispatch import PLAN
    from activities.rails.versioning import soon_over
    from activities.stages.analysis import AnalysisPlanning, AnalysisStage, AnalysisStages
    from domain.errors import TransitionRefused
    from domain.lifecycles.analysis import ANALYSIS, FAILED
    from workflows.rails import JobRun


@workflow.defn(name=ANALYSIS.kind, failure_exception_types=[TransitionRefused], versioning_behavior=soon_over())
class AnalysisWorkflow:
    """The run of one attempt; the workflow id is the job id. It cannot be cancelled: the table has no such move. Where
    an operator does so all the same, the job has failed, and may be retried."""

    @workflow.init
    def __init__(self, start: JobStart) -> None:
        self.job = JobRun(ANALYSIS, start)

    @workflow.signal(description="Refused: this kind cannot be cancelled. The details say so.")
    def cancel(self) -> None:
        """Refused, and said so in the workflow's details."""
        self.job.refuse_cancel()

    @workflow.run
    async def run(self, start: JobStart) -> JobOutcome:
        return await self.job.settled(self.steps, cancelled=lambda: False, failed=FAILED, stopped=FAILED)

    async def steps(self) -> None:
        await self.job.claim()
        await self.job.run_stage(AnalysisStages.compute)
        self.job.show()


@workflow.defn(name=PLAN, versioning_behavior=soon_over())
class PlanWorkflow:
    """Reads the inputs, where nobody has, and drafts a plan."""

    @workflow.run
    async def run(self, task: TaskStart) -> None:
        await carry_out(
            task,
            AnalysisPlanning.read_inputs,
            AnalysisPlanning.fail,
            stage=AnalysisStage.INPUTS,
            queue="media",
            summary="read the inputs",
            is_last=False,
        )
        await carry_out(
            task,
            AnalysisPlanning.draft_plan,
            AnalysisPlanning.fail,
            stage=AnalysisStage.PLANNING,
            queue="providers",
            summary="draft the plan",
        )
