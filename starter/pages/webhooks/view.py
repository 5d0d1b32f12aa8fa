"""Addresses that are told what happens to a person's jobs, and what was sent there."""

from fastapi import APIRouter
from fastapi.responses import Response

from domain.webhooks import WebhookEvent
from starter.api.context import identifier
from starter.pages.shell.context import Context

router = APIRouter()

PAGE = 20
MOST_ENDPOINTS = 100


@router.get("/webhooks")
def endpoints(context: Context) -> Response:
    """The endpoints, and a form for a new one. A module of ours that asks again gets the list alone."""
    found = context.api.store.list_endpoints(context.owner, MOST_ENDPOINTS).items
    if context.is_partial:
        return context.page("webhooks/list.html", endpoints=found)
    return context.page(
        "webhooks/webhooks.html", modules=["webhooks/webhooks.js"], endpoints=found, events=tuple(WebhookEvent)
    )


@router.get("/webhooks/{endpoint_id}")
def deliveries(endpoint_id: str, context: Context, cursor: str | None = None) -> Response:
    """What was sent to one of them."""
    endpoint = context.api.store.get_endpoint(context.owner, identifier(endpoint_id))
    page = context.api.store.list_deliveries(context.owner, endpoint_id, PAGE, cursor)
    return context.page(
        "webhooks/webhook.html",
        modules=["webhooks/webhooks.js"],
        endpoint=endpoint,
        deliveries=page.items,
        older=page.next_cursor,
        later=cursor is not None,
    )
