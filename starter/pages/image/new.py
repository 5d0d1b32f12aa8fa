"""Where a picture begins: a form, which the browser sends through the API."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.library import AssetMedium
from domain.lifecycles.image import IMAGE
from domain.orders.picture import SIZES
from starter.pages.shell.context import Context

router = APIRouter()

RECENT = 8
"""Pictures made before that are shown beside the form."""


@router.get("/new/image")
def new(context: Context) -> Response:
    """The form."""
    settings = context.api.settings
    return context.page(
        "image/new.html",
        modules=["image/new.js"],
        kind="image",
        available=context.api.store.balance(context.owner).available,
        price=settings.price_list[IMAGE.kind],
        sizes=SIZES,
        most=settings.prompt_max_characters,
        model=settings.image_model if settings.image_base_url else None,
        recent=context.api.store.library(context.owner, medium=AssetMedium.PICTURE, limit=RECENT).items,
    )
