"""The bodies of what is asked and answered about analyses."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from domain.analyses.analysis import Planning
from domain.analyses.steps import MAX_STEPS, REQUIREMENT_LIMIT, TEXT_LIMIT, Step, StepId
from domain.analyses.table import ColumnProfile, ColumnType, Note, TableProfile
from domain.artifacts import ArtifactKind
from domain.jobs import TaskStatus
from starter.api.shapes import (
    Checksum,
    Count,
    FailureAnswer,
    JobAnswer,
    Moment,
    Sent,
    Shape,
    Text,
    VersionNumber,
    on_one_line,
)

FILES_CAP = 100
"""Input files that are looked at; how many an analysis takes is a setting."""


def _no_path(name: str) -> str:
    if not name.strip():
        raise ValueError("is no file's name")
    return on_one_line(name)


Filename = Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_no_path)]
Requirement = Annotated[Text, StringConstraints(max_length=REQUIREMENT_LIMIT)]
Answer = Annotated[Text, StringConstraints(max_length=TEXT_LIMIT)]


# --- inputs ----------------------------------------------------------------------------------------------------------


class NewInputFile(Sent):
    filename: Filename = Field(examples=["sales.csv"])
    checksum_sha256: Checksum = Field(description="Of the whole file: what tells these inputs from others.")
    size_bytes: Count | None = None


class NewInputs(Sent):
    files: Annotated[tuple[NewInputFile, ...], Field(max_length=FILES_CAP)] = Field(
        default=(), description="CSV, Parquet or Excel files, in any order."
    )
    fingerprint: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")] | None = Field(
        default=None, description="Of the files, where the client knows it: another than theirs is refused."
    )


class InputFileAnswer(Shape):
    """An input. While it is awaited it has an address that takes it, whole or in parts, as a recording's."""

    upload_id: str
    filename: str
    checksum_sha256: str
    size_bytes: int | None
    arrived: bool = Field(description="It is there, and is what was declared.")
    upload_url: str | None = Field(description="PUT the file here, or a part to `?part=N`; GET says what is there.")
    parts_url: str | None = Field(description="POST part numbers here for addresses that take them.")
    part_size: int | None
    expires_at: Moment | None


class InputsAnswer(Shape):
    fingerprint: str = Field(description="SHA-256 over the files' names and hashes; empty where there are none.")
    complete: bool = Field(description="There are files, and all have arrived.")
    files: tuple[InputFileAnswer, ...]


# --- the analysis ----------------------------------------------------------------------------------------------------


class NewAnalysisBody(Sent):
    requirement: Requirement = Field(
        default="", description="What you want to know, in words.", examples=["Total revenue by region, as a chart"]
    )
    inputs: NewInputs = NewInputs()
    plan_revision: VersionNumber | None = Field(
        default=None, description="Another number makes it another analysis of the same question over the same inputs."
    )


class PlanningAnswer(Shape):
    """The latest drafting of the plan."""

    task_id: str
    status: TaskStatus
    failure: FailureAnswer | None = Field(description="Why there is no plan of it. It may be had again.")
    requested_at: Moment
    completed_at: Moment | None

    @classmethod
    def of(cls, planning: Planning | None) -> "PlanningAnswer | None":
        if planning is None:
            return None
        return cls(
            task_id=planning.id,
            status=planning.status,
            failure=FailureAnswer.of(planning.failure),
            requested_at=planning.requested_at,
            completed_at=planning.completed_at,
        )


class AnalysisAnswer(JobAnswer):
    """The job, with what it was asked for."""

    requirement: str
    inputs: InputsAnswer
    planning: PlanningAnswer | None = Field(description="Null before all inputs have arrived.")
    plan_id: str | None = Field(description="Of the frozen plan: the hash of plan and inputs.")


class Confirmation(Sent):
    version: VersionNumber | None = Field(
        default=None, description="Of the draft that you have seen; without it whichever there is."
    )
    inputs_fingerprint: Checksum | None = Field(default=None, description="Of the inputs that you mean.")


class RunRequest(Sent):
    inputs_fingerprint: Checksum | None = Field(default=None, description="Of the inputs that you mean.")


# --- the draft -------------------------------------------------------------------------------------------------------


class ColumnAnswer(Shape):
    name: str = Field(description="What a plan calls it.")
    heading: str = Field(description="As the file has it.")
    type: ColumnType
    empty: int
    distinct: int = Field(description="About how many different values it has.")

    @classmethod
    def of(cls, column: ColumnProfile) -> "ColumnAnswer":
        return cls(
            name=column.name, heading=column.original, type=column.type, empty=column.nulls, distinct=column.distinct
        )


class TableAnswer(Shape):
    name: str
    source: str = Field(description="The file, and the sheet where it has some.")
    rows: int
    columns: tuple[ColumnAnswer, ...]
    notes: tuple[Note, ...] = Field(description="What whoever reads the numbers should know.")

    @classmethod
    def of(cls, table: TableProfile) -> "TableAnswer":
        columns = tuple(ColumnAnswer.of(column) for column in table.columns)
        return cls(name=table.name, source=table.source, rows=table.rows, columns=columns, notes=table.notes)


class UnderstoodAnswer(Shape):
    """One aspect of how the question was understood."""

    aspect: str = Field(
        description="Data, Computed, For each, Period, Rows, Order, Left out, Guessed, To know.", examples=["Computed"]
    )
    words: tuple[str, ...] = Field(examples=[["the total of amount (“Amount €”)"]])


class DraftAnswer(Shape):
    job_id: str
    status: str
    version: int = Field(description="The job's: what an edit, or a confirmation, says it is of.")
    current: bool = Field(description="It is a plan for what is asked now; where not, another is being drafted.")
    plan: dict[str, Any] = Field(
        description="requirement, steps, questions, unknowns, assumptions, warnings, plan_source (chat or embedded) "
        "and why: how it came about. A step is as PATCH takes it."
    )
    understood: tuple[UnderstoodAnswer, ...] = Field(
        description="The plan in words: what is computed, of which rows, what is left out and what was guessed."
    )
    open_questions: tuple[str, ...] = Field(description="Ids of questions to answer before it can be confirmed.")
    blocking_unknowns: tuple[str, ...] = Field(description="Ids of what no answer settles.")
    inputs_fingerprint: str
    tables: tuple[TableAnswer, ...]
    planning: PlanningAnswer | None
    plan_id: str | None = Field(description="Once it is frozen.")


class DraftPatch(Sent):
    """What changes of a draft; what is left out stays. Answers and another requirement lead to a new plan; steps are
    taken as they are."""

    version: VersionNumber = Field(description="Of the draft that is changed.")
    requirement: Requirement | None = None
    answers: dict[StepId, Answer] | None = Field(default=None, description="By the ids of the questions.")
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=MAX_STEPS)] | None = None
    dismissed_unknowns: Annotated[tuple[StepId, ...], Field(max_length=20)] = Field(
        default=(), description="Unknowns that the steps settle."
    )


# --- what was made ---------------------------------------------------------------------------------------------------


class AnalysisArtifact(Shape):
    """A file of an analysis, to be fetched by whoever has its signed address, until that expires."""

    artifact_id: str
    name: str = Field(examples=["plan.json", "report.md", "tables/02-total.csv", "charts/03-chart.png"])
    kind: ArtifactKind
    step: str | None = Field(description="The step of the plan that it shows.")
    rows: int | None
    mime_type: str
    size_bytes: int
    checksum_sha256: str
    url: str = Field(description="Signed.")
    url_expires_at: Moment
    created_at: Moment
