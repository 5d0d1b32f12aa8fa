"""Where an analysis begins: a form, which the browser sends through the API."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.analyses.steps import REQUIREMENT_LIMIT
from starter.pages.shell.context import Context

router = APIRouter()


@router.get("/new/analysis")
def new(context: Context) -> Response:
    """The form."""
    settings = context.api.settings
    return context.page(
        "analysis/new.html",
        modules=["analysis/new.js"],
        kind="analysis",
        available=context.api.store.balance(context.owner).available,
        price=0,
        most=REQUIREMENT_LIMIT,
        most_files=settings.analysis_max_files,
        most_bytes=settings.analysis_file_cap_bytes,
    )
