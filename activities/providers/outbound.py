"""Requests to addresses that a user gave us: a webhook's endpoint, a picture's URL.

Such an address may be anybody's, also our own network's (server-side request forgery). So only ``http`` and ``https``
are spoken, only with public addresses, and what was checked is what is connected to: a name is resolved once, every
address in the answer is checked, and the connection goes to that very address, so that a second answer of the name
server (DNS rebinding) is never asked for. A redirect is a new address, checked as the first one was.

TLS and the Host header keep the name: the certificate is checked against it.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urljoin

import httpx

from activities.providers import cancellation
from activities.providers.cancellation import Stop
from domain.errors import AddressRefused, ProviderAnswerInvalid, ProviderTimeout, ProviderUnavailable

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]
"""The IP addresses of a host name, as text. Blocks; raises OSError."""

Permit = Callable[[IpAddress], bool]

URL_LIMIT = 2048
AUTHORITY = re.compile(r"://([^/?#]*)")
HOST = re.compile(r"[a-z0-9._-]{1,253}|[0-9a-f:.]{2,45}")
ADDRESSES_TRIED = 3
FIRST_FREE_PORT = 1024
"""Below it only the web's own ports are spoken with: a mail server could take a request for a letter."""

WEB_PORTS = frozenset({80, 443})

_ROUTABLE_V6 = ipaddress.IPv6Network("2000::/3")
"""IANA has given out global unicast addresses from here only (RFC 4291)."""

_NOT_FOR_US = tuple(
    ipaddress.ip_network(each)
    for each in (
        "192.0.0.0/24",  # IANA's own assignments; Oracle's cloud has its metadata service there
        "192.88.99.0/24",  # relays of 6to4
        "168.63.129.16/32",  # what Azure's machines find their platform at, and nobody else finds anything
        "2001::/23",  # IANA's own assignments, Teredo among them
        "2002::/16",  # 6to4: an IPv4 address in disguise
        "3fff::/20",  # for documentation
    )
)
"""What :mod:`ipaddress` takes for public, in one of the versions of Python that we run on at least."""

LET_END_S = 1.0
"""Seconds for which an answer that nobody reads is let come in."""

_SENT_TO_FIRST_ONLY = ("authorization", "cookie", "proxy-authorization")


def is_public(address: IpAddress) -> bool:
    """Whether ``address`` belongs to the internet at large: not to a machine, a private network, a cloud's metadata
    service, a multicast group or a tunnel (IANA's special-purpose address registries)."""
    if not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in _ROUTABLE_V6:
        return False
    return not any(address in network for network in _NOT_FOR_US)


def resolve(host: str, port: int) -> Sequence[str]:
    """What the system's resolver says."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True)
class Bounds:
    """How much of a stranger's answer is taken. Times cover everything: names, redirects, the last byte."""

    timeout_s: float = 15.0
    connect_timeout_s: float = 5.0
    size_bytes: int = 16 << 20
    redirects: int = 3


