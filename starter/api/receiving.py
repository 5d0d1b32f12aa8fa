"""One upload session: its bytes on the way into the artifact store, and the proof that they have arrived.

The whole file goes straight to the session's key. Parts lie beside it and are joined when the upload is confirmed.
What was hashed on its way in is noted beside the object, so that confirming does not read gigabytes again.
"""

import json
import mimetypes
import re
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from threading import Lock

from anyio import CancelScope, to_thread
from fastapi import Request

from activities.artifacts import ArtifactStore, ArtifactWriter
from activities.store import Store, UploadPart, UploadSession
from domain.artifacts import ArtifactKind, Blob
from domain.errors import ArtifactKeyInvalid, UploadInvalid, VideoUriConflict
from domain.instruction import INSTRUCTION, UPLOADED, UPLOADING
from domain.jobs import Job
from domain.lifecycle import Trigger
from starter.api.errors import BodyTooLarge
from starter.api.shapes import ConfirmUpload, UploadProgress

GATHERED_BYTES = 1 << 20
"""Network reads are gathered to this size before they cross to a thread."""

_LOCKS = tuple(Lock() for _ in range(64))
"""While a recording is confirmed, no other body of the same job may appear in its place, and each body's hash is noted
before the next one appears."""

FILENAME_LIMIT = 200
UNKNOWN = "application/octet-stream"


