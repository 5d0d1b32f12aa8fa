"""Which pages of other origins a browser lets call the API (the Fetch standard's CORS protocol): none unless set.

Tokens travel in a header, never in a cookie, so a browser brings nobody's identity along by itself and
``Access-Control-Allow-Credentials`` is not sent.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

from starter.setting_values import listed

REMEMBERED_S = 600

METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
ASKED = (
    "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Last-Event-ID, Range, X-Namespace, "
    "X-Request-Id"
)
SHOWN = (
    "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Idempotency-Replayed, Retry-After, "
    "X-Request-Id"
)


class Origins:
    """The allowed origins, as the setting lists them."""

    def __init__(self, origins: str) -> None:
        self._allowed = frozenset(listed(origins))

    def preflight(self, method: str, headers: Headers) -> Response | None:
        """The answer to a browser's question whether it may ask; ``None``: it is no such question, or not allowed."""
        if method != "OPTIONS" or "access-control-request-method" not in headers or not self._allows(headers):
            return None
        return Response(
            status_code=204,
            headers={
                "Access-Control-Allow-Methods": METHODS,
                "Access-Control-Allow-Headers": ASKED,
                "Access-Control-Max-Age": str(REMEMBERED_S),
            },
        )

    def mark(self, asked: Headers, answer: MutableHeaders) -> None:
        """Let the page read the answer, if its origin is allowed."""
        if not self._allowed:
            return
        answer.add_vary_header("Origin")
        if self._allows(asked):
            answer["Access-Control-Allow-Origin"] = asked["origin"]
            answer["Access-Control-Expose-Headers"] = SHOWN

    def _allows(self, headers: Headers) -> bool:
        return headers.get("origin", "") in self._allowed