@dataclass(frozen=True)
class Fetched:
    """An answer, whatever its status, read to its end. ``url`` is where it came from after redirects."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Outbound:
    """Sends requests to addresses of users. Safe to use from several threads; nothing is kept between requests.

    Args:
        resolve: Asked once for every connection.
        permit: Which addresses may be connected to.
    """

    def __init__(self, bounds: Bounds | None = None, *, resolve: Resolve = resolve, permit: Permit = is_public) -> None:
        self._bounds = bounds or Bounds()
        self._resolve = resolve
        self._permit = permit

    def get(self, url: str, *, headers: Mapping[str, str] | None = None, stop: Stop | None = None) -> Fetched:
        """GET ``url``, redirects followed.

        Raises:
            ProviderAnswerInvalid: The answer is larger than the bounds allow, compressed, or malformed.
            Cancelled: ``stop`` says so. Others as :meth:`post`.
        """
        return self._run(self._follow(url, dict(headers or {})), stop)

    def look(self, url: str, *, headers: Mapping[str, str] | None = None, stop: Stop | None = None) -> Fetched:
        """GET ``url``; a redirect is an answer like any other. Errors as :meth:`get`."""
        return self._run(self._once("GET", url, dict(headers or {}), b""), stop)

    def save(self, url: str, to: Path, *, stop: Stop | None = None) -> Fetched:
        """GET ``url``, redirects followed, the body of a 200 written to ``to`` as it comes. Errors as :meth:`get`.

        Raises:
            OSError: The file cannot be written.
        """
        with to.open("wb") as file:
            return self._run(self._follow(url, {}, file), stop)

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str] | None = None) -> Fetched:
        """POST ``body``; a redirect is an answer like any other, and of none the body is kept: whatever it is, the
        status says what became of the request.

        Raises:
            AddressRefused: The URL, or what its name stands for, is not one that is spoken with.
            ProviderUnavailable: Nobody answers there, or the connection broke.
            ProviderTimeout: It took too long.
        """
        return self._run(self._once("POST", url, dict(headers or {}), body))

    def _run(self, work: Coroutine[Any, Any, Fetched], stop: Stop | None = None) -> Fetched:
        try:
            return cancellation.run(self._bounded(work), stop)
        finally:
            work.close()  # given up before it began, it would be called forgotten

    async def _bounded(self, work: Coroutine[Any, Any, Fetched]) -> Fetched:
        try:
            async with asyncio.timeout(self._bounds.timeout_s):
                return await work
        except (TimeoutError, httpx.TimeoutException):
            raise ProviderTimeout("The address did not answer in time.") from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError, UnicodeError):
            raise AddressRefused("The address is malformed.") from None
        except httpx.DecodingError:
            raise ProviderAnswerInvalid("The answer from that address cannot be read.") from None
        except httpx.TransportError:
            raise ProviderUnavailable("Nobody answers at that address, or the connection broke.") from None

    async def _follow(self, url: str, headers: dict[str, str], file: BinaryIO | None = None) -> Fetched:
        for _ in range(self._bounds.redirects + 1):
            fetched = await self._once("GET", url, headers, b"", file)
            if fetched.status not in (301, 302, 303, 307, 308) or "location" not in fetched.headers:
                return fetched
            before, url = httpx.URL(url), urljoin(url, fetched.headers["location"])
            after = httpx.URL(url)
            if before.scheme == "https" and after.scheme != "https":
                raise AddressRefused("The address leads away from https.")
            if (_name(before), before.port, before.scheme) != (_name(after), after.port, after.scheme):
                headers = {name: value for name, value in headers.items() if name.lower() not in _SENT_TO_FIRST_ONLY}
        raise AddressRefused("The address redirects too often.")

    async def _once(
        self, method: str, url: str, headers: dict[str, str], body: bytes, file: BinaryIO | None = None
    ) -> Fetched:
        parsed = checked_url(url)
        port = parsed.port or (443 if parsed.scheme == "https" else 80)
        addresses = await self._addresses(_name(parsed), port)
        for number, address in enumerate(addresses, 1):
            try:
                return await self._sent(method, parsed, address, headers, body, file)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if number == len(addresses):
                    raise
        raise AssertionError("a name has an address, or is refused")

    async def _addresses(self, host: str, port: int) -> list[IpAddress]:
        """What ``host`` stands for.

        Raises:
            AddressRefused: One of its addresses is not public; that the others are is no excuse.
            ProviderUnavailable: It has none.
        """
        try:
            answers = await asyncio.to_thread(self._resolve, host, port)
            addresses = [ipaddress.ip_address(answer) for answer in dict.fromkeys(answers)]
        except (OSError, UnicodeError, ValueError):
            raise ProviderUnavailable("The name in the address cannot be found.") from None
        if not addresses:
            raise ProviderUnavailable("The name in the address cannot be found.")
        if not all(self._permit(address) for address in addresses):
            raise AddressRefused("The address is not on the public internet.")
        return addresses[:ADDRESSES_TRIED]

    async def _sent(
        self,
        method: str,
        url: httpx.URL,
        address: IpAddress,
        headers: dict[str, str],
        body: bytes,
        file: BinaryIO | None,
    ) -> Fetched:
        timeout = httpx.Timeout(self._bounds.timeout_s, connect=self._bounds.connect_timeout_s)
        # no proxy of the environment: it would look the name up itself
        async with (
            httpx.AsyncClient(verify=_trust(), timeout=timeout, follow_redirects=False, trust_env=False) as client,
            client.stream(
                method,
                url.copy_with(host=str(address)),
                headers={**headers, "Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity"},
                content=body or None,
                extensions={"sni_hostname": _name(url)},
            ) as answer,
        ):
            if method == "POST":
                read = await self._let_end(answer)
            else:
                read = await self._read(answer, file if answer.status_code == 200 else None)
            return Fetched(str(url), answer.status_code, dict(answer.headers), read)

    async def _let_end(self, answer: httpx.Response) -> bytes:
        """Let a short answer end, so that whoever wrote it does not find the line cut. Nothing of it is kept."""
        size = 0
        with suppress(TimeoutError, httpx.TransportError):
            async with asyncio.timeout(LET_END_S):
                async for part in answer.aiter_raw():
                    size += len(part)
                    if size > self._bounds.size_bytes:
                        break
        return b""

    async def _read(self, answer: httpx.Response, file: BinaryIO | None) -> bytes:
        """The body; nothing, where it went into ``file``."""
        if answer.headers.get("content-encoding", "identity").lower() != "identity":
            raise ProviderAnswerInvalid("The answer from that address is compressed, which was not asked for.")
        body, size = bytearray(), 0
        async for part in answer.aiter_raw():
            size += len(part)
            if size > self._bounds.size_bytes:
                raise ProviderAnswerInvalid(f"The answer has more than {self._bounds.size_bytes} bytes.")
            if file is None:
                body += part
            else:
                file.write(part)
        return bytes(body)


def checked_url(url: str) -> httpx.URL:
    """``url``, when it is one that may be asked as far as its text tells: call it where a user gives one.

    Raises:
        AddressRefused: It is not http or https, names a user, has an odd port, or cannot be read.
    """
    if len(url) > URL_LIMIT or not url.isprintable() or any(each in url for each in " \\"):
        raise AddressRefused("The address is malformed.")
    try:
        parsed = httpx.URL(url)
        host = parsed.host  # decodes a name in Punycode, which may be none
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise AddressRefused("The address is malformed.") from None
    if parsed.scheme not in ("http", "https") or not host:
        raise AddressRefused("An address begins with https:// or http:// and a host.")
    if not HOST.fullmatch(_name(parsed)):
        raise AddressRefused("The address is malformed.")
    if "@" in AUTHORITY.split(url, 1)[1]:
        raise AddressRefused("An address must not name a user.")
    if parsed.port is not None and parsed.port not in WEB_PORTS and not FIRST_FREE_PORT <= parsed.port < 1 << 16:
        raise AddressRefused("An address names port 80, 443, or one from 1024 on.")
    return parsed


def _name(url: httpx.URL) -> str:
    """The host as DNS and TLS know it."""
    return url.raw_host.decode("ascii")


@cache
def _trust() -> ssl.SSLContext:
    """Made once: reading the certificates takes longer than a request. Never from the environment's own variables."""
    return httpx.create_ssl_context(trust_env=False)
