"""Pictures over HTTP: their signed addresses, and how somebody's own picture comes in."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from anyio import CancelScope, to_thread
from fastapi import Request

from activities.artifacts import ArtifactWriter
from domain.documents.screenshots import PictureUpload, ScreenshotAsset
from starter.api.context import Api
from starter.api.errors import BodyTooLarge
from starter.api.pictures.shapes import AssetAnswer


def asset_answer(api: Api, request: Request, asset: ScreenshotAsset) -> AssetAnswer:
    """The picture as it is sent, with a fresh signed address."""
    return AssetAnswer.of(asset, image_uri(api, request, asset))


def image_uri(api: Api, request: Request, asset: ScreenshotAsset) -> str:
    """Where anyone can fetch the picture for a while: the object store itself, or this API where that has none."""
    ttl_s = api.settings.download_url_ttl_s
    direct = api.artifacts.signed_get_url(asset.blob, ttl_s, inline=True)
    if direct is not None:
        return direct
    until = datetime.now(UTC) + timedelta(seconds=ttl_s)
    return api.address(request, f"pictures/{api.signed_urls.sign('picture', asset.id, until.timestamp())}")


async def receive(api: Api, request: Request, upload: PictureUpload) -> int:
    """Stream a request's body into the artifact store, and let it be the upload's picture.

    Returns:
        How many bytes it has.

    Raises:
        BodyTooLarge: It has more bytes than were announced. Nothing is kept of it.
        UploadSealed: The picture was confirmed meanwhile.
    """
    key = f"jobs/{upload.job_id}/pictures/{upload.id}/{uuid4().hex}"
    stored = await _stored(api, request, upload, key)
    with CancelScope(shield=True):
        await to_thread.run_sync(_keep, api, upload, key)
    return stored


async def _stored(api: Api, request: Request, upload: PictureUpload, key: str) -> int:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > upload.size_bytes:
        raise too_large(upload.size_bytes)
    writing = api.artifacts.writer(key, upload.media_type)
    sink: ArtifactWriter = await to_thread.run_sync(writing.__enter__)
    try:
        async for piece in request.stream():
            if sink.tell() + len(piece) > upload.size_bytes:
                raise too_large(upload.size_bytes)
            await to_thread.run_sync(sink.write, piece)
    except BaseException as error:
        with CancelScope(shield=True):
            await to_thread.run_sync(writing.__exit__, type(error), error, error.__traceback__)
        raise
    with CancelScope(shield=True):
        await to_thread.run_sync(writing.__exit__, None, None, None)
    return sink.tell()


def _keep(api: Api, upload: PictureUpload, key: str) -> None:
    try:
        before = api.store.receive_picture(upload.id, key)
    except BaseException:
        api.artifacts.delete(key)
        raise
    if before is not None:
        api.artifacts.delete(before)


def too_large(limit_bytes: int) -> BodyTooLarge:
    return BodyTooLarge(f"The picture may have at most {limit_bytes} bytes.", details={"limit_bytes": limit_bytes})
