"""Whatever a plan or its data tries, its process stays within its bounds, sees nothing else, and outlives nobody."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from activities.analysis.executor import RunLimits
from activities.analysis.reading.inputs import CONFINED_ENVIRONMENT, InputLimits, Prepared, reading_bounds
from activities.confined.outside import Bounds, Died, Overran, made_bytes, moved, reports
from domain.errors import AnalysisFailed, AnalysisLimitExceeded, Cancelled
from tests.children import running
from tests.integration.analysis_stand import csv_of, parquet_of, run, taken
from tests.unit.analysis_builders import LOAD, step, total

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Twenty thousand rows of one key and of many texts."""
    folder = tmp_path_factory.mktemp("numbers")
    content = parquet_of(folder, "SELECT 1::BIGINT k, i::BIGINT n, repeat(md5(i::VARCHAR), 5) t FROM range(20000) r(i)")
    return taken(folder, ("sales.parquet", content))


def exploded(*then: dict[str, Any]) -> list[dict[str, Any]]:
    """Each row with every row: 400 million, and once more."""
    on = [{"left": "k", "right": "k"}]
    return [LOAD, step("b", "join", "load", "load", on=on), step("c", "join", "b", "load", on=on), *then]


def assert_nothing_is_left(folder: Path) -> None:
    assert running("runner.py") == []
    assert list(folder.iterdir()) == []


# --- limits ----------------------------------------------------------------------------------------------------------


def test_given_a_query_that_needs_more_memory_than_it_may_when_computed_then_it_fails_and_says_which_step(
    numbers: Prepared, tmp_path: Path
) -> None:
    by = [{"column": "t"}]
    limits = RunLimits(memory_bytes=400 << 20, spill_bytes=1 << 20)
    with pytest.raises(AnalysisLimitExceeded, match="memory") as failed:
        run(numbers, tmp_path / "out", *exploded()[:2], step("s", "sort", "b", by=by), limits=limits)
    assert failed.value.details == {"step": "s"}
    assert_nothing_is_left(tmp_path)


@pytest.mark.parametrize("limits", [RunLimits(seconds=2.0), RunLimits(step_seconds=2.0)])
def test_given_a_query_without_end_when_its_time_is_over_then_it_is_killed_and_says_which_step(
    limits: RunLimits, numbers: Prepared, tmp_path: Path
) -> None:
    with pytest.raises(AnalysisLimitExceeded, match="time") as failed:
        run(numbers, tmp_path / "out", *exploded(step("s", "aggregate", "c", measures=[total("n")])), limits=limits)
    assert failed.value.details["step"] in {"load", "b", "c"}
    assert_nothing_is_left(tmp_path)


def test_given_more_rows_than_a_result_may_have_when_computed_then_it_fails(numbers: Prepared, tmp_path: Path) -> None:
    with pytest.raises(AnalysisLimitExceeded, match="more than 10,000 rows") as failed:
        run(numbers, tmp_path / "out", LOAD, limits=RunLimits(rows=10_000))
    assert failed.value.details == {"step": "load"}
    assert_nothing_is_left(tmp_path)


def test_given_numbers_that_grow_too_large_when_computed_then_the_step_is_named_and_no_data(tmp_path: Path) -> None:
    content = csv_of(["k", "n"], [("secret", 9 * 10**14), ("secret", 9 * 10**14)])
    prepared = taken(tmp_path, ("sales.csv", content))
    formula = {"kind": "arithmetic", "left": "n", "operator": "*", "right": "n"}
    with pytest.raises(AnalysisFailed, match="'d' computes numbers that are too large") as failed:
        run(prepared, tmp_path / "out", LOAD, step("d", "derive", "load", column="x", formula=formula))
    assert type(failed.value) is AnalysisFailed
    assert "secret" not in failed.value.message


