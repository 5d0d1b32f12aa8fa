"""What a worker does for an analysis: read its inputs, draft its plan, compute the plan that was confirmed.

The words and the data stay in the database and the artifact store; Temporal learns of neither. Whoever is done again
after a death writes under keys of its own, and is recorded once.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from temporalio import activity

from activities.rails.contracts import TaskCall, TaskFailure
from activities.rails.heartbeat import Heartbeat
from activities.rails.stage import Product, StageLedger, Stages, Work, stage
from domain.analyses.analysis import Analysis, InputFile, KeptTable, Planning
from domain.analyses.plan import FrozenPlan, Plan, thawed
from domain.analyses.plan_meaning import noted
from domain.analyses.table import Note
from domain.artifacts import Artifact, ArtifactKind, Blob
from domain.errors import ArtifactCorrupt, ArtifactMissing, ProviderError
from domain.jobs import Failure, NewArtifact
from domain.lifecycles.analysis import RUNNING, SUCCEEDED

if TYPE_CHECKING:
    from activities.analysis.executor import Artifact as Made
    from activities.analysis.executor import RunLimits
    from activities.analysis.planning.planner import Planner
    from activities.analysis.reading.inputs import InputLimits
    from activities.artifacts import ArtifactStore

MODEL_TRIES = 3
"""Executions in which a model's provider may fail before the built-in planner drafts instead."""

COMPUTED_SHARE = 0.9
"""Of the progress: the rest is storing what was made."""

PARQUET = "application/vnd.apache.parquet"

KINDS = {"report.md": ArtifactKind.REPORT, "tables": ArtifactKind.TABLE, "charts": ArtifactKind.CHART}
"""What a file of a run is, by its name or folder."""

UNREACHED = Note(
    code="MODEL_UNREACHED",
    message="The language model could not be asked, so the built-in planner drafted this plan. Check it, or have it "
    "planned again later.",
)


class AnalysisStage(StrEnum):
    """What ``failed_stage`` says."""

    INPUTS = "inputs"
    PLANNING = "planning"
    COMPUTATION = "computation"


class AnalysisStore(StageLedger, Protocol):
    """What the work needs of the store."""

    def get_analysis(self, job_id: str) -> Analysis: ...
    def latest_artifact(self, job_id: str, kind: ArtifactKind) -> Artifact | None: ...
    def begin_planning(self, task_id: str) -> Planning: ...
    def keep_tables(self, task_id: str, fingerprint: str, tables: Sequence[KeptTable]) -> None: ...
    def finish_planning(self, task_id: str, plan: Plan) -> Planning: ...
    def fail_planning(self, task_id: str, failure: Failure) -> Planning: ...


@dataclass(frozen=True)
class AnalysisParts:
    """What the work is done with. ``planner`` may ask a model; ``embedded`` takes over where that cannot be reached."""

    store: AnalysisStore
    artifacts: "ArtifactStore"
    planner: "Planner"
    embedded: "Planner"
    input_limits: "InputLimits"
    run_limits: "RunLimits"
    scratch: Path | None = None


class AnalysisPlanning:
    """The activities of the workflow that drafts a plan. Each may run twice; its row is settled once."""

    def __init__(self, parts: AnalysisParts) -> None:
        self._parts = parts

    @activity.defn(name="read-inputs", no_thread_cancel_exception=True)
    def read_inputs(self, call: TaskCall) -> None:
        """The inputs as tables, with their profiles; nothing where they were read before."""
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            task = self._parts.store.begin_planning(call.task_id)
            analysis = self._parts.store.get_analysis(task.job_id)
            if not task.is_under_way or analysis.tables_fingerprint == analysis.inputs_fingerprint:
                return
            tables = self._read(call.task_id, analysis, heartbeat.check)
            self._parts.store.keep_tables(task.id, analysis.inputs_fingerprint, tables)

    @activity.defn(name="draft-plan", no_thread_cancel_exception=True)
    def draft_plan(self, call: TaskCall) -> None:
        """A plan for what is asked, over the tables that were read."""
        with Heartbeat(call.heartbeat_timeout_s) as heartbeat:
            task = self._parts.store.begin_planning(call.task_id)
            if not task.is_under_way:
                return
            analysis = self._parts.store.get_analysis(task.job_id)
            self._parts.store.finish_planning(task.id, self._drafted(analysis, heartbeat.check))

    @activity.defn(name="fail-plan", no_thread_cancel_exception=True)
    def fail(self, call: TaskFailure) -> None:
        self._parts.store.fail_planning(call.task_id, call.failure)

    def _read(self, task_id: str, analysis: Analysis, check: Callable[[], None]) -> list[KeptTable]:
        from activities.analysis.reading.inputs import InputFile as File
        from activities.analysis.reading.inputs import prepare

        parts, execution = self._parts, activity.info().attempt
        with ExitStack() as held, TemporaryDirectory(prefix="guidesmith-inputs-", dir=parts.scratch) as folder:
            files = [
                File(each.filename, held.enter_context(parts.artifacts.local_path(_arrived(each))))
                for each in analysis.files
            ]
            prepared = prepare(
                files,
                Path(folder) / "tables",
                limits=parts.input_limits,
                scratch=parts.scratch,
                on_progress=lambda _: check(),
            )
            if prepared.fingerprint != analysis.inputs_fingerprint:
                raise ArtifactCorrupt("A stored input is not what was uploaded. Make a new analysis with its files.")
            return [
                KeptTable(
                    profile=profile,
                    parquet=parts.artifacts.put_file(
                        f"jobs/{analysis.job.id}/inputs/{task_id}-{execution}/{place}.parquet",
                        prepared.parquet[profile.name],
                        PARQUET,
                        on_progress=lambda _: check(),
                    ),
                )
                for place, profile in enumerate(prepared.tables, start=1)
            ]

    def _drafted(self, analysis: Analysis, check: Callable[[], None]) -> Plan:
        asked = (analysis.requirement, analysis.profiles)
        try:
            plan = self._parts.planner.draft(*asked, answers=analysis.answers, stop=check)
        except ProviderError as fault:
            if fault.retryable and activity.info().attempt < MODEL_TRIES:
                raise
            plan = self._parts.embedded.draft(*asked, answers=analysis.answers, stop=check)
            plan = plan.model_copy(update={"warnings": (UNREACHED, *plan.warnings)})
        return noted(plan, analysis.profiles)


