"""The real API for tests: its own process parts in a thread, real HTTP, a database and a folder of its own.

``api`` is one server for a module, on the session's Temporal; each test makes its own projects and jobs.
"""

import asyncio
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn
from pydantic import SecretStr

from activities.artifacts import ArtifactStore
from activities.store import Store
from starter.access.tokens import Role, Tokens
from starter.serving import server, wired
from starter.settings import Settings, load_settings
from starter.wiring import open_artifacts, open_store
from tests.databases import laid_out
from tests.stack import have_patience
from tests.temporal import TemporalServer, free_port
from tests.witness import Witness

have_patience()

SECRET = "0123456789abcdef" * 4
UP_WITHIN_S = 120.0
TIMEOUT_S = 60.0
PART_SIZE = 64 * 1024

UNTRUSTING = ssl.create_default_context()
"""For clients, each of which would else make one: fifteen times as long as all the rest of it takes."""


@dataclass(frozen=True)
class RunningApi:
    """A running API, and the parts behind it."""

    url: str
    settings: Settings
    store: Store
    artifacts: ArtifactStore

    def client(self, subject: str = "ann", role: Role = Role.EDITOR) -> httpx.Client:
        """A client that speaks for ``subject``."""
        token = Tokens(SECRET).issue(subject, role)
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=TIMEOUT_S, verify=UNTRUSTING)


@contextmanager
def running_api(settings: Settings) -> Iterator[RunningApi]:
    """The API by ``settings`` until the block ends. Its Temporal is whatever TEMPORAL_ADDRESS says.

    Every answer is held against the served description: see ``tests/witness.py``.
    """
    held: list[uvicorn.Server] = []
    ended: list[BaseException] = []
    witnesses: list[Witness] = []

    async def main() -> None:
        async with wired(settings) as app:
            witnesses.append(Witness(app))
            held.append(server(witnesses[0], settings))
            await held[0].serve()

    def run() -> None:
        try:
            asyncio.run(main())
        except BaseException as error:
            ended.append(error)

    laid_out(settings.database)
    store = open_store(settings)
    store.upgrade()
    thread = threading.Thread(target=run, name="api")
    thread.start()
    try:
        deadline = time.monotonic() + UP_WITHIN_S
        while not (held and held[0].started):
            assert not ended, ended
            assert time.monotonic() < deadline, "the API did not come up"
            time.sleep(0.02)
        yield RunningApi(f"http://127.0.0.1:{settings.api_port}", settings, store, open_artifacts(settings))
    finally:
        if held:
            held[0].should_exit = True
        thread.join(UP_WITHIN_S)
        store.dispose()
    assert not thread.is_alive(), "the API did not end"
    assert not witnesses[0].objections, "answers that the API's description does not have"


def wait_ready(api: RunningApi) -> None:
    """Until the API reaches everything it needs: a dev server listens before it answers."""
    deadline = time.monotonic() + UP_WITHIN_S
    while httpx.get(f"{api.url}/readyz", timeout=TIMEOUT_S).status_code != 200:
        assert time.monotonic() < deadline, "the API is not ready"
        time.sleep(0.1)


def api_settings(folder: Path, **overrides: object) -> Settings:
    """Settings of an API on a folder of its own."""
    values: dict[str, object] = {
        "data_dir": folder,
        "api_port": free_port(),
        "auth_secret": SecretStr(SECRET),
        "part_size_bytes": PART_SIZE,
        "upload_cap_bytes": 4 << 20,
        "rate_limit_default": "off",
        "rate_limit_expensive": "off",
        "rate_limit_unauthenticated": "off",
    }
    return load_settings(**(values | overrides))


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    """One API for the module, on the session's Temporal, without a worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(api_settings(tmp_path_factory.mktemp("api"))) as running:
            wait_ready(running)
            yield running


@pytest.fixture
def ann(api: RunningApi) -> Iterator[httpx.Client]:
    """A caller."""
    with api.client("ann") as client:
        yield client


@pytest.fixture
def bob(api: RunningApi) -> Iterator[httpx.Client]:
    """Another one, a stranger to the first."""
    with api.client("bob") as client:
        yield client
