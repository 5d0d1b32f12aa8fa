"""Pictures that people bring: announced, received, confirmed, and attached to an anchor.

Each time bytes come they lie under a key of their own, so that nothing that was confirmed can be overwritten.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, update

from activities.store import rows
from activities.store.documents.anchors import (
    STREAM,
    add_asset,
    locked_anchor,
    read_anchor,
    read_asset,
    read_version,
    show,
)
from activities.store.jobs.locking import LockedJob, not_found
from activities.store.records import EventType
from activities.store.repository import Repository
from activities.store.tables import picture_uploads, screenshot_assets
from domain.documents.anchors import Anchor
from domain.documents.screenshots import AssetKind, PictureUpload, ScreenshotAsset
from domain.erasure import is_absent
from domain.errors import UploadInvalid, UploadSealed
from domain.jobs import Actor

_CHANGED = "The picture was sent again while it was being checked. Confirm it once more."


_UNCONFIRMED = "The picture was not confirmed yet. Confirm the upload, and attach it then."


class PictureUploads(Repository):
    def begin_picture(
        self,
        owner: str,
        job_id: str,
        *,
        filename: str,
        media_type: str,
        size_bytes: int,
        checksum_sha256: str,
        expires_at: datetime,
    ) -> PictureUpload:
        """Announce a picture. Raises: NotFound: the job is absent, or not ``owner``'s."""
        with self._database.write() as connection:
            job = LockedJob(connection, job_id, self._clock(), owner=owner)
            upload = PictureUpload(
                id=self._new_id(),
                job_id=job.id,
                owner=owner,
                asset_id=self._new_id(),
                filename=filename,
                media_type=media_type,
                size_bytes=size_bytes,
                checksum_sha256=checksum_sha256,
                created_at=job.now,
                expires_at=expires_at,
            )
            connection.execute(insert(picture_uploads), upload.model_dump())
            _log(job, EventType.SCREENSHOT_UPLOAD_REQUESTED, upload)
            return upload

    def get_picture(self, upload_id: str, *, owner: str | None = None, job_id: str | None = None) -> PictureUpload:
        """Raises: NotFound: absent, or not of ``owner`` or ``job_id`` where one is given."""
        with self._database.read() as connection:
            upload = _read(connection, upload_id)
        if owner not in (None, upload.owner) or job_id not in (None, upload.job_id):
            raise not_found()
        return upload

    def picture_of_asset(self, asset_id: str) -> ScreenshotAsset | None:
        """A confirmed picture that is attached nowhere yet, by the id that it will have. ``None``: there is none."""
        query = select(picture_uploads).where(picture_uploads.c.asset_id == asset_id)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None or is_absent(row["owner"]) else rows.picture_upload(row).asset

    def receive_picture(self, upload_id: str, key: str) -> str | None:
        """The picture's bytes lie under ``key`` now.

        Returns:
            Where those lay that came before.

        Raises:
            NotFound: There is no such upload. UploadSealed: it was confirmed.
        """
        with self._database.write() as connection:
            upload = _read(connection, upload_id, locked=True)
            if upload.confirmed_at is not None:
                raise UploadSealed("The picture was confirmed and cannot be sent again. Begin another upload.")
            _change(connection, upload, key=key)
            return upload.key

    def confirm_picture(self, upload_id: str, key: str, width: int, height: int) -> PictureUpload:
        """The bytes under ``key`` were found to be what was declared. Confirmed before: nothing changes.

        Raises:
            NotFound: There is no such upload. UploadInvalid: other bytes have come meanwhile.
        """
        with self._database.write() as connection:
            known = _read(connection, upload_id)
            job = LockedJob(connection, known.job_id, self._clock())
            upload = _read(connection, upload_id, locked=True)
            if upload.confirmed_at is not None:
                return upload
            if upload.key != key:
                raise UploadInvalid(_CHANGED, details={"mismatch": ["changed"]})
            confirmed = _change(connection, upload, width=width, height=height, confirmed_at=job.now)
            _log(job, EventType.SCREENSHOT_UPLOADED, confirmed)
            return confirmed

    def attach_picture(self, owner: str, anchor_id: str, upload_id: str, instruction_version_id: str) -> Anchor:
        """Let a confirmed picture show at an anchor. Where it shows already nothing changes.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s, its instruction has no such version, or its job no such
                upload.
            UploadInvalid: The upload was not confirmed.
        """
        with self._database.write() as connection:
            job, anchor = locked_anchor(connection, anchor_id, owner, self._clock())
            upload = _read(connection, upload_id)
            if upload.job_id != job.id:
                raise not_found()
            read_version(connection, anchor.instruction_id, instruction_version_id)
            picture = upload.asset
            if picture is None:
                raise UploadInvalid(_UNCONFIRMED, details={"mismatch": ["unconfirmed"]})
            asset_id = self._attached(connection, job, anchor, picture)
            if asset_id is not None:
                data = {"anchor_id": anchor.id, "asset_id": asset_id, "upload_id": upload.id}
                job.log(EventType.SCREENSHOT_ATTACHED, stream=STREAM, actor=Actor.EDITOR, data=data)
                job.save()
            return read_anchor(connection, anchor.id)

    def abandoned_pictures(self, expired_for_s: float, limit: int = 100) -> tuple[PictureUpload, ...]:
        """Uploads that hold bytes nobody has confirmed, and whose address expired ``expired_for_s`` seconds ago."""
        before = self._clock() - timedelta(seconds=expired_for_s)
        query = select(picture_uploads).where(
            picture_uploads.c.confirmed_at.is_(None),
            picture_uploads.c.key.is_not(None),
            picture_uploads.c.expires_at < before,
        )
        with self._database.read() as connection:
            found = connection.execute(query.order_by(picture_uploads.c.expires_at).limit(limit)).mappings()
            return tuple(rows.picture_upload(row) for row in found)

    def forget_picture(self, upload_id: str, key: str) -> bool:
        """Let go of bytes that nobody confirmed, so that they may be deleted; whether they were still held."""
        held = update(picture_uploads).where(
            picture_uploads.c.id == upload_id,
            picture_uploads.c.key == key,
            picture_uploads.c.confirmed_at.is_(None),
        )
        with self._database.write() as connection:
            return connection.execute(held.values(key=None)).rowcount == 1

    def _attached(self, connection: Connection, job: LockedJob, anchor: Anchor, picture: ScreenshotAsset) -> str | None:
        """The id of the asset that shows now; ``None`` where it did before."""
        known = _live_at(connection, anchor.id, str(picture.upload_id))
        if known is not None:
            if anchor.active_asset_id == known:
                return None
            show(connection, anchor.id, known, job.now)
            return known
        # attached a second time it is another asset: each belongs to one anchor
        asset_id = picture.id if read_asset(connection, picture.id) is None else self._new_id()
        add_asset(
            connection,
            anchor.id,
            job.now,
            previous_asset_id=anchor.active_asset_id,
            asset_id=asset_id,
            kind=str(AssetKind.UPLOADED),
            **rows.blob_columns(picture.blob),
            width=picture.width,
            height=picture.height,
            upload_id=picture.upload_id,
        )
        return asset_id


def _live_at(connection: Connection, anchor_id: str, upload_id: str) -> str | None:
    query = select(screenshot_assets.c.id).where(
        screenshot_assets.c.anchor_id == anchor_id,
        screenshot_assets.c.upload_id == upload_id,
        screenshot_assets.c.is_deleted.is_(False),
    )
    return connection.execute(query.limit(1)).scalar_one_or_none()


def _read(connection: Connection, upload_id: str, *, locked: bool = False) -> PictureUpload:
    query = select(picture_uploads).where(picture_uploads.c.id == upload_id)
    row = connection.execute(query.with_for_update() if locked else query).mappings().one_or_none()
    if row is None:
        raise not_found()
    return rows.picture_upload(row)


def _change(connection: Connection, upload: PictureUpload, **columns: Any) -> PictureUpload:
    connection.execute(update(picture_uploads).where(picture_uploads.c.id == upload.id).values(columns))
    return upload.model_copy(update=columns)


def _log(job: LockedJob, event_type: EventType, upload: PictureUpload) -> None:
    facts = {"upload_id": upload.id, "asset_id": upload.asset_id, "mime_type": upload.media_type}
    job.log(event_type, stream=STREAM, actor=Actor.EDITOR, data=facts)
    job.save()
