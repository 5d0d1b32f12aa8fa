"""The ``analysis`` lifecycle: a requirement over data becomes a confirmed plan and a run.

The plan itself, its identity and its freezing are in ``domain/analyses/plan.py``.
"""

from enum import StrEnum

from domain.errors import TransitionRefused
from domain.lifecycles.instruction import RETRY
from domain.lifecycles.lifecycle import Lifecycle, Trigger, rows

API, USER, WORKER, ADMIN, SYSTEM = Trigger.API, Trigger.USER, Trigger.WORKER, Trigger.ADMIN, Trigger.SYSTEM


class AnalysisStatus(StrEnum):
    """Statuses in order. ``failed`` is terminal but for the retry."""

    CREATED = "created"
    DRAFT_READY = "draft_ready"
    CONFIRMED = "confirmed"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


CREATED = AnalysisStatus.CREATED
DRAFT_READY = AnalysisStatus.DRAFT_READY
CONFIRMED = AnalysisStatus.CONFIRMED
QUEUED = AnalysisStatus.QUEUED
RUNNING = AnalysisStatus.RUNNING
SUCCEEDED = AnalysisStatus.SUCCEEDED
FAILED = AnalysisStatus.FAILED

ANALYSIS = Lifecycle(
    kind="analysis",
    statuses=AnalysisStatus,
    terminals=frozenset({SUCCEEDED, FAILED}),
    failures=frozenset({FAILED}),
    runner=WORKER,
    repeats_are_noops=True,
    transitions=Lifecycle.of(
        rows(None, CREATED, API, "the job is made"),
        rows(CREATED, DRAFT_READY, (API, WORKER), "inputs are uploaded, a plan that fits its schema is stored"),
        rows(DRAFT_READY, CONFIRMED, (API, USER), "confirmed by the user, with nothing left open"),
        rows(CONFIRMED, QUEUED, (API, USER), "the plan is frozen"),
        rows(QUEUED, RUNNING, WORKER, "a worker took it"),
        rows(RUNNING, SUCCEEDED, WORKER, "the outputs are stored"),
        rows(RUNNING, FAILED, (WORKER, SYSTEM), "the error is stored"),
        rows(FAILED, QUEUED, (API, USER, ADMIN), "a new attempt with the same plan", action=RETRY),
    ),
)

DRAFTING = frozenset({CREATED, DRAFT_READY})
"""While inputs and draft may still change."""


def check_unlocked(status: AnalysisStatus) -> None:
    """Whether inputs and draft may change.

    Raises:
        TransitionRefused: They are locked: the plan was confirmed.
    """
    if status not in DRAFTING:
        raise TransitionRefused(
            f"The analysis is {status}: its inputs and its plan are locked. Make a new analysis to change them.",
            details={
                "current_status": str(status),
                "attempted_status": str(DRAFT_READY),
                "allowed_next_statuses": [str(each) for each in ANALYSIS.allowed_next(status)],
            },
        )
