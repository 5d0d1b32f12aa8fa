"""The glossary: words that are misheard, and what they are."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from starter.pages.shell.context import Context

router = APIRouter()

PAGE = 100
MOST_PROJECTS = 100


@router.get("/glossary")
def glossary(context: Context, cursor: str | None = None, project: str | None = None) -> Response:
    """Every entry, and a form for a new one, which counts for ``project`` until somebody chooses otherwise. A module of
    ours that asks again gets the list alone."""
    page = context.api.store.list_terms(context.owner, None, PAGE, cursor)
    projects = context.api.store.list_projects(context.owner, MOST_PROJECTS).items
    shown: dict[str, Any] = {
        "terms": page.items,
        "older": page.next_cursor,
        "later": cursor is not None,
        "projects": {each.id: each.name for each in projects},
        "project": project,
    }
    if context.is_partial:
        return context.page("glossary/list.html", **shown)
    return context.page("glossary/glossary.html", modules=["glossary/glossary.js"], **shown)
