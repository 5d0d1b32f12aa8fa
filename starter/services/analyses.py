"""Analyses as people ask for them: requested, planned, edited, confirmed, run.

Nothing is in Temporal but references: a planning by its task, a run by its job. What is decided is decided in one
transaction behind the job's row, so that any number of calls at once have one effect; a start that is lost after that
is made up for by the reconciler.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

import structlog
from temporalio.client import Client

from activities.artifacts import ArtifactStore
from activities.rails.contracts import RunOptions
from activities.rails.task_dispatch import PLAN, TaskDispatch
from activities.store import Store
from domain.analyses.analysis import Analysis, AnnouncedFile, DraftChange, NewAnalysis, check_files, known_answers
from domain.analyses.plan import FrozenPlan, Plan, answered, freeze
from domain.analyses.plan_meaning import noted
from domain.analyses.plan_rules import check_plan
from domain.analyses.steps import Step
from domain.errors import (
    DispatchFailed,
    EngineUnavailable,
    JobVersionConflict,
    PlanConflict,
    RequestInvalid,
)
from domain.jobs import TaskStatus
from starter.services.engine import engine_faults

PLAN_WAIT_S = 5.0
"""Seconds that an edit waits for the plan that follows from it; it is told of one that is still being drafted."""

PLAN_POLL_S = 0.1

TRIES = 5
"""How often a confirmation that names no version is decided anew, when the job changes under it."""

EDITED = " Its steps were then changed by hand."

log = structlog.get_logger("guidesmith.analyses")


@dataclass(frozen=True)
class DraftEdit:
    """What somebody changes of a draft; what is ``None`` stays.

    Answers and another requirement lead to another plan, unless ``steps`` say what is to be done. ``dismissed`` are
    unknowns that whoever changes the steps has settled by that.
    """

    requirement: str | None = None
    answers: Mapping[str, str] | None = None
    steps: tuple[Step, ...] | None = None
    dismissed: tuple[str, ...] = ()

    def apply(self, analysis: Analysis) -> DraftChange:
        """What becomes of the analysis's draft.

        Raises:
            DraftNotReady: There is none. RequestInvalid: A question or unknown that it does not have.
            PlanInvalid: The steps do not fit the tables.
        """
        before = {**analysis.answers, **known_answers(analysis.any_plan())}
        plan = answered(analysis.any_plan(), self.answers or {})
        known = {**before, **known_answers(plan)}
        if self.steps is not None:
            return DraftChange(plan=self._by_hand(analysis, plan), answers=known)
        if self.dismissed:
            raise RequestInvalid("An unknown is dismissed together with the steps that settle it.")
        if self.requirement is not None and _words(self.requirement) != _words(analysis.requirement):
            answers = dict(self.answers or {})
            return DraftChange(plan=plan, answers=answers, requirement=self.requirement, plan_again=True)
        return DraftChange(plan=plan, answers=known, plan_again=known != before)

    def _by_hand(self, analysis: Analysis, plan: Plan) -> Plan:
        analysis.current_plan()  # what is about to be drafted anew would be lost, or lose this
        if self.requirement is not None and _words(self.requirement) != _words(analysis.requirement):
            raise RequestInvalid("Change the requirement or the steps, one after the other.")
        strange = sorted(set(self.dismissed) - {unknown.id for unknown in plan.unknowns})
        if strange:
            raise RequestInvalid("The plan has no such unknown. Read the draft again.", details={"unknowns": strange})
        changed = self.steps != plan.steps
        made = plan.model_copy(
            update={
                "steps": self.steps,
                "unknowns": tuple(each for each in plan.unknowns if each.id not in self.dismissed),
                "why": plan.why if not changed or plan.why.endswith(EDITED) else f"{plan.why[:400]}{EDITED}",
            }
        )
        check_plan(made, analysis.profiles)
        return noted(made, analysis.profiles)


class AnalysisService:
    """What people do with analyses.

    Args:
        store: Called from threads.
        artifacts: Where frozen plans are put.
        client: A (lazily connected) Temporal client.
        options: How tasks are executed.
        most_files: That one analysis takes.
    """

    def __init__(
        self, store: Store, artifacts: ArtifactStore, client: Client, options: RunOptions, *, most_files: int
    ) -> None:
        self._store = store
        self._artifacts = artifacts
        self._task_dispatch = TaskDispatch(client, options)
        self._most_files = most_files

    # --- asked for -----------------------------------------------------------------------------------------------

    def request(self, owner: str, new: NewAnalysis) -> tuple[Analysis, bool]:
        """The analysis of a requirement over files, and whether this call made it. Called in a thread.

        Raises:
            RequestInvalid: Too many files, or one twice.
        """
        check_files(new.files, self._most_files)
        return self._store.request_analysis(owner, new)

    def declare(self, owner: str, job_id: str, files: tuple[AnnouncedFile, ...]) -> Analysis:
        """Say which files the analysis is over. Called in a thread.

        Raises:
            RequestInvalid: Too many files, or one twice. TransitionRefused: The plan was confirmed. NotFound.
        """
        check_files(files, self._most_files)
        return self._store.declare_inputs(owner, job_id, files)

    # --- planned -------------------------------------------------------------------------------------------------

    async def plan(self, owner: str, job_id: str, *, again: bool = False) -> Analysis:
        """Have a plan drafted, where there is none for what is asked now; with ``again`` also where there is.

        Raises:
            UploadInvalid: Inputs are missing. TransitionRefused: The plan was confirmed. NotFound.
        """
        analysis = await asyncio.to_thread(self._store.request_planning, owner, job_id, again=again)
        await self._begin_planning(analysis)
        return analysis

    async def edit(self, owner: str, job_id: str, version: int, edit: DraftEdit) -> Analysis:
        """Change the draft that ``version`` of the job has; the same change twice is made once.

        Raises:
            JobVersionConflict: It was changed otherwise meanwhile.
            DraftNotReady, RequestInvalid, PlanInvalid, TransitionRefused, NotFound: see :meth:`DraftEdit.apply`.
        """
        try:
            analysis = await asyncio.to_thread(self._store.change_draft, owner, job_id, version, edit.apply)
        except JobVersionConflict:
            analysis = await asyncio.to_thread(self._store.get_analysis, job_id, owner=owner)
            if not _is_made(edit, analysis):
                raise
        await self._begin_planning(analysis)
        return await self._planned(analysis)

    async def _begin_planning(self, analysis: Analysis) -> None:
        task = analysis.planning
        if task is None or task.status is not TaskStatus.PENDING:
            return

        try:
            async with engine_faults():
                await self._task_dispatch.begin(PLAN, task.id, analysis.job, live=False)
        except (EngineUnavailable, DispatchFailed) as absent:
            log.warning("planning.start_postponed", job_id=analysis.job.id, code=absent.code)

    async def _planned(self, analysis: Analysis) -> Analysis:
        """The analysis once its planning is over, or as it is after a while."""
        deadline = time.monotonic() + PLAN_WAIT_S
        while analysis.planning is not None and analysis.planning.is_under_way and time.monotonic() < deadline:
            await asyncio.sleep(PLAN_POLL_S)
            analysis = await asyncio.to_thread(self._store.get_analysis, analysis.job.id)
        return analysis

    # --- confirmed and run ---------------------------------------------------------------------------------------

    def confirm(
        self, owner: str, job_id: str, *, version: int | None = None, inputs_fingerprint: str | None = None
    ) -> tuple[Analysis, bool]:
        """Freeze the plan; the analysis, and whether it was frozen already. Called in a thread.

        Args:
            version: Of the job, as whoever confirms has seen it; ``None``: whichever it has.
            inputs_fingerprint: Of the inputs that whoever confirms means; ``None``: those it has.

        Raises:
            OpenQuestions: Something blocks; the analysis is as it was.
            PlanConflict: Of other inputs. JobVersionConflict: It changed since ``version``, and is not confirmed.
            DraftNotReady, TransitionRefused, NotFound.
        """
        for _ in range(TRIES):
            analysis = self._store.get_analysis(job_id, owner=owner)
            _check_inputs(analysis, inputs_fingerprint)
            if not analysis.is_drafting:
                return analysis, True
            frozen = freeze(analysis.current_plan(), analysis.inputs_fingerprint, analysis.plan_id)
            try:
                return self._confirmed(owner, analysis, frozen, version), False
            except JobVersionConflict:
                if version is not None and self._store.get_analysis(job_id, owner=owner).is_drafting:
                    raise
        raise JobVersionConflict("The analysis changes again and again. Load its draft, and confirm that.")

    def _confirmed(self, owner: str, analysis: Analysis, frozen: FrozenPlan, version: int | None) -> Analysis:
        seen = analysis.job.version if version is None else version
        if seen != analysis.job.version:
            raise JobVersionConflict(
                "The analysis changed meanwhile. Load its draft again.",
                details={"base_version": seen, "current_version": analysis.job.version},
            )
        key = f"jobs/{analysis.job.id}/plans/{frozen.plan_id}.json"
        document = self._artifacts.put_bytes(key, frozen.document, "application/json")
        return self._store.confirm_plan(owner, analysis.job.id, seen, frozen, document)

    def enqueue(self, owner: str, job_id: str, *, inputs_fingerprint: str | None = None) -> tuple[Analysis, bool]:
        """Put the confirmed analysis into the queue; the analysis, and whether that was done already. Called in a
        thread; whoever calls starts the run.

        Raises:
            TransitionRefused: It is not confirmed. TerminalImmutable: It has failed: retry it.
            PlanConflict: Of other inputs, or of another plan than was frozen. NotFound.
        """
        _check_inputs(self._store.get_analysis(job_id, owner=owner), inputs_fingerprint)
        return self._store.enqueue_analysis(owner, job_id)


def _check_inputs(analysis: Analysis, inputs_fingerprint: str | None) -> None:
    if inputs_fingerprint is not None and inputs_fingerprint != analysis.inputs_fingerprint:
        raise PlanConflict(
            "The analysis is over other inputs than these. Make a new analysis for them.",
            details={"inputs_fingerprint": analysis.inputs_fingerprint},
        )


def _is_made(edit: DraftEdit, analysis: Analysis) -> bool:
    """Whether the draft is as the edit would leave it, and nothing more would follow."""
    if analysis.plan is None or not analysis.is_drafting:
        return False
    change = edit.apply(analysis)
    return not change.plan_again and change.plan == analysis.plan


def _words(requirement: str) -> str:
    return " ".join(requirement.split())
