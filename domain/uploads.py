"""What the parts of an upload may be, and when they make a whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.errors import RequestInvalid, UploadInvalid

MOST_PARTS = 10_000
"""Parts of one object: S3's own limit, kept for every store."""

MiB = 1 << 20

SHOWN = 100
"""Part numbers that an error names at most."""


@dataclass(frozen=True)
class ArrivedPart:
    """A part that has arrived. ``number`` counts from 1; ``etag`` changes when it is sent again with other bytes."""

    number: int
    size_bytes: int
    etag: str


def part_size(preferred: int, *, least: int, size_bytes: int) -> int:
    """Bytes of each part but the last of an object of ``size_bytes``: ``preferred`` where it is not below what the
    store takes (``least``) and :data:`MOST_PARTS` of them suffice, else the next whole MiB that does."""
    size = max(preferred, least)
    needed = -(-size_bytes // MOST_PARTS)
    return size if needed <= size else -(-needed // MiB) * MiB


def bytes_of_part(number: int, part_size_bytes: int, size_bytes: int) -> int:
    """How many bytes part ``number`` of an object of ``size_bytes`` has.

    Raises:
        RequestInvalid: The object ends before that part.
    """
    start = (number - 1) * part_size_bytes
    if number > 1 and start >= size_bytes:
        raise RequestInvalid(f"The recording was declared with {size_bytes} bytes and has no part {number}.")
    return min(part_size_bytes, size_bytes - start)


def check_parts(parts: Sequence[ArrivedPart], *, least: int) -> None:
    """Raise unless ``parts``, by number, make an object: none is missing, and all but the last have ``least`` bytes.

    Raises:
        UploadInvalid: They do not. ``details`` hold ``missing_parts`` or ``small_parts``.
    """
    if not parts:
        raise UploadInvalid("Nothing has arrived yet. PUT the recording to its upload_url first.")
    missing = sorted(set(range(1, parts[-1].number + 1)) - {part.number for part in parts})
    if missing:
        raise UploadInvalid(
            f"Part {missing[0]} has not arrived. Send it, then confirm again.",
            details={"missing_parts": missing[:SHOWN]},
        )
    small = [part.number for part in parts[:-1] if part.size_bytes < least]
    if small:
        raise UploadInvalid(
            f"Every part but the last has at least {least} bytes: use the part_size that the upload was given.",
            details={"small_parts": small[:SHOWN], "least_bytes": least},
        )
