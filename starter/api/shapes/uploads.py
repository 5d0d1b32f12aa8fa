"""Uploads of recordings."""

from typing import Annotated

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
)

from starter.api.shapes.base import ADDRESSES_AT_ONCE, Checksum, Count, Moment, PartNumber, Sent, Shape, _without_nul
from starter.api.shapes.jobs import JobAnswer


class NewUpload(Sent):
    filename: Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_without_nul)]
    size_bytes: Count | None = None
    checksum_sha256: Checksum | None = None


class UploadAnswer(Shape):
    upload_id: str
    video_uri: str
    upload_url: str = Field(
        description="PUT the whole file here, or a part of it to `?part=N` (from 1); GET says what has arrived."
    )
    parts_url: str = Field(
        description="POST part numbers here for addresses that take them, in the object store itself where it can be "
        "reached; the parts of upload_url and of these are the same."
    )
    part_size: int = Field(description="The size of every part but the last, in bytes.")
    expires_at: Moment


class PartNumbers(Sent):
    numbers: Annotated[tuple[PartNumber, ...], Field(min_length=1, max_length=ADDRESSES_AT_ONCE)]


class PartAddressAnswer(Shape):
    part: int
    url: str = Field(description="PUT the part here, without a token.")
    headers: dict[str, str] = Field(description="What that request must say.")
    expires_at: Moment


class PartAddresses(Shape):
    parts: tuple[PartAddressAnswer, ...]


class UploadProgress(Shape):
    received_parts: tuple[int, ...]
    received_bytes: int


class ConfirmUpload(Sent):
    video_uri: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    size_bytes: Count | None = None
    checksum_sha256: Checksum | None = None


class Confirmed(Shape):
    job: JobAnswer
    replayed: bool
