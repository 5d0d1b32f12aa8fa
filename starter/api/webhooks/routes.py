"""Webhooks: endpoints of users and what was sent there; and what providers tell, signed."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from activities.webhooks.signatures import ID
from domain.webhooks import ProviderEvent
from starter.api.context import ApiParts, Owner, identifier
from starter.api.idempotency import OnceOnly
from starter.api.paging import Cursor, Limit
from starter.api.responses import errors
from starter.api.shapes import Listed
from starter.api.webhooks.shapes import DeliveryAnswer, EndpointAnswer, MadeEndpoint, NewEndpoint, WebhookTaken

router = APIRouter(tags=["webhooks"])

NAME_LIMIT = 200
"""Characters of a provider's own name for its work. A longer one is none that we were told."""


@router.post("/webhook-endpoints", status_code=201, responses=errors(400, 409, 413, 415))
def create_webhook_endpoint(new: NewEndpoint, api: ApiParts, owner: Owner, once: OnceOnly) -> MadeEndpoint:
    """Have an address of yours told what happens to your jobs. The secret that signs it is answered here only."""
    api.webhooks.check_target(new.url)
    return once.answer(
        MadeEndpoint,
        lambda: MadeEndpoint.made(api.store.create_endpoint(owner, new.url, new.events, new.description)),
    )


@router.get("/webhook-endpoints", responses=errors(400))
def list_webhook_endpoints(
    api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None
) -> Listed[EndpointAnswer]:
    """Your endpoints, newest first."""
    page = api.store.list_endpoints(owner, limit, cursor)
    return Listed(items=tuple(EndpointAnswer.of(each) for each in page.items), next_cursor=page.next_cursor)


@router.get("/webhook-endpoints/{endpoint_id}", responses=errors(404))
def get_webhook_endpoint(endpoint_id: str, api: ApiParts, owner: Owner) -> EndpointAnswer:
    """One endpoint."""
    return EndpointAnswer.of(api.store.get_endpoint(owner, identifier(endpoint_id)))


@router.delete(
    "/webhook-endpoints/{endpoint_id}",
    status_code=204,
    response_class=Response,
    responses=errors(404, 413, 415),
)
def delete_webhook_endpoint(endpoint_id: str, api: ApiParts, owner: Owner) -> Response:
    """Send nothing there any more, not even what was on its way."""
    api.store.delete_endpoint(owner, identifier(endpoint_id))
    return Response(status_code=204)


@router.get("/webhook-endpoints/{endpoint_id}/deliveries", responses=errors(400, 404))
def list_webhook_deliveries(
    endpoint_id: str, api: ApiParts, owner: Owner, limit: Limit = 20, cursor: Cursor = None
) -> Listed[DeliveryAnswer]:
    """What was sent there, newest first, with every request that was made."""
    page = api.store.list_deliveries(owner, identifier(endpoint_id), limit, cursor)
    return Listed(items=tuple(DeliveryAnswer.of(each) for each in page.items), next_cursor=page.next_cursor)


@router.post(
    "/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver",
    status_code=202,
    responses=errors(404, 413, 415),
)
def redeliver_webhook(endpoint_id: str, delivery_id: str, api: ApiParts, owner: Owner) -> DeliveryAnswer:
    """Send it once more, now, under the id that it has. One that was not sent off yet is answered as it is."""
    return DeliveryAnswer.of(api.store.redeliver(owner, identifier(endpoint_id), identifier(delivery_id)))


@router.post("/webhooks/{provider}", responses=errors(400, 413, 415))
async def receive_webhook(
    provider: str,
    payload: dict[str, Any],
    request: Request,
    api: ApiParts,
    ticket: Annotated[str | None, Query(max_length=200, description="From the address that we gave.")] = None,
) -> WebhookTaken:
    """What a provider tells of its work, with Standard Webhooks headers, at most five minutes old. Late, repeated and
    unknown ones are taken too, and change nothing."""
    work = payload.get("id")
    event = ProviderEvent(
        provider=provider,
        event_id=request.headers[ID],  # the gate has checked it, and who signed it
        ticket=ticket,
        external_id=work if isinstance(work, str) and len(work) <= NAME_LIMIT else None,
        payload=payload,
    )
    receipt = await api.webhooks.receive(event)
    return WebhookTaken(event_id=event.event_id, verdict=receipt.verdict)
