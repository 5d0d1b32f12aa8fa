"""Signing in with an address from the command line or a token, and signing out.

There are no passwords here. On one's own machine ``guidesmith open`` prints an address that signs its user in; where
others come too, a person signs in on the identity provider's page (``provider.py``), or brings a token of it.
"""

from http import HTTPStatus
from typing import Annotated, cast
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from starter.access.tokens import Principal, TokenCheck, Unauthorized
from starter.api.addresses import root_address
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


@router.get("/sign-in/done")
async def done(context: Context) -> Response:
    """Who signed in again in a tab of its own may close it: the one that they left goes on."""
    return context.page("signing_in/done.html")


@router.get("/sign-out")
async def left(context: Context) -> Response:
    """Where the identity provider leads back to who has signed out there, too."""
    return context.page("signing_in/signed_out.html", provider="", leads_to=None)


@router.post("/sign-out")
async def leave(request: Request, context: Context) -> Response:
    """End the session, and what the browser has kept of what was seen in it. Who came by the identity provider is led
    to where they sign out of that, too: by the page, since a form may lead nowhere but here."""
    was_providers = sessions_of(request).is_providers(request.headers)
    ended = await sessions_of(request).end(request.headers)
    headers = {"Set-Cookie": ended, "Clear-Site-Data": '"cache"'}
    provider = context.api.provider
    if not was_providers or provider is None:
        return RedirectResponse("/sign-in", status_code=303, headers=headers)
    back_to = context.api.settings.oidc_signed_out_url or f"{root(context)}/sign-out"
    leads_to = await provider.sign_out_address(back_to, context.language)
    page = context.page("signing_in/signed_out.html", provider=provider_name(context), leads_to=leads_to)
    page.headers.update(headers)
    return page


@router.post("/language")
async def choose_language(language: Annotated[str, Form()] = "", to: Annotated[str, Form()] = "/") -> Response:
    """Show the pages in another language from now on, in this browser; with none, in the one that it asks for."""
    answer = RedirectResponse(own_address(to), status_code=303)
    if language in languages():
        answer.set_cookie(CHOSEN_LANGUAGE, language, max_age=LANGUAGE_S, httponly=True, samesite="lax")
    else:
        answer.delete_cookie(CHOSEN_LANGUAGE)
    return answer


def _form(context: PageContext, to: str, *, failure: str | None = None, ticket: str = "", name: str = "") -> Response:
    status = HTTPStatus.UNAUTHORIZED if failure else HTTPStatus.OK
    return sign_in_page(context, to, status, failure=failure, ticket=ticket, name=name)


def sign_in_page(context: PageContext, to: str, status: int, **shown: object) -> Response:
    """The page with all ways to sign in.

    Args:
        to: Where to be led back to.
        shown: ``failure``: why it was not done, and its ``code``; ``ticket``, and the ``name`` that it signs in as.
    """
    values = {"failure": None, "code": "", "ticket": "", "name": ""} | shown
    return context.page(
        "signing_in/sign_in.html", status, to=own_address(to), provider=provider_name(context), **values
    )


def provider_name(context: PageContext) -> str:
    """What people call the identity provider; empty where there is none."""
    provider, name = context.api.provider, context.api.settings.oidc_name
    return (name or urlsplit(provider.client.issuer).hostname or "") if provider else ""


def root(context: PageContext) -> str:
    """``scheme://host:port`` as browsers reach the pages."""
    return root_address(context.request.scope, context.api.settings.public_url)


def _entered(request: Request, principal: Principal, to: str) -> Response:
    cookie = sessions_of(request).begun(principal)
    return RedirectResponse(own_address(to), status_code=303, headers={"Set-Cookie": cookie})


def sessions_of(request: Request) -> Sessions:
    return cast(Sessions, request.app.state.sessions)


def _tickets(request: Request) -> Tickets:
    return cast(Tickets, request.app.state.tickets)


def own_address(to: str) -> str:
    """``to`` where it is a page of ours, else the first one: nobody is led elsewhere by signing in."""
    try:
        parts = urlsplit(to)
    except ValueError:
        return "/"
    plain = not parts.scheme and not parts.netloc and to.startswith("/") and to[1:2] not in ("/", "\\")
    return to if plain and to.isprintable() and "\\" not in to else "/"
