"""What surrounds every stage: fence, heartbeats, audit, progress. A stage's body sees only the work.

A stage writes its own mirror rows: on entry the processing state, at the end the checkpoint together with the
artifacts, in one transaction each. An execution that committed its end and died before it could report is answered
from those rows when it is tried again, so that nothing is done or recorded twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from temporalio import activity

from activities.rails.contracts import StageCall, StageResult
from activities.rails.heartbeat import Heartbeat, why_again
from domain.artifacts import Artifact
from domain.documents.screenshots import NewScreenshot
from domain.documents.versions import NewVersion
from domain.jobs import Job, NewArtifact
from domain.library import NewAsset
from domain.lifecycles.fence import Fence
from domain.lifecycles.progress import WHOLE, progress_within, span_of
from domain.lifecycles.standstill import longest_of

PROGRESS_STEP = 2
"""Percent of the job between two progress rows: a recording of an hour writes fifty, not thousands."""


@dataclass(frozen=True)
class StageSpec:
    """A stage of any kind, as workflow and worker both see it. Statuses are the kind's own.

    Args:
        name: What the activity is called, and what ``failed_stage`` says.
        processing: The status while it works.
        checkpoint: The status when its product is stored; ``None`` for a stage that leaves the status alone.
        queue: The resource it needs: ``jobs``, ``media``, ``speech`` or ``providers``.
        summary: One line for the Temporal UI.
        span: The job's progress when it begins and when it has ended, in percent.
    """

    name: StrEnum
    processing: StrEnum
    checkpoint: StrEnum | None
    queue: str
    summary: str
    span: tuple[int, int] = WHOLE


@dataclass(frozen=True)
class Product:
    """What a stage made. The facts of its first artifact are what the workflow is told.

    ``assets`` go into the owner's library; ``result`` is kept beside the job's input.
    """

    artifacts: Sequence[NewArtifact] = ()
    version: NewVersion | None = None
    screenshots: Sequence[NewScreenshot] = ()
    assets: Sequence[NewAsset] = ()
    result: Mapping[str, object] | None = None


class StageGrant(Protocol):
    """The store's answer to a stage that begins."""

    @property
    def job(self) -> Job: ...
    @property
    def ended(self) -> bool: ...
    @property
    def execution(self) -> int: ...
    @property
    def over(self) -> bool: ...
    @property
    def artifacts(self) -> tuple[Artifact, ...]: ...


class StageOutcome(Protocol):
    """The store's answer to a stage that ends."""

    @property
    def artifacts(self) -> tuple[Artifact, ...]: ...


class StageLedger(Protocol):
    """What a stage needs of the store."""

    def begin_stage(
        self, job_id: str, fence: Fence, processing: str, *, unit: int = 0, reason: str | None = None
    ) -> StageGrant: ...

    def finish_stage(
        self,
        job_id: str,
        fence: Fence,
        *,
        target: str | None,
        artifacts: Sequence[NewArtifact],
        progress: int | None = None,
        version: NewVersion | None = None,
        screenshots: Sequence[NewScreenshot] = (),
        assets: Sequence[NewAsset] = (),
        result: Mapping[str, object] | None = None,
    ) -> StageOutcome: ...

    def report_progress(self, job_id: str, fence: Fence, progress: int, data: dict[str, object]) -> bool: ...


@dataclass
class Work:
    """One execution of a stage, as its body sees it. ``span``: the stage's own, where its name does not say it."""

    job: Job
    call: StageCall
    fence: Fence
    heartbeat: Heartbeat
    stage: StrEnum
    _ledger: StageLedger
    span: tuple[int, int] | None = None
    _reported: int = field(default=-1)

    def key(self, name: str) -> str:
        """Where a file of this execution is kept. Each has keys of its own: a zombie cannot change the bytes that a
        newer one recorded."""
        piece = f"-{self.call.unit}" if self.call.unit else ""
        return f"jobs/{self.job.id}/{self.fence.attempt}-{self.fence.seq}{piece}-{self.fence.execution}/{name}"

    def check(self) -> None:
        """Stop here if nobody waits for the result. Raises Cancelled or WorkerShuttingDown."""
        self.heartbeat.check()

    def advance(self, fraction: float, **details: int | float | str) -> None:
        """The stage is done by ``fraction`` (0 to 1). ``details`` ride on the next heartbeat.

        Raises:
            Cancelled, WorkerShuttingDown: Stop now.
        """
        self.check()
        progress = progress_within(self.span or span_of(self.stage), fraction)
        self.heartbeat.note(progress=progress, stage_progress=round(fraction, 4), **details)
        if progress >= self._reported + PROGRESS_STEP:
            self._reported = progress
            self._ledger.report_progress(self.job.id, self.fence, progress, {"stage": str(self.stage)})


