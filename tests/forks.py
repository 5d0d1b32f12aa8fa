"""Workers and APIs for tests, forked from a process that has imported everything: up in a fraction of a second.

Each is a process of its own, as one that was started with ``python -m tests.worker_process`` is, and is killed like
one (``tests/fork_server.py``).
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import psutil

ROOT = Path(__file__).parent.parent


class Forked:
    """As much of ``subprocess.Popen`` as tests use. How it ended is not known: the process that forked it reaps it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._process = psutil.Process(pid)

    def poll(self) -> int | None:
        """``None`` while it runs."""
        return None if self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE else 0

    def send_signal(self, number: int) -> None:
        """Raises: ProcessLookupError: It has ended."""
        if self.poll() is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)

    def wait(self, timeout: float | None = None) -> None:
        self._process.wait(timeout)


class ForkServer:
    """The process that forks. It ends when this one does."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def fork(self, program: Literal["worker", "api"], environment: Mapping[str, str], log: Path) -> Forked:
        """One with this environment and no other, that writes to the end of ``log``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(
            json.dumps({"program": program, "environment": dict(environment), "log": str(log)}) + "\n"
        )
        self._process.stdin.flush()
        return Forked(int(self._process.stdout.readline()))


@cache
def fork_server() -> ForkServer:
    """This process's own."""
    return ForkServer()
