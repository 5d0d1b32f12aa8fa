"""Screenshots as people ask for them: taken from the recording, put in place of another, or brought along.

A screenshot belongs to the document: it is taken whatever the job's status, by a workflow of its own, and is decided in
one transaction, so any number of concurrent calls have one effect.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel
from temporalio.client import Client

from activities.artifacts import ArtifactStore
from activities.process.callers import acting_member
from activities.rails.contracts import RunOptions
from activities.rails.task_dispatch import SCREENSHOT, TaskDispatch
from activities.store import IdempotencyScope, Store
from activities.tasks.screenshots import Footage
from domain.artifacts import ArtifactKind, Blob
from domain.canonical import digest
from domain.documents.anchors import Addressing, Anchor
from domain.documents.screenshots import Extraction, PictureUpload, ScreenshotAsset, ScreenshotTask
from domain.errors import ArtifactCorrupt, ArtifactMissing, NotFound, UploadInvalid
from domain.jobs import Job, TaskStatus
from starter.services.engine import engine_faults

T = TypeVar("T")

THUMBNAIL_SIDE, THUMBNAIL_TYPE = 720, "image/jpeg"
"""Pixels: as wide as a picture is shown beside its text, on a screen of usual density."""


class ScreenshotRequest(BaseModel):
    """A frame for one version of an instruction; ``idempotency_key`` is the client's own name for the request."""

    instruction_id: str
    instruction_version_id: str
    extraction: Extraction
    anchor_id: str | None = None
    place: Addressing | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True)
class PictureClaim:
    """What a client says that it has sent. Sizes are bytes and pixels."""

    media_type: str
    size_bytes: int
    checksum_sha256: str
    width: int
    height: int


