"""The workflow's view of a stage that is done outside: two local activities, which cost no action of their own."""

from typing import Protocol

from temporalio import activity

from activities.rails.contracts import ExternalCall, ExternalState
from domain.jobs import Failure, Job, StageName
from domain.lifecycles.callbacks import EXTERNAL_STAGES, ExternalStage, reached
from domain.lifecycles.fence import Fence
from domain.lifecycles.instruction import InstructionStatus


class ExternalLedger(Protocol):
    """What waiting needs of the store."""

    def enter_external(self, job_id: str, fence: Fence, stage: ExternalStage) -> Job: ...

    def external_state(
        self, job_id: str, fence: Fence, stage: ExternalStage, overdue: Failure | None = None
    ) -> Job: ...


class Outside:
    """Says when a stage outside begins, and how far it is."""

    def __init__(self, ledger: ExternalLedger) -> None:
        self._ledger = ledger

    @activity.defn(name="enter-external", no_thread_cancel_exception=True)
    def enter(self, call: ExternalCall) -> ExternalState:
        """The stage's processing status, unless its runner was faster."""
        stage = _stage_of(call)
        return _state(self._ledger.enter_external(call.job_id, _fence(call), stage), stage)

    @activity.defn(name="external-state", no_thread_cancel_exception=True)
    def look(self, call: ExternalCall) -> ExternalState:
        """How far the callbacks have brought it; past the deadline it has failed then."""
        stage = _stage_of(call)
        return _state(self._ledger.external_state(call.job_id, _fence(call), stage, call.overdue), stage)


def _stage_of(call: ExternalCall) -> ExternalStage:
    return EXTERNAL_STAGES[StageName(call.stage)]


def _fence(call: ExternalCall) -> Fence:
    again = activity.info().workflow_run_id != call.dispatch_id
    return Fence(attempt=call.attempt, dispatch_id=call.dispatch_id, seq=call.seq, again=again)


def _state(job: Job, stage: ExternalStage) -> ExternalState:
    return ExternalState(
        reached=str(reached(InstructionStatus(job.status), stage)),
        failure_code=job.failure.failure_code if job.failure else None,
    )
