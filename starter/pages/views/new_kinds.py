"""Where jobs of the kinds beside instructions begin: a form each, which the browser sends through the API."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from domain.analyses.plan import REQUIREMENT_LIMIT
from domain.artifacts import ArtifactKind
from domain.documents.wish import SIZES
from domain.errors import NotFound
from domain.lifecycles.generation import GenerationType
from domain.lifecycles.image import IMAGE
from domain.lifecycles.instruction import INSTRUCTION
from domain.orders.batch import (
    MAX_ITEMS,
    MAX_STILLS,
    MAX_WIDTH,
    MIN_WIDTH,
    STILLS,
    WIDTH,
    CaptionFormat,
)
from domain.orders.generation import DETAIL_LIMIT, MOST_VARIANTS, TEXT_LIMIT, VARIANTS
from starter.pages.status_view import title_of
from starter.pages.visit import Visit, Visiting
from starter.services.generations import NEEDS

router = APIRouter()

RECORDINGS = 100
"""To choose from: the newest."""


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


def _batch(visit: Visit) -> Mapping[str, Any]:
    page = visit.api.store.job_cards(visit.owner, kind=INSTRUCTION.kind, limit=RECORDINGS)
    manifests = visit.api.store.manifests([card.job.id for card in page.items])
    recordings = [
        {
            "id": card.job.id,
            "title": title_of(visit.say, card),
            "file_name": card.file_name if card.title else None,
            "created_at": card.job.created_at,
            "has_transcript": ArtifactKind.TRANSCRIPT in manifests[card.job.id].artifacts,
        }
        for card in page.items
        if ArtifactKind.VIDEO in manifests[card.job.id].artifacts
    ]
    return {
        "price": 0,
        "recordings": recordings,
        "more": page.next_cursor is not None,
        "chosen": visit.request.query_params.get("recording", ""),
        "most_items": MAX_ITEMS,
        "stills": STILLS,
        "most_stills": MAX_STILLS,
        "widths": (MIN_WIDTH, WIDTH, MAX_WIDTH),
        "formats": tuple(CaptionFormat),
    }


def _analysis(visit: Visit) -> Mapping[str, Any]:
    settings = visit.api.settings
    return {
        "price": 0,
        "most": REQUIREMENT_LIMIT,
        "most_files": settings.analysis_max_files,
        "most_bytes": settings.analysis_file_cap_bytes,
    }


FORMS: Mapping[str, Callable[[Visit], Mapping[str, Any]]] = {
    "image": _image,
    "generation": _generation,
    "batch": _batch,
    "analysis": _analysis,
}
