"""What happens to every request before a route sees it, in the order that the contract rules.

A request id; then who calls (401), whether the route is theirs (403) and not too often (429), the body's size (413),
type (415) and form (400). A framework that reads and validates the body before it asks for a token would answer 400 to
a stranger; so this is middleware, and it reads small bodies whole, which also gives idempotency its hash.
"""

import asyncio
import hashlib
import re
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

import uuid_utils
from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from activities.process.callers import called_by
from activities.process.log_context import gathering, note
from activities.process.metrics import REQUESTS
from domain.errors import GuidesmithError, RequestInvalid
from starter.access.tokens import Principal
from starter.api.errors import BodyTooLarge, BodyTypeUnsupported, error_response
from starter.api.perimeter.admission import BASE, OPEN, SIGNED, Admission, is_page, is_webhook, plain_path
from starter.api.perimeter.cors import Origins
from starter.api.perimeter.pathways import Pathway, Pathways
from starter.api.perimeter.safe_headers import HTTPS_ONLY, SAFE_HEADERS
from starter.api.perimeter.strict_json import check_json
from starter.logs import log

__all__ = ["BASE", "Gate", "GateRules", "RequestFacts"]

BODY_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})

CHECKED_AT_ONCE_BYTES = 64 * 1024
"""A larger body is checked in a thread: one made to be slow to parse takes a tenth of a second a MiB."""

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""What we take over from a caller's X-Request-Id; anything else is replaced, so that it cannot forge a log line."""

IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

QUERY_LIMIT = 100
"""Parameters of a query. Routes take six at most."""

NAME_SHOWN = 100
"""Characters of an unknown parameter's name that are told back."""

CLIENT_GONE = 499
"""What logs say, by custom, of a request whose client hung up; it is never sent."""


@dataclass
class RequestFacts:
    """What the gate knows about a request; routes find it in ``request.state.facts``."""

    request_id: str
    principal: Principal | None = None
    body_sha256: str = field(default_factory=lambda: hashlib.sha256(b"").hexdigest())


@dataclass(frozen=True)
class GateRules:
    """What the gate goes by. ``https``: clients reach the API by TLS alone."""

    admission: Admission
    json_cap_bytes: int
    body_timeout_s: float
    origins: Origins
    https: bool = False


