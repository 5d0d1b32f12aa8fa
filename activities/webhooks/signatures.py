"""Standard Webhooks signatures, made and checked over the bytes as they travel."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from domain.errors import SettingsInvalid
from domain.webhooks import EVENT_ID_LIMIT, PROVIDER

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"

SECRET_MIN_BYTES = 24
"""Standard Webhooks: a secret has 24 to 64 bytes."""


def sign(secret: str, message_id: str, body: bytes, now: datetime) -> dict[str, str]:
    """The headers of a message.

    Args:
        secret: As ``whsec_`` and base64.
        now: When this request is made, in UTC: each repetition is signed anew.
    """
    moment = now.astimezone(UTC).replace(microsecond=0)
    return {
        ID: message_id,
        TIMESTAMP: str(int(moment.timestamp())),
        SIGNATURE: Webhook(secret).sign(message_id, moment, body.decode()),
    }


class Keys:
    """The secrets that providers sign with, by provider. Several of one provider are for the days of a rotation.

    Args:
        listed: ``name=whsec_…``, each.

    Raises:
        SettingsInvalid: One of them is not that.
    """

    def __init__(self, listed: Sequence[str]) -> None:
        self._keys: dict[str, list[Webhook]] = {}
        for each in listed:
            name, _, secret = each.partition("=")
            self._keys.setdefault(name, []).append(_key(name, secret))

    def __contains__(self, provider: object) -> bool:
        """Whether a secret of ``provider`` is known."""
        return provider in self._keys

    def holds(self, provider: str, headers: Mapping[str, str], body: bytes) -> bool:
        """Whether ``provider`` sent ``body``, within the last five minutes.

        Args:
            headers: By lower-case name.
        """
        given = {name: headers.get(name, "") for name in (ID, TIMESTAMP, SIGNATURE)}
        if not 0 < len(given[ID]) <= EVENT_ID_LIMIT or not given[ID].isprintable():
            return False
        return any(_holds(key, given, body) for key in self._keys.get(provider, ()))


def _holds(key: Webhook, headers: dict[str, str], body: bytes) -> bool:
    try:
        key.verify(body, headers, json_parse=False)
    except (WebhookVerificationError, ValueError):  # ValueError: of its parsers, where a header is malformed
        return False
    return True


def _key(name: str, secret: str) -> Webhook:
    if not PROVIDER.fullmatch(name) or not secret.startswith("whsec_"):
        raise SettingsInvalid("A provider's webhook secret is written name=whsec_…, the name in lower case.")
    try:
        if len(b64decode(secret.removeprefix("whsec_") + "==")) < SECRET_MIN_BYTES:
            raise ValueError
        return Webhook(secret)
    except ValueError:
        raise SettingsInvalid(
            f"The webhook secret of {name} is no base64 of at least {SECRET_MIN_BYTES} bytes. Copy it whole."
        ) from None
