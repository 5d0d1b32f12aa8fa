"""Multipart uploads on a folder.

An upload is a folder ``.uploads/{id}`` with a file a part. Freezing renames it, so that a part that is still on its way
finds no place to land: no lock has to span processes for that. Joining appends the parts to the first one and drops
each when it is safely there, so that a recording of 10 GiB needs 10 GiB and a little, not twice as much; file systems
that share blocks (XFS, Btrfs) copy nothing at all.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from uuid import uuid4

from activities.artifacts.durable import fsync
from activities.artifacts.faults import translated
from activities.artifacts.keys import checked_key
from activities.artifacts.multipart import PartAddress, PartsChanged, Progress, UploadGone
from domain.uploads import ArrivedPart, counted

FOLDER = ".uploads"
"""Below the store's root. No object's key begins with a dot."""

PIECE = 1 << 20
SETTLE_BYTES = 256 << 20
"""So much is joined before it is flushed to the disk and its parts are dropped: the most space that joining takes."""

_FROZEN = ".frozen"
_ID = re.compile(r"[0-9a-f]{32}")
_PART = re.compile(r"\d{5}")
_BROKEN_OFF = ".tmp"
_JOINED, _PLAN, _LOCK = "joined", "plan.json", "lock"

_NO_KERNEL_COPY = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}


class FolderMultipart:
    """Uploads below the store's ``root``.

    Args:
        check: Raises unless the root is there: an upload that is not may be a folder that was not mounted.
        settle: Makes a written object outlast a power cut.
        now: The time by the clock that stamps the files, in seconds since 1970.
    """

    least_part_bytes = 1

    def __init__(
        self, root: Path, check: Callable[[], None], settle: Callable[[str], None], now: Callable[[], float]
    ) -> None:
        self._root = root
        self._uploads = root / FOLDER
        self._check = check
        self._settle = settle
        self._now = now

    def begin(self, key: str, media_type: str) -> str:
        checked_key(key)
        self._check()
        upload_id = uuid4().hex
        with translated(writing=True):
            (self._uploads / upload_id).mkdir(parents=True)
            fsync(self._uploads)
        return upload_id

    def part(self, key: str, upload_id: str, number: int) -> "FolderSink":
        with self._or_gone():
            return FolderSink(self._open(upload_id), number, self._or_gone)

    def whole(self, key: str, upload_id: str) -> "FolderSink":
        return self.part(key, upload_id, 1)

    def arrived(self, key: str, upload_id: str) -> tuple[ArrivedPart, ...]:
        with self._or_gone():
            for folder in (self._open(upload_id), self._frozen(upload_id)):
                if folder.is_dir():
                    return _arrived(folder)
        raise _gone()

    def freeze(self, key: str, upload_id: str) -> None:
        with self._or_gone():
            if not self._frozen(upload_id).is_dir():
                self._open(upload_id).rename(self._frozen(upload_id))

    def digest(self, key: str, upload_id: str, parts: Sequence[ArrivedPart], on_progress: Progress) -> str | None:
        """Taken once: it is noted beside the parts, and holds as long as they are the same ones."""
        folder = self._frozen(upload_id)
        with self._or_gone():
            noted, sha256 = _plan(folder)
            if noted == tuple(parts) and sha256 is not None:
                return sha256
            digest, done = hashlib.sha256(), 0
            for part in parts:
                with (folder / _name(part)).open("rb") as source:
                    for piece in iter(lambda source=source: source.read(PIECE), b""):  # type: ignore[misc]
                        digest.update(piece)
                        done += len(piece)
                        on_progress(done)
            _note_plan(folder, parts, digest.hexdigest())
        return digest.hexdigest()

    def join(self, key: str, upload_id: str, parts: Sequence[ArrivedPart], on_progress: Progress) -> None:
        folder, target = self._frozen(upload_id), self._root / checked_key(key)
        with self._or_gone(), _alone(folder):
            if _arrived(folder) != tuple(parts):
                raise PartsChanged("The parts changed while they were confirmed. Confirm again.")
            target.parent.mkdir(parents=True, exist_ok=True)
            _joined(folder, parts, on_progress).rename(target)
            self._settle(key)
            shutil.rmtree(folder, ignore_errors=True)

    def reopen(self, key: str, media_type: str, upload_id: str, parts: Sequence[ArrivedPart]) -> str:
        folder = self._frozen(upload_id)
        try:
            with self._or_gone(), _alone(folder):
                if not (folder / _JOINED).exists():
                    folder.rename(self._open(upload_id))
                    return upload_id
        except UploadGone:
            if self._open(upload_id).is_dir():
                return upload_id
        self.abort(key, upload_id)
        return self.begin(key, media_type)

    def abort(self, key: str, upload_id: str) -> None:
        with translated(writing=True):
            for folder in (self._open(upload_id), self._frozen(upload_id)):
                shutil.rmtree(folder, ignore_errors=True)

    def address(
        self, key: str, upload_id: str, number: int, *, expires_s: int, size_bytes: int | None
    ) -> PartAddress | None:
        return None

    def sweep(self, older_than_s: float, known: Callable[[str], bool]) -> int:
        before, swept = self._now() - older_than_s, 0
        with translated(writing=True):
            for folder in list(self._uploads.iterdir()) if self._uploads.is_dir() else ():
                upload_id = folder.name.removesuffix(_FROZEN)
                if _older(folder, before) and not known(upload_id):
                    shutil.rmtree(folder, ignore_errors=True)
                    swept += 1
                    continue
                for left in folder.glob(f"*{_BROKEN_OFF}"):
                    if _older(left, before):
                        left.unlink(missing_ok=True)
                        swept += 1
        return swept

    @contextmanager
    def _or_gone(self) -> Iterator[None]:
        """Faults as the taxonomy has them; a file or folder that is not there means that the upload is not."""
        with translated(writing=True):
            try:
                yield
            except FileNotFoundError:
                self._check()
                raise _gone() from None

    def _open(self, upload_id: str) -> Path:
        if not _ID.fullmatch(upload_id):
            raise _gone()
        return self._uploads / upload_id

    def _frozen(self, upload_id: str) -> Path:
        return self._open(upload_id).with_suffix(_FROZEN)


class FolderSink:
    """One part on its way: a file beside the others that takes its name when it is whole."""

    def __init__(self, folder: Path, number: int, or_gone: Callable[[], AbstractContextManager[None]]) -> None:
        self._folder = folder
        self._or_gone = or_gone
        self._part = folder / f"{number:05d}"
        self._arriving = folder / f"{number:05d}-{uuid4().hex}{_BROKEN_OFF}"
        self._file = self._arriving.open("xb", buffering=0)

    def write(self, data: bytes) -> None:
        with self._or_gone():
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]

    def commit(self) -> None:
        try:
            with self._or_gone():
                os.fsync(self._file.fileno())
                self._file.close()
                self._arriving.rename(self._part)
                fsync(self._folder)
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        self._file.close()
        with translated(writing=True):
            self._arriving.unlink(missing_ok=True)


def _arrived(folder: Path) -> tuple[ArrivedPart, ...]:
    if (folder / _JOINED).exists():
        return _plan(folder)[0]  # joining began: the parts are as they were then
    found = []
    for entry in os.scandir(folder):
        if _PART.fullmatch(entry.name):
            facts = entry.stat()
            found.append(ArrivedPart(int(entry.name), facts.st_size, f"{facts.st_ino:x}-{facts.st_mtime_ns:x}"))
    if not found and folder.suffix == _FROZEN:
        raise _gone()  # joined by somebody who died before the folder was dropped, or frozen empty
    return counted(found)


def _joined(folder: Path, parts: Sequence[ArrivedPart], on_progress: Progress) -> Path:
    """The file that holds all of ``parts``, each dropped as soon as it is safely there.

    One that an earlier run left is gone on with: its length says which parts are in it.
    """
    first, joined = folder / _name(parts[0]), folder / _JOINED
    if len(parts) == 1:
        return first
    if _plan(folder)[0] != tuple(parts):
        _note_plan(folder, parts, None)
    if not joined.exists():
        first.rename(joined)
    held = joined.stat().st_size
    appended: list[Path] = []
    unsettled = end = 0
    with joined.open("r+b", buffering=0) as target:
        for part in parts:
            start, end = end, end + part.size_bytes
            if held < end:
                with (folder / _name(part)).open("rb") as source:
                    _copy(source.fileno(), target.fileno(), start, part.size_bytes)
                unsettled += part.size_bytes
            appended.append(folder / _name(part))
            on_progress(end)
            if unsettled >= SETTLE_BYTES:
                _drop_settled(target.fileno(), appended)
                unsettled = 0
        target.truncate(end)
        _drop_settled(target.fileno(), appended)
    return joined


def _drop_settled(target: int, appended: list[Path]) -> None:
    os.fsync(target)
    while appended:
        appended.pop().unlink(missing_ok=True)


def _copy(source: int, target: int, at: int, length: int) -> None:
    """The ``length`` bytes of file ``source`` to ``at`` in file ``target``: inside the kernel where it can, else a
    piece at a time."""
    done = 0
    while done < length:
        copied = _copied_by_kernel(source, target, done, at + done, length - done)
        if copied == 0:
            piece = os.pread(source, min(PIECE, length - done), done)
            copied = os.pwrite(target, piece, at + done)
        if copied == 0:
            raise PartsChanged("A part is shorter than it was. Send it again.")
        done += copied


def _copied_by_kernel(source: int, target: int, start: int, at: int, length: int) -> int:
    """How many bytes the kernel copied; 0 where it does not do that for these files."""
    try:
        return os.copy_file_range(source, target, length, start, at)
    except AttributeError:  # not on Linux
        return 0
    except OSError as unable:
        if unable.errno in _NO_KERNEL_COPY:
            return 0
        raise


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One joiner at a time, whatever happens to it: the lock goes with the process that holds it."""
    with (folder / _LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _LOCK).exists():
            raise _gone()  # joined while this one waited
        yield


def _plan(folder: Path) -> tuple[tuple[ArrivedPart, ...], str | None]:
    """The parts that were last hashed or joined here, and their hash."""
    try:
        plan = json.loads((folder / _PLAN).read_bytes())
    except FileNotFoundError:
        return (), None
    return tuple(ArrivedPart(*part) for part in plan["parts"]), plan["sha256"]


def _note_plan(folder: Path, parts: Sequence[ArrivedPart], sha256: str | None) -> None:
    rows = [(part.number, part.size_bytes, part.etag) for part in parts]
    noting = folder / f"{_PLAN}-{uuid4().hex}{_BROKEN_OFF}"
    noting.write_text(json.dumps({"parts": rows, "sha256": sha256}))
    fsync(noting)
    noting.rename(folder / _PLAN)
    fsync(folder)


def _gone() -> UploadGone:
    return UploadGone("This upload takes no more parts. Ask what has arrived, or begin the upload again.")


def _name(part: ArrivedPart) -> str:
    return f"{part.number:05d}"


def _older(path: Path, before: float) -> bool:
    try:
        return path.stat().st_mtime < before
    except FileNotFoundError:
        return False
