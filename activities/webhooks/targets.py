"""Where webhooks may be sent: checked when an endpoint is made, and again whenever something is sent there."""

import ipaddress

from activities.providers.outbound import Bounds, IpAddress, Outbound, Permit, Resolve, checked_url, is_public, resolve
from domain.errors import AddressRefused

ANSWER_LIMIT_BYTES = 64 * 1024
"""Of an endpoint's answer, which nobody reads."""


def permit(*, private: bool) -> Permit:
    """Which addresses may be connected to. ``private``: any, also this machine's and its network's."""
    return _anywhere if private else is_public


def outbound(*, private: bool) -> Outbound:
    """What sends to endpoints."""
    return Outbound(Bounds(size_bytes=ANSWER_LIMIT_BYTES), permit=permit(private=private))


def check_target(url: str, permit: Permit = is_public, resolve: Resolve = resolve) -> None:
    """Refuse an endpoint that would be refused later anyway. Blocks for as long as the name server does.

    A name that cannot be found now may be found later: it passes.

    Raises:
        AddressRefused: The URL is none that is spoken with, or its host is not on the public internet.
    """
    parsed = checked_url(url)
    if parsed.fragment:
        raise AddressRefused("An endpoint's address has no fragment.")
    host = parsed.raw_host.decode("ascii")
    try:
        addresses = [ipaddress.ip_address(each) for each in resolve(host, parsed.port or 443)]
    except (OSError, UnicodeError, ValueError):
        return
    if not all(permit(each) for each in addresses):
        raise AddressRefused("The address is not on the public internet.")


def _anywhere(_: IpAddress) -> bool:
    return True
