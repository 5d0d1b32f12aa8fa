"""What keeps a local stack together: its folder's locks, the processes it holds, and that none is left behind."""

import asyncio
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from domain.errors import SettingsInvalid
from starter.access.tokens import Tokens
from starter.cli.connection import local_token
from starter.local.folder import DataFolder, StackFailed, StackRunning, StackState
from starter.local.ports import is_free, reserved
from starter.local.stack import LocalStack, Ports
from starter.local.supervisor import Service, Supervised, pause_after
from tests.children import has_ended
from tests.stack import wait_until
from tests.temporal import TemporalServer

WITHIN_S = 120.0
"""For what takes moments where nobody else computes."""

SOON_S = 300.0
"""Long before what sleeps here would wake."""

SLEEPS = "import time; time.sleep(600)"
IGNORES_TERM = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); open('{ready}', 'w'); time.sleep(600)"
)
WITH_CHILD = (
    "import os, subprocess, sys, time; "
    f"child = subprocess.Popen([sys.executable, '-c', {SLEEPS!r}]); "
    "part = open('{ready}.part', 'w'); part.write(str(child.pid)); part.close(); "
    "os.replace('{ready}.part', '{ready}'); time.sleep(600)"
)


def until(condition: Callable[[], object], within_s: float = WITHIN_S) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def service(folder: Path, script: str, *, grace_s: float = 5.0) -> Service:
    """A process that answers once it has written its file ``ready``."""
    ready = folder / "ready"

    async def answers() -> bool:
        return ready.exists()

    return Service(
        name="sample",
        command=(sys.executable, "-c", script.replace("{ready}", str(ready))),
        environment=os.environ,
        output=folder / "sample.log",
        answers=answers,
        grace_s=grace_s,
    )


def supervised(folder: Path, script: str, use: Callable[[Supervised], Awaitable[None]], **options: float) -> Supervised:
    """Run ``use`` while the service is held."""

    async def run() -> Supervised:
        held = Supervised(service(folder, script, **options))
        held.start()
        try:
            await use(held)
        finally:
            await held.stop()
        return held

    return asyncio.run(run())


# --- supervision -------------------------------------------------------------------------------------------------


def test_given_a_service_that_is_killed_when_supervised_then_it_runs_again(tmp_path: Path) -> None:
    pids: list[int] = []

    async def use(held: Supervised) -> None:
        await held.wait_answering(WITHIN_S)
        assert held.pid is not None
        pids.append(held.pid)
        os.kill(held.pid, signal.SIGKILL)
        async with asyncio.timeout(WITHIN_S):
            while held.starts < 2 or held.pid is None or held.pid == pids[0]:
                await asyncio.sleep(0.02)
        pids.append(held.pid)

    supervised(tmp_path, "open('{ready}', 'w');" + SLEEPS, use)
    assert len(set(pids)) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)


def test_given_a_service_that_ignores_sigterm_when_stopped_then_it_is_killed_after_its_grace(tmp_path: Path) -> None:
    async def use(held: Supervised) -> None:
        await held.wait_answering(WITHIN_S)

    began = time.monotonic()
    held = supervised(tmp_path, IGNORES_TERM, use, grace_s=0.3)
    assert held.pid is None
    assert time.monotonic() - began < SOON_S


def test_given_a_service_with_children_when_it_dies_then_they_are_swept(tmp_path: Path) -> None:
    async def use(held: Supervised) -> None:
        await held.wait_answering(WITHIN_S)
        child = int((tmp_path / "ready").read_text())
        assert held.pid is not None
        os.kill(held.pid, signal.SIGKILL)
        async with asyncio.timeout(WITHIN_S):
            while not has_ended(child):
                await asyncio.sleep(0.02)

    supervised(tmp_path, WITH_CHILD, use)


def test_given_a_service_that_cannot_start_when_waited_for_then_it_fails_soon_with_its_last_words(
    tmp_path: Path,
) -> None:
    async def use(held: Supervised) -> None:
        with pytest.raises(StackFailed, match="the reason it cannot"):
            await held.wait_answering(2 * SOON_S)

    began = time.monotonic()
    supervised(tmp_path, "raise SystemExit('the reason it cannot')", use)
    assert time.monotonic() - began < SOON_S


