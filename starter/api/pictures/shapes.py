"""The bodies of what is asked and answered about anchors, screenshots and pictures that people bring."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StrictBool, StrictInt, model_validator

from domain.documents.anchor_resolution import Outcome, Resolution, Step
from domain.documents.anchors import Addressing, Anchor, CharRange
from domain.documents.annotations import Operation as DrawnOperation
from domain.documents.screenshots import (
    LONGEST_MS,
    AssetKind,
    Extraction,
    FrameStrategy,
    Operation,
    PictureFormat,
    ScreenshotAsset,
    ScreenshotTask,
)
from domain.jobs import TaskStatus
from starter.api.shapes import Checksum, Count, FailureAnswer, Line, Moment, Sent, Shape
from starter.services.screenshots import PictureClaim

Id = Annotated[str, Field(max_length=100)]
MediaType = Literal["image/png", "image/jpeg", "image/webp"]
Pixels = Annotated[StrictInt, Field(ge=1, le=2**31 - 1)]


# --- screenshots -------------------------------------------------------------------------------------------------


class NewReplacement(Sent):
    """A frame of the recording, for one version of the instruction."""

    instruction_id: Id | None = Field(default=None, description="None: the anchor's own.")
    instruction_version_id: Id
    timestamp_ms: Annotated[StrictInt, Field(ge=0, le=LONGEST_MS)]
    offset_ms: Annotated[StrictInt, Field(ge=-LONGEST_MS, le=LONGEST_MS)] = 0
    strategy: FrameStrategy = FrameStrategy.PRECISE
    format: PictureFormat = PictureFormat.PNG
    idempotency_key: Line | None = None

    @property
    def extraction(self) -> Extraction:
        return Extraction.model_validate(self.model_dump(include=set(Extraction.model_fields)))


class NewExtraction(NewReplacement):
    """Where the picture goes is said by one of the three, or left to the block that tells of that moment."""

    instruction_id: Id
    anchor_id: Id | None = None
    block_id: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    char_range: CharRange | None = None

    @model_validator(mode="after")
    def _names_one_place(self) -> Self:
        if sum(each is not None for each in (self.anchor_id, self.block_id, self.char_range)) > 1:
            raise ValueError("names several places: give an anchor_id, a block_id or a char_range")
        return self

    @property
    def place(self) -> Addressing | None:
        if self.block_id is not None:
            return Addressing.of_block(self.block_id)
        if self.char_range is not None:
            return Addressing.of_range(self.char_range.start_offset, self.char_range.end_offset)
        return None


class AssetAnswer(Shape):
    """A picture; a deleted one is still there to be seen."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: str
    anchor_id: str | None = Field(description="Null before an uploaded picture is attached.")
    version: int | None = Field(description="Counts the pictures of the anchor, from 1.")
    kind: AssetKind
    previous_asset_id: str | None = Field(description="What showed before it.")
    image_uri: str = Field(description="Signed: whoever has it can fetch the picture until it expires.")
    mime_type: str
    size_bytes: int
    width: int
    height: int
    timestamp_ms: int | None = Field(description="When its frame appeared on screen, in the recording's time.")
    extraction_key: str | None
    checksum_sha256: str
    upload_id: str | None
    ops_hash: str | None
    operations: tuple[DrawnOperation, ...] | None = Field(
        description="What was drawn on rendered_from_asset_id; to change it, draw others on that. Null where it is no "
        "drawing, or one of an earlier version."
    )
    rendered_from_asset_id: str | None
    is_deleted: bool
    created_at: Moment

    @classmethod
    def of(cls, asset: ScreenshotAsset, image_uri: str) -> "AssetAnswer":
        return cls(
            **asset.model_dump(exclude={"blob"}),
            image_uri=image_uri,
            mime_type=asset.blob.media_type,
            size_bytes=asset.blob.size_bytes,
            checksum_sha256=asset.blob.checksum_sha256,
        )


