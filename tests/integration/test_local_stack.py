"""The one-command stack and the command line on it, as a person uses them: real processes, real Temporal.

Speech comes from the sandbox, so that a transcription can be made to hang. The stack is started once; the tests at the
end kill it and start it again.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from starter.local.folder import DataFolder, StackState
from starter.sandbox import RunningSandbox, running_sandbox
from starter.tokens import Tokens
from tests import recordings

pytestmark = pytest.mark.timeout(420)

GUIDESMITH = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import starter.cli as c; c.main()"
)
"""A test run in the background ignores Ctrl-C, and would hand that down."""

WITHIN_S = 200.0

SPOKEN = Path(__file__).parents[1] / "data" / "spoken-english.ogg"


def until(condition: Callable[[], object], within_s: float = WITHIN_S) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.1)


@dataclass
class Machine:
    """A person's machine: a data folder, an environment, a shell."""

    folder: DataFolder
    environment: dict[str, str]
    sandbox: RunningSandbox
    up: "subprocess.Popen[bytes] | None" = field(default=None)

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", GUIDESMITH, *arguments]
        return subprocess.Popen(command, env=self.environment, **options)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", GUIDESMITH, *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=WITHIN_S)

    def answer(self, *arguments: str) -> dict[str, Any]:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def bring_up(self) -> StackState:
        assert self.up is None
        self.up = up = self.start("up", stdout=subprocess.DEVNULL)
        until(lambda: self.folder.running() or up.poll() is not None)
        state = self.folder.running()
        assert state is not None, (self.folder.logs / "worker.log").read_text()[-2000:]
        return state

    def take_down(self) -> int:
        assert self.up is not None
        self.up.send_signal(signal.SIGTERM)
        code = self.up.wait(60)
        self.up = None
        return code

    def client(self) -> httpx.Client:
        """The API, asked as the command line's user."""
        state = self.folder.running()
        assert state is not None
        token = Tokens(self.folder.auth_secret()).issue("local")
        return httpx.Client(base_url=f"{state.api_url}/api/v1/", headers={"Authorization": f"Bearer {token}"})

    def part(self, name: str) -> psutil.Process:
        """The process of one part of the running stack."""
        state = self.folder.running()
        assert state is not None
        for process in psutil.Process(state.pid).children():
            if name in process.cmdline():
                return process
        raise AssertionError(f"no {name} runs")

    def is_quiet(self) -> bool:
        """Whether no process of a stack is left."""
        return not self.folder.is_locked and not self.folder.has_children


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    root = tmp_path_factory.mktemp("machine")
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("GUIDESMITH_", "TEMPORAL_", "XDG_"))
    }
    with running_sandbox() as sandbox:
        environment = kept | {
            "GUIDESMITH_DATA_DIR": str(root / "data"),
            "GUIDESMITH_STT_BASE_URL": sandbox.base_url,
            "GUIDESMITH_STT_API_KEY": "test",
        }
        machine = Machine(DataFolder(root / "data"), environment, sandbox)
        yield machine
        if machine.up is not None:
            machine.take_down()
        until(machine.is_quiet, 60)


@pytest.fixture(scope="module")
def stack(machine: Machine) -> StackState:
    """The running stack."""
    return machine.folder.running() or machine.bring_up()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recordings.mp4(tmp_path_factory.mktemp("recordings"))


