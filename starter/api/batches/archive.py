"""All that a job made as one ZIP, made while it is sent: no byte of it is kept, here or on a disk.

Files are stored as they are (clips and pictures are compressed already), so its size is known beforehand; and the same
files always give the same bytes, so a download that broke off can be taken up where it stopped. The checksum of each
file is what only its bytes tell: it stands behind it, and what comes before the taken up place is read once more.

A file that turns out to be damaged while it is sent is not what was made: the rest of its place is filled with zeros,
and its checksum is a wrong one, by which every program that unpacks knows it. The others arrive.

Sizes are written with 64 bits throughout: APPNOTE.TXT 6.3.10, 4.3.7 (local header), 4.3.9 (data descriptor), 4.3.12
(central directory), 4.3.14 to 4.3.16 (its ends).
"""

import hashlib
import struct
import zlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from activities.artifacts import ObjectFacts
from domain.artifacts import Blob
from domain.errors import ArtifactCorrupt, ArtifactMissing
from starter.logs import log

MEDIA_TYPE = "application/zip"
MISSING = "missing.txt"
"""Names what was lost. No file of a job is called so: those have numbers."""

VERSION = 45
"""Of the format: the one that brought 64 bits."""
MADE_ON_UNIX = 3 << 8
FLAGS = 0x0808
"""Names are UTF-8; sizes and checksum stand behind the file."""
PLAIN_FILE = 0o100644 << 16
UNSAID_16, UNSAID_32 = 0xFFFF, 0xFFFFFFFF
"""Look in the 64 bits for it."""

LOCAL = struct.Struct("<4s5H3I2H")
LOCAL_64 = struct.Struct("<2H2Q")
BEHIND = struct.Struct("<4sI2Q")
CENTRAL = struct.Struct("<4s6H3I5H2I")
CENTRAL_64 = struct.Struct("<2H3Q")
END_64 = struct.Struct("<4sQ2H2I4Q")
LOCATOR = struct.Struct("<4sIQI")
END = struct.Struct("<4s4H2IH")

ZEROS_AT_ONCE = 1 << 20

TAG_64 = 1
EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)
"""What ZIP counts from."""


@dataclass(frozen=True)
class Member:
    """A file of the archive, by the name that it has there. ``data``: what is in it, where it is kept nowhere."""

    name: str
    blob: Blob
    data: bytes | None = None


class Files(Protocol):
    def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]: ...


class Kept(Files, Protocol):
    def list(self, prefix: str = "") -> Iterator[ObjectFacts]: ...
    def stat(self, key: str) -> ObjectFacts | None: ...


def there(kept: Kept, folder: str, members: Sequence[Member]) -> list[Member]:
    """Those of ``members`` that can be had; the names of the others stand in a file of their own, which comes last. One
    that is gone would break every download off at its place.

    Args:
        folder: Where most of them lie: it is listed at once. The others are looked for one by one.
    """
    sizes = {each.key: each.size_bytes for each in kept.list(folder)}

    def is_there(blob: Blob) -> bool:
        if blob.key in sizes:
            return sizes[blob.key] == blob.size_bytes
        found = kept.stat(blob.key)
        return found is not None and found.size_bytes == blob.size_bytes

    found = [each for each in members if is_there(each.blob)]
    names = {each.name for each in found}
    lost = [each.name for each in members if each.name not in names]
    return [*found, _told(lost)] if lost else found


def _told(lost: Sequence[str]) -> Member:
    data = "".join(f"{name}\n" for name in ("These files were made, and are no longer there:", *lost)).encode()
    digest = hashlib.sha256(data).hexdigest()
    blob = Blob(key=MISSING, size_bytes=len(data), checksum_sha256=digest, media_type="text/plain")
    return Member(MISSING, blob, data)


