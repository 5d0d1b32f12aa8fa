"""Where a picture begins: a form, which the browser sends through the API."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.documents.wish import SIZES
from domain.lifecycles.image import IMAGE
from starter.pages.shell.visit import Visiting

router = APIRouter()


@router.get("/new/image")
def new(visit: Visiting) -> Response:
    """The form."""
    settings = visit.api.settings
    return visit.page(
        "image/new.html",
        modules=["image/new.js"],
        kind="image",
        available=visit.api.store.balance(visit.owner).available,
        price=settings.price_list[IMAGE.kind],
        sizes=SIZES,
        most=settings.prompt_max_characters,
        model=settings.image_model if settings.image_base_url else None,
    )
