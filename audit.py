"""Hold what ``uv.lock`` and the pages' ``package-lock.json`` name against advisories that the user brings. No network
is asked for anything.

    python audit.py ADVISORIES [--lock uv.lock] [--json]

``ADVISORIES`` are files of the OSV schema (https://ossf.github.io/osv-schema/): one file, a folder of them, or a zip,
as https://osv.dev publishes one for each ecosystem (PyPI and npm are read). Answers 0 where nothing is known, 1 where
something is, 2 where the advisories cannot be read.
"""

import argparse
import json
import re
import sys
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent
PYPI, NPM = "PyPI", "npm"


@dataclass(frozen=True)
class Finding:
    """An advisory that a locked version falls under. ``certain``: its ranges could be compared with the version."""

    ecosystem: str
    package: str
    version: str
    advisory: str
    aliases: tuple[str, ...]
    summary: str
    fixed: tuple[str, ...]
    certain: bool = True


class Unreadable(Exception):
    """The advisories, or a lock, cannot be read."""


def locked(lock: Path, pages: Path) -> dict[tuple[str, str], set[str]]:
    """Versions by ecosystem and plain name."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    try:
        for package in tomllib.loads(lock.read_text()).get("package", ()):
            if "registry" in package.get("source", {}):
                found[PYPI, plain(package["name"])].add(package["version"])
        if pages.exists():
            for place, package in json.loads(pages.read_text()).get("packages", {}).items():
                if place and "version" in package:
                    found[NPM, place.rpartition("node_modules/")[2]].add(package["version"])
    except (OSError, ValueError, KeyError) as broken:
        raise Unreadable(f"{lock.name} or {pages.name} cannot be read: {broken}") from None
    return found


def plain(name: str) -> str:
    """A package's name as PyPI compares them (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def advisories(source: Path) -> Iterator[Mapping[str, Any]]:
    """Every advisory of a file, a folder or a zip.

    Raises:
        Unreadable: It is none of these, or one of its files is not JSON.
    """
    try:
        if source.is_dir():
            for path in sorted(source.rglob("*.json")):
                yield from _entries(path.read_bytes())
        elif zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as archive:
                for name in archive.namelist():
                    if name.endswith(".json"):
                        yield from _entries(archive.read(name))
        else:
            yield from _entries(source.read_bytes())
    except (OSError, ValueError, zipfile.BadZipFile) as broken:
        raise Unreadable(f"The advisories cannot be read: {broken}") from None


def _entries(data: bytes) -> Iterator[Mapping[str, Any]]:
    read = json.loads(data)
    for each in read if isinstance(read, list) else read.get("vulns", [read]):
        if not isinstance(each, dict) or "id" not in each:
            raise ValueError("a file is no advisory of the OSV schema")
        yield each


def audited(lock: Mapping[tuple[str, str], set[str]], source: Path) -> tuple[list[Finding], int]:
    """What is known of the locked versions, and how many advisories were read."""
    found, read = [], 0
    for advisory in advisories(source):
        read += 1
        if advisory.get("withdrawn"):
            continue
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            ecosystem, name = str(package.get("ecosystem", "")).partition(":")[0], str(package.get("name", ""))
            for version in sorted(lock.get((ecosystem, plain(name) if ecosystem == PYPI else name), ())):
                certain = is_affected(version, affected)
                if certain is not False:
                    found.append(_finding(ecosystem, name, version, advisory, affected, certain=certain is True))
    return found, read


def is_affected(version: str, affected: Mapping[str, Any]) -> bool | None:
    """Whether ``version`` falls under it; ``None``: nobody can tell, since a version is not written as one."""
    if version in affected.get("versions", ()):
        return True
    told: bool | None = False
    for bounds in affected.get("ranges", ()):
        if bounds.get("type") not in ("ECOSYSTEM", "SEMVER"):
            continue
        try:
            if _within(Version(version), bounds.get("events", ())):
                return True
        except InvalidVersion:
            told = None
    return told


def _within(version: Version, events: Any) -> bool:
    """The schema's own algorithm: events in order of their versions, each opening or closing the range."""

    def at(event: Mapping[str, str]) -> tuple[Version, int]:
        kind, said = next((name, event[name]) for name in ("introduced", "fixed", "last_affected") if name in event)
        return Version("0.dev0" if said == "0" else said), ("fixed", "introduced", "last_affected").index(kind)

    inside = False
    for event in sorted((each for each in events if "limit" not in each), key=at):
        bound, _ = at(event)
        if "introduced" in event and version >= bound:
            inside = True
        if ("fixed" in event and version >= bound) or ("last_affected" in event and version > bound):
            inside = False
    return inside


def _finding(
    ecosystem: str, name: str, version: str, advisory: Mapping[str, Any], affected: Mapping[str, Any], *, certain: bool
) -> Finding:
    fixed = {event["fixed"] for bounds in affected.get("ranges", ()) for event in bounds["events"] if "fixed" in event}
    summary = " ".join(str(advisory.get("summary") or advisory.get("details") or "").split())[:160]
    aliases = tuple(str(each) for each in advisory.get("aliases", ()))
    return Finding(ecosystem, name, version, str(advisory["id"]), aliases, summary, tuple(sorted(fixed)), certain)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Hold the locked packages against advisories (OSV), offline.")
    parser.add_argument("advisories", type=Path, help="an OSV file, a folder of them, or a zip")
    parser.add_argument("--lock", type=Path, default=ROOT / "uv.lock")
    parser.add_argument("--pages", type=Path, default=ROOT / "starter/pages/frontend/package-lock.json")
    parser.add_argument("--json", action="store_true", dest="as_json")
    asked = parser.parse_args(arguments)
    try:
        lock = locked(asked.lock, asked.pages)
        found, read = audited(lock, asked.advisories)
        if not read:
            raise Unreadable("There is no advisory in it.")
    except Unreadable as broken:
        sys.stderr.write(f"{broken}\n")
        return 2
    if asked.as_json:
        sys.stdout.write(json.dumps({"read": read, "findings": [asdict(each) for each in found]}, indent=1) + "\n")
    else:
        for each in found:
            mend = f"fixed in {', '.join(each.fixed)}" if each.fixed else "no fix is named"
            doubt = "" if each.certain else " (perhaps: its versions cannot be compared)"
            named = ", ".join((each.advisory, *each.aliases))
            sys.stdout.write(f"{each.package} {each.version}: {named}{doubt}; {mend}. {each.summary}\n")
        sys.stdout.write(f"{len(found)} findings for {len(lock)} packages in {read} advisories.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
