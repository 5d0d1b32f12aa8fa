"""Files that the pages are made of, and those that a person looks at on them."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from starter.pages.shell.built import built, send

router = APIRouter()


@router.get("/static/{name}")
def static(name: str, request: Request) -> Response:
    """A built module, style sheet or picture."""
    return send(name, request.headers)


@router.get("/favicon.ico")
def favicon(request: Request) -> Response:
    """The icon, for browsers that ask without being told where it is."""
    return send(built("shell/icon.svg").address.rpartition("/")[2], request.headers)
