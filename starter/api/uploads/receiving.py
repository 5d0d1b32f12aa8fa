"""One upload session: its bytes on the way into the artifact store, whole or in parts, through us or past us.

Everything goes into a multipart upload of the artifact store, and nothing appears under the session's key before it is
confirmed (``starter/api/uploads/confirming.py``). A session holds one multipart upload at a time: parts that are sent
after a whole recording begin anew, and the other way round.
"""

import asyncio
import hashlib
import mimetypes
import re
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath

from anyio import CancelScope, to_thread
from fastapi import Request

from activities.artifacts import ArtifactStore, PartAddress, PartSink, UploadGone
from activities.store import Store, UploadSession
from domain.errors import ArtifactStoreUnavailable, GuidesmithError, RequestInvalid, UploadSealed
from domain.uploads import ArrivedPart, beyond_declared, bytes_of_part, most_of_part, part_size, stray_parts
from starter.api.errors import BodyTooLarge
from starter.api.part_counts import PartCounts
from starter.api.shapes import UploadProgress

GATHERED_BYTES = 1 << 20
"""Network reads are gathered to this size before they cross to a thread."""

STALLED_AFTER_S = 60.0
"""A client that sends nothing for so long in the middle of a body is given up."""

FILENAME_LIMIT = 200
UNKNOWN = "application/octet-stream"