class AnalysisStages(Stages):
    """The one stage of the analysis job."""

    def __init__(self, parts: AnalysisParts) -> None:
        super().__init__(parts.store)
        self._parts = parts

    @stage(
        AnalysisStage.COMPUTATION,
        RUNNING,
        checkpoint=SUCCEEDED,
        queue="media",
        summary="compute the plan",
        activity_name="compute-analysis",
    )
    def compute(self, work: Work) -> Product:
        """The frozen plan's tables, charts and report: all of them, or none."""
        from activities.analysis.executor import execute

        analysis = self._parts.store.get_analysis(work.job.id)
        frozen = self._frozen(analysis)
        with ExitStack() as held, TemporaryDirectory(prefix="guidesmith-run-", dir=self._parts.scratch) as folder:
            parquet = {
                table.profile.name: held.enter_context(self._parts.artifacts.local_path(table.parquet))
                for table in analysis.tables
            }
            outcome = execute(
                frozen,
                analysis.profiles,
                parquet,
                Path(folder) / "out",
                limits=self._parts.run_limits,
                scratch=self._parts.scratch,
                on_step=lambda share, step: work.advance(COMPUTED_SHARE * share),
            )
            made = self._kept(work, outcome.artifacts, outcome.rows)
        return Product(made, result={"plan_id": frozen.plan_id, "rows": dict(outcome.rows)})

    def _frozen(self, analysis: Analysis) -> FrozenPlan:
        kept = self._parts.store.latest_artifact(analysis.job.id, ArtifactKind.PLAN)
        if kept is None:
            raise ArtifactMissing("The frozen plan is gone. Make a new analysis.")
        try:
            frozen = thawed(self._parts.artifacts.read_bytes(kept.blob))
        except ValueError:
            raise ArtifactCorrupt("The frozen plan is damaged. Make a new analysis.") from None
        if (frozen.plan_id, frozen.inputs_fingerprint) != (analysis.plan_id, analysis.tables_fingerprint):
            raise ArtifactCorrupt("The frozen plan is not of these inputs. Make a new analysis.")
        return frozen

    def _kept(self, work: Work, made: "Sequence[Made]", rows: Mapping[str, int]) -> list[NewArtifact]:
        """The report first: what is told of a stage is told of its first artifact."""
        stored = []
        for file in sorted(made, key=lambda each: _kind(each.name) is not ArtifactKind.REPORT):
            work.check()
            blob = self._parts.artifacts.put_file(
                work.key(file.name), file.path, file.media_type, on_progress=lambda _: work.check()
            )
            facts: dict[str, object] = {"name": file.name}
            if file.step is not None:
                facts |= {"step": file.step, "rows": rows[file.step]}
            stored.append(NewArtifact(kind=_kind(file.name), blob=blob, facts=facts))
        return stored


def _kind(name: str) -> ArtifactKind:
    return KINDS[name.partition("/")[0]]


def _arrived(file: InputFile) -> Blob:
    if file.blob is None:
        raise ArtifactMissing("An input has not arrived. Send it, then PUT the analysis's inputs.")
    return file.blob
