"""What a run finds that an operator has reset, where its job has gone on since."""

from temporalio import workflow
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    from activities.rails.contracts import StageResult
    from domain.errors import Fenced


class JobOver(Exception):
    """The run was reset by an operator, and its job has ended: there is nothing left to do.

    Args:
        status: The job's.
    """

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class OutOfStep(ApplicationError):
    """The run was reset, and its job has gone on from there; the run knows by now where it is."""

    def __init__(self) -> None:
        super().__init__("The job has gone on since the run was reset.", type=Fenced.code, non_retryable=True)


def going_on(result: StageResult) -> StageResult:
    """What a stage told. Raises: JobOver: The run was reset, and its job has ended."""
    if result.over is not None:
        raise JobOver(result.over)
    return result