class ScreenshotService:
    """What people do with screenshots.

    Args:
        store: Called from threads.
        artifacts: Where pictures lie.
        client: A (lazily connected) Temporal client.
        options: How the tasks' activities are executed.
    """

    def __init__(self, store: Store, artifacts: ArtifactStore, client: Client, options: RunOptions) -> None:
        self._store = store
        self._artifacts = artifacts
        self._client = client
        self._task_dispatch = TaskDispatch(client, options)

    # --- looked at -------------------------------------------------------------------------------------------

    def thumbnail(self, owner: str, asset_id: str) -> bytes:
        """A JPEG of a picture, ``THUMBNAIL_SIDE`` pixels wide and high at most: made when it is first asked for, and
        kept beside the picture. Blocking.

        Raises:
            NotFound: The picture is absent, or not ``owner``'s.
            UploadInvalid: It cannot be opened (any more).
        """
        asset = self._store.get_asset(asset_id)
        if asset is None or asset.anchor_id is None:
            raise NotFound
        anchor = self._store.get_anchor(owner, asset.anchor_id)
        key = f"jobs/{anchor.job_id}/thumbnails/{asset.id}-{THUMBNAIL_SIDE}.jpg"
        made = self._artifacts.load_small(key)
        if made is None:
            from activities.pictures.isolated import made_small  # brings numpy along

            _, made = made_small(self._artifacts.read_bytes(asset.blob), THUMBNAIL_SIDE)
            self._artifacts.put_bytes(key, made, THUMBNAIL_TYPE)
        return made

    # --- taken -----------------------------------------------------------------------------------------------

    async def extract(self, owner: str, job_id: str, request: ScreenshotRequest) -> tuple[ScreenshotTask, bool]:
        """Have a frame taken; the task, and whether the same was asked before.

        Raises:
            NotFound: The job is absent, not ``owner``'s, or has no such instruction, version or anchor.
            RequestInvalid: The moment is outside of the recording, or the version has no such place.
            MediaHasNoContent: The recording has no picture.
            IdempotencyConflict: The key came before with another request.
            EngineUnavailable: Nothing changed.
        """
        job = await _thread(self._store.get_job, job_id, owner=owner)

        def ask() -> tuple[ScreenshotTask, bool]:
            return self._store.request_extraction(
                owner,
                job.id,
                request.instruction_id,
                request.instruction_version_id,
                request.extraction,
                anchor_id=request.anchor_id,
                place=request.place,
            )

        return await self._taken(owner, job, f"/jobs/{job.id}/screenshots/extract", request, ask)

    async def replace(self, owner: str, anchor_id: str, request: ScreenshotRequest) -> tuple[ScreenshotTask, bool]:
        """Have a frame taken that shows at the anchor instead of what shows there. Answers and raises as
        :meth:`extract`."""
        anchor = await _thread(self._store.get_anchor, owner, anchor_id)
        job = await _thread(self._store.get_job, anchor.job_id, owner=owner)

        def ask() -> tuple[ScreenshotTask, bool]:
            return self._store.request_replacement(
                owner, anchor.id, request.instruction_id, request.instruction_version_id, request.extraction
            )

        return await self._taken(owner, job, f"/anchors/{anchor.id}/replace", request, ask)

    async def _taken(
        self,
        owner: str,
        job: Job,
        path: str,
        request: ScreenshotRequest,
        ask: Callable[[], tuple[ScreenshotTask, bool]],
    ) -> tuple[ScreenshotTask, bool]:
        def asked() -> Mapping[str, object]:
            task, created = ask()
            return {"task_id": task.id, "created": created}

        await _thread(self._check_footage, job, request.extraction)
        async with engine_faults():  # asked before anything is written: without it nothing changes
            await self._client.service_client.check_health()
        answer, replayed = await _thread(self._once, owner, path, request.idempotency_key, request, asked)
        task = await _thread(self._store.get_screenshot_task, str(answer["task_id"]))
        if task.status is TaskStatus.PENDING:
            async with engine_faults():
                await self._task_dispatch.begin(SCREENSHOT, task.id, job, live=False)
            task = await _thread(self._store.get_screenshot_task, task.id)
        return task, replayed or not answer["created"]

    def _check_footage(self, job: Job, extraction: Extraction) -> None:
        Footage.of(self._store.latest_artifact(job.id, ArtifactKind.AUDIO)).check(extraction)

    # --- brought along ---------------------------------------------------------------------------------------

    def confirm(self, owner: str, job_id: str, upload_id: str, claim: PictureClaim) -> ScreenshotAsset:
        """Check a picture that has arrived: it is what was announced, and what it claims to be. Call it in a thread.

        Raises:
            NotFound: The upload is absent, not ``owner``'s or another job's.
            UploadInvalid: It is not; ``details.problem`` says what is wrong. It can be sent again.
        """
        upload = self._store.get_picture(upload_id, owner=owner, job_id=job_id)
        _check_claim(upload, claim)
        if upload.asset is not None:
            _check_size(claim, upload.asset.width, upload.asset.height)
            return upload.asset
        width, height = self._inspected(upload)
        _check_size(claim, width, height)
        assert upload.key is not None
        asset = self._store.confirm_picture(upload.id, upload.key, width, height).asset
        assert asset is not None
        return asset

    def _inspected(self, upload: PictureUpload) -> tuple[int, int]:
        """Width and height of the picture, after all that its bytes can say against it."""
        from activities.pictures.isolated import inspect_picture
        from activities.pictures.opening import MOST_BYTES

        facts = self._artifacts.stat(upload.key) if upload.key is not None else None
        if facts is None:
            raise UploadInvalid("The picture has not arrived. Send it to upload_url.", details={"mismatch": ["absent"]})
        if facts.size_bytes != upload.size_bytes:
            raise _mismatch("size_bytes", "does not have the announced size")
        blob = Blob(
            key=facts.key,
            size_bytes=upload.size_bytes,
            checksum_sha256=upload.checksum_sha256,
            media_type=upload.media_type,
        )
        try:
            data = self._artifacts.read_bytes(blob, limit=MOST_BYTES)
        except ArtifactCorrupt:
            raise _mismatch("checksum_sha256", "does not have the announced checksum") from None
        except ArtifactMissing:
            raise _mismatch("changed", "was sent again meanwhile") from None
        picture = inspect_picture(data)
        if picture.media_type != upload.media_type:
            raise _mismatch("mime_type", "is of another type than was announced")
        return picture.width, picture.height

    async def attach(
        self, owner: str, anchor_id: str, upload_id: str, instruction_version_id: str, idempotency_key: str | None
    ) -> Anchor:
        """Let a confirmed picture show at an anchor.

        Raises:
            NotFound: The anchor is absent or not ``owner``'s, or knows no such version or upload.
            UploadInvalid: The upload was not confirmed.
            IdempotencyConflict: The key came before with another request.
        """

        def attached() -> Mapping[str, object]:
            anchor = self._store.attach_picture(owner, anchor_id, upload_id, instruction_version_id)
            return {"anchor_id": anchor.id}

        await _thread(self._store.get_anchor, owner, anchor_id)  # absent before conflicting: 404 comes before 409
        path, body = f"/anchors/{anchor_id}/attach-upload", [upload_id, instruction_version_id]
        await _thread(self._once, owner, path, idempotency_key, body, attached)
        return await _thread(self._store.get_anchor, owner, anchor_id)

    # --- once ------------------------------------------------------------------------------------------------

    def _once(
        self, owner: str, path: str, key: str | None, body: object, act: Callable[[], Mapping[str, object]]
    ) -> tuple[Mapping[str, object], bool]:
        """What ``act`` answers, or what it answered when the client's key was first used, and whether that is so."""
        if key is None:
            return act(), False
        plain = body.model_dump(mode="json") if isinstance(body, BaseModel) else body
        return self._store.once(IdempotencyScope(acting_member() or owner, "POST", path, key), digest(plain), act)


def _check_claim(upload: PictureUpload, claim: PictureClaim) -> None:
    for name, announced, claimed in (
        ("mime_type", upload.media_type, claim.media_type),
        ("size_bytes", upload.size_bytes, claim.size_bytes),
        ("checksum_sha256", upload.checksum_sha256, claim.checksum_sha256),
    ):
        if announced != claimed:
            raise _mismatch(name, f"was announced with another {name}")


def _check_size(claim: PictureClaim, width: int, height: int) -> None:
    if (claim.width, claim.height) != (width, height):
        raise _mismatch("dimensions", f"has {width} x {height} pixels, which is not what was claimed")


def _mismatch(problem: str, what: str) -> UploadInvalid:
    return UploadInvalid(f"The picture {what}. Send the right one and confirm it.", details={"mismatch": [problem]})


async def _thread(call: Callable[..., T], *args: Any, **named: Any) -> T:
    return await asyncio.to_thread(call, *args, **named)
