"""What a run finds that is out of step with its job: it was reset by an operator, or its stage was never begun."""

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from workflows.rails.failures import cause_of

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import GoingOn, StageResult
    from domain.errors import Fenced, TransitionRefused


class JobOver(Exception):
    """The run was reset by an operator, and its job has ended: there is nothing left to do.

    Args:
        status: The job's.
    """

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class OutOfStep(ApplicationError):
    """The job is elsewhere than its run was: the run was reset, or what it had asked for was never begun. The run knows
    by now where the job is.

    Args:
        document: What goes on around the job's document; ``None``: it was not asked.
    """

    def __init__(self, document: GoingOn | None = None) -> None:
        super().__init__("The job is elsewhere than its run was.", type=Fenced.code, non_retryable=True)
        self.document = document


def going_on(result: StageResult) -> StageResult:
    """What a stage told. Raises: JobOver: The run was reset, and its job has ended."""
    if result.over is not None:
        raise JobOver(result.over)
    return result


def is_refused(error: BaseException) -> bool:
    """Whether the job's table has no move from where the job is to where its run would have it."""
    cause = cause_of(error)
    return isinstance(cause, ApplicationError) and cause.type == TransitionRefused.code