Owner = TypeVar("Owner", bound="Stages")
Body = Callable[[Any, Work], Product]
Stage = Callable[[Any, StageCall], StageResult]


class Stages:
    """Base of a kind's stages: holds the ledger that every stage writes to."""

    def __init__(self, ledger: StageLedger) -> None:
        self._ledger = ledger

    def _work(self, call: StageCall, spec: StageSpec, body: Callable[[Work], Product]) -> StageResult:
        fence = fence_of(call)
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            grant = self._ledger.begin_stage(
                call.job_id, fence, str(spec.processing), unit=call.unit, reason=why_again()
            )
            if grant.ended:
                return stage_result(grant.artifacts, over=grant.job.status if grant.over else None)
            fence = fence.model_copy(update={"execution": grant.execution, "again": False})
            heartbeat.longest = longest_of(grant.job.kind, str(spec.processing))
            work = Work(grant.job, call, fence, heartbeat, spec.name, self._ledger, spec.span)
            product = body(work)
            if call.unit:
                return StageResult()
            heartbeat.check()
            outcome = self._ledger.finish_stage(
                call.job_id,
                fence,
                target=str(spec.checkpoint) if spec.checkpoint else None,
                artifacts=product.artifacts,
                progress=progress_within(spec.span, 1.0),
                version=product.version,
                screenshots=product.screenshots,
                assets=product.assets,
                result=product.result,
            )
            return stage_result(outcome.artifacts)


def fence_of(call: StageCall) -> Fence:
    """The fence of this execution of a stage."""
    info = activity.info()
    again = info.workflow_run_id != call.dispatch_id
    return call.fence(info.attempt).model_copy(update={"again": again})


def stage_result(artifacts: Sequence[Artifact], over: str | None = None) -> StageResult:
    """What the workflow learns of what was recorded: the numbers, names and flags of the first artifact, and ``over``,
    the status of a job that has ended."""
    facts = artifacts[0].facts if artifacts else {}
    known = {name: value for name, value in facts.items() if isinstance(value, int | float | str | bool)}
    return StageResult(facts=known, over=over)


def stage(
    name: StrEnum,
    processing: StrEnum,
    *,
    checkpoint: StrEnum | None = None,
    queue: str,
    summary: str,
    activity_name: str | None = None,
    span: tuple[int, int] | None = None,
) -> Callable[[Body], Stage]:
    """Make a method of a :class:`Stages` class a stage: an activity called ``name``, with all that surrounds it.

    ``span`` is that of the stage's name in ``domain.lifecycles.progress``, where it has one, else the whole job.
    """
    spec = StageSpec(name, processing, checkpoint, queue, summary, span or span_of(name))

    def surround(body: Body) -> Stage:
        def execute(self: Stages, call: StageCall) -> StageResult:
            return self._work(call, spec, lambda work: body(self, work))

        execute.__name__ = body.__name__
        execute.__qualname__ = body.__qualname__
        execute.__doc__ = body.__doc__
        del execute.__annotations__["self"]  # the SDK takes an annotated first parameter for the activity's input
        defined = activity.defn(name=activity_name or str(name), no_thread_cancel_exception=True)(execute)
        defined.__dict__["spec"] = spec
        return defined

    return surround


def spec_of(method: Stage) -> StageSpec:
    """The specification that :func:`stage` put on ``method``."""
    spec: StageSpec = method.__dict__["spec"]
    return spec
