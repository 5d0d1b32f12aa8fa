"""What a person has, and what became of it."""

from fastapi import APIRouter
from fastapi.responses import Response

from starter.pages.shell.context import Context
from starter.pages.shell.status_view import titles_of

router = APIRouter()

PAGE = 30
BALANCES = 50
"""Shown at once; a name leads to the others."""


@router.get("/credits")
def credits(context: Context, cursor: str | None = None, user: str = "") -> Response:
    """The balance and the entries; for an administrator, a form that grants, and what everybody has."""
    page = context.api.store.credit_entries(context.owner, PAGE, cursor)
    prices = [(kind, cost) for kind, cost in context.api.settings.price_list.items() if cost]
    return context.page(
        "credits/credits.html",
        modules=["credits/credits.js"],
        balance=context.api.store.balance(context.owner),
        entries=page.items,
        titles=titles_of(context, {each.job_id for each in page.items if each.job_id}),
        older=page.next_cursor,
        later=cursor is not None,
        prices=prices,
        is_admin=context.is_admin,
        user=user.strip(),
        balances=context.api.store.balances(user.strip(), most=BALANCES) if context.is_admin else (),
    )
