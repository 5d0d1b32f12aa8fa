"""Webhooks: signing them, sending them, and checking where they may be sent."""

from activities.webhooks.courier import Courier
from activities.webhooks.delivering import DeliveryCall, Postman
from activities.webhooks.signatures import Keys, sign
from activities.webhooks.targets import check_target, outbound, permit

__all__ = ["Courier", "DeliveryCall", "Keys", "Postman", "check_target", "outbound", "permit", "sign"]