class ScreenshotTaskAnswer(Shape):
    id: str
    task_id: str = Field(description="The same as id.")
    operation: Operation
    status: TaskStatus
    job_id: str
    instruction_id: str
    instruction_version_id: str
    anchor_id: str = Field(description="Where the picture goes.")
    asset_id: str | None = Field(description="The picture, on SUCCEEDED.")
    asset: AssetAnswer | None
    timestamp_ms: int
    offset_ms: int
    strategy: FrameStrategy
    format: PictureFormat
    failure: FailureAnswer | None
    failure_code: str | None
    failure_message: str | None
    requested_at: Moment
    updated_at: Moment
    completed_at: Moment | None
    replayed: bool = Field(description="It had been asked for before.")

    @classmethod
    def of(cls, task: ScreenshotTask, asset: AssetAnswer | None, *, replayed: bool = False) -> "ScreenshotTaskAnswer":
        return cls(
            **task.model_dump(include=set(cls.model_fields) - {"failure"}),
            replayed=replayed,
            **task.extraction.model_dump(),
            task_id=task.id,
            asset=asset,
            failure=FailureAnswer.of(task.failure),
            failure_code=task.failure.failure_code if task.failure else None,
            failure_message=task.failure.failure_message if task.failure else None,
        )


# --- anchors -----------------------------------------------------------------------------------------------------


class NewAnchor(Sent):
    instruction_version_id: Id
    addressing: Addressing


class OutcomeMark(Sent):
    is_outcome: StrictBool = Field(description="It shows what came of the step: readers see “Result” above it.")


class AnchorAnswer(Shape):
    """A place that shows a picture. What it comes to in another version is said where one was asked for."""

    id: str
    anchor_id: str = Field(description="The same as id.")
    instruction_id: str
    instruction_version_id: str = Field(description="The version that the addressing is of.")
    job_id: str
    addressing: Addressing
    active_asset_id: str | None = Field(description="What shows.")
    is_outcome: bool = Field(description="Whether what shows is what came of the step.")
    assets: tuple[AssetAnswer, ...] = Field(description="Every version of its picture, the newest first.")
    target_instruction_version_id: str | None = Field(default=None, description="The version that was asked about.")
    resolution: Outcome | None = None
    resolved_addressing: Addressing | None = Field(default=None, description="The place there; null: unresolved.")
    trace: tuple[Step, ...] = Field(default=(), description="How it was looked for, in this order.")
    created_at: Moment
    updated_at: Moment

    @classmethod
    def of(
        cls, anchor: Anchor, assets: tuple[AssetAnswer, ...], target: tuple[str, Resolution] | None = None
    ) -> "AnchorAnswer":
        found: dict[str, object] = {}
        if target is not None:
            version_id, resolution = target
            found = {
                "target_instruction_version_id": version_id,
                "resolution": resolution.resolution,
                "resolved_addressing": resolution.addressing,
                "trace": resolution.trace,
            }
        fields = {name: getattr(anchor, name) for name in Anchor.model_fields}
        said = {"anchor_id": anchor.id, "is_outcome": anchor.is_outcome}
        return cls.model_validate({**fields, **said, "assets": assets, **found})


# --- pictures that people bring ----------------------------------------------------------------------------------


class NewPicture(Sent):
    filename: Annotated[str, Field(min_length=1, max_length=1000)]
    mime_type: MediaType
    size_bytes: Annotated[StrictInt, Field(ge=1, le=2**53)]
    checksum_sha256: Checksum


class Announced(Shape):
    upload_id: str


class AssetDeleted(AnchorAnswer):
    """The anchor as it shows now."""

    deleted_asset_id: str


class PictureTicket(Announced):
    upload_url: str = Field(description="PUT the file here, whole; again, if it was lost.")
    expires_at: Moment
    max_size_bytes: int = Field(description="Of any picture.")
    allowed_mime_types: tuple[MediaType, ...]


class PictureReceived(Announced):
    received_bytes: int


class ConfirmPicture(Sent):
    mime_type: MediaType
    size_bytes: Count
    checksum_sha256: Checksum
    width: Pixels
    height: Pixels

    @property
    def claim(self) -> PictureClaim:
        return PictureClaim(self.mime_type, self.size_bytes, self.checksum_sha256, self.width, self.height)


class PictureConfirmed(Shape):
    asset: AssetAnswer


class AttachUpload(Sent):
    upload_id: Id
    instruction_version_id: Id
    idempotency_key: Line | None = None
