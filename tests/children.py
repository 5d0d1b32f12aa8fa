"""The processes that a test has begun, found by what they run."""

import contextlib

import psutil

from activities.confined.forking import SERVER


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
    return str(SERVER) in words and (parent is None or str(SERVER) not in parent.cmdline())
