"""What jobs have made, by addresses that stay: a page that is drawn again shows the same picture, and a video that
plays goes on. Each leads to the file by one that is signed afresh."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from domain.errors import NotFound
from starter.api.context import identifier
from starter.api.library import THUMBNAIL, asset_facts
from starter.pages.visit import Visiting

router = APIRouter()

KEPT = {"Cache-Control": "private, max-age=300"}
"""For less than a signed address holds."""


@router.get("/assets/{asset_id}/{part}")
def asset(asset_id: str, part: str, request: Request, visit: Visiting) -> Response:
    """An asset's ``original``, or its ``thumbnail``.

    Raises:
        NotFound: It is absent, somebody else's, or has no such part.
    """
    found = visit.api.store.library_asset(identifier(asset_id))
    if found.owner != visit.owner:
        raise NotFound
    facts = asset_facts(visit.api, request, found)
    address = {"original": facts.url, THUMBNAIL: facts.thumbnail_url}.get(part)
    if address is None:
        raise NotFound
    return RedirectResponse(address, status_code=303, headers=KEPT)
