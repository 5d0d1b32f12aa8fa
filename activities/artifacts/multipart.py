"""An object that arrives in numbered parts, over days and through many processes, and appears once they are joined.

What S3 calls a multipart upload, with the same promises on a folder: a part sent again replaces the one before it, one
sent again empty is taken back (S3 knows no other way, and joins what is named), an upload that was joined or aborted
takes no more, and joining copies nothing that need not be copied.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from domain.errors import ArtifactMissing, ArtifactStoreUnavailable
from domain.uploads import ArrivedPart

Progress = Callable[[int], None]
"""Called with the bytes done so far; may raise, and what was begun can be begun again."""


class UploadGone(ArtifactMissing):
    """There is no such multipart upload, or not any more: it was joined, aborted, or (until reopened) frozen."""


class PartsChanged(ArtifactStoreUnavailable):
    """A part was sent again between the look at the parts and their joining. Nothing was joined; look again."""


@dataclass(frozen=True)
class PartAddress:
    """Where a client sends one part, without credentials."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """What the request must say, beside what HTTP itself needs."""
    expires_s: int | None = None
    """Seconds from now that it holds, where these are fewer than were asked for."""


class PartSink(Protocol):
    """Takes the bytes of one part, or of a whole object. Blocking. Nothing is kept unless it is committed."""

    def write(self, data: bytes) -> None: ...

    def commit(self) -> None:
        """Keep what was written. Raises: UploadGone."""

    def abandon(self) -> None:
        """Drop it."""


class Multipart(Protocol):
    """Uploads are known by the key of the object to be and the id that :meth:`begin` gave.

    Every method may raise what :class:`~activities.artifacts.ArtifactStore` raises; ``UploadGone`` where it says so.
    """

    least_part_bytes: int
    """Of every part but the last."""

    def begin(self, key: str, media_type: str) -> str:
        """Begin an upload; its id."""

    def part(self, key: str, upload_id: str, number: int) -> PartSink:
        """A sink for part ``number``. Raises: UploadGone."""

    def whole(self, key: str, upload_id: str) -> PartSink:
        """A sink for all of the object, in however many parts the store likes. Raises: UploadGone."""

    def arrived(self, key: str, upload_id: str) -> tuple[ArrivedPart, ...]:
        """The parts that are there, by number, without those that were taken back. Raises: UploadGone."""

    def freeze(self, key: str, upload_id: str) -> None:
        """Where the store can: from now on no part is taken, until :meth:`reopen`. Raises: UploadGone."""

    def digest(self, key: str, upload_id: str, parts: Sequence[ArrivedPart], on_progress: Progress) -> str | None:
        """The SHA-256 of a frozen upload's parts, joined; None where they cannot be read before they are joined."""

    def join(self, key: str, upload_id: str, parts: Sequence[ArrivedPart], on_progress: Progress) -> None:
        """Make a frozen upload's ``parts`` the object. One that was interrupted is gone on with.

        Raises:
            UploadGone: Somebody else has joined or aborted it.
            PartsChanged: The parts are not the ones that are there.
        """

    def reopen(self, key: str, media_type: str, upload_id: str, parts: Sequence[ArrivedPart]) -> str:
        """Take parts again, after :meth:`freeze` or :meth:`join`; the id from now on. Parts that were there still are,
        where the store still has them."""

    def abort(self, key: str, upload_id: str) -> None:
        """Drop the upload and its parts; nothing happens when it is gone."""

    def address(
        self, key: str, upload_id: str, number: int, *, expires_s: int, size_bytes: int | None
    ) -> PartAddress | None:
        """Where anyone may send part ``number`` for ``expires_s`` seconds, or fewer, which the answer says, of exactly
        ``size_bytes`` where given; None where the store cannot be reached by URL."""

    def sweep(self, older_than_s: float, known: Callable[[str], bool]) -> int:
        """Drop uploads begun, and parts broken off, more than ``older_than_s`` seconds ago; an upload whose id is
        ``known`` is spared. How many there were."""
