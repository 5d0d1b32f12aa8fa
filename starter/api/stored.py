"""Stored files on their way out, by the signed addresses that answers gave out."""

from collections.abc import Callable, Iterator
from itertools import chain

from activities.artifacts import ArtifactStore
from domain.artifacts import Blob
from domain.errors import ArtifactCorrupt, ArtifactMissing
from starter.api.errors import not_found
from starter.logs import log


def stored_bytes(
    artifacts: ArtifactStore,
    blob: Blob,
    start: int = 0,
    end: int | None = None,
    *,
    on_loss: Callable[[], object] = lambda: None,
) -> Iterator[bytes]:
    """The file's bytes from ``start`` to ``end``, the first of them read already: what is gone or damaged is an error
    before the status is out, not half an answer. Damage that shows later breaks the answer off.

    Args:
        on_loss: Called where the file turns out to be gone or damaged.

    Raises:
        NotFound: It is gone or damaged: the address leads to nothing that can be had.
    """
    body = _watched(artifacts.read_chunks(blob, start, end), on_loss)
    try:
        return chain((next(body, b""),), body)
    except (ArtifactMissing, ArtifactCorrupt):
        raise not_found() from None


def _watched(body: Iterator[bytes], on_loss: Callable[[], object]) -> Iterator[bytes]:
    try:
        yield from body
    except (ArtifactMissing, ArtifactCorrupt) as loss:
        log("api").error("artifact.lost", code=loss.code)
        on_loss()
        raise
