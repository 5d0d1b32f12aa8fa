"""Starts a confined process, hears its reports, and ends it: when it is done, when nobody wants it, when it overruns.

The process runs one of our own scripts, isolated from the environment, with an order as JSON on standard input. It
answers in JSON lines on standard output. It is a session of its own, so that Ctrl-C reaches us and not it.
"""

import contextlib
import errno
import json
import os
import selectors
import shutil
import signal
import stat
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from typing import IO, Any

from activities.confined.forking import PLACES, Forked, forked

POLL_S = 0.2
"""Between looks at whether the work was cancelled."""
LARGEST_ANSWER = 32 << 20
"""Bytes of all reports together. They are numbers and names: data goes through files."""
READ_AT_ONCE = 64 << 10
WEIGHED_EVERY_S = 1.0
"""Between looks at how much lies in a process's folder."""
ENDS_WITHIN_S = 10.0
"""Between a process's last word and its end."""
LARGEST_FILE, FULLEST_FOLDER = 256 << 20, 1 << 30
"""Bytes that a process may write where its order does not say how many."""
LEAST_ON_DISK = 4096
"""Bytes that any file or folder takes, the empty ones too: a million of them use up a disk's inodes."""
MOST_THREADS = 64 + 8 * (os.cpu_count() or 1)
"""Of one process. Decoders, ONNX Runtime and Typst have a few for each core. A system bounds how many its users have,
not how many a process has, so that they are counted at each look: a few thousand may be there by then."""

Report = dict[str, Any]


class Overran(Exception):
    """The process was still at work at the end of its time, or used up its processor time."""


class Died(Exception):
    """The process ended without an answer: it met a limit (memory above all), crashed, said what is no report, or left
    what is no file."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a process may use. ``wall_s`` seconds in all, ``silence_s`` seconds between reports; of processor time
    ``cpu_s`` seconds; ``memory_bytes`` of address space; ``file_bytes`` in one file; ``folder_bytes`` in all files of
    the folder that it works in (``cwd``): the system bounds one file, and not how many there are."""

    wall_s: float
    cpu_s: int
    memory_bytes: int
    silence_s: float | None = None
    file_bytes: int = LARGEST_FILE
    folder_bytes: int = FULLEST_FOLDER
    open_files: int | None = None

    def as_order(self) -> Report:
        """For ``inside.limit``."""
        return {
            "cpu_s": self.cpu_s,
            "memory_bytes": self.memory_bytes,
            "file_bytes": self.file_bytes,
            "open_files": self.open_files,
        }


