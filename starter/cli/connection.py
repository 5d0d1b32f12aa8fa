"""Find the API: the one that is named, the one that runs on the data folder, or one started for this command alone."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starter.cli.exits import Unreachable, UsageWrong
from starter.local.folder import DataFolder, StackFailed, StackState, last_words

if TYPE_CHECKING:
    from starter.access.tokens import Tokens

SIGNER = "GUIDESMITH_AUTH_SECRET"
API_URL, TOKEN, USER = "GUIDESMITH_API_URL", "GUIDESMITH_TOKEN", "GUIDESMITH_USER"

EDITOR, ADMIN = "editor", "admin"
"""Roles of the tokens that are issued here."""

LOCAL_USER = "local"
"""The owner of what a person makes on their own machine."""

TOKEN_TTL_S = 7 * 24 * 3600
"""Longer than any recording takes: the client does not renew it."""

START_TIMEOUT_S = 240.0
"""Longer than the stack itself gives its parts: its word is better than ours."""

STOP_TIMEOUT_S = 60.0

SHARED_AFTER_S = 1.0
"""The stack itself looks for clients in short glances that look like one: a lease held this long is somebody's."""


@dataclass(frozen=True)
class Connection:
    """Where the API is and how to be let in. ``state`` is the local stack's, when it is one."""

    api_url: str
    token: str
    folder: DataFolder
    state: StackState | None = None


@contextmanager
def connected(data_dir: Path | None, *, start: bool, role: str = EDITOR) -> Iterator[Connection]:
    """A reachable API for as long as the block runs.

    Args:
        role: What a token that is issued here may do; one that is given may what it may.
        start: Start a local stack when none runs; it stops with its last client, and this waits for that.

    Raises:
        Unreachable: No stack runs, or it does not come up.
        UsageWrong: An API is named and no way to be let in.
    """
    folder = DataFolder.find(data_dir)
    named = os.environ.get(API_URL)
    if named:
        folder.prepare()
        yield Connection(named.rstrip("/").removesuffix("/api/v1"), _remote_token(role), folder)
        return
    state: StackState | None = None
    try:
        with folder.lease():
            state = _running(folder) or (_started(folder) if start else None)
            if state is None:
                raise Unreachable(
                    f"No stack is running. Start one with `guidesmith up`, or set {API_URL} to a running API."
                )
            yield Connection(state.api_url, local_token(folder, role), folder, state)
    finally:  # also after a Ctrl-C or a failed job: the command leaves no process behind
        if state is not None and state.until_unused:
            _wait_stopped(folder, state.pid)


def local_user() -> str:
    """The owner of what is made on this machine."""
    return os.environ.get(USER) or LOCAL_USER


def given_secret() -> str | None:
    """The secret that signs tokens, where the environment has it, or names its file."""
    from starter.secret_files import secret_in

    return secret_in(os.environ, SIGNER)


def local_token(folder: DataFolder, role: str = EDITOR) -> str:
    """A token for the local stack's own user."""
    from starter.access.tokens import Role, Tokens

    secret = given_secret() or folder.auth_secret()
    return Tokens(secret).issue(local_user(), Role(role), ttl_s=TOKEN_TTL_S)


def _remote_token(role: str) -> str:
    if token := os.environ.get(TOKEN):
        return token
    if secret := given_secret():
        return _issued(secret, role)
    raise UsageWrong(f"{API_URL} is set: set {TOKEN} too (or {SIGNER}, the API's own secret).")


def _issued(secret: str, role: str) -> str:
    from starter.access.tokens import Role

    return tokens_of(secret).issue(local_user(), Role(role), ttl_s=TOKEN_TTL_S)


def tokens_of(secret: str) -> "Tokens":
    """What issues tokens as the API of this environment takes them.

    Raises:
        UsageWrong: It takes those of an identity provider only.
    """
    from starter.access.tokens import Claims, Tokens

    if os.environ.get("GUIDESMITH_AUTH_JWKS_URL"):
        raise UsageWrong("GUIDESMITH_AUTH_JWKS_URL is set: tokens come from your identity provider.")
    issuer, audience = os.environ.get("GUIDESMITH_AUTH_ISSUER"), os.environ.get("GUIDESMITH_AUTH_AUDIENCE")
    return Tokens(
        secret, Claims(issuer or None, audience or None, os.environ.get("GUIDESMITH_AUTH_ROLE_CLAIM") or "role")
    )


def _running(folder: DataFolder) -> StackState | None:
    """The stack that runs on ``folder``; one that is just starting or stopping is waited for."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while folder.is_locked and time.monotonic() < deadline:
        if state := folder.running():
            return state
        time.sleep(0.1)
    return None


def _started(folder: DataFolder) -> StackState:
    """Start a stack that lives as long as it has clients: it is not this process's own, two commands may share it."""
    output = folder.logs / "up.log"
    with output.open("ab") as log:
        process = subprocess.Popen(  # noqa: S603  (our own command, no shell)
            [sys.executable, "-m", "starter.cli", "up", "--until-unused", "--data-dir", str(folder.root)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # a Ctrl-C is for this command: it cancels the job, which needs the stack
        )
    try:
        return _awaited(folder, process, output)
    except BaseException:  # also a Ctrl-C: what was only just started is taken along
        process.terminate()
        process.wait(STOP_TIMEOUT_S)
        raise


def _awaited(folder: DataFolder, process: "subprocess.Popen[bytes]", output: Path) -> StackState:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if state := folder.running():
            return state
        if process.poll() is not None and not folder.is_locked:
            raise Unreachable(f"The local stack did not come up. Its log ends with: {last_words(output)}")
        time.sleep(0.05)
    raise Unreachable(f"The local stack did not come up in {START_TIMEOUT_S:.0f} s. See logs/ in the data folder.")


def _wait_stopped(folder: DataFolder, supervisor: int) -> None:
    """Until the stack and all of its processes are gone, unless somebody else still uses it."""
    began = used_since = time.monotonic()
    while folder.is_locked or folder.has_children or _is_alive(supervisor):
        now = time.monotonic()
        with folder.without_clients() as unused:
            if unused or folder.running() is None:
                used_since = now
        if now - used_since > SHARED_AFTER_S:
            return
        if now - began > STOP_TIMEOUT_S:
            raise StackFailed("The local stack has not stopped in time. `guidesmith doctor` says what is left.")
        time.sleep(0.05)


def _is_alive(pid: int) -> bool:
    with suppress(ChildProcessError):  # not ours: another command started it
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
