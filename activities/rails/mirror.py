"""Status changes that no stage makes (editing began, cancelled, failed), written to the database."""

from collections.abc import Mapping
from typing import Protocol

from temporalio import activity

from activities.rails.contracts import ClaimCall, GoingOn, MirroredState, MoveCall, RunCall
from domain.errors import Fenced
from domain.jobs import Actor, Failure, Job
from domain.lifecycles.fence import Fence
from domain.lifecycles.lifecycle import Trigger


class MoveLedger(Protocol):
    """What the mirror needs of the store."""

    def move(
        self,
        job_id: str,
        fence: Fence,
        target: str,
        *,
        trigger: Trigger,
        actor: Actor,
        failure: Failure | None = None,
        note: str = "",
        data: Mapping[str, object] | None = None,
        event_type: str | None = None,
    ) -> Job: ...

    def mirrored_state(self, job_id: str, fence: Fence) -> tuple[str, int, bool]: ...

    def going_on(self, job_id: str) -> tuple[str | None, tuple[str, ...], bool]: ...

    def record_dispatch(
        self,
        job_id: str,
        *,
        attempt: int,
        dispatch_id: str,
        resume_from: str | None = None,
        action: str | None = None,
        trigger: Trigger,
        actor: Actor,
        client_request_id: str | None = None,
        model_profile: str | None = None,
    ) -> object: ...


class Mirror:
    """Small local activities: a status change costs no action of its own."""

    def __init__(self, ledger: MoveLedger) -> None:
        self._ledger = ledger

    @activity.defn(name="claim", no_thread_cancel_exception=True)
    def claim(self, call: ClaimCall) -> bool:
        """Record that this run owns the attempt. ``False``: another one does."""
        try:
            self._ledger.record_dispatch(
                call.job_id,
                attempt=call.attempt,
                dispatch_id=call.dispatch_id,
                resume_from=call.resume_from,
                action=call.action,
                trigger=Trigger.USER if call.action else Trigger.API,
                actor=Actor.EDITOR,
                client_request_id=call.client_request_id,
                model_profile=call.model_profile,
            )
        except Fenced:
            return False
        return True

    @activity.defn(name="move", no_thread_cancel_exception=True)
    def move(self, call: MoveCall) -> bool:
        """Record the move. ``False``: a newer run owns the job, and nothing was written."""
        fence = _fence(call)
        try:
            self._ledger.move(
                call.job_id,
                fence,
                call.target,
                trigger=Trigger(call.trigger),
                actor=Actor(call.actor),
                failure=call.failure,
                note=call.note,
                data=call.data,
                event_type=call.event_type,
            )
        except Fenced:
            return False
        return True

    @activity.defn(name="standing", no_thread_cancel_exception=True)
    def mirrored_state(self, call: RunCall) -> MirroredState:
        """Where the job is, and what goes on around its document, by their rows."""
        status, seq, own = self._ledger.mirrored_state(call.job_id, _fence(call))
        regenerating, exporting, exported = self._ledger.going_on(call.job_id)
        document = GoingOn(regenerating=regenerating, exporting=exporting, exported=exported)
        return MirroredState(status=status, seq=seq, own=own, document=document)


def _fence(call: RunCall) -> Fence:
    again = activity.info().workflow_run_id != call.dispatch_id
    return Fence(attempt=call.attempt, dispatch_id=call.dispatch_id, seq=call.seq, again=again)
