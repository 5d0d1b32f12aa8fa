"""Where a generation begins: a form, which the browser sends through the API."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.lifecycles.generation import GenerationType
from domain.orders.generation import DETAIL_LIMIT, MOST_VARIANTS, TEXT_LIMIT, VARIANTS
from starter.pages.shell.context import Context
from starter.services.generations import NEEDS

router = APIRouter()


@router.get("/new/generation")
def new(context: Context) -> Response:
    """The form."""
    settings = context.api.settings
    prices, made = settings.price_list, context.api.generations.made
    types = [
        {
            "name": each.value,
            "price": prices[each],
            "missing": None if each in made else NEEDS.get(each, ""),
        }
        for each in GenerationType
    ]
    return context.page(
        "generation/new.html",
        modules=["generation/new.js"],
        kind="generation",
        available=context.api.store.balance(context.owner).available,
        types=types,
        most=settings.prompt_max_characters,
        most_spoken=TEXT_LIMIT,
        most_detail=DETAIL_LIMIT,
        most_variants=MOST_VARIANTS,
        variants=VARIANTS,
    )