@dataclass(frozen=True)
class Receiving:
    """A session and where its bytes go."""

    store: Store
    artifacts: ArtifactStore
    cap_bytes: int
    session: UploadSession
    counts: PartCounts | None = None
    """What this process knows of the parts of uploads; ``None``: they are listed whenever they are asked for."""

    # --- through us ----------------------------------------------------------------------------------------------

    async def take(self, request: Request, part: int | None) -> None:
        """Stream a request's body into the whole object, or into part number ``part``.

        Raises:
            BodyTooLarge: The recording would have more bytes than the settings allow. Nothing is kept of the body.
            UploadInvalid: It would have more than were declared; likewise.
            TransitionRefused, UploadSealed: The upload was confirmed, or the job ended, meanwhile.
        """
        limit, refusal = await to_thread.run_sync(self._limit, part)
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise refusal
        body = await to_thread.run_sync(self._part_of if part else self._whole, part or 1)
        received = 0
        # Written, kept and dropped in threads, one call at a time: the store blocks. What is not kept leaves nothing
        # behind, whether the client hangs up or the recording is refused.
        try:
            async for piece in _gathered(request):
                received += len(piece)
                if received > limit:
                    raise refusal
                await to_thread.run_sync(body.write, piece)
        except BaseException:
            with CancelScope(shield=True):
                await to_thread.run_sync(body.drop)
            raise
        with CancelScope(shield=True):
            await to_thread.run_sync(body.keep)
        if part and self.counts is not None:
            self.counts.took(body.multipart_id, part, received)

    def _limit(self, part: int | None) -> tuple[int, GuidesmithError]:
        """How many bytes a body may have, and what is said of one that has more."""
        cap = self.cap_bytes - (self._bytes_besides(part) if part else 0)
        size, cut = self.session.size_bytes, self.session.part_size
        if size is None or (part and cut is None):
            return cap, too_large(self.cap_bytes)
        allowed = most_of_part(part, cut, size) if part and cut else size
        if cap < allowed:
            return cap, too_large(self.cap_bytes)
        return allowed, beyond_declared(size, part, allowed)

    def _part_of(self, number: int) -> "_Body":
        multipart_id = self._parts_id()
        try:
            return _Body(self, multipart_id, self.artifacts.multipart.part(self.session.key, multipart_id, number))
        except UploadGone:
            raise self._refused(multipart_id) from None

    def _whole(self, _: int) -> "_Body":
        multipart_id = self.artifacts.multipart.begin(self.session.key, self.media_type)
        sink = self.artifacts.multipart.whole(self.session.key, multipart_id)
        return _Body(self, multipart_id, sink, hashlib.sha256())

    # --- past us -------------------------------------------------------------------------------------------------

    def addresses(self, numbers: list[int]) -> dict[int, PartAddress]:
        """Where a client sends these parts straight to the object store; empty where there is none to be reached.

        Raises:
            UploadInvalid: The recording was declared to end before one of them.
        """
        multipart_id, key = self._parts_id(), self.session.key
        left_s = max(1, int((self.session.expires_at - datetime.now(UTC)).total_seconds()))
        found = {
            number: self.artifacts.multipart.address(
                key, multipart_id, number, expires_s=left_s, size_bytes=self._declared_bytes(number)
            )
            for number in numbers
        }
        return {number: address for number, address in found.items() if address is not None}

    def _declared_bytes(self, number: int) -> int | None:
        """What part ``number`` must have, where the size of the whole was declared: no more can be sent then."""
        if self.session.size_bytes is None or self.session.part_size is None:
            return None
        return bytes_of_part(number, self.session.part_size, self.session.size_bytes)

    # --- taken back ----------------------------------------------------------------------------------------------

    def take_back_strays(self) -> None:
        """Let go of parts that no recording of the declared size has: another size was declared when they came."""
        session = self.session
        if session.size_bytes is None or session.part_size is None or session.whole_sha256 is not None:
            return
        if session.multipart_id is None or session.is_leased(datetime.now(UTC)):
            return
        multipart = self.artifacts.multipart
        try:
            arrived = self._arrived(session.multipart_id)
            for number in stray_parts(arrived, session.part_size, session.size_bytes):
                multipart.part(session.key, session.multipart_id, number).commit()  # empty
        except UploadGone:  # it is being confirmed after all, or begun anew
            return
        if self.counts is not None:
            self.counts.forget(session.multipart_id)

    # --- what is there -------------------------------------------------------------------------------------------

    def progress(self) -> UploadProgress:
        """What has arrived, of parts: as far as this process knows, where it counts."""
        session = self.store.get_upload(self.session.id)
        try:
            sizes = self._sizes(session.multipart_id)
        except UploadGone:  # joined, and about to be confirmed, or confirmed
            sizes = {}
        if sizes:
            numbers = () if session.whole_sha256 else tuple(sorted(sizes))
            return UploadProgress(received_parts=numbers, received_bytes=sum(sizes.values()))
        joined = self.artifacts.stat(session.key)
        return UploadProgress(received_parts=(), received_bytes=joined.size_bytes if joined else 0)

    def _arrived(self, multipart_id: str | None) -> tuple[ArrivedPart, ...]:
        return () if multipart_id is None else self.artifacts.multipart.arrived(self.session.key, multipart_id)

    def _sizes(self, multipart_id: str | None) -> dict[int, int]:
        if multipart_id is None:
            return {}
        if self.counts is not None:
            return self.counts.sizes(multipart_id, lambda: self._arrived(multipart_id))
        return {part.number: part.size_bytes for part in self._arrived(multipart_id)}

    def _bytes_besides(self, part: int) -> int:
        if self.session.whole_sha256 is not None:
            return 0
        try:
            return sum(size for number, size in self._sizes(self.session.multipart_id).items() if number != part)
        except UploadGone:
            return 0

    # --- which upload --------------------------------------------------------------------------------------------

    def _parts_id(self) -> str:
        """The multipart upload that takes the session's parts: begun now, where there is none."""
        held = self.session.multipart_id
        if held is not None and self.session.whole_sha256 is None:
            return held
        return self._begun_instead_of(held)

    def _begun_instead_of(self, held: str | None) -> str:
        begun = self.artifacts.multipart.begin(self.session.key, self.media_type)
        try:
            now_held = self.store.begin_parts(self.session.id, begun, instead_of=held).multipart_id
        except BaseException:
            self.abort(begun)
            raise
        self.abort(held if now_held == begun else begun)
        assert now_held is not None
        return now_held

    def abort(self, multipart_id: str | None) -> None:
        if multipart_id is not None:
            self.artifacts.multipart.abort(self.session.key, multipart_id)

    def _refused(self, multipart_id: str) -> Exception:
        """Why the store takes no part of an upload that this session held a moment ago."""
        try:
            session = self.store.open_upload(self.session.id)
        except Exception as why:
            return why
        if session.multipart_id == multipart_id and self._is_lost(multipart_id):
            # the store lost it, or its own rules dropped it: take parts again, but not silently
            self._begun_instead_of(multipart_id)
            return ArtifactStoreUnavailable(
                "The object store has dropped what had arrived. Ask what is there, and send the rest again."
            )
        return UploadSealed("The upload was about to be confirmed, or is sent another way. Confirm it, or begin again.")

    def _is_lost(self, multipart_id: str) -> bool:
        try:
            self._arrived(multipart_id)
        except UploadGone:
            return not self.artifacts.exists(self.session.key)
        return False  # frozen by a confirmation that broke off: the next one goes on with it

    @property
    def media_type(self) -> str:
        """What the recording's name says it is."""
        kind = mimetypes.guess_type(self.session.filename)[0] or UNKNOWN
        return kind if kind.startswith(("video/", "audio/")) else UNKNOWN


