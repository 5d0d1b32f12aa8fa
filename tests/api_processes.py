"""The API as processes of their own, for what only shows between processes: races, kills, restarts."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import psutil
from pydantic import SecretStr

from starter.access.tokens import Tokens
from starter.settings import PREFIX, Settings
from tests.apis import SECRET, TIMEOUT_S, UNTRUSTING, UP_WITHIN_S
from tests.forks import Forked, fork_server
from tests.temporal import free_port


@dataclass
class ApiProcess:
    """One API. It can be stopped, or killed, and started again at the same address."""

    settings: Settings
    port: int
    process: Forked | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, subject: str = "ann") -> httpx.Client:
        """A client that speaks for ``subject``."""
        headers = {"Authorization": f"Bearer {Tokens(SECRET).issue(subject)}"}
        return httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=TIMEOUT_S, verify=UNTRUSTING)

    def start(self) -> None:
        """Start, without waiting: several come up at once."""
        log = self.settings.data_dir / f"api-{self.port}.log"
        self.process = fork_server().fork("api", {**os.environ, **self._environment()}, log)

    def wait(self) -> None:
        """Until it answers."""
        deadline = time.monotonic() + UP_WITHIN_S
        while True:
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"{self.url}/healthz", timeout=TIMEOUT_S).raise_for_status()
                return
            assert self.process is not None and self.process.poll() is None, "the API ended"
            assert time.monotonic() < deadline, "the API did not come up"
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Tell it to end, or (SIGKILL) end it, and wait until it has."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                self.process.send_signal(how)
            self.process.wait(timeout=UP_WITHIN_S)
            self.process = None

    def _environment(self) -> dict[str, str]:
        fields = {name: getattr(self.settings, name) for name in type(self.settings).model_fields}
        values = {name: value for name, value in fields.items() if value is not None} | {"api_port": self.port}
        return {
            PREFIX + name.upper(): value.get_secret_value() if isinstance(value, SecretStr) else str(value)
            for name, value in values.items()
        }


@contextmanager
def api_processes(settings: Settings, count: int = 1) -> Iterator[list[ApiProcess]]:
    """``count`` of them on one database and one artifact store, until the block ends. The schema has to be there."""
    processes = [ApiProcess(settings, free_port()) for _ in range(count)]
    try:
        for each in processes:
            each.start()
        for each in processes:
            each.wait()
        yield processes
    finally:
        for each in processes:
            with contextlib.suppress(psutil.TimeoutExpired):
                each.stop()
            each.stop(signal.SIGKILL)
