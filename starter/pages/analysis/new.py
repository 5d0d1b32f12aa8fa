"""Where an analysis begins: a form, which the browser sends through the API."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.analyses.plan import REQUIREMENT_LIMIT
from starter.pages.shell.visit import Visiting

router = APIRouter()


@router.get("/new/analysis")
def new(visit: Visiting) -> Response:
    """The form."""
    settings = visit.api.settings
    return visit.page(
        "analysis/new.html",
        modules=["analysis/new.js"],
        kind="analysis",
        available=visit.api.store.balance(visit.owner).available,
        price=0,
        most=REQUIREMENT_LIMIT,
        most_files=settings.analysis_max_files,
        most_bytes=settings.analysis_file_cap_bytes,
    )