class _Body:
    """A body on its way: hashed, when it is the whole recording, so that confirming need not read it again."""

    def __init__(self, receiving: Receiving, multipart_id: str, sink: PartSink, whole: "hashlib._Hash | None" = None):
        self._receiving, self.multipart_id, self._sink, self._whole = receiving, multipart_id, sink, whole

    def write(self, piece: bytes) -> None:
        if self._whole is not None:
            self._whole.update(piece)
        self._sink.write(piece)

    def drop(self) -> None:
        self._sink.abandon()
        if self._whole is not None:
            self._receiving.abort(self.multipart_id)

    def keep(self) -> None:
        receiving = self._receiving
        if self._whole is None:
            try:
                self._sink.commit()
            except UploadGone:
                raise receiving._refused(self.multipart_id) from None
            return
        try:
            self._sink.commit()
            before = receiving.store.record_whole(receiving.session.id, self.multipart_id, self._whole.hexdigest())
        except BaseException:
            receiving.abort(self.multipart_id)
            raise
        receiving.abort(before)


def too_large(cap_bytes: int) -> BodyTooLarge:
    return BodyTooLarge(f"Recordings may have at most {cap_bytes} bytes.", details={"limit_bytes": cap_bytes})


def suited_part_size(artifacts: ArtifactStore, preferred: int, declared_bytes: int | None, cap_bytes: int) -> int:
    """The part size of an upload that was declared with so many bytes, or with none: then the cap counts."""
    size = cap_bytes if declared_bytes is None else declared_bytes
    return part_size(preferred, least=artifacts.multipart.least_part_bytes, size_bytes=size)


def clean_filename(name: str, nameless: str) -> str:
    """The last part of what a client called its file, without what a terminal or a page could trip over; ``nameless``
    where nothing is left of it."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    plain = "".join(each for each in last if each.isprintable())
    return plain.strip()[-FILENAME_LIMIT:].lstrip(".") or nameless


def suffix_of(name: str) -> str:
    """``.mp4`` and the like, for the object's key; empty when the name has none that is plain."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if re.fullmatch(r"\.[a-z0-9]{1,8}", suffix) else ""


async def _gathered(request: Request) -> AsyncIterator[bytes]:
    pieces = bytearray()
    stream = request.stream()
    while (chunk := await _next(stream)) is not None:
        pieces += chunk
        if len(pieces) >= GATHERED_BYTES:
            yield bytes(pieces)
            pieces.clear()
    if pieces:
        yield bytes(pieces)


async def _next(stream: AsyncGenerator[bytes, None]) -> bytes | None:
    try:
        async with asyncio.timeout(STALLED_AFTER_S):
            return await anext(stream, None)
    except TimeoutError:
        raise RequestInvalid("The body stopped arriving. Send it again.", field="body") from None
