"""Forks what ``tests/forks.py`` asks for: a message of JSON each on a Unix socket, its process id the answer.

No thread of ours runs here: what is shared is what imports and ``prepare`` have done, and the servers of confined
processes (``activities/confined/forking.py``), which have loaded their libraries. The processes of a test run share one
of these, where there are several.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from activities.analysis import charts, executor
from activities.analysis.reading import inputs
from activities.confined import forking
from activities.decoding import ordering
from activities.pictures import isolated as pictures
from activities.publishing import preview, typesetter
from activities.screen import isolated as screen
from tests.children import keep_servers
from tests.objectstores import die_with_parent

PROGRAMS = {"worker": "tests.worker_process", "api": "tests.api_process"}

LARGEST_MESSAGE = 1 << 20

CONFINED: tuple[tuple[Path, Sequence[str], Mapping[str, str]], ...] = (
    (ordering.DECODER, ordering.LOADS, ordering.ENVIRONMENT),
    (ordering.DECODER, screen.LOADS, ordering.ENVIRONMENT),
    (pictures.OPENER, pictures.LOADS, pictures._ENVIRONMENT),
    (charts.TYPESETTER, typesetter.LOADS, {}),
    (preview.PAINTER, preview.LOADS, {}),
    (executor.RUNNER, executor.LOADS, inputs.CONFINED_ENVIRONMENT),
    (inputs.READER, inputs.LOADS, inputs.CONFINED_ENVIRONMENT),
)
"""Scripts of confined processes, with what they load and what of the environment their servers know: each worker would
load all that anew."""

keep_servers()
_lent = forking._Servers()


def serve(address: str) -> None:
    """Until stdin ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them: they are reaped as they end
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(address)
    listener.listen()
    asking: list[socket.socket] = []
    while True:
        ready, _, _ = select.select([sys.stdin.fileno(), listener, *asking], [], [])
        if sys.stdin.fileno() in ready:
            return
        for each in [one for one in asking if one in ready]:
            if message := each.recv(LARGEST_MESSAGE):
                each.send(str(_forked(json.loads(message), (listener, *asking))).encode())
            else:
                asking.remove(each)
                each.close()
        if listener in ready:
            asking.append(listener.accept()[0])


def _forked(asked: dict[str, Any], ours: Sequence[socket.socket]) -> int:
    main = _prepared(asked["program"])
    _keep_confined()
    if (child := os.fork()) == 0:
        for each in ours:
            each.close()
        forking._SERVERS._found.update(_lent._found)
        _become(main, asked)
    return child


def _keep_confined() -> None:
    """Have each of the servers: one ends for good where a child of it crashed."""
    for server in list(_lent._found.values()):
        if server._process.poll() is not None:
            _lent.leave(server)
    with patch("threading.Thread"):  # a server's own would wait for it to end
        for each in CONFINED:
            _lent.of(*each)


@cache
def _prepared(program: str) -> Callable[[], None]:
    """The program's ``main``; what each of its processes would have to make for itself is there."""
    module = importlib.import_module(PROGRAMS[program])
    module.prepare()
    gc.collect()
    gc.freeze()  # it stays: no process need look through it for garbage, and by that copy it
    return cast(Callable[[], None], module.main)


def _become(main: Callable[[], None], asked: dict[str, Any]) -> None:
    die_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.clear()
    os.environ.update(asked["environment"])
    ended = 1
    try:
        main()
        ended = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(ended)


if __name__ == "__main__":
    serve(sys.argv[1])
