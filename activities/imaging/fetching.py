"""Bringing a picture that a provider answers by address: at once, since such addresses expire, and with care, since the
answer may name any address.

Public addresses only (``activities/providers/outbound.py``), but for the provider's own origin: where the operator set
it, it may be on this machine or network. From there no redirect is followed.
"""

from urllib.parse import urlsplit

from activities.pictures import MOST_BYTES
from activities.providers.outbound import Bounds, Outbound
from domain.errors import AddressRefused, ProviderAnswerInvalid

TIMEOUT_S = 60.0
_DEFAULT_PORTS = {"http": 80, "https": 443}


class PictureFetch:
    """Fetches pictures. Safe to use from several threads.

    Args:
        base_url: The provider's own address, by the settings.
        size_bytes: An answer longer than this is not read on.
        outbound: Speaks with everybody else.
    """

    def __init__(self, base_url: str, *, size_bytes: int = MOST_BYTES, outbound: Outbound | None = None) -> None:
        self._origin = _origin(base_url)
        self._own = Outbound(Bounds(timeout_s=TIMEOUT_S, size_bytes=size_bytes, redirects=0), permit=lambda _: True)
        self._public = outbound or Outbound(Bounds(timeout_s=TIMEOUT_S, size_bytes=size_bytes))

    def get(self, url: str) -> bytes:
        """The bytes at ``url``, unchecked.

        Raises:
            ProviderAnswerInvalid: The address is not one that is spoken with, has expired, or holds too much.
            ProviderUnavailable, ProviderTimeout: Nobody answers there, or not in time.
        """
        client = self._own if _origin(url) == self._origin else self._public
        try:
            fetched = client.get(url)
        except AddressRefused:
            raise ProviderAnswerInvalid(
                "The provider answered with an address that pictures are not fetched from."
            ) from None
        if fetched.status != 200:
            raise ProviderAnswerInvalid(
                f"The provider's picture could not be fetched: its address answered {fetched.status}."
            )
        return fetched.body


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; ``None`` for what has none."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
