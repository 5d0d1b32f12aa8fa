"""What jobs made, as the library and their answers show it."""

from pydantic import Field

from domain.library import AssetMedium
from starter.api.shapes.base import Moment, Shape


class AssetFacts(Shape):
    """What a job made, to be fetched by whoever has its signed address, until that expires."""

    asset_id: str
    medium: AssetMedium
    mime_type: str
    size_bytes: int
    checksum_sha256: str
    width: int | None
    height: int | None
    provider: str | None = Field(description="Who made it.")
    model: str | None
    url: str = Field(description="Signed: the original.")
    thumbnail_url: str | None = Field(description="Signed: a small picture of it.")
    url_expires_at: Moment


class LibraryItem(AssetFacts):
    id: str = Field(description="The same as asset_id.")
    job_id: str
    created_at: Moment
