"""Confined processes that are forked from one that has loaded their libraries (``server``): up in milliseconds.

Most of what a small confined process costs is loading libraries: half a second of a processor for a decoder. A server
is started when its script is first ordered and ends when it has nothing to do. Where there can be none (another system
than Linux, a library with threads), a process is started for each order, as ever.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import json
import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import IO, Any, Final

SERVER = Path(__file__).with_name("server.py")
LARGEST_MESSAGE = 4096
TRIES = 3
PLACES = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "XDG_DATA_HOME", "XDG_DATA_DIRS")
"""What of the environment tells where temporary files and the system's fonts are: of each order, and not of a server.
No secrets."""


_NOBODY = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN, errno.EBADF})
"""At the other end of a channel; the last one: at ours, since another thread has given the server up."""


class Gone(Exception):
    """The server has ended, and has not begun what it was asked for."""


class Unfit(Exception):
    """The server has threads, so that nothing can be forked from it."""


class Forked:
    """A process that a server has forked. ``output``: the end of the pipe that is its standard output; ``pid``: its
    number."""

    def __init__(self, output: int, line: socket.socket, pid: int) -> None:
        self.output: Final = output
        self.pid: Final = pid
        self._line: Final = line
        self._status: int | None = None

    def waited(self, timeout_s: float | None) -> int | None:
        """Its exit status, negative where a signal ended it; ``None`` while it runs. A server that was killed has taken
        its children along, as a kill does."""
        if self._status is None and _readable(self._line, timeout_s):
            self._status = int(_heard(self._line).get("status", -9))
        return self._status

    def end(self) -> None:
        """Return when it is gone."""
        if self._status is None:
            with contextlib.suppress(OSError):
                self._line.send(b"end")
            self.waited(None)
        self._line.close()
        os.close(self.output)


class Server:
    """A server of ours, which ends with this process."""

    def __init__(self, script: Path, loads: Sequence[str], environment: Mapping[str, str]) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = Popen(  # noqa: S603 - our own script
                [sys.executable, "-I", str(SERVER), str(theirs.fileno()), str(script), *loads],
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=DEVNULL,
                env=dict(environment),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        # reaped when it ends, which is by itself
        threading.Thread(target=self._process.wait, name=f"reaps-{script.stem}-server", daemon=True).start()
        self.fit = True

    @property
    def pid(self) -> int:
        return self._process.pid

    def fork(
        self,
        order: IO[bytes],
        environment: Mapping[str, str],
        cwd: Path | None,
        on_poll: Callable[[], None],
        poll_s: float,
    ) -> Forked:
        """A process that reads ``order``.

        Args:
            on_poll: Called every ``poll_s`` until it is there. What it raises goes through: then there is none.

        Raises:
            Gone: See there; start another server.
            Unfit: See there.
            OSError: The system has no room for one more process.
        """
        output, says = os.pipe()
        line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps({"environment": dict(environment), "cwd": None if cwd is None else str(cwd)}).encode()
        try:
            with theirs:
                try:
                    socket.send_fds(self._channel, [message], [order.fileno(), says, theirs.fileno()])
                except OSError as fault:
                    if fault.errno in _NOBODY:
                        raise Gone from None
                    raise
                finally:
                    os.close(says)
            while not _readable(line, poll_s):
                on_poll()
            told = _heard(line)
            if "threads" in told:
                self.fit = False
                raise Unfit
            if "fault" in told:
                raise OSError(told["fault"], os.strerror(told["fault"]))
            if "pid" not in told:
                raise Gone
        except BaseException:
            line.close()
            os.close(output)
            raise
        return Forked(output, line, int(told["pid"]))

    def ended(self) -> bool:
        return self._process.returncode is not None

    def leave(self) -> None:
        """Ask it for nothing any more: it ends what it was asked for, and then itself."""
        self._channel.close()

    def kill(self) -> None:
        self.leave()
        self._process.kill()
        self._process.wait()

    def forget(self) -> None:
        """It is another process's: of the one that we were forked from."""
        self._channel.close()
        self._process.returncode = 0


class _Servers:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[object, Server] = {}
        self._left: list[Server] = []

    def of(self, script: Path, loads: Sequence[str], environment: Mapping[str, str]) -> Server:
        key = (script, tuple(loads), tuple(sorted(environment.items())))
        with self._lock:
            found = self._found.get(key)
            if found is None:
                self._left = [each for each in self._left if not each.ended()]
                found = self._found[key] = Server(script, loads, environment)
            return found

    def leave(self, server: Server) -> None:
        with self._lock:
            for key, found in list(self._found.items()):
                if found is server:
                    del self._found[key]
                    self._left.append(server)

    def kill(self) -> None:
        for each in (*self._found.values(), *self._left):
            each.kill()

    def forget(self) -> None:
        for each in (*self._found.values(), *self._left):
            each.forget()
        self.__init__()  # type: ignore[misc]


def forked(
    script: Path,
    loads: Sequence[str],
    ordered: Callable[[int], AbstractContextManager[IO[bytes]]],
    *,
    environment: Mapping[str, str],
    cwd: Path | None,
    on_poll: Callable[[], None],
    poll_s: float,
) -> Forked | None:
    """A process that has ``main`` of ``script`` before it; ``None``: there can be none here.

    Args:
        loads: Modules that the script works with.
        ordered: The order as an open file, told which process is the parent.
        environment: All of the process's environment.
        on_poll: Called every ``poll_s`` until it is there. What it raises goes through: then there is none.

    Raises:
        OSError: The system has no room for one more process.
    """
    if not sys.platform.startswith("linux"):
        return None
    lasting = {name: value for name, value in environment.items() if name not in PLACES}
    for _ in range(TRIES):
        server = _SERVERS.of(script, loads, lasting)
        if not server.fit:
            return None
        try:
            with ordered(server.pid) as order:
                return server.fork(order, environment, cwd, on_poll, poll_s)
        except Gone:
            _SERVERS.leave(server)
        except Unfit:
            server.kill()
    return None


def _readable(line: socket.socket, timeout_s: float | None) -> bool:
    waiting = select.poll()  # not select: descriptors may be many
    waiting.register(line, select.POLLIN)
    return bool(waiting.poll(None if timeout_s is None else 1000 * timeout_s))


def _heard(line: socket.socket) -> dict[str, Any]:
    """The next message; an empty one where there will be none."""
    try:
        message = line.recv(LARGEST_MESSAGE)
    except ConnectionResetError:
        message = b""
    heard: dict[str, Any] = json.loads(message) if message else {}
    return heard


_SERVERS = _Servers()
if sys.platform.startswith("linux"):
    atexit.register(_SERVERS.kill)
    os.register_at_fork(after_in_child=_SERVERS.forget)
