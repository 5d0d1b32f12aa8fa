"""The pages put together: an application of its own, mounted beside the API's routes."""

import json
from functools import cache
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from domain.errors import GuidesmithError, NotFound
from starter.access.tokens import TokenCheck, Unauthorized
from starter.api.context import Api
from starter.api.errors import MethodNotAllowed, error_response
from starter.api.perimeter.gate import CLIENT_GONE
from starter.api.perimeter.limits import Limits
from starter.api.perimeter.sessions import Sessions, Tickets
from starter.pages.administering import view as administering
from starter.pages.analysis import new as new_analysis
from starter.pages.batch import new as new_batch
from starter.pages.brand import view as brand
from starter.pages.credits import view as credits
from starter.pages.editor import view as editor
from starter.pages.exports import view as exports
from starter.pages.failures import view as failures
from starter.pages.generation import new as new_generation
from starter.pages.glossary import view as glossary
from starter.pages.home import live
from starter.pages.home import view as home
from starter.pages.image import new as new_image
from starter.pages.job import view as job
from starter.pages.jobs import view as jobs
from starter.pages.library import permalinks
from starter.pages.library import view as library
from starter.pages.lifecycles import view as lifecycles
from starter.pages.new import view as new
from starter.pages.projects import view as projects
from starter.pages.recording import view as recording
from starter.pages.reference import view as reference
from starter.pages.sharing import shared, sharing
from starter.pages.shell import files
from starter.pages.shell.catalogue import explained as in_words
from starter.pages.shell.context import PageContext
from starter.pages.shell.gate import PageGate
from starter.pages.signing_in import provider as signing_in_there
from starter.pages.signing_in import view as signing_in
from starter.pages.transcript import view as transcript
from starter.pages.translations import view as translations
from starter.pages.versions import view as versions
from starter.pages.webhooks import view as webhooks

VIEWS = (
    signing_in,
    signing_in_there,
    transcript,
    glossary,
    failures,
    files,
    editor,
    home,
    live,
    new,
    recording,
    new_image,
    new_generation,
    new_batch,
    new_analysis,
    jobs,
    job,
    permalinks,
    versions,
    translations,
    exports,
    sharing,
    shared,
    projects,
    brand,
    lifecycles,
    reference,
    library,
    credits,
    webhooks,
    administering,
)


UNTRACED: TelemetryConfig = {"auto_configure": False, "tracing": False, "metrics": False, "logs": False}
"""The requests of pages that lead to work are the API's."""


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The same for all apps of a process, as those of the API are."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, telemetry=UNTRACED)
    for view in VIEWS:
        app.include_router(view.router)
    return tuple(app.router.routes)


def pages(api: Api, tokens: TokenCheck, sessions: Sessions, tickets: Tickets, limits: Limits) -> ASGIApp:
    """The ASGI application of everything that is neither the API's nor a probe's."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, telemetry=UNTRACED)
    app.state.tokens, app.state.sessions, app.state.tickets, app.state.limits = tokens, sessions, tickets, limits
    app.router.routes.extend(_routes())
    app.add_exception_handler(GuidesmithError, _known)
    app.add_exception_handler(RequestValidationError, _absent)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _crashed)
    return PageGate(
        app,
        api=api,
        sessions=sessions,
        limits=limits,
        explain=explained,
        files_origin=api.artifacts.public_origin,
        https=(api.settings.public_url or "").startswith("https://"),
    )


def explained(context: PageContext, error: GuidesmithError) -> Response:
    """The page that says what happened and what to do; for who has not signed in, the way there."""
    told = error_response(error)
    if isinstance(error, Unauthorized) and context.request.method == "GET":
        if not context.is_navigation:
            return Response(status_code=told.status_code)  # the page that asks stays, and says so
        return RedirectResponse(f"/sign-in?to={quote(_asked(context), safe='')}", status_code=303)
    body = json.loads(bytes(told.body))
    again = _again(context, told.status_code)
    message = in_words(context.language, "error", body["code"], body["message"], body.get("details"))
    answer = context.page("shell/error.html", told.status_code, code=body["code"], message=message, again=again)
    if "Retry-After" in told.headers:
        answer.headers["Retry-After"] = told.headers["Retry-After"]
    return answer


def _again(context: PageContext, status: int) -> str | None:
    """The address to try once more, where that may help."""
    return _asked(context) if context.request.method == "GET" and status >= 500 else None


def _asked(context: PageContext) -> str:
    """The path and query that were asked for; ``request.url`` would have read the Host header into them."""
    path, query = context.request.scope["path"], context.request.scope["query_string"].decode("latin-1")
    return f"{path}?{query}" if query else str(path)


async def _known(request: Request, error: Exception) -> Response:
    assert isinstance(error, GuidesmithError)
    return explained(request.state.context, error)


async def _absent(request: Request, error: Exception) -> Response:
    """A page's address with something in it that can be no id and no number: there is nothing there."""
    return explained(request.state.context, NotFound())


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = MethodNotAllowed("This address does not take that method.") if error.status_code == 405 else NotFound()
    return explained(request.state.context, known)


async def _crashed(request: Request, error: Exception) -> Response:
    """A fault of ours: Starlette raises it again once this is sent, and the gate writes it down. That who asked has
    gone, as a page does that sends something newer, is none."""
    if isinstance(error, ClientDisconnect):
        return Response(status_code=CLIENT_GONE)
    return explained(request.state.context, GuidesmithError("unforeseen"))
