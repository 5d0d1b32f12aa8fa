"""A copy of a data folder, made while its stack runs, and put back.

Each database is copied by SQLite's own online backup, as it was at one moment. Temporal's comes first, the product's
after it, the files last: a run that Temporal remembers from before its job's row goes its way again, and what it wrote
is found done; a file that no row names is swept, where a row without its file could not be mended.

Only the standard library, as ``starter/local/folder.py``.
"""

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from domain.errors import SettingsInvalid
from starter.local.folder import SECRETS_KEY, DataFolder

DATABASES = ("temporal.db", "guidesmith.db")
"""In this order."""

SECRETS = ("auth_secret", SECRETS_KEY)
"""Without the second, secrets in the database cannot be opened; without the first, links and tokens end."""

FOLDERS = ("artifacts", "recordings")

NOTE = "backup.json"
"""Written last: a folder without it is no backup, or half of one."""

PAGES_AT_ONCE = 1024
PAUSE_S = 0.01
"""Between two steps of a copy, so that those who write get their turn."""

PATIENCE_S = 300.0


def back_up(folder: DataFolder, target: Path) -> dict[str, object]:
    """Copy what ``folder`` keeps into ``target``, which is made, whether its stack runs or not.

    Returns:
        What was copied: ``files`` and ``bytes``, among others.

    Raises:
        SettingsInvalid: ``target`` is there and not empty, or cannot be written, or there is nothing to back up.
    """
    if not (folder.root / "guidesmith.db").exists():
        raise SettingsInvalid("There is nothing to back up: the data folder has no database.")
    _make_empty(target)
    try:
        for name in DATABASES:
            if (folder.root / name).exists():
                _copy_database(folder.root / name, target / name)
        for name in SECRETS:
            if (folder.root / name).exists():
                _copy_private(folder.root / name, target / name)
        for name in FOLDERS:
            if (folder.root / name).is_dir():
                _copy_folder(folder.root / name, target / name)
        found = [each for each in target.rglob("*") if each.is_file()]
        note: dict[str, object] = {
            "version": metadata.version("guidesmith"),
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "files": len(found),
            "bytes": sum(each.stat().st_size for each in found),
        }
        (target / NOTE).write_text(json.dumps(note, indent=2) + "\n")
    except (OSError, sqlite3.Error) as broken:
        raise SettingsInvalid(
            f"The backup could not be written ({type(broken).__name__}). It is not whole."
        ) from broken
    return note


def restore(source: Path, folder: DataFolder) -> dict[str, object]:
    """Put a backup where ``folder`` is, which must be empty or not there. The backup stays.

    Raises:
        SettingsInvalid: ``source`` is no whole backup, or is damaged, or ``folder`` has something in it, or cannot be
            written.
    """
    try:
        note: dict[str, object] = json.loads((source / NOTE).read_text())
    except (OSError, ValueError):
        raise SettingsInvalid(
            "This is no backup of guidesmith, or one that was not finished: it has no backup.json."
        ) from None
    for name in DATABASES:
        if (source / name).exists() and not _is_sound(source / name):
            raise SettingsInvalid(f"The backup is damaged: {name} is no whole database. Nothing was restored.")
    _make_empty(folder.root)
    try:
        for name in (*DATABASES, *SECRETS):
            if (source / name).exists():
                _copy_private(source / name, folder.root / name)
        for name in FOLDERS:
            if (source / name).is_dir():
                _copy_folder(source / name, folder.root / name)
    except OSError as broken:
        raise SettingsInvalid(
            f"The data folder could not be written ({broken.strerror}). Empty it, try again."
        ) from None
    return note


def _make_empty(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if any(folder.iterdir()):
            raise SettingsInvalid(f"The folder {folder.name} is not empty: name another, so that nothing is lost.")
        folder.chmod(0o700)
    except OSError as broken:
        raise SettingsInvalid(f"The folder cannot be made ({broken.strerror}): name another.") from None


def _copy_database(source: Path, target: Path) -> None:
    """Raises: sqlite3.Error: It cannot be read, or its writers leave no room for :data:`PATIENCE_S`."""
    deadline = time.monotonic() + PATIENCE_S

    def patient(_status: int, _remaining: int, _total: int) -> None:
        if time.monotonic() > deadline:
            raise sqlite3.OperationalError("writers leave no room")

    address = f"{source.absolute().as_uri()}?mode=ro"
    # One transaction is held open on the source: the copy is of its moment, however much is written meanwhile.
    with closing(sqlite3.connect(address, uri=True, timeout=30)) as reader, closing(sqlite3.connect(target)) as writer:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        reader.backup(writer, pages=PAGES_AT_ONCE, progress=patient, sleep=PAUSE_S)
    target.chmod(0o600)


def _is_sound(database: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as reader:
            return [row[0] for row in reader.execute("PRAGMA quick_check")] == ["ok"]
    except sqlite3.Error:
        return False


def _copy_private(source: Path, target: Path) -> None:
    """For the owner alone, from the first byte on."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file, source.open("rb") as from_:
        shutil.copyfileobj(from_, file)


def _copy_folder(source: Path, target: Path) -> None:
    """What is swept meanwhile is not missed: no row names it any more."""
    target.mkdir(mode=0o700)
    for each in sorted(source.rglob("*")):
        place = target / each.relative_to(source)
        try:
            if each.is_dir() and not each.is_symlink():
                place.mkdir(parents=True, exist_ok=True)
            elif each.is_file():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(each, place)
        except FileNotFoundError:
            continue
