"""Holds a release together: the wheel, the changelog's head, the lock and the tag say one version.

    python release.py [--tag v0.2.0] [--wheel dist/guidesmith-0.2.0-py3-none-any.whl]

Without ``--tag`` the tag of the commit counts, where it has one. What does not agree is said, and ends with 1.
"""

import argparse
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def versions(root: Path = ROOT, *, tag: str | None = None, wheel: Path | None = None) -> dict[str, str]:
    """What says which version, by where it stands. A place that says none says an empty one."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = tomllib.loads((root / "uv.lock").read_text(encoding="utf-8"))["package"]
    head = re.search(
        r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    found = {
        "pyproject.toml": project["version"],
        "uv.lock": next((each["version"] for each in lock if each["name"] == project["name"]), ""),
        "CHANGELOG.md": head[1] if head else "",
    }
    if tag is not None:
        found["tag"] = tag.removeprefix("v") if tag.startswith("v") else ""
    if wheel is not None:
        found["wheel"] = _of_wheel(wheel)
    return found


def _of_wheel(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (facts,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        found = re.search(r"^Version: (\S+)$", archive.read(facts).decode("utf-8"), re.MULTILINE)
    return found[1] if found else ""


def _tag_here() -> str | None:
    asked = ["git", "describe", "--exact-match", "--tags", "HEAD"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    return answer.stdout.strip() or None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", help="such as v0.2.0")
    parser.add_argument("--wheel", type=Path)
    given = parser.parse_args()
    found = versions(tag=given.tag or _tag_here(), wheel=given.wheel)
    for place, version in found.items():
        sys.stdout.write(f"{place}: {version or 'none'}\n")
    if len(set(found.values())) > 1 or "" in found.values():
        sys.stderr.write("They do not agree.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
