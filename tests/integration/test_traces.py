"""One trace from a request through its workflow and activities to the provider, and what it does not say."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Status, StatusCode
from pydantic import SecretStr

from domain.errors import SettingsInvalid
from starter.sandbox import Behaviour, running_sandbox
from starter.traces import redacted, wanted
from tests.api_processes import api_processes
from tests.apis import SECRET
from tests.stack import ROOT, running_stack, wait_until
from tests.temporal import TemporalServer, free_port

OWNER = "ann"
REQUEST = "POST /api/v1/images"
WHOLE = {REQUEST, "RunActivity:paint-image", "CompleteWorkflow:image"}
CANARY = "canary-periwinkle-4411"


class Collector:
    """Takes traces as an OpenTelemetry collector does."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.tokens: set[str | None] = set()

    def spans(self) -> dict[str, list[Span]]:
        """What has arrived, by service."""
        found: dict[str, list[Span]] = {}
        for body in list(self.bodies):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                named = {each.key: each.value.string_value for each in resource.resource.attributes}
                for scope in resource.scope_spans:
                    found.setdefault(named["service.name"], []).extend(scope.spans)
        return found


@contextmanager
def collecting() -> Iterator[tuple[Collector, str]]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.tokens.add(self.headers["x-token"])
            collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """No news."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_given_a_collector_when_a_picture_is_asked_for_then_one_trace_leads_from_the_request_to_the_provider(
    temporal: TemporalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "headers").write_text("x-token=of%20the%20collector\n")
    with collecting() as (collector, endpoint), running_sandbox() as sandbox:
        for name, value in {
            "TEMPORAL_ADDRESS": temporal.address,
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_EXPORTER_OTLP_HEADERS_FILE": str(tmp_path / "headers"),
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "60",  # s: what is sent again is there twice
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }.items():
            monkeypatch.setenv(name, value)
        settings: dict[str, Any] = {"image_base_url": sandbox.base_url, "image_model": "m"}
        settings |= {"auth_secret": SecretStr(SECRET), "image_api_key": SecretStr("sk-" + CANARY)}
        settings |= {"metrics_port": free_port()}
        with running_stack(tmp_path, temporal, **settings) as stack, api_processes(stack.settings) as (api,):
            stack.store.grant(OWNER, 100, reason="test", actor="test", idempotency_key="x")
            stack.start_worker()
            sandbox.script("images", Behaviour(status=503))
            asked = api.client(OWNER).post("images", json={"prompt": f"{CANARY} at sea", "params": {}})
            job = stack.wait_for(stack.store.get_job(asked.json()["id"]), "completed")
            api.client(OWNER).get("images", params={"cursor": CANARY})

            def trace() -> dict[str, list[Span]] | None:
                spans = collector.spans()
                known = {each.name for every in spans.values() for each in every}
                return spans if known >= WHOLE else None

            spans = wait_until(trace, 60, "the whole trace")
            place = f"http://127.0.0.1:{stack.settings.metrics_port}"
            assert httpx.get(f"{place}/healthz").status_code == 200
            measured = httpx.get(f"{place}/metrics").text
    # What the API's process serves beside its own port, over HTTP as Prometheus asks for it.
    assert 'guidesmith_http_seconds_count{method="POST",route="/api/v1/images",status="202"} 1.0' in measured
    assert "guidesmith_open_jobs" in measured and 'guidesmith_webhook_backlog{state="unsent"} 0.0' in measured
    assert 'guidesmith_credits_posted_total{posting="reserve"}' in measured
    assert "temporal_" in measured, "and what the SDK counts of its requests to Temporal"
    assert collector.tokens == {"of the collector"}
    (request,) = (each for each in spans["guidesmith-api"] if each.name == REQUEST)
    mine = [each for every in spans.values() for each in every if each.trace_id == request.trace_id]
    by_id = {each.span_id: each for each in mine}

    def way(span: Span) -> list[str]:
        """Names from the request down to ``span``."""
        return [*(way(by_id[span.parent_span_id]) if span.parent_span_id in by_id else ()), span.name]

    asking = [each for each in mine if each.kind == Span.SPAN_KIND_CLIENT and each.name == "POST"]
    assert len(asking) >= 2  # the provider's fault, and its picture
    for each in asking:
        ways = way(each)
        assert ways[0] == REQUEST
        assert ways[-2:] == ["RunActivity:paint-image", "POST"]
        assert "StartWorkflow:image" in ways
        assert {a.key: a.value.string_value for a in each.attributes}["server.address"] == "127.0.0.1"
    assert any(way(each)[-2:] == ["RunActivity:paint-image", "SELECT"] for each in mine)
    body = b"".join(collector.bodies)
    assert job.id.encode() in body  # temporalWorkflowID
    for secret in (CANARY, SECRET, "signature", "expires=", "Bearer", str(tmp_path)):
        assert secret.encode() not in body, secret


def test_given_spans_with_more_than_may_be_told_then_only_the_harmless_is_left() -> None:
    told = redacted(
        ReadableSpan(
            "SELECT /home/ann/guidesmith.db",
            attributes={
                "db.system": "sqlite",
                "db.operation": "SELECT /home/ann/secret.db",
                "db.statement": "SELECT 1 WHERE name = 'o''hara'",
                "http.url": "https://hooks.example.org/services/T0/B0/secret?token=secret",
                "url.query": "signature=secret",
                "http.target": "/secret",
            },
            events=[Event("exception", {"exception.type": "ValueError", "exception.message": "secret"}, 1)],
            status=Status(StatusCode.ERROR, "secret"),
        )
    )
    assert "secret" not in told.to_json()
    assert told.name == "SELECT"
    assert dict(told.attributes or {}) == {
        "db.system": "sqlite",
        "db.statement": "SELECT 1 WHERE name = ?",
        "server.address": "hooks.example.org",
    }
    assert [dict(each.attributes or {}) for each in told.events] == [{"exception.type": "ValueError"}]


def test_given_no_collector_then_nothing_of_it_is_imported() -> None:
    program = (
        "import sys, starter.work.worker, starter.serving, starter.traces as traces; traces.start_tracing('x');"
        "assert traces.interceptors() == [];"
        "sys.exit(any(each.startswith(('opentelemetry.sdk', 'opentelemetry.exporter', 'opentelemetry.instrumentation',"
        "'temporalio.contrib.opentelemetry')) for each in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, env={}, timeout=160)


def test_the_standard_variables_mean_what_they_mean_everywhere() -> None:
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
    assert wanted(endpoint) and wanted({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"})
    assert not wanted({})
    assert not wanted(endpoint | {"OTEL_SDK_DISABLED": "true"})
    assert not wanted(endpoint | {"OTEL_TRACES_EXPORTER": "none"})
    with pytest.raises(SettingsInvalid, match="http/protobuf"):
        wanted(endpoint | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})