def test_given_a_cancel_while_computing_then_the_process_is_gone_at_once_and_nothing_is_left(
    numbers: Prepared, tmp_path: Path
) -> None:
    def cancel_once_it_runs(share: float, id: str) -> None:
        if running("runner.py"):
            raise Cancelled("stop")

    group = step("s", "aggregate", "c", measures=[total("n")])
    with pytest.raises(Cancelled):
        run(numbers, tmp_path / "out", *exploded(group), on_step=cancel_once_it_runs)
    assert_nothing_is_left(tmp_path)


WORKER = """
import sys
from pathlib import Path
from domain.analyses.table import TableProfile
from domain.analyses.plan import (freeze)
from domain.analyses.plan_rules import read_plan
from activities.analysis.executor import execute
folder = Path(sys.argv[1])
import json
order = json.loads((folder / "order.json").read_text())
table = TableProfile.model_validate(order["table"])
def tell(share, id):
    print(id, flush=True)
execute(freeze(read_plan(order["plan"]), "f"), [table], {"sales": Path(order["parquet"])}, folder / "out", on_step=tell)
"""


def test_given_a_worker_that_is_killed_when_it_computes_then_its_process_ends_with_it(
    numbers: Prepared, tmp_path: Path
) -> None:
    plan = {
        "requirement": "",
        "plan_source": "embedded",
        "why": "",
        "steps": exploded(step("s", "aggregate", "c", measures=[total("n")])),
    }
    order = {
        "table": numbers.tables[0].model_dump(mode="json"),
        "plan": plan,
        "parquet": str(numbers.parquet["sales"]),
    }
    (tmp_path / "order.json").write_text(json.dumps(order))
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment) as worker:
        assert worker.stdout is not None
        child: psutil.Process | None = None
        for _ in worker.stdout:  # a line each time it looks after its process
            found = running("runner.py", worker.pid)
            if found:
                child = found[0]
                break
        worker.kill()
    assert child is not None
    assert psutil.wait_procs([child], timeout=30)[1] == []
    assert not (tmp_path / "out").exists()


# --- what a confined process may not ---------------------------------------------------------------------------------

PROBE = """
import os, socket, subprocess, sys, threading
from pathlib import Path
from activities.confined import inside
def main():
    order = inside.order()
    inside.report(held=inside.lock_down(readable=[Path(order["given"])], writable=[Path(order["folder"])]))
    def attempt(name, action):
        try:
            action()
            inside.report(name=name, done=True)
        except BaseException as fault:
            inside.report(name=name, done=False, fault=type(fault).__name__)
    def thread():
        works = threading.Thread(target=lambda: None)
        works.start()
        works.join()
    def connect():
        sys.path.clear()
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.socket(2, 1, 0) < 0:
            raise OSError
    attempt("read what was given", lambda: Path(order["given"]).read_text())
    attempt("write in its folder", lambda: (Path(order["folder"]) / "x").write_text("x"))
    attempt("start a thread", thread)
    attempt("load a library", lambda: __import__("duckdb"))
    attempt("change what was given", lambda: Path(order["given"]).write_text("x"))
    attempt("read a file", lambda: Path("/etc/passwd").read_text())
    attempt("read the project", lambda: Path(order["root"], "pyproject.toml").read_text())
    attempt("list a folder", lambda: os.listdir("/"))
    attempt("read its parent's environment", lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes())
    def linked():
        link = Path(order["folder"]) / "link"
        link.symlink_to("/etc/passwd")
        link.read_text()
    attempt("leave by a link", linked)
    attempt("make a link", lambda: (Path(order["folder"]) / "made").symlink_to("x"))
    attempt("make a pipe", lambda: os.mkfifo(Path(order["folder"]) / "pipe"))
    attempt("write elsewhere", lambda: Path("/tmp/guidesmith-probe").write_text("x"))
    attempt("open a socket", socket.socket)
    attempt("open a socket of C", connect)
    attempt("fork", os.fork)
    attempt("start a program", lambda: os.execv("/bin/true", ["true"]))
    attempt("start a process", lambda: subprocess.run(["/bin/true"]))
    attempt("signal its parent", lambda: os.kill(os.getppid(), 0))
    attempt("take more memory", lambda: bytearray(2 << 30))
    import resource
    attempt("raise a limit", lambda: resource.setrlimit(resource.RLIMIT_CPU, (9999, 9999)))
    attempt("limit its parent", lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (4000, 4000)))
    inside.report(environment=sorted(os.environ))
if __name__ == "__main__":
    main()
"""
ROOMY = Bounds(wall_s=60, cpu_s=60, memory_bytes=1 << 30)
MAY = {"read what was given", "write in its folder", "start a thread", "load a library"}