class Archive:
    """The ZIP of ``members``, in their order, each dated ``made_at``.

    Args:
        files: Where they are kept.
    """

    def __init__(self, files: Files, members: Sequence[Member], made_at: datetime) -> None:
        self._files, self._members = files, members
        self._date = _dos(made_at)

    @property
    def blob(self) -> Blob:
        """What it is as a file. Its checksum is one of what is in it and under which names: the bytes follow."""
        told = hashlib.sha256()
        size = END_64.size + LOCATOR.size + END.size
        for each in self._members:
            name = len(each.name.encode())
            size += LOCAL.size + name + LOCAL_64.size + each.blob.size_bytes + BEHIND.size
            size += CENTRAL.size + name + CENTRAL_64.size
            told.update(f"{each.name}\0{each.blob.checksum_sha256}\0{each.blob.size_bytes}\n".encode())
        told.update(repr(self._date).encode())
        return Blob(key="archive", size_bytes=size, checksum_sha256=told.hexdigest(), media_type=MEDIA_TYPE)

    def read_chunks(self, blob: Blob, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Its bytes from ``start`` up to ``end``, a chunk of a stored file at a time."""
        stop = blob.size_bytes if end is None else end
        at = 0
        for piece in self._pieces():
            if at >= stop:
                return
            wanted = piece[max(0, start - at) : stop - at]
            at += len(piece)
            if wanted:
                yield wanted

    def _pieces(self) -> Iterator[bytes]:
        at, listed = 0, []
        for each in self._members:
            name, size = each.name.encode(), each.blob.size_bytes
            begins = at
            yield self._local(name)
            crc = yield from self._stored(each)
            yield BEHIND.pack(b"PK\x07\x08", crc, size, size)
            at += LOCAL.size + len(name) + LOCAL_64.size + size + BEHIND.size
            listed.append((name, size, crc, begins))
        central = at
        for name, size, crc, begins in listed:
            entry = self._central(name, size, crc, begins)
            at += len(entry)
            yield entry
        count = len(listed)
        yield END_64.pack(
            *(b"PK\x06\x06", END_64.size - 12, MADE_ON_UNIX | VERSION, VERSION, 0, 0),
            *(count, count, at - central, central),
        )
        yield LOCATOR.pack(b"PK\x06\x07", 0, at, 1)
        yield END.pack(b"PK\x05\x06", 0, 0, UNSAID_16, UNSAID_16, UNSAID_32, UNSAID_32, 0)

    def _stored(self, member: Member) -> Generator[bytes, None, int]:
        """A file's bytes; its checksum, which holds where they are what was recorded."""
        crc, left = 0, member.blob.size_bytes
        chunks = self._files.read_chunks(member.blob) if member.data is None else iter((member.data,))
        try:
            for chunk in chunks:
                crc, left = zlib.crc32(chunk, crc), left - len(chunk)
                yield chunk
        except (ArtifactMissing, ArtifactCorrupt) as loss:
            log("api").error("archive.member_lost", code=loss.code, key=member.blob.key)
            for at in range(0, left, ZEROS_AT_ONCE):
                zeros = bytes(min(ZEROS_AT_ONCE, left - at))
                crc = zlib.crc32(zeros, crc)
                yield zeros
            crc ^= UNSAID_32
        return crc

    def _local(self, name: bytes) -> bytes:
        day, time = self._date
        head = LOCAL.pack(
            *(b"PK\x03\x04", VERSION, FLAGS, 0, time, day, 0, UNSAID_32, UNSAID_32, len(name), LOCAL_64.size)
        )
        return head + name + LOCAL_64.pack(TAG_64, LOCAL_64.size - 4, 0, 0)

    def _central(self, name: bytes, size: int, crc: int, begins: int) -> bytes:
        day, time = self._date
        head = CENTRAL.pack(
            *(b"PK\x01\x02", MADE_ON_UNIX | VERSION, VERSION, FLAGS, 0, time, day, crc, UNSAID_32, UNSAID_32),
            *(len(name), CENTRAL_64.size, 0, 0, 0, PLAIN_FILE, UNSAID_32),
        )
        return head + name + CENTRAL_64.pack(TAG_64, CENTRAL_64.size - 4, size, size, begins)


def _dos(at: datetime) -> tuple[int, int]:
    """Day and time as MS-DOS wrote them, in UTC."""
    when = max(at.astimezone(UTC), EARLIEST)
    day = (min(when.year, 2107) - 1980) << 9 | when.month << 5 | when.day
    return day, when.hour << 11 | when.minute << 5 | when.second // 2
