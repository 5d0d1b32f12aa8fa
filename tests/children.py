"""The processes that a test has begun, found by what they run."""

import contextlib
from pathlib import Path

import psutil

from activities.confined import forking

SERVER = str(forking.SERVER)
LASTING_SERVER = Path(__file__).with_name("lasting_server.py")


def running(script: str, of: int | None = None) -> list[psutil.Process]:
    """Those of this process's children (or those of the process ``of``), and of theirs, that run ``script``; servers
    that other tests have left running for the session are not among them, nor are those that fork such processes."""
    found = []
    for child in psutil.Process(of).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            words = child.cmdline()  # once: at a second look it may have ended, and have none
            if any(script in word for word in words) and not _forks(child, words):
                found.append(child)
    return found


def has_ended(which: int | psutil.Process) -> bool:
    """Whether it is gone, or only waits to be reaped."""
    with contextlib.suppress(psutil.NoSuchProcess):  # it may be reaped between two looks
        process = psutil.Process(which) if isinstance(which, int) else which
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    return True


def _forks(process: psutil.Process, words: list[str]) -> bool:
    """What is forked has its parent's command line (``words``)."""
    parent = process.parent()
    return _is_server(words) and (parent is None or not _is_server(parent.cmdline()))


def _is_server(words: list[str]) -> bool:
    return SERVER in words or str(LASTING_SERVER) in words


def keep_servers() -> None:
    """Have what this process starts to fork confined processes stay until it ends."""
    forking.SERVER = LASTING_SERVER
