"""Signing in with an address from the command line or a token, and signing out.

There are no passwords here. On one's own machine ``guidesmith open`` prints an address that signs its user in; where
others come too, a person brings a token of the identity provider (or has a proxy in front that knows them).
"""

from http import HTTPStatus
from typing import Annotated, cast
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from starter.access.tokens import Principal, TokenCheck, Unauthorized
from starter.api.perimeter.limits import Limits
from starter.api.perimeter.sessions import Sessions, Tickets
from starter.pages.shell.catalogue import languages
from starter.pages.shell.context import CHOSEN_LANGUAGE, Context, PageContext

router = APIRouter()

LANGUAGE_S = 365 * 24 * 3600
"""How long a choice of language is remembered, in seconds."""

BY_ONESELF = frozenset({"none", "same-origin"})
"""Whence a browser comes to a sign-in address that its user has opened (Fetch Metadata). One that another site leads
to may be somebody else's: who is signed in without being asked does their work in a stranger's name."""


@router.get("/sign-in")
async def ask(request: Request, context: Context, ticket: str = "", to: str = "/") -> Response:
    """The form; with a ticket, straight in."""
    if not ticket:
        return _form(context, to)
    try:
        held = _tickets(request).read(ticket)
        if not held.unseen and request.headers.get("sec-fetch-site", "none") not in BY_ONESELF:
            return _form(context, to, ticket=ticket, name=held.principal.subject)
        return _entered(request, await _tickets(request).admitted(ticket), to)
    except Unauthorized:
        await cast(Limits, request.app.state.limits).attempt(request.scope)
        failure = context.say("sign-in-ticket-expired")
        return _form(context, to, failure=failure)


@router.post("/sign-in")
async def enter(
    request: Request,
    context: Context,
    token: Annotated[str, Form()] = "",
    ticket: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "/",
) -> Response:
    """Begin a session for whom the token, or the ticket that another site led here with, speaks for."""
    try:
        if ticket:
            principal = await _tickets(request).admitted(ticket)
        else:
            principal = await cast(TokenCheck, request.app.state.tokens).principal(token.strip())
            await context.api.seen.note(principal.person)
        return _entered(request, principal, to)
    except Unauthorized:
        await cast(Limits, request.app.state.limits).attempt(request.scope)
        failure = context.say("sign-in-ticket-expired" if ticket else "sign-in-token-refused")
        return _form(context, to, failure=failure)


@router.post("/sign-out")
async def leave(request: Request) -> Response:
    """End the session, and what the browser has kept of what was seen in it."""
    ended = await _sessions(request).end(request.headers)
    headers = {"Set-Cookie": ended, "Clear-Site-Data": '"cache"'}
    return RedirectResponse("/sign-in", status_code=303, headers=headers)


@router.post("/language")
async def choose_language(language: Annotated[str, Form()] = "", to: Annotated[str, Form()] = "/") -> Response:
    """Show the pages in another language from now on, in this browser; with none, in the one that it asks for."""
    answer = RedirectResponse(_own(to), status_code=303)
    if language in languages():
        answer.set_cookie(CHOSEN_LANGUAGE, language, max_age=LANGUAGE_S, httponly=True, samesite="lax")
    else:
        answer.delete_cookie(CHOSEN_LANGUAGE)
    return answer


def _form(context: PageContext, to: str, *, failure: str | None = None, ticket: str = "", name: str = "") -> Response:
    status = HTTPStatus.UNAUTHORIZED if failure else HTTPStatus.OK
    return context.page("signing_in/sign_in.html", status, to=_own(to), failure=failure, ticket=ticket, name=name)


def _entered(request: Request, principal: Principal, to: str) -> Response:
    cookie = _sessions(request).begun(principal)
    return RedirectResponse(_own(to), status_code=303, headers={"Set-Cookie": cookie})


def _sessions(request: Request) -> Sessions:
    return cast(Sessions, request.app.state.sessions)


def _tickets(request: Request) -> Tickets:
    return cast(Tickets, request.app.state.tickets)


def _own(to: str) -> str:
    """``to`` where it is a page of ours, else the first one: nobody is led elsewhere by signing in."""
    try:
        parts = urlsplit(to)
    except ValueError:
        return "/"
    plain = not parts.scheme and not parts.netloc and to.startswith("/") and to[1:2] not in ("/", "\\")
    return to if plain and to.isprintable() and "\\" not in to else "/"
