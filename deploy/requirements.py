"""Writes the locked requirements of each role, with hashes, from ``uv.lock``: ``make requirements``.

For those who install without uv, and for the images: a file holds what one kind of process needs and nothing else.
``python -m deploy.requirements --check`` ends with 1 where a file is not what the lock says.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "deploy" / "requirements"
UV = ROOT / ".tools" / "bin" / "uv"

ROLES: Mapping[str, tuple[str, ...]] = {
    "api": ("traces",),
    "media": ("traces", "media", "screen", "speech", "pdf", "analysis", "tts", "cjk"),
    "speech": ("traces", "media", "speech", "multilingual", "speech-en"),
    "providers": ("traces", "media", "drafting", "pdf", "scrape", "tts", "cjk"),
    "all": ("traces", "worker", "multilingual", "speech-en", "cjk", "tts"),
}
"""The extras of each: the API, which does for workers of the queue ``jobs`` and for migrations, too; workers of the
other queues; and one image for everything."""


def locked(role: str) -> str:
    """The requirements of a role: every package of its own and of theirs, one version each, with the sums of its files.

    Raises:
        subprocess.CalledProcessError: uv does not answer.
    """
    extras = [argument for extra in ROLES[role] for argument in ("--extra", extra)]
    command = [str(UV), "export", "--frozen", "--offline", "--no-dev", "--no-emit-project", "--no-header", "--quiet"]
    asked = [*command, "--no-annotate", *extras]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603


def stale() -> list[str]:
    """The roles whose file is not what the lock says."""
    return [role for role in ROLES if not _file(role).exists() or _file(role).read_text("utf-8") != locked(role)]


def _file(role: str) -> Path:
    return FOLDER / f"{role}.txt"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        found = stale()
        sys.stderr.write("".join(f"deploy/requirements/{role}.txt is not what uv.lock says.\n" for role in found))
        return int(bool(found))
    for role in ROLES:
        _file(role).write_text(locked(role), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
