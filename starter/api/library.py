"""Assets over HTTP: their signed addresses, and how they are sent."""

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import Request

from domain.artifacts import Blob
from domain.library import LibraryAsset
from starter.api.context import Api
from starter.api.shapes import AssetFacts, LibraryItem

THUMBNAIL = "thumbnail"


def asset_facts(api: Api, request: Request, asset: LibraryAsset) -> AssetFacts:
    """The asset as it is sent, with fresh signed addresses."""
    return AssetFacts(**_facts(api, request, asset))


def library_item(api: Api, request: Request, asset: LibraryAsset) -> LibraryItem:
    """The asset as the library lists it."""
    return LibraryItem(**_facts(api, request, asset), id=asset.id, job_id=asset.job_id, created_at=asset.created_at)


def blob_of(asset: LibraryAsset, part: str) -> Blob | None:
    """The file that a signed address names: the original, or the thumbnail."""
    return asset.thumbnail if part == THUMBNAIL else asset.blob


def _facts(api: Api, request: Request, asset: LibraryAsset) -> dict[str, Any]:
    until = datetime.now(UTC) + timedelta(seconds=api.settings.download_url_ttl_s)

    def address(blob: Blob, part: str) -> str:
        direct = api.artifacts.signed_get_url(blob, api.settings.download_url_ttl_s, inline=True)
        if direct is not None:
            return direct
        signed = api.signed_urls.sign("library-file", f"{asset.id}/{part}", until.timestamp())
        return api.address(request, f"library-files/{signed}")

    return {
        "asset_id": asset.id,
        "medium": asset.medium,
        "mime_type": asset.blob.media_type,
        "size_bytes": asset.blob.size_bytes,
        "checksum_sha256": asset.blob.checksum_sha256,
        "width": asset.width,
        "height": asset.height,
        "provider": asset.facts.get("provider"),
        "model": asset.facts.get("model"),
        "url": address(asset.blob, "original"),
        "thumbnail_url": address(asset.thumbnail, THUMBNAIL) if asset.thumbnail else None,
        "url_expires_at": until,
    }
