"""Serves the sandbox over real HTTP: in the foreground, or beside a test."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
import uvicorn

from starter.sandbox.app import create_sandbox_app
from starter.sandbox.calling import Call, Sent
from starter.sandbox.predictions import Course
from starter.sandbox.script import Behaviour

HOST = "127.0.0.1"
PORT = 8900

_START_S = 30.0


def run(host: str = HOST, port: int = PORT) -> None:
    """Serve a new sandbox until interrupted (Ctrl-C, SIGTERM)."""
    uvicorn.run(create_sandbox_app(), host=host, port=port, log_level="info", timeout_graceful_shutdown=1)


@dataclass(frozen=True)
class RunningSandbox:
    """A sandbox that answers at ``url`` (``http://127.0.0.1:PORT``); clients are given ``base_url``."""

    url: str

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def script(self, route: str, *behaviours: Behaviour) -> None:
        """What the next requests of ``route`` (``chat``, ``predictions``, ``files``) get; then good answers."""
        content = {route: [behaviour.model_dump(mode="json") for behaviour in behaviours]}
        _ask("PUT", f"{self.url}/_sandbox/script", json=content)

    def requests(self, route: str | None = None) -> list[dict[str, Any]]:
        """What was received, oldest first: ``route``, ``method``, ``path``, ``headers``, ``authorized``, ``body``."""
        answer = _ask("GET", f"{self.url}/_sandbox/requests").json()
        return [one for one in answer["requests"] if route is None or one["route"] == route]

    def count(self, route: str) -> int:
        """How many requests ``route`` got."""
        counts = _ask("GET", f"{self.url}/_sandbox/requests").json()["counts"]
        return int(counts.get(route, 0))

    def plan(self, *courses: Course) -> None:
        """What becomes of the next predictions; then they succeed at once and call back once."""
        content = [course.model_dump(mode="json") for course in courses]
        _ask("PUT", f"{self.url}/_sandbox/predictions", json=content)

    def call(self, prediction_id: str, call: Call) -> Sent:
        """Call back about a prediction now. Blocks until it was answered, or given up."""
        url = f"{self.url}/_sandbox/predictions/{prediction_id}/calls"
        return Sent.model_validate(_ask("POST", url, json=call.model_dump(mode="json")).json())

    def calls(self) -> list[Sent]:
        """Every webhook that was sent, oldest first."""
        return [Sent.model_validate(each) for each in _ask("GET", f"{self.url}/_sandbox/calls").json()]

    def reset(self) -> None:
        """Forget the script and what was received."""
        _ask("DELETE", f"{self.url}/_sandbox/script")
        _ask("DELETE", f"{self.url}/_sandbox/requests")


def _ask(method: str, url: str, *, json: object = None) -> httpx.Response:
    """Talk to the sandbox. Raises HTTPStatusError where it refuses."""
    return httpx.request(method, url, json=json, timeout=60.0, trust_env=False, verify=_trust()).raise_for_status()


@cache
def _trust() -> ssl.SSLContext:
    """Nothing here is encrypted; but a client wants one, and making it takes longer than a request."""
    return httpx.create_ssl_context()


class _Server(uvicorn.Server):
    """Says when it is ready, and that it will never be."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.settled = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.settled.set()


@contextmanager
def running_sandbox(port: int = 0) -> Iterator[RunningSandbox]:
    """A sandbox in a thread of this process, on ``port`` (0: a free one), until the block ends.

    Raises:
        RuntimeError: It did not start.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
        config = uvicorn.Config(create_sandbox_app(), log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
        server = _Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), name="sandbox", daemon=True)
        thread.start()
        try:
            if not server.settled.wait(_START_S):
                raise RuntimeError("The sandbox did not start.")
            yield RunningSandbox(f"http://{HOST}:{listening.getsockname()[1]}")
        finally:
            server.should_exit = True
            thread.join(_START_S)
