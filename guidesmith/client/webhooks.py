"""Webhooks of guidesmith, checked by whoever receives them (Standard Webhooks)."""

import json
from collections.abc import Mapping

from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook, WebhookVerificationError

from guidesmith.client.errors import WebhookInvalid
from guidesmith.client.shapes import WebhookMessage

HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes) -> WebhookMessage:
    """What the webhook tells, once its signature holds and it is not older than five minutes.

    Args:
        secret: Of the endpoint, as it was told when that was made (``whsec_…``).
        headers: Of the request; names in any case.
        body: Byte for byte as it came.

    Raises:
        WebhookInvalid: It is not from there, is too old, or is no such message.
    """
    named = {name.lower(): value for name, value in headers.items()}
    try:
        Webhook(secret).verify(body, {name: named.get(name, "") for name in HEADERS})
        told = json.loads(body)
        return WebhookMessage.model_validate({**told, "id": named["webhook-id"]})
    except (WebhookVerificationError, EmptyWebhookSecretError, ValueError, TypeError, RuntimeError) as wrong:
        raise WebhookInvalid("The webhook was not signed with this secret, is too old, or is none.") from wrong
