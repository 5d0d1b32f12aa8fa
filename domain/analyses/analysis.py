"""An analysis as the rest of the product passes it around: what it is over, what it asks, its draft, its plan."""

from datetime import datetime

from pydantic import Field

from domain.analyses.plan import Plan, analysis_identity
from domain.analyses.table import TableProfile, inputs_fingerprint
from domain.artifacts import ArtifactKind, Blob, Sha256
from domain.errors import DraftNotReady, PlanningSuperseded, RequestInvalid
from domain.jobs import Failure, Frozen, Job, TaskStatus
from domain.lifecycles.analysis import DRAFTING, AnalysisStatus

IDENTITY_VERSION = 1
"""Of the request's form: another form of the same words is another request."""

OUTPUTS = (ArtifactKind.PLAN, ArtifactKind.REPORT, ArtifactKind.TABLE, ArtifactKind.CHART)
"""What an analysis's owner can fetch."""

SUPERSEDED = Failure(
    failure_code=PlanningSuperseded.code,
    failure_message="What the plan was drafted for has changed, so it is drafted anew.",
)


class DeclaredFile(Frozen):
    """An input as its owner announces it, before a byte of it has arrived."""

    filename: str
    checksum_sha256: Sha256 = Field(pattern=r"^[0-9a-f]{64}$")
    size_bytes: int | None = None


class AnnouncedFile(DeclaredFile):
    """With the upload session that is opened for it, where it has none yet."""

    upload_id: str
    key: str
    part_size: int
    expires_at: datetime

    @property
    def declared(self) -> DeclaredFile:
        return DeclaredFile(**{name: getattr(self, name) for name in DeclaredFile.model_fields})


class InputFile(DeclaredFile):
    """An input of an analysis. ``blob``: where it lies, once it has arrived and is what was declared."""

    upload_id: str
    blob: Blob | None = None


class KeptTable(Frozen):
    """A table of the inputs: what is known about it, and its rows as Parquet."""

    profile: TableProfile
    parquet: Blob


class NewAnalysis(Frozen):
    """An analysis that is asked for. ``plan_revision``: another number is another analysis of the same question."""

    requirement: str
    files: tuple[AnnouncedFile, ...] = ()
    plan_revision: int | None = None

    @property
    def identity(self) -> str:
        return analysis_identity(IDENTITY_VERSION, fingerprint_of(self.files), self.requirement, self.plan_revision)


class Planning(Frozen):
    """One drafting of a plan. ``generation``: of what it is drafted for; the analysis may be further by now."""

    id: str
    job_id: str
    generation: int
    status: TaskStatus
    failure: Failure | None = None
    requested_at: datetime
    completed_at: datetime | None = None

    @property
    def is_under_way(self) -> bool:
        return self.completed_at is None


class Analysis(Frozen):
    """An analysis with its job.

    ``generation`` counts the changes of what a plan depends on (requirement, inputs, answers); ``plan`` was drafted for
    ``planned_generation``, from tables of inputs with ``tables_fingerprint``. ``plan_id``: once it is frozen.
    ``planning`` is the latest.
    """

    job: Job
    requirement: str
    plan_revision: int | None = None
    files: tuple[InputFile, ...] = ()
    inputs_fingerprint: str = ""
    generation: int
    answers: dict[str, str] = Field(default_factory=dict)
    tables: tuple[KeptTable, ...] = ()
    tables_fingerprint: str | None = None
    plan: Plan | None = None
    planned_generation: int | None = None
    plan_id: str | None = None
    planning: Planning | None = None

    @property
    def status(self) -> AnalysisStatus:
        return AnalysisStatus(self.job.status)

    @property
    def is_drafting(self) -> bool:
        """Whether inputs and draft may still change."""
        return self.status in DRAFTING

    @property
    def is_complete(self) -> bool:
        """Whether there are inputs, and all of them have arrived."""
        return bool(self.files) and all(file.blob is not None for file in self.files)

    @property
    def is_planned(self) -> bool:
        """Whether the draft is one for what is asked now."""
        return self.plan is not None and self.planned_generation == self.generation

    @property
    def profiles(self) -> tuple[TableProfile, ...]:
        return tuple(table.profile for table in self.tables)

    def current_plan(self) -> Plan:
        """The draft, where it is one for what is asked now.

        Raises:
            DraftNotReady: There is none, or it is being drafted anew; ``details`` say why.
        """
        if self.plan is None or not self.is_planned:
            raise self._not_ready()
        return self.plan

    def any_plan(self) -> Plan:
        """The draft, also one that is about to be drafted anew. Raises: DraftNotReady: There is none."""
        if self.plan is None:
            raise self._not_ready()
        return self.plan

    def _not_ready(self) -> DraftNotReady:
        failure = self.planning.failure if self.planning else None
        if not self.is_complete:
            said = "The inputs have not all arrived. Send them, then PUT the analysis's inputs."
        elif failure is not None:
            said = f"The plan could not be drafted: {failure.failure_message} Mend that, then have it planned again."
        else:
            said = "The plan is being drafted. Ask again in a moment."
        return DraftNotReady(
            said,
            details={
                "planning_status": str(self.planning.status) if self.planning else None,
                "failure_code": failure.failure_code if failure else None,
                "missing_files": sum(file.blob is None for file in self.files),
            },
        )


class DraftChange(Frozen):
    """What an edit of the draft comes to: another plan, or other words to plan from."""

    plan: Plan
    answers: dict[str, str] = Field(default_factory=dict)
    requirement: str | None = None
    plan_again: bool = False


def fingerprint_of(files: tuple[DeclaredFile, ...]) -> str:
    """Of the inputs, by what was declared; empty where there are none."""
    return inputs_fingerprint((file.filename, file.checksum_sha256) for file in files)


def check_files(files: tuple[DeclaredFile, ...], most: int) -> None:
    """Raises: RequestInvalid: more files than an analysis takes, or one of them twice."""
    if len(files) > most:
        raise RequestInvalid(f"An analysis takes at most {most} files.", details={"files": len(files)})
    if len({(file.filename, file.checksum_sha256) for file in files}) < len(files):
        raise RequestInvalid("A file is named twice. Name each once.")


def known_answers(plan: Plan) -> dict[str, str]:
    """The answers that a plan holds, by their questions' ids."""
    return {question.id: question.answer for question in plan.questions if question.answer}
