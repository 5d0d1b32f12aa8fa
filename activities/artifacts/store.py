"""The artifact store: immutable, content-hashed objects in a folder or in S3, through one synchronous interface.

An object appears whole or not at all; every full read is checked against the size and the SHA-256 that its
:class:`~domain.artifacts.Blob` recorded; nothing is ever held in memory whole unless the caller asks for bytes.
"""

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from urllib.parse import quote
from uuid import uuid4

import obstore

from activities.artifacts.faults import translated
from activities.artifacts.keys import checked_key, checked_prefix, key_of, uri_of
from activities.artifacts.locating import Locator
from activities.artifacts.multipart import Multipart, Progress
from activities.artifacts.options import S3Options
from activities.artifacts.places import Place, place_of
from activities.artifacts.writing import PIECE, ArtifactWriter
from domain.artifacts import Blob
from domain.errors import ArtifactCorrupt, ArtifactMissing, ArtifactTooLarge

MiB = 1 << 20

PART = 8 * MiB
"""Bytes of one request: an object up to this size is one PUT, a larger one a multipart upload. S3 takes 10,000 parts,
so 80 GiB an object."""

PARTS_AT_ONCE = 4
"""Parts in flight. With ``PART`` it bounds the memory of a write."""


TRUSTED_FOR_S = 600.0
"""How long a local file that was checked is taken for what it was, as long as its inode, size and times stay the same:
a stage that opens a recording three times reads it once more than it would, not four times. Checking 1 GiB took 0.85 s
of a core (SHA-NI), 2 MiB 2 ms."""
MOST_CHECKED = 10_000


@dataclass(frozen=True)
class ObjectFacts:
    """What the store says about an object without reading it."""

    key: str
    size_bytes: int
    modified_at: datetime
    etag: str | None


