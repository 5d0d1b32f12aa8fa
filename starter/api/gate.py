"""What happens to every request before a route sees it, in the order that the contract rules.

A request id; then who calls (401), whether the route is theirs (403), the body's size (413) and type (415). A framework
that reads and validates the body before it asks for a token would answer 400 to a stranger; so this is middleware, and
it reads small bodies whole, which also gives idempotency its hash.
"""

import hashlib
import re
import time
from dataclasses import dataclass, field

import structlog
import uuid_utils
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.errors import GuidesmithError
from starter.api.errors import BodyTooLarge, BodyTypeUnsupported, Forbidden, error_response
from starter.logs import log
from starter.tokens import Principal, Role, Tokens, Unauthorized

BASE = "/api/v1"

OPEN = frozenset({f"{BASE}/openapi.json", "/healthz", "/readyz"})
"""Routes that need no token."""

SIGNED = (f"{BASE}/uploads/", f"{BASE}/downloads/")
"""Routes whose path is its own permission."""

ADMIN = f"{BASE}/admin/"

BODY_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""What we take over from a caller's X-Request-Id; anything else is replaced, so that it cannot forge a log line."""

CLIENT_GONE = 499
"""What logs say, by custom, of a request whose client hung up; it is never sent."""

SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@dataclass
class RequestFacts:
    """What the gate knows about a request; routes find it in ``request.state.facts``."""

    request_id: str
    principal: Principal | None = None
    body_sha256: str = field(default_factory=lambda: hashlib.sha256(b"").hexdigest())


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, *, tokens: Tokens, json_cap_bytes: int) -> None:
        self._app = app
        self._tokens = tokens
        self._cap = json_cap_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        facts = RequestFacts(_request_id(headers))
        scope.setdefault("state", {})["facts"] = facts
        answer = _Answer(send, facts.request_id)
        tokens = structlog.contextvars.bind_contextvars(request_id=facts.request_id)
        began = time.perf_counter()
        try:
            receive = await self._admit(scope, headers, receive, facts)
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
        finally:
            log("api").info(
                "request",
                method=scope["method"],
                route=getattr(scope.get("route"), "path", None),
                status=answer.status,
                duration_ms=round((time.perf_counter() - began) * 1000, 1),
                subject=facts.principal.subject if facts.principal else None,
            )
            structlog.contextvars.reset_contextvars(**tokens)

    async def _admit(self, scope: Scope, headers: Headers, receive: Receive, facts: RequestFacts) -> Receive:
        """``receive`` for the route, the body read and measured where it is a small one.

        Raises:
            GuidesmithError: The request goes no further.
        """
        path: str = scope["path"]
        if path in OPEN or path.startswith(SIGNED):
            return receive
        facts.principal = self._principal(headers)
        if path.startswith(ADMIN) and facts.principal.role is not Role.ADMIN:
            raise Forbidden("This route is for administrators.")
        if scope["method"] not in BODY_METHODS:
            return receive
        body = await self._body(headers, receive)
        if body and not _is_json(headers):
            raise BodyTypeUnsupported("Send the body as application/json.")
        facts.body_sha256 = hashlib.sha256(body).hexdigest()
        return _replayed(body, receive)

    def _principal(self, headers: Headers) -> Principal:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Unauthorized("Send a token: Authorization: Bearer <token>.")
        return self._tokens.check(token.strip())

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "")
        too_large = BodyTooLarge(f"The body has more than {self._cap} bytes.", details={"limit_bytes": self._cap})
        if declared.isdecimal() and int(declared) > self._cap:
            raise too_large
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self._cap:
                raise too_large
            if not message.get("more_body", False):
                return bytes(body)


class _Answer:
    """``send`` that adds the headers every answer has, and remembers the status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self._request_id
            for name, value in SAFE_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


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
