"""What a job says of an error that Temporal raised."""

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, ChildWorkflowError

with workflow.unsafe.imports_passed_through():
    from domain.errors import MESSAGE_LIMIT, STAGE_TIMED_OUT, Cancelled, Fenced
    from domain.jobs import Failure


def cause_of(error: BaseException) -> BaseException:
    """What lies at the bottom of what Temporal raised."""
    cause = error
    while isinstance(cause, ActivityError | ChildWorkflowError) and cause.cause is not None:
        cause = cause.cause
    return cause


def superseded() -> ApplicationError:
    """How a run ends that a newer one has overtaken: loudly for the operator, without a write."""
    return ApplicationError("A newer run owns this job.", type=Fenced.code, non_retryable=True)


def failure_of(error: BaseException, stage: str | None, correlation_id: str | None) -> Failure:
    """The failure at the bottom of what Temporal raised: the activity's own code and sentence."""
    cause = cause_of(error)
    if isinstance(cause, CancelledError):
        code, message = Cancelled.code, "The work was stopped on request."
    elif isinstance(cause, ApplicationError):
        code, message = cause.type or "INTERNAL", cause.message
    else:
        code = STAGE_TIMED_OUT
        message = "The work did not finish in time, again and again. Retry the job; if it stays so, look at the worker."
    return Failure(
        failure_code=code, failure_message=message[:MESSAGE_LIMIT], failed_stage=stage, correlation_id=correlation_id
    )
