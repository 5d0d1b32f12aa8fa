"""A process's signs of health for a machine to read: ``/healthz`` and ``/metrics`` on one port."""

import threading
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol, Self

from prometheus_client import REGISTRY, Gauge, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from temporalio.runtime import PrometheusConfig, Runtime, TelemetryConfig

from activities.store.upkeep.pending import Backlog
from domain.errors import GuidesmithError
from starter.local.ports import LOOPBACK, reserved
from starter.settings import Settings

STANDING_STILL = Gauge(
    "guidesmith_stages_without_progress",
    "Stages of all workers, at work for longer than is sensible without progress; NaN: the database does not say.",
)


class Watched(Protocol):
    """What the metrics ask of the store."""

    def stages_without_progress(self) -> Sequence[object]: ...
    def backlog(self) -> Backlog: ...


class Open(Collector):
    """Gauges of what is open, of all processes: read from the database when they are asked for."""

    def __init__(self) -> None:
        self.store: Watched | None = None

    def collect(self) -> Iterator[Metric]:
        if self.store is None:
            return
        try:
            open_now = self.store.backlog()
        except GuidesmithError:
            return  # no value is no lie
        yield _gauge("guidesmith_open_jobs", "Jobs that have not ended.", ("kind", "status"), open_now.jobs)
        waiting = {("unsent",): open_now.unsent, ("under_way",): open_now.under_way}
        told = "Deliveries of webhooks that nobody has taken up, and that are being tried."
        yield _gauge("guidesmith_webhook_backlog", told, ("state",), waiting)

    def describe(self) -> list[Metric]:
        return []  # asking the database when it is registered would be early


def _gauge(name: str, documentation: str, labels: Sequence[str], values: Mapping[Any, int]) -> Metric:
    family = GaugeMetricFamily(name, documentation, labels=labels)
    for each, value in values.items():
        family.add_metric(each, value)
    return family


OPEN = Open()
REGISTRY.register(OPEN)


class HealthServer:
    """Serves health and metrics while the process runs; does nothing where no port is set.

    ``ready`` turns ``/healthz`` from 503 to 200. ``/metrics`` holds the SDK's metrics and the process's own.
    """

    def __init__(self, settings: Settings) -> None:
        self.ready = False
        self.runtime: Runtime | None = None
        self.sdk_metrics = ""
        self._address = (settings.metrics_host, settings.metrics_port) if settings.metrics_port else None
        self._server: ThreadingHTTPServer | None = None
        self._held = ExitStack()

    def __enter__(self) -> Self:
        if self._address is None:
            return self
        self._server = ThreadingHTTPServer(self._address, _handler(self))
        (port,) = self._held.enter_context(reserved([()]))
        sdk = f"{LOOPBACK}:{port}"
        self.runtime = Runtime(telemetry=TelemetryConfig(metrics=PrometheusConfig(bind_address=sdk)))
        self.sdk_metrics = f"http://{sdk}/metrics"
        threading.Thread(target=self._server.serve_forever, name="health", daemon=True).start()
        return self

    def watch(self, store: Watched) -> None:
        """Have the metrics say what the store has of all: when they are asked for, and not while nobody does."""

        def counted() -> float:
            try:
                return len(store.stages_without_progress())
            except GuidesmithError:
                return float("nan")

        if self._address is not None:
            STANDING_STILL.set_function(counted)
            OPEN.store = store

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        self._held.close()


def _handler(health: HealthServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/healthz":
                self._answer(200 if health.ready else 503, b"ok\n" if health.ready else b"starting or stopping\n")
            elif self.path == "/metrics":
                with urllib.request.urlopen(health.sdk_metrics, timeout=5) as answer:  # noqa: S310 (our own loopback port)
                    self._answer(200, answer.read() + generate_latest(REGISTRY))
            else:
                self._answer(404, b"not found\n")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Probes are not news."""

    return Handler