STARTED, FORKED = (), ("json",)
"""What a script loads before it is locked down: nothing, so that it is started; something, so that it is forked."""
both_ways = pytest.mark.parametrize("loads", [STARTED, FORKED], ids=["started", "forked"])


def told_by(
    folder: Path, script: str, loads: tuple[str, ...], bounds: Bounds | None = None, **order: Any
) -> list[dict[str, Any]]:
    path = folder / "script.py"
    path.write_text(script)
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    whole = {"folder": str(scratch), **order}
    return list(reports(path, whole, bounds or ROOMY, environment=CONFINED_ENVIRONMENT, cwd=scratch, loads=loads))


def landlock_and_seccomp_are_here() -> bool:
    script = "from activities.confined import inside; print(inside.lock_down(readable=[], writable=[]))"
    asked = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    return asked.stdout.strip() == "['landlock', 'seccomp']"


@both_ways
def test_a_confined_process_reads_what_it_is_given_and_reaches_nothing_else(
    loads: tuple[str, ...], tmp_path: Path
) -> None:
    given = tmp_path / "given.txt"
    given.write_text("data")
    told = told_by(tmp_path, PROBE, loads, given=str(given), root=str(ROOT))
    done = {each["name"] for each in told if each.get("done")}
    assert done >= MAY
    assert told[-1]["environment"] == sorted(CONFINED_ENVIRONMENT)
    assert "take more memory" not in done
    assert "raise a limit" not in done
    if landlock_and_seccomp_are_here():
        assert told[0]["held"] == ["landlock", "seccomp"]
        assert done == MAY
    assert given.read_text() == "data"


WITHOUT_LANDLOCK = """
import ctypes, fcntl, os, resource
from pathlib import Path
from activities.confined import inside
def main():
    order = inside.order()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(inside.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    inside.report(held=inside._seccomp(libc))
    given = order["given"]
    def attempt(name, action):
        try:
            action()
            inside.report(name=name, done=True)
        except BaseException as fault:
            inside.report(name=name, done=False, fault=type(fault).__name__)
    def called(name, *arguments):
        if getattr(libc, name)(*arguments) < 0:
            raise OSError(ctypes.get_errno(), name)
    def truncated():
        os.close(os.open(given, os.O_RDONLY | os.O_TRUNC))
    attempt("read what was given", lambda: Path(given).read_text())
    attempt("write and truncate", lambda: Path(order["mine"]).write_text("x"))
    attempt("name itself", lambda: called("prctl", 15, b"reader", 0, 0, 0))
    said, says = os.pipe()
    attempt("close on exec", lambda: fcntl.fcntl(said, fcntl.F_SETFD, fcntl.FD_CLOEXEC))
    attempt("own a descriptor for another", lambda: fcntl.fcntl(said, fcntl.F_SETOWN, os.getppid()))
    attempt("choose its signal", lambda: fcntl.fcntl(said, fcntl.F_SETSIG, 9))
    attempt("lease", lambda: fcntl.fcntl(os.open(given, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK))
    attempt("outlive its parent", lambda: called("prctl", 1, 0, 0, 0, 0))
    attempt("change rights", lambda: os.chmod(given, 0o777))
    attempt("change rights of what is open", lambda: os.fchmod(os.open(given, os.O_RDONLY), 0o777))
    attempt("change times", lambda: os.utime(given, (1, 1)))
    attempt("give away", lambda: os.chown(given, os.getuid(), os.getgid()))
    attempt("mark", lambda: os.setxattr(given, "user.x", b"x"))
    attempt("truncate by name", lambda: os.truncate(given, 0))
    attempt("truncate what is read", truncated)
    attempt("have memory that no limit counts", lambda: os.memfd_create("x"))
if __name__ == "__main__":
    main()
"""


