"""The first page: a person's jobs, newest first."""

from fastapi import APIRouter
from fastapi.responses import Response

from starter.pages.visit import Visiting

router = APIRouter()


@router.get("/")
def home(visit: Visiting) -> Response:
    """The jobs."""
    page = visit.api.store.list_jobs(visit.owner, limit=20)
    return visit.page("home.html", jobs=page.items, following=page.next_cursor)
