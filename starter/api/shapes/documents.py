"""Instructions, their versions, regenerations and exports."""

from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
)

from activities.store import VersionSummary
from domain.documents.anchors import CharRange
from domain.documents.document import BlockMark
from domain.documents.draft import BlockRole
from domain.documents.tasks import RegenerateTask
from domain.documents.versions import InstructionVersion
from domain.orders.batch import LONGEST_MS
from starter.api.shapes.base import GivenMoment, Line, Moment, Sent, Shape, Text, VersionNumber
from starter.api.shapes.jobs import FailureAnswer

MOST_SAID = 1_000
"""Blocks of which one save may say something."""


class ValidationIssue(Shape):
    code: str
    message: str
    path: str


class DraftNotice(Shape):
    code: str
    message: str
    at_ms: tuple[int, ...] = Field(default=(), description="Moments of the recording to look at.")


class BlockAnswer(Shape):
    """What a block is beside its text; one that is not listed is text that was written by hand."""

    block_id: str
    role: str
    start_ms: int | None
    end_ms: int | None


class InstructionAnswer(Shape):
    instruction_id: str
    instruction_version_id: str
    job_id: str
    version: int
    title: str
    language: str | None
    markdown: str
    blocks: tuple[BlockAnswer, ...]
    updated_at: Moment
    validation_status: Literal["PASS", "FAIL"]
    validation_errors: tuple[ValidationIssue, ...]
    validated_at: Moment
    validator_version: str
    model_profile_id: str | None
    prompt_template_id: str | None
    prompt_params_ref: str | None
    origin: str
    author: str
    translation_of: str | None = Field(default=None, description="Of a translation: its original, an instruction_id.")
    warnings: tuple[DraftNotice, ...] = Field(description="What a reader of the draft should know.")

    @classmethod
    def of(cls, version: InstructionVersion) -> "InstructionAnswer":
        values = version.model_dump(include=set(cls.model_fields))
        blocks = [{name: each.get(name) for name in BlockAnswer.model_fields} for each in version.evidence]
        return cls.model_validate(
            {
                **values,
                "blocks": blocks,
                "instruction_version_id": version.id,
                "updated_at": version.created_at,
                "origin": version.origin,
            }
        )


class SaidOfBlock(Sent):
    """What a block is beside its text. What is not said stays as it is; a block that the text does not have is
    passed over."""

    block_id: Line
    role: Literal["section", "step", "note", "warning", "text"] | None = None
    cut_from: Line | None = Field(
        default=None, description="The block that a new one was cut from, whose time and words it shares."
    )
    absorbs: tuple[Line, ...] = Field(
        default=(), max_length=MOST_SAID, description="Blocks that were merged into it: their pictures show here."
    )
    start_ms: StrictInt | None = Field(
        default=None, ge=0, le=LONGEST_MS, description="The moment of the recording that it tells."
    )

    @property
    def mark(self) -> BlockMark:
        role = BlockRole(self.role) if self.role else None
        told = self.model_dump(include={"block_id", "cut_from", "absorbs", "start_ms"})
        return BlockMark(**told, role=role)


SittingId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
"""A UUID of the client's, one for each desk."""


class SaveInstruction(Sent):
    base_version: VersionNumber
    markdown: Text
    as_marked: StrictBool = Field(
        default=False,
        description="Whether what stands below a marker stays one block, whatever was added to it. Without it, "
        "paragraphs that were added below an otherwise unchanged block become blocks of their own.",
    )
    blocks: tuple[SaidOfBlock, ...] = Field(
        default=(), max_length=MOST_SAID, description="What is said of blocks beside their text."
    )
    sitting_id: SittingId | None = Field(
        default=None, description="The sitting that this was written in: it ends with the save."
    )
    sitting_kept_at: GivenMoment | None = Field(
        default=None, description="As it was answered for that sitting last: what was kept of it since stays."
    )


class VersionAnswer(Shape):
    instruction_version_id: str
    instruction_id: str
    version: int
    title: str
    origin: str
    author: str
    validation_status: str
    model_profile_id: str | None
    created_at: Moment
    name: str | None = Field(description="What somebody called it.")

    @classmethod
    def of(cls, summary: VersionSummary) -> "VersionAnswer":
        return cls(**summary.model_dump(exclude={"id"}), instruction_version_id=summary.id)


class Selection(Sent):
    """Exactly one of the two."""

    block_id: Line | None = None
    char_range: CharRange | None = None


class NewRegeneration(Sent):
    base_version: VersionNumber
    selection: Selection
    client_request_id: Line
    context: Annotated[Text, StringConstraints(max_length=10_000)] | None = Field(
        default=None,
        description="What should be different, in words. Without a language model: shorter, or as a list; of another "
        "wish the task warns that it was not followed.",
    )
    model_profile: Line | None = None
    prompt_template_id: Line | None = None
    prompt_params_ref: Line | None = None


