"""Writing by pushing: the store pulls pieces from an iterator, a producer wants a file to write to.

A small object is gathered and sent whole. A large one goes through a short queue to a thread that uploads it, so that
it is on its way while it is still being made, and memory stays flat. The store shows an object only when the iterator
ends; an exception in the iterator aborts the upload. That is how an abandoned writer leaves nothing behind.

The producer never runs inside the upload: obstore cannot be called from an iterator that it is itself reading.
"""

import hashlib
import io
import queue
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from domain.artifacts import Blob

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

PIECE = 1 << 20
"""Bytes that small writes are gathered to before they are handed over."""

QUEUED_PIECES = 4


class Upload(Protocol):
    """How one object gets into the store. Both raise the taxonomy's errors, and pass on what an iterator raises."""

    def whole(self, data: bytes) -> None: ...

    def pieces(self, pieces: Iterator[bytes]) -> None: ...


class ArtifactWriter(io.RawIOBase):
    """A file-like sink for one object; not seekable. Made by ``ArtifactStore.writer``.

    ``blob`` is there once the context that made the writer has ended without an exception.
    """

    def __init__(self, key: str, media_type: str, upload: Upload, *, whole_up_to: int) -> None:
        super().__init__()
        self._key, self._media_type = key, media_type
        self._upload = upload
        self._whole_up_to = whole_up_to
        self._gathered = bytearray()
        self._size = 0
        self._digest = hashlib.sha256()
        self._pipe: _Pipe | None = None
        self._blob: Blob | None = None

    @property
    def blob(self) -> Blob:
        """What was stored.

        Raises:
            ValueError: The object is not stored yet.
        """
        if self._blob is None:
            raise ValueError("the object is not stored yet")
        return self._blob

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        """Bytes written so far."""
        return self._size

    def write(self, data: "ReadableBuffer", /) -> int:
        """Append ``data``; waits while the store is slower than the producer.

        Raises:
            ArtifactStoreUnavailable, SettingsInvalid: The store has given the object up.
        """
        view = memoryview(data).cast("B")
        for at in range(0, len(view), PIECE):
            self._gathered += view[at : at + PIECE]
            if len(self._gathered) >= (PIECE if self._pipe else self._whole_up_to + 1):
                self._hand_over()
        self._digest.update(view)
        self._size += len(view)
        return len(view)

    def complete(self) -> Blob:
        """Send the rest, wait for the store, and answer what is stored. See :meth:`write` for what it raises."""
        if self._pipe is None:
            self._upload.whole(bytes(self._gathered))
        else:
            self._hand_over()
            self._pipe.finish()
        self._blob = Blob(
            key=self._key,
            size_bytes=self._size,
            checksum_sha256=self._digest.hexdigest(),
            media_type=self._media_type,
        )
        return self._blob

    def abandon(self) -> None:
        """Drop the object. Nothing that was written becomes visible."""
        if self._pipe is not None:
            self._pipe.abandon()

    def _hand_over(self) -> None:
        if self._pipe is None:
            self._pipe = _Pipe(self._upload.pieces)
        self._pipe.push(bytes(self._gathered))
        self._gathered.clear()


class _Abandoned(Exception):
    """Ends an upload without completing it."""


class _Pipe:
    """Pieces pushed here are pulled by ``upload`` in a thread of its own."""

    def __init__(self, upload: Callable[[Iterator[bytes]], None]) -> None:
        self._upload = upload
        self._queue: queue.Queue[bytes | None] = queue.Queue(QUEUED_PIECES)
        self._abandoned = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="artifact-upload", daemon=True)
        self._thread.start()

    def push(self, piece: bytes) -> None:
        self._raise_failure()
        # The thread empties the queue after it has noted a failure, so this never waits for a dead reader.
        self._queue.put(piece)

    def finish(self) -> None:
        self._end()
        self._raise_failure()

    def abandon(self) -> None:
        self._abandoned = True
        self._end()

    def _end(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._upload(self._pulled())
        except BaseException as met:
            self._failure = met
            while not self._queue.empty():
                self._queue.get_nowait()

    def _pulled(self) -> Iterator[bytes]:
        while (piece := self._queue.get()) is not None:
            yield piece
        if self._abandoned:
            raise _Abandoned
