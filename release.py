"""Holds a release together: wheel, chart, changelog, lock and tag say one version, and what is made is whole.

    python release.py [--tag v0.2.0] [--root SOURCE] [--wheel guidesmith-0.2.0-py3-none-any.whl]
                      [--chart guidesmith-0.2.0.tgz]

Without ``--tag`` the tag of the commit counts, where it has one; where it has none, this is said to be a rehearsal.
What does not agree, or lacks something, is said, and ends with 1. ``make release TAG=v0.2.0`` builds the wheel and the
chart from what is tagged (``make release``: from what is committed), and calls it.
"""

import argparse
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent

CHART = Path("deploy") / "chart" / "Chart.yaml"
IN_THE_WHEEL = (
    *("starter/local/sample/recording.mp4", "starter/local/sample/sales.csv", "starter/pages/static/manifest.json"),
    *("activities/store/migrations/env.py", "activities/process/checksums.json", "guidesmith/client/py.typed"),
)
"""What a build may leave out without a word, and no process does without: made, or taken along by a hook."""


def versions(
    root: Path = ROOT, *, tag: str | None = None, wheel: Path | None = None, chart: Path | None = None
) -> dict[str, str]:
    """What says which version, by where it stands. A place that says none says an empty one. ``root``: the source;
    ``chart``: packed by Helm."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = tomllib.loads((root / "uv.lock").read_text(encoding="utf-8"))["package"]
    recipe = (root / CHART).read_text(encoding="utf-8")
    found = {
        "pyproject.toml": project["version"],
        "uv.lock": next((each["version"] for each in lock if each["name"] == project["name"]), ""),
        "CHANGELOG.md": _said(
            r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", (root / "CHANGELOG.md").read_text(encoding="utf-8")
        ),
        "chart": _said(r"^version: (\S+)$", recipe),
        "chart's application": _said(r'^appVersion: "(\S+)"$', recipe),
    }
    if tag is not None:
        found["tag"] = tag.removeprefix("v") if tag.startswith("v") else ""
    if wheel is not None:
        found["wheel"] = _of_wheel(wheel)
    if chart is not None:
        found["packed chart"] = _of_chart(chart)
    return found


def lacking(wheel: Path) -> list[str]:
    """What the wheel has to hold, and does not."""
    with zipfile.ZipFile(wheel) as archive:
        return sorted(set(IN_THE_WHEEL) - set(archive.namelist()))


def absent(root: Path = ROOT, tag: str | None = None) -> list[str]:
    """What the image's recipe copies, and nobody has committed: until ``tag``, or until now."""
    recipe = (root / "Dockerfile").read_text(encoding="utf-8")
    copied = [name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.MULTILINE) for name in line.split()]
    from deploy.requirements import ROLES

    wanted = [each.replace("${ROLE}", role) for each in copied for role in ROLES]
    tracked = set(_git(ROOT, *(("ls-tree", "-r", "--name-only", tag) if tag else ("ls-files",))).splitlines())
    folders = {str(parent) for each in tracked for parent in Path(each).parents}
    return sorted(set(wanted) - tracked - folders)


def _said(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def _of_wheel(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (facts,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return _said(r"^Version: (\S+)$", archive.read(facts).decode("utf-8"))


def _of_chart(chart: Path) -> str:
    with tarfile.open(chart) as archive:
        facts = archive.extractfile("guidesmith/Chart.yaml")
        return _said(r"^version: (\S+)$", facts.read().decode("utf-8")) if facts else ""


def _git(root: Path, *asked: str) -> str:
    answer = subprocess.run(["git", *asked], cwd=root, capture_output=True, text=True, check=False)  # noqa: S603, S607
    return answer.stdout.strip()


def _told(found: Sequence[str], what: str) -> bool:
    for each in found:
        sys.stderr.write(f"{each} {what}\n")
    return bool(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", help="such as v0.2.0")
    parser.add_argument("--root", type=Path, default=ROOT, help="the source; the checkout, unless told")
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--chart", type=Path)
    given = parser.parse_args()
    tag = given.tag or _git(ROOT, "describe", "--exact-match", "--tags", "HEAD") or None
    found = versions(given.root, tag=tag, wheel=given.wheel, chart=given.chart)
    for place, version in found.items():
        sys.stdout.write(f"{place}: {version or 'none'}\n")
    wrong = len(set(found.values())) > 1 or "" in found.values()
    if wrong:
        sys.stderr.write("They do not agree.\n")
    if tag is None:
        sys.stdout.write("tag: none, so this is a rehearsal; a release is `make release TAG=v…`.\n")
    archived = given.tag if given.root != ROOT else None
    wrong |= _told(absent(given.root, archived), "is copied into the image, and is not committed.")
    if given.wheel is not None:
        wrong |= _told(lacking(given.wheel), "is not in the wheel.")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
