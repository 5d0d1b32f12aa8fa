"""Screenshots that people ask for: which frame, which requests are the same, and the pictures that come of them."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from pydantic import Field

from domain.artifacts import Blob, Sha256
from domain.canonical import digest
from domain.documents.annotations import Blur
from domain.documents.annotations import Operation as DrawnOperation
from domain.errors import RequestInvalid
from domain.jobs import Failure, Frozen, TaskStatus

LONGEST_MS = 2**40
"""Of a time within a recording, either way: thirty years. What is beyond is a slip, and would not fit a column."""


class Operation(StrEnum):
    """``REPLACE`` names the anchor whose picture gives way; ``EXTRACT`` says where the picture goes, or leaves that to
    the moment."""

    EXTRACT = "EXTRACT"
    REPLACE = "REPLACE"


class FrameStrategy(StrEnum):
    """``precise``: the frame on screen at that time. ``nearest_keyframe``: the key frame closest to it."""

    PRECISE = "precise"
    NEAREST_KEYFRAME = "nearest_keyframe"


class PictureFormat(StrEnum):
    PNG = "png"
    JPG = "jpg"
    WEBP = "webp"

    @property
    def media_type(self) -> str:
        return "image/jpeg" if self is PictureFormat.JPG else f"image/{self}"


class Extraction(Frozen):
    """A frame of a recording, and how it is kept. Times are milliseconds of the recording."""

    timestamp_ms: int
    offset_ms: int = 0
    strategy: FrameStrategy = FrameStrategy.PRECISE
    format: PictureFormat = PictureFormat.PNG

    @property
    def moment_ms(self) -> int:
        return self.timestamp_ms + self.offset_ms

    def check_within(self, duration_ms: int | None) -> None:
        """Refuse a moment outside the recording; a length that nobody has measured is not held against it.

        Raises:
            RequestInvalid: ``details`` hold the times.
        """
        if self.moment_ms < 0 or (duration_ms is not None and self.moment_ms > duration_ms):
            ends = "" if duration_ms is None else f", which ends at {duration_ms} ms"
            raise RequestInvalid(
                f"The time {self.moment_ms} ms is outside the recording{ends}. Choose a time within it.",
                field="timestamp_ms",
                details={"timestamp_ms": self.timestamp_ms, "offset_ms": self.offset_ms, "duration_ms": duration_ms},
            )

    def canonical_key(self, job_id: str, instruction_version_id: str, *, replacing: str | None = None) -> Sha256:
        """What makes two requests the same: job, version, time, offset, strategy and format; of a replacement also
        that it is one, and of which anchor."""
        frame = self.model_dump(mode="json")
        operation = [] if replacing is None else [Operation.REPLACE, replacing]
        return digest(job_id, instruction_version_id, frame, *operation)


class ScreenshotTask(Frozen):
    """An extraction under way. ``anchor_id`` is where its picture goes, ``asset_id`` the picture once it is there."""

    id: str
    job_id: str
    instruction_id: str
    instruction_version_id: str
    anchor_id: str
    owner: str
    operation: Operation
    status: TaskStatus
    extraction: Extraction
    canonical_key: Sha256
    asset_id: str | None = None
    failure: Failure | None = None
    requested_at: datetime
    updated_at: datetime
    completed_at: datetime | None = None


class AssetKind(StrEnum):
    EXTRACTED = "EXTRACTED"
    UPLOADED = "UPLOADED"
    ANNOTATED = "ANNOTATED"


class ScreenshotAsset(Frozen):
    """A picture. ``version`` counts the pictures of its anchor from 1; a picture that was uploaded and is not attached
    yet has neither. ``timestamp_ms`` is when its frame appeared on screen; ``operations`` are what was drawn on
    ``rendered_from_asset_id`` to make it (drawings of earlier versions do not say)."""

    id: str
    anchor_id: str | None = None
    version: int | None = None
    kind: AssetKind
    previous_asset_id: str | None = None
    blob: Blob
    width: int
    height: int
    timestamp_ms: int | None = None
    extraction_key: str | None = None
    upload_id: str | None = None
    ops_hash: str | None = None
    operations: tuple[DrawnOperation, ...] | None = None
    rendered_from_asset_id: str | None = None
    is_deleted: bool = False
    created_at: datetime


class NewFrame(Frozen):
    """A frame that was stored and is about to be recorded; sizes are pixels."""

    blob: Blob
    width: int
    height: int
    pts_ms: int


class PictureUpload(Frozen):
    """A picture on its way: what was declared of it, and where its bytes lie (``key``), if they have come.

    ``asset_id`` is what it will be called once it is confirmed; from then on nothing of it changes.
    """

    id: str
    job_id: str
    owner: str
    asset_id: str
    filename: str
    media_type: str
    size_bytes: int
    checksum_sha256: Sha256
    key: str | None = None
    width: int | None = Field(default=None, ge=1)
    height: int | None = Field(default=None, ge=1)
    created_at: datetime
    expires_at: datetime
    confirmed_at: datetime | None = None

    @property
    def asset(self) -> ScreenshotAsset | None:
        """The picture as it is before it is attached; ``None`` before it is confirmed."""
        if self.confirmed_at is None or self.key is None or self.width is None or self.height is None:
            return None
        return ScreenshotAsset(
            id=self.asset_id,
            kind=AssetKind.UPLOADED,
            blob=Blob(
                key=self.key,
                size_bytes=self.size_bytes,
                checksum_sha256=self.checksum_sha256,
                media_type=self.media_type,
            ),
            width=self.width,
            height=self.height,
            upload_id=self.id,
            created_at=self.confirmed_at,
        )


def comes_back(earlier: ScreenshotAsset | None, since: Iterable[ScreenshotAsset]) -> bool:
    """Whether ``earlier``, or with ``None`` nothing, may show again when a version is restored that it showed with:
    not what was deleted since, and not what was blurred since, since somebody did that to keep it from being read.

    Args:
        since: The picture that shows, and those of its anchor that were made after the version, whatever became of
            them: who hides, replaces or deletes a blurred picture wants its frame to be read no more than before.
    """
    if earlier is None:
        return True
    of_frame = (each for each in since if _same_frame(each, earlier))
    blurred = {drawn for each in of_frame for drawn in each.operations or () if isinstance(drawn, Blur)}
    return not earlier.is_deleted and blurred <= {*(earlier.operations or ())}


def _same_frame(one: ScreenshotAsset, other: ScreenshotAsset) -> bool:
    """Of the recording, or one picture of somebody's own; a frame that was extracted again is the same."""
    if one.timestamp_ms is not None and one.timestamp_ms == other.timestamp_ms:
        return True
    return (one.rendered_from_asset_id or one.id) == (other.rendered_from_asset_id or other.id)


