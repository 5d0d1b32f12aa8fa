"""The one-command stack and the command line on it, as a person uses them: real processes, real Temporal.

Speech comes from the sandbox, so that a transcription can be made to hang. The stack is started once; the tests at the
end kill it and start it again.
"""

import asyncio
import html
import ipaddress
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from temporalio.client import Client, WorkflowExecutionStatus
from typer.testing import CliRunner

from starter.access.tokens import Tokens
from starter.cli.app import app
from starter.local.folder import DataFolder, StackState
from starter.sandbox import RunningSandbox, running_sandbox
from tests import recordings

pytestmark = pytest.mark.timeout(420)

GUIDESMITH = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import starter.cli as c; c.main()"
)
"""A test run in the background ignores Ctrl-C, and would hand that down."""

WITHIN_S = 200.0

OURS = ("GUIDESMITH_", "TEMPORAL_", "XDG_")
"""How variables begin that would say something to a stack."""

SPOKEN = Path(__file__).parents[1] / "data" / "spoken-english.ogg"


def until(condition: Callable[[], object], within_s: float = WITHIN_S) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.1)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server of the files in ``folder``."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


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

    def told(self, *arguments: str) -> dict[str, Any]:
        """What a command that only looks says, run in this process: that saves a second of starting one."""
        foreign: dict[str, str | None] = {name: None for name in os.environ if name.startswith(OURS)}
        done = CliRunner().invoke(app, [*arguments, "--json"], env={**foreign, **self.environment})
        assert done.exit_code == 0, done.output
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
        code = self.up.wait(WITHIN_S)
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
            with suppress(psutil.NoSuchProcess):
                if name in process.cmdline():
                    return process
        raise AssertionError(f"no {name} runs")

    def is_quiet(self) -> bool:
        """Whether no process of a stack is left."""
        return not self.folder.is_locked and not self.folder.has_children


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    root = tmp_path_factory.mktemp("machine")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
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
        until(machine.is_quiet)


@pytest.fixture(scope="module")
def stack(machine: Machine) -> StackState:
    """The running stack."""
    return machine.folder.running() or machine.bring_up()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recordings.mp4(tmp_path_factory.mktemp("recordings"))


