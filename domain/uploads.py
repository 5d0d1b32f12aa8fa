"""What the parts of an upload may be, and when they make a whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.errors import UploadInvalid

MOST_PARTS = 10_000
"""Parts of one object: S3's own limit, kept for every store."""

MiB = 1 << 20

NOTHING_ARRIVED = "Nothing has arrived yet. PUT the recording to its upload_url first."

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
        UploadInvalid: The object ends before that part.
    """
    allowed = most_of_part(number, part_size_bytes, size_bytes)
    if number > 1 and not allowed:
        raise beyond_declared(size_bytes, number, allowed)
    return allowed


def most_of_part(number: int, part_size_bytes: int, size_bytes: int) -> int:
    """As :func:`bytes_of_part`; 0 for a part that lies beyond the object."""
    return max(0, min(part_size_bytes, size_bytes - (number - 1) * part_size_bytes))


def beyond_declared(size_bytes: int, number: int | None, allowed_bytes: int) -> UploadInvalid:
    """The refusal of more than a recording of ``size_bytes`` has: in part ``number``, or (``None``) as a whole."""
    facts = {"size_bytes": size_bytes, "allowed_bytes": allowed_bytes}
    said = f"The recording was declared with {size_bytes} bytes"
    again = "Begin the upload again with the right size_bytes if that was wrong."
    if number is None:
        return UploadInvalid(f"{said}, and more is sent. {again}", details={"mismatch": ["size_bytes"], **facts})
    part = f"part {number} has {allowed_bytes} of them at most" if allowed_bytes else f"there is no part {number}"
    return UploadInvalid(f"{said}: {part}. {again}", details={"mismatch": ["size_bytes"], "part": number, **facts})


def counted(parts: Iterable[ArrivedPart]) -> tuple[ArrivedPart, ...]:
    """``parts`` by number without those that were taken back: sent again empty. Only a first part may be empty, since
    an object may be."""
    kept = (part for part in parts if part.size_bytes or part.number == 1)
    return tuple(sorted(kept, key=lambda part: part.number))


def stray_parts(parts: Iterable[ArrivedPart], part_size_bytes: int, size_bytes: int) -> tuple[int, ...]:
    """The numbers of those that no object of ``size_bytes`` has, or not with so many bytes."""
    return tuple(
        part.number for part in parts if part.size_bytes > most_of_part(part.number, part_size_bytes, size_bytes)
    )


def check_parts(parts: Sequence[ArrivedPart], *, least: int) -> None:
    """Raise unless ``parts``, by number, make an object: none is missing, and all but the last have ``least`` bytes.

    Raises:
        UploadInvalid: They do not. ``details`` hold ``missing_parts`` or ``small_parts``.
    """
    if not parts:
        raise UploadInvalid(NOTHING_ARRIVED, details={"mismatch": ["absent"]})
    missing = sorted(set(range(1, parts[-1].number + 1)) - {part.number for part in parts})
    if missing:
        raise UploadInvalid(
            f"Part {missing[0]} has not arrived. Send it, or take back what was sent beyond it (PUT the part again, "
            "empty), then confirm again.",
            details={"mismatch": ["missing_parts"], "missing_parts": missing[:SHOWN]},
        )
    small = [part.number for part in parts[:-1] if part.size_bytes < least]
    if small:
        raise UploadInvalid(
            f"Every part but the last has at least {least} bytes: use the part_size that the upload was given.",
            details={"mismatch": ["small_parts"], "small_parts": small[:SHOWN], "least_bytes": least},
        )
