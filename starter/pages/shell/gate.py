"""What happens to every request for a page before a view sees it: who comes, how often, from where, and what they send.

The pages change nothing themselves but the session: everything else they do through the API, as any client does.
"""

import time
from collections.abc import Callable
from dataclasses import replace

import uuid_utils
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from activities.process.log_context import gathering
from domain.errors import GuidesmithError
from starter.access.tokens import Principal, Unauthorized
from starter.api.addresses import root_address
from starter.api.context import Api
from starter.api.documents.shares import SHARED
from starter.api.errors import BodyTooLarge
from starter.api.perimeter.limits import Limits
from starter.api.perimeter.safe_headers import HTTPS_ONLY, SAFE_HEADERS
from starter.api.perimeter.sessions import Sessions, check_origin
from starter.logs import log
from starter.pages.shell.built import ADDRESS, raw, sent
from starter.pages.shell.context import PageContext

FROM_SERVERS = frozenset({"/sign-in/back-channel"})
"""What no browser posts: who does has signed what they say."""

OPEN = FROM_SERVERS | {"/sign-in", "/sign-in/start", "/sign-in/callback", "/sign-out", "/language", "/favicon.ico"}
"""Pages that need no session."""

OPEN_BELOW = (ADDRESS, SHARED)
"""Where all pages are of that kind: built files, and what a link opens to whoever holds it."""

FORM_LIMIT_BYTES = 64 * 1024
"""What pages send here themselves: the form that signs in or out, and the text of one block to be shown."""

ASKED_FOR = ("camera", "microphone", "display-capture", "geolocation")
"""What a browser would ask its user for on a page's behalf."""


def permitted(*features: str) -> str:
    """A Permissions-Policy by which a page itself may use ``features`` of :data:`ASKED_FOR`, and nobody the others."""
    return ", ".join(f"{each}=({'self' if each in features else ''})" for each in ASKED_FOR)


PAGE_HEADERS = SAFE_HEADERS | {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": permitted(),
}


class PageGate:
    """ASGI middleware around the pages.

    Args:
        explain: The page that tells a visitor of an error.
        files_origin: Where browsers get stored files from, when that is not here.
        https: Clients come by TLS alone.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        api: Api,
        sessions: Sessions,
        limits: Limits,
        explain: Callable[[PageContext, GuidesmithError], ASGIApp],
        files_origin: str | None,
        https: bool,
    ) -> None:
        self._app = app
        self._api = api
        self._sessions = sessions
        self._limits = limits
        self._explain = explain
        self._files_origin = files_origin
        self._headers = PAGE_HEADERS | (HTTPS_ONLY if https else {})
        self._beside_files = raw({name: each for name, each in self._headers.items() if name != "Cache-Control"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"].startswith(ADDRESS) and await sent(scope, send, self._beside_files):
            return
        headers = Headers(scope=scope)
        request_id = str(uuid_utils.uuid7())
        status: list[int] = []
        cookies: list[str] = []

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(int(message["status"]))
                said = MutableHeaders(scope=message)
                said["X-Request-Id"] = request_id
                for name, value in self._headers.items():
                    said.setdefault(name, value)
                for cookie in cookies:
                    if "set-cookie" not in said:  # one that the view has set: a session began or ended
                        said.append("Set-Cookie", cookie)
            await send(message)

        context = PageContext(
            Request(scope, receive), self._api, files_origin=self._files_origin, request_id=request_id
        )
        began = time.perf_counter()
        with gathering(request_id=request_id):
            try:
                try:
                    principal = await self._principal(scope, headers, cookies)
                    context = replace(context, principal=principal)
                    scope.setdefault("state", {})["context"] = context
                    await self._app(scope, receive, answer)
                except ClientDisconnect:  # the page has gone, or sends something newer: there is nobody to answer
                    return
                except Exception as error:
                    if not isinstance(error, GuidesmithError):
                        log("pages").error("page.crashed", exc_info=error)
                        if status:  # it is told already, or half an answer is out
                            return
                        error = GuidesmithError("unforeseen")
                    if status:
                        raise
                    await self._explain(context, error)(scope, receive, answer)
            finally:
                route = scope.get("route")
                log("pages").info(
                    "page",
                    method=scope["method"],
                    route=getattr(route, "path", None),
                    status=status[0] if status else None,
                    duration_ms=round((time.perf_counter() - began) * 1000, 1),
                    subject=context.principal.subject if context.principal else None,
                )

    async def _principal(self, scope: Scope, headers: Headers, cookies: list[str]) -> Principal | None:
        path: str = scope["path"]
        if scope["method"] not in ("GET", "HEAD"):
            if int(headers.get("content-length") or FORM_LIMIT_BYTES + 1) > FORM_LIMIT_BYTES:
                raise BodyTooLarge("This is too much to be sent at once.", details={"limit_bytes": FORM_LIMIT_BYTES})
            if path not in FROM_SERVERS:
                check_origin(scope["method"], headers, root_address(scope, self._api.settings.public_url))
        if path.startswith(OPEN_BELOW) or path in OPEN:
            return None
        try:
            session = await self._sessions.read(headers)
        except Unauthorized:
            await self._limits.attempt(scope)
            raise
        await self._limits.admit(f"user {session.principal.subject}", scope["method"], "pages")
        if self._sessions.is_due(session):
            cookies.append(self._sessions.renewed(session))
        return session.principal