@dataclass(frozen=True)
class Receiving:
    """A session and where its bytes go."""

    store: Store
    artifacts: ArtifactStore
    cap_bytes: int
    session: UploadSession

    @classmethod
    def open(cls, store: Store, artifacts: ArtifactStore, cap_bytes: int, upload_id: str) -> "Receiving":
        """The session that still takes bytes.

        Raises:
            NotFound: There is no such session.
            TransitionRefused: The job is past its upload.
        """
        receiving = cls(store, artifacts, cap_bytes, store.get_upload(upload_id))
        receiving._require_uploading()
        return receiving

    # --- bytes in ------------------------------------------------------------------------------------------------

    async def take(self, request: Request, part: int | None) -> None:
        """Stream a request's body into the whole object, or into part number ``part``.

        Raises:
            BodyTooLarge: The recording would have more bytes than the settings allow. Nothing is kept of the body.
            TransitionRefused: The upload was confirmed, or the job ended, meanwhile.
        """
        others = await to_thread.run_sync(self._bytes_besides, part) if part else 0
        limit = self.cap_bytes - others
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise self._too_large()
        await self._written(request, part, limit)

    async def _written(self, request: Request, part: int | None, limit: int) -> None:
        # Entered, fed and left in threads, one call at a time: the writer blocks. It shows the object only when it is
        # left without an exception, so a client that hangs up leaves nothing behind.
        key = self._part_key(part) if part else self.session.key
        opened = self.artifacts.writer(key, self._media_type)
        sink = await to_thread.run_sync(opened.__enter__)
        received = 0
        try:
            async for piece in _gathered(request):
                received += len(piece)
                if received > limit:
                    raise self._too_large()
                await to_thread.run_sync(sink.write, piece)
        except BaseException as broken:
            with CancelScope(shield=True):
                await to_thread.run_sync(opened.__exit__, type(broken), broken, broken.__traceback__)
            raise
        await to_thread.run_sync(self._show, opened, sink, part)

    def _show(self, opened: AbstractContextManager[ArtifactWriter], sink: ArtifactWriter, part: int | None) -> None:
        """Let the written object appear, if the job still waits for it, and record what it is."""
        with _alone(self.session.job_id):
            with ExitStack() as writing:
                writing.push(opened)  # entered before: left here, with whatever the check says
                self._require_uploading()
            blob = sink.blob
            if part:
                row = UploadPart(number=part, size_bytes=blob.size_bytes, checksum_sha256=blob.checksum_sha256)
                self.store.record_part(self.session.id, row)
            else:
                self._note(blob)

    def progress(self) -> UploadProgress:
        """What has arrived."""
        parts = self.store.upload_parts(self.session.id)
        whole = self.artifacts.stat(self.session.key)
        return UploadProgress(
            received_parts=tuple(part.number for part in parts),
            received_bytes=whole.size_bytes if whole else sum(part.size_bytes for part in parts),
        )

    def _bytes_besides(self, part: int) -> int:
        return sum(each.size_bytes for each in self.store.upload_parts(self.session.id) if each.number != part)

    def _require_uploading(self) -> None:
        job = self.store.get_job(self.session.job_id)
        if job.status != UPLOADING:
            INSTRUCTION.check(INSTRUCTION.status(job.status), UPLOADING, Trigger.API)

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(
            f"Recordings may have at most {self.cap_bytes} bytes.", details={"limit_bytes": self.cap_bytes}
        )

    # --- the proof -----------------------------------------------------------------------------------------------

    @classmethod
    def confirm(
        cls, store: Store, artifacts: ArtifactStore, cap_bytes: int, job: Job, asked: ConfirmUpload
    ) -> tuple[Job, bool]:
        """The job, UPLOADED, and whether this recording had been confirmed before.

        Raises:
            VideoUriConflict: The job has another recording.
            TransitionRefused: The job's status does not allow it.
            UploadInvalid: There is no such object, or its size or checksum is not as declared.
        """
        with _alone(job.id):
            return cls._confirmed(store, artifacts, cap_bytes, store.get_job(job.id), asked)

    @classmethod
    def _confirmed(
        cls, store: Store, artifacts: ArtifactStore, cap_bytes: int, job: Job, asked: ConfirmUpload
    ) -> tuple[Job, bool]:
        video = store.latest_artifact(job.id, ArtifactKind.VIDEO)
        if video is not None:
            if artifacts.uri(video.blob.key) == asked.video_uri:
                return job, True
            raise _conflict(artifacts.uri(video.blob.key), asked.video_uri)
        INSTRUCTION.check(INSTRUCTION.status(job.status), UPLOADED, Trigger.API)
        session = store.upload_of_job(job.id)
        if session is None or not _names(artifacts, session, asked.video_uri):
            raise UploadInvalid("Nothing was uploaded to this job under that video_uri. Begin an upload first.")
        receiving = cls(store, artifacts, cap_bytes, session)
        blob = receiving._arrived()
        receiving._check(blob, asked)
        try:
            confirmed = store.confirm_upload(job.owner, job.id, blob, session.filename)
        except VideoUriConflict as other:
            keys = (str(other.details[name]) for name in ("current_video_uri", "submitted_video_uri"))
            raise _conflict(*(artifacts.uri(key) for key in keys)) from None
        receiving._discard_parts()
        return confirmed

    def _arrived(self) -> Blob:
        """The uploaded object: sent whole, or joined from its parts now.

        Raises:
            UploadInvalid: Nothing has arrived, or a part is missing.
        """
        if self.artifacts.exists(self.session.key):
            return self._noted() or self.artifacts.blob_of(self.session.key, self._media_type)
        numbers = [part.number for part in self.store.upload_parts(self.session.id)]
        if not numbers:
            raise UploadInvalid("Nothing has arrived yet. PUT the recording to its upload_url first.")
        missing = sorted(set(range(1, max(numbers) + 1)) - set(numbers))
        if missing:
            raise UploadInvalid(
                f"Part {missing[0]} has not arrived. Send it, then confirm again.",
                details={"missing_parts": missing[:100]},
            )
        keys = [self._part_key(number) for number in numbers]
        blob = self.artifacts.assemble(keys, self.session.key, self._media_type)
        self._note(blob)
        return blob

    def _check(self, blob: Blob, asked: ConfirmUpload) -> None:
        """Compare with what was declared, now and when the upload began; a mismatch makes room for another try."""
        wanted = {
            "size_bytes": {self.session.size_bytes, asked.size_bytes} - {None, blob.size_bytes},
            "checksum_sha256": {self.session.checksum_sha256, asked.checksum_sha256} - {None, blob.checksum_sha256},
        }
        wrong = [name for name, others in wanted.items() if others]
        if wrong:
            self.artifacts.delete(self.session.key)
            raise UploadInvalid(
                "What arrived is not what was declared: send it again.",
                details={"mismatch": wrong, "received_bytes": blob.size_bytes},
            )

    def _discard_parts(self) -> None:
        for part in self.store.upload_parts(self.session.id):
            self.artifacts.delete(self._part_key(part.number))
        self.artifacts.delete(self._note_key)

    def _note(self, blob: Blob) -> None:
        facts = self.artifacts.stat(blob.key)
        if facts is not None:
            noted = {"blob": blob.model_dump(), "etag": facts.etag, "modified": facts.modified_at.isoformat()}
            self.artifacts.put_bytes(self._note_key, json.dumps(noted).encode(), "application/json")

    def _noted(self) -> Blob | None:
        """The hash that was taken on the way in, when the object is still the one it was taken of."""
        data, facts = self.artifacts.load_small(self._note_key, limit=1 << 16), self.artifacts.stat(self.session.key)
        if data is None or facts is None:
            return None
        noted = json.loads(data)
        if (noted["etag"], noted["modified"]) != (facts.etag, facts.modified_at.isoformat()):
            return None
        return Blob.model_validate(noted["blob"])

    # --- names ---------------------------------------------------------------------------------------------------

    @property
    def _media_type(self) -> str:
        kind = mimetypes.guess_type(self.session.filename)[0] or UNKNOWN
        return kind if kind.startswith(("video/", "audio/")) else UNKNOWN

    @property
    def _note_key(self) -> str:
        return f"{self.session.key}.hash"

    def _part_key(self, number: int) -> str:
        return f"{self.session.key}.parts/{number:05d}"


def _alone(job_id: str) -> Lock:
    return _LOCKS[hash(job_id) % len(_LOCKS)]


def clean_filename(name: str) -> str:
    """The last part of what a client called its file, without what a terminal or a page could trip over."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    plain = "".join(each for each in last if each.isprintable())
    return plain.strip()[-FILENAME_LIMIT:].lstrip(".") or "recording"


def suffix_of(name: str) -> str:
    """``.mp4`` and the like, for the object's key; empty when the name has none that is plain."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if re.fullmatch(r"\.[a-z0-9]{1,8}", suffix) else ""


def _names(artifacts: ArtifactStore, session: UploadSession, uri: str) -> bool:
    try:
        return artifacts.key_of(uri) == session.key
    except ArtifactKeyInvalid:
        return False


def _conflict(current: str, submitted: str) -> VideoUriConflict:
    return VideoUriConflict(
        "The job already has another recording. Make a new job for this one.",
        details={"current_video_uri": current, "submitted_video_uri": submitted},
    )


async def _gathered(request: Request) -> AsyncIterator[bytes]:
    pieces = bytearray()
    async for chunk in request.stream():
        pieces += chunk
        if len(pieces) >= GATHERED_BYTES:
            yield bytes(pieces)
            pieces.clear()
    if pieces:
        yield bytes(pieces)
