"""One delivery: sign, send, write down what came back. Temporal sends it again until it is taken or the day is over."""

import json
import time
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Protocol

from temporalio import activity

from activities.providers.outbound import Fetched, Outbound
from activities.rails.contracts import Message
from activities.store.hooks.webhooks import Outgoing
from activities.webhooks.signatures import sign
from domain.errors import GuidesmithError, WebhookEndpointGone, WebhookUndelivered
from domain.webhooks import Delivery

USER_AGENT = "guidesmith-webhooks/1"


class DeliveryCall(Message):
    """Which delivery, and which round of it."""

    delivery_id: str
    round: int


class Deliveries(Protocol):
    """What the sender needs of the store."""

    def outgoing(self, delivery_id: str, round: int) -> Outgoing | None: ...
    def record_delivery_attempt(
        self,
        delivery_id: str,
        round: int,
        *,
        status_code: int | None,
        duration_ms: int,
        error_code: str | None = None,
        error: str | None = None,
    ) -> None: ...
    def give_up_delivery(self, delivery_id: str, round: int) -> None: ...


class WebhookSender:
    """The activities of a delivery."""

    def __init__(self, deliveries: Deliveries, outbound: Outbound) -> None:
        self._deliveries = deliveries
        self._outbound = outbound

    @activity.defn(name="deliver_webhook")
    def deliver(self, call: DeliveryCall) -> None:
        """Send it once, unless that is no longer wanted.

        Raises:
            WebhookUndelivered: The endpoint did not take it. WebhookEndpointGone: it wants no more.
            AddressRefused: It is not on the public internet (any more).
            ProviderUnavailable, ProviderTimeout: Nobody could be reached there.
        """
        outgoing = self._deliveries.outgoing(call.delivery_id, call.round)
        if outgoing is None:
            return
        began = time.perf_counter()
        status: int | None = None
        try:
            answer = self._send(outgoing)
            status = answer.status
            _check(answer)
        except GuidesmithError as error:
            self._log(call, status, began, error)
            raise
        self._log(call, status, began, None)

    @activity.defn(name="give_up_webhook")
    def give_up(self, call: DeliveryCall) -> None:
        """It was sent often enough."""
        self._deliveries.give_up_delivery(call.delivery_id, call.round)

    def _send(self, outgoing: Outgoing) -> Fetched:
        body = body_of(outgoing.delivery)
        headers = sign(outgoing.endpoint.secret, outgoing.delivery.message_id, body, datetime.now(UTC))
        return self._outbound.post(
            outgoing.endpoint.url,
            body,
            headers={**headers, "Content-Type": "application/json", "User-Agent": USER_AGENT},
        )

    def _log(self, call: DeliveryCall, status: int | None, began: float, error: GuidesmithError | None) -> None:
        self._deliveries.record_delivery_attempt(
            call.delivery_id,
            call.round,
            status_code=status,
            duration_ms=int((time.perf_counter() - began) * 1000),
            error_code=error.code if error else None,
            error=error.message if error else None,
        )


def body_of(delivery: Delivery) -> bytes:
    """The message: the same bytes each time, whatever order the database keeps names in."""
    return json.dumps(delivery.payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _check(answer: Fetched) -> None:
    if 200 <= answer.status < 300:
        return
    if answer.status == HTTPStatus.GONE:
        raise WebhookEndpointGone("The endpoint answered 410: it wants no more of this.")
    raise WebhookUndelivered(f"The endpoint answered {answer.status}.")
