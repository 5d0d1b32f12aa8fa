"""What a person has, and what became of it."""

from fastapi import APIRouter
from fastapi.responses import Response

from starter.pages.shell.status_view import titles_of
from starter.pages.shell.visit import Visiting

router = APIRouter()

PAGE = 30


@router.get("/credits")
def credits(visit: Visiting, cursor: str | None = None) -> Response:
    """The balance and the entries; for an administrator, a form that grants."""
    page = visit.api.store.credit_entries(visit.owner, PAGE, cursor)
    prices = [(kind, cost) for kind, cost in visit.api.settings.price_list.items() if cost]
    return visit.page(
        "credits/credits.html",
        modules=["credits/credits.js"],
        balance=visit.api.store.balance(visit.owner),
        entries=page.items,
        titles=titles_of(visit, {each.job_id for each in page.items if each.job_id}),
        older=page.next_cursor,
        later=cursor is not None,
        prices=prices,
        is_admin=visit.is_admin,
    )