def test_given_a_supervisor_that_is_killed_when_its_services_look_then_they_end(tmp_path: Path) -> None:
    supervisor = tmp_path / "supervisor.py"
    supervisor.write_text(
        textwrap.dedent(
            f"""
            import asyncio, pathlib, sys
            from tests.integration.test_local_processes import service
            from starter.local.supervisor import Supervised

            async def run():
                held = Supervised(service(pathlib.Path({str(tmp_path)!r}), "open('{{ready}}', 'w');" + {SLEEPS!r}))
                held.start()
                await held.wait_answering({WITHIN_S})
                print(held.pid, flush=True)
                await asyncio.sleep(600)

            asyncio.run(run())
            """
        )
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, str(supervisor)], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(root)}
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert psutil.pid_exists(pid)
        process.kill()
    until(lambda: has_ended(pid))


# --- the folder --------------------------------------------------------------------------------------------------


def test_given_a_stack_on_a_folder_when_another_comes_then_it_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "data"
    assert not DataFolder(root).is_locked
    with DataFolder(root).locked():
        assert DataFolder(root).is_locked
        with pytest.raises(StackRunning), DataFolder(root).locked():
            pass
    assert not DataFolder(root).is_locked
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_given_a_folder_that_others_may_read_when_used_then_it_is_closed_to_them(tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir(mode=0o755)
    root.chmod(0o755)
    assert DataFolder(root).auth_secret()
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_given_a_state_when_its_stack_is_gone_then_nothing_runs_but_the_addresses_stay(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    state = StackState(os.getpid(), "http://127.0.0.1:8400", "127.0.0.1:7233", "http://127.0.0.1:8233", 9464, "now")
    with folder.locked():
        folder.write_state(state)
        assert folder.running() == state
    assert folder.running() is None
    assert folder.last_state() == state
    folder.clear_state()
    with folder.locked():
        assert folder.running() is None
    last = folder.last_state()
    assert last is not None
    assert last.api_url == state.api_url


def test_given_leases_when_held_by_anyone_then_the_stack_knows(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    with folder.lease(), folder.lease(), folder.without_clients() as unused:
        assert not unused
    with folder.without_clients() as unused:
        assert unused


@pytest.fixture
def child(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of a stack on ``tmp_path``, its supervisor gone."""
    with DataFolder(tmp_path).children_lock() as descriptor:
        process = subprocess.Popen([sys.executable, "-c", SLEEPS], pass_fds=(descriptor,))
    yield process
    process.kill()
    process.wait()


def test_given_a_process_that_outlived_its_supervisor_when_looked_for_then_it_is_seen_until_it_ends(
    tmp_path: Path, child: "subprocess.Popen[bytes]"
) -> None:
    folder = DataFolder(tmp_path)
    assert folder.has_children
    child.kill()
    child.wait()
    assert not folder.has_children


def test_given_many_processes_when_they_need_the_secret_at_once_then_all_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(lambda _: DataFolder(tmp_path).auth_secret(), range(32)))
    assert len(secrets) == 1
    assert len(secrets.pop()) == 64
    assert stat.S_IMODE((tmp_path / "auth_secret").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("auth_secret*")] == ["auth_secret"]


def test_given_a_damaged_secret_when_needed_then_the_message_says_how_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / "auth_secret").write_text("short")
    with pytest.raises(SettingsInvalid, match="Delete it"):
        DataFolder(tmp_path).auth_secret()


# --- ports -------------------------------------------------------------------------------------------------------


def test_given_a_port_that_is_taken_when_chosen_then_another() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not is_free(port)
        with reserved([[port], [port], []]) as chosen:
            assert port not in chosen
            assert len(set(chosen)) == 3


def test_given_a_port_that_another_stack_has_chosen_when_chosen_then_another() -> None:
    with reserved([()]) as free:
        (port,) = free
    with reserved([[port]]) as first, reserved([[port]]) as second:
        assert first == [port]
        assert second != [port]
    with reserved([[port]]) as third:
        assert third == [port]


@pytest.mark.parametrize("trap", ["open to others", "a link", "a file", "a lock that is a link"])
def test_given_port_locks_that_somebody_else_has_laid_when_a_port_is_chosen_then_they_are_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    shared, other = tmp_path / "shared", tmp_path / "other"
    shared.mkdir()
    other.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(shared))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    (tmp_path / "runtime").mkdir(mode=0o700)
    laid = shared / f"guidesmith-ports-{os.getuid()}"
    with reserved([()]) as free:
        (port,) = free
    if trap == "open to others":
        laid.chmod(0o777)
    elif trap == "a lock that is a link":
        (laid / str(port)).unlink()
        (laid / str(port)).symlink_to(other / "written through")
    else:
        shutil.rmtree(laid)
        laid.symlink_to(other) if trap == "a link" else laid.touch()
    with reserved([[port]]) as chosen:
        assert (chosen == [port]) is (trap != "a lock that is a link")
    assert not list(other.iterdir())


def test_given_what_the_stack_is_told_when_its_parts_are_started_then_no_more_than_each_needs(tmp_path: Path) -> None:
    told = {"GUIDESMITH_CALLBACK_SECRET": "c" * 40, "GUIDESMITH_LLM_API_KEY": "k", "PATH": "/usr/bin", "HOME": "/x"}
    stack = LocalStack(DataFolder(tmp_path), search_attributes={}, migrate=lambda: None, environment=told)
    with Ports.reserved(None) as ports:
        temporal, worker, api = stack.parts(ports)
    assert worker.environment["GUIDESMITH_LLM_API_KEY"] == "k" and worker.environment["PATH"] == "/usr/bin"
    assert not {"GUIDESMITH_AUTH_SECRET", "GUIDESMITH_CALLBACK_SECRET"} & set(worker.environment)
    assert {"GUIDESMITH_AUTH_SECRET", "GUIDESMITH_CALLBACK_SECRET"} <= set(api.environment)
    assert not any(name.startswith("GUIDESMITH_") for name in temporal.environment)
    assert temporal.environment["HOME"] == "/x"


def test_given_the_signing_secret_in_a_file_when_the_stack_and_the_command_line_use_it_then_there_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("s" * 40 + "\n")
    named = {"GUIDESMITH_AUTH_SECRET_FILE": str(tmp_path / "secret"), "PATH": "/usr/bin"}
    stack = LocalStack(DataFolder(tmp_path), search_attributes={}, migrate=lambda: None, environment=named)
    with Ports.reserved(None) as ports:
        _, worker, api = stack.parts(ports)
    assert "GUIDESMITH_AUTH_SECRET" not in api.environment, "one of both is refused"
    assert not [name for name in worker.environment if name.startswith("GUIDESMITH_AUTH_SECRET")]
    monkeypatch.delenv("GUIDESMITH_AUTH_SECRET", raising=False)
    monkeypatch.setenv("GUIDESMITH_AUTH_SECRET_FILE", named["GUIDESMITH_AUTH_SECRET_FILE"])
    assert Tokens("s" * 40).check(local_token(DataFolder(tmp_path))).subject
    (tmp_path / "secret").unlink()
    with pytest.raises(SettingsInvalid, match="AUTH_SECRET_FILE"):
        local_token(DataFolder(tmp_path))


def test_given_an_earlier_stack_when_ports_are_chosen_then_its_addresses_come_back() -> None:
    with reserved([()] * 4) as free:
        ports = list(free)
    last = StackState(
        0, f"http://127.0.0.1:{ports[0]}", f"127.0.0.1:{ports[1]}", f"http://127.0.0.1:{ports[2]}", ports[3], "then"
    )
    with Ports.reserved(last) as chosen:
        assert [chosen.api, chosen.temporal, chosen.temporal_ui, chosen.metrics] == ports


def test_given_a_stack_that_was_killed_before_temporal_answered_then_its_database_is_begun_anew_and_else_kept(
    tmp_path: Path,
) -> None:
    folder, temporal = DataFolder(tmp_path), TemporalServer(tmp_path)
    made, begun = folder.temporal_database, folder.begin_temporal_database
    assert begun()
    temporal._launch()
    wait_until(lambda: made.exists() and made.stat().st_size, 60, "half a database")
    temporal.kill()
    assert begun()
    assert [each.name for each in tmp_path.glob("temporal.db*")] == ["temporal.db.begun"]
    temporal.start()
    try:
        folder.finish_temporal_database()
        assert not begun()
    finally:
        temporal.kill()
    assert not begun() and made.stat().st_size
    temporal.start()  # on what is kept
    temporal.stop()


def test_given_a_service_that_ends_again_and_again_then_it_is_started_at_once_at_first_and_less_often_then() -> None:
    assert [pause_after(ends) for ends in (1, 2, 3, 4, 5, 99)] == [0.0, 0.0, 0.0, 0.4, 0.8, 10.0]
