"""What jobs make for their owner to keep: the library's assets."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from domain.artifacts import Blob
from domain.jobs import Frozen


class AssetMedium(StrEnum):
    """What sort of thing an asset is."""

    PICTURE = "picture"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"


class NewAsset(Frozen):
    """An asset that a stage has stored and is about to record, as number ``ordinal`` (from 1) of its job's.

    Args:
        blob: The original, which nobody reaches without a signed address.
        thumbnail: A small picture of it.
        width: Pixels; with ``height``, of pictures and videos.
        facts: Small measured facts, and who made it; no text of the user's.
    """

    ordinal: int = Field(default=1, ge=1)
    medium: AssetMedium
    blob: Blob
    thumbnail: Blob | None = None
    width: int | None = Field(default=None, ge=1)
    height: int | None = Field(default=None, ge=1)
    facts: dict[str, object] = Field(default_factory=dict)


class LibraryAsset(NewAsset):
    """An asset as it is kept."""

    id: str
    job_id: str
    owner: str
    created_at: datetime
