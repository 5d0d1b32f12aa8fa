"""Addresses that are told what happens to a person's jobs, and what was sent there."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.webhooks import WebhookEvent
from starter.api.context import identifier
from starter.pages.shell.visit import Visiting

router = APIRouter()

PAGE = 20
MOST_ENDPOINTS = 100


@router.get("/webhooks")
def endpoints(visit: Visiting) -> Response:
    """The endpoints, and a form for a new one. A module of ours that asks again gets the list alone."""
    found = visit.api.store.list_endpoints(visit.owner, MOST_ENDPOINTS).items
    if visit.is_partial:
        return visit.page("webhooks/list.html", endpoints=found)
    return visit.page(
        "webhooks/webhooks.html", modules=["webhooks/webhooks.js"], endpoints=found, events=tuple(WebhookEvent)
    )


@router.get("/webhooks/{endpoint_id}")
def deliveries(endpoint_id: str, visit: Visiting, cursor: str | None = None) -> Response:
    """What was sent to one of them."""
    endpoint = visit.api.store.get_endpoint(visit.owner, identifier(endpoint_id))
    page = visit.api.store.list_deliveries(visit.owner, endpoint_id, PAGE, cursor)
    return visit.page(
        "webhooks/webhook.html",
        modules=["webhooks/webhooks.js"],
        endpoint=endpoint,
        deliveries=page.items,
        older=page.next_cursor,
        later=cursor is not None,
    )