def test_given_a_stack_when_up_then_only_this_machine_reaches_it(machine: Machine, stack: StackState) -> None:
    ports = {int(url.rsplit(":", 1)[1]) for url in (stack.api_url, stack.temporal_address, stack.temporal_ui_url)}
    supervisor, listening = psutil.Process(stack.pid), []
    for process in (supervisor, *supervisor.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            found = process.net_connections("inet")
            listening += [each.laddr for each in found if each.status == psutil.CONN_LISTEN]
    assert ports <= {address.port for address in listening}
    assert all(ipaddress.ip_address(address.ip).is_loopback for address in listening)
    until(lambda: httpx.get(f"{stack.api_url}/readyz").status_code == 200)
    assert httpx.get(stack.temporal_ui_url).status_code == 200


CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")


def browser_of_this_machine() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        assert not os.environ.get("GUIDESMITH_REQUIRE_BROWSER")
        pytest.skip("There is no Chromium on this machine: install Debian's package `chromium`.")
    return found


HOSTILE_PAGE = """<!doctype html><meta charset=utf-8><title>hostile</title><pre id=out></pre><script>
(async () => {
  const said = [];
  for (const port of PORTS)
    for (const host of ["127.0.0.1", "localhost", "rebound.example"])
      for (const way of ["terminate", "cancel"])
        for (const kind of ["text/plain", "application/json"]) {
          const address = `http://${host}:${port}/api/v1/namespaces/default/workflows/VICTIM/${way}`;
          const body = JSON.stringify({reason: "because I can"});
          const mode = kind == "text/plain" ? "no-cors" : "cors";
          const asked = {method: "POST", mode, headers: {"Content-Type": kind}, body};
          said.push(await fetch(address, asked).then(() => "sent", () => "kept back"));
        }
  document.getElementById("out").textContent = `done ${said.length} ${said.filter((each) => each == "sent").length}`;
})();
</script>"""
"""What any page may try. ``rebound.example`` is a name of its own that leads to this machine (DNS rebinding)."""


def test_given_a_hostile_page_in_a_real_browser_when_it_calls_temporal_then_no_job_ends(
    machine: Machine, stack: StackState, tmp_path: Path
) -> None:
    chromium = browser_of_this_machine()

    async def run() -> None:
        client = await Client.connect(stack.temporal_address)
        victim = await client.start_workflow("nobody-works-on-it", id="victim", task_queue="nobody-works-on-it")
        temporal = machine.part("start-dev")
        ports = {each.laddr.port for each in temporal.net_connections("inet") if each.status == psutil.CONN_LISTEN}
        ports |= {int(stack.temporal_ui_url.rpartition(":")[2])}
        page = HOSTILE_PAGE.replace("PORTS", json.dumps(sorted(ports))).replace("VICTIM", victim.id)
        (tmp_path / "index.html").write_text(page)
        with serving(tmp_path) as address:
            named = address.replace("127.0.0.1", "hostile.example")
            command = [chromium, *CHROMIUM, f"--user-data-dir={tmp_path / 'kept'}"]
            command += ["--host-resolver-rules=MAP *.example 127.0.0.1"]
            command += ["--virtual-time-budget=20000", "--timeout=150000", "--dump-dom", f"{named}/index.html"]
            done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=WITHIN_S)
        tried = re.search(r">done (\d+) (\d+)<", done.stdout)
        assert tried and int(tried[1]) == 12 * len(ports) and int(tried[2]) > 0, done.stdout + done.stderr
        assert (await victim.describe()).status == WorkflowExecutionStatus.RUNNING
        await victim.terminate()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:PORT"}, 200),
        ({"Host": "rebound.example:PORT"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": "127.0.0.1:PORT#rebound.example"}, 403),
    ],
)
def test_given_a_name_when_the_temporal_ui_is_called_by_it_then_only_its_own_is_heard(
    stack: StackState, headers: dict[str, str], status: int
) -> None:
    port = stack.temporal_ui_url.rpartition(":")[2]
    called = {name: value.replace("PORT", port) for name, value in headers.items()}
    address = f"{stack.temporal_ui_url}/api/v1/namespaces/default"
    assert httpx.get(address, headers=called).status_code == status
    for foreign in ({"Origin": "http://rebound.example"}, {"Sec-Fetch-Site": "cross-site"}):
        refused = httpx.post(f"{address}/workflows/none/terminate", headers=called | foreign, json={})
        assert refused.status_code == 403


def test_given_the_temporal_ui_when_a_person_ends_a_run_in_it_then_it_ends(stack: StackState) -> None:
    async def run() -> None:
        client = await Client.connect(stack.temporal_address)
        run = await client.start_workflow("nobody-works-on-it", id="ended by hand", task_queue="nobody-works-on-it")
        with httpx.Client(base_url=stack.temporal_ui_url) as browser:
            browser.get("/api/v1/settings")
            headers = {"X-CSRF-Token": browser.cookies["_csrf"], "Origin": stack.temporal_ui_url}
            headers |= {"Sec-Fetch-Site": "same-origin"}
            address = "/api/v1/namespaces/default/workflows/ended%20by%20hand/terminate"
            ended = browser.post(address, json={"reason": "tried"}, headers=headers)
        assert ended.status_code == 200, ended.text
        assert (await run.describe()).status == WorkflowExecutionStatus.TERMINATED

    asyncio.run(run())


