"""Make the environment from a bare Python 3.11 to 3.13: bring uv, then install exactly what ``uv.lock`` says.

``make`` calls it; it can be called alone (``python3 bootstrap.py``). With ``--product`` it leaves out what only tests,
checks and documentation need, and takes nothing of that away where it is. Standard library only. Everything it makes
lies inside the project (``.tools``, ``.venv``), but uv's cache of packages, which stays where uv keeps it if that place
can be written. No Python is ever downloaded: the one that runs this is the one that is used.
"""

import argparse
import os
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / ".tools"
TOOLS_BIN = TOOLS / "bin"
UV_VERSION = "0.13.9"
PINNED = ROOT / "bootstrap.txt"
"""uv and pip, with the SHA-256 of each of their files."""

OLDEST, TOO_NEW = (3, 11), (3, 14)
PIP = ("-m", "pip", "--disable-pip-version-check")
INSTALL = ("install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", PINNED)


EVERYTHING: tuple[str, ...] = ()
"""The group ``dev`` and what it asks for, which is all extras that tests use: uv's own choice."""

PRODUCT = ("--no-dev", "--extra", "local", "--inexact")
"""What runs on one machine. ``--inexact``: between a test and the next, a demo takes no tool of theirs away."""


class SetupError(Exception):
    """Set-up cannot go on; the message says what to do."""


def run(*command: str | Path, env: dict[str, str] | None = None) -> tuple[bool, str]:
    """Run quietly; answer whether it succeeded, and everything it printed."""
    try:
        done = subprocess.run(  # noqa: S603 - the commands are ours
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=env
        )
    except OSError as error:
        return False, str(error)
    return done.returncode == 0, done.stdout


def check_python() -> None:
    if not OLDEST <= sys.version_info[:2] < TOO_NEW:
        raise SetupError(f"guidesmith needs Python 3.11, 3.12 or 3.13; this one is {sys.version.split()[0]}.")


def bring_uv() -> Path:
    """The pinned uv, installed into ``.tools`` unless it is there."""
    uv = TOOLS_BIN / "uv"
    succeeded, printed = run(uv, "--version")
    if succeeded and printed.split()[1:2] == [UV_VERSION]:
        return uv
    say(f"Installing uv {UV_VERSION} into .tools")
    succeeded, printed = make_tools()
    if succeeded:
        succeeded, printed = run(TOOLS_BIN / "python", *PIP, *INSTALL)
    if succeeded:
        return uv
    shutil.rmtree(TOOLS, ignore_errors=True)
    if "ensurepip" in printed:
        raise SetupError(
            "This Python cannot make an environment with pip in it. Install its venv module "
            "(Debian, Ubuntu: `apt install python3-venv`) and run make again."
        )
    if "DO NOT MATCH THE HASHES" in printed:
        raise SetupError(
            f"What the package index gave is not uv {UV_VERSION} as bootstrap.txt has it: it was changed there, or on "
            "its way. Do not install it by hand; find out by whom."
        )
    raise SetupError(f"uv could not be installed; is a package index reachable?\n\n{printed.strip()}")


def make_tools() -> tuple[bool, str]:
    """An environment with pip for uv to live in.

    Debian's python3 has no ensurepip unless python3-venv is installed; where the machine has a pip of its own, that
    one can put pip into an environment that has none.
    """
    shutil.rmtree(TOOLS, ignore_errors=True)
    succeeded, printed = run(sys.executable, "-m", "venv", TOOLS)
    if succeeded or not run(sys.executable, *PIP, "--version")[0]:
        return succeeded, printed
    shutil.rmtree(TOOLS, ignore_errors=True)
    succeeded, printed = run(sys.executable, "-m", "venv", "--without-pip", TOOLS)
    if succeeded:
        return run(sys.executable, *PIP, "--python", TOOLS_BIN / "python", *INSTALL)
    return succeeded, printed


def uv_environment(uv: Path) -> dict[str, str]:
    """What uv runs with.

    It never downloads a Python, trusts the certificates that the machine trusts (a company's own proxy, say), and
    keeps its cache in the project when there is no home to keep it in.
    """
    environment = dict(os.environ, UV_PYTHON_DOWNLOADS="never", UV_PYTHON=sys.executable)
    environment.pop("VIRTUAL_ENV", None)
    if ssl.get_default_verify_paths().cafile:
        environment.setdefault("UV_SYSTEM_CERTS", "1")
    succeeded, printed = run(uv, "cache", "dir", env=environment)
    if not (succeeded and can_write(Path(printed.strip()))):
        environment["UV_CACHE_DIR"] = str(TOOLS / "cache")
    return environment


def can_write(folder: Path) -> bool:
    """Whether ``folder``, or the nearest of its parents that exists, takes files."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def sync(uv: Path, what: tuple[str, ...]) -> None:
    """``.venv`` as the lock file says: of ``EVERYTHING`` nothing more and nothing less, of ``PRODUCT`` nothing less."""
    say("Installing the environment into .venv (a minute or two the first time)")
    done = subprocess.run(  # noqa: S603
        (uv, "sync", "--locked", "--no-progress", "--quiet", *what), cwd=ROOT, env=uv_environment(uv), check=False
    )
    if done.returncode:
        raise SetupError("The environment could not be made; uv says why above.")


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's output


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the environment in .venv.")
    parser.add_argument("--product", action="store_true", help="without what tests, checks and documentation need")
    what = PRODUCT if parser.parse_args().product else EVERYTHING
    try:
        check_python()
        sync(bring_uv(), what)
    except SetupError as error:
        sys.stderr.write(f"\n{error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
