"""Backups of a data folder: of one moment while it is written to, whole or refused, and for their owner alone."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from domain.errors import SettingsInvalid
from starter.local.backup import NOTE, back_up, restore
from starter.local.folder import DataFolder


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """What a stack leaves, as far as it is kept."""
    folder = DataFolder(tmp_path / "data")
    folder.auth_secret()
    folder.make_secrets_key()
    for name in ("guidesmith.db", "temporal.db"):
        with closing(sqlite3.connect(folder.root / name)) as connection, connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("CREATE TABLE ledger (amount INTEGER, filling BLOB)")
            connection.executemany("INSERT INTO ledger VALUES (?, zeroblob(4096))", [(0,)] * 2000)
    kept = folder.root / "artifacts" / "jobs" / "1"
    kept.mkdir(parents=True)
    (kept / "audio.flac").write_bytes(b"sound" * 1000)
    return folder


def contents(root: Path) -> dict[str, bytes]:
    return {str(each.relative_to(root)): each.read_bytes() for each in root.rglob("*") if each.is_file()}


def test_given_somebody_who_writes_when_backed_up_then_each_database_is_of_one_moment(
    folder: DataFolder, tmp_path: Path
) -> None:
    stop = threading.Event()

    def write() -> None:
        """Every transaction moves an amount from one row to another: the sum is always zero."""
        with closing(sqlite3.connect(folder.root / "guidesmith.db", timeout=30)) as connection:
            while not stop.is_set():
                with connection:
                    connection.execute("UPDATE ledger SET amount = amount - 1 WHERE rowid = 1")
                    connection.execute("UPDATE ledger SET amount = amount + 1 WHERE rowid = 2000")

    writing = threading.Thread(target=write)
    writing.start()
    try:
        note = back_up(folder, tmp_path / "backup")
    finally:
        stop.set()
        writing.join()
    assert note["files"] == 5
    restore(tmp_path / "backup", DataFolder(tmp_path / "again"))
    with closing(sqlite3.connect(tmp_path / "again" / "guidesmith.db")) as connection:
        assert connection.execute("SELECT sum(amount), count(*) FROM ledger").fetchone() == (0, 2000)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_given_a_backup_when_restored_then_files_and_keys_are_as_they_were_and_the_owners_alone(
    folder: DataFolder, tmp_path: Path
) -> None:
    back_up(folder, tmp_path / "backup")
    before = contents(tmp_path / "backup")
    again = DataFolder(tmp_path / "again")
    restore(tmp_path / "backup", again)
    assert contents(again.root) == {name: each for name, each in before.items() if name != NOTE}
    assert again.auth_secret() == folder.auth_secret()
    assert (again.root / "artifacts" / "jobs" / "1" / "audio.flac").read_bytes() == b"sound" * 1000
    for root in (tmp_path / "backup", again.root):
        assert root.stat().st_mode & 0o077 == 0
        for name in ("auth_secret", "secrets_key", "guidesmith.db", "temporal.db"):
            assert (root / name).stat().st_mode & 0o077 == 0
    assert contents(tmp_path / "backup") == before  # it can be restored again


def test_given_what_is_no_whole_backup_or_a_folder_with_something_in_it_then_refused_and_nothing_changes(
    folder: DataFolder, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    back_up(folder, backup)
    again: tuple[Callable[[], object], ...] = (partial(back_up, folder, backup), partial(restore, backup, folder))
    for refused in again:
        before = contents(folder.root), contents(backup)
        with pytest.raises(SettingsInvalid, match="not empty"):
            refused()
        assert (contents(folder.root), contents(backup)) == before
    with pytest.raises(SettingsInvalid, match="nothing to back up"):
        back_up(DataFolder(tmp_path / "none"), tmp_path / "other")
    with (backup / "temporal.db").open("r+b") as file:
        file.truncate(50_000)
    lost = DataFolder(tmp_path / "lost")
    with pytest.raises(SettingsInvalid, match=r"damaged: temporal\.db"):
        restore(backup, lost)
    (backup / NOTE).unlink()
    with pytest.raises(SettingsInvalid, match=r"no backup\.json"):
        restore(backup, lost)
    assert not lost.root.exists()
