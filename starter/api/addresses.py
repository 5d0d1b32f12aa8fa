"""Where clients find the API, for the URLs in answers.

A Host header says what its sender likes. An address made of it could lead somebody else to a stranger's server (out of
a cache, out of a log), so it is believed only where it names this very machine.
"""

import ipaddress
import re

from starlette.datastructures import Headers
from starlette.types import Scope

from starter.setting_values import LOOPBACK_NAMES


def root_address(scope: Scope, public_url: str | None) -> str:
    """``scheme://host:port`` as clients reach the API: what the settings say; else, for who calls from this machine
    (perhaps through a tunnel of theirs), what they called; else the address that their connection arrived at."""
    if public_url is not None:
        return public_url
    called = Headers(scope=scope).get("host", "")
    if _is_loopback(called):
        return f"http://{called}"
    host, port = scope.get("server") or ("127.0.0.1", None)
    bracketed = f"[{host}]" if ":" in host else host
    return f"http://{bracketed}:{port}" if port else f"http://{bracketed}"


CALLED = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+))(?::[0-9]{1,5})?")
"""A name or address, perhaps a port, and nothing that a reader of URLs makes something else of."""


def _is_loopback(called: str) -> bool:
    plain = CALLED.fullmatch(called)
    if plain is None:
        return False
    host = (plain[1] or plain[2]).lower()
    try:
        return host in LOOPBACK_NAMES or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
