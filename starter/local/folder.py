"""The data folder of a local stack: what lies where, its lock, its secret, and the note that says how to reach it.

Only the standard library: every command of the CLI looks here first, and has to be quick about it.
"""

import fcntl
import json
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from domain.errors import GuidesmithError, SettingsInvalid

SECRET_BYTES = 32

SECRETS_KEY = "secrets_key"
"""The file that holds what the secrets of users are sealed with in the database."""

OPENING = "open"
"""What the names of pages that are handed over to a browser begin with."""

HANDED_OVER_S = 600.0
"""How long such a page is left for a browser that takes its time to start."""


def default_data_dir() -> Path:
    """``$XDG_DATA_HOME/guidesmith``, by the XDG convention ``~/.local/share/guidesmith``."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "guidesmith"


@dataclass(frozen=True)
class StackState:
    """How to reach a running stack. ``pid`` is the supervisor's, 0 when nothing runs; ``temporal_ui_url``: empty where
    there is no UI; ``until_unused``: it stops by itself when its last client has gone."""

    pid: int
    api_url: str
    temporal_address: str
    temporal_ui_url: str
    metrics_port: int
    started_at: str
    until_unused: bool = False


class StackFailed(GuidesmithError):
    """A part of the local stack does not come up."""

    code = "STACK_UNAVAILABLE"


class StackRunning(SettingsInvalid):
    """Another process holds the folder's lock."""

    code = "STACK_RUNNING"


