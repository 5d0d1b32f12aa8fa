"""Webhooks: signing them, sending them, and checking where they may be sent."""

from activities.webhooks.delivering import DeliveryCall, WebhookSender
from activities.webhooks.relay import OutboxRelay
from activities.webhooks.signatures import Keys, sign
from activities.webhooks.targets import check_target, outbound, permit

__all__ = ["DeliveryCall", "Keys", "OutboxRelay", "WebhookSender", "check_target", "outbound", "permit", "sign"]
