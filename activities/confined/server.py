"""The process that forks confined ones: it has loaded what a script works with, and is asked for one after another.

Run as a script, by ``forking``: what is forked has ``main`` of the script still before it, which locks it down as in a
process that was started for it. Nothing of a stranger's is here: an order is a file that the child reads, and a child
has no descriptor of ours. Nothing of us is in an answer either but how memory is laid out, so that is given up often: a
child that crashed was the last one that was laid out so, and nobody lays it out alike for longer than ``LASTS_S``.

It ends with whoever asks (end of the channel), and its children with it. Standard library only.
"""

import gc
import importlib
import importlib.util
import json
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

IDLE_S = 120.0
"""Without an order, after which memory is given back: 5 to 60 MB, by what was loaded."""
LASTS_S = 900.0
LARGEST_MESSAGE = 64 << 10


class Server:
    """Forks, watches, and ends what it forked.

    Args:
        channel: Where it is asked: a message of JSON (``environment``, ``cwd``) with three descriptors, which are the
            child's standard input, its standard output, and the line on which is told how it goes: ``pid``, or
            ``fault`` (``errno``) or ``threads`` where there is none; then ``status``. Who wants it ended says so there.
        work: What a child does.
    """

    def __init__(self, channel: socket.socket, work: Callable[[], None]) -> None:
        self._channel: Final = channel
        self._takes = True
        self._work: Final = work
        self._lines: Final[dict[int, socket.socket]] = {}
        self._ended: Final[set[int]] = set()
        self._selector: Final = selectors.DefaultSelector()
        self._until: Final = time.monotonic() + LASTS_S

    def serve(self) -> None:
        """Until nobody asks any more, and what was asked for is done."""
        noticed, notices = socket.socketpair()
        for each in (noticed, notices):
            each.setblocking(False)
        signal.set_wakeup_fd(notices.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._channel, selectors.EVENT_READ, self._take)
        self._selector.register(noticed, selectors.EVENT_READ, lambda: noticed.recv(LARGEST_MESSAGE))
        while self._takes or self._lines:
            ready = self._selector.select(None if self._lines else IDLE_S)
            for key, _ in ready:
                key.data()
            self._reap()
            if not (ready or self._lines) or time.monotonic() > self._until:
                self._take_no_more()

    def _take(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._channel, LARGEST_MESSAGE, 3)
        if not message:  # nobody is there any more
            for each in self._lines:
                _kill(each)
            os._exit(0)
        order, out, told = descriptors
        line = socket.socket(fileno=told)
        try:
            if _wanted(line) and (pid := self._forked(json.loads(message), order, out, line)) is not None:
                self._lines[pid] = line
                self._selector.register(line, selectors.EVENT_READ, lambda: self._hear(pid, line))
            else:
                line.close()
        finally:
            os.close(order)
            os.close(out)

    def _forked(self, asked: dict[str, object], order: int, out: int, line: socket.socket) -> int | None:
        if len(list(Path("/proc/self/task").iterdir())) != 1:  # a library's: what it holds would stay held in a child
            _tell(line, threads=True)
            return None
        try:
            pid = os.fork()
        except OSError as fault:
            _tell(line, fault=fault.errno)
            return None
        if pid == 0:
            self._become(asked, order, out)
        _tell(line, pid=pid)
        return pid

    def _become(self, asked: dict[str, object], order: int, out: int) -> NoReturn:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            os.dup2(order, 0)
            os.dup2(out, 1)
            for each in [int(each.name) for each in Path("/proc/self/fd").iterdir()]:
                if each > 2:
                    with suppress(OSError):  # the one that the list was read with
                        os.close(each)
            os.environ.clear()
            os.environ.update(asked["environment"])  # type: ignore[call-overload]
            if asked["cwd"] is not None:
                os.chdir(str(asked["cwd"]))
            self._work()
            sys.stdout.flush()
            status = 0
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        finally:
            os._exit(status)  # what was told was told

    def _hear(self, pid: int, line: socket.socket) -> None:
        """Asked to end it, or nobody hears how it goes any more."""
        with suppress(ConnectionResetError):
            line.recv(LARGEST_MESSAGE)
        self._selector.unregister(line)
        self._ended.add(pid)
        _kill(pid)

    def _reap(self) -> None:
        while (ended := _ended_child()) is not None:
            pid = ended
            _kill(pid)  # what it may have started: not reaped yet, so the number is still its own
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            line = self._lines.pop(pid, None)
            if line is None:  # a library's own
                continue
            if pid in self._ended:
                self._ended.discard(pid)
            else:
                self._selector.unregister(line)
                if status < 0 and status != -signal.SIGXCPU:
                    self._take_no_more()
            _tell(line, status=status)
            line.close()

    def _take_no_more(self) -> None:
        """Whoever asks next finds nobody, and starts another."""
        if self._takes:
            self._selector.unregister(self._channel)
            self._channel.close()
            self._takes = False


def _ended_child() -> int | None:
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if found is None else found.si_pid


def _kill(pid: int) -> None:
    """A child that is not reaped, with what it started."""
    for send in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            send(pid, signal.SIGKILL)


def _wanted(line: socket.socket) -> bool:
    """Whether somebody still hears."""
    try:
        line.recv(LARGEST_MESSAGE, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return True
    except ConnectionResetError:
        pass
    return False


def _tell(line: socket.socket, **facts: object) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        line.send(json.dumps(facts).encode())


def _work_of(script: str) -> Callable[[], None]:
    found = importlib.util.spec_from_file_location("confined_script", script)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    work: Callable[[], None] = module.main
    return work


def _load(modules: Sequence[str]) -> None:
    for each in modules:
        with suppress(Exception):  # whoever needs it loads it again, and says what is the matter
            importlib.import_module(each)
    gc.collect()
    gc.freeze()  # so that a child's collections do not write to what it shares with us


def main() -> None:
    """Arguments: the channel's descriptor, the script, and what it loads."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    work = _work_of(sys.argv[2])
    _load(sys.argv[3:])
    Server(channel, work).serve()


if __name__ == "__main__":
    main()
