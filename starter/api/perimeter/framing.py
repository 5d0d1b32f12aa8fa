"""What no server between a client and this one must read in another way: where a body ends, and who is called.

A request with both Content-Length and Transfer-Encoding has two ends, and a proxy that chooses the other one lets its
second half be taken for somebody else's request (RFC 9112, 6.1 lets a server refuse it). A Host that is no name and
port leads wherever a reader of URLs makes of it.
"""

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from domain.errors import RequestInvalid
from starter.api.errors import error_response

HOST = re.compile(r"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
"""RFC 9112, 3.2, without user names, escapes and what only URLs know: a name or address, perhaps a port."""


class Framing:
    """ASGI middleware around everything. Refuses with 400 before anybody looks at the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wrong = _wrong(Headers(scope=scope)) if scope["type"] == "http" else None
        if wrong is None:
            await self._app(scope, receive, send)
            return
        answer = error_response(RequestInvalid(wrong, field="header"))
        answer.headers["Connection"] = "close"  # what follows on it may be half of a body
        await answer(scope, receive, send)


def _wrong(headers: Headers) -> str | None:
    if "content-length" in headers and "transfer-encoding" in headers:
        return "Send either Content-Length or Transfer-Encoding, not both."
    hosts = headers.getlist("host")
    if len(hosts) > 1 or (hosts and hosts[0] and not HOST.fullmatch(hosts[0])):
        return "The Host header is no name or address."
    return None