@dataclass(frozen=True)
class DataFolder:
    """The paths of one data folder. Nothing is created before :meth:`prepare`."""

    root: Path

    @property
    def temporal_database(self) -> Path:
        return self.root / "temporal.db"

    def begin_temporal_database(self) -> bool:
        """Whether Temporal's database is still to be made. One that was begun and never answered, because its stack was
        killed meanwhile, holds nothing and cannot be gone on with: it is taken away."""
        begun = self.root / "temporal.db.begun"
        if begun.exists():
            for left in self.root.glob(f"{self.temporal_database.name}*"):
                if left != begun:
                    left.unlink(missing_ok=True)
        if self.temporal_database.exists():
            return False
        begun.touch()
        return True

    def finish_temporal_database(self) -> None:
        """It answers: from here on it is what this folder's jobs rest on."""
        (self.root / "temporal.db.begun").unlink(missing_ok=True)

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def recordings(self) -> Path:
        """Which job a recording became, one small file each (``starter/cli/memory.py``)."""
        return self.root / "recordings"

    @property
    def _state(self) -> Path:
        return self.root / "stack.json"

    @property
    def _lock(self) -> Path:
        return self.root / "stack.lock"

    @property
    def _children(self) -> Path:
        return self.root / "children.lock"

    @property
    def _clients(self) -> Path:
        return self.root / "clients.lock"

    @property
    def _secret(self) -> Path:
        return self.root / "auth_secret"

    @classmethod
    def find(cls, given: Path | None = None) -> "DataFolder":
        """The folder ``given``, else ``$GUIDESMITH_DATA_DIR``, else the default one."""
        named = os.environ.get("GUIDESMITH_DATA_DIR")
        root = given or (Path(named) if named else default_data_dir())
        return cls(root.expanduser().absolute())

    def prepare(self) -> None:
        """Create the folder, readable by its owner alone; one of ours that others may read is closed to them.

        Raises:
            SettingsInvalid: It cannot be created or written.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = self.root.stat()
            if found.st_mode & 0o077 and found.st_uid == os.getuid():
                self.root.chmod(0o700)
            self.logs.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as broken:
            raise SettingsInvalid(
                f"The data folder cannot be written ({broken.strerror}). Name another with --data-dir or "
                "GUIDESMITH_DATA_DIR."
            ) from broken

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; the kernel lets go of it however this process ends.

        Raises:
            StackRunning: Another stack runs on this folder.
        """
        self.prepare()
        with _locked(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB) as got:
            if not got:
                raise StackRunning("A stack is running on this data folder already.")
            yield

    @property
    def is_locked(self) -> bool:
        """Whether a stack runs (or starts, or stops) on this folder."""
        return _is_held(self._lock)

    @contextmanager
    def children_lock(self) -> Iterator[int]:
        """A descriptor to hand down to every process of the stack: it marks them, and theirs, as alive."""
        with _locked(self._children, fcntl.LOCK_SH) as descriptor:
            yield descriptor

    @property
    def has_children(self) -> bool:
        """Whether a process of a stack is left, its supervisor dead or alive."""
        return _is_held(self._children)

    @contextmanager
    def lease(self) -> Iterator[None]:
        """While it is held, a stack that runs only for its clients goes on running. Ends with this process."""
        self.prepare()
        with _locked(self._clients, fcntl.LOCK_SH):
            yield

    @contextmanager
    def without_clients(self) -> Iterator[bool]:
        """Whether nobody holds a lease. While the block runs, nobody can take one."""
        with _locked(self._clients, fcntl.LOCK_EX | fcntl.LOCK_NB) as got:
            yield bool(got)

    def write_state(self, state: StackState) -> None:
        self._write(self._state, json.dumps(asdict(state), indent=2) + "\n")

    def last_state(self) -> StackState | None:
        """What the last stack on this folder noted, whether it runs or not."""
        try:
            return StackState(**json.loads(self._state.read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def running(self) -> StackState | None:
        """How to reach the stack that runs on this folder and has come up, else ``None``."""
        state = self.last_state()
        return state if state is not None and _is_alive(state.pid) and self.is_locked else None

    def clear_state(self) -> None:
        """Say that nothing runs here any more. The addresses stay: the next stack tries them first."""
        state = self.last_state()
        if state is not None:
            self.write_state(StackState(**{**asdict(state), "pid": 0}))

    def hand_over(self, page: str) -> Path:
        """A page for a browser of this user's, in a file of the owner's alone. Those of before are taken away: what
        they lead to is used or of the past."""
        self.prepare()
        for old in self.root.glob(f"{OPENING}.*"):
            with suppress(OSError):
                if time.time() - old.stat().st_mtime > HANDED_OVER_S:
                    old.unlink()
        descriptor, name = tempfile.mkstemp(prefix=f"{OPENING}.", suffix=".html", dir=self.root)
        with os.fdopen(descriptor, "w") as file:
            file.write(page)
        return Path(name)

    def auth_secret(self) -> str:
        """The folder's own secret, made at the first call and readable by its owner alone.

        Raises:
            SettingsInvalid: The file is damaged.
        """
        secret = self._own_secret(self._secret)
        if len(secret) != 2 * SECRET_BYTES:
            raise SettingsInvalid("The file auth_secret in the data folder is damaged. Delete it; a new one is made.")
        return secret

    def make_secrets_key(self) -> None:
        """See that there is a key for the secrets of users. It is read with the settings."""
        self._own_secret(self.root / SECRETS_KEY)

    def _own_secret(self, path: Path) -> str:
        self.prepare()
        if not path.exists():
            part = self._new_part(path, secrets.token_hex(SECRET_BYTES))
            with suppress(FileExistsError):  # another process or thread was first: its secret holds
                path.hardlink_to(part)
            part.unlink()
        return path.read_text().strip()

    def _write(self, path: Path, text: str) -> None:
        """Replace the file at once: a reader sees the old or the new text, never half of one."""
        self._new_part(path, text).replace(path)

    @staticmethod
    def _new_part(path: Path, text: str) -> Path:
        """A file of the owner's alone beside ``path``, under a name that no other process or thread writes to."""
        descriptor, part = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        return Path(part)


@contextmanager
def _locked(path: Path, how: int) -> Iterator[int]:
    """The descriptor that holds the lock on ``path``; 0 when ``LOCK_NB`` was asked for and somebody else has it."""
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, how)
        except BlockingIOError:
            yield 0
        else:
            yield lock.fileno()


def _is_alive(pid: int) -> bool:
    """A note may outlive the supervisor that wrote it, and be read while the next one starts."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return pid > 0


def _is_held(path: Path) -> bool:
    if not path.exists():
        return False
    with _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB) as got:
        return not got


def last_words(path: Path, characters: int = 300) -> str:
    """The end of a log on one line, for an error message."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 4 * characters))
            text = file.read().decode(errors="replace")
    except OSError:
        return "(nothing)"
    return " ".join(text.split())[-characters:] or "(nothing)"