def test_given_the_pages_when_opened_then_no_command_line_tells_the_way_and_it_leads_in_once(
    machine: Machine, stack: StackState, tmp_path: Path
) -> None:
    chromium = browser_of_this_machine()
    (tmp_path / "browser").write_text(
        f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {tmp_path}/part\nmv {tmp_path}/part {tmp_path}/told\n"
    )
    (tmp_path / "browser").chmod(0o755)
    machine.environment["BROWSER"] = str(tmp_path / "browser")
    try:
        printed = machine.run("open", "/credits").stdout.strip()
    finally:
        del machine.environment["BROWSER"]
    until((tmp_path / "told").exists)
    (told,) = (tmp_path / "told").read_text().split()
    page = Path(told.removeprefix("file://"))
    assert (told[:8], "ticket" in told, page.stat().st_mode & 0o777) == ("file:///", False, 0o600)

    command = [chromium, *CHROMIUM, f"--user-data-dir={tmp_path / 'kept'}", "--virtual-time-budget=8000", "--dump-dom"]
    done = subprocess.run([*command, told], capture_output=True, text=True, timeout=WITHIN_S)
    assert "<title>Credits" in done.stdout, done.stdout[:2000] + done.stderr[-2000:]
    for address in (printed, html.unescape(re.findall(r"http://[^\"]+", page.read_text())[0])):
        first = httpx.get(address)
        assert first.status_code == (303 if address == printed else 401)
        assert httpx.get(address).status_code == 401


def test_given_a_recording_when_made_twice_then_files_only_exports_and_every_command_answers_of_it_in_json(
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

    job_id = first["job_id"]
    assert job_id in [job["id"] for job in machine.told("jobs", "list", "--status", "DONE")["items"]]
    assert machine.told("jobs", "show", job_id)["status"] == "DONE"
    assert machine.told("jobs", "watch", job_id)["status"] == "DONE"
    moves = [row["new_status"] for row in machine.told("jobs", "history", job_id)["items"] if row["new_status"]]
    assert (moves[0], moves[-1]) == ("CREATED", "DONE")
    refused = machine.run("jobs", "cancel", job_id, "--json")
    assert (refused.returncode, json.loads(refused.stdout)["error"]["code"]) == (1, "FSM_TERMINAL_IMMUTABLE")
    assert machine.run("jobs", "show", "no-such-job").returncode == 1
    assert machine.told("doctor")["ok"] is True


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
    _, said = making.communicate(timeout=WITHIN_S)
    assert making.returncode == 130, said.decode()
    assert f"Job {job['id']} is CANCELLED" in said.decode()
    assert machine.told("jobs", "show", job["id"])["status"] == "CANCELLED"

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


def test_given_the_supervisor_is_killed_when_up_again_then_nothing_was_left_and_nothing_lost(
    machine: Machine, stack: StackState
) -> None:
    before = machine.told("jobs", "list")["items"]
    parts = psutil.Process(stack.pid).children(recursive=True)
    assert machine.up is not None
    machine.up.kill()
    machine.up.wait()
    machine.up = None
    _, alive = psutil.wait_procs(parts, timeout=WITHIN_S)
    assert not alive
    until(machine.is_quiet)  # what a part had begun a moment before ends with it

    state = machine.bring_up()
    assert (state.api_url, state.temporal_ui_url) == (stack.api_url, stack.temporal_ui_url)
    assert machine.told("jobs", "list")["items"] == before


def test_given_a_folder_that_is_lost_when_restored_then_nothing_is_lost_that_was_copied_while_the_stack_ran(
    machine: Machine, recording: Path, tmp_path: Path
) -> None:
    state = machine.folder.running() or machine.bring_up()
    backup = tmp_path / "backup"
    assert machine.answer("backup", str(backup))["files"] > 5
    parts = psutil.Process(state.pid).children(recursive=True)
    assert machine.take_down() == 0
    assert machine.is_quiet()
    assert not any(process.is_running() for process in parts)

    machine.folder.root.rename(tmp_path / "lost")
    machine.answer("restore", str(backup))

    # no stack runs now: the command brings one for itself, and takes it away
    answer = machine.answer("make", str(recording), "-o", str(tmp_path))
    assert (answer["status"], answer["resumed"]) == ("DONE", True)
    assert machine.is_quiet()
    assert machine.run("jobs", "list").returncode == 4