@both_ways
def test_a_confined_process_harms_nobody_where_landlock_is_old_or_absent(
    loads: tuple[str, ...], tmp_path: Path
) -> None:
    if not landlock_and_seccomp_are_here():
        return
    given = tmp_path / "given.txt"
    given.write_text("data")
    given.chmod(0o600)
    before = given.stat()
    told = told_by(tmp_path, WITHOUT_LANDLOCK, loads, given=str(given), mine=str(tmp_path / "mine"))
    assert told[0]["held"]
    assert {each["name"] for each in told if each.get("done")} == {
        "read what was given",
        "write and truncate",
        "name itself",
        "close on exec",
    }
    after = given.stat()
    assert given.read_text() == "data"
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def test_what_a_confined_process_left_is_read_only_where_it_is_a_file_of_its_own(tmp_path: Path) -> None:
    """As after a process on a system without Landlock: nothing kept it from making these."""
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "made").write_text("made")
    (scratch / "link").symlink_to(secret)
    os.link(secret, scratch / "hard")
    os.mkfifo(scratch / "pipe")
    (scratch / "folder").mkdir()
    assert made_bytes(scratch, "made", 4) == b"made"
    for name, most in (("link", 99), ("hard", 99), ("pipe", 99), ("folder", 99), ("absent", 99), ("made", 3)):
        with pytest.raises(Died):
            made_bytes(scratch, name, most)
        with pytest.raises(Died):
            moved(scratch, name, tmp_path / "moved", most)
    moved(scratch, "made", tmp_path / "moved", 4)
    assert (tmp_path / "moved").read_text() == "made"


def script_of(body: str) -> str:
    """One whose ``main`` is ``body``."""
    begin = "from activities.confined import inside\ndef main():\n"
    lines = "".join(f"    {line}\n" for line in ("order = inside.order()", *body.splitlines()))
    return f"{begin}{lines}if __name__ == '__main__':\n    main()\n"