def made_file(folder: Path, name: str, most_bytes: int) -> int:
    """A file that a confined process made, open for reading: who chose its ``name`` is us, and what it is is a file.

    Links are not followed: a process that was taken over would lead us by one to whatever we may read.

    Raises:
        Died: It is not there, no regular file of its own, or has more than ``most_bytes``.
    """
    try:
        held = os.open(folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise Died from None
    except OSError as fault:
        if fault.errno in (errno.ELOOP, errno.ENXIO):
            raise Died from None
        raise
    about = os.fstat(held)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1 or about.st_size > most_bytes:
        os.close(held)
        raise Died
    return held


def made_bytes(folder: Path, name: str, most_bytes: int) -> bytes:
    """What is in such a file. Raises: Died: See :func:`made_file`."""
    with os.fdopen(made_file(folder, name, most_bytes), "rb") as file:
        return file.read(most_bytes)


def moved(folder: Path, name: str, to: Path, most_bytes: int) -> None:
    """Such a file in another place. Raises: Died: See :func:`made_file`."""
    os.close(made_file(folder, name, most_bytes))  # by a process that has ended: nobody exchanges it any more
    shutil.move(folder / name, to)


def places() -> dict[str, str]:
    """The environment that is safe to pass on."""
    return {name: os.environ[name] for name in PLACES if name in os.environ}


def reports(
    script: Path,
    order: Mapping[str, object],
    bounds: Bounds,
    *,
    environment: Mapping[str, str],
    cwd: Path | None = None,
    on_poll: Callable[[], None] = lambda: None,
    loads: Sequence[str] = (),
) -> Generator[Report, None, None]:
    """Run ``script`` and yield each report as it comes. The process never outlives the iteration, however that ends;
    who may leave it early closes it (``contextlib.closing``).

    Args:
        order: Gets ``bounds`` and ``parent`` (a process id) added, for ``inside``.
        environment: All of the process's environment.
        on_poll: Called every :data:`POLL_S` and at each report. What it raises (``Cancelled``) ends the process.
        loads: Modules that ``main`` of the script works with, and that may be loaded before it is locked down: then
            its processes are forked from one that has loaded them, where the system can (``forking``).

    Raises:
        Overran: See there.
        Died: See there. Also when the process ended with an exit status other than 0.
    """
    end = time.monotonic() + bounds.wall_s
    if cwd is not None:
        on_poll = _weighing(cwd, bounds.folder_bytes, on_poll)

    @contextlib.contextmanager
    def ordered(parent: int) -> Iterator[IO[bytes]]:
        with TemporaryFile() as told:  # not a pipe: a process that reads nothing must not block us
            told.write(json.dumps({**order, "bounds": bounds.as_order(), "parent": parent}).encode())
            told.seek(0)
            yield told

    def waiting() -> None:
        on_poll()
        if time.monotonic() > end:
            raise Overran

    where: Any = {"environment": environment, "cwd": cwd}
    process: _Spawned | Forked | None = None
    if loads:
        process = forked(script, loads, ordered, **where, on_poll=waiting, poll_s=POLL_S)
    if process is None:
        with ordered(os.getpid()) as told:
            process = _Spawned(script, told, **where)
    try:
        watched = _counting(process.pid, on_poll)
        yield from _heard(process, bounds, end, watched)
        _judge(process, watched)
    finally:
        process.end()


def answer(script: Path, order: Mapping[str, object], bounds: Bounds, **how: Any) -> Report:
    """The last report of :func:`reports`, with its arguments and errors."""
    heard = list(reports(script, order, bounds, **how))
    if not heard:
        raise Died
    return heard[-1]


def _weighing(folder: Path, most_bytes: int, on_poll: Callable[[], None]) -> Callable[[], None]:
    """``on_poll``, and a look at the folder now and then. That raises: Died: There is more in it."""
    due = time.monotonic() + WEIGHED_EVERY_S

    def poll() -> None:
        nonlocal due
        on_poll()
        if time.monotonic() > due:
            if _bytes_in(folder) > most_bytes:
                raise Died
            due = time.monotonic() + WEIGHED_EVERY_S

    return poll


def _bytes_in(folder: Path) -> int:
    found = 0
    for place, folders, names in os.walk(folder):
        found += LEAST_ON_DISK * len(folders)
        for name in names:
            with contextlib.suppress(OSError):  # gone meanwhile
                size = os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - thousands of them, each second
                found += max(size, LEAST_ON_DISK)
    return found


def _counting(pid: int, on_poll: Callable[[], None]) -> Callable[[], None]:
    """``on_poll``, and a look at how many threads the process has, where the system tells. That raises: Died: More than
    any library starts."""
    told = Path(f"/proc/{pid}/stat")

    def poll() -> None:
        on_poll()
        with contextlib.suppress(OSError):  # no Linux, or it has ended
            if int(told.read_bytes().rpartition(b")")[2].split()[17]) > MOST_THREADS:
                raise Died

    return poll


def _heard(process: "_Spawned | Forked", bounds: Bounds, end: float, on_poll: Callable[[], None]) -> Iterator[Report]:
    for lines in _read(process.output, bounds, end, on_poll):
        for line in lines:
            try:
                report = json.loads(line)
            except (ValueError, RecursionError):
                raise Died from None
            if not isinstance(report, dict):
                raise Died
            yield report


def _read(output: int, bounds: Bounds, end: float, on_poll: Callable[[], None]) -> Iterator[Sequence[bytes]]:
    """Whole lines as they come, until the pipe's end; an empty batch never."""
    left, unread = LARGEST_ANSWER, list[bytes]()
    heard = time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            on_poll()
            now = time.monotonic()
            if now > end or (bounds.silence_s is not None and now - heard > bounds.silence_s):
                raise Overran
            if not selector.select(POLL_S):
                continue
            read = os.read(output, READ_AT_ONCE)
            left -= len(read)
            if left < 0 or (not read and unread):
                raise Died
            if not read:
                return
            *lines, rest = read.split(b"\n")
            if lines:
                lines[0] = b"".join([*unread, lines[0]])
                unread.clear()
                yield lines
                heard = time.monotonic()
            if rest:
                unread.append(rest)


def _judge(process: "_Spawned | Forked", on_poll: Callable[[], None]) -> None:
    """How it ended, which it does soon after its last word."""
    until = time.monotonic() + ENDS_WITHIN_S
    while (status := process.waited(POLL_S)) is None:
        on_poll()
        if time.monotonic() > until:
            raise Overran
    if hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU:
        raise Overran
    if status != 0:
        raise Died


class _Spawned:
    """A process of our own. ``output``: the end of the pipe that is its standard output; ``pid``: its number."""

    def __init__(self, script: Path, order: IO[bytes], *, environment: Mapping[str, str], cwd: Path | None) -> None:
        self._process = Popen(  # noqa: S603 - our own script
            [sys.executable, "-I", str(script)],
            stdin=order,
            stdout=PIPE,
            stderr=DEVNULL,
            env=dict(environment),
            cwd=cwd,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()
        self.pid = self._process.pid

    def waited(self, timeout_s: float) -> int | None:
        """Its exit status, negative where a signal ended it; ``None`` while it runs."""
        try:
            return self._process.wait(timeout_s)
        except TimeoutExpired:
            return None

    def end(self) -> None:
        """Return when it is gone."""
        with self._process as process:
            if process.returncode is not None:
                return
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)  # not reaped yet, so the number is still its own
            process.kill()