# --- pictures that stages make --------------------------------------------------------------------------------


class NewDrawing(Frozen):
    """A drawing that was stored and is about to be recorded; sizes are pixels."""

    ops_hash: str
    blob: Blob
    width: int
    height: int
    operations: tuple[DrawnOperation, ...] = ()


class NewScreenshot(Frozen):
    """A frame that a stage extracted for a block, and what it drew on it. ``is_outcome``: it shows what came of the
    step, and stands below the picture of the step itself."""

    block_id: str
    blob: Blob
    width: int
    height: int
    timestamp_ms: int
    extraction_key: str
    drawing: NewDrawing | None = None
    is_outcome: bool = False


class Screenshot(Frozen):
    """The active picture of an anchor: which block it belongs to, and the stored image. Where it is a drawing on
    another picture, ``rendered_asset_id`` names it once more, ``operations`` are what was drawn and ``base`` is what
    it was drawn on (drawings of earlier versions know neither). ``is_outcome``: it shows what came of the step;
    ``is_marked``: because a person says so, or it does not for that reason."""

    anchor_id: str
    asset_id: str
    block_id: str
    blob: Blob
    width: int
    height: int
    timestamp_ms: int | None
    rendered_asset_id: str | None = None
    operations: tuple[DrawnOperation, ...] = ()
    base: Blob | None = None
    is_outcome: bool = False
    is_marked: bool = False

    @property
    def provenance(self) -> dict[str, object]:
        """What an export says of one of its pictures."""
        return {
            "anchor_id": self.anchor_id,
            "active_asset_id": self.asset_id,
            "rendered_asset_id": self.rendered_asset_id,
            **({"marked_outcome": self.is_outcome} if self.is_marked else {}),
        }