class KeptBlock(Shape):
    """The new text of one block, which was not put in place."""

    block_id: str
    markdown: str
    deleted: bool = Field(description="The block is gone; else its text was edited.")


class Proposal(Shape):
    """What was written and gave way to an edit made meanwhile."""

    markdown: str = Field(description="All of it.")
    blocks: tuple[KeptBlock, ...]


class TaskProvenance(Shape):
    """What the task was asked for. Where no model or prompt was named: what wrote, once it has."""

    instruction_id: str
    base_version: int
    selection: dict[str, Any]
    requested_by: str
    requested_at: Moment
    model_profile_id: str | None
    prompt_template_id: str | None
    prompt_params_ref: str | None


class TaskAnswer(Shape):
    id: str
    task_id: str = Field(description="The same as id.")
    instruction_id: str
    job_id: str
    status: Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED"]
    progress_pct: int
    instruction_version: int | None
    proposal: Proposal | None = Field(description="The new text, where an edit made meanwhile won over it.")
    warnings: tuple[DraftNotice, ...] = Field(
        description="What the writer has to say, also where the text is the same."
    )
    failure: FailureAnswer | None
    provenance: TaskProvenance
    requested_at: Moment
    updated_at: Moment
    replayed: bool = Field(description="It had been asked for before.")

    @classmethod
    def of(cls, task: RegenerateTask, *, replayed: bool = False) -> "TaskAnswer":
        return cls(
            requested_at=task.requested_at,
            updated_at=task.updated_at,
            replayed=replayed,
            id=task.id,
            task_id=task.id,
            instruction_id=task.instruction_id,
            job_id=task.job_id,
            status=task.status.value,
            progress_pct=task.progress_pct,
            instruction_version=task.instruction_version,
            proposal=None
            if task.proposal is None
            else Proposal.model_validate(
                {"markdown": task.proposal, "blocks": [each.model_dump() for each in task.kept]}
            ),
            warnings=tuple(DraftNotice.model_validate(each) for each in task.warnings),
            failure=FailureAnswer.of(task.failure),
            provenance=TaskProvenance(
                instruction_id=task.instruction_id,
                base_version=task.base_version,
                selection=task.selection,
                requested_by=task.requested_by,
                requested_at=task.requested_at,
                model_profile_id=task.model_profile_id,
                prompt_template_id=task.prompt_template_id,
                prompt_params_ref=task.prompt_params_ref,
            ),
        )


class NewExport(Sent):
    format: str = Field(
        max_length=40,
        examples=["PDF"],
        description="PDF, MD_ZIP, DOCX, HTML, SRT, VTT, MP4, MP4_VOICE, SITE, CONFLUENCE, NOTION; a package's: `X_…`.",
    )
    instruction_version_id: str = Field(max_length=100)
    idempotency_key: Line | None = Field(
        default=None,
        description="The same key with another request is refused. Without one, too, the same is the same.",
    )


class AnchorProvenance(Shape):
    anchor_id: str
    active_asset_id: str = Field(description="The picture that the export shows.")
    rendered_asset_id: str | None = Field(description="The same where it is annotated.")


class BrandProvenance(Shape):
    """Which of a project's brands a file shows. It is kept as it was then, whatever is saved later."""

    id: str
    saved_at: Moment
    project: str | None = Field(description="The project's name, where the file shows it.")


class ExportPlace(Shape):
    """Where an export put the guide, where its format names a place and not a file."""

    site: str
    page_id: str
    url: str
    version: int = Field(description="Of the page there.")


class ExportProvenance(Shape):
    """What the export is made of; complete, and final, once the export has succeeded."""

    instruction_version_id: str
    screenshot_set_hash: str
    anchors: tuple[AnchorProvenance, ...] = ()
    instruction_snapshot_id: str | None = Field(
        default=None, description="The text that was exported: a version's, which never changes, so its id."
    )
    model_profile_id: str | None = None
    prompt_template_id: str | None = None
    prompt_params_ref: str | None = None
    brand: BrandProvenance | None = Field(
        default=None, description="The brand that the project had when it was asked for; null: none."
    )
    generated_at: Moment | None = None
    place: ExportPlace | None = None


class ExportAnswer(Shape):
    id: str
    export_id: str = Field(description="The same as id.")
    job_id: str
    instruction_id: str
    instruction_version_id: str
    format: str
    identity_key: str
    status: Literal["REQUESTED", "RUNNING", "SUCCEEDED", "FAILED"]
    filename: str | None
    size_bytes: int | None
    checksum_sha256: str | None
    screenshot_set_hash: str = Field(description="Of the pictures that it shows, as in its provenance.")
    provenance: ExportProvenance
    provenance_frozen_at: Moment | None
    warnings: tuple[str, ...]
    failure: FailureAnswer | None
    requested_at: Moment
    updated_at: Moment
    completed_at: Moment | None
    replayed: bool = Field(default=False, description="It had been asked for before.")
    download_url: str | None = Field(description="Signed, for this file only; on SUCCEEDED.")
    download_url_expires_at: Moment | None