class ArtifactStore:
    """Objects by key. Safe to use from many threads.

    Every method may raise ``ArtifactStoreUnavailable`` (network, 5xx, disk full: try again),
    ``SettingsInvalid`` (credentials, permissions, bucket: do not) and ``ArtifactKeyInvalid``; the docstrings name
    what comes on top of these.
    """

    def __init__(self, place: Place, *, locator: Locator, scratch: Path | None = None) -> None:
        self._place = place
        self._locator = locator
        self._scratch = scratch
        self._checked: dict[str, tuple[object, float]] = {}

    @classmethod
    def open(cls, url: str, *, s3: S3Options | None = None, scratch: Path | None = None) -> "ArtifactStore":
        """The store at ``url``: ``file:///absolute/folder`` or ``s3://bucket/prefix``. S3 is not asked yet.

        Args:
            s3: How to reach S3; ignored for a folder.
            scratch: Folder for the temporary files of :meth:`local_path`; the system's by default.
        """
        return cls(place_of(url, s3), locator=Locator(url), scratch=scratch)

    # --- the store itself ------------------------------------------------------------------------------------

    def ping(self, *, write: bool = False) -> None:
        """Return when the store can be used: one cheap request; with ``write`` also one object in and out."""
        self._place.check()
        if write:
            key = f"_check/{uuid4().hex}"
            try:
                self.read_bytes(self.put_bytes(key, b"ping", "text/plain"))
            finally:
                self.delete(key)

    def check_writing(self) -> None:
        """Return when objects can be written, as far as that can be known within a moment: a probe asks every second.

        A folder takes a block of bytes and gives it back. A bucket is asked for itself and, since that is paid for, is
        given an object once a minute.

        Raises:
            ArtifactStoreUnavailable: It is away, full, or takes no writes now.
            SettingsInvalid: It may not be used.
        """
        self._place.check()
        self._place.check_room()

    def ensure_bucket(self) -> None:
        """Create the bucket (or the folder) if it is not there. For one-shot set-up; needs a key pair on S3."""
        self._place.ensure()

    def sweep_abandoned(self, older_than_s: float, known: Callable[[str], bool] = lambda _: False) -> int:
        """Remove what writers that were killed more than ``older_than_s`` seconds ago left invisibly behind.

        Args:
            known: Whether a multipart upload of that id is somebody's, and stays.

        Returns:
            How many remains were removed.
        """
        return self._place.sweep(older_than_s, known)

    def uri(self, key: str) -> str:
        """The public, stable name of an object: ``artifact://{key}``."""
        return uri_of(key)

    def key_of(self, uri: str) -> str:
        """The key in an ``artifact://`` URI."""
        return key_of(uri)

    def locate(self, uri: str) -> str | None:
        """The key of the object at any URI that leads into this store, by its own URL, too; None: it lies elsewhere."""
        return self._locator.key_of(uri)

    @property
    def multipart(self) -> Multipart:
        """Objects that arrive in parts."""
        return self._place.multipart

    # --- writing ---------------------------------------------------------------------------------------------

    def put_bytes(self, key: str, data: bytes, media_type: str) -> Blob:
        """Store ``data``; an object of that key is replaced at once."""
        return self._put(key, iter((data,)), media_type)

    def put_file(self, key: str, path: Path, media_type: str, *, on_progress: Progress | None = None) -> Blob:
        """Store the file at ``path``, hashed while it is sent.

        Raises:
            OSError: ``path`` cannot be read.
        """
        with path.open("rb") as source:
            return self._put(key, iter(lambda: source.read(PIECE), b""), media_type, on_progress)

    @contextmanager
    def writer(self, key: str, media_type: str) -> Iterator[ArtifactWriter]:
        """A file to write the object to. It appears when the block ends; an exception in the block drops it."""
        sink = ArtifactWriter(checked_key(key), media_type, _Upload(self._place, key, media_type), whole_up_to=PART)
        try:
            yield sink
        except BaseException:
            sink.abandon()
            raise
        sink.complete()

    def delete(self, key: str) -> None:
        """Remove the object; nothing happens when there is none."""
        try:
            with translated():
                obstore.delete(self._place.objects, checked_key(key))
        except ArtifactMissing:
            return

    # --- reading ---------------------------------------------------------------------------------------------

    def read_bytes(self, blob: Blob, *, limit: int = 64 * MiB) -> bytes:
        """The whole object, checked.

        Raises:
            ArtifactTooLarge: More than ``limit`` bytes.
            ArtifactMissing, ArtifactCorrupt: It is gone, or is not what was recorded.
        """
        if blob.size_bytes > limit:
            raise ArtifactTooLarge(f"The artifact has {blob.size_bytes} bytes; at most {limit} are read at once.")
        return b"".join(self.read_chunks(blob))

    def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The bytes from ``start`` up to ``end`` (exclusive; the object's end by default), 8 MiB or less at a time.

        Raises:
            ArtifactMissing: It is gone.
            ArtifactCorrupt: Its size is not the recorded one, or, before the last chunk of a full read, its hash.
            ValueError: The range lies outside the object.
        """
        stop = blob.size_bytes if end is None else end
        if not 0 <= start <= stop <= blob.size_bytes:
            raise ValueError(f"range {start}-{stop} of {blob.size_bytes} bytes")
        return self._checked_chunks(blob, start, stop)

    def download(self, blob: Blob, path: Path, *, on_progress: Progress | None = None) -> None:
        """Copy the object to the file ``path``, which appears whole and checked or stays as it was.

        Raises:
            ArtifactMissing, ArtifactCorrupt: It is gone, or is not what was recorded.
            OSError: ``path`` cannot be written.
        """
        part = path.with_name(f"{path.name}.{uuid4().hex[:8]}.part")
        try:
            with part.open("wb") as target:
                for chunk in self._reported(self.read_chunks(blob), on_progress):
                    target.write(chunk)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def verify(self, blob: Blob, *, on_progress: Progress | None = None) -> None:
        """Read the whole object and compare it with what was recorded.

        Raises:
            ArtifactMissing, ArtifactCorrupt: It is gone, or is not what was recorded.
        """
        for _ in self._reported(self.read_chunks(blob), on_progress):
            pass

    def verifies(self, blob: Blob, *, on_progress: Progress | None = None) -> bool:
        """Whether :meth:`verify` passes; a store that cannot be reached still raises."""
        try:
            self.verify(blob, on_progress=on_progress)
        except (ArtifactMissing, ArtifactCorrupt):
            return False
        return True

    @contextmanager
    def local_path(self, blob: Blob, *, on_progress: Progress | None = None) -> Iterator[Path]:
        """The object as a file, for as long as the block runs. Do not write to it.

        On a folder it is the stored file itself, whose bytes are checked unless they were a while ago
        (:data:`TRUSTED_FOR_S`) and the file is the same. On S3 it is a checked temporary copy with the key's suffix,
        removed afterwards.

        Raises:
            ArtifactMissing, ArtifactCorrupt: It is gone, or is not what was recorded.
        """
        if (own := self._place.path(blob.key)) is not None:
            self._check_file(own, blob, on_progress)
            yield own
            return
        folder = Path(tempfile.mkdtemp(prefix="artifact-", dir=self._scratch))
        try:
            copy = folder / f"object{PurePosixPath(blob.key).suffix}"
            self.download(blob, copy, on_progress=on_progress)
            yield copy
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _check_file(self, path: Path, blob: Blob, on_progress: Progress | None) -> None:
        _check_size(blob, self._required(blob.key).size_bytes)
        with translated():
            about = path.stat()
        state = (blob.checksum_sha256, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        known, checked_at = self._checked.get(blob.key, (None, 0.0))
        if known == state and time.monotonic() - checked_at < TRUSTED_FOR_S:
            return
        self.verify(blob, on_progress=on_progress)
        if len(self._checked) >= MOST_CHECKED:
            self._checked.clear()
        self._checked[blob.key] = (state, time.monotonic())

    def blob_of(self, key: str, media_type: str, *, on_progress: Progress | None = None) -> Blob:
        """Measure an object that somebody else wrote (a client with a signed URL): it is read once.

        Raises:
            ArtifactMissing: There is none.
            ArtifactCorrupt: It shrank meanwhile.
        """
        facts = self._required(key)
        digest = hashlib.sha256()
        for chunk in self._reported(self._ranges(key, 0, facts.size_bytes), on_progress):
            digest.update(chunk)
        return Blob(key=key, size_bytes=facts.size_bytes, checksum_sha256=digest.hexdigest(), media_type=media_type)

    def load_small(self, key: str, *, limit: int = 64 * MiB + 32, younger_than_s: float | None = None) -> bytes | None:
        """An object that no row describes (a memo, a resume point), unchecked; None when there is none, or none that
        was written within the last ``younger_than_s`` seconds.

        Raises:
            ArtifactTooLarge: More than ``limit`` bytes.
        """
        try:
            with self._looking():
                result = obstore.get(self._place.objects, checked_key(key))
                if younger_than_s is not None and _age_s(result.meta["last_modified"]) > younger_than_s:
                    return None
                if result.meta["size"] > limit:
                    raise ArtifactTooLarge(f"The object has {result.meta['size']} bytes; at most {limit} are read.")
                return bytes(result.bytes())
        except ArtifactMissing:
            return None

    # --- looking ---------------------------------------------------------------------------------------------

    def stat(self, key: str) -> ObjectFacts | None:
        """What the store knows of the object, or None when there is none."""
        try:
            with self._looking():
                meta = obstore.head(self._place.objects, checked_key(key))
        except ArtifactMissing:
            return None
        return ObjectFacts(key, meta["size"], meta["last_modified"], meta["e_tag"])

    def exists(self, key: str) -> bool:
        """Whether there is an object of that key."""
        return self.stat(key) is not None

    def list(self, prefix: str = "") -> Iterator[ObjectFacts]:
        """The objects below the folder ``prefix`` (all of them by default), in no order, streamed."""
        with translated():
            for page in obstore.list(self._place.objects, checked_prefix(prefix) or None, chunk_size=1000):
                for meta in page:
                    if not meta["path"].startswith("."):  # what is not an object yet (``folder_multipart``)
                        yield ObjectFacts(meta["path"], meta["size"], meta["last_modified"], meta["e_tag"])

    @property
    def public_origin(self) -> str | None:
        """Scheme, host and port of signed URLs; None on a folder."""
        return self._place.origin

    # --- signed URLs -----------------------------------------------------------------------------------------

    def signed_get_url(
        self, blob: Blob, expires_s: int, filename: str | None = None, *, inline: bool = False
    ) -> str | None:
        """A URL from which anyone may read the object for ``expires_s`` seconds; None on a folder, and on a bucket
        whose credentials end before: then it is sent from here.

        Args:
            filename: What a browser saves it as.
            inline: Show it in the browser instead of saving it.
        """
        answered = {"ResponseContentType": blob.media_type}
        if filename is not None or inline:
            answered["ResponseContentDisposition"] = content_disposition(filename, inline=inline)
        return self._place.signed(checked_key(blob.key), expires_s, answered)

    # --- how -------------------------------------------------------------------------------------------------

    def _put(self, key: str, pieces: Iterator[bytes], media_type: str, on_progress: Progress | None = None) -> Blob:
        with self.writer(key, media_type) as sink:
            for piece in self._reported(pieces, on_progress):
                sink.write(piece)
        return sink.blob

    @contextmanager
    def _looking(self) -> Iterator[None]:
        try:
            with translated():
                yield
        except ArtifactMissing:
            # A vanished bucket or an unmounted folder looks the same from here, and is not the object's loss.
            self._place.check()
            raise

    def _required(self, key: str) -> ObjectFacts:
        facts = self.stat(key)
        if facts is None:
            raise ArtifactMissing("An artifact is not in the store. Run the stage that makes it, or upload it, again.")
        return facts

    def _ranges(self, key: str, start: int, stop: int) -> Iterator[bytes]:
        """Bytes ``start`` to ``stop``, a bounded request each: a slow reader holds no connection open."""
        for at in range(start, stop, PART):
            yield self._range(key, at, min(at + PART, stop))[0]

    def _range(self, key: str, start: int, stop: int) -> tuple[bytes, int]:
        with self._looking():
            result = obstore.get(self._place.objects, checked_key(key), options={"range": (start, stop)})
            data = bytes(result.bytes())
        if len(data) != stop - start:
            raise ArtifactCorrupt("The stored artifact is shorter than recorded. Run the stage that made it again.")
        return data, result.meta["size"]

    def _checked_chunks(self, blob: Blob, start: int, stop: int) -> Iterator[bytes]:
        if start == stop:
            _check_size(blob, self._required(blob.key).size_bytes)
        digest = hashlib.sha256()
        for at in range(start, stop, PART):
            chunk, size = self._range(blob.key, at, min(at + PART, stop))
            _check_size(blob, size)
            digest.update(chunk)
            if at + PART >= stop and stop - start == blob.size_bytes and digest.hexdigest() != blob.checksum_sha256:
                # The last chunk is held back: a reader that counts bytes must not take a damaged object for whole.
                raise ArtifactCorrupt(
                    "The stored artifact is not what was recorded (its checksum differs). "
                    "Run the stage that made it again."
                )
            yield chunk

    @staticmethod
    def _reported(chunks: Iterator[bytes], on_progress: Progress | None) -> Iterator[bytes]:
        done = 0
        for chunk in chunks:
            yield chunk
            done += len(chunk)
            if on_progress is not None:
                on_progress(done)


class _Upload:
    """One object on its way into a place."""

    def __init__(self, place: Place, key: str, media_type: str) -> None:
        self._place, self._key = place, key
        self._attributes = place.attributes(media_type)

    def whole(self, data: bytes) -> None:
        self._place.check_present()
        with translated(writing=True):
            obstore.put(self._place.objects, self._key, data, attributes=self._attributes, use_multipart=False)
            self._place.settle(self._key)

    def pieces(self, pieces: Iterator[bytes]) -> None:
        self._place.check_present()
        with translated(writing=True):
            obstore.put(
                self._place.objects,
                self._key,
                pieces,
                attributes=self._attributes,
                use_multipart=True,
                chunk_size=PART,
                max_concurrency=PARTS_AT_ONCE,
            )
            self._place.settle(self._key)


def content_disposition(filename: str | None, *, inline: bool = False) -> str:
    """The header that names a download (RFC 6266): a plain name for old clients, the exact one for the rest."""
    kind = "inline" if inline else "attachment"
    if filename is None:
        return kind
    name = "".join(each for each in filename if each.isprintable() and each not in '"\\/').strip() or "download"
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _age_s(written_at: datetime) -> float:
    return (datetime.now(UTC) - written_at).total_seconds()


def _check_size(blob: Blob, size_bytes: int) -> None:
    if size_bytes != blob.size_bytes:
        raise ArtifactCorrupt(
            "The stored artifact does not have the recorded size. Run the stage that made it again.",
            details={"recorded_bytes": blob.size_bytes, "stored_bytes": size_bytes},
        )
