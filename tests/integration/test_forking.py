"""Processes that are forked from one that has loaded their libraries: each is its own, and a server is no loss."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psutil
import pytest

from activities.analysis import executor as plans
from activities.analysis.reading import inputs as tables
from activities.confined import forking
from activities.confined.outside import Bounds, Died, Report, reports
from activities.decoding import ordering as decoding
from activities.pictures import isolated as opening
from activities.publishing import preview as leaves
from activities.publishing import typesetter
from activities.screen import isolated as screening
from domain.errors import Cancelled
from tests.children import running
from tests.stack import wait_until

ROOMY = Bounds(wall_s=60, cpu_s=60, memory_bytes=1 << 30)
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}

SCRIPT = """
import os, time
from pathlib import Path
from activities.confined import inside
seen = 0
def main():
    global seen
    order = inside.order()
    seen += 1
    inside.report(
        me=os.getpid(), parent=os.getppid(), session=os.getsid(0), seen=seen, cwd=os.getcwd(),
        environment=dict(os.environ), descriptors=sorted(int(each.name) for each in Path("/proc/self/fd").iterdir()),
        held=inside.lock_down(readable=[], writable=[]),
    )
    if order["then"] == "waits":
        time.sleep(600)
    if order["then"] == "crashes":
        os.abort()
"""

Ask = Callable[..., Generator[Report, None, None]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A process of a server of this test's own."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "if __name__ == '__main__':\n    main()\n")

    def asked(then: str = "", loads: tuple[str, ...] = ("json",), **how: Any) -> Generator[Report, None, None]:
        return reports(script, {"then": then}, ROOMY, **{"environment": ENVIRONMENT, **how}, loads=loads)

    return asked


def assert_ends(pid: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(120)


def one(ask: Ask, **how: Any) -> Report:
    (told,) = ask(**how)
    return told


def test_what_is_loaded_beforehand_is_there_and_has_no_threads() -> None:
    """As the process that forks would not say: it leaves out what it cannot load."""
    told = "print(len(os.listdir('/proc/self/task')))"
    for which, environment in (
        (decoding, decoding.ENVIRONMENT),
        (screening, decoding.ENVIRONMENT),
        (opening, opening._ENVIRONMENT),
        (tables, tables.CONFINED_ENVIRONMENT),
        (plans, tables.CONFINED_ENVIRONMENT),
        (typesetter, {}),
        (leaves, {}),
    ):
        code = f"import importlib, os\nfor each in {which.LOADS}: importlib.import_module(each)\n{told}"
        command = [sys.executable, "-I", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(environment))
        assert done.stdout == "1\n", which


def test_given_orders_one_after_the_other_then_each_has_a_process_of_its_own_and_all_one_parent(
    ask: Ask, tmp_path: Path
) -> None:
    first = one(ask, environment={**ENVIRONMENT, "HOME": str(tmp_path)}, cwd=tmp_path)
    second = one(ask)
    assert first["me"] != second["me"]
    assert first["parent"] == second["parent"] != os.getpid()
    assert (first["seen"], second["seen"]) == (1, 1)
    assert all(told["session"] == told["me"] for told in (first, second))
    assert first["cwd"] == str(tmp_path)
    assert first["environment"] == {**ENVIRONMENT, "HOME": str(tmp_path)}
    assert second["environment"] == ENVIRONMENT
    assert all(told["descriptors"] == [0, 1, 2, 3] for told in (first, second))  # the last is what it looked with


def test_given_many_orders_then_neither_processes_nor_descriptors_are_left_of_them(ask: Ask) -> None:
    ours, server = psutil.Process(), psutil.Process(one(ask)["parent"])
    before = (ours.num_fds(), server.num_fds(), server.memory_info().rss)
    for _ in range(100):
        assert one(ask)["parent"] == server.pid
    wait_until(lambda: not server.children(recursive=True), 10, "all of them to be reaped")

    def are_closed() -> bool:
        """But for one that others may use here; of a hundred that are left behind there are a hundred."""
        return ours.num_fds() <= before[0] + 1 and server.num_fds() <= before[1] + 1

    wait_until(are_closed, 10, "their descriptors to be closed")
    assert server.memory_info().rss < before[2] + (4 << 20)


REMEMBERING = """
import re
from activities.confined import inside
def regions():
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            places, rights, *_, = line.split()
            if rights.startswith("r") and not line.rstrip().endswith(("[vvar]", "[vvar_vclock]", "[vsyscall]")):
                first, last = (int(place, 16) for place in places.split("-"))
                memory.seek(first)
                yield memory.read(last - first)
