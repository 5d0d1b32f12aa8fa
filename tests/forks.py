"""Workers and APIs for tests, forked from a process that has imported everything: up in a fraction of a second.

Each is a process of its own, as one that was started with ``python -m tests.worker_process`` is, and is killed like
one (``tests/fork_server.py``).
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import psutil

from tests.children import has_ended

ROOT = Path(__file__).parent.parent
UP_WITHIN_S = 120.0


class Forked:
    """As much of ``subprocess.Popen`` as tests use. How it ended is not known: the process that forked it reaps it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._process: psutil.Process | None = None
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended by now
            self._process = psutil.Process(pid)

    def poll(self) -> int | None:
        """``None`` while it runs."""
        return 0 if self._process is None or has_ended(self._process) else None

    def send_signal(self, number: int) -> None:
        """Raises: ProcessLookupError: It has ended."""
        if self.poll() is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)

    def wait(self, timeout: float | None = None) -> None:
        if self._process is not None:
            self._process.wait(timeout)


class ForkServer:
    """The process that forks. It ends when the one that started it does.

    Args:
        address: Where another process of the run has one; ``None``: start one.
    """

    def __init__(self, address: str | None = None) -> None:
        if address is None:
            self._folder = tempfile.TemporaryDirectory(prefix="guidesmith-forks-")
            address = f"{self._folder.name}/socket"
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", address], cwd=ROOT, stdin=subprocess.PIPE
            )
        self.address = address
        self._socket: socket.socket | None = None
        self._deadline = time.monotonic() + UP_WITHIN_S

    def fork(self, program: Literal["worker", "api"], environment: Mapping[str, str], log: Path) -> Forked:
        """One with this environment and no other, that writes to the end of ``log``."""
        asking = self._connected()
        asking.send(json.dumps({"program": program, "environment": dict(environment), "log": str(log)}).encode())
        return Forked(int(asking.recv(64)))

    def _connected(self) -> socket.socket:
        while self._socket is None:
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                asking = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                asking.connect(self.address)
                self._socket = asking
                break
            assert time.monotonic() < self._deadline, "nobody forks"
            time.sleep(0.02)
        return self._socket


SHARED: list[str] = []
"""Where the run's own is, if its processes share one (``tests/shared.py``)."""


@cache
def fork_server() -> ForkServer:
    """The run's, or this process's own."""
    return ForkServer(*SHARED)
