"""What the processes of one test run share: a Temporal, and the process that forks workers and APIs.

The process that hands out the tests has them, as it outlives the others. Each Temporal that idles takes a part of a
core, and each process that forks has to import everything once.
"""

import contextlib
import importlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests import forks
from tests.temporal import TemporalServer

_started: dict[str, Any] = {}


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """In the process that hands out the tests (pytest-xdist), for each of the others before it starts."""
    if not _started:
        server = TemporalServer(Path(tempfile.mkdtemp(prefix="guidesmith-temporal-")), on_file=False)
        server.start()
        _started.update(temporal=server, forks=forks.ForkServer())
    server = _started["temporal"]
    node.workerinput |= {
        "temporal_folder": str(server.folder),
        "temporal_port": server.port,
        "forks": _started["forks"].address,
    }


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import the modules of tests, each process beginning at another one: all of them import all, and what one has
    rewritten for its assertions and compiled, which takes twice as long as the rest, the others find done."""
    run = of_run(session.config)
    if "workerid" not in run:
        return
    given = [Path(each.partition("::")[0]).absolute() for each in session.config.args]
    files = [file for each in given for file in ([each] if each.is_file() else sorted(each.rglob("test_*.py")))]
    first = len(files) * int(run["workerid"].removeprefix("gw")) // run["workercount"]
    for file in (*files[first:], *files[:first]):
        with contextlib.suppress(Exception, pytest.skip.Exception):  # it is imported again, and says what is the matter
            importlib.import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_configure(config: pytest.Config) -> None:
    forks.SHARED[:] = [each] if (each := of_run(config).get("forks")) else []


def pytest_unconfigure() -> None:
    server = _started.pop("temporal", None)
    if server is not None:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)


def of_run(config: pytest.Config) -> dict[str, Any]:
    """What the process that hands out the tests told this one; nothing where there is none."""
    told: dict[str, Any] = getattr(config, "workerinput", {})
    return told
