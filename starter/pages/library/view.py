"""What jobs have made for a person to keep."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.library import AssetMedium
from starter.api.library import library_item
from starter.pages.shell.context import Context
from starter.pages.shell.status_view import titles_of

router = APIRouter()

PAGE = 24


@router.get("/library")
def library(context: Context, medium: str = "", cursor: str | None = None) -> Response:
    """The assets, newest first."""
    wanted = AssetMedium(medium) if medium in list(AssetMedium) else None
    page = context.api.store.library(context.owner, medium=wanted, limit=PAGE, cursor=cursor)
    return context.page(
        "library/library.html",
        media=tuple(AssetMedium),
        medium=wanted,
        assets=[library_item(context.api, context.request, each) for each in page.items],
        titles=titles_of(context, {each.job_id for each in page.items}),
        older=page.next_cursor,
        later=cursor is not None,
    )
