"""Signing in on the identity provider's own page: led there, led back, and told when it says that a session is over.

Whoever begins gets a cookie that only this server can make, with what the answer has to fit; it counts once, for ten
minutes. So nobody is signed in by an address that somebody else has made, or a second time by one that was used.
"""

import json
import time
from dataclasses import astuple
from http import HTTPStatus
from typing import Annotated, cast

from anyio import to_thread
from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from domain.errors import GuidesmithError, NotFound
from starter.access.jwks import KeysUnavailable
from starter.access.openid import Attempt, IdentityProvider, Reason, SignInFailed
from starter.access.tokens import Unauthorized
from starter.api.perimeter.limits import Limits
from starter.logs import log
from starter.pages.shell.context import Context, PageContext
from starter.pages.signing_in.view import own_address, root, sessions_of, sign_in_page

router = APIRouter()

COOKIE, SECURE_COOKIE = "guidesmith_signing_in", "__Host-guidesmith_signing_in"
ATTEMPT_TTL_S = 600
"""How long somebody may take on the provider's page."""

ADDRESS_LIMIT = 1000
"""Characters of the page that somebody is led back to: a cookie has room for 4,096 in all."""


@router.get("/sign-in/start")
async def start(context: Context, to: str = "/") -> Response:
    """Lead to the provider's page, whose visitor comes back to :func:`arrive`."""
    attempt = Attempt.new()
    try:
        address = await _provider(context).address(attempt, _callback(context), context.language)
    except (SignInFailed, KeysUnavailable) as fault:
        return _failed(context, fault, to)
    back_to = own_address(to)
    if len(json.dumps(back_to)) > ADDRESS_LIMIT:
        back_to = "/"
    kept = context.api.signed_urls.sign(
        "signing-in", json.dumps([*astuple(attempt), back_to]), time.time() + ATTEMPT_TTL_S
    )
    answer = RedirectResponse(address, status_code=303)
    _set(context, answer, kept, ATTEMPT_TTL_S)
    return answer


@router.get("/sign-in/callback")
async def arrive(request: Request, context: Context) -> Response:
    """Begin a session for whom the provider vouches."""
    provider, to = _provider(context), "/"
    try:
        attempt, to = _begun(context)
        answer = dict(request.query_params)
        if len(answer) != len(request.query_params.multi_items()):
            raise SignInFailed(Reason.ANSWER)
        if not await to_thread.run_sync(context.api.store.end_session, attempt.state, float(ATTEMPT_TTL_S)):
            raise SignInFailed(Reason.STATE)
        identity = await provider.finish(attempt, answer, _callback(context))
        await sessions_of(request).end(request.headers)  # whoever was signed in here before
        cookie = await sessions_of(request).begun_by_provider(identity)
    except (SignInFailed, KeysUnavailable, Unauthorized) as fault:
        if not isinstance(fault, KeysUnavailable):
            await cast(Limits, request.app.state.limits).attempt(request.scope)
        page = _failed(context, SignInFailed(Reason.CLOCK) if isinstance(fault, Unauthorized) else fault, to)
        _set(context, page, "", 0)
        return page
    entered = RedirectResponse(to, status_code=303, headers={"Set-Cookie": cookie})
    _set(context, entered, "", 0)
    return entered


@router.post("/sign-in/back-channel")
async def told_over(request: Request, context: Context, logout_token: Annotated[str, Form()] = "") -> Response:
    """The provider says that sessions are over (Back-Channel Logout): they are."""
    try:
        ended = await _provider(context).ended(logout_token)
    except SignInFailed as failed:
        await cast(Limits, request.app.state.limits).attempt(request.scope)
        log("auth").warning("auth.logout_refused", reason=failed.reason.value)
        return Response(status_code=HTTPStatus.BAD_REQUEST)
    store = context.api.store
    count = await to_thread.run_sync(lambda: store.end_sign_ins(owner=ended.subject, sid=ended.sid))
    log("auth").info("auth.logged_out", sessions=count)
    return Response()


def _provider(context: PageContext) -> IdentityProvider:
    if context.api.provider is None:
        raise NotFound
    return context.api.provider


def _callback(context: PageContext) -> str:
    return f"{root(context)}/sign-in/callback"


def _begun(context: PageContext) -> tuple[Attempt, str]:
    """What this browser has begun. Raises: SignInFailed: nothing, or too long ago."""
    try:
        kept = context.request.cookies.get(_cookie(context), "")
        state, nonce, verifier, to = json.loads(context.api.signed_urls.read("signing-in", kept))
    except (NotFound, ValueError, TypeError):  # the last two: one of another version of ours
        raise SignInFailed(Reason.STATE) from None
    return Attempt(str(state), str(nonce), str(verifier)), own_address(str(to))


def _failed(context: PageContext, fault: GuidesmithError, to: str) -> Response:
    """The page that says why nobody is signed in, and where to try again."""
    code = fault.reason.value if isinstance(fault, SignInFailed) else fault.code
    log("auth").warning("auth.sign_in_failed", reason=code, error=fault.message)
    status = HTTPStatus.SERVICE_UNAVAILABLE if isinstance(fault, KeysUnavailable) else HTTPStatus.UNAUTHORIZED
    return sign_in_page(context, to, status, failure=context.say(f"sign-in-failed-{code}"), code=code)


def _is_secure(context: PageContext) -> bool:
    return (context.api.settings.public_url or "").startswith("https://")


def _cookie(context: PageContext) -> str:
    return SECURE_COOKIE if _is_secure(context) else COOKIE


def _set(context: PageContext, answer: Response, value: str, max_age_s: int) -> None:
    # Lax: the provider leads back here from its own site
    secure = "; Secure" if _is_secure(context) else ""
    kept = f"{_cookie(context)}={value}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}"
    answer.headers.append("Set-Cookie", kept)