class Gate:
    """ASGI middleware around the whole application.

    Args:
        pages: What people see, which has a door of its own.
    """

    def __init__(self, app: ASGIApp, rules: GateRules, pages: ASGIApp) -> None:
        self._app = app
        self._pages = pages
        self._rules = rules
        self._headers = SAFE_HEADERS | (HTTPS_ONLY if rules.https else {})
        self._pathways: Pathways | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["path"] = plain_path(scope["path"])
        if is_page(scope["path"]):
            await self._pages(scope, receive, send)
            return
        headers = Headers(scope=scope)
        facts = RequestFacts(_request_id(headers))
        scope.setdefault("state", {})["facts"] = facts
        answer = _Answer(send, facts.request_id, headers, self._headers, self._rules.origins)
        with gathering(request_id=facts.request_id):
            pathway = self._pathway(scope)
            if pathway is not None:
                note(**{name: part for name, part in pathway.parameters.items() if IDENTIFIER.fullmatch(part)})
            began = time.perf_counter()
            try:
                await self._answered(scope, headers, receive, answer, facts, pathway)
            finally:
                took = time.perf_counter() - began
                template = pathway.template if pathway else ""
                REQUESTS.labels(_known(scope["method"]), template, str(answer.status or 0)).observe(took)
                log("api").info(
                    "request",
                    method=scope["method"],
                    route=pathway.template if pathway else None,
                    status=answer.status,
                    duration_ms=round(took * 1000, 1),
                    subject=facts.principal.subject if facts.principal else None,
                )

    async def _answered(
        self,
        scope: Scope,
        headers: Headers,
        receive: Receive,
        answer: "_Answer",
        facts: RequestFacts,
        pathway: Pathway | None,
    ) -> None:
        try:
            preflight = self._rules.origins.preflight(scope["method"], headers)
            if preflight is not None:
                await preflight(scope, receive, answer)
                return
            facts.principal = await self._rules.admission.principal(scope, headers, pathway)
            called_by(facts.principal.subject if facts.principal else None)
            receive = await self._admitted(scope, headers, receive, facts)
            check_query(scope, pathway)
            await self._app(scope, receive, answer)
        except ClientDisconnect:
            answer.status = CLIENT_GONE
        except Exception as error:
            if answer.status is not None:  # half an answer is out: all that is left is to break it off
                raise
            if not isinstance(error, GuidesmithError):
                log("api").error("request.crashed", exc_info=error)
                error = GuidesmithError("unforeseen")
            await error_response(error)(scope, receive, answer)

    async def _admitted(self, scope: Scope, headers: Headers, receive: Receive, facts: RequestFacts) -> Receive:
        """``receive`` for the route, the body read, measured and checked where it is a small one.

        Raises:
            GuidesmithError: The request goes no further.
        """
        path: str = scope["path"]
        if path in OPEN or scope["method"] not in BODY_METHODS:
            return receive
        if scope["method"] == "PUT" and path.startswith(tuple(SIGNED)):
            return receive  # a file: the route streams it
        body = await self._body(headers, receive)
        if is_webhook(path):
            await self._rules.admission.check_signature(scope, headers, body)
        if body and not _is_json(headers):
            raise BodyTypeUnsupported("Send the body as application/json.")
        if len(body) > CHECKED_AT_ONCE_BYTES:
            await to_thread.run_sync(check_json, body)
        elif body:
            check_json(body)
        facts.body_sha256 = hashlib.sha256(body).hexdigest()
        return _replayed(body, receive)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        cap = self._rules.json_cap_bytes
        too_large = BodyTooLarge(f"The body has more than {cap} bytes.", details={"limit_bytes": cap})
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > cap:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self._rules.body_timeout_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    body += message.get("body", b"")
                    if len(body) > cap:
                        raise too_large
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise RequestInvalid("The body did not arrive in time.", field="body") from None

    def _pathway(self, scope: Scope) -> Pathway | None:
        if self._pathways is None:
            self._pathways = Pathways(scope["app"].openapi()["paths"])
        return self._pathways.of(scope["path"])


class _Answer:
    """``send`` that adds the headers every answer has, and remembers the status."""

    def __init__(self, send: Send, request_id: str, asked: Headers, safe: dict[str, str], origins: Origins) -> None:
        self._send = send
        self._request_id = request_id
        self._asked = asked
        self._safe = safe
        self._origins = origins
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self._request_id
            for name, value in self._safe.items():
                headers.setdefault(name, value)
            self._origins.mark(self._asked, headers)
        await self._send(message)


def check_query(scope: Scope, pathway: Pathway | None) -> None:
    """Raises: RequestInvalid: The query names what the route does not take: as an unknown field, it is a mistake that
    would go unseen."""
    known = pathway.queries.get(scope["method"]) if pathway is not None else None
    if known is None or not scope["query_string"]:
        return
    try:
        named = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=QUERY_LIMIT)
    except ValueError:
        raise RequestInvalid("The query has too many parameters.", field="query") from None
    for name in dict.fromkeys(name for name, _ in named):
        if name not in known:
            message = "The route takes no such parameter."
            issues = [{"path": f"query.{name[:NAME_SHOWN]}", "code": "extra_forbidden", "message": message}]
            raise RequestInvalid(message, details={"issues": issues})


def _known(method: str) -> str:
    """Anybody may make up a method; each would be a series of its own."""
    return method if method in {*BODY_METHODS, "GET", "HEAD", "OPTIONS"} else "other"


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if REQUEST_ID.fullmatch(given) else str(uuid_utils.uuid7())


def _is_json(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _replayed(body: bytes, receive: Receive) -> Receive:
    """``receive`` that answers the body once, and then what the server still has to say (a disconnect)."""
    sent = False

    async def again() -> Message:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again
