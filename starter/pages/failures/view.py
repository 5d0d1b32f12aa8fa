"""What codes mean, for modules: the catalogue of one language, asked for where there is something to explain."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from starter.pages.shell.catalogue import source_of
from starter.pages.shell.context import Context

router = APIRouter()

KEPT = {"Cache-Control": "private, max-age=3600"}


@router.get("/sentences/{language}")
def sentences(language: str, context: Context) -> Response:
    """Fluent source; empty where there is no such language."""
    return context.packed(JSONResponse(source_of(language, "failures"), headers=KEPT))
