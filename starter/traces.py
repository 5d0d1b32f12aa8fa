"""Traces: one from a request through its job's workflow and activities to the database and the providers, by OTLP.

Off, and not even imported, until the standard variables name a collector (``OTEL_EXPORTER_OTLP_ENDPOINT``, or the one
for traces alone; ``OTEL_SDK_DISABLED``, ``OTEL_TRACES_EXPORTER=none``, ``OTEL_SERVICE_NAME``, ``OTEL_TRACES_SAMPLER``
and the others mean what they mean everywhere). Spans are made by the instrumentation of FastAPI, Temporal, httpx and
SQLAlchemy; what they note is more than may leave a process (addresses with signatures and tokens, what errors quote),
so one place lets through what is known to be harmless, and nothing else.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from domain.errors import SettingsInvalid
from starter.secret_files import SUFFIX, secret_of

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from sqlalchemy import Engine
    from temporalio.client import Interceptor

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
SPOKEN = "http/protobuf"
HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
"""Often a collector's token; ``OTEL_EXPORTER_OTLP_HEADERS_FILE`` names a file with it, as of every secret."""

KEPT = frozenset(
    {
        *("http.request.method", "http.method", "http.route", "http.response.status_code", "http.status_code"),
        *("network.protocol.version", "url.scheme", "error.type"),
        *("db.system", "db.system.name", "db.statement", "db.query.text"),
        *("temporalWorkflowID", "temporalRunID", "temporalActivityID", "temporalUpdateID"),
    }
)
"""Attributes that hold words of the code, ids and numbers. ``db.operation`` has the database's path behind it."""

ADDRESSES = ("url.full", "http.url")
"""Of these the host is kept: queries hold signatures, and the paths of webhooks are secrets themselves."""

STATEMENTS = ("db.statement", "db.query.text")
LITERAL = re.compile(r"'(?:[^']|'')*'")

_on = False


def wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the standard variables ask for traces.

    Raises:
        SettingsInvalid: By a protocol that is not spoken here, or what makes them is not installed.
    """
    off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip().lower() or "otlp"
    if off or exporter != "otlp" or not any(environment.get(each) for each in ENDPOINTS):
        return False
    protocol = next((value for each in PROTOCOLS if (value := environment.get(each))), SPOKEN)
    if protocol != SPOKEN:
        raise SettingsInvalid(f"Traces are sent by {SPOKEN}: set OTEL_EXPORTER_OTLP_PROTOCOL to it, or leave it out.")
    if find_spec("opentelemetry.sdk") is None or find_spec("opentelemetry.exporter") is None:
        raise SettingsInvalid(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, and what makes traces is not installed: install guidesmith[traces]."
        )
    return True


def start_tracing(service: str) -> None:
    """Set this process up for traces, if they are wanted. Call it once, before anything is connected.

    Args:
        service: What the process is called where ``OTEL_SERVICE_NAME`` does not say.

    Raises:
        SettingsInvalid: See :func:`wanted`; or the file of the headers cannot be read, or they are set besides.
    """
    global _on  # noqa: PLW0603  (as OpenTelemetry itself: one provider a process)
    if _on or not wanted():
        return
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
    from opentelemetry.util.re import parse_env_headers

    filed = secret_of(HEADERS, os.environ.get(HEADERS), os.environ.get(HEADERS + SUFFIX))
    headers = parse_env_headers(filed, liberal=True) if filed else None  # None: the exporter reads the variables

    class RedactingExporter(SpanExporter):
        """The OTLP exporter, given what may be told."""

        def __init__(self) -> None:
            self._exporter = OTLPSpanExporter(headers=headers)

        def export(self, spans: Sequence["ReadableSpan"]) -> SpanExportResult:
            return self._exporter.export([redacted(each) for each in spans if not is_idle(each)])

        def shutdown(self) -> None:
            self._exporter.shutdown()  # type: ignore[no-untyped-call]

    named = os.environ.get("OTEL_SERVICE_NAME") or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    provider = TracerProvider(resource=Resource.create({} if named else {"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(RedactingExporter()))
    trace.set_tracer_provider(provider)
    HTTPXClientInstrumentor().instrument()
    _on = True


def interceptors() -> list["Interceptor"]:
    """What makes Temporal's client and workers carry the trace on; nothing where there is none."""
    if not _on:
        return []
    from temporalio.contrib.opentelemetry import TracingInterceptor

    return [TracingInterceptor()]


def watch(engine: "Engine") -> None:
    """Have the statements of a database in traces, where there are any."""
    if _on:
        from opentelemetry.instrumentation.sqlalchemy import SQLAlchemyInstrumentor

        SQLAlchemyInstrumentor().instrument(engine=engine, skip_dep_check=True)


def is_idle(span: "ReadableSpan") -> bool:
    """Whether it is a statement that belongs to nobody's request or job: processes look for work every second."""
    return span.parent is None and bool((span.attributes or {}).keys() & {"db.system", "db.system.name"})


def redacted(span: "ReadableSpan") -> "ReadableSpan":
    """``span`` with what may leave the process: :data:`KEPT`, hosts, statements without literals, kinds of errors."""
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Status

    attributes = dict(_harmless(span.attributes or {}))
    return ReadableSpan(
        name=span.name.partition(" ")[0] if attributes.keys() & {"db.system", "db.system.name"} else span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        events=[_event(each) for each in span.events],
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _harmless(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in attributes.items():
        if name in STATEMENTS:
            yield name, LITERAL.sub("?", str(value))
        elif name in KEPT:
            yield name, value
        elif name in ADDRESSES:
            yield "server.address", urlsplit(str(value)).hostname or ""


def _event(event: "Event") -> "Event":
    from opentelemetry.sdk.trace import Event

    kind = (event.attributes or {}).get("exception.type")
    return Event(event.name, attributes={"exception.type": kind} if kind else None, timestamp=event.timestamp)
