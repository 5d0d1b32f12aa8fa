"""Forks what ``tests/forks.py`` asks for: a line of JSON each on stdin, its process id a line of stdout.

No thread of ours runs here and no connection is open: what is shared is what imports and ``prepare`` have done.
"""

import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from functools import cache
from typing import Any, cast

from tests.objectstores import die_with_parent

PROGRAMS = {"worker": "tests.worker_process", "api": "tests.api_process"}


def serve() -> None:
    """Until stdin ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them: they are reaped as they end
    for line in sys.stdin:
        asked = json.loads(line)
        main = _prepared(asked["program"])
        if (child := os.fork()) == 0:
            _become(main, asked)
        print(child, flush=True)  # noqa: T201  (a protocol)


@cache
def _prepared(program: str) -> Callable[[], None]:
    """The program's ``main``; what each of its processes would have to make for itself is there."""
    module = importlib.import_module(PROGRAMS[program])
    module.prepare()
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
    serve()