def test_given_a_stack_when_up_then_only_this_machine_reaches_it(machine: Machine, stack: StackState) -> None:
    ports = {int(url.rsplit(":", 1)[1]) for url in (stack.api_url, stack.temporal_address, stack.temporal_ui_url)}
    listening = [
        connection.laddr
        for process in psutil.Process(stack.pid).children(recursive=True)
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert ports <= {address.port for address in listening}
    assert {address.ip for address in listening} <= {"127.0.0.1", "::1"}
    assert httpx.get(f"{stack.api_url}/readyz").status_code == 200
    assert httpx.get(stack.temporal_ui_url).status_code == 200


def test_given_a_recording_when_made_twice_then_files_and_the_second_time_only_exports(
    machine: Machine, stack: StackState, recording: Path, tmp_path: Path
) -> None:
    first = machine.answer("make", str(recording), "-o", str(tmp_path), "--format", "pdf,md,srt")
    assert (first["status"], first["resumed"]) == ("DONE", False)
    assert (tmp_path / f"{recording.stem}.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / f"{recording.stem}.zip").read_bytes().startswith(b"PK")
    assert [Path(file["path"]).suffix for file in first["files"]] == [".pdf", ".zip", ".srt"]
    again = machine.answer("make", str(recording), "-o", str(tmp_path / "again.pdf"))
    assert (again["job_id"], again["resumed"], again["status"]) == (first["job_id"], True, "DONE")
    assert (tmp_path / "again.pdf").exists()


def test_given_a_job_when_asked_about_then_every_command_answers_in_json(
    machine: Machine, stack: StackState, recording: Path, tmp_path: Path
) -> None:
    job_id = machine.answer("make", str(recording), "-o", str(tmp_path))["job_id"]
    assert job_id in [job["id"] for job in machine.answer("jobs", "list", "--status", "DONE")["items"]]
    assert machine.answer("jobs", "show", job_id)["status"] == "DONE"
    assert machine.answer("jobs", "watch", job_id)["status"] == "DONE"
    moves = [row["new_status"] for row in machine.answer("jobs", "history", job_id)["items"] if row["new_status"]]
    assert (moves[0], moves[-1]) == ("CREATED", "DONE")
    refused = machine.run("jobs", "cancel", job_id, "--json")
    assert (refused.returncode, json.loads(refused.stdout)["error"]["code"]) == (1, "FSM_TERMINAL_IMMUTABLE")
    assert machine.run("jobs", "show", "no-such-job").returncode == 1
    assert machine.answer("doctor")["ok"] is True


def test_given_an_empty_recording_when_made_then_exit_3_and_a_sentence(
    machine: Machine, stack: StackState, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.mp4"
    empty.touch()
    failed = machine.run("make", str(empty), "-o", str(tmp_path), "--json")
    assert failed.returncode == 3
    assert json.loads(failed.stdout)["error"]["code"] == "MEDIA_EMPTY"
    assert "MEDIA_EMPTY: The file is empty" in failed.stderr


def test_given_a_ctrl_c_while_transcribing_when_made_then_cancelled_and_the_next_run_finishes(
    machine: Machine, stack: StackState, tmp_path: Path
) -> None:
    clip = SPOKEN
    httpx.put(f"{machine.sandbox.url}/_sandbox/script", json={"transcriptions": [{"hang": True, "times": 5}]})
    making = machine.start("make", str(clip), "-o", str(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with machine.client() as client:
        until(lambda: client.get("jobs", params={"status": "TRANSCRIBING"}).json()["items"])
        (job,) = client.get("jobs", params={"status": "TRANSCRIBING"}).json()["items"]
    making.send_signal(signal.SIGINT)
    _, said = making.communicate(timeout=60)
    assert making.returncode == 130, said.decode()
    assert f"Job {job['id']} is CANCELLED" in said.decode()
    assert machine.answer("jobs", "show", job["id"])["status"] == "CANCELLED"

    httpx.delete(f"{machine.sandbox.url}/_sandbox/script")
    after = machine.answer("make", str(clip), "-o", str(tmp_path))
    assert after["status"] == "DONE"
    assert after["job_id"] != job["id"]


def test_given_a_running_stack_when_up_is_called_again_then_refused_with_its_address(
    machine: Machine, stack: StackState
) -> None:
    second = machine.run("up")
    assert second.returncode == 4
    assert stack.api_url in second.stderr


def test_given_a_part_that_is_killed_when_looked_at_then_it_is_back_at_the_same_address(
    machine: Machine, stack: StackState
) -> None:
    api = machine.part("api")
    api.kill()
    until(lambda: not api.is_running())

    def answers() -> bool:
        try:
            return httpx.get(f"{stack.api_url}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    until(answers)


def test_given_the_supervisor_is_killed_when_up_again_then_nothing_was_left_and_nothing_was_lost(
    machine: Machine, stack: StackState, recording: Path, tmp_path: Path
) -> None:
    before = machine.answer("jobs", "list")["items"]
    parts = psutil.Process(stack.pid).children(recursive=True)
    assert machine.up is not None
    machine.up.kill()
    machine.up.wait()
    machine.up = None
    _, alive = psutil.wait_procs(parts, timeout=60)
    assert not alive
    assert machine.is_quiet()

    state = machine.bring_up()
    assert (state.api_url, state.temporal_ui_url) == (stack.api_url, stack.temporal_ui_url)
    assert machine.answer("jobs", "list")["items"] == before
    parts = psutil.Process(state.pid).children(recursive=True)
    assert machine.take_down() == 0
    assert machine.is_quiet()
    assert not any(process.is_running() for process in parts)

    # no stack runs now: the command brings one for itself, and takes it away
    answer = machine.answer("make", str(recording), "-o", str(tmp_path))
    assert (answer["status"], answer["resumed"]) == ("DONE", True)
    assert machine.is_quiet()
    assert machine.run("jobs", "list").returncode == 4
