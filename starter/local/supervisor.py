"""Keep a few processes running: start them, wait until they answer, restart what dies, stop all of it.

Each service leads a process group of its own (a Ctrl-C in the terminal reaches the supervisor alone, which then stops
them in order) and is tied to the supervisor's life (``parent_watch.py``).
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import structlog

from starter.local import parent_watch
from starter.local.folder import StackFailed, last_words

log = structlog.stdlib.get_logger("stack")

AT_ONCE = 3
"""Ends in a row after which a service is started again at once: a kill is no fault of its own, whatever its age."""
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 10.0
STEADY_S = 30.0
"""A service that ran this long had come up: its next pause is the first again."""

STARTS_BEFORE_GIVING_UP = 3
"""A service that ends this often before it ever answered will not come up; waiting longer helps nobody."""

LOG_KEPT_BYTES = 8 << 20
"""A log larger than this at a service's start is set aside (one older generation is kept)."""

POLL_S = 0.05


@dataclass(frozen=True)
class Service:
    """A process to keep running.

    Args:
        command: Absolute path of the program, then its arguments.
        environment: The whole environment of the process.
        output: The file that takes its standard output and error.
        answers: Whether it does its work now; called often while it starts.
        grace_s: Seconds between SIGTERM and SIGKILL when it is stopped.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    output: Path
    answers: Callable[[], Awaitable[bool]]
    grace_s: float = 10.0


class Supervised:
    """One running service. ``keep_open`` are descriptors that its processes inherit."""

    def __init__(self, service: Service, keep_open: tuple[int, ...] = ()) -> None:
        self.service = service
        self._keep_open = keep_open
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self._answered = False
        self._starts = 0
        self._keeper: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process else None

    @property
    def starts(self) -> int:
        """How often it was started."""
        return self._starts

    def start(self) -> None:
        """Start it and keep it running until :meth:`stop`."""
        self._keeper = asyncio.create_task(self._keep(), name=f"keep-{self.service.name}")

    async def wait_answering(self, timeout_s: float) -> None:
        """Return once the service answers.

        Raises:
            StackFailed: It ended again and again, or did not answer in time. The message points to its log.
        """
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if self.pid is not None and await self.service.answers():
                self._answered = True
                return
            if self._starts > STARTS_BEFORE_GIVING_UP:
                break
            await asyncio.sleep(POLL_S)
        raise StackFailed(
            f"The {self.service.name} did not come up. Its log, {self.service.output.name}, ends with: "
            f"{last_words(self.service.output)}"
        )

    async def stop(self) -> None:
        """Ask it to end, and make it end when it does not within its grace."""
        self._stopping = True
        if self._process is not None and self._process.returncode is None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.service.grace_s):
                    await self._process.wait()
            self._signal(signal.SIGKILL)
            await self._process.wait()
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper

    async def _keep(self) -> None:
        ends = 0
        while True:
            began = time.monotonic()
            await self._run_once()
            if self._stopping:
                return
            ends = 1 if time.monotonic() - began > STEADY_S else ends + 1
            pause = pause_after(ends)
            log.warning("service.ended", service=self.service.name, restart_in_s=round(pause, 1))
            await asyncio.sleep(pause)

    async def _run_once(self) -> None:
        self._starts += 1
        with _opened_log(self.service.output) as output:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-S",
                parent_watch.__file__,
                str(os.getpid()),
                *self.service.command,
                env=dict(self.service.environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=self._keep_open,
            )
        await self._process.wait()
        self._signal(signal.SIGKILL)  # what it started and left behind

    def _signal(self, number: signal.Signals) -> None:
        """To the whole process group: the service and what it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


def pause_after(ends: int) -> float:
    """Seconds before a service is started again that has ended so often in a row, each time soon."""
    return 0.0 if ends <= AT_ONCE else min(FIRST_PAUSE_S * 2.0 ** min(ends - AT_ONCE, 16), LONGEST_PAUSE_S)


@contextlib.contextmanager
def _opened_log(path: Path) -> Iterator[BinaryIO]:
    if path.exists() and path.stat().st_size > LOG_KEPT_BYTES:
        path.replace(path.with_suffix(".1.log"))
    with path.open("ab") as file:
        yield file
