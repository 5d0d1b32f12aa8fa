"""Ports on the loopback address, kept for one stack while it runs.

A part binds its port seconds after it was chosen, and again when it is restarted. Two stacks that start side by side
must not choose the same one meanwhile: each holds a lock file for every port of its own.
"""

import fcntl
import os
import random
import socket
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

LOOPBACK = "127.0.0.1"

FALLBACK = range(20_000, 32_000)
"""Below the ports that systems give to outgoing connections (32768 and up on Linux), which come and go."""


def is_free(port: int) -> bool:
    """Whether a server could listen on ``port`` now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a port whose last connections still linger counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


@contextmanager
def reserved(wanted: Sequence[Iterable[int]]) -> Iterator[list[int]]:
    """One port for each entry of ``wanted``: its first free candidate, else some free one. All are different, and no
    other stack of this user chooses them while the block runs."""
    with ExitStack() as held:
        yield [_first_free(candidates, held) for candidates in wanted]


def _first_free(candidates: Iterable[int], held: ExitStack) -> int:
    for port in candidates:
        if _take(port, held):
            return port
    while not _take(port := random.choice(FALLBACK), held):  # noqa: S311  (nothing secret about a port)
        pass
    return port


def _take(port: int, held: ExitStack) -> bool:
    if not is_free(port):
        return False
    try:
        opened = os.open(_locks() / str(port), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # a link, a folder: none of ours
        return False
    lock = os.fdopen(opened, "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return False
    held.enter_context(lock)
    return True


def _locks() -> Path:
    """A folder of this user's alone. One that somebody else has put in its place in the shared folder for temporary
    files, or may write, is let be: they would hold our locks, or be led to our files."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    name = f"guidesmith-ports-{os.getuid()}"
    for parent in (tempfile.gettempdir(), runtime, os.environ.get("XDG_CACHE_HOME") or "~/.cache"):
        if parent and _is_own(folder := Path(parent).expanduser() / name):
            return folder
    return _last_resort()


def _is_own(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


@cache
def _last_resort() -> Path:
    """This process's alone: ports are then held against no other, and a stack that finds one taken draws another."""
    return Path(tempfile.mkdtemp(prefix="guidesmith-ports-"))