@both_ways
@pytest.mark.parametrize(
    ("body", "bounds", "error"),
    [
        ("while True: pass", Bounds(wall_s=1, cpu_s=60, memory_bytes=1 << 30), Overran),
        ("while True: pass", Bounds(wall_s=60, cpu_s=2, memory_bytes=1 << 30), Overran),
        ("import time; time.sleep(600)", Bounds(wall_s=60, cpu_s=60, memory_bytes=1 << 30, silence_s=1), Overran),
        ("import os, time; os.close(1); time.sleep(600)", Bounds(wall_s=1, cpu_s=60, memory_bytes=1 << 30), Overran),
        ("import os; os.abort()", ROOMY, Died),
        ("raise SystemExit(1)", ROOMY, Died),
        ("print('no report')", ROOMY, Died),
        ("print('[1]')", ROOMY, Died),
        ("print('{}', end='')", ROOMY, Died),
        ("while True: print('x' * 1000000, end='')", ROOMY, Died),
        (
            "with open('x', 'wb') as file: file.write(bytes(2000))",
            Bounds(wall_s=60, cpu_s=9, memory_bytes=1 << 30, file_bytes=1000),
            Died,
        ),
    ],
)
def test_given_a_process_that_overruns_or_dies_when_heard_then_that_is_told_apart(
    body: str,
    bounds: Bounds,
    error: type[Exception],
    loads: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if error is Overran:  # else it ends by itself, which takes its time on a slow machine
        monkeypatch.setattr("activities.confined.outside.ENDS_WITHIN_S", 0.5)
    with pytest.raises(error):
        told_by(tmp_path, script_of(body), loads, bounds)
    assert running("script.py") == []


@both_ways
def test_given_a_process_that_fills_its_folder_with_files_then_it_is_ended(
    loads: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.confined.outside.WEIGHED_EVERY_S", 0.1)
    body = "for name in range(10**9):\n    with open(str(name), 'wb') as file: file.write(bytes(1 << 16))"
    bounds = Bounds(wall_s=60, cpu_s=60, memory_bytes=1 << 30, file_bytes=1 << 16, folder_bytes=4 << 20)
    with pytest.raises(Died):
        told_by(tmp_path, script_of(body), loads, bounds)
    assert running("script.py") == []


@both_ways
def test_given_a_process_that_fills_its_folder_with_nothing_then_it_is_ended(
    loads: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.confined.outside.WEIGHED_EVERY_S", 0.1)
    body = "import os\nfor name in range(10**9):\n    open(str(name), 'wb').close()\n    os.mkdir(f'd{name}')"
    with pytest.raises(Died):
        told_by(tmp_path, script_of(body), loads, Bounds(60, 60, 1 << 30, folder_bytes=1 << 20))
    assert running("script.py") == []


THREADS = """
import threading, time
threading.stack_size(1 << 16)
while True:
    try: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    except RuntimeError: time.sleep(0.1)
"""


@both_ways
def test_given_a_process_that_starts_threads_without_end_then_it_is_ended_and_they_with_it(
    loads: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(Died):
        told_by(tmp_path, script_of(THREADS), loads, Bounds(wall_s=60, cpu_s=60, memory_bytes=4 << 30))
    assert running("script.py") == []


def test_given_files_to_read_then_what_their_reader_may_write_follows_their_size() -> None:
    limits = InputLimits()
    small, large = reading_bounds([100], limits), reading_bounds([limits.file_bytes] * limits.files, limits)
    assert small.file_bytes < limits.unpacked_bytes + 1000 < large.file_bytes
    assert 5 * small.folder_bytes < large.folder_bytes


@both_ways
def test_given_an_order_larger_than_a_pipe_when_the_process_reads_nothing_then_nobody_waits(
    loads: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(Died):
        told_by(
            tmp_path,
            "def main():\n    raise SystemExit(1)\nif __name__ == '__main__':\n    main()",
            loads,
            load="x" * 1_000_000,
        )


@both_ways
def test_given_a_process_that_forks_when_it_is_ended_then_what_it_started_is_ended_too(
    loads: tuple[str, ...], tmp_path: Path
) -> None:
    body = "import os, time\npid = os.fork()\nif pid: inside.report(child=pid)\ntime.sleep(600)"
    path = tmp_path / "script.py"
    path.write_text(script_of(body))
    hearing = reports(path, {}, ROOMY, environment=CONFINED_ENVIRONMENT, loads=loads)
    forked = psutil.Process(next(hearing)["child"])
    hearing.close()
    assert psutil.wait_procs([forked], timeout=30)[1] == []


def test_given_a_process_whose_parent_is_another_than_ordered_when_it_begins_then_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(script_of("print('alive')"))
    order = json.dumps({"parent": 1, "bounds": ROOMY.as_order()})
    ended = subprocess.run(
        [sys.executable, "-I", str(path)], input=order, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (ended.returncode, ended.stdout) == (3, "")


@both_ways
def test_signals_of_the_terminal_do_not_reach_a_confined_process(loads: tuple[str, ...], tmp_path: Path) -> None:
    body = "import os\ninside.report(session=os.getsid(0), me=os.getpid())"
    (told,) = told_by(tmp_path, script_of(body), loads)
    assert told["session"] == told["me"]
