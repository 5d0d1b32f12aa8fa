"""Where jobs of the kinds beside instructions begin: a form each, which the browser sends through the API."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from domain.errors import NotFound
from domain.generation import GenerationType
from domain.generation_orders import DETAIL_LIMIT, MOST_VARIANTS, TEXT_LIMIT, VARIANTS
from domain.image import IMAGE
from domain.wish import SIZES
from starter.generations import NEEDS
from starter.pages.visit import Visit, Visiting

router = APIRouter()


@router.get("/new/{kind}")
def new_kind(kind: str, visit: Visiting) -> Response:
    """The form of ``kind``. Raises: NotFound: there is no such form."""
    facts = FORMS.get(kind)
    if facts is None:
        raise NotFound
    return visit.page(
        f"new_{kind}.html",
        modules=[f"new_{kind}.js"],
        kind=kind,
        available=visit.api.store.balance(visit.owner).available,
        **facts(visit),
    )


def _image(visit: Visit) -> Mapping[str, Any]:
    settings = visit.api.settings
    return {
        "price": settings.price_list[IMAGE.kind],
        "sizes": SIZES,
        "most": settings.prompt_max_characters,
        "model": settings.image_model if settings.image_base_url else None,
    }


def _generation(visit: Visit) -> Mapping[str, Any]:
    settings = visit.api.settings
    prices, made = settings.price_list, visit.api.generations.made
    types = [
        {
            "name": each.value,
            "price": prices[each],
            "missing": None if each in made else NEEDS.get(each, ""),
        }
        for each in GenerationType
    ]
    return {
        "types": types,
        "most": settings.prompt_max_characters,
        "most_spoken": TEXT_LIMIT,
        "most_detail": DETAIL_LIMIT,
        "most_variants": MOST_VARIANTS,
        "variants": VARIANTS,
    }


FORMS: Mapping[str, Callable[[Visit], Mapping[str, Any]]] = {"image": _image, "generation": _generation}
