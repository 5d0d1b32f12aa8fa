"""The processes that a test has begun, found by what they run."""

import contextlib

import psutil


def running(script: str) -> list[psutil.Process]:
    """Those of this process's children, and of theirs, that were started with ``script``; servers that other tests
    have left running for the session are not among them."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if any(script in word for word in child.cmdline()):
                found.append(child)
    return found
