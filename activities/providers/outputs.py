"""Bringing what a provider made and answers by address: at once, since such addresses expire, and with care, since the
answer may name any address.

Public addresses only (``activities/providers/outbound.py``), but for the provider's own origin: where the operator set
it, it may be on this machine or network. From there no redirect is followed. A ``data:`` URI holds the content itself.
"""

import base64
import binascii
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from activities.providers.cancellation import Stop
from activities.providers.faults import retry_after_s
from activities.providers.outbound import Bounds, Fetched, Outbound
from domain.errors import (
    AddressRefused,
    ProviderAnswerInvalid,
    ProviderError,
    ProviderOutputExpired,
    ProviderRateLimited,
    ProviderUnavailable,
)

TIMEOUT_S = 60.0
EXPIRED = frozenset({403, 404, 410})
"""Object stores answer 403 to a signed address whose time is over, and 404 for what was deleted."""

_DEFAULT_PORTS = {"http": 80, "https": 443}


class OutputFetch:
    """Fetches what a provider made. Safe to use from several threads.

    Args:
        base_url: The provider's own address, by the settings.
        size_bytes: An answer longer than this is not read on.
        timeout_s: Seconds until all of it must be there.
        outbound: Speaks with everybody else.
    """

    def __init__(
        self, base_url: str, *, size_bytes: int, timeout_s: float = TIMEOUT_S, outbound: Outbound | None = None
    ) -> None:
        bounds = Bounds(timeout_s=timeout_s, size_bytes=size_bytes)
        self._size_bytes = size_bytes
        self._origin = _origin(base_url)
        self._own = Outbound(Bounds(timeout_s=timeout_s, size_bytes=size_bytes, redirects=0), permit=lambda _: True)
        self._public = outbound or Outbound(bounds)

    def read(self, url: str, *, stop: Stop | None = None) -> bytes:
        """The bytes at ``url``, unchecked.

        Raises:
            ProviderOutputExpired: They are not there any more.
            ProviderAnswerInvalid: The address is not one that is spoken with, or holds too much.
            ProviderUnavailable, ProviderRateLimited, ProviderTimeout: They cannot be had now.
            Cancelled: ``stop`` said so.
        """
        if url[:5].lower() == "data:":
            return self._contained(url)
        try:
            fetched = self._client(url).get(url, stop=stop)
        except AddressRefused:
            raise _not_spoken_with() from None
        return _checked(fetched).body

    def save(self, url: str, to: Path, *, stop: Stop | None = None) -> None:
        """As :meth:`read`, into a file, a piece at a time."""
        if url[:5].lower() == "data:":
            to.write_bytes(self._contained(url))
            return
        try:
            fetched = self._client(url).save(url, to, stop=stop)
        except AddressRefused:
            raise _not_spoken_with() from None
        _checked(fetched)

    def _client(self, url: str) -> Outbound:
        return self._own if _origin(url) == self._origin else self._public

    def _contained(self, uri: str) -> bytes:
        """The content of a ``data:`` URI (RFC 2397). What it calls itself is not asked."""
        head, comma, content = uri.partition(",")
        if not comma:
            raise ProviderAnswerInvalid("The provider answered with a data URI without data.")
        if len(content) > 3 * self._size_bytes:  # a byte is written as %XX at most
            raise self._too_large()
        data = unquote_to_bytes(content)
        if head.lower().endswith(";base64"):
            try:
                data = base64.b64decode(b"".join(data.split()), validate=True)
            except (binascii.Error, ValueError):
                raise ProviderAnswerInvalid("The provider answered with a data URI that cannot be decoded.") from None
        if len(data) > self._size_bytes:
            raise self._too_large()
        return data

    def _too_large(self) -> ProviderAnswerInvalid:
        return ProviderAnswerInvalid(f"The answer has more than {self._size_bytes} bytes.")


def _not_spoken_with() -> ProviderAnswerInvalid:
    return ProviderAnswerInvalid("The provider answered with an address that results are not fetched from.")


def _checked(fetched: Fetched) -> Fetched:
    if fetched.status == 200:
        return fetched
    said = f"The provider's result could not be fetched: its address answered {fetched.status}."
    fault: type[ProviderError] = ProviderAnswerInvalid
    if fetched.status in EXPIRED:
        fault = ProviderOutputExpired
    elif fetched.status == 429:
        fault = ProviderRateLimited
    elif fetched.status >= 500 or fetched.status in (408, 425):
        fault = ProviderUnavailable
    raise fault(said, retry_after_s=retry_after_s(fetched.headers, datetime.now(UTC)))


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; ``None`` for what has none."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
