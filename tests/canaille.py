"""Canaille for tests: a whole identity provider, with its own pages, in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from tests.stack import ROOT
from tests.temporal import free_port

CLIENT_ID, CLIENT_SECRET = "guidesmith", "6f1c9b3e5a7d"
PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Canaille:
    """It runs. ``user`` may sign in with :data:`PASSWORD`."""

    issuer: str
    user: str
    process: "subprocess.Popen[str]"

    def lock(self, is_locked: bool) -> None:
        """Let the user in no more, or again: whoever asks about them is told so."""
        self._do("lock" if is_locked else "unlock")

    def vouch_for(self, seconds: int) -> None:
        """How long ID tokens hold from now on."""
        self._do(str(seconds))

    def _do(self, what: str) -> None:
        written, read = cast(IO[str], self.process.stdin), cast(IO[str], self.process.stdout)
        written.write(f"{what}\n")
        written.flush()
        assert read.readline() == "done\n"


@contextmanager
def running_canaille(
    url: str, *, user: str, name: str, email: str, lifetime_s: int, group: str = "editor"
) -> Iterator[Canaille]:
    """Until the block ends. Its client is guidesmith at ``url``, its ID tokens hold for ``lifetime_s``."""
    port = free_port()
    asked = {
        "port": port,
        "lifetime_s": lifetime_s,
        "group": group,
        "user": {
            "user_name": user,
            "formatted_name": name,
            "family_name": name.split()[-1],
            "emails": [email],
            "password": PASSWORD,
        },
        "client": {
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "client_name": "guidesmith",
            "redirect_uris": [f"{url}/sign-in/callback"],
            "post_logout_redirect_uris": [f"{url}/sign-out"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": ["openid", "profile", "email", "groups"],
            "token_endpoint_auth_method": "client_secret_basic",
        },
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.canaille_process"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            written, read = cast(IO[str], process.stdin), cast(IO[str], process.stdout)
            written.write(json.dumps(asked) + "\n")
            written.flush()
            assert read.readline() == "ready\n"
            yield Canaille(f"http://localhost:{port}", user, process)
        finally:
            process.kill()