def main():
    order = inside.order()
    sought = re.compile(order["sought"].encode())  # written so that it does not find itself
    inside.report(found=any(sought.search(each) for each in regions()), parent=__import__("os").getppid())
"""


def test_given_an_order_before_when_a_later_process_looks_through_its_memory_then_nothing_of_it_is_there(
    tmp_path: Path,
) -> None:
    script = tmp_path / "script.py"
    script.write_text(REMEMBERING + "if __name__ == '__main__':\n    main()\n")
    secret = "whatNobodyElseMayKnow4711"

    def ordered(**order: str) -> Report:
        (told,) = reports(script, order, ROOMY, environment=ENVIRONMENT, loads=("json",))
        return told

    sought = "".join(f"[{letter}]" for letter in secret)
    first = ordered(secret=secret, sought=sought)
    second = ordered(sought=sought)
    assert first["parent"] == second["parent"]
    assert (first["found"], second["found"]) == (True, False)


def test_given_several_at_once_when_one_is_given_up_then_it_is_gone_and_the_others_go_on(ask: Ask) -> None:
    hearing = [ask(then="waits") for _ in range(3)]
    pids = [next(each)["me"] for each in hearing]
    hearing[1].close()
    assert [psutil.pid_exists(pid) for pid in pids] == [True, False, True]
    for each in hearing:
        each.close()
    assert running("script.py") == []


def test_given_a_process_that_crashed_then_the_next_is_laid_out_anew(ask: Ask) -> None:
    before = ask(then="waits")
    server = next(before)["parent"]
    crashing = ask(then="crashes")
    assert next(crashing)["parent"] == server
    with pytest.raises(Died):
        next(crashing)
    assert one(ask)["parent"] != server
    before.close()
    assert_ends(server)


def test_given_a_server_that_is_killed_when_asked_again_then_there_is_another(ask: Ask) -> None:
    os.kill(one(ask)["parent"], signal.SIGKILL)
    hearing = ask(then="waits")
    told = next(hearing)
    os.kill(told["parent"], signal.SIGKILL)
    with pytest.raises(Died):
        next(hearing)
    assert_ends(told["me"])
    assert one(ask)["parent"] != told["parent"]


def test_given_a_server_without_orders_then_it_ends_and_the_next_order_starts_another(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = tmp_path / "server.py"
    impatient.write_text("from activities.confined import server\nserver.IDLE_S = 0.1\nserver.main()\n")
    monkeypatch.setattr(forking, "SERVER", impatient)
    parents = set()
    for _ in range(2):
        parents.add(server := one(ask)["parent"])
        assert_ends(server)
    assert len(parents) == 2


def test_given_a_library_with_threads_then_nothing_is_forked(ask: Ask) -> None:
    for _ in range(2):
        assert one(ask, loads=("onnxruntime",))["parent"] == os.getpid()


def test_given_who_gives_up_before_it_is_there_then_there_is_none(ask: Ask) -> None:
    def cancel() -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        list(ask(then="waits", on_poll=cancel))
    assert one(ask)["seen"] == 1
    wait_until(lambda: not running("script.py"), 10, "the one that was begun all the same to be ended")


def test_given_a_process_that_is_killed_or_ends_then_its_servers_end_with_it(ask: Ask, tmp_path: Path) -> None:
    asking = (
        "import sys; from pathlib import Path; from activities.confined.outside import *\n"
        f"hearing = reports(Path({str(tmp_path / 'script.py')!r}), {{'then': 'waits'}}, Bounds(60, 60, 1 << 30),"
        " environment={}, loads=('json',))\n"
        "told = next(hearing); print(told['me'], told['parent'], flush=True); sys.stdin.read()\n"
    )
    for ended in ("killed", "ends"):
        command = [sys.executable, "-c", asking]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asker:
            assert asker.stdout is not None
            left = [int(pid) for pid in asker.stdout.readline().split()]
            processes = [psutil.Process(pid) for pid in left]
            if ended == "killed":
                asker.kill()
        assert len(processes) == 2
        assert psutil.wait_procs(processes, timeout=120)[1] == []


def test_given_a_process_that_was_forked_itself_then_it_has_servers_of_its_own(ask: Ask) -> None:
    ours = one(ask)["parent"]
    here, there = os.pipe()
    if (child := os.fork()) == 0:
        with contextlib.suppress(BaseException):
            os.write(there, str(one(ask)["parent"]).encode())
            forking._SERVERS.kill()
        os._exit(0)
    os.close(there)
    theirs = int(os.read(here, 99))
    os.close(here)
    os.waitpid(child, 0)
    assert theirs != ours
    assert one(ask)["parent"] == ours
