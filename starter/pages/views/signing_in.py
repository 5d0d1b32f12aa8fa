"""Signing in with an address from the command line or a token, and signing out.

There are no passwords here. On one's own machine ``guidesmith open`` prints an address that signs its user in; where
others come too, a person brings a token of the identity provider (or has a proxy in front that knows them).
"""

from http import HTTPStatus
from typing import Annotated, cast
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from starter.api.limits import Limits
from starter.api.sessions import Sessions
from starter.pages.visit import Visiting
from starter.tokens import Principal, TokenCheck, Unauthorized

router = APIRouter()


@router.get("/sign-in")
async def ask(request: Request, visit: Visiting, ticket: str = "", to: str = "/") -> Response:
    """The form; with a ticket, straight in."""
    if not ticket:
        return visit.page("sign_in.html", to=_own(to), failure=None)
    sessions = cast(Sessions, request.app.state.sessions)
    try:
        return _entered(sessions, sessions.admitted(ticket), to)
    except Unauthorized:
        await cast(Limits, request.app.state.limits).attempt(request.scope)
        failure = visit.say("sign-in-ticket-expired")
        return visit.page("sign_in.html", HTTPStatus.UNAUTHORIZED, to=_own(to), failure=failure)


@router.post("/sign-in")
async def enter(
    request: Request, visit: Visiting, token: Annotated[str, Form()] = "", to: Annotated[str, Form()] = "/"
) -> Response:
    """Begin a session for whom the token speaks for."""
    try:
        principal = await cast(TokenCheck, request.app.state.tokens).principal(token.strip())
    except Unauthorized:
        await cast(Limits, request.app.state.limits).attempt(request.scope)
        failure = visit.say("sign-in-token-refused")
        return visit.page("sign_in.html", HTTPStatus.UNAUTHORIZED, to=_own(to), failure=failure)
    return _entered(cast(Sessions, request.app.state.sessions), principal, to)


@router.post("/sign-out")
async def leave(request: Request) -> Response:
    """End the session."""
    ended = cast(Sessions, request.app.state.sessions).ended()
    return RedirectResponse("/sign-in", status_code=303, headers={"Set-Cookie": ended})


def _entered(sessions: Sessions, principal: Principal, to: str) -> Response:
    return RedirectResponse(_own(to), status_code=303, headers={"Set-Cookie": sessions.begun(principal)})


def _own(to: str) -> str:
    """``to`` where it is a page of ours, else the first one: nobody is led elsewhere by signing in."""
    try:
        parts = urlsplit(to)
    except ValueError:
        return "/"
    plain = not parts.scheme and not parts.netloc and to.startswith("/") and to[1:2] not in ("/", "\\")
    return to if plain and to.isprintable() and "\\" not in to else "/"
